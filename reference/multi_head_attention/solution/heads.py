"""See what single heads look at."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from torch import Tensor


def plot_heads(weights: Tensor, tokens: Sequence[str], heads: Sequence[int] = (0, 1)) -> Figure:
    """One heat map for each head asked for: weights (h, Tq, Tk), rows are queries and columns keys."""
    figure = Figure(figsize=(4 * len(heads), 4), layout="constrained")
    panels = figure.subplots(1, len(heads), squeeze=False)[0]
    for axes, head in zip(panels, heads, strict=True):
        image = weights[head].detach().float().cpu().numpy()
        axes.imshow(image, vmin=0, vmax=1, cmap="viridis")
        axes.set_xticks(range(len(tokens)), tokens, rotation=90)
        axes.set_yticks(range(len(tokens)), tokens)
        axes.set(title=f"head {head}", xlabel="key", ylabel="query")
    return figure
