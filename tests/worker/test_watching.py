from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.lesson.probes import Draw, Probe, call
from grader.worker.perform import perform

X = Draw(3, "x").normal(2, 4, 8)


def operations(f: Any, count: bool = True) -> Any:
    asked = Probe("p", "s", frozenset(), "", {"x": X}, (call("f", "x", to="y"),), (), count=count)
    return perform(asked.letter(), {"f": f}, set(), False)["operations"]


def test_operations_are_counted() -> None:
    assert operations(lambda x: x) == 0
    assert operations(lambda x: x + 1) == 1
    assert operations(lambda x: ((x * 2) @ x.mT).softmax(-1)) > 3
    assert operations(lambda x: x + 1, count=False) is None


def test_a_loop_costs_operations_and_a_batched_product_does_not() -> None:
    def loop(x: Tensor) -> Tensor:
        return torch.stack([x[:, n].softmax(-1) for n in range(x.shape[1])])

    assert operations(loop) > operations(lambda x: loop(x[:, :2])) + 2
    assert operations(lambda x: x.softmax(-1)) == operations(lambda x: x.softmax(-1) if len(x) else x)
