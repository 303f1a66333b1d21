"""Tells what a matplotlib figure shows: each axes' pictures, tick labels and titles, as plain values."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from .wire import Blob

AXES = 64  # of one figure
LABELS = 256  # on one axis
PICTURES = 16  # in one axes
CELLS = 100_000  # of one picture


class Purse(Protocol):
    """How many bytes may still be told."""

    def bytes(self, size: int) -> bool:
        """Whether so many bytes more fit."""


def describe_figure(figure: Any, purse: Purse) -> object:
    """`{"$": "figure", "axes": [...]}`; an axes that cannot be read is told as one that is not visible."""
    return {"$": "figure", "axes": [_readable(axes, purse) for axes in figure.axes[:AXES]]}


def _readable(axes: Any, purse: Purse) -> dict[str, object]:
    try:
        return _axes(axes, purse)
    except Exception:
        return {"visible": False}


def _axes(axes: Any, purse: Purse) -> dict[str, object]:
    return {
        "visible": bool(axes.get_visible()),
        "colorbar": hasattr(axes, "_colorbar") or axes.get_label() == "<colorbar>",
        "titles": [_text(axes.get_title(loc=loc), 500) for loc in ("left", "center", "right")],
        "x": _ticks(axes.xaxis),
        "y": _ticks(axes.yaxis),
        "pictures": [*_images(axes, purse), *_meshes(axes, purse)],
    }


def _ticks(axis: Any) -> dict[str, object]:
    places = [float(place) for place in axis.get_majorticklocs()[:LABELS]]
    texts = [_text(text, 200) for text in axis.get_major_formatter().format_ticks(places)]
    kept = [(place, text) for place, text in zip(places, texts, strict=False) if math.isfinite(place)]
    return {"at": [place for place, _ in kept], "labels": [text for _, text in kept]}


def _images(axes: Any, purse: Purse) -> list[dict[str, object]]:
    found = []
    for image in axes.get_images()[:PICTURES]:
        left, right, bottom, top = (float(edge) for edge in image.get_extent())
        # A picture with origin "lower" has its first row at the bottom edge.
        first, last = (bottom, top) if image.origin == "lower" else (top, bottom)
        found += _picture(image.get_array(), (left, right, first, last), purse)
    return found


def _meshes(axes: Any, purse: Purse) -> list[dict[str, object]]:
    found = []
    for mesh in [mesh for mesh in axes.collections if hasattr(mesh, "_coordinates")][:PICTURES]:
        grid, array = mesh._coordinates, mesh.get_array()
        if array is None or np.ndim(grid) != 3:
            continue
        rows, columns = grid.shape[0] - 1, grid.shape[1] - 1
        half_x = half_y = 0.0
        if np.size(array) == (rows + 1) * (columns + 1):
            # Colours at the corners: each cell reaches half a step around its own.
            half_x = (grid[0, -1, 0] - grid[0, 0, 0]) / max(columns, 1) / 2
            half_y = (grid[-1, 0, 1] - grid[0, 0, 1]) / max(rows, 1) / 2
            rows, columns = rows + 1, columns + 1
        if np.size(array) != rows * columns:
            continue
        (left, first), (right, last) = grid[0, 0], grid[-1, -1]
        edges = (float(left - half_x), float(right + half_x), float(first - half_y), float(last + half_y))
        found += _picture(np.ma.asarray(array).reshape(rows, columns), edges, purse)
    return found


def _picture(array: Any, edges: tuple[float, float, float, float], purse: Purse) -> list[dict[str, object]]:
    plain = np.ascontiguousarray(np.ma.filled(np.ma.asarray(array, dtype=np.float64), np.nan))
    if not all(math.isfinite(edge) for edge in edges):
        return []
    if plain.size > CELLS or not purse.bytes(plain.nbytes):
        plain = plain.ravel()[:0]
    told = dict(zip(("left", "right", "first", "last"), edges, strict=True))
    return [{"array": Blob("float64", plain.shape, plain.tobytes()), **told}]


def _text(value: object, limit: int) -> str:
    return str.__getitem__(str(value), slice(limit))
