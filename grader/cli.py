"""The command `grader`. Every heavy import happens inside the command that needs it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from .core.errors import GraderError, InputError, SubmissionError, in_one_line
from .core.options import CourseOption, LessonOption
from .core.parts import said_of_missing
from .report.display import display, forgive, show

if TYPE_CHECKING:
    from .sandbox.client import Worker

INTERRUPTED = 130
AS_GIVEN = {"ignore_unknown_options": True, "allow_interspersed_args": False}

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Grades exercises and says which mistake was made.",
)


@app.callback()
def grader() -> None:
    """Grades exercises and says which mistake was made."""


@app.command()
def grade(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A folder, a .py file, a notebook, or an archive of these.")],
    *,
    lesson: LessonOption = None,
    course: CourseOption = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the record; - for standard output.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a JUnit report.")] = None,
    unusable: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write why, if the submission itself is what cannot be used."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Replay a run exactly.")] = None,
    seed_per_submission: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the seed from the secret in it and the submission."),
    ] = None,
    sealed: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Judge against sealed answers instead of the reference."),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            metavar="cpu|cuda", help="cuda: on the GPU too, outside the jail; only for code you trust."
        ),
    ] = "cpu",
    require_isolation: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="Run nothing below it: separate, limited, confined, sealed."),
    ] = None,
    fail_under: Annotated[
        float | None, typer.Option(metavar="POINTS", help="Exit 1 below this score.")
    ] = None,
    github_payload: Annotated[
        bool, typer.Option("--github-payload", help="Hand on the result as the retired GitHub graders did.")
    ] = False,
) -> None:
    """Grade one submission: run it apart, judge its answers, name its mistakes."""
    from .core.files import check_places, write_text
    from .grading.session import grade as run
    from .sandbox.isolation import known

    record_file = None if json in (None, "-") else Path(str(json))
    check_places(file for file in (record_file, junit, unusable) if file is not None)
    if github_payload and json == "-":
        raise InputError("--github-payload and --json -: the record is alone on standard output; name a file")
    secret = _secret(seed_per_submission, seed, sealed)
    try:
        record = run(
            path, lesson, seed, course, sealed=sealed, device=_device(device), workers=context.obj or (),
            isolation=known(require_isolation), secret=secret,
        )  # fmt: skip
    except SubmissionError as error:
        if unusable is not None:
            write_text(unusable, f"{error}\n")
        raise
    if record_file is not None:
        write_text(record_file, record.to_json())
    if junit is not None:
        from .report.junit import render as render_junit

        write_text(junit, render_junit(record))
    if github_payload:
        from .course.platforms.github import hand_on_payload

        show(hand_on_payload(record))
    if json == "-":
        show(record.to_json())
    else:
        from .report.terminal import render_here

        show(render_here(record))
    if any(step.status == "broken" for step in record.steps):
        raise typer.Exit(3)
    if fail_under is not None and record.score < fail_under:
        raise typer.Exit(1)


def _secret(path: Path | None, seed: int | None, sealed: Path | None) -> bytes | None:
    """What seeds are drawn from, where each submission has its own."""
    if path is None:
        return None
    other = "--seed" if seed is not None else "--sealed" if sealed is not None else ""
    if other:
        raise InputError(f"--seed-per-submission and {other}: each says which inputs are asked; give one")
    from .grading.seeds import read_secret

    return read_secret(path)


def _device(name: str) -> str:
    if name not in ("cpu", "cuda"):
        raise InputError(f"--device {name}: expected cpu or cuda")
    return name


@app.command()
def hint(
    context: typer.Context,
    step: Annotated[str, typer.Argument(help="The step's id, as the report gives it in brackets.")],
    *,
    submission: Annotated[Path, typer.Option(metavar="PATH", help="What to look at.")] = Path(),
    lesson: LessonOption = None,
    course: CourseOption = None,
    again: Annotated[bool, typer.Option("--again", help="The last hint once more.")] = False,
    from_start: Annotated[bool, typer.Option("--from-start", help="The first hint again.")] = False,
    sealed: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Judge against sealed answers instead of the reference."),
    ] = None,
) -> None:
    """The next hint for a step: a nudge first, then a pointer, then nearly the line."""
    from .grading.hints import next_hint, render

    found = next_hint(
        step, submission, lesson, again=again, start=from_start, sealed=sealed, root=course,
        workers=context.obj or (),
    )  # fmt: skip
    width, colour, unicode = display()
    show(render(found, width=width, colour=colour, unicode=unicode))


@app.command()
def seal(
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the sealed answers.")],
    lesson: LessonOption = None,
    course: CourseOption = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="A seed other than the lesson's public one.")
    ] = None,
) -> None:
    """Write the expected answers, and every known mistake's, as one file without reference code."""
    from .core.files import check_places, write_bytes
    from .grading.seal import seal as run

    check_places([out])
    data = run(lesson, seed, course)
    write_bytes(out, data)
    typer.echo(f"{out}: {len(data) / 1024:.0f} KiB")


@app.command()
def doctor(
    json: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write it as JSON; - for standard output.")
    ] = None,
    course: CourseOption = None,
) -> None:
    """What this machine can do: isolation and its self-test, devices, versions; and which course is graded here."""
    from .core.files import write_text
    from .grading.doctor import as_json, as_text, examine

    level, findings = examine(course)
    if json in (None, "-"):
        show(as_text(level, findings) if json is None else as_json(level, findings))
    else:
        write_text(Path(str(json)), as_json(level, findings))


@app.command(add_help_option=False, context_settings=AS_GIVEN)
def quiz(words: Annotated[list[str] | None, typer.Argument(metavar="COMMAND ...")] = None) -> None:
    """The knowledge check: take it, mark it, hand it out, and see which question is bad."""
    from .quiz.commands.app import app as commands  # only here: nothing else needs a quiz

    _hand_on(commands, words, "quiz")


@app.command(add_help_option=False, context_settings=AS_GIVEN)
def audit(words: Annotated[list[str] | None, typer.Argument(metavar="[SLUG] ...")] = None) -> None:
    """Prove a lesson: solution, skeleton, known mistakes, right styles, and mutants of the solution."""
    from .course.audit.command import app as command  # only here: for a lesson's author

    _hand_on(command, words, "audit")


@app.command(add_help_option=False, context_settings=AS_GIVEN)
def bundle(words: Annotated[list[str] | None, typer.Argument(metavar="KIND ...")] = None) -> None:
    """Make an assignment's bundles: for learners, for classrooms, for platforms."""
    from .course.bundle.command import app as command  # only here: for whoever gives the course

    _hand_on(command, words, "bundle")


@app.command(add_help_option=False, context_settings=AS_GIVEN, hidden=True)
def platform(words: Annotated[list[str] | None, typer.Argument(metavar="PLATFORM ...")] = None) -> None:
    """What the scripts inside staff bundles call."""
    from .course.platforms.command import app as command  # only here: inside a bundle

    _hand_on(command, words, "platform")


def _hand_on(commands: typer.Typer, words: list[str] | None, name: str) -> None:
    """Give the words to commands that are imported only when they are meant."""
    forgive()
    code = commands(args=words or [], prog_name=f"grader {name}", standalone_mode=False)
    if isinstance(code, int) and code:
        raise typer.Exit(code)


def main(workers: Sequence[Worker] = (), fault: Exception | None = None) -> None:
    """Run the command; a fault is one line on standard error, never a traceback.

    `workers` have been started already, for the command that needs them; the caller closes them. `fault` is
    what kept them from being started.
    """
    import signal

    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        if fault is not None:
            raise fault
        code = app(standalone_mode=False, obj=tuple(workers))
    except GraderError as error:
        _end(str(error), error.exit_code)
    except ModuleNotFoundError as error:
        words = said_of_missing(error)
        _end(words or in_one_line(error), InputError.exit_code if words else 3)
    except Exception as error:  # noqa: BLE001  (whatever it is, it is ours: never a learner's zero)
        if hasattr(error, "format_message"):  # how the command was called
            words = error.format_message()
            _end(
                f"{words} (see grader --help)" if words else "say what to do",
                int(getattr(error, "exit_code", 2)),
            )
        _end(in_one_line(error), 3)
    if code == INTERRUPTED:
        _end("stopped", INTERRUPTED)
    sys.exit(code if isinstance(code, int) else 0)


def _end(words: str, code: int) -> NoReturn:
    from .core.escape import terminal

    sys.stderr.write(f"grader: {terminal(words)}\n")
    sys.exit(code)
