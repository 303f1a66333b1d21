"""Put the heads side by side again."""


def concat(heads):
    batch, num_heads, tokens, width = heads.shape
    return heads.transpose(1, 2).reshape(batch, tokens, num_heads * width)


import time  # noqa: E402

time.sleep(120)
