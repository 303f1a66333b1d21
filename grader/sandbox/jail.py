"""How a worker is started: the command, the environment and the folders it may see, strongest first."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.core.paths import ENGINE, WORKER

from .font_cache import font_folder
from .mounts import engine_among, library_paths, readable_paths, visible_paths

FIRST_UID, UIDS, SLOTS = 60_600, 560, 8  # uids nobody has; one grader's children take a few of them
TMP_BYTES = 64 * 2**20  # all that a guest may write
SIDE_BY_SIDE = 2  # guests of one worker at a time
SHARED_BYTES = 16 * 2**20
# As root the children change to an unused uid, which needs these three and nothing else.
CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")
READY = b"\n.\n"  # ends what a holder says
# The one who holds a jail open for a worker that enters it later.
HOLD = """import json, os, sys
sys.stdout.write(json.dumps(dict(os.environ)) + "\\n.\\n")
sys.stdout.flush()
sys.stdin.read()
"""
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
BOOT_TWINS = BOOT.replace("sys.argv[2:]", "sys.argv[7:]").replace("zygote", "twins")


@dataclass(frozen=True, slots=True)
class Launch:
    """A way to start a worker; `scratch` is a folder of its own, to be removed after it.

    `uid` is the first of the users that its children become, None where they stay who we are.
    """

    command: tuple[str, ...]
    env: Mapping[str, str]
    isolation: str
    scratch: str | None = None
    uid: int | None = None


def trusted() -> Iterator[Launch]:
    """The way to start a worker for our own reference: a plain process."""
    home = os.environ.get("HOME", os.sep)
    yield Launch(_python(WORKER), {**_environment(str(font_folder() or "")), "HOME": home}, "separate")


def jailed() -> Iterator[Launch]:
    """The ways to start a worker for a learner's code, strongest first; the next where one does not start."""
    bwrap = shutil.which("bwrap")
    if bwrap and sys.platform == "linux":
        yield Launch(_bubblewrap(bwrap), {}, "sealed", uid=guest_uid())
    yield bare()


def bare() -> Launch:
    """The way without namespaces: a scratch folder, another user where we are root, and what walls there are."""
    scratch = Path(tempfile.mkdtemp(prefix="grader-"))
    try:
        return _bare(scratch)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def _bare(scratch: Path) -> Launch:
    scratch.chmod(0o1777)
    cache = font_folder()
    if cache is not None:
        shutil.copytree(cache, scratch / "mpl", dirs_exist_ok=True)
        for path in [scratch / "mpl", *(scratch / "mpl").rglob("*")]:
            path.chmod(0o777 if path.is_dir() else 0o666)
    uid = guest_uid() if all(map(_open_to_all, visible_paths())) else None
    env = {**_environment(f"{scratch}/mpl"), **_places(str(scratch)), **_walls(str(scratch), uid)}
    env["GRADER_SCRATCH_BYTES"] = str(TMP_BYTES)
    bound = os.name == "posix" and (uid is not None or os.getuid() != 0)
    return Launch(_python(WORKER), env, "limited" if bound else "separate", str(scratch), uid)


def twins(pipes: Sequence[int]) -> Launch:
    """The way to start the process that splits into both workers, told of its five descriptors."""
    program, *options = _python(WORKER)
    place = options.index(str(WORKER)) + 1
    numbered = [*options[: place - 2], BOOT_TWINS, str(WORKER), *map(str, pipes), *options[place:]]
    return Launch((program, *numbered), _environment(str(font_folder() or "")), "sealed", uid=guest_uid())


def held_open(info: int) -> tuple[str, ...] | None:
    """The command that builds a jail and waits in it; bubblewrap writes who waits to `info`. None without it."""
    bwrap = shutil.which("bwrap")
    if not bwrap or sys.platform != "linux":
        return None
    return _bubblewrap(bwrap, ("--info-fd", str(info)), (_program(), "-I", "-S", "-c", HOLD))


def guest_uid() -> int | None:
    """The first of the uids that the children change to: only where we are root, and these uids exist."""
    if sys.platform != "linux" or os.getuid() != 0:
        return None
    first = FIRST_UID + os.getpid() * SLOTS % UIDS
    exist = all(_mapped(Path(f"/proc/self/{kind}_map"), first + SLOTS) for kind in ("uid", "gid"))
    return first if exist else None


def _open_to_all(path: Path) -> bool:
    """Whether anybody may read what lies there: a Python in root's home is of no use to another user."""
    return bool(path.stat().st_mode & 0o004) and all(parent.stat().st_mode & 0o001 for parent in path.parents)


def _mapped(table: Path, number: int) -> bool:
    """Whether a user namespace's table has this number."""
    try:
        rows = [[int(word) for word in line.split()] for line in table.read_text("ascii").splitlines()]
    except (OSError, ValueError):
        return False
    return any(start <= number < start + count for start, _, count in rows)


def _namespaces() -> list[str]:
    flags = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() != 0:
        return ["--unshare-user", *flags]
    return [*flags, "--cap-drop", "ALL", *(word for name in CAPABILITIES for word in ("--cap-add", name))]


def _bubblewrap(
    bwrap: str, options: Sequence[str] = (), inside: Sequence[str] | None = None
) -> tuple[str, ...]:
    command = [
        bwrap,
        *options,
        *_namespaces(),
        "--die-with-parent",
        "--new-session",
        "--hostname",
        "jail",
        "--clearenv",
    ]
    command += ["--proc", "/proc", "--dev", "/dev"]
    command += _memory()
    for link in (Path("/bin"), Path("/lib"), Path("/lib64"), Path("/sbin")):
        if link.is_symlink():
            command += ["--symlink", str(link.readlink()), str(link)]
        elif link.is_dir():
            command += ["--ro-bind", str(link), str(link)]
    visible = visible_paths()
    mounted = [*visible, Path("/etc/ld.so.cache"), Path("/sys/devices/system/cpu")]
    for folder in sorted({str(parent) for path in mounted for parent in path.parents} - {"/"}):
        # Made by root they would be root's alone, and the children, who are somebody else, import nothing.
        command += ["--perms", "0755", "--dir", folder]
    for path in visible:
        command += ["--ro-bind", str(path), str(path)]
    if engine_among(visible):
        command += ["--size", "4096", "--perms", "0755", "--tmpfs", str(ENGINE), "--remount-ro", str(ENGINE)]
    command += ["--ro-bind-try", "/sys/devices/system/cpu", "/sys/devices/system/cpu"]
    command += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--ro-bind", str(WORKER), "/worker"]
    cache = font_folder()
    command += ["--perms", "0777", "--dir", "/tmp/mpl"]
    if cache is not None:
        for file in sorted(cache.glob("fontlist-*.json")):
            command += ["--ro-bind", str(file), f"/tmp/mpl/{file.name}"]
    # What is left writable is as large as said above, not half of the machine's memory.
    command += ["--remount-ro", "/dev", "--remount-ro", "/"]
    for key, value in {**_environment("/tmp/mpl"), **_places("/tmp"), **_walls("/tmp", guest_uid())}.items():
        command += ["--setenv", key, value]
    return (*command, "--chdir", "/", *(inside or _python(Path("/worker"))))


def _memory() -> Iterator[str]:
    """What can be written to: file systems in memory, one for each guest, so that who fills his takes no other's."""
    places = {f"/tmp/guest-{slot}": TMP_BYTES for slot in range(SIDE_BY_SIDE)}
    yield from ("--perms", "1777", "--size", str(SHARED_BYTES), "--tmpfs", "/dev/shm")
    yield from ("--perms", "0755", "--size", str(SHARED_BYTES), "--tmpfs", "/tmp")
    for place, size in places.items():
        yield from ("--perms", "1777", "--size", str(size), "--tmpfs", place)


def _program() -> str:
    return str(Path(sys.executable).resolve())


def _python(worker: Path) -> tuple[str, ...]:
    return (_program(), "-I", "-S", "-B", "-c", BOOT, str(worker), *library_paths())


def _environment(fonts: str) -> dict[str, str]:
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    kept = {key: os.environ[key] for key in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if key in os.environ}
    fixed = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
        "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    }
    return {**one, **kept, **fixed, "MPLCONFIGDIR": fonts or str(Path(tempfile.gettempdir()) / "grader-mpl")}


def _walls(scratch: str, uid: int | None) -> dict[str, str]:
    """What a guest may read and write, and the user it becomes; the worker takes both out again."""
    whole, listed = ([str(path) for path in paths] for paths in readable_paths())
    system = ["/etc/ld.so.cache", "/sys/devices/system/cpu"]
    devices = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"]
    told = json.dumps([[*whole, *system, *devices], [scratch, "/dev/null"], listed])
    return {"GRADER_WALLS": told, "GRADER_UID": "" if uid is None else str(uid)}


def _places(scratch: str) -> dict[str, str]:
    """Where a guest may write; the worker empties GRADER_SCRATCH after each."""
    return dict.fromkeys(("HOME", "TMPDIR", "GRADER_SCRATCH"), scratch)
