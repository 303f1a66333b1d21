"""Step `attend`: scaled dot-product attention, each head on its own."""

from torch import Tensor


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Of q (B, h, Tq, d_k), k (B, h, Tk, d_k), v (B, h, Tk, d_v) the heads (B, h, Tq, d_v) and the weights.

    The weights are (B, h, Tq, Tk): one row for each query, which sums to 1.

    `mask` is boolean, True = may be attended to, and broadcasts to (B, h, Tq, Tk).
    A query with nothing to attend to has zero weights and a zero head, never NaN.

    By hand, d_k = 4, one query [2, 0, 0, 0], two keys [ln 3, 0, 0, 0] and [0, 0, 0, 0], values [8] and [4]:
    the scaled scores are ln 3 and 0, the weights 3/4 and 1/4, the head 3/4 · 8 + 1/4 · 4 = [7].
    With mask [True, False] the weights are 1 and 0, and the head is [8].
    """
    # TODO(attend): scores, mask, softmax, weighted sum.
    raise NotImplementedError("attend: not written yet")
