"""One file that holds the whole submission, a script or a notebook; and which file of a folder that is."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import PurePosixPath

from .errors import InputError
from .notebook import NotebookError, code_cells, read_notebook
from .python_fault import explained, sentence
from .python_text import decoded, defined_names, identifier, mentioned, nearest, parse_fault
from .submission import Cell, LessonFiles, Module, Submission, lesson_files, lesson_names
from .text import odd_letter, printable
from .tree import Tree, shown

__all__ = ["is_notebook", "lone_file", "read_lone"]

SHOWN_NAMES = 5
CANDIDATES = 20  # files looked into, to find the one that is meant
PARSED_CHARACTERS = 64 << 10  # of one of these; in a longer one only `def` and `class` lines are searched


def is_notebook(path: str) -> bool:
    """Whether a file's name promises a notebook."""
    return path.lower().endswith(".ipynb")


def read_lone(where: str, path: str, data: bytes, lesson: LessonFiles) -> Submission:
    """The submission in one .py file or notebook. InputError, beginning with `where`, when there is none."""
    read = _notebook if is_notebook(path) else _script
    cells, faults, warnings = read(where, data, lesson)
    names = lesson_names(lesson)
    defined = [name for cell in cells for name in defined_names(cell.text)]
    if not faults and not set(names) & set(defined):
        raise InputError(f"{where}: {_nothing(names, defined)}{_because(warnings)}")
    problems = {
        file: next(faults[name] for name in provided if name in faults)
        for file, provided in lesson_files(lesson).items()
        if set(provided) & set(faults) and not set(provided) & set(defined)
    }
    module = Module(identifier(PurePosixPath(path).stem), shown(path), cells, notebook=is_notebook(path))
    return Submission(
        name=module.path,
        sha256=sha256(data).hexdigest(),
        form="notebook" if is_notebook(path) else "file",
        modules=(module,),
        problems=problems,
        warnings=warnings,
    )


def lone_file(tree: Tree, lesson: LessonFiles) -> tuple[str | None, bool]:
    """The one file at a tree's top that is the submission, if any, and whether it defines a lesson's name.

    A notebook goes before a script; of several, the only one that defines a name is meant.
    """
    names = lesson_names(lesson)
    groups = [
        [path for path in tree.top(tree.files) if is_notebook(path)],
        [path for path in tree.top(tree.files) if not is_notebook(path)],
    ]
    for group in groups:
        defining = [path for path in group[:CANDIDATES] if _defines(path, tree.files[path], names)]
        if defining:
            return (defining[0], True) if len(defining) == 1 else (None, False)
    alone = [group[0] for group in groups if len(group) == 1]
    return (alone[0] if alone else None), False


_Read = tuple[tuple[Cell, ...], dict[str, str], tuple[str, ...]]


def _notebook(where: str, data: bytes, lesson: LessonFiles) -> _Read:
    try:
        notebook = read_notebook(data, lesson_names(lesson))
    except NotebookError as error:
        raise InputError(f"{where}: {error}") from error
    return notebook.cells, notebook.faults, notebook.warnings


def _script(where: str, data: bytes, lesson: LessonFiles) -> _Read:
    text, wrong = decoded(data)
    if wrong:
        raise InputError(f"{where}: {sentence(wrong)}")
    fault = parse_fault(text)
    if fault is None:
        return (Cell(text, ""),), {}, ()
    said = explained(fault, text)
    found = mentioned(text, lesson_names(lesson))
    if not found:
        raise InputError(f"{where}: {_looked(lesson_names(lesson))}; and Python stops at {sentence(said)}")
    return (), dict.fromkeys(found, said), ()


def _defines(path: str, data: bytes, names: Sequence[str]) -> bool:
    """Whether a file defines a name of the lesson; one that cannot be read defines none."""
    if not any(name.encode() in data for name in names):
        return False
    try:
        texts = code_cells(data) if is_notebook(path) else [decoded(data)[0]]
    except NotebookError:
        return False
    if any(mentioned(text, names) for text in texts):
        return True
    small = sum(map(len, texts)) <= PARSED_CHARACTERS
    return small and any(set(names) & set(defined_names(text)) for text in texts)


def _looked(names: Sequence[str]) -> str:
    return f"nothing of the lesson in it: looked for {', '.join(names)}"


def _nothing(names: Sequence[str], defined: Sequence[str]) -> str:
    looked = _looked(names)
    if not defined:
        return f"{looked}; it defines no function or class"
    like = nearest(names, defined)
    if like:
        name = f"{printable(like, 100)}{odd_letter(like)}"
        return f"{looked}; the nearest name found is {name}; give it the lesson's name"
    some = ", ".join(printable(name, 40) for name in dict.fromkeys(defined[:SHOWN_NAMES]))
    more = ", …" if len(defined) > SHOWN_NAMES else ""
    return f"{looked}; found {some}{more}; give them the lesson's names"


def _because(warnings: Sequence[str]) -> str:
    return f" ({warnings[0]})" if warnings else ""
