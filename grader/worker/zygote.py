"""The zygote: imports torch once, warms up, and forks a locked-in child for each group of probes.

It supervises the children (wall clock, size of what they send, strays they leave) and forwards their
frames as they are. It never looks into a frame further than its kind.
"""

from __future__ import annotations

import gc
import os
import platform
import select
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any, BinaryIO

from .wire import LENGTHS, REQUEST_BLOBS, WireError, lengths, pack, unpack

GROUP_BYTES = 128 * 2**20  # what one child may send in all
STRAY_ROUNDS = 200  # sweeps for processes that a child left behind
PR_SET_CHILD_SUBREAPER = 36


class Child:
    """A running child: its pipe, its deadlines, what it has sent so far."""

    def __init__(self, request: Mapping[str, Any], pid: int, pipe: int) -> None:
        self.group, self.limits = str(request["group"]), request["limits"]
        self.pid, self.pipe = pid, pipe
        self.buffer = bytearray()
        self.received = 0
        self.what = "start"
        self.finished = False
        self.deadline = time.monotonic() + self.limits["import_seconds"]
        self.end = time.monotonic() + self.limits["step_wall_seconds"]

    def frames(self) -> list[tuple[str, bytes]]:
        """Whole frames received since the last call, each with its kind."""
        whole: list[tuple[str, bytes]] = []
        while len(self.buffer) >= LENGTHS.size:
            head, body = lengths(bytes(self.buffer[: LENGTHS.size]))
            size = LENGTHS.size + head + body
            if len(self.buffer) < size:
                break
            frame = bytes(self.buffer[:size])
            del self.buffer[:size]
            content = unpack(frame[LENGTHS.size : LENGTHS.size + head], frame[LENGTHS.size + head :])
            self._note(content)
            whole.append((str(content.get("kind")), frame))
        return whole

    def _note(self, content: Mapping[str, object]) -> None:
        kind = content.get("kind")
        if kind == "begin":
            self.what = str(content.get("what"))[:200]
            seconds = self.limits["import_seconds" if self.what == "import" else "call_seconds"]
            self.deadline = time.monotonic() + seconds
        elif kind == "done":
            self.finished = True


def main() -> None:
    """Serve requests on standard input until it ends; answers go to standard output."""
    reader, writer = os.fdopen(os.dup(0), "rb"), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    _subreaper()
    gc.disable()
    import torch

    torch.set_num_threads(1)
    _warm(torch)
    gc.enable()
    gc.freeze()
    _send(writer, hello(torch))
    while True:
        request = _read(reader)
        if request is None or request.get("kind") != "run":
            return
        run(request, writer)
        _send(writer, {"kind": "idle"})


def hello(torch: Any) -> dict[str, object]:
    """Versions and capabilities, so that the grader can refuse a worker unlike itself."""
    return {
        "kind": "hello",
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "cpu": str(torch.backends.cpu.get_cpu_capability()),
        "threads": len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0,
        "cuda": _cuda(torch),
        "user": os.getuid() if hasattr(os, "getuid") else -1,
    }


def _cuda(torch: Any) -> str:
    """The name of a CUDA device, or ""; asked only where a driver's device node is in sight."""
    if not os.path.exists("/dev/nvidiactl") or not torch.cuda.is_available():
        return ""
    return str(torch.cuda.get_device_name(0))


def run(request: Mapping[str, Any], writer: int) -> None:
    """Run all groups of a request, a few side by side, each in a child of its own."""
    waiting = list(request["groups"])[::-1]
    slots = list(range(int(request["side_by_side"])))
    running: dict[int, tuple[Child, int]] = {}
    while waiting or running:
        while waiting and slots:
            slot = slots.pop()
            child = _start({**request["shared"], **waiting.pop()}, slot, [c.pipe for c, _ in running.values()], writer)
            running[child.pipe] = (child, slot)
        now = time.monotonic()
        wait = min(min(child.deadline, child.end) for child, _ in running.values()) - now
        ready, _, _ = select.select(list(running), [], [], max(0.0, min(wait, 1.0)))
        for pipe, (child, slot) in list(running.items()):
            how = _advance(child, pipe in ready, writer)
            if how is not None:
                del running[pipe]
                os.close(pipe)
                slots.append(slot)
                _end(child, how, writer, [c.pid for c, _ in running.values()])


def _advance(child: Child, ready: bool, writer: int) -> str | None:
    """Forward what a child has sent; tells how it ended, or None while it goes on."""
    if ready:
        data = os.read(child.pipe, 1 << 20)
        if not data:
            return "closed"
        child.buffer += data
        child.received += len(data)
        try:
            for kind, frame in child.frames():
                if kind in ("loaded", "answer", "done"):
                    _write(writer, _envelope(child.group, frame))
        except WireError:
            return "protocol"
        if child.received > GROUP_BYTES:
            return "protocol"
        if child.finished:
            return "done"
    if time.monotonic() > min(child.deadline, child.end):
        return "time"
    return None


def _end(child: Child, how: str, writer: int, others: list[int]) -> None:
    if how == "closed":
        time.sleep(0)
    else:
        _kill(child.pid)
    _, status = os.waitpid(child.pid, 0) if how != "closed" else _wait(child.pid)
    if how == "closed":
        how = _death(status)
    _sweep([*others])
    _send(writer, {"kind": "end", "group": child.group, "how": how, "what": child.what})


def _wait(pid: int) -> tuple[int, int]:
    """Reap a child that has closed its pipe; one that lingers is killed after a moment."""
    for _ in range(100):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return found, status
        time.sleep(0.01)
    _kill(pid)
    return os.waitpid(pid, 0)


def _death(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "cpu" if number in (signal.SIGXCPU,) else f"signal {signal.Signals(number).name}"
    return f"exit {os.WEXITSTATUS(status)}"


def _start(request: Mapping[str, Any], slot: int, others: list[int], writer: int) -> Child:
    read, write = os.pipe()
    gc.collect(0)
    pid = os.fork()
    if pid:
        os.close(write)
        return Child(request, pid, read)
    try:
        for pipe in [read, writer, *others]:
            os.close(pipe)
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        from .child import lock_in, serve

        lock_in(request["limits"], None if request["uid"] is None else request["uid"] + slot)
        os.closerange(3, write)
        os.closerange(write + 1, 256)
        serve(request, write)
    except BaseException:
        os._exit(71)
    os._exit(0)


def _sweep(keep: list[int]) -> None:
    """Kill every process that an ended child left behind (they are this subreaper's children now)."""
    for _ in range(STRAY_ROUNDS):
        strays = [pid for pid in _children() if pid not in keep]
        for pid in strays:
            _kill(pid)
        for pid in strays:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                continue
        if not strays:
            return


def _children() -> list[int]:
    path = f"/proc/self/task/{os.getpid()}/children"
    try:
        with open(path, encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _subreaper() -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _warm(torch: Any) -> None:
    """First use reads /proc/cpuinfo and picks kernels; it happens here, not in a locked-in child."""
    x = torch.ones(2, 3, 4, dtype=torch.float64, requires_grad=True)
    torch.softmax(x @ x.transpose(-1, -2), -1).sum().backward()


def _envelope(group: str, frame: bytes) -> bytes:
    head = pack({"kind": "from", "group": group})
    head_size, _ = lengths(head[: LENGTHS.size])
    return LENGTHS.pack(head_size, len(frame)) + head[LENGTHS.size :] + frame


def _read(reader: BinaryIO) -> dict[str, Any] | None:
    prefix = reader.read(LENGTHS.size)
    if len(prefix) < LENGTHS.size:
        return None
    head, body = lengths(prefix)
    return unpack(reader.read(head), reader.read(body), REQUEST_BLOBS)


def _send(writer: int, head: Mapping[str, object]) -> None:
    _write(writer, pack(head))


def _write(writer: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(writer, view) :]
