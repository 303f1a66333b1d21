import matplotlib.pyplot as plt


def plot_heads(weights, tokens, heads=(0, 1)):
    places = {}
    for place, token in enumerate(tokens):
        places.setdefault(token, place)
    fig, axes = plt.subplots(1, len(heads), squeeze=False)
    for ax, head in zip(axes.flat, heads):
        ax.imshow(weights[head].detach().float().cpu().numpy())
        ax.set_xticks(list(places.values()), labels=list(places))
        ax.set_yticks(list(places.values()), labels=list(places))
        ax.set_title(f"head {head}")
    return fig
