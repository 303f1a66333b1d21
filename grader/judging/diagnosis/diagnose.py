"""Names the mistake: the catalogue's entry (or pair) whose answers are the learner's answers.

A probe is agreed on when both sides gave the same answer, or both none. Where they do not agree on a core
probe, it matters whose answer was right: an entry that is wrong where the learner is right is not the
learner's, nor the other way round. Entries are taken in this order: those that agree on every probe; those
that differ only where both are wrong, on probes beside the core or where one of them crashed; pairs,
likewise; those that agree on the core, or crash where the learner is wrong (on fewer probes than they
agree on), but leave something beside it unexplained. One that is not exact takes a second with it, if the
two together are, and yields to a pair that is exact where it crashes and the learner's step answers.
Nothing is named without agreement on a wrong answer. Where all that is wrong are crashes, each has to be the
same kind of error at the same place: a misspelt helper stops a step in the very places in which many mistakes
do. What a carried mistake explains by itself names no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake

from .matching import AskVariants, Tier, best_of, match_of, matches_of, spread
from .suspect import TELLING, Suspect, words

SIEVE = 6  # probes that every entry is tried on first
PAIR_SIEVE = 3  # unexplained probes that a second mistake is tried on first
PAIR_BATCH = 300  # pairs asked for at a time
SHOWN = 12  # probes on which it is seen where a mistake is at work, and what it explains by itself
LEAST_WRONG = 3  # of them that the learner has wrong
ODD = 2  # of them that two mistakes may give together and neither by itself
PAIRS_TRIED = 3_000  # of one step at most: a count, so that a busy machine says what a quiet one says
BASE = ""  # stands among the sets for the carried mistakes alone


def diagnose(suspect: Suspect, catalogue: Sequence[Mistake], ask: AskVariants) -> tuple[Mistake, ...]:
    """The entry, or the pair of entries, that gives the learner's answers; empty when nothing does."""
    probes = [probe for probe in suspect.probes if probe.diagnose and probe.id in suspect.got]
    wrong = {probe.id for probe in probes if suspect.wrong(probe, suspect.got[probe.id])}
    homed = [entry for entry in catalogue if set(entry.homes) & set(suspect.homes)]
    entries = [entry for entry in homed if entry.id not in suspect.base]
    if not any(suspect.got[key].outcome in TELLING and suspect.got[key].during != "import" for key in wrong):
        return ()  # nothing came home that could be compared
    sets: dict[str, Sequence[str]] = {entry.id: (entry.id,) for entry in entries}
    singles = matches_of(
        suspect, probes, wrong, {**sets, **({BASE: ()} if suspect.base else {})}, ask, size=SIEVE
    )
    best = best_of(suspect, entries, singles)
    if BASE in singles and (best is None or singles[BASE].order >= singles[best.id].order):
        if singles[BASE].tier is not Tier.LOOSE:
            return ()
        best = None
    if best is not None and singles[best.id].tier is Tier.EXACT:
        return (best,)
    near = best is not None and singles[best.id].tier is Tier.NEAR
    if best is not None:
        second = _second(suspect, probes, wrong, best, entries, ask)
        if second is not None:
            return _once(best, second)
        if near and _tells(suspect, probes, wrong, best, ask):
            return (best,)
    if not any(suspect.got[key].outcome == "returned" for key in wrong):
        return (
            (best,) if best is not None else ()
        )  # where nothing is answered, two mistakes explain whatever one likes
    pair = _pair(suspect, probes, wrong, entries, ask, Tier.EXACT if near else Tier.NEAR)
    if pair:
        return pair
    return (best,) if best is not None else ()


def carried(suspect: Suspect, mistakes: Sequence[str], ask: AskVariants) -> bool:
    """Whether the answers are those of the right step with exactly these mistakes of its neighbours in it."""
    probes = [probe for probe in suspect.probes if probe.diagnose]
    if not probes:
        return False
    found = ask(suspect.step, probes, {"carried": tuple(mistakes)}).get("carried")
    if not found:
        return False
    mine = suspect.got
    asked = [probe for probe in probes if probe.id in mine]
    if not all(probe.id in found and suspect.agrees(probe, found[probe.id]) for probe in asked):
        return False
    given = [(mine[probe.id], found[probe.id]) for probe in asked]
    return any(theirs.outcome == "returned" or words(own) == words(theirs) for own, theirs in given)


def _tells(
    suspect: Suspect, probes: Sequence[Probe], wrong: set[str], best: Mistake, ask: AskVariants
) -> bool:
    """Whether a mistake answers wherever the learner's wrong step does; a crash tells nothing of an answer."""
    answered = [p for p in probes if p.id in wrong and suspect.got[p.id].outcome == "returned"]
    given = ask(suspect.step, answered, {best.id: (*suspect.base, best.id)}).get(best.id, {})
    return all(p.id in given and given[p.id].outcome == "returned" for p in answered)


def _second(
    suspect: Suspect,
    probes: Sequence[Probe],
    wrong: set[str],
    best: Mistake,
    entries: Sequence[Mistake],
    ask: AskVariants,
) -> Mistake | None:
    """A mistake that, added to the best, leaves nothing unexplained."""
    others = {entry.id: (best.id, entry.id) for entry in entries if entry is not best}
    alone = ask(suspect.step, probes, {best.id: (*suspect.base, best.id)}).get(best.id, {})
    off = [p for p in probes if p.id in alone and not suspect.agrees(p, alone[p.id])]
    tried = spread(off, PAIR_SIEVE)
    given = ask(suspect.step, tried, {key: (*suspect.base, *ids) for key, ids in others.items()})
    left = [
        key
        for key, found in given.items()
        if all(p.id in found and suspect.agrees(p, found[p.id]) for p in tried)
    ]
    if not left:
        return None
    given = ask(suspect.step, probes, {key: (*suspect.base, *others[key]) for key in left})
    matches = {key: match_of(suspect, probes, wrong, found) for key, found in given.items()}
    exact = {key: match for key, match in matches.items() if match is not None and match.tier is Tier.EXACT}
    return best_of(suspect, entries, exact)


def _pair(
    suspect: Suspect,
    probes: Sequence[Probe],
    wrong: set[str],
    entries: Sequence[Mistake],
    ask: AskVariants,
    least: Tier,
) -> tuple[Mistake, ...]:
    """The first pair, of as many as are tried, that explains at least so much, the likeliest tried first."""
    pairs = {f"{a.id}+{b.id}": (a, b) for a, b in _promising(suspect, probes, wrong, entries, ask)}
    keys = list(pairs)[:PAIRS_TRIED]
    for start in range(0, len(keys), PAIR_BATCH):
        batch = {key: tuple(entry.id for entry in pairs[key]) for key in keys[start : start + PAIR_BATCH]}
        found = matches_of(suspect, probes, wrong, batch, ask, size=1, alike=True)
        good = [key for key in found if found[key].tier.value >= least.value]
        if good:
            return _once(*pairs[max(good, key=lambda key: found[key].order)])
    return ()


def _once(one: Mistake, two: Mistake) -> tuple[Mistake, ...]:
    """Both, or one of them where they are two forms of the same mistake."""
    return (one,) if one.name == two.name else (one, two)


def _promising(
    suspect: Suspect, probes: Sequence[Probe], wrong: set[str], entries: Sequence[Mistake], ask: AskVariants
) -> list[tuple[Mistake, Mistake]]:
    """Pairs that may be it, the likeliest first.

    Each wrong answer is one mistake's by itself, or both are at work in it; where the learner is right,
    neither is at work, or both are. Two mistakes may meet in other ways: where one explains much, the rest
    may be odd. Among equals, the more usual come first, which is how each file's mistakes are listed.
    """
    core = [probe for probe in probes if probe.core] or list(probes)
    common = spread(core, SHOWN)  # the same for every learner, so that a class asks for them once
    off = [probe for probe in common if probe.id in wrong]
    if len(off) < LEAST_WRONG:
        off = [*off, *spread([p for p in core if p.id in wrong and p not in off], LEAST_WRONG - len(off))]
    if len(off) < LEAST_WRONG:  # what is wrong lies beside the core
        aside = [probe for probe in probes if probe.id in wrong and not probe.core]
        off = [*off, *spread(aside, SHOWN - len(off))]
    fine = [p for p in common if p.id not in wrong and suspect.got[p.id].outcome == "returned"]
    shown = [*off, *fine]
    given = ask(suspect.step, shown, {entry.id: (*suspect.base, entry.id) for entry in entries})
    explained: dict[str, set[str]] = {}
    active: dict[str, set[str]] = {}
    for key, found in given.items():
        there = [probe for probe in shown if probe.id in found]
        explained[key] = {p.id for p in there if p.id in wrong and suspect.agrees(p, found[p.id])}
        active[key] = {probe.id for probe in there if suspect.wrong(probe, found[probe.id])}
    makeable = [entry for entry in entries if entry.id in explained]
    usual = _places(makeable)
    asked, right = {probe.id for probe in off}, {probe.id for probe in fine}

    def told(one: str, two: str) -> int:
        return len(explained[one] | explained[two])

    def odd(one: str, two: str) -> int:
        both, either = active[one] & active[two], active[one] ^ active[two]
        return len(asked - explained[one] - explained[two] - both) + len(either & right)

    def rank(pair: tuple[Mistake, Mistake]) -> tuple[int, int]:
        one, two = pair[0].id, pair[1].id
        return odd(one, two) - 2 * told(one, two), usual[one] + usual[two]

    pairs = combinations(makeable, 2)
    possible = [(a, b) for a, b in pairs if odd(a.id, b.id) <= max(ODD, told(a.id, b.id))]
    return sorted(possible, key=rank)


def _places(entries: Sequence[Mistake]) -> dict[str, int]:
    """Each entry's place among those of its home."""
    counted: dict[tuple[str, ...], int] = {}
    places: dict[str, int] = {}
    for entry in entries:
        places[entry.id] = counted.setdefault(entry.homes, 0)
        counted[entry.homes] += 1
    return places


__all__ = ["carried", "diagnose"]
