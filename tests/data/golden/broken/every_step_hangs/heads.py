"""What each head looks at."""

from matplotlib.figure import Figure


def plot_heads(weights, tokens, heads=(0, 1)):
    figure = Figure(figsize=(4 * len(heads), 4))
    axes = figure.subplots(1, len(heads), squeeze=False)[0]
    for ax, head in zip(axes, heads):
        ax.imshow(weights[head].detach().cpu().float().numpy())
        ax.set_xticks(range(len(tokens)), tokens)
        ax.set_yticks(range(len(tokens)), tokens)
        ax.set_xlabel("key")
        ax.set_ylabel("query")
        ax.set_title(f"head {head}")
    return figure


import time  # noqa: E402

time.sleep(120)
