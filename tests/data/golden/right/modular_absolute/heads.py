"""Step 9: look at them."""
import matplotlib.pyplot as plt


def plot_heads(weights, tokens, heads=(0, 1)):
    fig, axes = plt.subplots(1, len(heads), figsize=(4 * len(heads), 4), squeeze=False)
    for ax, head in zip(axes.flat, heads):
        image = ax.imshow(weights[head].detach().cpu().double().numpy(), vmin=0.0, vmax=1.0)
        ax.set_xticks(range(len(tokens)), labels=tokens, rotation=45)
        ax.set_yticks(range(len(tokens)), labels=tokens)
        ax.set_xlabel("keys")
        ax.set_ylabel("queries")
        ax.set_title(f"Head {head}")
    fig.colorbar(image, ax=list(axes.flat))
    return fig
