import matplotlib.pyplot as plt


def plot_heads(weights, tokens, heads=(0, 1)):
    fig, axes = plt.subplots(1, len(heads), squeeze=False)
    for ax, head in zip(axes.flat, heads):
        ax.pcolormesh(tokens, tokens, weights[head].detach().float().cpu().numpy())
        ax.invert_yaxis()
        ax.set_title(f"head {head}")
    return fig
