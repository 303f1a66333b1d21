"""What becomes of an audit when one of its processes does not come to a good end."""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from grader.core.errors import LessonError, MachineError
from grader.course.audit import crew
from grader.course.audit.bench import Place
from grader.course.audit.jobs import SolutionJob

JOBS = (SolutionJob(), SolutionJob())
PLACE = Place("tiny", Path("nowhere"), 1)


def dies(_: Connection[Any, Any], __: Place) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuses(connection: Connection[Any, Any], _: Place) -> None:
    connection.send(("failed", LessonError("this lesson has no end")))
    connection.recv()


def test_a_process_that_dies_is_the_machines_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "serve", dies)
    with pytest.raises(MachineError, match=r"died \(exit codes \[-9"):
        crew.work(PLACE, JOBS, 2, lambda _: None)


def test_what_a_process_says_of_the_lesson_is_said_by_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "serve", refuses)
    with pytest.raises(LessonError, match="this lesson has no end"):
        crew.work(PLACE, JOBS, 2, lambda _: None)
