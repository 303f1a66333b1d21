NEG_INF = float("-inf")
ZERO = 0.0
UNUSED = {"dropout": None}
