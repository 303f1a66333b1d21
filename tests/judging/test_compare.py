from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.own_words import unmarked
from grader.judging.compare import axes_of, difference, same_value, say
from grader.judging.tolerance import PRECISIONS, tolerance
from grader.lesson.answers import FigureValue, OtherValue, SequenceValue, TensorValue, Value
from grader.lesson.fingerprint import GROUP, SealedTensor, folded, odd_places, seal, slack, sums
from grader.lesson.probes import Probe
from grader.worker.wire import Blob
from tests.tools.answers import probe, tensor

NAN, INFINITY = float("nan"), float("inf")
quick = settings(derandomize=True, max_examples=60, deadline=None, database=None)
shapes = (
    st.lists(st.integers(1, 8), min_size=1, max_size=4).map(tuple).filter(lambda shape: np.prod(shape) <= 500)
)
seeds = st.integers(0, 2**32 - 1)


def text(want: Value, got: Value, asked: Probe | None = None) -> str:
    """The sentence about a value named `y`; "" when it is the expected one."""
    off = difference(asked or probe(), "y", want, got)
    return "" if off is None else off.text


def picture(array: Any, **fields: object) -> dict[str, object]:
    plain = np.asarray(array, dtype=np.float64)
    edges = {"left": -0.5, "right": plain.shape[1] - 0.5, "first": -0.5, "last": plain.shape[0] - 0.5}
    shown = [{"array": Blob("float64", plain.shape, plain.tobytes()), **edges}]
    no_ticks: dict[str, object] = {"at": [], "labels": []}
    return {"visible": True, "colorbar": False, "titles": ["", "head 0", ""], "x": no_ticks, "y": no_ticks,
            "pictures": shown, **fields}  # fmt: skip


def figure(*axes: dict[str, object]) -> FigureValue:
    return FigureValue(axes)


# --- tolerance ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "error"),
    [("float64", 32 * 2**-23), ("float32", 256 * 2**-23), ("bfloat16", 4 * 2**-7), ("float16", 8 * 2**-10)],
)
def test_tolerance_follows_dtype_longest_axis_and_magnitude(dtype: str, error: float) -> None:
    asked = probe(dtype=dtype, sizes={"B": 2, "T": 9})
    assert tolerance(asked, 0.5).absolute == pytest.approx(error * 3)
    assert tolerance(asked, 20.0).absolute == pytest.approx(error * 3 * 20)
    assert tolerance(asked, 1.0).why == PRECISIONS[dtype].why != ""


def test_tolerance_of_a_probe_without_sizes_is_that_of_one_operation() -> None:
    assert tolerance(probe(sizes={}), 1.0).absolute == PRECISIONS["float64"].error


def test_a_probes_own_tolerance_overrides_the_dtypes() -> None:
    own = tolerance(probe(tolerance=0.25, why="rounded by hand", dtype="bfloat16"), 4.0)
    assert (own.absolute, own.why) == (1.0, "rounded by hand")


@pytest.mark.parametrize("dtype", sorted(PRECISIONS))
def test_just_inside_the_tolerance_is_right_and_just_outside_is_not(dtype: str) -> None:
    asked = probe(dtype=dtype)
    allowed = tolerance(asked, 1.0).absolute
    want, inside, outside = (
        tensor([1.0, 0.5]),
        tensor([1, 0.5 + 0.999 * allowed], dtype),
        tensor([1, 0.5 + 1.001 * allowed], dtype),
    )
    assert text(want, inside, asked) == ""
    assert text(want, outside, asked).startswith("differs most at [1]: expected 0.5, got ")


# --- the kinds of difference, word for word -----------------------------------------------------

ROOM = np.arange(24.0).reshape(1, 2, 3, 4)


@pytest.mark.parametrize(
    ("want", "got", "words"),
    [
        (tensor(ROOM), tensor(ROOM), ""),
        (tensor(ROOM), None, "expected a tensor of shape (B, h, T, d_k) = (1, 2, 3, 4), got None"),
        (tensor(ROOM), 3, "expected a tensor of shape (B, h, T, d_k) = (1, 2, 3, 4), got int 3"),
        (
            tensor(ROOM),
            SequenceValue("tuple", 2, (tensor(ROOM), None)),
            "expected a tensor of shape (B, h, T, d_k) = (1, 2, 3, 4), got a tuple of 2",
        ),
        (
            tensor([1, 2, 3]),
            OtherValue("numpy.ndarray", "numpy.ndarray of shape (3,)"),
            "expected a tensor of shape (3,), got numpy.ndarray of shape (3,)",
        ),
        (
            tensor(ROOM),
            tensor(ROOM.transpose(0, 2, 1, 3)),
            "expected shape (B, h, T, d_k) = (1, 2, 3, 4), got (1, 3, 2, 4) = (B, T, h, d_k)",
        ),
        (tensor(ROOM), tensor(ROOM[0]), "expected shape (B, h, T, d_k) = (1, 2, 3, 4), got (2, 3, 4)"),
        (tensor([[1, 2]]), tensor([[1, 2, 3]]), "expected shape (1, 2), got (1, 3)"),
        (tensor([1, 2]), tensor([1]), "expected shape (2,), got (1,)"),
        (tensor(1), tensor([1]), "expected shape (), got (1,)"),
        (tensor(ROOM), tensor(ROOM, "float32"), "expected dtype float64 (the inputs' dtype), got float32"),
        (tensor([1, 0], "bool"), tensor([1, 0], "int64"), "expected dtype bool, got int64"),
        (tensor([1, 0], "bool"), tensor([1, 0], "bool"), ""),
        (
            tensor([1, 0], "bool"),
            tensor([1, 1], "bool"),
            "differs most at [1]: expected 0, got 1 (1 of 2 numbers is off by more than 6.607e-06)",
        ),
        (
            tensor([1, 2]),
            TensorValue("float64", (2,), "meta", "Tensor", None),
            "expected values on the CPU, got a tensor on meta",
        ),
        (
            tensor(ROOM),
            tensor(np.where(ROOM > 16, NAN, np.where(ROOM > 4, INFINITY, ROOM))),
            "expected finite numbers, got NaN, first at [B 0, h 1, T 1, d_k 1]",
        ),
        (
            tensor([1, 2]),
            tensor([1, -INFINITY]),
            "expected finite numbers, got infinite values, first at [1]",
        ),
        (
            tensor(ROOM),
            tensor(ROOM + np.eye(24)[7].reshape(ROOM.shape)),
            ("differs most at [B 0, h 0, T 1, d_k 3]: expected 7, got 8 "
            "(1 of 24 numbers is off by more than 0.000152)"),
        ),
        (
            tensor([1, 2, 3]),
            tensor([1, 2.25, 3.5]),
            "differs most at [2]: expected 3, got 3.5 (2 of 3 numbers are off by more than 1.982e-05)",
        ),
        (tensor(np.zeros((2, 0))), tensor(np.zeros((2, 0))), ""),
        (24, 24, ""),
        (24, 25, "expected int 24, got int 25"),
        (24, 24.0, "expected int 24, got float 24.0"),
        (1, True, "expected int 1, got bool True"),
        (24, tensor(24), "expected int 24, got a tensor of shape ()"),
        (2.5, 2.5, ""),
        (2.5, 2.0, "expected float 2.5, got float 2.0"),
        (True, False, "expected bool True, got bool False"),
        (None, None, ""),
        (None, tensor([1]), "expected None, got a tensor of shape (1,)"),
        ("left", "right", "expected the text 'left', got the text 'right'"),
        (OtherValue("torch.Size", ""), OtherValue("torch.Size", "another"), ""),
        (OtherValue("torch.Size", ""), OtherValue("slice", "a slice"), "expected torch.Size, got a slice"),
        (SequenceValue("list", 0, ()), SequenceValue("list", 0, ()), ""),
        (SequenceValue("list", 0, ()), SequenceValue("list", 1, ()), "expected a list of 0, got a list of 1"),
        (SequenceValue("tuple", 1, (1,)), SequenceValue("list", 1, (1,)), ""),
        (SequenceValue("tuple", 2, (1, 2)), 5, "expected a tuple of 2, got int 5"),
        (
            SequenceValue("tuple", 2, (1, tensor([1, 2]))),
            SequenceValue("tuple", 2, (1, tensor([1, 5]))),
            "item 1: differs most at [1]: expected 2, got 5 (1 of 2 numbers is off by more than 1.321e-05)",
        ),
        (figure(picture([[1, 2]])), figure(picture([[1, 2]])), ""),
        (figure(picture([[1, 2]])), None, "expected a matplotlib Figure, got None"),
        (figure(picture([[1, 2]])), figure(), "expected 1 heat map, got 0"),
        (
            figure(picture([[1, 2]]), picture([[3, 4]])),
            figure(picture([[1, 2]])),
            "expected 2 heat maps, got 1",
        ),
        (figure(picture([[1, 2]])), figure(picture([[2, 1]])), "the heat maps are not those expected"),
        (
            figure(picture([[1, 2]])),
            figure(picture([[1, 2]], titles=["", "head 1", ""])),
            "the heat maps are not those expected",
        ),
        (3, figure(picture([[1, 2]])), "expected int 3, got a figure with 1 heat map"),
    ],
)  # fmt: skip
def test_each_difference_is_said_in_these_words(want: Value, got: Value, words: str) -> None:
    assert unmarked(text(want, got)) == words


def test_axes_are_told_by_name_only_where_every_one_has_one() -> None:
    asked = probe(axes={"y": ("B", "T")})
    assert axes_of(asked, "y", (2, 3)) == "(B, T) = (2, 3)"
    assert axes_of(asked, "y", (2, 3, 4)) == "(2, 3, 4)"
    assert axes_of(asked, "z", (2,)) == "(2,)"


def test_axes_in_another_order_are_renamed_only_where_their_lengths_tell_them_apart() -> None:
    square = np.zeros((2, 2, 3, 4))
    told = text(tensor(square), tensor(square.transpose(0, 2, 1, 3)))
    assert told == "expected shape (B, h, T, d_k) = (2, 2, 3, 4), got (2, 3, 2, 4)"


def test_a_value_is_said_in_a_few_words() -> None:
    assert unmarked(say("a" * 500)) == "the text '" + "a" * 90
    assert unmarked(say(OtherValue("slice", ""))) == "slice"
    assert say(seal(tensor([1, 2]))) == "a tensor of shape (2,)"


# --- sealed values ------------------------------------------------------------------------------


def drawn(shape: tuple[int, ...], seed: int) -> tuple[np.random.Generator, Any]:
    random = np.random.default_rng(seed)
    return random, random.standard_normal(shape)


@quick
@given(shapes, seeds, st.sampled_from(sorted(PRECISIONS)))
def test_a_right_answer_never_fails_sealed_however_it_is_rounded(
    shape: tuple[int, ...], seed: int, dtype: str
) -> None:
    random, want = drawn(shape, seed)
    asked = probe(dtype=dtype)
    allowed = tolerance(asked, float(np.abs(want).max())).absolute
    for noise in (
        random.choice([-1, 1], shape),
        random.uniform(-1, 1, shape),
        np.ones(shape),
        -np.ones(shape),
    ):
        got = want + 0.999999 * allowed * noise
        assert difference(asked, "y", tensor(want), tensor(got, dtype)) is None
        assert difference(asked, "y", seal(tensor(want)), tensor(got, dtype)) is None


@quick
@given(shapes, seeds)
def test_twenty_tolerances_in_one_element_are_always_seen_sealed(shape: tuple[int, ...], seed: int) -> None:
    random, want = drawn(shape, seed)
    allowed = tolerance(probe(), float(np.abs(want).max())).absolute
    wrong = want + allowed * random.choice([-1, 1], shape)
    wrong[tuple(random.integers(0, shape))] += 21 * allowed * random.choice([-1, 1])
    off = difference(probe(), "y", seal(tensor(want)), tensor(wrong))
    assert off is not None
    assert off.kind == "values"


@quick
@given(shapes, seeds, st.integers(1, 5))
def test_the_nearest_wrong_answers_are_seen_sealed_as_they_are_in_the_open(
    shape: tuple[int, ...], seed: int, count: int
) -> None:
    random, want = drawn(shape, seed)
    wrong = want.copy().ravel()
    places = random.choice(want.size, min(count, want.size), replace=False)
    wrong[places] += 3e-3 * random.uniform(1, 2, len(places)) * random.choice([-1, 1], len(places))
    got = tensor(wrong.reshape(shape))
    asked = probe(sizes={"T": 7})
    assert difference(asked, "y", tensor(want), got) is not None
    assert difference(asked, "y", seal(tensor(want)), got) is not None
    assert not same_value(asked, got, seal(tensor(want)))


@quick
@given(shapes, seeds, st.sampled_from(["right", "turned", "scaled", "half", "shifted", "zero"]))
def test_sealed_and_open_comparison_agree(shape: tuple[int, ...], seed: int, kind: str) -> None:
    _, want = drawn(shape, seed)
    made = {
        "right": want,
        "turned": want[::-1],
        "scaled": want * 1.01,
        "half": np.where(np.arange(want.size).reshape(shape) % 2, want, 0),
        "shifted": want + 0.02,
        "zero": np.zeros(shape),
    }
    got = tensor(made[kind])
    open_, hidden = (
        difference(probe(), "y", tensor(want), got),
        difference(probe(), "y", seal(tensor(want)), got),
    )
    assert (open_ is None) == (hidden is None)
    assert same_value(probe(), got, tensor(want)) == same_value(probe(), got, seal(tensor(want)))
    assert (difference(probe(), "y", seal(tensor(want)), seal(got, places=False)) is None) == (open_ is None)


def test_a_sealed_difference_tells_the_place_and_the_learners_own_number_alone() -> None:
    wrong = ROOM.copy()
    wrong[0, 1, 2, 3] = -5
    assert (
        text(seal(tensor(ROOM)), tensor(wrong))
        == "differs most around [B 0, h 1, T 2, d_k 3], where you have -5"
    )


def test_a_sealed_shape_and_dtype_are_told_as_open_ones_are() -> None:
    for got in (tensor(ROOM[0]), tensor(ROOM, "float32"), None, tensor(ROOM * NAN), tensor(ROOM * 0)):
        off, open_ = (difference(probe(), "y", want, got) for want in (seal(tensor(ROOM)), tensor(ROOM)))
        assert off is not None
        assert open_ is not None
        assert off.kind == open_.kind
        assert off.kind == "values" or off.text == open_.text


def test_tensors_inside_a_sequence_are_sealed_too() -> None:
    want = SequenceValue("tuple", 2, (tensor([1, 2]), 3))
    hidden = seal(want)
    assert isinstance(hidden, SequenceValue)
    assert isinstance(hidden.items[0], SealedTensor)
    assert text(hidden, want) == ""
    assert text(hidden, SequenceValue("tuple", 2, (tensor([1, 9]), 3))) == (
        "item 0: differs most around [1], where you have 9"
    )
    assert same_value(probe(), want, hidden)


def test_sealing_keeps_no_value_where_there_is_more_than_one() -> None:
    values = np.arange(2.0, 122.0).reshape(4, 30) ** 0.5
    hidden = seal(tensor(values))
    assert isinstance(hidden, SealedTensor)
    assert hidden.sums.shape == (15,)
    assert [len(axis) for axis in hidden.slices] == [4, 30]
    kept = np.abs(np.concatenate([hidden.sums, *hidden.slices]))
    assert not np.isclose(kept[:, None], values.ravel()[None, :-1], atol=1e-9).any()
    assert hidden.largest == values.max()


@pytest.mark.parametrize(
    "value", [None, 3, "text", OtherValue("slice", ""), TensorValue("float64", (2,), "meta", "Tensor", None)]
)
def test_what_has_no_values_to_hide_stays_as_it_is(value: Value) -> None:
    assert seal(value) is value


@pytest.mark.parametrize(
    ("shape", "groups"), [((), 1), ((3,), 1), ((0, 2), 0), ((4, 2), 1), ((3, 3), 2), ((7, 3), 3)]
)
def test_sums_are_of_eight_elements_at_most(shape: tuple[int, ...], groups: int) -> None:
    assert sums(np.ones(shape)).shape == slack(shape).shape == (groups,)
    assert all(slack(shape) <= GROUP)
    assert all(slack(shape) >= 0.75)
    assert difference(probe(axes={}), "y", seal(tensor(np.ones(shape))), tensor(np.ones(shape))) is None


def test_a_sealed_answer_of_a_mistake_is_held_against_the_expected_one() -> None:
    right, wrong = seal(tensor(ROOM), places=False), seal(tensor(ROOM + 1), places=False)
    for want in (tensor(ROOM), seal(tensor(ROOM))):
        assert difference(probe(), "y", want, right) is None
        for got in (wrong, seal(tensor(ROOM[0])), seal(tensor(ROOM, "float32")), seal(tensor(ROOM * NAN))):
            off = difference(probe(), "y", want, got)
            assert off is not None
            assert (off.kind, off.text) == ("sealed", "not a tensor of shape (1, 2, 3, 4)")
    assert difference(probe(), "y", None, right) is not None
    flags = seal(tensor([1, 0], "bool"))
    assert difference(probe(), "y", flags, seal(tensor([1, 0], "bool"))) is None
    assert difference(probe(), "y", flags, seal(tensor([1, 0]))) is not None


# --- a mistake's value and the learner's --------------------------------------------------------

HOLES = [1.0, NAN, INFINITY, -INFINITY]


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (tensor([1, 2]), tensor([1, 2 + 1e-6]), True),
        (tensor([1, 2]), tensor([1, 2.1]), False),
        (tensor([1, 2]), tensor([1, 2], "float32"), False),
        (tensor([1, 2]), tensor([1, 2], device="portable"), False),
        (tensor([1, 2]), tensor([[1, 2]]), False),
        (tensor([1, 2]), None, False),
        (tensor(HOLES), tensor(HOLES), True),
        (tensor(HOLES), tensor([1, INFINITY, NAN, -INFINITY]), False),
        (tensor(HOLES), tensor([1, NAN, -INFINITY, INFINITY]), False),
        (tensor(HOLES), tensor([2, NAN, INFINITY, -INFINITY]), False),
        (tensor(HOLES), tensor([1, 1, INFINITY, -INFINITY]), False),
        (
            TensorValue("float64", (2,), "meta", "Tensor", None),
            TensorValue("float64", (2,), "meta", "Tensor", None),
            True,
        ),
        (TensorValue("float64", (2,), "cpu", "Tensor", None), tensor([1, 2]), False),
        (SequenceValue("list", 1, ("scale",)), SequenceValue("list", 2, ("gain", "bias")), True),
        (SequenceValue("list", 1, ("scale",)), SequenceValue("list", 0, ()), False),
        (SequenceValue("list", 2, (1, 2)), SequenceValue("list", 2, (1, 2)), True),
        (SequenceValue("list", 2, (1, 2)), SequenceValue("list", 2, (1, 3)), False),
        (SequenceValue("list", 2, (1, 2)), SequenceValue("list", 1, (1,)), False),
        (OtherValue("slice", "a"), OtherValue("slice", "b"), True),
        (OtherValue("slice", "a"), OtherValue("range", "a"), False),
        (3, 3, True),
        (3, 3.0, False),
        (1, True, False),
        (None, None, True),
        ("a", "a", True),
        (figure(picture([[1, 2]])), figure(picture([[1, 2]])), True),
        (figure(picture([[1, NAN]])), figure(picture([[1, NAN]])), True),
        (figure(picture([[1, 2]])), figure(picture([[1, 2]], visible=False)), False),
        (figure(picture([[1, 2]])), figure(picture([[1, 3]])), False),
    ],
)
def test_two_values_are_the_same_or_not(one: Value, two: Value, same: bool) -> None:
    assert same_value(probe(), one, two) is same
    assert same_value(probe(), one, seal(two, places=False)) is same


def test_where_numbers_are_missing_is_told_by_a_digest() -> None:
    digests = {
        odd_places(np.array(row)) for row in ([1, NAN], [NAN, 1], [1, INFINITY], [1, -INFINITY], [1, 2])
    }
    assert len(digests) == 5
    assert "" in digests


def test_folded_sums_are_fewer_and_miss_no_error_that_a_tolerance_lets_be_seen() -> None:
    random = np.random.default_rng(3)
    array = random.normal(size=(2, 3, 5, 7))
    assert folded(sums(array), 8).shape == folded(slack(array.shape), 8).shape == (8,)
    assert folded(sums(array), None).shape == sums(array).shape
    assert np.isclose(folded(sums(array), 8).sum(), sums(array).sum())
    changed = array.copy()
    changed[1, 2, 3, 4] += 1e-3
    off = np.abs(folded(sums(changed), 8) - folded(sums(array), 8))
    assert off.max() > 7e-4  # a weight is three quarters at least
    assert (off > 0).sum() == 1
