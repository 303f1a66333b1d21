"""Texts with `{{ expressions }}` and `$maths$` in them."""

from __future__ import annotations

import re

from .arithmetic import ExpressionError, shown
from .expressions import Values, evaluate, parse

__all__ = ["blanks", "check_maths", "check_template", "fill"]

HOLE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
BLANK = re.compile(r"\[\[(\d{1,2})\]\]")
CODE = re.compile(r"(?P<fence>^|\n)(?P<ticks>```+|~~~+).*?\n(?P=ticks)[`~]*(?=\n|$)|(?<!`)(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)", re.DOTALL)  # fmt: skip  # noqa: E501


def check_template(text: str) -> None:
    """Raises ExpressionError for a `{{ }}` that holds no expression or has no end."""
    for hole in HOLE.finditer(text):
        parse(hole.group(1))
    rest = HOLE.sub("", text)
    if "{{" in rest:
        raise ExpressionError("a `{{` without its `}}`; close it, or write `{ {` where braces are meant")


def fill(text: str, values: Values) -> str:
    """The text with every `{{ expression }}` replaced by its value. Raises ExpressionError."""
    if "{{" not in text:
        return text
    return HOLE.sub(lambda hole: shown(evaluate(hole.group(1), values)), text)


def check_maths(text: str) -> None:
    r"""Raises ExpressionError where a `$` has no partner; in code, and as `\$`, it needs none."""
    words = HOLE.sub("0", CODE.sub(" code ", text)).replace(r"\$", "")
    for paragraph in re.split(r"\n\s*\n", words):
        if paragraph.replace("$$", "").count("$") % 2 or paragraph.count("$$") % 2:
            start = paragraph[max(paragraph.rfind("$") - 10, 0) :].strip()[:30]
            raise ExpressionError(rf"a `$` without its partner near {start!r}; close it, or write `\$`")


def blanks(prompt: str) -> tuple[int, ...]:
    """The numbers of the blanks `[[1]]`, `[[2]]` in a prompt, in order."""
    return tuple(int(found.group(1)) for found in BLANK.finditer(prompt))
