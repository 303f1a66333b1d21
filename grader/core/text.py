"""The one sanitiser for text that comes from a submission or its name."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["commandless", "odd_letter", "printable"]

ELLIPSIS = "…"
# control, format (direction marks among them), surrogate, private, unassigned, line and paragraph separators
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters and marks that have no width or no ink, and so can hide words or make two names look alike.
UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]")  # fmt: skip  # noqa: E501
# What a build service obeys in the log that it reads: `::word` at the start of a line (colours and spaces before it
# do not count), and `##[word]` or `##word[` anywhere.
COMMAND = re.compile(r"^((?:\x1b\[[0-9;]*m|\s)*:):|(?<=#)#(?=\w*\[)", re.MULTILINE)


def printable(text: str, limit: int = 500, *, keep_lines: bool = False) -> str:
    r"""The text with all that is not seen written out (`\x1b`, `\u202e`), at most `limit` characters long.

    `keep_lines` leaves newlines and tabs as they are; longer text ends in "…", never inside an escape.
    """
    if len(text) <= limit and text.isprintable() and (text.isascii() or not UNSEEN.search(text)):
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


def commandless(text: str) -> str:
    """The same text, as wide, with no line that a build service takes for a command (`::error::`, `##[group]`)."""
    return COMMAND.sub(lambda found: f"{found[1] or ''} ", text)


def odd_letter(name: str) -> str:
    """` (its letter 3 is U+0435, CYRILLIC SMALL LETTER IE)`, since it may look like another; "" in plain ASCII."""
    for place, letter in enumerate(name, start=1):
        if not letter.isascii():
            code = f"U+{ord(letter):04X}"
            called = unicodedata.name(letter, "")
            return f" (its letter {place} is {code}{', ' if called else ''}{called})"
    return ""


def _visible(character: str) -> str:
    if unicodedata.category(character) not in HIDDEN_CATEGORIES and not UNSEEN.match(character):
        return character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
