from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.core.errors import LessonError
from grader.lesson.lesson import Lesson, find_lesson
from grader.lesson.reference import make_probes, module, read_mistakes, read_reference
from tests.tools.lessons_here import ROOT, SLUGS, the_lesson

ENTRY = "- {id: scale-missing, home: add, title: No scale, message: It is not scaled., hint: [a, b, c]}\n"


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    """The lesson with a reference of three files."""
    folder = tmp_path / "tiny"
    for name in ("solution", "probes"):
        (folder / name).mkdir(parents=True)
    (folder / "solution" / "add.py").write_text("def add(x, y):\n    return x + y\n", encoding="utf-8")
    (folder / "mistakes.py").write_text("def overlay(ids):\n    return {}\n", encoding="utf-8")
    (folder / "mistakes.yaml").write_text(ENTRY, encoding="utf-8")
    lesson = the_lesson()
    probes = f"""from types import SimpleNamespace as Probe

def probes(seed):
    return [Probe(step={lesson.steps[0].id!r}, id=str(seed)), Probe(step="elsewhere", id="no")]
"""
    (folder / "probes" / "__init__.py").write_text(probes, encoding="utf-8")
    return lesson.model_copy(update={"slug": tmp_path.name, "reference": folder})


def test_the_solution_and_the_mistakes_are_text(lesson: Lesson) -> None:
    assert lesson.reference is not None
    found = read_reference(lesson.reference)
    assert [(entry["name"], entry["path"]) for entry in found.modules] == [
        ("add", "add.py"),
        ("mistakes", "mistakes.py"),
    ]
    assert found.modules[0] == module("add", "add.py", "def add(x, y):\n    return x + y\n")
    (entry,) = found.mistakes
    assert (entry.id, entry.name, entry.homes, entry.hint) == (
        "scale-missing",
        "scale-missing",
        ("add",),
        ("a", "b", "c"),
    )


def test_a_form_of_a_mistake_is_reported_under_its_name(tmp_path: Path) -> None:
    path = tmp_path / "mistakes.yaml"
    path.write_text(
        "- {id: a, home: [x, y], title: t, message: m, hint: [h], form_of: scale, twins: [b]}\n",
        encoding="utf-8",
    )
    (entry,) = read_mistakes(path)
    assert (entry.name, entry.homes, entry.twins) == ("scale", ("x", "y"), ("b",))


def test_a_lesson_without_a_catalogue_has_no_mistakes(tmp_path: Path) -> None:
    assert read_mistakes(tmp_path / "mistakes.yaml") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ENTRY + ENTRY, "mistakes.yaml: the id scale-missing stands twice"),
        (ENTRY.replace("title: No scale, ", ""), "mistakes.yaml, line 1"),
        (ENTRY.replace("scale-missing", "Scale Missing"), "mistakes.yaml, line 1"),
        (ENTRY.replace("title", "tittle: x, title"), "mistakes.yaml, line 1"),
        (
            ENTRY + ENTRY.replace("scale-missing", "other").replace("message: It is not scaled., ", ""),
            "line 2",
        ),
        ("scale: missing\n", "mistakes.yaml"),
        ("- [\n", "mistakes.yaml"),
    ],
)
def test_a_catalogue_with_a_fault_names_file_and_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "mistakes.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LessonError) as raised:
        read_mistakes(path)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)


def test_probes_are_made_from_the_seed_for_the_lessons_steps_alone(lesson: Lesson) -> None:
    asked = lesson.steps[0].id
    assert [(probe.step, probe.id) for probe in make_probes(lesson, 7)] == [(asked, "7")]
    assert [(probe.step, probe.id) for probe in make_probes(lesson, 8)] == [(asked, "8")]


def test_a_lesson_without_a_reference_has_no_probes(lesson: Lesson, tmp_path: Path) -> None:
    with pytest.raises(LessonError) as raised:
        make_probes(lesson.model_copy(update={"reference": None}), 7)
    assert str(raised.value) == f"{lesson.slug}: the reference is not here, so no probes can be drawn"
    empty = lesson.model_copy(update={"slug": f"{lesson.slug}-empty", "reference": tmp_path})
    with pytest.raises(LessonError) as raised:
        make_probes(empty, 7)
    assert str(raised.value) == f"{tmp_path / 'probes'}: no probes here"


@pytest.mark.parametrize("slug", SLUGS)
def test_the_lessons_probes_have_ids_of_their_own_and_are_the_same_for_the_same_seed(slug: str) -> None:
    lesson = find_lesson(slug, ROOT)
    if lesson.reference is None:
        pytest.skip("the reference is not here")
    first, second, other = (make_probes(lesson, seed) for seed in (7, 7, 8))
    ids = [probe.id for probe in first]
    assert len(set(ids)) == len(ids)
    assert {probe.step for probe in first} == {step.id for step in lesson.steps}
    assert [probe.letter() for probe in first] == [probe.letter() for probe in second]
    assert [probe.letter() for probe in first] != [probe.letter() for probe in other]
    for probe in first:  # but whether inputs are to come back, which is asked for and so cannot be hidden
        tags = frozenset({"other"}) | probe.tags & {"untouched"}
        assert probe.letter() == replace(probe, tags=tags).letter()
