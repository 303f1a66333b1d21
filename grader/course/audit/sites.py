"""Walks a module's syntax tree: every place in which something may be put, and the names known there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Function = ast.FunctionDef | ast.AsyncFunctionDef
Role = Literal["value", "default", "called", "message"]
UNTOUCHED = frozenset({"annotation", "returns", "decorator_list", "type_params", "ctx", "exc_type"})


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a site is: its function by name, the variables there, self's attributes.

    `variables` has each one's first line, `kinds` the annotations of parameters, as written, `owners` what an
    attribute or a method is asked of.
    """

    name: str = ""
    variables: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    owners: frozenset[str] = frozenset()

    def known(self, line: int) -> list[str]:
        """The variables that have a value on a line."""
        return [name for name, first in self.variables.items() if first < line]

    def rivals(self, name: str, line: int) -> list[str]:
        """The variables that could be taken for this one: not those that are said to be of another kind."""
        mine = self.kinds.get(name, "")
        others = [other for other in self.known(line) if other != name]
        return [other for other in others if not mine or self.kinds.get(other, mine) == mine]


@dataclass(frozen=True, slots=True)
class Site:
    """One expression and how to put another in its place."""

    node: ast.expr
    parent: ast.AST
    name: str
    index: int | None
    scope: Scope
    role: Role

    def put(self, node: ast.expr) -> None:
        """Put an expression here."""
        if self.index is None:
            setattr(self.parent, self.name, node)
        else:
            getattr(self.parent, self.name)[self.index] = node


@dataclass(frozen=True, slots=True)
class Block:
    """A list of statements, in place, with the scope it is in."""

    parent: ast.AST
    body: list[ast.stmt]
    scope: Scope


def expressions(tree: ast.Module) -> Iterator[Site]:
    """Every expression that is worked out when the module is used, outermost first; texts' insides are not."""
    yield from _within(tree, Scope(), "value")


def blocks(tree: ast.Module) -> Iterator[Block]:
    """Every list of statements inside functions."""
    yield from _blocks(tree, Scope(), inside=False)


def functions(tree: ast.Module) -> Iterator[tuple[Function, Scope]]:
    """Every function with its own scope."""
    yield from _functions(tree, Scope())


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a text that nobody uses."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def number_of(node: ast.AST) -> int | float | None:
    """The number that an expression is, with its sign; None when it is none."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number_of(node.operand)
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _within(node: ast.AST, scope: Scope, role: Role) -> Iterator[Site]:
    for name, value in ast.iter_fields(node):
        if name in UNTOUCHED or (name == "bases" and isinstance(node, ast.ClassDef)):
            continue
        items: Sequence[Any] = value if isinstance(value, list) else [value]
        for place, item in enumerate(items):
            if isinstance(item, ast.AST):
                index = place if isinstance(value, list) else None
                yield from _one(item, node, name, index, scope, role)


def _one(
    node: ast.AST, parent: ast.AST, name: str, index: int | None, scope: Scope, role: Role
) -> Iterator[Site]:
    if isinstance(node, ast.Import | ast.ImportFrom) or (isinstance(node, ast.stmt) and is_docstring(node)):
        return
    inner, inside = scope_of(node, scope), _role(node, parent, name, role)
    if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        yield Site(node, parent, name, index, scope, inside)
        if isinstance(node, ast.JoinedStr) or number_of(node) is not None:
            return
    yield from _within(node, inner, "value" if inside in ("default", "called") else inside)


def _role(node: ast.AST, parent: ast.AST, name: str, role: Role) -> Role:
    if isinstance(parent, ast.arguments) and name in ("defaults", "kw_defaults"):
        return "default"
    if isinstance(parent, ast.Call) and name == "func":
        return "called"
    return "message" if isinstance(node, ast.Raise) else role


def scope_of(node: ast.AST, outer: Scope) -> Scope:
    """The scope inside a node: a function or class has its own."""
    if isinstance(node, ast.ClassDef):
        found = {
            target.attr: None
            for target in ast.walk(node)
            if isinstance(target, ast.Attribute)
            and isinstance(target.ctx, ast.Store)
            and isinstance(target.value, ast.Name)
        }
        return Scope(_joined(outer.name, node.name), attributes=tuple(found))
    if isinstance(node, Function):
        asking = (inner.value for inner in ast.walk(node) if isinstance(inner, ast.Attribute))
        owners = {owner.id for owner in asking if isinstance(owner, ast.Name)}
        name = _joined(outer.name, node.name)
        return Scope(name, _variables(node), _kinds(node), outer.attributes, frozenset(owners))
    return outer


def _joined(outer: str, name: str) -> str:
    return f"{outer}.{name}" if outer else name


def _variables(function: Function) -> dict[str, int]:
    """The function's parameters and the names stored in it, each with the first line that has it."""
    arguments = function.args
    own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    found = {argument.arg: function.lineno - 1 for argument in own if argument.arg != "self"}
    stored = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    for node in sorted(stored, key=lambda node: node.lineno):
        if not node.id.startswith("_"):
            found.setdefault(node.id, node.lineno)
    return found


def _kinds(function: Function) -> dict[str, str]:
    arguments = function.args
    own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return {argument.arg: ast.unparse(argument.annotation) for argument in own if argument.annotation}


def _blocks(node: ast.AST, scope: Scope, *, inside: bool) -> Iterator[Block]:
    inner = scope_of(node, scope)
    within = inside or isinstance(node, Function)
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if within and isinstance(body, list) and body:
            yield Block(node, body, inner)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler):
            yield from _blocks(child, inner, inside=within)


def _functions(node: ast.AST, scope: Scope) -> Iterator[tuple[Function, Scope]]:
    for child in ast.iter_child_nodes(node):
        inner = scope_of(child, scope)
        if isinstance(child, Function):
            yield child, inner
        if isinstance(child, ast.stmt):
            yield from _functions(child, inner)
