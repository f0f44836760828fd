"""Angles with their whole turns, of the joints with one or two free rotations: placements show them up to a full turn.

With the joint's frames p on body a and q on body b, their relative turn is d = p* q, about z alone for one rotation:
    one    alpha = 2 atan2(d_z, d_w)
    two    d = rot(z, a) rot(x, b):  a = atan2(2 (d_z d_w + d_x d_y), d_w² + d_x² - d_y² - d_z²),  b likewise
The turns come from an angle that is known to be near: the last one, what the solver carries, or the angle before and
the rates of both knots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.mechanism import Joint, Mechanism, free_rotations
from symvi.mechanism.joint_frames import joint_frames
from symvi.simulate.run_parameters import Settings

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

Array = NDArray[np.float64]
Rows = NDArray[np.int_]
Angles = Mapping[str, tuple[float, ...]]
TURN = 2 * np.pi
# How far rates may miss the change of an angle between two knots, of the distance between the branches to choose from.
CLEAR = 0.25
# Between knots whose rates are to tell turns, a joint turns by less than FAR [rad] in SPAN steps at most: to turn more
# unseen it would have to turn by more than a radian in every one of them, and be slow at both ends.
FAR, SPAN = 1.0, 8
IDENTITY, CONJUGATE = np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, -1.0, -1.0, -1.0])


def nearest(values: Array, near: Array | float, turn: float = TURN) -> Array:
    """The values on the branches nearest to others."""
    return values + turn * np.round((near - values) / turn)


@dataclass(frozen=True)
class Motion:
    """Orientations q (N, n, 4) and angular velocities w (N, n, 3), in world axes, of all bodies at N times t (N,)."""

    time: Array
    q: Array
    w: Array


class Turning:
    """The angles of the joints of a mechanism that have one or two, with the parameters that were set."""

    def __init__(self, mechanism: Mechanism, settings: Settings):
        joints = [joint for joint in mechanism.joints if free_rotations(joint) in (1, 2)]
        bodies = {body.name: k for k, body in enumerate(mechanism.bodies)}
        self.row = {joint.name: k for k, joint in enumerate(joints)}
        self.two = np.array([free_rotations(joint) == 2 for joint in joints], bool)
        self.parents = np.array([bodies.get(joint.parent, len(bodies)) for joint in joints], int)  # the world is last
        self.children = np.array([bodies[joint.child] for joint in joints], int)
        frames = [_frames(joint, settings) for joint in joints]
        self.frames = np.array(frames, float).reshape(len(joints), 2, 4)

    def at(self, q: Array, near: Angles) -> dict[str, tuple[float, ...]]:
        """The angles of all these joints at one placement q (n, 4), on the branches nearest to those that are known.

        Where none is known they lie between -pi and pi.
        """
        known = np.zeros((len(self.row), 2))
        for name, angles in near.items():
            if name in self.row:
                known[self.row[name], : len(angles)] = angles
        found = nearest(self._principal(q[None], np.arange(len(self.row)))[0], known).tolist()
        return {name: tuple(found[k][: 1 + self.two[k]]) for name, k in self.row.items()}

    def along(
        self, name: str, motion: Motion, first: tuple[float, ...], carried: Array | None = None, sure: bool = True
    ) -> Array | None:
        """(N, r) angles of a joint along a motion that starts near `first`; None where turns cannot be counted.

        carried: (N, r) angles that are known to be near at every time, if there are any. Without them, rates say how
        far the joint turned in between; orientations, which move without a jump, tell odd turns from even ones too.
        sure: False takes what is most likely instead of None.
        """
        k = self.row[name]
        values = self._principal(motion.q, np.array([k]))[:, 0, : 1 + self.two[k]]
        columns = [] if carried is None else [carried[:, i] for i in range(values.shape[1])]
        if carried is not None and not np.isnan(columns).any():
            return nearest(values, carried)
        rates, branch = self._rates(motion, k), TURN if self.two[k] else 2 * TURN
        for i, start in enumerate(first):
            if columns and not np.isnan(columns[i]).any():
                values[:, i] = nearest(values[:, i], columns[i])
                continue
            expected = np.diff(motion.time) * (rates[1:, i] + rates[:-1, i]) / 2
            steps = nearest(np.diff(values[:, i]), expected, branch)
            if sure and np.abs(steps - expected).max(initial=0.0) > CLEAR * branch:
                return None
            values[0, i] = nearest(values[0, i], start)
            values[1:, i] = values[0, i] + np.cumsum(steps)
        return values

    # --- inside ------------------------------------------------------------------------------------------------------
    def _attitudes(self, q: Array, rows: Rows) -> tuple[Array, Array]:
        """(N, J, 4) twice: the orientations in the world of these joints' frames on both bodies."""
        first, second = _of_bodies(q, self.parents[rows], IDENTITY), q[:, self.children[rows]]
        return product(first, self.frames[rows, 0]), product(second, self.frames[rows, 1])

    def _principal(self, q: Array, rows: Rows) -> Array:
        """(N, J, 2) angles; one alone goes through two turns before it comes back, as orientations do, beside 0."""
        a, b = self._attitudes(q, rows)
        w, x, y, z = np.moveaxis(product(a * CONJUGATE, b), -1, 0)
        alone = 2 * np.arctan2(z, w)
        first = np.arctan2(2 * (z * w + x * y), w * w + x * x - y * y - z * z)
        second = np.arctan2(2 * (x * w + y * z), w * w + z * z - x * x - y * y)
        two = self.two[rows]
        return np.stack([np.where(two, first, alone), np.where(two, second, 0.0)], axis=-1)

    def _rates(self, motion: Motion, row: int) -> Array:
        """(N, r): the relative angular velocity along the joint's axes, which are orthogonal."""
        relative = motion.w[:, self.children[row]] - _of_bodies(motion.w, self.parents[row], 0.0)
        a, b = self._attitudes(motion.q, np.array([row]))
        axes = [_image(a[:, 0], (0.0, 0.0, 1.0)), _image(b[:, 0], (1.0, 0.0, 0.0))]
        return np.stack([(axis * relative).sum(axis=1) for axis in axes[: 1 + self.two[row]]], axis=1)


class Counter:
    """Counts the turns of joints, while a solver runs, from frames beside those that are recorded."""

    def __init__(self, turning: Turning, first: Angles, step: float):
        self.turning, self.step, self.last = turning, step, dict(first)
        self.found: dict[str, list[Array]] = {name: [np.array([angles])] for name, angles in self.last.items()}

    def strides(self, every: int, w: Array) -> list[int]:
        """Divisors of `every` in whose steps no joint between bodies that turn at w (n, 3) turns far; largest first."""
        turn = 2 * self.step * np.linalg.norm(w, axis=-1).max(initial=0.0)
        return [k for k in range(SPAN, 0, -1) if every % k == 0 and (k == 1 or k * turn <= FAR)]

    def add(self, angles: Angles) -> None:
        """Angles at the next recorded knot, counted by another."""
        for name, values in self.found.items():
            values.append(np.array([angles[name]]))

    def count(self, q: Array, w: Array, stride: int, keep: int) -> bool:
        """Go along orientations and angular velocities `stride` steps apart, the first known already; keep the angles
        of each `keep`-th one. False, and nothing is counted, where they are too far apart to be sure.
        """
        motion, found = Motion(self.step * stride * np.arange(len(q), dtype=float), q, w), {}
        for name, angles in self.last.items():
            values = self.turning.along(name, motion, angles, sure=stride > 1)
            if values is None:
                return False
            found[name] = values
        for name, values in found.items():
            self.last[name] = tuple(values[-1])
            self.found[name].append(values[keep::keep])
        return True

    def result(self) -> dict[str, Array]:
        """Joint -> (N, r) angles at the recorded knots."""
        return {name: np.concatenate(values) for name, values in self.found.items()}


def angles_along(trajectory: Trajectory) -> dict[str, Array]:
    """Joint -> (N, r) angles along a trajectory; a joint whose turns cannot be counted is absent.

    Without rates, joints turn on the shorter way from knot to knot, as they do in a step that was not split; where some
    were, only joints whose turns the solver has counted are told. Rates that nobody has read are asked for where that
    leaves one out.
    """
    if not trajectory.has("rates"):
        return _angles(trajectory, rates=False)
    found = _angles(trajectory, rates=False) if trajectory.unread else {}
    return found if found.keys() == trajectory.first_angles.keys() else _angles(trajectory, rates=True)


def _angles(trajectory: Trajectory, rates: bool) -> dict[str, Array]:
    if rates:
        rotation = rotation_matrices(trajectory.orientation)
        spins = np.einsum("nbij,nbj->nbi", rotation, trajectory.angular_velocity)
    else:
        spins = np.zeros(trajectory.position.shape)
    motion = Motion(trajectory.time, trajectory.orientation, spins)
    turning, found = Turning(trajectory.mechanism, trajectory.settings), {}
    split = not rates and bool((trajectory.substeps > 1).any())
    for name, first in trajectory.first_angles.items():
        if split and np.isnan(trajectory.carried_angles.get(name, np.nan)).any():
            continue
        values = turning.along(name, motion, first, trajectory.carried_angles.get(name))
        if values is not None:
            found[name] = values
    return found


def rotation_matrices(q: Array) -> Array:
    """(..., 3, 3) from unit quaternions (..., 4), body to world."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    found = np.empty((*q.shape[:-1], 3, 3))
    found[..., 0, 0] = 1 - 2 * (y * y + z * z)
    found[..., 0, 1] = 2 * (x * y - w * z)
    found[..., 0, 2] = 2 * (x * z + w * y)
    found[..., 1, 0] = 2 * (x * y + w * z)
    found[..., 1, 1] = 1 - 2 * (x * x + z * z)
    found[..., 1, 2] = 2 * (y * z - w * x)
    found[..., 2, 0] = 2 * (x * z - w * y)
    found[..., 2, 1] = 2 * (y * z + w * x)
    found[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return found


def _of_bodies(values: Array, rows: Rows, world: Array | float) -> Array:
    """values[:, rows], with those of the world where a row is beyond the bodies."""
    count = values.shape[1]
    found = values[:, np.minimum(rows, count - 1)]
    return np.where(np.expand_dims(rows == count, (0, -1)), world, found) if np.any(rows == count) else found


def _frames(joint: Joint, settings: Settings) -> list[tuple[float, ...]]:
    """The joint's frames on both bodies, as quaternions."""
    described = zip(("frame_a", "frame_b"), joint_frames(joint), strict=True)
    return [settings.get(f"{joint.name}.{name}", frame) for name, frame in described]


def product(p: Array, q: Array) -> Array:
    """Quaternion products along the last axis."""
    a, b, c, d = np.moveaxis(p, -1, 0)
    w, x, y, z = np.moveaxis(q, -1, 0)
    parts = (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def _image(q: Array, vector: tuple[float, float, float]) -> Array:
    """A fixed vector turned by (N, 4) quaternions."""
    turned = product(product(q, np.array([0.0, *vector])), q * CONJUGATE)
    return turned[:, 1:]
