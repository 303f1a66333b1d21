"""Step `concat`: join the heads."""

from torch import Tensor


def concat(heads: Tensor) -> Tensor:
    """The heads side by side, head 0 first: (B, h, T, d_v) -> (B, T, h·d_v).

    By hand, two heads, two tokens, d_v = 1: head 0 says [1] for token 0 and [2] for token 1,
    head 1 says [3] and [4], so heads = [[[[1], [2]], [[3], [4]]]].
    Token 0 then has the row [1, 3] and token 1 the row [2, 4]: the answer is [[[1, 3], [2, 4]]].
    """
    # TODO(concat): undo the split of `project`.
    raise NotImplementedError("concat: not written yet")
