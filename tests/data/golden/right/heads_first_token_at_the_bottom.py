import matplotlib.pyplot as plt


def plot_heads(weights, tokens, heads=(0, 1)):
    """rows are still queries; the first one is drawn at the bottom, and labelled so"""
    f, axarr = plt.subplots(len(heads), sharex=False, sharey=False, figsize=(4, 4 * len(heads)))
    axarr = axarr if hasattr(axarr, "__len__") else [axarr]
    i = 0
    while i < len(heads):
        a = axarr[i]
        a.imshow(weights[heads[i]].detach().cpu().float().numpy(), origin="lower", cmap=plt.cm.gray_r)
        a.set_xticks(range(len(tokens)))
        a.set_yticks(range(len(tokens)))
        a.set_xticklabels(tokens)
        a.set_yticklabels(tokens)
        a.set_title("head " + repr(int(heads[i])), loc="left", fontweight="bold")
        i += 1
    f.subplots_adjust(hspace=0.6)
    return f
