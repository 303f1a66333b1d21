"""Whether two workers compute alike: answers of different libraries, or of different kernels, are not compared."""

from __future__ import annotations

from collections.abc import Mapping

from grader.core.errors import MachineError

FACTS = {"torch": "torch", "cpu": "the CPU capability", "order": "the byte order"}


def insist_alike(guest: Mapping[str, object], reference: Mapping[str, object]) -> None:
    """Raises MachineError where the two said different things of themselves when they began.

    A guest's worker that was never asked anything has said nothing, and gave no answers to compare.
    """
    if not guest:
        return
    for key, name in FACTS.items():
        mine, theirs = guest.get(key), reference.get(key)
        if mine != theirs:
            raise MachineError(
                f"the submission's worker has {name} {mine}, the reference's has {name} {theirs}, so their "
                "answers cannot be compared; run both from one environment on one machine"
            )
