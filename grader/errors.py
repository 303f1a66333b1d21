"""Errors, by whose fault they are.

GraderError
├── InputError      the person's: a path, a file or an option that cannot be used        exit 2
├── LessonError     the lesson author's: a lesson folder that contradicts itself         exit 2
└── MachineError    the machine's or ours: no worker, no disk, a broken protocol         exit 3

A learner's wrong or failing code is none of these: it is an answer, and ends in the record.
"""

from __future__ import annotations


class GraderError(Exception):
    """A fault that ends the command; its text is the one line shown to the person."""

    exit_code = 3


class InputError(GraderError):
    """What was given cannot be used; nothing was written."""

    exit_code = 2


class LessonError(InputError):
    """A lesson's own files contradict each other."""


class MachineError(GraderError):
    """The grader or its machine failed; no learner loses a point for it."""

    exit_code = 3
