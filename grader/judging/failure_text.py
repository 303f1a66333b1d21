"""Sentences about what a guest did instead of answering; for the learner, in their terms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grader.core.own_words import own
from grader.lesson.answers import Answer, Loading, Raised
from grader.lesson.probes import Probe

NAMES = "names"  # what the worker was doing where a weight could not be found
CUT_OFF = "TimedOut"  # what the worker raises in a notebook's line that takes too long
STOPPED = {
    "turn": "took longer than one step may and was stopped",
    "deadline": "was not reached before the time for the whole grade was over",
    "given up": "was stopped so often before that this was not asked any more",
    "worker died": "ended the process that runs it",
    "disk": "wrote more files than one step may and was stopped",
    "protocol": "broke the connection to the grader",
}


def crash(raised: Raised) -> str:
    """`RuntimeError: mat1 and ... (attend.py, line 7: scores = q @ k)`, in one or two lines."""
    words = " ".join(raised.message.split())[:300]
    text = own(f"{raised.name}: {words}" if words else raised.name)
    if not raised.lines:
        return text
    line = raised.lines[-1]
    code = f": {line.text.strip()}" if line.text.strip() else ""
    return f"{text} ({line.path}, line {line.number}{code})"


def halted(label: str, raised: Raised) -> str:
    """`cell 1 stopped at line 3, `import pandas`: ModuleNotFoundError: No module named 'pandas'`."""
    place = ""
    if raised.lines:
        code = raised.lines[0].text.strip()[:100]
        place = f" at line {raised.lines[0].number}{f', `{code}`' if code else ''}"
    words = " ".join(raised.message.split())[:200]
    kind = "" if raised.name == CUT_OFF else raised.name
    return f"{label} stopped{place}: {own(': '.join(filter(None, (kind, words))))}"


def because(probe: Probe, answer: Answer) -> str:
    """Why a probe has no answer, with the case it was."""
    case = "" if answer.during == "import" else f" Case: {probe.say}."
    while_imported = "while it was imported, " if answer.during == "import" else ""
    if answer.outcome == "absent":
        return f"nothing named `{own(answer.message)}` was found."
    if answer.outcome == "unfit":
        return f"{own(answer.message)}.{case}"
    if answer.outcome == "raised" and answer.raised is not None:
        doing = f" while it was asked to {own(answer.during)}" if answer.during.startswith("call") else ""
        return (
            f"{while_imported}it raised {crash(answer.raised)}{doing}.{_by_name(probe, answer.raised)}{case}"
        )
    return f"{while_imported}your code {answer.message}.{case}"


def _by_name(probe: Probe, raised: Raised) -> str:
    """What to call a parameter that the grader gives by name and the learner's code calls otherwise."""
    found = re.search(r"unexpected keyword argument '(\w+)'", raised.message)
    kwargs = [step.get("kwargs") for step in probe.script]
    given = {name for names in kwargs if isinstance(names, Mapping) for name in names}
    if raised.lines or found is None or found[1] not in given:
        return ""
    return f" The grader gives the {found[1]} by name: call it {found[1]}."


def nameless(answer: Answer) -> bool:
    """Whether nothing could be asked, since a weight could not be found."""
    return answer.outcome == "unfit" and answer.during == NAMES


def renaming(answer: Answer) -> str:
    """`judged under in_a and in_b; rename them to A and B`: the names they have, and those asked for."""
    mine = [own(name) for name, _ in answer.renamed]
    asked = [name for _, names in answer.renamed for name in names.split(" and ")]
    them = "them" if len(mine) > 1 else "it"
    if len(asked) > len(mine):
        return f"judged under {listed(mine)}; keep {them} as {listed(asked)}, each by itself"
    return f"judged under {listed(mine)}; rename {them} to {listed(asked)}"


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def stopped(how: str, limits: Mapping[str, float], during: str = "") -> str:
    """How a run ended, as the second half of a sentence that begins with "your code"."""
    if how == "time":
        seconds = limits["import_seconds" if during == "import" else "call_seconds"]
        return f"did not come back within {seconds:g} s and was stopped"
    if how == "cpu":
        seconds = limits["step_cpu_seconds"]
        return f"used more than {seconds:g} s of computing time, which is all one step may use"
    if how in STOPPED:
        return STOPPED[how]
    if how.startswith("exit"):
        return f"ended the process that runs it (with {how.replace('exit', 'exit code')})"
    if how.startswith("signal"):
        name = how.removeprefix("signal ")
        if name == "SIGKILL":
            return "was killed (SIGKILL), by itself or for using more memory or time than one step may"
        return f"crashed the process that runs it ({name})"
    return f"stopped ({how})"


def loading(file: str, report: Loading) -> str:
    """Why a file could not be imported."""
    if report.error is not None:
        return f"{file} cannot be imported: {crash(report.error)}"
    if report.stopped == STOPPED["deadline"]:
        return f"{file} {report.stopped}"
    return f"while {file} was imported, your code {report.stopped}"
