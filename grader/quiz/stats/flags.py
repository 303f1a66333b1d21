"""What the figures mean, in words: what a teacher should look at, and nothing about the rest.

The bounds are the usual ones: discrimination below 0.1 tells nobody apart (R. L. Ebel and D. A. Frisbie,
"Essentials of educational measurement", 1991, chapter 13); alpha below 0.5 is noise, and a grade wants 0.7
(J. C. Nunnally, "Psychometric theory", 1978, chapter 7). They are for reading, not for deciding.
"""

from __future__ import annotations

from .report import QuestionFigures, TestFigures

__all__ = ["TOO_FEW", "question_flags", "test_flags"]

TOO_FEW = "too few sheets"

FEWEST = 10  # sheets, below which a figure says more about chance than about a question
FEWEST_STRONG = 5
EASY, HARD = 0.95, 0.1
TELLS_LITTLE, CLEARLY_WORSE = 0.1, -0.2
LEFT_BLANK = 0.25
NOISE, FOR_A_GRADE = 0.5, 0.7
WIDE = 0.4


def question_flags(figures: QuestionFigures) -> tuple[str, ...]:
    """What to look at in one question, the gravest first."""
    flags = []
    marked = figures.sheets - figures.waiting
    if marked < FEWEST:
        flags.append(f"{TOO_FEW} (n={marked}) to say")
    else:
        flags += _of_the_key(figures)
        flags += _of_discrimination(figures)
        flags += _of_difficulty(figures)
        flags += _of_options(figures)
        blank = figures.sheets - figures.answered
        if blank > LEFT_BLANK * figures.sheets:
            flags.append(f"{blank} of {figures.sheets} left it blank: is it unclear, or too long?")
    return tuple(flags)


def test_flags(figures: TestFigures, sheets: int, questions: int, waiting: int) -> tuple[str, ...]:
    """What to know about the whole test; `waiting` answers wait for a person."""
    flags = [f"{TOO_FEW} (n={sheets}) to say"] if sheets < FEWEST else _of_reliability(figures, questions)
    if waiting:
        answers = (
            "one answer waits for a person and is"
            if waiting == 1
            else f"{waiting} answers wait for a person and are"
        )
        flags.append(f"{answers} left out: grader quiz review")
    return tuple(flags)


def _of_reliability(figures: TestFigures, questions: int) -> list[str]:
    flags = []
    if questions < 2:
        flags.append("one question alone has no reliability")
    elif figures.alpha_questions < 2:
        flags.append("no reliability: most sheets have no two marked questions in common")
    elif figures.sd is not None and figures.sd < 1e-9:
        flags.append("all have the same score: it tells nobody apart")
    elif figures.alpha is None:
        flags.append("no reliability: the sheets share too few marked questions, or differ too little")
    elif figures.alpha < 0:
        flags.append("the questions contradict each other: look at those with negative discrimination")
    elif figures.alpha < NOISE:
        flags.append("too unreliable to tell learners apart; fine for practice")
    elif figures.alpha < FOR_A_GRADE:
        flags.append("reliable enough for practice, not for a grade that counts")
    if figures.alpha is not None and figures.alpha_questions < questions:
        flags.append(
            f"reliability is that of {figures.alpha_questions} questions; the others are on too few sheets"
        )
    interval = figures.alpha_interval
    if interval is not None and interval[1] - interval[0] > WIDE:
        flags.append("the reliability is known only roughly: more sheets would help")
    return flags


def _of_the_key(figures: QuestionFigures) -> list[str]:
    if figures.strong < FEWEST_STRONG:
        return []
    return [
        f"most of the strong half chose {option.letter}: is the key wrong?"
        for option in figures.options
        if 2 * option.strong_in_error > figures.strong
    ]


def _of_discrimination(figures: QuestionFigures) -> list[str]:
    r, interval = figures.discrimination, figures.discrimination_interval
    if r is None or figures.difficulty is None or not HARD < figures.difficulty < EASY:
        return []
    if r <= CLEARLY_WORSE or (interval is not None and interval[1] < 0):
        return ["the better learners do worse here: read it again"]
    if r < 0:
        return ["the better learners do no better here (it may be chance): read it again"]
    if r < TELLS_LITTLE:
        return ["strong and weak learners do alike here: it tells them apart little"]
    return []


def _of_difficulty(figures: QuestionFigures) -> list[str]:
    if figures.difficulty is None:
        return []
    if figures.difficulty > 1 - 1e-9:
        return ["everybody is right: it tells nothing about who knows more"]
    if figures.difficulty >= EASY:
        return ["nearly everybody is right: it tells little"]
    if figures.difficulty < 1e-9:
        return ["nobody is right: is it taught, and is the key right?"]
    if figures.difficulty <= HARD:
        return ["hardly anybody is right: is it taught, and is the key right?"]
    return []


def _of_options(figures: QuestionFigures) -> list[str]:
    if figures.choices < FEWEST or figures.kind == "true_false":
        return []
    nobody = [option.letter for option in figures.options if not option.chosen and not option.key]
    return [f"nobody chose {' or '.join(nobody)}"] if nobody else []
