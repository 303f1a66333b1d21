"""The real command in a process whose walls were taken down: what a grade is without them. No option does this."""

from __future__ import annotations

from .levels import Level
from .model import Attack
from .packs import Pack, packs

# Run in the copy of the project, so `grader` is the copy's.
PROGRAM = """
import shutil, sys, tempfile
from pathlib import Path
from grader.sandbox import jail
jail.guest_uid = lambda: None
jail._walls = lambda *_: {}
jail.WORKER = Path(shutil.copytree(jail.WORKER, Path(tempfile.mkdtemp()) / "worker"))
child = jail.WORKER / "child.py"
kept = child.read_text("utf-8").replace("        give_up_powers()", "        pass")
assert kept != child.read_text("utf-8")
child.write_text(kept, "utf-8")
from grader.__main__ import main
sys.argv[0] = "grader"
main()
"""
WEAK = Level("weak", "separate", bubblewrap=False)


def weak_packs(chosen: list[Attack]) -> list[Pack]:
    """The attacks that must succeed there; one that takes the record away stands alone, or hides the others' signs."""
    apart = [attack for attack in chosen if attack.shows == "record"]
    rest = [attack for attack in chosen if attack not in apart]
    return [*packs(rest), *[pack for attack in apart for pack in packs([attack])]]
