"""Moodle XML, as Moodle's `qformat_xml` reads it (docs.moodle.org/en/Moodle_XML_format; ordering since Moodle 4.4)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from grader.quiz.expressions.templates import BLANK

from .items import Blanks, Choice, Essay, Item, Match, Number, Order, Text, Truth, items
from .markup import as_tex, html, inline_html, plain
from .plan import Losses, Plan
from .rubric_text import rubric_markdown
from .wordings import bounds, decimal, is_decimal, number_text
from .xml import DECLARATION, Markup, tag

__all__ = ["MOST_RIGHT", "moodle_xml", "percent"]

MOST_RIGHT = 10  # Moodle has no fraction below 10 % that is a share of one
PENALTY = "0.3333333"  # Moodle's own


def moodle_xml(plan: Plan, losses: Losses) -> bytes:
    """The questions in a category of the course, the draws of each parametrised one in a category below."""
    parts = [_category(plan.title)]
    for group in plan.groups:
        if not group.several:
            parts += [_question(item, losses) for item in items(group)]
    for group in plan.groups:
        if group.several:
            losses.add(
                "the draws are a category each; add a random question from it to the quiz", group.question.id
            )
            parts.append(_category(plan.title, group.question.id))
            parts += [_question(item, losses) for item in items(group)]
    return (DECLARATION + tag("quiz", None, *parts) + "\n").encode("utf-8")


def percent(share: Fraction) -> str:
    """A fraction as Moodle lists it: at most five decimals of a percent."""
    return number_text(round(float(share * 100), 5))


def _category(*names: str) -> Markup:
    # A slash parts categories; in a name it is doubled.
    path = "/".join(("$course$", "top", *(name.replace("/", "//") for name in names)))
    return tag("question", {"type": "category"}, tag("category", None, tag("text", None, path)))


def _question(item: Item, losses: Losses) -> Markup:
    kind, text, own = _form(item, losses)
    return tag(
        "question",
        {"type": kind},
        tag("name", None, tag("text", None, item.name)),
        _html("questiontext", text),
        _html("generalfeedback", html(item.explanation, as_tex)),
        tag("defaultgrade", None, number_text(item.points)),
        tag("penalty", None, "1" if kind == "truefalse" else "0" if kind == "essay" else PENALTY),
        tag("hidden", None, "0"),
        tag("idnumber", None, item.name),
        *own,
        tag("tags", None, *(tag("tag", None, tag("text", None, name)) for name in item.facts)),
    )


def _html(name: str, text: str, attributes: dict[str, object] | None = None, *more: Markup) -> Markup:
    return tag(name, {**(attributes or {}), "format": "html"}, tag("text", None, text), *more)


def _feedback(text: str | None) -> Markup:
    return _html("feedback", html(text, as_tex) if text else "")


def _plain(share: str, text: str, feedback: str | None, *more: Markup) -> Markup:
    attributes = {"fraction": share, "format": "moodle_auto_format"}
    return tag("answer", attributes, tag("text", None, text), *more, _feedback(feedback))


def _form(item: Item, losses: Losses) -> tuple[str, str, list[Markup]]:
    """The type, the question's text as HTML, and the type's own fields."""
    text = html(item.prompt, as_tex)
    match item.form:
        case Truth(answer, feedback):
            return "truefalse", text, [
                _plain("100" if said is answer else "0", str(said).lower(), feedback.get(said)) for said in (True, False)
            ]  # fmt: skip
        case Choice():
            return "multichoice", text, list(_choice(item.form, item, losses))
        case Number():
            return "numerical", text, list(_number(item.form, item, losses))
        case Text(accept, what, traps):
            losses.add(f"{what}: only the listed spellings count; look at answers marked wrong", item.id)
            wrong = [(spelling, said) for spellings, said in traps for spelling in spellings]
            answers = [_plain("100", _literal(spelling), None) for spelling in accept]
            answers += [_plain("0", _literal(spelling), said) for spelling, said in wrong]
            return "shortanswer", text, [tag("usecase", None, "0"), *answers]
        case Blanks():
            return "cloze", _cloze(item.form, text, item, losses), []
        case Order(parts, partial):
            losses.add("ordering: needs Moodle 4.4 or newer, or the ordering plugin", item.id)
            rule = "RELATIVE_NEXT_EXCLUDE_LAST" if partial else "ALL_OR_NOTHING"
            fields = {"layouttype": "VERTICAL", "selecttype": "ALL", "selectcount": "0", "gradingtype": rule,
                      "showgrading": "SHOW", "numberingstyle": "none"}  # fmt: skip
            own = [tag(name, None, value) for name, value in fields.items()]
            right = sorted(parts, key=lambda part: part.place)
            own += [
                _html("answer", inline_html(part.text, as_tex), {"fraction": "1.0000000"}) for part in right
            ]
            return "ordering", text, own
        case Match():
            return "matching", text, list(_match(item.form, item, losses))
        case Essay():
            losses.add(
                "short answer: an essay that a person marks, with the rubric as grader information", item.id
            )
            return "essay", text, [
                tag("responseformat", None, "plain"), tag("responserequired", None, "1"),
                tag("responsefieldlines", None, "5"), tag("attachments", None, "0"),
                tag("attachmentsrequired", None, "0"),
                _html("graderinfo", html(rubric_markdown(item.form), as_tex)), _html("responsetemplate", ""),
            ]  # fmt: skip


def _choice(choice: Choice, item: Item, losses: Losses) -> Iterator[Markup]:
    right = min(choice.right, MOST_RIGHT)
    gain, loss = Fraction(1, right), Fraction(0)
    if choice.right > MOST_RIGHT:
        losses.add(f"more than {MOST_RIGHT} right options: Moodle pays for {MOST_RIGHT} of them", item.id)
    if choice.many:
        loss = -gain if choice.partial else Fraction(-1)
        if not choice.partial:
            losses.add(
                "all or nothing: who chooses some right options and no wrong one earns a part", item.id
            )
    yield tag("single", None, str(not choice.many).lower())
    yield tag("shuffleanswers", None, str(choice.shuffle).lower())
    yield tag("answernumbering", None, "abc")
    for name in ("correctfeedback", "partiallycorrectfeedback", "incorrectfeedback"):
        yield _html(name, "")
    for option in choice.options:
        share = percent(gain if option.correct else loss)
        yield _html(
            "answer", inline_html(option.text, as_tex), {"fraction": share}, _feedback(option.feedback)
        )


def _number(number: Number, item: Item, losses: Losses) -> Iterator[Markup]:
    for answer in number.answers:
        if not is_decimal(answer):
            losses.add("a number without an end as a decimal: taken when right to a millionth", item.id)
        slack = bounds(answer, number.slack)[1] - answer
        yield _plain("100", decimal(answer), None, tag("tolerance", None, decimal(slack)))
    for wrong, said in number.traps:
        yield _plain("0", decimal(wrong), said, tag("tolerance", None, "0"))
    if number.unit:
        names = dict.fromkeys((number.unit, *number.units))
        yield tag("units", None, *(
            tag("unit", None, tag("multiplier", None, "1"), tag("unit_name", None, name)) for name in names
        ))  # fmt: skip
    yield tag("unitgradingtype", None, "0")
    yield tag("unitpenalty", None, "0")
    yield tag("showunits", None, "0" if number.unit else "3")
    yield tag("unitsleft", None, "0")


def _match(match: Match, item: Item, losses: Losses) -> Iterator[Markup]:
    if not match.partial:
        losses.add("all or nothing: each right pair earns its part", item.id)
    if any("$" in part.text or "`" in part.text for part in match.rights):
        losses.add("maths and code in what is matched to: as text, for Moodle shows it in a menu", item.id)
    yield tag("shuffleanswers", None, "true")
    for name in ("correctfeedback", "partiallycorrectfeedback", "incorrectfeedback"):
        yield _html(name, "")
    for part in sorted(match.rights, key=lambda part: part.place):
        left = inline_html(match.lefts[part.place], as_tex) if part.place < len(match.lefts) else ""
        yield _html("subquestion", left, None, tag("answer", None, tag("text", None, plain(part.text))))


def _cloze(form: Blanks, text: str, item: Item, losses: Losses) -> str:
    """The text with each blank as Moodle's cloze writes it: `{1:SHORTANSWER:=right~=also right~*#wrong}`."""
    size = len(form.blanks)
    if not form.partial and size > 1:
        losses.add("all or nothing: each blank earns its part", item.id)
    weight, rest = divmod(Fraction(repr(item.points)), size)
    if rest or weight < 1:
        weight = 1
        losses.add("points: Moodle counts one a blank; set the question's points in the quiz", item.id)
    losses.add("blanks: only the listed spellings count; look at answers marked wrong", item.id)

    def field(number: int) -> str:
        blank = form.blanks[number - 1]
        parts = [f"={_entities(_literal(spelling))}" for spelling in blank.accept]
        if blank.feedback:
            parts.append(f"*#{_entities(html(blank.feedback, as_tex))}")
        return f"{{{weight}:SHORTANSWER:{'~'.join(parts)}}}"

    return BLANK.sub(lambda found: field(int(found.group(1))), text)


def _literal(text: str) -> str:
    """The text where `*` stands for anything unless escaped."""
    return text.replace("*", r"\*")


def _entities(text: str) -> str:
    r"""The text where cloze's own signs and HTML's would be taken for such.

    By number, for an answer that ends in `&amp;` would not end for Moodle; which, last of all, makes `}` of `\}`
    and `#` of `\#`.
    """
    text = text.replace("\\}", "\\\\}").replace("\\#", "\\\\#")
    return "".join(f"&#{ord(sign)};" if sign in "{}~#/%=\\\n&<>\"'" else sign for sign in text)
