# nn.MultiheadAttention does the same thing, but we were told to write it ourselves.
# F.scaled_dot_product_attention would be faster, too.
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

print("torch", torch.__version__)
print("cuda available:", torch.cuda.is_available())
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
SANITY = torch.randn(2, 3, 4, device=DEVICE)


class NotNeeded(nn.Module):
    """my first try, kept for sentimental reasons"""

    def __init__(self):
        super().__init__()
        self.mha = nn.MultiheadAttention(8, 2)

    def forward(self, x):
        return self.mha(x, x, x)[0]


class LayerNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.g = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True) * self.g


def attend(q, k, v, mask=None):
    # print(q.shape, k.shape, v.shape)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == False, torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == False, 0)
    print("attend:", tuple(weights.shape))
    return weights @ v, weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0: raise ValueError('d_model %% num_heads != 0: %d %d' % (d_model, num_heads))
        self.num_heads=num_heads; self.d_k=d_model//num_heads
        self.W_qkv=nn.Linear(d_model,3*d_model,bias=False); self.W_o=nn.Linear(d_model,d_model,bias=False)

    def forward(self, x):
        B,T,D=x.shape
        q,k,v=self.W_qkv(x).view(B,T,3,self.num_heads,self.d_k).permute(2,0,3,1,4)
        h,_=attend(q,k,v)
        return self.W_o(h.transpose(1,2).reshape(B,T,D))


if __name__ == "__main__":
    x = torch.randn(2, 10, 64)
    mha = MultiHeadAttention(64, 8)
    lib = nn.MultiheadAttention(64, 8, batch_first=True, bias=False)
    lib.load_state_dict({"in_proj_weight": mha.W_qkv.weight, "out_proj.weight": mha.W_o.weight})
    print("max difference:", (mha(x) - lib(x, x, x)[0]).abs().max().item())
    q, k, v = torch.randn(3, 2, 4, 6, 8)
    print((attend(q, k, v)[0] - F.scaled_dot_product_attention(q, k, v)).abs().max())
