from __future__ import annotations

import os
import signal

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # two threads make a tiny attention slower, never faster
os.environ.setdefault("MPLBACKEND", "Agg")
# A shell starts what it puts in the background deaf to Ctrl-C, and so would be all that the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without a CUDA device the gpu tests are skipped, unless they were asked for by name."""
    gpu = [item for item in items if "gpu" in item.keywords]
    if not gpu or config.option.markexpr == "gpu":
        return
    import torch

    if not torch.cuda.is_available():
        for item in gpu:
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))
