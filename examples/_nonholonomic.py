"""An ellipsoid that rolls on a plane, from Newton's and Euler's equations: the motion shares nothing with symvi.

With the arm l from the centre of mass to the lowest point, rolling is v = -w x l. Its force F = m (v' - g) acts there:

    J_w w' + w x J_w w = l x F,  v' = -w' x l - w x l'
    (J_w + m (l·l I - l lᵀ)) w' = -w x J_w w - m l x (w x l' + g)

The lowest point is where the outer normal is n = -Rᵀ e_z in body axes: l = R (c + A² n/|A n|), A the semi-axes, c the
middle from the centre of mass. n turns by n' = n x w in body axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symvi import Body, Contact, Mechanism

DOWN = np.array([0.0, 0.0, -1.0])


@dataclass(frozen=True)
class Ellipsoid:
    """mass [kg], inertia (3, 3) [kg m²] about the centre of mass, semi-axes (3,) and the middle (3,) in body axes [m].
    A ball has three equal semi-axes."""

    mass: float
    inertia: np.ndarray
    axes: tuple[float, float, float]
    middle: tuple[float, float, float]
    gravity: float = 9.81

    def arm(self, q) -> np.ndarray:
        """From the centre of mass to the lowest point, world axes."""
        r = matrix(q)
        return r @ self._lowest(r.T @ DOWN)

    def start(self, q, w) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity of the centre of mass of a body that rolls at w (body axes) over the origin."""
        arm = self.arm(q)
        return np.array([0.0, 0.0, -arm[2]]), -np.cross(matrix(q) @ w, arm)

    def state(self, q, w) -> np.ndarray:
        """Where a body that rolls begins: position, orientation, angular velocity in body axes, in one (10,)."""
        return np.concatenate([self.start(q, w)[0], q, w])

    def energy(self, y) -> float:
        """Kinetic and potential energy in a state [J]."""
        x, q, w = y[:3], y[3:7], y[7:]
        v = np.cross(matrix(q) @ w, self.arm(q))
        return 0.5 * self.mass * v @ v + 0.5 * w @ self.inertia @ w + self.mass * self.gravity * x[2]

    def mechanism(self, name: str, q, w, friction: float = 5.0) -> Mechanism:
        """The same body in symvi's words: its height over the ground and the point that touches are expressions."""
        x, v = self.start(q, w)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.inertia
        body = Body(
            name="body", mass=self.mass, inertia=(xx, yy, zz, xy, xz, yz), position=tuple(x), orientation=tuple(q),
            velocity=tuple(v), angular_velocity=tuple(w),
        )  # fmt: skip
        names: dict[str, float] = dict(zip(("p", "q", "s", "a", "b", "c"), (*self.axes, *self.middle), strict=True))
        reach = "sqrt((p*R_b[2,0])**2 + (q*R_b[2,1])**2 + (s*R_b[2,2])**2)"
        local = [f"({m} - {axis}**2*R_b[2,{k}]/{reach})" for k, (m, axis) in enumerate(zip("abc", "pqs", strict=True))]
        point = [f"x_b[{i}] + " + " + ".join(f"R_b[{i},{k}]*{local[k]}" for k in range(3)) for i in range(3)]
        gap = f"x_b[2] + R_b[2,0]*a + R_b[2,1]*b + R_b[2,2]*c - {reach}"
        ground = Contact(
            name="ground", kind="gap", child="body", expression=gap, point=point, parameters=names, friction=friction
        )
        return Mechanism(name=name, bodies=[body], contacts=[ground])

    def _lowest(self, n) -> np.ndarray:
        stretched = np.square(self.axes) * n
        return self.middle + stretched / np.sqrt(n @ stretched)

    def rates(self, y) -> np.ndarray:
        """The state's derivative by time, where the lowest point does not slide."""
        q, w = y[3:7], y[7:]
        r = matrix(q)
        n, spin = r.T @ DOWN, r @ w
        arm, turned = r @ self._lowest(n), np.cross(n, w)
        stretched, change = np.square(self.axes) * n, np.square(self.axes) * turned
        size = np.sqrt(n @ stretched)
        moves = np.cross(spin, arm) + r @ (change / size - stretched * (n @ change) / size**3)
        inertia, m = r @ self.inertia @ r.T, self.mass
        push = np.cross(spin, inertia @ spin) + m * np.cross(arm, np.cross(spin, moves) + self.gravity * DOWN)
        about = inertia + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        turns = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([-np.cross(spin, arm), turns, r.T @ np.linalg.solve(about, -push)])


def rattleback() -> Ellipsoid:
    """1 kg, 40 cm long; its inertia is askew to its surface by 10 degrees, its centre of mass below its middle."""
    axes = (0.2, 0.03, 0.02)
    moments = np.diag([(b * b + c * c) / 5 for b, c in (axes[1:], axes[::2], axes[:2])])
    turn = matrix((np.cos(np.radians(5.0)), 0.0, 0.0, np.sin(np.radians(5.0))))
    return Ellipsoid(1.0, turn @ moments @ turn.T, axes, (0.0, 0.0, 0.01))


def loaded_ball() -> Ellipsoid:
    """1 kg, 20 cm across, its centre of mass 3.7 cm off its middle."""
    inertia = np.array([[4.0, 0.2, -0.1], [0.2, 5.0, 0.3], [-0.1, 0.3, 4.5]]) * 1e-3
    return Ellipsoid(1.0, inertia, (0.1, 0.1, 0.1), (0.01, 0.02, 0.03))


STONE_START = (np.cos(0.0025), 0.0, np.sin(0.0025), 0.0), (0.0, 0.0, 5.0)  # hardly tilted, spun against its will
BALL_START = (0.8, 0.36, 0.48, 0.0), (3.0, -2.0, 4.0)


def matrix(q) -> np.ndarray:
    """The rotation matrix of a quaternion, scalar first."""
    s, v = q[0], np.asarray(q[1:])
    cross = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * s * cross + 2 * cross @ cross
