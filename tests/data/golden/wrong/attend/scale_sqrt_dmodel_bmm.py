import torch


def attend(query, key, value, mask=None):
    bsz, heads, tgt, hd = query.shape
    src = key.shape[2]
    embed_dim = heads * hd
    q = query.reshape(bsz * heads, tgt, hd) * embed_dim ** -0.5
    k = key.reshape(bsz * heads, src, hd)
    v = value.reshape(bsz * heads, src, value.shape[3])
    logits = torch.bmm(q, k.transpose(1, 2)).view(bsz, heads, tgt, src)
    if mask is not None:
        logits = logits.masked_fill(mask.logical_not(), float("-inf"))
    w = logits.softmax(-1).nan_to_num(0.0)
    ctx = torch.bmm(w.view(bsz * heads, tgt, src), v)
    return ctx.view(bsz, heads, tgt, -1), w
