"""IPython's magics and shell lines, taken out of a cell so that the rest is Python; line numbers stay."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .python_text import parse_fault

__all__ = ["Plain", "plain_python"]

BODY_RUNS = frozenset({"time", "timeit", "capture", "prun"})  # cell magics whose cell is Python all the same

_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_HELP = re.compile(r"\s*(\?{1,2}\s*[%\w.*]+|[%\w.*\[\]'\"]+\?{1,2})\s*;?\s*$")
_TIMED = re.compile(r"(\s*)%time\s+(\S.*)$")
_ASSIGNED = re.compile(r"(\s*[A-Za-z_][\w.,\s\[\]'\"]*=\s*)([%!])(.*)$")
_CODE = re.compile(r"""#|"{3}|'{3}|["'()\[\]{}]""")
_STRING = {quote: re.compile(rf"\\.|{quote}") for quote in ("'", '"', "'''", '"""')}


@dataclass(frozen=True, slots=True)
class Plain:
    """A cell as Python, and what Python says against it; `magic` names the cell magic that takes it whole."""

    text: str
    fault: BaseException | None = None
    magic: str = ""


def plain_python(source: str) -> Plain:
    """The cell as Python with as many lines.

    A cell that compiles as it stands is left untouched: a line that begins with % may be Python.
    """
    fault = parse_fault(source)
    if fault is None:
        return Plain(source)
    lines = source.split("\n")
    for index, line in enumerate(lines):
        found = _CELL_MAGIC.match(line)
        if found and found[1] not in BODY_RUNS:
            return Plain("", magic=found[1])
        if found:
            lines[index] = "pass"
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    text = "\n".join(_without_magics(lines))
    return Plain(text, fault if text == source else parse_fault(text))


def _without_magics(lines: list[str]) -> list[str]:
    kept: list[str] = []
    state = _State()
    shell_goes_on = False
    for line in lines:
        if shell_goes_on:
            kept.append("")
            shell_goes_on = line.endswith("\\")
            continue
        if state.fresh:
            code = _statement(line)
            shell_goes_on = code != line and line.endswith("\\") and not code.endswith("\\")
        else:
            code = line
        kept.append(code)
        state.read(code)
    return kept


def _statement(line: str) -> str:
    """A line at the start of a statement, as Python."""
    timed = _TIMED.match(line)
    if timed:
        return timed[1] + timed[2]
    assigned = _ASSIGNED.match(line)
    if assigned:
        inner = _TIMED.match(f"{assigned[2]}{assigned[3]}")
        return assigned[1] + inner[2] if inner else f"{_indent(line)}pass"
    if line.lstrip().startswith(("%", "!")) or _HELP.match(line):
        return f"{_indent(line)}pass"
    return line


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


class _State:
    """Where in Python's grammar a line begins: in a string, in brackets, after a backslash, or afresh."""

    __slots__ = ("continued", "depth", "quote")

    def __init__(self) -> None:
        self.quote = ""
        self.depth = 0
        self.continued = False

    @property
    def fresh(self) -> bool:
        """Whether a statement may begin here."""
        return not (self.quote or self.depth or self.continued)

    def read(self, line: str) -> None:
        """Go on to the end of a line."""
        self.continued = line.endswith("\\")
        place = 0
        while match := (_STRING[self.quote] if self.quote else _CODE).search(line, place):
            token, place = match[0], match.end()
            if self.quote:
                self.quote = "" if token == self.quote else self.quote
            elif token == "#":
                self.continued = False
                return
            elif token in "([{":
                self.depth += 1
            elif token in ")]}":
                self.depth = max(self.depth - 1, 0)
            else:
                self.quote = token
        if len(self.quote) == 1 and not self.continued:
            self.quote = ""  # never closed: a mistake of this line, not of the next
