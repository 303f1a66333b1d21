"""The signs of the terminal report: marks and bars, and their spelling where only ASCII can be written."""

from __future__ import annotations

import math

MARKS = {
    "passed": "✓", "partial": "◐", "failed": "✗", "not_attempted": "·", "not_reached": "○", "broken": "!",
}  # fmt: skip
ASCII_MARKS = {
    "passed": "+", "partial": "~", "failed": "x", "not_attempted": ".", "not_reached": "o", "broken": "!",
}  # fmt: skip
STYLES = {
    "passed": "green", "partial": "yellow", "failed": "red",
    "not_attempted": "dim", "not_reached": "dim", "broken": "bold magenta",
}  # fmt: skip
SPELLINGS = (
    ("√(", "sqrt("), ("√", "sqrt "), ("·", "*"), ("×", "x"), ("→", "->"), ("←", "<-"), ("≤", "<="),
    ("≥", ">="), ("≠", "!="), ("≈", "~"), ("…", "..."), ("ᵀ", "^T"), ("—", "-"), ("–", "-"), ("−", "-"),
    ("“", '"'), ("”", '"'), ("\N{LEFT SINGLE QUOTATION MARK}", "'"), ("\N{RIGHT SINGLE QUOTATION MARK}", "'"),
    ("\N{NO-BREAK SPACE}", " "),
)  # fmt: skip


def mark(status: str, *, unicode: bool) -> str:
    """One character that tells the status without colour."""
    return (MARKS if unicode else ASCII_MARKS).get(status, "?")


def spelled(text: str, *, unicode: bool) -> str:
    """The text in characters that can be written: as it is, or in ASCII with the rest written out."""
    if unicode:
        return text
    for sign, spelling in SPELLINGS:
        text = text.replace(sign, spelling)
    return text.encode("ascii", "backslashreplace").decode("ascii")


def bar(score: float, max_score: float, cells: int, *, unicode: bool) -> tuple[str, str]:
    """The filled and the empty part; full only for all points, empty only for none."""
    share = score / max_score if max_score > 0 else 0.0
    filled = 0 if not math.isfinite(share) else int(max(0.0, min(1.0, share)) * cells)
    if 0 < share < 1:
        filled = max(1, min(cells - 1, filled))
    full, empty = ("█", "░") if unicode else ("#", ".")
    return full * filled, empty * (cells - filled)
