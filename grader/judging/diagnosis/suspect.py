"""When two answers to a probe are the same answer, and when one is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from grader.judging.cases import REFUSALS, unnamed
from grader.judging.compare import difference, same_value
from grader.lesson.answers import Answer, TensorValue, Value
from grader.lesson.fingerprint import Expected
from grader.lesson.probes import Probe

WORDS = 200  # characters of a crash's message that are compared
CPU = "cpu"
YOURS = re.compile(r" \(your [\w.]+\)")  # the learner's name for a weight, behind the one that is asked for
FOUND = ", found "  # between what was expected and what came, in the worker's sentences
TORCH_ERROR = "RuntimeError"
TOPICS = {  # the first that is spoken of counts
    "memory": r"contiguous|stride",
    "device": r"\bdevices?\b",
    "dtype": r"dtype|scalar type|c10::|bool",
    "graph": r"gradient|graph|inplace",
    "sizes": r"sizes?\b|shapes?\b|dimension",
}
NO_ANSWER = ("raised", "unfit")
TELLING = ("returned", *NO_ANSWER)

Answers = Mapping[str, Answer]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A step to be diagnosed: its probes, the learner's answers, the expected values.

    `homes` are the solution modules a mistake may live in, the step's own first; `base` are mistakes
    already known to be in it, carried from a neighbour.
    """

    step: str
    homes: tuple[str, ...]
    probes: tuple[Probe, ...]
    got: Answers
    want: Mapping[str, Mapping[str, Expected]]
    base: tuple[str, ...] = ()

    def wrong(self, probe: Probe, answer: Answer) -> bool:
        """Whether an answer to a probe is not the expected one."""
        wanted = self.want.get(probe.id)
        if not wanted:
            return _refusal(probe, answer) != (True, True)
        if answer.outcome != "returned":
            return True
        return bool(answer.changed) or any(
            difference(probe, name, wanted.get(name), answer.values.get(name))
            or _misplaced(probe, answer.values.get(name))
            for name in probe.report
        )

    def agrees(self, probe: Probe, theirs: Answer) -> bool:
        """Whether an answer is the learner's; where one is to be refused, how counts too."""
        mine = self.got[probe.id]
        refusals = not self.want.get(probe.id) and _refusal(probe, mine) != _refusal(probe, theirs)
        return alike(probe, mine, theirs) and not refusals


def alike(probe: Probe, one: Answer, two: Answer) -> bool:
    """Whether two answers are the same: both none, or every reported value alike."""
    if one.outcome in NO_ANSWER and two.outcome in NO_ANSWER:
        return True
    if one.outcome != two.outcome or set(one.changed) != set(two.changed):
        return False
    return all(same_value(probe, one.values.get(name), two.values.get(name)) for name in probe.report)


def _misplaced(probe: Probe, value: Value) -> bool:
    """Whether a tensor is not on the device that the inputs were on."""
    return probe.device != CPU and isinstance(value, TensorValue) and value.device != probe.device


def _refusal(probe: Probe, answer: Answer) -> tuple[bool, bool]:
    """Whether an answer is a refusal, and one that names what it should."""
    if answer.raised is None or not refused(answer):
        return False, False
    return True, not unnamed(answer.raised, probe.names)


def refused(answer: Answer) -> bool:
    """Whether an answer is the refusal that an input out of bounds calls for."""
    return answer.raised is not None and any(kind in REFUSALS for kind in answer.raised.types)


def words(answer: Answer, *, numbers: bool = False) -> tuple[str, str, str]:
    """What a crash said: without its numbers, or with them."""
    # What was found in place of what is missing is the learner's own.
    said = answer.message if numbers else answer.message.partition(FOUND)[0]
    said = YOURS.sub("", said)
    name, message = (answer.raised.name, answer.raised.message) if answer.raised else ("", said)
    return answer.outcome, name, (message if numbers else re.sub(r"\d+", "#", message))[:WORDS]


class Likeness(IntEnum):
    """How alike two crashes at one place are: one kind of error about one thing; one text; its numbers too."""

    NONE = 0
    KIND = 1
    WORDS = 2
    NUMBERS = 3


def likeness(one: Answer, two: Answer) -> Likeness:
    """How alike two answers are of which neither came to its end."""
    if one.outcome != two.outcome or one.during != two.during:
        return Likeness.NONE
    if words(one, numbers=True) == words(two, numbers=True):
        return Likeness.NUMBERS
    if words(one) == words(two):
        return Likeness.WORDS
    if (refused(one) and refused(two)) or (_topic(one) and _topic(one) == _topic(two)):
        return Likeness.KIND
    return Likeness.NONE


def _topic(answer: Answer) -> str:
    """What torch complains of, whichever of its functions does; "" for any other error."""
    if answer.raised is None or answer.raised.name != TORCH_ERROR:
        return ""
    return next((topic for topic, said in TOPICS.items() if re.search(said, answer.raised.message)), "")
