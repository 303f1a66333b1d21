"""Proof of the lessons: the solution earns all, the skeleton nothing, every known mistake fails and is named."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import pytest

from grader.course.audit.judging import judge_each, killers
from grader.grading.accounts import Standard, homes_of
from grader.grading.ask_reference import variants
from grader.grading.pipeline import standard
from grader.grading.run import reference_run
from grader.grading.seal import homes_within
from grader.grading.session import Session
from grader.judging.cases import Case
from grader.judging.diagnosis.diagnose import diagnose
from grader.judging.diagnosis.suspect import Answers, Suspect, alike, words
from grader.judging.sealed.file import laid_open, seal_lesson
from grader.lesson.lesson import Lesson, Step
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake, make_probes, read_reference
from grader.report.terminal import render
from grader.sandbox.client import start_trusted
from tests.tools.corpus import SOLUTION, names_of
from tests.tools.lessons_here import the_lesson

pytestmark = pytest.mark.slow
SEED = 20
LARGE = frozenset({"module", "cross"})  # two thirds of the work: `make test-all` and `make audit` have them
ROOT = Path(__file__).resolve().parents[2]


class Catalogue:
    """The answers of the solution and of every known mistake, in every step it can live in, at one seed."""

    def __init__(self, left_out: frozenset[str]) -> None:
        self.lesson: Lesson = the_lesson()
        assert self.lesson.reference is not None
        reference = read_reference(self.lesson.reference)
        self.probes = [probe for probe in make_probes(self.lesson, SEED) if probe.judged]
        worker = start_trusted()
        try:
            self.held: Standard = standard(
                self.lesson, reference, self.probes, worker, time.monotonic() + 120
            )
            run = reference_run(self.lesson, reference.modules, exact=False)
            self.answers: dict[str, Mapping[str, Answers]] = {}
            self.steps = [step for step in self.lesson.steps if step.id not in left_out]
            for step in self.steps:
                sets = {entry.id: (entry.id,) for entry in self.entries(step)}
                self.answers[step.id] = variants(run, step.id, self.asked(step), sets, worker, 300.0)
        finally:
            worker.close()

    def asked(self, step: Step) -> list[Probe]:
        """The step's probes."""
        return [probe for probe in self.probes if probe.step == step.id]

    def entries(self, step: Step) -> list[Mistake]:
        """The known mistakes that can live in a step."""
        return [entry for entry in self.held.mistakes if set(entry.homes) & set(homes_of(self.lesson, step))]

    def ask(
        self, step: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Answers]:
        """Answers out of the store, as the worker would give them."""
        found = self.answers[step]
        return {
            key: {probe.id: found[ids[0]][probe.id] for probe in probes}
            for key, ids in sets.items()
            if len(ids) == 1 and ids[0] in found
        }


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(LARGE, id="small steps"),
        pytest.param(frozenset(), id="all steps", marks=pytest.mark.thorough),
    ],
)
def catalogue(request: pytest.FixtureRequest) -> Catalogue:
    return Catalogue(request.param)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(None, SEED, ROOT) as made:
        yield made


def homed(catalogue: Catalogue) -> Iterator[tuple[Step, Mistake]]:
    """Every known mistake with the step it is at home in."""
    for step in catalogue.steps:
        for entry in catalogue.entries(step):
            if step.file.removesuffix(".py") in entry.homes:
                yield step, entry


def test_the_solution_earns_everything(session: Session) -> None:
    record = session.grade(SOLUTION)
    assert record.score == record.max_score == 100
    assert all(step.status == "passed" and not step.mistakes and not step.review for step in record.steps)


def test_the_skeleton_earns_nothing_and_is_no_error(session: Session) -> None:
    record = session.grade(ROOT / "exercises" / "multi_head_attention")
    assert record.score == 0
    assert {step.status for step in record.steps} == {"not_attempted"}
    told = render(record, width=80, colour=False)
    assert "still the skeleton" in told
    assert "NotImplementedError" not in told
    assert "✗" not in told


def test_every_mistake_answers_in_its_own_step(catalogue: Catalogue) -> None:
    silent = [(step.id, e.id) for step, e in homed(catalogue) if e.id not in catalogue.answers[step.id]]
    assert silent == []


def test_every_mistake_fails_its_step(catalogue: Catalogue) -> None:
    checks = catalogue.lesson.folder / "checks.py"
    passed = []
    for step, homed_here in groupby(homed(catalogue), key=lambda pair: pair[0]):
        entries = [entry for _, entry in homed_here]
        subjects = []
        for entry in entries:
            given = catalogue.answers[step.id][entry.id]
            cases = [Case(p, given[p.id], catalogue.held.want.get(p.id, {})) for p in catalogue.asked(step)]
            subjects.append({step.id: cases})
        for entry, verdicts in zip(entries, judge_each(checks, subjects, [step.id]), strict=True):
            assert verdicts
            if not killers(verdicts):
                passed.append((step.id, entry.id))
    assert not passed, passed


def test_every_mistake_is_named(catalogue: Catalogue) -> None:
    total, wrong = 0, []
    for step, entry in homed(catalogue):
        given = catalogue.answers[step.id][entry.id]
        probes = tuple(catalogue.asked(step))
        suspect = Suspect(step.id, homes_of(catalogue.lesson, step), probes, given, catalogue.held.want)
        named = diagnose(suspect, catalogue.held.mistakes, catalogue.ask)
        total += 1
        if [other.name for other in named] not in [[name] for name in names_of(entry)]:
            wrong.append((step.id, entry.id, [other.id for other in named]))
    assert len(wrong) <= 0.02 * total, wrong


def test_no_two_mistakes_are_alike_unless_twins(catalogue: Catalogue) -> None:
    same = []
    for step in catalogue.steps:
        stem = step.file.removesuffix(".py")
        entries = [entry for entry in catalogue.entries(step) if stem in entry.homes]
        for place, one in enumerate(entries):
            for two in entries[place + 1 :]:
                twins = one.name == two.name or two.id in one.twins or one.id in two.twins
                if not twins and _alike(catalogue, step, one, two):
                    same.append((step.id, one.id, two.id))
    assert not same, same


def _alike(catalogue: Catalogue, step: Step, one: Mistake, two: Mistake) -> bool:
    first, second = catalogue.answers[step.id][one.id], catalogue.answers[step.id][two.id]
    return all(
        alike(probe, first[probe.id], second[probe.id]) and words(first[probe.id]) == words(second[probe.id])
        for probe in catalogue.asked(step)
    )


def test_the_catalogue_covers_what_was_promised(catalogue: Catalogue) -> None:
    assert len({entry.name for entry in catalogue.held.mistakes}) >= 40
    for entry in catalogue.held.mistakes:
        assert len(entry.title) <= 90, entry.id
        assert len(entry.hint) == 3, entry.id
        assert all(entry.hint), entry.id


def test_no_input_lies_off_the_grid_but_the_extremes(catalogue: Catalogue) -> None:
    """What every dtype can hold exactly leaves no rounding of the inputs to argue about."""
    for probe in catalogue.probes:
        if probe.core and probe.dtype != "float32":
            for name, array in probe.tensors.items():
                assert array.dtype.kind != "f" or bool((array * 64 == (array * 64).round()).all()), (
                    probe.id,
                    name,
                )


def test_sizes_tell_the_axes_apart(catalogue: Catalogue) -> None:
    for probe in catalogue.probes:
        sizes = probe.sizes
        if "plain" in probe.id and "h" in sizes and probe.id.endswith("/plain"):
            lengths = [sizes[axis] for axis in sizes]
            assert len(set(lengths)) == len(lengths), probe.id
        if "d_model" in sizes and "h" in sizes and not probe.tags & {"equal", "edges", "refuse"}:
            assert sizes["d_model"] != sizes["h"] ** 2, probe.id


def test_one_step_alone_costs_nothing_elsewhere(session: Session, tmp_path: Path) -> None:
    shutil.copy(SOLUTION / "concat.py", tmp_path / "concat.py")
    record = session.grade(tmp_path)
    assert {step.id: step.status for step in record.steps if step.status != "not_attempted"} == {
        "concat": "passed"
    }
    assert record.score == 10


def test_a_mistake_is_sealed_where_the_solution_imports_it_and_nowhere_else() -> None:
    lesson = the_lesson()
    assert lesson.reference is not None
    within = homes_within(lesson, read_reference(lesson.reference))
    steps = ["project", "attend", "concat", "output"]
    assert within["attend"] == ["attend"]
    # A learner's cross.py may build upon module.py; the solution's does not, so nothing there can be seen in it.
    assert within["cross"] == ["cross", *steps]
    assert within["module"] == ["module", *steps]


def test_a_sealed_file_grades_and_names_without_the_reference(catalogue: Catalogue, tmp_path: Path) -> None:
    lesson, held = catalogue.lesson, catalogue.held
    assert lesson.reference is not None
    within = homes_within(lesson, read_reference(lesson.reference))
    homes = {step.id: within[step.id] if step in catalogue.steps else () for step in lesson.steps}
    data = seal_lesson(
        lesson.slug, SEED, held.probes, want=held.want, mistakes=held.mistakes, homes=homes, ask=catalogue.ask
    )
    assert len(data) < 1.5e6
    unpacked = b"".join(laid_open(data))
    code = {
        line.strip()
        for path in SOLUTION.parent.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
    }
    telling = [line for line in code if re.search(r"=|return|def ", line) and len(line) > 24]
    assert telling
    assert [line for line in telling if line.encode() in unpacked] == []

    file, wrong = tmp_path / "sealed.bin", tmp_path / "wrong"
    file.write_bytes(data)
    shutil.copytree(SOLUTION, wrong)
    step = wrong / "attend.py"
    step.write_text(step.read_text("utf-8").replace("math.sqrt(q.shape[-1])", "1.0"), "utf-8")
    with Session(None, None, ROOT, file) as made:
        assert made.grade(SOLUTION).score == 100
        record = made.grade(wrong)
    named = {step.id: [entry.id for entry in step.mistakes] for step in record.steps}
    # A neighbour's mistake is carried forward where it is known; of the large steps nothing may be.
    assert record.score == (80 if len(catalogue.steps) == len(lesson.steps) else 50)
    assert named.pop("attend") == ["scale-missing"]
    assert not any(named.values())
