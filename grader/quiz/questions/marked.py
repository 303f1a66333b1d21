"""What became of one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Outcome", "Verdict", "review", "right", "wrong"]

Outcome = Literal["correct", "partial", "incorrect", "needs_review", "unanswered"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, the share of the points it earns (0 to 1), and what to say about it."""

    outcome: Outcome
    share: float
    message: str


def right(message: str = "") -> Verdict:
    """All points."""
    return Verdict("correct", 1.0, message)


def wrong(message: str = "") -> Verdict:
    """No point."""
    return Verdict("incorrect", 0.0, message)


def review(why: str) -> Verdict:
    """No point while it waits for a person; `why` completes "For a person to see: ..."."""
    return Verdict("needs_review", 0.0, f"For a person to see: {why}.")
