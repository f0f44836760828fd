"""From a description to numbers: what its parts are in naive definitions, and in parameter records.

Both come from the description alone, by way of `Exact` (a prime field, random magnitudes) or `Plain` (floats as they
are). A record's fields have the names that the package gives them; the numbers in them are derived here a second time.
"""

from __future__ import annotations

from symvi.analysis.choices import Choices
from symvi.errors import MechanismError
from symvi.mechanism import Joint, Mechanism, axis_values
from symvi.mechanism.forces import AlongJoint
from symvi.naive.constraints import lock_name
from symvi.naive.joints import JointNumbers
from symvi.naive.laws import damped_coordinates
from symvi.naive.quaternion import columns, multiply, rotate
from symvi.proofs.exact import pin_turn, triad_turn
from symvi.registry import FORCES, JOINTS, law_of, laws_between_points


def joints_of(mechanism: Mechanism, numbers) -> dict[str, JointNumbers]:
    """The numbers of every joint, and of every law between two points, which two points are as a joint's anchors."""
    joints = {joint.name: joint for joint in mechanism.joints}
    for force in laws_between_points(mechanism.forces):
        joints[force.name] = Joint(
            name=force.name,
            type="spherical",
            parent=force.parent,
            child=force.child,
            parent_anchor=force.parent_anchor,
            child_anchor=force.child_anchor,
        )
    return {name: _joint(mechanism, joint, numbers) for name, joint in joints.items()}


def _joint(mechanism: Mechanism, joint: Joint, numbers) -> JointNumbers:
    turn = pin_turn(numbers, joint) if "child_axis" in JOINTS[joint.type].needs else None
    user = {name: numbers.single(value) for name, value in dict(joint.parameters).items()}
    return JointNumbers(
        joint.type,
        joint.parent,
        joint.child,
        from_center(mechanism, joint.parent, joint.parent_anchor, numbers),
        from_center(mechanism, joint.child, joint.child_anchor, numbers),
        numbers.quaternion(joint.orientation),
        columns(triad_turn(numbers, joint.axis)),
        None if turn is None else columns(turn)[0],
        None if joint.pitch is None else numbers.single(joint.pitch),
        None if joint.length is None else numbers.single(joint.length),
        tuple(joint.expressions),
        user,
        {
            side: from_center(mechanism, body, (0.0, 0.0, 0.0), numbers)
            for side, body in (("a", joint.parent), ("b", joint.child))
        },
    )


def from_center(mechanism: Mechanism, body: str, point, numbers) -> list:
    """A point of a body's frame from its centre of mass."""
    center = (0.0, 0.0, 0.0) if body == "world" else mechanism.body(body).center_of_mass
    return [numbers.magnitude(p - c) for p, c in zip(point, center, strict=True)]


# --- parameter records --------------------------------------------------------------------------------------------
def joint_record(joint: JointNumbers, description: Joint, numbers, prefix: str = "") -> dict[str, list]:
    """Everything that a record may keep of a joint, by the record's own names."""
    offset, zero = joint.offset, numbers.zero
    one = zero + 1
    turn = pin_turn(numbers, description) if JOINTS[joint.type].has_pin else triad_turn(numbers, description.axis)
    unit = [[one if i == k else zero for i in range(3)] for k in range(3)]
    record = {
        "anchor_a": joint.anchor_a,
        "anchor_b": joint.anchor_b,
        "frame_a": multiply(offset, turn),
        "frame_b": turn,
        "joint_a": list(offset),
        "joint_b": [one, zero, zero, zero],
        "axis_b": joint.axes[2],
    }
    record |= {f"axis{k + 1}": rotate(offset, axis) for k, axis in enumerate(joint.axes)}
    record |= {f"e{k + 1}": rotate(offset, axis) for k, axis in enumerate(unit)}
    record |= {name: [value] for name, value in (("pitch", joint.pitch), ("length", joint.length)) if value is not None}
    record |= {"pin": joint.pin} if joint.pin else {}
    record |= expression_record(joint.user, joint.origins, numbers)
    return {f"{prefix}{name}": values for name, values in record.items()}


def expression_record(user: dict, origins: dict, numbers) -> dict[str, list]:
    """What a user's expression keeps: origins of the body frames, unit vectors, the user's numbers."""
    zero = numbers.zero
    one = zero + 1
    record = {f"par_{name}": [value] for name, value in user.items()}
    for side, origin in origins.items():
        record |= {f"origin_{side}": origin, f"whole_{side}": [one, zero, zero, zero]}
    return record | {f"column_{name}": [one if i == k else zero for i in range(3)] for k, name in enumerate("xyz")}


def records_of(
    mechanism: Mechanism, choices: Choices, joints: dict[str, JointNumbers], numbers
) -> dict[str, dict[str, list]]:
    """The parameter records of joints, couplings, drivers, locks and forces, by name."""
    records = {joint.name: joint_record(joints[joint.name], joint, numbers) for joint in mechanism.joints}
    for coupling in mechanism.couplings:
        first, second = (mechanism.joint(name) for name in coupling.joints)
        records[coupling.name] = {
            **joint_record(joints[first.name], first, numbers, "j1_"),
            **joint_record(joints[second.name], second, numbers, "j2_"),
            "minus_ratio": [numbers.single(-coupling.ratio)],
            "offset": [numbers.single(coupling.offset)],
        }
    for driver in mechanism.drivers:
        records[driver.name] = dict(records[driver.joint])
    for lock in choices.locks:
        held = {"offset": [numbers.single(lock.value)]}
        records[lock_name(lock.joint, lock.coordinate)] = records[lock.joint] | held
    for body, name in choices.pivots.items():
        records[name] |= {"weight": _weights(mechanism, choices, body, name, numbers)}
    for force in mechanism.forces:
        if FORCES[force.kind].is_inequality:
            continue  # contact_numbers.py
        if (law := law_of(force)) and law.is_along_joint:
            records[f"{force.joint}.laws"] = dict(records[force.joint])
        base = dict(records[force.joint]) if isinstance(force, AlongJoint) else {}
        found = FORCES[force.kind].record(mechanism, force, joints, numbers)
        if not (isinstance(found, dict) and all(isinstance(values, list | tuple) for values in found.values())):
            must = "must return a table of names and lists of numbers"
            raise MechanismError(f"kind of force '{force.kind}': record returned {found!r}, but {must}")
        records[force.name] = base | found
    for joint in mechanism.joints:  # last: the record of a joint is the base of others
        for name in (joint.name, f"{joint.name}.laws"):
            if name in records:
                records[name] = records[name] | _shares(mechanism, (joint.parent, joint.child), numbers)
    for force in laws_between_points(mechanism.forces):
        records[force.name] |= _shares(mechanism, (force.parent, force.child), numbers)
    return records


def _shares(mechanism: Mechanism, bodies: tuple[str, str], numbers) -> dict[str, list]:
    """The share of each moving body that one of its damped coordinates counts with."""
    counts = damped_coordinates(mechanism)
    return {"shares": [(numbers.zero + 1) / max(counts[body], 1) for body in bodies if body != "world"]}


def _weights(mechanism: Mechanism, choices: Choices, body: str, name: str, numbers) -> list:
    """The weights of a joint's rows in the balance of a body without inertia.

    A mass for rows in metres, and this mass at the mechanism's size for rows in radians; of two bodies that one joint
    holds so, the larger mass.
    """
    mass = max(mechanism.body(other).mass for other, holder in choices.pivots.items() if holder == name)
    joint = mechanism.joint(name)
    units = JOINTS[joint.type].units_of(joint)
    weight = {"m": mass, "r": mass * choices.size(mechanism) ** 2}
    return [numbers.magnitude(weight[units[k]]) for k in choices.kept.get(name, range(len(units)))]


def per_axis(numbers, value, kinds) -> list:
    """One number for every free axis, exact."""
    values = axis_values(value, kinds)
    return [numbers.single(values[0])] if len(values) == 1 else [numbers.magnitude(v) for v in values]
