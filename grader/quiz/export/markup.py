"""Markdown with `$maths$` as XHTML, with maths in the way that a platform reads it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from grader.quiz.expressions.maths import mathml
from grader.quiz.shown.prose import plain_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Maths", "as_mathml", "as_tex", "clean", "html", "inline_html", "plain"]

Maths = Callable[[str, bool], str]  # TeX, and whether it stands by itself -> markup
# What XML 1.0 has no room for, section 2.2 of its specification.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_tex(tex: str, block: bool) -> str:
    r"""`\(...\)`, which MathJax finds on a page."""
    return escape(rf"\[{tex}\]" if block else rf"\({tex}\)")


def as_mathml(tex: str, block: bool) -> str:
    """A `<math>` element. Raises LessonError for TeX that is not understood."""
    return mathml(tex, block=block)


def clean(text: str) -> str:
    """The text without characters that no XML may hold; a replacement character stands for each."""
    return _NOT_XML.sub("\ufffd", text)


def html(text: str, maths: Maths) -> str:
    """Markdown as XHTML in paragraphs; markup in the text is shown, not obeyed."""
    return str(_parser(maths).render(clean(text))).strip()


def inline_html(text: str, maths: Maths) -> str:
    """The same without the paragraph around a text that is only one."""
    made = html(text, maths)
    inner = made.removeprefix("<p>").removesuffix("</p>")
    return inner if made.startswith("<p>") and made.endswith("</p>") and "<p>" not in inner else made


def plain(text: str) -> str:
    """The text on one line without markup, for menus and tables: `W_O`, `√(d_k)`."""
    return clean(plain_line(text).replace("`", ""))


@functools.cache
def _parser(maths: Maths) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": True}).enable("table").disable("image")
    parser.use(dollarmath_plugin, allow_labels=False, double_inline=True)

    def rule(block: bool) -> Callable[..., str]:
        def shown(_self: object, tokens: Sequence[Token], place: int, *_: object) -> str:
            made = maths(tokens[place].content.strip(), block)
            return f"<p>{made}</p>\n" if block and tokens[place].block else made

        return shown

    for name, block in (("math_inline", False), ("math_inline_double", True), ("math_block", True)):
        parser.add_render_rule(name, rule(block))
    return parser
