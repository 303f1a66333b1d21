"""Step `cost`: what multi-head attention costs, in parameters and in floating-point operations."""


def parameter_count(d_model: int, num_heads: int) -> int:
    """The number of trainable numbers in W_Q, W_K, W_V and W_O together.

    ValueError when `num_heads` does not divide `d_model`.

    By hand: parameter_count(6, 2) is 144.
    """
    # TODO(cost): count the weights here, the matrix products below.
    raise NotImplementedError("cost: not written yet")


def flop_count(batch: int, tokens: int, d_model: int, num_heads: int) -> int:
    """The operations in the matrix products of one self-attention forward; a multiply-add is 2.

    ValueError when `num_heads` does not divide `d_model`.

    By hand: flop_count(1, 2, 4, 2) is 320. Of these, 256 belong to the four weights
    and 64 to the products of the heads.
    """
    raise NotImplementedError("cost: not written yet")
