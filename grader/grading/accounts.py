"""What is known of each step once its verdicts are in: absence, bans, mistakes, and whose mistakes they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.judging.diagnosis.diagnose import carried, diagnose
from grader.judging.diagnosis.matching import AskVariants
from grader.judging.diagnosis.properties import properties
from grader.judging.diagnosis.suspect import Suspect
from grader.judging.failure_text import renaming
from grader.judging.gpu import gpu_check
from grader.judging.pytest_plugin import Verdict
from grader.judging.score import Account
from grader.lesson.answers import Answer, Transcript
from grader.lesson.fingerprint import Expected
from grader.lesson.lesson import Lesson, Step
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake
from grader.submission.forbidden_scan import detours
from grader.submission.imports import neighbours
from grader.submission.model import Submission

from .second import FLOAT32, FLOAT64, Second
from .triage import advice, banned, borne_out, import_failure, lacking, misnamed, only_skeleton


@dataclass(frozen=True, slots=True)
class Standard:
    """What answers are held against: probes, expected values, catalogue, and how to ask for its answers."""

    probes: tuple[Probe, ...]
    want: Mapping[str, Mapping[str, Expected]]
    mistakes: tuple[Mistake, ...]
    ask: AskVariants
    until: Callable[[float], AskVariants] | None = None  # the same, for where its answers take time
    gpu: tuple[Probe, ...] = ()  # probes asked of a real GPU besides


@dataclass(frozen=True, slots=True)
class Again:
    """How a step is asked a second time, and how what came of that is judged."""

    second: Second
    judge: Callable[[Step, Sequence[Probe], Mapping[str, Answer]], tuple[Verdict, ...]]


def accounts_of(
    lesson: Lesson,
    submission: Submission,
    found: Transcript,
    standard: Standard,
    verdicts: Mapping[str, tuple[Verdict, ...]],
    missing: Mapping[str, str],
    again: Again | None = None,
) -> list[Account]:
    """One account a step, neighbours before the steps that may import them."""
    imported = neighbours(lesson, submission)
    accounts: dict[str, Account] = {}
    for step in lesson.steps:
        account = _plain_account(
            lesson, step, submission, found, standard, verdicts[step.id], missing[step.id]
        )
        if not account.absent and not account.barred and _wrong(account) and not _broken(account):
            around = [accounts[name] for name in imported.get(step.id, ()) if name in accounts]
            known = replace(standard, mistakes=borne_out(standard.mistakes, step, submission))
            account = _explained(
                lesson, _in_float32(lesson, account, found, standard, again), found, known, around, again
            )
        accounts[step.id] = account
    return list(accounts.values())


def _plain_account(
    lesson: Lesson,
    step: Step,
    submission: Submission,
    found: Transcript,
    standard: Standard,
    verdicts: tuple[Verdict, ...],
    missing: str,
) -> Account:
    answers = [found.answers[p.id] for p in standard.probes if p.step == step.id and p.id in found.answers]
    want = standard.want
    problem = submission.problems.get(step.file, "")
    where = step.file if submission.form == "folder" else submission.name
    skeleton = "" if missing or problem else only_skeleton(step, answers)
    return Account(
        step=step,
        verdicts=verdicts,
        absent=missing or skeleton,
        barred=banned(lesson, step, answers),
        note=f"{where}: {problem}"
        if problem
        else import_failure(step, submission, found)
        or lacking(step, answers, found)
        or misnamed(where, answers),
        review=detours(lesson, step, submission),
        advice=advice(step, standard.probes, found),
        extra=()
        if missing or skeleton
        else gpu_check(step.id, [*standard.probes, *standard.gpu], found.answers, want),
        prints=found.prints.get(step.id, "")[:2_000],
        unread=bool(problem),
        kept_back=_kept_back(verdicts, answers),
    )


def _kept_back(verdicts: Sequence[Verdict], answers: Sequence[Answer]) -> float:
    """The points that weights under other names cost, whatever else is right."""
    said = {renaming(answer) for answer in answers if answer.renamed}
    return sum(
        verdict.points for verdict in verdicts if verdict.status == "failed" and verdict.message in said
    )


def _wrong(account: Account) -> bool:
    return any(verdict.status != "passed" for verdict in account.verdicts)


def _broken(account: Account) -> bool:
    return any(verdict.status == "broken" for verdict in account.verdicts)


def _explained(
    lesson: Lesson,
    account: Account,
    found: Transcript,
    standard: Standard,
    around: Sequence[Account],
    again: Again | None,
) -> Account:
    """A wrong step's mistakes; or whose mistake it carries; or which neighbour keeps it from being judged."""
    step = account.step
    wrong = [other for other in around if other.absent or _wrong(other) or other.barred]
    known = tuple(dict.fromkeys(_made_in(other.step, entry) for other in wrong for entry in other.mistakes))
    probes = tuple(p for p in standard.probes if p.step == step.id and p.judged and p.id in found.answers)
    suspect = Suspect(step.id, homes_of(lesson, step), probes, found.answers, standard.want, ())
    anywhere = tuple(dict.fromkeys(entry.id for other in wrong for entry in other.mistakes))
    if known and (carried(suspect, known, standard.ask) or carried(suspect, anywhere, standard.ask)):
        names = " and ".join(other.step.file for other in wrong if other.mistakes)
        full, but = (
            ("full points: ", "") if not account.kept_back else ("", " but for the names of its weights")
        )
        return replace(
            account, carried=f"{full}the mistake of {names} is carried forward, this step is right{but}"
        )
    helped = _beside(lesson, account, wrong, suspect, standard, again)
    if helped is not None:
        return helped
    nameless = [other for other in wrong if not other.mistakes and not other.carried]
    if nameless:
        files = " and ".join(other.step.file for other in nameless)
        return replace(
            account, blocked=f"imports {files}, which is not right yet: this step cannot be judged before"
        )
    based = replace(suspect, base=known)
    found_mistakes = diagnose(based, standard.mistakes, standard.ask)
    seen = "" if found_mistakes or account.note else _told(based)
    return replace(account, mistakes=found_mistakes, note=account.note or seen)


def _in_float32(
    lesson: Lesson, account: Account, found: Transcript, standard: Standard, again: Again | None
) -> Account:
    """A step that is right in float32 only keeps what it earns there; its dtypes are a criterion of their own."""
    step = account.step
    probes = {p.id: p for p in standard.probes if p.step == step.id and p.judged and p.id in found.answers}
    suspect = Suspect(step.id, (), tuple(probes.values()), found.answers, standard.want)
    if again is None or not _lacks_float64(suspect, probes):
        return account
    asked = [probe for probe in probes.values() if probe.dtype == FLOAT64 and not probe.of_dtype]
    lower = again.second.in_float32(step, asked)
    if banned(lesson, step, lower.values()):
        return account
    given = {**found.answers, **lower}
    low = {probe.id for probe in asked}
    turned = [replace(p, dtype=FLOAT32) if p.id in low else p for p in probes.values()]
    better = {
        verdict.id: verdict for verdict in again.judge(step, turned, given) if verdict.status == "passed"
    }
    verdicts = tuple(better.get(verdict.id, verdict) for verdict in account.verdicts)
    if verdicts == account.verdicts:
        return account
    said = "right in float32 and not in float64: judged in float32, which costs the criterion of the dtypes alone"
    return replace(account, verdicts=verdicts, note=account.note or said)


def _lacks_float64(suspect: Suspect, probes: Mapping[str, Probe]) -> bool:
    """Whether what is right in float32 is wrong in float64, where the same is asked in both."""
    for probe in probes.values():
        other = probes.get(probe.id.replace(FLOAT64, FLOAT32))
        if probe.of_dtype and probe.dtype == FLOAT64 and other is not None and other.of_dtype:
            one, two = suspect.got[probe.id], suspect.got[other.id]
            if suspect.wrong(probe, one) and not suspect.wrong(other, two):
                return True
    return False


def _beside(
    lesson: Lesson,
    account: Account,
    wrong: Sequence[Account],
    suspect: Suspect,
    standard: Standard,
    again: Again | None,
) -> Account | None:
    """The step judged with the solution's functions in place of wrong neighbours'; None where that earns nothing."""
    step = account.step
    asked = [probe for probe in suspect.probes if probe.diagnose and not probe.heavy]
    if again is None or not wrong or not asked:
        return None
    answers = again.second.beside(step, [other.step for other in wrong], asked)
    if answers is None or banned(lesson, step, answers.values()):
        return None
    verdicts = again.judge(step, asked, answers)
    if not any(verdict.value and verdict.status == "passed" for verdict in verdicts):
        return None
    names = " and ".join(item.name for other in wrong for item in other.step.provides)
    one = sum(len(other.step.provides) for other in wrong) == 1
    state, place = ("is", "its place") if one else ("are", "their place")
    said = f"your {names} {state} not right, so this step was asked once more with the solution's {names} in {place}"
    helped = replace(account, verdicts=verdicts, note=said)
    if not _wrong(helped):
        return replace(helped, carried=f"full points: {said}, and is right then")
    mine = replace(suspect, got=answers, probes=tuple(asked))
    mistakes = diagnose(mine, standard.mistakes, standard.ask)
    seen = "" if mistakes else _told(mine)
    return replace(helped, mistakes=mistakes, note="\n".join(filter(None, [said, seen])))


def _told(suspect: Suspect) -> str:
    """What holds of the answers; numbers that nobody thought of are no reason to lose the grade itself."""
    try:
        return "\n".join(properties(suspect))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return ""


def _made_in(step: Step, entry: Mistake) -> str:
    """`attend:<id>`: a mistake as it was made in this step's file, where it could have been made in others."""
    stem = step.file.removesuffix(".py")
    return f"{stem}:{entry.id}" if stem in entry.homes and len(entry.homes) > 1 else entry.id


def homes_of(lesson: Lesson, step: Step) -> tuple[str, ...]:
    """The solution modules that a mistake in this step may live in, the step's own first."""
    used = [_stem(lesson, name) for name in step.uses]
    return (step.file.removesuffix(".py"), *used, *(name.removesuffix(".py") for name in step.homes))


def _stem(lesson: Lesson, step_id: str) -> str:
    return next(step.file.removesuffix(".py") for step in lesson.steps if step.id == step_id)
