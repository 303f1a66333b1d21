"""The kinds of value that stand in a bank: ids, Markdown, templates, expressions."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, StringConstraints, WithJsonSchema

from grader.quiz.expressions.arithmetic import ExpressionError, Value
from grader.quiz.expressions.expressions import parse
from grader.quiz.expressions.shapes import dimensions
from grader.quiz.expressions.templates import check_maths, check_template

MAX_TEXT = 20_000
TEXT_SCHEMA = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}


def _text(value: object) -> object:
    """Refuses what YAML made something else of, in words that help."""
    if isinstance(value, bool):
        raise ValueError(f"a text is needed, YAML reads {str(value).lower()}; put it in quotes")
    if isinstance(value, int | float):
        raise ValueError(f"a text is needed, YAML reads the number {value}; put it in quotes")
    return value


def _template(text: str) -> str:
    check_template(text)
    return text


def _markdown(text: str) -> str:
    check_template(text)
    check_maths(text)
    return text


def _expression(value: object) -> str:
    """An expression's text; a YAML number or truth value is one too."""
    if isinstance(value, bool | int | float):
        value = repr(value)
    if not isinstance(value, str):
        raise ValueError("a number or an expression such as `d_model // h` is needed")
    return parse(value).text


def _given(value: object) -> Value:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        try:
            return Fraction(repr(value))
        except ValueError:
            raise ValueError("a finite number is needed") from None
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ValueError("a number, a text, true or false is needed")


def _name(value: str) -> str:
    try:
        if parse(value).names == {value}:
            return value
    except ExpressionError:
        pass
    raise ValueError(f"{value!r} cannot be a name in expressions; choose another")


Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]*$", max_length=64)]
QuestionId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$", max_length=64)]
Name = Annotated[
    str,
    AfterValidator(_name),
    WithJsonSchema({"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}),
]
Points = Annotated[float, Field(strict=True, gt=0, le=1000, allow_inf_nan=False)]
Slack = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]

# Words that may hold {{ expressions }}; Markdown besides may hold $maths$.
Plain = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TEXT),
    BeforeValidator(_text),
    AfterValidator(_template),
    WithJsonSchema(TEXT_SCHEMA),
]
Markdown = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TEXT),
    BeforeValidator(_text),
    AfterValidator(_markdown),
    WithJsonSchema(TEXT_SCHEMA),
]


def _code(text: str) -> str:
    lines = text.expandtabs(4).rstrip().splitlines()
    while lines and not lines[0].strip():
        del lines[0]
    if not lines:
        raise ValueError("code is needed")
    return "\n".join(line.rstrip() for line in lines)


Code = Annotated[
    str,
    StringConstraints(max_length=MAX_TEXT),
    BeforeValidator(_text),
    AfterValidator(_code),
    AfterValidator(_template),
    WithJsonSchema(TEXT_SCHEMA),
]

Expression = Annotated[
    str, PlainValidator(_expression), WithJsonSchema({"type": ["number", "string"], "maxLength": 300})
]
Condition = Annotated[
    str, PlainValidator(_expression), WithJsonSchema({"type": ["boolean", "string"], "maxLength": 300})
]
Given = Annotated[
    Any, PlainValidator(_given), WithJsonSchema({"type": ["number", "string", "boolean"], "maxLength": 200})
]


def _shape(value: object) -> str:
    """A shape's text, `(B, h, T, d_k)` or `[B, h, T, d_k]`, as one tidy tuple."""
    if not isinstance(value, str):
        raise ValueError("a shape such as `(B, h, T, d_k)` is needed; in quotes where it holds `[`")
    parts = dimensions(value)
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


ShapeText = Annotated[str, PlainValidator(_shape), WithJsonSchema({"type": "string", "maxLength": 300})]
