"""Carries out one probe's script on the guest and tells what came of it."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .describe import blob, describe, type_name
from .portable import NAME, Elsewhere
from .weights import gradients, load_weights, structure
from .wire import Blob

Values = dict[str, Any]
TEXT = 1_000  # characters of an exception's message
FRAMES = 3  # of the learner's own lines in a traceback


class Unfit(Exception):
    """The guest's answer has not the form that the script needs; the text is for the learner."""


class Absent(Exception):
    """The script calls a name that the guest does not have."""


def perform(letter: Mapping[str, Any], names: Mapping[str, Any], paths: set[str], exact: bool) -> dict[str, object]:
    """Run a letter's script; whatever the guest does, the result is an answer's head."""
    from .watching import watch

    answer: dict[str, object] = {"kind": "answer", "probe": letter["id"], "outcome": "returned", "values": {}}
    doing = "inputs"
    dtype = torch.float64 if exact else getattr(torch, letter["dtype"])
    try:
        torch.default_generator.manual_seed(0)
        values = inputs(letter, dtype)
        kept = {key: value.detach().clone() for key, value in values.items() if letter["device"] != NAME}
        with watch(letter) as seen:
            for step in letter["do"]:
                doing = _title(step)
                OPERATIONS[step["op"]](step, values, names, dtype)
        answer["values"] = {key: describe(values[key]) for key in letter["report"] if key in values}
        answer["used"], answer["operations"] = list(seen.used), seen.operations
        answer["changed"] = [key for key, old in kept.items() if not _same(values.get(key), old)]
    except Unfit as error:
        answer.update(outcome="unfit", message=str(error)[:TEXT], during=doing)
    except Absent as error:
        answer.update(outcome="absent", message=str(error)[:TEXT], during=doing)
    except BaseException as error:
        answer.update(outcome="raised", error=raised(error, paths), during=doing)
    return answer


def inputs(letter: Mapping[str, Any], dtype: torch.dtype) -> Values:
    """The letter's tensors, fresh: floating ones in the probe's dtype, on its device."""
    values: Values = {}
    for key, piece in letter["tensors"].items():
        tensor = tensor_of(piece)
        if tensor.is_floating_point():
            tensor = tensor.to(dtype)
        if key in letter["strided"] and tensor.dim() > 1:
            tensor = tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
        tensor = Elsewhere(tensor) if letter["device"] == NAME else tensor.to(letter["device"])
        values[key] = tensor.requires_grad_() if key in letter["grads"] else tensor
    return values


def tensor_of(piece: Blob) -> torch.Tensor:
    """A CPU tensor from its bytes."""
    dtype = getattr(torch, piece.dtype)
    if not piece.data:
        return torch.empty(piece.shape, dtype=dtype)
    return torch.frombuffer(bytearray(piece.data), dtype=dtype).reshape(piece.shape)


def raised(error: BaseException, paths: set[str]) -> dict[str, object]:
    """An exception as plain values: its types, its words, and the learner's own lines in it."""
    try:
        words = str(error)
    except BaseException:
        words = "(its message cannot be shown)"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in paths]
    if isinstance(error, SyntaxError) and error.filename in paths:
        frames.append(traceback.FrameSummary(str(error.filename), error.lineno, "<module>", line=error.text))
    return {
        "types": [kind.__name__ for kind in type(error).__mro__][:8],
        "message": words[:TEXT],
        "lines": [[f.filename, f.lineno or 0, f.name, (f.line or "")[:200]] for f in frames[-FRAMES:]],
    }


def _same(now: Any, old: torch.Tensor) -> bool:
    if not isinstance(now, torch.Tensor) or now.shape != old.shape or now.dtype != old.dtype:
        return False
    return bool(torch.equal(now.detach(), old))


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
    if not isinstance(result, tuple | list) or len(result) != len(step["to"]):
        count = f" of {len(result)} values" if isinstance(result, tuple | list) else ""
        raise Unfit(f"returned {_article(result)}{count}, expected a pair ({', '.join(step['to'])})")
    values.update(zip(step["to"], result, strict=True))


def _article(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"one tensor of shape {tuple(value.shape)}"
    name = type_name(value)
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _place(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    module = values[step["of"]]
    if not isinstance(module, torch.nn.Module):
        raise Unfit(f"made {_article(module)}, expected an nn.Module")
    module.to(dtype=dtype)
    if step["device"] == NAME:
        module._apply(lambda tensor: Elsewhere(tensor.detach()).requires_grad_(tensor.requires_grad))
    else:
        module.to(device=step["device"])


def _load(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    weights = {key: values[ref] for key, ref in step["weights"].items()}
    problem = load_weights(values[step["into"]], weights, step["fused"])
    if problem:
        raise Unfit(problem)


def _grad(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    outputs = [values[key] for key in step["of"]]
    for key, output in zip(step["of"], outputs, strict=True):
        if not isinstance(output, torch.Tensor):
            raise Unfit(f"returned {_article(output)}, expected a tensor")
        wanted = values[step["with"][step["of"].index(key)]]
        if output.shape != wanted.shape:
            raise Unfit(f"returned shape {tuple(output.shape)}, expected {tuple(wanted.shape)}")
    if not any(output.requires_grad for output in outputs):
        raise Unfit("the answer is cut off from its inputs: no gradient can flow back")
    total = sum((output * values[key]).sum() for output, key in zip(outputs, step["with"], strict=True))
    named = {f"d_{key}": values[key] for key in step["wrt"]}
    values.update(gradients(total, named, values.get(step["weights_of"]), step["weights"], step["fused"]))


def _mode(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values[step["of"]].train(step["train"])


def _state(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values[step["into"]].load_state_dict(values[step["of"]].state_dict())


def _copy(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values[step["to"]] = copy.deepcopy(values[step["of"]])


def _structure(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
    values.update(structure(values[step["of"]], step["weights"], step["fused"]))


def _attributes(step: Mapping[str, Any], values: Values, names: Mapping[str, Any], dtype: torch.dtype) -> None:
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
    "mode": _mode,
    "state": _state,
    "copy": _copy,
    "structure": _structure,
    "attributes": _attributes,
    "is": _is,
    "seed": _seed,
}

__all__: Sequence[str] = ["Absent", "Unfit", "blob", "inputs", "perform", "raised"]
