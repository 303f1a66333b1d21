"""GIFT, read in the steps of Moodle's importer (qformat_gift): placeholders for what is escaped, then plain searches.

What it makes is Moodle XML's elements, so that Moodle's marking marks them.
"""

from __future__ import annotations

import re

from lxml import etree

from .moodle import MoodleQuestion

PLACEHOLDERS = {"\\:": "&&058;", "\\#": "&&035;", "\\=": "&&061;", "\\{": "&&123;", "\\}": "&&125;", "\\~": "&&126;",
                "\\n": "&&010"}  # fmt: skip
MEANT = {
    "&&058;": ":",
    "&&035;": "#",
    "&&061;": "=",
    "&&123;": "{",
    "&&125;": "}",
    "&&126;": "~",
    "&&010": "\n",
}


def before(text: str) -> str:
    text = text.replace("\\\\", "&&092;")
    for escaped, placeholder in PLACEHOLDERS.items():
        text = text.replace(escaped, placeholder)
    return text.replace("&&092;", "\\")


def after(text: str) -> str:
    for placeholder, sign in MEANT.items():
        text = text.replace(placeholder, sign)
    return text


def formatted(text: str) -> str:
    text = text.strip()
    if text.startswith("[") and text[1 : text.find("]")] in ("html", "moodle", "plain", "markdown"):
        text = text[text.find("]") + 1 :]
    return after(text).strip()


def weight(answer: str, default: float) -> tuple[float, str]:
    found = re.match(r"%-*([0-9]{1,2})\.?([0-9]*)%", answer)
    if not found:
        return default, answer
    end = answer.index("%", 1)
    return float(answer[1:end]) / 100, answer[end + 1 :]


def comment(answer: str) -> tuple[str, str]:
    text, _, said = answer.partition("#")
    return formatted(text), formatted(said)


def add(node: etree._Element, path: str, text: str, **attributes: str) -> etree._Element:
    child = etree.SubElement(node, path, **attributes)
    etree.SubElement(child, "text").text = text
    return child


def add_answer(node: etree._Element, share: float, text: str, said: str) -> etree._Element:
    child = add(node, "answer", text, fraction=repr(share * 100))
    add(child, "feedback", said)
    return child


def split(text: str, sign: str) -> list[str]:
    parts = [part.strip() for part in text.split(sign)]
    return parts[1:] if parts and not parts[0] else parts


def read(data: bytes) -> dict[str, MoodleQuestion]:
    found: dict[str, MoodleQuestion] = {}
    for block in data.decode().split("\n\n"):
        lines = [line for line in block.split("\n") if not line.strip().startswith("//")]
        text = before("\n".join(lines).strip())
        if not text or text.startswith("$CATEGORY:"):
            continue
        question = one(text)
        assert question.name not in found
        found[question.name] = question
    return found


def one(text: str) -> MoodleQuestion:
    node = etree.Element("question")
    assert text.startswith("::")
    end = text.index("::", 2)
    add(node, "name", after(text[2:end]))
    text = text[end + 2 :].strip()
    start, finish = text.find("{"), text.find("}")
    assert 0 <= start < finish
    inside = text[start + 1 : finish].strip()
    shown = text[:start] + ("" if text.endswith("}") else "_____") + text[finish + 1 :]
    cut = inside.rfind("####")
    add(node, "generalfeedback", formatted(inside[cut + 4 :]) if cut >= 0 else "")
    inside = inside[:cut].strip() if cut >= 0 else inside
    add(node, "questiontext", formatted(shown))
    kind = kind_of(inside)
    globals()[f"_{kind}"](node, inside)
    return MoodleQuestion(kind, node)


def kind_of(inside: str) -> str:
    if not inside:
        return "essay"
    if inside[0] == "#":
        return "numerical"
    if "~" in inside:
        return "multichoice"
    if "=" in inside and "->" in inside:
        return "matching"
    head = inside[: inside.find("#")].strip() if inside.find("#") > 0 else inside
    return "truefalse" if head in ("T", "TRUE", "F", "FALSE") else "shortanswer"


def _essay(node: etree._Element, inside: str) -> None:
    assert not inside
    etree.SubElement(node, "responseformat").text = "editor"


def _truefalse(node: etree._Element, inside: str) -> None:
    bits = [formatted(bit) for bit in inside.split("#", 2)] + ["", ""]
    answer = bits[0] in ("T", "TRUE")
    add_answer(node, float(answer), "true", bits[2] if answer else bits[1])
    add_answer(node, float(not answer), "false", bits[1] if answer else bits[2])


def _multichoice(node: etree._Element, inside: str) -> None:
    etree.SubElement(node, "single").text = str("=" in inside).lower()
    for answer in split(inside.replace("=", "~="), "~"):
        share, text = (1.0, answer[1:]) if answer[0] == "=" else weight(answer, 0.0)
        add_answer(node, share, *comment(text))


def _matching(node: etree._Element, inside: str) -> None:
    for pair in split(inside, "="):
        marker = pair.index("->")
        child = add(node, "subquestion", formatted(pair[:marker]))
        add(child, "answer", after(pair[marker + 2 :]).strip())


def _shortanswer(node: etree._Element, inside: str) -> None:
    etree.SubElement(node, "usecase").text = "0"
    for answer in split(inside, "="):
        share, text = weight(answer, 1.0)
        add_answer(node, share, *comment(text))


def _numerical(node: etree._Element, inside: str) -> None:
    for answer in split(inside[1:].partition("~")[0], "="):
        share, rest = weight(answer, 1.0)
        text, said = comment(rest)
        if text.find("..") > 0:
            low, high = map(float, text.split("..", 1))
            value, slack = repr((low + high) / 2), repr((high - low) / 2)
        else:
            value, _, slack = text.partition(":")
        child = add_answer(node, share, value.strip(), said)
        etree.SubElement(child, "tolerance").text = slack.strip() or "0"
