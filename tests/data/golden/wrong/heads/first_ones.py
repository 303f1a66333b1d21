import matplotlib.pyplot as plt


def plot_heads(weights, tokens, heads=(0, 1)):
    n = len(heads)
    fig, axes = plt.subplots(1, n, squeeze=False)
    for h in range(n):
        ax = axes[0][h]
        ax.imshow(weights[h].detach().float().cpu().numpy())
        ax.set_xticks(range(len(tokens)), labels=tokens)
        ax.set_yticks(range(len(tokens)), labels=tokens)
        ax.set_title(f"head {h}")
    return fig
