"""Watches a call: puts the second device in force, counts operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from .portable import NAME, Constructors, Portable


class Seen:
    """What a watch has noted so far."""

    def __init__(self) -> None:
        self.operations: int | None = None


@contextmanager
def watch(letter: Mapping[str, Any], seen: Seen) -> Iterator[None]:
    """What a letter asks for, in force while its script runs."""
    with ExitStack() as stack:
        if letter["device"] == NAME:
            stack.enter_context(Constructors())
            stack.enter_context(Portable())  # type: ignore[no-untyped-call]  # torch gives its modes no types
        if letter["count"]:
            seen.operations = 0
            stack.enter_context(_Counter(seen))
        yield


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
