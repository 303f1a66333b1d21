"""The judge: one pytest session over a lesson's checks.py, away from everything of the submission."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .cases import Case
from .errors import MachineError
from .plugin import Judge, Verdict

CONFIG = Path(__file__).resolve().parent / "judge.ini"


def judge(checks: Path, cases: Mapping[str, Sequence[Case]], steps: Sequence[str]) -> tuple[Verdict, ...]:
    """Every verdict of the checks on these steps, in the file's order. Raises MachineError when pytest fails."""
    import pytest

    plugin = Judge(cases, steps)
    arguments = [str(checks), "-c", str(CONFIG), f"--rootdir={CONFIG.parent}", "--confcutdir", str(checks.parent)]
    arguments += ["--noconftest", "--assert=plain", "--import-mode=importlib", "-s"]
    for name in ("cacheprovider", "terminal", "junitxml", "doctest", "pastebin", "faulthandler", "unittest", "logging"):
        arguments += ["-p", f"no:{name}"]
    said = io.StringIO()
    with _clean(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = int(pytest.main(arguments, plugins=[plugin]))
    if code not in (0, 1, 5) or (code == 5 and steps):
        raise MachineError(f"the checks in {checks} could not be run: {said.getvalue().strip()[-300:] or code}")
    return tuple(plugin.verdicts)


@contextlib.contextmanager
def _clean() -> Iterator[None]:
    """No variable of the environment steers the session, and it leaves no bytecode beside the checks."""
    kept = dict(os.environ)
    written = sys.dont_write_bytecode
    for key in [key for key in os.environ if key.startswith(("PYTEST_", "PYTHON"))]:
        del os.environ[key]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = written
        os.environ.clear()
        os.environ.update(kept)
