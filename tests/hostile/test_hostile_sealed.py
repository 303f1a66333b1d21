"""Every attack through the whole command where root grades in namespaces."""

from __future__ import annotations

import pytest

from .packs import Pack
from .places import Stage
from .suite import PACKS, holds, level

pytestmark = pytest.mark.hostile


@pytest.mark.one_in(3)
@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
def test_nothing_is_gained_where_root_grades_sealed(copy: Stage, pack: Pack) -> None:
    holds(pack, level("root-sealed"), copy)
