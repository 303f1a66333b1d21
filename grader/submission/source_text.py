"""Python text as bytes: decoded, checked, searched for names; never run."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from grader.core.text import printable

from .python_fault import undecodable

__all__ = ["decoded", "identifier", "mentioned", "nearest"]

SEARCHED_NAMES = 1000
SEARCHED_NAME_CHARACTERS = 100

# the codecs that only map bytes to characters; unicode_escape, idna and the like compute, and are not needed
_PLAIN_CODEC = re.compile(r"ascii|iso8859|cp\d|koi8|mac|gb|big5|euc|shift|utf-8")


def decoded(data: bytes) -> tuple[str, str]:
    """The text of a Python file with plain newlines, and what is wrong with it ("" when nothing is)."""
    try:
        codec, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        codec = codecs.lookup(codec).name
    except SyntaxError as error:
        kind, _, cookie = str(error).partition(": ")
        if kind == "encoding problem":
            return (
                "",
                "it begins with the mark of UTF-8 and declares another encoding; delete the declaration",
            )
        if kind == "unknown encoding":
            return "", _unknown_encoding(cookie)
        codec = "utf-8"  # a first line that is no UTF-8 is an error too: the decoder names the byte
    if not _PLAIN_CODEC.match(codec):
        return "", _unknown_encoding(codec)
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        return "", undecodable(data, codec, error.start)
    zero = data.find(b"\0")
    if zero >= 0:
        return "", undecodable(data, codec, zero)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), ""


def mentioned(text: str, names: Collection[str]) -> list[str]:
    """Those of the names that a `def` or `class` line of the text defines, whether or not it parses."""
    if not names:
        return []
    pattern = rf"^[ \t\f]*(?:async[ \t]+)?(?:def|class)[ \t]+({'|'.join(map(re.escape, names))})\b"
    found = {match[1] for match in re.finditer(pattern, text, re.MULTILINE)}
    return [name for name in names if name in found]


def nearest(wanted: Iterable[str], found: Iterable[str]) -> str | None:
    """The found name most like one of the wanted ones, or None when none is like any."""
    short = [name for name in found if len(name) <= SEARCHED_NAME_CHARACTERS][:SEARCHED_NAMES]
    lowered = {name.lower(): name for name in short}
    for cutoff in (0.8, 0.6):
        for name in wanted:
            close = get_close_matches(name.lower(), lowered, n=1, cutoff=cutoff)
            if close:
                return lowered[close[0]]
    return None


def identifier(stem: str) -> str:
    """A file's stem as a module name: `2 heads` becomes `_2_heads`."""
    name = re.sub(r"\W", "_", stem) or "submission"
    return name if name.isidentifier() else f"_{name}"


def _unknown_encoding(name: str) -> str:
    return f"it declares the encoding {printable(name, 40)!r}, which is not read here; save it as UTF-8"
