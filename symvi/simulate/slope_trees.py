"""Steps that are linearised by the generated function whole: the same matrices in a tenth of the time that scripts take
when Python calls them one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.simulate.slope_native import NativeSlopes

if TYPE_CHECKING:
    from symvi.numbers.control import SolverOptions
    from symvi.simulate.linearize import Linearizer

Array = NDArray[np.float64]
ALIVE = ("planar_axis", "cylindrical")  # joints of several coordinates, along and about axes that do not turn with them


def is_plain(linearizer: Linearizer) -> bool:
    """Whether the generated function makes the matrices of a linearizer: without parameters, and steps that are taken
    in parts; of a tree by all coordinates of joints that are nowhere at a dead centre."""
    if linearizer.moving.names:
        return False
    slopes = linearizer.slopes
    looks = isinstance(slopes, NativeSlopes) and slopes.takes_coordinates()  # for dead centres itself
    return looks or has_no_singular_position(linearizer)


def has_no_singular_position(linearizer: Linearizer) -> bool:
    """Whether coordinates are those of all joints of a tree, each nowhere dead, so that no rank falls."""
    slopes, chosen, notes = linearizer.slopes, linearizer.chosen, linearizer.plan.notes["motion"]
    if not isinstance(slopes, NativeSlopes):
        return False
    alive = all(len(note["kinds"]) == 1 or note["text"].split(":")[0] in ALIVE for note in notes)
    whole = alive and all(each.joint for each in chosen) and len(chosen) == sum(len(note["kinds"]) for note in notes)
    return whole and slopes.has_linearize() and not slopes.takes_coordinates()


def matrices(linearizer: Linearizer, state: Array, inputs: Array, options: SolverOptions) -> tuple[Array, Array] | None:
    """(A, B) of a step that is taken whole, in the order of the chosen coordinates; None where it has none."""
    slopes = linearizer.slopes
    assert isinstance(slopes, NativeSlopes)
    slopes.enter(state, inputs)
    every, chosen = len(linearizer.near), linearizer.chosen
    numbers = [linearizer._place_of(each) if each.joint else every + 6 * each.node + each.entry for each in chosen]
    if linearizer.smoothing is not None:
        options = replace(options, complementarity=linearizer.smoothing)
    status, a, b = slopes.linearize(options, linearizer.near, numbers)
    if status != 0 or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return None
    if slopes.takes_coordinates():
        return a, b
    places = [linearizer._place_of(each) for each in linearizer.chosen]
    order = [*places, *(len(places) + k for k in places), *range(2 * len(places), len(a))]
    return a[np.ix_(order, order)], b[order]
