"""What a record says, in words: the first line, where to look first, and how numbers read.

Nothing here knows how text is laid out; every string comes back safe to show (see `shown`).
"""

from __future__ import annotations

import math

from grader.core.records import SEALED, CheckRecord, Record, StepRecord
from grader.core.text import printable

TEXT_LIMIT = 4000  # characters of one piece of text; the record's own texts are far shorter
PRINTED_LIMIT = 200  # characters of one printed line
UNDONE = ("failed", "partial", "broken", "not_reached")
STATUS_WORDS = {"not_attempted": "not attempted", "not_reached": "not reached", "broken": "grader failed"}
CONDITIONS = (("isolation", "isolation"), ("device", "device"), ("python", "Python"), ("torch", "torch"))
PRACTICE = "Practice: judged by sealed answers that everybody can read; an official grade is made with the reference."
OUR_FAULT = (
    "The grader failed here, not you. Grade again; if it happens again, tell who gave you this lesson."
)


def shown(text: str) -> str:
    """One line of text, control and direction characters written out."""
    return printable(" ".join(text.split()), limit=TEXT_LIMIT).strip()


def shown_lines(text: str) -> tuple[str, ...]:
    """The lines of a text that have something on them, made safe, their own indentation kept."""
    lines = printable(text, limit=TEXT_LIMIT, keep_lines=True).split("\n")
    return tuple(line.rstrip() for line in lines if line.strip())


def printed_lines(step: StepRecord) -> tuple[str, ...]:
    """What the learner's own code printed, line by line, a very long line cut."""
    lines = (printable(line, limit=PRINTED_LIMIT).rstrip() for line in step.prints.split("\n"))
    return tuple(line for line in lines if line)


def number(value: float) -> str:
    """Points as people write them: 15, 7.5, 3.33."""
    if not math.isfinite(value) or abs(value) >= 1e6:
        return f"{value:g}"
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 check`, `3 checks`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def title_of(step: StepRecord) -> str:
    """The step's title, or its id when it has none."""
    return shown(step.title) or shown(step.id) or "(a step without a name)"


def named(step: StepRecord) -> str:
    """Title and id, which is what other commands take."""
    title, name = title_of(step), shown(step.id)
    return title if not name or name == title else f"{title} ({name})"


def check_name(check: CheckRecord) -> str:
    """The check's title, or its id when it has none."""
    return shown(check.title) or shown(check.id) or "a check without a name"


def check_line(check: CheckRecord) -> str:
    """One line about a check: its name, and the first line of its message."""
    line = shown(next(iter(shown_lines(check.message)), ""))
    return f"{check_name(check)}: {line}" if line else check_name(check)


def failing(step: StepRecord) -> tuple[CheckRecord, ...]:
    """The checks that failed, or broke for a fault of ours."""
    return tuple(check for check in step.checks if check.status in ("failed", "broken"))


def unreached(step: StepRecord) -> tuple[CheckRecord, ...]:
    """The checks worth points that could not run."""
    return tuple(check for check in step.checks if check.status == "not_reached" and check.max_points > 0)


def everything_right(record: Record) -> bool:
    """Every step passed."""
    return bool(record.steps) and all(step.status == "passed" for step in record.steps)


def nothing_begun(record: Record) -> bool:
    """No step was attempted."""
    return all(step.status == "not_attempted" for step in record.steps)


def focus(record: Record) -> tuple[StepRecord, ...]:
    """The steps told in full: the first undone one, and the first a learner can mend if that is another."""
    undone = [step for step in record.steps if step.status in UNDONE]
    if not undone:
        return tuple(step for step in record.steps if step.status == "not_attempted")[:1]
    first = undone[0]
    if first.status in ("failed", "partial"):
        return (first,)
    return (first, *[step for step in undone if step.status in ("failed", "partial")][:1])


def next_hint(step: StepRecord) -> str:
    """The one hint to give: the best mistake's, else the step's own."""
    return next((hint for hint in map(shown, [*(m.hint for m in step.mistakes), step.hint]) if hint), "")


def reason(step: StepRecord) -> str:
    """In a few words, why the step is not done: its mistake, its note, or the first check that fails."""
    if step.status == "not_attempted":
        return "not attempted yet"
    mistakes = [shown(mistake.title).rstrip(".") for mistake in step.mistakes]
    if any(mistakes):
        return ", and ".join(filter(None, mistakes))
    note = next(iter(shown_lines(step.note)), "")
    if note:
        return shown(note).rstrip(".")
    if step.status == "broken":
        return "the grader failed here, not you"
    if step.status == "not_reached":
        return "waits for another step"
    failed = failing(step)
    if failed:
        return f'fails "{check_name(failed[0])}"'
    return "does not pass yet"


def total(record: Record) -> str:
    """`62 / 100`, and what a fault of ours leaves open."""
    text = f"{number(record.score)} / {number(record.max_score)}"
    open_points = sum(step.max_score - step.score for step in record.steps if step.status == "broken")
    return f"{text} ({number(open_points)} not decided)" if open_points > 0 else text


def headline(record: Record) -> tuple[str, str]:
    """The first line in two parts: the total, and the one thing to know."""
    if everything_right(record):
        return total(record), "every step is right. Well done!"
    if nothing_begun(record):
        begin = f" Begin with: {title_of(record.steps[0])}." if record.steps else ""
        return total(record), f"nothing written yet, and that is where everybody starts.{begin}"
    step = focus(record)[-1]
    return total(record), f"next: {title_of(step)} ({reason(step)})"


def unchecked(record: Record) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What this machine could not check at no cost in points: the sentence, and the ids of its steps."""
    found: dict[str, list[str]] = {}
    for step in record.steps:
        for check in step.checks:
            free = check.status == "not_reached" and check.max_points <= 0
            if free and step.status in ("passed", "partial", "failed"):
                ids = found.setdefault(check_line(check), [])
                if shown(step.id) not in ids:
                    ids.append(shown(step.id))
    return tuple((said, tuple(ids)) for said, ids in found.items())


def telling_notes(record: Record) -> tuple[StepRecord, ...]:
    """Passed and unattempted steps whose note says more than what it says of every other such step."""
    calm = ("passed", "not_attempted")
    quiet = [step for step in record.steps if step.status in calm and step.note.strip()]
    shapes = [(step.status, step.note.replace(step.id, "\0") if step.id else step.note) for step in quiet]
    return tuple(
        step
        for step, shape in zip(quiet, shapes, strict=True)
        if step.status == "passed" or shapes.count(shape) == 1
    )


def practice(record: Record) -> str:
    """That a grade is no official one, where it was made by what everybody can read; else ""."""
    return PRACTICE if record.environment.get("standard") == SEALED else ""


def circumstances(record: Record) -> tuple[str, ...]:
    """Under which conditions the record came about, how to replay it, and how long it took."""
    known = {key: shown(str(value)) for key, value in record.environment.items()}
    parts = [
        shown(record.submission.name),
        "practice, by sealed answers" if practice(record) else "",
        *(f"{label} {known[key]}" for key, label in CONDITIONS if known.get(key)),
        f"seed {record.seed} (again: --seed {record.seed})",
        f"{record.seconds:.1f} s",
    ]
    return tuple(part for part in parts if part)
