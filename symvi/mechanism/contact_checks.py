"""What can be wrong with one contact, seen alone: fields that its kind needs or has no use for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from symvi.mechanism.checks import expression_complaints, pair_complaints, parameter_complaints
from symvi.mechanism.description import Complaint
from symvi.mechanism.names import shown

if TYPE_CHECKING:
    from symvi.mechanism.contacts import Contact

__all__ = ["contact_complaints"]

# Fields that belong to some kinds only.
OWN_FIELDS = {
    "parent_anchor": ("half_space", "sphere"),
    "whole_shape": ("half_space", "sphere"),
    "normal": ("half_space",),
    "parent_radius": ("sphere",),
    "expression": ("gap",),
    "parameters": ("gap",),
}


def contact_complaints(contact: Contact) -> Iterator[Complaint]:
    """Every problem of a contact whose fields are each valid."""
    yield from pair_complaints(contact.parent, contact.child)
    given = contact.given()
    yield from _own_fields(contact, given)
    yield from _points(contact, given)
    yield from _cone(contact, given)
    yield from parameter_complaints(contact.parameters)
    if contact.expression is not None:
        yield from _expression(contact, contact.expression)


def _own_fields(contact: Contact, given: Collection[str]) -> Iterator[Complaint]:
    for name, kinds in OWN_FIELDS.items():
        if name in given and contact.kind not in kinds:
            owners = " or ".join(f"'{kind}'" for kind in kinds)
            yield Complaint(
                (name,), f"the field {name} belongs to contacts of kind {owners}, but the kind is '{contact.kind}'"
            )
    if contact.kind == "gap" and contact.expression is None:
        yield Complaint((), "a contact of kind 'gap' needs expression")


def _expression(contact: Contact, expression: str) -> Iterator[Complaint]:
    wrong = list(expression_complaints(("expression",), expression, contact.parameters))
    yield from wrong
    used = set(re.findall(r"\b[xRq]_b\b", expression))
    if not wrong and not used:
        yield Complaint(
            ("expression",),
            f"expression {shown(expression)} has no part of x_b, R_b or q_b: the child cannot change it",
        )
    elif not wrong and contact.friction > 0.0 and "x_b" not in used:
        yield Complaint(
            ("friction",),
            "friction acts across the direction in which the child's way opens the gap, "
            f"but expression {shown(expression)} has no part of x_b",
        )


def _points(contact: Contact, given: Collection[str]) -> Iterator[Complaint]:
    if contact.whole_shape:
        for name in ("child_anchor", "radius"):
            if name in given:
                yield Complaint((name,), f"{name} follows from the child's shape; leave it out, or whole_shape")
    elif contact.kind == "sphere" and contact.radius == contact.parent_radius == 0.0:
        yield Complaint((), "both radii are zero, and two points do not meet; give radius or parent_radius")


def _cone(contact: Contact, given: Collection[str]) -> Iterator[Complaint]:
    if contact.directions % 2:
        yield Complaint(("directions",), f"directions {contact.directions} must be even: they come in opposite pairs")
    if contact.cone != "linear" and "directions" in given:
        yield Complaint(
            ("directions",), f"the field directions belongs to the linear cone, but the cone is '{contact.cone}'"
        )
