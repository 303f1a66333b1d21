"""The jail, seen from inside: a submission looks around and tells what it found."""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.core.errors import MachineError
from grader.grading.ask import gather
from grader.grading.run import Run, limits_of
from grader.grading.session import Session
from grader.lesson.answers import Answer
from grader.lesson.lesson import Limits
from grader.lesson.probes import Probe, call
from grader.lesson.reference import module
from grader.sandbox import jail
from grader.sandbox.client import Worker, start_both, start_jailed
from tests.tools.hostile_tools import BROKEN, SEED, SLUG, below, settles

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.hostile
SECRET = "what-only-the-reference-was-told"
needs_bubblewrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap here")


def answer(worker: Worker, code: str, seconds: float = 60.0, **limits: float) -> Answer:
    """What a guest of one function `peek` answers when it is called."""
    limit = {**limits_of(Limits()), **limits}
    shared = {
        "modules": [module("peek", "peek.py", f"import json, os\n\n\ndef peek():\n{_indented(code)}\n")],
        "wanted": ["peek"],
        "notebook": False,
        "exact": False,
        "limits": limit,
    }
    provided = {"name": "peek", "method": None, "takes": None, "rivals": []}
    probe = Probe("look", "peek", frozenset(), "a look around", {}, (call("peek", to="out"),), ("out",))
    run = Run(shared, {"peek": "peek"}, {"peek": [provided]})
    return gather(run, [probe], {}, worker, time.monotonic() + seconds, 1).answers["look"]


def peek(worker: Worker, code: str, **limits: float) -> Any:
    """The same, from JSON."""
    found = answer(worker, code, **limits)
    assert found.outcome == "returned", (found.message, found.raised)
    return json.loads(str(found.values["out"]))


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.strip("\n").splitlines())


def start_twin() -> Worker:
    """A jailed worker that shares its import of torch with the reference's, which has a secret already."""
    worker, other = start_both()
    assert answer(other, f"return {SECRET[::-1]!r}[::-1]").outcome == "returned"
    close = worker.close

    def both() -> None:
        close()
        other.close()

    worker.close = both  # type: ignore[method-assign]
    return worker


def without_walls(patch: pytest.MonkeyPatch) -> None:
    """Namespaces, users and limits alone, as on an old kernel; tests/sandbox/test_walls.py has the walls."""
    patch.setattr(jail, "_walls", lambda *_: {})


@pytest.fixture(scope="module", params=[start_jailed, start_twin])
def sealed(request: pytest.FixtureRequest) -> Iterator[Worker]:
    """A worker in namespaces, without walls in them."""
    with pytest.MonkeyPatch.context() as patch:
        without_walls(patch)
        worker = request.param()
        worker.wait_for_hello(time.monotonic() + 60)
        if worker._last.isolation != "sealed":
            worker.close()
            pytest.skip("no namespaces here")
        assert worker.isolation == "limited"
        yield worker
        worker.close()


def _open_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder that other users reach, too: pytest shuts its own."""
    made = factory.mktemp("temporary")
    for folder in (made, *made.parents[:2]):
        folder.chmod(0o755)
    return made


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """A worker where there is no bubblewrap, and a folder for temporary ones that no other test uses."""
    monkeypatch.setattr(tempfile, "tempdir", str(_open_folder(tmp_path_factory)))
    monkeypatch.setattr(jail.shutil, "which", lambda *_: None)
    without_walls(monkeypatch)
    worker = start_jailed()
    yield worker
    worker.close()


# --- what can be seen -----------------------------------------------------------------------------


def test_nothing_of_the_project_or_the_person_can_be_read(sealed: Worker, tmp_path: Path) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("tweet")
    canary.chmod(0o644)
    places = [
        ROOT / name for name in ("reference", "exercises", "quizzes", "tests", "grader", "pyproject.toml")
    ]
    places += [
        canary,
        Path.home() / ".ssh",
        Path("/etc/passwd"),
        Path("/etc/hostname"),
        Path("/home"),
        Path("/var"),
    ]
    code = (
        f"return json.dumps([place for place in {[str(place) for place in places]} if os.path.exists(place)])"
    )
    assert peek(sealed, code) == []
    assert [place for place in places if place.exists()] != []


def test_the_top_of_the_disk_holds_only_what_python_needs(sealed: Worker) -> None:
    seen = set(peek(sealed, 'return json.dumps(os.listdir("/"))'))
    needed = {path.parts[1] for path in jail.visible_paths()} | {"bin", "lib", "lib64", "sbin"}
    assert seen <= needed | {"dev", "proc", "sys", "tmp", "usr", "etc", "worker"}
    assert peek(sealed, 'return json.dumps(sorted(os.listdir("/etc")))') in ([], ["ld.so.cache"])


@pytest.mark.parametrize("start", [start_jailed, start_twin])
def test_the_environment_is_the_jails_own(
    monkeypatch: pytest.MonkeyPatch, start: Callable[[], Worker]
) -> None:
    monkeypatch.setenv("A_SECRET", "tweet")
    worker = start()
    try:
        found = peek(worker, "return json.dumps(dict(os.environ))")
        first = answer(worker, "return open('/proc/self/environ').read()")
    finally:
        worker.close()
    assert not [name for name in found if name.startswith("GRADER_") and name != "GRADER_SCRATCH"]
    assert not {"A_SECRET", "USER", "SSH_AUTH_SOCK", "VIRTUAL_ENV"} & set(found)
    assert found["HOME"] == found["TMPDIR"] == "/tmp/guest-0"
    assert "tweet" not in str(first.values)
    assert first.outcome in ("returned", "raised")


def test_other_processes_are_not_seen(sealed: Worker) -> None:
    code = 'return json.dumps([int(name) for name in os.listdir("/proc") if name.isdigit()])'
    assert len(peek(sealed, code)) <= 4
    assert os.getpid() not in peek(sealed, code)


def test_no_power_is_left_and_none_can_be_had(sealed: Worker) -> None:
    code = """
lines = open("/proc/self/status").read().splitlines()
return json.dumps({line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("Cap", "NoNewPrivs"))})
"""
    status = peek(sealed, code)
    assert status.pop("NoNewPrivs") == "1"
    # What cannot be gained any more needs no bound, and is inherited by nobody.
    assert {status[name] for name in ("CapPrm", "CapEff", "CapAmb")} == {"0" * 16}


def test_no_memory_of_the_reference_comes_along(sealed: Worker) -> None:
    code = f"""
import ctypes, zlib
begin, size, check, found = {SECRET[:12]!r}.encode(), {len(SECRET)}, {zlib.crc32(SECRET.encode())}, 0
for line in open("/proc/self/maps"):
    place, rights, *_, name = (line + " -").split()
    if rights.startswith("rw") and not name.startswith("[v"):
        start, end = (int(part, 16) for part in place.split("-"))
        memory = ctypes.string_at(start, end - start)
        at = memory.find(begin)
        while at >= 0:
            found += zlib.crc32(memory[at : at + size]) == check
            at = memory.find(begin, at + 1)
return json.dumps(found)
"""
    assert peek(sealed, code) == 0
    assert peek(sealed, f"mine = {SECRET[::-1]!r}[::-1].encode()\n{code}") > 0


def test_no_letter_of_another_group_is_in_a_childs_memory(sealed: Worker) -> None:
    """A letter goes through the zygote before the next child is forked from it, and leaves no byte there."""
    letter = np.random.default_rng().standard_normal(8)
    begin, check = letter.tobytes()[7::-1].hex(), zlib.crc32(letter.tobytes())
    code = f"""
import ctypes, zlib
begin, found = bytes.fromhex({begin!r})[::-1], 0
for line in open("/proc/self/maps"):
    place, rights, *_, name = (line + " -").split()
    if rights.startswith("rw") and not name.startswith("[v"):
        start, end = (int(part, 16) for part in place.split("-"))
        memory = ctypes.string_at(start, end - start)
        at = memory.find(begin)
        while at >= 0:
            found += zlib.crc32(memory[at : at + 64]) == {check}
            at = memory.find(begin, at + 1)
return json.dumps(found)
"""
    text = f"import json\n\n\ndef peek(x):\n{_indented(code)}\n"
    steps = ("first", "second")
    shared = {
        "modules": [module(name, f"{name}.py", text) for name in steps],
        "wanted": ["peek"],
        "notebook": False,
        "exact": False,
        "limits": limits_of(Limits()),
    }
    provided = {"name": "peek", "method": None, "takes": None, "rivals": []}
    run = Run(shared, {name: name for name in steps}, {name: [provided] for name in steps})
    given = dict(zip(steps, (letter, np.zeros(8)), strict=True))
    probes = [
        Probe(name, name, frozenset(), "", {"x": given[name]}, (call("peek", "x", to="out"),), ("out",))
        for name in steps
    ]
    found = gather(run, probes, {}, sealed, time.monotonic() + 60, 1).answers
    assert int(str(found["first"].values["out"])) > 0
    assert found["second"].values["out"] == "0"


def test_no_network_at_all(sealed: Worker) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        code = f"""
import socket
names = [name for _, name in socket.if_nameindex()]
try:
    socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), 2).close()
except OSError as error:
    return json.dumps([names, type(error).__name__])
return json.dumps([names, "connected"])
"""
        names, what = peek(sealed, code)
    assert what != "connected"
    assert set(names) <= {"lo"}


def test_the_user_is_nobody_and_may_become_nobody_else(sealed: Worker) -> None:
    code = """
import resource
refused = []
for what in (lambda: os.setuid(0), lambda: os.kill(os.getppid(), 0), lambda: open("/proc/1/mem", "rb"),
             lambda: os.listdir("/proc/1/fd"), lambda: os.mkdir("/usr/lib/ours"), lambda: os.mkdir("/ours"),
             lambda: os.mkdir("/dev/ours"), lambda: open("/worker/child.py", "a"), lambda: os.chroot("/tmp"),
             lambda: resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))):
    try:
        what()
    except (OSError, ValueError):
        refused.append(True)
    else:
        refused.append(False)
return json.dumps([os.getresuid(), os.getresgid(), os.getgroups(), refused])
"""
    uids, gids, groups, refused = peek(sealed, code)
    assert all(refused), refused
    if os.getuid() == 0:
        assert len({*uids, *gids}) == 1
        assert jail.FIRST_UID <= uids[0] < jail.FIRST_UID + jail.UIDS + jail.SLOTS
        assert groups == []


def test_a_guest_keeps_no_descriptor_but_its_pipe(sealed: Worker) -> None:
    code = """
found = []
for number in range(3, 256):
    try:
        found.append(os.readlink(f"/proc/self/fd/{number}").partition(":")[0])
    except OSError:
        pass
return json.dumps(found)
"""
    assert peek(sealed, code) == ["pipe"]


# --- limits ---------------------------------------------------------------------------------------


def test_limits_are_in_force(sealed: Worker) -> None:
    code = """
import resource as r
return json.dumps([r.getrlimit(kind)[0] for kind in
    (r.RLIMIT_AS, r.RLIMIT_CPU, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE, r.RLIMIT_NPROC, r.RLIMIT_CORE)])
"""
    memory, cpu, size, files, processes, core = peek(sealed, code, memory_mib=1000, step_cpu_seconds=33)
    assert 1000 * 2**20 < memory < 4000 * 2**20
    assert (cpu, size, files, processes, core) == (33, 64 * 2**20, 256, 256, 0)


def test_a_lower_limit_of_the_machine_is_kept() -> None:
    program = (
        "import resource as r, time\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (200, 200))\n"
        "r.setrlimit(r.RLIMIT_FSIZE, (2**25, 2**25))\n"
        "from tests.sandbox.test_client import peek, start_jailed\n"
        "worker = start_jailed()\n"
        "code = 'import resource as r\\nreturn json.dumps([r.getrlimit(r.RLIMIT_NOFILE)[0],"
        " r.getrlimit(r.RLIMIT_FSIZE)[0]])'\n"
        "print(peek(worker, code))\n"
        "worker.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == (f"[200, {2**25}]\n", 0), done.stderr


def test_memory_is_refused_and_the_worker_lives(sealed: Worker) -> None:
    found = answer(sealed, "return str(len(bytearray(3 * 2**30)))", memory_mib=512)
    assert found.raised is not None
    assert found.raised.name == "MemoryError"
    assert peek(sealed, "return json.dumps(1)") == 1


def test_processor_time_is_limited(sealed: Worker) -> None:
    found = answer(sealed, "while True: pass", step_cpu_seconds=1, call_seconds=30.0)
    assert found.message == "used more than 1 s of computing time, which is all one step may use"


def test_a_fork_bomb_is_stopped_at_the_limit_and_leaves_nothing(sealed: Worker) -> None:
    code = """
import time
made = 0
try:
    while made < 400:
        if os.fork() == 0:
            os.setsid()
            time.sleep(30)
            os._exit(0)
        made += 1
except OSError:
    pass
return json.dumps(made)
"""
    before = len(below(os.getpid()))
    made = peek(sealed, code, processes=50)
    assert made < 50
    assert settles(before)


def test_what_a_guest_writes_is_gone_before_the_next_and_the_disk_is_small(sealed: Worker) -> None:
    code = """
os.chdir(os.environ["TMPDIR"])
os.makedirs("shut/inner/deep")
open("shut/inner/note", "w").write("for the next one")
open("/tmp/mpl/note", "w").write("for the next one")
os.symlink("/usr", "link")
for _ in range(60):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
open("note", "w").write("where no path leads")
os.chdir(os.environ["TMPDIR"])
os.chmod("shut/inner", 0)
os.chmod("shut", 0)
written = 0
try:
    for number in range(4):
        with open(f"{number}", "wb") as file:
            for _ in range(40):
                written += file.write(bytes(2**20))
except OSError:
    pass
return json.dumps(written)
"""
    assert peek(sealed, code) < 65 * 2**20
    walk = """
return json.dumps([os.listdir(os.environ["TMPDIR"]), os.listdir("/tmp/mpl")])
"""
    own, fonts = peek(sealed, walk)
    assert own == []
    assert "note" not in fonts


# --- its life -------------------------------------------------------------------------------------


HIDES = """
import time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(100)
        os._exit(0)
time.sleep(100)
"""


def closed_in_the_middle(worker: Worker) -> None:
    before = set(below(os.getpid()))
    ended: list[BaseException] = []

    def run() -> None:
        try:
            answer(worker, HIDES, call_seconds=100.0)
        except MachineError as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    end = time.monotonic() + 30
    while len(started := set(below(os.getpid())) - before) < 4 and time.monotonic() < end:
        time.sleep(0.02)
    worker.close()
    thread.join(10)
    assert not thread.is_alive()
    assert [str(error) for error in ended] == ["stopped before the submission was graded"]
    end = time.monotonic() + 5
    while (left := [pid for pid in started if _lives(pid)]) and time.monotonic() < end:
        time.sleep(0.02)
    assert len(started) >= 4
    assert left == []


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("start", [start_jailed, start_twin])
def test_closing_kills_the_whole_tree_and_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, start: Callable[[], Worker]
) -> None:
    without_walls(monkeypatch)
    closed_in_the_middle(start())


def test_closing_kills_the_whole_tree_without_namespaces_too(limited: Worker) -> None:
    assert len(list(Path(tempfile.gettempdir()).glob("grader-*"))) == 1
    closed_in_the_middle(limited)
    assert limited.isolation in ("limited", "separate")
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_a_worker_that_was_killed_starts_again(sealed: Worker) -> None:
    sealed.stop()
    assert peek(sealed, "return json.dumps(1)") == 1


def test_a_deadline_ends_what_runs_and_the_next_run_is_not_confused_by_it(sealed: Worker) -> None:
    found = answer(sealed, "import time; time.sleep(50); return '1'", seconds=2.0, call_seconds=60.0)
    assert found.message == "was not reached before the time for the whole grade was over"
    assert peek(sealed, "return json.dumps(2)") == 2


# --- weaker machines ------------------------------------------------------------------------------


def test_without_bubblewrap_the_record_says_so_and_right_stays_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jail.shutil, "which", lambda *_: None)
    with Session(SLUG, SEED) as session:
        record = session.grade(BROKEN / "right")
    assert record.environment["isolation"] in ("confined", "limited", "separate")
    assert record.score == record.max_score


def test_a_bubblewrap_that_may_not_work_here_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jail.shutil, "which", lambda *_: "/bin/false")
    worker = start_jailed()
    try:
        assert peek(worker, "return json.dumps(1)") == 1
        assert worker.isolation in ("confined", "limited", "separate")
    finally:
        worker.close()


def test_without_torch_there_is_no_worker_and_the_reason_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jail, "library_paths", list)
    worker = start_jailed()
    try:
        with pytest.raises(MachineError, match=r"the worker did not start: .*No module named 'torch'"):
            worker.wait_for_hello(time.monotonic() + 60)
    finally:
        worker.close()


@pytest.mark.parametrize("start", [start_jailed, start_twin])
def test_an_ordinary_user_gets_a_jail_too(start: Callable[[], Worker]) -> None:
    """Run by a Python that nobody may read: the project's own, or the system's of the same version."""
    if os.getuid() != 0:
        pytest.skip("needs root to become somebody else")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = [path for path in sys.path if path.endswith("site-packages")]
    drop = "import os, sys; os.setgroups([]); os.setgid(61500); os.setuid(61500)"
    program = (
        f"import sys, time; sys.path[:0] = [{str(ROOT)!r}]; sys.path += {site!r}\n"
        "sys.dont_write_bytecode = True\n"
        "from tests.sandbox.test_client import peek, start_jailed, start_twin\n"
        f"worker = {start.__name__}()\n"
        "code = 'return json.dumps([os.getuid(), os.path.exists(\"/etc/passwd\")])'\n"
        "print(peek(worker, code), worker.isolation)\n"
        "worker.close()\n"
    )
    for python in dict.fromkeys(
        (sys.executable, shutil.which(version, path="/usr/bin:/usr/local/bin") or "")
    ):
        start = f"{drop}; os.execv({python!r}, [{python!r}, '-I', '-c', {program!r}])"
        done = subprocess.run(
            [sys.executable, "-c", start], cwd="/", capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            assert done.stdout in (
                "[61500, False] sealed\n",
                "[61500, False] confined\n",
                "[61500, True] limited\n",
            )
            return
    pytest.skip(f"no {version} that an ordinary user may read: {done.stderr.strip().splitlines()[-1:]}")


def test_a_table_of_users_without_ours_is_seen(tmp_path: Path) -> None:
    (tmp_path / "map").write_text("         0          0          1\n     65534      65534          1\n")
    assert not jail._mapped(tmp_path / "map", jail.FIRST_UID)
    (tmp_path / "map").write_text("         0     100000      65536\n")
    assert jail._mapped(tmp_path / "map", jail.FIRST_UID + jail.UIDS)
    assert not jail._mapped(tmp_path / "nothing", 1)


# --- too much -------------------------------------------------------------------------------------


def test_a_flood_of_frames_costs_the_grader_little(sealed: Worker) -> None:
    flood = """
import struct
def frame(head, body=b""):
    return struct.pack(">IQ", len(head), len(body)) + head + body
many = b'{"kind":"answer","probe":"x' + b'"}'
deep = b'{"kind":"answer","probe":"look","values":{"out":[' + b"[]," * 1_300_000 + b"[]]}}"
wide = frame(b'{"kind":"answer","probe":"y"}', bytes(60 * 2**20))
for number in range(3, 20):
    try:
        for data in (frame(deep), wide, frame(many) * 20_000):
            view = memoryview(data)
            while view:
                view = view[os.write(number, view):]
    except OSError:
        continue
return "1"
"""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = answer(sealed, flood, call_seconds=30.0)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert found.outcome == "stopped"
    assert found.message == "broke the connection to the grader"
    assert after - before < 200 * 2**10  # KiB
    assert peek(sealed, "return json.dumps(1)") == 1
