"""A child of the zygote: locks itself in, loads the guest for one step, answers the probes frame by frame."""

from __future__ import annotations

import gc
import io
import os
import resource
import signal
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .describe import raised
from .guest import CATALOGUE, Guest
from .perform import perform
from .pipes import send, write_all
from .powers import give_up_powers
from .ready import make_room
from .refusing import refusals
from .served import Served
from .standins import stand_in
from .walls import Walls, put_up
from .wire import WireError, pack

PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4


class Prints(io.TextIOBase):
    """Keeps the first part of what the guest prints; the rest is counted only."""

    def __init__(self, limit: int) -> None:
        self.limit, self.kept, self.size = limit, [""], 0

    def writable(self) -> bool:
        """Always: a closed output would be the guest's to notice."""
        return True

    def write(self, text: str) -> int:
        """Takes any text, keeps what there is room for."""
        if self.size < self.limit:
            self.kept.append(str.__getitem__(text, slice(self.limit - self.size)))
        self.size += len(text)
        return len(text)

    def text(self) -> str:
        """What was kept."""
        return "".join(self.kept)


def lock_in(limits: Mapping[str, int], uid: int | None, walls: Walls | None) -> None:
    """Resource limits for this process and its children (0 = none); another user where we are root; walls.

    What this machine can is applied in full or not at all: an OSError ends the child before any guest.
    """
    if limits["memory_mib"]:
        _limit(resource.RLIMIT_AS, int(_status("VmSize")) * 1024 + limits["memory_mib"] * 2**20)
    if limits["step_cpu_seconds"]:
        _limit(resource.RLIMIT_CPU, limits["step_cpu_seconds"], 1)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 64 * 2**20)
    _limit(resource.RLIMIT_NOFILE, 256)
    if limits["processes"]:
        _limit(resource.RLIMIT_NPROC, limits["processes"])
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        _stay_visible()
    if sys.platform == "linux":
        give_up_powers()  # root who can become nobody else keeps his name, and nothing that it is good for
    _die_with_parent()
    if walls is not None:
        put_up(walls)


def _limit(kind: int, value: int, grace: int = 0) -> None:
    """Set a limit, or leave the one in force where that is lower."""
    hard = resource.getrlimit(kind)[1]
    low = value if hard == resource.RLIM_INFINITY else min(value, hard)
    high = value + grace if hard == resource.RLIM_INFINITY else min(value + grace, hard)
    resource.setrlimit(kind, (low, high))


def _stay_visible() -> None:
    """Let who has this uid see our open files: no guest has it but this one, and scratch.py counts them so."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _status(field: str) -> str:
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            for line in file:
                if line.startswith(field + ":"):
                    return line.split()[1]
    except OSError:
        pass
    return str(2 * 2**20)


def serve(request: Mapping[str, Any], out: int, guest: Guest | None = None) -> None:
    """Answer a group's probes on descriptor `out`, once for each variant of the guest.

    A learner's guest has one variant; the reference's has one for each set of known mistakes, and may
    have a `guest` before it that is of the same modules, compiled, with its catalogue imported.
    """
    prints = Prints(request["limits"]["print_kib"] * 1024)
    sys.stdout = sys.stderr = prints
    sys.stdin = io.StringIO("")
    warnings.simplefilter("ignore")
    make_room(request)
    stand_in()
    for part in request["parts"]:
        for variant in request["variants"]:
            modules = _replaced(request["modules"], variant["sources"])
            guest = Guest(modules, request["wanted"], guest, request["limits"]["import_seconds"])
            guest.install()
            gc.disable()
            used: list[str] = []
            refused = refusals(part["forbidden"], used)
            served = Served(**variant["beside"])
            names, report = load(guest, {**request, **part}, variant["mistakes"], served)
            gc.enable()
            send(out, {"kind": "loaded", **report})
            with refused() as look:
                for letter in part["probes"]:
                    look()
                    answer = perform(letter, names, guest.paths, request["exact"])
                    write_all(out, _frame({**answer, "used": used, "asks": served.taken()}))
    send(out, {"kind": "done", "prints": prints.text()})


def _replaced(modules: list[Mapping[str, Any]], sources: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """A guest's modules, those with a source of their own in place of what they were."""
    if not sources:
        return modules
    return [
        {**module, "cells": [{"text": sources[module["name"]], "label": ""}]}
        if module["name"] in sources
        else module
        for module in modules
    ]


def _frame(answer: Mapping[str, object]) -> bytes:
    try:
        return pack(answer)
    except WireError as error:
        return pack(
            {"kind": "answer", "outcome": "unfit", "message": f"returned what cannot be sent: {error}"}
        )


def load(
    guest: Guest, request: Mapping[str, Any], mistakes: Sequence[str], served: Served | None = None
) -> tuple[dict[str, Any], dict[str, object]]:
    """The step's names, and what the grader should know of the loading."""
    names: dict[str, Any] = {}
    report: dict[str, object] = {"found": [], "seen": [], "error": None, "passed_over": []}
    try:
        replaced = _overlay(guest, tuple(mistakes))
        if served is not None:
            _put_beside(guest, served)
        module = guest.load(request["module"])
        for provided in request["provides"]:
            found = _provided(guest, module, request, provided)
            found = replaced.get(request["module"], {}).get(provided["name"], found)
            if found is not None:
                names[provided["name"]] = found
        report["seen"] = sorted(key for key, value in module.__dict__.items() if _own(key, value))[:64]
    except BaseException as error:
        report["error"] = raised(error, guest.paths)
    report["found"] = sorted(names)
    report["passed_over"] = [[f.label, raised(f.error, guest.paths)] for f in guest.failures]
    return names, report


def _put_beside(guest: Guest, served: Served) -> None:
    """Let functions of a neighbour's be answered from outside, before what imports them is loaded.

    A neighbour that is missing, or cannot be imported, is one with nothing else in it.
    """
    for name, functions in served.modules.items():
        try:
            module = guest.load(name)
        except BaseException:  # one that exits is no better than one that cannot be read
            module = guest.invent(name)
        for function in functions:
            own = guest.find(module, name, function, None, None)
            setattr(module, function, served.function(function, own))


def _overlay(guest: Guest, mistakes: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Put known mistakes into the reference's modules, before their dependents are imported.

    The catalogue itself is imported once; it imports the solution's modules inside its functions only.
    """
    if not mistakes:
        return {}
    replaced: dict[str, dict[str, Any]] = guest.load_kept(CATALOGUE).overlay(mistakes)
    for name, attributes in replaced.items():
        module = guest.load(name)
        for attribute, value in attributes.items():
            setattr(module, attribute, value)
    return replaced


def _provided(guest: Guest, module: Any, request: Mapping[str, Any], provided: Mapping[str, Any]) -> Any:
    key, method, takes = provided["name"], provided["method"], provided["takes"]
    found = guest.find(module, request["module"], key, method, takes)
    if found is not None or method is None:
        return found
    if any(guest.find(module, request["module"], key, method, rival) for rival in provided["rivals"]):
        return None
    return guest.find(module, request["module"], key, None, None)


def _own(key: str, value: Any) -> bool:
    try:
        module = str(getattr(value, "__module__", ""))
        return not key.startswith("_") and callable(value) and module != "builtins"
    except BaseException:
        return False
