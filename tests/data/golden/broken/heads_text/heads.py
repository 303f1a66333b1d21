def plot_heads(weights, tokens, heads=(0, 1)):
    return "a lovely figure"
