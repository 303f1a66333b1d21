"""A bank of questions: read from YAML, checked, and never changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError

from grader.core.errors import InputError, LessonError
from grader.core.records import Frozen
from grader.core.text import printable
from grader.core.yaml_file import Loc, YamlText
from grader.lesson.courses import LESSON_FILE, find_course
from grader.lesson.lesson import Lesson, read_lesson
from grader.quiz.questions.fields import Id, Plain, QuestionId
from grader.quiz.questions.questions import Question

from .checking import problems
from .plain_yaml import read_plain_yaml

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["Bank", "all_banks", "bank_schema", "find_bank", "read_bank"]


class Bank(Frozen):
    """The questions of one lesson; `check` names those of its Knowledge Check, in order.

    `notation` lists further spellings of a symbol, which marking takes for the symbol.
    """

    version: Literal[1]
    quiz: Id
    title: Plain
    lesson: Id
    notation: Mapping[Plain, Annotated[tuple[Plain, ...], Field(min_length=1)]] = Field(default_factory=dict)
    check: Annotated[tuple[QuestionId, ...], Field(min_length=1)]
    questions: Annotated[tuple[Question, ...], Field(min_length=1)]

    def select(self, ids: Iterable[str] | None = None) -> tuple[Question, ...]:
        """The questions with these ids, in this order; the Knowledge Check for None. Raises InputError.

        Ids are compared without case and outer space, and one named twice comes once.
        """
        by_id = {question.id: question for question in self.questions}
        wanted = [name.strip().casefold() for name in ids] if ids is not None else list(self.check)
        for name in wanted:
            if name not in by_id:
                raise InputError(f"no question {name[:64]!r} in {self.quiz}{_nearest(name, list(by_id))}")
        return tuple(by_id[name] for name in dict.fromkeys(wanted))


def find_bank(
    bank: Path | None = None, course: Path | None = None, lesson: str | None = None, hint: str | None = None
) -> Path:
    """The bank's file: as given, or named as in quizzes/, or the lesson's, or the only one there. Raises InputError.

    Where nothing is said and there are several, `hint` counts if a bank has that name.
    """
    if bank is not None and (bank.is_file() or bank.suffix):
        return bank
    banks = {path.stem: path for path in all_banks(course)}
    names = ", ".join(banks)
    wanted = str(bank) if bank is not None else lesson
    if wanted is not None and wanted not in banks:
        raise InputError(f"no bank {wanted[:64]!r} in quizzes/; there is {names}")
    if wanted is not None:
        return banks[wanted]
    if len(banks) > 1 and hint not in banks:
        raise InputError(f"several lessons have a bank; say which with --lesson: {names}")
    return banks[hint] if hint in banks else next(iter(banks.values()))


def all_banks(course: Path | None = None) -> list[Path]:
    """The banks of a course, sorted. Raises InputError where there is none."""
    folder = find_course(course) / "quizzes"
    found = sorted(folder.glob("*.yaml"))
    if not found:
        raise InputError(f"{folder}: no bank of questions here; name its file")
    return found


def read_bank(path: Path, root: Path | None = None) -> Bank:
    """The bank in `path`, checked whole; its lesson too, where `root` (the folder above it) has it.

    Raises LessonError, one line with file, line, question and what to do.
    """
    shown = path.name if not path.parent.name else f"{path.parent.name}/{path.name}"
    source = read_plain_yaml(path, shown)
    try:
        bank = Bank.model_validate(source.data)
    except ValidationError as error:
        # A misspelt field is both missing and surplus; the surplus one is the line to correct.
        worst = min(error.errors(include_url=False), key=lambda item: item["type"] != "extra_forbidden")
        loc = _without_kind(worst["loc"])
        raise _error(source, loc, _named(source, loc) + _explain(loc, worst)) from None
    _check(bank, source, _lesson(bank, path.resolve().parent.parent if root is None else root))
    return bank


def bank_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a bank, for editors that complete and check YAML as it is written."""
    schema = Bank.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _error(source: YamlText, loc: Loc, problem: str) -> LessonError:
    return source.error(loc, printable(problem))


def _check(bank: Bank, source: YamlText, lesson: Lesson | None) -> None:
    """Raises LessonError for the first thing that the fields say against each other."""
    ids = [question.id for question in bank.questions]
    for place, name in enumerate(bank.check):
        if name not in ids:
            raise _error(source, ("check", place), f"no question has the id {name!r}{_nearest(name, ids)}")
        if name in bank.check[:place]:
            raise _error(source, ("check", place), f"{name!r} is listed twice; keep one")
    for place, question in enumerate(bank.questions):
        here: Loc = ("questions", place)
        if question.id in ids[:place]:
            raise _error(source, (*here, "id"), f"the id {question.id!r} is already taken; choose another")
        for loc, problem in problems(question, lesson):
            raise _error(source, (*here, *loc), f"question {question.id!r}: {problem}")


def _lesson(bank: Bank, root: Path) -> Lesson | None:
    folder = root / "exercises" / bank.lesson
    return read_lesson(folder, root) if (folder / LESSON_FILE).is_file() else None


def _without_kind(loc: Loc) -> Loc:
    """The place in the file: pydantic names the kind between a question's number and its field."""
    return (*loc[:2], *loc[3:]) if loc[:1] == ("questions",) else loc


def _named(source: YamlText, loc: Loc) -> str:
    """`question 'id': ` for a place inside a question that has an id."""
    if len(loc) < 2 or loc[0] != "questions" or not isinstance(source.data, dict):
        return ""
    question = source.data["questions"][loc[1]]
    name = question.get("id") if isinstance(question, dict) else None
    return f"question {str(name)[:64]!r}: " if name is not None else ""


def _explain(loc: Loc, error: ErrorDetails) -> str:
    inside = loc[2:] if loc[:1] == ("questions",) and len(loc) > 2 else loc
    where = ".".join(str(part) for part in inside)
    if error["type"] == "missing":
        return f"`{where}` is missing; add it"
    if error["type"] == "extra_forbidden":
        return f"`{where}` is not a field here; correct its name or remove it"
    if error["type"].startswith("union_tag"):
        return f"`kind`: {error['msg']}; name one of the kinds"
    found = re.sub(r"\s+", " ", repr(error["input"]))[:60]
    message = error["msg"].removeprefix("Value error, ")
    return f"`{where}`: {message}, found {found}; correct the value"


def _nearest(name: str, names: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else "; correct it"
