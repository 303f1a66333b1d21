from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

from grader.core.errors import InputError, LessonError
from grader.quiz.bank.bank import Bank, find_bank, read_bank
from grader.quiz.drawing.draw import draw
from grader.quiz.expressions.maths import mathml, maths_text
from grader.quiz.marking.mark import mark_sheet
from grader.quiz.marking.sheet import read_sheet
from grader.quiz.shown.prose import html, inline_html, paragraphs, plain_line
from grader.quiz.shown.solution import solution
from grader.quiz.taking.progress import Progress, resumed
from grader.quiz.taking.screen import Screen
from grader.quiz.taking.take import Stopped, take
from tests.tools.lessons_here import SLUG
from tests.tools.quiz_answering import Script, other, right, typed

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def bank() -> Bank:
    return read_bank(find_bank(lesson=SLUG))


def begun(bank: Bank, mode: str = "practice", learner: str = "Ann", seed: int = 0) -> Progress:
    return Progress(quiz=bank.quiz, learner=learner, seed=seed, mode=mode)  # type: ignore[arg-type]


def sit(
    bank: Bank, lines: Iterable[str], place: Path, ids: list[str] | None = None, start: Progress | None = None
) -> Script:
    """Take the quiz with these lines; the progress, whole or not, is in `place`."""
    script = Script(lines)
    try:
        take(bank, ids, resumed(place, start or begun(bank)), place, script, Screen())
    except Stopped:
        pass
    return script


def drawn_for(bank: Bank, ids: list[str] | None, start: Progress) -> list:
    return [draw(question, start.seed, start.learner) for question in bank.select(ids)]


# --- answering -----------------------------------------------------------------------------------


def test_every_question_of_the_bank_can_be_answered_rightly_by_keyboard(bank: Bank, tmp_path: Path) -> None:
    ids = [question.id for question in bank.questions]
    start = begun(bank, seed=7)
    lines = [line for item in drawn_for(bank, ids, start) for line in typed(item, right(item))]
    script = sit(bank, lines, tmp_path / "sheet.yaml", ids, start)
    assert script.lines == []
    record = mark_sheet(bank, read_sheet(tmp_path / "sheet.yaml"), ids)
    assert [item.id for item in record.questions if item.outcome != "correct"] == []
    assert script.screen.count("✓ Correct.") == len(ids)


def test_wrong_answers_are_told_and_marked_alike(bank: Bank, tmp_path: Path) -> None:
    ids = [question.id for question in bank.questions]
    lines = [line for item in drawn_for(bank, ids, begun(bank)) for line in typed(item, other(item))]
    script = sit(bank, lines, tmp_path / "sheet.yaml", ids)
    record = mark_sheet(bank, read_sheet(tmp_path / "sheet.yaml"), ids)
    assert not [item.id for item in record.questions if item.outcome in ("correct", "unanswered")]
    for sign, outcome in (("✗ Incorrect.", "incorrect"), ("◐ Partly correct.", "partial")):
        assert script.screen.count(sign) == sum(item.outcome == outcome for item in record.questions)


def test_feedback_and_explanation_come_after_the_answer_and_never_before(bank: Bank, tmp_path: Path) -> None:
    script = sit(bank, ["false"], tmp_path / "sheet.yaml", ["kc-02", "kc-03"])
    explanation = "would write only into its own columns"
    assert explanation not in script.shown[0]
    assert explanation in " ".join(script.shown[1].split())
    assert "The answer: False" in script.shown[1]
    assert "learned mixing projection" in script.shown[1]
    assert "shared out" not in script.screen  # kc-03's, not answered yet


def test_an_exam_says_nothing_of_right_and_wrong(bank: Bank, tmp_path: Path) -> None:
    ids = [question.id for question in bank.questions]
    start = begun(bank, "exam")
    drawn = drawn_for(bank, ids, start)
    said = " ".join(sit(bank, ["q" for _ in ids] * 3, tmp_path / "sheet.yaml", ids, start).screen.split())
    prompts = " ".join(plain_line(item.prompt) for item in drawn)
    for item in drawn:
        assert " ".join(plain_line(item.explanation).split())[:60] not in said
        feedback = [option.feedback for option in getattr(item, "options", ()) if option.feedback]
        feedback += [trap.feedback for trap in getattr(item, "traps", ())]
        told = [text for text in map(plain_line, feedback) if text not in prompts]
        assert [text for text in told if text in said] == []
    assert "orrect" not in said.replace("correctly", "")
    assert "The answer:" not in said


def test_a_letter_that_no_option_has_is_asked_for_again_and_kept_when_repeated(
    bank: Bank, tmp_path: Path
) -> None:
    place = tmp_path / "sheet.yaml"
    script = sit(bank, ["z", "a"], place, ["kc-03"])
    assert "Write it anew" in script.screen
    assert read_sheet(place).answers == {"kc-03": "a"}
    place.unlink()
    sit(bank, ["maybe", "maybe"], place, ["kc-02"])
    assert read_sheet(place).answers == {"kc-02": "maybe"}


# --- moving about --------------------------------------------------------------------------------


def test_back_returns_and_enter_keeps_the_answer(bank: Bank, tmp_path: Path) -> None:
    place = tmp_path / "sheet.yaml"
    script = sit(bank, ["true", "<", "", "<", "false", "b", "<", "<"], place, ["kc-02", "kc-03", "kc-05"])
    assert "Your answer so far: true. Enter keeps it." in script.screen
    assert read_sheet(place).answers == {"kc-02": "false", "kc-03": "b"}


def test_the_first_question_has_none_before_it(bank: Bank, tmp_path: Path) -> None:
    script = sit(bank, ["<", "true"], tmp_path / "sheet.yaml", ["kc-02"])
    assert "This is the first question." in script.screen
    assert yaml.safe_load((tmp_path / "sheet.yaml").read_text())["finished"] is True


def test_what_was_skipped_is_offered_again_before_the_end(bank: Bank, tmp_path: Path) -> None:
    place = tmp_path / "sheet.yaml"
    script = sit(bank, ["skip", "b", "9", "1", "false", ""], place, ["kc-02", "kc-03"])
    assert "Still open: 1." in script.screen
    assert "There is no question '9'." in script.screen
    assert yaml.safe_load(place.read_text())["answers"] == {"kc-03": "b", "kc-02": "false"}
    assert yaml.safe_load(place.read_text())["finished"] is True


def test_an_exam_can_be_gone_through_again_before_it_is_handed_in(bank: Bank, tmp_path: Path) -> None:
    place = tmp_path / "sheet.yaml"
    script = sit(bank, ["true", "1", "false", ""], place, ["kc-02"], begun(bank, "exam"))
    assert "All questions are answered." in script.screen
    assert read_sheet(place).answers == {"kc-02": "false"}


# --- stopping and going on -------------------------------------------------------------------------


def test_every_answer_is_on_disk_before_the_next_question(bank: Bank, tmp_path: Path) -> None:
    place = tmp_path / "sheet.yaml"

    class Watching(Script):
        def ask(self, prompt: str) -> str:
            kept.append(dict(yaml.safe_load(place.read_text())["answers"]))
            return super().ask(prompt)

    kept: list[dict[str, str]] = []
    take(bank, ["kc-02", "kc-03"], begun(bank), place, Watching(["true", "a"]), Screen())
    assert kept == [{}, {"kc-02": "true"}]
    assert list(tmp_path.iterdir()) == [place]  # no temporary file stays


def test_a_second_sitting_asks_the_rest_with_the_same_draws(bank: Bank, tmp_path: Path) -> None:
    place = tmp_path / "sheet.yaml"
    ids = ["kc-02", "split-symbols", "weigh-sizes", "kc-03"]
    first = sit(bank, ["false"], place, ids)
    second = sit(bank, [], place, ids)
    assert "1 of 4 answered already" in second.screen
    question = first.shown[1][first.shown[1].index("Question 2 of 4") :]
    assert question in second.shown[0]
    assert "Question 1 of 4" not in second.screen


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"learner": "Bo"}, "begun with the learner 'Ann'"),
        ({"seed": 4}, "begun with the seed '0'"),
        ({"mode": "exam"}, "begun with the mode 'practice'"),
    ],
)
def test_somebody_elses_sheet_is_not_gone_on_with(
    bank: Bank, tmp_path: Path, change: dict[str, object], words: str
) -> None:
    place = tmp_path / "sheet.yaml"
    sit(bank, ["true"], place)
    fields = {"quiz": bank.quiz, "learner": "Ann", "seed": 0, "mode": "practice", **change}
    before = place.read_bytes()
    with pytest.raises(InputError, match=words):
        resumed(place, Progress(**fields))  # type: ignore[arg-type]
    assert place.read_bytes() == before


@pytest.mark.parametrize("answer", ["9" * 5_000, "2026-13-01", "0x10", "true"])
def test_a_sheet_whose_answers_are_no_values_is_gone_on_with(bank: Bank, tmp_path: Path, answer: str) -> None:
    place = tmp_path / "sheet.yaml"
    begun(bank).write(place)
    written = place.read_text("utf-8")
    assert "answers: {}" in written
    place.write_text(written.replace("answers: {}", f"answers: {{kc-01: {answer}}}"), "utf-8")
    assert list(resumed(place, begun(bank)).answers) == ["kc-01"]


def test_a_finished_sheet_is_not_overwritten(bank: Bank, tmp_path: Path) -> None:
    place = tmp_path / "sheet.yaml"
    sit(bank, ["true"], place, ["kc-02"])
    with pytest.raises(InputError, match="finished already"):
        resumed(place, begun(bank))


def test_answers_that_yaml_would_read_as_something_else_stay_what_was_typed(
    bank: Bank, tmp_path: Path
) -> None:
    place = tmp_path / "sheet.yaml"
    odd = ["no", "12:30", "2026-01-02", "0x10", "- a", "a: b", "# c", "'", "~", "Wₒ ·√", "1_000", "{}"]
    for text in odd:
        place.unlink(missing_ok=True)
        sit(bank, [text, text], place, ["kc-01"], begun(bank, learner="no"))
        sheet = read_sheet(place)
        assert sheet.answers["kc-01"] == text
        assert sheet.learner == "no"


def grader(*words: str) -> list[str]:
    return [sys.executable, "-m", "grader", "quiz", "take", "--lesson", SLUG, *words]


def test_it_works_when_piped_at_80_columns_without_colour(tmp_path: Path) -> None:
    place = tmp_path / "a.yaml"
    done = subprocess.run(
        grader("--learner", "Ann", "--out", str(place), "--questions", "kc-02,kc-03,split-wrong-width-line"),
        input="false\na\n3\n", cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "Finished: 3 of 3 points." in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert yaml.safe_load(place.read_text())["seed"] == 0


def test_ctrl_c_keeps_the_answers_and_the_same_command_goes_on(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="no pseudo-terminals here")
    place = tmp_path / "a.yaml"
    command = grader("--learner", "Ann", "--out", str(place), "--questions", "kc-02,kc-03")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execv(command[0], command)
    seen = b""
    deadline = time.monotonic() + 60

    def until(words: bytes, press: bytes = b"") -> None:
        """Read on; a key is pressed twice, and again where it is quiet: Python may sleep through the first."""
        nonlocal seen
        os.write(terminal, press * 2)
        while words not in seen:
            assert time.monotonic() < deadline, seen
            try:
                if select.select([terminal], [], [], 2)[0]:
                    seen += os.read(terminal, 4096)
                elif press:
                    os.write(terminal, press)
            except OSError:  # Linux says so when the other end is closed
                raise AssertionError(f"ended without {words!r}: {seen!r}") from None

    try:
        until(b"Your answer: ")
        os.write(terminal, b"false\n")
        until(b"Question 2 of 2")
        seen = seen[seen.index(b"Question 2 of 2") :]
        until(b"Your answer: ")
        until(b"goes on", press=b"\x03")
    finally:
        if b"goes on" not in seen:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 130
    assert str(place).encode() in seen.replace(b"\r\n", b"")
    assert yaml.safe_load(place.read_text())["answers"] == {"kc-02": "false"}
    again = subprocess.run(command, input="a\n", cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Question 1 of 2" not in again.stdout
    assert yaml.safe_load(place.read_text())["finished"] is True


def test_a_name_that_no_sheet_can_hold_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        grader("--learner", " \x1b[31m ", "--out", str(tmp_path / "a.yaml")),
        input="", cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("grader: --learner")
    assert list(tmp_path.iterdir()) == []


# --- the screen ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [80, 40])
def test_no_line_is_wider_than_the_terminal_and_ascii_is_ascii(
    bank: Bank, tmp_path: Path, width: int
) -> None:
    ids = [question.id for question in bank.questions]
    lines = [line for item in drawn_for(bank, ids, begun(bank)) for line in typed(item, right(item))]
    script = Script(lines)
    take(bank, ids, begun(bank), tmp_path / "s.yaml", script, Screen(width=width, unicode=False))
    shown = [line for line in script.screen.splitlines() if "s.yaml" not in line]
    assert max(map(len, shown)) <= width
    assert script.screen.isascii()
    assert "\\u" not in script.screen
    assert "$" not in script.screen


def test_colour_only_where_it_is_wanted(bank: Bank, tmp_path: Path) -> None:
    script = Script(["true"])
    take(bank, ["kc-02"], begun(bank), tmp_path / "s.yaml", script, Screen(colour=True))
    assert "\x1b[" in script.screen
    assert "\x1b" not in sit(bank, ["true"], tmp_path / "t.yaml", ["kc-02"]).screen


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"d_{model} / h", "d_model / h"),
        (r"\sqrt{d_k}", "√(d_k)"),
        (r"1/\sqrt{ 64 }", "1 / √64"),
        (r"h \cdot d_v \neq d_{model}", "h · d_v ≠ d_model"),
        (r"\exp(-\infty) = 0", "exp(−∞) = 0"),
        (r"d_k^{-1/2}", "d_k^(−1/2)"),
        (r"\frac{1}{h} \sum_i head_i\, W_O^{(i)}", "(1 / h) ∑_i head_i W_O^(i)"),
        (r"\frac{a + b}{2}", "(a + b) / 2"),
        (r"\mathrm{softmax}(Q K^T / \sqrt{d_k})\, V", "softmax(Q K^T / √(d_k)) V"),
        (r"4\, T^2 d_k", "4 T^2 d_k"),
    ],
)
def test_maths_reads_as_text(tex: str, text: str) -> None:
    assert maths_text(tex) == text


def test_names_are_one_element_and_letters_are_their_own() -> None:
    assert "<mi>head</mi>" in mathml(r"\mathrm{head}_1")
    assert "<mi>model</mi>" in mathml("d_{model}")
    assert "<mi>Q</mi>" in mathml(r"Q K^T")


@pytest.mark.parametrize("tex", [r"\foo", r"\frac{1}", "a_", "{", "x & y"])
def test_maths_that_is_not_understood_is_refused(tex: str) -> None:
    with pytest.raises(LessonError, match="maths"):
        mathml(tex)


def test_markup_in_a_bank_is_text() -> None:
    assert "<b>" not in html("<b>x</b> and <script>alert(1)</script>")
    assert "<img" not in html("![x](https://example.org/x.png)")
    assert inline_html("`a < b`") == "<code>a &lt; b</code>"
    assert html("costs \\$5, $x$ `$y$`").count("<math") == 1


def test_lists_and_code_become_paragraphs() -> None:
    found = paragraphs("One [[1]] $d_k$.\n\n1. a\n2. b\n   - c\n\n```python\nx = 1\n```\n")
    assert [(item.lead, item.text, item.code) for item in found] == [
        ("", "One [1] d_k.", False),
        ("1. ", "a", False),
        ("2. ", "b", False),
        ("  - ", "c", False),
        ("", "x = 1", True),
    ]


def test_the_solution_of_every_question_is_said(bank: Bank) -> None:
    for item in drawn_for(bank, [question.id for question in bank.questions], begun(bank)):
        assert plain_line(solution(item)).strip()
