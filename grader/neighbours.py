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
    texts = {module.name: [cell.text for cell in module.cells] for module in submission.modules}
    return {
        by_module[stem]: tuple(by_module[other] for other in by_module if other in mine and other != stem)
        for stem, mine in reached(texts, by_module).items()
    }


def reached(
    texts: Mapping[str, Sequence[str]], starts: Iterable[str], *, at_once: bool = False
) -> dict[str, set[str]]:
    """By module, all that it imports, through others of these too, and itself; `texts` are each module's cells.

    With `at_once` only what is imported as soon as the module is.
    """
    imports = _imports(texts, at_once=at_once)
    return {start: _closure({start}, imports) for start in starts}


def _imports(texts: Mapping[str, Sequence[str]], *, at_once: bool = False) -> dict[str, set[str]]:
    """What each module imports, whatever it is."""
    walk = _outside_functions if at_once else ast.walk
    return {
        module: {name for text in cells for node in walk(_parsed(text)) for name in _imported(node)}
        for module, cells in texts.items()
    }


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        yield base
        yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)


def called_in(texts: Iterable[str], function: str) -> set[str]:
    """What functions of this name call, by last names: `Linear` of `nn.Linear(8, 8)`."""
    bodies = [made for text in texts for made in _definitions(_parsed(text)) if made.name == function]
    calls = [node.func for body in bodies for node in ast.walk(body) if isinstance(node, ast.Call)]
    return {call.attr for call in calls if isinstance(call, ast.Attribute)} | {
        call.id for call in calls if isinstance(call, ast.Name)
    }


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
        called = _closure(own, uses) - own
        found[step.id] = tuple(
            other.id
            for other in lesson.steps
            if other.id != step.id and called & {item.name for item in other.provides}
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
    found: set[str] = set()
    waiting = set(start)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= uses.get(name, set()) - found
    return found
