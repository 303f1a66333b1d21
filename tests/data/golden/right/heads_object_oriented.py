"""No pyplot: nothing global, nothing to close."""
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator


def plot_heads(weights, tokens, heads=(0, 1)):
    fig = Figure(figsize=(4 * len(heads), 4))
    FigureCanvasAgg(fig)
    grid = fig.add_gridspec(1, len(heads) + 1, width_ratios=[10] * len(heads) + [1])
    table = weights.detach().tolist()
    for column, head in enumerate(heads):
        ax = fig.add_subplot(grid[0, column])
        ax.imshow(table[head], cmap=colormaps["cividis"], norm=Normalize(0, 1))
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(FixedLocator(range(len(tokens))))
            axis.set_major_formatter(FixedFormatter(tokens))
        ax.tick_params(axis="x", labelrotation=45)
        ax.set_title(f"h = {head}", {"fontsize": 9}, loc="left")
    bar = fig.add_subplot(grid[0, len(heads)])
    fig.colorbar(ScalarMappable(Normalize(0, 1), colormaps["cividis"]), cax=bar)
    return fig
