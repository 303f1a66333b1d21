from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # two threads make a tiny attention slower, never faster
os.environ.setdefault("MPLBACKEND", "Agg")
# A shell starts what it puts in the background deaf to Ctrl-C, and so would be all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST = (
    "test_golden_wrong.py",
    "test_broken_work.py",
    "test_second.py",
    "test_evasions.py",
    "test_reported_cases.py",
    "test_hostile_bites.py",
    "test_lessons.py",
    "test_hostile_confined.py",
    "test_hostile_sealed.py",
    "test_golden_right.py",
    "test_bundle.py",
    "test_classroom_week.py",
    "test_hints.py",
    "test_hogs.py",
    "test_faults.py",
    "test_properties.py",
    "test_audit_real.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files first, so that none is left for one process at the end; gpu tests need a GPU.

    Without a CUDA device those are skipped, unless they were asked for by name. Of a long row of the same kind,
    marked `one_in(n)` or `one_in(n, first)`, all but every nth case are `thorough`.
    """
    counted: Counter[tuple[str, str]] = Counter()
    for item in items:
        mark = item.get_closest_marker("one_in")
        if mark is not None:
            row = str(item.path), item.name.split("[")[0]
            count, first = (*mark.args, 0)[:2]
            if counted[row] % count != first:
                item.add_marker(pytest.mark.thorough)
            counted[row] += 1
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
    gpu = [item for item in items if "gpu" in item.keywords]
    if not gpu or config.option.markexpr == "gpu":
        return
    import torch

    if not torch.cuda.is_available():
        for item in gpu:
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))


@pytest.fixture(autouse=True)
def open_to_ctrl_c() -> Iterator[None]:
    """Whoever leaves this process deaf to Ctrl-C makes all deaf that it starts, tests away: told where it happens."""
    before = signal.getsignal(signal.SIGINT)
    yield
    after = signal.signal(signal.SIGINT, before)
    assert after is before, f"this test left {after} as what Ctrl-C does"
