"""What can be said of wrong answers that no known mistake explains: properties, each true of every case asked.

Nothing here guesses what was meant: a sentence says what holds of the numbers that came, in the names of the
probes' axes, and anybody can check it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from grader.judging.diagnosis.suspect import Suspect

from .counts import counts
from .crashes import crashes
from .effects import effects
from .factors import factors, products
from .facts import WHOLE, Fact
from .layout import layouts, shapes, slices
from .regions import alone, regions, repeats, rows
from .shares import emptied, masked, sharpness, totals
from .sight import GRADIENT, Sights, looked_at
from .when import conditions, dtypes, silent

MOST = 2  # sentences about one step
LENGTH = 240  # characters of one sentence
OF_ONE: tuple[Callable[[str, Sights], Iterator[Fact]], ...] = (
    sharpness, factors, layouts, products, shapes, slices, totals, masked, emptied, rows, repeats, regions,
)  # fmt: skip


def properties(suspect: Suspect) -> tuple[str, ...]:
    """The sentences that tell most, at most two, the best first; none when nothing of the kind holds."""
    with np.errstate(all="ignore"):  # overflow in what a learner's numbers are tried with is no event
        facts = sorted(_facts(suspect), key=lambda fact: -fact.weight)
    said: dict[str, str] = {}
    for fact in facts:
        if len(fact.text) <= LENGTH:
            said.setdefault(fact.about, fact.text)
    return tuple(said.values())[:MOST]


def _facts(suspect: Suspect) -> Iterator[Fact]:
    yield from crashes(suspect)
    found = looked_at(suspect)
    values = {name: sights for name, sights in found.items() if not name.startswith(GRADIENT)}
    wrong = {name: sights for name, sights in values.items() if not all(sight.right for sight in sights)}
    gradients = {name: sights for name, sights in found.items() if name.startswith(GRADIENT)}
    for name, sights in (wrong or gradients).items():
        yield from _of_one(name, sights)
    yield from effects(suspect)
    yield from alone(values)
    yield from silent(suspect)
    yield from counts(suspect)
    yield from conditions(suspect)
    yield from dtypes(suspect)


def _of_one(name: str, sights: Sights) -> Iterator[Fact]:
    """The facts about one tensor, up to the first that tells all of it."""
    for tell in OF_ONE:
        for fact in tell(name, sights):
            yield fact
            if fact.weight >= WHOLE:
                return


__all__ = ["properties"]
