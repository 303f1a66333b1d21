from matplotlib import pyplot as plt


def plot_heads(weights, tokens, heads=(0, 1)):
    fig = plt.figure(figsize=(5 * len(heads), 5))
    for i, head in enumerate(heads):
        plt.subplot(1, len(heads), i + 1)
        plt.imshow(weights[head].detach().float().numpy(), aspect="auto", interpolation="nearest")
        plt.xticks(range(len(tokens)), tokens, rotation=90)
        plt.yticks(range(len(tokens)), tokens)
        plt.title("attention of head " + str(head) + " of " + str(weights.shape[0]))
        plt.xlabel("keys")
        plt.ylabel("queries")
        plt.colorbar()
    plt.tight_layout()
    return plt.gcf()
