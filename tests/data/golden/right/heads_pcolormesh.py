import matplotlib.pyplot as plt
import numpy as np


def plot_heads(weights, tokens, heads=(0, 1)):
    n = len(heads)
    fig, axes = plt.subplots(ncols=n, figsize=(1 + 3 * n, 3), squeeze=False)
    centres = np.arange(len(tokens)) + 0.5
    for column, head in enumerate(heads):
        ax = axes[0, column]
        mesh = ax.pcolormesh(weights[head].detach().float().cpu().numpy(), cmap="Blues", vmin=0, vmax=1)
        ax.invert_yaxis()
        ax.set_aspect("equal")
        ax.set_xticks(centres)
        ax.set_xticklabels(tokens, rotation="vertical")
        ax.set_yticks(centres)
        ax.set_yticklabels(tokens)
        ax.set_title(f"head {head}", loc="right")
        fig.colorbar(mesh, ax=ax, shrink=0.7)
    fig.suptitle("What each head looks at")
    return fig
