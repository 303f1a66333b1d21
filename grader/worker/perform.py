"""Carries out one probe's script on the guest and tells what came of it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import torch

from .describe import Budget, describe, raised, type_name
from .portable import NAME, Elsewhere
from .watching import Seen, watch
from .weights import Aliases, find_weights, gradients, learn, load_weights, structure
from .wire import Blob

Values = dict[str, Any]
TEXT = 1_000  # characters of a sentence for the learner
NAMES = "names"  # what was being done where a weight cannot be found


class Unfit(Exception):
    """The guest's answer has not the form that the script needs; the text is for the learner."""


class Nameless(Unfit):
    """The guest keeps a weight where it cannot be found."""


class Absent(Exception):
    """The script calls a name that the guest does not have."""


def perform(
    letter: Mapping[str, Any], names: Mapping[str, Any], paths: set[str], exact: bool
) -> dict[str, object]:
    """Run a letter's script; whatever the guest does, the result is an answer's head that can be packed."""
    answer: dict[str, object] = {"kind": "answer", "outcome": "returned", "values": {}}
    doing, seen, also = "inputs", Seen(), Aliases(letter.get("also", ()))
    dtype = torch.float64 if exact else getattr(torch, letter["dtype"])
    try:
        torch.default_generator.manual_seed(0)
        given = inputs(letter, dtype)
        values = dict(given)
        with watch(letter, seen):
            for step in letter["do"]:
                doing = _title(step)
                OPERATIONS[step["op"]]({**step, "also": also}, values, names, dtype)
        budget = Budget()
        answer["values"] = {key: describe(values[key], budget) for key in letter["report"] if key in values}
        answer["operations"] = seen.operations
        answer["after"] = {key: describe(given[key]) for key in letter["back"]}
    except Unfit as error:
        during = NAMES if isinstance(error, Nameless) else doing
        answer.update(outcome="unfit", message=str(error)[:TEXT], during=during)
    except Absent as error:
        answer.update(outcome="absent", message=str(error)[:TEXT], during=doing)
    except BaseException as error:
        answer.update(outcome="raised", values={}, error=raised(error, paths), during=doing)
    if also.taken:
        answer["renamed"] = [[own, asked] for own, asked in also.taken.items()]
    return answer


def inputs(letter: Mapping[str, Any], dtype: torch.dtype) -> Values:
    """The letter's tensors, fresh: floating ones in the probe's dtype, on its device."""
    values: Values = {}
    for key, piece in letter["tensors"].items():
        tensor = tensor_of(piece)
        if tensor.dtype is torch.float64:  # as every probe's; a question of a guest's is asked as it is
            tensor = tensor.to(dtype)
        if key in letter["strided"] and tensor.dim() > 1:
            # Heads as a split leaves them, else a transpose.
            one, two = (1, 2) if tensor.dim() > 3 else (-1, -2)
            tensor = tensor.transpose(one, two).contiguous().transpose(one, two)
        tensor = Elsewhere(tensor) if letter["device"] == NAME else tensor.to(letter["device"])
        values[key] = tensor.requires_grad_() if key in letter["grads"] else tensor
    return values


def tensor_of(piece: Blob) -> torch.Tensor:
    """A CPU tensor from its bytes."""
    dtype = getattr(torch, piece.dtype)
    if not piece.data:
        return torch.empty(piece.shape, dtype=dtype, device="cpu")
    return torch.frombuffer(bytearray(piece.data), dtype=dtype).reshape(piece.shape)


def _title(step: Mapping[str, Any]) -> str:
    target = step.get("of")
    if step["op"] == "call" and isinstance(target, dict):
        return f"call {target.get('name') or target.get('ref') or target.get('torch')}"
    return str(step["op"])


def _resolve(argument: Any, values: Values) -> Any:
    if isinstance(argument, dict) and "ref" in argument:
        return values[argument["ref"]]
    if isinstance(argument, list):
        return [_resolve(item, values) for item in argument]
    if isinstance(argument, dict) and "tuple" in argument:
        return tuple(_resolve(item, values) for item in argument["tuple"])
    return argument


def _target(of: Mapping[str, Any], values: Values, names: Mapping[str, Any]) -> Any:
    if "ref" in of:
        return values[of["ref"]]
    if "torch" in of:
        found: Any = torch
        for part in str(of["torch"]).split("."):
            found = getattr(found, part)
        return found
    if of["name"] not in names:
        raise Absent(str(of["name"]))
    return names[of["name"]]


def _call(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    function = _target(step["of"], values, names)
    arguments = [_resolve(item, values) for item in step["args"]]
    keywords = {key: _resolve(item, values) for key, item in step["kwargs"].items()}
    result = function(*arguments, **keywords)
    if isinstance(step["to"], str):
        values[step["to"]] = result
        return
    base: Any = tuple if isinstance(result, tuple) else list if isinstance(result, list) else None
    if base is None or base.__len__(result) != len(step["to"]):
        count = f" of {base.__len__(result)} values" if base else ""
        raise Unfit(f"returned {_article(result)}{count}, expected a pair ({', '.join(step['to'])})")
    values.update(zip(step["to"], base.__iter__(result), strict=True))


def _article(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor):
        return f"one tensor of shape {tuple(value.shape)}"
    name = type_name(value)
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _place(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    module = values[step["of"]]
    if not isinstance(module, torch.nn.Module):
        raise Unfit(f"made {_article(module)}, expected an nn.Module")
    if step["device"] == NAME:
        module.to(dtype=dtype)
        module._apply(lambda tensor: Elsewhere(tensor.detach()).requires_grad_(tensor.requires_grad))
    else:
        module.to(device=step["device"], dtype=dtype)


def _load(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    weights = {key: values[ref] for key, ref in step["weights"].items()}
    module = values[step["into"]]
    if not isinstance(module, torch.nn.Module):
        raise Unfit(f"made {_article(module)}, expected an nn.Module")
    places, problem = find_weights(module, list(weights), step["fused"], step["also"])
    if problem:
        raise Nameless(problem)
    problem = load_weights(module, weights, places)
    if problem:
        raise Unfit(problem)


def _grad(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    named = {f"d_{key}": values[key] for key in step["wrt"]}
    total = _total(step, values)
    module = values.get(step["weights_of"])
    values.update(gradients(total, named, module, step["weights"], step["fused"], step["also"]))


def _learn(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    if not learn(_total(step, values), values[step["module"]], step["rate"]):
        raise Unfit("the module has no trainable parameters: no optimizer would ever change it")


def _total(step: Mapping[str, Any], values: Values) -> torch.Tensor:
    """The sum of a step's answers, each weighted by its cotangent."""
    outputs = [values[key] for key in step["of"]]
    for key, output in zip(step["of"], outputs, strict=True):
        if not isinstance(output, torch.Tensor):
            raise Unfit(f"returned {_article(output)}, expected a tensor")
        wanted = values[step["with"][step["of"].index(key)]]
        if output.shape != wanted.shape:
            raise Unfit(f"returned shape {tuple(output.shape)}, expected {tuple(wanted.shape)}")
    if not any(output.requires_grad for output in outputs):
        raise Unfit("the answer is cut off from its inputs: no gradient can flow back")
    pairs = zip(outputs, step["with"], strict=True)
    return torch.stack([(output * values[key]).sum() for output, key in pairs]).sum()


def _mode(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values[step["of"]].train(step["train"])


def _save(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values[step["to"]] = list(values[step["of"]].state_dict().items())


def _restore(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    module, saved = values[step["into"]], step["from"]
    if isinstance(saved, str):
        state = dict(values[saved])
    else:  # what was too large to travel stays as the new module has it
        made = module.state_dict()
        state = {name: made.get(name) if ref is None else values[ref] for name, ref in saved.items()}
    module.load_state_dict(state)


def _copy(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values[step["to"]] = copy.deepcopy(values[step["of"]])


def _structure(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values.update(structure(values[step["of"]], step["weights"], step["fused"], step["also"]))


def _attributes(
    step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype
) -> None:
    owner = values[step["of"]]
    for name in step["names"]:
        found: Any = owner
        for part in name.split("."):
            found = getattr(found, part, None)
        values[f"{step['of']}.{name}"] = found


def _is(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values[step["to"]] = isinstance(values[step["of"]], _target({"torch": step["torch"]}, values, names))


def _seed(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    torch.default_generator.manual_seed(step["seed"])


Operation = Callable[[Mapping[str, Any], Values, Mapping[str, Any], torch.dtype], None]
OPERATIONS: Mapping[str, Operation] = {
    "call": _call,
    "place": _place,
    "load": _load,
    "grad": _grad,
    "learn": _learn,
    "mode": _mode,
    "save": _save,
    "restore": _restore,
    "copy": _copy,
    "structure": _structure,
    "attributes": _attributes,
    "is": _is,
    "seed": _seed,
}

__all__ = ["Absent", "Nameless", "Unfit", "inputs", "perform", "tensor_of"]
