"""What keeps an audit from being a proof, each in one line."""

from __future__ import annotations

from collections.abc import Iterator

from .findings import Audit, Loss, MutantFinding


def problems(audit: Audit) -> tuple[str, ...]:
    """One line for everything that is not as it should be."""
    return tuple(_problems(audit))


def _problems(audit: Audit) -> Iterator[str]:
    for part in audit.work:
        yield from map(lost, part.losses)
    for known in audit.known:
        if not known.killed_by:
            yield f"the known mistake {known.id} passes every check of {known.step}, or cannot be made in it"
        elif not known.right:
            called = " and ".join(known.named) or "nothing"
            yield f"the known mistake {known.id} is called {called} in {known.step}"
    for mutant in audit.survivors():
        yield f"{place(mutant)}: no check notices this ({mutant.operator}, {mutant.id})"
    for stale in audit.stale:
        yield f"the justification of {stale.id} is stale: {stale.why}"


def lost(loss: Loss) -> str:
    """`fancy.py: attend/values: expected ...`."""
    where = "/".join(part for part in (loss.step, loss.check) if part)
    return ": ".join(part for part in (loss.who, where, loss.message) if part)


def place(mutant: MutantFinding) -> str:
    """`attend.py, line 12`."""
    return f"{mutant.file}, line {mutant.line}"


def pieces(was: str, now: str) -> tuple[str, str, str, str]:
    """What two texts begin with, what stands in the first and in the second then, what both end with."""
    head = 0
    while head < min(len(was), len(now)) and was[head] == now[head]:
        head += 1
    tail = 0
    while tail < min(len(was), len(now)) - head and was[-1 - tail] == now[-1 - tail]:
        tail += 1
    return was[:head], was[head : len(was) - tail], now[head : len(now) - tail], was[len(was) - tail :]
