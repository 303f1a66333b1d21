from __future__ import annotations

import pytest

from grader.core.own_words import unmarked
from grader.judging.failure_text import because, crash, loading, renaming, stopped
from grader.lesson.answers import Answer, Line, Loading, Raised
from tests.tools.answers import probe, raising

PLAIN = probe()
LIMITS = {"import_seconds": 20, "call_seconds": 10, "step_cpu_seconds": 60}


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (Raised(("ValueError",), "", ()), "ValueError"),
        (Raised((), "odd", ()), "Exception: odd"),
        (Raised(("KeyError", "LookupError"), "'a'\n  and more", ()), "KeyError: 'a' and more"),
        (Raised(("ValueError",), "x" * 400, ()), "ValueError: " + "x" * 300),
        (
            Raised(
                ("TypeError",), "no", (Line("main.py", 1, "f", "f()"), Line("add.py", 7, "add", "  q @ k  "))
            ),
            "TypeError: no (add.py, line 7: q @ k)",
        ),
        (Raised(("TypeError",), "no", (Line("add.py", 7, "add", ""),)), "TypeError: no (add.py, line 7)"),
    ],
)
def test_a_crash_is_said_with_the_learners_own_last_line(raised: Raised, words: str) -> None:
    assert unmarked(crash(raised)) == words


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([("q_proj", "W_q")], "judged under q_proj; rename it to W_q"),
        ([("q", "W_q"), ("out", "W_o")], "judged under q and out; rename them to W_q and W_o"),
        (
            [("qkv", "W_qkv"), ("to_out.0", "W_o")],
            "judged under qkv and to_out.0; rename them to W_qkv and W_o",
        ),
        (
            [("q", "W_q"), ("kv", "W_k and W_v"), ("out", "W_o")],
            "judged under q, kv and out; keep them as W_q, W_k, W_v and W_o, each by itself",
        ),
    ],
)
def test_what_to_rename_is_one_line(pairs: list[tuple[str, str]], words: str) -> None:
    assert unmarked(renaming(Answer("p", "returned", renamed=tuple(pairs)))) == words


MASKED = probe(
    script=({"op": "call", "of": {"name": "f"}, "args": [], "kwargs": {"mask": {"ref": "m"}}, "to": "y"},)
)
NO_MASK = "f() got an unexpected keyword argument 'mask'"


def test_a_parameter_that_is_given_by_name_is_told_its_name() -> None:
    said = " The grader gives the mask by name: call it mask."
    assert said in because(MASKED, raising(MASKED, "TypeError", message=NO_MASK))
    assert said not in because(PLAIN, raising(PLAIN, "TypeError", message=NO_MASK))
    line = Line("add.py", 7, "add", "g(mask=3)")
    assert said not in because(MASKED, raising(MASKED, "TypeError", message=NO_MASK, line=line))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("p", "absent", message="add"), "nothing named `add` was found."),
        (Answer("p", "unfit", message="made None"), "made None. Case: B=2, T=3."),
        (Answer("p", "stopped", message="stopped"), "your code stopped. Case: B=2, T=3."),
        (
            raising(PLAIN, "TypeError", message="no", during="grad"),
            "it raised TypeError: no. Case: B=2, T=3.",
        ),
        (
            raising(PLAIN, "TypeError", message="no"),
            "it raised TypeError: no while it was asked to call add. Case: B=2, T=3.",
        ),
        (
            raising(PLAIN, "TypeError", message="no", during="import"),
            "while it was imported, it raised TypeError: no.",
        ),
        (
            Answer("p", "stopped", message="ended the process that runs it", during="import"),
            "while it was imported, your code ended the process that runs it.",
        ),
    ],
)
def test_why_there_is_no_answer_is_said_with_its_case(answer: Answer, words: str) -> None:
    assert unmarked(because(PLAIN, answer)) == words


@pytest.mark.parametrize(
    ("how", "during", "words"),
    [
        ("time", "import", "did not come back within 20 s and was stopped"),
        ("time", "add/plain", "did not come back within 10 s and was stopped"),
        ("cpu", "", "used more than 60 s of computing time, which is all one step may use"),
        ("turn", "", "took longer than one step may and was stopped"),
        ("deadline", "", "was not reached before the time for the whole grade was over"),
        ("given up", "", "was stopped so often before that this was not asked any more"),
        ("worker died", "", "ended the process that runs it"),
        ("protocol", "", "broke the connection to the grader"),
        ("exit 3", "", "ended the process that runs it (with exit code 3)"),
        ("signal SIGSEGV", "", "crashed the process that runs it (SIGSEGV)"),
        (
            "signal SIGKILL",
            "",
            "was killed (SIGKILL), by itself or for using more memory or time than one step may",
        ),
        ("unheard of", "", "stopped (unheard of)"),
    ],
)
def test_how_a_run_ended_is_said(how: str, during: str, words: str) -> None:
    assert stopped(how, LIMITS, during) == words


def test_a_file_that_cannot_be_imported_is_named() -> None:
    error = Raised(("NameError",), "name 'troch' is not defined", (Line("add.py", 1, "<module>", "troch"),))
    assert unmarked(loading("add.py", Loading(error=error))) == (
        "add.py cannot be imported: NameError: name 'troch' is not defined (add.py, line 1: troch)"
    )
    assert (
        loading("add.py", Loading(stopped="took too long"))
        == "while add.py was imported, your code took too long"
    )
