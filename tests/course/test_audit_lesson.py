"""A whole audit of a lesson of one step whose checks have a known hole: nobody ever asks with another scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from grader.core.errors import InputError, LessonError
from grader.course.audit.bench import Bench, Place
from grader.course.audit.command import run
from grader.course.audit.equivalents import FILE
from grader.course.audit.findings import Audit, MutantFinding
from grader.course.audit.trials import trial, trial_run
from grader.course.audit.whole import Plan, audit, prepare
from grader.lesson.lesson import Limits
from tests.tools.small_lesson import lay_out

RIGHT = {
    "right/other.py": "def add(x, y, scale=1):\n    return y * scale + x\n",
    "right/wrong.py": "def add(x, y):\n    return x - y\n",
    "right/README.md": "Right, but for one.\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    lay_out(folder)
    for name, text in RIGHT.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def plan(root: Path) -> Plan:
    return Plan(root=root, seeds=3, right=root / "right", right_seeds=2, pairs=3, processes=1)


@pytest.fixture(scope="module")
def found(plan: Plan) -> Audit:
    ticks: list[int] = []
    task = prepare(plan)
    result = audit(task, 1, ticks.append)
    assert sum(ticks) == task.total
    return result


def by_change(found: Audit) -> Mapping[str, MutantFinding]:
    return {mutant.now.strip(): mutant for mutant in found.mutants}


def test_the_hole_is_found(found: Audit) -> None:
    survivors = {mutant.now for mutant in found.survivors()}
    assert "return a + b" in survivors  # nobody asks with a scale
    assert "return a - scale * b" not in survivors
    assert not found.proved
    assert found.whole


def test_who_noticed_a_mutant_and_what_the_catalogue_calls_it(found: Audit) -> None:
    minus = by_change(found)["return a - scale * b"]
    assert (minus.outcome, minus.killed_by) == ("killed", ("values", "order"))
    assert (minus.behaviour, minus.named) == ("answers", ("minus",))
    nothing = by_change(found)["return a"]
    assert (nothing.outcome, nothing.behaviour, nothing.named) == ("killed", "answers", ())
    assert nothing in found.gaps()


def test_a_check_that_repeats_another_is_idle(found: Audit) -> None:
    assert [(check.id, check.alone) for check in found.checks] == [("values", 0), ("order", 0)]
    assert all(check.kills == found.checks[0].kills > 10 for check in found.checks)


def test_known_mistakes_fail_and_are_named(found: Audit) -> None:
    assert [(one.id, one.killed_by, one.named, one.right) for one in found.known] == [
        ("minus", ("values", "order"), ("minus",), True),
        ("twice", ("values", "order"), ("twice",), True),
    ]


def test_right_work_passes_and_what_is_not_right_is_told(found: Audit) -> None:
    work = {part.kind: part for part in found.work}
    assert {kind: part.tried for kind, part in work.items()} == {
        "solution": 1, "skeleton": 1, "right": 2, "styles": 4, "seeds": 3,
    }  # fmt: skip
    checks = ("values", "order")
    assert [(loss.who, loss.check) for loss in work["right"].losses] == [("wrong.py", c) for c in checks]
    assert [(loss.who, loss.check) for loss in work["styles"].losses] == [
        (f"wrong.py, seed {seed}", check) for seed in (4, 5) for check in checks
    ]


def test_two_mistakes_made_together_are_both_named(found: Audit) -> None:
    assert [(pair.made, sorted(pair.named), pair.outcome) for pair in found.pairs] == [
        (("minus", "twice"), ["minus", "twice"], "named")
    ]
    assert found.told_apart() == (1, 1)


def test_distances_have_right_work_below_the_tolerance_and_known_mistakes_beyond(
    plan: Plan, tmp_path: Path
) -> None:
    only = tmp_path / "right"
    only.mkdir()
    (only / "other.py").write_text("def add(x, y, scale=1):\n    return y * scale + x\n", "utf-8")
    told = audit(prepare(replace(plan, right=only, mutants=0)), 1, lambda _: None).distances
    assert [one.probe for one in told] == ["add/plain-2", "add/plain-5"]
    assert all(one.right <= 1 for one in told)
    assert all(one.wrong is not None and one.wrong > 1000 for one in told)


def test_right_work_that_is_off_has_its_distance_told(found: Audit) -> None:
    assert all(one.right > 1000 for one in found.distances)  # wrong.py is among the right ones


@pytest.fixture
def justified(root: Path, found: Audit) -> Iterator[Path]:
    """The file of justifications, with all of today's survivors in it."""
    mutants = [{"id": m.id, "was": m.was, "now": m.now} for m in found.survivors()]
    path = root / "reference" / "tiny" / FILE
    reason = "nobody in this lesson gives a scale, which is said in its brief"
    path.write_text(yaml.safe_dump([{"reason": reason, "mutants": mutants}]), encoding="utf-8")
    yield path
    path.unlink()


@pytest.mark.usefixtures("justified")
def test_with_its_survivors_justified_the_lesson_is_proved_by_two_processes(
    plan: Plan, tmp_path: Path
) -> None:
    right = plan.right
    assert right is not None
    only = tmp_path / "right"
    only.mkdir()
    (only / "other.py").write_text((right / "other.py").read_text("utf-8"), encoding="utf-8")
    one, two = tmp_path / "a.json", tmp_path / "a.html"
    proved = run(replace(plan, right=only, processes=2), one, two)
    assert proved.problems == ()
    assert proved.proved
    assert one.read_text("utf-8").startswith("{")
    assert "tiny is proved" in two.read_text("utf-8")


def test_a_justification_that_holds_no_longer_fails_the_audit(plan: Plan, justified: Path) -> None:
    text = justified.read_text("utf-8")
    killed = "- {id: add/0000000000, was: return a, now: return b}"
    reason = "this one was there once and somebody wrote another line"
    justified.write_text(text + f"- reason: {reason}\n  mutants:\n    {killed}\n", encoding="utf-8")
    result = audit(prepare(replace(plan, right=None, seeds=0, mutants=4)), 1, lambda _: None)
    assert [stale.id for stale in result.stale] == ["add/0000000000"]
    assert not result.proved
    assert not result.whole


def test_a_mutant_that_dies_or_hangs_costs_itself_alone(root: Path) -> None:
    with Bench(Place("tiny", root, 3)) as bench:
        lesson = bench.lesson.model_copy(update={"limits": Limits(call_seconds=1.0)})
        bodies = {
            "first": "return a + b",
            "dies": "import os; os._exit(3)",
            "between": "return a - b",
            "hangs": "while True: pass",
            "last": "return b",
        }
        sources = {
            name: {"add": f"def add(a, b):\n    {body}\n"} for name, body in bodies.items()
        }  # fmt: skip
        sources["unreadable"] = {"add": "raise OSError('no')\n"}
        probes = [probe for probe in bench.probes if probe.step == "add"]
        got = trial(trial_run(lesson, bench.run), "add", probes, sources, bench.worker)
    told = {name: [got[name][probe.id].outcome for probe in probes] for name in sources}
    assert told == {
        "first": ["returned"] * 2, "dies": ["stopped"] * 2, "between": ["returned"] * 2,
        "hangs": ["stopped"] * 2, "last": ["returned"] * 2, "unreadable": ["absent"] * 2,
    }  # fmt: skip
    assert "exit code 3" in got["dies"][probes[0].id].message
    assert "within 1 s" in got["hangs"][probes[0].id].message


@pytest.mark.parametrize(
    ("gone", "error", "said"),
    [
        ("reference/tiny", LessonError, "the reference is not here"),
        ("reference/tiny/solution/add.py", LessonError, "the solution of add is not there"),
        ("right", InputError, "no such folder"),
    ],
)
def test_a_lesson_that_lacks_something_is_told_before_any_work(
    plan: Plan, gone: str, error: type[Exception], said: str
) -> None:
    assert plan.root is not None
    kept = plan.root / gone
    away = kept.with_name("away")
    kept.rename(away)
    try:
        with pytest.raises(error, match=said):
            prepare(plan)
    finally:
        away.rename(kept)
