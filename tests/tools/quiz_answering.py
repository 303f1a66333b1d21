"""Answers to drawn questions, right ones and others, and a terminal at which they are typed."""

from __future__ import annotations

from collections.abc import Iterable

from grader.quiz.drawing.drawn import (
    Drawn,
    DrawnChoice,
    DrawnCode,
    DrawnFill,
    DrawnMatching,
    DrawnNumeric,
    DrawnOrdering,
    DrawnShape,
    DrawnShort,
    DrawnTrueFalse,
)
from grader.quiz.expressions.arithmetic import shown

Answer = str | list[str]


def right(drawn: Drawn) -> Answer:
    match drawn:
        case DrawnTrueFalse():
            return "true" if drawn.answer else "false"
        case DrawnShort():
            return drawn.model.replace("$", "")
        case DrawnNumeric():
            return shown(drawn.answer)
        case DrawnOrdering():
            return [part.letter for part in sorted(drawn.items, key=lambda part: part.place)]
        case DrawnMatching():
            letters = {part.place: part.letter for part in drawn.rights}
            return [f"{place + 1}{letters[place]}" for place in range(len(drawn.lefts))]
        case DrawnFill():
            texts = [blank.accept[0] for blank in drawn.blanks]
            return texts if len(texts) > 1 else texts[0]
        case DrawnShape():
            return f"({', '.join(drawn.answer)})"
        case DrawnChoice() | DrawnCode():
            return _right_of_code(drawn) if drawn.kind == "code_reading" else _right_letters(drawn)
    raise AssertionError(drawn)


def _right_of_code(drawn: DrawnCode) -> Answer:
    if drawn.ask == "choice":
        return _right_letters(drawn)
    return str(drawn.lines[0]) if drawn.ask == "line" else drawn.prints[0]


def _right_letters(drawn: DrawnChoice | DrawnCode) -> Answer:
    letters = [option.letter for option in drawn.options if option.correct]
    return letters if drawn.select == "many" else letters[0]


def other(drawn: Drawn) -> Answer:
    """An answer that is wrong, or right in part."""
    match drawn:
        case DrawnTrueFalse():
            return "false" if drawn.answer else "true"
        case DrawnShort():
            return "It adds the heads up."
        case DrawnNumeric():
            return shown(drawn.traps[0].answer) if drawn.traps else shown(drawn.answer + 1)
        case DrawnOrdering():
            return [part.letter for part in drawn.items]
        case DrawnMatching():
            first, second, *rest = right(drawn)
            return [f"1{second[1:]}", f"2{first[1:]}", *rest]
        case DrawnFill():
            return ["7", *right(drawn)[1:]] if len(drawn.blanks) > 1 else "7"
        case DrawnShape():
            return f"({', '.join([*drawn.answer[1:], '999'])})"
        case DrawnChoice() | DrawnCode():
            return _other_of_code(drawn) if drawn.kind == "code_reading" else _other_letters(drawn)
    raise AssertionError(drawn)


def _other_of_code(drawn: DrawnCode) -> Answer:
    if drawn.ask == "choice":
        return _other_letters(drawn)
    count = drawn.code.rstrip("\n").count("\n") + 1
    lines = (str(line) for line in range(1, count + 1) if line not in drawn.lines)
    return next(lines) if drawn.ask == "line" else "999"


def _other_letters(drawn: DrawnChoice | DrawnCode) -> Answer:
    wrong = next(option.letter for option in drawn.options if not option.correct)
    return [right(drawn)[0], wrong] if drawn.select == "many" else wrong


def typed(drawn: Drawn, answer: Answer) -> list[str]:
    """The lines that somebody types at a terminal to give this answer."""
    if isinstance(answer, list) and isinstance(drawn, DrawnFill):
        return answer
    return [answer if isinstance(answer, str) else " ".join(answer)]


class Script:
    """A terminal at which somebody types these lines; then the input ends."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        self.shown: list[str] = []  # what was on the screen before each line was typed, and after the last

    def ask(self, prompt: str) -> str:
        self.say(prompt)
        self.shown.append("")
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)

    def say(self, text: str) -> None:
        if not self.shown:
            self.shown.append("")
        self.shown[-1] += text + "\n"

    @property
    def screen(self) -> str:
        return "\n".join(self.shown)
