"""The real lesson's mutants: a sample of them tried, all of them made."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from grader.course.audit.bench import Bench, Place
from grader.course.audit.equivalents import read_equivalents
from grader.course.audit.findings import WorkFinding
from grader.course.audit.jobs import RightJob, StepJob, do
from grader.course.audit.whole import Plan, audit, prepare
from grader.lesson.lesson import find_lesson
from tests.tools.corpus import ROOT

PROMISED = 600
SAMPLE = 60


@pytest.fixture(
    scope="module", params=[lesson.parent.name for lesson in ROOT.glob("exercises/*/lesson.yaml")]
)
def plan(request: pytest.FixtureRequest) -> Plan:
    return Plan(slug=request.param, root=ROOT, seeds=2, mutants=SAMPLE, processes=2)


def test_there_are_mutants_of_every_step_by_many_operators(plan: Plan) -> None:
    every = prepare(plan).every.values()
    assert len(every) >= PROMISED
    steps = Counter(mutant.step for mutant in every)
    assert set(steps) == {step.id for step in find_lesson(plan.slug, ROOT).steps}
    assert min(steps.values()) >= 15
    assert len({mutant.operator for mutant in every}) >= 20


def test_every_justification_is_of_a_mutant_there_is(plan: Plan) -> None:
    every = prepare(plan).every
    reference = find_lesson(plan.slug, ROOT).reference
    assert reference is not None
    for entry in read_equivalents(reference):
        for one in entry.mutants:
            assert one.id in every, one
            assert (one.was.strip(), one.now.strip()) == (every[one.id].was, every[one.id].now)


@pytest.mark.slow
def test_a_sample_of_the_mutants_is_noticed_or_justified(plan: Plan) -> None:
    task = prepare(plan)
    jobs = tuple(replace(job, entries=0) if isinstance(job, StepJob) else job for job in task.jobs)
    result = audit(replace(task, jobs=jobs), 2, lambda _: None)
    assert result.problems == ()
    assert len(result.mutants) == SAMPLE
    assert not result.whole


def test_right_work_is_judged_on_other_seeds_in_the_steps_it_holds() -> None:
    # It has the name that `cross` asks for too, in the form of `module` alone.
    job = RightJob(
        ROOT / "tests" / "data" / "golden" / "right" / "addmm_flat_tokens.py",
        ("attend", "output", "module"),
        (4, 5),
    )
    with Bench(Place("multi_head_attention", ROOT, 3)) as bench:
        right, styles = do(bench, job, lambda _: None)
    assert isinstance(right, WorkFinding)
    assert isinstance(styles, WorkFinding)
    assert (right.tried, right.losses) == (1, ())
    assert (styles.tried, styles.losses) == (2, ())
    assert {one.step for one in styles.distances} == {"attend", "output", "module"}
