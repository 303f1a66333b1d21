"""Step `library`: the same attention, by PyTorch's own module."""

from torch import Tensor, nn


def to_library(w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor, num_heads: int) -> nn.MultiheadAttention:
    """A batch-first nn.MultiheadAttention without bias, in eval mode, that computes the formula.

    The weights are (d_model, d_model), in the formula's orientation (in, out).

    By hand: one token attends only to itself, so with w_v = [[1, 1], [0, 1]], w_o = I and x = [[[2, 3]]]
    the module must answer x w_v = [[[2, 5]]]; [[[5, 3]]] would be the transposed weight.
    """
    # TODO(library): copy the weights over; then translate the mask below.
    raise NotImplementedError("library: not written yet")


def library_mask(mask: Tensor, num_heads: int) -> Tensor:
    """The `attn_mask` with the effect of `mask`: (B, Tq, Tk) boolean, True = may be attended to.

    By hand: mask (2, 4, 5) with 3 heads has to tell 2 · 3 = 6 score matrices of (4, 5) what to hide.
    """
    raise NotImplementedError("library: not written yet")
