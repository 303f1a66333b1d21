"""Reads a step's source for detours to ready-made functions: a hint for a person, never a verdict."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from .lessons import Lesson, Step
from .submission import Submission

DETOURS = ("torch._C", "torch.ops", "torch._ops", "torch.jit", "importlib", "ctypes", "pickle", "marshal")
CALLS = ("exec", "eval", "__import__", "compile")


def detours(lesson: Lesson, step: Step, submission: Submission) -> tuple[str, ...]:
    """Places that a person should look at, in a step that forbids ready-made functions.

    In one file or notebook a place belongs to the step whose function or class it stands in; what stands
    elsewhere may serve them all, and is told with the first step that forbids.
    """
    if not step.forbid:
        return ()
    lone = submission.form != "folder"
    short = [item.name.rsplit(".", 1)[-1] for item in lesson.forbidden]
    own = {item.name for item in step.provides}
    all_own = {item.name for other in lesson.steps for item in other.provides}
    first = next(other.id for other in lesson.steps if other.forbid) == step.id
    found: list[str] = []
    for module in submission.modules:
        if not lone and module.path != step.file:
            continue
        for cell in module.cells:
            where = f"{module.path}, {cell.label}" if cell.label else module.path
            for line, what, home in sorted(set(_places(cell.text, short))):
                if not lone or home in own or (first and home not in all_own):
                    found.append(f"{where}, line {line}: {what}")
    return tuple(found[:5])


def _places(text: str, short: list[str]) -> Iterator[tuple[int, str, str]]:
    """Line, what stands there, and the function or class of the file that it stands in ("" for none)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    for top in tree.body:
        home = top.name if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else ""
        for node in ast.walk(top):
            yield from ((line, what, home) for line, what in _detours_at(node, short))


def _detours_at(node: ast.AST, short: list[str]) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Attribute) and _inner(_dotted(node)):
        yield node.lineno, f"reaches into {_dotted(node)}"
    elif isinstance(node, ast.Import):
        yield from ((node.lineno, f"imports {alias.name}") for alias in node.names if _detour(alias.name))
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        if _detour(node.module):
            yield node.lineno, f"imports from {node.module}"
        full = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from ((node.lineno, f"imports {name}") for name in full if _inner(name))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in CALLS:
            yield node.lineno, f"calls {node.func.id}"
        elif node.func.id == "getattr" and len(node.args) > 1 and _hidden(node.args[1], short):
            yield node.lineno, "looks a name up with getattr"


def _inner(name: str) -> bool:
    """Whether a dotted name is a detour, or the first private one below torch."""
    first, *others = name.split(".")
    private = [part.startswith("_") and not part.endswith("__") for part in others]
    return name in DETOURS or (first == "torch" and private[-1:] == [True] and not any(private[:-1]))


def _detour(name: str) -> bool:
    return any(name == detour or name.startswith(f"{detour}.") for detour in DETOURS)


def _hidden(name: ast.expr, short: list[str]) -> bool:
    """A name put together at run time, or a forbidden one."""
    if isinstance(name, ast.Constant):
        return name.value in short
    return isinstance(name, ast.BinOp | ast.JoinedStr | ast.Call)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
