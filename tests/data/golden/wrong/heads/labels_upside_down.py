from matplotlib.figure import Figure


def plot_heads(weights, tokens, heads=(0, 1)):
    fig = Figure()
    for place, head in enumerate(heads, start=1):
        ax = fig.add_subplot(1, len(heads), place)
        ax.imshow(weights[head].detach().float().cpu().numpy())
        ax.set_xticks(range(len(tokens)), labels=tokens)
        ax.set_yticks(range(len(tokens)), labels=tokens[::-1])
        ax.set_title(f"head {head}")
    return fig
