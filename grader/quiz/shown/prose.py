"""A bank's texts, Markdown with `$maths$`, as HTML that needs no script and as paragraphs for a terminal."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from grader.quiz.expressions.maths import mathml, maths_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Paragraph", "html", "inline_html", "paragraphs", "plain_line"]

BLANK = re.compile(r"\[\[(\d{1,2})\]\]")
ONE_PARAGRAPH = ["paragraph_open", "inline", "paragraph_close"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of a terminal's page: its words, what stands before them, whether they are code."""

    text: str
    lead: str = ""
    code: bool = False


@functools.cache
def html(markdown: str) -> Markup:
    """The text as HTML: tags in it are text, images are links. Raises LessonError for maths not understood."""
    return _blanks(_reader().render(markdown))


@functools.cache
def inline_html(markdown: str) -> Markup:
    """The same without the paragraph around it, where it is but one."""
    reader = _reader()
    tokens = reader.parse(markdown)
    if [token.type for token in tokens] == ONE_PARAGRAPH:
        return _blanks(reader.renderer.render(tokens[1:2], reader.options, {}))
    return html(markdown)


def plain_line(markdown: str) -> str:
    """The whole text on one line, maths written out."""
    return " ".join(f"{item.lead}{item.text}" for item in paragraphs(markdown)).replace("\n", " ")


@functools.cache
def paragraphs(markdown: str) -> tuple[Paragraph, ...]:
    """The text as paragraphs, items of lists and code."""
    return tuple(_paragraphs(_reader().parse(markdown)))


@functools.cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    reader.use(dollarmath_plugin, allow_labels=False)
    reader.add_render_rule("math_inline", _inline_maths)
    reader.add_render_rule("math_block", _block_maths)
    return reader


def _inline_maths(_self: object, tokens: Sequence[Token], place: int, _options: object, _env: Any) -> str:
    return mathml(tokens[place].content)


def _block_maths(_self: object, tokens: Sequence[Token], place: int, _options: object, _env: Any) -> str:
    return f"<p>{mathml(tokens[place].content, block=True)}</p>\n"


def _blanks(rendered: str) -> Markup:
    """Each blank as a numbered box that is read out as what it is."""
    return Markup(BLANK.sub(r'<span class="blank">blank \1</span>', rendered).strip())


def _paragraphs(tokens: Sequence[Token]) -> Iterator[Paragraph]:
    lead, counters = "", []
    for token in tokens:
        match token.type:
            case "ordered_list_open":
                counters.append(int(token.attrs.get("start", 1)))
            case "bullet_list_open":
                counters.append(0)
            case "ordered_list_close" | "bullet_list_close":
                counters.pop()
            case "list_item_open":
                count = counters[-1]
                lead = "  " * (len(counters) - 1) + (f"{count}. " if count else "- ")
                counters[-1] += bool(count)
            case "inline":
                yield Paragraph("".join(map(_inline_text, token.children or ())).strip(), lead)
                lead = ""
            case "math_block":
                yield Paragraph(maths_text(token.content), "    ")
            case "fence" | "code_block":
                yield Paragraph(token.content.rstrip("\n"), code=True)


def _inline_text(token: Token) -> str:
    match token.type:
        case "math_inline":
            return maths_text(token.content)
        case "code_inline":
            return f"`{token.content}`"
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
        case "text":
            return BLANK.sub(r"[\1]", token.content)
        case _:
            return token.content
