# ruff: noqa: ARG001, ARG005 - a stand-in takes what it is called with, whether it needs it or not
from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from grader.lessons import find_lesson
from grader.probes import Draw, Op, Probe, call, call_value
from grader.worker.perform import perform

NAMES = tuple(item.name for item in find_lesson(None).forbidden)
sdpa = F.scaled_dot_product_attention
Q = Draw(3, "q").normal(2, 2, 4, 8)
X = Draw(3, "x").normal(2, 4, 8)
RUN = (call("f", "q", "x", to="y"),)


def used(f: Any, *script: Op, names: tuple[str, ...] = NAMES, watch: bool = True) -> list[str]:
    asked = Probe(
        "p", "s", frozenset(), "", {"q": Q, "x": X}, script or RUN, (), watch=watch, dtype="float32"
    )
    found = perform(asked.letter(names), {"f": f}, set(), False)["used"]
    assert isinstance(found, list)
    return found


def ready(**how: Any) -> nn.MultiheadAttention:
    torch.manual_seed(0)
    return nn.MultiheadAttention(8, 2, bias=False, batch_first=True, **how)


class Derived(nn.MultiheadAttention):
    def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(x, x, x)[0]


class OwnForward(nn.MultiheadAttention):
    def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x.softmax(-1)


class Inside(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = ready()

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x, x, x)[0]


class Unused(Inside):
    def forward(self, x: Tensor) -> Tensor:
        return x @ x.mT


def native(q: Tensor, x: Tensor) -> Any:
    zeros = torch.zeros(24)
    weights = torch.zeros(24, 8), zeros, torch.zeros(8, 8), zeros[:8]
    return torch._native_multi_head_attention(x, x, x, 8, 2, *weights)


def disabled(q: Tensor, x: Tensor) -> Tensor:
    with torch._C.DisableTorchFunction():
        return sdpa(q, q, q)


def then_raises(q: Tensor, x: Tensor) -> None:
    sdpa(q, q, q)
    raise ValueError


def in_eval(q: Tensor, x: Tensor) -> Any:
    with torch.no_grad():
        return ready().eval()(x, x, x)


def encoder(q: Tensor, x: Tensor) -> Any:
    with torch.no_grad():
        return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()(x)


@functools.cache
def traced(width: int = 8) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.trace(lambda q: sdpa(q, q, q[..., :width]), torch.ones(2, 2, 4, 8))


def ends_recording(q: Tensor, x: Tensor) -> None:
    torch._C._autograd._disable_profiler_legacy()
    sdpa(q, q, q)


F_SDPA = "torch.nn.functional.scaled_dot_product_attention"
F_MHA = "torch.nn.functional.multi_head_attention_forward"
MHA = "torch.nn.MultiheadAttention"
OPS = "torch.ops.aten."
FLASH = "_scaled_dot_product_flash_attention_for_cpu"
SPELLINGS: Mapping[str, tuple[Callable[[Tensor, Tensor], Any], str]] = {
    "of nn.functional": (lambda q, x: torch.nn.functional.scaled_dot_product_attention(q, q, q), F_SDPA),
    "an alias": (lambda q, x: sdpa(q, q, q), F_SDPA),
    "by getattr": (lambda q, x: getattr(F, "scaled_dot_" + "product_attention")(q, q, q), F_SDPA),
    "a partial": (lambda q, x: functools.partial(sdpa, q)(q, value=q), F_SDPA),
    "by a string": (lambda q, x: eval("F.scaled_dot_product_attention(q, q, q)", {"F": F, "q": q}), F_SDPA),
    "of torch._C": (lambda q, x: torch._C._nn.scaled_dot_product_attention(q, q, q), F_SDPA),
    "an operator": (
        lambda q, x: torch.ops.aten.scaled_dot_product_attention(q, q, q),
        OPS + "scaled_dot_product_attention",
    ),
    "its overload": (
        lambda q, x: torch.ops.aten.scaled_dot_product_attention.default(q, q, q),
        OPS + "scaled_dot_product_attention",
    ),
    "a kernel": (
        lambda q, x: torch._scaled_dot_product_attention_math(q, q, q),
        "torch._scaled_dot_product_attention_math",
    ),
    "a kernel's operator": (lambda q, x: getattr(torch.ops.aten, FLASH)(q, q, q), OPS + FLASH),
    "in vmap": (lambda q, x: torch.vmap(sdpa)(q, q, q), F_SDPA),
    "in a traced function": (lambda q, x: traced()(q), OPS + FLASH),
    "in a traced function, without a kernel": (
        lambda q, x: traced(5)(q),
        OPS + "scaled_dot_product_attention",
    ),
    "after the recording was ended": (ends_recording, F_SDPA),
    "past torch's functions": (disabled, OPS + FLASH),
    "before it raises": (then_raises, F_SDPA),
    "a module": (lambda q, x: ready()(x, x, x), MHA),
    "a module's forward": (lambda q, x: ready().forward(x, x, x), F_MHA),
    "a module in eval": (in_eval, MHA),
    "a module in a module": (lambda q, x: Inside()(x), MHA),
    "a derived module": (lambda q, x: Derived(8, 2, batch_first=True)(x), F_MHA),
    "a layer around it": (encoder, "torch.nn.TransformerEncoderLayer"),
    "the function below the module": (native, "torch._native_multi_head_attention"),
}


@pytest.mark.parametrize("case", SPELLINGS)
def test_ready_made_attention_is_seen_however_it_is_spelled(case: str) -> None:
    function, name = SPELLINGS[case]
    assert name in used(function)


def test_what_is_seen_is_noted_once() -> None:
    assert used(lambda q, x: [sdpa(q, q, q) for _ in range(3)]).count(F_SDPA) == 1


def test_a_plain_python_function_is_seen_by_its_own_name() -> None:
    # As flex_attention is: it asks no torch function before it goes its own way.
    assert used(lambda q, x: torch.atleast_1d(q), names=("torch.functional.atleast_1d",)) == [
        "torch.functional.atleast_1d"
    ]
    assert used(lambda q, x: nn.init.ones_(q), names=("torch.nn.init.ones_",)) == ["torch.nn.init.ones_"]


ALLOWED: Mapping[str, Callable[[Tensor, Tensor], Any]] = {
    "by hand": lambda q, x: (q @ q.mT / 8**0.5).softmax(-1) @ q,
    "other functions": lambda q, x: F.linear(F.dropout(F.softmax(x, -1), 0.5), x[0]),
    "a derived class with its own forward": lambda q, x: OwnForward(8, 2)(x),
    "made, never called": lambda q, x: Unused()(x),
    "named, never called": lambda q, x: (sdpa, nn.MultiheadAttention, "F.scaled_dot_product_attention"),
    "asked about": lambda q, x: isinstance(x, nn.MultiheadAttention) or sdpa.__doc__,
}


@pytest.mark.parametrize("case", ALLOWED)
def test_what_is_written_by_hand_is_not_flagged(case: str) -> None:
    assert used(ALLOWED[case]) == []


def test_what_is_used_outside_the_call_is_not_flagged() -> None:
    q = torch.from_numpy(Q)
    sdpa(q, q, q)
    assert used(lambda q, x: q * 2) == []
    ready()(*[torch.from_numpy(X).float()] * 3)
    assert used(lambda q, x: q * 2) == []


def test_without_being_asked_nothing_is_watched() -> None:
    assert used(lambda q, x: sdpa(q, q, q), watch=False) == []
    assert used(lambda q, x: sdpa(q, q, q), names=("torch.nn.Linear",)) == []


def test_a_module_of_the_guests_is_watched_from_its_making_to_its_call() -> None:
    assert MHA in used(Inside, call("f", to="m"), call_value("m", "x", to="y"))
    assert used(Unused, call("f", to="m"), call_value("m", "x", to="y")) == []


def test_a_class_of_the_guests_with_a_forbidden_name_is_its_own() -> None:
    mine = type("MultiheadAttention", (nn.Module,), {"forward": lambda self, x: x * 2})
    assert used(lambda q, x: mine()(x)) == []


@pytest.mark.parametrize("f", [lambda q, x: q, then_raises])
def test_watching_leaves_nothing_behind(f: Callable[..., Any]) -> None:
    hooks = torch.nn.modules.module._global_forward_pre_hooks
    before, profile = dict(hooks), sys.getprofile()
    used(f)
    assert dict(hooks) == before
    assert sys.getprofile() is profile
    assert torch.overrides._get_current_function_mode() is None
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None


# --- counting -----------------------------------------------------------------------------------


def operations(f: Any, count: bool = True) -> Any:
    asked = Probe("p", "s", frozenset(), "", {"x": X}, (call("f", "x", to="y"),), (), count=count)
    return perform(asked.letter(), {"f": f}, set(), False)["operations"]


def test_operations_are_counted() -> None:
    assert operations(lambda x: x) == 0
    assert operations(lambda x: x + 1) == 1
    assert operations(lambda x: ((x * 2) @ x.mT).softmax(-1)) > 3
    assert operations(lambda x: x + 1, count=False) is None


def test_a_loop_costs_operations_and_a_batched_product_does_not() -> None:
    def loop(x: Tensor) -> Tensor:
        return torch.stack([x[:, n].softmax(-1) for n in range(x.shape[1])])

    assert operations(loop) > operations(lambda x: loop(x[:, :2])) + 2
    assert operations(lambda x: x.softmax(-1)) == operations(lambda x: x.softmax(-1) if len(x) else x)
