from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
from pathlib import Path

import pytest

from grader.core.errors import LessonError
from grader.course.audit.equivalents import FILE, Justification, Justified, read_equivalents, settle
from grader.course.audit.findings import (
    Audit,
    CheckFinding,
    KnownFinding,
    Loss,
    MutantFinding,
    Outcome,
    Stale,
    StepFinding,
    WorkFinding,
    check_findings,
)
from grader.course.audit.matrix import render as render_page
from grader.course.audit.mutants import Mutant
from grader.course.audit.problems import problems
from grader.course.audit.screen import render
from grader.course.audit.whole import sample

REASON = "adds nothing, and what is added to nothing stays what it is"


def finding(name: str, outcome: Outcome = "killed", *killers: str, **fields: object) -> MutantFinding:
    plain = {
        "step": "add",
        "file": "add.py",
        "line": 3,
        "operator": "arithmetic",
        "was": "a + b",
        "now": "a - b",
    }
    return MutantFinding.model_validate(
        {"id": f"add/{name}", "outcome": outcome, "killed_by": killers, **plain, **fields}
    )


def mutant(name: str) -> Mutant:
    return Mutant(f"add/{name}", "add", "add.py", 3, "arithmetic", "a + b", "a - b", "a - b\n")


def justify(name: str, was: str = "a + b", now: str = "a - b") -> Justification:
    return Justification(reason=REASON, mutants=(Justified(id=f"add/{name}", was=was, now=now),))


def audit(**fields: object) -> Audit:
    known = KnownFinding(id="minus", step="add", killed_by=("values",), named=("minus",), right=True)
    mutants = (
        finding("one", "killed", "values", "refuses", behaviour="answers", named=("minus",)),
        finding("two", "equivalent", reason=REASON),
        finding("three", "killed", "values", behaviour="answers"),
    )
    step = StepFinding(
        step="add", checks={"values": "Sums", "refuses": "Errors"}, known=(known,), mutants=mutants
    )
    plain = {"lesson": "tiny", "seed": 7, "proved": True, "problems": (), "known": step.known, "whole": True}
    work = (WorkFinding(kind="solution", tried=1, losses=()), WorkFinding(kind="seeds", tried=4, losses=()))
    return Audit.model_validate(
        {
            **plain,
            "work": work,
            "mutants": mutants,
            "stale": (),
            "checks": check_findings([step]),
            "seconds": 2.5,
        }
        | fields
    )


# --- the kill matrix ------------------------------------------------------------------------------


def test_a_check_is_idle_when_others_fail_all_that_it_fails() -> None:
    assert audit().checks == (
        CheckFinding(step="add", id="values", title="Sums", kills=3, alone=2),
        CheckFinding(step="add", id="refuses", title="Errors", kills=1, alone=0),
    )
    assert [check.id for check in audit().idle()] == ["refuses"]


def test_counts_are_by_step_and_by_operator() -> None:
    row = {"killed": 2, "equivalent": 1, "survived": 0}
    assert audit().counted("step") == {"add": row}
    assert audit().counted("operator") == {"arithmetic": row}


def test_a_gap_is_a_wrong_answer_without_a_name() -> None:
    assert [gap.id for gap in audit().gaps()] == ["add/three"]


def test_the_json_holds_the_matrix_and_the_tables() -> None:
    told = json.loads(audit().to_json())
    assert told["version"] == 1
    assert [mutant["killed_by"] for mutant in told["mutants"]] == [["values", "refuses"], [], ["values"]]
    assert told["operators"] == {"arithmetic": {"killed": 2, "equivalent": 1, "survived": 0}}
    assert told["idle_checks"] == ["add/refuses"]
    assert told["unnamed"] == ["add/three"]


# --- justified survivors --------------------------------------------------------------------------


def test_a_justified_survivor_is_equivalent() -> None:
    found, stale = settle([finding("one", "survived")], {"add/one": mutant("one")}, [justify("one")])
    assert (found[0].outcome, found[0].reason) == ("equivalent", REASON)
    assert stale == ()


def test_a_survivor_without_a_reason_survives() -> None:
    found, stale = settle([finding("one", "survived")], {"add/one": mutant("one")}, [])
    assert [one.outcome for one in found] == ["survived"]
    assert stale == ()


def test_a_reason_for_what_is_killed_is_stale() -> None:
    found, stale = settle([finding("one", "killed", "values")], {"add/one": mutant("one")}, [justify("one")])
    assert [one.outcome for one in found] == ["killed"]
    assert [(one.id, one.why) for one in stale] == [("add/one", "the checks kill it now: 'a - b'")]


def test_a_reason_for_what_is_not_there_is_stale() -> None:
    _, stale = settle([], {}, [justify("gone")])
    assert [(one.id, one.why) for one in stale] == [
        ("add/gone", "there is no such mutant any more (it was 'a + b')")
    ]


def test_a_reason_that_shows_other_lines_is_stale_and_counts_for_nothing() -> None:
    entries = [justify("one", now="a * b")]
    found, stale = settle([finding("one", "survived")], {"add/one": mutant("one")}, entries)
    assert [one.outcome for one in found] == ["survived"]
    assert [one.why for one in stale] == ["its lines are not those of the mutant with this id"]


def test_what_was_not_tried_this_time_is_not_stale() -> None:
    _, stale = settle([], {"add/one": mutant("one")}, [justify("one")])
    assert stale == ()


def test_the_file_is_read_with_its_reasons(tmp_path: Path) -> None:
    assert read_equivalents(tmp_path) == ()
    text = f"- reason: {REASON}\n  mutants:\n    - {{id: add/one, was: a + b, now: a - b}}\n"
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    assert read_equivalents(tmp_path) == (justify("one"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- reason: because\n  mutants:\n    - {id: a, was: b}\n", "line 1: String should have at least 20"),
        (f"- reason: {REASON}\n  mutants: []\n", "line 2: Tuple should have at least 1"),
        (
            f"- reason: {REASON}\n  mutants: [{{id: a, was: b}}, {{id: a, was: b}}]\n",
            "the mutant a stands twice",
        ),
        ("reason: none\n", "expected a list"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(LessonError, match=re.escape(said)):
        read_equivalents(tmp_path)


# --- what keeps it from being a proof -------------------------------------------------------------


def test_nothing_wrong_is_no_problem() -> None:
    assert problems(audit()) == ()


def test_every_fault_is_one_line() -> None:
    lost = Loss(who="fancy.py", step="add", check="values", message="expected 2, got 3")
    found = audit(
        work=(WorkFinding(kind="right", tried=2, losses=(lost,)),),
        known=(
            KnownFinding(id="minus", step="add", killed_by=(), named=(), right=False),
            KnownFinding(id="times", step="add", killed_by=("values",), named=("minus",), right=False),
        ),
        mutants=(finding("one", "survived"),),
        stale=(Stale(id="add/two", why="there is no such mutant any more"),),
    )
    assert problems(found) == (
        "fancy.py: add/values: expected 2, got 3",
        "the known mistake minus passes every check of add, or cannot be made in it",
        "the known mistake times is called minus in add",
        "add.py, line 3: no check notices this (arithmetic, add/one)",
        "the justification of add/two is stale: there is no such mutant any more",
    )


def test_a_sample_is_spread_evenly_and_repeats_nothing() -> None:
    every = [mutant(str(number)) for number in range(10)]
    assert sample(every, None) == sample(every, 10) == sample(every, 99) == every
    assert [one.id for one in sample(every, 3)] == ["add/0", "add/3", "add/6"]
    assert sample(every, 0) == []


# --- shown ----------------------------------------------------------------------------------------


def unproved() -> Audit:
    wrong = audit(mutants=(finding("one", "survived", now="<script>"),))
    return wrong.model_copy(update={"problems": problems(wrong), "proved": False})


def test_the_terminal_says_what_is_proved() -> None:
    told = render(audit(), width=80, colour=False)
    assert told.splitlines()[0] == "tiny is proved (in 2 s, seed 7)"
    assert "✓ The solution passes on other seeds (4)" in told
    assert "✓ Every mutant is noticed, or is justified as equivalent (3)" in told
    assert "add/refuses (1)" in told
    assert "\x1b" not in told


def test_the_terminal_shows_a_survivor_as_a_diff() -> None:
    told = render(unproved(), width=80, colour=False)
    assert "not proved: 1 problem" in told.splitlines()[0]
    assert "✗ Every mutant is noticed" in told
    assert "add.py, line 3, arithmetic, add/one\n  - a + b\n  + <script>\n" in told


def test_a_sample_is_never_called_a_proof() -> None:
    told = render(audit(whole=False), width=80, colour=False)
    assert told.splitlines()[0] == "tiny: nothing found with a sample of the mutants (in 2 s, seed 7)"


def test_a_narrow_terminal_without_unicode_can_show_it() -> None:
    told = render(unproved(), width=30, colour=False, unicode=False)
    assert told.isascii()
    assert max(map(len, told.splitlines())) <= 30


class Page(html.parser.HTMLParser):
    """Which tags a page opens, and whether it closes them."""

    EMPTY = ("meta", "br", "link")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("found", [audit(), unproved()], ids=["proved", "not"])
def test_the_page_stands_alone(found: Audit) -> None:
    text = render_page(found)
    page = Page(text)
    assert page.open == []
    assert {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe"} == set()
    assert not any("src" in attrs or "href" in attrs or "style" in attrs for _, attrs in page.tags)
    policy = next(a["content"] or "" for t, a in page.tags if "Content-Security-Policy" in a.values())
    style = text[text.index("<style>") + 7 : text.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert "prefers-color-scheme: dark" in style
    assert 'name="viewport"' in text
    assert ('<h1 class="good">' in text) == found.proved


def test_the_page_has_a_cross_for_every_kill() -> None:
    assert render_page(audit()).count('<td class="kill">×</td>') == 2 + 1 + 1
    assert REASON in render_page(audit())
    assert "&lt;script&gt;" in render_page(unproved())


def test_a_distance_is_a_number_however_far_an_answer_is_off() -> None:
    import numpy as np

    from grader.course.audit.distances import FARTHEST, ratios
    from grader.lesson.answers import Answer, TensorValue
    from grader.lesson.probes import Probe

    def tensor(value: float) -> TensorValue:
        return TensorValue("float64", (1,), "cpu", "Tensor", np.array([value]))

    probe = Probe("s/p", "s", frozenset(), "", {}, (), ("y",), sizes={"T": 4})
    want = {"s/p": {"y": tensor(1.0)}}
    near = ratios([probe], want, {"s/p": Answer("s/p", "returned", {"y": tensor(1.0 + 1e-7)})})
    far = ratios(
        [probe], {"s/p": {"y": tensor(1e308)}}, {"s/p": Answer("s/p", "returned", {"y": tensor(-1e308)})}
    )
    assert 0 < near["s/p"] < 1
    assert far["s/p"] <= FARTHEST
    assert ratios([probe], want, {"s/p": Answer("s/p", "raised")}) == {}
