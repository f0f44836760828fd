"""What can be wrong with one contact, seen alone: fields that its kind needs or has no use for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from symvi.mechanism.checks import expression_complaints, pair_complaints, parameter_complaints
from symvi.mechanism.description import Complaint
from symvi.mechanism.names import shown
from symvi.mechanism.partial import each
from symvi.registry import CONTACT_FIELDS, CONTACTS

if TYPE_CHECKING:
    from symvi.mechanism.contacts import Contact

__all__ = ["contact_complaints"]


def contact_complaints(contact: Contact) -> Iterator[Complaint]:
    """Every problem between the fields of a contact."""
    return each(
        lambda: pair_complaints(contact.parent, contact.child),
        *(lambda name=name: _own_field(contact, name) for name in CONTACT_FIELDS),
        lambda: _needs(contact),
        lambda: _numbers(contact),
        *(lambda name=name: _points(contact, name) for name in ("child_anchor", "radius")),
        lambda: _radii(contact),
        lambda: _directions(contact),
        lambda: _cone(contact),
        lambda: parameter_complaints(contact.parameters),
        lambda: () if contact.expression is None else _expression(contact, contact.expression),
        lambda: _point(contact),
        lambda: CONTACTS[contact.kind].complaints(contact),
    )


def _is_given(contact: Contact, name: str) -> bool:
    """Whether a field differs from what it is where it was left out."""
    return getattr(contact, name) != contact.own_default(name)


def _own_field(contact: Contact, name: str) -> Iterator[Complaint]:
    if _is_given(contact, name) and not CONTACTS[contact.kind].has(name):
        owners = " or ".join(f"'{kind.name}'" for kind in CONTACTS.values() if kind.has(name))
        yield Complaint(
            (name,), f"the field {name} belongs to contacts of kind {owners}, but the kind is '{contact.kind}'"
        )


def _needs(contact: Contact) -> Iterator[Complaint]:
    for name in CONTACTS[contact.kind].needs:
        if not _is_given(contact, name):
            yield Complaint((), f"a contact of kind '{contact.kind}' needs {name}")


def _numbers(contact: Contact) -> Iterator[Complaint]:
    """The named numbers of a kind that says which it has."""
    record = CONTACTS[contact.kind]
    if record.is_own or not record.has("parameters"):
        return
    for name in sorted(contact.parameters.keys() ^ record.numbers.keys()):
        if name in record.numbers:
            meaning, unit = record.numbers[name]
            text = f"a contact of kind '{contact.kind}' needs {name} among its parameters: {meaning} [{unit}]"
            yield Complaint((), text)
        else:
            known = ", ".join(record.numbers)
            yield Complaint(
                ("parameters", name), f"a contact of kind '{contact.kind}' has no parameter '{name}', but {known}"
            )


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


def _point(contact: Contact) -> Iterator[Complaint]:
    if contact.point and len(contact.point) != 3:
        yield Complaint(("point",), f"point has {len(contact.point)} texts; a point in the world has three")
    for k, text in enumerate(contact.point):
        yield from expression_complaints(("point", k), text, contact.parameters)
    for name in ("child_anchor", "radius"):
        if contact.point and _is_given(contact, name):
            yield Complaint((name,), f"{name} and point both say where friction acts; leave one out")


def _points(contact: Contact, name: str) -> Iterator[Complaint]:
    if contact.whole_shape and _is_given(contact, name):
        yield Complaint((name,), f"{name} follows from the child's shape; leave it out, or whole_shape")


def _radii(contact: Contact) -> Iterator[Complaint]:
    if contact.whole_shape:
        return
    if CONTACTS[contact.kind].is_sphere and contact.radius == contact.parent_radius == 0.0:
        yield Complaint((), "both radii are zero, and two points do not meet; give radius or parent_radius")


def _directions(contact: Contact) -> Iterator[Complaint]:
    if contact.directions % 2:
        yield Complaint(("directions",), f"directions {contact.directions} must be even: they come in opposite pairs")


def _cone(contact: Contact) -> Iterator[Complaint]:
    if contact.cone != "linear" and _is_given(contact, "directions"):
        yield Complaint(
            ("directions",), f"the field directions belongs to the linear cone, but the cone is '{contact.cone}'"
        )
