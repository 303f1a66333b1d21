"""Which other steps a step runs: by importing their files, or by calling their functions in one file."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .lessons import Lesson
from .submission import Submission

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def neighbours(lesson: Lesson, submission: Submission) -> dict[str, tuple[str, ...]]:
    """For each step the other steps it runs, through helpers too."""
    if submission.form == "folder":
        return _by_import(lesson, submission)
    return _by_name(lesson, submission)


def _by_import(lesson: Lesson, submission: Submission) -> dict[str, tuple[str, ...]]:
    by_module = {step.file.removesuffix(".py"): step.id for step in lesson.steps}
    imports = _imports({module.name: [cell.text for cell in module.cells] for module in submission.modules})
    found = {}
    for step in lesson.steps:
        reached = _closure({step.file.removesuffix(".py")}, imports)
        found[step.id] = tuple(
            other for stem, other in by_module.items() if stem in reached and other != step.id
        )
    return found


def reached(texts: Mapping[str, str], start: str) -> set[str]:
    """The modules that one of these imports, through others too, and itself."""
    return _closure({start}, _imports({name: [text] for name, text in texts.items()}))


def _imports(texts: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """What each module (its cells' texts) imports, whatever it is."""
    return {
        module: {name for text in cells for node in ast.walk(_parsed(text)) for name in _imported(node)}
        for module, cells in texts.items()
    }


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        yield base
        yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)


def _by_name(lesson: Lesson, submission: Submission) -> dict[str, tuple[str, ...]]:
    """In one file a step runs another when its definitions call the other's names, directly or through helpers."""
    uses: dict[str, set[str]] = {}
    for cell in submission.modules[0].cells:
        for definition in _definitions(_parsed(cell.text)):
            names = {node.id for node in ast.walk(definition) if isinstance(node, ast.Name)}
            uses.setdefault(definition.name, set()).update(names)
    found = {}
    for step in lesson.steps:
        own = {item.name for item in step.provides}
        reached = _closure(own, uses) - own
        found[step.id] = tuple(
            other.id
            for other in lesson.steps
            if other.id != step.id and reached & {item.name for item in other.provides}
        )
    return found


def _definitions(tree: ast.Module) -> Iterator[Definition]:
    for node in ast.walk(tree):
        if isinstance(node, Definition):
            yield node


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])


def _closure(start: Iterable[str], uses: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = set(start)
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= uses.get(name, set()) - reached
    return reached
