"""Stands in for what only a notebook or a desktop has, so that a line that asks for it goes on.

Nothing here answers for a learner: what stands in does nothing, and what is compiled by torch runs uncompiled.
"""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

# The last two are the checks in a notebook that was handed out: they have had their say where it was written.
ONLY_IN_NOTEBOOKS = ("IPython", "google.colab", "ipywidgets", "otter", "grader.in_notebook", "grader.incell")
PARENTS = frozenset(name.rpartition(".")[0] for name in ONLY_IN_NOTEBOOKS if "." in name)
SHOWN_BY_STAR = (
    *("Audio", "Code", "HTML", "IFrame", "Image", "JSON", "Javascript", "Latex", "Markdown", "Math", "SVG"),
    *("Video", "clear_output", "display"),
)
NEW_ENOUGH = (9, 0, 0)  # of IPython: matplotlib asks an older one to draw


class Nothing:
    """Any object of a notebook: its attributes and calls are nothing, too; what it decorates stays what it is."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        return None

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Nothing; or the one function or class that it is given to decorate."""
        plain = len(args) == 1 and not options and issubclass(type(args[0]), types.FunctionType | type)
        return args[0] if plain else self

    def __mro_entries__(self, bases: object) -> tuple[type, ...]:
        return (object,)

    def __bool__(self) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __getitem__(self, key: object) -> Any:
        return self

    def __setitem__(self, key: object, value: object) -> None:
        return None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None


NOTHING = Nothing()


class _Module(types.ModuleType):
    __all__ = SHOWN_BY_STAR
    version_info = NEW_ENOUGH

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return NOTHING


class _Loader(importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        return None


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Any = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        real = importlib.machinery.PathFinder
        if fullname in SETTLED:
            spec = real.find_spec(fullname, path)
            return None if spec is None else _settled(spec, SETTLED[fullname])
        if _only_in_notebooks(fullname) or (fullname in PARENTS and real.find_spec(fullname, path) is None):
            return importlib.util.spec_from_loader(fullname, _Loader(), is_package=True)
        return None


def _only_in_notebooks(name: str) -> bool:
    return any(name == root or name.startswith(f"{root}.") for root in ONLY_IN_NOTEBOOKS)


def _settled(
    spec: importlib.machinery.ModuleSpec, settle: Callable[[types.ModuleType], None]
) -> importlib.machinery.ModuleSpec:
    loader: Any = spec.loader
    run = loader.exec_module

    def then(module: types.ModuleType) -> None:
        run(module)
        settle(module)

    loader.exec_module = then
    return spec


def stand_in() -> None:
    """Put what stands in into this process, for good; before any guest, whose own modules go before."""
    import torch

    vars(builtins).update(display=nothing, get_ipython=nothing)
    vars(torch)["compile"] = vars(torch.jit)["script"] = uncompiled
    sys.meta_path.insert(0, _Finder())
    for name, settle in SETTLED.items():
        if name in sys.modules:
            settle(sys.modules[name])


def nothing(*_: object, **__: object) -> Nothing:
    """Takes anything and does nothing."""
    return NOTHING


def uncompiled(model: Any = None, *_: object, **__: object) -> Any:
    """What `torch.compile` and `torch.jit.script` give: the same function, class or module, or a decorator."""
    return uncompiled if model is None else model


def _no_window(module: types.ModuleType) -> None:
    vars(module)["use"] = nothing


def _always_agg(module: types.ModuleType) -> None:
    switch = vars(module)["switch_backend"]
    vars(module)["switch_backend"] = lambda *_, **__: switch("agg")


SETTLED: Mapping[str, Callable[[types.ModuleType], None]] = {
    "matplotlib": _no_window,
    "matplotlib.pyplot": _always_agg,
}
