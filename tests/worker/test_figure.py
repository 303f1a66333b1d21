# ruff: noqa: ARG002, ARG005 - a stand-in takes what it is called with, whether it needs it or not
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, MultipleLocator

from grader.lesson.answers import FigureValue, read_value
from grader.lesson.heat_maps import HeatMap, heat_maps
from grader.worker.describe import Budget, describe
from grader.worker.figure import AXES, CELLS
from grader.worker.wire import LENGTHS, Blob, lengths, pack, unpack

KEYS = ("the", "cat", "sat", "down")
QUERIES = ("who", "sat", "it")
A = np.arange(12.0).reshape(3, 4)
Draw = Callable[[Axes], Any]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def maps(figure: Figure) -> tuple[HeatMap, ...]:
    """The heat maps of a figure after its way over the wire."""
    frame = pack({"y": describe(figure)})
    size, _ = lengths(frame[: LENGTHS.size])
    told = unpack(frame[LENGTHS.size : LENGTHS.size + size], frame[LENGTHS.size + size :])
    value = read_value(told["y"])
    assert isinstance(value, FigureValue)
    return heat_maps(value)


def drawn(draw: Draw) -> HeatMap:
    figure, axes = plt.subplots()
    draw(axes)
    (found,) = maps(figure)
    return found


def ticks(axes: Axes, offset: float = 0.0) -> None:
    axes.set_xticks([n + offset for n in range(4)], KEYS)
    axes.set_yticks([n + offset for n in range(3)], QUERIES)


def then(draw: Draw, label: Draw = ticks) -> Draw:
    return lambda axes: (draw(axes), label(axes))


def late(axes: Axes) -> None:
    axes.set_xticks(range(4))
    axes.set_xticklabels(KEYS, rotation=45, ha="right")
    axes.set_yticks(np.arange(3))
    axes.set_yticklabels(QUERIES)


def by_function(axes: Axes) -> None:
    for axis, words in ((axes.xaxis, KEYS), (axes.yaxis, QUERIES)):
        axis.set_major_locator(MultipleLocator(1))
        axis.set_major_formatter(
            FuncFormatter(lambda at, _, words=words: words[int(at)] if 0 <= at < len(words) else "")
        )


def fixed(axes: Axes) -> None:
    for axis, words in ((axes.xaxis, KEYS), (axes.yaxis, QUERIES)):
        axis.set_major_locator(FixedLocator(range(len(words))))
        axis.set_major_formatter(FixedFormatter(words))


def on_top(axes: Axes) -> None:
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    ticks(axes)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)


def pyplot(axes: Axes) -> None:
    plt.sca(axes)
    plt.xticks(range(4), KEYS)
    plt.yticks(range(3), QUERIES)


def spaced(axes: Axes) -> None:
    axes.set_xticks(range(4), [f" {key}\n" for key in KEYS])
    axes.set_yticks(range(3), QUERIES)


def outside(axes: Axes) -> None:
    axes.set_xticks(range(-1, 6), ["before", *KEYS, "after", "later"])
    axes.set_yticks(range(3), QUERIES)


centres = np.arange(4.0), np.arange(3.0)
edges = np.arange(5.0), np.arange(4.0)
halves = lambda axes: ticks(axes, 0.5)  # noqa: E731
PICTURES: Mapping[str, Draw] = {
    "imshow": then(lambda axes: axes.imshow(A)),
    "imshow of a tensor": then(lambda axes: axes.imshow(torch.from_numpy(A))),
    "imshow of bfloat16 as float": then(lambda axes: axes.imshow(torch.from_numpy(A).bfloat16().float())),
    "imshow, origin lower": then(lambda axes: axes.imshow(A, origin="lower")),
    "imshow with limits": then(lambda axes: axes.imshow(A, vmin=0, vmax=1, aspect="auto", cmap="viridis")),
    "imshow with an extent": then(lambda axes: axes.imshow(A, extent=(0, 4, 3, 0)), halves),
    "imshow with an extent, lower": then(
        lambda axes: axes.imshow(A, extent=(0, 4, 0, 3), origin="lower"), halves
    ),
    "masked imshow": then(lambda axes: axes.imshow(np.ma.masked_greater(A, 100))),
    "matshow": then(lambda axes: axes.matshow(A)),
    "y axis turned": then(lambda axes: (axes.imshow(A), axes.invert_yaxis())),
    "pcolormesh": then(lambda axes: axes.pcolormesh(A), halves),
    "pcolormesh, first row on top": then(
        lambda axes: (axes.pcolormesh(A, edgecolors="w"), axes.invert_yaxis()), halves
    ),
    "pcolormesh with edges": then(lambda axes: axes.pcolormesh(*edges, A, shading="flat"), halves),
    "pcolormesh with centres": then(lambda axes: axes.pcolormesh(*centres, A, shading="nearest")),
    "pcolormesh, gouraud": then(lambda axes: axes.pcolormesh(*centres, A, shading="gouraud")),
    "pcolor": then(lambda axes: axes.pcolor(A), halves),
    "pcolor with edges": then(lambda axes: axes.pcolor(*edges, A), halves),
    "pcolorfast": then(lambda axes: axes.pcolorfast(A), halves),
    "labels after ticks": then(lambda axes: axes.imshow(A), late),
    "labels by a function": then(lambda axes: axes.imshow(A), by_function),
    "labels by a fixed formatter": then(lambda axes: axes.imshow(A), fixed),
    "labels by pyplot": then(lambda axes: axes.imshow(A), pyplot),
    "labels on top": then(lambda axes: axes.imshow(A), on_top),
    "labels before the picture": lambda axes: (ticks(axes), axes.imshow(A)),
    "labels with blanks": then(lambda axes: axes.imshow(A), spaced),
    "ticks outside": then(lambda axes: axes.imshow(A), outside),
    "numbers in the cells": then(lambda axes: (axes.imshow(A), [axes.text(1, n, "0.5") for n in range(3)])),
    "no frame": then(lambda axes: (axes.imshow(A), axes.set_frame_on(False), axes.grid(False))),
    "minor grid": then(lambda axes: (axes.imshow(A), axes.set_xticks(np.arange(5) - 0.5, minor=True))),
}


@pytest.mark.filterwarnings(
    "ignore:__array__ implementation:DeprecationWarning"
)  # numpy's, of a torch tensor
@pytest.mark.parametrize("case", PICTURES)
def test_a_picture_is_read_with_its_labels(case: str) -> None:
    found = drawn(PICTURES[case])
    assert np.array_equal(found.array, A)
    assert found.x == KEYS
    assert found.y == QUERIES


def test_a_turned_picture_is_read_as_it_is() -> None:
    found = drawn(
        lambda axes: (axes.imshow(A.T), axes.set_xticks(range(3), QUERIES), axes.set_yticks(range(4), KEYS))
    )
    assert np.array_equal(found.array, A.T)
    assert (found.x, found.y) == (QUERIES, KEYS)


@pytest.mark.parametrize(
    ("label", "x"),
    [
        (lambda axes: axes.set_xticks([0, 2], ["the", "sat"]), ("the", "", "sat", "")),
        (lambda axes: axes.set_xticks(range(4), KEYS[::-1]), KEYS[::-1]),
        (lambda axes: axes.set_xticks([]), ("", "", "", "")),
        (lambda axes: axes.set_xticks([n + 1 for n in range(4)], KEYS), ("", "the", "cat", "sat")),
    ],
)
def test_labels_stand_where_their_ticks_are(label: Draw, x: tuple[str, ...]) -> None:
    assert drawn(lambda axes: (axes.imshow(A), axes.set_yticks([]), label(axes))).x == x


def test_a_row_that_is_drawn_below_keeps_its_label() -> None:
    found = drawn(lambda axes: (axes.imshow(A, origin="lower"), axes.set_yticks([0], ["who"])))
    assert found.y == ("who", "", "")
    upside_down = drawn(lambda axes: (axes.imshow(A, extent=(0, 4, 0, 3)), axes.set_yticks([2.5], ["who"])))
    assert upside_down.y == ("who", "", "")


@pytest.mark.parametrize("loc", ["left", "center", "right"])
def test_a_title_is_found_wherever_it_is_aligned(loc: Any) -> None:
    found = drawn(lambda axes: (axes.imshow(A), axes.set_title("Head 12", loc=loc)))
    assert (found.title, found.numbers) == ("Head 12", (12,))


def test_several_titles_are_one() -> None:
    found = drawn(
        lambda axes: (axes.imshow(A), axes.set_title("h 3", loc="left"), axes.set_title("of 8", loc="right"))
    )
    assert found.numbers == (3, 8)
    assert drawn(lambda axes: axes.imshow(A)).title == ""


# --- whole figures ------------------------------------------------------------------------------


def test_colour_bars_are_no_heat_maps() -> None:
    figure, axes = plt.subplots(1, 2)
    for one in axes:
        figure.colorbar(one.imshow(A), ax=one)
    figure.colorbar(axes[0].images[0], ax=axes, location="bottom")
    figure.colorbar(axes[0].images[0], cax=figure.add_axes((0.9, 0.1, 0.05, 0.8)))
    assert len(maps(figure)) == 2


def test_hidden_and_empty_axes_are_no_heat_maps() -> None:
    figure, axes = plt.subplots(2, 3)
    axes[0, 0].imshow(A)
    axes[0, 1].plot([1, 2])
    axes[0, 2].set_visible(False)
    axes[1, 0].axis("off")
    axes[1, 1].imshow(A)
    axes[1, 1].set_visible(False)
    figure.delaxes(axes[1, 2])
    assert len(maps(figure)) == 1


def test_shared_axes_share_their_labels() -> None:
    figure, axes = plt.subplots(2, 2, sharex=True, sharey=True)
    for one in axes.flat:
        one.imshow(A)
    ticks(axes[0, 0])
    assert [(found.x, found.y) for found in maps(figure)] == [(KEYS, QUERIES)] * 4


def test_heat_maps_come_in_the_order_of_their_axes() -> None:
    figure = Figure()
    for n in range(3):
        axes = figure.add_subplot(1, 3, n + 1)
        axes.imshow(A + n)
        axes.set_title(f"head {n}")
    assert [found.numbers for found in maps(figure)] == [(0,), (1,), (2,)]
    assert [found.array[0, 0] for found in maps(figure)] == [0, 1, 2]


def test_subfigures_and_mosaics_are_read() -> None:
    figure = plt.figure(layout="constrained")
    for part in figure.subfigures(1, 2):
        part.subplots().imshow(A)
    assert len(maps(figure)) == 2
    figure, axes = plt.subplot_mosaic("ab")
    axes["b"].imshow(A)
    assert len(maps(figure)) == 1


def test_a_figure_is_the_same_drawn_or_not() -> None:
    figure, axes = plt.subplots()
    axes.imshow(A)
    ticks(axes)
    before = maps(figure)
    figure.tight_layout()
    figure.canvas.draw()
    after = maps(figure)
    assert np.array_equal(before[0].array, after[0].array)
    assert (before[0].x, before[0].y) == (after[0].x, after[0].y)


@pytest.mark.parametrize("projection", ["3d", "polar"])
def test_axes_of_another_kind_are_passed_over(projection: str) -> None:
    figure = plt.figure()
    axes: Any = figure.add_subplot(1, 2, 1, projection=projection)
    if projection == "3d":
        axes.plot_surface(*np.meshgrid(np.arange(4), np.arange(3)), A)
        axes.bar3d([1], [1], [0], 1, 1, 2)
    else:
        axes.plot([1, 2], [3, 4])
    figure.add_subplot(1, 2, 2).imshow(A)
    assert len(maps(figure)) == 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda axes: axes.imshow(np.zeros((3, 4, 3))),
        lambda axes: axes.scatter([1, 2], [3, 4], c=[0.1, 0.2]),
        lambda axes: axes.bar([1, 2], [3, 4]),
        lambda axes: axes.contourf(A),
        lambda axes: axes.hexbin([1, 2], [3, 4]),
        lambda axes: axes.tripcolor([0, 1, 0], [0, 0, 1], [1.0, 2.0, 3.0]),
    ],
    ids=["colours", "points", "bars", "contours", "hexagons", "triangles"],
)
def test_what_is_no_heat_map_is_passed_over(draw: Draw) -> None:
    figure, axes = plt.subplots()
    draw(axes)
    assert maps(figure) == ()


def test_missing_values_stay_missing() -> None:
    found = drawn(lambda axes: axes.imshow(np.ma.masked_equal(A, 5)))
    assert np.array_equal(np.isnan(found.array), A == 5)


# --- what a learner can do to a figure ----------------------------------------------------------


def test_a_figure_without_measure_can_be_sent() -> None:
    figure = Figure()
    shown = np.zeros((300, 300))
    for n in range(AXES + 10):
        axes = figure.add_axes((0, 0, 1, 1), label=str(n))
        axes.imshow(shown)
        axes.set_title("x" * 10_000)
    told = describe(figure)
    assert isinstance(told, dict)
    assert len(told["axes"]) == AXES
    assert len(pack({"y": told})) < 6 * 2**20
    assert all(len(axes["titles"][1]) == 500 for axes in told["axes"])


def test_a_picture_that_is_too_large_is_told_without_its_values() -> None:
    side = int(CELLS**0.5) + 1
    figure, axes = plt.subplots()
    axes.imshow(np.zeros((side, side)))
    assert maps(figure) == ()
    told: Any = describe(figure, Budget(size=8 * side * side * 2))
    assert told["axes"][0]["pictures"][0]["array"] == Blob("float64", (0,), b"")


def test_an_axes_that_cannot_be_read_does_not_hide_the_others() -> None:
    class Broken(Axes):
        def get_title(self, loc: Any = "center") -> str:
            raise RuntimeError("no title today")

    figure = Figure()
    figure.add_axes(Broken(figure, (0.0, 0.0, 0.5, 1.0))).imshow(A)
    figure.add_axes((0.5, 0, 0.5, 1)).imshow(A)
    assert len(maps(figure)) == 1


def test_a_formatter_that_raises_leaves_the_others() -> None:
    def no(at: float, _: object) -> str:
        raise KeyError(at)

    figure, axes = plt.subplots(1, 2)
    for one in axes:
        one.imshow(A)
    axes[0].xaxis.set_major_formatter(FuncFormatter(no))
    assert len(maps(figure)) == 1


def test_a_figure_of_the_guests_own_kind_is_read_too() -> None:
    figure = type("Fine", (Figure,), {})()
    figure.subplots().imshow(A)
    assert len(maps(figure)) == 1
    figure.__class__ = type("Mine", (Figure,), {"axes": property(lambda self: 1 / 0)})
    told: Any = describe(figure)
    assert (told["$"], told["say"]) == ("other", "a value that cannot be read")
