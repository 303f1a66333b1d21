# ruff: noqa: ARG005 - a stand-in takes what it is called with, whether it needs it or not
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from grader.worker.weights import Aliases, find_weights, gradients, learn, load_weights, structure

NAMES = ("W_q", "W_k", "W_v", "W_o")
FUSED = {"W_qkv": ("W_q", "W_k", "W_v")}
WIDTH = 4
WEIGHTS = {name: torch.arange(16.0).view(4, 4) * (n + 1) + n for n, name in enumerate(NAMES)}
STACKED = torch.cat([WEIGHTS[name] for name in NAMES[:3]], dim=1)


def parameter(rows: int = WIDTH, columns: int = WIDTH) -> nn.Parameter:
    return nn.Parameter(torch.zeros(rows, columns))


def linear(inputs: int = WIDTH, outputs: int = WIDTH, bias: bool = False) -> nn.Linear:
    return nn.Linear(inputs, outputs, bias=bias)


class Kept(nn.Module):
    """A module whose attributes are given."""

    def __init__(self, **kept: Any) -> None:
        super().__init__()
        for name, value in kept.items():
            setattr(self, name, value)


def four(make: Callable[[], Any], **others: Any) -> Kept:
    return Kept(**{name: others[name] if name in others else make() for name in NAMES})


def pour(module: nn.Module, also: Aliases | None = None) -> str:
    """Find the weights' places and fill them; a sentence when that cannot be done."""
    places, problem = find_weights(module, list(WEIGHTS), FUSED, also)
    return problem or load_weights(module, WEIGHTS, places)


FORMS: Mapping[str, Callable[[], Kept]] = {
    "linears": lambda: four(linear),
    "parameters": lambda: four(parameter),
    "mixed": lambda: four(linear, W_o=parameter(), W_k=parameter()),
    "fused linear": lambda: Kept(W_qkv=linear(4, 12), W_o=linear()),
    "fused parameter": lambda: Kept(W_qkv=parameter(4, 12), W_o=parameter()),
    "fused beside unused names": lambda: Kept(W_qkv=linear(4, 12), W_o=linear(), W_q=None),
}


def apply(module: Any, x: Tensor) -> Tensor:
    """The four projections one after the other, as the module keeps them."""

    def of(name: str) -> Tensor:
        kept = getattr(module, name)
        return kept.weight.T if isinstance(kept, nn.Module) else kept

    parts = of("W_qkv").split(4, dim=1) if hasattr(module, "W_qkv") else [of(name) for name in NAMES[:3]]
    for part in (*parts, of("W_o")):
        x = x @ part
    return x


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_poured_in_the_formulas_orientation(form: str) -> None:
    module = FORMS[form]()
    assert pour(module) == ""
    x = torch.eye(4)
    want = x @ WEIGHTS["W_q"] @ WEIGHTS["W_k"] @ WEIGHTS["W_v"] @ WEIGHTS["W_o"]
    assert torch.equal(apply(module, x), want)


def test_a_fused_weight_holds_queries_then_keys_then_values() -> None:
    module = Kept(W_qkv=linear(4, 12), W_o=linear())
    pour(module)
    assert torch.equal(module.W_qkv.weight, STACKED.T)
    module = Kept(W_qkv=parameter(4, 12), W_o=linear())
    pour(module)
    assert torch.equal(module.W_qkv, STACKED)


@pytest.mark.parametrize("form", FORMS)
def test_gradients_come_in_the_formulas_orientation(form: str) -> None:
    module = FORMS[form]()
    pour(module)
    x = torch.linspace(-1, 1, 8).view(2, 4).requires_grad_()
    found = gradients(apply(module, x).square().sum(), {"d_x": x}, module, NAMES, FUSED)
    plain = {name: weight.clone().requires_grad_() for name, weight in WEIGHTS.items()}
    y = x
    for name in NAMES:
        y = y @ plain[name]
    want = torch.autograd.grad(y.square().sum(), [x, *plain.values()])
    assert list(found) == ["d_x", *(f"d_{name}" for name in NAMES)]
    for name, expected in zip(found, want, strict=True):
        got = found[name]
        assert got is not None
        assert torch.allclose(got, expected), name


def test_a_weight_that_no_path_reaches_has_no_gradient() -> None:
    module = four(linear, W_k=nn.Linear(4, 4, bias=False).requires_grad_(False))
    x = torch.ones(2, 4)
    found = gradients(module.W_q(x).sum(), {"d_x": x}, module, NAMES, FUSED)
    assert {name for name, value in found.items() if value is not None} == {"d_W_q"}


def test_without_anything_to_ask_for_there_are_no_gradients() -> None:
    x = torch.ones(2, 4)
    total = (x * nn.Parameter(torch.ones(1))).sum()
    assert gradients(total, {"d_x": x}, None, (), {}) == {"d_x": None}


def test_a_bias_is_set_to_zero_and_told_as_extra() -> None:
    module = four(lambda: linear(bias=True))
    assert pour(module) == ""
    assert all(not module.get_submodule(name).bias.any() for name in NAMES)  # type: ignore[union-attr, operator]
    assert structure(module, NAMES, FUSED)["extra"] == [f"{name}.bias" for name in sorted(NAMES)]


# --- what is no home for a weight ---------------------------------------------------------------


PLAIN = "an nn.Linear without bias or a 2-D nn.Parameter"
BARE = "nn.Linear without bias or 2-D nn.Parameter"
AGAIN = " that holds one and the same layer again and again"
EITHER = "expected W_q W_k W_v W_o or W_qkv W_o"
UNFIT: Mapping[str, tuple[Callable[[], Any], str]] = {
    "nothing": (Kept, f"no weight named W_q: {EITHER}, found no weights at all"),
    "other names": (
        lambda: Kept(query=linear(), proj=parameter()),
        f"no weight named W_q: {EITHER}, found proj, query",
    ),
    "one missing": (
        lambda: Kept(W_q=linear(), W_k=linear(), W_v=linear()),
        f"no weight named W_o: {EITHER}, found W_q, W_k, W_v",
    ),
    "fused, no output": (
        lambda: Kept(W_qkv=linear(4, 12)),
        f"no weight named W_o: {EITHER}, found W_q (your W_qkv), W_k (your W_qkv), W_v (your W_qkv)",
    ),
    "layers in a list": (
        lambda: Kept(layers=nn.ModuleList([linear(), linear()]), norm=nn.LayerNorm(4)),
        f"no weight named W_q: {EITHER}, found layers.0, layers.1, norm",
    ),
    "a list": (
        lambda: four(linear, W_q=nn.ModuleList([linear(), linear()])),
        f"W_q is a ModuleList, expected a single {BARE} with all of them side by side in its columns",
    ),
    "one layer in a list": (
        lambda: four(linear, W_q=nn.ModuleList([linear()] * 2)),
        f"W_q is a ModuleList{AGAIN}, expected a single {BARE} with all of them side by side in its columns",
    ),
    "two in a sequence": (
        lambda: four(linear, W_v=nn.Sequential(linear(), linear())),
        f"W_v is a Sequential, expected {PLAIN}",
    ),
    "a head axis": (
        lambda: four(linear, W_v=nn.Parameter(torch.ones(2, 4, 2))),
        f"W_v has 3 axes, shape (2, 4, 2), expected {PLAIN}, all of it side by side in the columns",
    ),
    "nothing in its place": (
        lambda: four(linear, W_o=nn.Identity()),
        f"W_o is an Identity, which has no weight, expected {PLAIN}",
    ),
    "a number": (lambda: four(linear, W_v=7), f"W_v is an int, expected {PLAIN}"),
    "a vector": (
        lambda: four(linear, W_k=nn.Parameter(torch.ones(16))),
        f"W_k is a Parameter, expected {PLAIN}",
    ),
    "an array": (
        lambda: four(linear, W_k=torch.ones(4, 4).numpy().tolist()),
        f"W_k is a list, expected a single {BARE} with all of them side by side in its columns",
    ),
    "too wide": (
        lambda: four(linear, W_o=linear(12, 4)),
        "W_o is too large: it has shape (4, 12), expected (4, 4)",
    ),
    "too narrow": (
        lambda: four(linear, W_q=parameter(4, 2)),
        "W_q is too small: it has shape (4, 2), expected (4, 4)",
    ),
    "fused too narrow": (
        lambda: Kept(W_qkv=linear(4, 8), W_o=linear()),
        "W_qkv is too small: it has shape (8, 4), expected (12, 4)",
    ),
    "fused too wide": (
        lambda: Kept(W_qkv=linear(4, 13), W_o=linear()),
        "W_qkv is too large: it has shape (13, 4), expected (12, 4)",
    ),
    "fused parameter turned": (
        lambda: Kept(W_qkv=parameter(12, 4), W_o=linear()),
        "W_qkv is turned: it has shape (12, 4), expected (4, 12)",
    ),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_is_no_home_for_a_weight_is_said(case: str) -> None:
    make, words = UNFIT[case]
    assert pour(make()) == words


class Computed(nn.Module):
    """Keeps one matrix and makes the weights anew at each use."""

    def __init__(self) -> None:
        super().__init__()
        self.all = parameter(4, 16)

    def __getattr__(self, name: str) -> Any:
        if name in NAMES:
            return self.all[:, 4 * NAMES.index(name) :][:, :4] * 2
        return super().__getattr__(name)


class Views(Computed):
    """The same by views, which keep what is written into them."""

    def __getattr__(self, name: str) -> Any:
        if name in NAMES:
            return self.all[:, 4 * NAMES.index(name) :][:, :4]
        return super().__getattr__(name)


LOST = "does not keep the weights given to it, expected an nn.Linear or nn.Parameter"


def test_a_weight_that_is_computed_anew_at_each_use_is_said_to_keep_nothing() -> None:
    normed = four(linear, W_k=nn.utils.parametrizations.weight_norm(linear()))
    assert pour(normed) == f"W_k {LOST}"
    orthogonal = four(lambda: nn.utils.parametrizations.orthogonal(linear()))
    assert pour(orthogonal) == f"W_q {LOST}"
    assert pour(Computed()) == f"W_q {LOST}"
    assert pour(Views()) == ""


@pytest.mark.parametrize(
    "make", [Computed, Views, lambda: four(lambda: nn.utils.parametrizations.weight_norm(linear()))]
)
def test_weights_that_are_not_kept_by_name_are_told_and_break_nothing(make: Callable[[], nn.Module]) -> None:
    module = make()
    told = structure(module, NAMES, FUSED)
    assert told["unregistered"] == sorted(NAMES)
    assert told["extra"]
    x = torch.ones(2, 4)
    total = sum((p.sum() for p in module.parameters()), torch.zeros(()))
    assert gradients(total, {"d_x": x}, module, NAMES, FUSED)["d_W_q"] is None


def test_a_property_that_raises_is_the_learners_error() -> None:
    class Raising(nn.Module):
        @property
        def W_q(self) -> Tensor:  # noqa: N802 - the weight's name
            raise RuntimeError("not made yet")

    with pytest.raises(RuntimeError, match="not made yet"):
        pour(Raising())


# --- other names --------------------------------------------------------------------------------


def also() -> Aliases:
    """What a lesson may say of other names."""
    rows = [(name, [name], f"{name[2]}_proj {name.lower()}") for name in NAMES]
    rows += [("W_o", ["W_o"], "out proj"), ("W_q", ["W_q"], "query")]
    rows += [("W_qkv", list(NAMES[:3]), "w_qkv qkv"), ("W_k and W_v", list(NAMES[1:3]), "kv")]
    return Aliases({"asked": asked, "holds": holds, "names": names.split()} for asked, holds, names in rows)


def alone(*layers: nn.Module) -> nn.Sequential:
    return nn.Sequential(*layers, nn.Dropout(0.1))


RENAMED: Mapping[str, tuple[Callable[[], Kept], Mapping[str, str]]] = {
    "layers": (
        lambda: Kept(q_proj=linear(), k_proj=linear(), v_proj=linear(), out=linear()),
        {"q_proj": "W_q", "k_proj": "W_k", "v_proj": "W_v", "out": "W_o"},
    ),
    "another case": (
        lambda: Kept(W_Q=linear(), w_K=parameter(), w_v=parameter(), W_O=linear()),
        {"W_Q": "W_q", "w_K": "W_k", "w_v": "W_v", "W_O": "W_o"},
    ),
    "the output alone": (lambda: Kept(W_qkv=linear(4, 12), Proj=parameter()), {"Proj": "W_o"}),
    "fused": (lambda: Kept(qkv=linear(4, 12), W_o=linear()), {"qkv": "W_qkv"}),
    "keys and values in one": (
        lambda: Kept(query=linear(), kv=linear(4, 8), out=linear()),
        {"query": "W_q", "kv": "W_k and W_v", "out": "W_o"},
    ),
    "before a dropout": (
        lambda: Kept(W_qkv=linear(4, 12), out=alone(linear())),
        {"out.0": "W_o"},
    ),
    "by its name, before a dropout": (
        lambda: Kept(W_qkv=linear(4, 12), W_o=alone(linear())),
        {"W_o.0": "W_o"},
    ),
    "beside what holds no weight": (
        lambda: Kept(W_qkv=linear(4, 12), out=linear(), proj=nn.Dropout(0.1)),
        {"out": "W_o"},
    ),
}


def held(module: nn.Module, path: str) -> Tensor:
    found: Any = module
    for part in path.split("."):
        found = getattr(found, part)
    return found.weight.detach().T if isinstance(found, nn.Module) else found.detach()  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", RENAMED)
def test_weights_under_other_names_are_taken_where_nothing_else_could_be_meant(case: str) -> None:
    make, renamed = RENAMED[case]
    module, known = make(), also()
    assert pour(module, known) == ""
    assert known.taken == renamed
    for own, asked in renamed.items():
        parts = NAMES[:3] if asked == "W_qkv" else asked.split(" and ")
        assert torch.equal(held(module, own), torch.cat([WEIGHTS[part] for part in parts], dim=1))
    assert structure(module, NAMES, FUSED, also()) == SOUND
    assert bool(pour(make())) is not case.startswith("by its name")


def test_names_that_the_lesson_asks_for_are_no_other_names() -> None:
    for make in FORMS.values():
        known = also()
        assert pour(make(), known) == ""
        assert known.taken == {}


UNCLEAR: Mapping[str, tuple[Callable[[], Kept], str]] = {
    "two could be it": (
        lambda: Kept(W_qkv=linear(4, 12), out=linear(), proj=linear()),
        "W_o may be out or proj: the grader cannot tell which, so give it the name W_o",
    ),
    "fused and apart": (
        lambda: Kept(qkv=linear(4, 12), query=linear(), out=linear()),
        "W_q may be qkv or query: the grader cannot tell which, so give it the name W_q",
    ),
    "one is missing": (
        lambda: Kept(q_proj=linear(), k_proj=linear(), out=linear(), norm=nn.LayerNorm(4)),
        f"no weight named W_v: {EITHER}, found W_q (your q_proj), W_k (your k_proj), W_o (your out), norm",
    ),
    "a list of layers": (
        lambda: Kept(W_qkv=linear(4, 12), out=nn.ModuleList([linear(), linear()])),
        f"W_o (your out) is a ModuleList, expected a single {BARE} with all of them side by side in its columns",
    ),
    "nothing in its place": (
        lambda: Kept(W_qkv=linear(4, 12), out=nn.Identity()),
        f"W_o (your out) is an Identity, which has no weight, expected {PLAIN}",
    ),
    "another kind of layer": (
        lambda: Kept(W_qkv=linear(4, 12), out=nn.Embedding(4, 4)),
        f"W_o (your out) is an Embedding, expected {PLAIN}",
    ),
    "of another shape": (
        lambda: Kept(W_qkv=linear(4, 12), out=linear(4, 8)),
        "W_o (your out) is too large: it has shape (8, 4), expected (4, 4)",
    ),
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_what_is_unclear_under_other_names_is_said(case: str) -> None:
    make, words = UNCLEAR[case]
    assert pour(make(), also()) == words


def test_under_other_names_biases_are_zeroed_and_gradients_and_facts_have_the_names_asked_for() -> None:
    module = Kept(q_proj=linear(bias=True), kv=linear(4, 8), out=alone(linear(bias=True)))
    assert pour(module, also()) == ""
    assert not module.q_proj.bias.any()  # type: ignore[union-attr, operator]
    assert not module.out[0].bias.any()  # type: ignore[index, union-attr, operator]
    assert structure(module, NAMES, FUSED, also())["extra"] == ["W_o.bias", "W_q.bias"]
    x = torch.ones(2, 4)
    total = sum((p.sum() for p in module.parameters()), torch.zeros(()))
    found = gradients(total, {"d_x": x}, module, NAMES, FUSED, also())
    assert all(found[f"d_{name}"] is not None for name in NAMES)


# --- structure ----------------------------------------------------------------------------------


SOUND = {"is_module": True, "extra": [], "unregistered": [], "unsaved": [], "shared": False}


@pytest.mark.parametrize("form", FORMS)
def test_a_sound_module_has_nothing_to_tell(form: str) -> None:
    assert structure(FORMS[form](), NAMES, FUSED) == SOUND


def hidden() -> Kept:
    module = four(linear)
    del module.W_o
    module.__dict__["W_o"] = linear()
    return module


def buffered() -> Kept:
    module = four(parameter)
    del module.W_v
    module.register_buffer("W_v", torch.zeros(4, 4))
    return module


def unsaved() -> Kept:
    module = four(linear)
    module.state_dict = lambda *args, **kwargs: {"W_q": module.W_q.weight}  # type: ignore[assignment]
    return module


def twice(one: Any) -> Kept:
    return four(linear, W_q=one, W_k=one)


def same_memory() -> Kept:
    module = four(linear)
    module.W_k.weight = nn.Parameter(module.W_q.weight.data)
    return module


FACTS: Mapping[str, tuple[Callable[[], Any], Mapping[str, object]]] = {
    "a plain tensor": (
        lambda: four(linear, W_q=torch.zeros(4, 4) + 1),
        {"unregistered": ["W_q"], "unsaved": ["W_q"]},
    ),
    "a hidden module": (hidden, {"unregistered": ["W_o"], "unsaved": ["W_o"]}),
    "a buffer": (buffered, {"unregistered": ["W_v"]}),
    "a frozen weight": (lambda: four(linear, W_q=linear().requires_grad_(False)), {"unregistered": ["W_q"]}),
    "another layer": (
        lambda: Kept(**{n: linear() for n in NAMES}, norm=nn.LayerNorm(4)),
        {"extra": ["norm.bias", "norm.weight"]},
    ),
    "a frozen other layer": (
        lambda: Kept(**{n: linear() for n in NAMES}, more=linear().requires_grad_(False)),
        {},
    ),
    "both fused and apart": (
        lambda: Kept(W_qkv=linear(4, 12), **{n: linear() for n in NAMES}),
        {"extra": ["W_k.weight", "W_q.weight", "W_v.weight"]},
    ),
    "one layer twice": (lambda: twice(linear()), {"shared": True}),
    "one parameter twice": (lambda: twice(parameter()), {"shared": True}),
    "one memory twice": (same_memory, {"shared": True}),
    "a state without some": (unsaved, {"unsaved": ["W_k", "W_o", "W_v"]}),
}


@pytest.mark.parametrize("case", FACTS)
def test_what_is_not_sound_is_told(case: str) -> None:
    make, facts = FACTS[case]
    assert structure(make(), NAMES, FUSED) == {**SOUND, **facts}


def test_what_is_no_module_is_told() -> None:
    assert structure(7, NAMES, FUSED) == {"is_module": False}


def test_a_missing_weight_leaves_the_others_places() -> None:
    places, problem = find_weights(Kept(W_q=linear()), NAMES, FUSED)
    assert list(places) == ["W_q"]
    assert problem.startswith("no weight named W_k")


# --- a step of training ---------------------------------------------------------------------------

ONES = torch.ones(2, 4)


def four_square() -> Kept:
    return Kept(**{name: nn.Parameter(torch.ones(4, 4)) for name in NAMES})


def moved(module: Any, rate: float = 64.0) -> dict[str, Tensor]:
    """How far each named weight goes when the sum of x W_q W_o is to become smaller."""
    before = {name: getattr(module, name).detach().clone() for name in ("W_q", "W_o")}
    total = (ONES @ module.W_q @ module.W_o).sum()
    assert learn(total, module, rate)
    return {name: before[name] - getattr(module, name).detach() for name in before}


def test_a_step_goes_down_the_slope_and_is_shared_among_all_numbers_that_are_trained() -> None:
    module = four_square()
    slope = ONES.T @ torch.ones(2, 4) @ module.W_o.detach().T
    assert torch.allclose(moved(module)["W_q"], slope)  # 64 / (4 weights of 16 numbers) = 1


@pytest.mark.parametrize("more", [nn.Parameter(torch.zeros(64)), nn.Linear(8, 7)])
def test_what_is_trained_besides_the_weights_shortens_the_step_though_nothing_uses_it(more: Any) -> None:
    module = four_square()
    slope = ONES.T @ torch.ones(2, 4) @ module.W_o.detach().T
    module.more = more
    assert not torch.allclose(moved(module)["W_q"], slope, rtol=0.1)


def test_what_is_not_registered_does_not_move() -> None:
    module = four_square()
    del module.W_o
    module.W_o = torch.ones(4, 4, requires_grad=True)
    assert float(moved(module)["W_o"].abs().max()) == 0.0


def test_a_module_with_nothing_to_train_learns_nothing() -> None:
    assert not learn(torch.ones(1, requires_grad=True).sum(), nn.Module(), 1.0)
