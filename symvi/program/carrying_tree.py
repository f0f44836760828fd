"""The tree of joint coordinates: which joints carry bodies, and which are left to close loops by their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symvi.analysis.choices import NOTHING_DROPPED, Choices
from symvi.kernels.joint_placing import placing_tree
from symvi.mechanism import Joint, Mechanism, coordinate_count
from symvi.mechanism.tree_walk import Step
from symvi.registry import JOINTS


def carrying_tree(mechanism: Mechanism, choices: Choices = NOTHING_DROPPED) -> list[Step]:
    """The joints by which every body is reached once: of a tree, those by which bodies are placed.

    Where loops close, joints with laws along their coordinates carry bodies, then those that leave fewest coordinates;
    rows that lost some to the analysis of the loops close them.
    """
    steps = placing_tree(mechanism)
    if len(steps) == len(mechanism.joints) and not choices.kept:
        return steps
    carrying = _carrying(mechanism, choices)
    reached, found = {"world"}, []
    for start in ("world", *_roots(mechanism, carrying)):
        if start == "world" or start not in reached:
            reached.add(start)
            found.extend(_walk(carrying, start, reached))
    return found


def _roots(mechanism: Mechanism, carrying: Mapping[str, Joint]) -> list[str]:
    """Where trees that float begin: at bodies with a place of their own, if there are any."""
    jointed = {name for joint in carrying.values() for name in (joint.parent, joint.child)}
    stands = [body.name for body in mechanism.bodies if body.position is not None or body.name not in jointed]
    return [*stands, *(body.name for body in mechanism.bodies)]


def _walk(carrying: Mapping[str, Joint], start: str, reached: set[str]) -> Iterator[Step]:
    """The steps from a body outward, nearer bodies first; targets are entered into `reached`."""
    waiting = [start]
    for name in waiting:
        for joint in carrying.values():
            if name in (joint.parent, joint.child):
                step = Step(joint, joint.parent == name)
                if step.target not in reached:
                    reached.add(step.target)
                    waiting.append(step.target)
                    yield step


def _carrying(mechanism: Mechanism, choices: Choices) -> dict[str, Joint]:
    """Joints that close no loop with those taken before them, in the mechanism's order."""
    lawful = {getattr(law, "joint", None) for law in (*mechanism.forces, *mechanism.limits)}
    order = {joint.name: k for k, joint in enumerate(mechanism.joints)}

    def rank(joint: Joint) -> tuple:
        return not can_carry(joint), joint.name not in lawful, coordinate_count(joint), order[joint.name]

    part = {name: name for name in ("world", *(body.name for body in mechanism.bodies))}

    def root(name: str) -> str:
        while part[name] != name:
            name = part[name]
        return name

    taken = set()
    for joint in sorted(mechanism.joints, key=rank):
        if JOINTS[joint.type].tree and joint.name not in choices.kept:
            ends = root(joint.parent), root(joint.child)
            if ends[0] != ends[1]:
                part[ends[1]] = ends[0]
                taken.add(joint.name)
    return {joint.name: joint for joint in mechanism.joints if joint.name in taken}


def can_carry(joint: Joint) -> bool:
    """Whether a joint's motion is told by slides and turns of its own."""
    return JOINTS[joint.type].tree
