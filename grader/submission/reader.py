"""Submissions: a folder, a file, a notebook or an archive, read into frozen values. Nothing is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from grader.core.errors import InputError
from grader.core.text import odd_letter, printable

from .archive import archive_kind, read_archive
from .copies import bare, copies_of
from .magics import plain_script
from .model import Cell, LessonFiles, Module, Submission, lesson_files
from .python_fault import sentence
from .single_file import Lone, is_notebook, lone_file, read_lone
from .source_index import Read, Reader
from .source_text import decoded
from .tree import (
    A_POINTER,
    ARCHIVE_BYTES,
    CLEAR,
    MIB,
    SMALLER,
    Tree,
    is_pointer,
    passed_over,
    read_file,
    read_folder,
    refused,
    shown,
    size_limit,
)

__all__ = ["Cell", "Module", "Submission", "read_submission"]

KINDS = "a folder, a .py file, a notebook (.ipynb) or an archive of these (.zip, .tar.gz, .tgz)"
WARNINGS = 20  # shown; the rest are counted
SHOWN_PATHS = 8


def read_submission(path: Path, lesson: LessonFiles) -> Submission:
    """The submission at a path. InputError, one line that names the path, when there is nothing to grade."""
    place, read = shown(str(path)), Reader().read
    real = _resolved(path, place)
    name = shown(path.name or real.name)
    if real.is_dir():
        tree, warnings = read_folder(real, place)
        return _settled(tree, warnings, name, place, lesson, read)
    names = (path.name, real.name)  # a link may have no suffix, or none that says anything
    kind_name = next((one for one in names if archive_kind(one) or size_limit(one)), None)
    if kind_name is None:
        raise InputError(f"{place}: not a kind of file that can be graded; give {KINDS}")
    kind = archive_kind(kind_name)
    limit = ARCHIVE_BYTES if kind else size_limit(kind_name) or 0
    try:
        data = read_file(real, limit)
    except OSError as error:
        raise refused(error, place, "make it readable") from error
    except ValueError as error:
        raise InputError(f"{place}: {error}; give {KINDS}") from error
    if len(data) > limit:
        raise InputError(
            f"{place}: too large: over {limit // MIB} MiB; {CLEAR if is_notebook(kind_name) else SMALLER}"
        )
    if is_pointer(data):
        raise InputError(f"{place}: {A_POINTER}")
    if kind:
        tree, warnings = read_archive(data, kind, place)
        return _settled(tree, warnings, name, place, lesson, read)
    return replace(_capped(read_lone(place, kind_name, data, lesson, read)), name=name)


def _resolved(path: Path, place: str) -> Path:
    try:
        return path.resolve(strict=True)
    except FileNotFoundError as error:
        raise InputError(f"{place}: no such file or folder; give {KINDS}") from error
    except OSError as error:
        raise refused(error, place, f"give {KINDS}") from error
    except (RuntimeError, ValueError) as error:  # a link to itself; a zero byte in the path
        raise InputError(f"{place}: no file or folder has such a path; give {KINDS}") from error


def _settled(
    tree: Tree, warnings: Sequence[str], name: str, place: str, lesson: LessonFiles, read: Read
) -> Submission:
    """The submission a tree holds: the folder of step files in it, or else the one file that is meant."""
    if not (tree.files or tree.faults or tree.others or warnings):
        raise InputError(f"{place}: it is empty; put the lesson's files in it")
    levels = list(_levels(tree, lesson))
    if _step_paths(levels[-1], lesson):
        made = _folder(levels[-1], lesson, read)
    else:
        level, meant = _meant(levels, lesson, read)
        if meant.several:
            raise InputError(f"{place}: {meant.said()}{_first(warnings)}")
        path = meant.path
        if path is None:
            raise InputError(f"{place}: {_not_found(tree, lesson)}{_first(warnings)}")
        made = read_lone(f"{place}: {shown(path)}", path, level.files[path], lesson, read)
        made = _with_helpers(made, level, path, read)
    return _capped(replace(made, name=name, warnings=(*warnings, *made.warnings)))


def _levels(tree: Tree, lesson: LessonFiles) -> Iterator[Tree]:
    """The tree, and what is inside it as long as there is no step file and exactly one folder to enter."""
    yield tree
    while not _step_paths(tree, lesson) and len(inner := tree.top(tree.folders)) == 1:
        tree = tree.within(inner[0])
        yield tree


def _meant(levels: Sequence[Tree], lesson: LessonFiles, read: Read) -> tuple[Tree, Lone]:
    """The file that is the submission, and its level: the innermost that defines a name goes first."""
    found = [(level, lone_file(level, lesson, read)) for level in reversed(levels)]
    found.sort(key=lambda one: (not one[1].defines, one[1].path is None))
    return found[0]


def _step_paths(tree: Tree, lesson: LessonFiles) -> dict[str, str]:
    """Where each step's file is at the top of a tree, by step file; another case of the name, or a copy, will do."""
    present = tree.top([*tree.files, *tree.faults])
    folded = {path.lower(): path for path in reversed(present)}
    copies = _copies(tree, lesson)
    found = {
        file: file if file in present else folded.get(file.lower(), next(reversed(copies[file]), None))
        for file in lesson_files(lesson)
    }
    return {file: path for file, path in found.items() if path is not None}


def _copies(tree: Tree, lesson: LessonFiles) -> dict[str, list[str]]:
    """By step file what looks like its copies, the one with the highest number last."""
    files = lesson_files(lesson)
    others = [path for path in tree.top([*tree.files, *tree.faults]) if path.lower() not in files]
    return {file: copies_of(file, others) for file in files}


def _read_as(file: str, path: str, copies: Sequence[str]) -> list[str]:
    """What is said of a step's file that is read under another name, and of its copies that are not read."""
    left = [shown(copy) for copy in copies if copy != path]
    if path not in copies:
        said = [] if path == file else [f"{shown(path)} was read as {file}"]
        return [*said, *(f"{copy} was not read: {shown(path)} is there" for copy in left)]
    others = f"; {' and '.join(left)} not: of copies the highest number counts" if left else ""
    return [f"{shown(path)} was read as {file}, which is not there{others}"]


def _folder(tree: Tree, lesson: LessonFiles, read: Read) -> Submission:
    """A folder of step files; whatever is wrong with one of them costs that one alone."""
    paths = _step_paths(tree, lesson)
    modules: list[Module] = []
    problems = {
        file: "a folder stands in its place; put the file there"
        for file in lesson_files(lesson)
        if file in tree.folders and file not in paths
    }
    copies = _copies(tree, lesson)
    warnings = [said for file, path in paths.items() for said in _read_as(file, path, copies[file])]
    warnings += _lookalikes(tree, [file for file in lesson_files(lesson) if file not in paths])
    texts = {file: decoded(tree.files.get(path, b"")) for file, path in paths.items()}
    plains = {file: plain_script(text, read) for file, (text, _) in sorted(texts.items(), key=_length)}
    for file, path in paths.items():
        plain = plains[file]
        wrong = tree.faults.get(path, texts[file][1]) or plain.code.fault()
        if wrong:
            problems[file] = wrong
        else:
            cells = (Cell(plain.code, ""),)
            modules.append(Module(file.removesuffix(".py"), file, cells, notebook=plain.notebook))
    helpers, said = _helpers(tree, paths.values(), {file.removesuffix(".py") for file in paths}, read)
    warnings += said
    warnings += [
        f"{shown(path)} was not read: the folder has {next(iter(paths.values()))}"
        for path in tree.top(tree.files)
        if is_notebook(path)
    ]
    return Submission(
        name="",
        sha256=_digest(tree, (path for path in tree.files if not is_notebook(path))),
        form="folder",
        modules=(*modules, *helpers),
        problems=problems,
        warnings=tuple(warnings),
    )


def _lookalikes(tree: Tree, missing: Iterable[str]) -> list[str]:
    """What is said of files whose names only look like those of step files that are not there."""
    return [
        f"{file} is not there, and {shown(path)} is another name{odd_letter(path)}"
        for file in missing
        for path in tree.top(tree.files)
        if not path.isascii() and len(path) == len(file) and _looks_like(path, file)
    ]


def _looks_like(path: str, file: str) -> bool:
    """Whether a name differs from a step file's in letters that are not plain, and those are few."""
    pairs = [(one, other) for one, other in zip(path, file, strict=True) if one != other]
    return len(pairs) < len(file) / 2 and not any(one.isascii() for one, _ in pairs)


def _with_helpers(made: Submission, tree: Tree, path: str, read: Read) -> Submission:
    """A lone file that came with others beside it: it may import them."""
    helpers, said = _helpers(tree, {path}, {module.name for module in made.modules}, read)
    if not (helpers or said):
        return made
    counted = [path, *(other for other in tree.files if not is_notebook(other) and other != path)]
    return replace(
        made,
        sha256=_digest(tree, counted),
        modules=(*made.modules, *helpers),
        warnings=(*made.warnings, *said),
    )


def _helpers(
    tree: Tree, taken: Iterable[str], names: set[str], read: Read
) -> tuple[tuple[Module, ...], list[str]]:
    """The importable files of a tree but for those taken, and what is said of those that cannot be read."""
    used = set(taken)
    left = [path for path in sorted(tree.files) if path not in used and not is_notebook(path)]
    texts: dict[str, tuple[str, str]] = {}  # by name: its path and its text
    warnings = [passed_over(path, reason) for path, reason in sorted(tree.faults.items()) if path not in used]
    for path in left:
        name, package = _dotted(path)
        if not name or name in names or (name in texts and not package):
            continue
        text, wrong = decoded(tree.files[path])
        if wrong:
            warnings.append(passed_over(path, sentence(wrong)))
        else:
            texts[name] = path, text
    plains = {name: plain_script(text, read) for name, (_, text) in sorted(texts.items(), key=_length)}
    unread = {name: plain.code.unread for name, plain in plains.items() if plain.code.unread}
    warnings += [passed_over(texts[name][0], why) for name, why in unread.items()]
    return tuple(
        Module(name, shown(path), (Cell(plains[name].code, ""),), _dotted(path)[1], plains[name].notebook)
        for name, (path, _) in texts.items()
        if name not in unread
    ), warnings


def _length(item: tuple[str, tuple[str, str]]) -> int:
    """How long the texts of a file are, of which the other is "": the shortest are read first."""
    return sum(map(len, item[1]))


def _dotted(path: str) -> tuple[str, bool]:
    """A file's dotted module name, "" when it has none, and whether it is a package."""
    parts = bare(path).removesuffix(".py").split("/")
    package = parts[-1] == "__init__"
    parts = parts[:-1] if package else parts
    return (".".join(parts) if all(part.isidentifier() for part in parts) else ""), package


def _digest(tree: Tree, paths: Iterable[str]) -> str:
    """One digest for the same files, however they were packed."""
    digest = sha256()
    for path in sorted(paths):
        name, data = path.encode("utf-8", "surrogatepass"), tree.files[path]
        digest.update(b"%d %d " % (len(name), len(data)) + name + data)
    return digest.hexdigest()


def _not_found(tree: Tree, lesson: LessonFiles) -> str:
    files = list(lesson_files(lesson))
    deeper = next((path for path in sorted(tree.files) if path.rpartition("/")[2] in files), None)
    found = sorted(
        [*tree.files, *tree.faults, *tree.others],
        key=lambda one: (one not in tree.files, one.count("/"), one),
    )
    listed = ", ".join(printable(path, 60) for path in found[:SHOWN_PATHS]) or "no file"
    more = ", …" if len(found) > SHOWN_PATHS else ""
    advice = f"; give the folder {printable(deeper.rpartition('/')[0], 100)} instead" if deeper else ""
    return f"nothing of the lesson in it: looked for {', '.join(files)}; found {listed}{more}{advice}"


def _first(warnings: Sequence[str]) -> str:
    return f" ({warnings[0]})" if warnings else ""


def _capped(read: Submission) -> Submission:
    if len(read.warnings) <= WARNINGS:
        return read
    more = f"and {len(read.warnings) - WARNINGS} more like these"
    return replace(read, warnings=(*read.warnings[:WARNINGS], more))
