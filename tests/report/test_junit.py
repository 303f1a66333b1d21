from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings

from grader.core.records import Record
from grader.report.junit import render
from tests.tools.report_records import BOIL, FULL, MIDWAY, RECORDS, check, mistake, record, step

COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def parsed(one: Record) -> ET.Element:
    return ET.fromstring(render(one))


def properties(element: ET.Element) -> list[tuple[str | None, str | None]]:
    return [(item.get("name"), item.get("value")) for item in element.findall("properties/property")]


def outcome(case: ET.Element) -> str:
    return next((child.tag for child in case if child.tag != "properties"), "passed")


def test_a_suite_is_a_step_and_a_case_is_a_check() -> None:
    root = parsed(record(step("peel", "passed", 15, 15, checks=(check("cut", "passed", 15, 15),)), BOIL))
    assert (root.tag, root.get("name"), root.get("time")) == ("testsuites", "soup", "2.340")
    assert [suite.get("name") for suite in root] == ["peel", "boil"]
    cases = [(case.get("classname"), case.get("name"), outcome(case)) for case in root.iter("testcase")]
    assert cases == [
        ("soup.peel", "cut", "passed"),
        ("soup.boil", "shape", "passed"),
        ("soup.boil", "values", "failure"),
        ("soup.boil", "lid", "failure"),
        ("soup.boil", "cuda", "skipped"),
    ]


@pytest.mark.parametrize(
    ("status", "tag"),
    [("passed", "passed"), ("failed", "failure"), ("broken", "error"), ("not_reached", "skipped")],
)
def test_a_checks_status_is_its_outcome(status: str, tag: str) -> None:
    root = parsed(record(step("peel", "partial", checks=(check("cut", status),))))
    assert [outcome(case) for case in root.iter("testcase")] == [tag]


@pytest.mark.parametrize(
    ("status", "tag"),
    [
        ("passed", "passed"),
        ("partial", "failure"),
        ("failed", "failure"),
        ("broken", "error"),
        ("not_reached", "skipped"),
        ("not_attempted", "skipped"),
    ],
)
def test_a_step_without_checks_is_a_case_of_its_own(status: str, tag: str) -> None:
    (case,) = parsed(record(step("peel", status, note="why"))).iter("testcase")
    assert (case.get("classname"), case.get("name"), outcome(case)) == ("soup.peel", "peel", tag)
    assert [child.get("message") for child in case if child.tag != "properties"] == ["Peel: why"] * (
        tag != "passed"
    )


def test_nobody_fails_a_check_of_a_step_nobody_tried() -> None:
    one = record(step("peel", "not_attempted", note="peel.py is missing", checks=(check("cut", "failed"),)))
    (skipped,) = parsed(one).iter("skipped")
    assert skipped.get("message") == "The cut: peel.py is missing"


def test_a_failure_says_one_line_and_then_everything() -> None:
    failure = next(parsed(record(BOIL)).iter("failure"))
    assert failure.get("message") == "The soup is that of the formula: Every pot is softmax(q kᵀ / √d_k)."
    assert failure.get("type") == "check failed"
    assert (failure.text or "").splitlines() == [
        "Every pot is softmax(q kᵀ / √d_k).",
        "expected: pots (B=2, h=3)",
        "came: the right shape, other values; 5 of 6 numbers differ",
        "most at [b=1, pot 2]: expected 0.4127, came 1.3301",
        "the pots are not divided by √d_k: On every probe your pots are those of one who forgets to divide.",
    ]


def test_a_fault_of_ours_is_an_error() -> None:
    (error,) = parsed(record(step("bill", "broken", note="no expected answer"))).iter("error")
    assert (error.get("type"), error.get("message")) == ("grader failed", "Bill: no expected answer")


def test_points_mistakes_seed_and_isolation_are_properties_of_the_suite() -> None:
    done = step(
        "peel",
        "partial",
        1 / 3,
        15,
        mistakes=(mistake("salt"), mistake("lid")),
        note="why",
        review=("look",),
        advice=("faster",),
    )
    (suite,) = parsed(record(done, score=1 / 3))
    assert properties(suite) == [
        ("title", "Peel"),
        ("status", "partial"),
        ("points", "0.3333"),
        ("max_points", "15"),
        ("mistake", "salt"),
        ("mistake_title", "the salt is wrong"),
        ("mistake", "lid"),
        ("mistake_title", "the lid is wrong"),
        ("note", "why"),
        ("review", "look"),
        ("advice", "faster"),
        ("score", "0.3333"),
        ("max_score", "15"),
        ("seed", "10100"),
        ("isolation", "sealed"),
        ("submission", "mia.zip"),
        ("submission_sha256", "ab" * 32),
    ]


def test_points_are_properties_of_the_case() -> None:
    one = record(step("peel", "partial", checks=(check("cut", "failed", 2.5, 1234567),)))
    (case,) = parsed(one).iter("testcase")
    assert properties(case) == [
        ("title", "The cut"),
        ("status", "failed"),
        ("points", "2.5"),
        ("max_points", "1234567"),
    ]


def test_an_unknown_isolation_is_said_to_be_unknown() -> None:
    (suite,) = parsed(record(step("peel"), environment={}))
    assert ("isolation", "unknown") in properties(suite)


def test_prints_are_the_suites_output_in_full() -> None:
    prints = "q (2, 3)\n" * 7000
    (suite,) = parsed(record(step("peel", "failed", prints=prints)))
    assert suite.findtext("system-out") == prints
    assert parsed(FULL)[0].find("system-out") is None


def test_the_document_is_the_same_every_time_and_says_its_encoding() -> None:
    text = render(MIDWAY)
    assert text == render(Record.model_validate_json(MIDWAY.to_json()))
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<testsuites ')
    assert text.endswith("</testsuites>\n")


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\x0b", "\r", "\x85", "\u202e", "\ufffe", "\uffff"])
def test_what_cannot_stand_in_xml_or_be_seen_is_written_out(bad: str) -> None:
    one = record(step("peel", "failed", title=f"a{bad}b", note=f"c{bad}d <&>\"']]>", prints=f"e{bad}f"))
    root = parsed(one)
    assert bad not in render(one)
    (failure,) = root.iter("failure")
    assert (failure.text or "").startswith("c\\")
    assert (failure.text or "").endswith("d <&>\"']]>")
    assert dict(properties(root[0]))["title"] not in ("ab", f"a{bad}b")


@settings(max_examples=60, derandomize=True, deadline=None, database=None)
@given(one=RECORDS)
def test_any_record_is_xml_whose_counts_agree(one: Record) -> None:
    root = parsed(one)
    assert [suite.tag for suite in root] == ["testsuite"] * len(one.steps)
    for suite, told in zip(root, one.steps, strict=True):
        cases = suite.findall("testcase")
        assert len(cases) == max(1, len(told.checks)) == int(suite.get("tests", ""))
        for key, tag in COUNTS.items():
            assert int(suite.get(key, "")) == sum(outcome(case) == tag for case in cases)
        assert dict(properties(suite))["status"] == told.status
    for key in ("tests", *COUNTS):
        assert int(root.get(key, "")) == sum(int(suite.get(key, "")) for suite in root)
    assert float(root.get("time", "")) == pytest.approx(one.seconds, abs=1e-3)
