"""Runs attacks against the simple grader of bare.py and tells what was seen of each."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .levels import LEVELS, environment
from .model import Attack
from .packs import make_file, step_text
from .places import Places, Stage, canary, places
from .watch import Doors, Sign, doors, left, named, of, raw, said

BARE = Path(__file__).with_name("bare.py")
MEMORY = 1600 * 2**20
SECONDS = {"time": 2.0}
USUAL_SECONDS = 12.0
FLOOD = 2**20
NAMES = {"cost": "parameter_count"}


class Simple:
    """The simple grader's process, started again where an attack has ended it."""

    def __init__(self, stage: Stage, where: Places, open_doors: Doors) -> None:
        self.stage, self.where, self.doors = stage, where, open_doors
        self._before = stage.state()
        self._process: subprocess.Popen[str] | None = None

    def signs(self, attack: Attack) -> list[Sign]:
        """All that was seen of one attack."""
        if attack.kind == "file":
            return self._file(attack)
        step = next(
            (step for step in attack.fits if step in ("concat", "project", "output", "cost")), "concat"
        )
        seconds = SECONDS.get(attack.shows, USUAL_SECONDS)
        return self._step(attack.id, step, step_text(step, [attack], self.where), seconds)

    def judge(self, step: str, text: str) -> list[Sign]:
        """The same for a step's text that belongs to no attack."""
        return self._step("no-attack", step, text, USUAL_SECONDS)

    def _step(self, name: str, step: str, text: str, seconds: float) -> list[Sign]:
        file, out = self.where.folder / "submission" / f"{step}.py", self.where.folder / "home" / "said.txt"
        file.write_text(text, "utf-8")
        asked = {"file": str(file), "name": NAMES.get(step, step), "out": str(out), "seconds": seconds}
        told = self._ask(asked)
        signs = [*self._read(name, told), *said(out.read_text("utf-8", "replace") if out.exists() else "")]
        signs += [Sign(name, sign.shows, sign.words) for sign in raw(out.read_text("utf-8", "replace"))]
        if out.stat().st_size > FLOOD:
            signs.append(Sign(name, "record", f"{out.stat().st_size} bytes of words"))
        return [*signs, *self._after(name)]

    def _read(self, name: str, told: dict[str, object] | None) -> list[Sign]:
        """What the verdict and the end of the child mean."""
        if told is None:
            self.close()
            return [Sign(name, shows, "the grader died") for shows in ("record", "others")]
        signs = []
        if told["over"]:
            signs.append(Sign(name, "time", "it was still there"))
        elif told["code"] == 0:
            signs.append(Sign(name, "points", "exit code 0"))
        elif not told["verdict"]:
            signs += [
                Sign(name, shows, f"no verdict, exit code {told['code']}") for shows in ("record", "others")
            ]
        try:
            verdict = json.loads(str(told["verdict"]) or "{}")
        except ValueError:
            return [*signs, Sign(name, "record", "a verdict that nobody can read")]
        if verdict.get("points"):
            signs.append(Sign(name, "points", "the verdict says so"))
        if verdict.get("others") is False:
            signs.append(Sign(name, "others", "honest work fails after it"))
        if int(str(told["memory"])) > MEMORY:
            signs.append(Sign(name, "memory", f"{told['memory']} bytes"))
        return signs

    def _after(self, name: str) -> list[Sign]:
        """What is left, put back for the next one."""
        signs = left(self.where, self._before, spare=self._pid())
        signs = [Sign(sign.attack or name, sign.shows, sign.words) for sign in [*signs, *self.doors.signs()]]
        self.doors.heard.clear()
        if self.where.record.is_dir():
            signs.append(Sign(name, "record", "no record can be written"))
        for path in (self.where.record, self.where.folder / "home" / "said.txt"):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        return signs

    def _pid(self) -> int:
        return self._process.pid if self._process is not None else 0

    def _ask(self, asked: dict[str, object]) -> dict[str, object] | None:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, str(BARE), json.dumps(self.where.told()), canary("argv")],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env=environment(LEVELS[0], self.where), cwd=self.where.stage.project, start_new_session=True,
            )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return dict(json.loads(line)) if line else None

    def _file(self, attack: Attack) -> list[Sign]:
        """What a careless grader does with a folder: runs tests in it, imports from it, reads it, asks git."""
        folder = self.where.folder / "submission"
        shutil.rmtree(folder)
        folder.mkdir()
        make_file(attack, folder, self.where)
        path = folder / attack.name
        env = {
            **environment(LEVELS[0], self.where),
            "PYTHONPATH": str(folder),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        python = [
            sys.executable,
            "-c",
            f"import {path.stem if path.stem != '__init__' else path.parent.name}",
        ]
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "."]
        commands = [tests] if attack.name in ("conftest.py", "pytest.ini") else [python]
        if attack.name.startswith(".git"):
            commands = [["git", "init", "-q"], ["git", *COMMIT], ["git", "checkout", "-q", "-b", "other"]]
        if attack.makes in ("link", "fifo"):
            commands = [["cat", str(path)]]
        seconds = 1 if attack.shows == "time" else 20
        signs = []
        for command in commands:
            try:
                done = subprocess.run(
                    command, cwd=folder, env=env, capture_output=True, text=True, timeout=seconds, check=False,
                )  # fmt: skip
                signs += [sign for sign in said(f"{attack.id}: {done.stdout}") if sign.shows == "canary"]
            except subprocess.TimeoutExpired:
                signs.append(Sign(attack.id, "time", "it was still there"))
        return [*signs, *self._after(attack.id)]

    def close(self) -> None:
        """End the grader's process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


COMMIT = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"]


@contextlib.contextmanager
def simple(stage: Stage) -> Iterator[Simple]:
    """A simple grader in places of its own, with every door open."""
    with (
        doors() as open_doors,
        places(stage, None, open_doors.ports) as where,
        named(where, open_doors.heard),
    ):
        found = Simple(stage, where, open_doors)
        try:
            yield found
        finally:
            found.close()


def succeeded(attack: Attack, signs: Sequence[Sign], alone: bool = False) -> bool:
    """Whether an attack was seen to do what it is about; signs that are nobody's are its own where it is `alone`."""
    own = [*of(attack.id, signs), *(of("", signs) if alone else ())]
    return any(sign.shows == attack.shows for sign in own)
