import torch
from torch import Tensor, nn


def project(x: Tensor, w: Tensor, num_heads: int) -> Tensor:
    if w.size(-1) % num_heads != 0:
        raise ValueError(f"w.size(-1)={w.size(-1)} is not a multiple of {num_heads}")
    return (x @ w).unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    scores = q @ k.mT * (1.0 / q.size(-1)) ** 0.5
    if mask is None:
        weights = scores.softmax(-1)
        return weights @ v, weights
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    weights = torch.where(mask, weights, torch.zeros_like(weights))
    return weights @ v, weights


def concat(heads: Tensor) -> Tensor:
    return heads.transpose(-3, -2).flatten(-2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} is not a multiple of {num_heads}")
        self.num_heads = num_heads
        self.W_qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.W_qkv(x).unflatten(-1, (3, self.num_heads, -1)).movedim(-3, 0).transpose(-3, -2)
        heads, _ = attend(q, k, v)
        return self.W_o(heads.transpose(1, 2).flatten(2))


class MultiHeadAttention(nn.Module):  # type: ignore[no-redef]
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model} is not a multiple of {num_heads}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        shape = (self.num_heads, -1)
        q = self.W_q(query).unflatten(2, shape).transpose(1, 2)
        k = self.W_k(key).unflatten(2, shape).transpose(1, 2)
        v = self.W_v(value).unflatten(2, shape).transpose(1, 2)
        if mask is not None and mask.ndim == 3:
            mask = mask[:, None, :, :]
        heads, _ = attend(q, k, v, mask)
        return self.W_o(concat(heads))


def self_attention(mha: nn.Module, x: Tensor) -> Tensor:
    return mha(x, x, x)


def cross_attention(mha: nn.Module, target: Tensor, memory: Tensor) -> Tensor:
    return mha(target, memory, memory)
