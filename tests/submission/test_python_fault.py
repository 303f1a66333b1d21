from __future__ import annotations

import sys
import time

import pytest

from grader.submission.python_fault import UNPARSABLE, explained, picture, sentence, undecodable
from grader.submission.source_index import read_code
from grader.submission.source_text import decoded

TABS = "inconsistent use of tabs and spaces in indentation; indent with spaces only"
HERE = ".".join(map(str, sys.version_info[:2]))


def fault(text: str) -> str:
    said = read_code(text).fault()
    assert said
    return said


def newer(version: str) -> str:
    return f"this is syntax of Python {version}, and {HERE} runs here; write it in an older way"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f(x)\n    pass\n", "line 1, column 9: expected ':'\n    def f(x)\n            ^"),
        ("if x:\n        y = (1,\n\n", "line 2, column 13: '(' was never closed\n    y = (1,\n        ^"),
        ("return 1", "line 1, column 1: 'return' outside function\n    return 1\n    ^"),
        ("éé = 'a' b", "line 1, column 10: invalid syntax\n    éé = 'a' b\n             ^"),
        ("数 = 'a' b", "line 1, column 9: invalid syntax\n    数 = 'a' b\n             ^"),
        (
            "if a:\n        b\n\tc\n",
            f"line 3, column 1: {TABS}\n     c\n    ^",
        ),
    ],
)
def test_the_place_is_shown_with_a_caret_under_it(text: str, told: str) -> None:
    assert fault(text) == told


def test_of_a_long_line_the_part_around_the_place_is_shown() -> None:
    text = f"x = {'a + ' * 40}b c{' + a' * 40}"
    line, caret = picture(fault(text)).split("\n")
    assert line[caret.index("^") :].startswith("c + a")
    assert len(line) <= 70
    assert sentence(fault(text)) == "line 1, column 167: invalid syntax"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = f“got {a}”\n", '“ is LEFT DOUBLE QUOTATION MARK; type a plain "'),
        ('x = "got”\n', '” is RIGHT DOUBLE QUOTATION MARK; type a plain "'),
        ("x = ‘a’\n", "‘ is LEFT SINGLE QUOTATION MARK; type a plain '"),
        ("x = 3 – 1\n", "– is EN DASH; type a plain -"),
        ("x = 3 × 1\n", "× is MULTIPLICATION SIGN; type a plain *"),
        ("f(1，2)\n", "， is FULLWIDTH COMMA; type a plain ,"),
        ("x = 1 €\n", "€ is EURO SIGN"),
        ("def f():\n\u00a0\u00a0\u00a0\u00a0return 1\n", "it is NO-BREAK SPACE; type a plain space"),
        ("x = 1\u200b\n", "it is ZERO WIDTH SPACE, which is not seen; delete it"),
    ],
)
def test_a_letter_that_python_does_not_read_is_named(text: str, why: str) -> None:
    assert sentence(fault(text)).endswith(f"; {why}")


def test_gits_conflict_marks_are_named_with_their_lines() -> None:
    text = "def f():\n<<<<<<< HEAD\n    return 1\n=======\n    return 2\n>>>>>>> other\n"
    said = "git's conflict marks are in it; keep one side of each and delete the marks (lines 2, 4, 6)"
    assert sentence(fault(text)).endswith(f"; {said}")
    underlined = '"""Title\n=======\n"""\nx = (\n'
    assert "git" not in fault(underlined)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
@pytest.mark.parametrize(
    "text",
    [
        'x = f"widths {", ".join(y)}" + 1\n',
        "x = f\"{d['a']}{'\\n'.join(y)}\"\n",
        'x = f"{d["a"]}"\nlater is broken\n',
        'x = 1\nf"{f"{y}"}"\n',
        "x = f'{a[']']!r:>{w}}'\n",
        "x = f'{\n  a  # with a word\n}'\n",
        "def f[T](x: T) -> T:\n    return x\n",
        "class A[T: (int, str)]:\n    pass\n",
        "type Pair[T] = tuple[T, T]\n",
    ],
)
def test_syntax_of_a_newer_python_is_named_with_the_one_that_runs(text: str) -> None:
    assert sentence(fault(text)).endswith(newer("3.12"))


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python reads it")
def test_template_strings_are_newer_still() -> None:
    assert sentence(fault('x = t"hello {name}"\n')).endswith(newer("3.14"))


@pytest.mark.parametrize(
    "text",
    [
        'x = f"{y"\n',
        'x = f"{y + }"\n',
        'x = f"{}"\n',
        "def f(x)\n    return f'{x}'\n",
        "def f[T(x):\n    pass\n",
        "type x\n",
        "type = = 3\n",
        "print 'a'\n",
        "x = f'{y}' 'z' 3\n",
    ],
)
def test_what_no_python_reads_is_not_called_newer(text: str) -> None:
    assert "syntax of Python" not in fault(text)


@pytest.mark.parametrize(
    "text",
    [
        "f'{'" * 15_000,
        'f"{' * 20_000 + "}" * 5_000,
        'f"{a' + "}" * 60_000,
        "=======\n" * 130_000 + "(",
        "<<<<<<< a\n" * 100_000,
        "def f" + "[a]" * 20_000,
        "def f[" * 10_000,
        "type a[" * 9_000,
        '"' * 65_001,
        "\\" * 65_000,
        "f'" + "{{" * 30_000,
        "(" * 60_000,
    ],
)
def test_looking_for_the_cause_takes_no_time(text: str) -> None:
    with pytest.raises(UNPARSABLE) as error:
        compile(text, "submission", "exec")
    start = time.process_time()
    explained(error.value, text)
    assert time.process_time() - start < 2.0


@pytest.mark.parametrize("coded", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_called_by_its_name(coded: str) -> None:
    said = "it is UTF-16 text, as some Windows programs write it; save it as UTF-8"
    assert decoded("import torch\n\ndef f():\n    return '\u00e9'\n".encode(coded)) == ("", said)


def test_a_byte_is_told_with_its_place_and_what_windows_means_by_it() -> None:
    data = "x = 1\r\n# voil\u00e0 \u201cthe heads\u201d".encode("cp1252")
    said = "byte 0xe0 is not UTF-8 text, but à (LATIN SMALL LETTER A WITH GRAVE) in Windows' cp1252; save it as UTF-8"
    assert decoded(data) == ("", f"line 2, column 7: {said}\n    # voilà “the heads”\n          ^")
    assert sentence(undecodable(b"\x81", "utf-8", 0)) == (
        "line 1, column 1: byte 0x81 is not UTF-8 text; save it as UTF-8"
    )
