"""What is plain to see in a transcript before any value is compared: absence, skeletons, bans, advice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from grader.core.own_words import own
from grader.core.text import odd_letter
from grader.judging.failure_text import halted, loading, nameless
from grader.lesson.answers import Answer, Loading, Transcript
from grader.lesson.lesson import Lesson, Step
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake
from grader.submission.model import Submission
from grader.submission.source_index import Code

from .run import Run


def absent(step: Step, submission: Submission, run: Run, found: Transcript) -> str:
    """Why a step counts as not attempted; "" when there is something to judge."""
    if step.file in submission.problems:
        return ""
    report = found.loadings.get(step.id)
    names = " or ".join(f"`{item.name}`" for item in step.provides)
    if submission.form == "folder" and step.id not in run.modules:
        return f"{step.file} is not there"
    if report is None:
        return f"{names} was not found in {submission.name}"
    if report.error is not None or report.stopped or report.found or report.fault:
        return ""
    where = step.file if submission.form == "folder" else submission.name
    near = _nearest([item.name for item in step.provides], report.seen)
    also = f"; the nearest name in it is `{own(near)}`{odd_letter(near)}" if near else ""
    return f"{where} has nothing named {names}{also}{''.join(f'; {said}' for said in _halts(report)[:1])}"


def only_skeleton(step: Step, answers: Sequence[Answer]) -> str:
    """A sentence when every answer is the skeleton's own NotImplementedError."""
    if not answers or not all(_unwritten(answer) for answer in answers):
        return ""
    return f"{step.file} is still the skeleton"


def _unwritten(answer: Answer) -> bool:
    raised = answer.raised
    if raised is None:
        return answer.outcome == "absent"
    return "NotImplementedError" in raised.types and len(raised.lines) == 1


def banned(lesson: Lesson, step: Step, answers: Iterable[Answer]) -> str:
    """A kind sentence when a ready-made function was used while the step ran."""
    said = {item.name: item.say for item in lesson.forbidden}
    used = [name for answer in answers for name in answer.used if name in said]
    if not step.forbid or not used:
        return ""
    return (
        f"this step uses {said[used[0]]}, which does the work ready-made: write it out by hand here "
        "(comparing with it outside the step is fine)"
    )


def advice(step: Step, probes: Iterable[Probe], found: Transcript) -> tuple[str, ...]:
    """What costs nothing but is worth saying: work that grows with the number of tokens or samples."""
    counts: dict[str, list[int]] = {"count-tokens": [], "count-batch": []}
    small = None
    for probe in probes:
        answer = found.answers.get(probe.id)
        if probe.step != step.id or not probe.count or answer is None or not answer.operations:
            continue
        if "count-tokens" in probe.tags:
            counts["count-tokens"].append(answer.operations)
            small = answer.operations if small is None else small
        else:
            counts["count-batch"].append(answer.operations)
    tokens, batch = counts["count-tokens"], counts["count-batch"]
    said = []
    if len(tokens) == 2 and 4 * tokens[1] > 5 * tokens[0]:
        said.append(
            "there is a Python loop over tokens: right, but one tensor operation for all of them is faster"
        )
    if batch and small and 4 * batch[0] > 5 * small:
        said.append(
            "there is a Python loop over samples: right, but one tensor operation for all of them is faster"
        )
    return tuple(said)


def halts(found: Transcript) -> tuple[str, ...]:
    """Where a notebook's cells stopped and were gone on with, each place once, whatever it was told as."""
    places: dict[tuple[str, int], str] = {}
    for report in found.loadings.values():
        for label, raised in report.passed_over:
            line = raised.lines[0].number if raised.lines else 0
            places.setdefault((label, line), halted(label, raised))
    return tuple(places.values())


def _halts(report: Loading) -> list[str]:
    return [halted(label, raised) for label, raised in report.passed_over]


def lacking(step: Step, answers: Iterable[Answer], found: Transcript) -> str:
    """Why names are missing: the cells that stopped before they had made them; "" where none are or none did."""
    report = found.loadings.get(step.id)
    unknown = any(answer.raised is not None and "NameError" in answer.raised.types for answer in answers)
    if report is None or not report.passed_over or not unknown:
        return ""
    return "\n".join(
        [*_halts(report), "The rest was run. Write the step so that it needs nothing of what stopped."]
    )


def borne_out(mistakes: Iterable[Mistake], step: Step, submission: Submission) -> tuple[Mistake, ...]:
    """The mistakes whose words about the source are true of the file that a step is in."""
    own_file = [module for module in submission.modules if f"{module.name}.py" == step.file]
    codes = [cell.code for module in own_file or submission.modules for cell in module.cells]
    return tuple(
        entry
        for entry in mistakes
        if all(_called_in(codes, function) & set(names) for function, names in entry.calls.items())
    )


def _called_in(codes: Iterable[Code], function: str) -> set[str]:
    """What functions of this name call, by last names: `Linear` of `nn.Linear(8, 8)`."""
    return {name for code in codes for name in code.calls.get(function, ())}


def misnamed(where: str, answers: Iterable[Answer]) -> str:
    """Why no weight could be given to the step's class; "" where they could."""
    return next((f"{where}: {own(answer.message)}" for answer in answers if nameless(answer)), "")


def import_failure(step: Step, submission: Submission, found: Transcript) -> str:
    """Why the file that a step is in could not be imported; "" when it was."""
    report = found.loadings.get(step.id)
    if report is None or (report.error is None and not report.stopped):
        return ""
    return loading(step.file if submission.form == "folder" else submission.name, report)


def _nearest(wanted: Sequence[str], seen: Sequence[str]) -> str:
    for name in wanted:
        near = difflib.get_close_matches(name, seen, 1, 0.6)
        if near:
            return near[0]
    return ""
