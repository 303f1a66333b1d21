def attend(q, k, v, mask=None):
    return attend(q, k, v, mask)
