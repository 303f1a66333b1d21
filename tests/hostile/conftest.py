"""What the hostile suite's files share: one copy of the project for all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from .places import Stage, stage


@pytest.fixture(scope="session")
def copy() -> Iterator[Stage]:
    """A copy of the project with canaries in its hidden parts."""
    if not sys.platform.startswith("linux"):
        pytest.skip("the jail's walls are Linux's")
    with stage() as made:
        yield made
