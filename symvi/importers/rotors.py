"""Inertia along a joint's coordinate, that of a motor's rotor and gears: the kinetic energy I c'^2 / 2, and no more.

It is that of a flywheel on an axle in the world, which a gear turns by the joint's coordinate: the flywheel's own speed
is then c', whatever the bodies of the joint do besides, and the gear does no work.

Stops and dry friction of the joint act on its flywheel (assemble.py): the same forces on the same coordinate. Bodies
of a wrist may be a millionth of their motors, and a solver that starts from their weight would be at a loss.
"""

from __future__ import annotations

from dataclasses import replace

from symvi.importers.naming import FreeNames
from symvi.importers.pose import STANDING
from symvi.importers.report import Findings
from symvi.importers.tree import Gear, Inertial, Link, Tree, TreeJoint
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.names import shown

__all__ = ["with_rotors"]


def with_rotors(tree: Tree, findings: Findings) -> Tree:
    """The tree with a flywheel for every joint with one coordinate and an armature; of others it is ignored."""
    links: list[Link] = []
    joints: list[TreeJoint] = []
    gears: list[Gear] = []
    named = (*tree.links, *tree.joints, *tree.gears, *tree.motors)
    free = FreeNames((item.name for item in named), findings)
    for joint in tree.joints:
        if not any(joint.armature):
            continue
        title = f"joint {shown(joint.name)}"
        if len(coordinate_kinds(joint.type)) != 1:
            findings.note("ignored", joint.source, title, "armature", f"of a joint of type {joint.type}")
            continue
        name = free.make(f"{joint.name}_rotor", "link", joint.source)
        axle = free.make(f"{name}_axle", "joint", joint.source)
        gear = free.make(f"{name}_gear", "coupling", joint.source)
        size = joint.armature[0]
        links.append(Link(name, joint.source, Inertial(size, inertia=(size, size, size, 0.0, 0.0, 0.0))))
        joints.append(TreeJoint(axle, "revolute", "", name, joint.source, STANDING, STANDING))
        gears.append(Gear(axle, joint.name, 1.0, 0.0, joint.source, gear, is_rotor=True))
        findings.note("taken", joint.source, title, "armature", "a flywheel that a gear turns as the joint turns")
    return replace(
        tree,
        links=(*tree.links, *links),
        joints=(*tree.joints, *joints),
        gears=(*tree.gears, *gears),
    )
