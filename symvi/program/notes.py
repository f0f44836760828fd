"""What the notes of a program say of its nodes: rows of constraints, angles that the state carries, what is baked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symvi.mechanism import coordinate_kinds
from symvi.physics.model import LawModel
from symvi.physics.relations import lock_name
from symvi.program.draft import Draft
from symvi.program.formulation import Joined
from symvi.program.problem import Problem


def constraint_notes(joints: Mapping[str, Joined]) -> list[dict]:
    """What a user calls the rows, by node."""
    return [
        {
            "name": name,
            "type": model.type,
            "kind": node.kind,
            "index": node.index,
            "rows": list(model.row_names),
            "units": list(model.row_units),
            "reaction": bool(model.frame),
        }
        for name, (node, _, model) in joints.items()
    ]


def baked_entries(draft: Draft) -> dict[str, dict[int, int]]:
    """Parameters with entries that the text has baked in: element.field -> {entry: exact value}."""
    found: dict[str, dict[int, int]] = {}
    for (kind, name), entries in draft.baked.items():
        fixed = {k: int(value) for k, value in enumerate(entries) if value is not None}
        for node in draft.nodes[kind] if fixed else ():
            known = found.setdefault(f"{node.name}.{name}", {})
            known |= fixed
    return found


def carried_angles(draft: Draft, problem: Problem, laws: Sequence[LawModel]) -> list[dict]:
    """Which joint coordinate every carried angle belongs to."""
    mechanism, joints = problem.mechanism, _joints_of(problem, laws)
    found = []
    for kind, nodes in draft.nodes.items():
        names = [f.name for f in draft.records.of(kind, "state") if f.name.startswith("angle")]
        for node in nodes if names else ():
            for name in names:
                which = int(name.removeprefix("angle") or 1) - 1
                of = joints[node.name]
                several = len(of) > 1
                joint = mechanism.joint(of[which if several else 0])
                rotations = [k for k, what in enumerate(coordinate_kinds(joint.type)) if what == "rotation"]
                found.append(
                    {
                        "kind": kind,
                        "index": node.index,
                        "field": name,
                        "joint": joint.name,
                        "coordinate": rotations[0 if several else which],
                    }
                )
    return found


def _joints_of(problem: Problem, laws: Sequence[LawModel]) -> dict[str, tuple[str, ...]]:
    """Element -> the joint, or the two, whose angles it carries."""
    mechanism = problem.mechanism
    found = {j.name: (j.name,) for j in mechanism.joints}
    found |= {c.name: c.joints for c in mechanism.couplings} | {d.name: (d.joint,) for d in mechanism.drivers}
    found |= {law.name: (law.joint,) for law in problem.inequalities if getattr(law, "joint", None)}
    found |= {law.name: (law.joint,) for law in laws if law.joint}
    found |= {limit.name: (limit.joint,) for limit in mechanism.limits}
    return found | {lock_name(lock.joint, lock.coordinate): (lock.joint,) for lock in problem.choices.locks}
