from __future__ import annotations

import dataclasses
import inspect
import linecache
import pickle  # noqa: TID251 - what a learner's code may do
import signal
import sys
import textwrap
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import pytest

from grader.worker.child import load
from grader.worker.describe import raised
from grader.worker.guest import Guest, accepts
from grader.worker.ready import import_libraries, make_room, ours

WANTED = ("project", "attend", "concat", "MultiHeadAttention", "self_attention")
Make = Callable[..., Guest]


def file(name: str, text: str, package: bool = False) -> dict[str, object]:
    path = name.replace(".", "/") + ("/__init__.py" if package else ".py")
    return {
        "name": name,
        "path": path,
        "package": package,
        "cells": [{"text": textwrap.dedent(text), "label": ""}],
    }


def notebook(*cells: str) -> dict[str, object]:
    found = [{"text": textwrap.dedent(text), "label": f"cell {n}"} for n, text in enumerate(cells, 1)]
    return {
        "name": "notebook",
        "path": "notebook.ipynb",
        "package": False,
        "notebook": True,
        "cells": found,
    }


@pytest.fixture
def make() -> Iterator[Make]:
    """Makes and installs guests; afterwards the interpreter is as it was."""
    modules, finders, lines = dict(sys.modules), list(sys.meta_path), dict(linecache.cache)

    def guest(*files: Mapping[str, Any], before: Guest | None = None, seconds: float | None = None) -> Guest:
        made = Guest(files, WANTED, before, seconds)
        made.install()
        return made

    yield guest
    sys.modules.clear()
    sys.modules.update(modules)
    sys.meta_path[:] = finders
    linecache.cache.clear()
    linecache.cache.update(lines)


def run_notebook(make: Make, *cells: str, seconds: float | None = None) -> tuple[Guest, ModuleType]:
    guest = make(notebook(*cells), seconds=seconds)
    return guest, guest.load("notebook")


def meant(make: Make, text: str, key: str = "project", **how: Any) -> Any:
    guest = make(file("lone", text))
    return guest.find(guest.load("lone"), "lone", key, how.get("method"), how.get("takes"))


# --- which definition counts --------------------------------------------------------------------


LAST: Mapping[str, str] = {
    "twice": "def project(): return 1\ndef project(): return 2",
    "then a tensor": "def project(): return 2\nproject = 7",
    "then a name that is deleted": "def project(): return 2\ndel project",
    "then an annotation": "def project(): return 2\nproject: int = 7",
    "then a loop variable": "def project(): return 2\nfor project in (1, 2): pass",
    "then None in a branch": "def project(): return 2\nif True: project = None",
    "a lambda, then a tensor": "project = lambda: 2\nproject = project()",
    "a partial, then a tensor": "import functools\nproject = functools.partial(int, 2)\nproject = project()",
    "wrapped afterwards": "def project(): return 1\nold = project\nproject = lambda: old() + 1",
    "decorated": "def twice(f): return lambda: 2 * f()\n@twice\ndef project(): return 1",
    "decorated, then 0": "def two(f): return lambda: 2 * f()\n@two\ndef project(): return 1\nproject=0",
    "in if": "if True:\n    def project(): return 2\nelse:\n    def project(): return 1",
    "in try": "try:\n    import nosuchthing\nexcept ImportError:\n    def project(): return 2",
    "in with": "import contextlib\nwith contextlib.nullcontext():\n    def project(): return 2\nproject = 1",
    "in a loop": "for n in (1, 2):\n    def project(n=n): return n\nproject = 0",
    "in match": "match 1:\n    case 1:\n        def project(): return 2\nproject = 0",
    "an inner one is another's": "def project(): return 2\ndef other():\n    def project(): return 1",
    "a method is another's": "def project(): return 2\nclass A:\n    def project(self): return 1",
    "a class is callable": "class project(int):\n    def __new__(cls): return 2",
    "then a module": "def project(): return 2\nfrom torch import nn\nproject = nn.Linear(2, 2)",
    "then a partial": "import functools\ndef project(): return 2\nproject = functools.partial(int, 1)",
    "then an import": "def project(): return 2\nfrom torch import concat as project",
    "overloads": "from typing import overload\n@overload\ndef project() -> int: ...\ndef project(): return 2",
}


@pytest.mark.parametrize("case", LAST)
def test_the_last_definition_of_a_name_counts(make: Make, case: str) -> None:
    assert meant(make, LAST[case])() == 2


@pytest.mark.parametrize("text", ["", "project = 7", "import math\nproject = math.pi", "def projekt(): pass"])
def test_without_a_callable_of_the_name_there_is_nothing(make: Make, text: str) -> None:
    assert meant(make, text) is None


def test_a_name_that_comes_by_import_counts(make: Make) -> None:
    guest = make(file("lone", "from helpers import *"), file("helpers", "def project(): return 2"))
    assert guest.find(guest.load("lone"), "lone", "project", None, None)() == 2


# --- two classes of one name --------------------------------------------------------------------


def forms(*signatures: str) -> str:
    return "\n".join(
        f"class MultiHeadAttention:\n    number = {n}\n    def forward({signature}): pass"
        for n, signature in enumerate(signatures)
    )


X, CROSS = "self, x", "self, query, key, value, mask=None"
PAIRS: Mapping[str, tuple[Sequence[str], int | None, int | None]] = {
    "module's, then cross's": ([X, CROSS], 0, 1),
    "cross's, then module's": ([CROSS, X], 1, 0),
    "of each the last": ([X, CROSS, X, CROSS], 2, 3),
    "module's alone": ([X], 0, None),
    "cross's alone": ([CROSS], None, 0),
    "one serves both": (["self, x, key=None, value=None, mask=None"], 0, 0),
    "star args serve both": (["self, *args"], 0, 0),
    "x and star args serve both": (["self, x, *rest, **more"], 0, 0),
    "a mask is no key": (["self, x, mask=None, flag=False"], 0, None),
    "nor an attention mask": ([CROSS, "self, x, attn_mask=None, flag=None, more=None"], 1, 0),
    "nor are flags": ([CROSS, "self, x, causal=False, scale=1.0, dropout=0.0"], 1, 0),
    "nor is a cache": ([CROSS, "self, x, cache=None, positions=None"], 1, 0),
    "keyword-only options": (["self, x, *, mask=None", "self, q, k, v, *, mask=None"], 0, 1),
    "mask required": ([X, "self, q, k, v, mask"], 0, 1),
    "no mask at all": ([X, "self, q, k, v"], 0, 1),
    "key and value may be left out": (["self, query, key=None, value=None"], 0, 0),
    "positional-only": (["self, x, /", "self, q, k, v, /, mask=None"], 0, 1),
    "two inputs are nobody's": (["self, x, memory"], None, None),
    "x and a second input are nobody's": (["self, x, mask"], None, None),
    "nothing is nobody's": (["self"], None, None),
}  # fmt: skip


@pytest.mark.parametrize("case", PAIRS)
def test_classes_of_one_name_are_told_apart_by_what_forward_takes(make: Make, case: str) -> None:
    signatures, module, cross = PAIRS[case]
    guest = make(file("lone", forms(*signatures)))
    loaded = guest.load("lone")
    found = [guest.find(loaded, "lone", "MultiHeadAttention", "forward", takes) for takes in (1, 3)]
    assert [None if kind is None else kind.number for kind in found] == [module, cross]


def test_a_decorated_forward_is_known_by_what_it_wraps(make: Make) -> None:
    text = """
        import torch
        class MultiHeadAttention:
            @torch.no_grad()
            def forward(self, query, key, value, mask=None): pass
        """
    assert meant(make, text, "MultiHeadAttention", method="forward", takes=3) is not None
    guest = make(file("other", textwrap.dedent(text)))
    assert guest.find(guest.load("other"), "other", "MultiHeadAttention", "forward", 1) is None


def test_a_class_without_a_forward_is_neither_form(make: Make) -> None:
    text = """
        from torch import nn
        class MultiHeadAttention(nn.Module):
            def forward(self, x): return x
        class MultiHeadAttention(nn.Module):
            pass
        """
    guest = make(file("lone", text))
    module = guest.load("lone")
    assert "forward" in vars(guest.find(module, "lone", "MultiHeadAttention", "forward", 1))
    assert guest.find(module, "lone", "MultiHeadAttention", "forward", 3) is None


def test_an_inherited_forward_counts(make: Make) -> None:
    text = "class Base:\n    def forward(self, x): pass\nclass MultiHeadAttention(Base): pass"
    assert meant(make, text, "MultiHeadAttention", method="forward", takes=1).__name__ == "MultiHeadAttention"


@pytest.mark.parametrize("thing", [None, 7, "text", print, type])
def test_what_has_no_signature_takes_nothing(thing: object) -> None:
    assert not accepts(thing, 3) or thing is print


# --- what the child asks for --------------------------------------------------------------------


def asked(
    guest: Guest, module: str, *provides: Mapping[str, object]
) -> tuple[dict[str, Any], dict[str, Any]]:
    plain = [{"method": None, "takes": None, "rivals": [], **item} for item in provides]
    return load(guest, {"module": module, "provides": plain}, ())  # type: ignore[return-value]


CLASS = {"name": "MultiHeadAttention", "method": "forward"}


def test_loading_tells_what_was_found_and_what_else_was_seen(make: Make) -> None:
    guest = make(
        file("project", "import math\ndef project(): pass\ndef helper(): pass\n_hidden = len\nx = 3")
    )
    names, report = asked(guest, "project", {"name": "project"}, {"name": "attend"})
    assert list(names) == report["found"] == ["project"]
    assert report["seen"] == ["helper", "project"]
    assert report["error"] is None
    assert report["passed_over"] == []


def test_loading_tells_why_a_file_cannot_be_imported(make: Make) -> None:
    guest = make(file("project", "import nosuchthing\ndef project(): pass"))
    names, report = asked(guest, "project", {"name": "project"})
    assert names == {}
    assert report["error"]["types"][0] == "ModuleNotFoundError"
    assert report["error"]["lines"] == [["project.py", 1, "<module>", "import nosuchthing"]]


@pytest.mark.parametrize(
    "error", ["SystemExit(0)", "KeyboardInterrupt()", "BaseException('no')", "GeneratorExit()"]
)
def test_whatever_a_file_raises_is_told(make: Make, error: str) -> None:
    _, report = asked(make(file("project", f"raise {error}")), "project", {"name": "project"})
    assert report["error"]["types"][0] == error.partition("(")[0]


def test_in_one_file_a_class_of_another_form_is_left_to_its_own_step(make: Make) -> None:
    guest = make(file("lone", forms(X)))
    assert asked(guest, "lone", {**CLASS, "takes": 3, "rivals": [1]})[1]["found"] == []
    assert asked(guest, "lone", {**CLASS, "takes": 1, "rivals": [3]})[1]["found"] == ["MultiHeadAttention"]


def test_in_a_file_of_its_own_a_class_counts_whatever_it_takes(make: Make) -> None:
    guest = make(file("cross", forms("self, x, memory")))
    assert asked(guest, "cross", {**CLASS, "takes": 3})[1]["found"] == ["MultiHeadAttention"]


def test_an_object_that_will_not_be_asked_spoils_no_loading(make: Make) -> None:
    text = """
        class Trap:
            def __call__(self): pass
            def __getattribute__(self, name): raise RuntimeError(name)
        trap = Trap()
        def project(): pass
        """
    _, report = asked(make(file("project", text)), "project", {"name": "project"})
    assert report["error"] is None
    assert report["seen"] == ["Trap", "project"]


def test_known_mistakes_are_put_in_before_their_dependents_are_imported(make: Make) -> None:
    overlay = "def overlay(ids): return {'project': {'project': lambda: ids[0]}}"
    files = [
        file("project", "def project(): return 'right'"),
        file("attend", "from project import project as p\ndef attend(): return p()"),
        file("mistakes", overlay),
    ]
    provides = [{"name": "attend", "method": None, "takes": None, "rivals": []}]
    request = {"module": "attend", "provides": provides}
    guest = make(*files)
    assert load(guest, request, ())[0]["attend"]() == "right"
    second = make(*files, before=guest)
    assert load(second, request, ("wrong",))[0]["attend"]() == "wrong"
    third = make(*files, before=second)
    assert load(third, request, ())[0]["attend"]() == "right"


# --- notebooks ----------------------------------------------------------------------------------


def test_what_raises_is_passed_over_and_the_rest_of_its_cell_is_run(make: Make) -> None:
    guest, module = run_notebook(
        make,
        "def project(): return 1",
        "1 / 0\ny = 1; boom; z = 2",
        "raise SystemExit(3)\nimport math",
        "def project(:",
        "raise KeyboardInterrupt",
        "@boom\ndef project(): return 4\ndef project(): return 2",
        "x = project()",
    )
    assert (module.x, module.y, module.z, module.math.pi > 3) == (2, 1, 2, True)
    assert [(f.label, type(f.error).__name__) for f in guest.failures] == [
        ("cell 2", "ZeroDivisionError"),
        ("cell 2", "NameError"),
        ("cell 3", "SystemExit"),
        ("cell 4", "SyntaxError"),
        ("cell 5", "KeyboardInterrupt"),
        ("cell 6", "NameError"),
    ]


def test_of_many_failures_the_first_are_told(make: Make) -> None:
    guest, module = run_notebook(make, "\n".join(["boom"] * 1_000 + ["x = 1"]))
    assert module.x == 1
    assert len(guest.failures) == 8


def test_what_takes_too_long_is_cut_off_and_the_rest_is_run(make: Make) -> None:
    began = time.monotonic()
    guest, module = run_notebook(
        make,
        "import time\nfor step in range(1_000):\n    try:\n        time.sleep(0.01)\n"
        "    except Exception:\n        pass\nx = 1",
        "while True:\n    try:\n        time.sleep(60)\n    except BaseException as error:\n"
        "        y = error\n        if step == 0: break\n        step = 0",
        "def project(): return 2",
        seconds=2.0,
    )
    assert time.monotonic() - began < 2.0
    assert (module.x, module.project()) == (1, 2)
    [(label, error)] = guest.failures
    assert label == "cell 1"
    assert str(error) == "it took longer than 0.5 s and was cut off"
    assert type(module.y).__name__ == "TimedOut"
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_import_is_never_cut_off(make: Make) -> None:
    slow = file("slow", "import time\ntime.sleep(0.3)\nx = 1")
    guest = make(notebook("from slow import x\nimport math"), slow, seconds=0.2)
    assert guest.load("notebook").x == 1
    assert guest.failures == []


def test_what_ends_in_time_is_never_cut_off(make: Make) -> None:
    guest, _ = run_notebook(make, "import time\ntime.sleep(0.05)", seconds=1.0)
    time.sleep(0.3)
    assert guest.failures == []


def test_a_cell_that_raises_is_told_by_its_label(make: Make) -> None:
    guest = make(notebook("x = 1", "x = 1\nx.nosuch"))
    _, report = asked(guest, "notebook", {"name": "project"})
    [[label, error]] = report["passed_over"]
    assert label == "cell 2"
    assert error["lines"] == [["notebook.ipynb, cell 2", 2, "<module>", "x.nosuch"]]


def test_a_later_tensor_of_the_same_name_hides_nothing(make: Make) -> None:
    guest, module = run_notebook(make, "def concat(): return 2", "concat = concat()", "assert concat == 2")
    assert guest.failures == []
    assert guest.find(module, "notebook", "concat", None, None)() == 2


@pytest.mark.parametrize(
    "later",
    [
        "concat = concat()",
        "del concat",
        "for concat in 'ab': pass",
        "concat: int = 3",
        "from torch import nn\nconcat = nn.Linear(2, 2)",
    ],
)
def test_other_cells_go_on_calling_what_was_hidden(make: Make, later: str) -> None:
    _, module = run_notebook(make, "def concat(): return 2", "def attend(): return concat()", later)
    assert module.attend() == 2


def test_a_guarded_cell_of_a_notebook_does_not_run(make: Make) -> None:
    guest, module = run_notebook(make, "if __name__ == '__main__':\n    1 / 0\ndone = True")
    assert (module.__name__, module.done) == ("submission.notebook", True)
    assert guest.failures == []


def test_a_notebooks_classes_can_be_pickled_and_made_dataclasses(make: Make) -> None:
    guest, module = run_notebook(
        make,
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 1",
        "import pickle\nagain = pickle.loads(pickle.dumps(P(3)))",
    )
    assert guest.failures == []
    assert module.again.x == 3


def test_a_future_statement_holds_for_later_cells_of_a_notebook(make: Make) -> None:
    guest, _ = run_notebook(make, "from __future__ import annotations", "def project(x: Nosuch): return x")
    assert guest.failures == []


def test_without_a_future_statement_annotations_are_evaluated(make: Make) -> None:
    guest, _ = run_notebook(make, "def project(x: Nosuch): return x")
    assert [type(f.error) for f in guest.failures] == [NameError]


# --- files --------------------------------------------------------------------------------------


IMPORTED = "import importlib\nproject = importlib.import_module('project').project"


@pytest.mark.parametrize(
    "text",
    ["from project import project", "from .project import project", "from submission.project import project",
     "import project as p\nproject = p.project", "from . import project as p\nproject = p.project",
     "from project import *", "from .project import *", IMPORTED],
)  # fmt: skip
def test_a_neighbour_is_one_module_however_it_is_imported(make: Make, text: str) -> None:
    guest = make(file("project", "def project(): return 2\nmade = object()"), file("attend", text))
    module = guest.load("attend")
    assert module.project is guest.load("project").project
    assert sys.modules["submission.project"].__name__ == "submission.project"
    assert sys.modules.get("project", guest.load("project")) is guest.load("project")


def test_an_alias_leaves_the_modules_own_spec(make: Make) -> None:
    guest = make(file("project", "def project(): return 2"), file("attend", "import project"))
    guest.load("attend")
    found = guest.load("project")
    assert found.__spec__ is not None
    assert found.__spec__.name == "submission.project"
    assert found.__package__ == "submission"


def test_helper_packages_are_imported_either_way(make: Make) -> None:
    attend = (
        "import helpers.shapes as a",
        "from .helpers.shapes import split",
        "from helpers import split as s",
        "from bare.inner import n",
        "import bare.inner",
        "from .bare import inner",
    )
    guest = make(
        file("helpers", "from .shapes import split", package=True),
        file("helpers.shapes", "from ..project import a\nfrom . import more\ndef split(): return a + more.n"),
        file("helpers.more", "n = 2"),
        file("bare.inner", "n = 3"),
        file("project", "a = 1"),
        file("attend", "\n".join(attend)),
    )
    module = guest.load("attend")
    assert module.split() == 3
    assert module.s is module.split is module.a.split
    assert module.n == module.inner.n == module.bare.inner.n == 3
    assert module.inner is module.bare.inner


def test_files_that_import_each_other_load_as_python_would(make: Make) -> None:
    a = "import attend\ndef project(): return attend.two() + 1"
    b = "import project\ndef two(): return 2\ndef attend(): return project.project()"
    guest = make(file("project", a), file("attend", b))
    assert guest.load("project").project() == 3
    assert guest.load("attend").attend() == 3
    stuck = make(file("concat", "from output import y\nx = 1"), file("output", "from concat import x\ny = 1"))
    with pytest.raises(ImportError, match="circular"):
        stuck.load("concat")


def test_a_neighbour_that_cannot_be_imported_says_so_each_time(make: Make) -> None:
    guest = make(
        file("project", "1 / 0"), file("attend", "import project"), file("concat", "from .project import x")
    )
    for name in ("attend", "concat", "attend", "project"):
        with pytest.raises(ZeroDivisionError):
            guest.load(name)
    assert "project" not in sys.modules
    assert "submission.project" not in sys.modules


def test_a_neighbour_that_is_not_there_is_python_s_own_error(make: Make) -> None:
    guest = make(
        file("attend", "from project import project"), file("concat", "from .project import project")
    )
    with pytest.raises(ModuleNotFoundError, match="No module named 'project'"):
        guest.load("attend")
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'submission\.project'"):
        guest.load("concat")


def test_a_file_is_not_main(make: Make) -> None:
    module = make(file("project", "name = __name__\nif __name__ == '__main__':\n    1 / 0")).load("project")
    assert module.name == "submission.project"


def test_a_file_runs_once_however_often_it_is_imported(make: Make) -> None:
    guest = make(
        file("count", "n = 0"),
        file("project", "import count\ncount.n += 1"),
        file("attend", "import project\nfrom .project import count\nimport project"),
    )
    guest.load("project")
    guest.load("attend")
    assert guest.load("count").n == 1


def test_what_is_already_imported_is_not_replaced_by_a_file_of_its_name(make: Make) -> None:
    guest = make(file("json", "mine = True"), file("project", "import json\nfrom .json import mine"))
    module = guest.load("project")
    assert module.mine is True
    assert hasattr(module.json, "dumps")


def test_learners_code_can_be_looked_at(make: Make) -> None:
    head = "from dataclasses import dataclass\n\n\n@dataclass\nclass P:\n    x: int = 1\n\n\n"
    text = f"{head}def project():\n    return P()\n"
    module = make(file("project", text)).load("project")
    assert inspect.getsource(module.project) == "def project():\n    return P()\n"
    assert inspect.getsource(module.P).startswith("@dataclass\nclass P:")
    assert dataclasses.asdict(module.project()) == {"x": 1}
    assert pickle.loads(pickle.dumps(module.P(4))).x == 4  # noqa: S301
    assert inspect.getmodule(module.project) is module


def test_a_traceback_shows_the_learners_lines(make: Make) -> None:
    text = "def project(x):\n    inner(x)\n\n\ndef inner(x):\n    return x.nosuch\n"
    guest = make(file("project", text))
    module = guest.load("project")
    with pytest.raises(AttributeError) as caught:
        module.project(1)
    assert raised(caught.value, guest.paths)["lines"] == [
        ["project.py", 2, "project", "inner(x)"],
        ["project.py", 6, "inner", "return x.nosuch"],
    ]
    assert "return x.nosuch" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [("x = (\n", 1, "x = ("), ("a = 1\ndef f(:\n", 2, "def f(:"), ("if 1:\nx = 2\n", 2, "x = 2")],
)
def test_a_syntax_error_names_its_line(make: Make, text: str, line: int, shown: str) -> None:
    guest = make(file("project", text))
    with pytest.raises(SyntaxError) as caught:
        guest.load("project")
    assert raised(caught.value, guest.paths)["lines"][-1] == ["project.py", line, "<module>", shown]  # type: ignore[index]


def test_a_nul_byte_is_an_error_like_any_other(make: Make) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        make(file("project", "x = 1\0")).load("project")


def test_files_keep_their_own_future_statements(make: Make) -> None:
    guest = make(
        file("project", '"""Text."""\nfrom __future__ import annotations\ndef project(x: Nosuch): return 2'),
        file("attend", "import project\ndef attend(x: Nosuch): return 2"),
    )
    assert guest.load("project").project(1) == 2
    with pytest.raises(NameError, match="Nosuch"):
        guest.load("attend")


def test_doc_strings_and_line_numbers_stay(make: Make) -> None:
    module = make(file("project", '"""Doc."""\n\n\ndef project():\n    """Own."""\n\n\nx = 1\n')).load(
        "project"
    )
    assert module.__doc__ == "Doc."
    assert module.project.__doc__ == "Own."
    assert module.project.__code__.co_firstlineno == 4
    assert "__defined__" not in vars(module)


def test_async_functions_and_unusual_files_load(make: Make) -> None:
    text = (
        "async def attend(): pass\nproject: object = lambda: 2\nconcat, two = (lambda: 3), 4\nattend.x = 5\n"
    )
    module = make(file("lone", text)).load("lone")
    assert (module.attend.x, module.project(), module.concat()) == (5, 2, 3)


# --- our own modules, kept between children -----------------------------------------------------


SUM = file("add", "def add(x):\n    return x + 1\n")
WRONG_SUMS = file("mistakes", "def overlay(ids):\n    return {'add': {'add': lambda x: x + 2}}\n")


def of_ours(*files: Mapping[str, Any], trusted: bool = True, mistakes: Sequence[str] = ("off",)) -> Any:
    shared = {"modules": files, "wanted": [], "trusted": trusted}
    return shared, [{"mistakes": bool(mistakes)}]


@pytest.mark.usefixtures("make")
def test_our_own_modules_are_kept_while_they_stay_the_same() -> None:
    first = ours(*of_ours(SUM, WRONG_SUMS), None)
    assert first is not None
    assert "submission.mistakes" in sys.modules
    assert ours(*of_ours(SUM, WRONG_SUMS, mistakes=()), first) is first
    other = ours(*of_ours(file("add", "add = abs\n"), WRONG_SUMS), first)
    assert other is not None
    assert other is not first
    assert [finder for finder in sys.meta_path if finder in (first.finder, other.finder)] == [other.finder]
    assert ours(*of_ours(SUM, trusted=False), other) is None
    assert "submission.mistakes" not in sys.modules
    assert other.finder not in sys.meta_path


@pytest.mark.usefixtures("make")
def test_nothing_is_kept_of_a_learner_nor_before_a_variant_is_asked_for() -> None:
    assert ours(*of_ours(SUM, WRONG_SUMS, trusted=False), None) is None
    assert ours(*of_ours(SUM, WRONG_SUMS, mistakes=()), None) is None


@pytest.mark.usefixtures("make")
def test_a_catalogue_that_cannot_be_imported_is_left_to_the_children_to_tell() -> None:
    finders = list(sys.meta_path)
    assert ours(*of_ours(SUM, file("mistakes", "1 / 0\n")), None) is None
    assert sys.meta_path == finders
    assert "submission.mistakes" not in sys.modules


def test_a_guest_after_a_kept_one_has_its_catalogue_and_its_own_modules(make: Make) -> None:
    kept = ours(*of_ours(SUM, WRONG_SUMS), None)
    assert kept is not None
    catalogue = sys.modules["submission.mistakes"]
    guest = make(SUM, WRONG_SUMS, before=kept)
    assert load(guest, REQUEST_OF_SUM, ("off",))[0]["add"](1) == 3
    assert guest.load_kept("mistakes") is catalogue
    again = make(SUM, WRONG_SUMS, before=guest)
    assert load(again, REQUEST_OF_SUM, ())[0]["add"](1) == 2


REQUEST_OF_SUM = {
    "module": "add",
    "provides": [{"name": "add", "method": None, "takes": None, "rivals": []}],
}


# --- libraries, imported once -------------------------------------------------------------------


def test_a_library_is_imported_once_and_a_missing_one_is_left_to_the_guest() -> None:
    sys.modules.pop("colorsys", None)
    import_libraries(["nosuch_library", "colorsys"])
    assert "colorsys" in sys.modules
    assert "nosuch_library" not in sys.modules


def test_a_module_of_the_guest_s_own_is_not_hidden_by_a_library_of_its_name(make: Make) -> None:
    import_libraries(["colorsys"])
    own = file("colorsys", "def attend():\n    return 'mine'\n")
    user = file("attend", "from colorsys import attend\n")
    shared = {"modules": [own, user], "shareable": ["colorsys"]}
    make_room(shared)
    assert make(own, user).load("attend").attend() == "mine"


def test_no_room_is_made_where_the_guest_has_no_such_module() -> None:
    import_libraries(["colorsys"])
    make_room({"modules": [file("attend", "")], "shareable": ["colorsys"]})
    make_room({"modules": [file("colorsys", "")]})
    assert "colorsys" in sys.modules
