"""The output projection, without a check."""


def output(concatenated, w_o):
    return concatenated @ w_o
