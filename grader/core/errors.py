"""Errors, by whose fault they are.

GraderError
├── InputError           the person's: a path, a file or an option that cannot be used   exit 2
│   ├── LessonError      the lesson author's: a lesson folder that contradicts itself    exit 2
│   └── SubmissionError  the learner's: nothing in the work that could be graded         exit 2
└── MachineError         the machine's or ours: no worker, no disk, a broken protocol    exit 3

A learner's wrong or failing code is none of these: it is an answer, and ends in the record.
"""

from __future__ import annotations

import errno
from pathlib import Path

# Asked once more tomorrow these may be gone, whatever file it was: no room, no memory, no descriptor, a disk that fails.
_NAMES = [
    "EAGAIN",
    "EBUSY",
    "EDQUOT",
    "EFBIG",
    "EINTR",
    "EIO",
    "EMFILE",
    "ENFILE",
    "ENOMEM",
    "ENOSPC",
    "ESTALE",
]
OF_THE_MACHINE = frozenset(getattr(errno, name) for name in _NAMES if hasattr(errno, name))


class GraderError(Exception):
    """A fault that ends the command; its text is the one line shown to the person."""

    exit_code = 3


class InputError(GraderError):
    """What was given cannot be used; nothing was written."""

    exit_code = 2


class LessonError(InputError):
    """A lesson's own files contradict each other."""


class SubmissionError(InputError):
    """The work itself cannot be used: the one fault of these for which a class's row may say 0 points."""


class MachineError(GraderError):
    """The grader or its machine failed; no learner loses a point for it."""

    exit_code = 3


def of_the_machine(error: OSError) -> bool:
    """Whether a file could not be had for a reason that is neither the file's nor the person's."""
    return error.errno in OF_THE_MACHINE


def in_one_line(error: Exception) -> str:
    """A fault of ours, or of the machine, that nobody expected: with the place it comes from."""
    trace, last = error.__traceback__, "somewhere"
    while trace is not None:
        last, trace = f"{Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}", trace.tb_next
    said = f"{type(error).__name__}: {error} ({last})"
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and of_the_machine(error)):
        return f"this machine cannot go on, nothing was graded; make room and try again: {said}"
    return f"the grader itself failed, please report this: {said}"
