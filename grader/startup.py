"""Keeps the current folder and the environment's Python settings out of the command, before anything is imported.

Only what Python has loaded before it searches any folder is imported here: a `typing.py` lying about would be run.
"""

import os
import sys

__all__ = ["stand_alone"]

HOME = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120  (pathlib is not loaded yet)
# What changes how text is written or where bytecode goes, and nothing of what is run.
HARMLESS = (
    "COERCECLOCALE",
    "DONTWRITEBYTECODE",
    "HASHSEED",
    "IOENCODING",
    "LEGACYWINDOWSSTDIO",
    "MALLOC",
    "UNBUFFERED",
    "UTF8",
)


def stand_alone(*, module: bool) -> None:
    """Go on with neither the current folder nor Python's variables, but for the folder that this engine lies in.

    With `module` the command was started by `python -m`, which puts the current folder before everything else.
    Where a variable steers Python, the same command is started again without it.
    """
    clean = _environment(dict(os.environ))
    if clean != dict(os.environ) and os.name == "posix":
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], clean)
    if module and not sys.flags.safe_path and sys.path and _is_here(sys.path[0]):
        del sys.path[0]
    sys.path[:] = [place for place in sys.path if os.path.isabs(place)]  # noqa: PTH117  (nor here)


def _environment(given: dict[str, str]) -> dict[str, str]:
    """The variables without Python's own; this engine's folder stays where PYTHONPATH names it."""
    kept = {key: value for key, value in given.items() if not _steers(key)}
    named = given.get("PYTHONPATH", "").split(os.pathsep)
    if any(place and os.path.realpath(place) == HOME for place in named):
        kept["PYTHONPATH"] = HOME
    return kept


def _steers(key: str) -> bool:
    """Whether a variable changes what Python runs; those with an underscore say versions and colours, but for one."""
    words = key.removeprefix("PYTHON")
    return key == "PYTHON_PRESITE" or (words != key and words not in HARMLESS and not words.startswith("_"))


def _is_here(place: str) -> bool:
    """Whether a place on the path is the current folder, and not where this engine lies."""
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109  (nor here)
    except OSError:
        return False  # it is gone: nothing can be imported from it
    return os.path.realpath(place or os.curdir) == here != HOME
