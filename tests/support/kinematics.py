"""The constraints of a mechanism by their definition: an independent witness in plain NumPy, without symvi's formulas.

Rows are those of math.md, section 3: translations and rotations of the child's anchor in the joint frame along the
directions that the table of joints holds, in metres and radians. They are written with + - * / and arctan only, so
that they can be evaluated on complex numbers: the Jacobian is exact to round-off (complex step).
"""

from __future__ import annotations

import numpy as np

from symvi.mechanism import JOINT_TABLE, Coupling, Driver, Joint, Mechanism, State, coordinate_kinds, triad
from symvi.mechanism.grammar import Tree, parse
from symvi.mechanism.signals import signal_tree, value_and_rate

__all__ = [
    "Pose", "closure", "coordinates", "driver_rates", "jacobian", "poses_of", "residual", "skew", "worst_constraint",
]  # fmt: skip

COMPLEX_STEP = 1e-30  # its square vanishes beside 1
GRAMMAR = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log,
}  # fmt: skip


def skew(v):
    """[v]x, the matrix of the vector product: skew(v) @ u = v x u."""
    return np.cross(np.eye(3), v)


def multiply(p, q):
    """The Hamilton product of quaternions (w, x, y, z)."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def conjugate(q):
    """The inverse of a unit quaternion."""
    return np.concatenate([q[:1], -q[1:]])


class Pose:
    """Position x of a body frame and its orientation, as quaternion q and matrix R; real or complex."""

    def __init__(self, position, orientation):
        self.x, self.q = np.asarray(position), np.asarray(orientation)
        w, v = self.q[0], self.q[1:]
        self.R = (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * skew(v)

    def moved(self, translation, turn) -> Pose:
        """The pose after a translation in world axes and a turn in body axes, to first order in the turn."""
        return Pose(self.x + translation, multiply(self.q, np.concatenate([[1.0], 0.5 * np.asarray(turn)])))


WORLD = Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
Poses = dict[str, Pose]


def poses_of(state: State) -> Poses:
    """The poses of a state by the name of the body, and the world's."""
    placed = zip(state.names, state.position, state.orientation, strict=True)
    return {"world": WORLD, **{name: Pose(x, q) for name, x, q in placed}}


def residual(mechanism: Mechanism, poses: Poses, time: float = 0.0) -> dict[str, np.ndarray]:
    """The rows of every joint, coupling and driver by its name [m, rad]."""
    rows = {joint.name: _joint_rows(joint, poses) for joint in mechanism.joints}
    rows |= {coupling.name: _coupling_row(mechanism, coupling, poses) for coupling in mechanism.couplings}
    return rows | {driver.name: _driver_row(mechanism, driver, poses, time) for driver in mechanism.drivers}


def closure(mechanism: Mechanism, state: State) -> float:
    """The largest row of all [m or rad], 0 if there is none."""
    return worst_constraint(mechanism, state)[1]


def worst_constraint(mechanism: Mechanism, state: State) -> tuple[str, float]:
    """The name of the constraint with the largest row, and that row [m or rad]."""
    rows = residual(mechanism, poses_of(state), state.time)
    sizes = {name: float(np.max(np.abs(values), initial=0.0)) for name, values in rows.items()}
    return max(sizes.items(), key=lambda item: item[1], default=("", 0.0))


def jacobian(mechanism: Mechanism, state: State) -> np.ndarray:
    """(rows, 6 n): the change of all rows, in the order of `residual`, with every body's motion.

    Columns of a body: translation of its frame's origin in world axes, then turn in body axes.
    """
    poses, columns = poses_of(state), []
    for name in state.names:
        for k in range(6):
            step = np.zeros(6, complex)
            step[k] = 1j * COMPLEX_STEP
            moved = poses | {name: poses[name].moved(step[:3], step[3:])}
            rows = residual(mechanism, moved, state.time).values()
            columns.append(np.concatenate([np.imag(np.asarray(row, complex)) for row in rows]) / COMPLEX_STEP)
    return np.array(columns).T


def driver_rates(mechanism: Mechanism, time: float = 0.0) -> np.ndarray:
    """(rows,): the rates that the rows ask for: J (motion of the bodies) = these; nonzero for drivers only."""
    rates = [0.0] * sum(len(rows) for rows in residual(mechanism, _anywhere(mechanism)).values())
    for k, driver in enumerate(reversed(mechanism.drivers)):
        if driver.signal is not None:
            rates[-1 - k] = value_and_rate(signal_tree(driver.signal), time)[1]
    return np.array(rates)


def _anywhere(mechanism: Mechanism) -> Poses:
    """Some poses, where only the number of rows matters: all different, so that no distance is zero."""
    return {"world": WORLD} | {
        name: Pose(np.array([1.0 + k, 0.5 * k, 2.0]), WORLD.q) for k, name in enumerate(mechanism.body_names)
    }


def coordinates(joint: Joint, poses: Poses) -> np.ndarray:
    """The minimal coordinates of a joint: free translations [m], then free rotations [rad], as principal values."""
    kinds = coordinate_kinds(joint.type)
    translations, rotations = kinds.count("translation"), kinds.count("rotation")
    axes, moved, turned = _in_joint_frame(joint, poses)
    free = {0: axes[:0], 1: axes[2:], 2: axes[:2], 3: np.eye(3)}
    slid = free[translations] @ moved
    if joint.type == "universal":
        return _universal_angles(joint, turned)
    if rotations == 1:
        return np.concatenate([slid, [2.0 * _angle(axes[2] @ turned[1:], turned[0])]])
    if rotations == 3:
        sine = np.sqrt(turned[1:] @ turned[1:])
        gain = 2.0 * _angle(sine, turned[0]) / sine if sine != 0.0 else 2.0
        return np.concatenate([slid, gain * turned[1:]])
    return slid


def _in_joint_frame(joint: Joint, poses: Poses):
    """The triad; displacement of the anchors and turn of the child, in the joint frame."""
    a, b = poses[joint.parent], poses[joint.child]
    frame = Pose(a.x + a.R @ joint.parent_anchor, multiply(a.q, np.array(joint.orientation)))
    moved = frame.R.T @ (b.x + b.R @ joint.child_anchor - frame.x)
    turned = multiply(conjugate(frame.q), b.q)
    return np.array(triad(joint.axis)), moved, turned if turned[0].real >= 0.0 else -turned


def _joint_rows(joint: Joint, poses: Poses) -> np.ndarray:
    axes, moved, turned = _in_joint_frame(joint, poses)
    if joint.type == "custom":
        return _custom_rows(joint, poses)
    if joint.type == "distance":
        return np.array([(moved @ moved - joint.length**2) / (2.0 * joint.length)])
    if joint.type == "universal":
        first, second = np.array(joint.axis), Pose(moved, turned).R @ joint.child_axis
        return np.concatenate([moved, [first @ second]])
    if joint.type == "screw":
        advance = axes[2] @ moved - joint.pitch * 2.0 * _angle(axes[2] @ turned[1:], turned[0])
        return np.concatenate([axes[:2] @ moved, 2.0 * axes[:2] @ turned[1:], [advance]])
    held = {0: axes[:0], 1: axes[2:], 2: axes[:2], 3: np.eye(3)}
    rows = JOINT_TABLE[joint.type]
    return np.concatenate([held[rows.translations] @ moved, 2.0 * held[rows.rotations] @ turned[1:]])


def _coupling_row(mechanism: Mechanism, coupling: Coupling, poses: Poses) -> np.ndarray:
    first, second = (coordinates(mechanism.joint(name), poses)[0] for name in coupling.joints)
    return np.array([first - coupling.ratio * second - coupling.offset])


def _driver_row(mechanism: Mechanism, driver: Driver, poses: Poses, time: float) -> np.ndarray:
    """c - u; u is 0 where it is an input of the simulation."""
    target = 0.0 if driver.signal is None else value_and_rate(signal_tree(driver.signal), time)[0]
    return np.array([coordinates(mechanism.joint(driver.joint), poses)[driver.coordinate] - target])


def _universal_angles(joint: Joint, turned) -> np.ndarray:
    """The angles of turn = (about axis) (about child_axis): the child's third direction tells the first one."""
    axis, child_axis = np.array(joint.axis), np.array(joint.child_axis)
    across = np.cross(axis, child_axis)
    R = Pose(np.zeros(3), turned).R
    first = R @ child_axis  # child_axis turned about axis
    second = R.T @ axis  # axis turned back about child_axis
    return np.array([_angle(across @ first, child_axis @ first), _angle(-(across @ second), axis @ second)])


def _custom_rows(joint: Joint, poses: Poses) -> np.ndarray:
    sides = (("a", poses[joint.parent]), ("b", poses[joint.child]))
    values = {f"{letter}_{side}": getattr(pose, letter) for side, pose in sides for letter in "xRq"}
    values |= dict(joint.parameters)
    names = frozenset(joint.parameters)
    return np.array([_value(parse(text, names, placements=True), values) for text in joint.expressions])


def _value(tree: Tree, values: dict):
    kind, *rest = tree
    if kind == "number":
        return float(rest[0])
    if kind == "name":
        return values[rest[0]]
    if kind == "item":
        return values[rest[0]][rest[1]]
    if kind == "pow":
        return _value(rest[0], values) ** rest[1]
    if kind == "call":
        arguments = [_value(argument, values) for argument in rest[1:]]
        return _angle(*arguments) if rest[0] == "atan2" else GRAMMAR[rest[0]](*arguments)
    return GRAMMAR[kind](*(_value(argument, values) for argument in rest))


def _angle(y, x):
    """atan2, for complex numbers with small imaginary parts too."""
    principal = np.arctan2(np.real(y), np.real(x))
    cosine, sine = np.cos(principal), np.sin(principal)
    return principal + np.arctan((y * cosine - x * sine) / (x * cosine + y * sine))
