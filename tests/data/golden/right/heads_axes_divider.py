import matplotlib.pyplot as plt
from mpl_toolkits.axes_grid1 import make_axes_locatable


def plot_heads(weights, tokens, heads=(0, 1)):
    fig = plt.figure(figsize=(4 * len(heads), 4))
    axes = fig.subplots(1, len(heads), squeeze=False)[0]
    ticks = list(range(len(tokens)))
    for head, ax in zip(heads, axes):
        im = ax.imshow(weights.detach().float()[head].numpy(), origin="upper")
        cax = make_axes_locatable(ax).append_axes("right", size="5%", pad=0.05)
        plt.colorbar(im, cax=cax)
        plt.sca(ax)
        plt.xticks(ticks, tokens)
        plt.yticks(ticks, tokens)
        ax.set(title=f"Head: {head}", xlabel="Key", ylabel="Query")
    return fig
