"""Sentences about wrong answers: each is true of the numbers it was made from, none appears on right ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from grader.core.own_words import unmarked
from grader.grading.session import Session
from grader.judging.diagnosis.properties import LENGTH, MOST, properties
from grader.judging.diagnosis.properties.calls import calls_of
from grader.judging.diagnosis.properties.facts import places
from grader.judging.diagnosis.properties.symbols import factor_of, length_of, plain
from grader.judging.diagnosis.properties.torchwords import Crash, translated
from grader.judging.diagnosis.suspect import Suspect
from grader.lesson.answers import Answer, Raised
from grader.lesson.fingerprint import Expected, seal
from grader.lesson.probes import Op, Probe, call, load
from grader.report.terminal import render
from tests.tools.answers import probe, raising, returned, tensor
from tests.tools.corpus import ROOT

Floats = NDArray[np.float64]
Sizes = Mapping[str, int]
AXES = {"y": ("B", "h", "T", "d_k")}
CASES: Sequence[Sizes] = (
    {"B": 2, "h": 3, "T": 5, "d_k": 4},
    {"B": 3, "h": 2, "T": 4, "d_k": 7},
    {"B": 2, "h": 5, "T": 3, "d_k": 6},
)


@dataclass(frozen=True)
class Question:
    """A probe, what was expected of it and what came."""

    probe: Probe
    want: Mapping[str, Expected]
    got: Answer


def said(*asked: Question, sealed: bool = False) -> tuple[str, ...]:
    want = {one.probe.id: {k: seal(v) if sealed else v for k, v in one.want.items()} for one in asked}
    got = {one.probe.id: one.got for one in asked}
    found = properties(Suspect("add", ("add",), tuple(one.probe for one in asked), got, want))
    return tuple(map(unmarked, found))


def numbers(*shape: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=shape)


def asked(
    number: int, sizes: Sizes, want: Floats, got: Floats, axes: Sequence[str] = AXES["y"], **fields: Any
) -> Question:
    say = ", ".join(f"{axis}={size}" for axis, size in sizes.items())
    one = probe(f"add/{number}", axes={"y": tuple(axes)}, sizes=sizes, say=say, **fields)
    return Question(one, {"y": tensor(want)}, returned(one, y=tensor(got)))


def bent(change: Callable[[Floats, Sizes], Floats], cases: Sequence[Sizes] = CASES) -> list[Question]:
    """The expected tensors of some sizes, and what a change makes of them."""
    made = []
    for number, sizes in enumerate(cases):
        want = numbers(*sizes.values(), seed=number)
        made.append(asked(number, sizes, want, change(want.copy(), sizes)))
    return made


# --- right answers ------------------------------------------------------------------------------


def test_nothing_is_said_of_right_answers() -> None:
    assert said(*bent(lambda y, _: y)) == ()
    assert said(*bent(lambda y, _: y + 1e-9)) == ()


def test_nothing_is_said_of_answers_that_are_wrong_in_no_special_way() -> None:
    assert said(*bent(lambda y, _: y + numbers(*y.shape, seed=9))) == ()


def test_nothing_is_said_where_nothing_came() -> None:
    silent = [
        replace(one, got=Answer(one.probe.id, "stopped", message="stopped")) for one in bent(lambda y, _: y)
    ]
    assert said(*silent) == ()
    assert properties(Suspect("add", ("add",), (), {}, {})) == ()


# --- factors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (lambda s: math.sqrt(s["d_k"]), "the expected one times √d_k (2 where d_k = 4)"),
        (lambda s: 1 / s["h"], "the expected one times 1/h (0.3333 where h = 3)"),
        (lambda s: s["T"] / s["B"], "the expected one times T/B (2.5 where B = 2 and T = 5)"),
        (lambda s: math.sqrt(s["d_k"]) / 8, "the expected one times √d_k/8 (0.25 where d_k = 4)"),
        (lambda _: math.sqrt(3), "the expected one times 1.732 (√3)"),
        (lambda _: 0.5, "the expected one times 0.5 (1/2)"),
        (lambda _: 2.0, "the expected one times 2"),
        (lambda _: -1.0, "the expected one times -1"),
        (lambda _: 0.8317, "the expected one times 0.8317"),
        (
            lambda s: 1 + 0.1 * s["T"] ** 3,
            "the expected one times a factor that differs from case to case (13.5, 7.4)",
        ),
    ],
)
def test_a_factor_is_told_in_its_likely_form(
    factor: Callable[[Sizes], float], text: str, sealed: bool
) -> None:
    assert said(*bent(lambda y, s: y * factor(s)), sealed=sealed) == (f"Your `y` is {text}.",)


def test_where_some_cases_are_right_it_is_said_that_the_others_are_meant() -> None:
    cases = [*CASES, {"B": 2, "h": 1, "T": 5, "d_k": 4}]
    assert said(*bent(lambda y, s: y * s["h"], cases))[0] == (
        "Where your `y` is wrong, it is the expected one times h (3 where h = 3)."
    )


@pytest.mark.parametrize("sealed", [False, True])
def test_an_addend_and_a_residual_are_told(sealed: bool) -> None:
    assert said(*bent(lambda y, _: y + 0.5), sealed=sealed) == (
        "Your `y` is the expected one plus 0.5 (1/2) everywhere.",
    )
    plain_ones, with_x = bent(lambda y, _: y), []
    for one in plain_ones:
        x = numbers(*one.probe.sizes.values(), seed=7)
        got = one.want["y"].array + x  # type: ignore[union-attr, operator]
        with_x.append(
            replace(one, probe=replace(one.probe, tensors={"x": x}), got=returned(one.probe, y=tensor(got)))
        )
    assert said(*with_x, sealed=sealed) == ("Your `y` is the expected one plus the input `x`.",)


def test_an_input_handed_back_and_zeros_are_told() -> None:
    handed = []
    for one in bent(lambda y, _: y):
        x = numbers(*one.probe.sizes.values(), seed=7)
        handed.append(
            replace(one, probe=replace(one.probe, tensors={"x": x}), got=returned(one.probe, y=tensor(x)))
        )
    assert said(*handed)[0] == "Your `y` is the input `x`, unchanged."
    assert said(*bent(lambda y, _: y * 0))[0] == "Your `y` is zero everywhere."


@pytest.mark.parametrize(
    ("bend", "text"),
    [
        (lambda y: np.maximum(y, 0), "the expected one with 0 for every negative number"),
        (np.abs, "the expected one without its signs"),
        (np.tanh, "the tanh of the expected one"),
        (np.square, "the expected one squared"),
    ],
)
def test_a_function_of_the_expected_numbers_is_told(bend: Callable[[Floats], Floats], text: str) -> None:
    assert said(*bent(lambda y, _: bend(y))) == (f"Your `y` is {text}.",)
    assert said(*bent(lambda y, _: bend(y)), sealed=True) == ()


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda x, _: x, "Your `y` times `w` is the expected one: that product is missing at the end."),
        (lambda x, w: x @ w.T, "Your `y` would be right with `w` turned: it is used transposed, at the end."),
        (lambda x, w: x @ w @ w, "Your `y` is the expected one times `w` once more."),
    ],
)
def test_a_matrix_left_out_used_twice_or_turned_is_told(
    wrong: Callable[[Floats, Floats], Floats], text: str, sealed: bool
) -> None:
    made = []
    for number, sizes in enumerate(({"B": 2, "T": 5, "d": 6}, {"B": 3, "T": 4, "d": 5})):
        x, w = numbers(*sizes.values(), seed=number), numbers(sizes["d"], sizes["d"], seed=number + 5)
        made.append(asked(number, sizes, x @ w, wrong(x, w), ("B", "T", "d"), tensors={"w": w}))
    assert said(*made, sealed=sealed)[:1] == (() if sealed and "once more" in text else (text,))


# --- layouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda y, _: y.transpose(0, 2, 1, 3),
            "The numbers of your `y` are right, but its axes are (B, T, h, d_k) where (B, h, T, d_k) is asked for.",
        ),
        (
            lambda y, _: y.swapaxes(-1, -2),
            "The numbers of your `y` are right, but its axes are (B, h, d_k, T) where (B, h, T, d_k) is asked for.",
        ),
        (
            lambda y, _: y.transpose(0, 2, 1, 3).reshape(y.shape),
            (
                "The numbers of your `y` are right, but stand in the order of (B, T, h, d_k) and are read as "
                "(B, h, T, d_k): they were relabelled where they had to be moved."
            ),
        ),
        (
            lambda y, s: y.transpose(0, 2, 1, 3).reshape(s["B"] * s["h"], s["T"], s["d_k"]),
            "The numbers of your `y` are right, but stand in the order of (B, T, h, d_k), in the shape (B·h, T, d_k).",
        ),
        (
            lambda y, s: y.reshape(s["B"] * s["h"], s["T"], s["d_k"]),
            "The numbers of your `y` are right, and in the right order; only their shape is (B·h, T, d_k).",
        ),
        (
            lambda y, s: (
                y.transpose(0, 2, 1, 3).reshape(s["B"], s["T"], s["d_k"], s["h"]).transpose(0, 3, 1, 2)
            ),
            "Your `y` is right but for one cut: an axis of h·d_k numbers is taken as (d_k, h) where (h, d_k) is meant.",
        ),
        (
            lambda y, _: y[:, ::-1],
            "Your `y` is right but for the order along h: they run from the last h to the first.",
        ),
        (
            lambda y, _: np.roll(y, 1, axis=2),
            "Your `y` is right but for the order along T: each T holds what belongs to the one before it.",
        ),
    ],
)
def test_right_numbers_in_wrong_places_are_told(
    change: Callable[[Floats, Sizes], Floats], text: str, sealed: bool
) -> None:
    assert said(*bent(change), sealed=sealed)[:1] == (text,)


def test_one_slice_in_every_place_is_told() -> None:
    assert said(*bent(lambda y, _: np.broadcast_to(y[:, :1], y.shape)))[:1] == (
        "Your `y` is right but for the order along h: every h holds what belongs to h 0.",
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda y: y.sum(1), "added up over h"),
        (lambda y: y.mean(1), "averaged over h"),
        (lambda y: y[:, 0], "at h 0 alone"),
        (lambda y: y[:, :, -1], "at the last T alone"),
    ],
)
def test_an_axis_that_was_summed_away_is_told(change: Callable[[Floats], Floats], text: str) -> None:
    assert said(*bent(lambda y, _: change(y)))[:1] == (f"Your `y` is the expected one {text}.",)


def test_a_shape_is_named_where_nothing_else_is_known() -> None:
    assert said(*bent(lambda _, s: numbers(s["B"], s["T"], s["T"], s["d_k"])))[:1] == (
        "The axes of your `y` are (B, T, T, d_k) where (B, h, T, d_k) is asked for.",
    )


def test_a_merged_axis_is_taken_apart() -> None:
    made = []
    for number, sizes in enumerate(CASES):
        heads = numbers(*sizes.values(), seed=number)
        flat = (sizes["B"], sizes["T"], sizes["h"] * sizes["d_k"])
        right = heads.transpose(0, 2, 1, 3).reshape(flat)
        made.append(asked(number, sizes, right, heads.reshape(flat), ("B", "T", "h·d_k")))
    assert said(*made)[0].startswith(
        "The numbers of your `y` are right, but stand in the order of (B, h, T, d_k) and"
    )


# --- regions ------------------------------------------------------------------------------------


def spoilt(where: Callable[[Floats], Any]) -> Callable[[Floats, Sizes], Floats]:
    """Random numbers in some places."""

    def change(y: Floats, _: Sizes) -> Floats:
        other = numbers(*y.shape, seed=11)
        where(y)[...] = where(other)
        return y

    return change


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize(
    ("where", "text"),
    [
        (lambda y: y[:, :, :-1], "right at the last T, and wrong at every other T"),
        (lambda y: y[:, 1:], "right at h 0, and wrong at every other h"),
        (lambda y: y[:1], "wrong at B 0, and right at every other B"),
        (lambda y: y[..., -1], "wrong at the last d_k, and right at every other d_k"),
    ],
)
def test_ends_that_are_right_or_wrong_are_told(
    where: Callable[[Floats], Floats], text: str, sealed: bool
) -> None:
    assert said(*bent(spoilt(where)), sealed=sealed) == (f"Your `y` is {text}.",)


@pytest.mark.parametrize(
    ("keep", "text"),
    [
        (lambda q, k: q == k, "right only on the diagonal (T = S)"),
        (lambda q, k: k <= q, "right just where S ≤ T"),
        (lambda q, k: k > q, "right just where S > T"),
    ],
)
def test_a_diagonal_and_triangles_are_told(keep: Callable[[Any, Any], Any], text: str) -> None:
    sizes = {"B": 2, "T": 5, "S": 6}
    want = numbers(2, 5, 6)
    got = np.where(keep(*np.indices((5, 6))), want, numbers(2, 5, 6, seed=3))
    assert said(asked(0, sizes, want, got, ("B", "T", "S"))) == (f"Your `y` is {text}.",)


def test_an_axis_along_which_all_is_the_same_is_told() -> None:
    assert said(*bent(lambda y, _: np.broadcast_to(y.mean(1, keepdims=True), y.shape))) == (
        "Your `y` is the same at every h, which it should not be.",
    )


def test_rows_that_are_right_up_to_a_factor_are_told() -> None:
    scale = {s["T"]: 1 + np.arange(s["T"])[:, None] for s in CASES}
    assert said(*bent(lambda y, s: y * scale[s["T"]]))[:1] == (
        "In your `y` every row along d_k is right up to a factor, which changes from row to row.",
    )


# --- shares -------------------------------------------------------------------------------------

SHARED = ("B", "h", "Tq", "Tk")
SHARES = ({"B": 2, "h": 3, "Tq": 5, "Tk": 7, "d_k": 4}, {"B": 5, "h": 2, "Tq": 6, "Tk": 4, "d_k": 9})


def softmax(scores: Floats, axis: Any = -1) -> Floats:
    powers = np.exp(scores)
    with np.errstate(invalid="ignore"):  # a row of zeros
        result: Floats = powers / powers.sum(axis=axis, keepdims=True)
    return result


def shares(change: Callable[[Floats, Sizes], Floats]) -> list[Question]:
    made = []
    for number, sizes in enumerate(SHARES):
        scores = numbers(*[sizes[axis] for axis in SHARED], seed=number)
        made.append(asked(number, sizes, softmax(scores), change(scores, sizes), SHARED))
    return made


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (lambda s: math.sqrt(s["d_k"]), "are too large by the factor √d_k (2 where d_k = 4)"),
        (lambda s: 1 / s["d_k"], "are too small by the factor d_k (4 where d_k = 4)"),
        (lambda s: s["d_k"] ** 0.25, "are too large by the factor d_k^¼ (1.414 where d_k = 4)"),
        (lambda _: 2.0, "are too large by the factor 2"),
    ],
)
def test_the_factor_of_the_scores_is_found_behind_the_softmax(
    factor: Callable[[Sizes], float], text: str, sealed: bool
) -> None:
    assert said(*shares(lambda scores, s: softmax(scores * factor(s))), sealed=sealed)[:1] == (
        f"Your scores, before the softmax over Tk, {text}.",
    )


def test_a_factor_of_the_scores_without_a_form_is_told_too() -> None:
    found = said(*shares(lambda scores, s: softmax(scores * (1 + s["d_k"] ** 2 / 10))))
    assert found[:1] == (
        "Your scores, before the softmax over Tk, are too large by a factor that differs from case to case (2.6, 9.1).",
    )


@pytest.mark.parametrize(
    ("axis", "text"),
    [(2, "it does so over Tq"), (1, "it does so over h"), ((2, 3), "it does so over (Tq, Tk)")],
)
def test_the_axis_that_sums_to_one_is_told(axis: Any, text: str) -> None:
    found = said(*shares(lambda scores, _: softmax(scores, axis)))
    assert f"Your `y` should sum to 1 over Tk; {text}." in found


def test_sums_that_are_one_nowhere_are_told_with_their_range() -> None:
    text = said(*shares(lambda scores, _: np.exp(scores) / 10))[0]
    assert text.startswith("Your `y` should sum to 1 over Tk; its sums lie between ")


def with_mask(
    change: Callable[[Floats, NDArray[np.bool_]], Floats], mask: NDArray[np.bool_]
) -> list[Question]:
    scores = numbers(2, 3, 5, 5)
    right = np.nan_to_num(softmax(np.where(mask, scores, -np.inf)), nan=0.0)
    sizes = {"B": 2, "h": 3, "Tq": 5, "Tk": 5}
    return [asked(0, sizes, right, change(scores, mask), SHARED, tensors={"mask": mask})]


LOWER = np.tril(np.ones((5, 5), np.bool_))


def test_a_mask_that_is_turned_round_or_does_not_hide_is_told() -> None:
    inverted = said(
        *with_mask(lambda s, m: softmax(np.where(m & ~np.eye(5, dtype=np.bool_), -1e9, s)), LOWER)
    )
    assert inverted[0] == "Your `y` is not 0 in every place where `mask` is False."
    assert said(*with_mask(lambda s, _: softmax(s), LOWER))[0] == (
        "Your `y` is not 0 in every place where `mask` is False."
    )
    opposite = LOWER.copy()
    opposite[4] = False
    turned = said(
        *with_mask(lambda s, m: softmax(np.where(m, -np.inf, s)), opposite & ~np.eye(5, dtype=np.bool_))
    )
    assert turned[0] == "Your `y` is 0 exactly where `mask` is True, and not where it is False."


def test_nan_in_rows_that_see_nothing_is_told() -> None:
    empty = LOWER.copy()
    empty[2] = False
    found = said(*with_mask(lambda s, m: softmax(np.where(m, s, -np.inf)), empty))
    assert found[0] == "Your `y` is NaN exactly where `mask` has a row without a single True."
    everything = said(*with_mask(lambda s, _: s * np.nan, empty))
    assert everything[0] == "No number of your `y` is finite where it is wrong."


# --- several results ----------------------------------------------------------------------------


def test_results_that_are_exchanged_or_alone_wrong_are_told() -> None:
    one = probe("add/two", report=("y", "z"), axes={"y": ("B", "T"), "z": ("B", "T")}, sizes={"B": 4, "T": 5})
    y, z = numbers(4, 5), numbers(4, 5, seed=1)
    want = {"y": tensor(y), "z": tensor(z)}
    assert said(Question(one, want, returned(one, y=tensor(z), z=tensor(y)))) == (
        "Your `y` and `z` are exchanged: each is right in the other's place.",
    )
    off = numbers(4, 5, seed=2)
    assert said(Question(one, want, returned(one, y=tensor(y), z=tensor(off)))) == (
        "Your `y` is right in every case; only `z` is not.",
    )


# --- when ---------------------------------------------------------------------------------------


def test_the_condition_of_just_the_wrong_cases_is_told() -> None:
    cases = [*CASES, {"B": 2, "h": 1, "T": 5, "d_k": 4}, {"B": 2, "h": 1, "T": 2, "d_k": 3}]
    made = bent(lambda y, s: y if s["h"] == 1 else numbers(*y.shape, seed=8), cases)
    assert said(*made) == ("It is wrong just in the cases with h > 1, of 5 asked.",)


def test_a_mask_and_non_contiguous_inputs_are_conditions_too() -> None:
    right, off = bent(lambda y, _: y), bent(lambda y, _: numbers(*y.shape, seed=8))
    mask = {"mask": np.ones((1, 1), np.bool_)}
    masked = replace(off[0], probe=replace(off[0].probe, tensors=mask))
    assert said(masked, *right[1:]) == ("It is wrong just in the cases with `mask`, of 3 asked.",)
    strided = replace(off[0], probe=replace(off[0].probe, strided=frozenset("x")))
    assert said(strided, *right[1:]) == (
        "It is wrong just in the cases whose inputs are not contiguous, of 3 asked.",
    )


def test_dtypes_that_fail_alone_are_told() -> None:
    right = bent(lambda y, _: y)
    half = replace(right[0].probe, id="add/half", dtype="float16")
    off = Question(half, right[0].want, raising(half, "RuntimeError"))
    assert said(*right, off) == ("Everything is right in float64; only float16 fails.",)


# --- calls that differ in one thing --------------------------------------------------------------

X, X_SAMPLE, X_LAST = numbers(2, 5, 4), numbers(2, 5, 4), numbers(2, 5, 4)
X_SAMPLE[1] = numbers(5, 4, seed=5)
X_LAST[:, 4] = numbers(2, 4, seed=6)
W, V = numbers(4, 4, seed=7), numbers(4, 4, seed=8)
INPUTS = {
    "x": X,
    "x_sample": X_SAMPLE,
    "x_last": X_LAST,
    "w": W,
    "v": V,
    "w_turned": W.T.copy(),
    "w_double": 2 * W,
}


def compared(
    *calls: Sequence[str], right: Callable[..., Floats], wrong: Callable[..., Floats]
) -> tuple[str, ...]:
    """The sentences about calls of one function with named inputs."""
    names = ["y", *(f"y{number}" for number in range(2, len(calls) + 1))]
    script: list[Op] = [call("f", *given, to=name) for name, given in zip(names, calls, strict=True)]
    axes = {**dict.fromkeys(names, ("B", "T", "d")), "d_x": ("B", "T", "d")}
    one = probe("add/calls", script=tuple(script), report=tuple(names), axes=axes, sizes={"B": 2, "T": 5, "d": 4},
                tensors=INPUTS, core=False)  # fmt: skip
    want = {
        name: tensor(right(*(INPUTS[n] for n in given))) for name, given in zip(names, calls, strict=True)
    }
    got = {name: tensor(wrong(*(INPUTS[n] for n in given))) for name, given in zip(names, calls, strict=True)}
    return said(Question(one, want, returned(one, **got)))


def mixed_tokens(x: Floats, w: Floats = W, v: Floats = V) -> Floats:
    """Every token sees every token of its sample; w and v are used."""
    return np.tanh(x.mean(1, keepdims=True) + x) @ w + x @ v


def test_a_sample_that_influences_its_neighbour_is_told() -> None:
    found = compared(
        ("x", "w"), ("x_sample", "w"), right=mixed_tokens, wrong=lambda x, w: mixed_tokens(x, w) + x.mean(0)
    )
    assert found == ("When `x` changes only at B 1, your `y` changes at B 0 too, and should not.",)


def test_tokens_that_do_not_see_each_other_are_told() -> None:
    found = compared(("x", "w"), ("x_last", "w"), right=mixed_tokens, wrong=lambda x, w: np.tanh(x) @ w)
    assert found == ("When `x` changes only at T 4, your `y` stays the same at T 0 to 3, and should not.",)


def test_an_input_without_effect_is_told() -> None:
    found = compared(
        ("x", "w"), ("x", "v"), right=mixed_tokens, wrong=lambda x, _: mixed_tokens(x, np.eye(4))
    )
    assert found == ("Your `y` stays the same when `w` changes, and should not.",)


def test_an_answer_that_belongs_to_other_inputs_is_told() -> None:
    exchanged = compared(
        ("x", "w", "v"), ("x", "v", "w"), right=mixed_tokens, wrong=lambda x, w, v: mixed_tokens(x, v, w)
    )
    assert exchanged[0] == "Your `y` is the one expected with `w` and `v` exchanged."
    turned = compared(
        ("x", "w"), ("x", "w_turned"), right=mixed_tokens, wrong=lambda x, w: mixed_tokens(x, w.T)
    )
    assert turned[0] == "Your `y` is the one expected with `w` transposed."
    double = compared(
        ("x", "w"), ("x", "w_double"), right=mixed_tokens, wrong=lambda x, w: mixed_tokens(x, 2 * w)
    )
    assert double[0] == "Your `y` is the one expected with 2 times `w`."


def test_what_should_be_linear_and_is_not_is_told() -> None:
    found = compared(
        ("x", "w"), ("x", "w_double"), right=lambda x, w: x @ w, wrong=lambda x, w: np.tanh(x @ w) + x
    )
    assert found == ("With 2 times `w` your `y` should be 2 times itself, and is not.",)


def test_a_call_that_does_not_repeat_itself_is_told_and_nothing_else() -> None:
    random = np.random.default_rng(0)
    found = compared(
        ("x", "w"),
        ("x", "w"),
        ("x_sample", "w"),
        right=mixed_tokens,
        wrong=lambda x, _: random.normal(size=x.shape),
    )
    assert found == ("The same call, made twice in a row, gives two different answers for `y`.",)


def test_loaded_weights_and_the_maker_s_arguments_are_among_what_a_call_is_given() -> None:
    script = (
        call("Make", 12, 3, to="m"),
        load("m", {"W": "w"}, {}),
        call("use", "m", "x", to="y"),
    )
    made, used = calls_of(script)
    assert made.results == ("m",)
    assert dict(used.given) == {"0: 0": "12", "0: 1": "3", "1": "x", "W": "w"}


# --- crashes ------------------------------------------------------------------------------------

COMBINED = (
    "The size of tensor a ({0[T]}) must match the size of tensor b ({0[h]}) at non-singleton dimension 2"
)
EQUAL = {"B": 4, "h": 4, "T": 4, "d_k": 4}


def crashing(message: str, cases: Sequence[Sizes] = CASES) -> list[Question]:
    found = []
    for one in bent(lambda y, _: y, cases):
        text = message.format(one.probe.sizes)
        found.append(replace(one, got=raising(one.probe, "RuntimeError", message=text)))
    return found


def test_a_crash_is_told_in_the_names_of_the_axes_and_with_what_equal_sizes_give() -> None:
    def equal(change: Callable[[Floats, Sizes], Floats]) -> Question:
        one = bent(change, [EQUAL])[0]
        return replace(one, probe=replace(one.probe, id="add/equal", tags=frozenset({"equal"})),
                       got=replace(one.got, probe="add/equal"))  # fmt: skip

    named = (
        "In the names of the axes: two tensors that are combined have T = 5 and h = 3 numbers along one and the "
        "same axis."
    )
    assert said(*crashing(COMBINED), equal(lambda y, _: y)) == (
        named,
        "With B = h = T = d_k = 4 the same code runs, and gives the right answer: one length is taken for another.",
    )
    assert said(*crashing(COMBINED), equal(lambda y, _: numbers(*y.shape, seed=4)))[1] == (
        "With B = h = T = d_k = 4 the same code runs, and gives wrong numbers: equal lengths hide the crash, not the "
        "mistake."
    )


def test_when_it_crashes_is_told() -> None:
    alike = [{"B": 2, "h": 3, "T": 3, "d_k": 4}, {"B": 5, "h": 2, "T": 2, "d_k": 7}]
    right = [replace(one, probe=replace(one.probe, id=f"add/a{n}"), got=replace(one.got, probe=f"add/a{n}"))
             for n, one in enumerate(bent(lambda y, _: y, alike))]  # fmt: skip
    assert said(*crashing(COMBINED), *right)[1] == "It raises just in the cases with h ≠ T, of 5 asked."


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (
            "mat1 and mat2 shapes cannot be multiplied ({0[B]}x{0[d_k]} and {0[T]}x{0[h]})",
            "in a matrix product the inner lengths must agree; the first has d_k = 4 columns, the second T = 5 rows",
        ),
        (
            "Expected size for first two dimensions of batch2 tensor to be: [6, {0[d_k]}] but got: [6, {0[T]}].",
            "in a matrix product the inner lengths must agree; the first has d_k = 4 columns, the second T = 5 rows",
        ),
        (
            "shape '[{0[B]}, {0[h]}, 10]' is invalid for input of size {0[T]}",
            "a tensor of T = 5 numbers was to become (2, 3, 10), which holds another number",
        ),
        (
            "shape '[{0[B]}, -1, {0[h]}]' is invalid for input of size {0[T]}",
            "a tensor of T = 5 numbers was to become (B, -1, h) = (2, -1, 3), which holds another number",
        ),
        (
            (
                "einsum(): subscript k has size {0[T]} for operand 1 which does not broadcast with previously seen size "
                "{0[h]}"
            ),
            "in the einsum the letter k stands for h = 3 and for T = 5",
        ),
        (
            "The expanded size of the tensor ({0[T]}) must match the existing size ({0[h]}) at non-singleton dimension 2",
            "an axis of h = 3 was to be stretched to T = 5, and only an axis of 1 can be",
        ),
        (
            (
                "Sizes of tensors must match except in dimension 1. Expected size {0[T]} but got size {0[h]} for tensor "
                "number 1 in the list."
            ),
            "tensors that are joined must agree elsewhere; one has T = 5 and another h = 3",
        ),
        (
            "view size is not compatible with input tensor's size and stride (at least one dimension spans …",
            "a view cannot follow axes that have changed places: the numbers do not lie in that order in memory",
        ),
        (
            "index {0[T]} is out of bounds for dimension 1 with size {0[T]}",
            "index 5 was asked for on an axis of T = 5, which ends before it",
        ),
        (
            "Dimension out of range (expected to be in range of [-3, 2], but got 3)",
            "axis 3 was asked for of a tensor with 3 axes",
        ),
        (
            "expected m1 and m2 to have the same dtype, but got: float != c10::Half",
            "a product of float32 with float16: one of the two was made in a fixed dtype",
        ),
        (
            "value cannot be converted to type c10::Half without overflow",
            "a number was too large for float16, whose range is far smaller than float32's",
        ),
        (
            "output with shape [{0[B]}, {0[T]}] doesn't match the broadcast shape [{0[B]}, {0[h]}, {0[T]}]",
            "a result of (B, h, T) = (2, 3, 5) does not fit into a tensor of (B, T) = (2, 5)",
        ),
        (
            "not enough values to unpack (expected 4, got 3)",
            "a shape with 3 axes was taken apart into 4 names",
        ),
        (
            "split_with_sizes expects split_sizes to sum exactly to {0[T]} (input tensor's size at dimension -1)",
            "the parts of a split must add up to the whole axis, which is T = 5",
        ),
        ("something that nobody has seen yet", ""),
    ],
)
def test_torch_s_sentences_are_told_in_the_names_of_the_axes(message: str, text: str) -> None:
    found = [
        Crash(probe(f"add/{n}", sizes=sizes), Raised(("RuntimeError",), message.format(sizes), ()))
        for n, sizes in enumerate(CASES)
    ]
    assert translated(found) == text


@pytest.mark.parametrize("sentence", [COMBINED, "index {T} is out of bounds for dimension 1 with size {h}"])
def test_a_sentence_with_a_number_without_bound_is_no_fault_of_ours(sentence: str) -> None:
    message = sentence.format({"T": "9" * 100_000, "h": 3}, T="9" * 100_000, h=3)
    found = [
        Crash(probe(f"add/{n}", sizes=sizes), Raised(("RuntimeError",), message, ()))
        for n, sizes in enumerate(CASES)
    ]
    assert translated(found) == ""


def test_a_number_that_is_the_same_in_every_case_is_no_axis() -> None:
    found = [
        Crash(
            probe(f"add/{n}", sizes=sizes), Raised(("RuntimeError",), COMBINED.format({"T": 5, "h": 3}), ())
        )
        for n, sizes in enumerate(CASES)
    ]
    assert "have 5 and 3 numbers" in translated(found)


def test_a_crash_of_the_second_of_two_calls_names_no_axis() -> None:
    twice = (call("f", "x", to="y"), call("f", "x2", to="y2"))
    made = [replace(one, probe=replace(one.probe, script=twice)) for one in crashing(COMBINED)]
    assert not any("names of the axes" in text for text in said(*made))


# --- plain numbers ------------------------------------------------------------------------------


def counted(change: Callable[[Sizes], int]) -> tuple[str, ...]:
    made = []
    for number, (b, t, d) in enumerate(((2, 5, 12), (1, 7, 10), (3, 11, 8), (2, 13, 6))):
        sizes = {"B": b, "T": t, "d": d}
        one = probe(f"add/{number}", sizes=sizes, report=("n",), axes={})
        want = 8 * b * t * d * d + 4 * b * t * t * d
        made.append(Question(one, {"n": want}, returned(one, n=want + change(sizes))))
    return said(*made)


def test_a_count_that_is_off_by_a_factor_or_a_term_is_told() -> None:
    assert counted(lambda s: -(4 * s["B"] * s["T"] * s["d"] ** 2 + 2 * s["B"] * s["T"] ** 2 * s["d"])) == (
        "Your `add` is the right number times 1/2.",
    )
    assert counted(lambda s: -2 * s["B"] * s["T"] * s["d"] ** 2) == (
        "Your `add` is too small by something that grows with B·T·d².",
    )
    assert counted(lambda s: 3 * s["T"]) == ("Your `add` is too large by something that grows with T.",)
    assert counted(lambda s: s["T"] ** 3 + s["d"]) == ()
    assert counted(lambda _: 0) == ()


# --- names of numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([5, 4, 3], "T"),
        ([6, 6, 10], "B·h"),
        ([30, 24, 30], "B·h·T"),
        ([5, 5, 5], ""),
        ([9, 9, 9], ""),
        ([], ""),
    ],
)
def test_a_length_is_named_only_where_one_form_holds_in_every_case(values: Sequence[int], name: str) -> None:
    assert length_of(values, CASES) == name


def test_a_length_that_two_axes_have_has_no_name() -> None:
    assert length_of([4], [{"T": 4, "d_k": 4}]) == ""


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (2.0, "2"),
        (0.75, "3/4"),
        (math.sqrt(3), "√3"),
        (1 / math.sqrt(2), "1/√2"),
        (-0.5, "-1/2"),
        (0.123, ""),
    ],
)
def test_a_plain_number_has_a_form_or_none(value: float, form: str) -> None:
    assert plain(value) == form


def test_a_factor_of_two_signs_has_no_form() -> None:
    assert factor_of([2.0, -3.0, 4.0], CASES) == ""
    assert factor_of([-5.0, -4.0, -3.0], CASES) == "-T"


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([0], "h 0"), ([2, 0], "h 0 and 2"), ([1, 2, 3], "h 1 to 3"), ([0, 2, 3], "h 0, 2 and 3")],
)
def test_places_are_listed_as_people_do(numbers: Sequence[int], text: str) -> None:
    assert places("h", numbers) == text


def test_two_short_sentences_at_most() -> None:
    for made in (bent(lambda y, _: y[:, ::-1]), shares(lambda s, _: softmax(s, 2))):
        found = said(*made)
        assert 0 < len(found) <= MOST
        assert all(len(text) <= LENGTH and text[0].isupper() and text.endswith(".") for text in found)


# --- through the whole road ---------------------------------------------------------------------

UNKNOWN = """
import torch


def attend(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.25
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores, -1), nan=0.0)
    return weights @ v, weights
"""
FOURTH_ROOT = "Your scores, before the softmax over Tk, are too large by the factor d_k^¼"


def test_a_mistake_that_nobody_knows_is_described_in_the_record_and_in_the_report(tmp_path: Path) -> None:
    (tmp_path / "attend.py").write_text(UNKNOWN, "utf-8")
    with Session(None, 5, ROOT) as session:
        record = session.grade(tmp_path)
    step = next(step for step in record.steps if step.id == "attend")
    assert step.mistakes == ()
    assert step.note == f"{FOURTH_ROOT} (1.414 where d_k = 4)."
    assert FOURTH_ROOT in " ".join(render(record, width=100, colour=False).split())
