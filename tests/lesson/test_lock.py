"""Sealed answers: what is right always opens the lock, and what only satisfies the sums never does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from grader.judging.compare import difference
from grader.judging.sealed.file import _locked
from grader.judging.sealed.sealing import plain_value, read_plain_value
from grader.judging.tolerance import tolerance
from grader.lesson import fingerprint
from grader.lesson.answers import TensorValue
from grader.lesson.fingerprint import SealedTensor, seal, slices, sums
from grader.lesson.lock import GROUPS, Lock, locked, opens
from grader.lesson.probes import Draw, Probe, call
from tests.tools.answers import tensor

Floats = NDArray[np.float64]
SHAPES = [(), (1,), (3,), (16,), (17,), (2, 3, 5), (2, 5, 12), (1, 1, 1), (2, 3, 5, 7), (4, 9, 31)]


def asked(dtype: str = "float64") -> Probe:
    x = Draw(3, "x").normal(2, 5, 12)
    return Probe(
        "step/plain", "step", frozenset(), "", {"x": x}, (call("f", "x", to="y"),), ("y",), dtype=dtype
    )


def value(array: Floats, dtype: str = "float64") -> TensorValue:
    return tensor(array, dtype)


@settings(max_examples=400, deadline=None)
@given(
    shape=st.sampled_from(SHAPES),
    scale=st.floats(1e-6, 1e6),
    relative=st.floats(1e-7, 1.0),
    seed=st.integers(0, 2**32 - 1),
    how=st.sampled_from(["random", "edge", "up", "against"]),
)
def test_whatever_is_within_the_tolerance_opens_it(
    shape: tuple[int, ...], scale: float, relative: float, seed: int, how: str
) -> None:
    random = np.random.default_rng(seed)
    want = random.standard_normal(shape) * scale
    allowed = relative * max(1.0, float(np.abs(want).max(initial=0.0)))  # as every tolerance is made
    signs = random.integers(0, 2, shape) * 2.0 - 1.0
    off = {
        "random": random.uniform(-1, 1, shape),
        "edge": signs,
        "up": np.ones(shape),
        # the worst there is: every error drives its group's sum the same way
        "against": np.sign(_weights(shape)) * (1.0 if seed % 2 else -1.0),
    }[how] * allowed
    made = locked(want, allowed, "salt")
    assert made is not None
    assert opens(made, want, allowed, "salt")
    assert opens(made, want + off, allowed, "salt")


def _weights(shape: tuple[int, ...]) -> Floats:
    from grader.lesson import lock

    return lock._deal(shape)[1].reshape(shape)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape])
def test_an_error_of_many_tolerances_does_not_open_it(shape: tuple[int, ...]) -> None:
    want = np.random.default_rng(1).standard_normal(shape)
    made = locked(want, 1e-5, "salt")
    assert made is not None
    wrong = want.copy()
    wrong.flat[0] += 1e-5 * 4 * max(1, math.ceil(want.size / GROUPS))
    assert not opens(made, wrong, 1e-5, "salt")
    assert not opens(made, want, 1e-5, "another probe")
    assert not opens(Lock(made.offsets + b"\0", made.digest), want, 1e-5, "salt")
    assert not opens(made, want * 1e40, 1e-5, "salt")


def test_there_is_no_lock_where_rounding_could_decide() -> None:
    want = np.random.default_rng(1).standard_normal((3, 4))
    assert locked(want, 0.0, "s") is None
    assert locked(want * 1e20, 1e-6, "s") is None
    assert locked(np.zeros((0, 3)), 1e-6, "s") is None


def solved(want: SealedTensor) -> Floats:
    """A tensor that gives all sums and slices of a sealed one, made from nothing but these: the attack."""
    size = math.prod(want.shape)
    rows = []
    for place in range(size):
        unit = np.zeros(size)
        unit[place] = 1.0
        shaped = unit.reshape(want.shape)
        rows.append(np.concatenate([sums(shaped), *slices(shaped)]))
    given_sums = np.concatenate([want.sums, *want.slices])
    found: Floats = np.linalg.lstsq(np.array(rows).T, given_sums, rcond=None)[0]
    return found.reshape(want.shape)


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_sums_that_were_solved_for_do_not_pass(dtype: str) -> None:
    probe = asked(dtype)
    right = np.random.default_rng(5).standard_normal((2, 5, 12))
    want = seal(value(right, dtype))
    assert isinstance(want, SealedTensor)
    forged = solved(want)
    assert difference(probe, "y", want, value(forged, dtype)) is None  # by the sums alone it would be right
    held = _locked(probe, value(right, dtype))
    told = difference(probe, "y", held, value(forged, dtype))
    assert told is not None
    assert told.text == "the numbers add up as expected, and are others than expected"
    most = tolerance(probe, float(np.abs(right).max())).absolute
    for off in (0.0, most, -most):
        assert difference(probe, "y", held, value(right + off, dtype)) is None


def test_a_lock_goes_through_the_file_and_known_mistakes_have_none() -> None:
    held = _locked(asked(), value(np.arange(12.0).reshape(3, 4)))
    assert isinstance(held, SealedTensor)
    assert held.lock is not None
    again = read_plain_value(plain_value(held))
    assert isinstance(again, SealedTensor)
    assert again.lock == held.lock
    assert again.lock is not None
    assert len(again.lock.offsets) == 12
    plain = fingerprint.seal(value(np.ones(3)), places=False)
    assert isinstance(plain, SealedTensor)
    assert plain.lock is None
    without = read_plain_value(plain_value(plain))
    assert isinstance(without, SealedTensor)
    assert without.lock is None
