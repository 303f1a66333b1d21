"""Bundles: what is in them, what never is, that the same input gives the same bytes, and what options change."""

from __future__ import annotations

import base64
import functools
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
import yaml

from grader.core.errors import InputError, LessonError
from grader.course.bundle.archive import packed, unpacked
from grader.course.bundle.cells import handed_out, solved
from grader.course.bundle.checking import _grades, examine
from grader.course.bundle.choices import cut_down, due_date, read_course
from grader.course.bundle.command import _place, command
from grader.course.bundle.contents import leaks, secrets, taken_along
from grader.course.bundle.engine import engine_wheel
from grader.course.bundle.kinds import KINDS
from grader.course.bundle.making import made, source_of
from grader.course.bundle.manifest import MANIFEST, differences
from grader.course.bundle.model import Audience, Item, Kind, Options, Parts, Source
from grader.grading.seal import sealed_bytes
from grader.lesson.lesson import find_lesson, read_lesson
from grader.quiz.bank.bank import read_bank
from grader.quiz.drawing.draw import draw
from grader.quiz.shown.view import view
from grader.submission.notebook import code_cells

ROOT = Path(__file__).resolve().parents[2]
SLUG = "multi_head_attention"
LEARNERS = [
    kind for sides in KINDS.values() for kind in sides if kind.audience == "learner" and not kind.single
]
STAFF = [kind for sides in KINDS.values() for kind in sides if kind.audience == "staff" and not kind.single]


@pytest.fixture(scope="module")
def parts() -> Parts:
    """The real engine, and stand-ins for sealed answers: those are made and tried elsewhere."""
    wheel = functools.cache(functools.partial(engine_wheel, ROOT))
    hidden = secrets(ROOT, SLUG)
    return Parts(wheel=wheel, sealed=lambda: b"sealed answers", secrets=lambda: hidden)


def source(parts: Parts, **options: object) -> Source:
    chosen = Options(**options)  # type: ignore[arg-type]
    return Source(ROOT, cut_down(find_lesson(SLUG, ROOT), chosen.steps), chosen, parts)


def contents(data: bytes) -> Mapping[str, bytes]:
    return {item.path: item.data for item in unpacked(data)}


# --- what is in it, and what is not -----------------------------------------------------------------


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.name)
def test_no_line_of_the_hidden_side_is_in_a_learners_bundle(parts: Parts, kind: Kind) -> None:
    held = unpacked(made(kind, source(parts)))
    assert leaks(held, secrets(ROOT, SLUG)) == []
    assert [item.path for item in held if item.path.startswith(("reference", "quizzes"))] == []


def test_a_notebook_is_valid_has_lasting_ids_and_hides_nothing(parts: Parts) -> None:
    import nbformat

    data = made(KINDS["notebook"][0], source(parts))
    assert data == made(KINDS["notebook"][0], source(parts))
    book = nbformat.reads(data.decode(), as_version=4)
    nbformat.validate(book)
    ids = [cell.id for cell in book.cells]
    assert ids[:4] == ["brief", "setup", "project-title", "project-work"]
    assert len(set(ids)) == len(ids)
    assert leaks([Item("notebook.ipynb", data)], secrets(ROOT, SLUG)) == []
    assert code_cells(data)[0] == ""  # the cell that carries the engine is not the learner's


@pytest.mark.parametrize(
    ("kind", "path"),
    [("nbgrader", f"source/{SLUG}/{SLUG}.ipynb"), ("otter", f"{SLUG}.ipynb"), ("notebook", "")],
)
def test_a_question_in_a_notebook_shows_all_that_can_be_chosen(parts: Parts, kind: str, path: str) -> None:
    made_now = made(KINDS[kind][0], source(parts))
    book = json.loads(contents(made_now)[path] if path else made_now)
    (text,) = (cell["source"] for cell in book["cells"] if cell["id"] == "quiz-questions")
    asked = re.split(r"\n\*\*\d+\. ", text)[1:]
    bank = read_bank(ROOT / "quizzes" / f"{SLUG}.yaml")
    assert len(asked) == len(bank.check)
    for question, shown in zip(bank.select(None), asked, strict=True):
        lines = [line for line in shown.splitlines() if line.startswith("- ")]
        if question.kind == "true_false":
            assert lines == ["- True", "- False"]
        else:
            letters = [thing.letter for thing in view(draw(question)).things]
            assert [line[:6].strip() for line in lines] == [f"- ({letter})" for letter in letters]


@pytest.mark.parametrize("kind", STAFF, ids=lambda kind: kind.name)
def test_a_staff_bundle_holds_the_solution_and_says_whose_it_is(parts: Parts, kind: Kind) -> None:
    held = unpacked(made(kind, source(parts)))
    solved = [item for item in held if item.path.endswith((f"{SLUG}/solution/attend.py", f"{SLUG}.ipynb"))]
    assert leaks(solved, parts.secrets())
    assert json.loads(contents(made(kind, source(parts)))[MANIFEST])["audience"] == "staff"


@pytest.mark.parametrize("kind", ["nbgrader", "otter"])
def test_a_notebook_has_no_second_copy_of_its_skeletons_and_is_what_a_learner_begins_with(
    parts: Parts, tmp_path: Path, kind: str
) -> None:
    data = made(KINDS[kind][0], source(parts))
    held = contents(data)
    files = {step.file for step in find_lesson(SLUG, ROOT).steps}
    assert [path for path in held if path.rpartition("/")[2] in files] == []
    zipfile.ZipFile(BytesIO(data)).extractall(tmp_path)
    (lesson,) = tmp_path.rglob("lesson.yaml")
    assert {step.file for step in read_lesson(lesson.parent, lesson.parent).steps} == files
    (book,) = (text for path, text in held.items() if path.endswith(".ipynb"))
    assert leaks([Item("book.ipynb", book)], parts.secrets())
    assert leaks([Item("book.ipynb", handed_out(book))], parts.secrets()) == []


def test_the_search_finds_a_hidden_line_wherever_it_lies() -> None:
    line = (ROOT / "reference" / SLUG / "solution" / "attend.py").read_text("utf-8").splitlines()[11].strip()
    kept = secrets(ROOT, SLUG)
    assert line in kept
    inner = packed([Item("deep/solution.txt", f"    {line}\n".encode())])
    payload = base64.b64encode(packed([Item("a.py", line.encode()), Item("b", bytes(range(256)) * 4)]))
    cell = {"cell_type": "code", "source": [f"{line}\n"]}
    random = bytes(range(256)) * 4
    found = leaks(
        [
            Item("plain.py", line.encode()),
            Item("nested.whl", packed([Item("inner.zip", inner)])),
            Item("book.ipynb", json.dumps({"cells": [cell]}).encode()),
            Item("cell.py", b'DATA = """' + payload + b'"""'),
            Item(
                "cell85.py",
                b'DATA = """\n'
                + base64.b85encode(packed([Item("b.py", line.encode())] * 1 + [Item("r", random)]))
                + b'\n"""',
            ),
            Item("fine.py", b"import torch\n"),
        ],
        kept,
    )
    assert [where.partition(": ")[0] for where in found] == [
        "plain.py", "nested.whl/inner.zip/deep/solution.txt", "book.ipynb", "cell.py/payload-0.zip/a.py",
        "cell85.py/payload-0.zip/b.py",
    ]  # fmt: skip


def test_a_kind_that_would_give_something_away_writes_nothing(parts: Parts) -> None:
    text = (ROOT / "reference" / SLUG / "mistakes.py").read_bytes()
    careless = Kind("careless", "learner", "a mistake", ".zip", lambda _: [Item("helper.py", text)])
    with pytest.raises(LessonError, match=r"would give away helper\.py: .* nothing was written"):
        made(careless, source(parts))
    by_name = Kind("careless", "learner", "a mistake", ".zip", lambda _: [Item("reference/x.py", b"x = 1\n")])
    with pytest.raises(LessonError, match=r"would give away reference/x\.py"):
        made(by_name, source(parts))


def test_the_engine_is_whole_and_carries_its_templates(parts: Parts) -> None:
    names = zipfile.ZipFile(BytesIO(parts.wheel("staff").data)).namelist()
    ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / "grader").rglob("*.py")}
    assert ours <= set(names)
    assert {"grader/judging/judge.ini", "grader/templates/quiz/page.html.j2"} <= set(names)
    assert [name for name in names if "reference" in name.split("/") or "__pycache__" in name] == []


def test_a_wheel_is_made_in_a_checkout_only(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pyproject\.toml is not here; bundles are made in the checkout"):
        engine_wheel(tmp_path, "learner")


HIDDEN_SECRETS = {"actions-staff": "LEARNERS_READ_TOKEN", "gitlab-staff": "LEARNERS_READ_TOKEN"}
ROWS = {  # what tells how a class's rows are got
    "actions-staff": "platform table", "gitlab-staff": "platform table", "gradescope": "Download Grades",
    "image": "platform table", "classroom50-autograder": "result.json", "nbgrader": "nbgrader export",
    "otter": "otter grade", "classroom50-staff": "platform table",
}  # fmt: skip


@pytest.mark.parametrize("kind", [*LEARNERS, *STAFF], ids=lambda kind: kind.name)
def test_every_bundle_says_in_itself_how_it_is_used(parts: Parts, kind: Kind) -> None:
    held = contents(made(kind, source(parts, due="2026-12-01T23:59")))
    text = held["README.md"].decode()
    assert text.startswith("# Multi-head attention")
    if kind.audience == "staff" or kind.name in ROWS:
        assert ROWS[kind.name] in text
        assert ("LEARNERS_READ_TOKEN" in text) == (kind.name in HIDDEN_SECRETS)
        assert "zero" in text  # whose fault a missing row is
    named = re.findall(
        r"`((?:engine|reference|exercises|\.git\w+)/[^` ]+|\.gitlab-ci\.yml|setup\.sh|[\w-]+\.py)`", text
    )
    there = "\n".join(held)
    assert [path for path in named if path.rstrip("/") not in there] == []


@pytest.mark.parametrize("name", ["moodle", "canvas"])
def test_beside_a_question_bank_lies_a_page_that_tells_how_it_is_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    command(name, None, out=tmp_path / f"bank{KINDS[name][0].suffix}")
    text = (tmp_path / "bank-README.md").read_text("utf-8")
    assert f"the question bank for {name.title()}" in text
    assert f"`bank{KINDS[name][0].suffix}` holds the key" in text
    assert f"What {name.title()} cannot hold" in text
    assert f"{tmp_path / 'bank-README.md'}: how to use it" in capsys.readouterr().out


# --- the same bytes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*LEARNERS, *STAFF], ids=lambda kind: kind.name)
def test_the_same_input_gives_the_same_bytes(parts: Parts, kind: Kind) -> None:
    assert made(kind, source(parts)) == made(kind, source(parts))


@pytest.mark.parametrize("audience", ["learner", "staff"])
def test_the_engine_is_the_same_bytes_again(parts: Parts, audience: Audience) -> None:
    assert engine_wheel(ROOT, audience) == parts.wheel(audience)


def test_scripts_can_be_run_and_nothing_else() -> None:
    data = packed([Item("run", b"#!/bin/sh\n", executable=True), Item("a/text", b"x")])
    modes = {info.filename: info.external_attr >> 16 for info in zipfile.ZipFile(BytesIO(data)).infolist()}
    assert modes == {"run": 0o100755, "a/text": 0o100644}
    with pytest.raises(ValueError, match="two files of the bundle are called x"):
        packed([Item("x", b""), Item("x", b"")])


@pytest.mark.parametrize("kind", [*LEARNERS, *STAFF], ids=lambda kind: kind.name)
def test_the_manifest_tells_every_file_and_notices_every_change(parts: Parts, kind: Kind) -> None:
    held = unpacked(made(kind, source(parts)))
    assert differences(held) == []
    changed = [
        Item(item.path, item.data + b"#") if item.path.endswith("checks.py") else item for item in held
    ]
    less = [item for item in changed if item.path != "constraints.txt"]
    (checks,) = (item.path for item in held if item.path.endswith("checks.py"))
    assert differences([*less, Item("more.txt", b"")]) == [
        "constraints.txt is missing", "more.txt is not in the manifest", f"{checks} was changed",
    ]  # fmt: skip
    assert differences([Item("a", b"")]) == ["no manifest"]
    assert differences([Item(MANIFEST, b"[]")]) == [f"{MANIFEST} cannot be read"]


@pytest.mark.parametrize("kind", [*LEARNERS, *STAFF], ids=lambda kind: kind.name)
def test_every_yaml_script_and_makefile_of_a_bundle_reads_as_what_it_is(parts: Parts, kind: Kind) -> None:
    for path, data in contents(made(kind, source(parts))).items():
        if path.endswith((".yml", ".yaml")):
            assert isinstance(yaml.safe_load(data), dict | list), path
        if data.startswith(b"#!"):
            assert data.startswith((b"#!/usr/bin/env bash\n", b"#!/bin/sh\n")), path
            assert b"\r" not in data, path
        if path.endswith((".sh", ".yml", "Makefile", "run_autograder", "README.md", "Containerfile")):
            assert b"{{" not in data.replace(b"${{", b""), path


# --- options ----------------------------------------------------------------------------------------


def test_a_lesson_cut_down_to_some_steps_is_a_lesson(parts: Parts, tmp_path: Path) -> None:
    data = made(KINDS["student"][0], source(parts, steps=("attend", "cross"), seed=77))
    zipfile.ZipFile(BytesIO(data)).extractall(tmp_path)
    lesson = read_lesson(tmp_path / "exercises" / SLUG, tmp_path)
    assert [step.id for step in lesson.steps] == ["attend", "cross"]
    assert lesson.public_seed == 77
    cross = lesson.steps[1]
    assert cross.uses == ("attend",)
    assert cross.homes == (
        "project.py",
        "concat.py",
        "output.py",
        "module.py",
    )  # their mistakes can still be made in it
    assert not (tmp_path / "exercises" / SLUG / "project.py").exists()


def test_options_come_from_course_yaml_and_the_command_line_wins(tmp_path: Path) -> None:
    (tmp_path / "course.yaml").write_text("course: Deep Learning\ndue: 2026-12-01\npoints: 50\n", "utf-8")
    assert read_course(None, tmp_path) == Options(course="Deep Learning", due="2026-12-01", points=50)
    assert read_course(None, tmp_path / "none") == Options()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("points: -1\n", "line 1: `points`"),
        ("course: A\ncurse: B\n", "line 2: `curse`"),
        ("seed: x\n", "line 1: `seed`"),
    ],
)
def test_a_wrong_course_file_is_told_by_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "course.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(LessonError, match=said):
        read_course(path, tmp_path)


def test_a_due_date_is_a_date() -> None:
    assert due_date("2026-12-01T23:59+01:00") == "2026-12-01T23:59+01:00"
    assert due_date("2026-12-01") == "2026-12-01T23:59"  # the day's end, not its beginning
    assert due_date("") == ""
    with pytest.raises(InputError, match=r"--due next week: no time; write 2026-12-01 or"):
        due_date("next week")


def test_unknown_steps_and_kinds_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no step is called 'attent'; there are project, attend"):
        source_of(SLUG, Options(steps=("attent",)), ROOT)
    with pytest.raises(InputError, match="no bundle is called 'studnet'; there are student"):
        command("studnet", None, out=tmp_path / "x.zip")
    with pytest.raises(InputError, match="say where to write it: --out PATH"):
        command("student", None)


def test_bundles_of_one_kind_lie_beside_each_other_under_names_of_their_own(tmp_path: Path) -> None:
    for kind, names in {
        "actions": ["mha.zip", "mha-staff.zip"], "classroom50": ["mha.zip", "mha-autograder.zip", "mha-staff.zip"],
        "student": ["mha.zip"],
    }.items():  # fmt: skip
        places = [_place(each, kind, tmp_path / "mha.zip", len(KINDS[kind]) > 1) for each in KINDS[kind]]
        assert [place.name for place in places] == names
    every = [_place(each, "all", tmp_path / "out", True) for sides in KINDS.values() for each in sides]
    assert len(set(every)) == len(every)


def test_points_are_scaled_where_a_platform_shows_them(parts: Parts) -> None:
    given = source(parts, points=40.0, course="DL", due="2026-12-01T00:00")
    held = contents(made(KINDS["gradescope"][0], given))
    assert b"--points 40 " in held["run_autograder"]
    facts = json.loads(held[MANIFEST])
    assert (facts["points"], facts["due"], facts["title"]) == (
        40.0,
        "2026-12-01T00:00",
        "DL: Multi-head attention",
    )
    readme = contents(made(KINDS["student"][0], given))["README.md"].decode()
    assert readme.startswith("# DL: Multi-head attention\n\nDue: 2026-12-01T00:00\n")


# --- looking into one -------------------------------------------------------------------------------


def test_a_bundle_that_was_tampered_with_or_cannot_grade_is_told(parts: Parts, tmp_path: Path) -> None:
    held = unpacked(made(KINDS["student"][0], source(parts)))
    line = (ROOT / "reference" / SLUG / "solution" / "attend.py").read_bytes()
    path = tmp_path / "student.zip"
    path.write_bytes(packed([*held, Item("help.py", line)]))
    told = examine(path)
    assert told.lines[0] == f"student.zip: student of {SLUG}, for learners"
    assert "✗ help.py is not in the manifest" in told.lines
    assert any(text.startswith("✗ it gives away help.py: ") for text in told.lines)
    assert any(
        "skeleton cannot be graded" in text and "sealed" in text for text in told.lines
    )  # a stand-in's
    assert told.wrong == 3


@pytest.mark.parametrize("kind", ["moodle", "canvas"])
def test_a_question_bank_is_known_and_is_for_staff(parts: Parts, tmp_path: Path, kind: str) -> None:
    (bank,) = KINDS[kind]
    path = tmp_path / f"bank{bank.suffix}"
    path.write_bytes(made(bank, source(parts)))
    found = examine(path)
    assert found.wrong == 0
    assert found.lines[0] == (
        f"{path.name}: a question bank for {kind.title()}, for staff only: it holds the key"
    )


def test_what_is_no_bundle_is_told_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match="not a bundle"):
        examine(path)


# --- some of the steps ------------------------------------------------------------------------------

ALL_STEPS = tuple(step.id for step in find_lesson(SLUG, ROOT).steps)


@pytest.mark.parametrize("chosen", [*((name,) for name in ALL_STEPS), ("attend", "cross"), ALL_STEPS])
def test_the_brief_of_some_steps_speaks_of_these_alone(parts: Parts, chosen: tuple[str, ...]) -> None:
    text = contents(made(KINDS["student"][0], source(parts, steps=chosen)))[
        f"exercises/{SLUG}/README.md"
    ].decode()
    whole = (ROOT / "exercises" / SLUG / "README.md").read_text("utf-8")
    left_out = [name for name in ALL_STEPS if name not in chosen]
    assert [name for name in left_out if f"`{name}`" in text or f"`{name}.py`" in text] == []
    assert [name for name in chosen if f"| `{name}` | `{name}.py` |" not in text] == []
    assert ("nine small steps" in text) == (chosen == ALL_STEPS)
    points = sum(step.points for step in find_lesson(SLUG, ROOT).steps if step.id in chosen)
    assert f"Together that is {points:g}." in text
    assert (text == whole) == (chosen == ALL_STEPS)
    assert chosen == ALL_STEPS or "<!--" not in text


def test_marks_of_the_brief_begin_no_line_of_text() -> None:
    """Markdown takes a line that begins with a comment for HTML, and shows nothing on it as Markdown."""
    text = (ROOT / "exercises" / SLUG / "README.md").read_text("utf-8")
    begun = [line for line in text.splitlines() if line.lstrip().startswith("<!--")]
    assert begun
    assert [line for line in begun if re.sub(r"<!--.*?(-->|$)", "", line).strip()] == []


def shown_points(kind: str, given: Source) -> float:
    """What all steps of a platform's bundle are worth together, as it says itself."""
    held = contents(made(KINDS[kind][-1], given))
    texts = [
        data.decode() for path, data in held.items() if path.endswith((".ipynb", ".sh", "run_autograder"))
    ]
    text = "\n".join(texts)
    if kind == "nbgrader":
        cells = json.loads(next(text for text in texts if '"cells"' in text))["cells"]
        return sum(cell["metadata"].get("nbgrader", {}).get("points", 0) for cell in cells)
    if kind == "otter":
        return sum(float(found) for found in re.findall(r"\\npoints: ([\d.]+)", text))
    return float(re.findall(r"--points ([\d.]+)", text)[0])


@pytest.mark.parametrize("kind", ["nbgrader", "otter", "gradescope", "actions", "gitlab", "classroom50"])
@pytest.mark.parametrize("points", [None, 20.0])
def test_every_platform_shows_the_points_of_the_chosen_steps(
    parts: Parts, kind: str, points: float | None
) -> None:
    given = source(parts, steps=("attend", "cross"), points=points)
    assert shown_points(kind, given) == pytest.approx(30.0 if points is None else points, abs=1e-3)


def test_a_learner_is_told_when_the_points_count_otherwise(parts: Parts) -> None:
    given = source(parts, steps=("attend", "cross"), points=20.0)
    text = contents(made(KINDS["student"][0], given))["README.md"].decode()
    assert "Together 30 points, which count as 20 where your course keeps its points." in text
    plain = contents(made(KINDS["student"][0], source(parts, steps=("attend", "cross"))))[
        "README.md"
    ].decode()
    assert "Together" not in plain


def test_the_solution_of_some_steps_takes_along_what_it_needs_of_the_others(parts: Parts) -> None:
    given = source(parts, steps=("attend", "cross"))
    assert taken_along(given.lesson) == {"attend": (), "cross": ("concat", "output", "project")}
    assert set(taken_along(source(parts).lesson).values()) == {()}
    work = solved(given, "# BEGIN", "# END")
    assert "def concat(" not in work["attend"]
    for name in ("concat", "output", "project"):
        assert work["cross"].count(f"def {name}(") == 1
        assert f"from {name} import" not in work["cross"]
    names: dict[str, object] = {}
    for text in work.values():
        exec(compile(text, "cell", "exec"), names)
    import torch

    mha = names["MultiHeadAttention"](8, 2)  # type: ignore[operator]
    x = torch.randn(2, 3, 8)
    assert names["self_attention"](mha, x).shape == x.shape  # type: ignore[operator]


def test_whoever_makes_a_bundle_of_some_steps_is_told_what_they_build_upon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.course.bundle.making.sealed_answers", lambda *_: b"sealed")
    command("student", None, out=tmp_path / "a.zip", steps="attend,cross")
    first, _ = capsys.readouterr().out.splitlines()
    assert (
        first
        == "cross builds upon concat, output, project, not among the steps: learners write that part in it, too"
    )
    command("student", None, out=tmp_path / "b.zip", steps="attend")
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gradescope", "nbgrader"])
def test_a_bundle_of_some_steps_gives_its_solution_full_points(
    parts: Parts, tmp_path: Path, kind: str
) -> None:
    given = source(parts, steps=("attend", "cross"), points=20.0)
    if kind == "nbgrader":
        given = replace(given, parts=replace(parts, sealed=lambda: sealed_bytes(given.lesson, None)))
    path = tmp_path / "bundle.zip"
    path.write_bytes(made(KINDS[kind][0], given))
    told = examine(path)
    assert told.wrong == 0, told.lines
    assert "✓ its skeleton earns 0 of 30 points, by its own engine" in told.lines
    assert "✓ the solution earns 30 of 30 points, by its own engine" in told.lines


@pytest.mark.slow
def test_a_bundle_whose_solution_falls_short_is_told(parts: Parts) -> None:
    given = source(parts, steps=("concat",))
    given = replace(given, parts=replace(parts, sealed=lambda: sealed_bytes(given.lesson, None)))
    held = [one for one in unpacked(made(KINDS["nbgrader"][0], given)) if one.path != MANIFEST]
    right, wrong = b"return heads.transpose(1, 2)", b"return heads.flip(1).transpose(1, 2)"
    assert sum(one.data.count(right) for one in held if one.path.endswith(".ipynb")) == 1
    slipped = [
        replace(one, data=one.data.replace(right, wrong)) if one.path.endswith(".ipynb") else one
        for one in held
    ]
    skeleton, solution = _grades(slipped, None)
    assert skeleton == ("its skeleton earns 0 of 10 points, by its own engine", True)
    assert solution == ("the solution earns 0 of 10 points, by its own engine", False)
