"""What is asked of a worker: one group of probes for each step, as plain values for the wire."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from grader.lesson.lesson import Lesson, Limits, Provided, Step
from grader.submission.imports import codes_of, reached
from grader.submission.model import Submission

PROCESSES = 256  # processes and threads of one guest
TURN_SECONDS = 3600.0
LARGE = ("matplotlib.figure", "matplotlib.pyplot", "einops")  # modules that take long to import
LIBRARIES = ("einops", "matplotlib")  # whose modules these are
SEVERAL = 3  # steps; up to then they import side by side in less time
STEP_WALL = 2.0  # wall-clock seconds of a step, for each second of CPU it may use


class Letter(Protocol):
    """What can be asked of a worker: a probe, or a question that a guest has asked."""

    def letter(self) -> dict[str, object]:
        """As it travels."""


@dataclass(frozen=True, slots=True)
class Run:
    """Everything a worker needs for one guest; groups are added to it for each asking."""

    shared: Mapping[str, object]
    modules: Mapping[str, str]  # step id -> the module that serves it
    provides: Mapping[str, Sequence[Mapping[str, object]]]
    aliases: tuple[Mapping[str, object], ...] = ()  # other names of weights

    def request(self, groups: Iterable[Mapping[str, object]], side_by_side: int) -> dict[str, object]:
        """One request of these groups."""
        return {"shared": dict(self.shared), "groups": list(groups), "side_by_side": side_by_side}

    def group(
        self,
        key: str,
        step: str,
        probes: Iterable[Letter],
        forbidden: Sequence[str] = (),
        variants: Mapping[str, Sequence[str]] | None = None,
        turn_seconds: float = TURN_SECONDS,
        *,
        after: str = "",
        more: Mapping[str, Iterable[Letter]] | None = None,
        sources: Mapping[str, Mapping[str, str]] | None = None,
        beside: Mapping[str, object] | None = None,
    ) -> dict[str, object]:
        """One group: probes of one step, answered by a child of its own, once for each variant.

        After `turn_seconds` it is interrupted, through no fault of its own. It begins when the group `after`
        has come to a good end. Probes of `more` steps are answered by the same child. `sources` gives, by
        variant, the modules that have another text in it; `beside` the functions that are answered from outside.
        """
        made = {"": ()} if variants is None else variants
        return {
            "group": key,
            **self._part(step, probes, forbidden),
            "more": [self._part(name, others, forbidden) for name, others in (more or {}).items()],
            "after": after,
            "turn_seconds": turn_seconds,
            "variants": [
                {
                    "key": name,
                    "mistakes": list(ids),
                    "sources": dict((sources or {}).get(name, {})),
                    "beside": dict(beside or {}),
                }
                for name, ids in made.items()
            ],
        }

    def _part(self, step: str, probes: Iterable[Letter], forbidden: Sequence[str]) -> dict[str, object]:
        return {
            "module": self.modules[step],
            "provides": list(self.provides[step]),
            "forbidden": list(forbidden),
            "probes": [self._letter(probe) for probe in probes],
        }

    def _letter(self, probe: Letter) -> dict[str, object]:
        """As it travels; with other names of weights where it asks for any."""
        letter = probe.letter()
        script = letter["do"]
        assert isinstance(script, list)
        return {**letter, "also": list(self.aliases)} if any("fused" in step for step in script) else letter


def learner_run(lesson: Lesson, submission: Submission, *, confined: bool = True) -> Run:
    """A run of a submission: only steps whose file is there and can be read get a module.

    Without `confined` there is no limit on memory and processes: a GPU's driver takes address space by the
    gigabyte.
    """
    names = {module.name for module in submission.modules}
    serving: dict[str, str] = {}
    for step in lesson.steps:
        stem = step.file.removesuffix(".py")
        if submission.form != "folder":
            serving[step.id] = submission.modules[0].name
        elif stem in names:
            serving[step.id] = stem
    modules = [
        {
            "name": module.name,
            "path": module.path,
            "package": module.package,
            "notebook": module.notebook,
            "cells": [{"text": cell.text, "label": cell.label} for cell in module.cells],
        }
        for module in submission.modules
    ]
    lone = submission.form != "folder"
    limits = {**limits_of(lesson.limits), **({} if confined else {"memory_mib": 0, "processes": 0})}
    made = _run(lesson, modules, serving, lone, limits, False)
    shared = {"libraries": _shared_libraries(submission, serving), "shareable": LIBRARIES}
    return replace(made, shared={**made.shared, **shared})


def _shared_libraries(submission: Submission, serving: Mapping[str, str]) -> list[str]:
    """Of the libraries that take long to import, those that several steps would import each for itself."""
    codes = codes_of(submission)
    own = {module.partition(".")[0] for module in codes}
    needs = reached(codes, set(serving.values()), at_once=True)
    asked = [name for name in LARGE if name.partition(".")[0] not in own]
    return [name for name in asked if sum(name in needs[stem] for stem in serving.values()) >= SEVERAL]


def reference_run(lesson: Lesson, modules: Sequence[Mapping[str, object]], exact: bool) -> Run:
    """A run of the solution, or of variants of it; `exact` computes every probe in float64.

    No name of it is wanted as it is defined: unlike a learner's, each is defined once.
    """
    serving = {step.id: step.file.removesuffix(".py") for step in lesson.steps}
    free = {"memory_mib": 0, "step_cpu_seconds": 0, "processes": 0, "step_wall_seconds": 3600.0}
    limits = {**limits_of(lesson.limits), **free, "call_seconds": 60.0, "import_seconds": 60.0}
    made = _run(lesson, list(modules), serving, False, limits, exact)
    return replace(made, shared={**made.shared, "trusted": True, "wanted": []}, aliases=())


def limits_of(limits: Limits) -> dict[str, float | int]:
    """A lesson's limits, as a child wants them."""
    return {
        "import_seconds": limits.import_seconds,
        "call_seconds": limits.call_seconds,
        "step_cpu_seconds": int(limits.step_cpu_seconds),
        "step_wall_seconds": limits.step_cpu_seconds * STEP_WALL,
        "memory_mib": limits.memory_mib,
        "print_kib": limits.print_kib,
        "processes": PROCESSES,
    }


def _run(
    lesson: Lesson,
    modules: Sequence[Mapping[str, object]],
    serving: Mapping[str, str],
    lone: bool,
    limits: Mapping[str, float | int],
    exact: bool,
) -> Run:
    wanted = sorted({provided.name for step in lesson.steps for provided in step.provides})
    shared = {"modules": list(modules), "wanted": wanted, "exact": exact}
    provides = {step.id: [_provided(lesson, item, lone) for item in step.provides] for step in lesson.steps}
    return Run({**shared, "limits": dict(limits)}, dict(serving), provides, aliases_of(lesson))


def aliases_of(lesson: Lesson) -> tuple[Mapping[str, object], ...]:
    """The other names of a lesson's weights, in lower case; its own is one too where its case differs."""
    return tuple(
        {
            "asked": weight.asked,
            "holds": list(weight.holds or (weight.asked,)),
            "names": sorted({name.lower() for name in (weight.name, *weight.also) if name is not None}),
        }
        for weight in lesson.weights
    )


def _provided(lesson: Lesson, item: Provided, lone: bool) -> dict[str, object]:
    """A wanted name; in one file, what fits another step's form of the same name is not this step's."""
    same = [other for step in lesson.steps for other in step.provides if other.name == item.name]
    rivals = [other.takes for other in same if other.takes and other.takes != item.takes] if lone else []
    return {"name": item.name, "method": item.method, "takes": item.takes, "rivals": rivals}


def mentioned(step: Step, submission: Submission) -> bool:
    """Whether a lone file or notebook has any of a step's names in it at all."""
    text = "\n".join(cell.text for module in submission.modules for cell in module.cells)
    return any(re.search(rf"\b{re.escape(item.name)}\b", text) for item in step.provides)
