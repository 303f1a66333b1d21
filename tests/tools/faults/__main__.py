"""`make faults`: a thousand faults put in, two hundred graders killed, fifty bereaved, and machines that lack something.

It ends with exit code 1 at the first thing that is not as promised, and names it. It takes half an hour on two
free cores, longer on busy ones.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.tools.faults.loop import many
from tests.tools.faults.machine import every_machine
from tests.tools.faults.whole import Command, bereaved, collect_orphans, faults, kills
from tests.tools.hostile_tools import BROKEN


def main() -> None:
    """Run all, or those parts that are named, and print what came of each."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--faults", type=int, default=940, help="grades of one session with a fault in each")
    options.add_argument("--commands", type=int, default=60, help="whole commands with a fault in each")
    options.add_argument("--kills", type=int, default=200)
    options.add_argument("--bereaved", type=int, default=50)
    options.add_argument("--no-machines", action="store_true")
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    collect_orphans()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "small").mkdir()
        shutil.copy(BROKEN / "right" / "concat.py", folder / "small")
        if asked.faults:
            (folder / "loop").mkdir()
            tell(
                f"{asked.faults} grades of one session, a fault in each",
                lambda: many(folder / "loop", asked.faults, asked.seed),
            )
        command = Command(folder / "small", folder / "out")
        if asked.commands:
            tell(
                f"{asked.commands} commands, a fault in each",
                lambda: faults(command, asked.commands, asked.seed),
            )
        if asked.kills:
            tell(f"{asked.kills} graders killed", lambda: kills(command, asked.kills, asked.seed))
        if asked.bereaved:
            tell(
                f"{asked.bereaved} graders that lost a process",
                lambda: bereaved(command, asked.bereaved, asked.seed),
            )
        if not asked.no_machines:
            for name, ended in every_machine(command):
                say(f"{name}: {ended}")


def tell(what: str, action: object) -> None:
    """Do it and say what came of it, and how long it took; end with 1 where it is not as promised."""
    began = time.monotonic()
    assert callable(action)
    ends = ", ".join(f"{count} {name}" for name, count in sorted(dict(action()).items()))
    say(f"{what}: {ends} ({time.monotonic() - began:.0f} s)")


def say(line: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        say(f"not as promised: {error}")
        sys.exit(1)
