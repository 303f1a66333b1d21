# ruff: noqa: ARG001, ARG005 - a stand-in takes what it is called with, whether it needs it or not
from __future__ import annotations

import contextlib
import functools
import sys
import threading
import types
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it
from torch.utils._python_dispatch import TorchDispatchMode

from grader.lesson.probes import Draw, Op, Probe, call, call_value
from grader.worker.perform import perform
from grader.worker.refusing import ReadyMade, refusals
from tests.tools.lessons_here import the_lesson

NAMES = tuple(item.name for item in the_lesson().forbidden)
sdpa = F.scaled_dot_product_attention
Q = Draw(3, "q").normal(2, 2, 4, 8)
X = Draw(3, "x").normal(2, 4, 8)
RUN = (call("f", "q", "x", to="y"),)


def used(f: Any, *script: Op, names: tuple[str, ...] = NAMES) -> list[str]:
    """What a call reached of these names; it had no answer from any of them."""
    asked = Probe("p", "s", frozenset(), "", {"q": Q, "x": X}, script or RUN, ("y",), dtype="float32")
    found: list[str] = []
    with refusals(names, found)() as look:
        look()
        answer = perform(asked.letter(), {"f": f}, set(), False)
    assert (answer["outcome"] == "returned") == (not found), answer
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


def in_a_thread(q: Tensor, x: Tensor) -> Any:
    answers: list[Tensor] = []

    def run() -> None:
        with contextlib.suppress(RuntimeError):
            answers.append(sdpa(q, q, q))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return answers[0]


class Decompose(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func.decompose(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {})) if found is NotImplemented else found


def taken_apart(q: Tensor, x: Tensor) -> Any:
    with Decompose():
        return sdpa(q, q, q)


def unless_watched(q: Tensor, x: Tensor) -> Any:
    watched = sys.getprofile() or sys.gettrace() or torch.overrides._get_current_function_mode()
    return q if watched else sdpa(q, q, q)


F_SDPA = "torch.nn.functional.scaled_dot_product_attention"
F_MHA = "torch.nn.functional.multi_head_attention_forward"
MHA = "torch.nn.MultiheadAttention"
FLASH = "torch._scaled_dot_product_flash_attention_for_cpu"
SPELLINGS: Mapping[str, tuple[Callable[[Tensor, Tensor], Any], str]] = {
    "of nn.functional": (lambda q, x: torch.nn.functional.scaled_dot_product_attention(q, q, q), F_SDPA),
    "an alias": (lambda q, x: sdpa(q, q, q), F_SDPA),
    "by getattr": (lambda q, x: getattr(F, "scaled_dot_" + "product_attention")(q, q, q), F_SDPA),
    "a partial": (lambda q, x: functools.partial(sdpa, q)(q, value=q), F_SDPA),
    "by a string": (lambda q, x: eval("F.scaled_dot_product_attention(q, q, q)", {"F": F, "q": q}), F_SDPA),
    "of torch._C": (lambda q, x: torch._C._nn.scaled_dot_product_attention(q, q, q), F_SDPA),
    "an operator": (
        lambda q, x: torch.ops.aten.scaled_dot_product_attention(q, q, q),
        F_SDPA,
    ),
    "its overload": (
        lambda q, x: torch.ops.aten.scaled_dot_product_attention.default(q, q, q),
        F_SDPA,
    ),
    "a kernel": (
        lambda q, x: torch._scaled_dot_product_attention_math(q, q, q),
        "torch._scaled_dot_product_attention_math",
    ),
    "a kernel's operator": (
        lambda q, x: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, q, q),
        FLASH,
    ),
    "in vmap": (lambda q, x: torch.vmap(sdpa)(q, q, q), F_SDPA),
    "in a traced function": (lambda q, x: traced()(q), F_SDPA),
    "in a traced function, without a kernel": (
        lambda q, x: traced(5)(q),
        F_SDPA,
    ),
    "in a vmap of a vmap": (lambda q, x: torch.vmap(torch.vmap(sdpa))(q, q, q), F_SDPA),
    "in a gradient of a function": (lambda q, x: torch.func.grad(lambda q: sdpa(q, q, q).sum())(q), F_SDPA),
    "in a thread": (in_a_thread, F_SDPA),
    "taken apart by a mode": (taken_apart, F_SDPA),
    "where nobody watches": (unless_watched, F_SDPA),
    "past torch's functions": (disabled, F_SDPA),
    "before it raises": (then_raises, F_SDPA),
    "a module": (lambda q, x: ready()(x, x, x), MHA),
    "a module's forward": (lambda q, x: ready().forward(x, x, x), MHA),
    "the function behind the module": (lambda q, x: F.multi_head_attention_forward(x, x, x, 8, 2), F_MHA),
    "a module in eval": (in_eval, MHA),
    "a module in a module": (lambda q, x: Inside()(x), MHA),
    "a derived module": (lambda q, x: Derived(8, 2, batch_first=True)(x), MHA),
    "a layer around it": (encoder, "torch.nn.TransformerEncoderLayer"),
    "the function below the module": (native, "torch._native_multi_head_attention"),
}


@pytest.mark.parametrize("case", SPELLINGS)
def test_ready_made_attention_is_refused_however_it_is_spelled(case: str) -> None:
    function, name = SPELLINGS[case]
    assert name in used(function)


def caught(q: Tensor, x: Tensor) -> Tensor:
    for _ in range(3):
        with contextlib.suppress(RuntimeError):
            sdpa(q, q, q)
    raise ValueError


def test_what_is_refused_is_noted_once_and_whoever_catches_it_has_used_it() -> None:
    assert used(caught) == [F_SDPA]


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


def test_without_being_asked_nothing_is_refused() -> None:
    assert used(lambda q, x: sdpa(q, q, q), names=()) == []
    assert used(lambda q, x: sdpa(q, q, q), names=("torch.nn.init.ones_", "torch.nn.nothing")) == []


def test_what_the_guest_replaces_in_our_modules_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    made = refusals(NAMES, found)
    for name in ("_up", "_look", "_emptied", "_refuse", "_found", "_overloads", "refusals", "Refusals"):
        monkeypatch.setattr(f"grader.worker.refusing.{name}", lambda *_, **__: contextlib.nullcontext())
    monkeypatch.setattr(torch.library.Library, "impl", lambda *_, **__: None)
    with made(), pytest.raises(ReadyMade):
        sdpa(*[torch.from_numpy(Q)] * 3)
    assert found == [F_SDPA]


def test_a_module_imported_later_is_refused_from_the_next_look_on(monkeypatch: pytest.MonkeyPatch) -> None:
    late = types.ModuleType("torch.late")
    exec("def attention(q): return q", late.__dict__)
    found: list[str] = []
    with refusals(("torch.late.attention",), found)() as look:
        monkeypatch.setitem(sys.modules, "torch.late", late)
        assert late.attention(1) == 1
        look()
        with pytest.raises(ReadyMade):
            late.attention(1)
    assert found == ["torch.late.attention"]
    assert late.attention(1) == 1


def test_a_module_of_the_guests_is_refused_when_it_is_called_not_when_it_is_made() -> None:
    assert MHA in used(Inside, call("f", to="m"), call_value("m", "x", to="y"))
    assert used(Unused, call("f", to="m"), call_value("m", "x", to="y")) == []


def test_a_class_of_the_guests_with_a_forbidden_name_is_its_own() -> None:
    mine = type("MultiheadAttention", (nn.Module,), {"forward": lambda self, x: x * 2})
    assert used(lambda q, x: mine()(x)) == []


@pytest.mark.parametrize("f", [lambda q, x: q, then_raises])
def test_refusing_leaves_nothing_behind(f: Callable[..., Any]) -> None:
    q, x = torch.from_numpy(Q), torch.from_numpy(X).float()
    before, module = sdpa(q, q, q), ready()
    codes = nn.MultiheadAttention.forward.__code__, F.multi_head_attention_forward.__code__
    used(f)
    assert torch.equal(sdpa(q, q, q), before)
    assert torch.vmap(sdpa)(q, q, q).shape == q.shape
    assert module(x, x, x)[0].shape == x.shape
    assert (nn.MultiheadAttention.forward.__code__, F.multi_head_attention_forward.__code__) == codes
