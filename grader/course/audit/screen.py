"""An audit on the terminal: what is proved, then what is not, then what an author may want to know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grader.report.layout import NARROWEST, WIDEST, Page
from grader.report.story import counted

from .distances import by_dtype
from .findings import Audit, MutantFinding, Outcome, WorkFinding
from .problems import lost, place

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SHOWN = 12  # lines of one kind; all are in the JSON
TITLES = {
    "solution": "The solution earns every point",
    "skeleton": "The skeleton earns nothing, and is no error",
    "right": "Right work in other styles loses nothing",
    "styles": "Right work in other styles loses nothing on other seeds, judged alone",
    "seeds": "The solution passes on other seeds",
}
COLUMNS: tuple[Outcome, ...] = ("killed", "equivalent", "survived")


def render(audit: Audit, *, width: int, colour: bool, unicode: bool = True) -> str:
    """The report, at most `width` columns wide; escape codes only with `colour`."""
    page = Page(width=max(NARROWEST, min(width, WIDEST)), unicode=unicode)
    return page.write([*_blocks(audit, page)], colour=colour)


def headline(audit: Audit) -> str:
    """One sentence."""
    seconds = f"in {audit.seconds:.0f} s, seed {audit.seed}"
    if audit.proved and audit.whole:
        return f"{audit.lesson} is proved ({seconds})"
    if audit.proved:
        return f"{audit.lesson}: nothing found with a sample of the mutants ({seconds})"
    return f"{audit.lesson} is not proved: {counted(len(audit.problems), 'problem')} ({seconds})"


def _blocks(audit: Audit, page: Page) -> Iterator[RenderableType]:
    yield page.text((headline(audit), "bold green" if audit.proved else "bold red"))
    yield page.stack(*(_work(part, page) for part in audit.work), _known(audit, page), *_mutants(audit, page))
    yield _by_step(audit, page)
    if audit.pairs:
        yield _pairs(audit, page)
    if audit.distances:
        yield _tolerances(audit, page)
    operators = sorted(audit.counted("operator").items(), key=lambda item: -sum(item[1].values()))
    told = ", ".join(f"{name} {sum(row.values())}" for name, row in operators)
    yield page.stack(page.text(("Mutants by operator", "bold")), page.text(told))
    idle = audit.idle()
    if idle:
        names = ", ".join(f"{check.step}/{check.id} ({check.kills})" for check in idle)
        said = "Checks that fail nothing which no other check of their step fails (how much they fail at all)"
        yield page.stack(page.text((said, "bold")), page.text(names))
    gaps = audit.gaps()
    if gaps:
        by_step = ", ".join(
            f"{step} {sum(gap.step == step for gap in gaps)}" for step in dict.fromkeys(g.step for g in gaps)
        )
        said = (
            f"{len(gaps)} mutants give wrong answers that the catalogue has no name for (listed in the JSON)"
        )
        yield page.stack(page.text((said, "bold")), page.text(by_step))


def _work(part: WorkFinding, page: Page) -> RenderableType:
    tried = f" ({part.tried})" if part.kind in ("right", "styles", "seeds") else ""
    lines = [page.text(TITLES[part.kind] + tried)]
    lines += [page.text((lost(loss), "red")) for loss in part.losses[:SHOWN]]
    return page.marked("failed" if part.losses else "passed", *lines, *_more(len(part.losses), page))


def _known(audit: Audit, page: Page) -> RenderableType:
    wrong = [known for known in audit.known if not known.killed_by or not known.right]
    lines = [page.text(f"Every known mistake fails and is called by its name ({len(audit.known)})")]
    for known in wrong[:SHOWN]:
        called = " and ".join(known.named) or "nothing"
        how = f"is called {called}" if known.killed_by else "passes every check"
        lines.append(page.text((f"{known.step}: {known.id} {how}", "red")))
    return page.marked("failed" if wrong else "passed", *lines, *_more(len(wrong), page))


def _mutants(audit: Audit, page: Page) -> Iterator[RenderableType]:
    survivors = audit.survivors()
    sampled = "" if audit.whole else ", a sample"
    title = page.text(
        f"Every mutant is noticed, or is justified as equivalent ({len(audit.mutants)}{sampled})"
    )
    yield page.marked("failed" if survivors else "passed", title, *_more(len(survivors), page))
    for mutant in survivors[:SHOWN]:
        yield page.under(_diff(mutant, page))
    if audit.stale:
        lines = [page.text((f"{stale.id}: {stale.why}", "red")) for stale in audit.stale[:SHOWN]]
        title = page.text("Justifications that hold no longer")
        yield page.marked("failed", title, *lines, *_more(len(audit.stale), page))


def _diff(mutant: MutantFinding, page: Page) -> RenderableType:
    was = [page.text((f"- {line}", "red")) for line in mutant.was.splitlines()]
    now = [page.text((f"+ {line}", "green")) for line in mutant.now.splitlines()]
    title = page.text((place(mutant), "bold"), f", {mutant.operator}, {mutant.id}")
    return page.stack(title, *was, *now)


def _more(count: int, page: Page) -> list[Text]:
    return [page.text(f"and {count - SHOWN} more")] if count > SHOWN else []


def _by_step(audit: Audit, page: Page) -> RenderableType:
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    for _ in ("mutants", *COLUMNS):
        table.add_column(justify="right")
    head = ("Mutants by step", "all", *COLUMNS)
    table.add_row(*(page.text((word, "bold")) for word in head))
    for step, row in audit.counted("step").items():
        numbers = [sum(row.values()), *(row[column] for column in COLUMNS)]
        table.add_row(page.text(step), *(page.text(str(number)) for number in numbers))
    return table


def _pairs(audit: Audit, page: Page) -> RenderableType:
    named, apart = audit.told_apart()
    alike = len(audit.pairs) - apart
    share = f"{100 * named / apart:.0f} %" if apart else "none"
    said = f"{counted(apart, 'pair')} that no other answers are like: both named in {named} ({share})"
    return page.stack(
        page.text(("Two mistakes at once", "bold")),
        page.text(said + (f"; {alike} more give the answers of others" if alike else "")),
    )


def _tolerances(audit: Audit, page: Page) -> RenderableType:
    """By step and dtype, in tolerances: the farthest right answer, and the nearest wrong one."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    for _ in range(3):
        table.add_column(justify="right")
    head = ("Distances, in tolerances", "right, at most", "passes", "wrong, at least")
    table.add_row(*(page.text((word, "bold")) for word in head))
    for one in by_dtype(audit.distances):
        wrong = "" if one.wrong is None else f"{one.wrong:.2g}"
        numbers = (f"{one.right:.2g}", "1", wrong)
        table.add_row(page.text(f"{one.step}, {one.dtype}"), *(page.text(number) for number in numbers))
    return table
