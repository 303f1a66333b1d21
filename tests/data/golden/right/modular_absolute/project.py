"""Step 1: project, and split into heads."""
import torch


def project(x: torch.Tensor, w: torch.Tensor, num_heads: int) -> torch.Tensor:
    """x (B, T, d_model), w (d_model, h*d_k) -> (B, h, T, d_k)"""
    batch, tokens, _ = x.shape
    if w.shape[1] % num_heads != 0:
        raise ValueError(f"num_heads ({num_heads}) must divide the number of columns of w ({w.shape[1]})")
    return (x @ w).reshape(batch, tokens, num_heads, w.shape[1] // num_heads).transpose(1, 2)
