"""The one sanitiser for text that comes from a submission."""

from __future__ import annotations

import unicodedata

__all__ = ["printable"]

ELLIPSIS = "…"
# control, format (direction marks among them), surrogate, private, unassigned, line and paragraph separators
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str, limit: int = 500, *, keep_lines: bool = False) -> str:
    r"""The text with all that is not seen written out (`\x1b`, `\u202e`), at most `limit` characters long.

    `keep_lines` leaves newlines and tabs as they are; longer text ends in "…", never inside an escape.
    """
    if len(text) <= limit and text.isprintable():
        return text
    kept = "\n\t" if keep_lines else ""
    pieces: list[str] = []
    length = fits = 0
    for character in text:
        piece = character if character in kept else _visible(character)
        length += len(piece)
        if length > limit:
            return "".join(pieces[:fits]) + ELLIPSIS if limit > 0 else ""
        pieces.append(piece)
        if length < limit:
            fits = len(pieces)
    return "".join(pieces)


def _visible(character: str) -> str:
    if unicodedata.category(character) not in HIDDEN_CATEGORIES:
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
