"""What the tests with real peers share: a bundle unpacked, its engine, five submissions, the peer's commands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml

from grader.course.bundle.contents import leaks, secrets
from grader.course.bundle.kinds import KINDS
from grader.course.bundle.making import made, source_of
from grader.course.bundle.model import Item, Options
from grader.grading.seal import sealed_bytes

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / ".venv" / "peers" / "bin" / "python"
SLUG = "multi_head_attention"
SOLUTION = ROOT / "reference" / SLUG / "solution"
CATALOGUE = "mistakes.yaml"
KEPT = ("scale-", "concat-", "cost-")
STEPS = {
    "project": 15, "attend": 20, "concat": 10, "output": 5,
    "module": 20, "cross": 10, "library": 8, "cost": 6, "heads": 6,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wrong:
    """A solution with one mistake: what is replaced in which step, what it earns, what is said."""

    step: str
    right: str
    wrong: str
    earns: float
    told: str


WRONG = {
    "unscaled": Wrong(
        "attend", "(q / math.sqrt(q.shape[-1])) @ k", "q @ k", 0, "The scores are not divided by √d_k"
    ),
    "unjoined": Wrong(
        "concat",
        "heads.transpose(1, 2).flatten(-2)",
        "heads.reshape(*heads.shape[::2], -1)",
        0,
        "The heads are merged without moving them first",
    ),
    "uncounted": Wrong(
        "cost", "return 4 * d_model", "return 3 * d_model", 4, "W_O is missing from the parameters"
    ),
}


def work(name: str) -> Mapping[str, str]:
    """What a learner writes into each step's cell; nothing for whoever hands in the skeleton."""
    if name == "skeleton":
        return {}
    texts = {step: (SOLUTION / f"{step}.py").read_text("utf-8") for step in STEPS}
    if name != "solution":
        wrong = WRONG[name]
        assert texts[wrong.step].count(wrong.right) == 1
        texts[wrong.step] = texts[wrong.step].replace(wrong.right, wrong.wrong)
    files = re.compile(
        rf"^from (?:__future__|{'|'.join(STEPS)}) import .*\n", re.MULTILINE
    )  # one notebook has no files
    return {step: files.sub("", text) for step, text in texts.items()}


SUBMISSIONS = ("solution", "skeleton", *WRONG)


def earned(name: str) -> Mapping[str, float]:
    """The points of each step that a submission has to get."""
    if name == "skeleton":
        return dict.fromkeys(STEPS, 0.0)
    full = {step: float(points) for step, points in STEPS.items()}
    return full if name == "solution" else {**full, WRONG[name].step: WRONG[name].earns}


def filled(released: Path, name: str) -> str:
    """The released notebook with a learner's work in it."""
    book: dict[str, Any] = json.loads(released.read_text("utf-8"))
    written = {f"{step}-work": text for step, text in work(name).items()}
    for cell in book["cells"]:
        cell["source"] = written.pop(cell.get("id"), cell["source"])
    assert not written
    return json.dumps(book)


@dataclass(frozen=True, slots=True)
class Course:
    """An instructor's folder, and an environment in which the peer finds the bundle's own engine."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *command: str) -> str:
        """What one of the peer's commands says on both channels; it has to succeed."""
        code, said = self.tried(*command)
        assert code == 0, said[-3000:]
        return said

    def tried(self, *command: str, without: str = "") -> tuple[int, str]:
        """A command's exit code and what it says; `without` one of the variables, that of the engine's folder say."""
        done = subprocess.run(
            [str(PYTHON), "-m", *command],
            cwd=self.folder,
            env={name: value for name, value in self.environment.items() if name != without},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


def course(kind: str, place: Path) -> Course:
    """A bundle unpacked as its README says, with sealed answers of its own.

    The catalogue of mistakes is cut short: to seal all of it takes minutes, and who names mistakes is tried elsewhere.
    """
    folder, engine, home, reference = (place / name for name in ("course", "engine", "home", "reference"))
    shutil.copytree(SOLUTION.parent, reference)
    entries = yaml.safe_load((reference / CATALOGUE).read_text("utf-8"))
    short = [entry for entry in entries if entry["id"].startswith(KEPT)]
    (reference / CATALOGUE).write_text(yaml.safe_dump(short), encoding="utf-8")
    source = source_of(SLUG, Options(), ROOT)
    lesson = source.lesson.model_copy(update={"reference": reference})
    parts = replace(source.parts, sealed=lambda: sealed_bytes(lesson, None))
    with zipfile.ZipFile(
        BytesIO(made(KINDS[kind][0], replace(source, lesson=lesson, parts=parts)))
    ) as bundle:
        bundle.extractall(folder)
    with zipfile.ZipFile(next(folder.glob("engine/*.whl"))) as wheel:
        wheel.extractall(engine)
    home.mkdir()
    fonts = ROOT / ".venv" / "share" / "attention-grader" / "mpl"
    environment = {
        "PATH": f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(engine), "HOME": str(home),
        "LANG": "C.UTF-8", "MPLBACKEND": "Agg", "MPLCONFIGDIR": str(fonts), "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    return Course(folder, environment)


def given_away(folder: Path) -> list[str]:
    """Hidden lines in anything below a folder, in a notebook's metadata too."""
    items = [Item(path.name, path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file()]
    books = [json.loads(item.data) for item in items if item.path.endswith(".ipynb")]
    items += [Item("strings.txt", "\n".join(_strings(book)).encode()) for book in books]
    return leaks(items, secrets(ROOT, SLUG))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
