"""A tensor's shape as it is written: `(B, h, T, d_k)`, each dimension an expression."""

from __future__ import annotations

from .arithmetic import ExpressionError, shown
from .expressions import Values, number, parse

__all__ = ["dimensions", "filled"]


def dimensions(text: str) -> tuple[str, ...]:
    """The dimensions of a shape in parentheses or brackets; `()` has none. Raises ExpressionError."""
    flat = text.strip()
    if flat[:1] + flat[-1:] not in ("()", "[]"):
        raise ExpressionError(f"`{flat[:60]}` is not a shape such as (B, h, T, d_k)")
    parts = _split(flat[1:-1])
    return tuple(parse(part).text for part in parts)


def filled(shape: str, values: Values) -> tuple[str, ...]:
    """The dimensions with numbers where `values` has all their names, as they are where it has none.

    Raises ExpressionError for a dimension of which only some names have values, or that is no size.
    """
    return tuple(_dimension(part, values) for part in dimensions(shape))


def _dimension(part: str, values: Values) -> str:
    parsed = parse(part)
    if parsed.names and not parsed.names & values.keys():
        return parsed.text
    size = number(parsed, values)
    if size.denominator != 1 or size < 0:
        reason = f"`{parsed.text}` gives {shown(size)}, which is no size of a tensor"
        raise ExpressionError(reason, parsed.text)
    return shown(size)


def _split(inner: str) -> list[str]:
    """The parts between the commas that stand in no parentheses; a comma at the end closes nothing."""
    parts, depth = [""], 0
    for character in inner:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    if not parts[-1].strip():
        parts.pop()
    return parts
