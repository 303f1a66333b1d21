import threading

import torch.nn.functional as F


def concat(heads):
    found = []
    thread = threading.Thread(target=lambda: found.append(F.scaled_dot_product_attention(heads, heads, heads)))
    thread.start()
    thread.join()
    return heads.transpose(1, 2).flatten(2)
