"""Marks a choice of one option, or of all that apply."""

from __future__ import annotations

from collections.abc import Sequence

from grader.quiz.drawing.drawn import DrawnOption
from grader.quiz.questions.marked import Verdict, review, right, wrong

from .arranged import shared
from .options import Chooser

__all__ = ["choice_verdict", "several_verdict"]


def choice_verdict(options: Sequence[DrawnOption], answers: Sequence[str], chooser: Chooser) -> Verdict:
    """The outcome of a choice of one: two different options are wrong, an unclear one is for a person."""
    whole = chooser.exact(f"[{', '.join(answers)}]") if len(answers) > 1 else None
    chosen: set[int] = set()
    for answer in answers if whole is None else [options[whole].text]:
        places = chooser.read(answer)
        if places is None:
            return review("it names no option plainly")
        chosen |= places or {-1}
    if len(chosen) > 1:
        return wrong("Two options at once; one was asked for.")
    place = chosen.pop()
    if place < 0:
        return wrong("It is none of the options.")
    option = options[place]
    return right(option.feedback or "") if option.correct else wrong(option.feedback or "")


def several_verdict(
    options: Sequence[DrawnOption], answers: Sequence[str], chooser: Chooser, partial: str
) -> Verdict:
    """The outcome of a choice of all that apply.

    With `partial` "each" it earns (right ones chosen - wrong ones chosen) / right ones, at least 0.
    """
    chosen: set[int] = set()
    for answer in answers:
        places = chooser.read_several(answer)
        if places is None:
            return review("it names no options plainly")
        chosen |= places
    wanted = {place for place, option in enumerate(options) if option.correct}
    if chosen == wanted:
        return right()
    good = len(chosen & wanted) - len(chosen - wanted)
    message = f"{len(chosen & wanted)} of {len(wanted)} right ones chosen, {len(chosen - wanted)} wrong."
    return shared(max(good, 0), len(wanted), message, partial)
