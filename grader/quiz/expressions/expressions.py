"""The small grammar of parametrised questions: read by Python's parser, walked by hand, never run.

Numbers are exact; work is bounded by the length of the text and by the size of every number. The grammar:
whole and decimal numbers, 'text', True, False, names; + - * / // % ** and a leading + or -; < <= == != >= >;
and, or, not; `a if c else b`; min, max, abs, sqrt, round; parentheses.
"""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .arithmetic import COMPARISONS, FUNCTIONS, OPERATORS, ExpressionError, Value, bounded, compare, named

__all__ = ["Parsed", "Values", "evaluate", "number", "parse", "truth"]

Values = Mapping[str, Value]

MAX_LENGTH = 300
MAX_DEPTH = 30
TOKENS = re.compile(
    r"""(?:\  | (?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.'"]) | [A-Za-z_][A-Za-z0-9_]*(?![\w'"])
        | \*\*|//|[<>=!]=|[-+*/%<>(),] | '[^'"\\]*'(?!['"]) | "[^'"\\]*"(?!['"]))*""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """An expression that keeps to the grammar, and the names it needs values for."""

    text: str
    tree: ast.expr
    names: frozenset[str]


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Parsed:
    """The expression in `text`. Raises ExpressionError where it leaves the grammar."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression of {len(text)} characters; {MAX_LENGTH} is the most")
    flat = " ".join(text.split())
    read = TOKENS.match(flat)
    end = read.end() if read else 0
    if end < len(flat) or not flat:
        raise ExpressionError(f"`{flat[:60]}` cannot be read from `{flat[end : end + 12]}` on")
    try:
        tree = ast.parse(flat, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"`{flat[:60]}` is not an expression") from None
    return Parsed(flat, tree, frozenset(_names(tree)))


def evaluate(expression: str | Parsed, values: Values) -> Value:
    """What the expression comes to with these values for its names. Raises ExpressionError."""
    parsed = parse(expression) if isinstance(expression, str) else expression
    try:
        return _value(parsed.tree, values)
    except ExpressionError as error:
        raise ExpressionError(f"`{parsed.text}`: {error}", parsed.text) from None


def number(expression: str | Parsed, values: Values) -> Fraction:
    """The expression's value, which must be a number. Raises ExpressionError."""
    value = evaluate(expression, values)
    if isinstance(value, Fraction):
        return value
    raise _unfit(expression, f"gives {named(value)} where a number is needed")


def truth(expression: str | Parsed, values: Values) -> bool:
    """The expression's value, which must be true or false. Raises ExpressionError."""
    value = evaluate(expression, values)
    if isinstance(value, bool):
        return value
    raise _unfit(expression, f"gives {named(value)} where true or false is needed")


def _unfit(expression: str | Parsed, reason: str) -> ExpressionError:
    text = expression if isinstance(expression, str) else expression.text
    return ExpressionError(f"`{text}` {reason}", text)


def _names(tree: ast.expr) -> Iterator[str]:
    """The names in the tree, every node of which the grammar has. Raises ExpressionError."""
    level: list[ast.AST] = [tree]
    for _ in range(MAX_DEPTH):
        for node in level:
            _admit(node)
            if isinstance(node, ast.Name) and node.id not in FUNCTIONS:
                yield node.id
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise ExpressionError("nested too deeply; put some of it into `let`")


def _admit(node: ast.AST) -> None:
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
            raise ExpressionError(f"only {', '.join(sorted(FUNCTIONS))} can be called, without keywords")
    elif isinstance(node, ast.Constant):
        _constant(node, {})
    elif not isinstance(node, ADMITTED):
        raise ExpressionError(f"a {type(node).__name__.lower()} is not in the grammar")


def _constant(node: ast.Constant, _: Values) -> Value:
    value = node.value
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return bounded(Fraction(value))
    if isinstance(value, float) and math.isfinite(value):
        return bounded(Fraction(repr(value)))  # the decimal that was written, not the float nearest to it
    raise ExpressionError(f"{value!r} is not in the grammar")


def _value(node: ast.expr, values: Values) -> Value:
    return EVALUATORS[type(node)](node, values)


def _number(node: ast.expr, values: Values) -> Fraction:
    value = _value(node, values)
    if isinstance(value, Fraction):
        return value
    raise ExpressionError(f"{named(value)} stands where a number is needed")


def _truth(node: ast.expr, values: Values) -> bool:
    value = _value(node, values)
    if isinstance(value, bool):
        return value
    raise ExpressionError(f"{named(value)} stands where true or false is needed")


def _name(node: ast.Name, values: Values) -> Value:
    if node.id in FUNCTIONS:
        raise ExpressionError(f"`{node.id}` is a function; write `{node.id}(…)`")
    if node.id not in values:
        raise ExpressionError(f"`{node.id}` has no value; add it to `given` or `let`")
    return values[node.id]


def _unary(node: ast.UnaryOp, values: Values) -> Value:
    if isinstance(node.op, ast.Not):
        return not _truth(node.operand, values)
    inner = _number(node.operand, values)
    return -inner if isinstance(node.op, ast.USub) else inner


def _binary(node: ast.BinOp, values: Values) -> Value:
    return OPERATORS[type(node.op)](_number(node.left, values), _number(node.right, values))


def _both_or_either(node: ast.BoolOp, values: Values) -> Value:
    enough = all if isinstance(node.op, ast.And) else any
    return enough(_truth(part, values) for part in node.values)


def _comparison(node: ast.Compare, values: Values) -> Value:
    left = _value(node.left, values)
    for op, part in zip(node.ops, node.comparators, strict=True):
        right = _value(part, values)
        if not compare(op, left, right):
            return False
        left = right
    return True


def _choice(node: ast.IfExp, values: Values) -> Value:
    return _value(node.body if _truth(node.test, values) else node.orelse, values)


def _call(node: ast.Call, values: Values) -> Value:
    assert isinstance(node.func, ast.Name)
    return FUNCTIONS[node.func.id](*(_number(part, values) for part in node.args))


EVALUATORS: Mapping[type[ast.expr], Callable[[Any, Values], Value]] = {
    ast.BinOp: _binary,
    ast.BoolOp: _both_or_either,
    ast.Call: _call,
    ast.Compare: _comparison,
    ast.Constant: _constant,
    ast.IfExp: _choice,
    ast.Name: _name,
    ast.UnaryOp: _unary,
}
ADMITTED = (
    *EVALUATORS, *OPERATORS, *COMPARISONS, ast.Load, ast.And, ast.Or, ast.Not, ast.UAdd, ast.USub,
)  # fmt: skip
