"""Asks the reference's worker for the answers of known mistakes: the solution with them put into it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from .probes import Probe
from .requests import Run
from .sandbox import Worker
from .transcript import Answer, read_answer

HALVED = 32  # variants from which on two processes share them


def variants(
    run: Run,
    step: str,
    probes: Sequence[Probe],
    sets: Mapping[str, Sequence[str]],
    worker: Worker,
    seconds: float,
) -> dict[str, dict[str, Answer]]:
    """The answers of several variants of the reference to one step's probes, by variant.

    What has not come within `seconds` is left out; many are asked for in two halves side by side.
    """
    names = list(sets)
    halves = [names[0::2], names[1::2]] if len(names) >= HALVED else [names]
    parts = {f"{step}:{number}": half for number, half in enumerate(halves)}
    groups = [
        run.group(key, step, probes, (), {name: sets[name] for name in half}) for key, half in parts.items()
    ]
    found = worker.run(run.request(groups, len(groups)), list(parts), time.monotonic() + seconds)
    answers: dict[str, dict[str, Answer]] = {key: {} for key in sets}
    for head in (head for key in parts for head in found[key].frames):
        if head.get("kind") == "answer" and str(head.get("variant")) in answers:
            answer = read_answer(head)
            answers[str(head.get("variant"))][answer.probe] = answer
        elif head.get("kind") == "loaded" and head.get("error"):
            answers.pop(str(head.get("variant")), None)
    return answers
