"""One escape for each place where text from a submission is shown; what nobody sees is written out in all of them.

Terminals, pages, Markdown, XML, tables, and the logs of build services, which obey lines like `::error::`.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal

from .text import commandless, printable

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = [
    "csv_cell",
    "html",
    "html_policy",
    "json_quiet",
    "markdown_block",
    "markdown_inline",
    "terminal",
    "unformula",
    "workflow_command",
    "xml",
]

LIMIT = 4000  # characters of one piece of text; a record's own are far shorter
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
_LOGGED = re.compile(r"#(?=#\w*\[)")


def terminal(text: str, limit: int = LIMIT) -> str:
    """One line of plain text, which no terminal and no build service obeys. It is not for Rich's markup."""
    return commandless(printable(" ".join(text.split()), limit))


def html(text: str, limit: int = LIMIT) -> Markup:
    """The text for a page, in an element or in a quoted attribute; lines and tabs stay."""
    from markupsafe import escape

    return escape(printable(text, limit, keep_lines=True))


def html_policy(style: str, script: str = "") -> str:
    """The content security policy of a page: this style, this script if any, and nothing from anywhere."""
    script_too = f"script-src '{_digest(script)}'; img-src data:; " if script else ""
    rest = "base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; style-src '{_digest(style)}'; {script_too}{rest}"


def markdown_block(text: str, limit: int = LIMIT) -> str:
    """The text, line by line, in a fenced block of code that nothing in it can end; a newline at the end."""
    shown = printable(text, limit, keep_lines=True).rstrip("\n")
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}\n{shown}\n{fence}\n"


def markdown_inline(text: str, limit: int = LIMIT, *, cell: bool = False) -> str:
    """One line of text as code, so that it opens no link, image or HTML and mentions nobody; "" for no text.

    A backslash stops none of GitHub's mentions and bare addresses; code does. In the `cell` of a table, bars
    are escaped.
    """
    shown = printable(" ".join(text.split()), limit).strip()
    if not shown:
        return ""
    ticks = "`" * (_longest_run(shown) + 1)
    room = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{room}{shown.replace('|', chr(92) + '|') if cell else shown}{room}{ticks}"


def xml(text: str, limit: int = LIMIT, *, keep_lines: bool = False) -> str:
    """The text for an XML writer: what XML 1.0 cannot hold even escaped is among what is not seen."""
    return printable(text, limit, keep_lines=keep_lines)


def csv_cell(value: str | float | None, limit: int = LIMIT) -> str | int | float:
    """A cell for `csv.writer`: a number stays a number, text is never a formula; no number is an empty cell."""
    if isinstance(value, str):
        return unformula(printable(value, limit, keep_lines=True))
    return "" if value is None or (isinstance(value, float) and not math.isfinite(value)) else value


def unformula(text: str) -> str:
    """The text so that no spreadsheet takes it for a formula: an apostrophe before =, +, -, @, tab or return."""
    return f"'{text}" if _FORMULA.match(text) else text


def json_quiet(text: str) -> str:
    """The same JSON, in which no build service finds a command when it stands in a log."""
    return _LOGGED.sub(r"\\u0023", text)


def workflow_command(
    kind: Literal["error", "warning", "notice"],
    message: str,
    *,
    file: str = "",
    line: int | None = None,
    title: str = "",
) -> str:
    """One line that GitHub shows as an annotation: the words are data in it, and cannot begin another command."""
    given = {"file": file, "line": "" if line is None else str(line), "title": title}
    named = ",".join(f"{key}={_property(value)}" for key, value in given.items() if value)
    said = commandless(printable(message, LIMIT, keep_lines=True))
    return f"::{kind}{' ' if named else ''}{named}::{_data(said)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(commandless(printable(text, LIMIT))).replace(":", "%3A").replace(",", "%2C")


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _digest(text: str) -> str:
    import base64
    import hashlib

    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
