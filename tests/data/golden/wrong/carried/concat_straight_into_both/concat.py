"""Put the heads side by side again."""


def concat(heads):
    batch, num_heads, tokens, width = heads.shape
    return heads.reshape(batch, tokens, num_heads * width)
