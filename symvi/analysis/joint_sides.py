"""The sides of a joint: what hangs on each of its bodies, and whether that is a tree that nothing else holds.

Of such a side the mass is known that may oppose a coordinate of the joint (kernels/opposing_mass.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from symvi.mechanism import Joint, Mechanism
from symvi.registry import laws_between_points

ENDS = ("child", "parent")
Edge = tuple[str, str]  # a joint, and the body whose side of it is meant


def free_sides(mechanism: Mechanism, joint: Joint) -> tuple[str, ...]:
    """Which of "child", "parent" are trees that nothing else holds."""
    return tuple(end for end in ENDS if _tree(mechanism, (joint.name, getattr(joint, end))) is not None)


def sides(mechanism: Mechanism, joint: Joint, end: str) -> list[Edge]:
    """A free side and all that it is made of, leaves first."""
    tree = _tree(mechanism, (joint.name, getattr(joint, end)))
    if tree is None:
        raise ValueError(f"joint '{joint.name}': what hangs on its {end} is held elsewhere too")
    return tree[::-1]


def _tree(mechanism: Mechanism, side: Edge) -> list[Edge] | None:
    """A side and the sides beyond it, root first; None where something holds them."""
    held = _held(mechanism) | {"world"}
    found, seen = [side], {side[1]}
    for edge in found:
        if edge[1] in held:
            return None
        for further in beyond(mechanism, edge):
            if further[1] in seen:
                return None  # a loop
            seen.add(further[1])
            found.append(further)
    near = mechanism.joint(side[0])
    return None if {near.parent, near.child} <= seen else found


def beyond(mechanism: Mechanism, side: Edge) -> Iterator[Edge]:
    """The sides of the other joints at a side's body."""
    name, body = side
    for joint in mechanism.joints:
        if joint.name != name and body in (joint.parent, joint.child):
            yield joint.name, joint.child if joint.parent == body else joint.parent


def _held(mechanism: Mechanism) -> set[str]:
    """Bodies that gears, drivers, contacts or point springs hold."""
    ends = {joint.name: {joint.parent, joint.child} for joint in mechanism.joints}
    springs = laws_between_points(mechanism.forces)
    found = {name for pair in (*mechanism.contacts, *springs) for name in (pair.parent, pair.child)}
    found |= {name for gear in mechanism.couplings for joint in gear.joints for name in ends[joint]}
    return found | {name for driver in mechanism.drivers for name in ends[driver.joint]}
