"""The attacks are real: without walls they succeed; and the suite sees it when the command's walls are down."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .model import KINDS, SHOWN, Attack, attacks
from .packs import RIGHT, SHELLS, packs, step_text
from .places import Stage
from .rows import EXCUSED, LAST
from .seen import attempt
from .simple import Simple, simple, succeeded
from .weak import PROGRAM, WEAK, weak_packs

TESTS = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.hostile
as_root = pytest.mark.skipif(
    os.name != "posix" or os.getuid() != 0, reason="some attacks need root to succeed"
)


@pytest.fixture(scope="module")
def grader(copy: Stage) -> Iterator[Simple]:
    """A grader without walls."""
    with simple(copy) as made:
        yield made


# --- the list -------------------------------------------------------------------------------------


def test_there_are_eighty_attacks_and_more_each_told_whole() -> None:
    assert len(attacks()) >= 80
    assert len({attack.id for attack in attacks()}) == len(attacks())
    for attack in attacks():
        assert attack.rows, attack.id
        assert attack.kind in KINDS, attack.id
        assert attack.shows in SHOWN, attack.id


def test_each_row_of_the_catalogue_is_attacked_or_excused() -> None:
    attacked = {row for attack in attacks() for row in attack.rows}
    assert sorted(attacked | set(EXCUSED)) == list(range(1, LAST + 1))
    assert attacked & set(EXCUSED) == set()


def test_the_tests_that_excuses_name_are_there() -> None:
    for row, reason in EXCUSED.items():
        for file, name in re.findall(r"(test_\w+\.py)::(\w+)", reason):
            assert f"def {name}(" in next(TESTS.rglob(file)).read_text("utf-8"), (
                f"row {row} names {file}::{name}"
            )


def test_each_attack_is_packed_once() -> None:
    packed = [attack.id for pack in packs() for attack in pack.attacks]
    assert sorted(packed) == sorted(attack.id for attack in attacks())


# --- without walls --------------------------------------------------------------------------------


@as_root
@pytest.mark.thorough
@pytest.mark.parametrize("attack", attacks(), ids=lambda attack: attack.id)
def test_without_walls_an_attack_succeeds_unless_it_is_listed_apart(grader: Simple, attack: Attack) -> None:
    if attack.name.startswith(".git") and shutil.which("git") is None:
        pytest.skip("no git here")
    signs = grader.signs(attack)
    if attack.kernel and not succeeded(attack, signs):
        pytest.skip("this machine's kernel has not what it needs")
    assert succeeded(attack, signs) == (not attack.inert), (
        f"{attack.id} should{' not' if attack.inert else ''} show {attack.shows} without walls; seen: {signs}. "
        "An attack that fails even there proves nothing: mend it, or say in `inert` why it cannot succeed"
    )


def test_the_simple_grader_gives_right_work_its_points_and_wrong_work_none(grader: Simple) -> None:
    right = grader.judge("concat", (RIGHT / "concat.py").read_text("utf-8"))
    assert [sign.shows for sign in right] == ["points"]
    for step in ("concat", "project", "attend", "output", "cost"):
        assert step in SHELLS
        assert grader.judge(step, step_text(step, [], grader.where)) == []


# --- the whole command with its walls down --------------------------------------------------------

WEAKLY = [attack for attack in attacks() if attack.weak]


@as_root
@pytest.mark.one_in(9)
@pytest.mark.parametrize("pack", weak_packs(WEAKLY), ids=lambda pack: pack.attacks[0].id)
def test_with_its_walls_down_the_command_is_seen_to_lose(copy: Stage, pack: object) -> None:
    seen = attempt(pack, WEAK, copy, ("-c", PROGRAM))
    alone = len(pack.attacks) == 1
    missed = [attack.id for attack in pack.attacks if not succeeded(attack, seen.signs, alone)]
    assert missed == [], f"not seen where there are no walls: {missed}; seen: {seen.signs}"
    assert seen.record is None or seen.record.environment["isolation"] == WEAK.isolation


def test_many_attacks_succeed_with_the_walls_down() -> None:
    assert len(WEAKLY) >= 50
