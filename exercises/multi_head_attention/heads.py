"""Step `heads`: see what single heads look at."""

from matplotlib.figure import Figure
from torch import Tensor


def plot_heads(weights: Tensor, tokens: list[str], heads: tuple[int, ...] = (0, 1)) -> Figure:
    """One heat map for each head asked for: weights (h, Tq, Tk), rows are queries and columns keys.

    The tokens label both axes, and each title holds the head's number as given in `heads`.

    By hand: tokens ["the", "cat"] and weights[1] = [[1, 0], [0.5, 0.5]], asked for heads=(1,): one map
    titled "head 1". Its upper row is "the", which looks at "the" alone; its lower row is "cat", which
    looks at both alike.
    """
    # TODO(heads): one heat map for each head asked for.
    raise NotImplementedError("heads: not written yet")
