"""One question as a QTI 1.2 item of Canvas: what is shown, how it is scored, what is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grader.quiz.expressions.templates import BLANK

from .items import Blanks, Choice, Essay, Item, Match, Number, Order, Text, Truth
from .markup import as_mathml, html, inline_html, plain
from .plan import Losses
from .wordings import bounds, decimal, is_decimal
from .xml import Markup, tag

__all__ = ["CanvasItem", "canvas_item"]

ONE = "response1"


@dataclass(frozen=True, slots=True)
class CanvasItem:
    """An item's parts after its metadata, and what the metadata says of it."""

    name: str
    type: str
    points: float
    answers: tuple[str, ...]
    parts: tuple[Markup, ...]


@dataclass(slots=True)
class _Draft:
    """An item while it is put together."""

    type: str
    prompt: str
    answers: list[str] = field(default_factory=list)
    responses: list[Markup] = field(default_factory=list)
    conditions: list[Markup] = field(default_factory=list)
    feedback: dict[str, str] = field(default_factory=dict)  # ident -> Markdown


def canvas_item(item: Item, losses: Losses) -> CanvasItem:
    """The item. Raises LessonError for maths that is not understood."""
    draft = _draft(item, losses)
    draft.feedback = {"general_fb": item.explanation, **draft.feedback}
    said = [
        tag("itemfeedback", {"ident": name}, tag("flow_mat", None, _material(html(text, as_mathml))))
        for name, text in draft.feedback.items()
    ]
    score = {"maxvalue": "100", "minvalue": "0", "varname": "SCORE", "vartype": "Decimal"}
    general = _condition(tag("other"), _display("general_fb"), more=True)
    return CanvasItem(
        item.name, draft.type, item.points, tuple(draft.answers),
        (
            tag("presentation", None, _material(f"<div>{draft.prompt}</div>"), *draft.responses),
            tag("resprocessing", None, tag("outcomes", None, tag("decvar", score)), general, *draft.conditions),
            *said,
        ),
    )  # fmt: skip


def _material(markup: str, *, text: bool = False) -> Markup:
    return tag("material", None, tag("mattext", {"texttype": "text/plain" if text else "text/html"}, markup))


def _display(ident: str) -> Markup:
    return tag("displayfeedback", {"feedbacktype": "Response", "linkrefid": ident})


def _condition(test: Markup, *then: Markup, more: bool = False) -> Markup:
    return tag("respcondition", {"continue": "Yes" if more else "No"}, tag("conditionvar", None, test), *then)


def _equal(value: str, response: str = ONE) -> Markup:
    return tag("varequal", {"respident": response}, value)


def _all_points() -> Markup:
    return tag("setvar", {"action": "Set", "varname": "SCORE"}, "100")


def _share(parts: int) -> Markup:
    return tag("setvar", {"action": "Add", "varname": "SCORE"}, f"{100 / parts:.2f}")


def _draft(item: Item, losses: Losses) -> _Draft:
    prompt = html(item.prompt, as_mathml)
    match item.form:
        case Truth(answer, feedback):
            options = [(str(said), said is answer, feedback.get(said)) for said in (True, False)]
            return _choosing(_Draft("true_false_question", prompt), options, many=False)
        case Choice(options=shown, many=many):
            if many and not item.form.partial:
                losses.add("all or nothing: Canvas gives a part for a part of the right options", item.id)
            listed = [
                (inline_html(option.text, as_mathml), option.correct, option.feedback) for option in shown
            ]
            kind = "multiple_answers_question" if many else "multiple_choice_question"
            return _choosing(_Draft(kind, prompt), listed, many=many)
        case Number():
            return _number(item.form, prompt, item, losses)
        case Text(accept, what, traps):
            losses.add(f"{what}: only the listed spellings count; look at answers marked wrong", item.id)
            return _typing(_Draft("short_answer_question", prompt), accept, traps)
        case Blanks():
            return _blanks(item.form, prompt, item, losses)
        case Order() | Match():
            return _arranging(item.form, prompt, item, losses)
        case Essay():
            losses.add(
                "short answer: an essay that a person marks; Canvas keeps no rubric in a question", item.id
            )
            draft = _Draft(
                "essay_question", prompt, responses=[_typed()], conditions=[_condition(tag("other"))]
            )
            draft.feedback["general_fb"] = f"{item.explanation}\n\nA right answer: {item.form.model}"
            return draft


def _choosing(draft: _Draft, options: Sequence[tuple[str, bool, str | None]], *, many: bool) -> _Draft:
    draft.answers = [str(1000 + place) for place in range(len(options))]
    plainly = draft.type == "true_false_question"
    labels = [
        tag("response_label", {"ident": ident}, _material(text, text=plainly))
        for ident, (text, _, _) in zip(draft.answers, options, strict=True)
    ]
    cardinality = {"ident": ONE, "rcardinality": "Multiple" if many else "Single"}
    draft.responses = [tag("response_lid", cardinality, tag("render_choice", None, *labels))]
    for ident, (_, _, said) in zip(draft.answers, options, strict=True):
        if said:
            draft.feedback[f"{ident}_fb"] = said
            draft.conditions.append(_condition(_equal(ident), _display(f"{ident}_fb"), more=True))
    right = [_equal(ident) for ident, option in zip(draft.answers, options, strict=True) if option[1]]
    if many:
        wrong = [
            tag("not", None, _equal(ident))
            for ident, option in zip(draft.answers, options, strict=True)
            if not option[1]
        ]
        right = [tag("and", None, *right, *wrong)]
    draft.conditions.append(_condition(right[0], _all_points()))
    return draft


def _typed(kind: str | None = None) -> Markup:
    label = tag("response_label", {"ident": "answer1", "rshuffle": "No"})
    return tag(
        "response_str", {"ident": ONE, "rcardinality": "Single"}, tag("render_fib", {"fibtype": kind}, label)
    )


def _typing(draft: _Draft, accept: Sequence[str], traps: Sequence[tuple[Sequence[str], str]]) -> _Draft:
    draft.responses = [_typed()]
    for place, (spellings, said) in enumerate(traps):
        if spellings:
            draft.feedback[f"trap{place}_fb"] = said
            test = tag("or", None, *map(_equal, spellings))
            draft.conditions.append(_condition(test, _display(f"trap{place}_fb"), more=True))
    # Canvas lists several side by side, any of which is right.
    tests = tag("conditionvar", None, *map(_equal, accept))
    draft.conditions.append(tag("respcondition", {"continue": "No"}, tests, _all_points()))
    draft.answers = [str(1000 + place) for place in range(len(accept))]
    return draft


def _number(number: Number, prompt: str, item: Item, losses: Losses) -> _Draft:
    draft = _Draft("numerical_question", prompt, responses=[_typed("Decimal")])
    if number.unit:
        losses.add("units: Canvas takes the number alone; the question says the unit", item.id)
        draft.prompt += html(f"(in {number.unit}; type the number alone)", as_mathml)
    if number.traps:
        losses.add("what is said to a known wrong number: Canvas says nothing of its own to one", item.id)
    draft.answers = [str(1000 + place) for place in range(len(number.answers))]
    for answer in number.answers:
        if not is_decimal(answer):
            losses.add("a number without an end as a decimal: taken when right to a millionth", item.id)
        low, high = bounds(answer, number.slack)
        near = tag("and", None, _bound("vargte", low), _bound("varlte", high))
        draft.conditions.append(_condition(tag("or", None, _equal(decimal(answer)), near), _all_points()))
    return draft


def _bound(name: str, value: Fraction) -> Markup:
    return tag(name, {"respident": ONE}, decimal(value))


def _arranging(form: Order | Match, prompt: str, item: Item, losses: Losses) -> _Draft:
    draft = _Draft("matching_question", prompt)
    if isinstance(form, Order):
        losses.add("ordering: each item is matched to its place, and each right one earns its part", item.id)
        places = [(str(place), str(place + 1)) for place in range(len(form.parts))]
        return _matching(draft, [(part.text, str(part.place)) for part in form.parts], places)
    if not form.partial:
        losses.add("all or nothing: each right pair earns its part", item.id)
    if any("$" in text for text in (*form.lefts, *(part.text for part in form.rights))):
        losses.add("maths in matching: as text", item.id)
    rights = [(str(part.place), plain(part.text)) for part in form.rights]
    return _matching(draft, [(left, str(place)) for place, left in enumerate(form.lefts)], rights)


def _matching(draft: _Draft, lefts: Sequence[tuple[str, str]], rights: Sequence[tuple[str, str]]) -> _Draft:
    """Lefts with the ident of their right, and rights with theirs; idents are offset, as Canvas wants numbers."""
    labels = [
        tag(
            "response_label",
            {"ident": str(2000 + int(ident))},
            tag("material", None, tag("mattext", None, text)),
        )
        for ident, text in rights
    ]
    for place, (left, ident) in enumerate(lefts):
        name = f"response_{1000 + place}"
        shown = _material(plain(left), text=True)
        draft.answers.append(str(1000 + place))
        draft.responses.append(
            tag("response_lid", {"ident": name}, shown, tag("render_choice", None, *labels))
        )
        draft.conditions.append(
            _condition(_equal(str(2000 + int(ident)), name), _share(len(lefts)), more=True)
        )
    return draft


def _blanks(form: Blanks, prompt: str, item: Item, losses: Losses) -> _Draft:
    losses.add("blanks: only the listed spellings count; look at answers marked wrong", item.id)
    if not form.partial and len(form.blanks) > 1:
        losses.add("all or nothing: each blank earns its part", item.id)
    if any(blank.feedback for blank in form.blanks):
        losses.add("what is said to a wrong blank: said to everybody, after the explanation", item.id)
    draft = _Draft("fill_in_multiple_blanks_question", BLANK.sub(r"[blank\1]", prompt))
    said = [
        f"[{number}] {blank.feedback}" for number, blank in enumerate(form.blanks, start=1) if blank.feedback
    ]
    if said:
        draft.feedback["general_fb"] = "\n\n".join((item.explanation, *said))
    for number, blank in enumerate(form.blanks, start=1):
        name, labels = f"response_blank{number}", []
        for place, text in enumerate(blank.accept):
            ident = str(1000 * number + place)
            draft.answers.append(ident)
            labels.append(tag("response_label", {"ident": ident}, _material(text, text=True)))
            draft.conditions.append(_condition(_equal(ident, name), _share(len(form.blanks)), more=True))
        shown = tag("material", None, tag("mattext", None, f"blank{number}"))
        draft.responses.append(
            tag("response_lid", {"ident": name}, shown, tag("render_choice", None, *labels))
        )
    return draft
