"""The next hint for a step: one rung of a ladder at each call, remembered from call to call.

What was shown is remembered in the user's own state folder, never beside the work that is graded. When the
mistake changes, its ladder begins at the first rung.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.core.errors import GraderError, InputError, MachineError
from grader.core.files import write_text
from grader.core.user_dirs import state_home
from grader.lesson.courses import find_course, stand_apart
from grader.report import story
from grader.report.layout import NARROWEST, WIDEST, Page

if TYPE_CHECKING:
    from rich.console import RenderableType

    from grader.core.records import StepRecord
    from grader.lesson.lesson import Lesson
    from grader.lesson.reference import Mistake
    from grader.sandbox.client import Worker

FOLDER, FILE = "attention-grader", "hints.json"
VERSION = 1
MOST = 100  # submissions that are remembered; the one asked for longest ago is forgotten first
OWN = "step"  # the ladder that is the step's own hint


@dataclass(frozen=True, slots=True)
class Ladder:
    """The hints for one thing, from a nudge to nearly the line; `title` says what is wrong, `seen` what holds."""

    key: str
    rungs: tuple[str, ...]
    title: str = ""
    seen: tuple[str, ...] = ()

    def after(self, shown: int, *, again: bool = False, start: bool = False) -> int:
        """The rung that follows the one shown last (0 for none); the highest stays."""
        wanted = 1 if start else max(shown, 1) if again else shown + 1
        return min(wanted, len(self.rungs))


@dataclass(frozen=True, slots=True)
class Hint:
    """One rung of a step's ladder, counted from 1; 0 where there is nothing to hint."""

    step: StepRecord
    ladder: Ladder
    rung: int
    remembered: bool = True

    @property
    def last(self) -> bool:
        """Whether no hint is left after this one."""
        return self.rung >= len(self.ladder.rungs)


def next_hint(
    name: str,
    path: Path,
    slug: str | None = None,
    *,
    again: bool = False,
    start: bool = False,
    sealed: Path | None = None,
    root: Path | None = None,
    workers: Sequence[Worker] = (),
) -> Hint:
    """The next hint for a step of a submission; with `again` the last one, with `start` the first.

    Raises InputError for an unknown step, and whatever grading raises.
    """
    from grader.submission.lesson_of import lesson_for

    from .session import Session

    if again and start:
        raise InputError("--again and --from-start: choose one of the two")
    root = find_course(root)
    lesson = lesson_for(path, slug, root, name.strip().lower())
    step_id = step_named(name, lesson)
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    stand_apart(root, path, official=False)
    seed = lesson.public_seed if sealed is None and lesson.reference is not None else None
    with Session(lesson.slug, seed, root, sealed, workers=workers) as session:
        record = session.grade(path)
        catalogue = session.mistakes
    step = next(step for step in record.steps if step.id == step_id)
    if step.status == "broken":
        raise MachineError(f"{step.id}: the grader failed here, not you; ask again")
    ladder, memory, place = ladder_of(step, catalogue), Memory.of_user(), f"{lesson.slug}/{step.id}"
    if step.status == "passed" or not ladder.rungs:
        memory.forget(path, place)
        return Hint(step, ladder, 0)
    rung = ladder.after(memory.rung(path, place, ladder.key), again=again, start=start)
    return Hint(step, ladder, rung, memory.keep(path, place, ladder.key, rung))


def step_named(name: str, lesson: Lesson) -> str:
    """The id of a step, given as such or as its file. Raises InputError that names the nearest."""
    ids = [step.id for step in lesson.steps]
    wanted = name.strip().lower().removesuffix(".py")
    if wanted in ids:
        return wanted
    near = difflib.get_close_matches(wanted, ids, n=1, cutoff=0.5)
    said = f"{story.shown(name) or 'no step given'}: this lesson has no such step"
    raise InputError(f"{said}{f'; did you mean {near[0]}?' if near else '.'} Its steps are {', '.join(ids)}")


def ladder_of(step: StepRecord, catalogue: Iterable[Mistake]) -> Ladder:
    """The hints for the best mistake that is named, else the step's own."""
    for mistake in step.mistakes:
        texts = (mistake.id, mistake.title, mistake.message)
        entry = next((e for e in catalogue if (e.name, e.title, e.message) == texts), None)
        rungs = entry.hint if entry is not None and entry.hint else (mistake.hint,)
        return Ladder(entry.id if entry is not None else mistake.id, rungs, mistake.title)
    return Ladder(OWN, (step.hint,) if step.hint else (), seen=story.shown_lines(step.note))


class Memory:
    """How far each step's ladder was climbed, in one JSON file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @classmethod
    def of_user(cls) -> Memory:
        """In the user's state folder; where there is none, nothing is remembered, and hints begin anew."""
        return cls((state_home() or Path(os.devnull)) / FOLDER / FILE)

    def rung(self, path: Path, step: str, ladder: str) -> int:
        """The rung last shown of this ladder; 0 where another one, or none, was shown."""
        held = self._held().get(str(path.resolve()), {}).get(step, {})
        rung = held.get("rung") if isinstance(held, dict) and held.get("ladder") == ladder else 0
        return rung if type(rung) is int and rung > 0 else 0

    def keep(self, path: Path, step: str, ladder: str, rung: int) -> bool:
        """Remember a rung; False where that is not possible."""
        return self._write(path, step, {"ladder": ladder, "rung": rung})

    def forget(self, path: Path, step: str) -> None:
        """Forget what was shown of a step that is right by now."""
        if step in self._held().get(str(path.resolve()), {}):
            self._write(path, step, None)

    def _write(self, path: Path, step: str, entry: Mapping[str, object] | None) -> bool:
        held, key = self._held(), str(path.resolve())
        steps = {name: rung for name, rung in held.pop(key, {}).items() if name != step}
        steps |= {step: entry} if entry else {}
        kept = dict([*held.items(), (key, steps)][-MOST:])
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_text(self.file, json.dumps({"version": VERSION, "hints": kept}, indent=1) + "\n")
        except (GraderError, OSError):
            return False
        return True

    def _held(self) -> dict[str, dict[str, Any]]:
        """What is remembered; nothing where the file is damaged, or of another version."""
        try:
            data = json.loads(self.file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        held = data.get("hints") if isinstance(data, Mapping) and data.get("version") == VERSION else None
        plain = held.items() if isinstance(held, dict) else ()
        return {key: steps for key, steps in plain if isinstance(steps, dict)}


def render(hint: Hint, *, width: int, colour: bool, unicode: bool = True) -> str:
    """The hint as a few lines of text."""
    page = Page(width=max(NARROWEST, min(width, WIDEST)), unicode=unicode)
    heading = page.text((story.named(hint.step), "bold underline"))
    if not hint.rung:
        passed = hint.step.status == "passed"
        said = "Passed: there is nothing to hint." if passed else "There is no hint for this."
        return page.write([page.stack(heading, page.under(page.text(said)))], colour=colour)
    ladder = hint.ladder
    lines: list[RenderableType] = [page.text(story.shown(line)) for line in ladder.seen]
    if hint.rung > 1 and ladder.title:  # the first rung is for finding it oneself
        lines.append(page.text((story.shown(ladder.title), "bold")))
    count = f"Hint {hint.rung} of {len(ladder.rungs)}:"
    text = page.text(story.shown(ladder.rungs[hint.rung - 1]))
    lines.append(page.hanging(page.text((count, "bold cyan")), text))
    others = len(hint.step.mistakes) - 1
    if others > 0:
        lines.append(
            page.text(f"({story.counted(others, 'other mistake')} in this step comes after this one.)")
        )
    lines.append(page.text((_further(hint), "dim")))
    return page.write([page.stack(heading, page.under(*lines))], colour=colour)


def _further(hint: Hint) -> str:
    """What to ask next."""
    if not hint.remembered:
        return "This could not be remembered: the next call begins at the first hint again."
    if not hint.last:
        return "The same command gives the next hint; --again this one."
    return (
        "That is the last one."
        if len(hint.ladder.rungs) == 1
        else "That is the last one; --from-start begins anew."
    )
