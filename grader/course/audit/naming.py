"""What the catalogue calls a wrong variant, and whether it answers at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from grader.judging.diagnosis.diagnose import SIEVE, diagnose
from grader.judging.diagnosis.matching import AskVariants, Tier, best_of, matches_of
from grader.judging.diagnosis.suspect import TELLING, Answers, Suspect
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake


def names_of(entry: Mistake) -> set[str]:
    """The names that are right for a known mistake: its own, and its twins'."""
    return {entry.name, *entry.twins}


def rightly_named(
    suspect: Suspect, entry: Mistake, catalogue: Sequence[Mistake], ask: AskVariants
) -> tuple[tuple[str, ...], bool]:
    """What a known mistake is called by the diagnosis, and whether that is one of its names and nothing else."""
    named = tuple(other.name for other in diagnose(suspect, catalogue, ask))
    return named, len(named) == 1 and named[0] in names_of(entry)


def single_name(suspect: Suspect, catalogue: Sequence[Mistake], ask: AskVariants) -> tuple[str, ...]:
    """The one entry whose answers these are, exactly or nearly; pairs are not tried."""
    probes = [probe for probe in suspect.probes if probe.diagnose and probe.id in suspect.got]
    wrong = {probe.id for probe in probes if suspect.wrong(probe, suspect.got[probe.id])}
    if not wrong:
        return ()
    entries = [entry for entry in catalogue if set(entry.homes) & set(suspect.homes)]
    sets = {entry.id: (entry.id,) for entry in entries}
    found = matches_of(suspect, probes, wrong, sets, ask, size=SIEVE)
    good = {key: match for key, match in found.items() if match.tier is not Tier.LOOSE}
    best = best_of(suspect, entries, good)
    return () if best is None else (best.name,)


def behaviour(suspect: Suspect) -> Literal["", "answers", "crashes"]:
    """Whether any answer that came home is wrong; else whether anything is."""
    wrong = [p for p in suspect.probes if suspect.wrong(p, suspect.got[p.id])]
    if any(suspect.got[probe.id].outcome == TELLING[0] for probe in wrong):
        return "answers"
    return "crashes" if wrong else ""


class Store:
    """The catalogue's answers in one step, kept; asked like a worker, it has none for two mistakes at once."""

    def __init__(self, answers: Mapping[str, Answers]) -> None:
        self.answers = answers

    def ask(
        self, _: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Answers]:
        """The answers of the sets of one that are kept."""
        return {
            key: {probe.id: self.answers[ids[0]][probe.id] for probe in probes}
            for key, ids in sets.items()
            if len(ids) == 1 and ids[0] in self.answers
        }
