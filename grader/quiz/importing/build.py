"""Answers as other programs keep them, made into the fields of a bank's kinds of question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grader.quiz.export.plan import Losses
from grader.quiz.export.wordings import decimal, is_decimal
from grader.quiz.expressions.arithmetic import ExpressionError, written
from grader.quiz.expressions.shapes import dimensions

from .code_prompt import as_code
from .found import Fields, Found
from .from_html import safe

__all__ = [
    "Answer",
    "choice",
    "essay",
    "fill",
    "model_of",
    "numbers",
    "order",
    "pairs",
    "share_of",
    "texts",
    "truth",
]

BLANK_LINE = re.compile(r"\\?_(?:\\?_){3,}")


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer that a file foresees: its share of the points (1 is all), its text, what is said to it."""

    share: Fraction
    text: str
    feedback: str = ""
    slack: Fraction = Fraction(0)


def share_of(percent: str) -> Fraction:
    """The share that a percentage says; a third is written as 33.33333. Raises ExpressionError."""
    share = written(percent) / 100
    near = share.limit_denominator(20)
    return near if abs(near - share) < Fraction(1, 10**5) else share


def _fed(entry: Fields, feedback: str) -> Fields:
    return {**entry, "feedback": feedback} if feedback else entry


def truth(answer: bool, said: dict[bool, str]) -> Fields:
    """A statement that holds or not."""
    feedback = {value: text for value, text in said.items() if text}
    return {"kind": "true_false", "answer": answer, **({"feedback": feedback} if feedback else {})}


def choice(found: Found, answers: Sequence[Answer], *, single: bool, shuffle: bool, losses: Losses) -> Fields:
    """Options. Of a choice of one the best is right; of many those that earn something."""
    best = max((answer.share for answer in answers), default=Fraction(0))
    right = [answer.share == best > 0 if single else answer.share > 0 for answer in answers]
    made: Fields = {}
    if not single:
        gains = {answer.share for answer, good in zip(answers, right, strict=True) if good}
        costs = {answer.share for answer, good in zip(answers, right, strict=True) if not good}
        whole = found.tag("partial") == "none"
        made = {"select": "many", "partial": "none" if whole else "each"}
        even = gains == {Fraction(1, sum(right) or 1)}
        if not whole and even and costs == {Fraction(-1)} and sum(right) > 1:
            losses.add("shares: a wrong option took all; here it takes what a right one earns", found.name)
        elif not whole and not (even and costs <= {-gain for gain in gains}):
            losses.add("shares: each right option earns and each wrong one costs the same here", found.name)
    elif any(answer.share not in (0, best) for answer in answers):
        losses.add("shares: an option that earned a part, or cost some, earns nothing here", found.name)
    options = [
        _fed({"text": safe(answer.text), **({"correct": True} if good else {})}, answer.feedback)
        for answer, good in zip(answers, right, strict=True)
    ]
    made = {"kind": "multiple_choice", **made, **({"shuffle": True} if shuffle else {}), "options": options}
    return as_code(found, made, "choice") if found.tag("kind") == "code_reading" else made


def numbers(found: Found, answers: Sequence[Answer], units: Sequence[str], losses: Losses) -> Fields:
    """A number with its tolerance; wrong ones that something is said to become traps."""
    right = [answer for answer in answers if answer.share == 1 and answer.text != "*"]
    if found.tag("kind") == "code_reading" and right and all(answer.text.isdecimal() for answer in right):
        return as_code(found, {"lines": [int(written(answer.text)) for answer in right]}, "line")
    if not right:
        raise ValueError("no number earns all points")
    if len(right) > 1:
        losses.add("further right numbers: only the first is kept", found.name)
    traps = _traps([answer for answer in answers if answer.share != 1], found, losses)
    made: Fields = {"kind": "numeric", "answer": _number(right[0].text)}
    if right[0].slack:
        made["tolerance"] = {"absolute": float(right[0].slack)}
    if right[0].feedback:
        losses.add("what is said to the right answer: only the explanation is kept", found.name)
    if units:
        made |= {"unit": units[0], **({"units": list(units[1:])} if units[1:] else {})}
    return {**made, **({"traps": traps} if traps else {})}


def _traps(wrong: Sequence[Answer], found: Found, losses: Losses) -> list[Fields]:
    traps = []
    for answer in wrong:
        if answer.text == "*" or answer.share or answer.slack:
            losses.add("a share, a tolerance or a word for wrong numbers: left out", found.name)
        elif answer.feedback:
            traps.append({"answer": _number(answer.text), "feedback": answer.feedback})
    return traps


def _number(text: str) -> str:
    value = written(text)
    if abs(value) > 10**60 or value.denominator > 10**60 or not is_decimal(value):
        raise ValueError(f"{text[:40]!r} is too long for a number")
    return decimal(value)


def texts(found: Found, answers: Sequence[Answer], losses: Losses, *, cased: bool = False) -> Fields:
    """A blank that texts fill; or a shape or an output, where the file's tags say so."""
    if cased:
        losses.add("capitals: they do not matter here", found.name)
    right = [answer for answer in answers if answer.share == 1]
    if any(0 < answer.share < 1 for answer in answers):
        losses.add("shares: a text that earned a part is left out", found.name)
    accept = [plain for answer in right if (plain := _no_wildcard(answer.text)) is not None]
    if len(accept) < len(right):
        losses.add("`*` for any text: such an answer is left out", found.name)
    if not accept:
        raise ValueError("no text earns all points")
    wrong = [answer for answer in answers if answer.share == 0 and answer.feedback]
    if found.tag("kind") == "shape":
        return _shape(accept, wrong)
    if found.tag("kind") == "code_reading":
        return as_code(found, {"prints": accept}, "output")
    said = next((answer.feedback for answer in wrong if answer.text == "*"), "")
    if any(answer.text != "*" for answer in wrong) or any(answer.feedback for answer in right):
        losses.add("what is said to single texts: left out", found.name)
    return fill(found, [(accept, said)])


def fill(found: Found, blanks: Sequence[tuple[list[str], str]]) -> Fields:
    """Blanks, each with its texts and what is said to others; a single one stands where the line is, or at the end."""
    if len(blanks) == 1 and "[[1]]" not in found.prompt:
        found.prompt, count = BLANK_LINE.subn("[[1]]", found.prompt, count=1)
        if not count:
            found.prompt = f"{found.prompt}\n\n[[1]]"
    made = [_fed({"accept": [safe(text) for text in accept]}, said) for accept, said in blanks]
    partial = len(made) > 1 and found.tag("partial") != "none"
    return {"kind": "fill", "partial": "each" if partial else "none", "blanks": made}


def _no_wildcard(text: str) -> str | None:
    """The text meant, or None where an unescaped `*` stands for any."""
    return None if re.search(r"(?<!\\)\*", text) else text.replace(r"\*", "*")


def _shape(accept: Sequence[str], wrong: Sequence[Answer]) -> Fields:
    shapes = _shapes(accept)
    if not shapes:
        raise ValueError("no answer is a shape such as (B, h, T, d_k)")
    traps, said = [], set()
    for answer in wrong:
        for shape in _shapes([_no_wildcard(answer.text) or ""]):
            if shape not in said and shape not in shapes:
                said.add(shape)
                traps.append({"answer": shape, "feedback": answer.feedback})
    also = {"also": shapes[1:]} if shapes[1:] else {}
    return {"kind": "shape", "answer": shapes[0], **also, **({"traps": traps} if traps else {})}


def _shapes(wordings: Sequence[str]) -> list[str]:
    """The different shapes among spellings of them; only what stands in parentheses is read, the rest says it again."""
    shapes: dict[str, str] = {}
    for text in wordings:
        if text[:1] != "(":
            continue
        try:
            parts = dimensions(text)
        except ExpressionError:
            continue
        made = f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        shapes.setdefault(re.sub(r"\s", "", made), made)
    return list(shapes.values())


def pairs(found: Found, listed: Sequence[tuple[str, str]], losses: Losses) -> Fields:
    """Lefts and their rights; a right without a left is a distractor. Or an order, where the file's tags say so."""
    lefts = [(left, right) for left, right in listed if left]
    if found.tag("kind") == "ordering" and {right for _, right in lefts} == set(
        map(str, range(1, len(lefts) + 1))
    ):
        losses.add("ordering: it earns by neighbours here, not by places", found.name)
        partial = found.tag("partial") != "none"
        return order([left for left, _ in sorted(lefts, key=lambda pair: written(pair[1]))], partial=partial)
    distractors = [safe(right) for left, right in listed if not left]
    made: Fields = {"kind": "matching", "partial": "none" if found.tag("partial") == "none" else "each"}
    made["pairs"] = [{"left": safe(left), "right": safe(right)} for left, right in lefts]
    return {**made, **({"distractors": distractors} if distractors else {})}


def order(listed: Sequence[str], *, partial: bool) -> Fields:
    """Items in the right order."""
    return {
        "kind": "ordering",
        "partial": "adjacent" if partial else "none",
        "items": [safe(item) for item in listed],
    }


def model_of(information: str) -> str:
    """The model answer in what a file tells its graders: the first paragraph that is no heading of ours."""
    parts = [part.strip() for part in information.split("\n\n")]
    return next((part for part in parts if part and not part.startswith("**")), "")


def essay(found: Found, model: str, losses: Losses) -> Fields:
    """A sentence that a person marks, until its rubric is written: only the model's own words count as right."""
    losses.add("essay: a short answer that a person marks until you write its rubric", found.name)
    text = model or "To be written: a model answer."
    words = re.findall(r"[A-Za-z][A-Za-z0-9]*", text)[:12] or ["answer"]
    concept = {"id": "answer", "says": "what the model answer says", "said": [" ".join(words).lower()]}
    return {
        "kind": "short_answer",
        "model": text,
        "rubric": {"concepts": [concept], "otherwise": "needs_review"},
    }
