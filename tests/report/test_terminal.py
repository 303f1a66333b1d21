from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from grader.core.records import Record
from grader.report import story
from grader.report.terminal import render
from tests.tools.report_records import BOIL, FULL, MIDWAY, RECORDS, SKELETON, check, mistake, record, step


def plain(one: Record, width: int = 80, *, unicode: bool = True) -> str:
    return render(one, width=width, colour=False, unicode=unicode)


def lines(one: Record, width: int = 80) -> list[str]:
    return plain(one, width).splitlines()


def squeezed(text: str) -> str:
    return "".join(text.split())


GOLDEN = {
    40: """
30.5 / 84 (10 not decided) — next: Boil,
and stir all the while (the pots are not
divided by √d_k)

✓ Peel                    █████  15 / 15
◐ Boil, and stir all the  █░░░░ 7.5 / 20
  while
✗ 注意 🎨 serve           ░░░░░   0 / 6
· Salt (not attempted)    ░░░░░   0 / 5
○ Menu (not reached)      ░░░░░   0 / 20
! Bill (grader failed)    ░░░░░   0 / 10
✓ Tip                     █████   8 / 8

Boil, and stir all the while (boil), 7.5
of 20 points
  ✗ the pots are not divided by √d_k
    On every probe your pots are those
    of one who forgets to divide.

  ✗ The soup is that of the formula
    Every pot is softmax(q kᵀ / √d_k).
    expected: pots (B=2, h=3)
    came: the right shape, other values;
    5 of 6 numbers differ
    most at [b=1, pot 2]: expected
    0.4127, came 1.3301

  1 more check not passed:
  ✗ The lid: expected a lid, came none
    at [0, 1]

  Next: Divide q kᵀ by the square root
        of q's last dimension before the
        softmax.

Then:
  ✗ 注意 🎨 serve: one call took longer
    than 10 s
  ○ Menu: uses your boil, whose mistake
    has no name
  ! Bill: the expected answers could not
    be computed

Worth knowing:
  · Salt: salt.py has no `salt`; the
    nearest name in it is `slat`
  ✓ Tip: judged with your boil's mistake
    carried forward

For a person to look at:
  · Boil, and stir all the while: the
    source mentions ready-made soup; it
    was not used

Advice, costs nothing:
  · Peel: one cut does all of them

Could not be checked here, costs
nothing:
  ○ Runs on a GPU: this machine has no
    CUDA device (peel, boil)

Warnings:
  ! mia.zip: the link 'x' was skipped

mia.zip, isolation sealed, device cpu,
Python 3.11.9, torch 2.13.0, seed 10100
(again: --seed 10100), 2.3 s
""",
    80: """
30.5 / 84 (10 not decided) — next: Boil, and stir all the while (the pots are
not divided by √d_k)

✓  Peel                          ██████████   15 / 15
◐  Boil, and stir all the while  ███░░░░░░░  7.5 / 20
✗  注意 🎨 serve                 ░░░░░░░░░░    0 / 6
·  Salt                          ░░░░░░░░░░    0 / 5   not attempted
○  Menu                          ░░░░░░░░░░    0 / 20  not reached
!  Bill                          ░░░░░░░░░░    0 / 10  grader failed
✓  Tip                           ██████████    8 / 8

Boil, and stir all the while (boil), 7.5 of 20 points
  ✗ the pots are not divided by √d_k
    On every probe your pots are those of one who forgets to divide.

  ✗ The soup is that of the formula
    Every pot is softmax(q kᵀ / √d_k).
    expected: pots (B=2, h=3)
    came: the right shape, other values; 5 of 6 numbers differ
    most at [b=1, pot 2]: expected 0.4127, came 1.3301

  1 more check not passed:
  ✗ The lid: expected a lid, came none at [0, 1]

  Next: Divide q kᵀ by the square root of q's last dimension before the softmax.

Then:
  ✗ 注意 🎨 serve: one call took longer than 10 s
  ○ Menu: uses your boil, whose mistake has no name
  ! Bill: the expected answers could not be computed

Worth knowing:
  · Salt: salt.py has no `salt`; the nearest name in it is `slat`
  ✓ Tip: judged with your boil's mistake carried forward

For a person to look at:
  · Boil, and stir all the while: the source mentions ready-made soup; it was
    not used

Advice, costs nothing:
  · Peel: one cut does all of them

Could not be checked here, costs nothing:
  ○ Runs on a GPU: this machine has no CUDA device (peel, boil)

Warnings:
  ! mia.zip: the link 'x' was skipped

mia.zip, isolation sealed, device cpu, Python 3.11.9, torch 2.13.0, seed 10100
(again: --seed 10100), 2.3 s
""",
    120: """
30.5 / 84 (10 not decided) — next: Boil, and stir all the while (the pots are not divided by √d_k)

✓  Peel                          ██████████   15 / 15
◐  Boil, and stir all the while  ███░░░░░░░  7.5 / 20
✗  注意 🎨 serve                 ░░░░░░░░░░    0 / 6
·  Salt                          ░░░░░░░░░░    0 / 5   not attempted
○  Menu                          ░░░░░░░░░░    0 / 20  not reached
!  Bill                          ░░░░░░░░░░    0 / 10  grader failed
✓  Tip                           ██████████    8 / 8

Boil, and stir all the while (boil), 7.5 of 20 points
  ✗ the pots are not divided by √d_k
    On every probe your pots are those of one who forgets to divide.

  ✗ The soup is that of the formula
    Every pot is softmax(q kᵀ / √d_k).
    expected: pots (B=2, h=3)
    came: the right shape, other values; 5 of 6 numbers differ
    most at [b=1, pot 2]: expected 0.4127, came 1.3301

  1 more check not passed:
  ✗ The lid: expected a lid, came none at [0, 1]

  Next: Divide q kᵀ by the square root of q's last dimension before the softmax.

Then:
  ✗ 注意 🎨 serve: one call took longer than 10 s
  ○ Menu: uses your boil, whose mistake has no name
  ! Bill: the expected answers could not be computed

Worth knowing:
  · Salt: salt.py has no `salt`; the nearest name in it is `slat`
  ✓ Tip: judged with your boil's mistake carried forward

For a person to look at:
  · Boil, and stir all the while: the source mentions ready-made soup; it was not used

Advice, costs nothing:
  · Peel: one cut does all of them

Could not be checked here, costs nothing:
  ○ Runs on a GPU: this machine has no CUDA device (peel, boil)

Warnings:
  ! mia.zip: the link 'x' was skipped

mia.zip, isolation sealed, device cpu, Python 3.11.9, torch 2.13.0, seed 10100 (again: --seed
10100), 2.3 s
""",
}


@pytest.mark.parametrize("width", sorted(GOLDEN))
def test_the_whole_report_reads_like_this(width: int) -> None:
    assert plain(MIDWAY, width) == GOLDEN[width].removeprefix("\n")


# The first line carries the answer.


@pytest.mark.parametrize(
    ("one", "first"),
    [
        (FULL, "20 / 20 — every step is right. Well done!"),
        (SKELETON, "0 / 20 — nothing written yet, and that is where everybody starts. Begin with: Peel."),
        (record(), "0 / 0 — nothing written yet, and that is where everybody starts."),
        (
            record(step("a", "passed", 10), step("b", "not_attempted")),
            "10 / 20 — next: B (not attempted yet)",
        ),
        (record(step("a", "failed", mistakes=(mistake("salt"),))), "0 / 10 — next: A (the salt is wrong)"),
        (
            record(step("a", "failed", mistakes=(mistake("salt", title="No salt."), mistake("lid")))),
            "0 / 10 — next: A (No salt, and the lid is wrong)",
        ),
        (record(step("a", "failed", note="too slow.\nmore")), "0 / 10 — next: A (too slow)"),
        (
            record(step("a", "partial", 2.5, checks=(check("lid", "failed"),))),
            '2.5 / 10 — next: A (fails "The lid")',
        ),
        (record(step("a", "failed")), "0 / 10 — next: A (does not pass yet)"),
        (record(step("a", "not_reached")), "0 / 10 — next: A (waits for another step)"),
        (record(step("a", "broken")), "0 / 10 (10 not decided) — next: A (the grader failed here, not you)"),
        (
            record(step("a", "broken"), step("b", "failed", note="slow")),
            "0 / 20 (10 not decided) — next: B (slow)",
        ),
    ],
)
def test_the_first_line_says_the_points_and_the_one_thing_to_know(one: Record, first: str) -> None:
    assert lines(one, 100)[0] == first


# One line a step.


@pytest.mark.parametrize(
    ("status", "score", "row", "ascii_row"),
    [
        ("passed", 10, "✓  Soup  ██████████  10 / 10", "+  Soup  ##########  10 / 10"),
        ("partial", 9.99, "◐  Soup  █████████░  9.99 / 10", "~  Soup  #########.  9.99 / 10"),
        ("partial", 0.01, "◐  Soup  █░░░░░░░░░  0.01 / 10", "~  Soup  #.........  0.01 / 10"),
        ("failed", 0, "✗  Soup  ░░░░░░░░░░  0 / 10", "x  Soup  ..........  0 / 10"),
        (
            "not_attempted",
            0,
            "·  Soup  ░░░░░░░░░░  0 / 10  not attempted",
            ".  Soup  ..........  0 / 10  not attempted",
        ),
        (
            "not_reached",
            0,
            "○  Soup  ░░░░░░░░░░  0 / 10  not reached",
            "o  Soup  ..........  0 / 10  not reached",
        ),
        (
            "broken",
            0,
            "!  Soup  ░░░░░░░░░░  0 / 10  grader failed",
            "!  Soup  ..........  0 / 10  grader failed",
        ),
    ],
)
def test_a_row_tells_its_status_without_colour(status: str, score: float, row: str, ascii_row: str) -> None:
    one = record(step("soup", status, score))
    assert row in lines(one)
    assert ascii_row in plain(one, unicode=False).splitlines()


def test_bars_and_points_stand_under_each_other_beside_wide_letters() -> None:
    rows = lines(
        record(step("a", "passed", 10, title="注意 🎨"), step("b", "failed", 0, 5, title="Boil it"))
    )[2:4]
    assert [cell_len(row[: row.index(sign)]) for row, sign in zip(rows, "█░", strict=True)] == [12, 12]
    assert [cell_len(row[: row.index("/")]) for row in rows] == [27, 27]


def test_a_narrow_page_puts_the_status_word_under_the_title() -> None:
    assert "(not attempted)" in plain(SKELETON, 40)


# The first step that is not done.


def test_only_the_first_undone_step_is_told_in_full_and_gets_the_only_hint() -> None:
    one = record(
        step("a", "passed", 10, hint="hint a"),
        step("b", "not_attempted", hint="hint b"),
        step("c", "failed", hint="hint c", checks=(check("lid", "failed", message="rule\nwanted\ngot"),)),
        step("d", "failed", hint="hint d", mistakes=(mistake("salt"),), checks=(check("pot", "failed"),)),
    )
    text = plain(one)
    assert text.count("Next:") == 1
    assert "Next: hint c" in text
    assert "C (c), 0 of 10 points\n  ✗ The lid\n    rule\n    wanted\n    got\n" in text
    assert "Then:\n  ✗ D: the salt is wrong\n" in text
    assert "The pot" not in text


def test_the_mistakes_hint_is_better_than_the_steps() -> None:
    text = plain(record(BOIL))
    assert "Next: Divide q kᵀ by" in text
    assert "Draw the pot" not in text


def test_two_mistakes_are_both_told_and_the_best_ones_hint_is_given() -> None:
    text = plain(record(step("a", "failed", mistakes=(mistake("salt"), mistake("lid")))))
    assert "2 mistakes, made together:" in text
    assert "✗ the salt is wrong\n    What salt does.\n\n  ✗ the lid is wrong\n    What lid does." in text
    assert "Next: Mend salt." in text
    assert "Mend lid" not in text


def test_other_failing_checks_are_counted_with_a_line_each() -> None:
    checks = tuple(
        check(name, "failed", message=f"no {name}\nsecond line") for name in ("pot", "lid", "fire")
    )
    text = plain(
        record(step("a", "failed", checks=(*checks, check("taste", "not_reached", 0, 3, message="no soup"))))
    )
    assert "  2 more checks not passed:\n  ✗ The lid: no lid\n  ✗ The fire: no fire\n" in text
    assert "  1 check could not run:\n  ○ The taste: no soup\n" in text
    assert text.count("second line") == 1


def test_checks_that_fail_for_one_reason_say_it_once() -> None:
    checks = tuple(check(name, "failed", message="soup.py cannot be read") for name in ("pot", "lid", "fire"))
    text = plain(record(step("a", "failed", checks=checks)))
    assert "  2 more checks not passed, for the same reason:\n  ✗ The lid\n  ✗ The fire\n" in text
    assert text.count("cannot be read") == 1


def test_a_broken_step_is_ours_and_the_next_thing_to_mend_is_still_told() -> None:
    text = plain(
        record(step("a", "broken", hint="hint a", note="no answer"), step("b", "failed", hint="hint b"))
    )
    assert "A (a), 0 of 10 points\n  The grader failed here, not you. Grade again; if it" in text
    assert "no answer" in text
    assert "B (b), 0 of 10 points" in text
    assert text.count("Next:") == 1
    assert "Next: hint b" in text


def test_a_skeleton_is_told_where_to_begin() -> None:
    text = plain(SKELETON)
    assert (
        "Begin with: Peel (peel)\n  peel.py is still the skeleton\n\n  Next: Take the knife first.\n" in text
    )
    assert "boil.py" not in text


def test_full_marks_leave_nothing_to_do() -> None:
    text = plain(FULL)
    assert not any(word in text for word in ("Next:", "Then:", "Begin", "Advice", "Warnings", "person"))


def test_what_the_learner_printed_is_shown_in_part() -> None:
    prints = "".join(f"row {number}\n" for number in range(12)) + "\n"
    text = plain(record(step("a", "failed", prints=prints)))
    assert "  Your code printed:\n    row 0\n" in text
    assert "    row 7\n    ... 4 more lines, kept by --json FILE\n" in text
    assert "Your code printed" not in plain(record(step("a", "passed", 10, prints=prints)))


def test_a_very_long_printed_line_is_cut() -> None:
    assert 100 < plain(record(step("a", "failed", prints="z" * 60_000))).count("z") <= 200


# What is said after it.


def test_a_note_that_every_unattempted_step_shares_is_not_repeated() -> None:
    one = record(
        step("a", "failed"),
        step("b", "not_attempted", note="b.py is missing"),
        step("c", "not_attempted", note="c.py is missing"),
        step("d", "not_attempted", note="d.py has no `dice`; the nearest is `dcie`"),
    )
    assert "Worth knowing:\n  · D: d.py has no `dice`; the nearest is `dcie`\n" in plain(one)
    assert "is missing" not in plain(one)


def test_what_this_machine_cannot_check_is_said_once_and_costs_nothing() -> None:
    free = check("cuda", "not_reached", message="no GPU")
    one = record(step("a", "passed", 10, checks=(free,)), step("b", "passed", 10, checks=(free,)))
    assert "Could not be checked here, costs nothing:\n  ○ The cuda: no GPU (a, b)\n" in plain(one)


def test_how_to_replay_is_said_last() -> None:
    assert squeezed(plain(FULL)).endswith(
        squeezed(
            "mia.zip, isolation sealed, device cpu, Python 3.11.9, torch 2.13.0, "
            "seed 10100 (again: --seed 10100), 2.3 s"
        )
    )


def test_an_environment_that_says_nothing_leaves_no_gaps() -> None:
    assert lines(record(environment={}))[-1] == "mia.zip, seed 10100 (again: --seed 10100), 2.3 s"


# Text is text.


def test_text_is_never_markup_and_never_an_escape_code() -> None:
    nasty = "[red]a[/red] :smile: \x1b[31mb\x1b[0m \u202ec"
    text = plain(record(step("a", "failed", title=nasty, note=nasty, hint=nasty), warnings=(nasty,)))
    assert squeezed(text).count("[red]a[/red]:smile:") == 7
    assert not set(text) & {"\x1b", "\u202e", "\x07"}


def test_colour_changes_no_letter() -> None:
    from rich.text import Text

    coloured = render(MIDWAY, width=80, colour=True)
    assert "\x1b[" in coloured
    assert [line.rstrip() for line in Text.from_ansi(coloured).plain.splitlines()] == lines(MIDWAY)


def test_ascii_spells_mathematics() -> None:
    text = plain(record(step("a", "failed", note="h·d_k ≠ √d_k, √(d) → “é”")), unicode=False)
    assert 'h*d_k != sqrt d_k, sqrt(d) -> "\\xe9"' in text


def test_the_environment_of_the_process_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = (plain(MIDWAY, 40), render(MIDWAY, width=40, colour=True))
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", "33"), ("TTY_COMPATIBLE", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    assert (plain(MIDWAY, 40), render(MIDWAY, width=40, colour=True)) == before


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(one=RECORDS, width=st.integers(1, 130), colour=st.booleans(), unicode=st.booleans())
def test_any_record_fits_the_page(one: Record, width: int, colour: bool, unicode: bool) -> None:
    text = render(one, width=width, colour=False, unicode=unicode)
    assert render(one, width=width, colour=colour, unicode=unicode).count("\n") == text.count("\n")
    assert max(map(cell_len, text.split("\n"))) <= max(20, width)
    assert "\x1b" not in text
    assert all(line == line.rstrip(" ") for line in text.split("\n"))
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert unicode or text.isascii()
    for told in story.focus(one)[-1:]:
        assert squeezed(story.next_hint(told)) in squeezed(text) or not unicode


def test_importing_the_report_imports_neither_rich_nor_torch() -> None:
    code = "import sys, grader.report.terminal; print(sorted({'rich', 'torch', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
