"""Taking a quiz in the terminal: one question after the other, kept after every answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from grader.quiz.bank.bank import Bank
from grader.quiz.drawing.draw import draw
from grader.quiz.drawing.drawn import Drawn, DrawnChoice, DrawnCode
from grader.quiz.marking.marking import Marking
from grader.quiz.marking.options import Chooser
from grader.quiz.questions.marked import Verdict
from grader.quiz.shown.solution import solution
from grader.quiz.shown.view import View, view

from .progress import Progress, Written
from .screen import Screen

__all__ = ["Stopped", "Terminal", "take"]

BACK, SKIP, HELP, QUIT = (
    {"<", "back", ":back"},
    {"", "skip", ":skip"},
    {"?", "help", ":help"},
    {"quit", ":quit"},
)
READABLE = {"one", "many", "order", "match", "line", "number"}  # whose answers a person need never read


class Terminal(Protocol):
    """Where a learner reads and writes."""

    def ask(self, prompt: str) -> str:
        """The line that is typed behind `prompt`. Raises EOFError when there is none any more."""

    def say(self, text: str) -> None:
        """Show this."""


class Stopped(Exception):
    """The learner stops here and goes on another time."""


class _Back(Exception):
    """The learner wants to see the question before."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question of this learner's quiz."""

    drawn: Drawn
    shown: View
    number: int


def take(
    bank: Bank,
    ids: Sequence[str] | None,
    begun: Progress,
    place: Path,
    terminal: Terminal,
    screen: Screen,
) -> Progress:
    """Ask the questions that `begun` has no answer to, write each answer to `place`, return the finished sheet.

    Raises Stopped (all answers are in `place`) when the learner stops, InputError when `place` cannot be written.
    """
    drawn = [draw(question, begun.seed, begun.learner) for question in bank.select(ids)]
    asked = [_Asked(item, view(item), number) for number, item in enumerate(drawn, 1)]
    session = _Session(asked, begun, place, terminal, screen, Marking(bank))
    done = sum(item.drawn.id in begun.answers for item in asked)
    exam = begun.mode == "exam"
    terminal.say(screen.welcome(bank.title, len(asked), exam=exam, place=str(place), answered=done))
    return session.run()


class _Session:
    """One sitting."""

    def __init__(
        self,
        asked: Sequence[_Asked],
        begun: Progress,
        place: Path,
        terminal: Terminal,
        screen: Screen,
        marking: Marking,
    ) -> None:
        self._asked, self._progress, self._place = asked, begun, place
        self._terminal, self._screen, self._marking = terminal, screen, marking

    def run(self) -> Progress:
        """All open questions, then those that were left open, then the end."""
        self._progress.write(self._place)
        self._walk([item for item in self._asked if item.drawn.id not in self._progress.answers])
        while self._chosen_again():
            pass
        self._progress = replace(self._progress, finished=True)
        self._progress.write(self._place)
        return self._progress

    def _walk(self, items: Sequence[_Asked]) -> None:
        """Ask these in turn; `<` goes one back, to questions before the first of them too."""
        queue = list(items)
        while queue:
            try:
                self._question(queue[0])
                queue.pop(0)
            except _Back:
                number = queue[0].number
                if number == 1:
                    self._say("This is the first question.")
                else:
                    queue.insert(0, self._asked[number - 2])

    def _chosen_again(self) -> bool:
        """Let the learner return to a question before the end; False when it is to end."""
        open_ones = [str(item.number) for item in self._asked if item.drawn.id not in self._progress.answers]
        if not open_ones and self._progress.mode == "practice":
            return False
        state = f"Still open: {', '.join(open_ones)}." if open_ones else "All questions are answered."
        self._say(f"{state} A question's number takes you there; Enter alone finishes.")
        try:
            typed = self._line("Question, or Enter to finish: ", at_end=True)
        except EOFError:
            return False
        if typed in SKIP:
            return False
        numbers = {str(item.number): item for item in self._asked}
        if typed in BACK:
            typed = str(len(self._asked))
        if typed in numbers:
            self._walk([numbers[typed]])
        else:
            self._say(f"There is no question {typed[:20]!r}.")
        return True

    def _question(self, item: _Asked) -> None:
        earlier = self._progress.answers.get(item.drawn.id)
        told = "; ".join(earlier) if isinstance(earlier, list) else earlier or ""
        self._terminal.say(self._screen.question(item.shown, item.number, len(self._asked), told))
        answer = self._answer(item)
        if answer is None:
            return
        self._progress = self._progress.answered(item.drawn.id, answer)
        self._progress.write(self._place)
        if self._progress.mode == "practice":
            verdict = self._marking.mark(item.drawn, answer)
            feedback = _chosen_feedback(item.drawn, answer, self._marking)
            said = self._screen.verdict(verdict, solution(item.drawn), feedback, item.drawn.explanation)
            self._terminal.say(said)

    def _answer(self, item: _Asked) -> Written | None:
        """What is typed; None to leave the question as it is. One that cannot be read is asked for once more."""
        if item.shown.control == "blanks" and item.shown.blanks > 1:
            return self._filled(item.shown.blanks)
        refused = ""
        while True:
            typed = self._line("Your answer: ")
            if typed in SKIP:
                return None
            answer = _letters(item.shown, typed)
            verdict = self._marking.mark(item.drawn, answer)
            if typed == refused or not _unreadable(item.shown, verdict, typed):
                return answer
            refused = typed
            wanted = item.shown.example or "true or false"
            self._say(f"This is not read as {wanted}. Write it anew, or once more to leave it as it is.")

    def _filled(self, count: int) -> Written | None:
        texts = [self._line(f"Blank {number}: ") for number in range(1, count + 1)]
        return None if all(text in SKIP for text in texts) else texts

    def _line(self, prompt: str, *, at_end: bool = False) -> str:
        while True:
            try:
                typed = self._terminal.ask(prompt).strip()
            except EOFError:
                if at_end:
                    raise
                raise Stopped from None
            command = typed.casefold()
            if command in QUIT:
                raise Stopped
            if command in BACK and not at_end:
                raise _Back
            if command not in HELP:
                return "" if command in SKIP else typed
            self._terminal.say(self._screen.help(str(self._place)))

    def _say(self, *lines: str) -> None:
        self._terminal.say(self._screen.note(*lines))


def _letters(shown: View, typed: str) -> Written:
    """Letters that are listed as they are on a page's sheet; anything else as it was typed."""
    if shown.control in ("many", "order") and re.fullmatch(r"[a-z](?:[\s,;>-]+[a-z])*", typed, re.IGNORECASE):
        return re.findall(r"[a-z]", typed.casefold())
    return typed


def _unreadable(shown: View, verdict: Verdict, typed: str) -> bool:
    """Whether it is no answer at all, by its form alone: nothing is said here about right and wrong."""
    if shown.control == "one" and len(typed) == 1 and typed.isalpha() and shown.lettered:
        return typed.casefold() not in {thing.letter for thing in shown.things}
    return shown.control in READABLE and verdict.outcome == "needs_review"


def _chosen_feedback(drawn: Drawn, answer: Written, marking: Marking) -> list[str]:
    """The feedback on each option that was chosen of several."""
    if not isinstance(drawn, DrawnChoice | DrawnCode) or drawn.select != "many":
        return []
    read: Callable[[str], frozenset[int] | None] = Chooser(drawn.options, marking.notation).read_several
    places = read(answer if isinstance(answer, str) else " ".join(answer)) or frozenset()
    return [
        f"{option.letter}: {option.feedback}"
        for place, option in enumerate(drawn.options)
        if place in places and option.feedback
    ]
