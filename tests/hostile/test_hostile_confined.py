"""Every attack through the whole command where an ordinary user grades without namespaces."""

from __future__ import annotations

import pytest

from .packs import Pack
from .places import Stage
from .suite import PACKS, holds, level

pytestmark = pytest.mark.hostile


@pytest.mark.one_in(3, 1)
@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.name)
def test_nothing_is_gained_where_a_user_grades_confined(copy: Stage, pack: Pack) -> None:
    holds(pack, level("user-confined"), copy)
