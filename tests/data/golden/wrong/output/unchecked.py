def output(concatenated, w_o):
    return concatenated @ w_o
