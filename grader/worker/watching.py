"""Watches which torch functions a call goes through: the forbidden ones by name, and how many operations."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

import torch
from torch.autograd import profiler
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode

from .portable import NAME, Constructors, Portable


class Seen:
    """What a watch has noted so far."""

    def __init__(self) -> None:
        self.used: list[str] = []
        self.operations: int | None = None


@contextmanager
def watch(letter: Mapping[str, Any], seen: Seen) -> Iterator[None]:
    """Note what is used while a letter's script runs, as far as the letter asks for it."""
    with ExitStack() as stack:
        if letter["watch"]:
            names = frozenset(letter["watch"])
            stack.enter_context(_Functions(seen, names))
            stack.enter_context(_operators(seen, names))
            stack.enter_context(_modules(seen, names))
            stack.enter_context(_calls(seen, names))
        if letter["device"] == NAME:
            stack.enter_context(Constructors())
            stack.enter_context(Portable())  # type: ignore[no-untyped-call]  # torch gives its modes no types
        if letter["count"]:
            seen.operations = 0
            stack.enter_context(_Counter(seen))
        yield


class _Functions(TorchFunctionMode):
    def __init__(self, seen: Seen, names: frozenset[str]) -> None:
        super().__init__()
        self.seen, self.names = seen, names

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        for name in _spellings(func):
            if name in self.names:
                _note(self.seen, name)
        return func(*args, **(kwargs or {}))


def _spellings(func: Any) -> set[str]:
    name = getattr(func, "__name__", "")
    schema = getattr(func, "_schema", None) or getattr(func, "_qualified_op_name", None)
    spelled = {f"torch.{name}", f"torch.nn.functional.{name}"}
    if schema is not None:
        spelled.add("torch.ops." + str(getattr(schema, "name", schema)).split(".")[0].replace("::", "."))
    try:
        spelled.add(str(resolve_name(func)))
    except (RuntimeError, TypeError, AttributeError):
        pass
    return spelled


@contextmanager
def _operators(seen: Seen, names: frozenset[str]) -> Iterator[None]:
    """Note forbidden operators however they are reached: a scripted or traced one asks no torch function."""
    api: Any = profiler
    config = api.ProfilerConfig(api.ProfilerState.CPU, *[False] * 5, api._ExperimentalConfig())
    torch._C._autograd._enable_profiler_legacy(config)
    try:
        yield
    finally:
        for event in _recorded():
            name = "torch.ops." + event.replace("::", ".")
            if name in names:
                _note(seen, name)


def _recorded() -> list[str]:
    try:
        threads = torch._C._autograd._disable_profiler_legacy()
    except RuntimeError:  # the guest has ended the recording
        return []
    return list(dict.fromkeys(event.name() for events in threads for event in events))


@contextmanager
def _calls(seen: Seen, names: frozenset[str]) -> Iterator[None]:
    """Note calls of forbidden functions that are plain Python and ask no torch function first."""
    last = frozenset(name.rpartition(".")[2] for name in names)

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code.co_name in last:
            name = f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}"
            if name in names:
                _note(seen, name)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


@contextmanager
def _modules(seen: Seen, names: frozenset[str]) -> Iterator[None]:
    """Note calls of forbidden module classes, which are no torch functions themselves."""

    def hook(module: torch.nn.Module, args: Any) -> None:
        for kind in type(module).__mro__:
            name = f"torch.nn.{kind.__name__}"
            own = type(module).forward is getattr(kind, "forward", None)
            if own and kind.__module__.startswith("torch.nn.") and name in names:
                _note(seen, name)

    handle = torch.nn.modules.module.register_module_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


class _Counter(TorchDispatchMode):
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # as in Portable: the default imports torch's compiler

    def __init__(self, seen: Seen) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.seen = seen

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.operations = (self.seen.operations or 0) + 1
        return func(*args, **(kwargs or {}))


def _note(seen: Seen, name: str) -> None:
    if name not in seen.used:
        seen.used.append(name)
