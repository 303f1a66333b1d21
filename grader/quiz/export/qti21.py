"""IMS QTI 2.1 (final, 2012) as a content package: a test, and one file an item.

Scores are in points. A parametrised question is a section of its draws, one of which is selected.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from grader.quiz.expressions.templates import BLANK

from .items import Blanks, Choice, Essay, Item, Match, Number, Order, Text, Truth, items
from .markup import as_mathml, html, inline_html
from .plan import Group, Losses, Plan
from .qti21_scoring import scoring
from .rubric_text import rubric_markdown
from .wordings import number_text
from .xml import DECLARATION, Markup, identifier, tag, zipped

__all__ = ["qti21"]

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"
INSTANCE = {"xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance"}
PLACE = {
    "xmlns": QTI,
    **INSTANCE,
    "xsi:schemaLocation": f"{QTI} http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd",
}
LONGEST = 60  # characters that a field for a short text shows


def qti21(plan: Plan, losses: Losses) -> bytes:
    """The zip: manifest, test and items."""
    groups = [(group, items(group)) for group in plan.groups]
    files: dict[str, str | None] = {
        "imsmanifest.xml": DECLARATION + _manifest(plan, groups) + "\n",
        "test.xml": DECLARATION + _test(plan, groups) + "\n",
    }
    for _, drawn in groups:
        for item in drawn:
            files[_file(item)] = DECLARATION + _item(item, losses) + "\n"
    return zipped(files)


def _file(item: Item) -> str:
    return f"items/{item.name}.xml"


def _reference(item: Item) -> Markup:
    return tag(
        "assessmentItemRef", {"identifier": identifier(item.name), "href": _file(item), "fixed": "false"}
    )


def _test(plan: Plan, groups: list[tuple[Group, tuple[Item, ...]]]) -> Markup:
    sections = [
        tag(
            "assessmentSection",
            {"identifier": f"{identifier(group.question.id)}_draws", "title": group.question.id, "visible": "false"},
            tag("selection", {"select": "1"}),
            *map(_reference, drawn),
        ) if group.several else _reference(drawn[0])
        for group, drawn in groups
    ]  # fmt: skip
    section = tag(
        "assessmentSection", {"identifier": "questions", "title": plan.title, "visible": "true"}, *sections
    )
    part = {"identifier": "part", "navigationMode": "nonlinear", "submissionMode": "simultaneous"}
    return tag(
        "assessmentTest",
        {**PLACE, "identifier": identifier(plan.quiz), "title": plan.title},
        tag("outcomeDeclaration", {"identifier": "SCORE", "cardinality": "single", "baseType": "float"}),
        tag("testPart", part, section),
        tag(
            "outcomeProcessing", None,
            _set("SCORE", tag("sum", None, tag("testVariables", {"variableIdentifier": "SCORE"}))),
        ),
    )  # fmt: skip


def _set(name: str, value: Markup) -> Markup:
    return tag("setOutcomeValue", {"identifier": name}, value)


def _manifest(plan: Plan, groups: list[tuple[Group, tuple[Item, ...]]]) -> Markup:
    every = [item for _, drawn in groups for item in drawn]
    resources = [
        tag(
            "resource",
            {"identifier": f"item_{item.name}", "type": "imsqti_item_xmlv2p1", "href": _file(item)},
            tag("file", {"href": _file(item)}),
        )
        for item in every
    ]
    needs = [tag("dependency", {"identifierref": f"item_{item.name}"}) for item in every]
    test = {"identifier": "test", "type": "imsqti_test_xmlv2p1", "href": "test.xml"}
    return tag(
        "manifest",
        {"xmlns": PACKAGE, "identifier": f"manifest_{identifier(plan.quiz)}"},
        tag(
            "metadata", None,
            tag("schema", None, "QTIv2.1 Package"),
            tag("schemaversion", None, "1.0.0"),
        ),
        tag("organizations"),
        tag("resources", None, tag("resource", test, tag("file", {"href": "test.xml"}), *needs), *resources),
    )  # fmt: skip


def _item(item: Item, losses: Losses) -> Markup:
    scored = scoring(item, losses)
    feedback = [
        tag(
            "modalFeedback",
            {"outcomeIdentifier": "FEEDBACK", "identifier": name, "showHide": "show"},
            _html(text),
        )
        for name, text in scored.feedback.items()
    ]
    person = {"interpretation": "points, given by a person"} if isinstance(item.form, Essay) else {}
    score = {"identifier": "SCORE", "cardinality": "single", "baseType": "float", **person,
             "normalMaximum": number_text(item.points), "normalMinimum": "0"}  # fmt: skip
    return tag(
        "assessmentItem",
        {
            **PLACE,
            "identifier": identifier(item.name),
            "title": item.name,
            "adaptive": "false",
            "timeDependent": "false",
        },
        *scored.responses,
        tag("outcomeDeclaration", score, tag("defaultValue", None, tag("value", None, "0"))),
        tag(
            "outcomeDeclaration",
            {"identifier": "FEEDBACK", "cardinality": "multiple", "baseType": "identifier"},
        ),
        tag("itemBody", None, *_body(item, losses)),
        tag("responseProcessing", None, *scored.rules),
        *feedback,
    )


def _html(text: str) -> Markup:
    return Markup(html(text, as_mathml))


def _inline(text: str) -> Markup:
    return Markup(inline_html(text, as_mathml))


def _interaction(name: str, attributes: Mapping[str, object], *inside: Markup) -> Markup:
    return tag(name, {"responseIdentifier": "RESPONSE", **attributes}, *inside)


def _body(item: Item, losses: Losses) -> list[Markup]:
    prompt = _html(item.prompt)
    entry = {"expectedLength": str(LONGEST)}
    match item.form:
        case Truth():
            options = [tag("simpleChoice", {"identifier": name}, name) for name in ("true", "false")]
            return [
                prompt,
                _interaction("choiceInteraction", {"shuffle": "false", "maxChoices": "1"}, *options),
            ]
        case Choice(options=shown, many=many, shuffle=shuffle):
            options = [
                tag("simpleChoice", {"identifier": f"option_{part.letter}"}, _inline(part.text))
                for part in shown
            ]
            rule = {"shuffle": str(shuffle).lower(), "maxChoices": "0" if many else "1"}
            return [prompt, _interaction("choiceInteraction", rule, *options)]
        case Number(unit=unit):
            said = f" {escape(unit)}" if unit else ""
            if unit:
                losses.add("units: written behind the field; the number alone is typed", item.id)
            field = _interaction("textEntryInteraction", {"expectedLength": "20"})
            return [prompt, Markup(f"<p>{field}{said}</p>")]
        case Text(_, what, _):
            losses.add(f"{what}: only the listed spellings count; look at answers marked wrong", item.id)
            return [prompt, Markup(f"<p>{_interaction('textEntryInteraction', entry)}</p>")]
        case Blanks():
            losses.add("blanks: only the listed spellings count; look at answers marked wrong", item.id)
            blank = r'<textEntryInteraction responseIdentifier="BLANK_\1" expectedLength="20"/>'
            return [Markup(BLANK.sub(blank, prompt))]
        case Order(parts, _):
            steps = [
                tag("simpleChoice", {"identifier": f"item_{part.place}"}, _inline(part.text))
                for part in parts
            ]
            return [prompt, _interaction("orderInteraction", {"shuffle": "false"}, *steps)]
        case Match(lefts, rights, _):
            once = {"matchMax": "1"}
            left = [
                tag("simpleAssociableChoice", {"identifier": f"left_{place}", **once}, _inline(text))
                for place, text in enumerate(lefts)
            ]
            right = [
                tag(
                    "simpleAssociableChoice",
                    {"identifier": f"right_{part.place}", **once},
                    _inline(part.text),
                )
                for part in rights
            ]
            sets = (tag("simpleMatchSet", None, *left), tag("simpleMatchSet", None, *right))
            rule = {"shuffle": "false", "maxAssociations": str(len(lefts))}
            return [prompt, _interaction("matchInteraction", rule, *sets)]
        case Essay():
            losses.add("short answer: a text that a person marks, with the rubric for the scorer", item.id)
            rubric = tag("rubricBlock", {"view": "scorer"}, _html(rubric_markdown(item.form)))
            return [rubric, prompt, _interaction("extendedTextInteraction", {"expectedLines": "3"})]
