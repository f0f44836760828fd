"""The constraints of a mechanism by their definition: an independent witness in plain NumPy, without symvi's formulas.

Rows: translations and rotations of the child's anchor in the joint frame, in metres and radians, along the
directions that the table of joints (mechanism/joint_table.py) holds. They are written with + - * / and arctan only, so
that they can be evaluated on complex numbers: the Jacobian is exact to round-off (complex step).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from symvi.mechanism import (
    JOINT_TABLE,
    Coupling,
    Driver,
    Joint,
    Mechanism,
    State,
    constraint_count,
    coordinate_kinds,
    triad,
)
from symvi.mechanism.grammar import Tree, parse
from symvi.mechanism.signals import signal_tree, value_and_rate
from tests.support.poses import Pose, Poses, angle, conjugate, multiply, poses_of

__all__ = [
    "closure", "constraints", "coordinates", "driver_rates", "expression_values", "gradient", "jacobian", "joint_rows",
    "motion", "residual", "worst_constraint",
]  # fmt: skip

COMPLEX_STEP = 1e-30  # its square vanishes beside 1
GRAMMAR = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log,
}  # fmt: skip


def residual(mechanism: Mechanism, poses: Poses, time: float = 0.0) -> dict[str, np.ndarray]:
    """The rows of every joint, coupling and driver by its name [m, rad]."""
    return {name: rows(poses) for name, _, rows in constraints(mechanism, time)}


def constraints(
    mechanism: Mechanism, time: float = 0.0
) -> Iterator[tuple[str, set[str], Callable[[Poses], np.ndarray]]]:
    """(name, bodies, rows as a function of the poses) of every joint, coupling and driver."""
    for joint in mechanism.joints:
        yield joint.name, _bodies(joint), partial(joint_rows, joint)
    for coupling in mechanism.couplings:
        joints = [mechanism.joint(name) for name in coupling.joints]
        yield coupling.name, _bodies(*joints), partial(_coupling_row, coupling, *joints)
    for driver in mechanism.drivers:
        joint = mechanism.joint(driver.joint)
        yield driver.name, _bodies(joint), partial(_driver_row, driver, joint, time)


def _bodies(*joints: Joint) -> set[str]:
    return {name for joint in joints for name in (joint.parent, joint.child) if name != "world"}


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
    poses = poses_of(state)
    blocks = [gradient(rows, poses, bodies, state.names) for _, bodies, rows in constraints(mechanism, state.time)]
    return np.concatenate([np.zeros((0, 6 * len(state.names))), *blocks])


def gradient(
    rows: Callable[[Poses], np.ndarray], poses: Poses, bodies: Collection[str], names: Sequence[str]
) -> np.ndarray:
    """The Jacobian of some rows that touch these bodies, among all bodies of these names."""
    result = np.zeros((len(rows(poses)), 6 * len(names)))
    for name in bodies:
        for k in range(6):
            step = np.zeros(6, complex)
            step[k] = 1j * COMPLEX_STEP
            moved = poses | {name: poses[name].moved(step[:3], step[3:])}
            result[:, 6 * names.index(name) + k] = np.imag(rows(moved)) / COMPLEX_STEP
    return result


def motion(mechanism: Mechanism, state: State) -> np.ndarray:
    """(6 n,): the velocities of a state as the columns of `jacobian` mean them."""
    columns = []
    for k, body in enumerate(mechanism.bodies):
        arm = Pose(np.zeros(3), state.orientation[k]).R @ body.center_of_mass
        turning = Pose(np.zeros(3), state.orientation[k]).R @ state.angular_velocity[k]
        columns += [state.velocity[k] - np.cross(turning, arm), state.angular_velocity[k]]
    return np.concatenate(columns)


def driver_rates(mechanism: Mechanism, time: float = 0.0) -> np.ndarray:
    """(rows,): the rates that the rows ask for: J (motion of the bodies) = these; nonzero for drivers only."""
    signals = [driver.signal for driver in mechanism.drivers]
    rates = [0.0 if signal is None else value_and_rate(signal_tree(signal), time)[1] for signal in signals]
    others = sum(constraint_count(joint) for joint in mechanism.joints) + len(mechanism.couplings)
    return np.array([0.0] * others + rates)


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
        return np.concatenate([slid, [2.0 * angle(axes[2] @ turned[1:], turned[0])]])
    if rotations == 3:
        sine = np.sqrt(turned[1:] @ turned[1:])
        gain = 2.0 * angle(sine, turned[0]) / sine if sine != 0.0 else 2.0
        return np.concatenate([slid, gain * turned[1:]])
    return slid


def _in_joint_frame(joint: Joint, poses: Poses):
    """The triad; displacement of the anchors and turn of the child, in the joint frame."""
    a, b = poses[joint.parent], poses[joint.child]
    frame = Pose(a.x + a.R @ joint.parent_anchor, multiply(a.q, np.array(joint.orientation)))
    moved = frame.R.T @ (b.x + b.R @ joint.child_anchor - frame.x)
    turned = multiply(conjugate(frame.q), b.q)
    return np.array(triad(joint.axis)), moved, turned if turned[0].real >= 0.0 else -turned


def joint_rows(joint: Joint, poses: Poses) -> np.ndarray:
    """The rows of one joint [m, rad]."""
    axes, moved, turned = _in_joint_frame(joint, poses)
    if joint.type == "custom":
        return expression_values(joint.expressions, joint.parameters, poses[joint.parent], poses[joint.child])
    if joint.type == "distance":
        return np.array([(moved @ moved - joint.length**2) / (2.0 * joint.length)])
    if joint.type == "universal":
        first, second = np.array(joint.axis), Pose(moved, turned).R @ joint.child_axis
        return np.concatenate([moved, [first @ second]])
    if joint.type == "screw":
        advance = axes[2] @ moved - joint.pitch * 2.0 * angle(axes[2] @ turned[1:], turned[0])
        return np.concatenate([axes[:2] @ moved, 2.0 * axes[:2] @ turned[1:], [advance]])
    held = {0: axes[:0], 1: axes[2:], 2: axes[:2], 3: np.eye(3)}
    rows = JOINT_TABLE[joint.type]
    return np.concatenate([held[rows.translations] @ moved, 2.0 * held[rows.rotations] @ turned[1:]])


def _coupling_row(coupling: Coupling, first: Joint, second: Joint, poses: Poses) -> np.ndarray:
    c1, c2 = coordinates(first, poses)[0], coordinates(second, poses)[0]
    return np.array([c1 - coupling.ratio * c2 - coupling.offset])


def _driver_row(driver: Driver, joint: Joint, time: float, poses: Poses) -> np.ndarray:
    """c - u; u is 0 where it is an input of the simulation."""
    target = 0.0 if driver.signal is None else value_and_rate(signal_tree(driver.signal), time)[0]
    return np.array([coordinates(joint, poses)[driver.coordinate] - target])


def _universal_angles(joint: Joint, turned) -> np.ndarray:
    """The angles of turn = (about axis) (about child_axis): the child's third direction tells the first one."""
    axis, child_axis = np.array(joint.axis), np.array(joint.child_axis)
    across = np.cross(axis, child_axis)
    R = Pose(np.zeros(3), turned).R
    first = R @ child_axis  # child_axis turned about axis
    second = R.T @ axis  # axis turned back about child_axis
    return np.array([angle(across @ first, child_axis @ first), angle(across @ second, axis @ second)])


def expression_values(texts: Sequence[str], parameters: Mapping[str, float], a: Pose, b: Pose) -> np.ndarray:
    """The values of expressions in the placements of two bodies."""
    values = {f"{letter}_{side}": getattr(pose, letter) for side, pose in (("a", a), ("b", b)) for letter in "xRq"}
    values |= parameters
    return np.array([_value(parse(text, frozenset(parameters), placements=True), values) for text in texts])


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
        return angle(*arguments) if rest[0] == "atan2" else GRAMMAR[rest[0]](*arguments)
    return GRAMMAR[kind](*(_value(argument, values) for argument in rest))
