"""How many numbers a learner's own words carry into a record whose inputs are hidden."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from grader.core.own_words import ALLOWED, PLACEHOLDER, SAID, SMALL, own, spared
from grader.core.records import CheckRecord, Record, StepRecord, SubmissionRecord
from grader.core.text import printable
from grader.grading.session import grade
from tests.tools.hostile_tools import BROKEN, SEED, SLUG, texts


def record(*messages: str, prints: str = "", note: str = "") -> Record:
    """A record of a step with these messages."""
    checks = tuple(
        CheckRecord(id=str(n), title="", status="failed", points=0, max_points=1, message=message)
        for n, message in enumerate(messages)
    )
    made = StepRecord(
        id="a", title="", status="failed", score=0, max_score=1, checks=checks, prints=prints, note=note
    )
    told = SubmissionRecord(name="x", sha256="0")
    return Record(
        lesson="x", submission=told, score=0, max_score=1, seed=1, steps=(made,), environment={}, seconds=0
    )


def told(found: Record) -> list[str]:
    return [check.message for check in found.steps[0].checks]


def decimals(text: str) -> int:
    return len(re.findall(r"\d+\.\d+", text))


def test_our_own_numbers_stay_and_marks_never_do() -> None:
    text = f"expected 0.125, got 0.25 ({own('RuntimeError: no 0.5')}). Case: B=2."
    for hidden in (True, False):
        assert told(spared(record(text), hidden)) == [
            "expected 0.125, got 0.25 (RuntimeError: no 0.5). Case: B=2."
        ]


def test_eight_numbers_and_no_more_messages_before_prints() -> None:
    many = " ".join(f"0.{n}" for n in range(100, 120))
    found = spared(record(own("ValueError: 1.5 2.5"), prints=many), hidden=True)
    assert told(found) == ["ValueError: 1.5 2.5"]
    assert decimals(found.steps[0].prints) == ALLOWED - 2
    assert found.steps[0].prints.endswith(f" {PLACEHOLDER} …")
    assert found.warnings == (SAID,)
    assert spared(record(prints=many), hidden=False).steps[0].prints == many


def test_sizes_weigh_a_quarter_and_the_same_words_nothing_the_second_time() -> None:
    shapes = own("RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x5 and 7x8)")
    found = spared(record(*[shapes] * 9, own("next 12.5")), hidden=True)
    assert told(found) == [
        *["RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x5 and 7x8)"] * 9,
        "next 12.5",
    ]
    assert found.warnings == ()
    small = spared(record(own(" ".join(["17"] * 99))), hidden=True)
    assert told(small)[0].split().count("17") == 4 * ALLOWED


@pytest.mark.parametrize(
    "number",
    ["1234", "-0.5", "1e-05", ".25", "1_000", "½", "²", "三", "12345678901234567890"],
)
def test_a_number_is_seen_in_any_dress(number: str) -> None:
    words = " ".join([number] * 60)
    kept = told(spared(record(own(words)), hidden=True))[0].replace(PLACEHOLDER, "")
    assert sum(letter.isnumeric() for letter in kept) <= ALLOWED * sum(
        letter.isnumeric() for letter in number
    )


@pytest.mark.parametrize("number", ["0x1f4a", "٣٫١٤", "12:34:56", "1 2 3 4"])
def test_a_number_in_pieces_is_no_cheaper(number: str) -> None:
    kept = told(spared(record(own(" ".join([number] * 60))), hidden=True))[0].replace(PLACEHOLDER, "")
    assert sum(letter.isnumeric() for letter in kept) <= 2 * SMALL * ALLOWED


def test_placeholders_make_no_message_longer_than_it_may_be() -> None:
    words = own("ValueError: " + "".join(f"{n % 9}a" for n in range(240)))
    assert len(told(spared(record(words), hidden=True))[0]) <= 500


def test_words_that_were_cut_off_count_still() -> None:
    cut = own(" ".join(f"0.{n}" for n in range(100, 120)))[:-1]
    assert decimals(told(spared(record(cut), hidden=True))[0]) == ALLOWED


def test_a_mark_cannot_come_from_a_submission() -> None:
    assert printable(own("x")) == "\\ue000x\\ue001"


TELLS = """
import torch


def tell(*tensors):
    for tensor in tensors:
        print([round(value, 6) for value in tensor.flatten().tolist()])
    raise RuntimeError(" ".join(f"{value:.6f}" for tensor in tensors for value in tensor.flatten().tolist()))
"""
STEPS = {
    "project": "def project(x, w, num_heads):\n    tell(x, w)\n",
    "concat": "def concat(heads):\n    tell(heads)\n",
    "output": "def output(concatenated, w_o):\n    tell(concatenated, w_o)\n",
    "attend": "def attend(q, k, v, mask=None):\n    tell(q, k, v)\n",
}


@pytest.mark.hostile
def test_a_submission_tells_a_handful_of_its_hidden_inputs_and_no_more(tmp_path: Path) -> None:
    for name, text in STEPS.items():
        (tmp_path / f"{name}.py").write_text(TELLS + "\n\n" + text, "utf-8")
    found = grade(tmp_path, SLUG, SEED)
    said = " ".join(texts(found))
    assert PLACEHOLDER in said
    assert found.warnings.count(SAID) == 1
    # The same sentence may stand at several checks.
    assert 0 < len(set(re.findall(r"\d\.\d{6}|\d\.\d+e-\d+", said))) <= ALLOWED
    assert not re.search("[\ue000\ue001]", found.to_json())


@pytest.mark.hostile
def test_a_line_is_quoted_from_what_was_handed_in(tmp_path: Path) -> None:
    """What its process says stands there may hold anything: here, a number of the inputs."""
    shutil.copy(BROKEN / "right" / "cost.py", tmp_path)
    (tmp_path / "concat.py").write_text(
        "import linecache\n\n\ndef concat(heads):\n"
        "    linecache.cache['concat.py'] = (9, None, ['told 4711\\n'] * 9, 'concat.py')\n"
        "    raise RuntimeError('no')  # as it is\n",
        "utf-8",
    )
    said = " ".join(texts(grade(tmp_path, SLUG, SEED)))
    assert "4711" not in said
    assert "(concat.py, line 6: raise RuntimeError('no')  # as it is)" in said
