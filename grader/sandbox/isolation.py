"""How well a submission's code is shut in: the levels, what they are made of, and what a run may insist on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grader.core.errors import InputError, MachineError

LEVELS = ("separate", "limited", "confined", "sealed")  # weakest first


def level(base: str, hello: Mapping[str, object]) -> str:
    """The isolation in force: the weaker of how a worker was started and what its own test found.

    Namespaces without walls inside are only limited: they hide the machine, not what shares the jail.
    """
    walled = bool(hello.get("landlock")) and hello.get("seccomp") is True and hello.get("let") == []
    if base == "sealed":
        return "sealed" if walled else "limited"
    return "confined" if walled else base


def parts(base: str, hello: Mapping[str, object], other_user: bool) -> str:
    """What the level is made of and what its self-test said, in one line."""
    root = hello.get("user") == 0
    made = [
        ("namespaces", base == "sealed"),
        (f"landlock {hello.get('landlock')}", bool(hello.get("landlock"))),
        ("system call filter", hello.get("seccomp") is True),
        ("another user", other_user),
        ("resource limits", base != "separate" or bool(hello.get("landlock"))),
    ]
    there = ", ".join(name for name, stands in made if stands) or "a process of its own"
    if root and not other_user and there:
        there += "; missing: another user (guests stay root, without root's powers)"
    refused, let = _names(hello.get("refused")), _names(hello.get("let"))
    if not refused and not let:
        return f"{there}; not tested"
    words = f"{there}; self-test: {len(refused)} of {len(refused) + len(let)} attacks refused"
    return f"{words}, let: {', '.join(let)}" if let else words


def insist(wanted: str | None, found: str, made_of: str) -> None:
    """Raises MachineError when less than the wanted level is in force."""
    if wanted is not None and LEVELS.index(found) < LEVELS.index(wanted):
        raise MachineError(
            f"isolation {found} is in force here, {wanted} was required, so nothing was run ({made_of}); "
            "`grader doctor` tells what this machine lacks"
        )


def known(name: str | None) -> str | None:
    """A level's name as it was asked for. Raises InputError for another word."""
    if name is not None and name not in LEVELS:
        raise InputError(f"--require-isolation {name}: expected one of {', '.join(LEVELS)}")
    return name


def _names(told: object) -> Sequence[str]:
    return [str(name) for name in told] if isinstance(told, list) else []
