"""The record as JUnit XML: one suite a step, one case a check, points and mistakes as properties."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from math import isfinite

from grader.core.escape import xml
from grader.core.records import CheckRecord, Record, StepRecord

from . import story

_PRINTS_LIMIT = 1 << 20  # characters: the 64 KiB kept of a step, should every byte be written out
_OUTCOMES = {"failed": "failure", "broken": "error", "not_reached": "skipped"}
_STEP_OUTCOMES = {"partial": "failure", "not_attempted": "skipped", **_OUTCOMES}


def render(record: Record) -> str:
    """The XML document as text; valid XML 1.0 whatever text the record holds."""
    root = ET.Element("testsuites", name=xml(record.lesson))
    suites = [_suite(record, step) for step in record.steps]
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    # Only the whole has a time: steps share their processes, and a guess for each would be made up.
    root.set("time", f"{record.seconds:.3f}")
    root.extend(suites)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(record: Record, step: StepRecord) -> ET.Element:
    """One step; without checks it gets one case of its own, so that an empty suite never looks green."""
    classname = xml(f"{record.lesson}.{step.id}")
    cases = [_case(step, check, classname) for check in step.checks] or [_whole_step(step, classname)]
    suite = ET.Element("testsuite", name=xml(step.id), tests=str(len(cases)))
    for key, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(key, str(sum(case.find(outcome) is not None for case in cases)))
    _add_properties(suite, _suite_properties(record, step))
    suite.extend(cases)
    if step.prints:
        ET.SubElement(suite, "system-out").text = xml(step.prints, keep_lines=True, limit=_PRINTS_LIMIT)
    return suite


def _suite_properties(record: Record, step: StepRecord) -> Iterable[tuple[str, str]]:
    yield "title", step.title
    yield "status", step.status
    yield "points", _number(step.score)
    yield "max_points", _number(step.max_score)
    for mistake in step.mistakes:
        yield "mistake", mistake.id
        yield "mistake_title", mistake.title
    if step.note:
        yield "note", step.note
    yield from (("review", line) for line in step.review)
    yield from (("advice", line) for line in step.advice)
    yield "score", _number(record.score)
    yield "max_score", _number(record.max_score)
    yield "seed", str(record.seed)
    yield "isolation", str(record.environment.get("isolation", "unknown"))
    if "standard" in record.environment:
        yield "standard", str(record.environment["standard"])
    yield "submission", record.submission.name
    yield "submission_sha256", record.submission.sha256


def _case(step: StepRecord, check: CheckRecord, classname: str) -> ET.Element:
    case = ET.Element("testcase", name=xml(check.id), classname=classname)
    _add_properties(case, [
        ("title", check.title),
        ("status", check.status),
        ("points", _number(check.points)),
        ("max_points", _number(check.max_points)),
    ])  # fmt: skip
    outcome = _OUTCOMES.get(check.status)
    if outcome == "failure" and step.status == "not_attempted":
        outcome = "skipped"  # nobody failed at what nobody tried
    if outcome is not None:
        _add_outcome(case, outcome, check.title, check.message or step.note, step)
    return case


def _whole_step(step: StepRecord, classname: str) -> ET.Element:
    case = ET.Element("testcase", name=xml(step.id), classname=classname)
    _add_properties(case, [
        ("title", step.title),
        ("status", step.status),
        ("points", _number(step.score)),
        ("max_points", _number(step.max_score)),
    ])  # fmt: skip
    outcome = _STEP_OUTCOMES.get(step.status)
    if outcome is not None:
        _add_outcome(case, outcome, step.title, step.note or story.reason(step), step)
    return case


def _add_outcome(case: ET.Element, outcome: str, title: str, message: str, step: StepRecord) -> None:
    """A failure, error or skip: one line as its message; what failed has everything known as its text."""
    first = message.strip().partition("\n")[0]
    element = ET.SubElement(case, outcome, message=xml(f"{title}: {first}" if first else title))
    if outcome == "skipped":
        return
    element.set("type", "check failed" if outcome == "failure" else "grader failed")
    lines = [message, *(f"{mistake.title}: {mistake.message}" for mistake in step.mistakes)]
    element.text = xml("\n".join(line for line in lines if line.strip()), keep_lines=True)


def _add_properties(parent: ET.Element, pairs: Iterable[tuple[str, str]]) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in pairs:
        ET.SubElement(properties, "property", name=name, value=xml(value, keep_lines=True))


def _number(value: float) -> str:
    """Points as the record writes them: at most 4 decimals."""
    return str(int(value) if isfinite(value) and value == int(value) else round(value, 4))
