"""Becomes what a level asks for, then runs a command: `python enter.py JSON COMMAND ...`; standard library alone.

A program of its own, because what it gives up (a user, capabilities, system calls) cannot be had back.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import struct
import sys
from pathlib import Path

CLONE_NEWNS, MS_BIND, MS_MOVE, MS_REC, MS_PRIVATE = 0x20000, 4096, 8192, 16384, 1 << 18
NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag
PR_CAPBSET_DROP, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 24, 22, 2
LAST_CAPABILITY = 63
# What containers keep by default (capability.h): chown, dac_override, fowner, fsetid, kill, setgid, setuid,
# setpcap, net_bind_service, net_raw, sys_chroot, mknod, audit_write, setfcap.
KEPT = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}
ALLOW, EPERM, ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
LOAD, EQUAL, SET, RETURN = 0x20, 0x15, 0x45, 0x06
# unshare, setns, mount, umount2, pivot_root; clone; clone3
CALLS = {
    "x86_64": ((272, 308, 165, 166, 155), 56, 435),
    "aarch64": ((97, 268, 40, 39, 41), 220, 435),
}

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Do what the JSON asks for and become the command."""
    asked = json.loads(sys.argv[1])
    open_up([Path(path) for path in asked["open"]], Path(asked["room"]))
    if asked["contained"]:
        for number in range(LAST_CAPABILITY + 1):
            if number not in KEPT:
                libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
        refuse_namespaces()
    if asked["uid"] is not None:
        os.setgroups([])
        os.setresgid(*[asked["uid"]] * 3)
        os.setresuid(*[asked["uid"]] * 3)
    os.chdir(asked["cwd"])
    os.execve(sys.argv[2], sys.argv[2:], asked["env"])


def open_up(paths: list[Path], room: Path) -> None:
    """Let anybody reach these folders, for this process and its own alone: what is above them is hidden."""
    shut: dict[Path, list[Path]] = {}
    for path in paths:
        above = [parent for parent in reversed(path.parents) if not parent.stat().st_mode & 0o001]
        if above:
            shut.setdefault(above[0], []).append(path)
    if not shut:
        return
    call("unshare", CLONE_NEWNS)
    call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    call("mount", b"tmpfs", bytes(room), b"tmpfs", 0, b"mode=0755")
    for top, inside in shut.items():
        for number, path in enumerate(inside):
            (room / str(number)).mkdir()
            call("mount", bytes(path), bytes(room / str(number)), None, MS_BIND | MS_REC, None)
        call("mount", b"tmpfs", bytes(top), b"tmpfs", 0, b"mode=0755")
        for number, path in enumerate(inside):
            path.mkdir(parents=True)
            call("mount", bytes(room / str(number)), bytes(path), None, MS_MOVE, None)
            (room / str(number)).rmdir()


def refuse_namespaces() -> None:
    """A filter like a container's: no namespace, no mount; all else goes through."""
    refused, clone, clone3 = CALLS[platform.machine()]
    code = [(LOAD, 0, 0, 0)]
    for number in refused:
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, EPERM)]
    code += [(EQUAL, 0, 1, clone3), (RETURN, 0, 0, ENOSYS)]
    code += [(EQUAL, 0, 3, clone), (LOAD, 0, 0, 16), (SET, 0, 1, NEW_NAMESPACES), (RETURN, 0, 0, EPERM)]
    code += [(RETURN, 0, 0, ALLOW)]
    packed = b"".join(struct.pack("=HBBI", *line) for line in code)
    lines = ctypes.create_string_buffer(packed, len(packed))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(lines)), 16)
    call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(head), 0, 0)


def call(name: str, *arguments: int | bytes | None) -> None:
    """A function of the C library's that says 0 when it is done. Raises OSError."""
    plain = [ctypes.c_ulong(each) if isinstance(each, int) else each for each in arguments]
    if getattr(libc, name)(*plain):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


if __name__ == "__main__":
    main()
