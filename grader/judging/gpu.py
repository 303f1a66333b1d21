"""The same questions on a real GPU, where one is there and the code is trusted: values and gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from grader.core.own_words import own
from grader.core.records import CheckRecord, CheckStatus
from grader.lesson.answers import Answer, TensorValue
from grader.lesson.fingerprint import Expected
from grader.lesson.probes import Probe

from .compare import difference
from .failure_text import because

DEVICE = "cuda"
TAG = "on a GPU"
DTYPES = ("float64", "float32")
TITLE = "Values and gradients on a real GPU"


def on_gpu(probes: Sequence[Probe], device: str = DEVICE) -> list[Probe]:
    """Copies of the core probes for a GPU, of the steps that are asked to run on any device."""
    steps = {probe.step for probe in probes if probe.device != "cpu"}
    return [
        replace(
            probe,
            id=f"{probe.id}@{device}",
            device=device,
            tags=frozenset({TAG}),
            say=f"{probe.say}, {TAG}",
            script=tuple(
                {**step, "device": device} if step["op"] == "place" else step for step in probe.script
            ),
            again=False,
            diagnose=False,
        )
        for probe in probes
        if probe.step in steps
        and probe.judged
        and probe.core
        and probe.device == "cpu"
        and probe.dtype in DTYPES
    ]


def gpu_check(
    step: str,
    probes: Iterable[Probe],
    answers: Mapping[str, Answer],
    want: Mapping[str, Mapping[str, Expected]],
) -> tuple[CheckRecord, ...]:
    """What became of a step on a GPU: its own row, worth no points, so that no machine costs a learner any.

    A step that is asked of the CPU only has no such row.
    """
    mine = [probe for probe in probes if probe.step == step]
    asked = [probe for probe in mine if TAG in probe.tags]
    if all(probe.device == "cpu" for probe in mine):
        return ()
    if not asked:
        return (_row("not_reached", "no GPU here; it costs nothing"),)
    for probe in asked:
        fault = _fault(probe, answers.get(probe.id), want.get(probe.id.rpartition("@")[0], {}))
        if fault:
            return (_row("failed", fault),)
    return (_row("passed", ""),)


def _fault(probe: Probe, answer: Answer | None, want: Mapping[str, Expected]) -> str:
    if answer is None:
        return f"no answer came. Case: {probe.say}."
    if answer.outcome != "returned":
        return because(probe, answer)
    for name in probe.report:
        value = answer.values.get(name)
        off = difference(probe, name, want.get(name), value)
        if off is not None:
            return f"`{name}`: {off.text}. Case: {probe.say}."
        if isinstance(value, TensorValue) and value.device != probe.device:
            return f"`{name}` came back on {own(value.device)}, the inputs were on {probe.device}. Case: {probe.say}."
    return ""


def _row(status: CheckStatus, message: str) -> CheckRecord:
    return CheckRecord(
        id="gpu", title=TITLE, status=status, points=0.0, max_points=0.0, message=message[:500]
    )
