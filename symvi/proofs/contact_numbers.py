"""From a description to the parameter records of contacts, limits and dry friction; as numbers.py for all others."""

from __future__ import annotations

from math import pi

from symvi.analysis.choices import Choices
from symvi.mechanism import Mechanism, axis_values, coordinate_kinds
from symvi.mechanism.contacts import ContactPoint, contact_points
from symvi.naive.joints import JointNumbers
from symvi.proofs.numbers import expression_record, from_center, records_of
from symvi.proofs.unit_numbers import unit_records
from symvi.registry import CONTACTS, inequalities_of


def contact_records(mechanism: Mechanism, numbers) -> dict[str, dict[str, list]]:
    """The parameter record of every contact point, by its name."""
    return {point.name: _contact(mechanism, point, numbers) for point in contact_points(mechanism)}


def _contact(mechanism: Mechanism, point: ContactPoint, numbers) -> dict[str, list]:
    contact = point.contact
    record = {
        "anchor_a": from_center(mechanism, contact.parent, contact.parent_anchor, numbers),
        "anchor_b": from_center(mechanism, contact.child, point.anchor, numbers),
        "radius": [numbers.single(point.radius)],
        "friction": [numbers.single(contact.friction)],
    }
    if contact.cone == "linear":
        half = contact.directions // 2
        turns = [numbers.direction_at(pi * k / half) for k in range(half)]
        record["cosines"], record["sines"] = ([turn[k] for turn in turns] for k in (0, 1))
    user = {name: numbers.single(value) for name, value in dict(contact.parameters).items()}
    origins = {
        side: from_center(mechanism, body, (0.0, 0.0, 0.0), numbers)
        for side, body in (("a", contact.parent), ("b", contact.child))
    }
    own = CONTACTS[contact.kind].record(mechanism, point, numbers)
    return record | expression_record(user, origins, numbers) | own


def stop_records(mechanism: Mechanism, joints: dict[str, dict[str, list]], numbers) -> dict[str, dict[str, list]]:
    """The parameter records of limits and dry friction, by name; joints: those of the joints."""
    found = {}
    for limit in mechanism.limits:
        sides = {side: getattr(limit, side) for side in ("lower", "upper")}
        bounds = {side: [numbers.single(value)] for side, value in sides.items() if value is not None}
        found[limit.name] = joints[limit.joint] | bounds
    for force in inequalities_of(mechanism.forces):
        values = axis_values(force.bound, coordinate_kinds(mechanism.joint(force.joint).type))
        one = numbers.single if len(values) == 1 else numbers.magnitude
        found[force.name] = joints[force.joint] | {"bound": [one(value) for value in values]}
    return found


def all_records(mechanism: Mechanism, choices: Choices, joints: dict[str, JointNumbers], numbers) -> dict[str, dict]:
    """The parameter records of everything that a description names, but of bodies."""
    records = records_of(mechanism, choices, joints, numbers)
    records |= contact_records(mechanism, numbers) | stop_records(mechanism, records, numbers)
    for name, units in unit_records(mechanism, numbers).items():
        records[name] |= units
    return records
