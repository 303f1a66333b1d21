"""What an attack is, and how the files that hold attacks are read: as text, never imported."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import Path

ATTACKS = Path(__file__).resolve().parent / "attacks"
KINDS = ("quiet", "alone", "answer", "file")
SHOWN = (
    "points", "canary", "told", "marker", "changed", "listener", "process", "memory", "time", "others", "record", "raw",
)  # fmt: skip
STEPS = ("module", "cross", "library", "heads", "concat", "project", "attend", "output", "cost")
FUNCTIONS = ("concat", "project", "attend", "output", "cost")  # what an answer can be faked in


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack.

    `kind`: "quiet" ones share a step with others; one "alone" may end or hold up its process; an "answer" decides
    what the step's functions return; a "file" lies in the submission's folder under `name`. `rows` are those of the
    catalogue (rows.py). `shows` is what is seen when it succeeds; `inert` tells why it does not even without walls;
    `kernel`: it needs something that not every kernel or file system has.
    `weak` is whether it must succeed through the whole command where the walls were taken down.
    """

    id: str
    family: str
    title: str
    source: str
    rows: tuple[int, ...]
    kind: str
    shows: str
    when: str = "call"
    steps: tuple[str, ...] = ()
    weak: bool = False
    inert: str = ""
    kernel: bool = False
    name: str = ""
    makes: str = "text"

    @property
    def fits(self) -> tuple[str, ...]:
        """The steps that it may be put in."""
        return self.steps or (FUNCTIONS if self.kind == "answer" else STEPS)

    @property
    def function(self) -> str:
        """The name of the function that its source defines."""
        return self.id.replace("-", "_")


@functools.cache
def attacks() -> tuple[Attack, ...]:
    """Every attack there is, in the order of files and lines."""
    return tuple(attack for path in sorted(ATTACKS.glob("*.py")) for attack in read(path))


def read(path: Path) -> list[Attack]:
    """The attacks of one file: functions with a decorator `attack(...)` of literals."""
    text = path.read_text("utf-8")
    found = []
    for node in ast.parse(text, str(path)).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            said = node.decorator_list[0]
            assert isinstance(said, ast.Call), f"{path.name}: {node.name} is decorated by no call"
            fields = {str(word.arg): ast.literal_eval(word.value) for word in said.keywords}
            source = ast.get_source_segment(text, node)
            title = ast.get_docstring(node)
            assert source, f"{path.name}: {node.name} cannot be read"
            assert title, f"{path.name}: {node.name} has no docstring to be its title"
            found.append(Attack(node.name.replace("_", "-"), path.stem, title, source, **fields))
    return found
