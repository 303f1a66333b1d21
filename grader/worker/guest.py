"""Loads a submission's modules from text: nothing of it is on the path, definitions are caught as made."""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import linecache
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from .catching import Catch
from .clock import Clock

PACKAGE = "submission"
CATALOGUE = "mistakes"  # the module of the reference that makes its variants
FUTURES = annotations.compiler_flag
KEPT = 8  # failures of a notebook that are told

Codes = dict[tuple[str, str], types.CodeType]  # by the name shown and the text


class Failure(NamedTuple):
    """A statement of a notebook that raised and was passed over, by the label of its cell."""

    label: str
    error: BaseException


class Guest:
    """The modules of one submission, importable under their own names and as `submission.<name>`."""

    def __init__(
        self,
        modules: Sequence[Mapping[str, Any]],
        wanted: Sequence[str],
        before: Guest | None = None,
        seconds: float | None = None,
    ) -> None:
        self.before = before
        self.codes: Codes = {} if before is None else before.codes
        self.kept: set[str] = set() if before is None else before.kept
        self.finder = _Finder(self)
        self.sources = {str(module["name"]): module for module in modules}
        self.paths = {str(module["path"]) for module in modules}
        self.wanted = frozenset(wanted)
        self.clock = Clock(seconds)
        self.defined: dict[str, dict[str, list[Any]]] = {}
        self.bound: dict[str, dict[str, list[Any]]] = {}
        self.failures: list[Failure] = []
        self.futures = 0
        self.imported: set[str] = set()

    def install(self) -> None:
        """Put the submission before everything on disk, except what is already imported.

        The guest before it, if any, is forgotten with all its modules but those it wanted kept.
        """
        if self.before is not None:
            sys.meta_path.remove(self.before.finder)
            for name in self.before.imported - self.kept:
                sys.modules.pop(name, None)
            self.before = None
        package = types.ModuleType(PACKAGE)
        package.__path__ = []
        package.__spec__ = importlib.machinery.ModuleSpec(PACKAGE, None, is_package=True)
        sys.modules[PACKAGE] = package
        sys.meta_path.insert(0, self.finder)

    def load(self, name: str) -> types.ModuleType:
        """Import one module of the submission; whatever it raises comes out."""
        return importlib.import_module(f"{PACKAGE}.{name}")

    def invent(self, name: str) -> types.ModuleType:
        """An empty module in the place of one that is missing or cannot be imported."""
        module = types.ModuleType(f"{PACKAGE}.{name}")
        sys.modules[module.__name__] = sys.modules[name] = module
        setattr(sys.modules[PACKAGE], name, module)
        self.imported |= {module.__name__, name}
        return module

    def load_kept(self, name: str) -> types.ModuleType:
        """Import a module that stays, with all it imports, for the guests to come."""
        before = set(self.imported)
        module = self.load(name)
        self.kept |= self.imported - before
        return module

    def execute(self, name: str, module: types.ModuleType) -> None:
        """Run a module's cells; in a notebook a statement that raises or takes too long is passed over.

        Whatever is bound to a name after its last definition, the definition stays in the name's place.
        """
        source = self.sources[name]
        defined: dict[str, list[Any]] = self.defined.setdefault(name, {})
        bound: dict[str, list[Any]] = self.bound.setdefault(name, {})

        def note(key: str, value: Any, made_here: bool) -> None:
            if callable(value):
                definition = made_here or issubclass(type(value), types.FunctionType | type)
                (defined if definition else bound).setdefault(key, []).append(value)

        for cell in source["cells"]:
            shown = self._shown(source, cell)
            text = str(cell["text"])
            self.paths.add(shown)
            linecache.cache[shown] = (len(text), None, text.splitlines(keepends=True), shown)
            try:
                module.__dict__["__defined__"] = note
                if source.get("notebook"):
                    self._run_statements(text, shown, str(cell["label"] or source["path"]), module)
                else:
                    exec(self._code(text, shown), module.__dict__)
            finally:
                module.__dict__.pop("__defined__", None)
        for key, values in {**bound, **defined}.items():
            present = module.__dict__.get(key)
            if not callable(present) or (key in defined and not any(present is value for value in values)):
                module.__dict__[key] = values[-1]

    def _run_statements(self, text: str, shown: str, label: str, module: types.ModuleType) -> None:
        statements = self._statements(text, shown)
        while True:
            try:
                made = next(statements, None)
                if made is None:
                    return
                code, imports = made
                # How long an import takes says more of the machine than of the learner.
                with nullcontext() if imports else self.clock.running():
                    exec(code, module.__dict__)
            except BaseException as error:
                if len(self.failures) < KEPT:
                    self.failures.append(Failure(label, error))

    def _statements(self, text: str, shown: str) -> Iterator[tuple[types.CodeType, bool]]:
        """A cell's statements, each compiled when its turn comes, and whether it is an import."""
        parsed = compile(text, shown, "exec", self.futures | ast.PyCF_ONLY_AST, dont_inherit=True)
        for statement in parsed.body:
            made = Catch(self.wanted).visit(statement)
            tree = ast.fix_missing_locations(ast.Module(made if isinstance(made, list) else [made], []))
            code = compile(tree, shown, "exec", self.futures, dont_inherit=True)
            # A future statement holds for all that comes after it in a notebook.
            self.futures |= code.co_flags & FUTURES
            yield code, isinstance(statement, ast.Import | ast.ImportFrom)

    def compile_all(self) -> None:
        """Every module's code, not run: for guests to come that have the same texts."""
        for source in self.sources.values():
            for cell in source["cells"]:
                self._code(str(cell["text"]), self._shown(source, cell))

    def leave(self) -> None:
        """Forget all its modules, those it wanted kept too."""
        if self.finder in sys.meta_path:
            sys.meta_path.remove(self.finder)
        for name in self.imported | self.kept:
            sys.modules.pop(name, None)

    def _shown(self, source: Mapping[str, Any], cell: Mapping[str, Any]) -> str:
        return f"{source['path']}, {cell['label']}" if cell["label"] else str(source["path"])

    def _code(self, text: str, shown: str) -> types.CodeType:
        key = shown, text
        if key not in self.codes:
            made: Any = text
            if self.wanted:
                parsed = compile(text, shown, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
                made = ast.fix_missing_locations(Catch(self.wanted).visit(parsed))
            self.codes[key] = compile(made, shown, "exec", dont_inherit=True)
        return self.codes[key]

    def find(
        self, module: types.ModuleType, name: str, key: str, method: str | None, takes: int | None
    ) -> Any:
        """What `key` means in a module; of several classes the last whose `method` takes `takes` arguments.

        Returns None when there is nothing callable of that name, or no class of that form.
        """
        found = self.defined.get(name, {}).get(key, [])
        if not found:
            found = [*self.bound.get(name, {}).get(key, []), module.__dict__.get(key)]
            found = [value for value in found if callable(value)]
        if method is None or takes is None:
            return found[-1] if found else None
        for spare in (1, 0):
            fitting = [value for value in found if accepts(getattr(value, method, None), takes, spare)]
            if fitting:
                return fitting[-1]
        return None


def accepts(function: Any, takes: int, spare: int = 1) -> bool:
    """Whether a method takes `takes` inputs besides self: so many are required, or `spare` more can be given.

    What may be left out counts as an input where its default is None and its name is not a mask's; the
    forward that nn.Module has only to say that there is none takes nothing.
    """
    if not callable(function) or getattr(function, "__name__", "") == "_forward_unimplemented":
        return False
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    inputs = [p for p in signature.parameters.values() if p.kind in kinds][1:]
    required = sum(p.default is inspect.Parameter.empty for p in inputs)
    if required == takes:
        return True
    if required > takes + (takes > 1):  # a mask may be asked for, but beside one input it is a second
        return False
    if not all(_an_input(p) for p in inputs[:takes]):
        return False
    try:
        signature.bind(*[None] * (1 + takes + spare))
    except TypeError:
        return False
    return True


def _an_input(parameter: inspect.Parameter) -> bool:
    plain = parameter.default is inspect.Parameter.empty or parameter.default is None
    return plain and "mask" not in parameter.name.lower()


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, guest: Guest) -> None:
        self.guest = guest

    def find_spec(
        self, fullname: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        name = fullname.removeprefix(f"{PACKAGE}.")
        source = self.guest.sources.get(name)
        if source is None:
            folder = any(other.startswith(name + ".") for other in self.guest.sources)
            if not folder:
                return None
            source = {"package": True}
        self.guest.imported |= {fullname, name}
        loader = _Loader(self.guest, name) if fullname != name else _Alias(name)
        return importlib.util.spec_from_loader(fullname, loader, is_package=bool(source["package"]))


class _Loader(importlib.abc.Loader):
    def __init__(self, guest: Guest, name: str) -> None:
        self.guest, self.name = guest, name

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        if self.name in self.guest.sources:
            module.__file__ = str(self.guest.sources[self.name]["path"])
            self.guest.execute(self.name, module)


class _Alias(importlib.abc.Loader):
    """`import project` gives the module that `from .project import ...` gives."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec: importlib.machinery.ModuleSpec | None = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(f"{PACKAGE}.{self.name}")
        self.spec = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        # The import system has just written the alias's spec into the module; its own is put back.
        module.__spec__ = self.spec
