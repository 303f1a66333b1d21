"""Starts the worker, inside the strongest jail this machine has, and brings its answers home."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .errors import MachineError
from .worker.wire import LENGTHS, REQUEST_BLOBS, WireError, lengths, pack, unpack

WORKER = Path(__file__).resolve().parent / "worker"
START_SECONDS = 120.0  # until the zygote says hello; a cold disk takes its time
GRACE_SECONDS = 5.0  # beyond a group's own deadline, before the whole jail is killed
GUEST_UID = 61_080  # an unused uid; slot i of the children gets GUEST_UID + i
PROCESSES = 256  # processes and threads of one guest uid
BOOT = """import importlib.util, sys
sys.path[1:1] = [p for p in sys.argv[2:] if p not in sys.path]
spec = importlib.util.spec_from_file_location("grader_worker", sys.argv[1] + "/__init__.py",
                                              submodule_search_locations=[sys.argv[1]])
package = importlib.util.module_from_spec(spec)
sys.modules["grader_worker"] = package
spec.loader.exec_module(package)
from grader_worker.zygote import main
main()
"""


@dataclass(frozen=True, slots=True)
class Group:
    """The frames one group of probes gave, in order, and how it ended."""

    frames: tuple[Mapping[str, object], ...]
    how: str
    what: str


class Worker:
    """A zygote process: started at once, asked later, so that its import runs beside ours."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], isolation: str, scratch: str | None) -> None:
        self.isolation = isolation
        self.hello: Mapping[str, object] = {}
        self._scratch = scratch
        self._noise: IO[bytes] = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._noise,
            env=dict(env),
            cwd=os.sep,
            start_new_session=True,
        )

    def run(self, request: Mapping[str, object], groups: Sequence[str], deadline: float) -> dict[str, Group]:
        """Send a request, collect every group's frames until `deadline` (monotonic seconds).

        A group without an end in the result was cut off: by the deadline, or by the worker's death.
        Raises MachineError when the worker does not even say hello.
        """
        sender = threading.Thread(target=self._send, args=(pack({"kind": "run", **request}, REQUEST_BLOBS),))
        sender.daemon = True
        sender.start()
        frames: dict[str, list[Mapping[str, object]]] = {group: [] for group in groups}
        ends: dict[str, tuple[str, str]] = {}
        self.wait_for_hello(deadline)
        while True:
            head, body = self._read(deadline)
            if head is None or head.get("kind") == "idle":
                break
            group = str(head.get("group"))
            if group not in frames:
                continue
            if head.get("kind") == "end":
                ends[group] = (str(head.get("how")), str(head.get("what")))
            elif head.get("kind") == "from":
                frames[group].append(_inner(body))
        cut = "deadline" if time.monotonic() >= deadline else "worker died"
        return {group: Group(tuple(found), *ends.get(group, (cut, ""))) for group, found in frames.items()}

    def wait_for_hello(self, deadline: float) -> None:
        """Block until the worker has said hello. Raises MachineError with its last words."""
        while not self.hello:
            head, _ = self._read(min(deadline, time.monotonic() + START_SECONDS))
            if head is None:
                self.close()
                raise MachineError(f"the worker did not start: {self._last_words()}")
            if head.get("kind") == "hello":
                self.hello = head

    def close(self) -> None:
        """Kill the worker with everything below it."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except (OSError, ValueError):
            return

    def _read(self, deadline: float) -> tuple[dict[str, object] | None, bytes]:
        while True:
            prefix = self._exactly(LENGTHS.size, deadline)
            if prefix is None:
                return None, b""
            try:
                head_size, body_size = lengths(prefix)
                head, body = self._exactly(head_size, deadline), self._exactly(body_size, deadline)
                if head is None or body is None:
                    return None, b""
                found = unpack(head, b"")
            except WireError:
                return None, b""
            if found.get("kind") in ("hello", "from", "end", "idle"):
                return found, body

    def _exactly(self, size: int, deadline: float) -> bytes | None:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        data = bytearray()
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                return None
            piece = os.read(pipe, min(size - len(data), 1 << 20))
            if not piece:
                return None
            data += piece
        return bytes(data)

    def _last_words(self) -> str:
        self._noise.seek(0)
        lines = self._noise.read(100_000).decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"


def _inner(frame: bytes) -> Mapping[str, object]:
    try:
        head_size, body_size = lengths(frame[: LENGTHS.size])
        start = LENGTHS.size + head_size
        if len(frame) != start + body_size:
            return {}
        return unpack(frame[LENGTHS.size : start], frame[start:])
    except (WireError, ValueError, ArithmeticError):
        return {}


def start_trusted() -> Worker:
    """A worker for our own reference: a plain process of its own."""
    env = {**_environment(str(_font_cache() or "")), "HOME": os.environ.get("HOME", os.sep)}
    return Worker(_python(WORKER, sys.base_prefix), env, "separate", None)


def start_jailed() -> Worker:
    """A worker for a learner's code, in the strongest jail that works here."""
    bwrap = shutil.which("bwrap")
    if bwrap and sys.platform == "linux" and _works(bwrap):
        return Worker(_bubblewrap(bwrap), {}, "sealed", None)
    scratch = tempfile.mkdtemp(prefix="grader-")
    os.chmod(scratch, 0o1777)
    cache = _font_cache()
    if cache is not None:
        shutil.copytree(cache, Path(scratch) / "mpl", dirs_exist_ok=True)
        for path in [Path(scratch) / "mpl", *(Path(scratch) / "mpl").rglob("*")]:
            os.chmod(path, 0o777 if path.is_dir() else 0o666)
    env = {**_environment(f"{scratch}/mpl"), "HOME": scratch, "TMPDIR": scratch}
    return Worker(_python(WORKER, sys.base_prefix), env, "limited" if os.name == "posix" else "separate", scratch)


def guest_uid(isolation: str) -> int | None:
    """The uid the children change to: only where we are root, and may."""
    return GUEST_UID if sys.platform == "linux" and os.getuid() == 0 else None


def _works(bwrap: str) -> bool:
    """Whether a namespace can really be made and mounted in, not only asked for."""
    command = [bwrap, *_namespaces(), "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--proc", "/proc", "true"]
    try:
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _namespaces() -> list[str]:
    root = os.getuid() == 0
    flags = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if not root:
        return ["--unshare-user", *flags]
    # As root the children change to an unused uid, which needs these three and nothing else.
    return [*flags, "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL"]


def _bubblewrap(bwrap: str) -> list[str]:
    command = [bwrap, *_namespaces(), "--die-with-parent", "--new-session", "--hostname", "jail", "--clearenv"]
    command += ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(64 * 2**20), "--tmpfs", "/tmp"]
    for link in ("/bin", "/lib", "/lib64", "/sbin"):
        if os.path.islink(link):
            command += ["--symlink", os.readlink(link), link]
        elif os.path.isdir(link):
            command += ["--ro-bind", link, link]
    visible = _visible()
    for folder in sorted({str(parent) for path in visible for parent in Path(path).parents} - {"/"}):
        # Made by root they would be root's alone, and the children, who are somebody else, could import nothing.
        command += ["--perms", "0755", "--dir", folder]
    for path in visible:
        command += ["--ro-bind", path, path]
    command += ["--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu"]
    command += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind", str(WORKER), "/worker"]
    cache = _font_cache()
    command += ["--perms", "0777", "--dir", "/tmp/mpl"]
    if cache is not None:
        for file in sorted(cache.glob("fontlist-*.json")):
            command += ["--ro-bind", str(file), f"/tmp/mpl/{file.name}"]
    for key, value in {**_environment("/tmp/mpl"), "HOME": "/tmp", "TMPDIR": "/tmp"}.items():
        command += ["--setenv", key, value]
    return [*command, "--chdir", "/", *_python(Path("/worker"), sys.base_prefix)]


def _visible() -> list[str]:
    """The folders that Python and its libraries need, no more: interpreter, site-packages, system libraries."""
    paths = ["/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/usr/share/fonts", os.path.realpath(sys.executable)]
    paths += [os.path.join(sys.base_prefix, "lib"), *_site()]
    kept: list[str] = []
    for path in sorted({path for path in paths if os.path.exists(path)}):
        if not any(path == other or path.startswith(other + os.sep) for other in kept):
            kept.append(path)
    return kept


def _site() -> list[str]:
    return [path for path in sys.path if path.endswith(("site-packages", "dist-packages")) and os.path.isdir(path)]


def _python(worker: Path, base: str) -> list[str]:
    return [os.path.realpath(sys.executable), "-I", "-S", "-B", "-c", BOOT, str(worker), *_site()]


def _environment(fonts: str) -> dict[str, str]:
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    kept = {key: os.environ[key] for key in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if key in os.environ}
    fixed = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"}
    return {**one, **kept, **fixed, "MPLCONFIGDIR": fonts or os.path.join(tempfile.gettempdir(), "grader-mpl")}


def _font_cache() -> Path | None:
    """Where set-up left matplotlib's font list, so that no graded run builds it again."""
    path = Path(sys.prefix) / "share" / "attention-grader" / "mpl"
    return path if path.is_dir() else None


def close_all(workers: Sequence[Any]) -> None:
    """Close every worker, whatever happens to one of them."""
    for worker in workers:
        worker.close()
