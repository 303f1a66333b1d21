# ruff: noqa: ARG005 - a stand-in takes what it is called with, whether it needs it or not
from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

import einops
import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from grader.lesson.probes import Draw, Op, Probe, call, call_value, gradient, op
from grader.worker.perform import perform
from grader.worker.portable import MIXED, NAME, Elsewhere
from grader.worker.watching import Seen, watch

X = Draw(7, "portable").normal(2, 3, 4)
SPLIT = Draw(7, "weights").normal(4, 4)
RUN = call("f", "x", to="y")


def ask(f: Any, *script: Op, report: tuple[str, ...] = ("y",), **fields: Any) -> dict[str, Any]:
    asked = Probe(
        "p", "s", frozenset(), "", {"x": X, "c": X}, script or (RUN,), report, device=NAME, **fields
    )
    return dict(perform(asked.letter(), {"f": f}, {__file__}, False))


def inside(f: Callable[[Tensor], Any]) -> Any:
    """What a function gives on the second device."""
    with watch({"device": NAME, "count": False}, Seen()):
        return f(Elsewhere(torch.from_numpy(X.copy())).requires_grad_())


def ones(*shape: int, **where: Any) -> Tensor:
    return torch.ones(*shape, dtype=torch.float64, **where)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        (x,) = ctx.saved_tensors
        return grad * 2 + 0 * x


def in_slices(x: Tensor) -> Tensor:
    y = torch.empty(2, 3, 4, dtype=x.dtype, device=x.device)
    for i in range(2):
        y[i] = x[i]
    y[:, 0] = 0.0
    return y


def by_mask(x: Tensor) -> Tensor:
    y = x.clone()
    y[y > 0] = 0.0
    y[x < -1] = x[x < -1] * 2
    return y


def by_indices(x: Tensor) -> Tensor:
    y = x.clone()
    y[:, torch.tensor([0, 1])] = x[:, :2] * 3
    y[0, [0, 2]] = torch.tensor([[7.0], [8.0]], dtype=x.dtype, device=x.device)
    y[0, 0] = torch.tensor(3.0)
    assert torch.equal(y[[False, True]], y[1:])
    return y[:, [2, 1]] + y[[0, 1]][None, ..., range(1, 3), :][0] + y[(0, 1), (1, 2)] + y[:, np.array([0, 1])]


def by_empty_index(x: Tensor) -> Tensor:
    return x[:, []]


def branching(x: Tensor) -> Tensor:
    mask = x > 0
    if mask.any() and not bool(mask.all()) and x.max().item() > 0:
        return x.masked_fill(mask, -math.inf).softmax(-1)
    return x


def causal(x: Tensor) -> Tensor:
    t = x.shape[1]
    keep = torch.tril(torch.ones(t, t, dtype=torch.bool, device=x.device))
    return (x @ x.mT).masked_fill(~keep, float("-inf")).softmax(-1)


def on_default_device(x: Tensor) -> Tensor:
    with torch.device(x.device):
        return torch.tensor([1.0, 2, 3, 4]) + torch.arange(4) + x


def scattered(x: Tensor) -> Tensor:
    return torch.zeros_like(x).scatter(-1, x.topk(2, -1).indices, 1.0)


def through_numpy(x: Tensor) -> Tensor:
    return torch.from_numpy(x.detach().cpu().numpy()).to(x.device)


def from_list(x: Tensor) -> Tensor:
    return torch.tensor(x.tolist(), device=x.device)


def written(x: Tensor) -> Tensor:
    assert f"{x.sum():.2f}" == f"{x.sum().item():.2f}"
    assert "tensor" in f"{x}"
    assert repr(x)
    return x * 1


def from_scalars(x: Tensor) -> Tensor:
    total = x.detach().sum()
    return torch.tensor([total, 1.0], device=x.device) + torch.tensor([[total], [total]], device=x.device)


FINE: Mapping[str, Callable[[Tensor], Tensor]] = {
    "a number": lambda x: x / math.sqrt(4) + 1,
    "a tensor without axes": lambda x: x / torch.sqrt(torch.tensor(4)) + torch.tensor(2.0),
    "zeros there": lambda x: x + torch.zeros(4, device=x.device),
    "ones by name": lambda x: x + torch.ones(4, device=str(x.device)),
    "tensor there": lambda x: x + torch.tensor([1.0, 2, 3, 4], device=x.device),
    "pair there": lambda x: x + torch.tensor(x.detach()[0, 0].max(dim=0), device=x.device).sum(),
    "array there": lambda x: x + torch.tensor(np.ones(4), device=x.device),
    "as_tensor there": lambda x: x + torch.as_tensor([1.0, 2, 3, 4], device=x.device),
    "asarray there": lambda x: x + torch.asarray(np.ones(4), device=x.device),
    "scalar_tensor": lambda x: x * torch.scalar_tensor(2.0, device=x.device),
    "of scalars": from_scalars,
    "new_tensor": lambda x: x + x.new_tensor([1.0, 2, 3, 4]),
    "new_zeros": lambda x: x + x.new_zeros(4),
    "new_full": lambda x: x + x.new_full((4,), 3.0),
    "new_empty": lambda x: x + x.new_empty(4).zero_(),
    "full_like": lambda x: x + torch.full_like(x, 3.0),
    "rand_like": lambda x: x + torch.rand_like(x),
    "arange": lambda x: x + torch.arange(4, device=x.device),
    "linspace": lambda x: x + torch.linspace(0, 1, 4, device=x.device),
    "eye": lambda x: x @ torch.eye(4, device=x.device, dtype=x.dtype),
    "lengths": lambda x: torch.arange(3, device=x.device) < torch.tensor([[1], [2]], device=x.device),
    "with device": on_default_device,
    "moved": lambda x: x + ones(4).to(x.device) + ones(4).to(x) + ones(4).type_as(x),
    "there and back": lambda x: x.cpu().to(x.device),
    "through numpy": through_numpy,
    "from a list": from_list,
    "copied into": lambda x: x.clone().copy_(ones(4)),
    "a slice from the CPU": lambda x: x.clone().index_put((torch.tensor([0]),), x[1]),
    "tril": causal,
    "einsum": lambda x: torch.einsum("bij,bkj->bik", x, x),
    "einops": lambda x: einops.einsum(
        einops.rearrange(x, "b t (h d) -> b h t d", h=2), x, "b h i d, b i k -> b h k"
    ),
    "einops repeat": lambda x: einops.repeat(x, "b t d -> b h t d", h=2),
    "vmap": torch.vmap(torch.vmap(lambda a: a.softmax(-1))),
    "vmap of products": torch.vmap(lambda a: a @ a.T),
    "grad": torch.func.grad(lambda a: (a * a).sum()),
    "autograd function": Twice.apply,
    "slices in place": in_slices,
    "boolean assignment": by_mask,
    "indices from the CPU": by_indices,
    "no indices": by_empty_index,
    "in place": lambda x: x.clone().add_(1).mul_(2).masked_fill_(x > 0, 0.0),
    "softmax with dtype": lambda x: F.softmax(x, -1, dtype=torch.float32),
    "float and back": lambda x: x.float().softmax(-1).to(x.dtype),
    "baddbmm": lambda x: torch.baddbmm(torch.empty(2, 3, 3, dtype=x.dtype, device=x.device), x, x.mT, beta=0),
    "addmm": lambda x: x.new_zeros(3, 3).addmm_(x[0], x[0].T),
    "out": lambda x: torch.matmul(
        x.detach(), x.detach().mT, out=torch.empty(2, 3, 3, dtype=x.dtype, device=x.device)
    ),
    "where": lambda x: torch.where(x > 0, x, 0.0) + torch.where(x > 0, x, torch.full_like(x, -1.0)),
    "topk": lambda x: x.topk(2, -1).values,
    "scatter": scattered,
    "branches": branching,
    "cat, stack, chunk": lambda x: torch.cat([torch.stack([x, x])[0], *x.chunk(2, -1)], -1),
    "views": lambda x: x.view(2, 3, 2, 2).transpose(1, 2).contiguous().view(2, 2, 6),
    "strides": lambda x: x.as_strided((2, 2), (1, 1)) + x.unfold(1, 2, 1)[0, :, :2, 0],
    "iteration": lambda x: torch.stack([row for part in x for row in part]),
    "linear": lambda x: F.linear(x, torch.ones(4, 4, dtype=x.dtype, device=x.device)),
    "a layer made there": lambda x: nn.Linear(4, 4, dtype=x.dtype, device=x.device)(x),
    "a layer moved there": lambda x: nn.Linear(4, 4).to(x.device, x.dtype)(x),
    "a parameter": lambda x: nn.Parameter(x.detach()) * 2,
    "deepcopy": lambda x: copy.deepcopy(x.detach()) * 2,
    "data": lambda x: x.data * 2,
    "comparisons": lambda x: (
        x * (1.0 if torch.allclose(x, x) and torch.equal(x, x) and torch.isfinite(x).all() else 0.0)
    ),
    "written out": written,
}


@pytest.mark.parametrize("case", FINE)
def test_what_a_gpu_would_take_gives_the_same_values_there(case: str) -> None:
    torch.manual_seed(0)
    want = FINE[case](torch.from_numpy(X.copy()).requires_grad_())
    torch.manual_seed(0)
    got = inside(FINE[case])
    assert isinstance(got, Elsewhere)
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    assert np.array_equal(got.held.numpy(), want.detach().numpy(), equal_nan=True)
    answer = ask(FINE[case])
    assert (answer["outcome"], answer["values"]["y"]["device"]) == ("returned", NAME)


def by_cpu_values(x: Tensor) -> Tensor:
    y = x.clone()
    y[y > 0] = ones(int((y > 0).sum()))
    return y


STAYS: Mapping[str, Callable[[Tensor], Any]] = {
    "ones": lambda x: x + ones(4),
    "tensor": lambda x: x + torch.tensor([1.0, 2, 3, 4]),
    "after an operation in place": lambda x: x.clone().add_(1).mul_(2) + ones(4),
    "after a slice": lambda x: in_slices(x) + ones(4),
    "arange": lambda x: x + torch.arange(4),
    "mask": lambda x: x.masked_fill(torch.ones(3, 4).triu(1).bool(), -1e9),
    "where": lambda x: torch.where(torch.ones(4).bool(), x, 0.0),
    "weight": lambda x: F.linear(x, ones(4, 4)),
    "layer": lambda x: nn.Linear(4, 4, dtype=x.dtype)(x),
    "eye on the left": lambda x: ones(3, 3) @ x,
    "einsum": lambda x: torch.einsum("bij,jk->bik", x, ones(4, 4)),
    "baddbmm": lambda x: torch.baddbmm(torch.zeros(2, 3, 3, dtype=x.dtype), x, x.mT),
    "cat": lambda x: torch.cat([x, ones(2, 3, 1)], -1),
    "index_select": lambda x: x.index_select(1, torch.tensor([0, 1])),
    "gather": lambda x: x.gather(1, torch.zeros(2, 1, 4, dtype=torch.long)),
    "values by mask": by_cpu_values,
    "a number from there": lambda x: ones(4) * x.sum(),
    "vmap": torch.vmap(lambda a: a * ones(4)),
    "brought back": lambda x: x.cpu() + x,
    "numpy": lambda x: x.detach().numpy(),
    "np.asarray": lambda x: np.asarray(x.detach()),
}


@pytest.mark.parametrize("case", STAYS)
def test_what_stays_on_the_cpu_is_found(case: str) -> None:
    answer = ask(STAYS[case])
    assert answer["outcome"] == "raised"
    assert answer["error"]["message"].startswith(MIXED)
    assert answer["error"]["lines"][-1][0] == __file__


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x.cpu() * 2,
        lambda x: torch.from_numpy(x.detach().cpu().numpy()),
        lambda x: x.to("cpu"),
        lambda x: torch.ones(2),
        lambda x: torch.tensor(x.tolist()),
    ],
)
def test_an_answer_on_the_cpu_says_so(f: Callable[[Tensor], Tensor]) -> None:
    assert ask(f)["values"]["y"]["device"] == "cpu"


def test_an_answer_of_the_second_device_comes_home_with_its_values() -> None:
    told = ask(lambda x: x.mT)["values"]["y"]
    assert np.array_equal(np.frombuffer(told["blob"].data).reshape(2, 4, 3), X.swapaxes(1, 2))
    assert (told["shape"], told["dtype"], told["device"]) == ([2, 4, 3], "float64", NAME)


def test_a_wrapped_tensor_shares_its_memory_and_keeps_its_gradient_flag() -> None:
    inner = torch.zeros(2)
    outer = Elsewhere(inner)
    with watch({"device": NAME, "count": False}, Seen()):
        outer.add_(1)
    assert torch.equal(inner, torch.ones(2))
    assert Elsewhere(torch.ones(2, requires_grad=True)).requires_grad


def test_gradients_flow_on_the_second_device() -> None:
    script = (RUN, gradient({"y": "c"}, ["x"]))
    told = ask(lambda x: Twice.apply(in_slices(x)), *script, report=("d_x",), grads=frozenset("x"))["values"][
        "d_x"
    ]
    want = 2 * X
    want[:, 0] = 0
    assert told["device"] == NAME
    assert np.array_equal(np.frombuffer(told["blob"].data).reshape(X.shape), want)


# --- modules ------------------------------------------------------------------------------------


class Registered(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.W = nn.Linear(4, 4, bias=False)
        self.V = nn.Parameter(torch.ones(4, 4))
        self.scale = torch.tensor(2.0)
        self.register_buffer("keep", torch.tril(torch.ones(3, 3)).bool())

    def forward(self, x: Tensor) -> Tensor:
        y = self.W(x) @ self.V / self.scale
        return (y @ y.mT).masked_fill(~self.keep, -math.inf).softmax(-1)


class Loose(Registered):
    def __init__(self) -> None:
        super().__init__()
        del self.V
        self.V = torch.ones(4, 4, dtype=torch.float64)


class LooseMask(Registered):
    def __init__(self) -> None:
        super().__init__()
        del self.keep
        self.keep = torch.tril(torch.ones(3, 3)).bool()


class InList(Registered):
    def __init__(self) -> None:
        super().__init__()
        self.parts = [nn.Linear(4, 4, dtype=torch.float64)]

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(self.parts[0](x))


class Tied(Registered):
    def __init__(self) -> None:
        super().__init__()
        self.U = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4, bias=False))
        self.again = self.W

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(self.U(self.again(x)))


PLACED = (call("f", to="m"), op("place", of="m", device=NAME), call_value("m", "x", to="y"))


@pytest.mark.parametrize("kind", [Registered, Tied])
def test_a_module_moves_with_all_it_has_registered(kind: type[nn.Module]) -> None:
    answer = ask(kind, *PLACED)
    assert (answer["outcome"], answer["values"]["y"]["device"]) == ("returned", NAME)


@pytest.mark.parametrize("kind", [Loose, LooseMask, InList])
def test_a_weight_or_mask_that_is_not_registered_stays_behind(kind: type[nn.Module]) -> None:
    answer = ask(kind, *PLACED)
    assert answer["outcome"] == "raised"
    assert answer["error"]["message"].startswith(MIXED)


def test_parameters_that_moved_are_parameters_still() -> None:
    def facts(module: nn.Module) -> list[object]:
        kept = list(module.parameters())
        return [
            all(p.requires_grad and isinstance(p, Elsewhere) and isinstance(p, nn.Parameter) for p in kept),
            [name for name, _ in module.named_parameters()],
            str(kept[0].dtype),
        ]

    seen: list[list[object]] = []

    def look(module: Any) -> Any:
        seen.append(facts(module))

    script = (call("f", to="m"), op("place", of="m", device=NAME), call("g", "m", to="y"))
    asked = Probe("p", "s", frozenset(), "", {"x": X}, script, ("y",), device=NAME, dtype="bfloat16")
    perform(asked.letter(), {"f": Registered, "g": look}, set(), False)
    assert seen == [[True, ["V", "W.weight"], "torch.bfloat16"]]


def test_gradients_reach_parameters_on_the_second_device() -> None:
    script = (*PLACED, gradient({"y": "k"}, ["x"], "m", ["W"], {}))
    asked = Probe(
        "p",
        "s",
        frozenset(),
        "",
        {"x": X, "k": np.ones((2, 3, 3)) * np.arange(3)},
        script,
        ("d_x", "d_W"),
        device=NAME,
        grads=frozenset("x"),
    )
    values = perform(asked.letter(), {"f": Registered}, set(), False)["values"]
    assert isinstance(values, dict)
    assert [values[name]["device"] for name in ("d_x", "d_W")] == [NAME, NAME]
