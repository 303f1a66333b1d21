"""What one run attacks: secrets, places to write, doors to knock at, and a copy of the project to read and bend."""

from __future__ import annotations

import compileall
import contextlib
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("grader", "exercises", "reference", "quizzes", "templates")
SLUG = "multi_head_attention"
LETTERS = "bcdfghjkm"  # no figures: of a learner's own words few numbers reach a record
CANARY = re.compile(r"canary-[a-z]+-[b-m]{16}")
# Waiting for a limit is most of what a hang costs, so the copy's are short.
LIMITS = {"import_seconds": 8, "call_seconds": 4, "step_cpu_seconds": 12, "memory_mib": 1024}

# What the simple grader of bare.py expects of `concat`, as if an earlier run's feedback had told.
LEAKED = (
    1.540996, -0.293429, 0.403347, 0.838026, -2.178789, 0.568431, -0.719258, -0.403344, -1.084522, -1.398595,
    -0.596635, 0.182036,
)  # fmt: skip


def canary(kind: str) -> str:
    """A text that nothing but its own secret holds."""
    return f"canary-{kind}-{''.join(secrets.choice(LETTERS) for _ in range(16))}"


@dataclass(frozen=True, slots=True)
class Stage:
    """A copy of the project that anybody may read, with canaries in its hidden parts and short limits."""

    folder: Path

    @property
    def project(self) -> Path:
        """Where the copy's `grader` and `reference` lie."""
        return self.folder / "project"

    @property
    def solution(self) -> Path:
        """The folder of the reference solution."""
        return self.project / "reference" / SLUG / "solution"

    def restore(self, path: str) -> None:
        """Put one file of the copy back as it was."""
        kept = self.folder / "kept" / Path(path).relative_to(self.project)
        if kept.is_file():
            shutil.copy2(kept, path)
        else:
            Path(path).unlink(missing_ok=True)

    def state(self) -> Mapping[str, tuple[int, int, int]]:
        """Size, mode and time of every file of the copy: what an attack may not change."""
        paths = [path for path in sorted(self.project.rglob("*")) if path.is_file() or path.is_symlink()]
        told = [(path, path.lstat()) for path in paths]
        return {str(path): (found.st_size, found.st_mode, found.st_mtime_ns) for path, found in told}


@contextlib.contextmanager
def stage() -> Iterator[Stage]:
    """A copy of the project, removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    try:
        made = Stage(folder)
        for name in COPIED:
            shutil.copytree(ROOT / name, made.project / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in made.solution.glob("*.py"):
            with path.open("a", encoding="utf-8") as file:
                file.write(f'\n_CANARY = "{canary("reference")}"\n')
        quiz = made.project / "quizzes" / f"{SLUG}.yaml"
        quiz.write_text(f"# {canary('quiz')}\n{quiz.read_text('utf-8')}", "utf-8")
        # Naming mistakes takes most of a grade's time, and the suite is not about names: one is enough.
        catalogue = made.project / "reference" / SLUG / "mistakes.yaml"
        catalogue.write_text(yaml.safe_dump(yaml.safe_load(catalogue.read_text("utf-8"))[:1]), "utf-8")
        lesson = made.project / "exercises" / SLUG / "lesson.yaml"
        text = lesson.read_text("utf-8")
        for name, value in LIMITS.items():
            text, count = re.subn(rf"(?m)^(  {name}:) .*$", rf"\1 {value}", text)
            assert count == 1, f"lesson.yaml has no limit {name}"
        lesson.write_text(text, "utf-8")
        compileall.compile_dir(str(made.project / "grader"), quiet=2)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        shutil.copytree(made.project, folder / "kept")
        (folder / "kept").chmod(0o700)
        yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one run, and who owns them. What a guest is told of them is `told`: never a canary."""

    run: str
    folder: Path
    stage: Stage
    ports: Mapping[str, int]
    environment: Mapping[str, str]
    secrets: Mapping[str, tuple[str, int]]  # file in the secret folder -> its text and mode

    @property
    def secret(self) -> Path:
        """A file that only the grader's user may read."""
        return self.folder / "secret" / "closed.txt"

    @property
    def record(self) -> Path:
        """Where the command is asked to write the record."""
        return self.folder / "out" / "record.json"

    @property
    def drop(self) -> Path:
        """A folder that anybody may write to."""
        return self.folder / "drop"

    @property
    def temporary(self) -> Path:
        """The command's folder for temporary files."""
        return self.folder / "temporary"

    @property
    def socket(self) -> Path:
        """A listener's UNIX socket."""
        return self.folder / "drop" / "socket"

    def hide(self) -> None:
        """Write the secrets, as they are meant to stay."""
        for name, (text, mode) in self.secrets.items():
            path = self.secret.with_name(name)
            path.write_text(text, "utf-8")
            path.chmod(mode)

    def told(self) -> dict[str, object]:
        """What a guest is told, so that it need not look around: paths, ports and names."""
        return {
            "run": self.run,
            "secret": str(self.secret),
            "open_secret": str(self.secret.with_name("open.txt")),
            "cut": str(self.secret.with_name("cut.txt")),
            "record": str(self.record),
            "drop": str(self.drop),
            "workflow": str(self.folder / "out" / "workflow.txt"),
            "project": str(self.stage.project),
            "solution": str(self.stage.solution),
            "quiz": str(self.stage.project / "quizzes" / f"{SLUG}.yaml"),
            "leaked": LEAKED,
            "home": str(self.folder / "home"),
            "site": next(path for path in sys.path if path.endswith("site-packages")),
            "python": sys.executable,
            "unix": str(self.socket),
            "abstract": self.run,
            **self.ports,
        }


@contextlib.contextmanager
def places(made: Stage, uid: int | None, ports: Mapping[str, int]) -> Iterator[Places]:
    """Fresh places for one run, owned by the user that grades; removed afterwards."""
    run = f"hostile{secrets.token_hex(4)}"
    folder = Path(tempfile.mkdtemp(prefix=f"{run}-", dir=made.folder))
    tokens = {"HOSTILE_CANARY": canary("environment"), "GITHUB_ENV": str(folder / "out" / "workflow.txt")}
    hidden = {
        "closed.txt": (canary("closed"), 0o600),
        "open.txt": (canary("open"), 0o644),
        "cut.txt": (canary("cut"), 0o644),
    }
    found = Places(run, folder, made, ports, tokens, hidden)
    try:
        for name in ("secret", "out", "drop", "temporary", "home", "room", "submission"):
            (folder / name).mkdir()
        found.hide()
        (folder / "out" / "workflow.txt").write_text("", "utf-8")
        for path in (folder, *folder.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)
            if uid is not None:
                os.chown(path, uid, uid)
        found.drop.chmod(stat.S_ISVTX | 0o777)
        yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)
