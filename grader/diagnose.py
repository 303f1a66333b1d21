"""Names the mistake: the catalogue's entry (or pair) whose answers are the learner's answers.

A probe is agreed on when both sides gave the same answer, or both none. Where they do not agree on a core
probe, it matters whose answer was right: an entry that is wrong where the learner is right is not the
learner's, nor the other way round. Entries are taken in this order: those that agree on every probe; those
that differ only where both are wrong, on probes beside the core or where one of them crashed; pairs,
likewise; those that agree on the core, or crash where the learner is wrong, but leave something beside it
unexplained. Nothing is named without agreement on a wrong answer, or on a crash in the same words; crashes
in other words count only where every probe is agreed on and some are answered. What a carried mistake
explains by itself names no other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

from .agreement import TELLING, Answers, Suspect, alike, words
from .probes import Probe
from .reference import Mistake
from .transcript import Answer

SIEVE = 6  # probes that every entry is tried on first
PAIR_SIEVE = 3  # probes that every pair is tried on first
PAIR_BATCH = 300  # pairs asked for at a time
SHOWN = 10  # wrong answers on which it is seen what a mistake explains by itself
PAIR_SECONDS = 6.0  # spent on pairs of one step at most
BASE = ""  # stands among the sets for the carried mistakes alone

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
    `shared` everything agreed on.
    """

    tier: Tier
    evidence: int
    told: int
    shared: int

    @property
    def order(self) -> tuple[int, int, int, int]:
        """The better, the larger."""
        return self.tier.value, self.evidence, self.told, self.shared


def diagnose(suspect: Suspect, catalogue: Sequence[Mistake], ask: AskVariants) -> tuple[Mistake, ...]:
    """The entry, or the pair of entries, that gives the learner's answers; empty when nothing does."""
    probes = [probe for probe in suspect.probes if probe.diagnose and probe.id in suspect.got]
    wrong = {probe.id for probe in probes if suspect.wrong(probe, suspect.got[probe.id])}
    homed = [entry for entry in catalogue if set(entry.homes) & set(suspect.homes)]
    entries = [entry for entry in homed if entry.id not in suspect.base]
    if not any(suspect.got[key].outcome in TELLING and suspect.got[key].during != "import" for key in wrong):
        return ()  # nothing came home that could be compared
    sets: dict[str, Sequence[str]] = {entry.id: (entry.id,) for entry in entries}
    singles = _matches(
        suspect, probes, wrong, {**sets, **({BASE: ()} if suspect.base else {})}, ask, size=SIEVE
    )
    best = _best(suspect, entries, singles)
    if BASE in singles and (best is None or singles[BASE].order >= singles[best.id].order):
        if singles[BASE].tier is not Tier.LOOSE:
            return ()
        best = None
    if best is not None and singles[best.id].tier is not Tier.LOOSE:
        return (best,)
    pair = _pair(suspect, probes, wrong, entries, ask)
    if pair:
        return pair
    return (best,) if best is not None else ()


def carried(suspect: Suspect, mistakes: Sequence[str], ask: AskVariants) -> bool:
    """Whether the answers are those of the right step with exactly these mistakes of its neighbours in it."""
    if not suspect.probes:
        return False
    found = ask(suspect.step, suspect.probes, {"carried": tuple(mistakes)}).get("carried")
    if not found:
        return False
    mine = suspect.got
    asked = [probe for probe in suspect.probes if probe.id in mine]
    if not all(probe.id in found and suspect.agrees(probe, found[probe.id]) for probe in asked):
        return False
    given = [(mine[probe.id], found[probe.id]) for probe in asked]
    return any(theirs.outcome == "returned" or words(own) == words(theirs) for own, theirs in given)


def _matches(
    suspect: Suspect,
    probes: Sequence[Probe],
    wrong: set[str],
    sets: Mapping[str, Sequence[str]],
    ask: AskVariants,
    *,
    size: int,
) -> dict[str, Match]:
    """Every set of mistakes that may be the learner's: first on a few probes, then on all of them."""
    sieve = _sieve(suspect, probes, wrong, size)
    answers = ask(suspect.step, sieve, {key: (*suspect.base, *ids) for key, ids in sets.items()})
    possible = {key for key in answers if _possible(suspect, sieve, wrong, answers[key])}
    left = {key: ids for key, ids in sets.items() if key in possible}
    if not left:
        return {}
    answers = ask(suspect.step, probes, {key: (*suspect.base, *ids) for key, ids in left.items()})
    found = {key: _match(suspect, probes, wrong, answers[key]) for key in left if key in answers}
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


def _match(suspect: Suspect, probes: Iterable[Probe], wrong: set[str], theirs: Answers) -> Match | None:
    exact, near, core_told, told, answered, evidence, shared = True, True, 0, 0, 0, 0, 0
    for probe in probes:
        answer = theirs.get(probe.id)
        if answer is None:
            return None
        mine = suspect.got[probe.id]
        if suspect.agrees(probe, answer):
            shared += 1
            answered += answer.outcome == "returned"
            if probe.id in wrong:
                same = answer.outcome == "returned" or words(mine) == words(answer)
                evidence += 1
                told += same
                core_told += probe.core and same
            continue
        exact = False
        if probe.core and _contradicts(suspect, probe, wrong, answer):
            return None
        near = near and probe.id in wrong and suspect.wrong(probe, answer)
    if exact and (told or (evidence and answered)):
        return Match(Tier.EXACT, evidence, told, shared)
    if near and told:
        return Match(Tier.NEAR, evidence, told, shared)
    return Match(Tier.LOOSE, evidence, told, shared) if core_told else None


def _pair(
    suspect: Suspect, probes: Sequence[Probe], wrong: set[str], entries: Sequence[Mistake], ask: AskVariants
) -> tuple[Mistake, ...]:
    """The first good pair within the time there is, those tried first that explain most one by one."""
    pairs = {f"{a.id}+{b.id}": (a, b) for a, b in _promising(suspect, probes, wrong, entries, ask)}
    keys = list(pairs)
    end = time.monotonic() + PAIR_SECONDS
    for start in range(0, len(keys), PAIR_BATCH):
        batch = {key: tuple(entry.id for entry in pairs[key]) for key in keys[start : start + PAIR_BATCH]}
        found = _matches(suspect, probes, wrong, batch, ask, size=PAIR_SIEVE)
        good = [key for key in found if found[key].tier is not Tier.LOOSE]
        if good:
            return pairs[max(good, key=lambda key: found[key].order)]
        if time.monotonic() > end:
            break
    return ()


def _promising(
    suspect: Suspect, probes: Sequence[Probe], wrong: set[str], entries: Sequence[Mistake], ask: AskVariants
) -> list[tuple[Mistake, Mistake]]:
    """All pairs: where one mistake of two is at work alone, it gives the learner's answer by itself."""
    shown = _spread([probe for probe in probes if probe.id in wrong], SHOWN)
    given = ask(suspect.step, shown, {entry.id: (*suspect.base, entry.id) for entry in entries})
    explained = {
        key: {probe.id for probe in shown if probe.id in found and suspect.agrees(probe, found[probe.id])}
        for key, found in given.items()
    }
    makeable = [entry for entry in entries if entry.id in explained]
    at_home = {entry.id: suspect.homes[0] in entry.homes for entry in makeable}

    def rank(pair: tuple[Mistake, Mistake]) -> tuple[int, int]:
        one, two = pair[0].id, pair[1].id
        return len(explained[one] | explained[two]), at_home[one] + at_home[two]

    return sorted(combinations(makeable, 2), key=rank, reverse=True)


def _sieve(suspect: Suspect, probes: Sequence[Probe], wrong: set[str], size: int) -> list[Probe]:
    """A few probes that tell most entries apart: core ones, answered wrongly first, of every kind."""
    core = [probe for probe in probes if probe.core] or list(probes)
    answered = [probe for probe in core if suspect.got[probe.id].outcome == "returned"]
    off = [probe for probe in answered if probe.id in wrong]
    right = [probe for probe in answered if probe.id not in wrong]
    rest = [probe for probe in core if probe not in answered]
    return [*_spread(off, size - 2), *_spread(right, 2), *_spread(rest, 2)][:size]


def _spread(probes: Sequence[Probe], count: int) -> list[Probe]:
    """Up to `count` probes, evenly over the list, so that different kinds are among them."""
    if len(probes) <= count:
        return list(probes)
    step = len(probes) / count
    return [probes[int(i * step)] for i in range(count)]


def _best(suspect: Suspect, entries: Sequence[Mistake], found: Mapping[str, Match]) -> Mistake | None:
    """The best match; among equals one at home in this very step, then the first listed."""
    left = [entry for entry in entries if entry.id in found]
    if not left:
        return None

    def rank(entry: Mistake) -> tuple[int, int, int, int, bool, int]:
        return (*found[entry.id].order, suspect.homes[0] in entry.homes, -entries.index(entry))

    return max(left, key=rank)


__all__ = ["Answers", "AskVariants", "Match", "Suspect", "Tier", "alike", "carried", "diagnose"]
