"""One file that holds the whole submission, a script or a notebook; and which file of a folder that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath

from grader.core.errors import InputError
from grader.core.text import odd_letter, printable

from .copies import bare
from .magics import plain_script
from .model import Cell, LessonFiles, Module, Submission, lesson_files, lesson_names
from .notebook import NotebookError, code_cells, read_notebook
from .python_fault import sentence
from .source_index import Code, Read, read_code
from .source_text import decoded, identifier, mentioned, nearest
from .tree import Tree, shown

__all__ = ["Lone", "is_notebook", "lone_file", "read_lone"]

SHOWN_NAMES = 5
CANDIDATES = 20  # files looked into, to find the one that is meant


def is_notebook(path: str) -> bool:
    """Whether a file's name promises a notebook."""
    return bare(path).lower().endswith(".ipynb")


def read_lone(where: str, path: str, data: bytes, lesson: LessonFiles, read: Read = read_code) -> Submission:
    """The submission in one .py file or notebook. InputError, beginning with `where`, when there is none."""
    open_ = _notebook if is_notebook(path) else _script
    found = open_(where, data, lesson, read)
    cells, faults = found.cells, found.faults
    names = lesson_names(lesson)
    defined = [name for cell in cells for name in cell.code.bound]
    if not faults and not set(names) & set(defined):
        raise InputError(f"{where}: {_nothing(names, defined)}{_because(found.warnings)}")
    problems = {
        file: next(faults[name] for name in provided if name in faults)
        for file, provided in lesson_files(lesson).items()
        if set(provided) & set(faults) and not set(provided) & set(defined)
    }
    own = identifier(PurePosixPath(bare(path)).stem)
    while own in found.files:
        own += "_"
    module = Module(own, shown(path), cells, notebook=found.notebook)
    written = [
        Module(name, f"{name.replace('.', '/')}.py", (Cell(code, ""),)) for name, code in found.files.items()
    ]
    return Submission(
        name=module.path,
        sha256=sha256(data).hexdigest(),
        form="notebook" if is_notebook(path) else "file",
        modules=(module, *written),
        problems=problems,
        warnings=found.warnings,
    )


@dataclass(frozen=True, slots=True)
class Lone:
    """The one file at a tree's top that may be the submission; or the several that each could be.

    `defines`: a name of the lesson is in it, or in each of the several.
    """

    path: str | None = None
    defines: bool = False
    several: tuple[str, ...] = ()

    def said(self) -> str:
        """`two notebooks have the lesson's names in them, a.ipynb and b.ipynb; give one`."""
        kind = "notebooks" if is_notebook(self.several[0]) else "files"
        *others, last = [printable(path, 60) for path in self.several[:SHOWN_NAMES]]
        more = ", …" if len(self.several) > SHOWN_NAMES else ""
        count = {2: "two", 3: "three"}.get(len(self.several), str(len(self.several)))
        listed = f"{', '.join(others)} and {last}{more}"
        return f"{count} {kind} have the lesson's names in them, {listed}; give one that has all of your work"


def lone_file(tree: Tree, lesson: LessonFiles, read: Read = read_code) -> Lone:
    """Which file at a tree's top is the submission.

    A notebook goes before a script; of several, the only one that defines a name is meant, or the first of those
    that are alike to the byte.
    """
    names = lesson_names(lesson)
    groups = [
        [path for path in tree.top(tree.files) if is_notebook(path)],
        [path for path in tree.top(tree.files) if not is_notebook(path)],
    ]
    for group in groups:
        defining = [path for path in group[:CANDIDATES] if _defines(path, tree.files[path], names, read)]
        if len({tree.files[path] for path in defining}) == 1:
            return Lone(defining[0], defines=True)
        if defining:
            return Lone(defines=True, several=tuple(defining))
    alone = [group[0] for group in groups if len(group) == 1]
    return Lone(alone[0] if alone else None)


@dataclass(frozen=True, slots=True)
class _Found:
    cells: tuple[Cell, ...]
    faults: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    notebook: bool = False
    files: Mapping[str, Code] = field(default_factory=dict)


def _notebook(where: str, data: bytes, lesson: LessonFiles, read: Read) -> _Found:
    try:
        notebook = read_notebook(data, lesson_names(lesson), read)
    except NotebookError as error:
        raise InputError(f"{where}: {error}") from error
    return _Found(notebook.cells, notebook.faults, notebook.warnings, True, notebook.files)


def _script(where: str, data: bytes, lesson: LessonFiles, read: Read) -> _Found:
    text, wrong = decoded(data)
    if wrong:
        raise InputError(f"{where}: {sentence(wrong)}")
    plain = plain_script(text, read)
    if plain.code.fine:
        return _Found((Cell(plain.code, ""),), {}, notebook=plain.notebook)
    said = plain.code.fault()
    found = mentioned(text, lesson_names(lesson))
    if not found:
        raise InputError(f"{where}: {_looked(lesson_names(lesson))}; and {_stops(plain.code)}")
    return _Found((), dict.fromkeys(found, said))


def _defines(path: str, data: bytes, names: Sequence[str], read: Read) -> bool:
    """Whether a file defines a name of the lesson; one that cannot be read defines none."""
    if not any(name.encode() in data for name in names):
        return False
    try:
        texts = code_cells(data) if is_notebook(path) else [decoded(data)[0]]
    except NotebookError:
        return False
    if any(mentioned(text, names) for text in texts):
        return True
    return any(set(names) & set(read(text).bound) for text in sorted(texts, key=len))


def _stops(code: Code) -> str:
    return f"it is {code.unread}" if code.unread else f"Python stops at {sentence(code.fault())}"


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
