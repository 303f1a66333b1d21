"""The bundle `image`: a Containerfile and what it copies, for an autograder without a network."""

from __future__ import annotations

from .model import Item, Kind, Source
from .shared import filled, staff_side


def items(source: Source) -> list[Item]:
    """The staff's side, the Containerfile, and how to use it."""
    return [
        *staff_side(source),
        filled("image/Containerfile.j2", "Containerfile", source),
        filled("image/README.md.j2", "README.md", source),
    ]


IMAGE = Kind("image", "staff", "Containerfile for an offline, unprivileged autograder", ".zip", items)
