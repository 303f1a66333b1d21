"""The calls of a probe's script, and in which inputs two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from grader.lesson.probes import Array, Op, Probe

from .sight import GRADIENT

ORDERED = 24  # places along an axis, at most, whose order is compared


@dataclass(frozen=True, slots=True)
class Call:
    """A call: what is called, with which tensors by parameter, in which mode, its results' names, its place."""

    callee: str
    given: Mapping[str, str]
    results: tuple[str, ...]
    training: bool | None
    place: int


@dataclass(frozen=True, slots=True)
class Change:
    """The inputs in which two calls differ, each as it was and as it is, and how they differ.

    At some places along an axis (`at`); in the order along one (`moved`); by a `factor`; two axes `turned`;
    a mask `inverted`; tensors `exchanged` among themselves; or one call has none (`absent`). `under` is a
    mask that both calls have.
    """

    pairs: tuple[tuple[str, str], ...]
    axis: str = ""
    at: tuple[int, ...] = ()
    moved: str = ""
    factor: float = 1.0
    turned: bool = False
    inverted: bool = False
    exchanged: bool = False
    absent: bool = False
    under: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The inputs by the names that they have in the first call, or in the only one that has them."""
        return tuple(dict.fromkeys(one or two for one, two in self.pairs))


def calls_of(script: Sequence[Op]) -> list[Call]:
    """The calls of a script; what made a thing, and the weights loaded into it, are among what it is given."""
    found: list[Call] = []
    loaded: dict[str, Mapping[str, str]] = {}
    modes: dict[str, bool] = {}
    made: dict[str, Mapping[str, str]] = {}
    copies: set[str] = set()
    for step in script:
        if step["op"] == "load":
            weights = step.get("weights")
            loaded[str(step["into"])] = weights if isinstance(weights, dict) else {}
        elif step["op"] == "mode":
            modes[str(step["of"])] = step.get("train") is True
        elif step["op"] in ("copy", "restore"):
            copies.add(str(step.get("to", step.get("into"))))
        elif step["op"] == "call":
            one = _call(step, loaded, modes, made, copies, len(found))
            made |= dict.fromkeys(one.results, one.given)
            found.append(one)
    return found


def _call(
    step: Op,
    loaded: Mapping[str, Mapping[str, str]],
    modes: Mapping[str, bool],
    made: Mapping[str, Mapping[str, str]],
    copies: AbstractSet[str],
    place: int,
) -> Call:
    of, args, kwargs, to = step["of"], step.get("args"), step.get("kwargs"), step["to"]
    named: dict[str, object] = {str(n): arg for n, arg in enumerate(args if isinstance(args, list) else [])}
    named |= kwargs if isinstance(kwargs, dict) else {}
    called = str(of.get("ref", "")) if isinstance(of, dict) else ""
    given = {f"of {key}": name for key, name in made.get(called, {}).items()}
    owner = called
    for key, arg in named.items():
        name = str(arg["ref"]) if isinstance(arg, dict) and "ref" in arg else repr(arg)
        owner = name if name in loaded and not called else owner
        given |= (
            {f"{key}: {inner}": tensor for inner, tensor in made[name].items()}
            if name in made
            else {key: name}
        )
    given |= loaded.get(owner, {})
    results = tuple(map(str, to)) if isinstance(to, list) else (str(to),)
    callee = f"a value of {'copying' if called in copies else 'a call'}" if called else str(of)
    return Call(callee, given, results, modes.get(owner), place)


def changes(probe: Probe) -> Iterator[tuple[Call, Call, Change | None]]:
    """Pairs of calls of one thing, the first with its usual inputs where they differ; how they differ."""
    calls = calls_of(probe.script)
    usual: dict[tuple[str, str], str] = {}
    for one in calls:
        for key, name in one.given.items():
            usual.setdefault((one.callee, key), name)
    first = {(one.callee, tuple(one.given.items())): one.place for one in reversed(calls)}
    for one, two in combinations(calls, 2):
        known = first[one.callee, tuple(one.given.items())] < one.place
        if one.callee != two.callee or (known and one.given != two.given):
            continue  # the same as with the earlier call that had these inputs
        keys = [key for key in {**one.given, **two.given} if one.given.get(key) != two.given.get(key)]
        lacking = [key for key in keys if key not in one.given or key not in two.given]
        is_usual = all(one.given.get(key, usual[one.callee, key]) == usual[one.callee, key] for key in keys)
        if is_usual and lacking in ([], keys):
            yield one, two, _change(probe, one, two, keys) if keys else None


def _change(probe: Probe, one: Call, two: Call, keys: Sequence[str]) -> Change:
    shared = [name for key, name in one.given.items() if key not in keys]
    under = next((name for name in shared if _is_mask(probe.tensors.get(name))), "")
    pairs = tuple(dict.fromkeys((one.given.get(key, ""), two.given.get(key, "")) for key in keys))
    plain = Change(pairs, under=under)
    if not all(left and right for left, right in pairs):
        return replace(plain, absent=True)
    if len(pairs) > 1 and {left for left, _ in pairs} == {right for _, right in pairs}:
        return replace(plain, exchanged=True)
    found = {_difference(probe, left, right) for left, right in pairs}
    return replace(found.pop(), pairs=pairs, under=under) if len(found) == 1 else plain


def _is_mask(array: Array | None) -> bool:
    return array is not None and array.dtype == np.bool_


def _difference(probe: Probe, first: str, second: str) -> Change:
    """How two tensors differ, without their names."""
    one, two = probe.tensors.get(first), probe.tensors.get(second)
    if one is None or two is None:
        return Change(())
    if one.ndim == 2 and np.array_equal(one.T, two):
        return Change((), turned=True)
    if one.shape != two.shape:
        return Change(())
    if one.dtype == np.bool_:
        return Change((), inverted=np.array_equal(one, ~np.asarray(two, np.bool_)))
    left, right = np.asarray(one, np.float64), np.asarray(two, np.float64)
    factor = float((left * right).sum() / max((left * left).sum(), 1e-9))
    if factor and np.allclose(right, factor * left, atol=1e-9):
        return Change((), factor=round(factor, 9))
    return _along(left, right, probe.axes.get(f"{GRADIENT}{first}", ()))


def _along(one: Array, two: Array, axes: Sequence[str]) -> Change:
    for axis, label in enumerate(axes if len(axes) == one.ndim else ()):
        left, right = (np.moveaxis(array, axis, 0).reshape(array.shape[axis], -1) for array in (one, two))
        off = (left != right).any(axis=1)
        if off.any() and len(off) <= ORDERED and sorted(left.tolist()) == sorted(right.tolist()):
            return Change((), moved=label)
        if off.any() and not off.all():
            return Change((), axis=label, at=tuple(np.flatnonzero(off).tolist()))
    return Change(())
