"""Lessons: what lesson.yaml may say, and how it is told when it contradicts itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from grader.core.errors import InputError, LessonError
from grader.grading.run import aliases_of
from grader.lesson.courses import find_course, lesson_slugs
from grader.lesson.lesson import Lesson, find_lesson

GOOD = """\
version: 1
title: A lesson
module: "1.2"
summary: One sentence.
public_seed: 7
symbols: {B: batch}
forbidden:
  - {name: torch.nn.functional.softmax, say: F.softmax}
objectives:
  - {id: both, text: Do both., steps: [first, second]}
steps:
  - id: first
    title: The first
    file: first.py
    points: 2
    forbid: true
    provides: [{name: Thing, method: forward, takes: 1}]
    hint: Look.
  - id: second
    title: The second
    file: second.py
    points: 0.5
    provides: [{name: Thing, method: forward, takes: 3}, {name: wire}]
    uses: [first]
    hint: Look again.
"""


def make(root: Path, text: str = GOOD, slug: str = "toy") -> Path:
    folder = root / "exercises" / slug
    folder.mkdir(parents=True)
    (folder / "lesson.yaml").write_bytes(text.encode())
    for name in ("first.py", "second.py"):
        (folder / name).write_text("")
    return root


def read(root: Path, text: str = GOOD) -> Lesson:
    return find_lesson("toy", make(root, text))


def test_a_good_lesson_is_read_with_its_defaults(tmp_path: Path) -> None:
    lesson = read(tmp_path)
    assert (lesson.slug, lesson.title, lesson.module, lesson.public_seed) == ("toy", "A lesson", "1.2", 7)
    assert lesson.folder == tmp_path / "exercises" / "toy"
    assert lesson.max_score == 2.5
    limits = lesson.limits
    assert (limits.import_seconds, limits.call_seconds, limits.step_cpu_seconds) == (20, 10, 60)
    assert (limits.memory_mib, limits.print_kib) == (4096, 64)
    first, second = lesson.steps
    assert (first.forbid, first.uses, first.provides[0].takes) == (True, (), 1)
    assert (second.forbid, second.uses, [p.name for p in second.provides]) == (
        False,
        ("first",),
        ["Thing", "wire"],
    )


def test_a_lesson_cannot_be_changed(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        read(tmp_path).steps[0].points = 100


def test_the_reference_is_there_only_where_its_folder_is(tmp_path: Path) -> None:
    assert read(tmp_path).reference is None
    (tmp_path / "reference" / "toy").mkdir(parents=True)
    assert find_lesson("toy", tmp_path).reference == tmp_path / "reference" / "toy"


def test_the_only_lesson_needs_no_name_and_of_several_one_must_be_chosen(tmp_path: Path) -> None:
    make(tmp_path)
    assert find_lesson(None, tmp_path).slug == "toy"
    make(tmp_path, slug="another")
    assert lesson_slugs(tmp_path) == ("another", "toy")
    with pytest.raises(InputError, match="several lessons here; say which with --lesson: another, toy"):
        find_lesson(None, tmp_path)


@pytest.mark.parametrize("slug", ["tox", "../exercises/toy", ""])
def test_an_unknown_lesson_is_answered_with_those_there_are(tmp_path: Path, slug: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"no lesson named {slug!r}; there is toy")):
        find_lesson(slug, make(tmp_path))


def test_a_place_without_lessons_says_what_it_looked_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no exercises/<lesson>/lesson.yaml in it; name the folder"):
        find_lesson(None, tmp_path)


PROBLEMS = {
    "unknown field": (
        "    hint: Look.",
        "    hunt: Look.",
        18,
        "`steps.0.hunt` is not a field of a lesson; correct its name",
    ),
    "missing field": ("    hint: Look.\n", "", 12, "`steps.0.hint` is missing; add it"),
    "surplus field": ("version: 1", "version: 1\ncolour: red", 2, "`colour` is not a field of a lesson"),
    "field of ours": ("version: 1", "version: 1\nslug: other", 2, "`slug` is not a field of a lesson"),
    "other version": ("version: 1", "version: 2", 1, "`version`: Input should be 1, found 2"),
    "no points": ("points: 2", "points: 0", 15, "`steps.0.points`: Input should be greater than 0, found 0"),
    "infinite points": ("points: 2", "points: .inf", 15, "`steps.0.points`: Input should be a finite number"),
    "text for points": ("points: 2", "points: '2'", 15, "`steps.0.points`: Input should be a valid number"),
    "truth for points": ("points: 2", "points: true", 15, "`steps.0.points`: Input should be a valid number"),
    "empty hint": (
        "hint: Look.",
        "hint: '  '",
        18,
        "`steps.0.hint`: String should have at least 1 character",
    ),
    "text for forbid": (
        "forbid: true",
        "forbid: 'no'",
        16,
        "`steps.0.forbid`: Input should be a valid boolean",
    ),
    "path for file": (
        "file: first.py",
        "file: ../first.py",
        14,
        "`steps.0.file`: String should match pattern",
    ),
    "name not dotted": (
        "torch.nn.functional.softmax",
        "softmax",
        8,
        "`forbidden.0.name`: String should match",
    ),
    "name no name": (
        "torch.nn.functional.softmax",
        "torch.nn.2d",
        8,
        "`forbidden.0.name`: String should match",
    ),
    "number for module": ('module: "1.2"', "module: 1.2", 3, "`module`: Input should be a valid string"),
    "no steps": (
        GOOD[GOOD.index("steps:\n") :],
        "steps: []\n",
        11,
        "`steps`: Tuple should have at least 1 item",
    ),
    "nothing provided": ("[{name: Thing, method: forward, takes: 1}]", "[]", 17, "`steps.0.provides`: Tuple"),
    "step id twice": (
        "id: second",
        "id: first",
        19,
        "id 'first' is already taken in `steps`; choose another",
    ),
    "file twice": ("file: second.py", "file: first.py", 21, "file 'first.py' is already taken in `steps`"),
    "uses unknown": ("uses: [first]", "uses: [frist]", 24, "no earlier step; did you mean 'first'?"),
    "uses itself": (
        "uses: [first]",
        "uses: [second]",
        24,
        "uses 'second', which is no earlier step; correct it",
    ),
    "objective unknown": ("[first, second]", "[first, third]", 10, "no step has the id 'third'; correct it"),
    "forbids nothing": (
        "  - {name: torch.nn.functional.softmax, say: F.softmax}",
        "  []",
        16,
        "lists no name",
    ),
    "file not there": ("file: second.py", "file: third.py", 21, "third.py does not stand beside lesson.yaml"),
    "same name and takes": (
        "takes: 3",
        "takes: 1",
        23,
        "Thing is provided twice; tell them apart by `method`",
    ),
    "same name, no takes": ("{name: wire}", "{name: Thing}", 23, "Thing is provided twice"),
    "method, no takes": (
        "{name: wire}",
        "{name: wire, method: f}",
        23,
        "wire: give `method` and `takes` together",
    ),
    "key twice": (
        "    hint: Look.",
        "    hint: Look.\n    hint: No.",
        19,
        "`hint` stands here twice; keep one",
    ),
    "bracket open": ("symbols: {B: batch}", "symbols: {B: batch", 7, "not valid YAML ("),
    "builds objects": ("{B: batch}", "!!python/object/apply:os.getcwd []", 6, "not valid YAML ("),
    "no mapping": (GOOD, "- 1\n", 1, "expected fields such as `title: ...` at the top"),
    "nothing": (GOOD, "", 1, "expected fields such as `title: ...` at the top"),
}


@pytest.mark.parametrize(("old", "new", "line", "said"), PROBLEMS.values(), ids=PROBLEMS)
def test_a_contradiction_is_one_line_with_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(LessonError) as caught:
        read(tmp_path, GOOD.replace(old, new))
    text = str(caught.value)
    assert text.startswith(f"exercises/toy/lesson.yaml, line {line}: ")
    assert said in text
    assert "\n" not in text


def test_objectives_and_forbidden_names_are_unique(tmp_path: Path) -> None:
    entry = "  - {name: torch.nn.functional.softmax, say: F.softmax}\n"
    with pytest.raises(LessonError, match=r"line 9: name 'torch.nn.functional.softmax' is already taken"):
        read(tmp_path / "a", GOOD.replace(entry, entry * 2))
    entry = "  - {id: both, text: Do both., steps: [first, second]}\n"
    with pytest.raises(LessonError, match=r"line 11: id 'both' is already taken in `objectives`"):
        read(tmp_path / "b", GOOD.replace(entry, entry * 2))


WEIGHTS = """weights:
  - {name: A, also: [left, first]}
  - {name: B, also: [right]}
  - {name: AB, holds: [A, B], also: [both]}
  - {holds: [A, B], also: [pair]}
"""
WITH_WEIGHTS = GOOD.replace("objectives:", WEIGHTS + "objectives:")
CONFLICTS = {
    "two weights of one name": ("also: [right]", "also: [LEFT]", 11, "'LEFT' is already taken in `weights`"),
    "another's own name": ("also: [right]", "also: [a]", 11, "'a' is already taken in `weights`"),
    "one name twice": ("also: [both]", "also: [both, Both]", 12, "'Both' is already taken in `weights`"),
    "a name taken before": ("name: B,", "name: Left,", 11, "'Left' is already taken in `weights`"),
    "holds what is none": ("{holds: [A, B]", "{holds: [A, C]", 13, "holds 'C', which is no weight"),
    "nothing said": ("{name: B, also: [right]}", "{also: [right]}", 11, "a `name`, or `holds` several"),
    "holds one": (
        "{holds: [A, B]",
        "{holds: [A]",
        13,
        "`weights.3.holds`: Tuple should have at least 2 items",
    ),
}


def test_weights_have_other_names_and_may_be_held_together(tmp_path: Path) -> None:
    weights = read(tmp_path, WITH_WEIGHTS).weights
    assert [weight.asked for weight in weights] == ["A", "B", "AB", "A and B"]
    told = aliases_of(read(tmp_path / "again", WITH_WEIGHTS))
    assert told[0] == {"asked": "A", "holds": ["A"], "names": ["a", "first", "left"]}
    assert told[3] == {"asked": "A and B", "holds": ["A", "B"], "names": ["pair"]}


@pytest.mark.parametrize(("old", "new", "line", "said"), CONFLICTS.values(), ids=CONFLICTS)
def test_no_name_stands_for_two_weights(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    assert WITH_WEIGHTS.count(old) == 1
    with pytest.raises(LessonError, match=f"line {line}: ") as caught:
        read(tmp_path, WITH_WEIGHTS.replace(old, new))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"title: \xff", "byte 7 is not UTF-8; save the file as UTF-8"),
        (b"title: \x00", "not valid YAML (unacceptable character"),
        (b"title: " + b"9" * 5_000, "a number or a date cannot be read (Exceeds the limit (4300 digits)"),
        (b"title: 2026-13-01", "a number or a date cannot be read (month must be in 1..12)"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = make(tmp_path) / "exercises" / "toy" / "lesson.yaml"
    path.write_bytes(content)
    with pytest.raises(LessonError) as caught:
        find_lesson("toy", tmp_path)
    assert str(caught.value).startswith("exercises/toy/lesson.yaml")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "exercises" / "toy" / "lesson.yaml").mkdir(parents=True)
    with pytest.raises(LessonError, match="cannot be read"):
        find_lesson("toy", tmp_path)


def test_bom_and_windows_line_ends_are_no_trouble(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeff" + GOOD.replace("\n", "\r\n")).title == "A lesson"


def test_reading_lessons_imports_nothing_heavy() -> None:
    code = "import sys, grader.lesson.lesson as l; l.find_lesson(l.lesson_slugs(l.find_course())[0])"
    code += "; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=find_course(), capture_output=True, text=True, check=True
    )
    assert {"torch", "numpy", "pytest", "matplotlib", "rich"}.isdisjoint(done.stdout.split())


OURS = [
    pytest.param(lesson, step, id=f"{lesson.slug}-{step.id}")
    for lesson in (find_lesson(slug) for slug in lesson_slugs(find_course()))
    for step in lesson.steps
]


@pytest.mark.parametrize(("lesson", "step"), OURS)
def test_skeletons_look_alike(lesson: Lesson, step) -> None:
    text = (lesson.folder / step.file).read_text(encoding="utf-8")
    tree = ast.parse(text)
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert list(defined) == [provided.name for provided in step.provides]
    assert re.findall(r"# TODO\((\S+)\): \S", text) == [step.id]
    assert text.count("By hand") >= 1
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        last = ast.unparse(function.body[-1])
        assert last == f"raise NotImplementedError('{step.id}: not written yet')", function.name
        assert function.returns is not None
        assert all(argument.annotation for argument in function.args.args if argument.arg != "self")
    for node in [tree, *functions, *defined.values()]:
        doc = ast.get_docstring(node) or ""
        assert len(doc.splitlines()) <= 10
        assert doc or getattr(node, "name", "") == "__init__"


def test_every_step_serves_an_objective() -> None:
    for slug in lesson_slugs(find_course()):
        lesson = find_lesson(slug)
        served = {name for objective in lesson.objectives for name in objective.steps}
        assert served == {step.id for step in lesson.steps}, slug
