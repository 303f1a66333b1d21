"""XML written by hand: few lines, the same bytes every time, prefixes where they are wanted."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from .markup import clean

__all__ = ["DECLARATION", "Markup", "identifier", "tag", "zipped"]

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
WHEN = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can say


class Markup(str):
    """Text that is XML already."""

    __slots__ = ()


def tag(name: str, attributes: Mapping[str, object] | None = None, *children: str | None) -> Markup:
    """An element; a child that is no Markup is text, one that is None is left out.

    Elements stand on lines of their own, where no text stands between them.
    """
    given = "".join(
        f" {key}={quoteattr(clean(str(value)))}"
        for key, value in (attributes or {}).items()
        if value is not None
    )
    inside = [child for child in children if child is not None]
    if not inside:
        return Markup(f"<{name}{given}/>")
    apart = "\n" if all(isinstance(child, Markup) and child.startswith("<") for child in inside) else ""
    made = apart.join(child if isinstance(child, Markup) else escape(clean(child)) for child in inside)
    return Markup(f"<{name}{given}>{apart}{made}{apart}</{name}>")


def identifier(text: str) -> str:
    """The text as an XML name: letters, digits, `-`, `_`, `.`, begun by a letter or `_`."""
    plain = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "_" for letter in text
    )
    return plain if plain[:1].isalpha() or plain[:1] == "_" else f"_{plain}"


def zipped(files: Mapping[str, str | None]) -> bytes:
    """A zip of these texts, the same bytes for the same texts; None is an empty folder."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name if text is not None else f"{name.rstrip('/')}/", WHEN)
            entry.create_system = 3  # the same on every system, or the bytes would differ
            entry.external_attr = (0o100644 << 16) if text is not None else (0o40755 << 16) | 0x10
            # Stored, not packed: what a packer makes depends on the version of its library.
            archive.writestr(entry, (text or "").encode("utf-8"), zipfile.ZIP_STORED)
    return buffer.getvalue()
