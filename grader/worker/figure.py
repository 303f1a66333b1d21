"""Tells what a matplotlib figure shows: each axes' pictures, tick labels and titles, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from .wire import Blob

AXES = 64  # of one figure
LABELS = 256  # on one axis


def describe_figure(figure: Any) -> object:
    """`{"$": "figure", "axes": [...]}`; what cannot be read of an axes is left out of it."""
    return {"$": "figure", "axes": [_axes(axes) for axes in figure.axes[:AXES]]}


def _axes(axes: Any) -> dict[str, object]:
    return {
        "visible": bool(axes.get_visible()) and bool(axes.figure is not None),
        "colorbar": hasattr(axes, "_colorbar") or axes.get_label() == "<colorbar>",
        "titles": [str(axes.get_title(loc=loc))[:500] for loc in ("left", "center", "right")],
        "x": _ticks(axes.xaxis),
        "y": _ticks(axes.yaxis),
        "xlabel": str(axes.get_xlabel())[:200],
        "ylabel": str(axes.get_ylabel())[:200],
        "pictures": [*_images(axes), *_meshes(axes)],
    }


def _ticks(axis: Any) -> dict[str, object]:
    places = [float(place) for place in axis.get_majorticklocs()[:LABELS]]
    texts = [str(text)[:200] for text in axis.get_major_formatter().format_ticks(places)]
    low, high = sorted(float(edge) for edge in axis.get_view_interval())
    return {"at": places, "labels": texts, "low": low, "high": high, "inverted": bool(axis.get_inverted())}


def _images(axes: Any) -> list[dict[str, object]]:
    found = []
    for image in axes.get_images():
        left, right, bottom, top = (float(edge) for edge in image.get_extent())
        edges = {"left": left, "right": right, "first": top, "last": bottom}
        # A picture with origin "lower" has its first row at the bottom edge.
        if image.origin == "lower":
            edges = {"left": left, "right": right, "first": bottom, "last": top}
        found.append({"array": _blob(image.get_array()), **edges})
    return found


def _meshes(axes: Any) -> list[dict[str, object]]:
    found = []
    for mesh in axes.collections:
        grid = getattr(mesh, "_coordinates", None)
        array = mesh.get_array()
        if grid is None or array is None or np.ndim(grid) != 3:
            continue
        rows, columns = grid.shape[0] - 1, grid.shape[1] - 1
        plain = np.asarray(array)
        if plain.size == (rows + 1) * (columns + 1):
            rows, columns = rows + 1, columns + 1
        if plain.size != rows * columns:
            continue
        corner, end = grid[0, 0], grid[-1, -1]
        edges = {"left": float(corner[0]), "right": float(end[0]), "first": float(corner[1]), "last": float(end[1])}
        found.append({"array": _blob(plain.reshape(rows, columns)), **edges})
    return found


def _blob(array: Any) -> Blob:
    plain = np.ascontiguousarray(np.ma.filled(np.ma.asarray(array, dtype=np.float64), np.nan))
    if plain.size > 250_000:
        plain = plain.ravel()[:0]
    return Blob("float64", plain.shape, plain.tobytes())
