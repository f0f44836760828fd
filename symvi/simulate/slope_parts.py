"""Inputs of one of the equal parts of a step, or of an inner step, and their tangents: targets go at an even rate from
those of the knot before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symvi.numbers.composition import composition_of
from symvi.simulate.plan import Plan
from symvi.simulate.slope_layout import SlopeLayout

Array = NDArray[np.float64]


def ends(plan: Plan, parts: int) -> list[float]:
    """Where the parts of a step end, or the inner steps of all parts, as shares of it."""
    composition = composition_of(plan.notes.get("composition", 2))
    inner = [float(end) for end in composition.times] if composition else [1.0]
    return [(part + end) / parts for part in range(parts) for end in inner]


def put_lengths(plan: Plan, state: Array, step: float) -> None:
    """Into a state, the lengths of the last steps of a motion in steps of this length [s], or of its inner steps."""
    composition = composition_of(plan.notes.get("composition", 2))
    shares = [float(share) for share in composition.shares[:-4:-1]] if composition else [1.0] * 3
    for name, share in zip(("before", "earlier", "earliest"), shares, strict=True):
        if f"common/0/{name}" in plan.fields["state"]:
            state[plan.at("state", "common", 0, name)] = share * step


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


def with_lengths(plan: Plan, state: Array, ahead: Array) -> Array:
    """A state with the lengths of steps, which control hands on, of another."""
    found = state.copy()
    for name, (offset, size) in plan.fields["state"].items():
        if name.startswith("common/"):
            found[offset : offset + size] = ahead[offset : offset + size]
    return found
