"""A fact about wrong answers in one sentence, and how much it tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .sight import GRADIENT, Sights

# How much a fact tells: what the whole answer is, what it does, where it is wrong, when it is wrong.
WHOLE, DEED, PLACE, WHEN, HINT = 5, 4, 3, 2, 1


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that is true of every case there is; of two about one matter the first is enough."""

    weight: int
    about: str
    text: str


def wrong_of(sights: Sights) -> Sights:
    """The wrong ones with numbers enough to tell something; none when one of them holds what is none."""
    wrong = [sight for sight in sights if not sight.right and sight.telling]
    if not all(sight.finite for sight in wrong):
        return ()
    return tuple(wrong)


def your(name: str, sights: Sights) -> str:
    """`Your y is`, or, where some of it is right, `Where your y is wrong, it is`."""
    if any(sight.right and sight.telling for sight in sights):
        return f"Where your {called(name)} is wrong, it is"
    return f"Your {called(name)} is"


def called(name: str) -> str:
    """`y` for y and for y3, another call's y; gradient of `x` for d_x."""
    plain = name.rstrip("0123456789") or name
    return f"gradient of `{name.removeprefix(GRADIENT)}`" if name.startswith(GRADIENT) else f"`{plain}`"


def listed(names: Sequence[str], mark: str = "`") -> str:
    """`q`, `k` and `v`."""
    marked = [f"{mark}{name}{mark}" for name in names]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"


def order(axes: Sequence[str]) -> str:
    """`(B, T, h)`."""
    return f"({', '.join(axes)}{',' * (len(axes) == 1)})"


def places(axis: str, numbers: Sequence[int]) -> str:
    """`h 0`, `h 0 and 2`, `T 0 to 3`."""
    given = sorted(numbers)
    if len(given) > 2 and given == list(range(given[0], given[-1] + 1)):
        return f"{axis} {given[0]} to {given[-1]}"
    return f"{axis} {listed([str(number) for number in given], '')}"
