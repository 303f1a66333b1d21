"""matplotlib's list of fonts, made once: without one, every process that draws looks through all fonts anew."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.core.user_dirs import cache_home

SET_UP = Path("share") / "attention-grader" / "mpl"  # below the environment, where set-up makes it
KEPT = Path("attention-grader") / "mpl"  # below the user's cache
MAKE = "import matplotlib.font_manager"
SECONDS = 60.0


def font_folder() -> Path | None:
    """The folder that holds the list; made in the user's cache where set-up made none. None where it cannot be."""
    made = Path(sys.prefix) / SET_UP
    if _there(made):
        return made
    cache = cache_home()
    if cache is None:
        return None
    kept = cache / KEPT / hashlib.sha256(sys.prefix.encode()).hexdigest()[:16]
    return kept if _there(kept) or _make(kept) else None


def _make(kept: Path) -> bool:
    """Make the list beside its place, and move it there whole. False where this machine does not let us."""
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=".new-", dir=kept.parent))
    except OSError:
        return False
    try:
        environment = {**os.environ, "MPLCONFIGDIR": str(place), "MPLBACKEND": "Agg"}
        done = subprocess.run(
            [sys.executable, "-I", "-c", MAKE],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=SECONDS,
        )  # fmt: skip
        if done.returncode == 0 and any(place.glob("fontlist-*.json")):
            place.chmod(0o755)
            place.rename(kept)
    except (OSError, subprocess.SubprocessError):
        pass  # or another process was faster: then it is there
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return _there(kept)


def _there(folder: Path) -> bool:
    return os.path.isdir(folder)
