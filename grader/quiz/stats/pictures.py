"""Where the marks of the page's pictures stand; the template draws them, its style colours them.

Every picture says in `alt` what it shows, in words and figures.
"""

from __future__ import annotations

from dataclasses import dataclass

from .report import OptionFigures, QuestionFigures, StatsReport
from .words import counted, decimal, per_cent

__all__ = ["Bar", "Map", "Picture", "Point", "Share", "choice_rows", "histogram", "map_of"]

WIDTH, HEIGHT, MARGIN = 560, 220, 40


@dataclass(frozen=True, slots=True)
class Share:
    """How many of a group chose an option."""

    count: int
    size: int

    @property
    def length(self) -> float:
        """The bar's length, 0 to 100."""
        return _r(100 * self.count / self.size) if self.size else 0.0

    @property
    def words(self) -> str:
        """The share as a percentage."""
        return per_cent(self.count / self.size if self.size else None)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the histogram, the score at its left edge, and how many it stands for."""

    x: float
    y: float
    width: float
    height: float
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Bars in a box, and what they show."""

    width: int
    height: int
    alt: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A question on the map; its name stands at `text_x` or ends there, and is "" where there is no room."""

    x: float
    y: float
    text_x: float
    text_y: float
    end: bool
    name: str
    flagged: bool
    words: str


@dataclass(frozen=True, slots=True)
class Map:
    """Questions by difficulty (across) and discrimination (up), with the lines to read them by."""

    width: int
    height: int
    alt: str
    left: float
    right: float
    top: float
    bottom: float
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]
    points: tuple[Point, ...]


def histogram(report: StatsReport) -> Picture:
    """How many learners have which share of the points."""
    counts = report.test.histogram
    step, most = (WIDTH - 2 * MARGIN) / len(counts), max(*counts, 1)
    floor, room = HEIGHT - MARGIN, HEIGHT - 2 * MARGIN
    made = tuple(
        Bar(
            x=_r(MARGIN + place * step + 2),
            y=_r(floor - room * count / most),
            width=_r(step - 4),
            height=_r(room * count / most),
            label=f"{100 * place // len(counts)}",
            value=str(count) if count else "",
        )
        for place, count in enumerate(counts)
    )
    said = ", ".join(
        f"{counted(count, 'learner')} from {100 * place // len(counts)} to {100 * (place + 1) // len(counts)} %"
        for place, count in enumerate(counts)
        if count
    )
    return Picture(WIDTH, HEIGHT, f"Scores in per cent of the points: {said or 'nobody'}.", made)


def map_of(report: StatsReport) -> Map:
    """Where each question with both figures stands."""
    shown = [
        item for item in report.questions if item.difficulty is not None and item.discrimination is not None
    ]
    lowest = min([-0.2, *(item.discrimination or 0.0 for item in shown)])
    lowest = -0.2 if lowest >= -0.2 else -0.6 if lowest >= -0.6 else -1.0
    left, right, top, bottom = float(MARGIN + 8), float(WIDTH - 24), 14.0, float(2 * HEIGHT - MARGIN - 50)

    def across(share: float) -> float:
        return _r(left + (right - left) * share)

    def up(r: float) -> float:
        return _r(bottom - (bottom - top) * (r - lowest) / (1 - lowest))

    spots = {item.id: (across(item.difficulty or 0.0), up(item.discrimination or 0.0)) for item in shown}
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in spots.values()]
    points: list[Point] = []
    for item in sorted(shown, key=lambda found: not found.flags):  # names where there is room, these first
        x, y = spots[item.id]
        words = f"{item.id}: {per_cent(item.difficulty)} right, discrimination {decimal(item.discrimination)}"
        place = _label(x, y, 7.0 * len(item.id), right, taken)
        name, (text_x, text_y, end) = (item.id, place) if place is not None else ("", (x, y, False))
        points.append(Point(x, y, text_x, text_y, end, name, bool(item.flags), words))
    ticks = [tick / 5 for tick in range(round(lowest * 5), 6)]
    said = "; ".join(point.words for point in points) or "no question has both figures"
    return Map(
        WIDTH, 2 * HEIGHT - 40, f"Questions by difficulty and discrimination. {said}.", left, right, top, bottom,
        tuple((across(tick / 5), f"{20 * tick} %") for tick in range(6)),
        tuple((up(tick), f"{tick:.1f}".replace("-", "−")) for tick in ticks), tuple(points),
    )  # fmt: skip


def choice_rows(question: QuestionFigures) -> tuple[tuple[OptionFigures, tuple[Share, ...]], ...]:
    """For each option the shares of all, of the upper and of the lower third that chose it."""
    sizes = [question.choices]
    if question.upper and question.lower:
        sizes += [question.upper, question.lower]
    rows = []
    for option in question.options:
        counts = (option.chosen, option.upper, option.lower)
        shares = tuple(Share(count, size) for count, size in zip(counts, sizes, strict=False))
        rows.append((option, shares))
    return tuple(rows)


def _label(
    x: float, y: float, width: float, right: float, taken: list[tuple[float, float, float, float]]
) -> tuple[float, float, bool] | None:
    """Where a name goes beside its point, and whether it ends there; its room is `taken` then.

    The nearest place at which it covers no point and no other name; None where there is none near.
    """
    for offset in (0, 8, -8, 14, -14):
        for end in (False, True):
            start = x - 9 - width if end else x + 9
            box = (start, y + offset - 6, start + width, y + offset + 6)
            inside = start >= 0 and box[2] <= right + 16
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                return _r(x - 9 if end else x + 9), _r(y + offset + 4), end
    return None


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _r(value: float) -> float:
    return round(value, 1)
