from __future__ import annotations

import numpy as np
import pytest
import torch

from grader.lesson.answers import array_of
from grader.lesson.probes import (
    GRID,
    Draw,
    Probe,
    blob,
    call,
    call_torch,
    call_value,
    gradient,
    load,
    op,
    ref,
)
from grader.worker.wire import LENGTHS, lengths, pack, unpack

# --- drawn inputs -------------------------------------------------------------------------------


def test_the_same_seed_and_key_draw_the_same() -> None:
    one, two = Draw(7, "step", "probe"), Draw(7, "step", "probe")
    assert np.array_equal(one.normal(3, 4), two.normal(3, 4))
    assert np.array_equal(one.keep(3, 4), two.keep(3, 4))
    assert np.array_equal(one.whole(0, 100, 20), two.whole(0, 100, 20))
    assert one.pick(1, 2, 3, 4, 5, 6, 7) == two.pick(1, 2, 3, 4, 5, 6, 7)


@pytest.mark.parametrize(
    "other", [Draw(8, "step", "probe"), Draw(7, "step", "probf"), Draw(7, "step"), Draw(7)]
)
def test_another_seed_or_key_draws_something_else(other: Draw) -> None:
    assert not np.array_equal(Draw(7, "step", "probe").normal(20), other.normal(20))


def test_a_draw_is_the_same_on_every_machine() -> None:
    # Sealed answers hold for these very inputs: a change here makes every seal stale.
    assert (Draw(10100, "a", "b").normal(4) * GRID).tolist() == [-6, -2, 19, -13]


@pytest.mark.parametrize("scale", [1.0, 0.3, 5.0])
def test_values_lie_on_the_grid_below_two(scale: float) -> None:
    values = Draw(1, "x").normal(50, 50, scale=scale)
    assert values.dtype == np.float64
    assert np.abs(values).max() < 2
    assert np.array_equal(values * GRID, np.round(values * GRID))
    assert len(np.unique(values)) > 20


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_every_dtype_holds_the_drawn_values_exactly(dtype: torch.dtype) -> None:
    values = torch.from_numpy(Draw(2, "x").normal(1000))
    assert torch.equal(values.to(dtype).double(), values)


@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("shape", [(2, 3, 5), (4, 2), (6,)])
def test_every_row_of_a_mask_keeps_something_and_drops_something(
    shape: tuple[int, ...], share: float
) -> None:
    mask = Draw(3, "m").keep(*shape, share=share)
    assert (mask.dtype, mask.shape) == (np.bool_, shape)
    assert mask.any(-1).all()
    assert not mask.all(-1).any()


def test_a_mask_over_one_key_keeps_it() -> None:
    assert Draw(3, "m").keep(2, 5, 1).all()


def test_whole_numbers_and_picks_stay_in_their_range() -> None:
    draw = Draw(4, "n")
    found = draw.whole(2, 5, 200)
    assert found.dtype == np.int64
    assert set(found.tolist()) == {2, 3, 4}
    assert {draw.pick(7, 9) for _ in range(50)} == {7, 9}


# --- letters ------------------------------------------------------------------------------------


def probe(**fields: object) -> Probe:
    given: dict[str, object] = {
        "id": "s/p",
        "step": "s",
        "tags": frozenset({"values", "secret"}),
        "say": "words",
        "report": ("y",),
        "tensors": {"x": np.arange(6.0).reshape(2, 3)},
        "script": (call("f", "x", to="y"),),
        **fields,
    }
    return Probe(**given)  # type: ignore[arg-type]


def test_a_letter_holds_what_is_asked_and_nothing_of_why() -> None:
    asked = probe(
        sizes={"B": 2},
        axes={"y": ("B", "T")},
        tolerance=1e-3,
        why="because",
        grads=frozenset("x"),
        again=True,
    )
    assert asked.letter() == {
        "id": "s/p",
        "tensors": {"x": blob(np.arange(6.0).reshape(2, 3))},
        "do": [{"op": "call", "of": {"name": "f"}, "args": [{"ref": "x"}], "kwargs": {}, "to": "y"}],
        "report": ["y"],
        "back": [],
        "dtype": "float64",
        "device": "cpu",
        "grads": ["x"],
        "strided": [],
        "count": False,
    }


def test_a_letter_can_be_sent_and_comes_as_it_is() -> None:
    asked = probe(
        tensors={"x": np.zeros((2, 0)), "m": np.array([True]), "n": np.arange(3)},
        script=(call("f", 3, True, None, {"tuple": ["a"]}, to=("y", "z"), mask="m"), op("seed", seed=1)),
    )
    frame = pack(asked.letter())
    size, _ = lengths(frame[: LENGTHS.size])
    assert unpack(frame[LENGTHS.size : LENGTHS.size + size], frame[LENGTHS.size + size :]) == asked.letter()


def test_counting_probes_are_not_judged() -> None:
    assert probe().judged
    assert not probe(count=True).judged


@pytest.mark.parametrize(
    "array", [np.arange(6.0).reshape(2, 3).T, np.array([[True, False]]), np.arange(4)[::2]]
)
def test_arrays_travel_in_c_order(array: np.ndarray) -> None:
    assert np.array_equal(array_of(blob(array)), array)


# --- scripts ------------------------------------------------------------------------------------


def test_calls_name_their_target_and_refer_to_values() -> None:
    x = {"ref": "x"}
    assert call("f", "x", 2, to="y", k="x", n=3) == {
        "op": "call",
        "of": {"name": "f"},
        "args": [x, 2],
        "kwargs": {"k": x, "n": 3},
        "to": "y",
    }
    assert call_value("m", to=("a", "b"))["of"] == {"ref": "m"}
    assert call_value("m", to=("a", "b"))["to"] == ["a", "b"]
    assert call_torch("nn.Linear", 2, to="m")["of"] == {"torch": "nn.Linear"}
    assert ref("x") == x


def test_loads_and_gradients_are_plain_data() -> None:
    assert load("m", {"W": "w"}, {"all": ("W", "V")}) == {
        "op": "load",
        "into": "m",
        "weights": {"W": "w"},
        "fused": {"all": ["W", "V"]},
    }
    assert gradient({"y": "c"}, ("x",), "m", ("W",)) == {
        "op": "grad",
        "of": ["y"],
        "with": ["c"],
        "wrt": ["x"],
        "weights_of": "m",
        "weights": ["W"],
        "fused": {},
    }
