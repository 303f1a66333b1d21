"""Step `cross`: one attention module, wired for self-attention or for cross-attention."""

from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """The class of step `module`, with query, key and value given apart, and a mask (B, Tq, Tk) or (Tq, Tk).

    By hand: where there is one key only, every query gives it weight 1, so every row of the answer is
    value W_V W_O. With W_V = W_O = I, value = [[[1, 2]]] and three query tokens: [[[1, 2], [1, 2], [1, 2]]].
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        # TODO(cross): write this class, then wire it in the two functions below.
        raise NotImplementedError("cross: not written yet")

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """For query (B, Tq, d_model), and key and value (B, Tk, d_model) -> (B, Tq, d_model)."""
        raise NotImplementedError("cross: not written yet")


def self_attention(mha: MultiHeadAttention, x: Tensor) -> Tensor:
    """Every token of x attends to x: (B, T, d_model) -> (B, T, d_model)."""
    raise NotImplementedError("cross: not written yet")


def cross_attention(mha: MultiHeadAttention, target: Tensor, memory: Tensor) -> Tensor:
    """Every target token attends to the memory: (B, Tq, d_model), (B, Tk, d_model) -> (B, Tq, d_model)."""
    raise NotImplementedError("cross: not written yet")
