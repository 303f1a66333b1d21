from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.core.text import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, W_O of shape (h·d_v, d_model) – ×2", "plain text, W_O of shape (h·d_v, d_model) – ×2"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("one\r\ntwo\tthree", "one\\x0d\\x0atwo\\x09three"),
        ("abc\u202egnp.exe", "abc\\u202egnp.exe"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\ud800 alone", "\\ud800 alone"),
        ("\ue000 private", "\\ue000 private"),
        ("\U000e0041 tag", "\\U000e0041 tag"),
        ("\u0378 unassigned", "\\u0378 unassigned"),
        ("line\u2028paragraph\u2029", "line\\u2028paragraph\\u2029"),
        ("nul\0", "nul\\x00"),
        ("", ""),
    ],
)
def test_what_is_not_seen_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_lines_and_tabs_are_kept_on_request_and_nothing_else() -> None:
    assert printable("a\n\tb\r\x07", keep_lines=True) == "a\n\tb\\x0d\\x07"


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abcde", 5, "abcde"),
        ("abcdef", 5, "abcd…"),
        ("abc\x1bdef", 5, "abc…"),  # an escape is never cut in two
        ("\x1b", 3, "…"),
        ("\x1b", 4, "\\x1b"),
        ("ab", 1, "…"),
        ("ab", 0, ""),
    ],
)
def test_a_longer_text_is_cut_with_an_ellipsis(text: str, limit: int, shown: str) -> None:
    assert printable(text, limit) == shown


def test_the_limit_is_five_hundred_unless_said() -> None:
    assert printable("x" * 500) == "x" * 500
    assert printable("x" * 501) == "x" * 499 + "…"


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=60), st.integers(1, 40))
def test_any_text_comes_out_short_encodable_and_visible(text: str, limit: int) -> None:
    shown = printable(text, limit)
    assert len(shown) <= limit
    assert shown.encode().decode() == shown
    assert not {unicodedata.category(one) for one in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
