"""The judge: one pytest session over a lesson's checks.py, away from everything of the submission."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grader.core.errors import MachineError
from grader.core.paths import ENGINE

from .cases import Case
from .pytest_plugin import Judge, Verdict

EXITS = {5: "it has no check of these steps"}
# plugins of pytest that cost time here, or leave something behind
NOT_NEEDED = (
    *("cacheprovider", "terminal", "junitxml", "doctest", "pastebin", "faulthandler", "unittest", "logging"),
    *("unraisableexception", "threadexception"),
)
CONFIG = ENGINE / "judging" / "judge.ini"


def judge(checks: Path, cases: Mapping[str, Sequence[Case]], steps: Sequence[str]) -> tuple[Verdict, ...]:
    """Every verdict on these steps, in the file's order. Raises MachineError when pytest fails."""
    if not steps:
        return ()
    plugin = Judge(cases, steps)
    hold(checks, plugin)
    return tuple(plugin.verdicts)


def hold(checks: Path, plugin: Judge) -> None:
    """One session over the checks, told to the plugin. Raises MachineError when pytest fails."""
    import pytest

    arguments = [
        str(checks),
        "-c",
        str(CONFIG),
        f"--rootdir={CONFIG.parent}",
        "--confcutdir",
        str(checks.parent),
    ]
    arguments += ["--noconftest", "--assert=plain", "--import-mode=importlib", "-s"]
    for name in NOT_NEEDED:
        arguments += ["-p", f"no:{name}"]
    said = io.StringIO()
    _forget(checks)
    with _clean(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = int(pytest.main(arguments, plugins=[plugin]))
    _forget(checks)
    if code not in (0, 1):
        why = plugin.fault or said.getvalue().strip() or EXITS.get(code, f"pytest ended with {code}")
        raise MachineError(f"the checks in {checks} could not be run: {why[-300:]}")


def _forget(checks: Path) -> None:
    """Let the checks be read anew each time: pytest takes a module that is already loaded as it is."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if (
            isinstance(file, str)
            and Path(file).name == checks.name
            and Path(file).resolve() == checks.resolve()
        ):
            del sys.modules[name]


@contextlib.contextmanager
def _clean() -> Iterator[None]:
    """No variable of the environment steers the session, and it leaves no bytecode beside the checks."""
    steering = [key for key in os.environ if key.startswith(("PYTEST_", "PYTHON"))]
    kept = {key: os.environ.pop(key) for key in steering}
    written = sys.dont_write_bytecode
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = written
        # Key by key: other threads start processes meanwhile, with this environment.
        for key in [key for key in os.environ if key.startswith("PYTEST_")]:
            del os.environ[key]
        os.environ.update(kept)
