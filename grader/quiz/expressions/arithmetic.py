"""Exact arithmetic within bounds: what the operators and functions of an expression do."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from grader.core.text import printable

__all__ = ["ExpressionError", "Value", "bounded", "compare", "named", "shown", "written"]

Value = Fraction | bool | str

MAX_BITS = 512  # of a numerator or denominator: far beyond any count of operations, cheap to compute with
MAX_EXPONENT = 512
MAX_DECIMALS = 6
# Three digits of an exponent: to build ten to the power of eight digits would never end.
WRITTEN = re.compile(
    r"[-+]?(?:[0-9]{1,160}(?:[.,][0-9]{0,160}|/[0-9]{1,160})?|[.,][0-9]{1,160})(?:[eE][-+]?[0-9]{1,3})?"
)


class ExpressionError(ValueError):
    """An expression leaves the grammar, or has no value here; the text says why.

    `expression` is the one that has no value, where that is known.
    """

    def __init__(self, reason: str, expression: str = "") -> None:
        super().__init__(reason)
        self.expression = expression


def bounded(value: Fraction) -> Fraction:
    """The number itself. Raises ExpressionError where it has outgrown all use."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise ExpressionError("a number grows too large here")
    return value


def written(text: str) -> Fraction:
    """The number that stands in a file, exact: `2.5`, `2,5`, `1e-3`, `1/4`. Raises ExpressionError.

    What comes from outside becomes a number here or, where it may be an expression, in `expressions`, nowhere else.
    """
    flat = text.strip()
    if not WRITTEN.fullmatch(flat):
        raise ExpressionError(f"{printable(flat, 40)!r} is no number")
    try:
        return bounded(Fraction(flat.replace(",", ".")))
    except (ValueError, ZeroDivisionError):
        raise ExpressionError(f"{printable(flat, 40)!r} is no number that can be used") from None


def named(value: Value) -> str:
    """The value with its kind, for a message."""
    if isinstance(value, bool):
        return f"the truth value {value}"
    return f"the text {value[:40]!r}" if isinstance(value, str) else f"the number {shown(value)}"


def shown(value: Value) -> str:
    """The value as a reader sees it: a whole number, at most six decimals, True, False or the text.

    A number that needs more decimals is rounded to six significant digits.
    """
    if isinstance(value, bool | str):
        return str(value)
    for places in range(MAX_DECIMALS + 1):
        scaled = value * 10**places
        if scaled.denominator == 1:
            return _placed(scaled.numerator, places)
    size = math.floor(math.log10(abs(value)))
    places = max(MAX_DECIMALS - 1 - size, 0)
    return _placed(round(value * 10**places), places)


def _placed(digits: int, places: int) -> str:
    """The whole number `digits` with its last `places` digits behind the point."""
    text = str(abs(digits)).rjust(places + 1, "0")
    whole, decimals = (text[:-places], "." + text[-places:].rstrip("0")) if places else (text, "")
    return ("-" if digits < 0 else "") + whole + decimals.rstrip(".")


def compare(op: ast.cmpop, left: Value, right: Value) -> bool:
    """Whether the comparison holds; only numbers have an order. Raises ExpressionError."""
    if type(left) is not type(right):
        raise ExpressionError(f"{named(left)} and {named(right)} cannot be compared")
    if isinstance(op, ast.Eq | ast.NotEq):
        return (left == right) is isinstance(op, ast.Eq)
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return bool(ORDERS[type(op)](left, right))
    raise ExpressionError(f"{named(left)} has no order; use == or !=")


def _divide(left: Fraction, right: Fraction) -> Fraction:
    return left / _divisor(right)


def _whole_quotient(left: Fraction, right: Fraction) -> Fraction:
    return Fraction(left // _divisor(right))


def _remainder(left: Fraction, right: Fraction) -> Fraction:
    return left % _divisor(right)


def _divisor(value: Fraction) -> Fraction:
    if value == 0:
        raise ExpressionError("division by zero")
    return value


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > MAX_EXPONENT:
        raise ExpressionError(f"an exponent is a whole number up to {MAX_EXPONENT}; for a root use sqrt(…)")
    if base == 0 and exponent < 0:
        raise ExpressionError("division by zero")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if bits * abs(exponent) > MAX_BITS:
        raise ExpressionError("a number grows too large here")
    return Fraction(base**exponent.numerator)


def _within(operation: Callable[[Fraction, Fraction], Fraction]) -> Callable[[Fraction, Fraction], Fraction]:
    return lambda left, right: bounded(operation(left, right))


def _sqrt(*values: Fraction) -> Fraction:
    (value,) = _arguments("sqrt", values, 1, 1)
    if value < 0:
        raise ExpressionError("a negative number has no square root")
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if (top * top, bottom * bottom) == (value.numerator, value.denominator):
        return Fraction(top, bottom)
    return bounded(Fraction(repr(math.sqrt(value))))


def _abs(*values: Fraction) -> Fraction:
    (value,) = _arguments("abs", values, 1, 1)
    return abs(value)


def _round(*values: Fraction) -> Fraction:
    value, places = (*_arguments("round", values, 1, 2), Fraction(0))[:2]
    if places.denominator != 1 or abs(places) > 2 * MAX_DECIMALS:
        raise ExpressionError(f"round(x, n) takes a whole n up to {2 * MAX_DECIMALS}")
    return Fraction(round(value, places.numerator))


def _min(*values: Fraction) -> Fraction:
    return min(_arguments("min", values, 1, len(values)))


def _max(*values: Fraction) -> Fraction:
    return max(_arguments("max", values, 1, len(values)))


def _arguments(name: str, values: tuple[Fraction, ...], least: int, most: int) -> tuple[Fraction, ...]:
    if not least <= len(values) <= most:
        raise ExpressionError(f"{name} takes another number of arguments than {len(values)}")
    return values


COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
ORDERS: Mapping[type[ast.cmpop], Callable[[Fraction, Fraction], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
OPERATORS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: _within(operator.add),
    ast.Sub: _within(operator.sub),
    ast.Mult: _within(operator.mul),
    ast.Div: _within(_divide),
    ast.FloorDiv: _within(_whole_quotient),
    ast.Mod: _within(_remainder),
    ast.Pow: _within(_power),
}
FUNCTIONS: Mapping[str, Callable[..., Fraction]] = {
    "abs": _abs,
    "max": _max,
    "min": _min,
    "round": _round,
    "sqrt": _sqrt,
}
