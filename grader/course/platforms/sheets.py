"""A quiz's answer sheet that was handed in beside the work."""

from __future__ import annotations

from pathlib import Path

from grader.core.errors import GraderError
from grader.quiz.bank.bank import read_bank
from grader.quiz.marking.mark import QuizRecord, mark_sheet
from grader.quiz.marking.sheet import read_sheet

SHEETS = (".yaml", ".yml", ".json")
LARGEST = 1 << 20


def marked_sheet(submission: Path, root: Path, slug: str) -> QuizRecord | None:
    """The marks of the one sheet in a submission's folder; None without a sheet or a bank.

    Raises LessonError for a bank that cannot be used: that is not the learner's fault.
    """
    path = root / "quizzes" / f"{slug}.yaml"
    if not path.is_file() or not submission.is_dir():
        return None
    for found in sorted(submission.iterdir()):
        if found.suffix in SHEETS and found.is_file() and not found.is_symlink():
            if found.stat().st_size > LARGEST:
                continue
            try:
                sheet = read_sheet(found)
            except GraderError:
                continue
            bank = read_bank(
                path, path.parent
            )  # as it stands: a lesson cut down to some steps lacks what it names
            try:
                return mark_sheet(bank, sheet)
            except GraderError:
                continue
    return None
