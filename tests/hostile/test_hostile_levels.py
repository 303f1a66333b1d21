"""Every attack at the other levels that a machine can be put at; `make test-hostile` runs these too."""

from __future__ import annotations

import pytest

from .levels import LEVELS
from .packs import Pack
from .places import Stage
from .suite import PACKS, holds, level

pytestmark = [pytest.mark.hostile, pytest.mark.levels]
ELSEWHERE = ("root-sealed", "user-confined")


@pytest.mark.parametrize("name", [each.name for each in LEVELS if each.name not in ELSEWHERE])
@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
def test_nothing_is_gained_at_any_other_level(copy: Stage, pack: Pack, name: str) -> None:
    holds(pack, level(name), copy)
