"""What this machine can do: isolation and its self-test, devices, versions."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.core.errors import InputError, MachineError
from grader.lesson.courses import find_course, lesson_slugs
from grader.sandbox.client import start_jailed
from grader.sandbox.isolation import LEVELS

PACKAGES = ("torch", "numpy", "pytest", "matplotlib", "einops", "nbformat", "pydantic", "PyYAML")
SECONDS = 120.0
ADVICE = {
    "bubblewrap": "install it (on Debian and Ubuntu: the package `bubblewrap`) for the level sealed",
    "landlock": "the kernel offers no Landlock (Linux 5.13 and later do), so files are not walled off",
    "seccomp": "no filter of system calls can be set up here (x86_64 and aarch64 Linux only)",
    "namespaces": "bubblewrap is there and may not make namespaces here (containers and some distributions refuse)",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report: what was looked at, what was found, and what would help (or "")."""

    name: str
    found: str
    help: str = ""


def examine(course: Path | None = None) -> tuple[str, Sequence[Finding]]:
    """The isolation in force, and everything found. Raises MachineError when no worker can be started."""
    lessons = _course(course)
    worker = start_jailed()
    try:
        started = time.monotonic()
        worker.wait_for_hello(started + SECONDS)
        took = time.monotonic() - started
        level, parts, hello = worker.isolation, worker.parts, dict(worker.hello)
    finally:
        worker.close()
    return level, [*_isolation(level, parts, hello), lessons, *_machine(hello, took), *_packages(hello)]


def _isolation(level: str, parts: str, hello: Mapping[str, object]) -> list[Finding]:
    place = LEVELS.index(level)
    found = [Finding("isolation", f"{level} ({place} of {len(LEVELS) - 1}): {parts}")]
    bwrap = shutil.which("bwrap")
    if sys.platform == "linux":
        missing = "bubblewrap" if bwrap is None else "namespaces" if "namespaces" not in parts else ""
        found.append(Finding("bubblewrap", bwrap or "not found", ADVICE.get(missing, "")))
    for name, words in (("landlock", "version {}"), ("seccomp", "works")):
        value = hello.get(name)
        found.append(Finding(name, words.format(value) if value else "no", "" if value else ADVICE[name]))
    return found


def _course(said: Path | None) -> Finding:
    """The course that is graded here. Raises InputError where one is said and is none."""
    try:
        place = find_course(said)
    except InputError as error:
        if said is not None:
            raise
        return Finding("course", "none", str(error))
    kind = "with the reference" if (place / "reference").is_dir() else "without a reference: practice"
    return Finding("course", f"{place}: {', '.join(lesson_slugs(place))}, {kind}")


def _machine(hello: Mapping[str, object], took: float) -> list[Finding]:
    gpu = "yes, for trusted code (--device cuda)" if hello.get("cuda") else "none: its checks cost nothing"
    return [
        Finding("python", f"{platform.python_version()} on {sys.platform}, {platform.machine()}"),
        Finding("cores", f"{os.cpu_count()}, vector instructions {hello.get('cpu') or 'unknown'}"),
        Finding("worker", f"says hello after {took:.1f} s"),
        Finding("CUDA", gpu),
    ]


def _packages(hello: Mapping[str, object]) -> list[Finding]:
    found = []
    for name in PACKAGES:
        try:
            found.append(Finding(name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            raise MachineError(f"{name} is not installed; run `make setup`") from None
    inside = str(hello.get("torch", ""))
    if inside and inside != found[0].found:
        found[0] = Finding(
            "torch", f"{found[0].found}, and {inside} in the worker", "rebuild .venv: make clean setup"
        )
    return found


def as_text(level: str, findings: Sequence[Finding]) -> str:
    """The report, one line a finding; what would help stands below."""
    width = max(len(item.name) for item in findings)
    lines = [f"{item.name:{width}}  {item.found}" for item in findings]
    lines += [f"\n{item.name}: {item.help}" for item in findings if item.help]
    if level in ("separate", "limited"):
        lines.append("\nGrade only code you trust here, or ask for more: --require-isolation confined")
    return "\n".join(lines) + "\n"


def as_json(level: str, findings: Sequence[Finding]) -> str:
    """The same as JSON."""
    import json

    found = {item.name: {"found": item.found, "help": item.help} for item in findings}
    return json.dumps({"version": 1, "isolation": level, "found": found}, indent=2) + "\n"
