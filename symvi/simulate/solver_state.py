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


def carried(q: np.ndarray, vectors: np.ndarray, back: bool = False) -> np.ndarray:
    """(K, n, 3) vectors (K, n, 3) or (n, 3) from body axes into world axes, by orientations (K, n, 4), or back.

    The bits of `rotated` by these rotation matrices, or by their transposes, entry by entry: no matrix is made.
    """
    w, x, y, z = np.ascontiguousarray(np.moveaxis(q, -1, 0))
    v = np.ascontiguousarray(np.moveaxis(np.broadcast_to(vectors, (*q.shape[:-1], 3)), -1, 0))
    xx, yy, zz, xy, xz, yz, wx, wy, wz = x * x, y * y, z * z, x * y, x * z, y * z, w * x, w * y, w * z
    matrix = (
        (1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)),
        (2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)),
        (2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)),
    )
    found = np.empty((*q.shape[:-1], 3))
    for i, (a, b, c) in enumerate(zip(*matrix, strict=True) if back else matrix):
        found[..., i] = (a * v[0] + b * v[1]) + c * v[2]
    return found


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
