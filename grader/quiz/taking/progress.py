"""A quiz that is being taken: its answer sheet is written after every answer, and is what one goes on from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from grader.core.errors import InputError
from grader.core.files import write_text
from grader.core.text import printable
from grader.quiz.marking.sheet import read_sheet

__all__ = ["Mode", "Progress", "Written", "resumed"]

Mode = Literal["practice", "exam"]
Written = str | list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Who takes which quiz, how, and what was answered so far, in the order asked."""

    quiz: str
    learner: str
    seed: int
    mode: Mode
    finished: bool = False
    answers: Mapping[str, Written] = field(default_factory=dict)

    def answered(self, question: str, answer: Written) -> Progress:
        """The same with one answer more; a new one replaces an old one in its place."""
        return replace(self, answers={**self.answers, question: answer})

    def write(self, path: Path) -> None:
        """Write the sheet, whole or not at all. Raises InputError."""
        import yaml

        fields = {
            "quiz": self.quiz,
            "learner": self.learner,
            "seed": self.seed,
            "mode": self.mode,
            "finished": self.finished,
            "answers": dict(self.answers),
        }
        write_text(path, yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=1000))


def resumed(path: Path, begun: Progress) -> Progress:
    """What `path` holds of the quiz that is about to begin; `begun` itself where there is no such file.

    Raises InputError where the file is somebody else's, another quiz's, or handed in already.
    """
    if not path.exists():
        return begun
    sheet, (mode, finished) = read_sheet(path), _state(path)
    shown = printable(str(path), 200)
    for what, old, new in (
        ("the quiz", sheet.quiz, begun.quiz),
        ("the learner", sheet.learner, begun.learner),
        ("the seed", sheet.seed, begun.seed),
        ("the mode", mode, begun.mode),
    ):
        if old != new:
            raise InputError(
                f"{shown}: begun with {what} {printable(str(old), 60)!r}; give another --out FILE"
            )
    if finished:
        raise InputError(f"{shown}: finished already; mark it, or give another --out FILE")
    answers = {name: _written(value) for name, value in sheet.answers.items() if value is not None}
    return replace(begun, answers=answers)


def _state(path: Path) -> tuple[object, bool]:
    """The mode, and whether it is finished, of a file that has been read as a sheet."""
    import yaml

    # As text, for a number of thousands of digits or a thirteenth month in an answer is no value.
    fields = yaml.load(path.read_text(encoding="utf-8-sig"), Loader=yaml.BaseLoader)
    return fields.get("mode"), fields.get("finished") == "true"


def _written(value: object) -> Written:
    return [str(item) for item in value] if isinstance(value, list) else str(value)
