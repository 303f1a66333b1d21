"""The pytest side of the judge: gives each check its cases, and notes what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from grader.core.records import CheckStatus

from .cases import Broken, Case, Finding, Select, Unreached


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check's outcome: which criterion of which step it claims, and what is to be said."""

    id: str
    step: str
    title: str
    points: float
    value: bool
    status: CheckStatus
    message: str = ""


class Judge:
    """A pytest plugin over one lesson's checks; `verdicts` is complete when the session is over."""

    def __init__(self, cases: Mapping[str, Sequence[Case]], steps: Sequence[str]) -> None:
        self.by_step = cases
        self.steps = frozenset(steps)
        self.verdicts: list[Verdict] = []
        self.fault = ""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note why the checks could not even be read."""
        if report.failed and not self.fault:
            self.fault = str(report.longrepr).strip().splitlines()[-1].removeprefix("E").strip()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the checks of the steps that are judged."""
        items[:] = [item for item in items if _claim(item) is None or _claim(item)["step"] in self.steps]

    @pytest.fixture
    def cases(self, request: pytest.FixtureRequest) -> Select:
        """`cases(tag)`: this step's cases with that tag."""
        mine = self.by_step.get(_claim(request.node)["step"], ())

        def select(tag: str) -> list[Case]:
            found = [case for case in mine if tag in case.probe.tags]
            if not found:
                raise Unreached(f"no answers for {tag}")
            return found

        return select

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
        """Note the outcome; what is neither pass nor finding is a fault of the check, never the learner's."""
        if call.excinfo is not None:
            item.repr_failure = _nothing  # type: ignore[method-assign]  # costs 100 ms, and nobody reads it
        report = yield
        claim = _claim(item)
        if claim is None or (call.when != "call" and call.excinfo is None):
            return report
        status, message = _judged(call)
        self.verdicts.append(
            Verdict(
                id=_identity(item.name, claim["step"]),
                step=claim["step"],
                title=_title(item),
                points=float(claim["points"]),
                value=bool(claim["value"]),
                status=status,
                message=message,
            )
        )
        return report


def _nothing(*_: object, **__: object) -> str:
    return ""


def _judged(call: pytest.CallInfo[Any]) -> tuple[CheckStatus, str]:
    if call.excinfo is None:
        return "passed", ""
    error = call.excinfo.value
    if isinstance(error, Finding):
        return "failed", str(error)
    if isinstance(error, Unreached):
        return "not_reached", str(error)
    if isinstance(error, Broken):
        return "broken", str(error)
    return "broken", f"the check itself failed: {type(error).__name__}: {error}"[:300]


def _claim(item: Any) -> Any:
    mark = item.get_closest_marker("criterion")
    return mark.kwargs if mark is not None else None


def _identity(name: str, step: str) -> str:
    return name.removeprefix("test_").removeprefix(step + "_").replace("_", "-")


def _title(item: Any) -> str:
    function: Callable[..., Any] = item.function
    return (function.__doc__ or item.name).strip().splitlines()[0].rstrip(".")
