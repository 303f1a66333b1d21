"""Notebooks: the code cells, in order, as Python; outputs and metadata are never looked at."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from .lean_notebook import TooRich, without_outputs
from .magics import Plain, Written, plain_python, written_file
from .model import Cell
from .python_fault import sentence
from .source_index import Code, Read, read_code
from .source_text import mentioned
from .tree import CLEAR

__all__ = ["OURS", "Notebook", "NotebookError", "code_cells", "read_notebook"]

CODE_CHARACTERS = 1 << 20  # the code of one notebook; what it shows may be larger
CELLS = 5_000
EXPLAINED = 20  # cells that cannot be read, of which the cause is looked for
LEAN_BYTES = 4 << 20  # of a notebook's text; of a longer one the outputs are taken out unread
OURS = "# grader's own cell"  # a cell that begins so is a bundle's own, and nothing of the learner's


class NotebookError(Exception):
    """Bytes that are no notebook; the text is the rest of a line that begins with its path."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells that compile, what is said of the others, and the lesson's names that only those define.

    `files`: the code of each .py file that a cell writes, by its dotted name.
    """

    cells: tuple[Cell, ...]
    warnings: tuple[str, ...]
    faults: dict[str, str]  # name -> "cell 3, line 2, column 5: invalid syntax"
    files: dict[str, Code]


def read_notebook(data: bytes, names: Collection[str], read: Read = read_code) -> Notebook:
    """The code cells of a notebook of any format version, magics dropped. NotebookError when it is none."""
    cells: list[Cell] = []
    said: list[str] = []
    faults: dict[str, str] = {}
    files: dict[str, str] = {}
    sources = code_cells(data)
    written = [written_file(source) for source in sources]
    cells_own = [source for source, file in zip(sources, written, strict=True) if file is None]
    plains = {source: plain_python(source, read) for source in sorted(cells_own, key=len)}
    for number, (source, file) in enumerate(zip(sources, written, strict=True), start=1):
        label = f"cell {number}"
        plain = plains[source] if file is None else _imported(file, names, files, read)
        if plain.magic:
            hidden = mentioned(source, names)
            if hidden:
                said.append(
                    f"{label} was passed over: %%{plain.magic} hides its {hidden[0]}; take the magic out"
                )
        elif not plain.code.fine:
            where = f"{label}, {plain.code.fault(cause=len(said) < EXPLAINED)}"
            said.append(f"{sentence(where)}; the cell was passed over")
            faults.update(dict.fromkeys(mentioned(plain.code.text, names), where))
        elif plain.code.text.strip():
            cells.append(Cell(plain.code, label))
    codes = {name: read(text) for name, text in files.items()}
    said += [f"{name} was passed over: {code.unread}" for name, code in codes.items() if code.unread]
    kept = {name: code for name, code in codes.items() if not code.unread}
    return Notebook(tuple(cells), tuple(said), faults, kept)


def _imported(written: Written, names: Collection[str], files: dict[str, str], read: Read) -> Plain:
    """A cell that writes a file: the file is kept, and the lesson's names in it are the notebook's, too."""
    parts = PurePosixPath(written.path.removesuffix(".py")).parts
    parts = parts[-1:] if parts[:1] == ("/",) else parts
    module = ".".join(parts)
    if not all(part.isidentifier() for part in parts):
        return Plain(Code(""), magic="writefile")
    plain = plain_python("\n" + written.text, read)
    if plain.magic or not plain.code.fine:
        return plain
    before = files.get(module, "") if written.append else ""
    files[module] = f"{before}{written.text}\n"
    bound = [
        f"import {module} as _written",
        *(f"{name} = _written.{name}" for name in mentioned(plain.code.text, names)),
    ]
    return Plain(read("; ".join(bound) if bound[1:] else ""))


def code_cells(data: bytes) -> list[str]:
    """The text of each code cell as it was written, empty ones too. NotebookError if it is no notebook."""
    lean = _lean(_parsed(data))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about old formats and missing ids: nothing to do with the lesson
        import nbformat

        try:
            notebook = nbformat.reads(json.dumps(lean), as_version=4)
        except Exception as error:  # its converters raise whatever they trip over
            raise _none("its format is damaged") from error
    sources = [str(cell.source).replace("\r\n", "\n").replace("\r", "\n") for cell in notebook.cells]
    sources = ["" if source.startswith(OURS) else source for source in sources]
    if len(sources) > CELLS:
        raise NotebookError(f"too large: more than {CELLS:,} code cells; keep the lesson's")
    if sum(map(len, sources)) > CODE_CHARACTERS:
        raise NotebookError(
            f"too large: over {CODE_CHARACTERS:,} characters of code; keep the lesson's cells"
        )
    return sources


# No string of JSON goes over a line's end, so that this is never part of what somebody wrote.
_CONFLICT = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)


def _parsed(data: bytes) -> dict[str, Any]:
    conflict = _CONFLICT.search(data)
    if conflict:
        line = data.count(b"\n", 0, conflict.start()) + 1
        raise NotebookError(
            f"not a notebook: git's conflict marks are in it, from line {line} on; take one of its two versions "
            "whole, with `git checkout --ours` or `git checkout --theirs` and its name"
        )
    try:
        raw = json.loads(_small(data))
    except UnicodeDecodeError as error:
        raise _none(f"byte {error.start} is no UTF-8 text") from error
    except (ValueError, RecursionError) as error:
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise _none(f"it is no JSON text{place}") from error
    if isinstance(raw, dict) and any(isinstance(raw.get(key), list) for key in ("cells", "worksheets")):
        return raw
    raise _none("it has no list of cells")


def _small(data: bytes) -> bytes:
    """A notebook's text; of a large one without its outputs. NotebookError if it is large without them."""
    if len(data) <= LEAN_BYTES:
        return data
    try:
        lean = without_outputs(data)
    except TooRich as error:
        raise NotebookError(f"too large: its outputs have too many parts; {CLEAR}") from error
    if len(lean) > LEAN_BYTES:
        raise NotebookError(
            f"too large: over {LEAN_BYTES >> 20} MiB besides its outputs; keep the lesson's cells"
        )
    return lean


def _none(why: str) -> NotebookError:
    return NotebookError(f"not a notebook: {why}; save it again in Jupyter")


def _lean(raw: dict[str, Any]) -> dict[str, Any]:
    """The same notebook with nothing but its code cells' source: what is dropped here is never looked at."""
    version = raw.get("nbformat")
    if isinstance(raw.get("cells"), list):
        if version == 1:
            return {"nbformat": 1, "cells": list(_lean_cells(raw["cells"], "code"))}
        cells = list(_lean_cells(raw["cells"], "source"))
        return {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}
    sheets = [sheet["cells"] for sheet in raw["worksheets"] if isinstance(sheet, dict) and "cells" in sheet]
    return {
        "nbformat": 2 if version == 2 else 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"metadata": {}, "cells": list(_lean_cells(cells, "input"))} for cells in sheets],
    }


def _lean_cells(cells: object, key: str) -> Iterator[dict[str, Any]]:
    for cell in cells if isinstance(cells, list) else []:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get(key, "")
        if isinstance(source, list):
            source = [line for line in source if isinstance(line, str)]
        elif not isinstance(source, str):
            source = ""
        frame = {"cell_type": "code", "metadata": {}, "outputs": [], key: source}
        current = key == "source"
        yield frame | ({"execution_count": None} if current else {"language": "python", "collapsed": False})
