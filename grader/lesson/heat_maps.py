"""Reads heat maps out of a described figure: what stands in which cell, under which labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from grader.worker.wire import Blob

from .answers import FigureValue, array_of

CELLS = 100_000  # of one picture; a larger one comes without its numbers


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One picture: `array[row, column]` with `y` and `x`, the labels at each row and column, and the title.

    Rows count from the picture's first row, wherever its origin is; a row or column without a label has "".
    """

    array: NDArray[np.float64]
    x: tuple[str, ...]
    y: tuple[str, ...]
    title: str

    @property
    def numbers(self) -> tuple[int, ...]:
        """The whole numbers in the title."""
        return tuple(int(digits) for digits in re.findall(r"\d{1,9}", self.title))


def heat_maps(figure: FigureValue) -> tuple[HeatMap, ...]:
    """Every visible axes that shows a two-dimensional picture; colour bars are passed over."""
    found = []
    for axes in figure.axes:
        pictures = axes.get("pictures")
        if not axes.get("visible") or axes.get("colorbar") or not isinstance(pictures, list) or not pictures:
            continue
        heat = _heat_map(axes, pictures[0])
        if heat is not None:
            found.append(heat)
    return tuple(found)


def _heat_map(axes: Mapping[str, object], picture: object) -> HeatMap | None:
    if not isinstance(picture, dict) or not isinstance(picture.get("array"), Blob):
        return None
    array = np.asarray(array_of(cast(Blob, picture["array"])), dtype=np.float64)
    if array.ndim != 2 or max(array.size, *array.shape) > CELLS:
        return None
    titles = axes.get("titles")
    title = " ".join(str(part) for part in titles if part) if isinstance(titles, list) else ""
    rows, columns = array.shape
    try:
        x = _labels(axes.get("x"), float(picture["left"]), float(picture["right"]), columns)
        y = _labels(axes.get("y"), float(picture["first"]), float(picture["last"]), rows)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return None
    return HeatMap(array, x, y, title)


def _labels(axis: object, start: float, end: float, count: int) -> tuple[str, ...]:
    """The label of each cell: that of the tick which lies within it."""
    labels = [""] * count
    if not isinstance(axis, dict) or not count or start == end:
        return tuple(labels)
    places, texts = axis.get("at"), axis.get("labels")
    if not isinstance(places, list) or not isinstance(texts, list):
        return tuple(labels)
    for place, text in zip(places, texts, strict=False):
        cell = int(np.floor((float(place) - start) / (end - start) * count))
        if 0 <= cell < count:
            labels[cell] = str(text).strip()
    return tuple(labels)
