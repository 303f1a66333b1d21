"""How a QTI 2.1 item is scored: its response variables, its rules and what they say (Information Model, section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from .items import Blanks, Choice, Essay, Item, Match, Number, Order, Text, Truth
from .plan import Losses
from .wordings import bounds, decimal, is_decimal, number_text
from .xml import Markup, tag

__all__ = ["Scoring", "scoring"]

ALWAYS = "explanation"


@dataclass(slots=True)
class Scoring:
    """Response declarations, rules in order, and what is said by identifier, as Markdown."""

    responses: list[Markup] = field(default_factory=list)
    rules: list[Markup] = field(default_factory=list)
    feedback: dict[str, str] = field(default_factory=dict)


def scoring(item: Item, losses: Losses) -> Scoring:
    """The scoring of an item; one that a person marks only says its explanation."""
    made = Scoring()
    match item.form:
        case Truth(answer, feedback):
            _declare(made, "single", "identifier", [str(answer).lower()])
            _right_or_not(made, item, _is_correct())
            _tell(
                made,
                [(f"said_{str(said).lower()}", str(said).lower(), text) for said, text in feedback.items()],
            )
        case Choice():
            _choice(made, item.form, item)
        case Number():
            _number(made, item.form, item, losses)
        case Text(accept, _, traps):
            _text(made, accept, traps, item)
        case Blanks():
            _blanks(made, item.form, item)
        case Order():
            _order(made, item.form, item)
        case Match():
            _match(made, item.form, item)
        case Essay(model, _):
            _declare(made, "single", "string", [])
            made.feedback["model"] = f"A right answer: {model}"
            made.rules.append(_said("model"))
    made.feedback[ALWAYS] = item.explanation
    made.rules.append(_said(ALWAYS))
    return made


def _declare(
    made: Scoring, cardinality: str, kind: str, correct: Sequence[str], name: str = "RESPONSE", *more: Markup
) -> None:
    right = (
        tag("correctResponse", None, *(tag("value", None, value) for value in correct)) if correct else None
    )
    attributes = {"identifier": name, "cardinality": cardinality, "baseType": kind}
    made.responses.append(tag("responseDeclaration", attributes, right, *more))


def _variable(name: str) -> Markup:
    return tag("variable", {"identifier": name})


def _base(kind: str, value: str) -> Markup:
    return tag("baseValue", {"baseType": kind}, value)


def _set(name: str, value: Markup) -> Markup:
    return tag("setOutcomeValue", {"identifier": name}, value)


def _score(points: float | Fraction) -> Markup:
    return _set("SCORE", _base("float", decimal(Fraction(points))))


def _add(share: Fraction) -> Markup:
    return _set("SCORE", tag("sum", None, _variable("SCORE"), _base("float", decimal(share))))


def _said(name: str) -> Markup:
    return _set("FEEDBACK", tag("multiple", None, _variable("FEEDBACK"), _base("identifier", name)))


def _if(test: Markup, *then: Markup) -> Markup:
    return tag("responseCondition", None, tag("responseIf", None, test, *then))


def _is_correct(name: str = "RESPONSE") -> Markup:
    return tag("match", None, _variable(name), tag("correct", {"identifier": name}))


def _same(name: str, text: str) -> Markup:
    return tag("stringMatch", {"caseSensitive": "false"}, _variable(name), _base("string", text))


def _any(tests: Sequence[Markup]) -> Markup:
    return tests[0] if len(tests) == 1 else tag("or", None, *tests)


def _all(tests: Sequence[Markup]) -> Markup:
    return tests[0] if len(tests) == 1 else tag("and", None, *tests)


def _points(item: Item) -> Fraction:
    return Fraction(repr(item.points))


def _right_or_not(made: Scoring, item: Item, test: Markup) -> None:
    made.rules.append(_if(test, _score(_points(item))))


def _say(made: Scoring, name: str, text: str, test: Markup) -> None:
    made.feedback[name] = text
    made.rules.append(_if(test, _said(name)))


def _tell(made: Scoring, said: Sequence[tuple[str, str, str | None]], *, many: bool = False) -> None:
    """What is said to each option chosen."""
    for name, option, text in said:
        if text:
            _say(
                made,
                name,
                text,
                tag("member" if many else "match", None, _base("identifier", option), _variable("RESPONSE")),
            )


def _mapping(made: Scoring, item: Item, kind: str, correct: Sequence[str], wrong: Sequence[str]) -> None:
    """Each right one earns its share, each wrong one costs as much, and nobody falls below nothing."""
    share = _points(item) / len(correct)
    worth = [(key, share) for key in correct] + [(key, -share) for key in wrong]
    entries = [tag("mapEntry", {"mapKey": key, "mappedValue": decimal(value)}) for key, value in worth]
    limits = {"lowerBound": "0", "upperBound": number_text(item.points), "defaultValue": "0"}
    _declare(made, "multiple", kind, correct, "RESPONSE", tag("mapping", limits, *entries))
    made.rules.append(_set("SCORE", tag("mapResponse", {"identifier": "RESPONSE"})))
    # Shares with no end as decimals do not add up to the whole.
    made.rules.append(_if(_is_correct(), _score(_points(item))))


def _choice(made: Scoring, choice: Choice, item: Item) -> None:
    right = [f"option_{option.letter}" for option in choice.options if option.correct]
    wrong = [f"option_{option.letter}" for option in choice.options if not option.correct]
    if choice.many and choice.partial:
        _mapping(made, item, "identifier", right, wrong)
    else:
        _declare(made, "multiple" if choice.many else "single", "identifier", right)
        _right_or_not(made, item, _is_correct())
    said = [
        (f"said_{option.letter}", f"option_{option.letter}", option.feedback) for option in choice.options
    ]
    _tell(made, said, many=choice.many)


def _number(made: Scoring, number: Number, item: Item, losses: Losses) -> None:
    if not all(map(is_decimal, number.answers)):
        losses.add("a number without an end as a decimal: taken when right to a millionth", item.id)
    _declare(made, "single", "float", [decimal(number.answers[0])])
    tests = []
    for answer in number.answers:
        low, high = (_base("float", decimal(bound)) for bound in bounds(answer, number.slack))
        response = _variable("RESPONSE")
        tests.append(tag("and", None, tag("gte", None, response, low), tag("lte", None, response, high)))
    _right_or_not(made, item, _any(tests))
    for place, (wrong, said) in enumerate(number.traps):
        exactly = {"toleranceMode": "exact"}
        _say(
            made, f"trap_{place}", said,
            tag("equal", exactly, _variable("RESPONSE"), _base("float", decimal(wrong))),
        )  # fmt: skip


def _text(
    made: Scoring, accept: Sequence[str], traps: Sequence[tuple[Sequence[str], str]], item: Item
) -> None:
    _declare(made, "single", "string", accept[:1])
    _right_or_not(made, item, _any([_same("RESPONSE", text) for text in accept]))
    for place, (spellings, said) in enumerate(traps):
        if spellings:
            _say(made, f"trap_{place}", said, _any([_same("RESPONSE", text) for text in spellings]))


def _blanks(made: Scoring, form: Blanks, item: Item) -> None:
    tests = []
    for number, blank in enumerate(form.blanks, start=1):
        name = f"BLANK_{number}"
        _declare(made, "single", "string", blank.accept[:1], name)
        tests.append(_any([_same(name, text) for text in blank.accept]))
    if form.partial:
        share = _points(item) / len(tests)
        made.rules += [_if(test, _add(share)) for test in tests]
    _right_or_not(made, item, _all(tests))
    for number, (blank, test) in enumerate(zip(form.blanks, tests, strict=True), start=1):
        if blank.feedback:
            answered = tag("not", None, tag("isNull", None, _variable(f"BLANK_{number}")))
            wrong = tag("and", None, answered, tag("not", None, test))
            _say(made, f"blank_{number}", blank.feedback, wrong)


def _order(made: Scoring, order: Order, item: Item) -> None:
    """With `partial` the share of neighbours that follow each other as they should."""
    size = len(order.parts)
    names = [f"item_{place}" for place in range(size)]
    _declare(made, "ordered", "identifier", names)
    if order.partial:
        share = _points(item) / (size - 1)

        def at(place: int, name: str) -> Markup:
            return tag(
                "match",
                None,
                tag("index", {"n": str(place)}, _variable("RESPONSE")),
                _base("identifier", name),
            )

        for place in range(1, size):
            pairs = [
                tag("and", None, at(place, before), at(place + 1, after)) for before, after in pairwise(names)
            ]
            made.rules.append(_if(_any(pairs), _add(share)))
    _right_or_not(made, item, _is_correct())


def _match(made: Scoring, match: Match, item: Item) -> None:
    right = [f"left_{place} right_{place}" for place in range(len(match.lefts))]
    if match.partial:
        _mapping(made, item, "directedPair", right, [])
    else:
        _declare(made, "multiple", "directedPair", right)
        _right_or_not(made, item, _is_correct())
