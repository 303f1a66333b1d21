"""The real judge, for many subjects in one session: the same plugin, the checks read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from grader.judging.cases import Case
from grader.judging.judge import hold
from grader.judging.pytest_plugin import Judge, Verdict

Subject = Mapping[str, Sequence[Case]]


class Rounds(Judge):
    """Runs the checks once for each subject; `found` has each one's verdicts, in the file's order."""

    def __init__(self, subjects: Sequence[Subject], steps: Sequence[str]) -> None:
        super().__init__({}, steps)
        self.subjects = subjects
        self.found: list[tuple[Verdict, ...]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """All checks on the first subject, then on the next; pytest's own loop where they cannot be read."""
        if session.testsfailed:
            return None
        for number, subject in enumerate(self.subjects):
            self.by_step, self.verdicts = subject, []
            after = session.items[:1] if number + 1 < len(self.subjects) else []
            for item, following in zip(session.items, [*session.items[1:], *after, None], strict=False):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.found.append(tuple(self.verdicts))
        return True


def judge_each(checks: Path, subjects: Sequence[Subject], steps: Sequence[str]) -> list[tuple[Verdict, ...]]:
    """Every subject's verdicts on these steps. Raises MachineError when pytest fails."""
    if not subjects:
        return []
    plugin = Rounds(subjects, steps)
    hold(checks, plugin)
    return plugin.found


def killers(verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """The checks that a wrong variant did not pass."""
    return tuple(verdict.id for verdict in verdicts if verdict.status != "passed")
