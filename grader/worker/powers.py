"""Gives up what a process may do beyond an ordinary one's rights (Linux capabilities), for good.

Source: the man pages capabilities(7), prctl(2), capset(2); numbers from linux/capability.h and linux/prctl.h.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Collection

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 38, 47, 4
CAPABILITY_VERSION = 0x20080522  # version 3: two words of 32 bits
CAP_KILL, CAP_SETGID, CAP_SETUID = 5, 6, 7
LAST_CAPABILITY = 63


def give_up_powers(kept: Collection[int] = ()) -> None:
    """Keep these capabilities and none besides; none can be had again. Raises OSError where the system refuses.

    The bounding set, which only says what programs started later could gain, is emptied where that is allowed.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    call(libc, "prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call(libc, "prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for number in range(LAST_CAPABILITY + 1):
        if number not in kept and libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0):
            break  # this one is beyond the last there is, or we may not
    bits = sum(1 << number for number in kept)
    header = struct.pack("=Ii", CAPABILITY_VERSION, 0)
    call(libc, "capset", header, struct.pack("=6I", bits, bits, 0, 0, 0, 0))


def call(libc: ctypes.CDLL, name: str, *arguments: int | bytes) -> None:
    """Call a function of the C library that says 0 when it has done its work. Raises OSError."""
    plain = [each if isinstance(each, bytes) else ctypes.c_ulong(each) for each in arguments]
    if getattr(libc, name)(*plain):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
