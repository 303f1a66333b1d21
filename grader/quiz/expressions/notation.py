"""Brings what people write for one symbol to one form: LaTeX, Unicode, code and plain typing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

__all__ = ["Notation", "folded", "plain"]

_MARKS = {
    "’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "–": "-", "—": " - ", "−": "-", "‐": "-", "‑": "-",
    "·": "*", "⋅": "*", "∙": "*", "•": "*", "×": "*", "∗": "*", "✕": "*", "÷": "/", "∕": "/", "⁄": "/",
    "→": "->", "⇒": "->", "⟶": "->", "➔": "->", "➜": "->", "…": "...", "\u00a0": " ",
}  # fmt: skip
_COMMANDS = (
    (
        r"\\(?:text|textbf|textit|texttt|mathrm|mathbf|mathit|mathsf|mathtt|operatorname\*?|bm|boldsymbol)\s*",
        "",
    ),
    (r"\\(?:cdot|times|ast|star|otimes)(?![a-zA-Z])", " * "),
    (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"(\1)/(\2)"),
    (r"\\sqrt\s*\{([^{}]*)\}", r"sqrt(\1)"),
    (r"\\(?:left|right|big|Big|displaystyle)(?![a-zA-Z])", ""),
    (r"\\(?:l|c|v)?dots(?:c|b|o)?(?![a-zA-Z])", "..."),
    (r"\\(?:to|rightarrow|Rightarrow|longrightarrow|implies)(?![a-zA-Z])", "->"),
    (r"\\(?:quad|qquad|,|;|:|!| )", " "),
    (r"\\([_{}$%&#])", r"\1"),
    (r"\\([a-zA-Z]+)", r"\1"),
    (r"\\\\|\\[()\[\]]", " "),
)
_SUB = re.compile(
    r"(?<=[A-Za-z])[_^]\s?(?:\{\s*\(?\s*([A-Za-z0-9]+)\s*\)?\s*\}|\(\s*([A-Za-z0-9]+)\s*\)|([A-Za-z0-9]+))"
)
_BOLD = re.compile(r"(?<!\w)\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\w)")


def plain(text: str) -> str:
    """The text in compatibility form (subscripts as letters), LaTeX's dress taken off, dashes and dots plain."""
    for mark, replacement in _MARKS.items():
        text = text.replace(mark, replacement)
    text = unicodedata.normalize("NFKC", text)
    typeset = "\\" in text or "$" in text
    if typeset:
        for pattern, replacement in _COMMANDS:
            text = re.sub(pattern, replacement, text)
        text = text.replace("$", " ")
    text = _SUB.sub(lambda found: f"_{found[1] or found[2] or found[3]}", text)
    if typeset:
        text = text.replace("{", "").replace("}", "")
    return _BOLD.sub(r"\1", text.replace("`", " ")) if "`" in text or "**" in text else text


def folded(text: str) -> str:
    """The text by which two answers count as equal: case, dress and spaces do not matter."""
    return " ".join(plain(text).casefold().split()).strip(" .!\"'")


class Notation:
    """A bank's symbols and their further spellings, compiled."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.names = frozenset(key.casefold() for _, key in pairs)
        self._every = _Spellings(pairs)
        self._dressed = _Spellings([(text, key) for text, key in pairs if "_" in key and len(text) > 1])

    @classmethod
    def of(cls, spellings: Mapping[str, tuple[str, ...]]) -> Notation:
        """From `symbol: [spellings]`; a symbol with a sub- or superscript is known in every dress."""
        pairs = [(text, key) for key, others in spellings.items() for text in (key, *others)]
        return cls(sorted(pairs, key=lambda pair: -len(pair[0])))

    def in_prose(self, text: str) -> str:
        """The plain text with every subscripted symbol in its one form."""
        return self._dressed.replaced(text)

    def in_terms(self, text: str) -> str:
        """The plain text of an expression with every symbol, single letters and names too, in its one form."""
        return self._every.replaced(text)


class _Spellings:
    """Spellings as one pattern, the longest first; its n-th group is the n-th symbol's."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self._symbols = [key.casefold() for _, key in pairs]
        inner = "|".join(f"({_spelling(text)})" for text, _ in pairs) if pairs else r"(?!)"
        self._pattern = re.compile(rf"(?<![A-Za-z0-9_])(?:{inner})(?![A-Za-z0-9_])", re.IGNORECASE)

    def replaced(self, text: str) -> str:
        return self._pattern.sub(lambda found: f" {self._symbols[(found.lastindex or 1) - 1]} ", text)


def _spelling(text: str) -> str:
    """A spelling's pattern; its parts may be joined by `_`, `^`, `-`, spaces or nothing."""
    return r"[\s_^-]*".join(re.escape(part) for part in re.split(r"[\s_^{}-]+", text) if part)
