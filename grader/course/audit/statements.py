"""What may become of a statement, of a function's parameters, of a class's bases."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise

from .sites import Block, Function, Scope, is_docstring

Edit = tuple[str, list[ast.stmt]]  # the operator's name, and the statements that take the place of one
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass)
OTHER_ERRORS = ("TypeError", "RuntimeError")


def edits(block: Block, place: int) -> Iterator[Edit]:
    """All that may stand in place of one statement of a block."""
    statement = block.body[place]
    if is_docstring(statement) or isinstance(statement, KEPT):
        return
    alone = [other for other in block.body if not is_docstring(other)] == [statement]
    raised = isinstance(statement, ast.Raise)
    yield "dropped raise" if raised else "dropped statement", [ast.Pass()] if alone else []
    for kind, operator in STATEMENTS:
        if isinstance(statement, kind):
            yield from operator(statement, block.scope)


def headers(function: Function) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """Changes of a function's parameters: the operator's name, how to make it, how to undo it."""
    arguments = function.args
    names, defaults = list(arguments.args), list(arguments.defaults)

    def put(order: list[ast.arg], values: list[ast.expr]) -> Callable[[], None]:
        def make() -> None:
            arguments.args[:] = order
            arguments.defaults[:] = values

        return make

    undo = put(names, defaults)
    free = [place for place, name in enumerate(names) if name.arg not in ("self", "cls")]
    for one, two in pairwise(free):
        order = list(names)
        order[one], order[two] = order[two], order[one]
        yield "parameter order", put(order, defaults), undo
    if defaults:
        yield "dropped default", put(names, defaults[1:]), undo


def _if(node: ast.If, _: Scope) -> Iterator[Edit]:
    yield "negated condition", [ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)]
    yield "forced condition", [ast.If(ast.Constant(True), node.body, node.orelse)]
    yield "forced condition", [ast.If(ast.Constant(False), node.body, node.orelse)]


def _with(node: ast.With, _: Scope) -> Iterator[Edit]:
    yield "dropped with", node.body


def _for(node: ast.For, _: Scope) -> Iterator[Edit]:
    listed = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
    step, one = ast.UnaryOp(ast.USub(), ast.Constant(1)), ast.Constant(1)
    for part in (ast.Slice(one), ast.Slice(None, step), ast.Slice(None, None, step)):
        iterated = ast.Subscript(listed, part, ast.Load())
        yield "loop", [ast.For(node.target, iterated, node.body, node.orelse, lineno=node.lineno)]
    stopped = [*node.body, ast.Break()]
    yield "loop", [ast.For(node.target, node.iter, stopped, node.orelse, lineno=node.lineno)]


def _return(node: ast.Return, scope: Scope) -> Iterator[Edit]:
    for name in scope.known(node.lineno):
        if not (isinstance(node.value, ast.Name) and node.value.id == name):
            yield "returned another", [ast.Return(ast.Name(name, ast.Load()))]


def _assign(node: ast.Assign, _: Scope) -> Iterator[Edit]:
    target = node.targets[0]
    if isinstance(target, ast.Tuple):
        for place in range(len(target.elts) - 1):
            turned = list(target.elts)
            turned[place], turned[place + 1] = turned[place + 1], turned[place]
            targets: list[ast.expr] = [ast.Tuple(turned, ast.Store())]
            yield "target order", [ast.Assign(targets, node.value, lineno=node.lineno)]


def _augmented(node: ast.AugAssign, _: Scope) -> Iterator[Edit]:
    yield "dropped operand", [ast.Assign([node.target], node.value, lineno=node.lineno)]


def _raise(node: ast.Raise, _: Scope) -> Iterator[Edit]:
    made = node.exc
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Name):
        for name in OTHER_ERRORS:
            error = ast.Call(ast.Name(name, ast.Load()), made.args, made.keywords)
            yield "another error", [ast.Raise(error, node.cause)]


STATEMENTS: tuple[tuple[type[ast.stmt], Callable[..., Iterator[Edit]]], ...] = (
    (ast.If, _if),
    (ast.With, _with),
    (ast.For, _for),
    (ast.Return, _return),
    (ast.Assign, _assign),
    (ast.AugAssign, _augmented),
    (ast.Raise, _raise),
)
