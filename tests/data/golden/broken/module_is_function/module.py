def MultiHeadAttention(d_model, num_heads):
    return d_model // num_heads
