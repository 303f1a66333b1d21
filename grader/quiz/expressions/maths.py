"""A formula in TeX as MathML for pages and as a line of text for terminals, both from one reading of it."""

from __future__ import annotations

import functools
import re
from xml.etree import ElementTree as ET

from grader.core.errors import LessonError

__all__ = ["mathml", "maths_text"]

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
MATHML = f"{{{NAMESPACE}}}"
WIDE = frozenset("=≠≈≤≥<>+−→⇒∈·×/")  # stand between spaces in a line of text
CLOSED = re.compile(r"[\w.√∞∑'^{}]+|[\w√]*\([^()]*\)")  # stays one thing beside a bar or as an index
# A command with the name it takes, any other command, or a word of letters.
_WORDS = re.compile(
    r"\\(?:mathrm|text\w*|operatorname\*?|mathbf|mathit|begin|end)\s*\{[^{}]*\}|\\[a-zA-Z]+|(?P<word>[a-z]{3,})"
)
ET.register_namespace("", NAMESPACE)


@functools.cache
def mathml(tex: str, *, block: bool = False) -> str:
    """The formula as a `<math>` element that needs no script. Raises LessonError for TeX that is not understood."""
    tree = _tree(tex)
    tree.set("display", "block" if block else "inline")
    return ET.tostring(tree, encoding="unicode")


@functools.cache
def maths_text(tex: str) -> str:
    """The formula as text: `d_k`, `√(d_k)`, `h · d_v ≠ d_model`. Raises LessonError as `mathml` does."""
    tree = _tree(tex)
    return re.sub(r" +", " ", _row(tree)).strip()


def _tree(tex: str) -> ET.Element:
    from latex2mathml.converter import convert

    # Three small letters and more are a name (`head`, `model`), not a product of single letters.
    named = _WORDS.sub(
        lambda found: rf"\mathrm{{{found['word']}}}" if found["word"] else found[0], tex.strip()
    )
    try:
        tree = ET.fromstring(convert(named))  # XML made a moment ago from our own bank's text
    except Exception as error:
        if not isinstance(error, ET.ParseError | LookupError | StopIteration | ValueError) and not type(
            error
        ).__module__.startswith("latex2mathml"):
            raise
        raise LessonError(
            f"the maths ${tex}$ is not understood ({type(error).__name__}); correct it"
        ) from None
    for node in list(tree.iter()):
        if (node.text or "").startswith("\\"):
            raise LessonError(
                f"the maths ${tex}$ holds {node.text}, which is not known here; write it otherwise"
            )
        if node.tag == f"{MATHML}mfrac" and len(node) != 2:
            raise LessonError(f"the maths ${tex}$ has a fraction without its lower half; correct it")
        _join_letters(node)
    return tree


def _join_letters(row: ET.Element) -> None:
    """Make one element of upright letters that stand side by side: they are read out as one word."""
    last: ET.Element | None = None
    for node in list(row):
        upright = node.tag == f"{MATHML}mi" and node.get("mathvariant") == "normal"
        if upright and last is not None:
            last.text = f"{last.text}{node.text}"
            last.attrib.pop("mathvariant", None)  # several letters are upright by themselves
            row.remove(node)
        else:
            last = node if upright else None


def _row(row: ET.Element) -> str:
    """What stands side by side; names that would run into each other are set apart, as in `Q K^T`."""
    text, after_operator, nodes = "", True, list(row)
    for place, node in enumerate(nodes):
        operator = node.tag == f"{MATHML}mo"
        said = _said(node)
        if operator and said in WIDE:
            said = said if after_operator and said in "+−" else f" {said} "
        elif not operator and not after_operator and (said[:1].isalnum() or said[:1] in "∑√"):
            text += " "
        if node.tag == f"{MATHML}mfrac" and (
            not after_operator or (place + 1 < len(nodes) and nodes[place + 1].tag != f"{MATHML}mo")
        ):
            said = f"({said}) "
        text += said
        after_operator = operator and said.strip() not in (")", "]", "}")
    return text


def _said(node: ET.Element) -> str:
    match node.tag.removeprefix(MATHML):
        case "mfrac" | "mroot" | "msub" | "munder" | "msup" | "mover" | "msubsup" | "munderover" as kind:
            return _built(kind, [_said(child) for child in node])
        case "msqrt":
            inner = _row(node).strip()
            return f"√{inner}" if re.fullmatch(r"\d+|\w", inner) else f"√({inner})"
        case "mtable":
            return "; ".join(map(_said, node))
        case "mtr":
            return ", ".join(_said(cell).strip() for cell in node)
        case "mspace":
            return " "
        case "mo":
            return {"⊤": "T", ",": ", "}.get(node.text or "", node.text or "")
        case "mi" | "mn" | "mtext" | "ms":
            return node.text or ""
        case _:
            return _row(node)


def _built(kind: str, parts: list[str]) -> str:
    """What is made of two or three parts: fractions, roots, indices and exponents."""
    first, second = parts[0], parts[1]
    if kind == "mfrac":
        return f"{_closed(first)} / {_closed(second)}"
    if kind == "mroot":
        return f"{_closed(first)}^(1/{second.strip()})"
    if len(parts) == 3:
        return _led(f"{first}_{_script(second)}^{_script(parts[2])}")
    return _led(f"{first}{'_' if kind in ('msub', 'munder') else '^'}{_script(second)}")


def _led(text: str) -> str:
    """A sum's sign keeps away from what it sums."""
    return f"{text} " if text.startswith("∑") else text


def _script(text: str) -> str:
    return _closed(text.replace(" ", ""))


def _closed(text: str) -> str:
    """The text, in parentheses where it could be read as more than one thing."""
    text = text.strip()
    return text if CLOSED.fullmatch(text) else f"({text})"
