"""Named weights of a learner's module: pour them in, read their gradients, tell how they are kept.

A weight is named in the formula's orientation (in, out). A module may keep it as an `nn.Linear` (whose
own weight is the transpose), as an `nn.Parameter`, or as a column block of a fused one; under the name that is
asked for, or under another of which the lesson says what is meant by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

Fused = Mapping[str, Sequence[str]]
BARE = "nn.Linear without bias or 2-D nn.Parameter"
LAYER = "an nn.Linear without bias or a 2-D nn.Parameter"


class Place(NamedTuple):
    """Where a weight lives: the stored tensor, whether it is transposed, its column block.

    `owner` is the attribute's name, `asked` the name that the lesson asks for in its place.
    """

    owner: str
    stored: Tensor
    transposed: bool
    block: int
    blocks: int
    asked: str

    def view(self, stored: Tensor) -> Tensor:
        """The weight's part of a tensor shaped like the stored one, in formula orientation."""
        oriented = stored.T if self.transposed else stored
        if self.blocks == 1:
            return oriented
        width = oriented.shape[1] // self.blocks
        return oriented[:, self.block * width : (self.block + 1) * width]


class Alias(NamedTuple):
    """Other names, in lower case, for what the lesson calls `asked`: one weight, or several side by side."""

    asked: str
    holds: tuple[str, ...]
    names: frozenset[str]


class Aliases:
    """The lesson's other names for weights; `taken` tells which were met, each with the name asked for."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = ()) -> None:
        self.rows = [Alias(r["asked"], tuple(r["holds"]), frozenset(r["names"])) for r in rows]
        self.taken: dict[str, str] = {}


def find_weights(
    module: Any, wanted: Sequence[str], fused: Fused, also: Aliases | None = None
) -> tuple[dict[str, Place], str]:
    """Each wanted weight's place, and a sentence for the learner when one is not there.

    A weight that is not there by its name is looked for under the others of `also`, and taken where nothing
    else could be it.
    """
    places: dict[str, Place] = {}
    for owner, parts in [*fused.items(), *((name, (name,)) for name in wanted)]:
        if any(part in places for part in parts):
            continue
        found = _places(module, owner, parts, owner)
        if isinstance(found, str):
            return places, found
        places |= found
    missing = [name for name in wanted if name not in places]
    if missing and also is not None and isinstance(module, nn.Module):
        found = _under_other_names(module, missing, also)
        if isinstance(found, str):
            return places, found
        places |= found
        missing = [name for name in missing if name not in places]
    if also is not None:
        also.taken.update({p.owner: p.asked for p in places.values() if p.owner != p.asked})
    if not missing:
        return places, ""
    whole = [" ".join([name, *_rest(wanted, parts)]) for name, parts in fused.items()]
    options = [" ".join(wanted), *whole]
    have = [f"{name}{_yours(places[name].owner, name)}" for name in wanted if name in places]
    owners = {place.owner for place in places.values()}
    have += sorted(name for name in _names(module) if not any(_within(name, owner) for owner in owners))
    found = f"found {', '.join(have[:8])}" if have else "found no weights at all"
    return places, f"no weight named {missing[0]}: expected {' or '.join(options)}, {found}"


def _under_other_names(module: nn.Module, missing: Sequence[str], also: Aliases) -> dict[str, Place] | str:
    """Missing weights under other names; a sentence where two things could be one, or one is no weight."""
    own = [*(name for name, _ in module.named_children()), *module._parameters]
    met = [
        (name, alias)
        for name in own
        for alias in also.rows
        if name.lower() in alias.names and set(alias.holds) <= set(missing)
    ]
    told = {name: _places(module, name, alias.holds, alias.asked) for name, alias in met}
    fitting = {name: found for name, found in told.items() if not isinstance(found, str)}
    places: dict[str, Place] = {}
    for part in missing:
        could = [name for name, found in fitting.items() if part in found]
        if len(could) > 1:
            either = " or ".join(could)
            return f"{part} may be {either}: the grader cannot tell which, so give it the name {part}"
        unfit = [told[name] for name, alias in met if part in alias.holds and name not in fitting]
        if not could and unfit:
            return str(unfit[0])
        if could:
            places[part] = fitting[could[0]][part]
    return places


def _places(module: Any, owner: str, parts: Sequence[str], asked: str) -> dict[str, Place] | str:
    """The weights that are kept under a name, none where it is not there; a sentence where it holds none."""
    holder = getattr(module, owner, None)
    if holder is None:
        return {}
    if isinstance(holder, nn.Sequential):  # as it comes with a Dropout behind the layer
        layers = [name for name, layer in holder.named_children() if isinstance(layer, nn.Linear)]
        owner, holder = (
            (f"{owner}.{layers[0]}", holder[int(layers[0])]) if len(layers) == 1 else (owner, holder)
        )
    layer = isinstance(holder, nn.Module)
    stored = getattr(holder, "weight", None) if layer else holder
    foreign = owner != asked and layer and not isinstance(holder, nn.Linear)
    if foreign or not isinstance(stored, Tensor) or stored.dim() != 2:
        return f"{asked}{_yours(owner, asked)} {_no_home(holder, stored)}"
    return {part: Place(owner, stored, layer, block, len(parts), asked) for block, part in enumerate(parts)}


def _yours(owner: str, asked: str) -> str:
    """` (your q_proj)` behind a name that is asked for, where the learner's is another."""
    return "" if owner == asked else f" (your {owner})"


def _no_home(holder: Any, stored: object) -> str:
    """Why something is no place for a weight."""
    kind = _kind(holder)
    if isinstance(holder, list | tuple | nn.ModuleList | nn.ParameterList):
        items = list(holder)
        one = (
            " that holds one and the same layer again and again"
            if len({*map(id, items)}) < len(items)
            else ""
        )
        return f"is {kind}{one}, expected a single {BARE} with all of them side by side in its columns"
    if isinstance(holder, nn.Identity):
        return f"is {kind}, which has no weight, expected {LAYER}"
    if isinstance(stored, Tensor) and stored.dim() > 2:
        shape = tuple(stored.shape)
        return (
            f"has {stored.dim()} axes, shape {shape}, expected {LAYER}, all of it side by side in the columns"
        )
    return f"is {kind}, expected {LAYER}"


def _within(name: str, owner: str) -> bool:
    return name == owner or name.startswith(f"{owner}.")


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _rest(wanted: Sequence[str], parts: Sequence[str]) -> list[str]:
    return [name for name in wanted if name not in parts]


def _names(module: Any) -> list[str]:
    """Where a module keeps numbers that can be trained: `norm`, `layers.0`."""
    if not isinstance(module, nn.Module):
        return []
    named = [name for name, _ in module.named_parameters()]
    return list(dict.fromkeys(name.removesuffix(".weight").removesuffix(".bias") for name in named))


def load_weights(module: Any, weights: Mapping[str, Tensor], places: Mapping[str, Place]) -> str:
    """Pour weights (in, out) into their places, biases to zero; a sentence when that cannot be done."""
    with torch.no_grad():
        for name, value in weights.items():
            place = places[name]
            have, want = tuple(place.stored.shape), (value.shape[0], value.shape[1] * place.blocks)
            want = want[::-1] if place.transposed else want
            said = f"{place.asked}{_yours(place.owner, place.asked)}"
            if have != want:
                return f"{said} {_misfit(have, want)}: it has shape {have}, expected {want}"
            place.view(place.stored).copy_(value)
            if not _kept(module, place, value):
                return f"{said} does not keep the weights given to it, expected an nn.Linear or nn.Parameter"
            bias = getattr(_held(module, place), "bias", None)
            if isinstance(bias, Tensor):
                bias.zero_()
    return ""


def _held(module: nn.Module, place: Place) -> Any:
    """What lies at a place, looked up afresh."""
    held: Any = module
    for part in place.owner.split("."):
        held = getattr(held, part)
    return held


def _kept(module: nn.Module, place: Place, value: Tensor) -> bool:
    """Whether a weight, looked up afresh, is what was poured in; one computed anew at each use is not."""
    held = _held(module, place)
    now = place.view(held.weight if place.transposed else held)
    return now.shape == value.shape and torch.equal(now, value.to(now.dtype))


def _misfit(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if have == want[::-1]:
        return "is turned"
    return "is too large" if have[0] * have[1] > want[0] * want[1] else "is too small"


def gradients(
    total: Tensor,
    named: Mapping[str, Tensor],
    module: Any,
    weights: Sequence[str],
    fused: Fused,
    also: Aliases | None = None,
) -> dict[str, Tensor | None]:
    """Gradients of `total` for tensors and a module's named weights (formula orientation); None if cut."""
    places = find_weights(module, weights, fused, also)[0] if module is not None else {}
    stored = {id(place.stored): place.stored for place in places.values() if place.stored.requires_grad}
    asking = {name: tensor for name, tensor in named.items() if tensor.requires_grad}
    asked = [*asking.values(), *stored.values()]
    found = torch.autograd.grad(total, asked, allow_unused=True) if asked else ()
    result: dict[str, Tensor | None] = {**dict.fromkeys(named), **dict(zip(asking, found, strict=False))}
    by_id = dict(zip(stored, found[len(asking) :], strict=True))
    for name in weights:
        place = places.get(name)
        whole = by_id.get(id(place.stored)) if place else None
        result[f"d_{name}"] = None if place is None or whole is None else place.view(whole)
    return result


def learn(total: Tensor, module: nn.Module, rate: float) -> bool:
    """One step of gradient descent through `module.parameters()`; False where nothing in it can be trained.

    The step is as many times shorter as there are numbers to train, so that one too many changes the answer.
    """
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    if not trained:
        return False
    slopes = torch.autograd.grad(total, trained, allow_unused=True)
    length = rate / sum(parameter.numel() for parameter in trained)
    with torch.no_grad():
        for parameter, slope in zip(trained, slopes, strict=True):
            if slope is not None:
                parameter.sub_(length * slope)
    return True


def structure(
    module: Any, weights: Sequence[str], fused: Fused, also: Aliases | None = None
) -> dict[str, object]:
    """How a module keeps its weights: what is trainable besides them, what is not registered, not saved.

    Weights under other names are told by those that the lesson asks for.
    """
    if not isinstance(module, nn.Module):
        return {"is_module": False}
    places, _ = find_weights(module, weights, fused, also)
    own = {id(place.stored) for place in places.values()}
    memory = {place.stored.data_ptr() or id(place.stored) for place in places.values()}
    trained = {id(p): name for name, p in module.named_parameters() if p.requires_grad}
    saved = {value.data_ptr() for value in module.state_dict().values() if isinstance(value, Tensor)}
    owners = [place.owner for place in places.values()]
    return {
        "is_module": True,
        "extra": sorted(_asked(name, places) for key, name in trained.items() if key not in own),
        "unregistered": sorted({p.asked for p in places.values() if id(p.stored) not in trained}),
        "unsaved": sorted({p.asked for p in places.values() if p.stored.data_ptr() not in saved}),
        "shared": len(memory) < len(set(owners)),
    }


def _asked(name: str, places: Mapping[str, Place]) -> str:
    """A parameter's name, by the name that is asked for where it belongs to a weight."""
    found = (place for place in places.values() if _within(name, place.owner))
    return next((f"{place.asked}{name.removeprefix(place.owner)}" for place in found), name)
