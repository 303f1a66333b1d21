"""A learner's Python, read once and within a budget: whatever on this side asks about a text asks this record.

Python's own parser takes seconds and a gigabyte for a megabyte of the densest text, so that what is read of one
submission is bounded as a whole, before the parser is asked.
"""

from __future__ import annotations

import ast
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from .python_fault import UNPARSABLE, explained

__all__ = ["Code", "Definition", "How", "Mention", "Read", "Reader", "read_code"]

CHARACTERS = 1 << 20  # of all texts of one submission together
PIECES = 300_000  # words, numbers and signs in them: a second or two of the densest kind; a usual megabyte has fewer
FIELDS = 10**9  # of f-strings, times the longest line: what the parser needs grows so
COMPILED = 64 << 10  # characters: the compiler takes quadratic time where functions or numbers have one hash
SECONDS = 30.0  # for all of them, on a machine however busy
DOTTED = 12  # parts of a dotted name that are one mention
TABLES = ("vars", "globals", "locals")

How = Literal["name", "import", "from", "call", "getattr", "table"]
_PIECE = re.compile(r"\d+(?:\.\d*)?|\w+|([^\w\s'\"])\1*|['\"]|\n\s*")
_F_STRING = re.compile(r"""[ft]r?['"]|r[ft]['"]""", re.IGNORECASE)
_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_BINDING = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
)
_TELLING = (*_BINDING[:5], ast.Attribute, ast.Call, ast.Subscript)


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class: its name, its line, and the outermost function or class around it ("" for none)."""

    name: str
    line: int
    inside: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A name where it stands in the code, never in a comment or a string.

    `name` is dotted (`F.softmax`; `.softmax` of what is no plain name); of a `from` import the whole of it. Of a
    name looked up by its text (`getattr`, or a `table`: `globals()["x"]`) it is that text, "" for one put together
    at run time. `home` is the name at the top of the file that it belongs to: of the definition it stands in, or of
    what the statement binds; "" for none. `main` says that it stands below `if __name__ == "__main__":`.
    """

    line: int
    name: str
    how: How
    home: str
    main: bool


@dataclass(frozen=True, slots=True)
class Code:
    """One text. Of one that Python cannot read (`error`), or that was over the budget (`unread`), nothing is known.

    `bound` are the names bound at the module's level; `uses` the names that stand in a definition, or in the
    statement that binds a name at the top, by that name; `calls` what is called in a definition, by its last name
    (`Linear` of `nn.Linear(8, 8)`), by the definition's name;
    `imports` all that is imported, as a module or from one, and `at_once` what of it is as soon as the text runs.
    """

    text: str
    error: BaseException | None = field(default=None, compare=False, repr=False)
    unread: str = field(default="", compare=False, repr=False)
    definitions: tuple[Definition, ...] = field(default=(), compare=False, repr=False)
    bound: tuple[str, ...] = field(default=(), compare=False, repr=False)
    uses: Mapping[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    calls: Mapping[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    imports: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    at_once: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    mentions: tuple[Mention, ...] = field(default=(), compare=False, repr=False)

    @property
    def fine(self) -> bool:
        """Whether it was read, and Python can read it too."""
        return self.error is None and not self.unread

    def fault(self, *, cause: bool = True) -> str:
        """Why it cannot be graded, a sentence and the place; "" when it can. Looking for the `cause` takes time."""
        return self.unread if self.error is None else explained(self.error, self.text, cause=cause)


Read = Callable[[str], Code]


class Reader:
    """Reads the texts of one submission, each once, until its budget is spent: the shortest should come first."""

    def __init__(self) -> None:
        self._characters, self._pieces, self._fields = CHARACTERS, PIECES, FIELDS
        self._compiled = COMPILED
        self._end = time.monotonic() + SECONDS
        self._known: dict[str, Code] = {}

    def read(self, text: str) -> Code:
        """The record of a text; nothing of it is run, and nothing printed.

        A text that comes again is not parsed again, but takes its room: it will be handed on as often.
        """
        known = self._known.get(text)
        much = self._spent(text, known)
        if much:
            return Code(
                text, unread=f"too much code: with the rest {much}; keep only what the lesson asks for"
            )
        if known is None:
            known = self._known[text] = self._code(text)
        return known

    def _code(self, text: str) -> Code:
        compiled = len(text) <= self._compiled  # what only the compiler finds, the guest is told otherwise
        self._compiled -= len(text) if compiled else 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse(text)
                if compiled:
                    compile(tree, "submission", "exec", dont_inherit=True)
            except UNPARSABLE as error:
                return Code(text, error.with_traceback(None))
        return _facts(text, tree)

    def _spent(self, text: str, known: Code | None) -> str:
        """Of what there is too much for a text to be read; "" where there is room, which it then takes."""
        if len(text) > self._characters:
            return f"over {CHARACTERS:,} characters"
        if known is None:
            pieces, fields = sum(1 for _ in _PIECE.finditer(text)), _fields(text)
            if pieces > self._pieces:
                return f"over {PIECES:,} words and signs"
            if fields > self._fields:
                return "too many f-strings in too long lines"
            if time.monotonic() > self._end:
                return "more than can be read in time"
            self._pieces -= pieces
            self._fields -= fields
        self._characters -= len(text)
        return ""


def read_code(text: str) -> Code:
    """The record of one text, within a budget of its own."""
    return Reader().read(text)


def _fields(text: str) -> int:
    return text.count("{") * max(map(len, text.split("\n"))) if _F_STRING.search(text) else 0


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a text something stands."""

    home: str = ""  # the outermost definition
    inner: str = ""  # the innermost
    around: tuple[str, ...] = ()  # all of them
    main: bool = False
    later: bool = False  # in a function or lambda, which runs when it is called


@dataclass(slots=True)
class _Found:
    """What a walk has met so far; lives while one text is read."""

    definitions: list[Definition] = field(default_factory=list)
    uses: dict[str, set[str]] = field(default_factory=dict)
    calls: dict[str, set[str]] = field(default_factory=dict)
    imports: dict[str, bool] = field(default_factory=dict)  # whether it is imported at once
    mentions: list[Mention] = field(default_factory=list)

    def use(self, inner: str, name: str) -> None:
        """A name stands in a definition."""
        self.uses.setdefault(inner, set()).add(name)

    def note(self, node: ast.AST, place: _Place) -> None:
        """Take down what a node says that is no plain name."""
        for line, name, how in _mentioned(node):
            self.mentions.append(Mention(line, name, how, place.home, place.main))
        if isinstance(node, _Scope):
            self.definitions.append(Definition(node.name, node.lineno, place.home))
            self.use(place.inner, node.name)
        elif isinstance(node, ast.Call):
            for name in place.around:
                self.calls.setdefault(name, set()).update(_called(node))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for name in _imported(node):
                self.imports[name] = self.imports.get(name, False) or not place.later


def _facts(text: str, tree: ast.Module) -> Code:
    found = _Found()
    waiting: list[tuple[ast.AST, _Place]] = []
    for top in tree.body:
        own = [] if isinstance(top, _Scope) else _bound_by(top)
        for name in own[1:]:
            found.use(name, own[0])
        waiting.append((top, _Place(own[0], own[0]) if own else _Place()))
    while waiting:  # a long chain is deep: no recursion here
        node, place = waiting.pop()
        if isinstance(node, ast.Name):
            found.mentions.append(Mention(node.lineno, node.id, "name", place.home, place.main))
            found.use(place.inner, node.id)
        else:
            if isinstance(node, _TELLING):
                found.note(node, place)
            waiting += _below(node, place)
    return Code(
        text,
        definitions=tuple(sorted(found.definitions, key=lambda one: one.line)),
        bound=tuple(dict.fromkeys(_bound(tree.body))),
        uses={name: frozenset(names) for name, names in found.uses.items()},
        calls={name: frozenset(names) for name, names in found.calls.items()},
        imports=frozenset(found.imports),
        at_once=frozenset(name for name, now in found.imports.items() if now),
        mentions=tuple(found.mentions),
    )


def _below(node: ast.AST, place: _Place) -> list[tuple[ast.AST, _Place]]:
    """What is below a node, and where that is; a dotted name is taken as a whole."""
    if isinstance(node, ast.If) and not place.home and _asks_for_main(node.test):
        guarded = replace(place, main=True)
        return [*((child, guarded) for child in node.body), *((child, place) for child in node.orelse)]
    if isinstance(node, _Scope):
        later = place.later or not isinstance(node, ast.ClassDef)
        around = (*place.around, node.name)
        place = _Place(place.home or node.name, node.name, around, place.main, later)
    elif isinstance(node, ast.Lambda):
        place = replace(place, later=True)
    while isinstance(node, ast.Attribute):
        node = node.value
        if not isinstance(node, ast.Attribute):
            return [(node, place)]
    return [(child, place) for child in ast.iter_child_nodes(node) if child._fields]


def _asks_for_main(test: ast.expr) -> bool:
    """`__name__ == "__main__"`, either way round."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = (test.left, test.comparators[0])
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    texts = [side.value for side in sides if isinstance(side, ast.Constant)]
    return names == ["__name__"] and texts == ["__main__"]


def _mentioned(node: ast.AST) -> Iterator[tuple[int, str, How]]:
    if isinstance(node, ast.Attribute):
        yield from ((node.lineno, name, "name") for name in _dotted(node))
    elif isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name, "import") for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        yield from ((node.lineno, f"{module}.{alias.name}", "from") for alias in node.names)
    elif isinstance(node, ast.Subscript):
        if _table(node.value):
            yield from ((node.lineno, name, "table") for name in _looked_up(node.slice))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield node.lineno, node.func.id, "call"
        if node.func.id == "getattr" and len(node.args) > 1:
            yield from ((node.lineno, name, "getattr") for name in _looked_up(node.args[1]))


def _table(value: ast.expr) -> bool:
    """`vars(x)`, `globals()`, `x.__dict__`: names by their texts."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in TABLES
    return isinstance(value, ast.Attribute) and value.attr == "__dict__"


def _looked_up(name: ast.expr) -> Iterator[str]:
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        yield name.value
    elif isinstance(name, ast.BinOp | ast.JoinedStr | ast.Call):
        yield ""


def _dotted(node: ast.expr) -> Iterator[str]:
    """`a.b.c`; a very long one in pieces, of which the others begin with a dot."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    parts.reverse()
    yield ".".join(parts[:DOTTED])
    yield from ("." + ".".join(parts[at : at + DOTTED]) for at in range(DOTTED, len(parts), DOTTED))


def _called(node: ast.Call) -> list[str]:
    """The last name of what is called."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return [function.attr]
    return [function.id] if isinstance(function, ast.Name) else []


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    else:
        base = node.module or ""
        yield base
        yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    """The names a text binds at its own level, in `if`, `try`, `with` and loops too."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _BINDING):
            yield from _bound_by(node)
        else:
            inner = (ast.stmt, ast.ExceptHandler, ast.match_case)
            waiting += reversed([child for child in ast.iter_child_nodes(node) if isinstance(child, inner)])


def _bound_by(node: ast.stmt) -> list[str]:
    """The names that one statement binds, whatever stands below it."""
    if isinstance(node, _Scope):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return [target.id for target in targets if isinstance(target, ast.Name)]
