"""Reads marked records (contract section 5), one to a file, one to a line, or in a list."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from grader.core.errors import InputError
from grader.core.text import printable
from grader.quiz.marking.sheet import none_left
from grader.quiz.questions.marked import Outcome

__all__ = ["ReadAnswer", "ReadRecord", "Results", "question_ids", "read_results"]

MAX_BYTES = 256 * 2**20
_Number = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
_Name = Annotated[str, Field(min_length=1, max_length=500)]


class _Lenient(BaseModel):
    """A value read from a file that may know more fields than are needed here, but none of another type."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class ReadAnswer(_Lenient):
    """One question of a record; `seconds` is how long it took, where somebody measured that."""

    id: _Name
    outcome: Outcome
    points: _Number
    max_points: _Number
    seconds: _Number | None = None

    @property
    def share(self) -> float:
        """The share of its points, 0 to 1; NaN while it waits for a person, or where it has no points."""
        if self.outcome == "needs_review" or not self.max_points:
            return float("nan")
        return self.points / self.max_points

    @model_validator(mode="after")
    def _bounded(self) -> ReadAnswer:
        if self.points > self.max_points + 1e-9:
            raise ValueError(f"{self.points:g} points of {self.max_points:g}")
        return self


class ReadRecord(_Lenient):
    """One marked sheet."""

    version: Literal[1]
    quiz: _Name
    learner: Annotated[str, Field(max_length=20_000)] = ""
    questions: Annotated[list[ReadAnswer], Field(max_length=10_000)]

    @model_validator(mode="after")
    def _each_once(self) -> ReadRecord:
        often = Counter(answer.id for answer in self.questions).most_common(1)
        if often and often[0][1] > 1:
            raise ValueError(f"the question {often[0][0]!r} stands there twice")
        return self


@dataclass(frozen=True, slots=True)
class Results:
    """The records of one quiz, and what is worth a warning; a warning may name learners."""

    quiz: str
    records: tuple[ReadRecord, ...]
    warnings: tuple[str, ...] = ()


def read_results(paths: Sequence[Path]) -> Results:
    """All records in these files; one that cannot be used is left out whole, with a warning.

    A named learner's record that stands there twice, equal in everything, counts once. Raises InputError, one line,
    where no file can be used, or they hold the results of two quizzes.
    """
    records: list[ReadRecord] = []
    refused: list[str] = []
    first: dict[str, str] = {}
    for path in paths:
        shown = printable(str(path), 200)
        try:
            read = list(_read(path, shown))
        except InputError as error:
            refused.append(str(error))
            continue
        for record in read:
            first.setdefault(record.quiz, shown)
        records += read
    if not records:
        raise none_left(refused, "marked record")
    (quiz, place), *others = first.items()
    for other, shown in others:
        raise InputError(
            f"{shown}: results of {printable(other, 60)!r}, {place} has those of {printable(quiz, 60)!r}; "
            "give the results of one quiz"
        )
    kept, warnings = _once(records)
    return Results(quiz, tuple(kept), (*(f"left out: {line}" for line in refused), *warnings))


def question_ids(records: Sequence[ReadRecord]) -> tuple[str, ...]:
    """Every question of these records, in the order of the records that have it first."""
    return tuple(dict.fromkeys(answer.id for record in records for answer in record.questions))


def _once(records: Sequence[ReadRecord]) -> tuple[list[ReadRecord], list[str]]:
    kept: list[ReadRecord] = []
    seen: set[str] = set()
    dropped = 0
    for record in records:
        key = record.model_dump_json() if record.learner.strip() else ""
        if key and key in seen:
            dropped += 1
            continue
        seen.add(key)
        kept.append(record)
    warnings = []
    if dropped:
        warnings.append(f"{dropped} records stand there twice and count once" if dropped > 1 else
                        "one record stands there twice and counts once")  # fmt: skip
    often = [name for name, count in Counter(record.learner for record in kept).items() if count > 1 and name]
    if often:
        names = ", ".join(printable(name, 40) for name in often[:5]) + (
            " and others" if len(often) > 5 else ""
        )
        warnings.append(f"more than one record of {names}; each counts as a sheet of its own")
    return kept, warnings


def _read(path: Path, shown: str) -> Iterator[ReadRecord]:
    count = 0
    for value in _values(_text(path, shown), shown):
        for item in value if isinstance(value, list) else [value]:
            count += 1
            yield _record(item, f"{shown}, record {count}" if count > 1 or isinstance(value, list) else shown)
    if not count:
        raise InputError(f"{shown}: no record in it; write it with grader quiz mark --json FILE")


def _record(value: object, where: str) -> ReadRecord:
    if isinstance(value, Mapping) and "answers" in value:
        raise InputError(f"{where}: a sheet, not a marked record; mark it first, or give it with --sheets")
    if not isinstance(value, Mapping) or "questions" not in value:
        raise InputError(f"{where}: not a marked record; write it with grader quiz mark --json FILE")
    try:
        return ReadRecord.model_validate(value)
    except ValidationError as error:
        worst = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in worst["loc"])
        problem = worst["msg"].removeprefix("Value error, ")
        at = f"`{printable(place, 80)}`: " if place else ""
        raise InputError(f"{where}: {at}{printable(problem, 200)}; mark the sheet again") from None


def _text(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no such path"
        raise InputError(f"{shown}: cannot be read ({reason}); check the file") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"{shown}: larger than {MAX_BYTES // 2**20} MiB; no results are")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: byte {error.start} is not UTF-8; write the record again") from None


def _values(text: str, shown: str) -> Iterator[object]:
    """The JSON values in a text, one after the other, as `json.loads` would read each."""
    decoder = json.JSONDecoder(parse_constant=_refused, object_pairs_hook=_mapping)
    place = _next(text, 0)
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{shown}, line {error.lineno}: not valid JSON ({error.msg}); mark again"
            ) from None
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else printable(str(error), 120)
            raise InputError(f"{shown}: not a marked record ({reason}); mark again") from None
        yield value
        place = _next(text, place)


def _next(text: str, place: int) -> int:
    """Where the next value begins, behind white space."""
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field stands there twice")
    return found
