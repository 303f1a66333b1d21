from __future__ import annotations

import json
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from grader.core.errors import InputError
from grader.submission import notebook as notebook_module
from grader.submission.lean_notebook import without_outputs
from grader.submission.notebook import Notebook, NotebookError, code_cells, read_notebook
from grader.submission.python_fault import sentence
from grader.submission.reader import Submission, read_submission
from tests.tools.tiny_lesson import LESSON

NOTHING = "nothing of the lesson in it: looked for project, attend, MultiHeadAttention, self_attention"
NAMES = ("project", "attend", "MultiHeadAttention")


def code(source: object, **more: object) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": source,
        **more,
    }


def packed(*cells: object, **more: object) -> bytes:
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}
    ).encode()


def read(*sources: object) -> Notebook:
    return read_notebook(packed(*(code(source) for source in sources)), NAMES)


def python(source: str) -> str:
    """What becomes of one cell that is expected to survive."""
    notebook = read(source)
    assert notebook.warnings == ()
    assert [cell.label for cell in notebook.cells] == ["cell 1"]
    return notebook.cells[0].text


def submitted(folder: Path, data: bytes) -> Submission:
    path = folder / "my heads.ipynb"
    path.write_bytes(data)
    return read_submission(path, LESSON)


def test_only_code_cells_are_read_in_order_and_counted() -> None:
    text = {"cell_type": "markdown", "metadata": {}, "source": "def attend(): pass"}
    raw = {"cell_type": "raw", "metadata": {}, "source": "def attend(): pass"}
    notebook = read_notebook(packed(text, code("a = 1"), raw, code(""), code("b = 2")), NAMES)
    assert [(cell.label, cell.text) for cell in notebook.cells] == [("cell 1", "a = 1"), ("cell 3", "b = 2")]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (["a = 1\n", "b = 2"], "a = 1\nb = 2"),
        ("a = 1\r\nb = 2", "a = 1\nb = 2"),
        (["a = 1\n", 7, None, "b"], "a = 1\nb"),
    ],
)
def test_source_may_be_text_or_a_list_of_lines(source: object, text: str) -> None:
    assert read(source).cells[0].text == text


@pytest.mark.parametrize(
    "cell", [{"cell_type": "code"}, code(None), code({"x": 1}), code(3), "cell", None, {}, []]
)
def test_a_cell_without_source_is_nothing(cell: object) -> None:
    notebook = read_notebook(packed(cell, code("a = 1")), NAMES)
    assert [one.text for one in notebook.cells] == ["a = 1"]
    assert notebook.warnings == ()


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_every_format_version_is_read(version: int) -> None:
    old = {"cell_type": "code", "language": "python", "collapsed": False, "outputs": []}
    if version == 1:
        data: dict[str, Any] = {"nbformat": 1, "cells": [{"cell_type": "code", "code": "a = 1"}]}
    elif version < 4:
        data = {"nbformat": version, "worksheets": [{"cells": [old | {"input": "a = 1"}]}]}
    else:
        data = {"nbformat": version, "cells": [code("a = 1")]}
    assert [cell.text for cell in read_notebook(json.dumps(data).encode(), NAMES).cells] == ["a = 1"]


def test_outputs_and_metadata_are_never_looked_at() -> None:
    odd = code(
        "a = 1", outputs=[{"output_type": "nonsense", "data": 7}, 9], metadata="none", execution_count="x"
    )
    notebook = read_notebook(packed(odd, metadata=[1, 2]), NAMES)
    assert [cell.text for cell in notebook.cells] == ["a = 1"]


def test_reading_says_nothing_aloud(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        notebook = read_notebook(packed({"cell_type": "code", "id": 3}, code("a = 1 is 1; b = '\\d'")), NAMES)
    assert len(notebook.cells) == 1
    assert heard == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("%matplotlib inline\na = 1", "pass\na = 1"),
        ("a = 1\n!pip install torch", "a = 1\npass"),
        ("!pip install \\\n  torch\na = 1", "pass\n\na = 1"),
        ("if True:\n    %load_ext x\n    a = 1", "if True:\n    pass\n    a = 1"),
        ("if True:\n\t!ls", "if True:\n\tpass"),
        ("files = !ls\na = 1", "pass\na = 1"),
        ("a, b = %sx ls", "pass"),
        ("y = %time f(1)", "y = f(1)"),
        ("%time y = f(1)", "y = f(1)"),
        ("y = %time f(\n  1)\n%pwd", "y = f(\n  1)\npass"),
        ("%timeit f(1)", "pass"),
        ("?torch\na = 1", "pass\na = 1"),
        ("a = 1\ntorch.nn.Linear??", "a = 1\npass"),
        ("torch?", "pass"),
        ("%%time\na = 1", "pass\na = 1"),
        ("\n# note\n%%capture out\na = 1", "\n# note\npass\na = 1"),
        ("%%timeit -n 3 -r 1\na = 1\n!ls", "pass\na = 1\npass"),
        ("%%time\n%%capture\na = 1", "pass\npass\na = 1"),
        ("%cd x\na = (7\n % 3)\nb = 1", "pass\na = (7\n % 3)\nb = 1"),
        ("%cd x\na = 7 \\\n% 3", "pass\na = 7 \\\n% 3"),
        ('%cd x\ns = """\n%cd y\n!ls\n"""\n!ls', 'pass\ns = """\n%cd y\n!ls\n"""\npass'),
        ("%cd x\ns = '''it's\n%cd \\'''\n'''\n%cd y", "pass\ns = '''it's\n%cd \\'''\n'''\npass"),
        ("%cd x\ns = 'a # b (' # ( \"\n%cd y", "pass\ns = 'a # b (' # ( \"\npass"),
        ("%cd x\ns = 'a\\\n% b'\n%cd y", "pass\ns = 'a\\\n% b'\npass"),
        ("# comment \\\n%cd y", "# comment \\\npass"),
    ],
)
def test_magics_and_shell_lines_are_taken_out_line_by_line(source: str, text: str) -> None:
    assert python(source) == text
    assert text.count("\n") == source.count("\n")


@pytest.mark.parametrize(
    "source",
    [
        "a = (7\n% 3)",
        's = """\n%matplotlib\n!ls\n%%bash\n"""',
        "x = 5\\\n% 3",
        "s = '''\nhelp?\n'''",
        "a = 1\n\x0cb = 2\n",
    ],
)
def test_a_cell_that_compiles_is_left_untouched(source: str) -> None:
    assert python(source) == source


@pytest.mark.parametrize(
    "magic", ["bash", "html", "javascript", "writefile notes.txt", "script sh", "python2"]
)
def test_a_cell_of_another_magic_is_dropped_whole(magic: str) -> None:
    notebook = read(f"%%{magic}\nrm -rf x\n", f"%%time\n%%{magic}\na = 1", "b = 1")
    assert [cell.label for cell in notebook.cells] == ["cell 3"]
    assert notebook.warnings == ()


def test_a_dropped_cell_that_hides_a_name_is_warned_of() -> None:
    notebook = read("%%cython\ndef attend(q, k, v): ...", "%%writefile my notes.py\ndef attend(q, k, v): ...")
    assert notebook.cells == ()
    assert notebook.warnings == (
        "cell 1 was passed over: %%cython hides its attend; take the magic out",
        "cell 2 was passed over: %%writefile hides its attend; take the magic out",
    )


WRITES: Mapping[str, tuple[str, dict[str, str], str]] = {
    "a step's file": (
        "%%writefile attend.py\ndef attend(q): ...",
        {"attend": "def attend(q): ...\n"},
        "import attend as _written; attend = _written.attend",
    ),
    "in a folder": ("%%writefile ./src/util.py \na = 1\n", {"src.util": "a = 1\n\n"}, ""),
    "from the root": ("%%file '/content/drive/util.py'\na = 1", {"util": "a = 1\n"}, ""),
    "two of its names": (
        "\n%%writefile mha.py\nclass MultiHeadAttention: ...\ndef project(x): ...",
        {"mha": "class MultiHeadAttention: ...\ndef project(x): ...\n"},
        "import mha as _written; project = _written.project; MultiHeadAttention = _written.MultiHeadAttention",
    ),
    "empty": ("%%writefile util.py", {"util": "\n"}, ""),
    "no Python": ("%%writefile util.txt\na = 1", {}, ""),
}


@pytest.mark.parametrize("case", WRITES)
def test_a_file_that_a_cell_writes_is_kept_and_its_names_are_the_notebooks(case: str) -> None:
    source, files, text = WRITES[case]
    notebook = read(source)
    assert {name: code.text for name, code in notebook.files.items()} == files
    assert "; ".join(cell.text for cell in notebook.cells) == text
    assert notebook.warnings == ()


def test_a_file_written_again_is_new_and_one_appended_to_goes_on() -> None:
    notebook = read(
        "%%writefile a.py\nx = 1",
        "%%writefile -a a.py\ny = 1",
        "%%writefile b.py\nx = 1",
        "%%writefile b.py\n",
    )
    assert {name: code.text for name, code in notebook.files.items()} == {"a": "x = 1\ny = 1\n", "b": "\n"}


def test_a_written_file_that_does_not_compile_is_told_by_its_cell() -> None:
    notebook = read("%%writefile attend.py\ndef attend(q):\nreturn q")
    assert notebook.files == {}
    assert sentence(notebook.faults["attend"]).startswith(
        "cell 1, line 3, column 1: expected an indented block"
    )


def test_a_written_file_may_have_the_notebooks_own_name(tmp_path: Path) -> None:
    path = tmp_path / "attend.ipynb"
    path.write_bytes(packed(code("%%writefile attend.py\ndef attend(q): ...")))
    read = read_submission(path, LESSON)
    assert [(module.name, module.path, module.notebook) for module in read.modules] == [
        ("attend_", "attend.ipynb", True), ("attend", "attend.py", False),
    ]  # fmt: skip


def test_a_cell_that_does_not_compile_is_passed_over_and_named() -> None:
    notebook = read("a = 1", "%pwd\nf(1", "b = 1")
    assert [cell.label for cell in notebook.cells] == ["cell 1", "cell 3"]
    assert notebook.warnings == ("cell 2, line 2, column 2: '(' was never closed; the cell was passed over",)
    assert notebook.faults == {}


@pytest.mark.parametrize("source", ["await f()", "return 1", "a = 1\0", "(" * 500, "-" * 100_000, "x = 'a"])
def test_whatever_python_refuses_is_passed_over(source: str) -> None:
    notebook = read(source, "b = 1")
    assert [cell.label for cell in notebook.cells] == ["cell 2"]
    assert notebook.warnings[0].startswith("cell 1, ")
    assert notebook.warnings[0].endswith("; the cell was passed over")


def test_a_name_in_a_broken_cell_alone_is_that_steps_problem(tmp_path: Path) -> None:
    broken = "def attend(q, k, v):\n    return (q"
    read = submitted(tmp_path, packed(code("def project(x, w, num_heads): ..."), code(broken)))
    assert sentence(read.problems.pop("attend.py")) == "cell 2, line 2, column 12: '(' was never closed"
    assert read.problems == {}
    again = submitted(tmp_path, packed(code(broken), code("def attend(q, k, v): ...")))
    assert again.problems == {}
    assert len(again.warnings) == 1


def test_a_notebook_is_one_module(tmp_path: Path) -> None:
    data = packed(code("def project(x, w, num_heads): ..."))
    read = submitted(tmp_path, data)
    assert (read.form, read.name, read.problems, read.warnings) == ("notebook", "my heads.ipynb", {}, ())
    (module,) = read.modules
    assert (module.name, module.path, module.package) == ("my_heads", "my heads.ipynb", False)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a notebook: it is no JSON text, line 1; save it again in Jupyter"),
        (b"{\n nope", "not a notebook: it is no JSON text, line 2; save it again in Jupyter"),
        (b'{"a": "\xff"}', "not a notebook: byte 7 is no UTF-8 text; save it again in Jupyter"),
        (b"[" * 200_000, "not a notebook: it is no JSON text; save it again in Jupyter"),
        (
            b'{"nbformat": ' + b"1" * 9000 + b"}",
            "not a notebook: it is no JSON text; save it again in Jupyter",
        ),
        (b"[]", "not a notebook: it has no list of cells; save it again in Jupyter"),
        (
            b'{"nbformat": 4, "cells": {}}',
            "not a notebook: it has no list of cells; save it again in Jupyter",
        ),
        (
            packed(),
            f"{NOTHING}; it defines no function or class",
        ),
        (
            packed(code("def atend(q): ...")),
            f"{NOTHING}; the nearest name found is atend; give it the lesson's name",
        ),
    ],
)
def test_what_is_no_notebook_of_the_lesson_is_said_in_one_line(
    tmp_path: Path, data: bytes, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        submitted(tmp_path, data)
    assert str(caught.value) == f"{tmp_path / 'my heads.ipynb'}: {message}"


def test_a_notebook_that_the_library_refuses_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat

    def refuse(*_: object, **__: object) -> None:
        raise KeyError("cells")

    monkeypatch.setattr(nbformat, "reads", refuse)
    with pytest.raises(
        NotebookError, match=r"^not a notebook: its format is damaged; save it again in Jupyter$"
    ):
        read("a = 1")


def test_code_beyond_the_limits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook_module, "CODE_CHARACTERS", 1_000)
    monkeypatch.setattr(notebook_module, "CELLS", 2)
    with pytest.raises(
        NotebookError, match=r"^too large: over 1,000 characters of code; keep the lesson's cells$"
    ):
        read("a" * 1_001)
    with pytest.raises(NotebookError, match=r"^too large: more than 2 code cells; keep the lesson's$"):
        read("a", "b", "c")
    assert len(read("a" * 500, "b" * 500).cells) == 2


def test_a_notebook_larger_than_its_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "big.ipynb"
    with path.open("wb") as file:
        file.truncate((50 << 20) + 1)
    with pytest.raises(
        InputError, match=r"big\.ipynb: too large: over 50 MiB; clear the notebook's outputs and"
    ):
        read_submission(path, LESSON)


def rich(*cells: object, indent: int | None = 1) -> bytes:
    """A notebook larger than what is read whole."""
    shown = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo" * 600_000}}
    html = {
        "output_type": "display_data",
        "data": {"text/html": ['<a href="x">{[\\"\n'] * 9, "x": {"outputs": [[]]}},
    }
    cell = code(
        "x = {'outputs': [], \"metadata\": [1]}  # ] }", outputs=[shown, html], metadata={"tags": ["]"]}
    )
    picture = {"cell_type": "markdown", "source": "![]", "attachments": {"a.png": {"image/png": "["}}}
    made = {
        "metadata": {"widgets": {"state": ["{"]}},
        "cells": [cell, picture, *cells],
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, indent=indent).encode()


@pytest.mark.parametrize("indent", [None, 1])
def test_a_notebook_of_many_pictures_is_read_without_them(indent: int | None) -> None:
    data = rich(code('b = \'\\\\\' + "\\"outputs\\": ["'), indent=indent)
    assert len(data) > 6_000_000
    lean = without_outputs(data)
    assert len(lean) < 2_000
    full, left = json.loads(data), json.loads(lean)
    assert [cell["source"] for cell in left["cells"]] == [cell["source"] for cell in full["cells"]]
    assert (left["cells"][0]["outputs"], left["cells"][1]["attachments"], left["metadata"]) == ([], {}, {})
    assert [cell.text for cell in read_notebook(data, NAMES).cells] == [
        full["cells"][0]["source"], full["cells"][2]["source"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [b"", b'"', b'"outputs": [', b'"outputs": [{]', b'{"outputs" [1]}', b'{"a": "outputs", "b": [1]}',
     b'{"outputs": "[1]"}', b'["metadata", [1]]', b'{"\\"outputs": [1]}', b'"\\', b"]" * 9],
)  # fmt: skip
def test_what_is_not_shown_is_left_as_it_is(text: bytes) -> None:
    assert without_outputs(text) == text


def test_values_are_left_out_whole() -> None:
    text = b'{"outputs" : [{"outputs": [1]}, "]", []], "metadata":{"a": {}}, "b": [2]}'
    assert without_outputs(text) == b'{"outputs" : [], "metadata":{}, "b": [2]}'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"[" * (40 << 20),
            "its outputs have too many parts; clear the notebook's outputs and save it again",
        ),
        (b'{"cells": "' + b"\\n" * (20 << 20), "over 4 MiB besides its outputs; keep the lesson's cells"),
        (b'{"cells": "' + b'\\"' * (20 << 20), "over 4 MiB besides its outputs; keep the lesson's cells"),
        (
            b'"",' * (10 << 20),
            "its outputs have too many parts; clear the notebook's outputs and save it again",
        ),
    ],
)
def test_a_notebook_too_large_to_be_one_is_refused_in_seconds(data: bytes, said: str) -> None:
    began = time.process_time()
    with pytest.raises(NotebookError) as caught:
        code_cells(data)
    assert str(caught.value) == f"too large: {said}"
    assert time.process_time() - began < 10


CONFLICT = """{{
 "cells": [],
<<<<<<< HEAD
 "metadata": {{}},
=======
 "metadata": {{{rest}}},
>>>>>>> theirs
 "nbformat": 4
}}"""


@pytest.mark.parametrize("rest", ["", '"x": "' + "x" * 5_000_000 + '"'])
def test_conflict_marks_are_told_as_what_they_are(rest: str) -> None:
    with pytest.raises(NotebookError) as caught:
        code_cells(CONFLICT.format(rest=rest).encode())
    assert str(caught.value) == (
        "not a notebook: git's conflict marks are in it, from line 3 on; take one of its two versions whole, "
        "with `git checkout --ours` or `git checkout --theirs` and its name"
    )


def test_conflict_marks_that_somebody_wrote_down_are_text() -> None:
    assert python('s = """\n<<<<<<< HEAD\n"""') == 's = """\n<<<<<<< HEAD\n"""'


def test_magics_are_found_in_linear_time() -> None:
    source = "!ls\n" + "(" * 200_000 + "\n" + " " * 200_000 + "x\n" + "a.b" * 100_000 + "\n(f"
    assert len(read(source).warnings) == 1
