"""Wrong variants of one step, known mistakes and mutants: who fails them, what they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from grader.core.errors import MachineError
from grader.grading.accounts import homes_of
from grader.grading.ask_reference import variants
from grader.judging.cases import Case
from grader.judging.diagnosis.suspect import Answers, Suspect
from grader.judging.pytest_plugin import Verdict
from grader.lesson.answers import Answer
from grader.lesson.lesson import Step
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake, text_of

from .bench import SECONDS, Bench
from .distances import merged, of_wrong, ratios
from .findings import Distance, KnownFinding, MutantFinding, PairFinding, StepFinding
from .judging import Subject, judge_each, killers
from .mutants import Mutant
from .naming import Store, behaviour, rightly_named, single_name
from .pairs import Asker, Sets, try_pairs
from .trials import trial, trial_run

AT_ONCE = 25  # wrong variants in one child
TOLD = ("id", "step", "file", "line", "operator", "was", "now")  # of a mutant, to whoever reads the findings

Tick = Callable[[int], None]


class StepTrial:
    """One step's wrong variants on a bench; `tick` is told how many are done.

    Known mistakes are those of `catalogue`; with none, mutants get no names.
    """

    def __init__(self, bench: Bench, step: Step, catalogue: Sequence[Mistake], tick: Tick) -> None:
        self.bench, self.step, self.tick = bench, step, tick
        self.probes = tuple(probe for probe in bench.probes if probe.step == step.id)
        self.catalogue = catalogue
        self.stem = step.file.removesuffix(".py")
        self.store = Store(self._answers())

    def finding(self, mutants: Sequence[Mutant], pairs: int = 0) -> StepFinding:
        """The known mistakes made in this step, so many pairs of them, and these mutants of its file."""
        tried: list[MutantFinding] = []
        for start in range(0, len(mutants), AT_ONCE):
            batch = mutants[start : start + AT_ONCE]
            tried += self._mutants(batch)
            self.tick(len(batch))
        known, distances = self._known()
        return StepFinding(
            step=self.step.id,
            checks=self._titles(),
            known=tuple(known),
            mutants=tuple(tried),
            pairs=tuple(self._pairs(pairs)) if pairs else (),
            distances=distances,
        )

    def _pairs(self, count: int) -> list[PairFinding]:
        here = [entry for entry in self._entries() if entry.id in self.store.answers]
        bench = self.bench

        def fresh(step: str, probes: Sequence[Probe], sets: Sets) -> Mapping[str, Answers]:
            return variants(bench.run, step, probes, sets, bench.worker, SECONDS)

        asker = Asker(self.store.ask, fresh)
        found = try_pairs(self._suspect({}), here, self.catalogue, asker, count, bench.seed)
        self.tick(count)
        return found

    def _entries(self) -> list[Mistake]:
        homes = set(homes_of(self.bench.lesson, self.step))
        return [entry for entry in self.catalogue if set(entry.homes) & homes]

    def _answers(self) -> dict[str, Answers]:
        """What all known mistakes that can be in this step answer; who cannot be made, or dies, has none."""
        entries = self._entries()
        found: dict[str, Answers] = {}
        for start in range(0, len(entries), AT_ONCE):
            batch = {entry.id: (entry.id,) for entry in entries[start : start + AT_ONCE]}
            given = variants(self.bench.run, self.step.id, self.probes, batch, self.bench.worker, SECONDS)
            found |= {key: answers for key, answers in given.items() if len(answers) == len(self.probes)}
            self.tick(len(batch))
        return found

    def _known(self) -> tuple[list[KnownFinding], tuple[Distance, ...]]:
        made_here = [entry for entry in self._entries() if self.stem in entry.homes]
        answering = [entry for entry in made_here if entry.id in self.store.answers]
        judged = self._judged([self.store.answers[entry.id] for entry in answering])
        verdicts = dict(zip((entry.id for entry in answering), judged, strict=True))
        found = []
        distances: list[Distance] = []
        for entry in made_here:
            off = ratios(self.probes, self.bench.want, self.store.answers.get(entry.id, {}))
            distances += of_wrong(self.probes, off)
            named: tuple[str, ...] = ()
            right = False
            if entry.id in verdicts:
                suspect = self._suspect(self.store.answers[entry.id])
                named, right = rightly_named(suspect, entry, self.catalogue, self.store.ask)
            killed = killers(verdicts.get(entry.id, ()))
            found.append(
                KnownFinding(
                    id=entry.id,
                    step=self.step.id,
                    killed_by=killed,
                    named=named,
                    right=right,
                    margin=max(off.values(), default=None),
                )
            )
        return found, merged(distances)

    def _mutants(self, batch: Sequence[Mutant]) -> list[MutantFinding]:
        # The unchanged solution comes last: where that fails, a mutant before it has spoilt the child.
        modules = self.bench.reference.modules
        right = next(text_of(module) for module in modules if module["name"] == self.stem)
        sources = {mutant.id: {self.stem: mutant.source} for mutant in batch} | {"": {self.stem: right}}
        run = trial_run(self.bench.lesson, self.bench.run)
        found = trial(run, self.step.id, self.probes, sources, self.bench.worker)
        verdicts = self._judged(list(found.values()))
        spoilt = killers(verdicts.pop())
        if spoilt:
            raise MachineError(f"after mutants of {self.step.file} the solution itself fails {spoilt[0]}")
        return [
            self._mutant(mutant, self._suspect(found[mutant.id]), killers(verdict))
            for mutant, verdict in zip(batch, verdicts, strict=True)
        ]

    def _mutant(self, mutant: Mutant, suspect: Suspect, killed: tuple[str, ...]) -> MutantFinding:
        shown = behaviour(suspect)
        named = killed and shown == "answers"
        plain = {name: getattr(mutant, name) for name in TOLD}
        return MutantFinding(
            **plain,
            outcome="killed" if killed else "survived",
            killed_by=killed,
            behaviour=shown,
            named=single_name(suspect, self.catalogue, self.store.ask) if named else (),
        )

    def _suspect(self, got: Answers) -> Suspect:
        homes = homes_of(self.bench.lesson, self.step)
        return Suspect(self.step.id, homes, self.probes, got, self.bench.want)

    def _judged(self, subjects: Sequence[Answers]) -> list[tuple[Verdict, ...]]:
        want = self.bench.want
        cases: list[Subject] = [
            {self.step.id: [Case(probe, got[probe.id], want.get(probe.id, {})) for probe in self.probes]}
            for got in subjects
        ]
        return judge_each(self.bench.checks, cases, [self.step.id])

    def _titles(self) -> dict[str, str]:
        nothing = {probe.id: Answer(probe.id, "stopped") for probe in self.probes}
        return {verdict.id: verdict.title for verdict in self._judged([nothing])[0]}
