import matplotlib.pyplot as plt


def plot_heads(weights, tokens, heads=(0, 1)):
    fig, axes = plt.subplots(1, len(heads), squeeze=False)
    for ax, head in zip(axes.flat, heads):
        ax.imshow(weights[head].detach().float().cpu().numpy())
        ax.set_xticks(range(len(tokens)), labels=tokens)
        ax.set_yticks(range(len(tokens)), labels=tokens)
    return fig
