import matplotlib.pyplot as plt


def plot_heads(weights, tokens, heads=(0, 1)):
    fig, axes = plt.subplots(1, len(heads), squeeze=False)
    for i, head in enumerate(heads):
        ax = axes[0, i]
        ax.imshow(weights[head].detach().float().cpu(), cmap="viridis")
        ax.set_xticks(range(len(tokens)), labels=tokens, rotation=90)
        ax.set_yticks(range(len(tokens)), labels=tokens)
        ax.set_title(f"Head {i}")
    return fig
