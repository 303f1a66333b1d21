"""The walls inside the jail: a filter of system calls, files out of reach, and the test the jail makes of itself."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.core.errors import InputError, MachineError
from grader.grading.session import grade
from grader.sandbox import isolation, jail
from grader.sandbox.client import Worker, start_jailed
from grader.worker import landlock, seccomp, selftest
from grader.worker.seccomp import ALLOW, KILL, MACHINES, REFUSE
from grader.worker.syscalls import ALLOWED, ASKED
from tests.sandbox.test_client import answer, peek, start_twin

ROOT = Path(__file__).resolve().parents[2]
PID = 4242
needs_walls = pytest.mark.skipif(not (landlock.version() and seccomp.works()), reason="an old kernel")

# --- the filter, run by an interpreter of its own -------------------------------------------------


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says of one system call (Linux's struct seccomp_data, classic BPF)."""
    known = MACHINES[machine][1]
    words = [value & (2**64 - 1) for value in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("<iIQ6Q", number, known if architecture is None else architecture, 0, *words)
    code, at, held = seccomp.program(machine, PID), 0, 0
    while True:
        kind, yes, no, constant = code[at]
        at += 1
        if kind == seccomp.RETURN:
            return constant
        if kind == seccomp.LOAD:
            (held,) = struct.unpack_from("<I", data, constant)
            continue
        tests = {
            seccomp.JUMP_EQUAL: held == constant,
            seccomp.JUMP_ABOVE: held >= constant,
            seccomp.JUMP_SET: bool(held & constant),
        }
        at += yes if tests[kind] else no


def column(machine: str) -> int:
    return MACHINES[machine][0]


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_listed_is_allowed_and_nothing_else(machine: str) -> None:
    place = column(machine)
    listed = {numbers[place]: name for name, numbers in ALLOWED.items() if numbers[place] is not None}
    asked = {numbers[place] for numbers in ASKED.values()}
    for number in range(600):
        if number in listed:
            assert verdict(machine, number) == ALLOW, listed[number]
        elif number not in asked:
            assert verdict(machine, number) == REFUSE | errno.EPERM, number
    assert len(listed) > 70
    assert not set(listed) & asked


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("clone", (0x3D0F00,), ALLOW),  # a thread of the C library's
        ("clone", (0x11,), REFUSE | errno.EPERM),  # fork
        ("clone", (0x4111,), REFUSE | errno.EPERM),  # vfork
        ("clone3", (1, 88), REFUSE | errno.ENOSYS),
        ("tgkill", (PID, PID, 6), ALLOW),
        ("tgkill", (PID - 1, PID - 1, 6), REFUSE | errno.EPERM),
        ("tgkill", (2**32 + 1, 1, 6), REFUSE | errno.EPERM),
        ("prlimit64", (0, 7, 0, 0x7FFF00000000), ALLOW),
        ("prlimit64", (0, 7, 0x7FFF00000000, 0), REFUSE | errno.EPERM),  # lower half zero
        ("prlimit64", (0, 7, 0x1000, 0), REFUSE | errno.EPERM),
        ("ioctl", (1, 0x5401), ALLOW),
        ("ioctl", (1, 0x5412), REFUSE | errno.EPERM),  # TIOCSTI
        ("fcntl", (1, 3), ALLOW),
        ("fcntl", (1, 8), REFUSE | errno.EPERM),  # F_SETOWN
        ("prctl", (15,), ALLOW),
        ("prctl", (4,), REFUSE | errno.EPERM),  # PR_SET_DUMPABLE
    ],
)
def test_some_calls_depend_on_an_argument(
    machine: str, name: str, arguments: tuple[int, ...], wanted: int
) -> None:
    number = ASKED[name][column(machine)]
    assert number is not None
    assert verdict(machine, number, *arguments) == wanted


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architectures_calls_end_the_process(machine: str) -> None:
    assert verdict(machine, 0, architecture=0x40000003) == KILL  # int 0x80
    assert verdict(machine, 0x40000000 + 1) == REFUSE | errno.ENOSYS  # x32


def test_the_tables_are_the_kernels() -> None:
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.exists():
        pytest.skip("no kernel headers here")
    lines = (
        line.split() for line in header.read_text("ascii").splitlines() if line.startswith("#define __NR_")
    )
    known = {name.removeprefix("__NR_"): int(number) for _, name, number in lines}
    for name, (number, _) in {**ALLOWED, **ASKED}.items():
        assert known[name] == number


# --- Landlock, in a process of its own --------------------------------------------------------------


@needs_walls
def test_only_the_paths_given_are_left(tmp_path: Path) -> None:
    for name in ("shown", "given", "hidden"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text(name)
    program = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from grader.worker import landlock
print(landlock.shut_out([{str(tmp_path / "shown")!r}, "/no/such/path"], [{str(tmp_path / "given")!r}]))
def tried(action):
    try:
        return action() or "done"
    except OSError as error:
        return type(error).__name__
shown, given, hidden = ({str(tmp_path)!r} + "/" + name for name in ("shown", "given", "hidden"))
print(tried(lambda: open(shown + "/a").read()), tried(lambda: open(shown + "/b", "w").close()))
print(tried(lambda: open(given + "/b", "w").close()), tried(lambda: os.listdir(given)))
print(tried(lambda: open(hidden + "/a").read()), tried(lambda: os.truncate(shown + "/a", 0)))
print(tried(lambda: os.rename(given + "/b", shown + "/b")), tried(lambda: os.listdir("/")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert int(first) == landlock.version()
    assert rest[0].split() == ["shown", "PermissionError"]
    assert rest[1].startswith("done [")
    assert rest[2] == "PermissionError PermissionError"
    assert rest[3].split() == ["PermissionError", "PermissionError"]


# --- the jail as a guest finds it -------------------------------------------------------------------


def start_bare() -> Worker:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jail.shutil, "which", lambda *_: None)
        worker = start_twin()
        worker.wait_for_hello(time.monotonic() + 60)
        return worker


STARTS: list[tuple[Callable[[], Worker], str]] = [
    (start_jailed, "sealed"),
    (start_twin, "sealed"),
    (start_bare, "confined"),
]


@pytest.fixture(scope="module", params=STARTS, ids=lambda start: start[0].__name__)
def walled(request: pytest.FixtureRequest) -> Iterator[Worker]:
    start, wanted = request.param
    worker = start()
    try:
        worker.wait_for_hello(time.monotonic() + 60)
        if worker.isolation != wanted:
            pytest.skip(f"{worker.isolation} here: {worker.parts}")
        yield worker
    finally:
        worker.close()


def test_the_jail_was_attacked_and_let_nothing(walled: Worker) -> None:
    assert walled.hello["refused"] == list(selftest.ATTACKS)
    assert walled.hello["let"] == []
    assert f"self-test: {len(selftest.ATTACKS)} of {len(selftest.ATTACKS)} attacks refused" in walled.parts


REFUSED = {
    "fork": "os.fork()",
    "a program": "os.execv('/bin/sh', ['sh', '-c', 'true'])",
    "subprocess": "__import__('subprocess').run(['true'])",
    "TCP": "__import__('socket').create_connection(('127.0.0.1', 9), 1)",
    "UDP": "__import__('socket').socket(type=__import__('socket').SOCK_DGRAM)",
    "UNIX": "__import__('socket').socketpair()",
    "signal": "os.kill(os.getppid(), 0)",
    "a limit": "__import__('resource').setrlimit(__import__('resource').RLIMIT_CORE, (0, 1))",
    "users": "open('/etc/passwd').read()",
    "processes": "os.listdir('/proc')",
    "own memory": "open('/proc/self/mem', 'rb').read(1)",
    "the grader": f"open({jail.__file__!r}).read()",
    "the worker": "open('/worker/child.py').read()",
    "the root": "open('/x', 'w')",
    "the libraries": "open(os.path.dirname(os.__file__) + '/x', 'w')",
    "a mode": "os.chmod(os.environ['TMPDIR'], 0o777)",
    "a link": "os.symlink('/etc/passwd', os.environ['TMPDIR'] + '/x')",
    "a device": "os.mknod(os.environ['TMPDIR'] + '/x', 0o20666, 259)",
    "shared memory": "os.memfd_create('x')",
    "another user": "os.setuid(0)",
    "priority": "os.nice(-5)",
    "a namespace": "__import__('ctypes').CDLL(None, use_errno=True).unshare(0x10000000) and 1 / 0",
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_guest_is_refused(walled: Worker, what: str) -> None:
    code = f"""
try:
    {REFUSED[what]}
except (OSError, ValueError, ZeroDivisionError) as error:
    return json.dumps(type(error).__name__)
return json.dumps("let")
"""
    assert peek(walled, code) != "let"


def test_what_computing_needs_is_there(walled: Worker) -> None:
    code = """
import tempfile, threading, time, random, decimal, torch, numpy, einops
seen = []
thread = threading.Thread(target=lambda: seen.append(1))
thread.start(); thread.join()
x = torch.randn(64, 64, requires_grad=True)
(x @ x).softmax(-1).sum().backward()
torch.set_num_threads(2)
big = torch.randn(512, 512) @ torch.randn(512, 512)
seen.append(bool(torch.isfinite(big).all()))
seen.append(torch.jit.script(torch.nn.Linear(2, 2))(torch.ones(2)).shape[0])
seen.append(torch.func.vmap(torch.sin)(torch.ones(3)).shape[0])
with tempfile.TemporaryFile() as file:
    seen.append(file.write(b"abc"))
with tempfile.TemporaryDirectory() as folder:
    seen.append(len(os.listdir(folder)))
import matplotlib.pyplot as plt
figure = plt.figure(); figure.savefig(os.path.join(tempfile.gettempdir(), "a.png")); plt.close(figure)
time.sleep(0.01)
return json.dumps(seen)
"""
    assert peek(walled, code) == [1, True, 2, 3, 3, 0]


def test_an_abort_is_a_death_like_any_other(walled: Worker) -> None:
    assert "SIGABRT" in answer(walled, "os.abort()").message


# --- levels --------------------------------------------------------------------------------------


def test_a_level_is_no_better_than_its_test() -> None:
    good = {"landlock": 7, "seccomp": True, "refused": ["a"], "let": []}
    assert isolation.level("sealed", good) == "sealed"
    assert isolation.level("limited", good) == isolation.level("separate", good) == "confined"
    for lack in ({"landlock": 0}, {"seccomp": False}, {"let": ["a"]}, {"let": None}):
        assert isolation.level("sealed", {**good, **lack}) == "limited"
        assert isolation.level("limited", {**good, **lack}) == "limited"
        assert isolation.level("separate", {**good, **lack}) == "separate"
    assert isolation.level("separate", {}) == "separate"


def test_the_parts_are_told() -> None:
    good = {"landlock": 7, "seccomp": True, "refused": ["a", "b"], "let": ["c"]}
    assert isolation.parts("sealed", good, True) == (
        "namespaces, landlock 7, system call filter, another user, resource limits; "
        "self-test: 2 of 3 attacks refused, let: c"
    )
    assert isolation.parts("separate", {}, False) == "a process of its own; not tested"


def test_what_root_lacks_is_told() -> None:
    good = {"landlock": 7, "seccomp": True, "refused": ["a"], "let": [], "user": 0}
    assert isolation.parts("separate", good, False) == (
        "landlock 7, system call filter, resource limits; missing: another user (guests stay root, without root's "
        "powers); self-test: 1 of 1 attacks refused"
    )
    assert "missing" not in isolation.parts("separate", good, True)
    assert "missing" not in isolation.parts("separate", {**good, "user": 1000}, False)


def test_what_is_required_and_not_there_runs_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jail, "_walls", lambda *_: {})
    (tmp_path / "concat.py").write_text("open('ran', 'w')\n")
    with pytest.raises(MachineError, match="isolation limited is in force here, confined was required"):
        grade(tmp_path, None, 1, isolation="confined")
    with pytest.raises(InputError, match="--require-isolation strong: expected one of separate, limited"):
        isolation.known("strong")


def test_a_jail_that_cannot_be_tested_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OSError("no")

    assert selftest.attack(broken) == {"refused": [], "let": list(selftest.ATTACKS)}
    monkeypatch.setattr(selftest, "ATTACKS", {"a": lambda: None, "b": lambda: os.close(-1)})
    assert selftest.attack(lambda: None) == {"refused": ["b"], "let": ["a"]}
