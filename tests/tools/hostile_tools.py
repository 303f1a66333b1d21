"""What the tests of hostile submissions share: shorter limits, processes below one, texts of a record."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from grader.core.records import Record
from grader.grading.session import Session
from tests.tools.golden_tree import GOLDEN

BROKEN = GOLDEN / "broken"
SLUG = "multi_head_attention"
SEED = 7
QUICK = {"import_seconds": 1.2, "call_seconds": 1.2, "memory_mib": 700}
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def hurried(session: Session, **limits: float) -> None:
    """From now on this session's lesson has shorter limits."""
    lesson = session.lesson
    assert lesson is not None
    session.lesson = lesson.model_copy(update={"limits": lesson.limits.model_copy(update=limits)})


def unnamed(session: Session) -> None:
    """From now on this session names no mistakes: that takes time, and other tests are about it."""
    assert session._standard is not None
    held = session._standard.result()
    session._standard = Future()
    session._standard.set_result(replace(held, ask=lambda *_: {}, until=None))


def below(pid: int) -> dict[int, str]:
    """Every process below one, with its name; those that are only waiting to be reaped do not count."""
    parents: dict[int, tuple[int, str]] = {}
    for path in Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            name, _, rest = (path / "stat").read_text("utf-8", "replace").partition("(")[2].rpartition(")")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if state != "Z":
            parents[int(path.name)] = (int(parent), name)
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        above = waiting.pop()
        inner = [child for child, (parent, _) in parents.items() if parent == above]
        found |= {child: parents[child][1] for child in inner}
        waiting += inner
    return found


def settles(most: int, seconds: float = 5.0) -> bool:
    """Whether there are soon no more than so many processes below this one."""
    end = time.monotonic() + seconds
    while len(below(os.getpid())) > most:
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def texts(record: Record) -> Iterator[str]:
    """Every text of a record that may come from a submission, but for what it printed."""
    yield record.submission.name
    yield from record.warnings
    for step in record.steps:
        yield step.note
        yield from step.review
        yield from step.advice
        for check in step.checks:
            yield check.message
