"""HTML of a learning platform as a bank's Markdown, maths as `$...$`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from html import unescape
from itertools import groupby
from typing import Any

from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PageElement
from markdownify import MarkdownConverter

__all__ = ["MEDIA", "Prose", "safe"]

MEDIA = ("img", "iframe", "object", "embed", "video", "audio", "svg", "canvas")
TOO_DEEP = 200  # tags in tags; no question needs them
MOST_TAGS = 10_000  # in one text
# What MathJax takes for maths on a page: \( \), \[ \] and Moodle's own $$ $$.
# None begins inside another, so that many beginnings without an end are searched once.
MATHS = re.compile(r"\\\(((?:(?!\\\().)+?)\\\)|\\\[((?:(?!\\\[).)+?)\\\]|\$\$(.+?)\$\$", re.DOTALL)
# What may be typeset beside what it is an index or a power of; other such words are written out.
BASE = re.compile(r"(?:\d+(?:[.,]\d+)*|[^\W\d_]+)$")
SCRIPT = re.compile(r"(?:[^\W_]|[-+−–*/=(),.·×' ])+")
SCRIPTS = {"sup": "^", "sub": "_"}
CODE = ("code", "pre")
NUMBERS = ("start", "colspan")  # what the converter takes for numbers, however long
DRESS = ("i", "em", "b", "strong", "var", "span")


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
                text = self._text.replace("\\\\(", r"\(").replace("\\\\)", r"\)")
                return safe(_with_maths(text, str))
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
    return safe(_with_maths(text, _signs))


def _with_maths(text: str, other: Callable[[str], str]) -> str:
    """The text with its maths in dollars; formulas that touch become one, for `$a$$b$` is read otherwise."""
    made: list[str] = []
    last, touches = 0, False
    for found in MATHS.finditer(text):
        formula = _dollars(found)
        if found.start() > last:
            made.append(other(text[last : found.start()]))
            touches = False
        if touches and formula:
            made[-1] = f"{made[-1].removesuffix('$')} {formula.removeprefix('$')}"
        elif formula:
            made.append(formula)
            touches = True
        last = found.end()
    return "".join([*made, other(text[last:])])


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
    for tag in soup.find_all(True):
        if tag.name in ("u", "ins"):
            tag.name = "em"  # Markdown has no underlining
        if re.fullmatch(r"h\d{2,}", tag.name):
            tag.name = "p"
        for name in NUMBERS:
            if not re.fullmatch(r"[0-9]{1,9}", str(tag.get(name, "1"))):
                del tag[name]
    _typeset_scripts(soup)
    made = _Converter(
        heading_style="atx", bullets="-", autolinks=False, newline_style="backslash"
    ).convert_soup(soup)
    return re.sub(r"\n{3,}", "\n\n", str(made)).strip()


def _typeset_scripts(soup: BeautifulSoup) -> None:
    r"""Powers and indices as maths, `10<sup>6</sup>` as `\(10^{6}\)`: as plain text they would say another number."""
    outermost = [tag for tag in soup.find_all(list(SCRIPTS)) if not tag.find_parent(list(SCRIPTS))]
    for parent in {id(tag.parent): tag.parent for tag in outermost if tag.parent is not None}.values():
        in_code = parent.name in CODE or parent.find_parent(CODE) is not None
        made: list[PageElement] = []
        children = groupby(
            list(parent.children), lambda child: isinstance(child, Tag) and child.name in SCRIPTS
        )
        for are_scripts, group in children:
            made += [NavigableString(_typeset(list(_tags(group)), made, in_code))] if are_scripts else group
        parent.clear()
        for is_text, group in groupby(made, lambda element: type(element) is NavigableString):
            same = list(group)
            parent.extend([NavigableString("".join(map(str, same)))] if is_text else same)


def _typeset(run: list[Tag], before: list[PageElement], in_code: bool) -> str:
    """Powers and indices side by side, with what they belong to, which is taken from the end of `before`."""
    scripts = [_script(tag) for tag in run]
    if in_code or None in scripts:
        texts = [(SCRIPTS[tag.name], tag.get_text()) for tag in run]
        return "".join(
            sign + (text if re.fullmatch(r"[^\W_]*", text) else f"({text})") for sign, text in texts if text
        )
    return rf"\({_base(before) or '{}'}{''.join(map(str, scripts))}\)" if any(scripts) else ""


def _script(tag: Tag) -> str | None:
    """A power or an index as TeX; None for what is not plain enough, "" for an empty one."""
    parts = []
    for child in tag.children:
        if isinstance(child, Tag):
            inner = _script(child) if child.name in (*SCRIPTS, *DRESS) else None
            if inner is None:
                return None
            parts.append(inner if child.name in SCRIPTS else inner[len("^{") : -len("}")])
        elif SCRIPT.fullmatch(str(child)):
            parts.append(re.sub(r"[^\W\d_]{2,}", r"\\mathrm{\g<0>}", str(child)).replace("–", "-"))
        else:
            return None
    text = "".join(parts)
    return f"{SCRIPTS.get(tag.name, '^')}{{{text}}}" if text.strip() else ""


def _base(before: list[PageElement]) -> str:
    """What stands at the end and has a power or an index, as TeX, taken away from there; "" for nothing."""
    last = before[-1] if before else None
    if isinstance(last, Tag):
        text = last.get_text().strip() if last.name in DRESS else ""
        if not text or BASE.match(text) is None:
            return ""
        before.pop()
    else:
        found = BASE.search(str(last or ""))
        if found is None:
            return ""
        text = found.group()
        before[-1] = NavigableString(str(last)[: found.start()])
    return text if len(text) == 1 or text[0].isdigit() else rf"\mathrm{{{text}}}"


def _too_deep(soup: BeautifulSoup) -> bool:
    """Whether tags stand deeper in each other than can be walked; found without walking in."""
    waiting: list[tuple[Tag, int]] = [(soup, 0)]
    while waiting:
        tag, depth = waiting.pop()
        if depth > TOO_DEEP:
            return True
        waiting += [(child, depth + 1) for child in _tags(tag.children)]
    return False


def _tags(elements: Iterable[PageElement]) -> Iterator[Tag]:
    return (element for element in elements if isinstance(element, Tag))
