"""A motion by the equations of Newton and Euler, integrated by SciPy: a witness without variational integrators."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from symvi.mechanism import Mechanism, State, start_state
from tests.support.kinematics import motion
from tests.support.newton_euler import equations_of_motion
from tests.support.poses import multiply


def integrated(mechanism: Mechanism, time: float, tolerance: float = 1e-9, method: str = "DOP853") -> State:
    """The state a time after the start of the description [s]. tolerance: relative and absolute, of each step.

    method: of SciPy; a stiff motion needs an implicit one.
    """
    start, count = start_state(mechanism), len(mechanism.bodies)
    parts = np.cumsum([3 * count, 4 * count, 3 * count])

    def state(t: float, y: np.ndarray) -> State:
        x, q, v, w = (part.reshape(count, -1) for part in np.split(y, parts))
        q = q / np.linalg.norm(q, axis=1, keepdims=True)
        return State(time=t, position=x, orientation=q, velocity=v, angular_velocity=w, names=start.names)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        now = state(t, y)
        moving = motion(mechanism, now).reshape(count, 6)
        turning = [
            multiply(q, np.array([0.0, *w])) / 2 for q, w in zip(now.orientation, now.angular_velocity, strict=True)
        ]
        found = equations_of_motion(mechanism, now)
        return np.concatenate([np.ravel(part) for part in (moving[:, :3], turning, *found[:2])])

    begin = [np.ravel(part) for part in (start.position, start.orientation, start.velocity, start.angular_velocity)]
    solved = solve_ivp(rates, (0, time), np.concatenate(begin), method=method, rtol=tolerance, atol=tolerance)
    return state(time, solved.y[:, -1])
