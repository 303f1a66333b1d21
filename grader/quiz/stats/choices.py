"""What was chosen on the answer sheets, question by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.core.errors import InputError
from grader.core.text import printable
from grader.quiz.bank.bank import Bank
from grader.quiz.drawing.draw import draw
from grader.quiz.drawing.drawn import DrawnChoice, DrawnCode, DrawnOption, DrawnTrueFalse
from grader.quiz.marking.answers import read_answer
from grader.quiz.marking.decisions import DECISIONS_FILE
from grader.quiz.marking.mark import MESSAGE_LENGTH, SheetMarker
from grader.quiz.marking.marking import Marking
from grader.quiz.marking.options import Chooser
from grader.quiz.marking.sheet import Sheet, none_left, read_sheet
from grader.quiz.questions.questions import Question

from .results import ReadRecord

__all__ = ["Choices", "Pick", "Sheets", "chosen", "read_sheets"]

SUFFIXES = (".json", ".yaml", ".yml")
LONGEST_TEXT = 200


@dataclass(frozen=True, slots=True)
class Pick:
    """The options that one learner chose and the right ones as they saw them, by their place in the bank."""

    places: frozenset[int]
    keys: frozenset[int]


@dataclass(frozen=True, slots=True)
class Choices:
    """The answers to one question, by the number of the learner's record.

    A question without options has no `labels`, and instead of picks what was written.
    """

    labels: tuple[tuple[str, str], ...] = ()
    picks: Mapping[int, Pick] = field(default_factory=dict)
    written: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sheets:
    """Sheets, each with the number of its record, and what is worth a warning."""

    by_record: Mapping[int, Sheet]
    warnings: tuple[str, ...] = ()


def read_sheets(paths: Sequence[Path], records: Sequence[ReadRecord]) -> Sheets:
    """The sheets of these records, found by the learner's name; what is no sheet is left out, with a warning.

    Raises InputError where nothing is a sheet.
    """
    refused: list[str] = []
    sheets: list[Sheet] = []
    for path in paths:
        for file in _files(path, refused):
            try:
                sheets.append(read_sheet(file))
            except InputError as error:
                refused.append(str(error))
    if not sheets:
        raise none_left(refused, "sheet")
    warnings = [f"left out: {line}" for line in refused]
    names = Counter(record.learner for record in records)
    by_name: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        by_name.setdefault(printable(sheet.learner, MESSAGE_LENGTH), []).append(sheet)
    found: dict[int, Sheet] = {}
    for number, record in enumerate(records):
        mine = by_name.get(record.learner, [])
        if len(mine) == 1 and names[record.learner] == 1:
            found[number] = mine[0]
    if len(found) < len(records):
        warnings.append(
            f"{len(found)} of {len(records)} records have exactly one sheet of their learner's; the choices are theirs"
        )
    return Sheets(found, tuple(warnings))


def chosen(sheets: Sheets, bank: Bank, ids: Sequence[str], seed: int | None = None) -> dict[str, Choices]:
    """What was chosen at each question that the bank knows. Raises LessonError where one cannot be drawn."""
    known = {question.id: question for question in bank.questions}
    wanted = [name for name in ids if name in known]
    marker, reader = SheetMarker(bank, wanted, seed), _Reader(bank)
    return {name: _choices(known[name], sheets, marker, reader) for name in wanted}


def _choices(question: Question, sheets: Sheets, marker: SheetMarker, reader: _Reader) -> Choices:
    picks: dict[int, Pick] = {}
    written: dict[int, str] = {}
    for number, sheet in sheets.by_record.items():
        value = sheet.answers.get(question.id)
        answer = read_answer(value)
        if answer.blank:
            continue
        drawn = marker.drawn(question, sheet)
        if isinstance(drawn, DrawnTrueFalse):
            picks[number] = reader.truth(drawn, value)
        elif isinstance(drawn, DrawnChoice | DrawnCode) and drawn.options:
            picks[number] = reader.choice(drawn, answer.parts if not answer.problem else ())
        else:
            written[number] = " ".join(answer.text.split())
    return Choices(tuple(_labels(question)), picks, written)


class _Reader:
    """Reads answers as marking does; what is made for one answer serves the next."""

    def __init__(self, bank: Bank) -> None:
        self._marking = Marking(bank)
        self._choosers: dict[tuple[DrawnOption, ...], Chooser] = {}

    def truth(self, drawn: DrawnTrueFalse, value: object) -> Pick:
        """True is place 0, false place 1; an answer that is neither plainly has no place."""
        key = int(not drawn.answer)
        said = {"correct": {key}, "incorrect": {1 - key}}.get(self._marking.mark(drawn, value).outcome, set())
        return Pick(frozenset(said), frozenset({key}))

    def choice(self, drawn: DrawnChoice | DrawnCode, parts: Sequence[str]) -> Pick:
        """The options named in these parts; none where one names no option plainly."""
        if drawn.options not in self._choosers:
            self._choosers[drawn.options] = Chooser(drawn.options, self._marking.notation)
        chooser = self._choosers[drawn.options]
        read = chooser.read_several if drawn.select == "many" else chooser.read
        found = {place for part in parts for place in read(part) or ()}
        places = frozenset(drawn.options[place].place for place in found)
        return Pick(places, frozenset(option.place for option in drawn.options if option.correct))


def _labels(question: Question) -> Iterator[tuple[str, str]]:
    """Each option's letter and text, in the bank's order whatever order was shown; of one draw where many are."""
    drawn = draw(question)
    if isinstance(drawn, DrawnTrueFalse):
        yield from (("true", ""), ("false", ""))
    elif isinstance(drawn, DrawnChoice | DrawnCode):
        for option in sorted(drawn.options, key=lambda item: item.place):
            letter = chr(ord("a") + option.place)
            yield letter, printable(" ".join(option.text.split()), LONGEST_TEXT)


def _files(path: Path, refused: list[str]) -> list[Path]:
    """The file, or those in a folder that may be sheets; why there are none goes to `refused`."""
    if not path.is_dir():
        return [path]
    shown = printable(str(path), 200)
    try:
        inside = sorted(path.iterdir())
    except OSError as error:
        refused.append(f"{shown}: cannot be read ({error.strerror}); check the folder")
        return []
    files = [item for item in inside if item.suffix.lower() in SUFFIXES and item.is_file()]
    files = [item for item in files if item.name != DECISIONS_FILE]
    if not files:
        refused.append(f"{shown}: no sheet in it (a .yaml, .yml or .json file)")
    return files
