from __future__ import annotations

import numpy as np

from grader.lesson.answers import Answer, OtherValue, Raised, SequenceValue, TensorValue, Value
from grader.lesson.moving import SAVED, first_half, moves, second_half
from grader.lesson.probes import Probe, call, call_value, load, op

W = np.ones((2, 2))
ASKED = Probe(
    "s/state", "s", frozenset({"untouched"}), "", {"x": W * 2, "w": W},
    (
        call("f", 2, to="m"),
        load("m", {"W": "w"}, {}),
        op("save", of="m", to="kept"),
        call("f", 2, to="n"),
        op("restore", into="n", **{"from": "kept"}),
        call_value("n", "x", to="y"),
    ),
    ("y",), again=True,
)  # fmt: skip


def home(*entries: Value) -> Answer:
    return Answer(ASKED.id + SAVED, "returned", {"kept": SequenceValue("list", len(entries), entries)})


def entry(name: str, array: np.ndarray | None) -> Value:
    held: Value = OtherValue("Tensor", "too large")
    if array is not None:
        held = TensorValue("float64", array.shape, "cpu", "Tensor", array)
    return SequenceValue("tuple", 2, (name, held))


def test_a_probe_moves_where_something_is_saved() -> None:
    assert moves(ASKED)
    assert not moves(Probe("p", "s", frozenset(), "", {}, (call("f", to="y"),), ("y",)))


def test_the_first_half_ends_with_what_is_saved_and_sends_it_home() -> None:
    half = first_half(ASKED)
    assert (half.id, half.report, half.script) == ("s/state/saved", ("kept",), ASKED.script[:3])
    assert half.back == ()
    assert not half.again


def test_the_second_half_has_nothing_but_what_came_home_and_its_own_inputs() -> None:
    half = second_half(ASKED, home(entry("W.weight", W * 3), entry("mask", None)))
    assert isinstance(half, Probe)
    assert (half.id, half.report) == (ASKED.id, ("y",))
    assert set(half.tensors) == {"x", "kept 0"}
    assert half.tensors["kept 0"] is not W
    assert [step["op"] for step in half.script] == ["call", "restore", "call"]
    assert half.script[1]["from"] == {"W.weight": "kept 0", "mask": None}


def test_what_did_not_come_home_is_the_answer() -> None:
    raised = Answer("s/state/saved", "raised", raised=Raised(("KeyError",), "no", ()))
    half = second_half(ASKED, raised)
    assert isinstance(half, Answer)
    assert (half.probe, half.outcome, half.raised) == ("s/state", "raised", raised.raised)


def test_odd_things_that_came_home_are_left_out() -> None:
    for odd in (
        3,
        "kept",
        SequenceValue("list", 1, (7,)),
        SequenceValue("list", 1, (SequenceValue("tuple", 1, (1,)),)),
    ):
        half = second_half(ASKED, Answer("s/state/saved", "returned", {"kept": odd}))
        assert isinstance(half, Probe)
        assert half.script[1]["from"] == {}
