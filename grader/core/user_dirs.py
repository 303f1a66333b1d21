"""The folders that a user's programs keep things in, by the XDG Base Directory Specification."""

from __future__ import annotations

import os
from pathlib import Path


def cache_home() -> Path | None:
    """For what can be made again; None for a user who has no home."""
    return _folder("XDG_CACHE_HOME", "~/.cache")


def state_home() -> Path | None:
    """For what is remembered; None for a user who has no home."""
    return _folder("XDG_STATE_HOME", "~/.local/state")


def _folder(variable: str, otherwise: str) -> Path | None:
    given = Path(os.environ.get(variable, ""))
    if given.is_absolute():
        return given
    place = Path(os.path.expanduser(otherwise))  # noqa: PTH111  (`Path.home` raises where there is none)
    return place if place.is_absolute() else None
