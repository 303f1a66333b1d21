from __future__ import annotations

import pytest

from grader.core.own_words import unmarked
from grader.grading.triage import borne_out, halts
from grader.lesson.answers import Line, Loading, Raised, Transcript
from grader.lesson.lesson import Provided, Step
from grader.lesson.reference import Mistake
from grader.submission.model import Cell, Module, Submission
from grader.submission.source_index import read_code


def cut_off(line: int, seconds: str, label: str = "cell 2") -> tuple[str, Raised]:
    place = Line(f"hw.ipynb, {label}", line, "<module>", "fit()")
    return label, Raised(
        ("TimedOut", "BaseException"), f"it took longer than {seconds} s and was cut off", (place,)
    )


def test_a_place_that_stopped_in_several_processes_is_told_once() -> None:
    first = Loading(passed_over=(cut_off(3, "1.2"), ("cell 4", Raised(("ValueError",), "", ()))))
    second = Loading(passed_over=(cut_off(3, "1.3"), cut_off(5, "0.6"), cut_off(3, "0.3", "cell 3")))
    told = halts(Transcript({"project": first, "attend": second}, {}))
    assert tuple(map(unmarked, told)) == (
        "cell 2 stopped at line 3, `fit()`: it took longer than 1.2 s and was cut off",
        "cell 4 stopped: ValueError",
        "cell 2 stopped at line 5, `fit()`: it took longer than 0.6 s and was cut off",
        "cell 3 stopped at line 3, `fit()`: it took longer than 0.3 s and was cut off",
    )


def test_where_nothing_stopped_nothing_is_told() -> None:
    assert halts(Transcript({"project": Loading(found=("project",))}, {})) == ()


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("class A:\n    def forward(self, x):\n        self.w = nn.Linear(8, 8)\n        return self.w(x)\n", True),
        ("def forward(x):\n    return Parameter(x)\n", True),
        ("def make(x):\n    return nn.Linear(8, 8)\n\n\ndef forward(x):\n    return x\n", False),
        ("# forward calls nn.Linear(8, 8)\n", False),
        ("def forward(x):\n    return (\n", False),
    ],
)  # fmt: skip
def test_what_a_mistakes_words_say_of_the_source_is_looked_up_there(text: str, there: bool) -> None:
    plain = Mistake(id="other", home="add", title="Other", message="Other.", hint=())
    said = plain.model_copy(update={"calls": {"forward": ("Linear", "Parameter")}})
    step = Step(
        id="add", title="Add", file="add.py", points=1, provides=(Provided(name="add"),), hint="Look."
    )
    elsewhere = Module("other", "other.py", (Cell(read_code("def forward(x):\n    Linear(x)\n"), ""),))
    modules = (elsewhere, Module("add", "add.py", (Cell(read_code(text), ""),)))
    handed = Submission("mine", "0", "folder", modules, {}, ())
    assert borne_out([said], step, handed) == ((said,) if there else ())
    assert borne_out([plain], step, handed) == (plain,)
