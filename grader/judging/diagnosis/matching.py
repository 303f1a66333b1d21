"""How a known mistake's answers compare with a learner's: on every probe, nearly, or on the core alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from grader.lesson.answers import Answer
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake

from .suspect import Answers, Likeness, Suspect, likeness

AskVariants = Callable[[str, Sequence[Probe], Mapping[str, Sequence[str]]], Mapping[str, Answers]]


class Tier(Enum):
    """How well an entry explains a learner's answers."""

    EXACT = 3
    NEAR = 2
    LOOSE = 1


@dataclass(frozen=True, slots=True)
class Match:
    """How an entry compares with the learner: its tier, and on how much they agree.

    `evidence` counts wrong answers and crashes, `told` those of them with the same value or the same words,
    `kin` those that crash with the same kind of error, `shared` everything agreed on.
    """

    tier: Tier
    evidence: int
    told: int
    kin: int
    shared: int

    @property
    def order(self) -> tuple[int, int, int, int, int]:
        """The better, the larger."""
        return self.tier.value, self.evidence, self.told, self.kin, self.shared


def matches_of(
    suspect: Suspect,
    probes: Sequence[Probe],
    wrong: set[str],
    sets: Mapping[str, Sequence[str]],
    ask: AskVariants,
    *,
    size: int,
    alike: bool = False,
) -> dict[str, Match]:
    """Every set of mistakes that may be the learner's: first on a few probes, then on all of them.

    With `alike` only those whose answers to these few are the learner's are tried on.
    """
    sieve = _sieve(suspect, probes, wrong, size)
    left = sets
    for stage in (sieve[:1], sieve[1:]):  # one probe sends most of them away
        if stage and left:
            answers = ask(suspect.step, stage, {key: (*suspect.base, *ids) for key, ids in left.items()})
            possible = {key for key in answers if _possible(suspect, stage, wrong, answers[key])}
            if alike:
                possible = {k for k in possible if all(suspect.agrees(p, answers[k][p.id]) for p in stage)}
            left = {key: ids for key, ids in left.items() if key in possible}
    if not left:
        return {}
    answers = ask(suspect.step, probes, {key: (*suspect.base, *ids) for key, ids in left.items()})
    found = {key: match_of(suspect, probes, wrong, answers[key]) for key in left if key in answers}
    return {key: match for key, match in found.items() if match is not None}


def _possible(suspect: Suspect, sieve: Iterable[Probe], wrong: set[str], theirs: Answers) -> bool:
    return all(
        probe.id in theirs and not (probe.core and _contradicts(suspect, probe, wrong, theirs[probe.id]))
        for probe in sieve
    )


def _contradicts(suspect: Suspect, probe: Probe, wrong: set[str], theirs: Answer) -> bool:
    """A disagreement that cannot come from two styles of one mistake."""
    mine = suspect.got[probe.id]
    if suspect.agrees(probe, theirs):
        return False
    if mine.outcome == theirs.outcome == "returned":
        return True
    return probe.id not in wrong or not suspect.wrong(probe, theirs) or mine.outcome == "stopped"


def match_of(suspect: Suspect, probes: Iterable[Probe], wrong: set[str], theirs: Answers) -> Match | None:
    """How a known mistake's answers compare with the learner's; None when they cannot be the same mistake."""
    exact, near, core_off, core_told, told, answered, evidence, shared = True, True, 0, 0, 0, 0, 0, 0
    crashes: list[Likeness] = []
    for probe in probes:
        answer = theirs.get(probe.id)
        if answer is None:
            return None
        mine = suspect.got[probe.id]
        if suspect.agrees(probe, answer):
            shared += 1
            returned = answer.outcome == "returned"
            answered += returned
            if probe.id in wrong:
                if not returned:
                    crashes.append(likeness(mine, answer))
                same = returned or crashes[-1] >= Likeness.WORDS
                evidence += 1
                told += same
                core_told += probe.core and same
            continue
        exact = False
        if probe.core and _contradicts(suspect, probe, wrong, answer):
            return None
        core_off += probe.core
        near = near and probe.id in wrong and suspect.wrong(probe, answer)
    tier = _tier(exact, near and bool(told), core_off, core_told)
    # Everything that stops a step stops it in the same places: of crashes alone each has to be of one kind, and
    # where nothing is answered, or not all is explained, in the same words with the same numbers.
    least = Likeness.KIND if exact and answered else Likeness.NUMBERS
    if tier is None or not evidence or (len(crashes) == evidence and min(crashes) < least):
        return None
    kin = sum(found >= Likeness.KIND for found in crashes)
    return Match(tier, evidence, told, kin, shared)


def _tier(exact: bool, near: bool, core_off: int, core_told: int) -> Tier | None:
    if exact:
        return Tier.EXACT
    if core_off > core_told:
        return None  # it crashes where the learner is wrong, and hardly ever shows what the learner gives
    if near:
        return Tier.NEAR
    return Tier.LOOSE if core_told else None


def _sieve(suspect: Suspect, probes: Sequence[Probe], wrong: set[str], size: int) -> list[Probe]:
    """A few probes that tell most entries apart: core ones, answered wrongly first, of every kind."""
    core = [probe for probe in probes if probe.core] or list(probes)
    answered = [probe for probe in core if suspect.got[probe.id].outcome == "returned"]
    off = [probe for probe in answered if probe.id in wrong]
    right = [probe for probe in answered if probe.id not in wrong]
    rest = [probe for probe in core if probe not in answered]
    return [*spread(off, max(size - 2, 1)), *spread(right, 2), *spread(rest, 2)][:size]


def spread(probes: Sequence[Probe], count: int) -> list[Probe]:
    """Up to `count` probes, evenly over the list, so that different kinds are among them."""
    if len(probes) <= count:
        return list(probes)
    step = len(probes) / count
    return [probes[int(i * step)] for i in range(count)]


def best_of(suspect: Suspect, entries: Sequence[Mistake], found: Mapping[str, Match]) -> Mistake | None:
    """The best match; among equals one at home in this very step, then the first listed."""
    left = [entry for entry in entries if entry.id in found]
    if not left:
        return None

    def rank(entry: Mistake) -> tuple[int, int, int, int, int, bool, int]:
        return (*found[entry.id].order, suspect.homes[0] in entry.homes, -entries.index(entry))

    return max(left, key=rank)
