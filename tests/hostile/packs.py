"""Packs attacks into submissions: many a folder, each step a process of its own, one step honest work."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.tools.golden_tree import GOLDEN

from .model import STEPS, Attack, attacks
from .places import Places

RIGHT = GOLDEN / "broken" / "right"
SHARED = 10  # quiet attacks that share a step
HONEST = 1  # steps of a pack that are left alone, at least

HARNESS = """
class _At:
    def __init__(self, told, name):
        self.__dict__.update(told)
        self.name = name
        self.mark = f"{self.run}-{name}"


def _try(name, attack):
    try:
        said = attack(_At(_TOLD, name))
    except Exception:
        return
    if said:
        print(f"{name}: {said!s:.150}", flush=True)


_begun = []


def _begin():
    if not _begun:
        _begun.append(1)
        for name, attack in _ATTACKS:
            _try(name, attack)


def _answer(name, args, wrong):
    _begin()
    if _FAKE:
        found = _FAKE[1](_At(_TOLD, _FAKE[0]), name, args)
        if found is not None:
            return found
    return wrong
"""
# A step that answers wrongly by itself: an attack has to do better.
SHELLS = {
    "concat": "def concat(heads):\n    return _answer('concat', (heads,), heads * 0 + 7)\n",
    "project": (
        "def project(x, w, num_heads):\n    return _answer('project', (x, w, num_heads), x * 0 + 7)\n"
    ),
    "attend": (
        "def attend(q, k, v, mask=None):\n"
        "    return _answer('attend', (q, k, v, mask), (q * 0 + 7, (q @ k.transpose(-2, -1)) * 0 + 7))\n"
    ),
    "output": (
        "def output(concatenated, w_o):\n    return _answer('output', (concatenated, w_o), concatenated * 0 + 7)\n"
    ),
    "cost": (
        "def parameter_count(d_model, num_heads):\n"
        "    return _answer('parameter_count', (d_model, num_heads), -1)\n\n\n"
        "def flop_count(batch, tokens, d_model, num_heads):\n"
        "    return _answer('flop_count', (batch, tokens, d_model, num_heads), -1)\n"
    ),
    "module": (
        "from torch import nn\n\n\nclass MultiHeadAttention(nn.Module):\n"
        "    def __init__(self, d_model, num_heads):\n"
        "        super().__init__()\n        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)\n"
        "        self.W_o = nn.Linear(d_model, d_model, bias=False)\n\n"
        "    def forward(self, x):\n        return _answer('forward', (self, x), x * 0 + 7)\n"
    ),
    "cross": (
        "from torch import nn\n\n\nclass MultiHeadAttention(nn.Module):\n"
        "    def __init__(self, d_model, num_heads):\n"
        "        super().__init__()\n        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)\n"
        "        self.W_o = nn.Linear(d_model, d_model, bias=False)\n\n"
        "    def forward(self, query, key, value, mask=None):\n"
        "        return _answer('forward', (self, query, key, value), query * 0 + 7)\n\n\n"
        "def self_attention(mha, x):\n    return _answer('self_attention', (mha, x), x * 0 + 7)\n\n\n"
        "def cross_attention(mha, target, memory):\n"
        "    return _answer('cross_attention', (mha, target, memory), target * 0 + 7)\n"
    ),
    "library": (
        "def to_library(w_q, w_k, w_v, w_o, num_heads):\n"
        "    return _answer('to_library', (w_q, w_k, w_v, w_o, num_heads), None)\n\n\n"
        "def library_mask(mask, num_heads):\n    return _answer('library_mask', (mask, num_heads), mask)\n"
    ),
    "heads": (
        "def plot_heads(weights, tokens, heads=(0, 1)):\n"
        "    return _answer('plot_heads', (weights, tokens, heads), None)\n"
    ),
}


@dataclass(frozen=True, slots=True)
class Pack:
    """A submission: the attacks of each attacked step, hostile files beside them; all other steps are right."""

    name: str
    steps: tuple[tuple[str, tuple[Attack, ...]], ...]
    files: tuple[Attack, ...] = ()

    @property
    def attacked(self) -> tuple[str, ...]:
        """The steps that must earn nothing."""
        replaced = tuple(_step_of(attack) for attack in self.files if _step_of(attack))
        return tuple(step for step, _ in self.steps) + replaced

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """Every attack in it."""
        return tuple(attack for _, inside in self.steps for attack in inside) + self.files


def _step_of(attack: Attack) -> str:
    """The step whose file a hostile file takes the place of, "" where it lies beside them."""
    stem = attack.name.removesuffix(".py")
    return stem if stem in STEPS and attack.name.endswith(".py") else ""


def _choosiness(attack: Attack) -> int:
    """Those that fit into few steps come first."""
    return len(attack.fits)


def packs(chosen: Sequence[Attack] | None = None) -> list[Pack]:
    """All attacks, in as few submissions as they fit.

    A step holds one fake answer, one attack that stands alone, or a few quiet ones.
    """
    left = list(attacks() if chosen is None else chosen)
    files = [attack for attack in left if attack.kind == "file"]
    single = sorted((attack for attack in left if attack.kind in ("answer", "alone")), key=_choosiness)
    quiet = [attack for attack in left if attack.kind == "quiet"]
    groups = [tuple(quiet[at : at + SHARED]) for at in range(0, len(quiet), SHARED)]
    made: list[Pack] = []
    while single or groups or files:
        taken, steps = [], []
        room = list(STEPS)
        replaced = [attack for attack in files if _step_of(attack)][:1]
        beside = [attack for attack in files if not _step_of(attack)]
        for attack in replaced:
            room.remove(_step_of(attack))
        for attack in single:
            fitting = [step for step in attack.fits if step in room]
            if fitting and len(room) > HONEST:
                room.remove(fitting[0])
                steps.append((fitting[0], (attack,)))
                taken.append(attack)
        while groups and len(room) > HONEST:
            steps.append((room.pop(len(made) % len(room)), groups.pop(0)))
        single = [attack for attack in single if attack not in taken]
        files = [attack for attack in files if attack not in (*replaced, *beside)]
        made.append(Pack(f"pack{len(made) + 1}", tuple(steps), (*replaced, *beside)))
    return made


def write(pack: Pack, where: Places) -> Path:
    """Make the submission's folder."""
    folder = where.folder / "submission"
    for name in STEPS:
        shutil.copy(RIGHT / f"{name}.py", folder)
    for step, inside in pack.steps:
        (folder / f"{step}.py").write_text(step_text(step, inside, where), "utf-8")
    for attack in pack.files:
        make_file(attack, folder, where)
    return folder


def step_text(step: str, inside: Sequence[Attack], where: Places) -> str:
    """The source of an attacked step."""
    run = [(attack.id, attack.function) for attack in inside if attack.kind != "answer"]
    fake = next(
        (f"({attack.id!r}, {attack.function})" for attack in inside if attack.kind == "answer"), "None"
    )
    parts = [f"import json\n\n_TOLD = json.loads({json.dumps(where.told())!r})\n"]
    parts += [attack.source for attack in inside]
    parts += [
        f"_ATTACKS = [{', '.join(f'({name!r}, {function})' for name, function in run)}]\n_FAKE = {fake}\n"
    ]
    parts += [HARNESS, SHELLS[step]]
    if any(attack.when == "import" for attack in inside):
        parts.append("_begin()\n")
    return "\n\n".join(parts)


def make_file(attack: Attack, folder: Path, where: Places) -> None:
    """Put a hostile file into a folder."""
    path = folder / attack.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if attack.makes == "link":
        path.symlink_to(where.secret)
    elif attack.makes == "fifo":
        os.mkfifo(path)
    elif attack.makes == "code":
        given = f"{str(where.drop)!r}, {where.run + '-' + attack.id!r}"
        path.write_text(f"{attack.source}\n\n\n{attack.function}({given})\n", "utf-8")
    else:
        path.write_text(attack.makes.replace("DROP", str(where.drop / f"{where.run}-{attack.id}")), "utf-8")
        path.chmod(0o755)
