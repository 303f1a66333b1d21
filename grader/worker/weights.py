"""Named weights of a learner's module: pour them in, read their gradients, tell how they are kept.

A weight is named in the formula's orientation (in, out). A module may keep it as an `nn.Linear` (whose
own weight is the transpose), as an `nn.Parameter`, or as a column block of a fused one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

Fused = Mapping[str, Sequence[str]]


class Place(NamedTuple):
    """Where a weight lives: the stored tensor, whether it is transposed, its column block."""

    owner: str
    stored: Tensor
    transposed: bool
    block: int
    blocks: int

    def view(self, stored: Tensor) -> Tensor:
        """The weight's part of a tensor shaped like the stored one, in formula orientation."""
        oriented = stored.T if self.transposed else stored
        if self.blocks == 1:
            return oriented
        width = oriented.shape[1] // self.blocks
        return oriented[:, self.block * width : (self.block + 1) * width]


def find_weights(module: Any, wanted: Sequence[str], fused: Fused) -> tuple[dict[str, Place], str]:
    """Each wanted weight's place, and a sentence for the learner when one is not there."""
    places: dict[str, Place] = {}
    for owner, parts in [*fused.items(), *((name, (name,)) for name in wanted)]:
        if any(part in places for part in parts):
            continue
        found = _places(module, owner, parts)
        if isinstance(found, str):
            return places, found
        places |= found
    missing = [name for name in wanted if name not in places]
    if not missing:
        return places, ""
    whole = [" ".join([name, *_rest(wanted, parts)]) for name, parts in fused.items()]
    options = [" ".join(wanted), *whole]
    have = sorted(name for name in _names(module) if name)
    found = f"found {', '.join(have[:8])}" if have else "found no weights at all"
    return places, f"no weight named {missing[0]}: expected {' or '.join(options)}, {found}"


def _places(module: Any, owner: str, parts: Sequence[str]) -> dict[str, Place] | str:
    """The weights that are kept under a name, none where it is not there; a sentence where it holds none."""
    holder = getattr(module, owner, None)
    if holder is None:
        return {}
    layer = isinstance(holder, nn.Module)
    stored = getattr(holder, "weight", None) if layer else holder
    if not isinstance(stored, Tensor) or stored.dim() != 2:
        return f"{owner} is {_kind(holder)}, expected an nn.Linear without bias or a 2-D nn.Parameter"
    return {part: Place(owner, stored, layer, block, len(parts)) for block, part in enumerate(parts)}


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _rest(wanted: Sequence[str], parts: Sequence[str]) -> list[str]:
    return [name for name in wanted if name not in parts]


def _names(module: Any) -> list[str]:
    if not isinstance(module, nn.Module):
        return []
    children = [name for name, _ in module.named_children()]
    return children + [name for name, _ in module.named_parameters(recurse=False)]


def load_weights(module: Any, weights: Mapping[str, Tensor], fused: Fused) -> str:
    """Pour weights (in, out) into a module by name, biases to zero; a sentence when that cannot be done."""
    if not isinstance(module, nn.Module):
        return f"made {_kind(module)}, expected an nn.Module"
    places, problem = find_weights(module, list(weights), fused)
    if problem:
        return problem
    with torch.no_grad():
        for name, value in weights.items():
            place = places[name]
            have, want = tuple(place.stored.shape), (value.shape[0], value.shape[1] * place.blocks)
            want = want[::-1] if place.transposed else want
            if have != want:
                return f"{place.owner} {_misfit(have, want)}: it has shape {have}, expected {want}"
            place.view(place.stored).copy_(value)
            if not _kept(module, place.owner, name, value, fused.get(place.owner, (name,))):
                found = f"{place.owner} does not keep the weights given to it"
                return f"{found}, expected an nn.Linear or nn.Parameter"
            bias = getattr(getattr(module, place.owner), "bias", None)
            if isinstance(bias, Tensor):
                bias.zero_()
    return ""


def _kept(module: nn.Module, owner: str, name: str, value: Tensor, parts: Sequence[str]) -> bool:
    """Whether a weight, looked up afresh, is what was poured in; one computed anew at each use is not."""
    found = _places(module, owner, parts)
    if isinstance(found, str) or name not in found:
        return False
    held = found[name].view(found[name].stored)
    return held.shape == value.shape and torch.equal(held, value.to(held.dtype))


def _misfit(have: tuple[int, ...], want: tuple[int, ...]) -> str:
    if have == want[::-1]:
        return "is turned"
    return "is too large" if have[0] * have[1] > want[0] * want[1] else "is too small"


def gradients(
    total: Tensor, named: Mapping[str, Tensor], module: Any, weights: Sequence[str], fused: Fused
) -> dict[str, Tensor | None]:
    """Gradients of `total` for tensors and a module's named weights (formula orientation); None if cut."""
    places = find_weights(module, weights, fused)[0] if module is not None else {}
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


def structure(module: Any, weights: Sequence[str], fused: Fused) -> dict[str, object]:
    """How a module keeps its weights: what is trainable besides them, what is not registered, not saved."""
    if not isinstance(module, nn.Module):
        return {"is_module": False}
    places, _ = find_weights(module, weights, fused)
    own = {id(place.stored) for place in places.values()}
    memory = {place.stored.data_ptr() or id(place.stored) for place in places.values()}
    trained = {id(p): name for name, p in module.named_parameters() if p.requires_grad}
    saved = {value.data_ptr() for value in module.state_dict().values() if isinstance(value, Tensor)}
    owners = [place.owner for place in places.values()]
    return {
        "is_module": True,
        "extra": sorted(name for key, name in trained.items() if key not in own),
        "unregistered": sorted({p.owner for p in places.values() if id(p.stored) not in trained}),
        "unsaved": sorted({p.owner for p in places.values() if p.stored.data_ptr() not in saved}),
        "shared": len(memory) < len(set(owners)),
    }
