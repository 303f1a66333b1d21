"""Reads a step's source for detours to ready-made functions: a hint for a person, never a verdict."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

from .lessons import Lesson, Step
from .submission import Submission

DETOURS = (
    *("torch._C", "torch.ops", "torch._ops", "torch.jit", "torch.library", "torch._library"),
    *("importlib", "ctypes", "pickle", "marshal", "gc"),
)
SPEAKS = "speaks of"
TABLES = ("vars", "globals", "locals")
CALLS = ("exec", "eval", "__import__", "compile")


def detours(lesson: Lesson, step: Step, submission: Submission) -> tuple[str, ...]:
    """Places that a person should look at, in a step that forbids ready-made functions.

    In one file or notebook a place belongs to the step whose function or class it stands in; what stands
    elsewhere may serve them all, and is told with the first step that forbids; a forbidden function's name is
    told there only where such a step uses what speaks of it, since another step may be allowed to.
    """
    if not step.forbid:
        return ()
    lone = submission.form != "folder"
    short = [item.name.rsplit(".", 1)[-1] for item in lesson.forbidden]
    own = {item.name for item in step.provides}
    all_own = {item.name for other in lesson.steps for item in other.provides}
    first = next(other.id for other in lesson.steps if other.forbid) == step.id
    forbidding = {item.name for other in lesson.steps if other.forbid for item in other.provides}
    serving = _serving([c.text for m in submission.modules for c in m.cells], forbidding) if lone else set()
    found: list[str] = []
    for module in submission.modules:
        if not lone and module.path != step.file:
            continue
        for cell in module.cells:
            where = f"{module.path}, {cell.label}" if cell.label else module.path
            for line, what, home in sorted(set(_places(cell.text, short))):
                elsewhere = first and home not in all_own and (not what.startswith(SPEAKS) or home in serving)
                if not lone or home in own or elsewhere:
                    found.append(f"{where}, line {line}: {what}")
    return tuple(found[:5])


def _places(text: str, short: list[str]) -> Iterator[tuple[int, str, str]]:
    """Line, what stands there, and the function or class of the file that it stands in ("" for none)."""
    tree = _tree(text)
    made = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    spoken = set(short) - made
    for top in tree.body:
        home = next(iter(_bound(top)), "")
        for node in ast.walk(top):
            yield from ((line, what, home) for line, what in _detours_at(node, short))
            if not _main_guard(top):
                yield from ((line, f"{SPEAKS} {name}", home) for line, name in _spoken_at(node, spoken))


def _tree(text: str) -> ast.Module:
    """The syntax tree, empty where Python cannot read the text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])


def _bound(top: ast.stmt) -> list[str]:
    """The names that a statement at the top of a file binds."""
    if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [top.name]
    if isinstance(top, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in top.names]
    targets = (
        top.targets if isinstance(top, ast.Assign) else [top.target] if isinstance(top, ast.AnnAssign) else []
    )
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _serving(texts: Sequence[str], wanted: set[str]) -> set[str]:
    """Names at the top of these texts that the wanted ones use, and those that these use in turn."""
    uses: dict[str, set[str]] = {}
    for top in (top for text in texts for top in _tree(text).body):
        named = {node.id for node in ast.walk(top) if isinstance(node, ast.Name)}
        for name in _bound(top):
            uses.setdefault(name, set()).update(named - {name})
    found: set[str] = set()
    waiting = [name for name in wanted if name in uses]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses.get(name, ())
    return found


def _main_guard(node: ast.AST) -> bool:
    """`if __name__ == "__main__":`, which does not run where a step is graded."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    sides = [node.test.left, *node.test.comparators]
    names = {side.id for side in sides if isinstance(side, ast.Name)}
    return names == {"__name__"} and not node.orelse


def _spoken_at(node: ast.AST, names: set[str]) -> Iterator[tuple[int, str]]:
    """A forbidden name in code; where it stands in a comment or a string it does nothing."""
    if isinstance(node, ast.Attribute) and node.attr in names:
        yield node.lineno, node.attr
    elif isinstance(node, ast.Name) and node.id in names:
        yield node.lineno, node.id
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((node.lineno, a.name) for a in node.names if a.name.rpartition(".")[2] in names)


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
    elif isinstance(node, ast.Subscript) and _table(node.value) and _hidden(node.slice, short):
        yield node.lineno, "looks a name up in a table of names"


def _table(value: ast.expr) -> bool:
    """`vars(x)`, `globals()`, `x.__dict__`: names by their texts."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in TABLES
    return isinstance(value, ast.Attribute) and value.attr == "__dict__"


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
