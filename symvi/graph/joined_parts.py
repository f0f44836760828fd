"""The parts of a mechanism: bodies that joints and couplings hold together."""

from __future__ import annotations

from collections.abc import Sequence

from symvi.mechanism import Mechanism


def parts_of(mechanism: Mechanism) -> dict[str, str]:
    """Body -> a body that stands for all that joints and couplings hold together with it; the world holds nothing."""
    leader = {body.name: body.name for body in mechanism.bodies}

    def of(body: str) -> str:
        while leader[body] != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    def join(bodies: Sequence[str]) -> None:
        first, *rest = [of(body) for body in bodies if body in leader] or [""]
        for other in rest:
            leader[other] = first

    joints = {joint.name: (joint.parent, joint.child) for joint in mechanism.joints}
    ties = [*joints.values(), *((*joints[c.joints[0]], *joints[c.joints[1]]) for c in mechanism.couplings)]
    for tie in ties:
        join(tie)
    return {body: of(body) for body in leader}
