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
    """Places that a person should look at, in a step that forbids ready-made functions."""
    if not step.forbid or submission.form != "folder":
        return ()
    module = next((m for m in submission.modules if m.path == step.file), None)
    if module is None:
        return ()
    short = [item.name.rsplit(".", 1)[-1] for item in lesson.forbidden]
    found = [
        f"{module.path}, line {line}: {what}"
        for cell in module.cells
        for line, what in sorted(set(_places(cell.text, short)))
    ]
    return tuple(found[:5])


def _places(text: str, short: list[str]) -> Iterator[tuple[int, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _dotted(node) in DETOURS:
            yield node.lineno, f"reaches into {_dotted(node)}"
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, f"imports {alias.name}") for alias in node.names if _detour(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if _detour(node.module):
                yield node.lineno, f"imports from {node.module}"
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, f"imports {name}") for name in full if name in DETOURS)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in CALLS:
                yield node.lineno, f"calls {node.func.id}"
            elif node.func.id == "getattr" and len(node.args) > 1 and _hidden(node.args[1], short):
                yield node.lineno, "looks a name up with getattr"


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
