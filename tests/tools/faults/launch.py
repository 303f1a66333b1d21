"""The command with a fault in it: `python -m tests.tools.faults.launch --fault os.fsync:1:ENOSPC -- grade PATH ...`.

`--clock SECONDS` lets the clock on the wall jump by so much with every second call that asks for it; `--no-torch`
hides every installed package from the workers; `--disk BYTES` lets no file grow beyond that.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable

from tests.tools.faults.injector import Fault, Injector


def jumping(real: Callable[[], float], jump: float) -> Callable[[], float]:
    """A clock that is wrong by the jump at every second look."""
    looks = 0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return real() + (jump if looks % 2 else 0.0)

    return clock


def main() -> None:
    """Put the faults in, then be the command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--fault", type=Fault.read)
    options.add_argument("--clock", type=float, default=0.0)
    options.add_argument("--disk", type=int, default=0)
    options.add_argument("--no-torch", action="store_true")
    options.add_argument("words", nargs="+")
    asked = options.parse_args()
    if asked.clock:
        time.time = jumping(time.time, asked.clock)
        real = time.time_ns
        time.time_ns = lambda: real() + int(asked.clock * 1e9)
    if asked.disk:
        resource.setrlimit(resource.RLIMIT_FSIZE, (asked.disk, asked.disk))
    if asked.no_torch:
        from grader.sandbox import jail

        jail.library_paths = list
    injector = Injector()
    if asked.fault is not None:
        injector.install()
        injector.arm(asked.fault)
    sys.argv = ["grader", *asked.words]
    from grader.__main__ import main as command

    command()


if __name__ == "__main__":
    main()
