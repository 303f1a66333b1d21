"""Two known mistakes made together in one step: whether the diagnosis names both."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from grader.judging.diagnosis.diagnose import diagnose
from grader.judging.diagnosis.matching import AskVariants
from grader.judging.diagnosis.suspect import Answers, Suspect
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake

from .findings import PairFinding, PairOutcome
from .naming import names_of

SPARE = 4  # tries for each pair that is wanted: many cannot be made together, or one hides the other

Sets = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Asker:
    """Asked like a worker: answers of one mistake from a store, those of two from the worker itself."""

    kept: AskVariants
    fresh: AskVariants

    def ask(self, step: str, probes: Sequence[Probe], sets: Sets) -> Mapping[str, Answers]:
        """The answers of these sets of mistakes to these probes."""
        single = {key: ids for key, ids in sets.items() if len(ids) == 1}
        others = {key: ids for key, ids in sets.items() if len(ids) > 1}
        found = dict(self.kept(step, probes, single)) if single else {}
        return found | dict(self.fresh(step, probes, others)) if others else found


def try_pairs(
    suspect: Suspect,
    here: Sequence[Mistake],
    catalogue: Sequence[Mistake],
    asker: Asker,
    count: int,
    seed: int,
) -> list[PairFinding]:
    """What `count` pairs of these mistakes are called, drawn by `seed`; `suspect` stands for their step."""
    found: list[PairFinding] = []
    for one, two, got in _drawn(suspect, here, asker, count, seed):
        guilty = Suspect(suspect.step, suspect.homes, suspect.probes, got, suspect.want)
        called = diagnose(guilty, catalogue, asker.ask)
        found.append(
            PairFinding(
                step=suspect.step,
                made=(one.id, two.id),
                named=tuple(entry.id for entry in called),
                outcome=_outcome(guilty, (one, two), called, asker),
            )
        )
    return found


def _drawn(
    suspect: Suspect, here: Sequence[Mistake], asker: Asker, count: int, seed: int
) -> Iterator[tuple[Mistake, Mistake, Answers]]:
    """Pairs that can be made, and give other answers than either mistake does by itself."""
    pairs = [pair for pair in combinations(here, 2) if pair[0].name != pair[1].name]
    drawn = random.Random(f"{seed}:{suspect.step}").sample(pairs, min(len(pairs), count * SPARE))
    sets = {f"{one.id}+{two.id}": (one.id, two.id) for one, two in drawn}
    given = asker.fresh(suspect.step, suspect.probes, sets) if sets else {}
    alone = asker.kept(suspect.step, suspect.probes, {entry.id: (entry.id,) for entry in here})
    left = count
    for one, two in drawn:
        got = given.get(f"{one.id}+{two.id}", {})
        made = left and len(got) == len(suspect.probes) and one.id in alone and two.id in alone
        if not made or any(_same(suspect, got, alone[each.id]) for each in (one, two)):
            continue
        left -= 1
        yield one, two, got


def _same(suspect: Suspect, got: Answers, other: Answers) -> bool:
    mine = Suspect(suspect.step, suspect.homes, suspect.probes, got, suspect.want)
    compared = [probe for probe in suspect.probes if probe.diagnose]
    return all(probe.id in other and mine.agrees(probe, other[probe.id]) for probe in compared)


def _outcome(
    guilty: Suspect, made: tuple[Mistake, Mistake], called: Sequence[Mistake], asker: Asker
) -> PairOutcome:
    names = [names_of(each) for each in made]
    if not called:
        return "nothing"
    if len(called) == 2 and any(
        a.name in names[0] and b.name in names[1] for a, b in (tuple(called), tuple(called)[::-1])
    ):
        return "named"
    sets = {"called": tuple(entry.id for entry in called)}
    answers = asker.ask(guilty.step, guilty.probes, sets).get("called", {})
    if _same(guilty, guilty.got, answers):
        return "alike"
    return "half" if all(any(entry.name in each for each in names) for entry in called) else "other"
