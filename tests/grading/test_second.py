"""A step asked a second time: a neighbour's slip is paid once, named or not, and the solution stays at home."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.core.records import Record
from grader.grading.second import Question
from grader.grading.session import Session
from tests.tools.answers import probe
from tests.tools.corpus import ROOT, SOLUTION

SEED = 5
FILES = ("project", "attend", "concat", "output", "module", "cross", "library", "cost", "heads")
SLIPS = {
    "project": ("return split.transpose(1, 2)", "return split.transpose(1, 2).tanh()"),
    "attend": ("return weights @ v, weights", "return weights @ v * 3, weights"),
    "concat": ("return heads.transpose(1, 2).flatten(-2)", "return heads.transpose(1, 2).flatten(-2).sin()"),
    "output": ("return concatenated @ w_o", "return concatenated @ w_o * 0.9 - 0.1"),
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(None, SEED, ROOT) as made:
        yield made


def folder(place: Path, *slips: str) -> Path:
    """The solution with slips that no catalogue knows."""
    shutil.copytree(SOLUTION, place / "work", ignore=shutil.ignore_patterns("__pycache__"))
    for step in slips:
        path = place / "work" / f"{step}.py"
        was, now = SLIPS[step]
        assert was in path.read_text("utf-8")
        path.write_text(path.read_text("utf-8").replace(was, now), "utf-8")
    return place / "work"


def lone(place: Path, *slips: str) -> str:
    """The same as one text."""
    work = folder(place, *slips)
    ours = tuple(f"from {name} import" for name in FILES)
    lines = [line for name in FILES for line in (work / f"{name}.py").read_text("utf-8").splitlines()]
    kept = [line for line in lines if not line.startswith((*ours, "from __future__"))]
    return "\n".join(["from __future__ import annotations", *kept, ""])


def scores(record: Record) -> Mapping[str, float]:
    return {step.id: step.score / step.max_score for step in record.steps}


def note_of(record: Record, step: str) -> str:
    return next(one.note for one in record.steps if one.id == step)


@pytest.mark.parametrize("slips", [("attend",), ("project",), tuple(SLIPS)], ids="+".join)
def test_a_slip_without_a_name_is_paid_once(session: Session, tmp_path: Path, slips: tuple[str, ...]) -> None:
    record = session.grade(folder(tmp_path, *slips))
    assert {step for step, share in scores(record).items() if share < 1} == set(slips)
    names = " and ".join(slips)
    state, place = ("is", "its place") if len(slips) == 1 else ("are", "their place")
    for step in ("module", "cross"):
        assert note_of(record, step) == (
            f"full points: your {names} {state} not right, so this step was asked once more with the solution's "
            f"{names} in {place}, and is right then"
        )


@pytest.mark.parametrize("kind", ["py", "ipynb"])
def test_so_it_is_in_one_file(session: Session, tmp_path: Path, kind: str) -> None:
    text = lone(tmp_path, "attend")
    path = tmp_path / f"all.{kind}"
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    path.write_text(text if kind == "py" else json.dumps(notebook), "utf-8")
    shares = scores(session.grade(path))
    assert {step for step, share in shares.items() if share < 1} == {"attend"}


def test_a_missing_neighbour_costs_nothing_elsewhere(session: Session, tmp_path: Path) -> None:
    work = folder(tmp_path)
    (work / "attend.py").unlink()
    assert {step for step, share in scores(session.grade(work)).items() if share < 1} == {"attend"}


def test_a_step_that_is_wrong_itself_pays_for_that_alone(session: Session, tmp_path: Path) -> None:
    work = folder(tmp_path, "attend")
    module = work / "module.py"
    cut = module.read_text("utf-8").replace("q = project(x, ", "q = project(x.detach(), ")
    module.write_text(cut, "utf-8")
    record = session.grade(work)
    (step,) = [one for one in record.steps if one.id == "module"]
    lost = {check.id for check in step.checks if check.status == "failed"}
    assert lost == {"gradients"}
    assert step.status == "partial"
    assert step.note.startswith("your attend is not right, so this step was asked once more")


def test_a_step_that_earns_nothing_then_waits_for_its_neighbour(session: Session, tmp_path: Path) -> None:
    work = folder(tmp_path, "attend")
    module = work / "module.py"
    module.write_text(
        module.read_text("utf-8").replace("attend(q, k, v)", "attend(q * 1.7, k.cos(), v)"), "utf-8"
    )
    record = session.grade(work)
    (step,) = [one for one in record.steps if one.id == "module"]
    assert (step.status, step.score) == ("not_reached", 0)
    assert "attend.py" in step.note
    assert scores(record)["cross"] == 1


def test_the_solution_never_enters_the_submissions_process(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is sent to the submission's worker has a line of the solution in it."""
    sent: list[str] = []
    run = session.worker.run

    def noting(request: Any, *rest: Any) -> Any:
        sent.append(repr(request))
        return run(request, *rest)

    monkeypatch.setattr(session.worker, "run", noting)
    work = tmp_path / "work"
    work.mkdir()
    (work / "attend.py").write_text("def attend(q, k, v, mask=None):\n    return q * 3, k\n", "utf-8")
    calls = "from attend import attend\nfrom torch import nn\n\n\n" + CLASS
    (work / "module.py").write_text(calls, "utf-8")
    assert scores(session.grade(work))["module"] == 1
    solution = (SOLUTION / "attend.py").read_text("utf-8").splitlines()
    telling = [line.strip() for line in solution if len(line.strip()) > 30]
    assert len(sent) > 3
    assert len(telling) > 5
    assert not [line for line in telling if any(line in text for text in sent)]


CLASS = """class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        assert d_model % num_heads == 0
        self.h = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = self.W_qkv(x).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
        heads, _ = attend(q, k, v=v)
        return self.W_o(heads.transpose(1, 2).flatten(2))
"""


def test_where_the_solution_is_not_here_a_step_waits_for_its_neighbour(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with sealed answers, which are all that a learner's bundle has."""
    monkeypatch.setattr(session, "_solution", None)
    record = session.grade(folder(tmp_path, "attend"))
    assert [step.status for step in record.steps if step.id in ("module", "cross")] == ["not_reached"] * 2


def test_a_session_with_sealed_answers_has_no_solution() -> None:
    with Session(None, None, ROOT, sealed=ROOT / "sealed.bin") as made:
        assert made._solution is None


def test_a_question_to_the_solution_is_written_as_every_other_letter() -> None:
    question = Question("k", "attend", "attend", {}, (), (), {}, (), backward=False)
    assert set(question.letter()) == set(probe("attend/x").letter())
