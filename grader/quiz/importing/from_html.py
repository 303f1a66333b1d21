"""HTML of a learning platform as a bank's Markdown, maths as `$...$`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from html import unescape
from typing import Any

from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter

__all__ = ["MEDIA", "Prose", "safe"]

MEDIA = ("img", "iframe", "object", "embed", "video", "audio", "svg", "canvas")
TOO_DEEP = 200  # tags in tags; no question needs them
MOST_TAGS = 10_000  # in one text
# What MathJax takes for maths on a page: \( \), \[ \] and Moodle's own $$ $$.
MATHS = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]|\$\$(.+?)\$\$", re.DOTALL)


class Prose:
    """One text of a file and what of it a bank cannot hold."""

    def __init__(self, text: str, form: str = "html") -> None:
        self._text, self._form = text.strip(), form

    @cached_property
    def markdown(self) -> str:
        """The text as Markdown."""
        match self._form:
            case "plain_text" | "plain":
                return "\n\n".join(_escaped(part) for part in re.split(r"\n\s*\n", self._text))
            case "markdown":
                return safe(MATHS.sub(_dollars, self._text.replace("\\\\(", r"\(").replace("\\\\)", r"\)")))
            case "moodle_auto_format" | "moodle":
                return _converted("".join(f"<p>{part}</p>" for part in re.split(r"\n\s*\n", self._text)))
            case _:
                return _converted(self._text)

    @property
    def media(self) -> bool:
        """Whether there is a picture or the like, which is left out."""
        return (
            bool(re.search(rf"<(?:{'|'.join(MEDIA)})\b", self._text, re.IGNORECASE))
            or "@@PLUGINFILE@@" in self._text
        )


def safe(markdown: str) -> str:
    """The text without what a bank takes for a template."""
    return re.sub(r"\{(?=\{)", "{ ", markdown)


def _dollars(found: re.Match[str]) -> str:
    inner = next(part for part in found.groups() if part is not None)
    return f"${' '.join(inner.split())}$" if inner.strip() else ""


def _escaped(text: str) -> str:
    """Text that is no Markdown, but for its maths."""
    made, last = [], 0
    for found in MATHS.finditer(text):
        made += [_signs(text[last : found.start()]), _dollars(found)]
        last = found.end()
    return safe("".join([*made, _signs(text[last:])]))


def _signs(text: str) -> str:
    text = re.sub(r"([\\`*\[\]<$|])", r"\\\1", text)
    text = re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\_", text)
    text = re.sub(r"&(?=#?\w+;)", r"\\&", text)
    text = re.sub(r"(^|\n)([ \t]*)([#>+=~-])", r"\1\2\\\3", text)
    return re.sub(r"(^|\n)([ \t]*\d{1,9})([.)])", r"\1\2\\\3", text)


class _Converter(MarkdownConverter):
    """Maths kept, code as it is, and only what CommonMark needs escaped."""

    def escape(self, text: str, parent_tags: Any) -> str:  # noqa: ARG002 - the library's signature
        return _escaped(text)

    def convert_code(self, el: Any, text: str, parent_tags: Any) -> str:
        if "pre" in parent_tags:
            return text
        ticks = _ticks(text, 1)
        room = " " if text[:1] == "`" or text[-1:] == "`" or text != text.strip() else ""
        return f"{ticks}{room}{text}{room}{ticks}" if el.get_text().strip() else text

    def convert_pre(self, el: Any, text: str, parent_tags: Any) -> str:  # noqa: ARG002
        code = el.find("code")
        classes = (code.get("class") if code else None) or []
        name = next((name.removeprefix("language-") for name in classes if name.startswith("language-")), "")
        ticks = _ticks(text, 3)
        return "\n\n{}{}\n{}\n{}\n\n".format(ticks, name, text.strip("\n"), ticks)


def _ticks(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * (longest + 1 if longest >= least else least)


def _converted(text: str) -> str:
    if text.count("<") > MOST_TAGS:
        return _escaped(unescape(re.sub(r"<[^<>]*>", " ", text)))
    soup = BeautifulSoup(text, "html.parser")
    if _too_deep(soup):
        return _escaped(soup.get_text(" "))
    for tag in soup.find_all(["script", "style", *MEDIA]):
        tag.decompose()
    made = _Converter(
        heading_style="atx", bullets="-", autolinks=False, newline_style="backslash"
    ).convert_soup(soup)
    return re.sub(r"\n{3,}", "\n\n", str(made)).strip()


def _too_deep(soup: BeautifulSoup) -> bool:
    """Whether tags stand deeper in each other than can be walked; found without walking in."""
    waiting: list[tuple[Tag, int]] = [(soup, 0)]
    while waiting:
        tag, depth = waiting.pop()
        if depth > TOO_DEEP:
            return True
        waiting += [(child, depth + 1) for child in _tags(tag)]
    return False


def _tags(tag: Tag) -> Iterator[Tag]:
    return (child for child in tag.children if isinstance(child, Tag))
