from __future__ import annotations

from typing import Any

import pytest

from grader.core.records import CheckRecord, Record, StepRecord, SubmissionRecord
from grader.judging.pytest_plugin import Verdict
from grader.judging.score import Account, score_step, wrong_points
from grader.lesson.lesson import Step
from grader.lesson.reference import Mistake

STEP = Step.model_validate(
    {
        "id": "add",
        "title": "Add",
        "file": "add.py",
        "points": 10,
        "provides": [{"name": "add"}],
        "hint": "look again",
    }
)
SCALE = Mistake(id="x-scale", home="add", title="No scale", message="It is not scaled.", hint=("a", "b", "c"))


def verdict(name: str, points: float, status: str, *, value: bool = False, message: str = "") -> Verdict:
    return Verdict(name, "add", f"About {name}", points, value, status, message)  # type: ignore[arg-type]


def account(*verdicts: Verdict, **fields: Any) -> StepRecord:
    return score_step(Account(STEP, verdicts, **fields))


ALL = (verdict("values", 6, "passed", value=True), verdict("shape", 4, "passed"))


def test_everything_passed_earns_the_steps_points() -> None:
    record = account(*ALL)
    assert (record.status, record.score, record.max_score, record.hint, record.note) == (
        "passed",
        10,
        10,
        "",
        "",
    )
    assert [(check.points, check.max_points) for check in record.checks] == [(6, 6), (4, 4)]


def test_part_of_it_earns_part_and_gets_the_hint() -> None:
    record = account(ALL[0], verdict("shape", 4, "failed", message="too wide"))
    assert (record.status, record.score, record.hint) == ("partial", 6, "look again")
    assert record.checks[1] == CheckRecord(
        id="shape", title="About shape", status="failed", points=0, max_points=4, message="too wide"
    )


def test_of_a_file_that_cannot_be_read_the_note_is_the_hint() -> None:
    record = account(verdict("values", 10, "failed", value=True), note="add.py: line 1", unread=True)
    assert (record.status, record.note, record.hint) == ("failed", "add.py: line 1", "")


def test_a_property_alone_earns_nothing() -> None:
    record = account(verdict("values", 6, "failed", value=True), verdict("shape", 4, "passed"))
    assert (record.status, record.score) == ("failed", 0)
    assert [(check.status, check.points, check.max_points) for check in record.checks] == [
        ("failed", 0, 6),
        ("passed", 0, 4),
    ]


@pytest.mark.parametrize("status", ["failed", "not_reached", "broken"])
def test_only_what_passed_earns(status: str) -> None:
    assert account(ALL[0], verdict("shape", 4, status)).score == 6
    assert account(verdict("values", 6, status, value=True), ALL[1]).score == 0


def test_one_value_check_of_several_is_evidence_enough() -> None:
    record = account(
        verdict("plain", 3, "passed", value=True), verdict("mask", 3, "failed", value=True), ALL[1]
    )
    assert (record.status, record.score) == ("partial", 7)


def test_a_fault_of_ours_is_said_and_is_no_zero_of_the_learners() -> None:
    record = account(ALL[0], verdict("shape", 4, "broken", message="the check itself failed: KeyError"))
    assert (record.status, record.score) == ("broken", 6)
    assert record.checks[1].message == "the check itself failed: KeyError"


def test_possible_points_come_from_the_step_not_from_the_run() -> None:
    assert (account().max_score, account().score, account().status) == (10, 0, "failed")
    assert account(absent="add.py is not there").max_score == 10


def test_what_is_absent_is_not_attempted_and_says_why() -> None:
    record = account(*ALL, absent="add.py is not there")
    assert (record.status, record.score, record.note) == ("not_attempted", 0, "add.py is not there")


def test_a_ready_made_function_bars_every_point() -> None:
    record = account(*ALL, barred="this step uses nn.Ready")
    assert (record.status, record.score, record.note) == ("failed", 0, "this step uses nn.Ready")
    assert [check.points for check in record.checks] == [0, 0]


def test_a_neighbours_known_mistake_costs_nothing_here() -> None:
    record = account(verdict("values", 6, "failed", value=True), carried="full points: carried forward")
    assert (record.status, record.score, record.note, record.hint) == (
        "passed",
        10,
        "full points: carried forward",
        "",
    )


def test_a_neighbours_nameless_mistake_leaves_the_step_not_reached() -> None:
    record = account(ALL[0], verdict("shape", 4, "failed"), blocked="imports base.py, which is not right yet")
    assert (record.status, record.score, record.note) == (
        "not_reached",
        0,
        "imports base.py, which is not right yet",
    )


def test_a_barred_step_is_not_saved_by_a_carried_mistake() -> None:
    record = account(*ALL, barred="this step uses nn.Ready", carried="full points")
    assert (record.status, record.score, record.note) == ("failed", 0, "this step uses nn.Ready")


def test_mistakes_are_shown_with_the_pointer_of_their_ladder_of_hints() -> None:
    short = SCALE.model_copy(update={"hint": ("only",), "id": "short"})
    none = SCALE.model_copy(update={"hint": (), "id": "none"})
    form = SCALE.model_copy(update={"form_of": "scale", "id": "scale-again"})
    record = account(mistakes=(SCALE, short, none, form))
    assert [(entry.id, entry.hint) for entry in record.mistakes] == [
        ("x-scale", "b"),
        ("short", "only"),
        ("none", ""),
        ("scale", "b"),
    ]
    assert (record.mistakes[0].title, record.mistakes[0].message) == ("No scale", "It is not scaled.")


def test_what_else_is_known_is_handed_on() -> None:
    gpu = CheckRecord(id="gpu", title="GPU", status="not_reached", points=0, max_points=0)
    record = account(*ALL, review=("r",), advice=("a",), extra=(gpu,), prints="p", note="n")
    assert (record.review, record.advice, record.prints, record.note) == (("r",), ("a",), "p", "n")
    assert record.checks[-1] == gpu
    assert record.score == 10


def test_a_long_message_is_cut() -> None:
    assert (
        len(account(verdict("values", 6, "failed", value=True, message="x" * 900)).checks[0].message) == 500
    )


def test_points_are_added_exactly_and_written_with_four_decimals() -> None:
    thirds = [verdict(f"v{n}", 10 / 3, "passed", value=True) for n in range(3)]
    step = account(*thirds)
    assert (step.status, step.score) == ("passed", 10)
    partial = account(thirds[0])
    record = Record(
        lesson="tiny", submission=SubmissionRecord(name="a", sha256="0"), score=partial.score,
        max_score=10, seed=1, steps=(partial,), environment={}, seconds=0.123456,
    )  # fmt: skip
    assert '"score": 3.3333,' in record.to_json()
    assert '"seconds": 0.1235' in record.to_json()


def test_checks_that_do_not_add_up_to_the_steps_points_are_told() -> None:
    assert wrong_points([STEP], {"add": ALL}) == ""
    assert (
        wrong_points([STEP], {"add": ALL[:1]}) == "the checks of add are worth 6 points, lesson.yaml says 10"
    )
    assert wrong_points([STEP], {}) == "the checks of add are worth 0 points, lesson.yaml says 10"
