"""Which numbers of which reactions are arbitrary, where loops have more rows than they need.

Forces of redundant rows can balance each other without moving anything. They are the null space of the transposed
gradient of all rows; what such a balance does to a joint's child, in the joint's axes, may be added to its reaction.
The exported text gives the reactions of the rows that its solver keeps; the simulator shares them out by least norm
(symvi/simulate/reactions.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from symvi.mechanism import Mechanism
from symvi.physics.multibody import MultibodySystem
from symvi.simulate.plan import Plan
from symvi.simulate.reactions import gradients, in_joint_axes

__all__ = ["undetermined_components"]

NEGLIGIBLE = 1e-6  # of the largest singular value, and of the largest force in a balance


def undetermined_components(
    mechanism: Mechanism, plan: Plan, placements: Iterable[Sequence]
) -> dict[str, tuple[int, ...]]:
    """Joint -> those of the six numbers of its reaction that are not unique; joints as in `Trajectory.undetermined`.

    placements: (x (n, 3), q (n, 4)) of all bodies, closed; a number counts that is arbitrary in one of them.
    """
    names = [name for name in plan.reactions if name in plan.notes["undetermined"]]
    if not names:
        return {}
    bodies = {body.name: k for k, body in enumerate(mechanism.bodies)}
    x, q = (np.array(numbers, float) for numbers in zip(*placements, strict=True))
    models = MultibodySystem(mechanism).in_joint_axes
    gradient = np.concatenate([gradients(model, bodies, x, q) for model in models], axis=1)
    units = np.array([1.0] * 3 + [1.0 / plan.notes["size"]] * 3)  # a torque as a force at this distance
    arbitrary = dict.fromkeys(names, np.zeros(6, bool))
    for matrix, turned in zip(gradient, q, strict=True):
        balances = _balances(matrix * np.tile(units, len(bodies)))
        forces = {
            name: np.abs(wrenches * units)
            for name, wrenches in _reactions(models, matrix, balances, bodies, turned)
            if name in arbitrary
        }
        largest = max(np.max(force, initial=0.0) for force in forces.values())
        for name, force in forces.items():
            arbitrary[name] = arbitrary[name] | (force > NEGLIGIBLE * largest).any(axis=0)
    return {name: tuple(map(int, np.flatnonzero(arbitrary[name]))) for name in names}


def _balances(matrix: np.ndarray) -> np.ndarray:
    """(rows, k): forces of rows that add up to nothing on every body."""
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    scale = np.where(norms > 0.0, norms, 1.0)
    left, values, _ = np.linalg.svd(matrix / scale)
    return left[:, int((values > NEGLIGIBLE * values[0]).sum()) :] / scale


def _reactions(models, matrix, balances, bodies, turned) -> Iterator[tuple[str, np.ndarray]]:
    """Joint, and (k, 6) what each balance does to its child at the anchor, in joint axes."""
    row = 0
    for model in models:
        own = slice(row, row + model.rows)
        row += model.rows
        if model.frame:
            place = 6 * bodies[model.bodies["b"]]
            wrenches = balances[own].T @ matrix[own, place : place + 6]
            yield model.name, in_joint_axes(model, wrenches, bodies, np.repeat(turned[None], len(wrenches), axis=0))
