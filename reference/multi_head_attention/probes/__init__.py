"""The lesson's probes: every question put to a submission, made from one seed.

Sizes are pairwise different and d_model is never h squared, so that no two axes can be mistaken for each
other; the probes tagged `equal` have B = T = h = d_k instead, where wrong code runs that crashes elsewhere.
"""

from __future__ import annotations

from grader.probes import Probe

from . import attend, cost, cross, heads, join, library, module, project


def probes(seed: int) -> list[Probe]:
    """All probes of all steps, in the steps' order."""
    parts = (project, attend, join, module, cross, library, cost, heads)
    return [probe for part in parts for probe in part.probes(seed)]
