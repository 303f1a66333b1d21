"""What torch said when it stopped a wrong step, its sizes in the names of the axes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.core.own_words import own
from grader.judging.diagnosis.suspect import Suspect
from grader.lesson.answers import Raised
from grader.lesson.probes import Probe

from .facts import WHOLE, Fact
from .sight import exact_probes
from .torchwords import Crash, translated
from .when import condition, is_repeated, valued

EQUAL = "equal"  # the tag of probes whose sizes are all the same


def crashes(suspect: Suspect) -> Iterator[Fact]:
    """The most frequent crash in the names of the axes; what equal sizes give instead, or when it comes."""
    probes = exact_probes(suspect)
    found = [
        Crash(p, raised) for p in probes if (raised := suspect.got[p.id].raised) and _is_call(suspect, p)
    ]
    if not found:
        return
    kinds: dict[str, list[Crash]] = {}
    for crash in found:
        kinds.setdefault(_kind(crash.raised), []).append(crash)
    most = [crash for crash in max(kinds.values(), key=len) if not is_repeated(crash.probe)]
    said = translated(most) if most else ""
    if said:
        yield Fact(WHOLE + 2, "crash", f"In the names of the axes: {own(said)}.")
    asked = valued(suspect)
    bad = {crash.probe.id for crash in found if crash.probe in asked}
    equal = _with_equal_sizes(suspect, asked, bad)
    when = condition(asked, bad, said)
    alone = all(EQUAL in probe.tags for probe in asked if probe.id not in bad)
    if when and not (equal and alone):
        yield Fact(WHOLE, "when", f"It raises just in the cases {when}, of {len(asked)} asked.")
    if equal:
        yield Fact(WHOLE, "equal sizes", equal)


def _is_call(suspect: Suspect, probe: Probe) -> bool:
    return suspect.got[probe.id].during != "import"


def _kind(raised: Raised) -> str:
    line = raised.lines[-1].number if raised.lines else 0
    return f"{line} {raised.name} {re.sub(r'[-0-9]+', '#', raised.message)}"


def _with_equal_sizes(suspect: Suspect, probes: Sequence[Probe], crashed: set[str]) -> str:
    """What comes of the probes with equal sizes, where the crash is elsewhere."""
    equal = [probe for probe in probes if EQUAL in probe.tags]
    forms = {
        _form(probe) for probe in probes if probe.id in crashed and min(probe.sizes.values(), default=1) > 1
    }
    equal = [
        probe for probe in equal if _form(probe) in forms
    ]  # what crashes for another reason says nothing
    if not equal or any(suspect.got[probe.id].outcome != "returned" for probe in equal):
        return ""
    if any(probe.id in crashed for probe in equal):
        return ""
    sizes = equal[0].sizes
    common = max(set(sizes.values()), key=list(sizes.values()).count)
    said = f"With {' = '.join(axis for axis, size in sizes.items() if size == common)} = {common}"
    if any(suspect.wrong(probe, suspect.got[probe.id]) for probe in equal):
        return f"{said} the same code runs, and gives wrong numbers: equal lengths hide the crash, not the mistake."
    return f"{said} the same code runs, and gives the right answer: one length is taken for another."


def _form(probe: Probe) -> str:
    """A probe's script but for its numbers, and how its inputs lie in memory."""
    return re.sub(r"\d+", "#", f"{probe.script} {sorted(probe.strided)}")
