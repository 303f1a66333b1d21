"""A sample of `make faults`: faults of ours and of the machine never cost a learner anything, nor leave half a file."""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader import __main__, cli
from grader.core.errors import InputError, MachineError, in_one_line, of_the_machine
from grader.core.files import write_text
from grader.sandbox import client
from grader.sandbox.likeness import FACTS, insist_alike
from tests.tools.faults.injector import Fault, Injector, errors_of, raised
from tests.tools.faults.loop import Bench, bench
from tests.tools.faults.machine import small_disk
from tests.tools.faults.whole import LAUNCH, OLD, run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One session, in which a submission is graded again and again."""
    with bench(tmp_path_factory.mktemp("faults")) as made:
        yield made


# --- one fault in a grade -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "os.write:1:ENOSPC", "os.fsync:1:EIO", "os.replace:1:EACCES", "tempfile.mkstemp:1:EMFILE", "os.open:2:EIO",
        "io.open:1:EMFILE", "os.scandir:1:ENOMEM", "os.unlink:1:EIO", "json.dumps:1:MemoryError",
        "numpy.asarray:6:MemoryError", "numpy.frombuffer:2:MemoryError",
    ],
)  # fmt: skip
def test_a_fault_in_the_middle_of_a_grade_costs_the_learner_nothing(one: Bench, text: str) -> None:
    fault = Fault.read(text)
    how = one.hurt(fault, old=True)
    assert one.injector.fired, "the fault did not happen, so this proves nothing"
    assert how in ("right all the same", "broken", "exit 3", "exit 2")
    assert (how == "exit 2") <= (fault.error == "EACCES")


def test_a_worker_that_cannot_be_heard_is_a_fault_of_the_machine(one: Bench) -> None:
    assert one.hurt(Fault("os.read", 3, "EIO"), old=False) == "exit 3"
    assert one.injector.fired


def test_a_worker_that_cannot_be_asked_is_a_fault_of_the_machine_at_once(one: Bench) -> None:
    assert one.hurt(Fault("pipe.write", 1, "ENOMEM"), old=False) == "exit 3"
    assert one.injector.fired


def test_a_failed_reference_does_not_fail_the_next_grade_too(one: Bench) -> None:
    held = one.session._standard
    assert held is not None
    failed: Any = type(held)()
    failed.set_exception(MachineError("once"))
    one.session._standard = failed
    assert one.grade().code == 0


def test_nobody_looks_at_a_clock_that_may_jump(one: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def look() -> float:
        raise AssertionError("time is measured by time.monotonic")

    monkeypatch.setattr(time, "time", look)
    assert one.grade().code == 0


# --- whole commands -------------------------------------------------------------------------------


def test_a_command_whose_workers_cannot_be_started_says_so_in_one_line(one: Bench) -> None:
    done = run((*LAUNCH, "--fault", "os.pipe:1:EMFILE", "--", "grade", str(one.submission)))
    assert done.code == 3
    assert done.out == ""
    assert done.err.startswith("grader: this machine cannot go on")
    assert "Too many open files" in done.err
    assert done.err.count("\n") == 1


WRITE = """
import sys
from pathlib import Path
from grader.core.files import write_text
from tests.tools.faults.injector import Fault, Injector
injector = Injector()
injector.install()
injector.arm(Fault(sys.argv[1], 1, "KILL"))
write_text(Path(sys.argv[2]), "new")
"""


@pytest.mark.parametrize("target", ["os.write", "os.fsync", "os.chmod", "os.replace"])
def test_a_grader_killed_while_it_writes_leaves_the_old_record(tmp_path: Path, target: str) -> None:
    out = tmp_path / "record.json"
    out.write_text(OLD, "utf-8")
    done = run((sys.executable, "-c", WRITE, target, str(out)))
    assert done.code == -signal.SIGKILL, done.err
    assert out.read_text("utf-8") == OLD


def test_a_report_that_cannot_be_printed_is_said_and_is_no_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full() -> None:
        raise raised("ENOSPC")

    monkeypatch.setattr(sys, "argv", ["grader", "doctor"])
    monkeypatch.setattr("grader.grading.doctor.examine", lambda *_: ("sealed", []))
    monkeypatch.setattr("grader.grading.doctor.as_text", lambda *_: "sealed")
    monkeypatch.setattr(sys.stdout, "flush", full)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    monkeypatch.undo()
    assert caught.value.code == 3
    assert capsys.readouterr().err == "grader: standard output cannot be written (No space left on device)\n"


def test_a_command_that_cannot_even_be_read_ends_with_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", ended)
    monkeypatch.setattr(
        signal, "signal", lambda *_: None
    )  # the tests, and what they start, stay open to Ctrl-C
    monkeypatch.setattr(__main__, "stand_alone", lambda **_: None)
    monkeypatch.setattr(sys, "argv", ["grader", "--help"])
    monkeypatch.setitem(sys.modules, "grader.cli", None)
    with pytest.raises(SystemExit) as caught:
        __main__.main()
    assert caught.value.code == 3
    assert capsys.readouterr().err.startswith(
        "grader: the grader itself could not start: ModuleNotFoundError"
    )


# --- starting ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("nth", [1, 3, 6, 7])
@pytest.mark.parametrize(
    "target", ["os.pipe", "os.fdopen", "subprocess._fork_exec", "tempfile.TemporaryFile"]
)
def test_workers_that_cannot_both_be_started_leave_no_pipe_open(target: str, nth: int) -> None:
    import gc

    injector = Injector()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    injector.install()
    injector.arm(Fault(target, nth, "EMFILE"))
    try:
        workers = client.start_both()
    except OSError:
        workers = None
    finally:
        injector.disarm()
        injector.remove()
    for worker in workers or ():
        worker.close()
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


# --- whose fault --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ENOSPC", "EIO", "EMFILE", "ENOMEM", "EAGAIN", "EDQUOT", "EFBIG"])
def test_a_machine_without_room_is_not_the_persons_fault(name: str) -> None:
    assert of_the_machine(OSError(getattr(errno, name), "words"))
    assert "this machine cannot go on" in in_one_line(
        raised(name) if name in errors_of("os.write") else MemoryError()
    )


@pytest.mark.parametrize("name", ["EACCES", "ENOENT", "ENOTDIR", "EROFS", "EPERM"])
def test_a_place_that_is_closed_is_the_persons_to_change(name: str) -> None:
    assert not of_the_machine(OSError(getattr(errno, name), "words"))


def test_a_disk_that_is_full_keeps_the_old_file_and_no_other(tmp_path: Path) -> None:
    with small_disk(tmp_path / "full", 8) as there:
        if not there:
            pytest.skip("no disk may be mounted here")
        out = tmp_path / "full" / "record.json"
        write_text(out, OLD)
        with pytest.raises(MachineError, match="No space left on device"):
            write_text(out, "x" * 20_000)
        assert [(path.name, path.read_text("utf-8")) for path in out.parent.iterdir()] == [(out.name, OLD)]


def test_a_folder_that_may_not_be_written_to_is_the_persons_to_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise raised("EACCES")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(InputError, match=r"Permission denied\); choose another place"):
        write_text(tmp_path / "record.json", "new")


# --- two workers that are not alike ---------------------------------------------------------------------

HELLO = {"torch": "2.13.0", "cpu": "AVX2", "order": "little"}


@pytest.mark.parametrize(
    ("key", "other", "words"),
    [
        ("torch", "2.4.0", "torch 2.4.0, the reference's has torch 2.13.0"),
        ("cpu", "DEFAULT", "the CPU capability DEFAULT, the reference's has the CPU capability AVX2"),
        ("order", "big", "the byte order big, the reference's has the byte order little"),
    ],
)
def test_a_worker_unlike_the_references_is_refused_and_both_are_named(
    key: str, other: str, words: str
) -> None:
    insist_alike(HELLO, HELLO)
    insist_alike({}, HELLO)  # never asked anything, since there was nothing to run
    with pytest.raises(MachineError, match=words) as caught:
        insist_alike({**HELLO, key: other}, HELLO)
    assert caught.value.exit_code == 3


def test_a_grade_by_a_worker_unlike_the_references_is_exit_3(one: Bench) -> None:
    worker = one.session.worker
    hello = worker.hello
    worker.hello = {**hello, "torch": "1.0"}
    try:
        ended = one.grade()
    finally:
        worker.hello = hello
    assert (ended.code, ended.record) == (3, None)
    assert f"torch 1.0, the reference's has torch {hello['torch']}" in ended.line
    assert one.grade().code == 0


def test_a_worker_says_what_it_is_compared_by(one: Bench) -> None:
    assert one.grade().code == 0
    hello = one.session.worker.hello
    assert hello["order"] == sys.byteorder
    assert all(isinstance(hello.get(key), str) and hello[key] for key in FACTS)
