from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from grader.grading import doctor
from grader.grading.doctor import Finding, as_json, as_text, examine
from grader.sandbox.isolation import parts


class Fake:
    """A worker that has said hello."""

    def __init__(self, level: str, base: str, hello: Mapping[str, object]) -> None:
        self.isolation, self.hello = level, hello
        self.parts = parts(base, hello, True)
        self.closed = False

    def wait_for_hello(self, deadline: float) -> None:
        assert deadline > 0

    def close(self) -> None:
        self.closed = True


GOOD = {"landlock": 7, "seccomp": True, "refused": ["a"] * 13, "let": [], "cpu": "AVX2", "cuda": ""}


def told(monkeypatch: pytest.MonkeyPatch, worker: Fake, bwrap: str | None) -> dict[str, Finding]:
    monkeypatch.setattr(doctor, "start_jailed", lambda: worker)
    monkeypatch.setattr(doctor.shutil, "which", lambda _: bwrap)
    monkeypatch.setattr(doctor.sys, "platform", "linux")
    level, findings = examine()
    assert worker.closed
    assert level == worker.isolation
    return {item.name: item for item in findings}


def test_a_good_machine_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, Fake("sealed", "sealed", GOOD), "/usr/bin/bwrap")
    assert found["isolation"].found == (
        "sealed (3 of 3): namespaces, landlock 7, system call filter, another user, resource limits; "
        "self-test: 13 of 13 attacks refused"
    )
    assert not [item for item in found.values() if item.help]
    assert "Grade only code you trust" not in as_text("sealed", list(found.values()))


def test_what_is_missing_comes_with_what_would_help(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, Fake("limited", "limited", {**GOOD, "landlock": 0, "seccomp": False}), None)
    assert found["bubblewrap"] == Finding("bubblewrap", "not found", doctor.ADVICE["bubblewrap"])
    assert found["landlock"] == Finding("landlock", "no", doctor.ADVICE["landlock"])
    assert found["seccomp"] == Finding("seccomp", "no", doctor.ADVICE["seccomp"])
    text = as_text("limited", list(found.values()))
    assert "bubblewrap: install it" in text
    assert text.endswith("Grade only code you trust here, or ask for more: --require-isolation confined\n")


def test_a_bubblewrap_that_may_not_work_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, Fake("confined", "limited", GOOD), "/usr/bin/bwrap")
    assert found["bubblewrap"].help == doctor.ADVICE["namespaces"]


def test_another_torch_in_the_worker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(monkeypatch, Fake("sealed", "sealed", {**GOOD, "torch": "1.0"}), "/usr/bin/bwrap")
    assert found["torch"].found.endswith(", and 1.0 in the worker")
    assert found["torch"].help


def test_the_same_as_json() -> None:
    record = json.loads(as_json("sealed", [Finding("python", "3.11", "")]))
    assert record == {"version": 1, "isolation": "sealed", "found": {"python": {"found": "3.11", "help": ""}}}
