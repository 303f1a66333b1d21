"""The figures of classical test theory, over a matrix of learners (rows) and questions (columns).

A cell is the share of a question's points that a learner earned; NaN where the learner was not asked, or where
the answer still waits for a person. Nothing here depends on the order of the learners.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = [
    "Correlation",
    "Matrix",
    "alpha",
    "alpha_interval",
    "discrimination",
    "half",
    "median",
    "rest",
    "scores",
    "spread",
    "thirds",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
RESAMPLES = 1_000
CONFIDENCE = 0.95
SEED = 0
FEWEST_PAIRS = 3  # below, every correlation is 1, -1 or nothing
TIE = 1e-9  # scores nearer than this are equal: sums of thirds and tenths are not exact


@dataclass(frozen=True, slots=True)
class Matrix:
    """`shares[learner, question]`, and what each question is worth."""

    ids: tuple[str, ...]
    shares: Floats
    weights: Floats

    @property
    def points(self) -> Floats:
        """Points instead of shares."""
        return self.shares * self.weights


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation, how many pairs it stands on, and its interval (None where there is none)."""

    r: float
    pairs: int
    low: float | None
    high: float | None


def scores(matrix: Matrix, without: int | None = None) -> Floats:
    """Each learner's share of the points of the questions with a figure; NaN for a learner without any."""
    weights = matrix.weights.copy()
    if without is not None:
        weights[without] = 0.0
    there = ~np.isnan(matrix.shares)
    most = there @ weights
    earned = np.where(there, matrix.shares, 0.0) @ weights
    result: Floats = np.divide(earned, most, out=np.full(len(most), np.nan), where=most > 0)
    return result


def rest(matrix: Matrix, question: int) -> Floats:
    """Each learner's score without this question."""
    return scores(matrix, without=question)


def spread(values: Floats) -> tuple[float | None, float | None]:
    """Mean and standard deviation (of a sample: divided by n - 1) of what is there; None where undefined."""
    there = values[~np.isnan(values)]
    mean = float(np.mean(there)) if len(there) else None
    return mean, float(np.std(there, ddof=1)) if len(there) > 1 else None


def discrimination(matrix: Matrix, question: int) -> Correlation | None:
    """The corrected item-total correlation; for right or wrong it is the corrected point-biserial.

    Pearson's r between the question and the score on all *other* questions, since a question that is part of
    the total correlates with itself (S. Henrysson, "Correction of item-total correlations in item analysis",
    Psychometrika 28, 1963). The interval is Fisher's, at 95 %. None for a question that all answer alike.
    """
    item, others = matrix.shares[:, question], rest(matrix, question)
    there = ~(np.isnan(item) | np.isnan(others))
    x, y = item[there], others[there]
    if len(x) < FEWEST_PAIRS or np.ptp(x) <= TIE or np.ptp(y) <= TIE:
        return None
    found = stats.pearsonr(x, y)
    r = float(found.statistic)
    if len(x) < 4 or abs(r) >= 1 - TIE:  # Fisher's transform has no width there
        return Correlation(r, len(x), None, None)
    interval = found.confidence_interval(CONFIDENCE)
    return Correlation(r, len(x), float(interval.low), float(interval.high))


def alpha(points: Floats) -> float | None:
    """Cronbach's alpha of points (learners by questions); for right or wrong it is KR-20.

    k / (k - 1) * (1 - sum of the questions' variances / variance of the sum), from L. J. Cronbach, "Coefficient
    alpha and the internal structure of tests", Psychometrika 16, 1951; formula 20 in G. F. Kuder and
    M. W. Richardson, Psychometrika 2, 1937. Where cells are missing, variances and covariances are those of the
    pairs that are there. None where it is undefined: one question, one learner, no spread, no common learners.
    """
    return _alpha(_there_and_values(points), np.ones(len(points)))


def _alpha(cells: Floats, often: Floats) -> float | None:
    """Alpha where learner i stands there `often[i]` times; `cells` is what `_there_and_values` gives."""
    questions = cells.shape[1] // 2
    if often.sum() < 2 or questions < 2:
        return None
    some = often > 0
    cells, often = cells[some], often[some, np.newaxis]
    there, values = cells[:, :questions], cells[:, questions:]
    if there.all():
        total, mean = often.sum(), (often * values).sum(axis=0) / often.sum()
        own = float((often * (values - mean) ** 2).sum() / (total - 1))
        all_ = float((often[:, 0] * (values - mean).sum(axis=1) ** 2).sum() / (total - 1))
    else:
        moments = (often * cells).T @ cells
        pairs, products = moments[:questions, :questions], moments[questions:, questions:]
        sums = moments[questions:, :questions]  # of the row's question, over those who have the column's too
        with np.errstate(invalid="ignore", divide="ignore"):
            covariance = np.where(pairs >= 2, (products - sums * sums.T / pairs) / (pairs - 1), np.nan)
        own, all_ = float(np.trace(covariance)), float(covariance.sum())
    if not all_ > TIE:  # NaN too
        return None
    return float(questions / (questions - 1) * (1 - own / all_))


def _there_and_values(points: Floats) -> Floats:
    """For each learner which cells are there (1 or 0), and beside these the values from each question's mean."""
    there = (~np.isnan(points)).astype(np.float64)
    mean = np.nansum(points, axis=0) / np.maximum(there.sum(axis=0), 1)
    return np.hstack([there, np.where(there > 0, points - mean, 0.0)])


def alpha_interval(
    points: Floats, seed: int = SEED, resamples: int = RESAMPLES
) -> tuple[float, float] | None:
    """The 95 % interval of alpha, by resampling learners: bias-corrected and accelerated (BCa).

    B. Efron and R. J. Tibshirani, "An introduction to the bootstrap", 1993, chapter 14. The same figures give
    the same interval, whatever the order of the learners. None where alpha or its interval is undefined.
    """
    if alpha(points) is None or len(points) < FEWEST_PAIRS:
        return None
    cells = _there_and_values(points[np.lexsort(np.nan_to_num(points, nan=-1.0).T)])

    def statistic(rows: NDArray[np.int64]) -> float:
        value = _alpha(cells, np.bincount(rows, minlength=len(cells)).astype(np.float64))
        return math.nan if value is None else value

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a resample without spread has no alpha; the interval is NaN then
        found = stats.bootstrap(
            (np.arange(len(cells)),), statistic, vectorized=False, n_resamples=resamples,
            confidence_level=CONFIDENCE, method="BCa", rng=np.random.default_rng(seed),
        ).confidence_interval  # fmt: skip
    low, high = float(found.low), float(found.high)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def thirds(values: Floats) -> tuple[Bools, Bools] | None:
    """Who is in the upper and who in the lower third by these values; None where no line can be drawn.

    Equal values stay together, so a third may be larger than a third; NaN is in neither.
    """
    ordered = np.sort(values[~np.isnan(values)])
    size = math.ceil(len(ordered) / 3)
    if len(ordered) < 3 or ordered[-size] - ordered[size - 1] <= TIE:
        return None
    return values >= ordered[-size] - TIE, values <= ordered[size - 1] + TIE


def half(values: Floats) -> Bools:
    """Who is in the upper half, ties with its last one included; nobody where all are equal."""
    ordered = np.sort(values[~np.isnan(values)])
    if len(ordered) < 2 or ordered[-1] - ordered[0] <= TIE:
        return np.zeros(len(values), dtype=np.bool_)
    result: Bools = values >= ordered[-math.ceil(len(ordered) / 2)] - TIE
    return result


def median(values: Sequence[float]) -> float | None:
    """The median; None of nothing."""
    return float(np.median(values)) if values else None
