import matplotlib.pyplot as plt


def heatmap(ax, table, labels):
    """one heat map with its numbers written into the cells"""
    ax.imshow(table, cmap="YlGn", vmin=0, vmax=1)
    for i, row in enumerate(table):
        for j, value in enumerate(row):
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=6)
    ax.set_xticks([*range(len(labels))], labels, rotation=30, ha="right", rotation_mode="anchor")
    ax.set_yticks([*range(len(labels))], labels)
    ax.spines[:].set_visible(False)


def plot_heads(weights, tokens, heads=(0, 1)):
    with plt.style.context("ggplot"):
        fig, axd = plt.subplot_mosaic([[f"panel{n}" for n in range(len(heads))]], figsize=(4 * len(heads), 4))
        for n, head in enumerate(heads):
            ax = axd[f"panel{n}"]
            ax.grid(False)
            heatmap(ax, weights[head].tolist(), tokens)
            ax.set_title(f"Attention head no. {head}")
    return fig
