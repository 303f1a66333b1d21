"""Step `module`: multi-head self-attention as a module."""

from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Multi-head self-attention with weights W_q, W_k, W_v (or one W_qkv) and W_o, no bias and no dropout.

    ValueError when constructed with a `d_model` that `num_heads` does not divide.

    By hand: a sequence of one token attends only to itself, so its answer is x W_V W_O, whatever
    W_Q and W_K are. With W_V = 2·I and W_O = 3·I, x = [[[1, 5]]] gives [[[6, 30]]].
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        # TODO(module): make the weights here, use them in forward.
        raise NotImplementedError("module: not written yet")

    def forward(self, x: Tensor) -> Tensor:
        """Every token attends to all tokens: x (B, T, d_model) -> (B, T, d_model)."""
        raise NotImplementedError("module: not written yet")
