"""Step `output`: mix the joined heads with W_O."""

from torch import Tensor


def output(concatenated: Tensor, w_o: Tensor) -> Tensor:
    """Back to the residual stream: (B, T, h·d_v), (h·d_v, d_model) -> (B, T, d_model).

    Widths that do not fit: ValueError that names both.

    By hand, one token: [[[1, 2]]] with w_o = [[1, 0, 1],
                                               [0, 1, 1]]
    is [[[1, 2, 3]]]: the last number has something of both heads in it.
    """
    # TODO(output): check the widths, then mix.
    raise NotImplementedError("output: not written yet")
