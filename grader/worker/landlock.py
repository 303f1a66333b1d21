"""Shuts a process out of all files but those it is given (Landlock), where the kernel can.

Source: the kernel's Documentation/userspace-api/landlock.rst; numbers and layouts from linux/landlock.h. The
system call numbers are the same on every machine.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
VERSION = 1  # flag of CREATE_RULESET: tell the version only
PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE = 1 << 14  # from version 3 on
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
FIRST = (1 << 13) - 1  # the rights of version 1
# version -> rights that came with it: refer, truncate, (network) , ioctl on devices
LATER = {2: 1 << 13, 3: TRUNCATE, 5: 1 << 15}
NET_FROM, SCOPE_FROM = 4, 6
NET = 0b11  # bind and connect TCP
SCOPES = 0b11  # abstract sockets, signals


def version() -> int:
    """The kernel's Landlock version, 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(VERSION))))


def shut_out(readable: Iterable[str], writable: Iterable[str], listed: Iterable[str] = ()) -> int:
    """Leave this process only these paths, for good; tells the version in force. Raises OSError.

    Of folders that are only `listed`, all names can be seen, and no file be read.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    known = version()
    if not known:
        raise OSError("no Landlock here")
    handled = FIRST
    for since, rights in LATER.items():
        handled |= rights if known >= since else 0
    net, scopes = (NET if known >= NET_FROM else 0), (SCOPES if known >= SCOPE_FROM else 0)
    attributes = struct.pack("=QQQ", handled, net, scopes)
    size = 24 if known >= SCOPE_FROM else 16 if known >= NET_FROM else 8
    ruleset = _call(libc, CREATE_RULESET, attributes, size, 0)
    try:
        given = (readable, READ_FILE | READ_DIR), (writable, handled & ~EXECUTE), (listed, READ_DIR)
        for paths, rights in given:
            for path in paths:
                _add(libc, ruleset, path, rights)
        if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "no_new_privs")
        _call(libc, RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return known


def _add(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    """One path and what is below it; one that is not there needs no rule."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= FILE_RIGHTS
        _call(libc, ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _call(libc: ctypes.CDLL, number: int, *arguments: int | bytes) -> int:
    plain = [each if isinstance(each, bytes) else ctypes.c_ulong(each) for each in arguments]
    result = int(libc.syscall(number, *plain))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"Landlock: {os.strerror(code)}")
    return result
