"""A filter that lets a process call what computing needs and refuses all else (seccomp, classic BPF).

Source: the kernel's Documentation/userspace-api/seccomp_filter.rst; struct layouts from linux/seccomp.h,
linux/filter.h and linux/audit.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Sequence

from .syscalls import ALLOWED, ASKED

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
LOAD, JUMP_EQUAL, JUMP_ABOVE, JUMP_SET, JUMP, RETURN = 0x20, 0x15, 0x35, 0x45, 0x05, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
X32_BIT = 0x40000000
# machine -> column of the tables, AUDIT_ARCH_*
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

CLONE_THREAD = 0x00010000
IOCTLS = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
FCNTLS = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
PRCTLS = (15, 16, 21, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_SET_VMA

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def works() -> bool:
    """Whether there is a table for this machine and a kernel that takes filters (asked with none: EFAULT)."""
    if platform.machine() not in MACHINES or not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_ulong(0), 0, 0)
    return ctypes.get_errno() == errno.EFAULT


def program(machine: str, pid: int) -> list[Instruction]:
    """The filter for a process `pid` on a machine; struct seccomp_data goes in, a verdict comes out."""
    column, architecture = MACHINES[machine]
    code: list[Instruction] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (JUMP_ABOVE, 0, 1, X32_BIT),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
    ]
    for name, numbers in ASKED.items():
        number = numbers[column]
        if number is not None:
            body = _body(name, pid)
            code += [(JUMP_EQUAL, 0, len(body), number), *body]
    for numbers in ALLOWED.values():
        number = numbers[column]
        if number is not None:
            code += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    return [*code, (RETURN, 0, 0, REFUSE | errno.EPERM)]


def _body(name: str, pid: int) -> list[Instruction]:
    """What is done with a call that depends on an argument; every way ends in a verdict."""
    if name == "clone3":  # its flags lie in memory, out of sight: the C library then takes clone
        return [(RETURN, 0, 0, REFUSE | errno.ENOSYS)]
    if name == "clone":
        return [(LOAD, 0, 0, _argument(0)), (JUMP_SET, 0, 1, CLONE_THREAD), *_verdicts()]
    if name == "tgkill":  # to itself alone: how abort() ends
        return _one_of(0, (pid,))
    if name == "prlimit64":  # reading, not setting: the new limit is a null pointer in both of its halves
        high = _argument(2) + 4
        return [
            (LOAD, 0, 0, _argument(2)),
            (JUMP_EQUAL, 0, 3, 0),
            (LOAD, 0, 0, high),
            (JUMP_EQUAL, 0, 1, 0),
            *_verdicts(),
        ]
    return _one_of(*{"ioctl": (1, IOCTLS), "fcntl": (1, FCNTLS), "prctl": (0, PRCTLS)}[name])


def _verdicts() -> list[Instruction]:
    return [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE | errno.EPERM)]


def _one_of(argument: int, values: Sequence[int]) -> list[Instruction]:
    tests = [(JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [
        (LOAD, 0, 0, _argument(argument)),
        *tests,
        (RETURN, 0, 0, REFUSE | errno.EPERM),
        (RETURN, 0, 0, ALLOW),
    ]


def _argument(number: int) -> int:
    """Where the lower half of an argument lies (both machines are little-endian)."""
    return ARGUMENTS + 8 * number


def refuse_the_rest() -> None:
    """Install the filter in this process, for good. Raises OSError where the system does not take it."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = program(platform.machine(), os.getpid())
    packed = b"".join(struct.pack("=HBBI", *instruction) for instruction in code)
    lines = ctypes.create_string_buffer(packed, len(packed))
    head = struct.pack("@HP", len(code), ctypes.addressof(lines))
    buffer = ctypes.create_string_buffer(head, len(head))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_ulong(ctypes.addressof(buffer)), 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")
