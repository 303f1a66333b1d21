"""`heads` as a row of stages, and what people put in their place. matplotlib is imported only to draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor


def as_asked(heads: Sequence[int], _weights: Tensor) -> list[int]:
    """Right: the heads asked for, in their order."""
    return list(heads)


def of_head(weights: Tensor, head: int, _place: int) -> Tensor:
    """Right: one head's weights, rows are queries."""
    return weights[head]


def head_number(head: int, _place: int) -> str:
    """Right: the number as given in `heads`."""
    return f"head {head}"


def in_a_row(figure: Any, count: int) -> Any:
    """Right: always a row of axes, of one too."""
    return figure.subplots(1, count, squeeze=False)[0]


def labelled(axis: Any, tokens: Sequence[str]) -> None:
    """Right: one tick for each token, with its text."""
    _mark(axis, range(len(tokens)), tokens)


def _mark(axis: Any, places: Sequence[int], texts: Sequence[str]) -> None:
    """What `axis.set_ticks` comes to, without an object for each tick: most of a figure's time goes into those."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FixedFormatter(texts))


def the_figure(figure: Any) -> Any:
    """Right: the figure itself."""
    return figure


def build(
    *,
    choose: Callable[[Sequence[int], Tensor], list[int]] = as_asked,
    picture: Callable[[Tensor, int, int], Tensor] = of_head,
    title: Callable[[int, int], str] = head_number,
    panels: Callable[[Any, int], Any] = in_a_row,
    label_x: Callable[[Any, Sequence[str]], None] = labelled,
    label_y: Callable[[Any, Sequence[str]], None] = labelled,
    finish: Callable[[Any], Any] = the_figure,
) -> dict[str, object]:
    """The function `plot_heads` with some stages replaced."""

    def plot_heads(weights: Tensor, tokens: Sequence[str], heads: Sequence[int] = (0, 1)) -> Any:
        """One heat map for each head: weights (h, Tq, Tk) -> a figure."""
        from matplotlib.figure import Figure

        chosen = choose(heads, weights)
        figure = Figure(figsize=(4 * len(chosen), 4), layout="constrained")
        axes = panels(figure, len(chosen))
        for place, head in enumerate(chosen):
            image = picture(weights.detach().float().cpu(), head, place)
            axes[place].imshow(image.numpy(), vmin=0, vmax=1)
            label_x(axes[place].xaxis, tokens)
            label_y(axes[place].yaxis, tokens)
            axes[place].set(title=title(head, place), xlabel="key", ylabel="query")
        return finish(figure)

    return {"plot_heads": plot_heads}


# Which heads are shown?


def all_heads(_heads: Sequence[int], weights: Tensor) -> list[int]:
    """Every head there is."""
    return list(range(weights.shape[0]))


def first_ones(heads: Sequence[int], _weights: Tensor) -> list[int]:
    """As many as were asked for, but the first ones."""
    return list(range(len(heads)))


def first_two(_heads: Sequence[int], _weights: Tensor) -> list[int]:
    """The default, whatever was asked."""
    return [0, 1]


def in_ascending_order(heads: Sequence[int], _weights: Tensor) -> list[int]:
    """Not in the order asked for."""
    return sorted(heads)


# What does a panel show?


def turned(weights: Tensor, head: int, _place: int) -> Tensor:
    """Rows are keys."""
    return weights[head].T


def first_head(weights: Tensor, _head: int, _place: int) -> Tensor:
    """Head 0 in every panel."""
    return weights[0]


def panel_number(weights: Tensor, _head: int, place: int) -> Tensor:
    """Panel i shows head i, not the i-th head asked for."""
    return weights[place]


def next_head(weights: Tensor, head: int, _place: int) -> Tensor:
    """Counting from 1: off by one."""
    return weights[head - 1]


def mean_of_heads(weights: Tensor, _head: int, _place: int) -> Tensor:
    """The average of all heads."""
    return weights.mean(0)


def softmax_again(weights: Tensor, head: int, _place: int) -> Tensor:
    """The weights went through a softmax already."""
    return weights[head].softmax(-1)


# What is written beside it?


def place_number(_head: int, place: int) -> str:
    """The panel's number."""
    return f"head {place}"


def from_one(head: int, _place: int) -> str:
    """Heads counted from 1."""
    return f"head {head + 1}"


def no_title(_head: int, _place: int) -> str:
    """Nothing says which head it is."""
    return ""


def unlabelled(_axis: Any, _tokens: Sequence[str]) -> None:
    """Numbers stand where tokens should."""


def reversed_labels(axis: Any, tokens: Sequence[str]) -> None:
    """The last token is written at the first row or column."""
    _mark(axis, range(len(tokens)), tokens[::-1])


def shifted_labels(axis: Any, tokens: Sequence[str]) -> None:
    """Ticks from 1: each label stands one further."""
    _mark(axis, range(1, len(tokens) + 1), tokens)


def merged_labels(axis: Any, tokens: Sequence[str]) -> None:
    """Equal tokens share one tick, where the first of them stands."""
    first = {token: place for place, token in reversed(list(enumerate(tokens)))}
    _mark(axis, list(first.values()), list(first))


def counted_by_word(axis: Any, tokens: Sequence[str]) -> None:
    """Each new word has the next place, as matplotlib does it with words for numbers."""
    words = list(dict.fromkeys(tokens))
    _mark(axis, range(len(words)), words)


def squeezed(figure: Any, count: int) -> Any:
    """For one head `subplots` gives one axes, which has no [0]."""
    return figure.subplots(1, count)


def its_axes(figure: Any) -> Any:
    """The axes, not the figure."""
    import numpy as np

    return np.array(figure.axes, dtype=object)


def forgotten(_figure: Any) -> None:
    """`return figure` is missing."""


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "heads-all-shown": {"choose": all_heads},
    "heads-argument-ignored": {"choose": first_ones},
    "heads-argument-ignored-default": {"choose": first_two},
    "heads-sorted": {"choose": in_ascending_order},
    "heads-transposed": {"picture": turned},
    "heads-one-head-repeated": {"picture": first_head},
    "heads-wrong-position": {"picture": panel_number},
    "heads-wrong-off-by-one": {"picture": next_head},
    "heads-mean-shown": {"picture": mean_of_heads},
    "heads-softmax-again": {"picture": softmax_again},
    "heads-title-position": {"title": place_number},
    "heads-title-off-by-one": {"title": from_one},
    "heads-title-missing": {"title": no_title},
    "heads-labels-missing": {"label_x": unlabelled, "label_y": unlabelled},
    "heads-labels-missing-keys": {"label_x": unlabelled},
    "heads-labels-missing-queries": {"label_y": unlabelled},
    "heads-labels-reversed-keys": {"label_x": reversed_labels},
    "heads-labels-reversed-queries": {"label_y": reversed_labels},
    "heads-labels-shifted": {"label_x": shifted_labels, "label_y": shifted_labels},
    "heads-labels-merged": {"label_x": merged_labels, "label_y": merged_labels},
    "heads-labels-merged-counted": {"label_x": counted_by_word, "label_y": counted_by_word},
    "heads-one-panel-crash": {"panels": squeezed},
    "heads-not-a-figure": {"finish": its_axes},
    "heads-not-returned": {"finish": forgotten},
}
