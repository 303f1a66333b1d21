"""The small grammar of parametrised questions: exact, bounded, and nothing besides."""

from __future__ import annotations

import ast
import math
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from grader.quiz.expressions.arithmetic import MAX_BITS, ExpressionError, shown, written
from grader.quiz.expressions.expressions import evaluate, number, parse, truth
from grader.quiz.expressions.shapes import dimensions, filled
from grader.quiz.expressions.templates import blanks, check_maths, check_template, fill


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.5", Fraction(5, 2)), (" 2,5 ", Fraction(5, 2)), ("1/4", Fraction(1, 4)), (".5", Fraction(1, 2)),
        ("-1e-3", Fraction(-1, 1000)), ("+3.", 3), ("1E+2", 100),
        ("0.12345678901234567890", Fraction(1234567890123456789, 10**19)),
    ],
)  # fmt: skip
def test_a_written_number_is_exact(text: str, value: Fraction) -> None:
    assert written(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "1e99999999", "1e-99999999", "1e999", "1e200", "9" * 200, "9" * 5_000, "9" * 1_000_000, "1/0", "1e", "", "-",
        "nan", "inf", "1_000", "0x10", "١", "1.2.3", "1,2,3", "2*3", "1/3e5", "True",
    ],
)  # fmt: skip
def test_what_is_no_number_or_one_without_bound_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"no number|too large") as refused:
        written(text)
    assert len(str(refused.value)) < 120


VALUES = {"h": Fraction(8), "d_model": Fraction(64), "side": "left", "masked": True}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64", 64),
        ("1.50", Fraction(3, 2)),
        (".5e2", 50),
        ("d_model // h", 8),
        ("d_model / h / 3", Fraction(8, 3)),
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("2 ** 10 - 2 ** -1", Fraction(2047, 2)),
        ("-2 ** 2", -4),
        ("2 ** 3 ** 2", 512),
        ("2 * (h + 1)", 18),
        ("+h", 8),
        ("0.1 + 0.2 == 0.3", True),
        ("sqrt(d_model)", 8),
        ("sqrt(1 / 4)", Fraction(1, 2)),
        ("min(h, 3, 5) + max(1, 2) + abs(-4)", 9),
        ("round(2.5)", 2),
        ("round(10 / 3, 2)", Fraction(333, 100)),
        ("1 < h <= 8 != 9", True),
        ("3 > h", False),
        ("not masked or h == 8 and d_model >= 64", True),
        ("h if masked else 0", 8),
        ("h if side == 'right' else 1", 1),
        ('side != "right"', True),
        ("side", "left"),
        ("False", False),
        ("  d_model\n  // h ", 8),
    ],
)
def test_an_expression_has_its_exact_value(text: str, value: object) -> None:
    found = evaluate(text, VALUES)
    assert found == value
    assert isinstance(found, bool) is isinstance(value, bool)


def test_a_root_that_is_no_fraction_is_the_nearest_float() -> None:
    assert float(number("sqrt(2)", {})) == math.sqrt(2)


def test_what_is_not_needed_is_not_computed() -> None:
    assert evaluate("h != 0 or 1 / 0 > 2", VALUES) is True
    assert evaluate("h == 0 and 1 / 0 > 2", VALUES) is False
    assert evaluate("1 if masked else 1 / 0", VALUES) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "cannot be read"),
        ("h +", "is not an expression"),
        ("1 2", "is not an expression"),
        ("007", "is not an expression"),
        ("h.real", "cannot be read from `.real` on"),
        ("h[0]", r"cannot be read from `\[0\]` on"),
        ("{h}", "cannot be read"),
        ("h; h", "cannot be read"),
        ("h @ h", "cannot be read"),
        ("h & 1", "cannot be read"),
        ("1_000", "cannot be read"),
        ("0x10", "cannot be read"),
        ("2j", "cannot be read"),
        ("1if masked else 2", "cannot be read"),
        ("f'{h}'", "cannot be read"),
        (r"'\x41'", "cannot be read"),
        ("𝐡", "cannot be read"),
        ("1e999", "inf is not in the grammar"),
        ("None", "None is not in the grammar"),
        ("h, h", "a tuple is not in the grammar"),
        ("lambda: 0", "cannot be read"),
        ("lambda", "is not an expression"),
        ("(yield)", "a yield is not in the grammar"),
        ("h is h", "a is is not in the grammar"),
        ("side in side", "a in is not in the grammar"),
        ("max(*h)", "a starred is not in the grammar"),
        ("__import__('os')", "only abs, max, min, round, sqrt can be called"),
        ("max(h)(h)", "only abs, max, min, round, sqrt can be called"),
        ("round(h, ndigits)", "`ndigits` has no value; add it to `given` or `let`"),
        ("min", "`min` is a function; write `min\\(…\\)`"),
        ("min()", "min takes another number of arguments than 0"),
        ("sqrt(1, 2)", "sqrt takes another number of arguments than 2"),
        ("round(1, 0.5)", "a whole n"),
        ("round(1, 99)", "a whole n"),
        ("sqrt(-1)", "a negative number has no square root"),
        ("h / (h - 8)", "division by zero"),
        ("h // 0", "division by zero"),
        ("h % 0", "division by zero"),
        ("0 ** -1", "division by zero"),
        ("2 ** 0.5", r"for a root use sqrt\(…\)"),
        ("9 ** 9 ** 9", "an exponent is a whole number up to"),
        ("9 ** 400 ** 1", "grows too large"),
        ("1e300", "grows too large"),
        ("(2 ** 500) * (2 ** 500)", "grows too large"),
        ("side * 1000000", "the text 'left' stands where a number is needed"),
        ("masked + 1", "the truth value True stands where a number is needed"),
        ("h and masked", "the number 8 stands where true or false is needed"),
        ("not h", "the number 8 stands where true or false is needed"),
        ("masked == 1", "the truth value True and the number 1 cannot be compared"),
        ("side < 'z'", "has no order; use == or !="),
        ("(" * 40 + "h" + ")" * 40 + "+" + "-" * 40 + "h", "nested too deeply"),
        ("h" + "+ h" * 200, "an expression of 601 characters; 300 is the most"),
        ("+".join("h" * 100), "nested too deeply"),
        ("(" * 149 + "1" + ")" * 149 + "\0", "cannot be read"),
        ("'\0'", "is not an expression"),
        ("'\ud800'", "is not an expression"),
    ],
)
def test_what_leaves_the_grammar_or_has_no_value_is_told(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        evaluate(text, VALUES)


def test_a_value_of_the_wrong_kind_is_told() -> None:
    with pytest.raises(ExpressionError, match="`h > 1` gives the truth value True where a number is needed"):
        number("h > 1", VALUES)
    with pytest.raises(ExpressionError, match="`h` gives the number 8 where true or false is needed"):
        truth("h", VALUES)


def test_the_names_of_an_expression_are_those_that_need_values() -> None:
    assert parse("min(d_model // h, 3) if masked else True").names == {"d_model", "h", "masked"}


NUMBERS = st.integers(0, 30).map(str) | st.sampled_from(["h", "d_model"])
SIGNS = st.sampled_from(["+", "-", "*", "/", "//", "%"])
ARITHMETIC = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.builds("{} {} {}".format, inner, SIGNS, inner),
        st.builds("({} {} {})".format, inner, SIGNS, inner),
        st.builds("{} ** {}".format, NUMBERS, st.integers(-3, 3)),
        st.builds("-{}".format, inner),
        st.builds("max({}, {}, abs({}))".format, inner, inner, inner),
    ),
    max_leaves=10,
)


class Exact(ast.NodeTransformer):
    """A fraction for every whole number and every result: two of Python's own whole numbers divided are a float."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._fraction(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if isinstance(node.op, ast.Pow):  # a whole exponent, or the power of a fraction is a float
            node.left = self.visit(node.left)
            return self._fraction(node)
        self.generic_visit(node)
        return self._fraction(node)

    @staticmethod
    def _fraction(node: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Call(ast.Name("Fraction", ast.Load()), [node], []), node)


def by_python(text: str) -> Fraction | None:
    """What Python makes of it in fractions; None where it divides by zero."""
    tree = ast.fix_missing_locations(Exact().visit(ast.parse(text, mode="eval")))
    names = {"Fraction": Fraction, "h": Fraction(8), "d_model": Fraction(64), "max": max, "abs": abs}
    try:
        return Fraction(eval(compile(tree, "expression", "eval"), {"__builtins__": {}}, names))
    except ZeroDivisionError:
        return None


def by_us(text: str) -> Fraction | str:
    try:
        return number(text, VALUES)
    except ExpressionError as error:
        return str(error)


@settings(max_examples=400, deadline=None)
@given(ARITHMETIC)
@example("1 // 1 / (d_model // 3)")
def test_arithmetic_agrees_with_python_s_own(text: str) -> None:
    expected, found = by_python(text), by_us(text)
    if isinstance(found, str):
        assume("too large" not in found and "too deeply" not in found and "characters" not in found)
        assert expected is None
        assert "division by zero" in found
    else:
        assert found == expected


def only_our_error(text: str) -> None:
    try:
        value = evaluate(text, VALUES)
    except ExpressionError:
        return
    assert isinstance(value, Fraction | bool | str)
    if isinstance(value, Fraction):
        assert max(value.numerator.bit_length(), value.denominator.bit_length()) <= MAX_BITS


PIECES = [
    "h",
    "d_model",
    "side",
    "masked",
    " ",
    "1",
    "0",
    "9",
    ".",
    "e",
    "(",
    ")",
    ",",
    "'",
    '"',
    "[",
    "\\",
    "\0",
]
PIECES += [
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "//",
    "<",
    "=",
    "!",
    "and",
    "or",
    "not",
    "if",
    "else",
    "is",
    "in",
    "for",
]
PIECES += [
    "min",
    "sqrt",
    "round",
    "abs",
    "lambda",
    "yield",
    "await",
    "None",
    "True",
    ":=",
    "f",
    "b",
    "é",
    "\ud800",
]


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=80))
@example("min" * 90)
@example("9**9**9**9")
def test_no_text_gives_anything_but_a_value_or_our_error(text: str) -> None:
    only_our_error(text)


@settings(max_examples=300, deadline=None)
@given(ARITHMETIC, st.integers(0, 200), st.sampled_from(PIECES))
def test_a_slip_in_a_good_expression_gives_a_value_or_our_error(text: str, place: int, piece: str) -> None:
    only_our_error(text[:place] + piece + text[place:])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(64), "64"),
        (Fraction(-3), "-3"),
        (Fraction(100), "100"),
        (Fraction(1, 8), "0.125"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(5, 2), "2.5"),
        (Fraction(1, 64), "0.015625"),
        (Fraction(1, 3), "0.333333"),
        (Fraction(200, 3), "66.6667"),
        (Fraction(10**9, 3), "333333333"),
        (Fraction(1, 3 * 10**9), "0.000000000333333"),
        (Fraction(0), "0"),
        (Fraction(9999999, 10**7) + Fraction(1, 3 * 10**8), "1"),
        (True, "True"),
        ("left", "left"),
    ],
)
def test_a_value_is_shown_as_a_reader_writes_it(value: Fraction | bool | str, text: str) -> None:
    assert shown(value) == text


@given(st.fractions(max_denominator=10**6))
def test_a_number_is_shown_within_half_a_millionth_of_itself(value: Fraction) -> None:
    assert abs(Fraction(shown(value)) - value) <= max(abs(value), 1) * Fraction(5, 10**6)


# --- texts ---------------------------------------------------------------------------------------


def test_a_template_is_filled() -> None:
    text = "$d_k = {{ d_model // h }}$, {{side}}, {{ 1/8 }}, {once} and } }"
    assert fill(text, VALUES) == "$d_k = 8$, left, 0.125, {once} and } }"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ h", "a `{{` without its `}}`"),
        ("{{}}", "cannot be read"),
        ("{{ h }", "a `{{` without its `}}`"),
        ("$x^{{{ h }}}$", "cannot be read"),
        (r"$\frac{{a}}{b}$ {{ open(1) }}", "can be called"),
    ],
)
def test_a_broken_template_is_told(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        check_template(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "$d_k$ and $h$",
        "$$\nQ K^T\n$$",
        r"it costs \$5",
        "in `a $ b` code",
        "```\n$ pip install\n```\nand $x$",
        "``a ` $ b``",
        "${{ h }}$",
    ],
)
def test_balanced_maths_passes(text: str) -> None:
    check_maths(text)


@pytest.mark.parametrize("text", ["$d_k and h", "$a$ $", "$a\n\nb$", "$$x$$ $$", "`code` $x", "costs $5"])
def test_a_dollar_without_its_partner_is_told(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"a `\$` without its partner"):
        check_maths(text)


def test_blanks_are_found_in_order() -> None:
    assert blanks("a [[2]] b [[1]] c [[x]] d [1] [[1, 2]]") == (2, 1)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("(B, h, T, d_k)", ("B", "h", "T", "d_k")),
        ("[B,T , h*d_k]", ("B", "T", "h*d_k")),
        ("(d_model,)", ("d_model",)),
        ("()", ()),
        ("(min(T, 3), (h + 1) * 2)", ("min(T, 3)", "(h + 1) * 2")),
    ],
)
def test_a_shape_has_its_dimensions(text: str, parts: tuple[str, ...]) -> None:
    assert dimensions(text) == parts


@pytest.mark.parametrize("text", ["B, h", "(B, h", "(B,, h)", "(,)", "(B h)", "((B), h))", ""])
def test_what_is_no_shape_is_told(text: str) -> None:
    with pytest.raises(ExpressionError):
        dimensions(text)


def test_given_dimensions_become_numbers_and_the_others_stay() -> None:
    assert filled("(B, h, d_model // h, 3)", VALUES) == ("B", "8", "8", "3")
    with pytest.raises(ExpressionError, match="`T` has no value"):
        filled("(B, T * h)", VALUES)
    with pytest.raises(ExpressionError, match=r"gives 21\.3333, which is no size"):
        filled("(d_model / 3,)", VALUES)
    with pytest.raises(ExpressionError, match="gives -8, which is no size"):
        filled("(-h,)", VALUES)
