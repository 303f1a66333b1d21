import math

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.figure import Figure


def plot_heads(weights, tokens, heads=(0, 1)) -> Figure:
    heads = list(heads)
    cols = min(len(heads), 3) or 1
    rows = math.ceil(len(heads) / cols) + 1          # the last row stays empty
    fig, axes = plt.subplots(rows, cols, figsize=(3 * cols, 3 * rows), squeeze=False, layout="constrained")
    flat = axes.ravel().tolist()
    norm = matplotlib.colors.Normalize(0, 1)
    for ax, head in zip(flat, heads):
        ax.matshow(weights[head].detach().cpu().float(), norm=norm)
        ax.tick_params(top=False, labeltop=False, bottom=True, labelbottom=True)
        ax.set_xticks(range(len(tokens)), labels=tokens)
        ax.set_yticks(range(len(tokens)), labels=tokens)
        ax.set_title(str(head))
    for spare in flat[len(heads):]:
        spare.set_visible(False)
    return fig
