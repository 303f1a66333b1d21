"""The text of a notebook without what it shows: its outputs, and whatever else is no code.

Pictures make a notebook fifty times as large as its code, and read as Python values twenty times larger still.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["TooRich", "without_outputs"]

TOKENS = 5_000_000  # strings and brackets looked at; two seconds

# A string that is never closed reaches to the end, so that nothing is looked at twice.
_TOKEN = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z))|[\[\]{}]', re.DOTALL)
_SHOWN = re.compile(rb'"(?:outputs|prompt_outputs|attachments|metadata)"\Z')
_OPENS = re.compile(rb"\s*:\s*[\[{]")


class TooRich(Exception):
    """The text has more parts than are looked at."""


def without_outputs(text: bytes) -> bytes:
    """JSON text with an empty list or object for each value of a name that stands for what is shown.

    What is no JSON stays none. Raises TooRich.
    """
    pieces: list[bytes] = []
    copied = 0
    for start, end in _values(text):
        pieces += [text[copied : start + 1], text[end - 1 : end]]
        copied = end
    return b"".join([*pieces, text[copied:]])


def _values(text: bytes) -> Iterator[tuple[int, int]]:
    """Where each such value begins and ends, its brackets included; one that never ends is not told."""
    depth = start = 0
    opening = -1  # where the next bracket opens such a value
    for number, token in enumerate(_TOKEN.finditer(text)):
        if number >= TOKENS:
            raise TooRich
        place = token.start()
        if token[1] is not None:
            following = _OPENS.match(text, token.end()) if not depth and _SHOWN.match(token[1]) else None
            opening = following.end() - 1 if following else opening
        elif depth or place == opening:
            start = start if depth else place
            depth += 1 if text[place] in b"[{" else -1
            if not depth:
                yield start, token.end()
