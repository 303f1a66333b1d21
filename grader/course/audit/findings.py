"""What an audit found, as plain frozen values: these travel between its processes and into its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from grader.core.records import Frozen

Outcome = Literal["killed", "survived", "equivalent"]
PairOutcome = Literal["named", "alike", "half", "other", "nothing"]


class MutantFinding(Frozen):
    """What became of one mutant.

    `killed_by` are the checks of its step that failed it. `behaviour` says whether it gave any wrong answer
    at all: "answers" (a wrong value came home), "crashes" (it only ever raised or was stopped). `named` are
    the catalogue's entries whose answers these are.
    """

    id: str
    step: str
    file: str
    line: int
    operator: str
    was: str
    now: str
    outcome: Outcome
    killed_by: tuple[str, ...] = ()
    behaviour: Literal["", "answers", "crashes"] = ""
    named: tuple[str, ...] = ()
    reason: str = ""


class KnownFinding(Frozen):
    """What became of one known mistake in the step it is made in: which checks failed it, what it was called.

    `margin` is by how many tolerances its worst number is off, None where no number can be compared.
    """

    id: str
    step: str
    killed_by: tuple[str, ...]
    named: tuple[str, ...]
    right: bool
    margin: float | None = None


class PairFinding(Frozen):
    """What two known mistakes made together were called; `alike` where others give the very same answers."""

    step: str
    made: tuple[str, str]
    named: tuple[str, ...]
    outcome: PairOutcome


class Distance(Frozen):
    """How far answers to a probe are from the expected ones, in tolerances (1 still passes).

    `right` is the farthest right answer, `unseen` the farthest known mistake that passes here, `wrong` the
    nearest that does not, None where there is none.
    """

    step: str
    probe: str
    dtype: str
    right: float = 0.0
    unseen: float = 0.0
    wrong: float | None = None


class Loss(Frozen):
    """A point that right work lost: whose work, in which step, by which check, and what that said."""

    who: str
    step: str
    check: str
    message: str


class CheckFinding(Frozen):
    """How many wrong variants (mutants and known mistakes) a check fails, and how many no other check does."""

    step: str
    id: str
    title: str
    kills: int
    alone: int


class Stale(Frozen):
    """A justification that justifies nothing any more, and why."""

    id: str
    why: str


class StepFinding(Frozen):
    """What came of one step's wrong variants; `checks` are the step's own, by id and title."""

    step: str
    checks: Mapping[str, str]
    known: tuple[KnownFinding, ...]
    mutants: tuple[MutantFinding, ...]
    pairs: tuple[PairFinding, ...] = ()
    distances: tuple[Distance, ...] = ()


class WorkFinding(Frozen):
    """What came of some right work: how much was tried, and what it lost."""

    kind: Literal["solution", "skeleton", "right", "styles", "seeds"]
    tried: int
    losses: tuple[Loss, ...]
    distances: tuple[Distance, ...] = ()


class Audit(Frozen):
    """One audit; it is proved when `problems` is empty."""

    version: Literal[1] = 1
    lesson: str
    seed: int
    proved: bool
    problems: tuple[str, ...]
    work: tuple[WorkFinding, ...]
    known: tuple[KnownFinding, ...]
    mutants: tuple[MutantFinding, ...]
    whole: bool
    stale: tuple[Stale, ...]
    checks: tuple[CheckFinding, ...]
    pairs: tuple[PairFinding, ...] = ()
    distances: tuple[Distance, ...] = ()
    seconds: float

    def counted(self, by: Literal["operator", "step"]) -> dict[str, dict[Outcome, int]]:
        """How many mutants were killed, are equivalent, survived: by operator or by step."""
        table: dict[str, dict[Outcome, int]] = {}
        for mutant in self.mutants:
            row = table.setdefault(getattr(mutant, by), {"killed": 0, "equivalent": 0, "survived": 0})
            row[mutant.outcome] += 1
        return table

    def survivors(self) -> list[MutantFinding]:
        """The mutants that nothing kills and nobody has justified."""
        return [mutant for mutant in self.mutants if mutant.outcome == "survived"]

    def idle(self) -> list[CheckFinding]:
        """The checks that fail nothing which another check of their step does not fail, too."""
        return [check for check in self.checks if not check.alone]

    def gaps(self) -> list[MutantFinding]:
        """Mutants that answer, wrongly, in a way that the catalogue has no name for."""
        return [m for m in self.mutants if m.outcome == "killed" and m.behaviour == "answers" and not m.named]

    def told_apart(self) -> tuple[int, int]:
        """Of the pairs whose answers are nobody else's: how many were named both, and how many there are."""
        apart = [pair for pair in self.pairs if pair.outcome != "alike"]
        return sum(pair.outcome == "named" for pair in apart), len(apart)

    def to_json(self) -> str:
        """The audit as JSON, with the tables by operator and by step."""
        import json

        plain = {
            **self.model_dump(),
            "operators": self.counted("operator"),
            "steps": self.counted("step"),
            "idle_checks": [f"{check.step}/{check.id}" for check in self.idle()],
            "unnamed": [mutant.id for mutant in self.gaps()],
        }
        plain["seconds"] = round(self.seconds, 1)
        return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def check_findings(steps: Sequence[StepFinding]) -> tuple[CheckFinding, ...]:
    """What each check kills, over all wrong variants of its step."""
    found = []
    for step in steps:
        killings = [set(known.killed_by) for known in step.known]
        killings += [set(mutant.killed_by) for mutant in step.mutants]
        for check, title in step.checks.items():
            mine = [killers for killers in killings if check in killers]
            alone = sum(len(killers) == 1 for killers in mine)
            found.append(CheckFinding(step=step.step, id=check, title=title, kills=len(mine), alone=alone))
    return tuple(found)
