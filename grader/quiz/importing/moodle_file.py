"""Reads Moodle XML: no entities, no document type, bounded in size, depth and number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from xml.etree import ElementTree as ET
from xml.parsers import expat

from grader.core.errors import InputError
from grader.core.text import printable
from grader.quiz.export.plan import Losses
from grader.quiz.expressions.arithmetic import ExpressionError, written

from .build import Answer, choice, essay, fill, model_of, numbers, order, pairs, share_of, texts, truth
from .found import Fields, Found
from .from_html import Prose

__all__ = ["QTI", "moodle_questions", "parse_xml"]

MAX_DEPTH = 60
MAX_ELEMENTS = 500_000
FIELD = re.compile(
    r"\{(\d{0,9}):(\w{1,40}):"
)  # how a cloze field begins; it goes on to the first `}` not escaped
INSIDE = re.compile(r"((?:\\.|[^}\\])*)\}", re.DOTALL)
LEFT_OUT = {
    ("hint",): "hints: left out",
    (
        "correctfeedback",
        "partiallycorrectfeedback",
        "incorrectfeedback",
    ): "what is said to any right, partly right or wrong answer: left out",
    ("responsetemplate",): "the text that the answer's field begins with: left out",
}
MOODLES_OWN = {
    "",
    "Your answer is correct.",
    "Your answer is partially correct.",
    "Your answer is incorrect.",
}
QTI = ("questestinterop", "assessment", "manifest")
SHORT = {"SHORTANSWER": False, "SA": False, "MW": False, "SHORTANSWER_C": True, "SAC": True, "MWC": True}


def parse_xml(data: bytes) -> ET.Element:
    """The document's root. Raises InputError for what is no XML, or more of it than a file of questions needs."""
    depth = elements = 0

    def begin(_name: str, _attributes: object) -> None:
        nonlocal depth, elements
        depth, elements = depth + 1, elements + 1
        if depth > MAX_DEPTH:
            raise InputError(f"elements stand more than {MAX_DEPTH} deep; no file of questions needs that")
        if elements > MAX_ELEMENTS:
            raise InputError(f"more than {MAX_ELEMENTS:,} elements; part the file")

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: object) -> None:
        raise InputError("a document type (<!DOCTYPE>) is not read, for entities do harm; remove it")

    guard = expat.ParserCreate()
    guard.StartElementHandler, guard.EndElementHandler = begin, end
    guard.StartDoctypeDeclHandler = guard.EntityDeclHandler = refuse
    try:
        guard.Parse(data, True)
        return ET.fromstring(data)
    except (expat.ExpatError, ET.ParseError) as error:
        raise InputError(f"no XML: {printable(str(error), 120)}") from None
    except (LookupError, UnicodeError, ValueError):
        raise InputError("its text's encoding is not known; save it as UTF-8") from None


def moodle_questions(data: bytes, losses: Losses) -> Iterator[tuple[Found, Fields | None]]:
    """Each question and its kind's fields; None where the bank has no such kind. Raises InputError."""
    root = parse_xml(data)
    if root.tag.rpartition("}")[2].startswith(QTI):
        raise InputError("it is QTI; export the questions as Moodle XML or GIFT and give that file")
    if root.tag != "quiz":
        raise InputError(f"its root is <{printable(root.tag, 40)}>, not <quiz>; is it Moodle XML?")
    for number, node in enumerate(root.iter("question"), start=1):
        kind = node.get("type", "")
        if kind in ("category", "description"):
            continue
        found = _found(node, number, losses)
        try:
            yield found, _fields(kind, node, found, losses)
        except ValueError as problem:
            losses.add(f"left out: {printable(str(problem), 120)}", found.name)
            yield found, None


def _found(node: ET.Element, number: int, losses: Losses) -> Found:
    name = _text(node.find("idnumber"), plain=True) or _text(node.find("name")) or f"question {number}"
    found = Found(printable(" ".join(name.split()), 80), _prose(node, "questiontext", losses, ""))
    found.explanation = _prose(node, "generalfeedback", losses, found.name)
    try:
        found.points = float(written(node.findtext("defaultgrade") or "1"))
    except ExpressionError:
        losses.add("points that are no number: one is taken", found.name)
    found.tags = [_text(tag) for tag in node.iterfind("tags/tag")]
    for names, lost in LEFT_OUT.items():
        said = {
            " ".join(Prose(_text(child)).markdown.split()) for name in names for child in node.iterfind(name)
        }
        if said - MOODLES_OWN:
            losses.add(lost, found.name)
    if Prose(_text(node.find("questiontext"))).media:
        losses.add("pictures and other media: left out", found.name)
    return found


def _text(node: ET.Element | None, *, plain: bool = False) -> str:
    """What stands in an element's <text>."""
    if node is None:
        return ""
    return ((node.text if plain else node.findtext("text")) or "").strip()


def _prose(node: ET.Element, name: str, losses: Losses, owner: str) -> str:
    child = node.find(name)
    if child is None:
        return ""
    prose = Prose(_text(child), child.get("format", "moodle_auto_format" if name != "feedback" else "html"))
    if owner and prose.media:
        losses.add("pictures and other media: left out", owner)
    return prose.markdown


def _answers(node: ET.Element, losses: Losses, owner: str, *, prose: bool = False) -> list[Answer]:
    made = []
    for child in node.iterfind("answer"):
        text = _text(child)
        if prose:
            text = Prose(text, child.get("format", "html")).markdown
        slack = written((child.findtext("tolerance") or "").strip() or "0")
        share = share_of(child.get("fraction", "0"))
        made.append(Answer(share, text, _prose(child, "feedback", losses, owner), slack))
    return made


def _is_true(node: ET.Element, name: str, default: str = "false") -> bool:
    return (node.findtext(name) or default).strip().lower() in ("true", "1")


def _fields(kind: str, node: ET.Element, found: Found, losses: Losses) -> Fields:
    match kind:
        case "truefalse":
            return _truth(_answers(node, losses, found.name), found, losses)
        case "multichoice" | "multichoiceset":
            return _choice(kind, node, found, losses)
        case "shortanswer":
            return texts(found, _answers(node, losses, found.name), losses, cased=_is_true(node, "usecase"))
        case "numerical":
            return numbers(found, _answers(node, losses, found.name), _units(node, found, losses), losses)
        case "matching":
            return pairs(found, list(_pairs(node)), losses)
        case "ordering":
            return _order(node, found, losses)
        case "cloze" | "multianswer":
            return _cloze(node, found, losses)
        case "essay":
            return essay(found, _model(node), losses)
        case _:
            raise ValueError(f"a bank has no kind like Moodle's {printable(kind, 40) or 'unnamed one'}")


def _truth(answers: Sequence[Answer], found: Found, losses: Losses) -> Fields:
    said = {answer.text.lower() == "true": answer for answer in answers}
    right = [value for value, answer in said.items() if answer.share == 1]
    if len(right) != 1:
        raise ValueError("neither true nor false is right, or both are")
    if any(answer.share not in (0, 1) for answer in answers):
        losses.add("shares: an answer that earned a part, or cost some, earns nothing here", found.name)
    return truth(right[0], {value: answer.feedback for value, answer in said.items()})


def _choice(kind: str, node: ET.Element, found: Found, losses: Losses) -> Fields:
    answers = _answers(node, losses, found.name, prose=True)
    whole = kind == "multichoiceset"  # a plugin's: all right ones and no other, or nothing
    single = _is_true(node, "single", "true") and not whole
    made = choice(found, answers, single=single, shuffle=_is_true(node, "shuffleanswers"), losses=losses)
    return {**made, "partial": "none"} if whole else made


def _order(node: ET.Element, found: Found, losses: Losses) -> Fields:
    listed = [Prose(_text(child), child.get("format", "html")).markdown for child in node.iterfind("answer")]
    grading = (node.findtext("gradingtype") or "").strip().upper()
    if grading not in {"ALL_OR_NOTHING", "RELATIVE_NEXT_EXCLUDE_LAST"}:
        losses.add("ordering: it earns by neighbours here", found.name)
    return order(listed, partial=grading != "ALL_OR_NOTHING")


def _units(node: ET.Element, found: Found, losses: Losses) -> Sequence[str]:
    units = []
    for unit in node.iterfind("units/unit"):
        name = (unit.findtext("unit_name") or "").strip()
        factor = (unit.findtext("multiplier") or "1").strip()
        if re.fullmatch(r"1(?:\.0*)?", factor) and name:
            units.append(name)
        else:
            losses.add("units with another factor: left out", found.name)
    return units


def _pairs(node: ET.Element) -> Iterator[tuple[str, str]]:
    for child in node.iterfind("subquestion"):
        right = Prose(_text(child.find("answer")), "plain").markdown
        yield Prose(_text(child), child.get("format", "html")).markdown, right


def _model(node: ET.Element) -> str:
    info = node.find("graderinfo")
    return "" if info is None else model_of(Prose(_text(info), info.get("format", "html")).markdown)


def _cloze(node: ET.Element, found: Found, losses: Losses) -> Fields:
    """A text with fields `{1:SHORTANSWER:=right~*#wrong}`."""
    question = node.find("questiontext")
    text = _text(question)
    blanks: list[tuple[list[str], str]] = []
    weights = set()
    # Letters stand for the blanks while the text becomes Markdown, which would escape brackets.
    marked, last = "", 0
    while (field := FIELD.search(text, last)) and (rest := INSIDE.match(text, field.end())):
        (weight, kind), inside = field.groups(), rest.group(1)
        weights.add(weight or "1")
        if kind not in SHORT:
            raise ValueError(f"a cloze field {printable(kind, 30)} has no like in a bank")
        blanks.append(_cloze_field(inside, found, losses, cased=SHORT[kind]))
        marked += f"{text[last : field.start()]}BLANK{len(blanks)}KNALB"
        last = rest.end()
    if not blanks:
        raise ValueError("a cloze text without a field")
    if len(weights) > 1:
        losses.add("weights of blanks: each counts the same here", found.name)
    form = question.get("format", "html") if question is not None else "html"
    found.prompt = re.sub(r"BLANK(\d+)KNALB", r"[[\1]]", Prose(marked + text[last:], form).markdown)
    return fill(found, blanks)


def _cloze_field(inside: str, found: Found, losses: Losses, *, cased: bool) -> tuple[list[str], str]:
    accept, said = [], ""
    if cased:
        losses.add("capitals: they do not matter here", found.name)
    for part in re.split(r"(?<!\\)~", inside):
        # `&#35;` is an entity, not a `#` with something said behind it.
        text, _, feedback = re.sub(r"(?<!\\)(?<!&)#", "\0", part, count=1).partition("\0")
        text = _meant(text.strip())
        right = re.match(r"=|%100(?:\.0*)?%", text)
        if right:
            plain = text[right.end() :].replace(r"\*", "*")
            accept.append(plain)
        elif text in {"*", "%0%*"}:
            said = Prose(_meant(feedback)).markdown
        elif feedback or text.startswith("%"):
            losses.add("what single texts earn or are told: left out", found.name)
    if not accept:
        raise ValueError("a cloze field in which nothing is right")
    return accept, said


def _meant(text: str) -> str:
    r"""A cloze field's text with its entities and its `\}` and `\#` undone, in Moodle's order."""
    return unescape(text).replace(r"\}", "}").replace(r"\#", "#")
