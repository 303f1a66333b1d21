"""What is made of a worker's answers: a worker that plays a written part stands for the jail."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from grader.core.errors import MachineError
from grader.grading.ask import ROUNDS, gather
from grader.grading.run import Run, limits_of
from grader.lesson.answers import Transcript
from grader.lesson.lesson import Limits
from grader.lesson.probes import Probe
from grader.sandbox.frames import Arriving, Group, inner
from grader.sandbox.posting import Due
from grader.worker.wire import pack

Part = Callable[[str, list[str], int], Group]


class Actor:
    """Answers each group by a part: (key, probes asked, how often it was asked before) -> Group."""

    def __init__(self, part: Part) -> None:
        self.hello: Mapping[str, object] = {"kind": "hello"}
        self.closed = False
        self.part = part
        self.asked: list[dict[str, list[str]]] = []
        self.sides: list[int] = []
        self.turns: list[float] = []

    def run(self, request: Mapping[str, Any], groups: Sequence[str], deadline: float) -> dict[str, Group]:  # noqa: ARG002
        now = {group["group"]: [letter["id"] for letter in group["probes"]] for group in request["groups"]}
        assert list(now) == list(groups)
        assert now
        self.sides.append(request["side_by_side"])
        self.turns += [group["turn_seconds"] for group in request["groups"]]
        before = {key: sum(key in earlier for earlier in self.asked) for key in now}
        found = {key: self.part(key, ids, before[key]) for key, ids in now.items()}
        for group in request["groups"]:
            if group["after"] and found[group["after"]].how != "done":
                found[group["group"]] = Group((), "skipped", "")
        self.asked.append({key: ids for key, ids in now.items() if found[key].how != "skipped"})
        return found


def answered(ids: Sequence[str], how: str = "done", what: str = "", **fields: object) -> Group:
    frames = [{"kind": "answer", "probe": name, "outcome": "returned", **fields} for name in ids]
    return Group(({"kind": "loaded", "found": ["f"]}, *frames), how, what)


def play(
    part: Part, steps: str = "abc", modules: Mapping[str, str] | None = None
) -> tuple[Transcript, Actor]:
    """Two probes a step, the first asked for again."""
    probes = [
        Probe(f"{name}{number}", name, frozenset(), "", {}, (), (), again=number == 1)
        for name in steps
        for number in (1, 2)
    ]
    shared = {"limits": limits_of(Limits())}
    run = Run(shared, modules or {name: name for name in steps}, dict.fromkeys(steps, ()))
    actor = Actor(part)
    return gather(run, probes, {}, actor, time.monotonic() + 100, 2), actor  # type: ignore[arg-type]


def outcomes(found: Transcript) -> dict[str, str]:
    return {name: answer.outcome for name, answer in found.answers.items()}


def test_all_answers_come_home_and_some_twice() -> None:
    found, actor = play(lambda _, ids, __: answered(ids))
    assert outcomes(found) == dict.fromkeys(("a1", "a2", "b1", "b2", "c1", "c2"), "returned")
    assert set(found.again) == {"a1", "b1", "c1"}
    assert [list(now) for now in actor.asked] == [["a", "b", "c", "again:a", "again:b", "again:c"]]


def test_the_first_answer_to_a_probe_counts_and_foreign_ones_do_not() -> None:
    def part(_: str, ids: list[str], __: int) -> Group:
        frames = answered([*ids, "c1", "nothing"]).frames
        return Group((*frames, *answered(ids, message="second").frames), "done", "")

    found, _ = play(part, "a")
    assert {answer.message for answer in found.answers.values()} == {""}
    assert set(found.answers) == {"a1", "a2"}


def test_an_end_that_leaves_probes_out_is_no_answer_to_them() -> None:
    found, actor = play(lambda _, ids, __: answered(ids[:1]), "a")
    assert outcomes(found) == {"a1": "returned", "a2": "stopped"}
    assert found.answers["a2"].message == "broke the connection to the grader"
    assert len(actor.asked) == 1


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("time", "did not come back within 10 s and was stopped"),
        ("exit 3", "ended the process that runs it (with exit code 3)"),
        ("signal SIGSEGV", "crashed the process that runs it (SIGSEGV)"),
    ],
)
def test_a_death_costs_its_probe_and_the_rest_is_asked_again(how: str, words: str) -> None:
    def part(key: str, ids: list[str], before: int) -> Group:
        return answered(ids[:0], how, ids[0]) if key == "a" and not before else answered(ids)

    found, actor = play(part)
    assert outcomes(found) == {**dict.fromkeys(("a2", "b1", "b2", "c1", "c2"), "returned"), "a1": "stopped"}
    assert found.answers["a1"].message == words
    assert list(actor.asked[0]) == ["a", "b", "c", "again:b", "again:c"]
    assert actor.asked[1:] == [{"a": ["a2"]}]
    assert "a1" not in found.again


def test_what_was_killed_once_is_asked_again_and_costs_nothing() -> None:
    def part(key: str, ids: list[str], before: int) -> Group:
        killed = key == "a" and not before
        return answered(ids[:1], "signal SIGKILL", ids[1]) if killed else answered(ids)

    found, actor = play(part)
    assert set(outcomes(found).values()) == {"returned"}
    assert actor.asked[1]["a"] == ["a2"]


def test_what_is_killed_whenever_it_runs_has_caused_it() -> None:
    def part(key: str, ids: list[str], _: int) -> Group:
        return answered(ids[:0], "signal SIGKILL", "a1") if key == "a" and "a1" in ids else answered(ids)

    found, actor = play(part)
    assert outcomes(found) == {**dict.fromkeys(("a2", "b1", "b2", "c1", "c2"), "returned"), "a1": "stopped"}
    words = "was killed (SIGKILL), by itself or for using more memory or time than one step may"
    assert found.answers["a1"].message == words
    assert actor.asked[1:] == [{"a": ["a1", "a2"]}, {"a": ["a2"]}]


def test_one_file_whose_import_was_killed_once_is_not_given_up_for_all_its_steps() -> None:
    def part(_: str, ids: list[str], before: int) -> Group:
        return answered(ids) if before else Group((), "signal SIGKILL", "import")

    found, _ = play(part, "abc", dict.fromkeys("abc", "one"))
    assert set(outcomes(found).values()) == {"returned"}


def test_a_worker_that_cannot_be_started_again_while_there_is_time_is_no_fault_of_the_learners() -> None:
    def part(_: str, __: list[str], before: int) -> Group:
        if before:
            raise MachineError("no room")
        return Group((), "worker died", "")

    with pytest.raises(MachineError, match="no room"):
        play(part, "a")


def test_a_step_is_not_asked_for_ever() -> None:
    found, actor = play(lambda _, ids, __: answered(ids[:0], "time", "somewhere"), "a")
    assert len(actor.asked) <= ROUNDS
    assert set(outcomes(found).values()) == {"stopped"}
    assert found.again == {}


def test_a_death_at_import_is_the_answer_to_every_probe() -> None:
    found, actor = play(lambda _, __, ___: Group((), "time", "import"), "ab")
    assert len(actor.asked) == 1
    assert found.loadings["a"].stopped == "did not come back within 20 s and was stopped"
    assert {answer.during for answer in found.answers.values()} == {"import"}


def test_too_much_computing_ends_the_whole_step() -> None:
    found, actor = play(lambda _, ids, __: answered(ids[:1], "cpu", ids[-1]), "a")
    assert outcomes(found) == {"a1": "returned", "a2": "stopped"}
    assert [list(now) for now in actor.asked] == [["a"], ["again:a"]]


def test_who_only_had_to_make_room_is_asked_for_the_rest_without_blame() -> None:
    def part(key: str, ids: list[str], before: int) -> Group:
        return answered(ids[:1], "turn", ids[-1]) if key == "a" and not before else answered(ids)

    found, actor = play(part)
    assert set(outcomes(found).values()) == {"returned"}
    assert actor.asked[1]["a"] == ["a2"]
    assert max(actor.turns[:3]) < 70  # of 100 s for three groups, two at a time


def test_a_file_that_all_steps_share_is_imported_in_vain_once() -> None:
    found, actor = play(lambda _, __, ___: Group((), "time", "import"), "abcd", dict.fromkeys("abcd", "work"))
    assert [list(now) for now in actor.asked] == [["a", "b"]]
    assert set(outcomes(found).values()) == {"stopped"}
    assert {report.stopped for report in found.loadings.values()} == {
        "did not come back within 20 s and was stopped"
    }
    assert set(found.loadings) == set("abcd")


def test_a_shared_file_that_can_be_imported_is_asked_for_all_steps() -> None:
    found, _ = play(lambda _, ids, __: answered(ids), "abcd", dict.fromkeys("abcd", "work"))
    assert list(outcomes(found).values()) == ["returned"] * 8


def test_who_kills_the_worker_is_found_by_asking_one_at_a_time() -> None:
    def part(key: str, ids: list[str], _: int) -> Group:
        dead = actor_state["dead"] or key == "b"
        actor_state["dead"] = dead
        return Group((), "worker died", "") if dead else answered(ids)

    actor_state = {"dead": False}

    class Restarted(Actor):
        def run(self, request: Mapping[str, Any], groups: Sequence[str], deadline: float) -> dict[str, Group]:
            actor_state["dead"] = False
            return super().run(request, groups, deadline)

    probes = [Probe(f"{name}1", name, frozenset(), "", {}, (), ()) for name in "abc"]
    run = Run({"limits": limits_of(Limits())}, {name: name for name in "abc"}, dict.fromkeys("abc", ()))
    actor = Restarted(part)
    found = gather(run, probes, {}, actor, time.monotonic() + 100, 2)  # type: ignore[arg-type]
    assert outcomes(found) == {"a1": "returned", "b1": "stopped", "c1": "returned"}
    assert found.answers["b1"].message == "ended the process that runs it"
    assert actor.sides == [2, 1, 1]


def test_what_the_deadline_cut_off_says_so() -> None:
    found, _ = play(lambda _, __, ___: Group((), "deadline", ""), "a")
    assert {answer.message for answer in found.answers.values()} == {
        "was not reached before the time for the whole grade was over"
    }
    assert found.loadings["a"].stopped


def test_a_process_that_cannot_be_set_up_is_never_the_learners_fault_and_costs_no_other_step() -> None:
    def part(key: str, ids: list[str], _: int) -> Group:
        return Group((), "exit 71", "start") if key.endswith("a") else answered(ids)

    found, actor = play(part, "ab")
    assert outcomes(found) == {"a1": "broken", "a2": "broken", "b1": "returned", "b2": "returned"}
    words = "no process could be set up for it on this machine (exit 71); grade it again"
    assert {found.answers[key].message for key in ("a1", "a2")} == {words}
    assert found.loadings["a"].fault == words
    assert sum("a" in now for now in actor.asked) == ROUNDS
    assert "again:a" not in {key for now in actor.asked for key in now}


def test_a_worker_that_never_starts_is_an_error_of_the_machine() -> None:
    end = time.monotonic()

    def part(_: str, __: list[str], ___: int) -> Group:
        time.sleep(max(0.0, end - time.monotonic()))
        raise MachineError("the worker did not start")

    actor = Actor(part)
    actor.hello = {}
    probe = Probe("a1", "a", frozenset(), "", {}, (), ())
    run = Run({"limits": limits_of(Limits())}, {"a": "a"}, {"a": ()})
    with pytest.raises(MachineError, match="did not start"):
        gather(run, [probe], {}, actor, end + 9, 2)  # type: ignore[arg-type]
    actor.hello = {"kind": "hello"}  # it did once: now there is no time left to start it again
    end = time.monotonic() + 0.1
    found = gather(run, [probe], {}, actor, end, 2)  # type: ignore[arg-type]
    assert outcomes(found) == {"a1": "stopped"}


# --- frames as they arrive ------------------------------------------------------------------------


def test_a_group_that_sends_too_much_is_cut_off_there() -> None:
    frame = pack({"kind": "answer"})
    arriving = Arriving((Due("answer", "a1"),) * 9, 2 * len(frame))
    for _ in range(5):
        arriving.add(frame)
    arriving.end = "done"
    assert len(arriving.group("deadline").frames) == 2
    assert arriving.group("deadline").how == "protocol"


DUE = (Due("loaded"), Due("answer", "a1"), Due("answer", "a2"), Due("done"))


def came(*frames: Mapping[str, object], end: str | None = "exit 1", begun: bool = True) -> Group:
    """What is made of a group that sent these and ended so; two answers were due from it."""
    arriving = Arriving(DUE, 10**6, end=end, begun=begun)
    for frame in frames:
        arriving.add(pack(frame))
    return arriving.group("deadline")


LOADED, ANSWER, DONE = {"kind": "loaded"}, {"kind": "answer"}, {"kind": "done", "prints": ""}


def test_what_a_child_was_at_is_told_by_how_much_has_come_and_by_nothing_it_says() -> None:
    forged = {"kind": "begin", "what": "start"}
    assert [came(*frames).what for frames in ((), (LOADED,), (LOADED, ANSWER))] == ["import", "a1", "a2"]
    assert (came(forged).how, came(forged).what, came(forged).frames) == ("protocol", "import", ())
    assert came(begun=False).what == "start"  # told by a pipe that no guest has ever held


def test_which_question_is_answered_is_told_by_the_place_of_the_answer() -> None:
    group = came(LOADED, {**ANSWER, "probe": "a2", "variant": "x"}, ANSWER, DONE, end="done")
    assert [(frame["probe"], frame["variant"]) for frame in group.frames[1:3]] == [("a1", ""), ("a2", "")]
    assert (group.how, group.what) == ("done", "")


@pytest.mark.parametrize(
    "frames",
    [(ANSWER,), (DONE,), (LOADED, DONE), (LOADED, LOADED), (LOADED, ANSWER, ANSWER, ANSWER), (LOADED, {})],
)
def test_a_frame_that_is_not_due_ends_its_group_there(frames: tuple[Mapping[str, object], ...]) -> None:
    group = came(*frames, end="done")
    assert group.how == "protocol"
    right = [due.kind for due, frame in zip(DUE, frames, strict=False) if frame.get("kind") == due.kind]
    assert len(group.frames) == len(right)


def test_a_frame_too_long_to_keep_ends_a_group_too() -> None:
    arriving = Arriving(DUE, 999)
    arriving.add(None)
    arriving.end = "done"
    assert arriving.group("deadline") == Group((), "protocol", "import")


@pytest.mark.parametrize(
    "frame",
    [b"", b"short", b"\0" * 12, pack({"kind": "x"})[:-1], pack({"kind": "x"}) + b"more", b"\xff" * 40],
)
def test_what_is_no_frame_is_empty(frame: bytes) -> None:
    assert inner(frame) == {}
