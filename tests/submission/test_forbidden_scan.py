from __future__ import annotations

import pytest

from grader.lesson.lesson import Lesson, Step
from grader.submission.forbidden_scan import detours
from grader.submission.model import Cell, Module, Submission
from grader.submission.source_index import read_code
from tests.tools.lessons_here import the_lesson


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return the_lesson()


def found(
    lesson: Lesson, text: str, *, forbid: bool = True, form: str = "folder", path: str | None = None
) -> list[str]:
    step = next(step for step in lesson.steps if step.forbid is forbid)
    module = Module("step", path or step.file, (Cell(read_code(text), ""),))
    submission = Submission("a", "0", form, (module,), {}, ())  # type: ignore[arg-type]
    said = detours(lesson, step, submission)
    assert all(line.startswith(f"{step.file}, line ") for line in said)
    return [line.removeprefix(f"{step.file}, ") for line in said]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import torch\ny = torch.ops.aten.add", ["line 2: reaches into torch.ops"]),
        ("import torch\n\ny = torch._C._nn", ["line 3: reaches into torch._C"]),
        ("import importlib", ["line 1: imports importlib"]),
        ("import math, ctypes as c", ["line 1: imports ctypes"]),
        ("import importlib.util", ["line 1: imports importlib.util"]),
        ("from importlib import import_module", ["line 1: imports from importlib"]),
        ("from torch.ops import aten", ["line 1: imports from torch.ops"]),
        ("from torch import _C", ["line 1: imports torch._C"]),
        ("import torch\ny = torch._scaled_dot(q)", ["line 2: reaches into torch._scaled_dot"]),
        (
            "import torch\ny = torch.nn.functional._in_projection",
            ["line 2: reaches into torch.nn.functional._in_projection"],
        ),
        ("from torch import _scaled_dot, softmax", ["line 1: imports torch._scaled_dot"]),
        (
            "import torch\nv = torch.__version__\nw = self._W_q\nx = torch.nn.Linear._get_name",
            ["line 4: reaches into torch.nn.Linear._get_name"],
        ),
        ("exec('x = 1')\ny = eval('x')", ["line 1: calls exec", "line 2: calls eval"]),
        ("f = __import__('torch')", ["line 1: calls __import__"]),
        (
            "y = F.scaled_dot_product_attention(q, k, v)",
            ["line 1: speaks of scaled_dot_product_attention"],
        ),
        (
            "from torch.nn import MultiheadAttention as M, Linear",
            ["line 1: speaks of MultiheadAttention"],
        ),
        ("class MultiheadAttention:\n    pass\n\n\nm = MultiheadAttention()", []),
        ("if __name__ == '__main__':\n    F.scaled_dot_product_attention(q, k, v)", []),
        (
            "if name == '__main__':\n    F.scaled_dot_product_attention(q, k, v)",
            ["line 2: speaks of scaled_dot_product_attention"],
        ),
        ("# F.scaled_dot_product_attention\nx = 'F.scaled_dot_product_attention'", []),
        ("f = vars(F)['scaled' + '_dot']", ["line 1: looks a name up in a table of names"]),
        ("f = F.__dict__['scaled_dot_product_attention']", ["line 1: looks a name up in a table of names"]),
        ("w = globals()['width']", []),
        ("import gc\nimport torch.library", ["line 1: imports gc", "line 2: imports torch.library"]),
        ("f = getattr(F, 'scaled_dot_product_attention')", ["line 1: looks a name up with getattr"]),
        ("f = getattr(F, 'scaled' + '_dot')", ["line 1: looks a name up with getattr"]),
        ("f = getattr(F, f'{a}_dot')", ["line 1: looks a name up with getattr"]),
        ("f = getattr(F, name())", ["line 1: looks a name up with getattr"]),
        ("f = getattr(self, 'W_q')\ng = getattr(self)\nimport torch\ntorch.nn.Linear", []),
        ("from .importlib import x\nfrom . import pickle", []),
        ("def f(:", []),
        ("x = '\\0'\ny = ' torch.ops exec( '", []),
        ("a\0b", []),
    ],
)
def test_detours_are_told_by_line(lesson: Lesson, text: str, said: list[str]) -> None:
    assert found(lesson, text) == said


def test_at_most_five_are_told_in_the_files_order(lesson: Lesson) -> None:
    text = "def f():\n    exec('1')\n" + "eval('1')\n" * 9
    assert found(lesson, text) == ["line 2: calls exec", *(f"line {n}: calls eval" for n in (3, 4, 5, 6))]


def test_only_a_step_that_forbids_is_looked_at_in_its_own_file(lesson: Lesson) -> None:
    assert found(lesson, "exec('1')") == ["line 1: calls exec"]
    assert found(lesson, "exec('1')", forbid=False) == []
    assert found(lesson, "exec('1')", path="helper.py") == []


def everywhere(lesson: Lesson, *cells: str) -> dict[str, list[str]]:
    module = Module(
        "work", "work.ipynb", tuple(Cell(read_code(text), f"cell {n}") for n, text in enumerate(cells, 1))
    )
    submission = Submission("a", "0", "notebook", (module,), {}, ())
    told = {step.id: list(detours(lesson, step, submission)) for step in lesson.steps}
    return {step: said for step, said in told.items() if said}


def test_in_one_file_a_place_is_told_with_the_step_whose_definition_holds_it(lesson: Lesson) -> None:
    first, second, *_ = [step for step in lesson.steps if step.forbid]
    free = next(step for step in lesson.steps if not step.forbid)
    one, two, other = (step.provides[0].name for step in (first, second, free))
    cells = [f"import math\n\ndef {two}():\n    return eval('1')", f"def {other}():\n    eval('2')"]
    assert everywhere(lesson, *cells) == {second.id: ["work.ipynb, cell 1, line 4: calls eval"]}
    assert everywhere(lesson, f"def {one}(): pass", "helper = eval('1')") == {
        first.id: ["work.ipynb, cell 2, line 1: calls eval"]
    }


def test_every_step_of_the_lesson_names_its_file(lesson: Lesson) -> None:
    assert all(isinstance(step, Step) and step.file.endswith(".py") for step in lesson.steps)


SDPA = "from torch.nn.functional import scaled_dot_product_attention as ready"


def test_in_one_file_a_forbidden_name_is_told_where_a_step_that_forbids_it_uses_it(lesson: Lesson) -> None:
    used = everywhere(lesson, SDPA, "def help(q):\n    return ready(q)\n\ndef attend(q):\n    return help(q)")
    assert used == {"project": ["work.ipynb, cell 1, line 1: speaks of scaled_dot_product_attention"]}
    allowed = everywhere(lesson, SDPA, "def to_library(q):\n    return ready(q)", "print(ready(1))")
    assert allowed == {}
