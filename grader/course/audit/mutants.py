"""Mutants: a module with one small slip in it, each with an id that unrelated edits leave alone."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from . import operators, statements
from .sites import Block, Scope, blocks, expressions, functions

DIGITS = 10  # of an id; 40 bits


@dataclass(frozen=True, slots=True)
class Mutant:
    """One slip: where (`file`, `line` as the author wrote it), which operator made it, what was and now is there.

    `was` and `now` are the lines that differ, as Python writes them back, `now` empty where they are gone.
    `source` is the whole module.
    """

    id: str
    step: str
    file: str
    line: int
    operator: str
    was: str
    now: str
    source: str


@dataclass(frozen=True, slots=True)
class _Slip:
    """A module's text with a slip, before it is known whether it is a new one."""

    operator: str
    line: int
    scope: Scope
    text: str


def mutants(step: str, file: str, source: str) -> tuple[Mutant, ...]:
    """Every mutant of a module, in the order of its lines; those that read the same are one."""
    tree = ast.parse(source)
    original = ast.unparse(tree)
    seen, taken = {original}, set[str]()
    found = []
    for slip in sorted(_slips(tree), key=lambda slip: slip.line):
        if slip.text in seen or not _compiles(slip.text):
            continue
        seen.add(slip.text)
        was, now = _difference(original, slip.text)
        name = _identity(step, slip.scope.name, was, now, taken)
        taken.add(name)
        found.append(Mutant(name, step, file, slip.line, slip.operator, was, now, slip.text + "\n"))
    return tuple(found)


def _slips(tree: ast.Module) -> Iterator[_Slip]:
    yield from _of_expressions(tree)
    yield from _of_statements(tree)
    for function, scope in functions(tree):
        for operator, make, undo in statements.headers(function):
            yield _made(tree, operator, function.lineno, scope, make, undo)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.bases:
            kept = list(node.bases)
            yield _made(tree, "dropped base", node.lineno, Scope(node.name), node.bases.clear,
                        partial(node.bases.extend, kept))  # fmt: skip


def _of_expressions(tree: ast.Module) -> Iterator[_Slip]:
    for site in list(expressions(tree)):
        for operator, node in operators.changes(site):
            yield _made(
                tree, operator, site.node.lineno, site.scope,
                partial(site.put, node), partial(site.put, site.node),
            )  # fmt: skip


def _of_statements(tree: ast.Module) -> Iterator[_Slip]:
    for block in list(blocks(tree)):
        kept = list(block.body)
        for place, statement in enumerate(kept):
            for operator, new in statements.edits(block, place):
                changed = [*kept[:place], *new, *kept[place + 1 :]]
                yield _edited(tree, block, operator, statement, changed)


def _edited(
    tree: ast.Module, block: Block, operator: str, statement: ast.stmt, changed: list[ast.stmt]
) -> _Slip:
    kept = list(block.body)

    def make() -> None:
        block.body[:] = changed

    def undo() -> None:
        block.body[:] = kept

    return _made(tree, operator, statement.lineno, block.scope, make, undo)


def _made(
    tree: ast.Module,
    operator: str,
    line: int,
    scope: Scope,
    make: Callable[[], object],
    undo: Callable[[], object],
) -> _Slip:
    """The text of a tree with a change, which is taken back."""
    make()
    try:
        text = ast.unparse(tree)
    finally:
        undo()
    return _Slip(operator, line, scope, text)


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _difference(one: str, two: str) -> tuple[str, str]:
    """The lines in which two texts differ, without their common indent."""
    first, second = one.splitlines(), two.splitlines()
    head = _shared(first, second)
    tail = _shared(first[head:][::-1], second[head:][::-1])
    was, now = first[head : len(first) - tail], second[head : len(second) - tail]
    indents = [len(line) - len(line.lstrip()) for line in (*was, *now) if line.strip()]
    cut = min(indents, default=0)
    return "\n".join(line[cut:] for line in was), "\n".join(line[cut:] for line in now)


def _shared(one: Sequence[str], two: Sequence[str]) -> int:
    """How many lines two texts begin with together."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(two)))


def _identity(step: str, where: str, was: str, now: str, taken: set[str]) -> str:
    """`step/0123456789`: the same as long as the function and the lines that differ stay what they are."""
    digest = hashlib.sha256("\0".join((step, where, was, now)).encode()).hexdigest()[:DIGITS]
    name, count = f"{step}/{digest}", 1
    while name in taken:
        count += 1
        name = f"{step}/{digest}-{count}"
    return name
