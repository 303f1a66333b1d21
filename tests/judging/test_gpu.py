from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grader.core.own_words import unmarked
from grader.core.records import CheckRecord
from grader.grading.ask import gather
from grader.grading.pipeline import expected_answers
from grader.grading.run import learner_run
from grader.judging.gpu import TAG, TITLE, gpu_check, on_gpu
from grader.lesson.answers import Answer, TensorValue
from grader.lesson.lesson import Lesson
from grader.lesson.probes import Probe, call, op
from grader.lesson.reference import make_probes, read_reference
from grader.sandbox.client import Worker, start_trusted
from grader.submission.reader import read_submission
from tests.tools.answers import probe, raising, returned, tensor
from tests.tools.lessons_here import the_lesson

MAKE = (call("Add", 3, to="m"), op("place", of="m", device="cpu"))
PLAIN = probe("add/plain", script=MAKE, again=True)
ELSEWHERE = probe("add/device", device="portable")
WANT = {PLAIN.id: {"y": tensor([1, 2])}}


def row(status: str, message: str) -> tuple[CheckRecord, ...]:
    return (CheckRecord(id="gpu", title=TITLE, status=status, points=0, max_points=0, message=message),)  # type: ignore[arg-type]


def home(device: str = "cuda", y: object = (1, 2)) -> Answer:
    return returned(PLAIN, y=tensor(y, device=device))


# --- the plumbing -------------------------------------------------------------------------------


def test_core_probes_go_to_the_gpu_with_their_modules() -> None:
    (moved,) = on_gpu([PLAIN, ELSEWHERE])
    assert (moved.id, moved.device, moved.tags, moved.say) == (
        "add/plain@cuda",
        "cuda",
        frozenset({TAG}),
        "B=2, T=3, on a GPU",
    )
    assert moved.script[0] == MAKE[0]
    assert moved.script[1] == {**MAKE[1], "device": "cuda"}
    assert not moved.again
    assert not moved.diagnose
    assert moved.letter()["device"] == "cuda"


@pytest.mark.parametrize(
    "left_out",
    [
        {"core": False},
        {"count": True},
        {"dtype": "bfloat16"},
        {"dtype": "float16"},
        {"step": "far"},
        {"device": "portable"},
    ],
)
def test_what_is_not_asked_of_a_gpu(left_out: dict[str, object]) -> None:
    assert on_gpu([replace(PLAIN, **left_out), ELSEWHERE]) == []  # type: ignore[arg-type]


def test_a_step_that_is_not_asked_to_run_on_any_device_stays_here() -> None:
    assert on_gpu([PLAIN]) == []


def test_without_a_gpu_nothing_is_reached_and_nothing_lost() -> None:
    asked = [PLAIN, ELSEWHERE]
    assert gpu_check("add", asked, {}, WANT) == row("not_reached", "no GPU here; it costs nothing")


def test_a_step_that_is_asked_of_the_cpu_alone_has_no_row() -> None:
    assert gpu_check("add", [PLAIN], {}, WANT) == ()
    assert gpu_check("far", [PLAIN, ELSEWHERE], {}, WANT) == ()


GPU = on_gpu([PLAIN, ELSEWHERE])
CASE = "Case: B=2, T=3, on a GPU."


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (home(), ""),
        (None, f"no answer came. {CASE}"),
        (home("cpu"), f"`y` came back on cpu, the inputs were on cuda. {CASE}"),
        (
            home(y=(1, 5)),
            (
                "`y`: differs most at [1]: expected 2, got 5 "
                f"(1 of 2 numbers is off by more than 1.321e-05). {CASE}"
            ),
        ),
        (returned(PLAIN), f"`y`: expected a tensor of shape (2,), got None. {CASE}"),
        (
            raising(PLAIN, "RuntimeError", message="two devices"),
            f"it raised RuntimeError: two devices while it was asked to call add. {CASE}",
        ),
    ],
)
def test_a_step_on_a_gpu_has_a_row_worth_no_points(answer: Answer | None, message: str) -> None:
    answers = {} if answer is None else {GPU[0].id: answer}
    found = gpu_check("add", GPU, answers, WANT)
    told = tuple(check.model_copy(update={"message": unmarked(check.message)}) for check in found)
    assert told == row("failed" if message else "passed", message)


# --- through a worker ---------------------------------------------------------------------------

ADD = "project"  # one small step of the lesson is enough to see the road


class Road:
    """The lesson's probes for a device, and how a folder's answers to them come home."""

    def __init__(self, worker: Worker, device: str, steps: set[str] | None) -> None:
        self.lesson: Lesson = the_lesson()
        if self.lesson.reference is None:
            pytest.skip("the reference is not here")
        drawn = make_probes(self.lesson, 11)
        plain = [asked for asked in drawn if steps is None or asked.step in steps]
        self.probes: list[Probe] = on_gpu(plain, device)
        self.elsewhere = [asked for asked in plain if asked.device != "cpu"]
        self.worker = worker
        asked = {probe.id.rpartition("@")[0] for probe in self.probes}
        self.solution = self.lesson.reference / "solution"
        reference = read_reference(self.lesson.reference)
        here = [probe for probe in plain if probe.id in asked]
        self.want = expected_answers(self.lesson, reference, here, worker, time.monotonic() + 100)

    def rows(self, folder: Path) -> dict[str, str]:
        """Each step's status on the device."""
        run = learner_run(self.lesson, read_submission(folder, self.lesson), confined=False)
        found = gather(run, self.probes, {}, self.worker, time.monotonic() + 100, 2)
        steps = dict.fromkeys(probe.step for probe in self.probes)
        asked = [*self.probes, *self.elsewhere]
        return {step: gpu_check(step, asked, found.answers, self.want)[0].status for step in steps}


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = start_trusted()
    yield made
    made.close()


def left_behind(solution: Path, folder: Path) -> Path:
    """The solution, but for a constant made on the CPU in one step."""
    shutil.copytree(solution, folder)
    step = folder / "project.py"
    text = step.read_text(encoding="utf-8")
    step.write_text(
        f"{text}\n_right = project\n\n\ndef project(x, w, num_heads):\n"
        "    import torch\n\n    return _right(x, w, num_heads) + torch.zeros(1, 1, 1, 1)\n",
        encoding="utf-8",
    )
    return folder


def test_the_cpu_stands_in_for_a_gpu(worker: Worker, tmp_path: Path) -> None:
    road = Road(worker, "cpu", {ADD})
    assert road.probes
    assert {asked.device for asked in road.probes} == {"cpu"}
    assert road.rows(road.solution) == {ADD: "passed"}
    wrong = tmp_path / "wrong"
    shutil.copytree(road.solution, wrong)
    (wrong / "project.py").write_text("def project(x, w, num_heads):\n    return x @ w\n", encoding="utf-8")
    assert road.rows(wrong) == {ADD: "failed"}


@pytest.mark.gpu
def test_the_solution_passes_on_a_gpu(worker: Worker) -> None:
    road = Road(worker, "cuda", None)
    rows = road.rows(road.solution)
    assert len(rows) > 3
    assert set(rows.values()) == {"passed"}


@pytest.mark.gpu
def test_a_constant_left_on_the_cpu_fails_on_a_gpu(worker: Worker, tmp_path: Path) -> None:
    road = Road(worker, "cuda", None)
    rows = road.rows(left_behind(road.solution, tmp_path / "left"))
    assert rows[ADD] == "failed"


def test_answers_keep_the_device_they_came_from() -> None:
    value = home().values["y"]
    assert isinstance(value, TensorValue)
    assert value.device == "cuda"
    assert np.array_equal(value.array, [1, 2])
