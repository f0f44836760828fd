"""What stands between the joints of one body where no standard joint does what they do together.

A link without mass between two hinges is legal mechanics: the joints hold all but one of its rotations, and what it
carries gives that one inertia. A solver that eliminates bodies from the leaves to the root finds it there. So little
mass that nothing measurable depends on it keeps the description one of bodies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symvi.importers.report import Findings
from symvi.importers.tree import Inertial, Link, Tree, TreeJoint
from symvi.mechanism.inertia import principal_moments
from symvi.mechanism.names import shown

__all__ = ["filled_between"]

# Of what the link carries, flywheels (rotors.py) included. Accelerations change by about as much; with much less, the
# analysis of loops, which weighs motions by mass, would take those of the link for motions that nothing resists.
TINY = 1e-6


def filled_between(tree: Tree, findings: Findings) -> Tree:
    """The tree in which empty links between joints of one body have a millionth of that body's mass and inertia."""
    if not any(link.is_between for link in tree.links):
        return tree
    links = {link.name: link for link in tree.links}
    joints_of: dict[str, list[TreeJoint]] = {}
    for joint in tree.joints:
        joints_of.setdefault(joint.parent, []).append(joint)
        joints_of.setdefault(joint.child, []).append(joint)
    for link in reversed(tree.links):
        if not link.is_between or link.inertial is not None:
            continue
        end, armature = _carried(link, links, joints_of)
        if end is None or end.inertial is None:
            continue  # the policy for links without mass has its word
        mass = TINY * (end.inertial.mass + max(armature["prismatic"]))
        turning = principal_moments(end.inertial.inertia)[2] or end.inertial.mass * 1e-4
        moment = TINY * (turning + max(armature["revolute"]))
        own = Inertial(mass, inertia=(moment, moment, moment, 0.0, 0.0, 0.0))
        links[link.name] = replace(link, inertial=own)
        why = f"one after the other, with {TINY:g} of its mass and inertia between them"
        findings.note("approximated", link.source, f"link {shown(end.name)}", "several joints of one body", why)
    return replace(tree, links=tuple(links[link.name] for link in tree.links))


def _carried(
    link: Link, links: Mapping[str, Link], joints_of: Mapping[str, Sequence[TreeJoint]]
) -> tuple[Link | None, dict[str, list[float]]]:
    """The body at the end of the joints behind an empty link, or before it where the world is at that end.

    With the armature of the joints on the way, by their type. None where neither end is a body.
    """
    for first in reversed(joints_of[link.name]):  # the last one leads on
        armature: dict[str, list[float]] = {"prismatic": [0.0], "revolute": [0.0]}
        name, joint = link.name, first
        while True:
            armature.setdefault(joint.type, []).extend(joint.armature)
            name = joint.child if joint.parent == name else joint.parent
            if name not in links or not links[name].is_between:
                break
            others = [other for other in joints_of[name] if other is not joint]
            if len(others) != 1:
                return None, armature
            joint = others[0]
        if name in links:
            return links[name], armature
    return None, {}
