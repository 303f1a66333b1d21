"""Moodle XML, read with lxml and marked as Moodle's question types mark (docs.moodle.org, "Question types")."""

from __future__ import annotations

import html
import itertools
import re
from dataclasses import dataclass

from lxml import etree

from .tries import Try


@dataclass
class MoodleQuestion:
    kind: str
    node: etree._Element

    @property
    def name(self) -> str:
        return self.node.findtext("name/text")

    def answers(self) -> list[tuple[float, str, str, str]]:
        return [
            (float(answer.get("fraction")) / 100, answer.findtext("text"), answer.findtext("feedback/text") or "",
             answer.findtext("tolerance") or "0")
            for answer in self.node.iterfind("answer")
        ]  # fmt: skip

    def mark(self, given: Try) -> tuple[float, str]:
        """(share of the grade, what is said)."""
        return getattr(self, f"_{self.kind}")(given)

    def _truefalse(self, given: Try) -> tuple[float, str]:
        return next(
            (share, said) for share, text, said, _ in self.answers() if text == str(given.value).lower()
        )

    def _multichoice(self, given: Try) -> tuple[float, str]:
        chosen = [self.answers()[place] for place in sorted(given.value)]
        if self.node.findtext("single") == "true":
            assert len(chosen) == 1
        said = "".join(said for _, _, said, _ in chosen)
        return min(max(sum(share for share, *_ in chosen), 0.0), 1.0), said

    def _numerical(self, given: Try) -> tuple[float, str]:
        value = float(given.value)
        for share, text, said, tolerance in self.answers():
            if text == "*" or abs(value - float(text)) <= float(tolerance) + 1e-9 * max(1, abs(value)):
                return share, said
        return 0.0, ""

    def _shortanswer(self, given: Try) -> tuple[float, str]:
        text = given.value if isinstance(given.value, str) else given.value[0]
        return first_match(
            text, [answer[:3] for answer in self.answers()], self.node.findtext("usecase") == "1"
        )

    def _matching(self, given: Try) -> tuple[float, str]:
        pairs = [
            (sub.findtext("text"), sub.findtext("answer/text")) for sub in self.node.iterfind("subquestion")
        ]
        menu = [right for _, right in pairs]
        asked = [pair for pair in pairs if pair[0]]
        if given.form == "order":  # GIFT's way: each item with its place
            picked = {given.places[shown]: str(turn + 1) for turn, shown in enumerate(given.value)}
            right = sum(pair[1] == picked[int(pair[1]) - 1] for pair in asked)
            return right / len(asked), ""
        picked_texts = [menu[given.places[shown]] for shown in given.value]
        return sum(pair[1] == text for pair, text in zip(asked, picked_texts, strict=True)) / len(asked), ""

    def _ordering(self, given: Try) -> tuple[float, str]:
        size = len(self.answers())
        order = [given.places[shown] for shown in given.value]
        if self.node.findtext("gradingtype") == "ALL_OR_NOTHING":
            return float(order == list(range(size))), ""
        assert self.node.findtext("gradingtype") == "RELATIVE_NEXT_EXCLUDE_LAST"
        following = dict(itertools.pairwise(order))
        return sum(following.get(place) == place + 1 for place in range(size - 1)) / (size - 1), ""

    def _cloze(self, given: Try) -> tuple[float, str]:
        fields = cloze_fields(self.node.findtext("questiontext/text"))
        assert len(fields) == len(given.value)
        marks = [
            (weight, *first_match(text, answers))
            for (weight, answers), text in zip(fields, given.value, strict=True)
        ]
        total = sum(weight for weight, _, _ in marks)
        return sum(weight * share for weight, share, _ in marks) / total, "".join(said for *_, said in marks)


def first_match(text: str, answers: list[tuple[float, str, str]], cased: bool = False) -> tuple[float, str]:
    """The first answer that the text is, where `*` is any text and `\\*` a star."""
    for share, pattern, said in answers:
        parts = re.split(r"(?<!\\)\*+", pattern)
        regexp = ".*".join(re.escape(part.replace("\\*", "*")) for part in parts)
        if re.fullmatch(regexp, text.strip(), re.DOTALL | (0 if cased else re.IGNORECASE)):
            return share, said
    return 0.0, ""


# qtype_multianswer's own regular expressions.
FRACTION = r"=|%(-?[0-9]+(?:[.,][0-9]*)?)%"
ALTERNATIVE = rf"({FRACTION})?(.+?(?<!\\|&)(?<!&amp;)(?=[~#}}]|$))(#(.*?(?<!\\)(?=[~}}]|$)))?"
FIELD = re.compile(rf"\{{([0-9]*):(SHORTANSWER|SA|MW):({ALTERNATIVE}(~{ALTERNATIVE})*)\}}", re.DOTALL)


def cloze_fields(text: str) -> list[tuple[int, list[tuple[float, str, str]]]]:
    fields = []
    for field in FIELD.finditer(text):
        answers = []
        for alternative in re.finditer(rf"~?{ALTERNATIVE}", field.group(3), re.DOTALL):
            sign, percent, answer, _, said = alternative.groups()
            share = 1.0 if sign == "=" else float(percent) / 100 if percent else 0.0
            undone = (
                html.unescape(part or "").replace("\\}", "}").replace("\\#", "#") for part in (answer, said)
            )
            answers.append((share, *undone))
        fields.append((int(field.group(1) or 1), answers))
    return fields


def read(data: bytes) -> dict[str, MoodleQuestion]:
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    assert root.tag == "quiz"
    kinds = [MoodleQuestion(node.get("type"), node) for node in root if node.get("type") != "category"]
    return {question.name: question for question in kinds}


def categories(data: bytes) -> dict[str, list[str]]:
    """Names of questions by the category they are in."""
    found: dict[str, list[str]] = {}
    here = ""
    for node in etree.fromstring(data):
        if node.get("type") == "category":
            here = node.findtext("category/text")
        else:
            found.setdefault(here, []).append(node.findtext("name/text"))
    return found
