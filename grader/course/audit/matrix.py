"""An audit as a page of its own: one HTML file with the kill matrix, nothing fetched, nothing run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.core.escape import html_policy
from grader.core.templates import render as fill
from grader.core.templates import template_text

from .distances import by_dtype
from .findings import Audit, CheckFinding, KnownFinding, MutantFinding
from .problems import pieces
from .screen import TITLES, headline

TEMPLATE, STYLE = "audit.html.j2", "audit.css"


@dataclass(frozen=True, slots=True)
class Row:
    """A mutant with its change cut into what stays, what goes and what comes."""

    mutant: MutantFinding
    head: str
    old: str
    new: str
    tail: str


@dataclass(frozen=True, slots=True)
class Matrix:
    """One step's wrong variants against its checks."""

    step: str
    checks: tuple[CheckFinding, ...]
    rows: tuple[Row, ...]
    known: tuple[KnownFinding, ...]


def render(audit: Audit) -> str:
    """The page."""
    style = template_text(STYLE)
    return fill(
        TEMPLATE,
        audit=audit,
        policy=html_policy(style),
        style=Markup(style),  # ours, and named to the browser by its digest
        headline=headline(audit),
        titles=TITLES,
        matrices=[_matrix(audit, step) for step in dict.fromkeys(check.step for check in audit.checks)],
        survivors=_rows(audit.survivors()),
        justified=_justified(audit),
        gaps=_rows(audit.gaps()),
        distances=by_dtype(audit.distances),
    )


def _matrix(audit: Audit, step: str) -> Matrix:
    return Matrix(
        step,
        tuple(check for check in audit.checks if check.step == step),
        tuple(_rows([mutant for mutant in audit.mutants if mutant.step == step])),
        tuple(known for known in audit.known if known.step == step),
    )


def _rows(mutants: Sequence[MutantFinding]) -> list[Row]:
    return [Row(mutant, *pieces(mutant.was, mutant.now)) for mutant in mutants]


def _justified(audit: Audit) -> dict[str, list[Row]]:
    """The equivalent mutants by their reason."""
    found: dict[str, list[Row]] = {}
    for row in _rows([mutant for mutant in audit.mutants if mutant.outcome == "equivalent"]):
        found.setdefault(row.mutant.reason, []).append(row)
    return found
