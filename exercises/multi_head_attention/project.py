"""Step `project`: project the residual stream, and split the result into heads."""

from torch import Tensor


def project(x: Tensor, w: Tensor, num_heads: int) -> Tensor:
    """Queries, keys or values of every head: x (B, T, d_model), w (d_model, h·d_k) -> (B, h, T, d_k).

    Column block i of `w` belongs to head i. ValueError when `num_heads` does not divide the columns of `w`.

    By hand, one token and two heads: x = [[[1, 2]]] and w = [[1, 0, 2, 0],
                                                              [0, 1, 0, 2]]
    give x w = [1, 2, 2, 4]: head 0 gets [1, 2] and head 1 gets [2, 4], so the
    answer is [[[[1, 2]], [[2, 4]]]].
    """
    # TODO(project): one matrix product, then the axes.
    raise NotImplementedError("project: not written yet")
