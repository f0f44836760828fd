"""What can be wrong with one joint, seen alone: fields that its type needs or has no use for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symvi.mechanism.checks import expression_complaints, pair_complaints, parameter_complaints
from symvi.mechanism.description import Complaint, complaints_of
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.partial import each
from symvi.registry import JOINTS, OWN_FIELDS

if TYPE_CHECKING:
    from symvi.mechanism.elements import Joint


def joint_complaints(joint: Joint) -> Iterator[Complaint]:
    """Every problem between the fields of a joint."""
    return each(
        *(lambda name=name: _own_field(joint, name) for name in OWN_FIELDS),
        lambda: _parameters(joint),
        *(lambda name=name: _start_values(joint, name) for name in ("coordinate", "velocity")),
        lambda: pair_complaints(joint.parent, joint.child),
        lambda: _expressions(joint),
        lambda: complaints_of(f"joint type '{joint.type}'", JOINTS[joint.type].complaints(joint)),
    )


def _expressions(joint: Joint) -> Iterator[Complaint]:
    for i, text in enumerate(joint.expressions):
        yield from expression_complaints(("expressions", i), text, joint.parameters)


def _own_field(joint: Joint, name: str) -> Iterator[Complaint]:
    given = getattr(joint, name) not in (None, ())
    if name in JOINTS[joint.type].needs:
        if not given:
            yield Complaint((), f"a joint of type '{joint.type}' needs {name}")
    elif given:
        owners = " or ".join(f"'{record.name}'" for record in JOINTS.values() if name in record.needs)
        yield Complaint((name,), f"{name} belongs to joints of type {owners}, but the type is '{joint.type}'")


def _parameters(joint: Joint) -> Iterator[Complaint]:
    yield from parameter_complaints(joint.parameters)
    record = JOINTS[joint.type]
    if record.is_own:
        return
    if joint.parameters and not record.numbers:
        owners = " or ".join(f"'{r.name}'" for r in JOINTS.values() if r.is_own or r.numbers)
        yield Complaint(("parameters",), f"parameters belong to joints of type {owners}, not '{joint.type}'")
        return
    for name in sorted(joint.parameters.keys() ^ record.numbers.keys()):
        if name in record.numbers:
            meaning, unit = record.numbers[name]
            yield Complaint((), f"a joint of type '{joint.type}' needs {name} among its parameters: {meaning} [{unit}]")
        else:
            known = ", ".join(record.numbers)
            yield Complaint(
                ("parameters", name), f"a joint of type '{joint.type}' has no parameter '{name}', but {known}"
            )


def _start_values(joint: Joint, name: str) -> Iterator[Complaint]:
    values, kinds = getattr(joint, name), coordinate_kinds(joint.type)
    if values is not None and len(values) != len(kinds):
        wanted = f"{len(kinds)} ({', '.join(kinds)})" if kinds else "none"
        yield Complaint((name,), f"{name} has {len(values)} values, but a joint of type '{joint.type}' has {wanted}")
