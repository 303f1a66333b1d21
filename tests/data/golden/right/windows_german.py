# Übung 10.1 – Mehrkopf-Aufmerksamkeit
# Datei wurde unter Windows geschrieben (BOM, CRLF)
import math
import torch
import torch.nn as nn
import matplotlib.pyplot as plt


def project(eingabe, gewichte, köpfe):
    """Projiziert und teilt in Köpfe auf."""
    breite = gewichte.shape[1]
    if breite % köpfe != 0:
        raise ValueError(f"{breite} Spalten lassen sich nicht auf {köpfe} Köpfe verteilen")
    größe = breite // köpfe
    return (eingabe @ gewichte).view(eingabe.shape[0], eingabe.shape[1], köpfe, größe).transpose(1, 2)


def attend(anfragen, schlüssel, werte, mask=None):
    bewertung = anfragen @ schlüssel.transpose(-2, -1) / math.sqrt(anfragen.shape[-1])
    if mask is not None:
        bewertung = bewertung.masked_fill(~mask, torch.finfo(bewertung.dtype).min)
    gewichtung = torch.softmax(bewertung, dim=-1)
    if mask is not None:
        # eine Anfrage, die nichts sehen darf, bekommt lauter Nullen
        gewichtung = gewichtung.masked_fill(~mask, 0.0)
    return gewichtung @ werte, gewichtung


def concat(köpfe):
    return köpfe.transpose(1, 2).flatten(2)


def output(verkettet, ausgang):
    if verkettet.shape[-1] != ausgang.shape[0]:
        raise ValueError(f"Breite {verkettet.shape[-1]} paßt nicht zu {ausgang.shape[0]} Zeilen")
    return verkettet @ ausgang


class MultiHeadAttention(nn.Module):
    def __init__(self, breite, köpfe):
        super().__init__()
        assert breite % köpfe == 0, "geht nicht auf"
        self.köpfe = köpfe
        self.W_q = nn.Linear(breite, breite, bias=False)
        self.W_k = nn.Linear(breite, breite, bias=False)
        self.W_v = nn.Linear(breite, breite, bias=False)
        self.W_o = nn.Linear(breite, breite, bias=False)

    def forward(self, x):
        q, k, v = (project(x, W.weight.T, self.köpfe) for W in (self.W_q, self.W_k, self.W_v))
        return self.W_o(concat(attend(q, k, v)[0]))


def plot_heads(gewichte, wörter, heads=(0, 1)):
    bild, achsen = plt.subplots(nrows=1, ncols=len(heads), squeeze=False, constrained_layout=True)
    for achse, nummer in zip(achsen.ravel(), heads):
        achse.imshow(gewichte[nummer].detach().to(torch.float64).numpy(), cmap="magma")
        achse.set_xticks(range(len(wörter)))
        achse.set_yticks(range(len(wörter)))
        achse.set_xticklabels(wörter, rotation=60, ha="right")
        achse.set_yticklabels(wörter)
        achse.set_xlabel("Schlüssel")
        achse.set_ylabel("Anfrage")
        achse.set_title(f"Kopf {nummer}", loc="left")
    return bild
