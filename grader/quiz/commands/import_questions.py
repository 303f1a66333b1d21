"""`grader quiz import`: a bank from a file of another program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grader.core.errors import InputError
from grader.core.options import CourseOption

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.quiz.export.plan import Losses
    from grader.quiz.importing.found import Fields, Found

__all__ = ["import_questions"]

MAX_BYTES = 16 * 1024 * 1024


def import_questions(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="GIFT or Moodle XML.")],
    out: Annotated[Path, typer.Option("--out", metavar="BANK.yaml", help="The bank to be written.")],
    lesson: Annotated[
        str | None, typer.Option("--lesson", help="The lesson whose objectives and steps they belong to.")
    ] = None,
    objective: Annotated[
        str, typer.Option("--objective", help="The objective of questions that say none by a tag.")
    ] = "imported",
    course: CourseOption = None,
) -> None:
    """Read questions from GIFT or Moodle XML into a bank, and say what was not or not wholly taken over."""
    from grader.core.files import check_places, write_text
    from grader.lesson.lesson import find_lesson
    from grader.quiz.export.plan import Losses
    from grader.quiz.importing.to_bank import Frame, bank_yaml, slug

    check_places([out])
    data = _read(file)
    losses = Losses()
    quiz = slug(out.stem, "_-") or "imported"
    frame = Frame(quiz, out.stem.replace("_", " ").replace("-", " ") or "Imported", lesson or quiz, objective)
    known = None
    if lesson is not None:
        known = find_lesson(lesson, course)
    try:
        text, count = bank_yaml(_questions(data, losses), frame, known, losses)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    if not count:
        lines = "; ".join(losses.lines()[:3])
        raise InputError(f"{file}: no question could be taken over{': ' + lines if lines else ''}")
    write_text(out, text)
    typer.echo(f"{out}: {count} questions from {file}")
    for line in losses.lines(None):
        typer.echo(f"  {line}")


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); check the path") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"{file}: larger than {MAX_BYTES // 2**20} MiB; part it")
    return data


def _questions(data: bytes, losses: Losses) -> Iterator[tuple[Found, Fields | None]]:
    """The questions of either format, told apart by how the file begins."""
    from grader.quiz.importing.gift_file import gift_questions
    from grader.quiz.importing.moodle_file import QTI, moodle_questions

    if data.startswith(b"PK"):
        what = "a QTI package" if b"imsmanifest.xml" in data else "an archive (zip)"
        raise InputError(f"it is {what}; export the questions as Moodle XML or GIFT and give that file")
    begins = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if begins.startswith((b"<?xml", *(f"<{name}".encode() for name in QTI))) or b"<quiz" in begins:
        return moodle_questions(data, losses)
    try:
        return gift_questions(data.decode("utf-8-sig"), losses)
    except UnicodeDecodeError as error:
        raise InputError(
            f"it is not UTF-8 text (byte {error.start}); give GIFT or Moodle XML, saved as UTF-8"
        ) from None
