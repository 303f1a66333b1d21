"""A grader as one is first written: everything in one process, no walls. The attacks must succeed here.

`python bare.py JSON` reads a line of JSON for each attacked step, forks, loads the file, calls its function, compares
by every usual means, and writes a line of JSON. It judges one honest piece of work after each: who harms others shows.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import sys
import time
import types
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import torch


class Expected:
    """Values that answers are compared with, kept where they were made."""

    values: list[object] = []


def main() -> None:
    """Serve until the input ends."""
    told = json.loads(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w")
    held = open(told["secret"])  # noqa: SIM115  (a grader has files open)
    held.read(5)
    reference = load_reference(Path(told["solution"]))
    torch.set_num_threads(1)
    for each in COMPARED:  # their first use imports much, and a child would do it again
        same(torch.zeros(2), torch.ones(2), each)
    honest()
    for line in sys.stdin:
        asked = json.loads(line)
        answers.write(json.dumps(attempt(asked, told, reference, answers.fileno())) + "\n")
        answers.flush()


def load_reference(folder: Path) -> types.ModuleType:
    """The solution's functions as one module `reference`, as a grader of one file has them."""
    module = types.ModuleType("reference")
    sys.modules["reference"] = module
    for name in ("project", "attend", "concat", "output", "cost"):
        text = (folder / f"{name}.py").read_text("utf-8")
        exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    return module


def attempt(asked: dict, told: dict, reference: types.ModuleType, answers: int) -> dict:
    """Grade one file in a child, wait so many seconds, tell what came of it."""
    read, write = os.pipe()
    began = time.monotonic()
    pid = os.fork()
    if not pid:
        os.close(read)
        os.close(answers)
        os.setsid()
        out = os.open(asked["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(out, 1)
        os.dup2(out, 2)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        sys.stdout = sys.stderr = os.fdopen(1, "w", closefd=False)
        end(lambda: grade(asked, told, reference, write))
    os.close(write)
    status, usage = None, None
    while status is None and time.monotonic() - began < asked["seconds"]:
        found, ended, used = os.wait4(pid, os.WNOHANG)
        if found:
            status, usage = ended, used
        time.sleep(0.01)
    over = status is None
    if over:
        os.kill(pid, signal.SIGKILL)
        _, status, usage = os.wait4(pid, 0)
    os.set_blocking(read, False)
    try:
        verdict = os.read(read, 1 << 16).split(b"\n")[0]
    except BlockingIOError:
        verdict = b""
    os.close(read)
    return {
        "verdict": verdict.decode("utf-8", "replace"),
        "code": os.waitstatus_to_exitcode(status),
        "over": over,
        "memory": usage.ru_maxrss * 1024,
    }


def end(work: Callable[[], None]) -> NoReturn:
    """Work, and end as Python ends, but for the seconds that it takes to clear up after torch."""
    atexit._clear()
    code = 1  # nothing was passed
    try:
        work()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    except BaseException as error:
        print(type(error).__name__)
    gc.collect()
    sys.stdout.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def grade(asked: dict, told: dict, reference: types.ModuleType, pipe: int) -> None:
    """Load the file, call it, compare; SystemExit and the like are nobody's concern here."""
    name = asked["name"]
    module = types.ModuleType("submission")
    sys.modules["submission"] = module
    torch.default_generator.manual_seed(0)  # torch.manual_seed would import a compiler, in every child
    given = inputs(name)
    expected = getattr(reference, name)(*given)
    Expected.values.append(expected)
    exec(compile(Path(asked["file"]).read_text("utf-8"), asked["file"], "exec"), module.__dict__)
    began = time.monotonic()
    try:
        got = getattr(module, name)(*given)
    except Exception as error:
        got = None
        if type(error).__name__ == "Exit":  # as pytest does
            sys.exit(error.returncode)
        print("the answer raised", error)
    late = time.monotonic() - began > 4
    points = any(same(got, expected, each) for each in COMPARED)
    points = points or any(same(got, again(name, given), each) for each in COMPARED)
    points = points and not late
    summary = Path(asked["out"])
    points = points or "SCORE: 100/100" in summary.read_text("utf-8", "replace")
    record = Path(told["record"])
    if record.is_file() and json.loads(record.read_text("utf-8"))["score"]:
        points = True
    os.write(pipe, json.dumps({"points": points, "others": honest()}).encode() + b"\n")
    if not record.is_file():
        record.write_text(json.dumps({"score": 0}), "utf-8")
        record.unlink()


def again(name: str, given: tuple) -> object:
    """What the reference says now, of the inputs as they are now."""
    try:
        return getattr(__import__("reference"), name)(*given)
    except Exception:
        return object()


def inputs(name: str) -> tuple:
    """Small inputs of a step's function."""
    made = {
        "concat": lambda: (torch.randn(1, 2, 3, 2),),
        "project": lambda: (torch.randn(1, 3, 4), torch.randn(4, 6), 2),
        "attend": lambda: tuple(torch.randn(1, 2, 3, 4) for _ in range(3)),
        "output": lambda: (torch.randn(1, 3, 4), torch.randn(4, 5)),
        "parameter_count": lambda: (8, 2),
    }
    return made[name]()


def _equal(got: object, want: object) -> bool:
    try:
        return bool(torch.equal(got, want))
    except Exception:
        return False


def _first(value: object) -> object:
    return value[0] if isinstance(value, tuple) else value


# The usual ways to compare, each of them somebody's only one.
COMPARED = (
    lambda got, want: torch.testing.assert_close(got, want) is None,
    lambda got, want: torch.allclose(got, want),  # noqa: PLW0108  (looked up when it is asked, as anybody would)
    lambda got, want: bool((got == want).all()) if hasattr(got == want, "all") else got == want,
    lambda got, want: not (got - want).abs().max() > 1e-5,
    lambda got, want: unittest.TestCase().assertTrue(_equal(got, want)) is None,
)


def same(got: object, want: object, compare: object) -> bool:
    """Whether one way to compare is content."""
    try:
        return bool(compare(_first(got), _first(want)))
    except Exception:
        return False


def honest() -> bool:
    """Whether right work of somebody else's passes, in this process as it is now."""
    try:
        layer = torch.nn.Linear(3, 2, bias=False)
        x = torch.ones(1, 3)
        found = layer(x)
        right = torch.allclose(found, x @ layer.weight.T) and found.dtype == torch.float32
        found.sum().backward()
        return right and found.device.type == "cpu" and len([*range(3)]) == 3 and bool(found.abs().sum() > 0)
    except Exception:
        return False


if __name__ == "__main__":
    main()
