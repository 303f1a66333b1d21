"""Names the mistake: the catalogue's entry (or pair) whose answers are the learner's answers on every probe."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from .compare import Expected, difference, same_value
from .probes import Probe
from .reference import Mistake
from .transcript import Answer

SIEVE = 6  # probes that every entry is tried on first
PAIR_SIEVE = 3  # probes that every pair is tried on first
PAIRS = 4_000  # pairs tried for one step at most
PAIR_SECONDS = 8.0  # spent on pairs of one step at most
NO_ANSWER = ("raised", "unfit")

Answers = Mapping[str, Answer]
AskVariants = Callable[[str, Sequence[Probe], Mapping[str, Sequence[str]]], Mapping[str, Answers]]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A step to be diagnosed: its probes, the learner's answers, the expected values.

    `base` are mistakes already known to be in it, carried from a neighbour.
    """

    step: str
    homes: tuple[str, ...]
    probes: tuple[Probe, ...]
    got: Answers
    want: Mapping[str, Mapping[str, Expected]]
    base: tuple[str, ...] = ()

    def wrong(self, probe: Probe) -> bool:
        """Whether the learner's answer to a probe is not the expected one."""
        answer = self.got[probe.id]
        wanted = self.want.get(probe.id)
        if answer.outcome != "returned" or wanted is None:
            return answer.outcome != "returned" and wanted is not None and bool(wanted)
        values = answer.values
        return any(difference(probe, name, wanted.get(name), values.get(name)) for name in probe.report)


def diagnose(suspect: Suspect, catalogue: Sequence[Mistake], ask: AskVariants) -> tuple[Mistake, ...]:
    """The entry, or the pair of entries, that gives the learner's answers; empty when nothing does.

    An entry must agree wherever both sides answered, and its agreement must show a wrong answer or a
    crash. One that also crashes on exactly the learner's probes is preferred to one that does not.
    """
    entries = [entry for entry in catalogue if set(entry.homes) & set(suspect.homes) and entry.id not in suspect.base]
    probes = [probe for probe in suspect.probes if probe.diagnose and probe.id in suspect.got]
    if not probes:
        return ()
    single = _matching(suspect, probes, {entry.id: (entry.id,) for entry in entries}, ask, SIEVE)
    if single:
        best = _best(suspect, entries, single)
        return (best,)
    by_id = {entry.id: entry for entry in entries}
    pairs = {f"{a.id}+{b.id}": (a.id, b.id) for a, b in _pairs(suspect, entries)}
    end = time.monotonic() + PAIR_SECONDS
    for batch in _batches(pairs, 400):
        double = _matching(suspect, probes, batch, ask, PAIR_SIEVE)
        if double:
            first = max(double, key=lambda key: double[key])
            return tuple(by_id[name] for name in pairs[first])
        if time.monotonic() > end:
            break
    return ()


def carried(suspect: Suspect, mistakes: Sequence[str], ask: AskVariants) -> bool:
    """Whether the answers are those of the right step with exactly these mistakes of its neighbours in it."""
    if not suspect.probes:
        return False
    found = ask(suspect.step, suspect.probes, {"carried": tuple(mistakes)}).get("carried")
    if not found:
        return False
    return all(
        probe.id in found and alike(probe, suspect.got[probe.id], found[probe.id])
        for probe in suspect.probes
        if probe.id in suspect.got
    )


def alike(probe: Probe, one: Answer, two: Answer) -> bool:
    """Whether two answers are the same: both none, or every reported value alike."""
    if one.outcome in NO_ANSWER and two.outcome in NO_ANSWER:
        return True
    if one.outcome != two.outcome or set(one.changed) != set(two.changed):
        return False
    return all(same_value(probe, one.values.get(name), two.values.get(name)) for name in probe.report)


def _matching(
    suspect: Suspect,
    probes: Sequence[Probe],
    sets: Mapping[str, Sequence[str]],
    ask: AskVariants,
    size: int,
) -> dict[str, int]:
    """The sets that agree on every probe, with how many crashes they share with the learner."""
    sieve = _sieve(suspect, probes, size)
    survivors = dict(sets)
    for asked in (sieve, probes):
        if not survivors:
            return {}
        based = {key: (*suspect.base, *ids) for key, ids in survivors.items()}
        answers = ask(suspect.step, asked, based)
        survivors = {
            key: ids for key, ids in survivors.items() if key in answers and _agrees(suspect, asked, answers[key])
        }
        if asked is probes:
            return {key: _shared(suspect, probes, answers[key]) for key in survivors if _shows(suspect, probes, answers[key])}
    return {}


def _agrees(suspect: Suspect, probes: Iterable[Probe], found: Answers) -> bool:
    """Agreement wherever both sides answered; a crash against a wrong answer is no disagreement."""
    for probe in probes:
        mine, theirs = suspect.got[probe.id], found.get(probe.id)
        if theirs is None:
            return False
        if alike(probe, mine, theirs):
            continue
        if mine.outcome == theirs.outcome == "returned":
            return False
        if not _both_wrong(suspect, probe, theirs):
            return False
    return True


def _both_wrong(suspect: Suspect, probe: Probe, theirs: Answer) -> bool:
    if not suspect.wrong(probe) or "stopped" in (theirs.outcome, suspect.got[probe.id].outcome):
        return False
    if theirs.outcome != "returned":
        return True
    wanted = suspect.want.get(probe.id, {})
    return any(difference(probe, name, wanted.get(name), theirs.values.get(name)) for name in probe.report)


def _shows(suspect: Suspect, probes: Iterable[Probe], found: Answers) -> bool:
    """Agreement on something that is not simply right."""
    return any(suspect.wrong(probe) and alike(probe, suspect.got[probe.id], found[probe.id]) for probe in probes) or any(
        suspect.got[probe.id].changed for probe in probes
    )


def _shared(suspect: Suspect, probes: Iterable[Probe], found: Answers) -> int:
    return sum(alike(probe, suspect.got[probe.id], found[probe.id]) for probe in probes)


def _sieve(suspect: Suspect, probes: Sequence[Probe], size: int) -> list[Probe]:
    """A few probes that tell most entries apart: answered wrongly first, small sizes of each kind."""
    answered = [probe for probe in probes if suspect.got[probe.id].outcome == "returned"]
    wrong = [probe for probe in answered if suspect.wrong(probe)]
    right = [probe for probe in answered if probe not in wrong]
    rest = [probe for probe in probes if probe not in answered]
    mixed = [*_spread(wrong, size - 2), *_spread(right, 2), *_spread(rest, 2)]
    return mixed[:size] or list(probes[:size])


def _spread(probes: Sequence[Probe], count: int) -> list[Probe]:
    """Up to `count` probes, evenly over the list, so that different kinds are among them."""
    if count <= 0 or len(probes) <= count:
        return list(probes[: max(count, 0)])
    step = len(probes) / count
    return [probes[int(i * step)] for i in range(count)]


def _best(suspect: Suspect, entries: Sequence[Mistake], scores: Mapping[str, int]) -> Mistake:
    """The entry that shares most with the learner; among equals one at home in this very step, then the first."""
    found = [entry for entry in entries if entry.id in scores]
    return max(found, key=lambda entry: (scores[entry.id], suspect.homes[0] in entry.homes, -entries.index(entry)))


def _pairs(suspect: Suspect, entries: Sequence[Mistake]) -> list[tuple[Mistake, Mistake]]:
    """Pairs of entries, those at home in the step itself first."""
    ordered = sorted(entries, key=lambda entry: suspect.homes[0] not in entry.homes)
    return list(combinations(ordered, 2))[:PAIRS]


def _batches(pairs: Mapping[str, tuple[str, str]], size: int) -> Iterable[dict[str, tuple[str, str]]]:
    items = list(pairs.items())
    for start in range(0, len(items), size):
        yield dict(items[start : start + size])
