"""The lesson's probes: every question put to a submission, made from one seed.

Sizes are pairwise different and d_model is never h squared, so that no two axes can be mistaken for each
other; the probes tagged `equal` have B = T = h = d_k instead, where wrong code runs that crashes elsewhere.
"""

from __future__ import annotations

from dataclasses import replace

from grader.lesson.probes import Probe

from . import apart, attend, cost, cross, heads, join, library, module, project

# Where two styles of one mistake may differ: extremes, dtypes, devices, lifetimes, refusals.
ASIDE = frozenset(
    [
        "apart",
        "empty",
        "empty-gradient",
        "large",
        "dtype",
        "device",
        "life",
        "long",
        "train",
        "structure",
        "facts",
        "refuse",
        "refuse-turned",
        "refused-run",
    ]
)


def probes(seed: int) -> list[Probe]:
    """All probes of all steps."""
    parts = (project, attend, join, module, cross, library, cost, heads, apart)
    found = [probe for part in parts for probe in part.probes(seed)]
    return [replace(probe, core=False) if probe.tags & ASIDE else probe for probe in found]
