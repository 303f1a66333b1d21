from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grader.lesson.answers import FigureValue
from grader.lesson.heat_maps import HeatMap, heat_maps
from grader.worker.wire import Blob

SQUARE = np.arange(6.0).reshape(2, 3)


def ticks(**labels: float) -> dict[str, object]:
    return {"at": list(labels.values()), "labels": list(labels)}


def axes(
    array: Any = SQUARE, *, x: Any = None, y: Any = None, edges: Any = (-0.5, 2.5, -0.5, 1.5), **fields: Any
) -> dict[str, object]:
    """An axes with one picture, whose cells are around whole numbers."""
    plain = np.asarray(array, dtype=np.float64)
    named = dict(zip(("left", "right", "first", "last"), edges, strict=True))
    shown = {"array": Blob("float64", plain.shape, plain.tobytes()), **named}
    known: dict[str, Any] = {
        "visible": True,
        "colorbar": False,
        "titles": ["", "head 0", ""],
        "pictures": [shown],
    }
    return {**known, "x": x or ticks(), "y": y or ticks(), **fields}


def one(*args: Any, **fields: Any) -> HeatMap:
    (found,) = heat_maps(FigureValue((axes(*args, **fields),)))
    return found


def test_a_heat_map_holds_the_picture_its_labels_and_its_title() -> None:
    found = one(x=ticks(a=0, b=1, c=2), y=ticks(d=0, e=1))
    assert np.array_equal(found.array, SQUARE)
    assert (found.x, found.y, found.title, found.numbers) == (("a", "b", "c"), ("d", "e"), "head 0", (0,))


def test_rows_count_from_the_first_row_wherever_the_origin_is() -> None:
    assert one(y=ticks(top=0, below=1), edges=(-0.5, 2.5, -0.5, 1.5)).y == ("top", "below")
    assert one(y=ticks(low=0, high=1), edges=(-0.5, 2.5, 1.5, -0.5)).y == ("high", "low")


def test_columns_may_run_from_right_to_left() -> None:
    assert one(x=ticks(a=0, b=1, c=2), edges=(2.5, -0.5, -0.5, 1.5)).x == ("c", "b", "a")


def test_ticks_in_the_middle_of_unit_cells_are_labels_of_those_cells() -> None:
    found = one(x=ticks(a=0.5, b=1.5, c=2.5), y=ticks(d=0.5, e=1.5), edges=(0, 3, 0, 2))
    assert (found.x, found.y) == (("a", "b", "c"), ("d", "e"))


def test_a_cell_without_a_tick_has_no_label_and_a_tick_outside_labels_nothing() -> None:
    assert one(x=ticks(before=-1, b=1, after=3)).x == ("", "b", "")


def test_labels_are_stripped_and_the_last_of_a_cell_counts() -> None:
    assert one(x={"at": [0, 1, 1, 2], "labels": [" a ", "b", "B", "c\n"]}).x == ("a", "B", "c")


def test_labels_and_places_of_different_number_are_paired_as_far_as_they_go() -> None:
    assert one(x={"at": [0, 1], "labels": ["a"]}).x == ("a", "", "")


def test_colour_bars_hidden_axes_and_axes_without_pictures_are_passed_over() -> None:
    figure = FigureValue(
        (axes(titles=["", "head 4", ""]), axes(colorbar=True), axes(visible=False), axes(pictures=[]), {})
    )
    assert [found.title for found in heat_maps(figure)] == ["head 4"]


def test_heat_maps_keep_the_order_of_the_axes() -> None:
    figure = FigureValue(tuple(axes(titles=["", f"head {n}", ""]) for n in (5, 2, 7)))
    assert [found.numbers for found in heat_maps(figure)] == [(5,), (2,), (7,)]


def test_a_title_is_read_wherever_it_is_aligned_with_every_whole_number_in_it() -> None:
    assert one(titles=["layer 2", "", "head 11"]).title == "layer 2 head 11"
    assert one(titles=["layer 2", "", "head 11"]).numbers == (2, 11)
    assert one(titles=["", "none", ""]).numbers == ()
    assert one(titles="head 3").title == ""


@pytest.mark.parametrize(
    "odd",
    [
        {"pictures": ["text"]},
        {"pictures": [{"array": "text"}]},
        {"pictures": [{"array": Blob("float64", (6,), SQUARE.tobytes()), "left": 0}]},
        {
            "pictures": [
                {"array": Blob("float64", (2, 3), SQUARE.tobytes()), "left": 0, "right": 1, "first": 0}
            ]
        },
        {"x": ticks(a=0) | {"at": ["zero"]}},
        {"pictures": "text"},
    ],
)
def test_what_cannot_be_read_is_no_heat_map(odd: dict[str, Any]) -> None:
    assert heat_maps(FigureValue(({**axes(), **odd},))) == ()


@pytest.mark.parametrize("odd", [{"x": None}, {"x": {"at": 3, "labels": ["a"]}}, {"x": {"at": [0]}}])
def test_odd_ticks_leave_the_labels_empty(odd: dict[str, Any]) -> None:
    (found,) = heat_maps(FigureValue(({**axes(), **odd},)))
    assert found.x == ("", "", "")


def test_a_picture_without_extent_or_cells_has_no_labels() -> None:
    assert one(x=ticks(a=0), edges=(1, 1, -0.5, 1.5)).x == ("", "", "")
    assert one(np.zeros((2, 0)), x=ticks(a=0)).x == ()
