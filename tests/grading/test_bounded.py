"""Work that takes long to read: a grade ends all the same, what is too much costs itself, the rest is judged."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.core.errors import InputError
from grader.core.records import Record, StepRecord, SubmissionRecord
from grader.course.platforms.github import commands
from grader.grading.session import Session
from grader.lesson.lesson import Lesson
from grader.submission.reader import read_submission
from tests.tools.lessons_here import the_lesson

SECONDS = 150.0  # a quarter of a minute or so, where nothing else is at work
DENSE = "def _pad():\n    " + "a;" * 262_000 + "\n"
MUCH = "too much code: with the rest over"


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return the_lesson()


@pytest.fixture(scope="module")
def session(lesson: Lesson) -> Iterator[Session]:
    with Session(lesson.slug, 5) as session:
        yield session


def solved(lesson: Lesson, folder: Path, spoilt: dict[str, str], helpers: int, helper: str) -> Path:
    """The solution, with something put before the text of some of its files, and helpers beside it."""
    assert lesson.reference is not None
    folder.mkdir()
    for path in (lesson.reference / "solution").glob("*.py"):
        (folder / path.name).write_text(spoilt.get(path.name, "") + path.read_text("utf-8"), "utf-8")
    for number in range(helpers):
        (folder / f"helper{number}.py").write_text(helper, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("helpers", "helper"),
    [(31, DENSE), (40, DENSE + "#" * ((1 << 20) - len(DENSE) - 1)), (8, "# as long as can be\n" * 52_000)],
    ids=["forty dense files", "49 files of a megabyte", "comments"],
)
def test_a_grade_of_too_much_code_ends_and_judges_the_rest(
    session: Session, lesson: Lesson, tmp_path: Path, helpers: int, helper: str
) -> None:
    start = time.monotonic()
    first, second, *_ = lesson.steps
    record = session.grade(solved(lesson, tmp_path / "hw", {first.file: DENSE}, helpers, helper))
    assert time.monotonic() - start < SECONDS
    steps = {step.id: step for step in record.steps}
    assert (steps[first.id].status, steps[first.id].score) == ("failed", 0)
    assert steps[first.id].note.startswith(f"{first.file}: {MUCH}")
    assert (steps[second.id].status, steps[second.id].score) == ("passed", second.points)
    assert f"was passed over: {MUCH}" in " ".join(record.warnings)


def test_code_of_the_longest_letters_is_handed_over(session: Session, lesson: Lesson, tmp_path: Path) -> None:
    comment = f"# {'𝐡' * 250_000}\n"  # each of these letters is twelve on its way
    long = {step.file: comment for step in lesson.steps[:4]}
    record = session.grade(solved(lesson, tmp_path / "hw", long, 0, ""))
    assert record.score == record.max_score


def test_files_that_are_alike_take_their_room_each(session: Session, lesson: Lesson, tmp_path: Path) -> None:
    record = session.grade(solved(lesson, tmp_path / "hw", {}, 20, f"# {'𝐡' * 250_000}\n"))
    assert record.score == record.max_score
    assert f"{MUCH} 1,048,576 characters" in " ".join(record.warnings)


def test_the_ratio_of_an_archive_is_that_of_the_whole(lesson: Lesson, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(50):
            archive.writestr(f"helper{number}.py", "a;" * 500_000)
    path = tmp_path / "hw.zip"
    path.write_bytes(packed.getvalue())
    with pytest.raises(
        InputError, match="unpacks to more than 200 times its packed size, as an archive bomb does"
    ):
        read_submission(path, lesson)


def test_annotations_are_made_from_the_same_bounded_reading(lesson: Lesson, tmp_path: Path) -> None:
    first, second, *_ = lesson.steps
    (tmp_path / first.file).write_text("a;" * 4_000_000)
    (tmp_path / second.file).write_text(f"\n\ndef {second.provides[0].name}():\n    pass\n")
    steps = tuple(
        StepRecord(id=step.id, title=step.title, status="failed", score=0, max_score=step.points, checks=())
        for step in (first, second)
    )
    record = Record(
        lesson=lesson.slug,
        submission=SubmissionRecord(name="hw", sha256="0"),
        score=0,
        max_score=100,
        seed=1,
        steps=steps,
        environment={},
        seconds=1,
    )
    start = time.process_time()
    said = commands(record, lesson, tmp_path, "work")
    assert time.process_time() - start < 5
    assert f"file=work/{first.file},title=" in said[0]
    assert f"file=work/{second.file},line=3,title=" in said[1]
