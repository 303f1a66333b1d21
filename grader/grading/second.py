"""Asks a step a second time, in another way: in float32, or with the solution's functions in its neighbours' place.

The solution stays where it is. What the submission asks of a neighbour comes home as tensors, is put to the
solution in its own process, and goes back as numbers with the next asking: round by round, until nothing is asked.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from grader.lesson.answers import Answer
from grader.lesson.inputs import answer_of
from grader.lesson.lesson import Lesson, Step
from grader.lesson.moving import SAVED, first_half, moves, second_half
from grader.lesson.probes import Probe
from grader.sandbox.client import Worker
from grader.worker.wire import Blob, WireError, key_of

from .ask import gather
from .run import Run, reference_run

ROUNDS = 40  # askings of one step at most; each answers one call more of every probe
QUESTIONS = 2_000  # of one step to the solution, at most
MOST_TENSORS = 8  # in one question
QUESTION_LIMITS = {"memory_mib": 2048, "step_cpu_seconds": 30, "step_wall_seconds": 60.0, "call_seconds": 5.0}
STEP_SECONDS = 30.0
GROUP = "second"
FLOAT64, FLOAT32 = "float64", "float32"

Told = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Second:
    """Who can be asked a second time, and until when (monotonic seconds); without `solution` nothing is answered."""

    lesson: Lesson
    run: Run
    worker: Worker
    deadline: float
    solution: Run | None = None
    helper: Worker | None = None

    def in_float32(self, step: Step, probes: Sequence[Probe]) -> dict[str, Answer]:
        """Answers to these probes with their inputs in float32."""
        asked = [replace(probe, dtype=FLOAT32, again=False) for probe in probes]
        forbidden = {step.id: self._forbidden(step)}
        return dict(gather(self.run, asked, forbidden, self.worker, self._end(), 1).answers)

    def beside(self, step: Step, others: Sequence[Step], probes: Sequence[Probe]) -> dict[str, Answer] | None:
        """Answers to these probes, with the solution's functions in place of those of `others`.

        None where the solution is not here, where what the others provide is no function, and where it did not
        come to an end.
        """
        functions = [(other, item.name) for other in others for item in other.provides if item.method is None]
        classes = [other for other in others if not any(other is one for one, _ in functions)]
        if self.solution is None or classes or step.id not in self.run.modules:
            return None
        modules: dict[str, list[str]] = {}
        for other, name in functions:
            modules.setdefault(self._module_of(other), []).append(name)
        homes = {name: other.id for other, name in functions}
        found = self._rounds(
            step, [first_half(probe) if moves(probe) else probe for probe in probes], modules, homes
        )
        if found is None:
            return None
        halves = [second_half(probe, found.pop(probe.id + SAVED)) for probe in probes if moves(probe)]
        found |= {half.probe: half for half in halves if isinstance(half, Answer)}
        left = [half for half in halves if isinstance(half, Probe)]
        rest = self._rounds(step, left, modules, homes) if left else {}
        return None if rest is None else found | rest

    def _rounds(
        self,
        step: Step,
        probes: Sequence[Probe],
        modules: Mapping[str, Sequence[str]],
        homes: Mapping[str, str],
    ) -> dict[str, Answer] | None:
        known: dict[str, Told] = {}
        done: dict[str, Answer] = {}
        put: set[str] = set()
        end = self._end()
        for _ in range(ROUNDS):
            left = [probe for probe in probes if probe.id not in done]
            if not left:
                return done
            beside = {"modules": modules, "known": [{"key": key, "answer": known[key]} for key in known]}
            group = self.run.group(GROUP, step.id, left, self._forbidden(step), beside=beside)
            found = self.worker.run(self.run.request([group], 1), [GROUP], end)[GROUP]
            if found.how != "done":
                return None
            new: dict[str, Told] = {}
            for head in found.frames:
                if head.get("kind") != "answer":
                    continue
                asks = _questions(head)
                if not asks:
                    key = str(head["probe"])
                    done[key] = answer_of(head, next(probe for probe in left if probe.id == key))
                new |= asks
            # What is asked again has no answer; where nothing is asked and something is left, nothing will change.
            if put & set(new) or (not new and len(done) < len(probes)) or len(put) + len(new) > QUESTIONS:
                return None
            put |= set(new)
            known |= self._answers(new, homes, end)
        return None

    def _answers(self, asked: Mapping[str, Told], homes: Mapping[str, str], end: float) -> dict[str, Told]:
        """What the solution answers to questions, by key; what it cannot answer is left out."""
        questions = [made for key, told in asked.items() if (made := _question(key, told, homes)) is not None]
        by_step: dict[str, list[Question]] = {}
        for question in questions:
            by_step.setdefault(question.step, []).append(question)
        if not by_step or self.solution is None or self.helper is None:
            return {}
        first, *others = by_step
        group = self.solution.group(
            GROUP, first, by_step[first], more={name: by_step[name] for name in others}
        )
        found = self.helper.run(self.solution.request([group], 1), [GROUP], end)[GROUP]
        heads = {str(head["probe"]): head for head in found.frames if head.get("kind") == "answer"}
        return {
            question.id: told
            for question in questions
            if question.id in heads and (told := question.read(heads[question.id])) is not None
        }

    def _end(self) -> float:
        return min(self.deadline, time.monotonic() + STEP_SECONDS)

    def _module_of(self, step: Step) -> str:
        """Where the submission has a step's names: in its file, or in the one file there is."""
        lone = len(set(self.run.modules.values())) == 1 and step.id in self.run.modules
        return self.run.modules[step.id] if lone else step.file.removesuffix(".py")

    def _forbidden(self, step: Step) -> list[str]:
        return [item.name for item in self.lesson.forbidden] if step.forbid else []


def solution_run(lesson: Lesson, modules: Sequence[Mapping[str, object]]) -> Run:
    """A run of the solution for what a submission asks of it, bounded as what a guest asks has to be."""
    run = reference_run(lesson, modules, exact=False)
    limits = run.shared["limits"]
    assert isinstance(limits, Mapping)
    return replace(run, shared={**run.shared, "limits": {**limits, **QUESTION_LIMITS}})


@dataclass(frozen=True, slots=True)
class Question:
    """What a submission asks of a neighbour: a call, or gradients of one; a letter to the solution."""

    id: str
    step: str
    name: str
    tensors: Mapping[str, Blob]
    grads: tuple[str, ...]
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    cotangents: tuple[str, ...]
    backward: bool

    def letter(self) -> dict[str, object]:
        """As it travels."""
        several = len(self.cotangents) > 1
        results = [f"r{number}" for number in range(len(self.cotangents))] or ["r"]
        wanted = [name for name in self.tensors if name not in self.cotangents]
        script: list[dict[str, object]] = [
            {
                "op": "call",
                "of": {"name": self.name},
                "args": list(self.args),
                "kwargs": dict(self.kwargs),
                "to": results if several else results[0],
            }
        ]
        if self.backward:
            script.append(
                {
                    "op": "grad",
                    "of": results,
                    "with": list(self.cotangents),
                    "wrt": wanted,
                    "weights_of": None,
                    "weights": [],
                    "fused": {},
                }
            )
        return {
            "id": self.id,
            "tensors": dict(self.tensors),
            "do": script,
            "report": [f"d_{name}" for name in wanted] if self.backward else results,
            "dtype": FLOAT64,
            "device": "cpu",
            "grads": list(self.grads) if self.backward else [],
            "strided": [],
            "back": [],
            "count": False,
        }

    def read(self, head: Told) -> Told | None:
        """The solution's answer, as the submission's process is told it; None when it is none."""
        error, values = head.get("error"), head.get("values")
        if head.get("outcome") == "raised" and isinstance(error, Mapping):
            types = error.get("types")
            name = types[0] if isinstance(types, list) and types else "RuntimeError"
            return {"raises": [str(name), str(error.get("message"))]}
        if head.get("outcome") != "returned" or not isinstance(values, Mapping):
            return None
        if self.backward:
            wanted = [name for name in self.tensors if name not in self.cotangents]
            told = [_value(values.get(f"d_{name}")) for name in wanted]
            return None if None in told else {"value": {"list": told}}
        value = _value(values.get("r"))
        return None if value is None else {"value": value}


def _value(found: object) -> Told | None:
    """A described value for the other side; None for what is no plain value and no tensor."""
    if found is None or isinstance(found, bool | int | float | str):
        return {"plain": found}
    if isinstance(found, Mapping) and found.get("$") == "tensor" and isinstance(found.get("blob"), Blob):
        return {"tensor": found["blob"]}
    if (
        isinstance(found, Mapping)
        and found.get("$") in ("list", "tuple")
        and isinstance(found.get("items"), list)
    ):
        items = [_value(item) for item in found["items"]]
        return None if None in items else {str(found["$"]): items}
    return None


def _questions(head: Told) -> dict[str, Told]:
    """The questions in a guest's frame, by their keys; what is none is passed over."""
    asks = head.get("asks")
    found: dict[str, Told] = {}
    for question in asks if isinstance(asks, list) else ():
        if isinstance(question, Mapping):
            try:
                found[key_of(question)] = question
            except WireError:
                continue
    return found


def _question(key: str, told: Told, homes: Mapping[str, str]) -> Question | None:
    """A guest's question as a letter to the solution; None for what is no question to one of its functions."""
    backward = "back" in told
    asked = told["back"] if backward else told
    if not isinstance(asked, Mapping) or str(asked.get("name")) not in homes:
        return None
    args, kwargs, cotangents = asked.get("args"), asked.get("kwargs"), told.get("cotangents", [])
    if not isinstance(args, list) or not isinstance(kwargs, Mapping) or not isinstance(cotangents, list):
        return None
    tensors: dict[str, Blob] = {}
    grads: list[str] = []

    def plain(value: object, kind: str = "t") -> object:
        if isinstance(value, Mapping) and isinstance(value.get("tensor"), Blob):
            name = f"{kind}{len(tensors)}"
            tensors[name] = value["tensor"]
            grads.extend([name] if value.get("grad") is True else [])
            return {"ref": name}
        if isinstance(value, Mapping) and isinstance(value.get("list", value.get("tuple")), list):
            items = [plain(item) for item in value.get("list", value.get("tuple"))]
            return {"tuple": items} if "tuple" in value else items
        return value.get("plain") if isinstance(value, Mapping) else None

    placed = tuple(plain(value) for value in args)
    named = {str(name): plain(value) for name, value in kwargs.items()}
    before = len(tensors)
    for value in cotangents:
        plain(value, "c")
    if len(tensors) > MOST_TENSORS or (backward and len(tensors) - before != len(cotangents)):
        return None
    weights = tuple(list(tensors)[before:])
    name = str(asked["name"])
    return Question(key, homes[name], name, tensors, tuple(grads), placed, named, weights, backward)
