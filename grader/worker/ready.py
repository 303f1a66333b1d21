"""What the zygote imports once for all its children: libraries, and our own modules; never a learner's."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from .guest import CATALOGUE, Guest


def import_libraries(names: Iterable[str]) -> None:
    """Import what several guests will import, while none of them is there; that one is missing is theirs to find.

    For the time when no guest can have left settings or fonts where a library looks for them.
    """
    wanted = [name for name in names if name not in sys.modules]
    for name in wanted:
        with suppress(Exception):
            importlib.import_module(name)
    if wanted:
        gc.freeze()


def make_room(shared: Mapping[str, Any]) -> None:
    """Forget the libraries imported so that a guest has as modules of its own: whose they are is not left to chance."""
    own = {str(module["name"]).partition(".")[0] for module in shared["modules"]}
    for top in own & set(shared.get("shareable", ())):
        for name in [name for name in sys.modules if name == top or name.startswith(f"{top}.")]:
            del sys.modules[name]


def ours(shared: Mapping[str, Any], groups: list[Mapping[str, Any]], guest: Guest | None) -> Guest | None:
    """A guest that we trust, with its catalogue imported, once its variants are asked for.

    Every child would compile and import it again.
    """
    modules = {str(module["name"]): module for module in shared["modules"]}
    if guest is not None:
        if shared.get("trusted") and guest.sources == modules:
            return guest
        guest.leave()
    if not shared.get("trusted") or not any(group["mistakes"] for group in groups):
        return None
    made = Guest(shared["modules"], shared["wanted"])
    try:
        made.compile_all()
        made.install()
        made.load_kept(CATALOGUE)
    except BaseException:  # a catalogue that cannot be imported; each child says so
        made.leave()
        return None
    return made
