"""Bodies as the solver keeps them: by their centres of mass, all velocities in world axes."""

from __future__ import annotations

import numpy as np

from symvi.mechanism import Mechanism
from symvi.mechanism.state import State
from symvi.simulate.turns import rotation_matrices


def rotated(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Products in a fixed order, without BLAS: start states must have the same bits everywhere."""
    return (matrices[..., 0] * vectors[..., None, 0] + matrices[..., 1] * vectors[..., None, 1]) + matrices[
        ..., 2
    ] * vectors[..., None, 2]


def centers(mechanism: Mechanism) -> np.ndarray:
    """Centres of mass in the body frames [m]."""
    return np.array([body.center_of_mass for body in mechanism.bodies], float)


def solver_state(mechanism: Mechanism, state: State) -> dict[str, np.ndarray]:
    """x, q, v, w of every body as the solver keeps them."""
    rotation = rotation_matrices(state.orientation)
    return {
        "x": state.position + rotated(rotation, centers(mechanism)),
        "q": state.orientation,
        "v": state.velocity,
        "w": rotated(rotation, state.angular_velocity),
    }
