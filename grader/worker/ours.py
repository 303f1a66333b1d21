"""Our own modules, compiled and imported once in the zygote for all its children; a learner's never are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .guest import CATALOGUE, Guest


def ours(shared: Mapping[str, Any], groups: list[Mapping[str, Any]], guest: Guest | None) -> Guest | None:
    """A guest that we trust, with its catalogue imported, once its variants are asked for.

    Every child would compile and import it again.
    """
    modules = {str(module["name"]): module for module in shared["modules"]}
    if guest is not None:
        if shared.get("trusted") and guest.sources == modules:
            return guest
        guest.leave()
    if not shared.get("trusted") or not any(each["mistakes"] for g in groups for each in g["variants"]):
        return None
    made = Guest(shared["modules"], shared["wanted"], shared["notebook"])
    try:
        made.compile_all()
        made.install()
        made.load_kept(CATALOGUE)
    except BaseException:  # a catalogue that cannot be imported; each child says so
        made.leave()
        return None
    return made
