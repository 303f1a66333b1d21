"""A Canvas quiz as a QTI 1.2 package, in the form in which Canvas itself writes one.

IMS Question & Test Interoperability 1.2 (ASI information model); the package after IMS Content Packaging 1.1.3.
The two files of a quiz carry one identifier: with two, Canvas passes over the settings without a word.
"""

from __future__ import annotations

import hashlib

from .canvas_items import CanvasItem, canvas_item
from .items import items
from .plan import Group, Losses, Plan
from .wordings import number_text
from .xml import DECLARATION, Markup, tag, zipped

__all__ = ["canvas_qti"]

QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
CANVAS = "http://canvas.instructure.com/xsd/cccv1p0"
INSTANCE = {"xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance"}
LEARNING = "associatedcontent/imscc_xmlv1p1/learning-application-resource"


def canvas_qti(plan: Plan, losses: Losses) -> bytes:
    """The zip: manifest, settings and questions; a parametrised question is a group, one of which is picked."""
    quiz = _key(plan.quiz)
    sections = [_group(plan, group, losses) for group in plan.groups]
    return zipped(
        {
            "imsmanifest.xml": DECLARATION + _manifest(plan, quiz) + "\n",
            f"{quiz}/{quiz}.xml": DECLARATION + _assessment(plan, quiz, sections) + "\n",
            f"{quiz}/assessment_meta.xml": DECLARATION + _settings(plan, quiz) + "\n",
            "non_cc_assessments": None,
        }
    )


def _key(*parts: str) -> str:
    """An identifier of the form that Canvas gives its own: the same for the same quiz, so importing again replaces."""
    return "g" + hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:32]


def _group(plan: Plan, group: Group, losses: Losses) -> Markup:
    made = [_item(plan, canvas_item(item, losses)) for item in items(group)]
    if not group.several:
        return made[0]
    question = group.question
    return tag(
        "section",
        {"ident": _key(plan.quiz, question.id), "title": question.id},
        tag(
            "selection_ordering", None,
            tag(
                "selection", None,
                tag("selection_number", None, "1"),
                tag("selection_extension", None, tag("points_per_item", None, number_text(question.points))),
            ),
        ),
        *made,
    )  # fmt: skip


def _item(plan: Plan, item: CanvasItem) -> Markup:
    fields = {
        "question_type": item.type,
        "points_possible": number_text(item.points),
        "original_answer_ids": ",".join(item.answers),
        "assessment_question_identifierref": _key(plan.quiz, "bank", item.name),
    }
    return tag(
        "item",
        {"ident": _key(plan.quiz, item.name), "title": item.name},
        tag("itemmetadata", None, tag("qtimetadata", None, *map(_field, fields, fields.values()))),
        *item.parts,
    )


def _field(label: str, entry: str) -> Markup:
    return tag("qtimetadatafield", None, tag("fieldlabel", None, label), tag("fieldentry", None, entry))


def _assessment(plan: Plan, quiz: str, sections: list[Markup]) -> str:
    return tag(
        "questestinterop",
        {
            "xmlns": QTI,
            **INSTANCE,
            "xsi:schemaLocation": f"{QTI} http://www.imsglobal.org/xsd/ims_qtiasiv1p2p1.xsd",
        },
        tag(
            "assessment",
            {"ident": quiz, "title": plan.title},
            tag("qtimetadata", None, _field("cc_maxattempts", "1")),
            tag("section", {"ident": "root_section"}, *sections),
        ),
    )


def _settings(plan: Plan, quiz: str) -> str:
    values = {
        "title": plan.title,
        "description": "",
        "shuffle_answers": "false",  # what is to be shuffled has been
        "scoring_policy": "keep_highest",
        "hide_results": "",
        "quiz_type": "assignment",
        "points_possible": number_text(plan.points),
        "show_correct_answers": "true",
        "allowed_attempts": "1",
        "one_question_at_a_time": "false",
        "cant_go_back": "false",
        "available": "false",
        "one_time_results": "false",
    }
    return tag(
        "quiz",
        {
            "xmlns": CANVAS, **INSTANCE, "identifier": quiz,
            "xsi:schemaLocation": f"{CANVAS} https://canvas.instructure.com/xsd/cccv1p0.xsd",
        },
        *(tag(name, None, value) for name, value in values.items()),
    )  # fmt: skip


def _manifest(plan: Plan, quiz: str) -> str:
    settings = _key(plan.quiz, "settings")
    return tag(
        "manifest",
        {"identifier": _key(plan.quiz, "manifest"), "xmlns": PACKAGE, **INSTANCE},
        tag(
            "metadata", None,
            tag("schema", None, "IMS Content"),
            tag("schemaversion", None, "1.1.3"),
        ),
        tag("organizations"),
        tag(
            "resources", None,
            tag(
                "resource",
                {"identifier": quiz, "type": "imsqti_xmlv1p2"},
                tag("file", {"href": f"{quiz}/{quiz}.xml"}),
                tag("dependency", {"identifierref": settings}),
            ),
            tag(
                "resource",
                {"identifier": settings, "type": LEARNING, "href": f"{quiz}/assessment_meta.xml"},
                tag("file", {"href": f"{quiz}/assessment_meta.xml"}),
            ),
        ),
    )  # fmt: skip
