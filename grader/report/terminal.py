"""The terminal report: the answer first, one line a step, then the one thing to do next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from grader.core.records import CheckRecord, Record, StepRecord

from . import signs, story
from .display import display
from .layout import NARROWEST, WIDEST, Page

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    Blocks = list[RenderableType]

WIDE_LAYOUT = 64  # columns from which the status words get a place of their own
BAR_LAYOUT = 36  # columns from which there is room for a bar
PRINTED_LINES = 8  # lines of a step's own prints that are shown


def render(record: Record, *, width: int, colour: bool, unicode: bool = True) -> str:
    """The report, at most `width` columns wide (never under 20); escape codes only with `colour`.

    Without `unicode` every character is ASCII, for outputs that can write no other.
    """
    page = Page(width=max(NARROWEST, min(width, WIDEST)), unicode=unicode)
    return page.write(_blocks(record, page), colour=colour)


def render_here(record: Record) -> str:
    """The report as standard output can show it."""
    width, colour, unicode = display()
    return render(record, width=width, colour=colour, unicode=unicode)


def _blocks(record: Record, page: Page) -> Blocks:
    """The paragraphs of the report, most important first."""
    focus = story.focus(record)
    rest = [step for step in record.steps if not any(step is told for told in focus)]
    blocks: Blocks = [_headline(record, page)]
    if record.steps:
        blocks.append(_steps(record, page))
    for step in focus:
        blocks += _detail(step, page, begin=story.nothing_begun(record), last=step is focus[-1])
    undone = [(step.status, _about(step, story.reason(step))) for step in rest if step.status in story.UNDONE]
    blocks += _listing("Then:", undone, page)
    telling = story.telling_notes(record)
    notes = [(s.status, _about(s, s.note)) for s in rest if any(s is told for told in telling)]
    blocks += _listing("Worth knowing:", notes, page)
    blocks += _listing("For a person to look at:", _said((s, s.review) for s in record.steps), page)
    blocks += _listing("Advice, costs nothing:", _said((s, s.advice) for s in record.steps), page)
    unchecked = [("not_reached", f"{said} ({', '.join(ids)})") for said, ids in story.unchecked(record)]
    blocks += _listing("Could not be checked here, costs nothing:", unchecked, page)
    warnings = [("broken", story.shown(line)) for line in record.warnings if line.strip()]
    blocks += _listing("Warnings:", warnings, page)
    blocks.append(page.text((", ".join(story.circumstances(record)), "dim")))
    return blocks


def _headline(record: Record, page: Page) -> Text:
    points, point = story.headline(record)
    return page.text((points, "bold green" if story.everything_right(record) else "bold"), f" — {point}")


def _steps(record: Record, page: Page) -> Table:
    """One row a step: mark, title, bar, points, and a word where the points do not say it all."""
    from rich.table import Table

    wide = page.width >= WIDE_LAYOUT
    cells = 10 if wide else 5 if page.width >= BAR_LAYOUT else 0
    scores = [(story.number(step.score), story.number(step.max_score)) for step in record.steps]
    left, right = (max(len(pair[side]) for pair in scores) for side in (0, 1))
    table = Table.grid(padding=(0, 2 if wide else 1, 0, 0))
    table.add_column(no_wrap=True, width=1)
    table.add_column(overflow="fold")
    if cells:
        table.add_column(no_wrap=True, width=cells)
    table.add_column(overflow="fold")
    for step, (score, most) in zip(record.steps, scores, strict=True):
        style, word = signs.STYLES[step.status], story.STATUS_WORDS.get(step.status, "")
        beside, within = (f"  {word}", "") if word and wide else ("", f" ({word})" if word else "")
        title = page.text(
            (story.title_of(step), "dim" if step.status == "not_attempted" else ""), (within, style)
        )
        full, empty = signs.bar(step.score, step.max_score, cells, unicode=page.unicode)
        bar = [page.text((full, style), (empty, "dim"))] if cells else []
        points = page.text(f"{score:>{left}} / {most:<{right}}", (beside, style))
        table.add_row(page.mark(step.status), title, *bar, points)
    return table


def _detail(step: StepRecord, page: Page, *, begin: bool, last: bool) -> Blocks:
    """Everything known of one step that is not done, and, in the last one told, one hint."""
    name = (story.named(step), "bold underline")
    points = f", {story.number(step.score)} of {story.number(step.max_score)} points"
    parts: Blocks = []
    if step.status == "broken":
        parts.append(page.text((story.OUR_FAULT, "bold")))
    note = story.shown_lines(step.note)
    if note:
        parts.append(page.stack(*map(page.text, note)))
    parts += _mistakes(step, page) + _checks(step, page) + _prints(step, page)
    hint = story.next_hint(step) if last else ""
    if hint:
        parts.append(page.hanging(page.text(("Next:", "bold cyan")), page.text(hint)))
    heading = page.text("Begin with: ", name) if begin else page.text(name, (points, "dim"))
    return [page.stack(heading, *map(page.under, parts[:1])), *map(page.under, parts[1:])]


def _mistakes(step: StepRecord, page: Page) -> Blocks:
    """The mistakes by name, each with what it does."""
    found: Blocks = []
    if len(step.mistakes) > 1:
        found.append(page.text(f"{len(step.mistakes)} mistakes, made together:"))
    for mistake in step.mistakes:
        name = page.text((story.shown(mistake.title) or story.shown(mistake.id), "bold"))
        found.append(page.marked("failed", name, *map(page.text, story.shown_lines(mistake.message))))
    return found


def _checks(step: StepRecord, page: Page) -> Blocks:
    """The first failing check in full, the others in a line each, and those that could not run."""
    failing, unreached = story.failing(step), story.unreached(step)
    found: Blocks = []
    if step.status == "not_attempted":
        return found  # what nobody has written yet has not gone wrong
    for check in failing[:1]:
        name = page.text((story.check_name(check), "bold"))
        found.append(page.marked(check.status, name, *map(page.text, story.shown_lines(check.message))))
    if failing[1:]:
        heading = f"{story.counted(len(failing) - 1, 'more check')} not passed"
        same = failing[0].message.strip() and all(each.message == failing[0].message for each in failing)
        say = story.check_name if same else story.check_line
        found.append(
            _counted_list(f"{heading}{', for the same reason' if same else ''}:", failing[1:], page, say)
        )
    if unreached:
        heading = f"{story.counted(len(unreached), 'check')} could not run"
        same = len(unreached) > 1 and len({check.message for check in unreached}) == 1
        why, say = (
            (f" ({story.shown(unreached[0].message)})", story.check_name) if same else ("", story.check_line)
        )
        found.append(_counted_list(f"{heading}{why}:", unreached, page, say))
    return found


def _counted_list(
    heading: str, checks: tuple[CheckRecord, ...], page: Page, say: Callable[[CheckRecord], str]
) -> RenderableType:
    rows = [page.marked(check.status, page.text(say(check))) for check in checks]
    return page.stack(page.text(heading), *rows)


def _prints(step: StepRecord, page: Page) -> Blocks:
    """The first lines that the learner's own code printed."""
    lines = story.printed_lines(step)
    if not lines:
        return []
    shown = [page.text((line, "dim")) for line in lines[:PRINTED_LINES]]
    more = len(lines) - PRINTED_LINES
    if more > 0:
        shown.append(page.text((f"... {story.counted(more, 'more line')}, kept by --json FILE", "dim")))
    return [page.stack(page.text("Your code printed:"), page.under(*shown))]


def _listing(heading: str, rows: Sequence[tuple[str, str]], page: Page) -> Blocks:
    """A heading and marked lines; nothing when there are none."""
    lines = [page.marked(status, page.text(words)) for status, words in rows]
    return [page.stack(page.text((heading, "bold")), page.under(*lines))] if lines else []


def _about(step: StepRecord, words: str) -> str:
    return f"{story.title_of(step)}: {story.shown(words)}"


def _said(told: Iterable[tuple[StepRecord, tuple[str, ...]]]) -> list[tuple[str, str]]:
    """Sentences about steps, each with its step's title."""
    return [("not_attempted", _about(step, line)) for step, lines in told for line in lines if line.strip()]
