from torch import nn


class MultiHeadAttention(nn.MultiheadAttention):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads, bias=False, batch_first=True)
        self.W_o = self.out_proj

    def forward(self, x):
        return super().forward(x, x, x, need_weights=False)[0]
