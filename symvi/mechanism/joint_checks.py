"""What can be wrong with one joint, seen alone: fields that its type needs or has no use for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symvi.mechanism.checks import expression_complaints, pair_complaints, parameter_complaints
from symvi.mechanism.description import Complaint
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.names import shown
from symvi.mechanism.partial import each
from symvi.mechanism.vectors import dot

if TYPE_CHECKING:
    from symvi.mechanism.elements import Joint

# Fields that belong to one type only, and what they are there.
OWN_FIELDS = {"pitch": "screw", "length": "distance", "child_axis": "universal", "expressions": "custom"}
RIGHT_ANGLE_TOLERANCE = 1e-9


def joint_complaints(joint: Joint) -> Iterator[Complaint]:
    """Every problem between the fields of a joint."""
    return each(
        *(lambda name=name: _own_field(joint, name) for name in OWN_FIELDS),
        lambda: _parameters(joint),
        *(lambda name=name: _start_values(joint, name) for name in ("coordinate", "velocity")),
        lambda: pair_complaints(joint.parent, joint.child),
        lambda: _expressions(joint),
        lambda: _axes(joint),
    )


def _expressions(joint: Joint) -> Iterator[Complaint]:
    for i, text in enumerate(joint.expressions):
        yield from expression_complaints(("expressions", i), text, joint.parameters)


def _axes(joint: Joint) -> Iterator[Complaint]:
    if joint.type == "universal" and abs(dot(joint.axis, joint.child_axis)) > RIGHT_ANGLE_TOLERANCE:
        yield Complaint(
            ("child_axis",),
            f"child_axis {shown(joint.child_axis)} is not at right angles to axis {shown(joint.axis)}; "
            "at zero coordinates the child frame is parallel to the joint frame: turn that with orientation",
        )


def _own_field(joint: Joint, name: str) -> Iterator[Complaint]:
    owner, given = OWN_FIELDS[name], getattr(joint, name) not in (None, ())
    if joint.type == owner and not given:
        yield Complaint((), f"a joint of type '{owner}' needs {name}")
    if joint.type != owner and given:
        yield Complaint((name,), f"{name} belongs to joints of type '{owner}', but the type is '{joint.type}'")


def _parameters(joint: Joint) -> Iterator[Complaint]:
    yield from parameter_complaints(joint.parameters)
    if joint.type != "custom" and joint.parameters:
        yield Complaint(("parameters",), f"parameters belong to joints of type 'custom', not '{joint.type}'")


def _start_values(joint: Joint, name: str) -> Iterator[Complaint]:
    values, kinds = getattr(joint, name), coordinate_kinds(joint.type)
    if values is not None and len(values) != len(kinds):
        wanted = f"{len(kinds)} ({', '.join(kinds)})" if kinds else "none"
        yield Complaint((name,), f"{name} has {len(values)} values, but a joint of type '{joint.type}' has {wanted}")
