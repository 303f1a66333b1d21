"""Reads a step's source for detours to ready-made functions: a hint for a person, never a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.lesson.lesson import Lesson, Step

from .imports import closure
from .model import Submission
from .source_index import Code, Mention

DETOURS = (
    *("torch._C", "torch.ops", "torch._ops", "torch.jit", "torch.library", "torch._library"),
    *("importlib", "ctypes", "pickle", "marshal", "gc"),
)
SPEAKS = "speaks of"
LOOKS = {"getattr": "looks a name up with getattr", "table": "looks a name up in a table of names"}
CALLS = ("exec", "eval", "__import__", "compile")


def detours(lesson: Lesson, step: Step, submission: Submission) -> tuple[str, ...]:
    """Places that a person should look at, in a step that forbids ready-made functions.

    In one file or notebook a place belongs to the step whose function or class it stands in; what stands
    elsewhere may serve them all, and is told with the first step that forbids; a forbidden function's name is
    told there only where such a step uses what speaks of it, since another step may be allowed to.
    """
    if not step.forbid:
        return ()
    lone = submission.form != "folder"
    short = [item.name.rsplit(".", 1)[-1] for item in lesson.forbidden]
    own = {item.name for item in step.provides}
    all_own = {item.name for other in lesson.steps for item in other.provides}
    first = next(other.id for other in lesson.steps if other.forbid) == step.id
    forbidding = {item.name for other in lesson.steps if other.forbid for item in other.provides}
    serving = _serving([c.code for m in submission.modules for c in m.cells], forbidding) if lone else set()
    found: list[str] = []
    for module in submission.modules:
        if not lone and module.path != step.file:
            continue
        for cell in module.cells:
            where = f"{module.path}, {cell.label}" if cell.label else module.path
            for line, what, home in sorted(_places(cell.code, short)):
                elsewhere = first and home not in all_own and (not what.startswith(SPEAKS) or home in serving)
                if not lone or home in own or elsewhere:
                    found.append(f"{where}, line {line}: {what}")
    return tuple(found[:5])


def _places(code: Code, short: Sequence[str]) -> set[tuple[int, str, str]]:
    """Line, what stands there, and the name at the top of the file that it belongs to ("" for none)."""
    spoken = set(short) - {definition.name for definition in code.definitions}
    found = set()
    for one in code.mentions:
        what = _detour_at(one, short)
        if what:
            found.add((one.line, what, one.home))
        if not one.main:
            found |= {(one.line, f"{SPEAKS} {name}", one.home) for name in _spoken(one) if name in spoken}
    return found


def _serving(codes: Iterable[Code], wanted: set[str]) -> set[str]:
    """Names at the top of these texts that the wanted ones use, and those that these use in turn."""
    uses: dict[str, set[str]] = {}
    for code in codes:
        for name, names in code.uses.items():
            uses.setdefault(name, set()).update(names)
    return closure(wanted & set(uses), uses)


def _spoken(mention: Mention) -> Sequence[str]:
    """The names that a mention speaks of; a name that is looked up is a detour, not spoken of."""
    parts = mention.name.split(".")
    return {"name": parts, "import": parts[-1:], "from": parts[-1:]}.get(mention.how, ())


def _detour_at(mention: Mention, short: Sequence[str]) -> str:
    """What a person should look at in a mention, "" for most."""
    name, how = mention.name, mention.how
    if how == "call":
        return f"calls {name}" if name in CALLS else ""
    if how in LOOKS:
        return LOOKS[how] if not name or name in short else ""
    if how == "import":
        return f"imports {name}" if _detour(name) else ""
    if how == "from":
        module = name.rpartition(".")[0]
        return f"imports from {module}" if _detour(module) else f"imports {name}" if _inner(name) else ""
    reach = next((start for start in _starts(name) if _inner(start)), "")
    return f"reaches into {reach}" if reach else ""


def _starts(name: str) -> Iterator[str]:
    """`a.b` and `a.b.c` of `a.b.c`."""
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(2, len(parts) + 1))


def _inner(name: str) -> bool:
    """Whether a dotted name is a detour, or the first private one below torch."""
    first, *others = name.split(".")
    private = [part.startswith("_") and not part.endswith("__") for part in others]
    return name in DETOURS or (first == "torch" and private[-1:] == [True] and not any(private[:-1]))


def _detour(name: str) -> bool:
    return any(name == detour or name.startswith(f"{detour}.") for detour in DETOURS)
