"""The formats by the names that `--to` takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .canvas import canvas_qti
from .gift import gift
from .jupyter import jupyterquiz
from .moodle import moodle_xml
from .plan import Losses, Plan
from .qti21 import qti21
from .sheets import csv_table, markdown

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: how it is written, how many draws of a parametrised question it takes, whether it can go keyless."""

    write: Callable[[Plan, Losses], bytes]
    variants: int = 1
    keyless: Callable[[Plan, Losses], bytes] | None = None


FORMATS = {
    "moodle-xml": Format(moodle_xml, 5),
    "gift": Format(gift, 5),
    "canvas-qti": Format(canvas_qti, 5),
    "qti21": Format(qti21, 5),
    "jupyterquiz": Format(jupyterquiz),
    "markdown": Format(lambda plan, _: markdown(plan), 1, lambda plan, _: markdown(plan, key=False)),
    "csv": Format(lambda plan, _: csv_table(plan), 1, lambda plan, _: csv_table(plan, key=False)),
}
