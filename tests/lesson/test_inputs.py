from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from grader.lesson.inputs import answer_of
from grader.lesson.probes import Draw, Probe
from grader.worker.wire import Blob

X = Draw(1, "x").normal(2, 3)
ASKED = Probe("s/p", "s", frozenset({"untouched"}), "", {"x": X}, (), ())
CAME: Mapping[str, object] = {
    "$": "tensor",
    "dtype": "float64",
    "shape": [2, 3],
    "device": "cpu",
    "type": "Tensor",
    "requires_grad": False,
    "blob": Blob("float64", (2, 3), X.tobytes()),
}


def changed(after: object, asked: Probe = ASKED, **head: object) -> tuple[str, ...]:
    return answer_of({"probe": "s/p", "outcome": "returned", "after": after, **head}, asked).changed


def test_what_came_back_as_it_was_sent_is_unchanged() -> None:
    assert changed({"x": CAME}) == ()
    assert changed({"x": {**CAME, "requires_grad": True}}, replace(ASKED, grads=frozenset("x"))) == ()


@pytest.mark.parametrize(
    "after",
    [
        {"x": {**CAME, "blob": Blob("float64", (2, 3), (X + 1e-9).tobytes())}},
        {"x": {**CAME, "shape": [3, 2], "blob": Blob("float64", (3, 2), X.tobytes())}},
        {"x": {**CAME, "dtype": "float32", "blob": Blob("float32", (2, 3), X.astype("float32").tobytes())}},
        {"x": {**CAME, "requires_grad": True}},
        {"x": {**CAME, "type": "Mine"}},
        {"x": {key: value for key, value in CAME.items() if key != "blob"}},
        {"x": 3},
        {"y": CAME},
        {},
        None,
        "x",
    ],
)
def test_what_came_back_otherwise_or_not_at_all_has_changed(after: object) -> None:
    assert changed(after) == ("x",)


def test_what_the_guest_says_of_it_does_not_count() -> None:
    assert changed({"x": CAME}, changed=["x"]) == ()
    assert changed({}, changed=[]) == ("x",)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_an_input_is_compared_as_its_dtype_holds_it(dtype: str) -> None:
    fine = np.array([[0.1, 0.2]])
    asked = replace(ASKED, tensors={"x": fine}, dtype=dtype)
    sent = fine.astype(dtype)
    came = {**CAME, "dtype": dtype, "shape": [1, 2]}
    assert changed({"x": {**came, "blob": Blob(dtype, (1, 2), sent.tobytes())}}, asked) == ()
    off = np.nextafter(sent, sent.dtype.type(1))
    assert changed({"x": {**came, "blob": Blob(dtype, (1, 2), off.tobytes())}}, asked) == ("x",)


def test_only_where_it_is_asked_do_inputs_come_back() -> None:
    assert ASKED.back == ("x",)
    assert replace(ASKED, tags=frozenset({"values"})).back == ()
    assert replace(ASKED, device="portable").back == ()
    assert changed({}, replace(ASKED, tags=frozenset())) == ()


def test_a_call_that_raised_has_no_inputs_to_be_compared() -> None:
    assert changed({}, outcome="raised") == ()
