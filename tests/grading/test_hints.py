from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.core.errors import InputError
from grader.core.records import MistakeRecord, StepRecord
from grader.grading import hints
from grader.grading.hints import Hint, Ladder, Memory, ladder_of, next_hint, render, step_named
from grader.lesson.reference import Mistake
from tests.tools.corpus import GOLDEN, ROOT, SOLUTION
from tests.tools.lessons_here import SLUG, the_lesson

WRONG = GOLDEN / "wrong" / "attend"
NUDGE = "Compare your scores with the formula, factor by factor."
RUNGS = ("Look.", "There.", "Nearly the line.")
SPOILT = Mistake(
    id="spoilt-2", form_of="spoilt", home="add", title="The soup is spoilt", message="You …", hint=RUNGS
)
OTHER = Mistake(
    id="spoilt", home="add", title="The soup is spoilt", message="You do otherwise", hint=("No.",) * 3
)


def step(status: str = "failed", *mistakes: Mistake, note: str = "", hint: str = "Think.") -> StepRecord:
    found = [MistakeRecord(id=m.name, title=m.title, message=m.message, hint=m.hint[1]) for m in mistakes]
    given = {"id": "add", "title": "Add", "status": status, "score": 0, "max_score": 5, "checks": ()}
    return StepRecord.model_validate({**given, "mistakes": found, "note": note, "hint": hint})


def told(hint: Hint) -> list[str]:
    return render(hint, width=80, colour=False).splitlines()


# --- the ladder ---------------------------------------------------------------------------------


def test_the_ladder_is_that_of_the_very_form_that_was_named() -> None:
    assert ladder_of(step("failed", SPOILT), [OTHER, SPOILT]) == Ladder("spoilt-2", RUNGS, SPOILT.title)


def test_without_a_catalogue_entry_the_one_hint_of_the_record_is_left() -> None:
    assert ladder_of(step("failed", SPOILT), []).rungs == ("There.",)


def test_without_a_mistake_the_step_s_own_hint_is_given_after_what_is_seen() -> None:
    ladder = ladder_of(step(note="One thing holds.\nAnother does."), [])
    assert ladder == Ladder(hints.OWN, ("Think.",), seen=("One thing holds.", "Another does."))


def test_a_ladder_ends_at_its_highest_rung() -> None:
    ladder = Ladder("spoilt", RUNGS, "The soup is spoilt")
    assert [ladder.after(shown) for shown in (0, 1, 2, 3, 9)] == [1, 2, 3, 3, 3]
    assert [ladder.after(shown, again=True) for shown in (0, 1, 3, 9)] == [1, 1, 3, 3]
    assert ladder.after(3, start=True) == 1


def test_the_first_rung_does_not_give_the_mistake_away() -> None:
    ladder = Ladder("spoilt", RUNGS, "The soup is spoilt")
    assert told(Hint(step("failed", SPOILT), ladder, 1)) == [
        "Add (add)",
        "  Hint 1 of 3: Look.",
        "  The same command gives the next hint; --again this one.",
    ]
    assert told(Hint(step("failed", SPOILT), ladder, 2))[1:3] == [
        "  The soup is spoilt",
        "  Hint 2 of 3: There.",
    ]
    assert (
        told(Hint(step("failed", SPOILT), ladder, 3))[-1]
        == "  That is the last one; --from-start begins anew."
    )


def test_a_second_mistake_is_announced() -> None:
    shown = told(Hint(step("failed", SPOILT, OTHER), Ladder("spoilt", RUNGS, "t"), 1))
    assert "  (1 other mistake in this step comes after this one.)" in shown


def test_a_step_without_a_mistake_shows_what_holds_and_its_only_hint() -> None:
    ladder = Ladder(hints.OWN, ("Think.",), seen=("One thing holds.",))
    assert told(Hint(step(), ladder, 1)) == [
        "Add (add)",
        "  One thing holds.",
        "  Hint 1 of 1: Think.",
        "  That is the last one.",
    ]


def test_a_passed_step_has_nothing_to_hint() -> None:
    assert told(Hint(step("passed"), Ladder("step", ("Think.",)), 0))[1:] == [
        "  Passed: there is nothing to hint."
    ]


def test_what_cannot_be_remembered_is_said() -> None:
    shown = told(Hint(step(), Ladder("step", RUNGS), 1, remembered=False))
    assert shown[-1] == "  This could not be remembered: the next call begins at the first hint again."


# --- the memory ---------------------------------------------------------------------------------


def test_the_memory_is_the_user_s_state_and_never_the_graded_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert Memory.of_user().file == tmp_path / "state" / "attention-grader" / "hints.json"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Memory.of_user().file == tmp_path / ".local" / "state" / "attention-grader" / "hints.json"


def test_for_a_user_without_a_home_nothing_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    memory = Memory.of_user()
    assert not memory.keep(tmp_path, "attend", "spoilt", 2)
    assert memory.rung(tmp_path, "attend", "spoilt") == 0


def test_a_rung_is_remembered_by_submission_step_and_mistake(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "deep" / "hints.json")
    assert memory.rung(tmp_path, "a", "x") == 0
    assert memory.keep(tmp_path, "a", "x", 2)
    assert memory.keep(tmp_path, "b", "y", 1)
    assert (memory.rung(tmp_path, "a", "x"), memory.rung(tmp_path, "b", "y")) == (2, 1)
    assert memory.rung(tmp_path, "a", "other mistake") == 0
    assert memory.rung(tmp_path / "elsewhere", "a", "x") == 0
    memory.forget(tmp_path, "a")
    assert (memory.rung(tmp_path, "a", "x"), memory.rung(tmp_path, "b", "y")) == (0, 1)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version": 2, "hints": {"x": {}}}', '{"version": 1, "hints": {"x": 3}}', "[" * 9999],
)
def test_a_damaged_memory_begins_anew(tmp_path: Path, text: str) -> None:
    memory = Memory(tmp_path / "hints.json")
    memory.file.write_text(text, "utf-8")
    assert memory.rung(tmp_path, "a", "x") == 0
    assert memory.keep(tmp_path, "a", "x", 1)
    assert memory.rung(tmp_path, "a", "x") == 1


@pytest.mark.parametrize("rung", [-1, True, "2", None, 1.5])
def test_a_rung_that_is_no_count_does_not_count(tmp_path: Path, rung: object) -> None:
    memory = Memory(tmp_path / "hints.json")
    held = {str(tmp_path.resolve()): {"a": {"ladder": "x", "rung": rung}}}
    memory.file.write_text(json.dumps({"version": 1, "hints": held}), "utf-8")
    assert memory.rung(tmp_path, "a", "x") == 0


def test_only_the_latest_submissions_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "MOST", 2)
    memory = Memory(tmp_path / "hints.json")
    for name in ("one", "two", "one", "three"):
        memory.keep(tmp_path / name, "a", "x", 1)
    assert [memory.rung(tmp_path / name, "a", "x") for name in ("one", "two", "three")] == [1, 0, 1]


def test_a_memory_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    assert not Memory(tmp_path / "file" / "hints.json").keep(tmp_path, "a", "x", 1)


# --- the step's name ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["attend", "attend.py", " Attend "])
def test_a_step_is_named_by_its_id_or_its_file(name: str) -> None:
    assert step_named(name, the_lesson()) == "attend"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("attnd", "attnd: this lesson has no such step; did you mean attend? Its steps are project, attend,"),
        ("qqq", "qqq: this lesson has no such step. Its steps are project,"),
        ("", "no step given: this lesson has no such step. Its steps are project,"),
    ],
)
def test_an_unknown_step_is_refused_with_the_nearest_name(name: str, line: str) -> None:
    with pytest.raises(InputError, match="no such step") as caught:
        step_named(name, the_lesson())
    assert str(caught.value).startswith(line)


# --- through the whole road ---------------------------------------------------------------------


def test_the_ladder_is_climbed_call_by_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    work = tmp_path / "work.py"

    def ask(**how: bool) -> tuple[int, str]:
        found = next_hint("attend", work, root=ROOT, **how)
        return found.rung, found.ladder.key

    work.write_bytes((WRONG / "scale_missing_einsum.py").read_bytes())
    asked = [ask(), ask(), ask(again=True)]
    assert [rung for rung, _ in asked] == [1, 2, 2]
    assert {key for _, key in asked} == {"scale-missing"}
    work.write_bytes((SOLUTION / "attend.py").read_bytes())
    assert ask()[0] == 0
    work.write_bytes((WRONG / "scale_missing_einsum.py").read_bytes())
    assert ask() == (1, "scale-missing")  # what was done and came back begins anew


def test_again_and_from_start_are_not_asked_together(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="choose one"):
        next_hint("attend", tmp_path, again=True, start=True)


def test_the_command_gives_a_hint_and_refuses_what_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    command = [sys.executable, "-m", "grader", "hint"]
    file = str(WRONG / "scale_missing_einsum.py")
    done = subprocess.run(
        [*command, "attend", "--submission", file], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Hint 1 of 3: {NUDGE}" in done.stdout
    refused = subprocess.run(
        [*command, "atend", "--lesson", SLUG], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("grader: atend: this lesson has no such step; did you mean attend?")
