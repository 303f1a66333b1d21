"""What an answer notices of a change of its inputs, and what it should have noticed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from grader.judging.diagnosis.suspect import Suspect
from grader.lesson.fingerprint import Floats, SealedTensor

from .calls import Call, Change, changes
from .facts import DEED, WHOLE, Fact, called, listed, places
from .sight import Sight, exact_probes, sight_of
from .symbols import plain

Flags = NDArray[np.bool_]
SUBSTANCE = 1e-3  # a difference that no rounding makes
GROUP = 8  # numbers in one sealed sum


def effects(suspect: Suspect) -> Iterator[Fact]:
    """What pairs of calls tell that differ in one thing, the first of each kind."""
    said: dict[str, Fact] = {}
    for probe in exact_probes(suspect):
        answer = suspect.got[probe.id]
        if answer.outcome != "returned" or answer.changed:
            continue  # inputs that were changed by a call are no longer those of the next
        sights = {name: sight_of(probe, name, suspect.want[probe.id], answer) for name in probe.report}
        told = [fact for pair in changes(probe) for fact in _compared(*pair, sights)]
        again = [fact for fact in told if fact.about == "again"]
        for fact in again or told:  # where a call does not repeat itself, nothing else follows
            if fact.about not in said or fact.weight > said[fact.about].weight:
                said[fact.about] = fact
    yield from said.values()


def _compared(
    one: Call, two: Call, change: Change | None, sights: Mapping[str, Sight | None]
) -> Iterator[Fact]:
    for first, second in zip(one.results, two.results, strict=False):
        left, right = sights.get(first), sights.get(second)
        if left is None or right is None or not _comparable(left, right):
            continue
        if change is None:
            yield from _same_call(left, right, one, two)
            continue
        yield from _as_if(left, right, change)
        if change.absent:
            yield from _absent(left, right, change)
        else:
            yield from _changed(left, right, change)


def _comparable(one: Sight, two: Sight) -> bool:
    return one.finite and two.finite and one.mine.shape == one.want.shape == two.mine.shape == two.want.shape


def _same_call(left: Sight, right: Sight, one: Call, two: Call) -> Iterator[Fact]:
    if not _wanted_equal(left, right) or not _apart(left, right).any():
        return
    name, weight = called(left.name), WHOLE + 2
    if one.training != two.training:
        said = f"With the same inputs your {name} differs between train mode and eval mode."
    elif two.place == one.place + 1:
        said = f"The same call, made twice in a row, gives two different answers for {name}."
    else:
        said, weight = f"The same call, made again after others, gives another answer for {name}.", WHOLE + 1
    yield Fact(weight, "again", said)


def _as_if(one: Sight, two: Sight, change: Change) -> Iterator[Fact]:
    """An answer that is the expected one for other inputs."""
    if one.right or not one.telling or not two.fits(one.mine):
        return
    how = _said_of(change)
    if how:
        yield Fact(WHOLE + 1, "as if", f"Your {called(one.name)} is the one expected {how}.")


def _said_of(change: Change) -> str:
    if change.exchanged and len(change.pairs) == 2:
        return f"with {listed(change.names)} exchanged"
    if change.exchanged:
        return "with " + ", ".join(f"`{two}` for `{one}`" for one, two in change.pairs)
    if change.absent:
        return f"{'without' if change.pairs[0][0] else 'with'} {listed(change.names)}"
    if change.turned:
        return f"with {listed(change.names)} transposed"
    if change.inverted:
        return f"with the opposite {listed(change.names)}, True and False exchanged"
    if change.factor != 1:
        return f"with {plain(change.factor) or f'{change.factor:.4g}'} times {listed(change.names)}"
    return ""


def _absent(one: Sight, two: Sight, change: Change) -> Iterator[Fact]:
    if not _apart(one, two).any() and _wanted_apart(one, two):
        text = f"With {listed(change.names)} or without it, your {called(one.name)} is the same."
        yield Fact(WHOLE + 1, f"unnoticed {change.names}", text)


def _changed(one: Sight, two: Sight, change: Change) -> Iterator[Fact]:
    inputs, apart, name = listed(change.names), _apart(one, two), called(one.name)
    if _wanted_equal(one, two):
        how = f"{inputs} in another order along {change.moved}" if change.moved else f"another {inputs}"
        if apart.any():
            text = f"your {name} changes with {how}, and should not."
            yield Fact(DEED + 1, f"noticed {change.names}", _under(change, text))
    elif not apart.any():
        if _wanted_apart(one, two):
            at = f" at {places(change.axis, change.at)}" if change.at else ""
            text = f"your {name} stays the same when {_verb(change, 'change')}{at}, and should not."
            yield Fact(DEED + 1, f"unnoticed {change.names}", _under(change, text))
    elif change.factor != 1:
        if _is_multiple(one, two, change.factor) and _off(one, two, change.factor) > SUBSTANCE:
            times = plain(change.factor) or f"{change.factor:.4g}"
            text = f"with {times} times {inputs} your {name} should be {times} times itself, and is not."
            yield Fact(DEED, "linear", _under(change, text))
    elif change.at:
        yield from _at_places(one, two, change)


def _at_places(one: Sight, two: Sight, change: Change) -> Iterator[Fact]:
    """Places along the same axis that notice a change elsewhere, or that do not notice one that reaches them."""
    when, name = f"{_verb(change, 'change')} only at {places(change.axis, change.at)}", called(one.name)
    for axis, label in enumerate(one.axes):
        if label[0] != change.axis[0]:
            continue  # B and B, T and Tk: along another axis a change has to be looked for everywhere
        moved = _along(_apart(one, two), axis)
        leaks = np.flatnonzero(moved & _wanted_equal_along(one, two, axis)).tolist()
        if leaks:
            text = f"when {when}, your {name} changes at {places(label, leaks)} too, and should not."
            yield Fact(DEED + 1, f"leak {label}", _under(change, text))
            return
        deaf = np.flatnonzero(~moved & _wanted_apart_along(one, two, axis)).tolist()
        if deaf:
            text = f"when {when}, your {name} stays the same at {places(label, deaf)}, and should not."
            yield Fact(DEED + 1, f"deaf {label}", _under(change, text))
            return


def _verb(change: Change, verb: str) -> str:
    return f"{listed(change.names)} {verb}{'s' if len(change.names) == 1 else ''}"


def _under(change: Change, text: str) -> str:
    if change.under:
        return f"Under `{change.under}`, {text}"
    return text[:1].upper() + text[1:]


def _allowed(sight: Sight) -> float:
    """How far two answers may be apart that are the same."""
    return 2 * sight.allowed


def _apart(one: Sight, two: Sight) -> Flags:
    flags: Flags = np.abs(one.mine - two.mine) > _allowed(one)
    return flags


def _along(flags: Flags, axis: int) -> Flags:
    return np.asarray(np.moveaxis(flags, axis, 0).reshape(flags.shape[axis], -1).any(axis=1))


def _gap(one: Sight, two: Sight) -> Floats:
    """How far the expected numbers, or what is left of them, are apart."""
    if one.expected is not None and two.expected is not None:
        return np.abs(one.expected - two.expected)
    assert isinstance(one.want, SealedTensor)
    assert isinstance(two.want, SealedTensor)
    return np.abs(one.want.sums - two.want.sums) / GROUP


def _gap_along(one: Sight, two: Sight, axis: int) -> Floats:
    if one.expected is not None and two.expected is not None:
        off = np.abs(one.expected - two.expected)
        return np.asarray(np.moveaxis(off, axis, 0).reshape(off.shape[axis], -1).max(axis=1))
    assert isinstance(one.want, SealedTensor)
    assert isinstance(two.want, SealedTensor)
    off = np.abs(one.want.slices[axis] - two.want.slices[axis])
    return np.asarray(off * one.mine.shape[axis] / one.mine.size)


def _wanted_equal(one: Sight, two: Sight) -> bool:
    return bool(_gap(one, two).max() <= _allowed(one))


def _wanted_apart(one: Sight, two: Sight) -> bool:
    return bool(_gap(one, two).max() > SUBSTANCE)


def _wanted_equal_along(one: Sight, two: Sight, axis: int) -> Flags:
    return np.asarray(_gap_along(one, two, axis) <= _allowed(one))


def _wanted_apart_along(one: Sight, two: Sight, axis: int) -> Flags:
    return np.asarray(_gap_along(one, two, axis) > SUBSTANCE)


def _off(one: Sight, two: Sight, factor: float) -> float:
    return float(np.abs(two.mine - factor * one.mine).max())


def _is_multiple(one: Sight, two: Sight, factor: float) -> bool:
    """Whether the second expected answer is so many times the first."""
    if isinstance(one.want, SealedTensor) and isinstance(two.want, SealedTensor):
        return bool(np.abs(two.want.sums - factor * one.want.sums).max() <= GROUP * _allowed(one))
    if one.expected is None or two.expected is None:
        return False
    return bool(np.abs(two.expected - factor * one.expected).max() <= _allowed(one))
