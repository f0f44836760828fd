"""The schedule of what may oppose a joint's springs at most: sums over the sides of joints, leaves first.

Kernels are those of kernels/opposing_mass.py; which sides have a bound is told by analysis/joint_sides.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from symvi.analysis.joint_sides import Edge, beyond, sides
from symvi.kernels.body_kernels import BODY
from symvi.kernels.opposing_mass import BEYOND, SIDE, beginning, joining
from symvi.mechanism import Mechanism
from symvi.physics.model import ConstraintModel, LawModel
from symvi.program.draft import Draft
from symvi.program.program import Node


def joint_of(model: ConstraintModel | LawModel) -> str:
    """The joint along which a model's laws act."""
    joint = model.name if isinstance(model, ConstraintModel) else model.joint
    if joint is None:
        raise ValueError(f"{model.name} acts along no joint")
    return joint


def opposing_sides(draft: Draft, mechanism: Mechanism, models: Sequence) -> dict[Edge, Node]:
    """Records of the sides of joints whose springs must know what may oppose them, and their sums in `prepare`."""
    found: dict[Edge, Node] = {}
    opposed = [model for model in models if model.laws and model.laws.opposed]
    if not opposed:
        return found
    begin, join = beginning(draft.records, draft.baked[BODY, "inertia"]), joining(draft.records)
    for model in opposed:
        joint = mechanism.joint(joint_of(model))
        for edge in [edge for end in model.laws.opposed for edge in sides(mechanism, joint, end)]:
            if edge in found:
                continue
            node = found[edge] = draft.node(SIDE.kind, f"{edge[0]} on the side of {edge[1]}")
            draft.schedule({"prepare": begin}, {SIDE.label: node, BODY: draft.bodies[edge[1]]}, edge[1])
            for further in beyond(mechanism, edge):
                draft.schedule({"prepare": join}, {SIDE.label: node, BEYOND.label: found[further]}, edge[1])
    return found
