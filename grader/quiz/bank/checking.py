"""What a question says against itself, its lesson or its neighbours, and where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from string import ascii_lowercase

from grader.core.yaml_file import Loc
from grader.lesson.lesson import Lesson
from grader.quiz.drawing.draw import count, draws
from grader.quiz.drawing.drawn import Drawn, DrawnChoice, DrawnCode, DrawnOption
from grader.quiz.drawing.sameness import clash, same
from grader.quiz.expressions.arithmetic import ExpressionError, shown
from grader.quiz.expressions.templates import blanks, check_maths
from grader.quiz.questions.questions import CodeReading, Fill, Question

__all__ = ["MAX_COMBINATIONS", "problems", "usable"]

MAX_COMBINATIONS = 1000
Problem = tuple[Loc, str]


def problems(question: Question, lesson: Lesson | None) -> Iterator[Problem]:
    """Each thing to correct, at a place inside the question."""
    if lesson is not None:
        yield from _foreign("objective", question.objective, [entry.id for entry in lesson.objectives])
        if question.step is not None:
            yield from _foreign("step", question.step, [step.id for step in lesson.steps])
    yield from _parameters(question)
    if isinstance(question, Fill):
        yield from _blanks(question)
    if isinstance(question, CodeReading):
        yield from _code(question)
    if count(question) > MAX_COMBINATIONS:
        yield ("given",), f"{count(question)} combinations; keep to {MAX_COMBINATIONS}"
        return
    yield from _draws(question)


def usable(question: Question) -> tuple[int, int]:
    """Of how many draws how many can be used. The question has passed `problems`."""
    found = [drawn is not None for drawn in draws(question)]
    return sum(found), len(found)


def _foreign(field: str, name: str, known: list[str]) -> Iterator[Problem]:
    if name not in known:
        yield (field,), f"the lesson has no {field} {name!r}; it has {', '.join(known)}"


def _parameters(question: Question) -> Iterator[Problem]:
    for name in question.let:
        if name in question.given:
            yield ("let", name), f"`{name}` is in `given` too; choose another name"
    words = " ".join(text for loc, text in _texts(question) if loc[0] != "given")
    for name, choices in question.given.items():
        if len(set(choices)) < len(choices):
            yield ("given", name), f"`{name}` has a value twice; keep one"
        if not re.search(rf"\b{name}\b", words):
            yield ("given", name), f"`{name}` is used nowhere; use it or remove it"


def _remedied(problem: str) -> str:
    return problem if ";" in problem else f"{problem}; correct it"


def _place(question: Question, expression: str) -> Loc:
    """Where in the question the expression stands first; at its top if nowhere."""
    for loc, text in _texts(question):
        if expression and expression in " ".join(text.split()):
            return loc
    return ()


def _texts(question: Question) -> Iterator[tuple[Loc, str]]:
    """Every text in the question, and where."""
    waiting: list[tuple[Loc, object]] = [((name,), value) for name, value in question.model_dump().items()]
    while waiting:
        loc, value = waiting.pop(0)
        if isinstance(value, str):
            yield loc, value
        elif isinstance(value, Mapping):
            waiting += [((*loc, str(key)), item) for key, item in value.items()]
        elif isinstance(value, tuple):
            waiting += [((*loc, place), item) for place, item in enumerate(value)]


def _blanks(question: Fill) -> Iterator[Problem]:
    found, wanted = blanks(question.prompt), tuple(range(1, len(question.blanks) + 1))
    if tuple(sorted(found)) != wanted:
        marks = ", ".join(f"[[{number}]]" for number in wanted)
        yield ("prompt",), f"the prompt has to hold each of {marks} once, for its {len(wanted)} `blanks`"


def _code(question: CodeReading) -> Iterator[Problem]:
    keys = {"line": question.lines, "output": question.prints, "choice": question.options}
    fields = {"line": "lines", "output": "prints", "choice": "options"}
    for ask, key in keys.items():
        if bool(key) is not (ask == question.ask):
            do = "add it" if ask == question.ask else "remove it"
            yield ("ask",), f"`ask: {question.ask}` and `{fields[ask]}` do not go together; {do}"
    last = len(question.code.split("\n"))
    for place, line in enumerate(question.lines):
        if line > last:
            yield ("lines", place), f"line {line} of a code that has {last}"
    if question.ask == "choice" and len(question.options) == 1:
        yield ("options",), "one option is no choice; add another"


def _draws(question: Question) -> Iterator[Problem]:
    seen: list[bool] = []
    try:
        for drawn in draws(question):
            seen.append(drawn is not None)
            if drawn is None:
                continue
            equal = clash(drawn)
            if equal:  # only where nothing is drawn: draws that clash are passed over
                yield (), f"{equal}; tell them apart"
            for loc, problem in _faults(drawn):
                yield loc, problem + _with(drawn.values)
    except ExpressionError as error:
        yield _place(question, error.expression), _remedied(f"{error}{_at(question, len(seen))}")
        return
    if not any(seen):
        yield ("given",), f"of {len(seen)} draws none can be used: `where` or an equal pair rules out each"


def _faults(drawn: Drawn) -> Iterator[Problem]:
    for field, text in (("prompt", drawn.prompt), ("explanation", drawn.explanation)):
        try:
            check_maths(text)
        except ExpressionError as error:
            yield (field,), str(error)
    if isinstance(drawn, DrawnChoice) or (isinstance(drawn, DrawnCode) and drawn.options):
        yield from _option_faults(drawn.options, drawn.select)


def _option_faults(options: tuple[DrawnOption, ...], select: str) -> Iterator[Problem]:
    right = sum(option.correct for option in options)
    if select == "one" and right != 1:
        yield ("options",), f"one option has to be correct, {right} are; correct them or say `select: many`"
    if select == "many" and not right:
        yield ("options",), "no option is correct; say `correct: true` where it is"
    letters = ascii_lowercase[: len(options)]
    for option in options:
        for text in (option.text, *option.also):
            bare = same(text)
            if isinstance(bare, str) and len(bare) == 1 and bare in letters:
                yield ("options", option.place), f"the option {text!r} looks like the letter of one; say more"


def _at(question: Question, index: int) -> str:
    """The parameters of one combination, for a message; nothing where there are none."""
    values = {}
    for name, choices in reversed(list(question.given.items())):
        index, place = divmod(index, len(choices))
        values[name] = shown(choices[place])
    return _with(dict(reversed(values.items())))


def _with(values: Mapping[str, str]) -> str:
    listed = ", ".join(f"{name} = {value}" for name, value in values.items())
    return f" (with {listed})" if listed else ""
