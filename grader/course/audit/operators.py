"""What may stand in an expression's place: slips a person could make, one at a time."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from .calls import Change, call_changes, is_module
from .sites import Site, number_of

ARITHMETIC: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add, ast.Mult),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Mod, ast.Div),
    ast.Mod: (ast.FloorDiv, ast.Mult),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult, ast.Add),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitXor: (ast.BitOr, ast.BitAnd),
}
ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.MatMult, ast.Pow)
COMPARED: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.Eq),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt, ast.Eq),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
INTO = {ast.Div: "div_", ast.Mult: "mul_", ast.Add: "add_", ast.Sub: "sub_"}


def changes(site: Site) -> Iterator[Change]:
    """All that may be put in an expression's place, each with the operator's name."""
    node = site.node
    for kind, operator in OPERATORS:
        if isinstance(node, kind):
            yield from operator(node, site)
    if site.role in ("value", "message"):
        yield from _inserted(node, site)


def _arithmetic(node: ast.BinOp, _: Site) -> Iterator[Change]:
    for other in ARITHMETIC.get(type(node.op), ()):
        yield "arithmetic", ast.BinOp(node.left, other(), node.right)
    if isinstance(node.op, ORDERED):
        yield "operand order", ast.BinOp(node.right, node.op, node.left)
    yield "dropped operand", node.left
    yield "dropped operand", node.right
    if type(node.op) in INTO:
        yield "in place", _call(ast.Attribute(node.left, INTO[type(node.op)], ast.Load()), node.right)


def _unary(node: ast.UnaryOp, _: Site) -> Iterator[Change]:
    if number_of(node) is None:
        yield "unary", node.operand


def _comparison(node: ast.Compare, _: Site) -> Iterator[Change]:
    if len(node.ops) == 1:
        for other in COMPARED.get(type(node.ops[0]), ()):
            yield "comparison", ast.Compare(node.left, [other()], node.comparators)


def _logic(node: ast.BoolOp, _: Site) -> Iterator[Change]:
    other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    yield "logic", ast.BoolOp(other, node.values)
    for place in range(len(node.values)):
        rest = [value for number, value in enumerate(node.values) if number != place]
        yield "dropped condition", rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _number(node: ast.expr, site: Site) -> Iterator[Change]:
    value = number_of(node)
    if value is None:
        return
    operator = "default" if site.role == "default" else "constant"
    others = [value + 1, value - 1] if isinstance(value, int) else [value + 1.0, -value]
    for other in dict.fromkeys(others):
        if other != value:
            yield operator, _literal(other)


def _constant(node: ast.Constant, site: Site) -> Iterator[Change]:
    default = site.role == "default"
    if isinstance(node.value, bool):
        yield "default" if default else "constant", ast.Constant(not node.value)
    elif isinstance(node.value, str):
        operator = "message" if site.role == "message" else "text"
        yield operator, ast.Constant(f"{node.value}_")
        if node.value and operator == "text":
            yield operator, ast.Constant("")
    elif node.value is None and default:
        yield "default", ast.Constant(0)
        yield "default", ast.Constant(True)


def _format(node: ast.JoinedStr, site: Site) -> Iterator[Change]:
    operator = "message" if site.role == "message" else "text"
    for place, part in enumerate(node.values):
        rest = [value for number, value in enumerate(node.values) if number != place]
        if isinstance(part, ast.FormattedValue):
            yield operator, ast.JoinedStr(rest)
    yield operator, ast.Constant("")


def _name(node: ast.Name, site: Site) -> Iterator[Change]:
    if site.role != "called" and node.id in site.scope.variables:
        asked = isinstance(site.parent, ast.Attribute)
        for other in site.scope.rivals(node.id, node.lineno):
            if not asked or other in site.scope.owners:
                yield "another name", ast.Name(other, ast.Load())


def _attribute(node: ast.Attribute, site: Site) -> Iterator[Change]:
    if isinstance(node.value, ast.Name) and node.attr in site.scope.attributes:
        for other in site.scope.attributes:
            if other != node.attr:
                yield "another attribute", ast.Attribute(node.value, other, ast.Load())
    elif site.role == "value" and not is_module(node.value):
        yield "dropped attribute", node.value


def _subscript(node: ast.Subscript, _: Site) -> Iterator[Change]:
    yield "dropped index", node.value
    if isinstance(node.slice, ast.Slice):
        yield "dropped bound", ast.Subscript(node.value, ast.Slice(None, node.slice.upper), ast.Load())
        yield "dropped bound", ast.Subscript(node.value, ast.Slice(node.slice.lower, None), ast.Load())


def _either(node: ast.IfExp, _: Site) -> Iterator[Change]:
    yield "condition", ast.IfExp(node.test, node.orelse, node.body)
    yield "condition", node.body
    yield "condition", node.orelse


def _tuple(node: ast.Tuple | ast.List, site: Site) -> Iterator[Change]:
    operator = "default" if site.role == "default" else "order"
    made = type(node)
    for place in range(len(node.elts) - 1):
        turned = [*node.elts[:place], node.elts[place + 1], node.elts[place], *node.elts[place + 2 :]]
        yield operator, made(turned, ast.Load())
    for place in range(len(node.elts)):
        rest = [*node.elts[:place], *node.elts[place + 1 :]]
        yield "default" if site.role == "default" else "dropped element", made(rest, ast.Load())


def _inserted(node: ast.expr, site: Site) -> Iterator[Change]:
    """A call that does not belong there, where a value is made or multiplied."""
    parent = site.parent
    result = isinstance(parent, ast.Return) or (isinstance(parent, ast.Tuple) and len(parent.elts) > 1)
    made = (
        isinstance(parent, ast.Assign)
        and not isinstance(parent.targets[0], ast.Attribute)
        and not isinstance(node, ast.Name | ast.Constant | ast.Attribute)
    )
    if (result or made) and not isinstance(node, ast.Tuple | ast.Constant) and site.role != "message":
        for name in ("detach", "float"):
            yield "inserted call", _call(ast.Attribute(node, name, ast.Load()))
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult):
        turned = ast.Attribute(node, "transpose", ast.Load())
        yield "inserted call", _call(turned, _literal(-2), _literal(-1))
        yield "inserted call", _call(ast.Attribute(node, "detach", ast.Load()))


def _call(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.Call(function, list(arguments), [])


def _literal(value: float) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0 else ast.Constant(value)


OPERATORS: tuple[tuple[type[ast.expr], Callable[..., Iterator[Change]]], ...] = (
    (ast.BinOp, _arithmetic),
    (ast.UnaryOp, _unary),
    (ast.UnaryOp, _number),
    (ast.Constant, _number),
    (ast.Constant, _constant),
    (ast.JoinedStr, _format),
    (ast.Compare, _comparison),
    (ast.BoolOp, _logic),
    (ast.Call, call_changes),
    (ast.Name, _name),
    (ast.Attribute, _attribute),
    (ast.Subscript, _subscript),
    (ast.IfExp, _either),
    (ast.Tuple, _tuple),
    (ast.List, _tuple),
)
