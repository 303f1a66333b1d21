"""Late work: how late a commit is, in words and in a gradebook's row. Nothing is taken off: that is for a person."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable
from dataclasses import dataclass

from grader.core.errors import InputError
from grader.core.escape import csv_cell
from grader.core.records import Record
from grader.report import story

HEAD = ("learner", "points", "of", "commit", "committed", "minutes_late", "problem")
LONG = 500  # characters of the reason why work cannot be used
MINUTE, NOTHING = datetime.timedelta(minutes=1), datetime.timedelta()
DAY_ENDS = datetime.time(23, 59)


@dataclass(frozen=True, slots=True)
class Handed:
    """A commit, when its author's clock says it was made, and when it was due; nothing where that is not known."""

    commit: str = ""
    at: datetime.datetime | None = None
    due: datetime.datetime | None = None

    @property
    def late(self) -> datetime.timedelta | None:
        """How late it is in whole minutes, nothing when it is in time; None where either time is not known.

        Learners are told a minute: it counts to its end.
        """
        if self.at is None or self.due is None:
            return None
        return max((self.at - self.due.replace(second=0, microsecond=0)) // MINUTE * MINUTE, NOTHING)

    @property
    def said(self) -> str:
        """One sentence about late work; "" for work in time."""
        if not self.late or self.at is None or self.due is None:
            return ""
        return f"late by {_length(self.late)}: committed {_time(self.at)}, due {_time(self.due)}"


def handed(commit: str, due: str) -> Handed:
    """What `git log -1 --format='%H %cI'` says, and a due date. Raises InputError."""
    name, _, at = commit.strip().partition(" ")
    return Handed(name, _utc(_read("--commit", at)) if at else None, _utc(due_time(due)) if due else None)


def due_time(text: str) -> datetime.datetime:
    """A due date, without a zone where it names none; a bare day is due at its end. Raises InputError."""
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        return _read("--due", text)
    return datetime.datetime.combine(day, DAY_ENDS)


def row(learner: str, record: Record | None, work: Handed, problem: str = "", scale: float = 1.0) -> str:
    """A table with its head and one learner's row, as CSV; no points where there is no record, else times `scale`."""
    values = (
        learner,
        "0" if record is None else story.number(record.score * scale),
        "" if record is None else story.number(record.max_score * scale),
        work.commit,
        "" if work.at is None else work.at.isoformat(),
        None if work.late is None else work.late // MINUTE,
        problem,
    )
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(HEAD)
    table.writerow([csv_cell(value, LONG) for value in values])
    return text.getvalue()


def joined(tables: Iterable[tuple[str, str]]) -> tuple[str, int]:
    """Tables of `row`, each with its name, as one with one head, by learner; and how many learners those are.

    Of a learner's several rows the last counts. Raises InputError for another table.
    """
    found: dict[str, list[str]] = {}
    for name, text in tables:
        try:
            head, *lines = [*csv.reader(io.StringIO(text))] or [[]]
        except csv.Error:
            head, lines = [], []
        if tuple(head) != HEAD or any(len(line) != len(HEAD) for line in lines):
            raise InputError(f"{name}: not a table of rows; its head is to be {','.join(HEAD)}")
        found |= {line[0]: line for line in lines}
    made = io.StringIO()
    table = csv.writer(made, lineterminator="\n")
    table.writerow(HEAD)
    table.writerows(found[learner] for learner in sorted(found))
    return made.getvalue(), len(found)


def _read(option: str, text: str) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{option} {text}: no time; write 2026-12-01 or 2026-12-01T23:59+01:00") from None


def _utc(read: datetime.datetime) -> datetime.datetime:
    """The time; where it names no zone, it is UTC."""
    return read if read.tzinfo else read.replace(tzinfo=datetime.UTC)


def _time(at: datetime.datetime) -> str:
    return f"{at.astimezone(datetime.UTC):%Y-%m-%d %H:%M} UTC"


def _length(late: datetime.timedelta) -> str:
    hours, minutes = divmod(late // MINUTE, 60)
    if hours >= 48:
        return f"{hours // 24} days"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
