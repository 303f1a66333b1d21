from __future__ import annotations

import pytest

from tests.peers.school import PYTHON


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without the peers these are skipped, unless they were asked for by name."""
    if config.option.markexpr.startswith("bundles") or PYTHON.exists():
        return
    for item in items:
        if "bundles" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="no peers: `make test-bundles` installs them"))
