"""Two poles, one on top of the other, on a cart that a force drives; gains that balance them, by Riccati equations.

The cart slides along x; a pole's angle is about y and zero where it stands upright, the upper one's relative to the
lower. The state is (cart, lower, upper, and their rates). The step is linearised by the solver itself.
"""

from __future__ import annotations

import numpy as np

from symvi import Actuator, Body, Joint, JointDamper, Mechanism, Rod, Simulator, state_from
from symvi.control.riccati import solution

JOINTS: tuple[str, ...] = ("track", "lower_hinge", "upper_hinge")
LENGTHS = {"lower": 0.4, "upper": 0.6}  # m
FRICTION = {"track": 0.1, "lower_hinge": 1e-4, "upper_hinge": 1e-4}  # N s/m, N m s/rad
STEP = 1e-3
# of the state: 1 / the square of what is tolerable [m, rad, m/s, rad/s], and of the force [N]
STATE_COST, FORCE_COST = (
    np.diag([1 / 0.3, 1 / 0.05, 1 / 0.05, 1 / 1.0, 1 / 0.5, 1 / 0.5]) ** 2,
    np.array([[1 / 20.0]]) ** 2,
)


def balancer() -> Mechanism:
    """What the controller takes the plant for; that has these parameters at other values."""
    poles = [
        Body(name=name, mass=0.2, shape=Rod(length=length, radius=0.01, position=(0, 0, length / 2)))
        for name, length in LENGTHS.items()
    ]
    joints = [
        Joint(name="track", type="prismatic", child="cart", axis=(1, 0, 0)),
        Joint(name="lower_hinge", type="revolute", parent="cart", child="lower", axis=(0, 1, 0)),
        Joint(name="upper_hinge", type="revolute", parent="lower", child="upper", axis=(0, 1, 0),
              parent_anchor=(0, 0, LENGTHS["lower"])),
    ]  # fmt: skip
    dampers = [JointDamper(name=f"{name}_friction", joint=name, damping=damping) for name, damping in FRICTION.items()]
    return Mechanism(
        name="balancer",
        bodies=[Body(name="cart", mass=1.0, inertia=(0.01, 0.01, 0.01)), *poles],
        joints=joints,
        forces=[Actuator(name="motor", joint="track"), *dampers],
    )


def placed(mechanism: Mechanism, state: np.ndarray):
    """Bodies from the six numbers of a state."""
    coordinates: dict[str, float] = dict(zip(JOINTS, state[:3].tolist(), strict=True))
    rates: dict[str, float] = dict(zip(JOINTS, state[3:].tolist(), strict=True))
    return state_from(mechanism, coordinates, velocities=rates)


def read(state) -> np.ndarray:
    """The three coordinates in a state of bodies; all turns are about y."""
    cart, lower, upper = (state.names.index(name) for name in ("cart", "lower", "upper"))
    turns = 2 * np.arctan2(state.orientation[:, 2], state.orientation[:, 0])
    return np.array([state.position[cart, 0], turns[lower], turns[upper] - turns[lower]])


def linearised(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """A (6, 6) and B (6, 1) of one step about the upright position. Memory of dampers is held."""
    found = Simulator(mechanism).linearize(step=STEP, coordinates=JOINTS)
    return found.A[:6, :6], found.B[:6]


def riccati(a: np.ndarray, b: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
    """The stabilising solution of P = A'PA - A'PB (R + B'PB)^-1 B'PA + Q."""
    found = solution(a, b, q, r)
    assert found is not None
    return found


def regulator(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(6,) gains K of the force -K state that costs least."""
    p = riccati(a, b, STATE_COST, FORCE_COST)
    return np.linalg.solve(FORCE_COST + b.T @ p @ b, b.T @ p @ a)[0]


def observer(a: np.ndarray, counts: np.ndarray, pushes: float = 3e-3) -> np.ndarray:
    """(6, 3) share of what was measured beyond what was expected, by which the state is corrected (Kalman).

    counts: (3,) what an encoder's count is worth [m, rad]. pushes: what a rate may change by unseen in a step.
    """
    seen = np.eye(3, 6)
    noise = np.diag(counts**2 / 12)  # of rounding
    drift = np.diag([0.0, 0.0, 0.0, pushes**2, pushes**2, pushes**2])
    p = riccati(a.T, seen.T, drift + 1e-18 * np.eye(6), noise)
    return p @ seen.T @ np.linalg.inv(seen @ p @ seen.T + noise)
