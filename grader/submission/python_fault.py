"""What keeps Python from reading a text, as its learner needs it: the place, what Python said, and why.

A fault is one sentence and, below it, the line with a caret under the place where there is one.
"""

from __future__ import annotations

import ast
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterator

from grader.core.text import printable

__all__ = ["UNPARSABLE", "explained", "picture", "sentence", "undecodable"]

UNPARSABLE = (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError)
LOOKED_CHARACTERS = (
    64 << 10
)  # of a text whose syntax may be that of a newer Python; in a longer one nobody looks
WIDTH = 64  # characters of a line that are shown
BEFORE = 44  # of them at most before the place
INDENT = "    "

QUOTES = dict.fromkeys("“”„‟«»″＂", '"') | dict.fromkeys("‘’‚‛′´＇", "'")
DASHES = dict.fromkeys("‐‑‒–—―−", "-") | {"×": "*", "⋅": "*", "∗": "*", "÷": "/"}
CODE = re.compile(r"U\+([0-9A-F]{4,6})")
MARK = re.compile(r"<{7} |\|{7} |={7}$|>{7} ")

FIELDS = 200  # of f-strings, tried as expressions, in all
FIELD_CHARACTERS = 500
FIELD_ENDS = 4  # brackets that may be a field's own end

_PREFIX = r"(?i:\b(?:r?[ft]r?|[bru]|br|rb))?"
_PIECE = re.compile(rf"#[^\n]*|({_PREFIX})('''|\"\"\"|'|\")")
_SPEC = re.compile(r"(?:=\s*)?(?:!\w)?(?::.*)?$", re.DOTALL)  # what may follow a field's expression
_INNER = r"\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]"
_GENERIC = re.compile(rf"^([ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+\w+)[ \t]*{_INNER}", re.MULTILINE)
_ALIAS = re.compile(rf"^([ \t]*)type[ \t]+(\w+)[ \t]*(?:{_INNER})?[ \t]*=", re.MULTILINE)


def explained(error: BaseException, text: str, *, cause: bool = True) -> str:
    """What Python says against a text: `line 3, column 7: '(' was never closed`, its cause, and the place."""
    if not isinstance(error, SyntaxError):
        if isinstance(error, MemoryError | RecursionError):
            return "Python cannot read it: too deeply nested"
        return f"Python cannot read it: {printable(str(error), 300)}"
    line, column = _place(error, text)
    why = _cause(error, text, line or 0) if cause else ""
    words = f"{printable(error.msg or 'invalid syntax', 200)}{why and f'; {why}'}"
    return _at(words, text, line, column)


def undecodable(data: bytes, codec: str, start: int) -> str:
    """Why bytes are no text of this codec from `start` on; a byte that is known from elsewhere by its character."""
    if _is_utf16(data):
        return "it is UTF-16 text, as some Windows programs write it; save it as UTF-8"
    kind = "UTF-8" if codec.startswith("utf-8") else codec
    if data[start] == 0:
        return f"not UTF-8 text: a zero byte at offset {start}; save it as UTF-8"
    before = data[:start].decode(codec, "replace").replace("\r\n", "\n").replace("\r", "\n")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    known = _in_cp1252(data, start) if kind == "UTF-8" else ""
    words = f"byte 0x{data[start]:02x} is not {kind} text{known}; save it as UTF-8"
    rest = re.split(rb"[\r\n]", data[start : start + WIDTH * 4])[0].decode("cp1252", "replace")
    return _at(words, before + rest, line, column)


def sentence(fault: str) -> str:
    """The fault in one line."""
    return fault.partition("\n")[0]


def picture(fault: str) -> str:
    """The line and the caret below it, "" where no place is known."""
    return fault.partition("\n")[2]


def _fault(text: str) -> BaseException | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except UNPARSABLE as error:
            return error
    return None


def _at(words: str, text: str, line: int | None, column: int | None) -> str:
    if not line:
        return words
    place = f"line {line}, column {column}" if column else f"line {line}"
    drawn = _drawn(text.split("\n")[line - 1], column) if column else ""
    return f"{place}: {words}{drawn and f'{chr(10)}{drawn}'}"


def _drawn(line: str, column: int) -> str:
    """The line around a column (from 1), and a caret below it."""
    start = max(0, column - 1 - BEFORE) if len(line) > WIDTH else len(line) - len(line.lstrip())
    start = min(start, column - 1)
    shown = "".join(letter if letter.isprintable() else " " for letter in line[start : start + WIDTH])
    before = shown[: column - 1 - start]
    width = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in before)
    return f"{INDENT}{shown.rstrip()}\n{INDENT}{' ' * width}^"


def _place(error: SyntaxError, text: str) -> tuple[int | None, int | None]:
    """Line and column from 1; None where Python names none, or one that is not in the text."""
    lines = text.split("\n")
    if not error.lineno or not 0 < error.lineno <= len(lines):
        return None, None
    line, column = lines[error.lineno - 1], error.offset or 0
    quoted = (error.text or "").strip()
    if quoted.startswith("(") and quoted.strip("()") and not line.strip().startswith(quoted):
        found = line.find(quoted.strip("()"))  # inside an f-string Python counts from its own bracket
        column = found + column - 1 if found >= 0 else 0
    return error.lineno, min(column, len(line) + 1) if column > 0 else None


def _cause(error: SyntaxError, text: str, line: int) -> str:
    """Why Python stops there, where that is known; "" where it is not."""
    said = error.msg or ""
    named = CODE.search(said)
    if named and "invalid" in said:
        return _letter(chr(int(named[1], 16)))
    lines = text.split("\n")
    marks = [number for number, row in enumerate(lines, start=1) if MARK.match(row)]
    kinds = {lines[mark - 1][0] for mark in marks}
    if kinds >= set("<=>") and marks[0] <= line:
        where = ", ".join(map(str, marks[:6]))
        return f"git's conflict marks are in it; keep one side of each and delete the marks (lines {where})"
    if isinstance(error, TabError):
        return "indent with spaces only"
    if said.startswith("unterminated") and 0 < line <= len(lines):
        odd = next((letter for letter in lines[line - 1] if letter in QUOTES), "")
        if odd:
            return _letter(odd)
    newer = _newer(text, line)
    here = ".".join(map(str, sys.version_info[:2]))
    return (
        f"this is syntax of Python {newer}, and {here} runs here; write it in an older way" if newer else ""
    )


def _letter(letter: str) -> str:
    """A letter that Python does not read by its Unicode name, and what to type."""
    name = unicodedata.name(letter, "") or f"U+{ord(letter):04X}"
    category = unicodedata.category(letter)
    plain = (QUOTES | DASHES).get(letter) or unicodedata.normalize("NFKC", letter)
    if category in ("Zs", "Zl", "Zp"):
        return f"it is {name}; type a plain space"
    if category in ("Cf", "Cc"):
        return f"it is {name}, which is not seen; delete it"
    seen = f"{letter} is {name}"
    return f"{seen}; type a plain {plain}" if plain.isascii() and plain.isprintable() else seen


def _is_utf16(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    head = data[:2000]
    return len(head) > 3 and max(head[0::2].count(0), head[1::2].count(0)) > len(head) // 2 * 0.9


def _in_cp1252(data: bytes, start: int) -> str:
    """What a byte is in Windows' own encoding, if the line around it may be of that."""
    line = re.split(rb"[\r\n]", data[start : start + 200])[0]
    try:
        letter = line.decode("cp1252")[0]
    except UnicodeDecodeError:
        return ""
    return f", but {letter} ({unicodedata.name(letter, 'unnamed')}) in Windows' cp1252"


def _newer(text: str, line: int) -> str:
    """The Python that reads a text which this one does not; "" where no rule of such a Python explains it."""
    if len(text) > LOOKED_CHARACTERS:
        return ""
    for version, strings in (((3, 12), "f"), ((3, 14), "ft")):
        if sys.version_info[:2] < version:
            plain = _with_plain_strings(text, strings, iter(range(FIELDS)))
            plain = _ALIAS.sub(r"\1\2 =", _GENERIC.sub(r"\1", plain))
            left = _fault(plain) if plain != text else SyntaxError("", ("", line, 0, ""))
            if left is None or (isinstance(left, SyntaxError) and (left.lineno or 0) > line):
                return ".".join(map(str, version))
    return ""


def _with_plain_strings(text: str, kinds: str, tries: Iterator[int]) -> str:
    """The text with an empty string in place of each f-string that is right by the rules of Python 3.12."""
    made, place = [], 0
    while piece := _PIECE.search(text, place):
        start, end = piece.span()
        prefix, quote = (piece[1] or "").lower(), piece[2]
        if quote is not None and set(prefix) & set(kinds):
            end = _filled(text, end, quote, tries)
            if end > piece.end():
                lines = text.count("\n", start, end)
                made += [text[place:start], '""', "\\\n" * lines]
                place = end
                continue
        elif quote is not None:
            end = _closed(text, end, quote)
        made.append(text[place:end])
        place = end
    return "".join((*made, text[place:]))


def _closed(text: str, place: int, quote: str) -> int:
    """Where an ordinary string ends that began before `place`; `place` where it does not."""
    for found in re.compile(rf"\\.|{quote}|\n", re.DOTALL).finditer(text, place):
        if found[0] == quote:
            return found.end()
        if found[0] == "\n" and len(quote) == 1:
            break
    return place


def _filled(text: str, place: int, quote: str, tries: Iterator[int]) -> int:
    """Where an f-string ends that began before `place`; `place` where it does not, or a field is no expression."""
    pattern = re.compile(rf"\\.|\{{\{{|\}}\}}|\{{|{quote}|\n", re.DOTALL)
    at = place
    while found := pattern.search(text, at):
        at = found.end()
        if found[0] == quote:
            return at
        if found[0] == "\n" and len(quote) == 1:
            break
        if found[0] == "{":
            end = _field(text, at, tries)
            if end == at:
                break
            at = end
    return place


def _field(text: str, place: int, tries: Iterator[int]) -> int:
    """Where a field ends whose bracket stands before `place`; `place` where what is in it is no expression."""
    for closed in list(re.finditer(r"\}", text[place : place + FIELD_CHARACTERS]))[:FIELD_ENDS]:
        inner = _SPEC.sub("", text[place : place + closed.start()])
        if next(tries, None) is None:
            break
        inner = _with_plain_strings(inner, "ft", tries)
        if inner.strip() and _fault(f"(\n{inner}\n)") is None:
            return place + closed.end()
    return place
