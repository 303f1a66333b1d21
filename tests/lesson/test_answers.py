from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.lesson.answers import (
    Answer,
    FigureValue,
    Loading,
    OtherValue,
    Raised,
    SequenceValue,
    TensorValue,
    array_of,
    read_answer,
    read_loading,
    read_raised,
    read_value,
)
from grader.worker.describe import blob, describe
from grader.worker.wire import ITEM_SIZE, Blob

fuzz = settings(derandomize=True, deadline=None, database=None, max_examples=150)
TENSOR = {
    "$": "tensor",
    "dtype": "float32",
    "shape": [2],
    "device": "cpu",
    "type": "Tensor",
    "requires_grad": True,
}
TWO = Blob("float32", (2,), np.array([1, 2], dtype="<f4").tobytes())


# --- tensors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", sorted(set(ITEM_SIZE) - {"bfloat16"}))
def test_a_tensor_of_each_dtype_becomes_an_array(dtype: str) -> None:
    tensor = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(torch, dtype))
    found = array_of(blob(tensor))
    assert found.dtype == np.dtype(dtype)
    assert np.array_equal(found, tensor.numpy())


def test_bfloat16_becomes_float32_to_the_last_bit() -> None:
    tensor = torch.tensor([1.0, -0.0, 3.14159, 1e-40, 3e38, math.inf, -math.inf, math.nan]).bfloat16()
    found = array_of(blob(tensor))
    assert found.dtype == np.float32
    assert np.array_equal(found.view(np.uint32), tensor.float().numpy().view(np.uint32))


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 1)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.bool])
def test_tensors_without_axes_or_elements_keep_their_shape(
    shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    assert array_of(blob(torch.zeros(shape, dtype=dtype))).shape == shape


def test_a_described_tensor_is_read_with_its_facts() -> None:
    value = read_value({**TENSOR, "blob": TWO})
    assert isinstance(value, TensorValue)
    assert (value.dtype, value.shape, value.device, value.type, value.requires_grad) == (
        "float32", (2,), "cpu", "Tensor", True,
    )  # fmt: skip
    assert np.array_equal(value.array, [1, 2])  # type: ignore[arg-type]


def test_a_tensor_without_data_has_no_array() -> None:
    value = read_value({**TENSOR, "device": "meta"})
    assert isinstance(value, TensorValue)
    assert (value.device, value.array) == ("meta", None)


@pytest.mark.parametrize(
    ("change", "say"),
    [
        ({"large": True}, "a tensor of shape (2,), too large to be compared"),
        ({"shape": [3]}, "a tensor of shape (3,), too large to be compared"),
        ({"dtype": "float64"}, "a tensor of shape (2,), too large to be compared"),
        ({"blob": "text"}, "a tensor of shape (2,), too large to be compared"),
        ({"shape": "two"}, "a tensor that cannot be read"),
        ({"shape": [True, True]}, "a tensor that cannot be read"),
        ({"shape": None}, "a tensor that cannot be read"),
        ({"dtype": 7}, "a tensor that cannot be read"),
    ],
)
def test_a_tensor_whose_facts_and_bytes_differ_is_not_taken(change: dict[str, object], say: str) -> None:
    value = read_value({**TENSOR, "blob": TWO, **change})
    assert isinstance(value, OtherValue)
    assert value.say == say


def test_a_gradient_flag_is_true_only_if_it_says_so() -> None:
    value = read_value({**TENSOR, "requires_grad": "yes", "blob": TWO})
    assert isinstance(value, TensorValue)
    assert value.requires_grad is False


# --- other values -------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, True, 0, -3, 2.5, "the cat"])
def test_plain_values_are_read_as_they_are(value: Any) -> None:
    found = read_value(value)
    assert found == value
    assert type(found) is type(value)


def test_sequences_are_read_with_their_length() -> None:
    told = json.loads(json.dumps(describe([1, ("a", None)])))
    inner = SequenceValue("tuple", 2, ("a", None))
    assert read_value(told) == SequenceValue("list", 2, (1, inner))
    assert read_value({"$": "list", "length": 900, "items": [1]}) == SequenceValue("list", 900, (1,))
    assert read_value({"$": "tuple", "length": "many", "items": "ab"}) == SequenceValue("tuple", 0, ())


def test_figures_keep_what_is_told_of_their_axes() -> None:
    assert read_value({"$": "figure", "axes": [{"visible": True}, 7, None]}) == FigureValue(
        ({"visible": True},)
    )
    assert read_value({"$": "figure", "axes": "none"}) == FigureValue(())


def test_everything_else_is_told_in_words() -> None:
    assert read_value(describe({1: 2})) == OtherValue("dict", "dict")
    assert read_value({"$": "nothing known", "type": "T", "say": "S"}) == OtherValue("T", "S")
    assert read_value({}) == OtherValue("", "")
    unread = OtherValue("unknown", "something that cannot be read")
    for odd in ([1, 2], TWO, b"bytes"):
        assert read_value(odd) == unread


def test_sequences_in_sequences_come_to_an_end() -> None:
    told: object = 1
    for _ in range(50):
        told = {"$": "list", "length": 1, "items": [told]}
    found, depth = read_value(told), 0
    while isinstance(found, SequenceValue):
        found, depth = found.items[0], depth + 1
    assert found == OtherValue("unknown", "something that cannot be read")
    assert depth < 10


def test_texts_are_made_harmless_and_short() -> None:
    assert read_value("a\x1b[31m\u202eb\tc\nd") == "a\\x1b[31m\\u202eb\tc\nd"
    found = read_value("x" * 5000)
    assert isinstance(found, str)
    assert len(found) == 2000
    assert len(read_raised({"message": "y" * 5000}).message) == 1000


# --- answers and loadings -----------------------------------------------------------------------


def test_an_answer_is_read_whole() -> None:
    head = {
        "kind": "answer", "probe": "s/p", "outcome": "returned", "values": {"y": 1},
        "used": ["torch.f"], "operations": 9, "during": "call f",
    }  # fmt: skip
    assert read_answer(head) == Answer("s/p", "returned", {"y": 1}, None, "", "call f", (), ("torch.f",), 9)


def test_an_exception_is_read_whole() -> None:
    error = {"types": ["ValueError", "Exception"], "message": "no", "lines": [["a.py", 3, "f", "raise"]]}
    answer = read_answer({"outcome": "raised", "error": error})
    assert answer.raised is not None
    assert (answer.raised.name, answer.raised.message) == ("ValueError", "no")
    [line] = answer.raised.lines
    assert (line.path, line.number, line.function, line.text) == ("a.py", 3, "f", "raise")


def test_an_exception_without_a_name_has_one() -> None:
    assert read_raised({}) == Raised((), "", ())
    assert read_raised({}).name == "Exception"


@pytest.mark.parametrize("outcome", ["passed", "stopped", "", None, 7, ["returned"], {"a": 1}])
def test_an_outcome_that_is_none_is_unfit(outcome: object) -> None:
    assert read_answer({"outcome": outcome}).outcome == "unfit"


@pytest.mark.parametrize(
    "odd",
    [
        {"values": [1]},
        {"values": None},
        {"error": "text"},
        {"operations": "9"},
        {"operations": True},
        {"used": "ab"},
        {"changed": [1, None]},
        {"message": 7},
        {"probe": ["p"]},
        {"during": {}},
        {"error": {"lines": [["a", "2", 3, 4]]}},
        {"error": {"lines": "abc", "types": 7, "message": []}},
        {"error": {"lines": [["a", 1.5, "b", "c"], ["a"]]}},
    ],
)
def test_odd_fields_become_plain_ones(odd: dict[str, object]) -> None:
    answer = read_answer({"probe": "p", "outcome": "raised", **odd})
    assert answer.outcome == "raised"
    assert answer.values == {}
    assert answer.operations is None
    assert all(
        isinstance(item, str) for item in (*answer.used, *answer.changed, answer.message, answer.during)
    )
    assert answer.raised is None or answer.raised.lines == ()


def test_a_loading_is_read_whole() -> None:
    error = {"types": ["NameError"], "message": "x"}
    head = {"found": ["f"], "seen": ["f", "g"], "error": error, "passed_over": [["cell 2", error]]}
    told = Raised(("NameError",), "x", ())
    assert read_loading(head) == Loading(("f",), ("f", "g"), told, (("cell 2", told),))


@pytest.mark.parametrize(
    "head",
    [
        {},
        {"found": "f"},
        {"seen": {"a": 1}},
        {"error": 3},
        {"passed_over": 4},
        {"passed_over": [["cell 2"], 3, ["a", "b"]]},
    ],
)
def test_an_odd_loading_is_an_empty_one(head: dict[str, object]) -> None:
    assert read_loading(head) == Loading()


# --- any frame at all ---------------------------------------------------------------------------


leaves = st.sampled_from(
    [None, True, 0, -1, 2**70, 1.5, "", "tensor", "list", "float32", TWO, [], [2], ["a"], {}]
)
keys = st.sampled_from(
    [
        "$",
        "dtype",
        "shape",
        "device",
        "type",
        "blob",
        "large",
        "items",
        "length",
        "axes",
        "say",
        "values",
        "error",
        "outcome",
        "lines",
        "types",
        "message",
        "used",
        "changed",
        "operations",
        "found",
        "seen",
        "passed_over",
    ]
)
anything = st.recursive(
    leaves, lambda deep: st.lists(deep, max_size=3) | st.dictionaries(keys, deep, max_size=6)
)


@fuzz
@given(st.dictionaries(keys, anything, max_size=8))
def test_any_frame_is_read(head: dict[str, object]) -> None:
    assert isinstance(read_answer(head), Answer)
    assert isinstance(read_loading(head), Loading)
    assert read_value(head) is not head
