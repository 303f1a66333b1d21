"""What platforms are told of a record: Gradescope's rows, GitHub's summary and annotations, Classroom 50's points."""

from __future__ import annotations

import base64
import csv
import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grader.cli import app as grader_app
from grader.core.errors import InputError, LessonError, MachineError
from grader.course.platforms import gradescope
from grader.course.platforms.classroom50 import result, whole
from grader.course.platforms.github import commands, hand_on_payload, payload, summary, unusable
from grader.course.platforms.gradescope import failed, headline, results, run
from grader.course.platforms.late import HEAD, handed, row
from grader.course.platforms.sheets import marked_sheet
from grader.grading.separate import Apart, grade_apart
from grader.lesson.lesson import find_lesson
from grader.report import story
from grader.report.rows import Row, rows, told, unrun
from tests.tools.lessons_here import SLUG
from tests.tools.report_records import check, mistake, record, step

ROOT = Path(__file__).resolve().parents[2]
EVIL = "::error::x\n![](https://e.example/a.png) `</td>` <script>1</script> @all |"
GIVEN = {
    "CLASSROOM": "dl", "ASSIGNMENT": "mha", "ASSIGNMENT_TYPE": "individual", "USERNAME": "ana",
    "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "c", "RELEASE_URL": "r", "REVIEW_URL": "v",
}  # fmt: skip


def attend(status: str = "failed", score: float = 7, **more: object) -> object:
    checks = (check("plain", "failed", 0, 6, message="`heads`: expected shape (2, 3), got (3, 2)"),)
    named = (mistake("scale-missing", title="The scores are not scaled", message="You forgot it."),)
    return step("attend", status, score, 20, **{"checks": checks, "mistakes": named, **more})  # type: ignore[arg-type]


def test_a_row_tells_the_mistake_what_failed_and_one_next_step() -> None:
    text = told(attend())  # type: ignore[arg-type]
    assert text.splitlines() == [
        "The scores are not scaled", "You forgot it.",
        "The plain: `heads`: expected shape (2, 3), got (3, 2)", "Next: Mend scale-missing.",
    ]  # fmt: skip
    assert len(told(attend(note="x" * 9000))) <= 1800  # type: ignore[arg-type]
    assert told(attend(note="x" * 9000)).endswith("Next: Mend scale-missing.")  # type: ignore[arg-type]


def test_gradescope_has_a_row_a_step_with_scaled_points() -> None:
    given = record(step("project", "passed", 15, 15), attend())  # type: ignore[arg-type]
    made = results(rows(given, 0.4), headline(given, 0.4), 3.21, "visible")
    assert [(row["number"], row["score"], row["max_score"], row["status"]) for row in made["tests"]] == [
        ("1", 6.0, 6.0, "passed"), ("2", 2.8, 8.0, "failed"),
    ]  # fmt: skip
    assert made["output"].splitlines()[0] == "8.8 of 14 points"
    assert "score" not in made  # the sum of the rows is the score
    assert made["stdout_visibility"] == "hidden"


def test_before_anything_is_run_every_row_says_so() -> None:
    lesson = find_lesson("multi_head_attention", ROOT)
    made = results(unrun(lesson, 1.0, "not run"), "why", 0.0, "visible")
    assert len(made["tests"]) == len(lesson.steps)
    assert {row["output"] for row in made["tests"]} == {"not run"}
    assert sum(row["max_score"] for row in made["tests"]) == lesson.max_score
    assert failed(lesson, 1.0, "unreadable", 1.0, "hidden")["output"] == "unreadable"


def test_a_summary_is_markdown_in_which_a_learners_text_is_only_text() -> None:
    from markdown_it import MarkdownIt

    text = summary(record(attend(title=EVIL, note=EVIL)), "Attention")  # type: ignore[arg-type]
    assert text.startswith("## `Attention`: 7 of 20 points\n")
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    kinds = {child.type for token in tokens for child in (token, *(token.children or []))}
    assert not kinds & {"link_open", "image", "html_inline", "html_block"}


def test_points_are_scaled_wherever_they_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = record(step("project", "passed", 15, 15), attend())  # type: ignore[arg-type]
    given = given.model_copy(update={"lesson": "multi_head_attention"})
    (tmp_path / "record.json").write_text(given.to_json())
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    ask = [
        "platform",
        "github",
        str(tmp_path / "record.json"),
        "--submission",
        str(tmp_path),
        "--points",
        "14",
    ]
    said = CliRunner().invoke(grader_app, ask).output
    assert "title=Attend%3A 2.8 of 8::" in said
    text = (tmp_path / "summary.md").read_text()
    assert text.startswith("## ")
    assert ": 8.8 of 14 points\n" in text
    assert "| 6 / 6 |" in text
    assert "| 2.8 / 8 |" in text
    ask = ["platform", "row", str(tmp_path / "record.json"), "--learner", "ana", "--points", "14"]
    CliRunner().invoke(grader_app, [*ask, "--out", str(tmp_path / "row.csv")])
    (_, values) = csv.reader((tmp_path / "row.csv").read_text().splitlines())
    assert values[:3] == ["ana", "8.8", "14"]


def test_every_script_of_a_bundle_says_what_the_whole_is_worth() -> None:
    scripts = [path for path in (ROOT / "templates" / "bundle").rglob("*.j2") if path.name != "README.md.j2"]
    calls = [
        line
        for path in scripts
        for line in path.read_text("utf-8").splitlines()
        if "-m grader platform" in line and "platform table" not in line  # whose rows say it
    ]
    assert len(calls) >= 6
    assert [line for line in calls if "--points {{" not in line] == []


def test_annotations_point_at_the_line_of_the_learners_definition(tmp_path: Path) -> None:
    lesson = find_lesson("multi_head_attention", ROOT)
    (tmp_path / "attend.py").write_text("import math\n\n\ndef attend(q, k, v, mask=None):\n    return q, k\n")
    given = record(step("project", "passed", 15, 15), attend(title=EVIL))  # type: ignore[arg-type]
    (line,) = commands(given, lesson, tmp_path, "exercises/mha")
    assert line.startswith("::error file=exercises/mha/attend.py,line=4,title=")
    assert "\n" not in line
    assert line.count("::") == 2  # one command and no other


def test_annotations_do_without_a_line_where_the_file_cannot_be_read(tmp_path: Path) -> None:
    lesson = find_lesson("multi_head_attention", ROOT)
    (tmp_path / "attend.py").write_text("def attend(:\n")
    (line,) = commands(record(attend()), lesson, tmp_path, "")  # type: ignore[arg-type]
    assert line.startswith("::error file=attend.py,title=")
    (line,) = commands(record(attend("partial")), lesson, tmp_path / "none", "")  # type: ignore[arg-type]
    assert line.startswith("::warning title=")


def test_the_payload_is_what_the_retired_graders_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = record(step("project", "passed", 15, 15), attend())  # type: ignore[arg-type]
    plain = json.loads(base64.b64decode(payload(given)))
    assert (plain["version"], plain["status"], plain["max_score"]) == (1, "fail", 35)
    assert [(row["status"], row["score"]) for row in plain["tests"]] == [("pass", 15), ("fail", 7)]
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    assert hand_on_payload(given) == f"result={payload(given)}\n"
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    assert hand_on_payload(given) == ""
    assert (tmp_path / "output").read_text() == f"result={payload(given)}\n"
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "none" / "output"))
    with pytest.raises(InputError, match="GITHUB_OUTPUT="):
        hand_on_payload(given)


NOW = datetime.datetime(2026, 11, 30, 8, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))


def test_classroom50_knows_whole_points_only() -> None:
    given = record(step("project", "passed", 15, 15), attend("partial", 7.5))  # type: ignore[arg-type]
    made = result(rows(given), GIVEN, NOW)
    assert (made["score"], made["max-score"]) == (225, 350)
    assert [(row["score"], row["max-score"], row["passed"]) for row in made["tests"]] == [
        (150, 150, True), (75, 200, False),
    ]  # fmt: skip
    assert (made["owner"], made["datetime"]) == ("ana", "2026-11-30T07:00:00Z")
    assert all(type(row["score"]) is int for row in made["tests"])


def test_points_that_are_whole_stay_as_they_are() -> None:
    assert whole([Row("a", "A", True, 3.0, 4.0, "")]) == 1
    assert whole([Row("a", "A", True, 1 / 3, 4.0, "")]) == 100


def test_classroom50_without_its_variables_says_which_is_missing() -> None:
    with pytest.raises(InputError, match="COMMIT_URL is not set"):
        result([], {**GIVEN, "COMMIT_URL": ""}, NOW)


# --- late work --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "due", "minutes", "said"),
    [
        ("2026-12-05T10:29:00+01:00", "2026-12-04T23:59+01:00", 630, "late by 10 h 30 min: "),
        ("2026-12-04T23:59:59+01:00", "2026-12-04T23:59+01:00", 0, ""),  # in time until the minute is over
        ("2026-12-04T23:59:40+01:00", "2026-12-04T23:59:30+01:00", 0, ""),
        ("2026-12-05T00:00:00+01:00", "2026-12-04T23:59+01:00", 1, "late by 1 min: "),
        ("2026-12-05T00:01:59+01:00", "2026-12-04T23:59:30+01:00", 2, "late by 2 min: "),
        ("2026-12-04T12:00:00Z", "2026-12-04", 0, ""),  # a bare day is due at its end
        ("2026-12-05T00:00:00Z", "2026-12-04", 1, "late by 1 min: "),
        ("2026-12-04T23:59:00+01:00", "2026-12-04T22:59", 0, ""),  # a due date without a zone is UTC
        ("2026-12-04T23:58:59+01:00", "2026-12-04T23:59+01:00", 0, ""),
        (
            "2026-12-07T08:00:00Z",
            "2026-12-04T23:59",
            3361,
            "late by 2 days: committed 2026-12-07 08:00 UTC, due",
        ),
    ],
)
def test_a_commit_after_the_due_date_is_late(at: str, due: str, minutes: int, said: str) -> None:
    work = handed(f"abc123 {at}", due)
    assert work.late is not None
    assert work.late // datetime.timedelta(minutes=1) == minutes
    assert work.said.startswith(said)
    assert bool(work.said) == bool(said)
    assert work.commit == "abc123"
    assert row("ana", None, work).splitlines()[1].split(",")[5] == str(
        minutes
    )  # the row says what the words say


def test_where_a_time_is_not_known_nothing_is_late() -> None:
    for commit, due in (("", "2026-12-04"), ("abc 2026-12-05T10:29:00Z", ""), ("abc", "2026-12-04")):
        assert (handed(commit, due).late, handed(commit, due).said) == (None, "")
    with pytest.raises(InputError, match="--due tomorrow: no time; write 2026-12-01 or"):
        handed("", "tomorrow")
    with pytest.raises(InputError, match="--commit soon: no time"):
        handed("abc soon", "")


def test_a_row_of_the_gradebook_is_one_line_and_no_formula() -> None:
    work = handed("abc 2026-12-05T10:29:00+00:00", "2026-12-04")
    (head, values) = csv.reader(row("=ana", record(attend()), work).splitlines())  # type: ignore[arg-type]
    assert tuple(head) == HEAD
    assert values == ["'=ana", "7", "20", "abc", "2026-12-05T10:29:00+00:00", "630", ""]
    (_, values) = csv.reader(row("ana", None, handed("", ""), "nothing of the lesson in it").splitlines())
    assert values == ["ana", "0", "", "", "", "", "nothing of the lesson in it"]


def test_rows_become_one_table_with_one_head_and_the_last_of_a_learner_counts(tmp_path: Path) -> None:
    first = row("ben", record(attend()), handed("", ""))  # type: ignore[arg-type]
    again = row("ben", record(step("attend", "passed", 20, 20)), handed("", ""))  # type: ignore[arg-type]
    tables = [first, row("=ana", None, handed("", ""), 'a "word",\nand another'), again]
    for number, text in enumerate(tables):
        (tmp_path / f"{number}.csv").write_text(text, "utf-8")
    files = [str(tmp_path / f"{number}.csv") for number in range(3)]
    done = CliRunner().invoke(grader_app, ["platform", "table", *files, "--out", str(tmp_path / "all.csv")])
    assert (done.exit_code, done.output) == (0, f"{tmp_path / 'all.csv'}: 2 learners\n")
    head, *lines = csv.reader((tmp_path / "all.csv").read_text("utf-8").splitlines(keepends=True))
    assert tuple(head) == HEAD
    assert [(line[0], line[1]) for line in lines] == [("'=ana", "0"), ("ben", "20")]
    (tmp_path / "no.csv").write_text("learner,points\n")
    done = CliRunner().invoke(grader_app, ["platform", "table", str(tmp_path / "no.csv"), "--out", "x.csv"])
    assert isinstance(done.exception, InputError)


@pytest.mark.parametrize("command", [["row", "--learner", "ana"], ["classroom50"]])
def test_a_step_that_could_not_be_judged_is_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, value)
    broken, out = tmp_path / "record.json", tmp_path / "out"
    broken.write_text(record(step("attend", "broken", 0, 20)).to_json(), "utf-8")
    done = CliRunner().invoke(grader_app, ["platform", *command, str(broken), "--out", str(out)])
    assert isinstance(done.exception, MachineError)
    assert "attend could not be judged" in str(done.exception)
    assert not out.exists()


def test_work_that_cannot_be_used_is_text_in_a_summary_and_an_annotation() -> None:
    text, line = unusable(EVIL, "Attention")
    assert text.startswith("## `Attention`: nothing could be graded\n\n```")
    assert line.startswith("::error title=Nothing could be graded::")
    assert "\n" not in line
    assert f"\n{EVIL.splitlines()[0]}\n" in text  # in a block of code it is only text


# --- Gradescope's folders ---------------------------------------------------------------------------


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Folders as Gradescope lays them out, with the checkout's lesson and quiz as the autograder's source."""
    for name in ("source", "submission", "results"):
        (tmp_path / name).mkdir()
    for name in ("exercises", "reference", "quizzes"):
        (tmp_path / "source" / name).symlink_to(ROOT / name)
    return tmp_path


def graded(base: Path) -> dict[str, Any]:
    run(base, 50, "limited", "visible", leaderboard=True, slug=SLUG)
    made: dict[str, Any] = json.loads((base / "results" / "results.json").read_text("utf-8"))
    return made


def test_work_and_a_sheet_are_graded_where_gradescope_puts_them(base: Path) -> None:
    (base / "submission" / "concat.py").write_text(
        "def concat(heads):\n    return heads.transpose(1, 2).flatten(2)\n"
    )
    (base / "submission" / "sheet.yaml").write_text(
        "learner: ana\nanswers: {kc-01: no idea at all, kc-02: f}\n"
    )
    made = graded(base)
    scores = {row["tags"][0]: row["score"] for row in made["tests"] if "quiz" not in row["tags"]}
    assert {name: score for name, score in scores.items() if score} == {"concat": 5.0}
    asked = [row for row in made["tests"] if "quiz" in row["tags"]]
    assert [row["number"] for row in asked] == [f"10.{place}" for place in range(1, 11)]
    assert made["output"].startswith("5 of 50 points\n")
    assert made["leaderboard"] == [{"name": "points", "value": 5.0}]


def test_work_that_cannot_be_used_has_every_row_and_the_reason_first(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    came = Apart(None, "nothing of the lesson is in it", unusable=True)
    monkeypatch.setattr(gradescope, "grade_apart", lambda *_, **__: came)
    made = graded(base)
    assert made["output"] == "nothing of the lesson is in it"
    assert {row["output"] for row in made["tests"]} == {"not run"}


@pytest.mark.parametrize(
    ("came", "said"),
    [
        (Apart(None, "no room"), "no room"),
        (Apart(None), "the grader said nothing"),
        (Apart(record(step("project", "broken", 0, 15))), "project could not be judged"),
    ],
)
def test_a_fault_of_the_graders_leaves_no_results_that_a_platform_could_take_for_points(
    base: Path, monkeypatch: pytest.MonkeyPatch, came: Apart, said: str
) -> None:
    place = base / "results" / "results.json"
    place.write_text('{"score": 0}')  # of an earlier run
    seen: list[bool] = []

    def look(*_: object, **__: object) -> Apart:
        seen.append(place.exists())
        return came

    monkeypatch.setattr(gradescope, "grade_apart", look)
    with pytest.raises(MachineError, match=f"not the learner; no results: {said}"):
        graded(base)
    assert (seen, place.exists()) == ([False], False)


def test_only_a_plain_sheet_of_a_bearable_size_is_marked(base: Path) -> None:
    work = base / "submission"
    assert marked_sheet(work, ROOT, "multi_head_attention") is None
    (work / "big.yaml").write_text("learner: x\n" + "#" * (1 << 20))
    (work / "link.yaml").symlink_to(ROOT / "quizzes" / "multi_head_attention.yaml")
    (work / "none.json").write_text("[1, 2]")
    assert marked_sheet(work, ROOT, "multi_head_attention") is None
    assert marked_sheet(work, base, "multi_head_attention") is None  # no bank there


def test_a_bank_that_cannot_be_read_is_no_fault_of_who_hands_in_a_sheet(base: Path) -> None:
    (base / "quizzes").mkdir()
    (base / "quizzes" / "multi_head_attention.yaml").write_text("version: 1\n")
    (base / "submission" / "sheet.yaml").write_text("learner: ana\nanswers: {kc-02: f}\n")
    with pytest.raises(LessonError):
        marked_sheet(base / "submission", base, "multi_head_attention")


def test_a_grade_apart_that_has_no_time_says_so(tmp_path: Path) -> None:
    assert grade_apart(tmp_path, ROOT, 0.05).said == "the grade did not come to its end within 0 s"


def test_a_folder_with_nothing_of_the_lesson_is_for_the_learner_to_mend(tmp_path: Path) -> None:
    done = grade_apart(tmp_path, ROOT, 60)
    assert (done.record, done.unusable, done.fault) == (None, True, "")
    assert str(tmp_path) in done.said


def test_answers_that_are_damaged_are_not_for_the_learner_to_mend(tmp_path: Path) -> None:
    (tmp_path / "concat.py").write_text("def concat(heads):\n    return heads\n")
    sealed = tmp_path / "sealed.bin"
    sealed.write_bytes(b"all answers are right")
    done = grade_apart(tmp_path, ROOT, 60, options=("--sealed", str(sealed)))
    assert (done.record, done.unusable) == (None, False)
    assert "not a file of sealed answers" in done.fault


def test_a_grade_by_sealed_answers_is_called_practice_wherever_it_is_shown() -> None:
    given = record(step("project", "passed", 15, 15))
    sealed = given.model_copy(update={"environment": {**given.environment, "standard": "sealed answers"}})
    official = given.model_copy(update={"environment": {**given.environment, "standard": "the reference"}})
    for made, is_practice in [(sealed, True), (official, False), (given, False)]:
        shown = [
            story.practice(made),
            summary(made, "Attention"),
            headline(made, 1.0),
            " ".join(story.circumstances(made)),
        ]
        assert ["ractice" in text for text in shown] == [is_practice] * len(shown)
    assert story.PRACTICE.startswith("Practice: judged by sealed answers that everybody can read; ")
