"""Inputs of one of the equal parts of a step, or of an inner step, and their tangents: targets go at an even rate from
those of the knot before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symvi.simulate.plan import Plan
from symvi.simulate.slope_layout import SlopeLayout

Array = NDArray[np.float64]


def aims(plan: Plan, state: Array, inputs: Array, share: float) -> Array:
    """Inputs of the part that ends at a share of the step."""
    found, kept = inputs.copy(), plan.fields["state"]
    for name, (a, size) in plan.fields["input"].items() if share != 1.0 else ():
        if name in kept:
            rows, before = slice(a, a + size), state[kept[name][0] : kept[name][0] + size]
            found[rows] = before + share * (inputs[rows] - before)
    return found


def driven_to(plan: Plan, layout: SlopeLayout, driven: Array, seeds: Array, share: float) -> Array:
    """Tangents of these inputs, (inputs, columns), from those of the step's and of the state at its first knot."""
    found = driven.copy()
    for name, (a, size) in plan.fields["input"].items() if share != 1.0 else ():
        if name in plan.fields["state"]:
            kind, index, field = name.split("/")
            kept, rows = seeds[layout.at("state", kind, int(index), field)], slice(a, a + size)
            found[rows] = kept + share * (driven[rows] - kept)
    return found
