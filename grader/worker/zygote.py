"""The zygote: imports torch once, warms up, and forks a locked-in child for each group of probes.

It supervises the children (wall clock, size of what they send, strays they leave) and forwards their
frames as they are. It looks into none, nor into the letters that it hands on: what it has read, the next
child could find in its memory.
"""

from __future__ import annotations

import gc
import importlib
import os
import platform
import select
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any

from .children import Child, Seat, end, start, take
from .guest import Guest
from .pipes import hand_on, read_frame, send, write_all
from .ready import import_libraries, ours
from .scratch import LOOK_SECONDS, Scratch, settle_in
from .selftest import attack
from .tidy import contents
from .walls import Walls, parts, planned
from .wire import LENGTHS, WireError, lengths, pack

GROUP_BYTES = 128 * 2**20  # what one child may send in all
GARBAGE = 20_000  # objects made before Python looks for circles: a child does not live long
TEST_LIMITS = {"memory_mib": 512, "step_cpu_seconds": 10, "processes": 256}
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36


def main() -> None:
    """Serve requests on standard input until it ends; answers go to standard output."""
    reader, writer = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    die_with_parent()
    seat = serve_requests(reader, writer, prepare())
    if seat is not None:
        take(seat)


def prepare() -> Any:
    """Import torch and all that a child needs, on one thread, once."""
    gc.disable()
    import torch

    # What a child uses is here before it is locked in; from inside a jail our folder may be out of sight.
    importlib.import_module(".child", __package__)
    importlib.import_module(".figure", __package__)
    torch.set_num_threads(1)
    _warm(torch)
    gc.enable()
    gc.set_threshold(GARBAGE)
    gc.freeze()
    return torch


def serve_requests(source: int, writer: int, torch: Any) -> Seat | None:
    """Say hello, then answer requests from one descriptor on the other until they end; in a new child its seat."""
    _settle()
    walls = planned(os.environ.pop("GRADER_WALLS", ""))
    folder = os.environ.get("GRADER_SCRATCH", "")  # of the jail's own, emptied after each guest
    most = int(os.environ.pop("GRADER_SCRATCH_BYTES", "0"))
    scratch = Scratch(folder, contents(folder) if folder else frozenset(), most)
    send(writer, {**hello(torch), **parts(walls), **_tested(walls, scratch)})
    guest: Guest | None = None
    fresh = True  # no guest has been here, who without Landlock may have left something for the next
    while True:
        request: Any = read_frame(source)
        if request is None or request.get("kind") != "run":
            return None
        if fresh or (walls is not None and walls.landlock):
            import_libraries(request["shared"].get("libraries", ()))
        fresh = False
        guest = ours(request["shared"], request["groups"], guest)
        seat = run(request, source, writer, scratch, walls, guest)
        if seat is not None:
            return seat
        send(writer, {"kind": "idle"})


def hello(torch: Any) -> dict[str, object]:
    """Versions and capabilities, so that the grader can refuse a worker unlike itself."""
    return {
        "kind": "hello",
        "process": os.getpid(),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "cpu": str(torch.backends.cpu.get_cpu_capability()),
        "order": sys.byteorder,
        "threads": len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0,
        "cuda": _cuda(torch),
        "user": os.getuid() if hasattr(os, "getuid") else -1,
    }


def _tested(walls: Walls | None, scratch: Scratch) -> dict[str, object]:
    """What the jail refuses of what was tried in it, where there is one."""
    if walls is None:
        return {}
    from .child import lock_in

    uid = os.environ.pop("GRADER_UID", "")

    def lock() -> None:
        lock_in(TEST_LIMITS, int(uid) if uid else None, settle_in(scratch.place(0), walls))

    return dict(attack(lock))


def _cuda(torch: Any) -> str:
    """How a child can call a GPU, or ""; asked of the driver alone, since CUDA does not survive a fork."""
    return "cuda" if os.path.exists("/dev/nvidiactl") and torch.cuda.is_available() else ""


def run(
    request: Mapping[str, Any],
    source: int,
    writer: int,
    scratch: Scratch,
    walls: Walls | None = None,
    guest: Guest | None = None,
) -> Seat | None:
    """Run all groups of a request in their order, a few side by side, each in a child of its own.

    A group that comes after another waits for that one's end, and is skipped when it was no good end. In a new
    child its seat is returned.
    """
    groups, shared = request["groups"], request["shared"]
    slots = list(range(int(request["side_by_side"])))
    running: dict[int, tuple[Child, int]] = {}
    ended: dict[int, str] = {}
    looked, following = 0.0, 0
    while following < len(groups) or running:
        # The letters come in the order of the groups: one that has to wait holds up those behind it.
        while slots and following < len(groups):
            group, after = groups[following], groups[following]["after"]
            if any(child.number == after for child, _ in running.values()):
                break
            if ended.get(after, "done") != "done":
                hand_on(source, None, group["size"])
                send(writer, {"kind": "end", "group": following, "how": "skipped", "begun": True})
            else:
                slot = slots.pop()
                place = scratch.place(slot)
                child = start(shared, group, following, _user(shared, slot), walls, guest, place, source)
                if isinstance(child, Seat):
                    return child
                running[child.pipe] = (child, slot)
            following += 1
        if not running:
            continue
        now = time.monotonic()
        wait = min(min(child.deadline, child.end) for child, _ in running.values()) - now
        ready, _, _ = select.select(list(running), [], [], max(0.0, min(wait, LOOK_SECONDS)))
        look = now - looked >= LOOK_SECONDS
        looked = now if look else looked
        for pipe, (child, slot) in list(running.items()):
            how = _advance(child, pipe in ready, writer)
            uid = _user(shared, slot)
            if how is None and look and scratch.overfull(slot, child.pid, uid):
                how = "disk"
            if how is not None:
                del running[pipe]
                os.close(pipe)
                slots.append(slot)
                how = end(child, how, [c.pid for c, _ in running.values()])
                scratch.clear(slot, uid, walls)
                ended[child.number] = how
                send(writer, {"kind": "end", "group": child.number, "how": how, "begun": child.begun()})
                os.close(child.told)
    return None


def _user(shared: Mapping[str, Any], slot: int) -> int | None:
    """Who the child in a slot becomes; None where it stays who we are."""
    return None if shared["uid"] is None else int(shared["uid"]) + slot


def _advance(child: Child, ready: bool, writer: int) -> str | None:
    """Forward what a child has sent; tells how it ended, or None while it goes on."""
    if ready:
        data = os.read(child.pipe, 1 << 20)
        if not data:
            return "closed"
        child.buffer += data
        child.received += len(data)
        try:
            for frame in child.frames():
                write_all(writer, _envelope(child.number, frame))
        except WireError:
            return "protocol"
        if child.received > GROUP_BYTES:
            return "protocol"
        if child.finished:
            return "done"
    if time.monotonic() > child.deadline:
        return "time"
    return "turn" if time.monotonic() > child.end else None


def die_with_parent() -> None:
    """Go with whoever started us."""
    if sys.platform == "linux":
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _settle() -> None:
    """Strays come to us; we go with our parent; in a jail of our own nobody may look into our memory."""
    if sys.platform == "linux":
        _prctl(PR_SET_CHILD_SUBREAPER, 1)
        die_with_parent()
        if os.environ.get("GRADER_SEALED"):
            _prctl(PR_SET_DUMPABLE, 0)


def _prctl(option: int, value: int) -> None:
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _warm(torch: Any) -> None:
    """First use reads /proc/cpuinfo and picks kernels; it happens here, not in a locked-in child."""
    x = torch.ones(2, 3, 4, dtype=torch.float64, requires_grad=True)
    torch.softmax(x @ x.transpose(-1, -2), -1).sum().backward()


def _envelope(group: int, frame: bytes) -> bytes:
    head = pack({"kind": "from", "group": group})
    head_size, _ = lengths(head[: LENGTHS.size])
    return LENGTHS.pack(head_size, len(frame)) + head[LENGTHS.size :] + frame
