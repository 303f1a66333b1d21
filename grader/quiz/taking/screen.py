"""What a learner sees in the terminal while taking a quiz; every text is drawn from a question's view or verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.quiz.questions.marked import Outcome, Verdict
from grader.quiz.shown.prose import paragraphs, plain_line
from grader.quiz.shown.view import View
from grader.report.layout import NARROWEST, WIDEST, Page

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Screen"]

HELP = (
    "Enter alone leaves a question open, < goes back, ? shows this again.",
    "Ctrl-C (or quit) stops: what you have answered is kept, and the same command goes on from there.",
)
SAID: dict[Outcome, tuple[str, str, str]] = {  # the sign's name in reports, the words, their style
    "correct": ("passed", "Correct.", "bold green"),
    "partial": ("partial", "Partly correct.", "bold yellow"),
    "incorrect": ("failed", "Incorrect.", "bold red"),
    "needs_review": ("not_reached", "", ""),
    "unanswered": ("not_attempted", "No answer.", "bold"),
}
SPELLED = (("∑", "sum"), ("∞", "inf"), ("½", "1/2"), ("²", "^2"), ("⊤", "T"), ("∈", "in"))


@dataclass(frozen=True, slots=True)
class Screen:
    """A terminal's width and abilities, and the paragraphs written on it."""

    width: int = 80
    colour: bool = False
    unicode: bool = True

    def welcome(self, title: str, count: int, *, exam: bool, place: str, answered: int) -> str:
        """The first lines: what this is, how to move, where the answers go."""
        page = self._page()
        mode = "Answers are not marked here." if exam else "Every answer is marked at once."
        lines = [page.text((title, "bold"), f": {_counted(count, 'question')}. {mode}")]
        if answered:
            lines.append(page.text(f"{answered} of {count} answered already; here are the others."))
        lines += [page.text(line) for line in self.help_lines(place)]
        return self._write([page.stack(*lines)])

    def help(self, place: str) -> str:
        """The keys."""
        return self._write([self._page().stack(*map(self._page().text, self.help_lines(place)))])

    def help_lines(self, place: str) -> tuple[str, ...]:
        """The keys, and where the answers are."""
        return (*HELP, f"Your answers are in {place}")

    def question(self, shown: View, number: int, count: int, earlier: str) -> str:
        """A question as it stands before it is answered, and the answer it has so far."""
        page = self._page()
        points = _counted(shown.points, "point")
        blocks: list[RenderableType] = [page.text((f"Question {number} of {count}", "bold"), f", {points}")]
        blocks += self._prose(shown.prompt)
        if shown.code:
            blocks.append(self._code(shown.code, numbered=True))
        if shown.lefts:
            numbered = enumerate(shown.lefts, 1)
            blocks.append(page.under(*(self._labelled(f"{place})", text) for place, text in numbered)))
        if shown.lettered:
            things = (self._labelled(f"{thing.letter})", thing.text) for thing in shown.things)
            blocks.append(page.under(*things))
        ask = f"{shown.ask} ({shown.example})" if shown.example else shown.ask
        lines = [page.text((self._spell(ask), "dim"))]
        if earlier:
            lines.append(page.text(f"Your answer so far: {self._spell(earlier)}. Enter keeps it."))
        blocks.append(page.stack(*lines))
        return self._write(blocks)

    def verdict(self, verdict: Verdict, answer: str, feedback: Iterable[str], explanation: str) -> str:
        """What became of an answer, what the answer is, and why."""
        page = self._page()
        sign, words, style = SAID[verdict.outcome]
        said = [plain_line(verdict.message)] if verdict.message else []
        said += [line for line in map(plain_line, feedback) if line not in said]
        first = " ".join(filter(None, (words, *said[:1]))).removeprefix(words)
        lines = [page.text((words, style), self._spell(first))]
        lines += [page.text(self._spell(line)) for line in said[1:]]
        blocks: list[RenderableType] = [page.marked(sign, *lines)]
        told = page.text(("The answer: ", "bold"), self._spell(plain_line(answer)))
        blocks.append(page.under(told))
        blocks += [page.under(block) for block in self._prose(explanation)]
        return self._write(blocks)

    def note(self, *lines: str) -> str:
        """Plain lines."""
        page = self._page()
        return self._write([page.stack(*(page.text(self._spell(line)) for line in lines))])

    def _page(self) -> Page:
        return Page(width=max(NARROWEST, min(self.width, WIDEST)), unicode=self.unicode)

    def _write(self, blocks: list[RenderableType]) -> str:
        return self._page().write(blocks, colour=self.colour)

    def _prose(self, markdown: str) -> list[RenderableType]:
        page = self._page()
        blocks: list[RenderableType] = []
        for item in paragraphs(markdown):
            if item.code:
                blocks.append(self._code(item.text))
            elif item.lead:
                blocks.append(page.hanging(page.text(item.lead.rstrip()), page.text(self._spell(item.text))))
            else:
                blocks.append(page.text(self._spell(item.text)))
        return blocks

    def _labelled(self, label: str, text: str) -> RenderableType:
        page = self._page()
        return page.hanging(page.text((label, "bold")), page.text(self._spell(plain_line(text))))

    def _code(self, code: str, *, numbered: bool = False) -> RenderableType:
        page = self._page()
        lines = code.rstrip("\n").split("\n")
        width = len(str(len(lines)))
        if not numbered:
            return page.under(page.under(*(page.text((line, "cyan")) for line in lines)))
        rows = [
            page.hanging(page.text((f"{number:>{width}} |", "dim")), page.text((line, "cyan")))
            for number, line in enumerate(lines, 1)
        ]
        return page.under(*rows)

    def _spell(self, text: str) -> str:
        if not self.unicode:
            for sign, spelling in SPELLED:
                text = text.replace(sign, spelling)
        return text


def _counted(number: float, noun: str) -> str:
    return f"{number:g} {noun}" if number == 1 else f"{number:g} {noun}s"
