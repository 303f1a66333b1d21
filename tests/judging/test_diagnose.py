from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from grader.judging.diagnosis import diagnose as engine
from grader.judging.diagnosis.diagnose import carried, diagnose
from grader.judging.diagnosis.suspect import Answers, Likeness, Suspect, alike, likeness
from grader.lesson.answers import Answer, Value
from grader.lesson.fingerprint import seal
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake
from tests.tools.answers import probe, raising, returned, tensor

CORE = tuple(probe(f"add/core-{n}") for n in range(4))
ASIDE = (probe("add/large", core=False), probe("add/float16", core=False))
REFUSE = probe("add/refuse", core=False)
PROBES = (*CORE, *ASIDE)
RIGHT = 0.0
CRASH, OTHER_CRASH, WIDE_CRASH = "IndexError: 3", "TypeError: no", "IndexError: 14"
STOPPED = "stopped"
Row = Sequence[float | str | None]


def answer(asked: Probe, value: float | str | None) -> Answer:
    """A number is an answer, a text is a crash with that name and words."""
    if value == STOPPED:
        return Answer(asked.id, "stopped", message="stopped")
    if isinstance(value, str):
        name, _, message = value.partition(": ")
        return raising(asked, name, message=message)
    return returned(asked, y=None if value is None else tensor([value, 1.0]))


def row(values: Row, probes: Sequence[Probe] = PROBES) -> dict[str, Answer]:
    return {asked.id: answer(asked, value) for asked, value in zip(probes, values, strict=True)}


def entry(name: str, home: str = "add") -> Mistake:
    return Mistake(id=name, home=home, title=name, message=name, hint=())


class Catalogue:
    """Known mistakes whose answers are written down; those of a pair under `a+b`."""

    def __init__(
        self, homes: Mapping[str, str] | None = None, probes: Sequence[Probe] = PROBES, **rows: Row
    ) -> None:
        self.rows = {name.replace("_and_", "+"): row(values, probes) for name, values in rows.items()}
        self.mistakes = [entry(name, (homes or {}).get(name, "add")) for name in self.rows if "+" not in name]
        self.asked: list[tuple[str, ...]] = []

    def ask(
        self, step: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Answers]:
        assert step == "add"
        self.asked += [tuple(ids) for ids in sets.values()]
        found = {key: self.rows.get("+".join(sorted(ids))) for key, ids in sets.items()}
        return {key: {p.id: given[p.id] for p in probes} for key, given in found.items() if given}


def suspect(values: Row, base: Sequence[str] = (), probes: Sequence[Probe] = PROBES) -> Suspect:
    want: dict[str, dict[str, Value]] = {asked.id: {"y": tensor([RIGHT, 1.0])} for asked in probes}
    want[REFUSE.id] = {}
    return Suspect("add", ("add", "base"), tuple(probes), row(values, probes), want, tuple(base))


def named(
    values: Row, catalogue: Catalogue, base: Sequence[str] = (), probes: Sequence[Probe] = PROBES
) -> list[str]:
    found = diagnose(suspect(values, base, probes), catalogue.mistakes, catalogue.ask)
    return [mistake.id for mistake in found]


# --- tiers --------------------------------------------------------------------------------------


def test_a_right_answer_has_no_mistake_and_nothing_is_asked() -> None:
    catalogue = Catalogue(harmless=[0] * 6, wrong=[1] * 6)
    assert named([0, 0, 0, 0, 0, 0], catalogue) == []
    assert catalogue.asked == []


def test_the_entry_with_the_learners_answers_is_named() -> None:
    assert named([1, 0, 2, 0, 3, 0], Catalogue(other=[1, 0, 2, 0, 3, 1], it=[1, 0, 2, 0, 3, 0])) == ["it"]


def test_an_exact_entry_goes_before_one_that_is_near() -> None:
    assert named([1, 1, 1, 1, 1, 1], Catalogue(near=[1, 1, 1, 1, 1, 9], exact=[1, 1, 1, 1, 1, 1])) == [
        "exact"
    ]


def test_a_near_entry_differs_beside_the_core_only_where_both_are_wrong() -> None:
    assert named([1, 1, 1, 1, 1, 5], Catalogue(near=[1, 1, 1, 1, 1, 9])) == ["near"]


def test_a_near_entry_may_crash_where_the_learner_is_wrong_and_the_other_way_round() -> None:
    assert named([1, 1, CRASH, 1, 1, 1], Catalogue(near=[1, 1, 7, 1, 1, 1])) == ["near"]
    assert named([1, 1, 7, 1, 1, 1], Catalogue(near=[1, 1, CRASH, 1, 1, 1])) == ["near"]


def test_a_near_entry_goes_before_a_pair_and_a_pair_before_a_loose_one() -> None:
    pair = {"one": [1, 0, 1, 0, 0, 0], "two": [0, 1, 0, 1, 0, 0], "one_and_two": [1, 1, 1, 1, 1, 0]}
    learner = [1, 1, 1, 1, 1, 0]
    assert named(learner, Catalogue(near=[1, 1, 1, 1, 7, 0], **pair)) == ["near"]
    assert named(learner, Catalogue(loose=[1, 1, 1, 1, 0, 0], **pair)) == ["one", "two"]
    assert named(learner, Catalogue(loose=[1, 1, 1, 1, 0, 0])) == ["loose"]


def test_a_near_entry_that_crashes_where_the_learner_answers_yields_to_an_exact_pair_alone() -> None:
    pair = {"one": [1, 0, 0, CRASH, 0, 0], "two": [0, CRASH, CRASH, 0, 5, 0]}
    learner = [1, CRASH, CRASH, CRASH, 5, 0]
    near = [CRASH, CRASH, CRASH, CRASH, 5, 0]
    assert named(learner, Catalogue(near=near, **pair, one_and_two=learner)) == ["one", "two"]
    assert named(learner, Catalogue(near=near, **pair, one_and_two=[1, CRASH, CRASH, CRASH, 7, 0])) == [
        "near"
    ]
    assert named(near, Catalogue(near=near, **pair, one_and_two=learner)) == ["near"]


def test_among_equals_the_step_s_own_goes_first_then_the_first_listed() -> None:
    rows = {name: [1, 1, 1, 1, 1, 1] for name in ("carried", "second", "third")}
    assert named([1] * 6, Catalogue({"carried": "base"}, **rows)) == ["second"]


def test_more_agreement_goes_first_within_a_tier() -> None:
    catalogue = Catalogue(less=[1, 1, 1, 1, 8, 9], more=[1, 1, 1, 1, 4, 9])
    assert named([1, 1, 1, 1, 4, 5], catalogue) == ["more"]


# --- what is never named ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "theirs",
    [
        [1, 1, 1, 2, 1, 1],
        [1, 1, 1, 0, 1, 1],
        [0, 0, 0, 0, 0, 0],
    ],
)
def test_an_entry_that_contradicts_the_learner_on_the_core_is_not_named(theirs: Row) -> None:
    assert named([1, 1, 1, 1, 1, 1], Catalogue(entry=theirs)) == []


@pytest.mark.parametrize("theirs", [1, CRASH])
def test_an_entry_that_is_wrong_on_the_core_where_the_learner_is_right_is_not_named(
    theirs: float | str,
) -> None:
    assert named([1, 1, 0, 1, 1, 1], Catalogue(entry=[1, 1, theirs, 1, 1, 1])) == []


def test_an_entry_that_is_right_on_the_core_where_the_learner_crashes_is_not_named() -> None:
    assert named([1, 1, CRASH, 1, 1, 1], Catalogue(entry=[1, 1, 0, 1, 1, 1])) == []


def test_a_hang_on_the_core_is_no_style_of_a_wrong_answer() -> None:
    assert named([1, 1, STOPPED, 1, 1, 1], Catalogue(entry=[1, 1, 7, 1, 1, 1])) == []


def test_nothing_is_named_without_agreement_on_a_wrong_answer() -> None:
    assert named([0, 0, 0, 0, 4, 0], Catalogue(entry=[0, 0, 0, 0, 9, 0])) == []
    assert named([0, 0, 0, 0, 4, 5], Catalogue(harmless=[0, 0, 0, 0, 0, 0])) == []


def test_agreement_beside_the_core_alone_names_only_what_explains_the_rest() -> None:
    assert named([0, 0, 0, 0, 4, 5], Catalogue(entry=[0, 0, 0, 0, 4, 9])) == ["entry"]
    assert named([0, 0, 0, 0, 4, 5], Catalogue(entry=[0, 0, 0, 0, 4, 0])) == []


def test_an_entry_at_home_elsewhere_is_not_asked() -> None:
    catalogue = Catalogue({"entry": "far"}, entry=[1] * 6)
    assert named([1] * 6, catalogue) == []
    assert catalogue.asked == []


def test_an_entry_whose_answers_did_not_come_is_passed_over() -> None:
    catalogue = Catalogue(entry=[1] * 6)
    catalogue.mistakes.append(entry("silent"))
    assert named([1] * 6, catalogue) == ["entry"]


def test_probes_that_are_not_for_diagnosis_do_not_count() -> None:
    count = probe("add/count", diagnose=False)
    probes = (*PROBES, count)
    assert named([0] * 6 + [1], Catalogue(probes=probes, entry=[0] * 6 + [1]), probes=probes) == []


# --- crashes ------------------------------------------------------------------------------------


def test_a_crash_everywhere_is_a_mistake_only_in_the_same_words_with_the_same_numbers() -> None:
    catalogue = Catalogue(crashes=[CRASH] * 6)
    assert named([CRASH] * 6, catalogue) == ["crashes"]
    assert named([WIDE_CRASH] * 6, catalogue) == named([OTHER_CRASH] * 6, catalogue) == []


def test_of_two_entries_that_crash_everywhere_the_words_decide() -> None:
    assert named([CRASH] * 6, Catalogue(first=[OTHER_CRASH] * 6, second=[CRASH] * 6)) == ["second"]


ALIKE = {
    "one text, other numbers": (CRASH, WIDE_CRASH),
    "sizes": (
        "RuntimeError: shape '[2, 3]' is invalid for input of size 8",
        "RuntimeError: size of a must match",
    ),
    "devices": ("RuntimeError: on the same device, found cpu (mm)", "RuntimeError: the devices differ (add)"),
    "two refusals": ("ValueError: no", "AssertionError: 3 does not divide 10"),
}
UNLIKE = {
    "two kinds": (CRASH, OTHER_CRASH),
    "a misspelt helper": ("AttributeError: no attribute 'splitt'", "RuntimeError: shape '[2]' is invalid"),
    "not written yet": ("NotImplementedError: not written yet", "TypeError: got float"),
    "two misspelt names": ("NameError: name 'math' is not defined", "NameError: name 'B' is not defined"),
    "sizes and memory": ("RuntimeError: mat1 and mat2 shapes", "RuntimeError: view size, strides"),
    "torch, but of nothing known": ("RuntimeError: boom", "RuntimeError: bang"),
}


@pytest.mark.parametrize(("mine", "theirs"), ALIKE.values(), ids=ALIKE)
def test_crashes_of_one_kind_are_evidence_where_the_rest_is_answered_alike(mine: str, theirs: str) -> None:
    learner = [0, 0, mine, mine, 0, 0]
    if "ValueError" not in mine:
        assert named([mine] * 6, Catalogue(entry=[theirs] * 6)) == []
    assert named(learner, Catalogue(entry=[0, 0, theirs, theirs, 0, 0])) == ["entry"]
    assert named(learner, Catalogue(entry=[0, 0, theirs, theirs, 0, 8])) == []


@pytest.mark.parametrize(("mine", "theirs"), UNLIKE.values(), ids=UNLIKE)
def test_crashes_of_two_kinds_are_no_evidence_however_much_is_answered_alike(mine: str, theirs: str) -> None:
    assert named([0, 0, mine, mine, 0, 0], Catalogue(entry=[0, 0, theirs, theirs, 0, 0])) == []


def test_a_learners_name_for_a_weight_makes_no_other_crash() -> None:
    mine = Answer("p", "unfit", message="W_q (your q_proj) is too small: shape (4, 12)", during="load")
    theirs = replace(mine, message="W_q is too small: shape (4, 12)")
    assert likeness(mine, theirs) is Likeness.NUMBERS
    assert likeness(mine, replace(theirs, message="W_q is too large: shape (4, 12)")) is Likeness.NONE


def test_crashes_at_two_places_are_no_evidence() -> None:
    learner = [0, 0, CRASH, CRASH, 0, 0]
    catalogue = Catalogue(entry=learner)
    assert named(learner, catalogue) == ["entry"]
    for key, known in catalogue.rows["entry"].items():
        catalogue.rows["entry"][key] = replace(known, during="load")
    assert named(learner, catalogue) == []


def test_an_import_that_failed_is_no_mistake_of_the_catalogue() -> None:
    catalogue = Catalogue(crashes=["NameError: troch"] * 6)
    held = suspect([CRASH] * 6)
    got = {asked.id: raising(asked, "NameError", message="troch", during="import") for asked in PROBES}
    failed = Suspect(held.step, held.homes, held.probes, got, held.want)
    assert diagnose(failed, catalogue.mistakes, catalogue.ask) == ()
    assert catalogue.asked == []


def test_nothing_is_named_where_everything_was_stopped() -> None:
    assert named([STOPPED] * 6, Catalogue(entry=[STOPPED] * 6)) == []


def test_where_an_answer_is_to_be_refused_the_kind_of_crash_counts() -> None:
    probes = (*CORE, REFUSE)
    refusing, crashing, answering = "ValueError: 3 does not divide 10", "RuntimeError: shape", 5
    held = Catalogue(probes=probes, crashing=[0, 0, 0, 0, crashing], answering=[0, 0, 0, 0, answering])
    assert named([0, 0, 0, 0, refusing], held, probes=probes) == []
    assert named([0, 0, 0, 0, crashing], held, probes=probes) == ["crashing"]
    assert named([0, 0, 0, 0, answering], held, probes=probes) == ["answering"]


# --- pairs, and mistakes carried from a neighbour ------------------------------------------------


def test_a_pair_is_named_when_no_single_entry_fits() -> None:
    catalogue = Catalogue(
        one=[1, 0, 1, 0, 0, 0], two=[0, 1, 0, 1, 0, 0], three=[0] * 6, one_and_two=[1, 1, 1, 1, 0, 0]
    )
    assert named([1, 1, 1, 1, 0, 0], catalogue) == ["one", "two"]


def test_pairs_are_tried_up_to_a_number_whatever_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {f"m{n}": [1, 2, 1, 3, 0, 0] for n in range(6)}
    catalogue = Catalogue(**rows, m4_and_m5=[1, 1, 1, 1, 0, 0])
    assert named([1, 1, 1, 1, 0, 0], catalogue) == ["m4", "m5"]
    monkeypatch.setattr(engine, "PAIR_BATCH", 2)
    monkeypatch.setattr(engine, "PAIRS_TRIED", 2)
    assert named([1, 1, 1, 1, 0, 0], catalogue) == []


def test_a_pair_is_named_whose_wrong_answers_all_lie_beside_the_core() -> None:
    catalogue = Catalogue(one=[0, 0, 0, 0, 1, 0], two=[0, 0, 0, 0, 0, 2], one_and_two=[0, 0, 0, 0, 1, 2])
    assert named([0, 0, 0, 0, 1, 2], catalogue) == ["one", "two"]


CARRIED = {"base": [1, 1, 1, 1, 1, 0]}


def test_a_mistake_made_on_top_of_a_carried_one_is_named_alone() -> None:
    catalogue = Catalogue(
        {"base": "base"}, **CARRIED, own=[0, 0, 2, 2, 0, 0], base_and_own=[1, 1, 3, 3, 1, 0]
    )
    assert named([1, 1, 3, 3, 1, 0], catalogue, ["base"]) == ["own"]


def test_what_the_carried_mistake_explains_itself_names_no_other() -> None:
    same = {"base_and_harmless": [1, 1, 1, 1, 1, 0], "harmless": [0] * 6}
    catalogue = Catalogue({"base": "base"}, **CARRIED, **same)
    assert named([1, 1, 1, 1, 9, 0], catalogue, ["base"]) == []
    assert named([1, 1, 1, 1, 9, 8], catalogue, ["base"]) == []


def test_a_carried_mistake_explains_answers_only_when_all_of_them_agree() -> None:
    catalogue = Catalogue({"base": "base"}, **CARRIED)
    assert carried(suspect([1, 1, 1, 1, 1, 0]), ["base"], catalogue.ask)
    assert not carried(suspect([1, 1, 1, 1, 1, 1]), ["base"], catalogue.ask)
    assert not carried(suspect([1, 1, 1, 1, CRASH, 0]), ["base"], catalogue.ask)
    assert not carried(suspect([1, 1, 1, 1, 1, 0]), ["unknown"], catalogue.ask)
    assert not carried(Suspect("add", ("add",), (), {}, {}), ["base"], catalogue.ask)


def test_a_carried_crash_does_not_excuse_a_crash_of_ones_own() -> None:
    catalogue = Catalogue({"base": "base"}, base=[CRASH] * 6)
    assert carried(suspect([WIDE_CRASH] * 6), ["base"], catalogue.ask)
    assert not carried(suspect([OTHER_CRASH] * 6), ["base"], catalogue.ask)


def test_a_carried_mistake_does_not_excuse_a_missing_refusal() -> None:
    probes = (*CORE, REFUSE)
    catalogue = Catalogue({"base": "base"}, probes, base=[1, 1, 1, 1, "ValueError: 3"])
    assert carried(suspect([1, 1, 1, 1, "AssertionError: "], probes=probes), ["base"], catalogue.ask)
    assert not carried(suspect([1, 1, 1, 1, "RuntimeError: 3"], probes=probes), ["base"], catalogue.ask)


# --- when two answers are one -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (returned(CORE[0], y=tensor([1])), returned(CORE[0], y=tensor([1])), True),
        (returned(CORE[0], y=tensor([1])), returned(CORE[0], y=seal(tensor([1]))), True),  # type: ignore[arg-type]
        (returned(CORE[0], y=tensor([1])), returned(CORE[0], y=tensor([2])), False),
        (returned(CORE[0], y=tensor([1])), returned(CORE[0], ["x"], y=tensor([1])), False),
        (returned(CORE[0], y=tensor([1]), z=1), returned(CORE[0], y=tensor([1]), z=2), True),
        (raising(CORE[0], "A"), Answer("p", "unfit", message="b"), True),
        (raising(CORE[0], "A"), returned(CORE[0], y=None), False),
        (raising(CORE[0], "A"), Answer("p", "stopped"), False),
        (Answer("p", "stopped"), Answer("p", "stopped"), True),
        (Answer("p", "absent"), Answer("p", "unfit"), False),
    ],
)
def test_two_answers_are_alike_or_not(one: Answer, two: Answer, same: bool) -> None:
    assert alike(CORE[0], one, two) is same


@pytest.mark.parametrize(
    ("value", "wrong"), [(RIGHT, False), (1, True), (None, True), (CRASH, True), (STOPPED, True)]
)
def test_an_answer_is_wrong_when_it_is_not_the_expected_one(value: float | str | None, wrong: bool) -> None:
    assert suspect([0] * 6).wrong(CORE[0], answer(CORE[0], value)) is wrong


def test_a_changed_input_is_wrong_and_a_refusal_is_right_where_one_is_asked_for() -> None:
    held = suspect([0] * 6)
    assert held.wrong(CORE[0], returned(CORE[0], ["x"], y=tensor([RIGHT, 1.0])))
    assert not held.wrong(REFUSE, raising(REFUSE, "ValueError"))
    assert held.wrong(REFUSE, raising(REFUSE, "TypeError"))
    assert held.wrong(REFUSE, returned(REFUSE, y=tensor([1])))
