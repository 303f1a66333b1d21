"""From verdicts and diagnoses to points: only evidence earns, and whose fault it was is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.core.records import CheckRecord, MistakeRecord, StepRecord, StepStatus
from grader.lesson.lesson import Step
from grader.lesson.reference import Mistake

from .pytest_plugin import Verdict

POINTER = 1  # of a mistake's ladder of hints, the one shown with the grade


@dataclass(frozen=True, slots=True)
class Account:
    """All that is known of one step before its points are counted.

    `absent` says why there was nothing to judge; `barred` which ready-made function was used; `carried`
    names neighbours whose known mistakes explain every answer; `blocked` a neighbour wrong without a name.
    `kept_back` are points that a step which is right all the same does not get. Of a file that Python cannot
    read (`unread`) the note says what to do, and the step's own hint is too early.
    """

    step: Step
    verdicts: tuple[Verdict, ...]
    mistakes: tuple[Mistake, ...] = ()
    absent: str = ""
    barred: str = ""
    carried: str = ""
    blocked: str = ""
    note: str = ""
    review: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    extra: tuple[CheckRecord, ...] = ()
    prints: str = ""
    unread: bool = False
    kept_back: float = 0.0


def score_step(account: Account) -> StepRecord:
    """A step's record. Possible points come from the step, never from the run."""
    earned = _earned(account)
    checks = (*(_check(verdict, earned[verdict.id]) for verdict in account.verdicts), *account.extra)
    stopped = account.absent or account.barred or account.blocked
    whole = account.step.points - account.kept_back
    total = whole if account.carried and not stopped else sum(earned.values())
    return StepRecord(
        id=account.step.id,
        title=account.step.title,
        status=_status(account, total),
        score=total,
        max_score=account.step.points,
        checks=checks,
        review=account.review,
        mistakes=tuple(_mistake(told) for entry in account.mistakes for told in entry.told or (entry,)),
        note=account.absent or account.barred or account.carried or account.blocked or account.note,
        advice=account.advice,
        hint="" if total >= account.step.points or account.unread else account.step.hint,
        prints=account.prints,
    )


def _earned(account: Account) -> dict[str, float]:
    """Points by check: nothing for properties alone in a step none of whose value checks passed."""
    values = any(verdict.value and verdict.status == "passed" for verdict in account.verdicts)
    open_ = values and not (account.absent or account.barred or account.blocked)
    return {
        verdict.id: verdict.points if open_ and verdict.status == "passed" else 0.0
        for verdict in account.verdicts
    }


def _status(account: Account, total: float) -> StepStatus:
    if any(verdict.status == "broken" for verdict in account.verdicts):
        return "broken"
    if account.absent:
        return "not_attempted"
    if account.barred:
        return "failed"
    if account.blocked:
        return "not_reached"
    if total >= account.step.points:
        return "passed"
    return "partial" if total > 0 else "failed"


def _check(verdict: Verdict, points: float) -> CheckRecord:
    return CheckRecord(
        id=verdict.id,
        title=verdict.title,
        status=verdict.status,
        points=points,
        max_points=verdict.points,
        message=verdict.message[:500],
    )


def _mistake(entry: Mistake) -> MistakeRecord:
    hint = entry.hint[min(POINTER, len(entry.hint) - 1)] if entry.hint else ""
    return MistakeRecord(id=entry.name, title=entry.title, message=entry.message, hint=hint)


def wrong_points(steps: Sequence[Step], verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    """A sentence when a step's checks do not add up to its points; "" when all do."""
    for step in steps:
        total = sum(verdict.points for verdict in verdicts.get(step.id, ()))
        if abs(total - step.points) > 1e-9:
            return f"the checks of {step.id} are worth {total:g} points, lesson.yaml says {step.points:g}"
    return ""
