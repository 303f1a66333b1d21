"""Decisions of people, and the commands `grader quiz mark` and `grader quiz review`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from grader.cli import main
from grader.core.errors import InputError
from grader.quiz.bank.bank import Bank
from grader.quiz.drawing.draw import draw
from grader.quiz.marking.decisions import (
    DECISIONS_FILE,
    Decision,
    Decisions,
    answer_key,
    decided,
    read_decisions,
    write_decisions,
)
from grader.quiz.marking.mark import SheetMarker
from grader.quiz.marking.sheet import Sheet

ROOT = Path(__file__).resolve().parents[2]
BANK = """\
version: 1
quiz: toy
title: A toy
lesson: toy
check: [why, holds]
questions:
  - id: why
    kind: short_answer
    objective: all
    difficulty: easy
    prompt: Why?
    explanation: Therefore.
    model: Because of the heads.
    rubric: {concepts: [{id: a, says: the heads, said: [heads]}], wrong: [{says: No feet., said: [feet]}]}
  - id: holds
    kind: true_false
    objective: all
    difficulty: easy
    prompt: It holds.
    explanation: It does.
    answer: true
  - id: say
    kind: numeric
    objective: all
    difficulty: easy
    prompt: Say {{ n }}.
    explanation: So.
    given: {n: [1, 2, 3]}
    answer: n
"""  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "toy.yaml").write_text(BANK)
    (tmp_path / "ada.yaml").write_text("learner: Ada\nanswers: {why: Zorbs!, holds: mostly}\n")
    (tmp_path / "bo.json").write_text('{"learner": "Bo", "answers": {"why": "  zorbs ", "holds": "yes"}}')
    return tmp_path


def toy() -> Bank:
    import yaml

    return Bank.model_validate(yaml.safe_load(BANK))


def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: object, typed: str = ""
) -> Any:
    """The exit code, standard output and standard error of one command."""
    monkeypatch.setattr(sys, "argv", ["grader", "quiz", *map(str, words)])
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    with pytest.raises(SystemExit) as end:
        main()
    out, err = capsys.readouterr()
    return end.value.code, out, err


Run = Any


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    return lambda *words, typed="": run(capsys, monkeypatch, *words, typed=typed)


# --- decisions --------------------------------------------------------------------------------


def decision(answer: object, outcome: str = "correct", by: str = "Cy") -> Decision:
    drawn = draw(toy().questions[0])
    return decided(drawn, "toy", answer, outcome, 1.0 if outcome == "correct" else 0.0, by)  # type: ignore[arg-type]


def test_a_decision_holds_for_equal_answers_only() -> None:
    kept = Decisions(decisions=(decision("Zorbs!"),))
    marker = SheetMarker(toy(), decisions=kept)

    def outcome(answer: object) -> str:
        return marker.mark(Sheet("a", "a", {"why": answer})).questions[0].outcome

    assert outcome("zorbs") == outcome(" ZORBS. ") == outcome(["Zorbs"]) == outcome("`zorbs`") == "correct"
    assert outcome("zorbs and quux") == "needs_review"
    assert marker.mark(Sheet("a", "a", {"holds": "Zorbs!"})).questions[1].outcome == "needs_review"


def test_the_last_decision_counts_and_the_first_stays_on_record() -> None:
    kept = Decisions().with_one(decision("zorbs")).with_one(decision("zorbs", "incorrect", "Di"))
    record = SheetMarker(toy(), decisions=kept).mark(Sheet("a", "a", {"why": "zorbs"}))
    assert record.questions[0].outcome == "incorrect"
    assert "Decided by Di on 20" in record.questions[0].message
    assert len(kept.decisions) == 2
    assert kept.find("toy", "why", kept.decisions[0].key) == kept.decisions[1]
    assert kept.find("toy", "holds", kept.decisions[0].key) is None


def test_a_decision_outweighs_the_rubric_and_is_of_one_quiz() -> None:
    kept = Decisions(decisions=(decision("feet"),))
    assert SheetMarker(toy()).mark(Sheet("a", "a", {"why": "feet"})).score == 0
    assert SheetMarker(toy(), decisions=kept).mark(Sheet("a", "a", {"why": "feet"})).score == 1
    other = Decisions(decisions=(decision("feet").model_copy(update={"quiz": "other"}),))
    assert SheetMarker(toy(), decisions=other).mark(Sheet("a", "a", {"why": "feet"})).score == 0


def test_a_decision_on_one_draw_says_nothing_of_another() -> None:
    question = toy().questions[2]
    drawn = {draw(question, seed).values["n"]: draw(question, seed) for seed in range(20)}
    assert len({answer_key(one, "two or so") for one in drawn.values()}) == 3


def test_decisions_survive_the_file(tmp_path: Path) -> None:
    path = tmp_path / "decisions.json"
    assert read_decisions(path) == Decisions()
    kept = Decisions(decisions=(decision("Wₒ \ud800 \x07"),))
    write_decisions(path, kept)
    assert read_decisions(path).decisions[0].key == kept.decisions[0].key
    assert [item.name for item in tmp_path.iterdir()] == ["decisions.json"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version": 2}', '{"decisions": [{"quiz": 1}]}', "\xff"])
def test_a_file_that_holds_no_decisions_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "decisions.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match="no file of decisions"):
        read_decisions(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError):
        read_decisions(path)


def test_a_share_is_a_share() -> None:
    with pytest.raises(ValidationError):
        Decision.model_validate({**decision("a").model_dump(), "share": 2})


# --- the commands -----------------------------------------------------------------------------


def test_mark_prints_a_summary_and_writes_the_record(folder: Path, command: Run) -> None:
    code, out, err = command(
        "mark", folder / "ada.yaml", "--bank", folder / "toy.yaml", "--json", folder / "r.json"
    )
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "Ada: 0 of 2 points, 2 for a person to see"
    assert json.loads((folder / "r.json").read_text()) == {
        "version": 1, "quiz": "toy", "learner": "Ada", "score": 0.0, "max_score": 2.0, "needs_review": 2,
        "questions": [
            {"id": "why", "outcome": "needs_review", "points": 0.0, "max_points": 1.0,
             "message": "For a person to see: the rubric finds neither a right nor a wrong claim in it."},
            {"id": "holds", "outcome": "needs_review", "points": 0.0, "max_points": 1.0,
             "message": "For a person to see: it is neither a plain true nor a plain false."},
        ],
    }  # fmt: skip


def test_the_record_alone_on_standard_output(folder: Path, command: Run) -> None:
    (folder / "ada.yaml").write_text("answers: {why: heads, holds: yes, what: x}\n")
    code, out, err = command("mark", folder / "ada.yaml", "--quiz", folder / "toy.yaml", "--json", "-")
    assert code == 0
    assert json.loads(out)["score"] == 2
    assert err == "grader: ada.yaml: unknown id what; the rest is marked\n"


def test_several_sheets_are_a_record_a_line(folder: Path, command: Run) -> None:
    sheets = (folder / "ada.yaml", folder / "bo.json")
    code, out, _ = command("mark", *sheets, "--bank", folder / "toy.yaml", "--json", folder / "r.jsonl")
    assert code == 0
    records = [json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines()]
    assert [record["learner"] for record in records] == ["Ada", "Bo"]
    assert "3 wait for a person" in out


def test_other_questions_than_the_check(folder: Path, command: Run) -> None:
    bank = ("--bank", folder / "toy.yaml", "--json", "-")
    _, out, _ = command("mark", folder / "bo.json", "--questions", " HOLDS, say", *bank)
    assert [item["id"] for item in json.loads(out)["questions"]] == ["holds", "say"]
    _, out, _ = command("mark", folder / "bo.json", "--all", *bank)
    assert [item["id"] for item in json.loads(out)["questions"]] == ["why", "holds", "say"]


def test_review_decides_once_for_equal_answers_and_marking_never_forgets(folder: Path, command: Run) -> None:
    sheets = (folder / "ada.yaml", folder / "bo.json")
    bank = ("--bank", folder / "toy.yaml")
    code, out, _ = command("review", *sheets, *bank, "--by", "Cy", typed="nonsense\nc\ns\n")
    assert code == 0
    assert "why, Ada, Bo" in out
    assert "1 of 2 decided" in out
    stored = json.loads((folder / DECISIONS_FILE).read_text())["decisions"]
    assert [(item["question"], item["outcome"], item["by"], item["answer"]) for item in stored] == [
        ("why", "correct", "Cy", "Zorbs!")
    ]
    for _ in range(2):
        _, out, _ = command("mark", *sheets, *bank)
        assert "Ada: 1 of 2 points, 1 for a person to see" in out
        assert "Bo: 2 of 2 points" in out
    _, out, _ = command("review", *sheets, *bank, "--list")
    assert out.splitlines() == ["1. holds, Ada: mostly", "1 open"]
    _, out, _ = command("review", *sheets, *bank, "--by", "Di", typed="p\n")
    assert [item["by"] for item in json.loads((folder / DECISIONS_FILE).read_text())["decisions"]] == [
        "Cy",
        "Di",
    ]
    _, out, _ = command("review", *sheets, *bank)
    assert out == "0 open\n"


def test_review_keeps_what_was_decided_when_it_is_left(folder: Path, command: Run) -> None:
    place = folder / "kept.json"
    words = ("review", folder / "ada.yaml", "--bank", folder / "toy.yaml", "--decisions", place, "--by", "Cy")
    for typed, count in (("q\n", 0), ("i\nq\n", 1), ("", 1)):
        assert command(*words, typed=typed)[0] == 0
        assert len(read_decisions(place).decisions) == count
    assert not (folder / DECISIONS_FILE).exists()


def test_a_sheet_says_which_seed_and_which_quiz(folder: Path, command: Run) -> None:
    values = {seed: draw(toy().questions[2], seed, "Ada").values["n"] for seed in range(9)}
    seed = next(seed for seed, value in values.items() if value != values[0])
    path = folder / "seeded.yaml"
    path.write_text(f"learner: Ada\nquiz: toy\nseed: {seed}\nanswers: {{say: {values[seed]}}}\n")
    words = ("mark", path, "--bank", folder / "toy.yaml", "--questions", "say", "--json", "-")
    assert json.loads(command(*words)[1])["score"] == 1
    assert json.loads(command(*words, "--seed", 0)[1])["score"] == 0
    path.write_text("quiz: other\nanswers: {}\n")
    code, _, err = command(*words)
    assert code == 2
    assert "answers the quiz 'other'" in err


# --- sheets of others, and bad ones among good ones ---------------------------------------------


ORDER = """\
  - id: sort
    kind: ordering
    objective: all
    difficulty: easy
    prompt: Sort.
    explanation: So.
    items: [one, two, three]
"""


@pytest.mark.parametrize("words", [(), ("--seed", "0")])
@pytest.mark.parametrize(
    ("drawn_for", "score"),
    [("drawn_for: ana", 0), ("drawn_for: ' BEN '", 1), ("drawn_for: ''", 1), ("drawn_for: ' '", 1), ("", 1)],
)
def test_a_sheet_drawn_for_somebody_else_is_for_a_person(
    folder: Path, command: Run, drawn_for: str, score: int, words: tuple[str, ...]
) -> None:
    (folder / "toy.yaml").write_text(BANK + ORDER)
    whose = {"drawn_for: ana": "ana", "drawn_for: ' BEN '": " BEN ", "": "ben"}.get(drawn_for, "")
    right = draw(toy().questions[2], 0, whose).values["n"]
    path = folder / "ben.yaml"
    path.write_text(f"learner: ben\n{drawn_for}\nanswers: {{say: {right}, holds: true, sort: }}\n")
    asked = ("--bank", folder / "toy.yaml", "--questions", "say,holds,sort", *words)
    code, out, err = command("mark", path, "--json", "-", *asked)
    marked = {item["id"]: item for item in json.loads(out)["questions"]}
    assert code == 0
    assert (marked["say"]["points"], marked["say"]["outcome"] == "needs_review") == (score, not score)
    assert marked["holds"]["outcome"] == "correct"  # everybody is asked the same
    assert marked["sort"]["outcome"] == "unanswered"
    told = "the sheet was drawn for 'ana', not for 'ben'"
    assert (told in marked["say"]["message"], told in err) == (not score, not score)


def test_what_is_decided_of_a_borrowed_sheet_holds_for_no_other(folder: Path, command: Run) -> None:
    right = draw(toy().questions[2], 0, "ana").values["n"]
    (folder / "ana.yaml").write_text(f"learner: ana\nanswers: {{say: {right}}}\n")
    for name in ("ben", "carl"):
        (folder / f"{name}.yaml").write_text(f"learner: {name}\ndrawn_for: ana\nanswers: {{say: {right}}}\n")
    asked = ("--bank", folder / "toy.yaml", "--questions", "say")
    sheets = [folder / f"{name}.yaml" for name in ("ana", "ben", "carl")]
    command("review", *sheets, *asked, "--by", "Di", typed="i\nq\n")
    _, out, _ = command("mark", *sheets, *asked, "--json", "-")
    outcomes = [json.loads(line)["questions"][0]["outcome"] for line in out.splitlines()]
    assert outcomes[0] == "correct"
    assert sorted(outcomes[1:]) == ["incorrect", "needs_review"]


BAD = {
    "empty.yaml": b"",
    "utf16.yaml": "answers: {why: heads}".encode("utf-16"),
    "doubled.yaml": b"answers: {why: heads, WHY: feet}",
    "two.yaml": b"answers: {}\n---\nanswers: {}\n",
    "other.yaml": b"quiz: other\nanswers: {}\n",
}


@pytest.mark.parametrize("verb", ["mark", "review"])
def test_bad_sheets_are_named_and_the_others_are_marked(folder: Path, command: Run, verb: str) -> None:
    for name, data in BAD.items():
        (folder / name).write_bytes(data)
    bad = [folder / name for name in (*BAD, "missing.yaml")]
    more = ("--list",) if verb == "review" else ("--json", folder / "r.jsonl")
    code, out, err = command(
        verb, *bad, folder / "ada.yaml", folder / DECISIONS_FILE, "--bank", folder / "toy.yaml", *more
    )
    assert code == 0
    assert "Ada" in out
    lines = err.splitlines()
    assert [line.startswith("grader: left out: ") for line in lines] == [True] * len(bad)
    for path in bad:
        assert sum(path.name in line for line in lines) == 1
    if verb == "mark":  # of several files asked for, a record a line
        assert len((folder / "r.jsonl").read_text().splitlines()) == 1
    code, out, err = command(verb, *bad, "--bank", folder / "toy.yaml", *more)
    assert (code, out) == (2, "")
    assert "(and 5 more that cannot be used)" in err
    assert err.count("\n") == 1


def test_two_sheets_of_one_learner_are_told(folder: Path, command: Run) -> None:
    (folder / "again.yaml").write_text("learner: Ada\nanswers: {why: feet}\n")
    _, out, err = command(
        "mark", folder / "ada.yaml", folder / "again.yaml", folder / "ada.yaml", "--bank", folder / "toy.yaml"
    )
    assert err == "grader: 2 sheets of Ada; each counts\n"
    assert out.count("Ada: ") == 2  # the same file named twice is one sheet


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("mark",), "Missing argument"),
        (("mark", "none.yaml"), "cannot be read"),
        (("mark", "{ada}", "--questions", "nope"), "no question 'nope'"),
        (("mark", "{ada}", "--questions", " , "), "name at least one id"),
        (("mark", "{ada}", "--questions", "why", "--all"), "give one of them"),
        (("mark", "{ada}", "--seed", "-1"), "--seed"),
        (("mark", "{ada}", "--json", "{folder}"), "it is a folder"),
        (("mark", "{ada}", "--decisions", "{ada}"), "no file of decisions"),
        (("mark", "{ada}", "--bank", "nowhere"), "nowhere"),
        (("mark", "{ada}", "--frob"), "No such option"),
        (("frob",), "No such command"),
    ],
)
def test_what_cannot_be_used_ends_with_2_and_one_line(
    folder: Path, command: Run, words: tuple[str, ...], said: str
) -> None:
    filled = [word.format(ada=folder / "ada.yaml", folder=folder) for word in words]
    bank = [] if "--bank" in filled or words == ("frob",) else ["--bank", folder / "toy.yaml"]
    code, out, err = command(*filled, *bank)
    assert code == 2
    assert said in err
    assert err.startswith("grader: ")
    assert err.count("\n") == 1
    assert out == ""


def test_grading_and_help_import_nothing_of_the_quiz() -> None:
    program = (
        "import sys\nimport grader.grading.session\nfrom grader.cli import app\napp(['--help'], standalone_mode=False)\n"
        "print('loaded:', *[name for name in sys.modules if name.startswith('grader.quiz')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "quiz" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_a_thousand_sheets_take_seconds() -> None:
    import time

    from grader.quiz.bank.bank import read_bank

    bank = read_bank(ROOT / "quizzes" / "multi_head_attention.yaml", ROOT)
    answers = {
        "kc-01": "It concatenats the heads, then {} W_O", "kc-02": "no", "kc-03": "(a) 8",
        "kc-04": "different {} subspaces",
        "kc-05": "True, {}", "kc-06": "h x d_k", "kc-07": "torch.nn.MultiheadAttention {}", "kc-08": "T",
        "kc-09": "W^O",
        "kc-10": "positional encodings {}",
    }  # fmt: skip
    marker, start = SheetMarker(bank), time.process_time()
    for number in range(100):
        word = "".join(chr(97 + int(digit)) for digit in f"{number:05}")
        sheet = Sheet("a", "a", {name: text.format(word) for name, text in answers.items()})
        assert marker.mark(sheet).score >= 5
    assert time.process_time() - start < 5  # a tenth of the sheets; 2 of the 20 seconds are usual
