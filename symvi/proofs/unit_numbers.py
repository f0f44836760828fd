"""The units of complementarity, a second time: by sets of bodies that grow until no joint adds to them."""

from __future__ import annotations

from collections.abc import Iterator

from symvi.mechanism import Mechanism
from symvi.mechanism.contacts import contact_points
from symvi.registry import inequalities_of

MOST = 100  # times a body's own mass


def unit_records(mechanism: Mechanism, numbers) -> dict[str, dict[str, list]]:
    """effective mass and share of every contact, limit and dry friction, by name."""
    return {
        name: {field: [numbers.single(value)] for field, value in zip(("effective_mass", "share"), units, strict=True)}
        for name, units in _units(mechanism).items()
    }


def _units(mechanism: Mechanism) -> dict[str, tuple[float, float]]:
    mass = {body.name: body.mass for body in mechanism.bodies}
    contacts = {p.name: (p.contact.parent, p.contact.child) for p in contact_points(mechanism)}
    found = {}
    for name, bodies in (*contacts.items(), *_stops(mechanism)):
        of = []
        for body in set(bodies) & set(mass):
            part = _part(mechanism, body)
            crowd = [1 for pair in contacts.values() if part & set(pair)]
            effective_mass = min(MOST * mass[body], sum(mass[other] for other in part))
            of.append((effective_mass, effective_mass / (len(crowd) or 1)))
        found[name] = min(of)
    return found


def _stops(mechanism: Mechanism) -> Iterator[tuple[str, tuple[str, str]]]:
    for stop in (*mechanism.limits, *inequalities_of(mechanism.forces)):
        joint = mechanism.joint(stop.joint)
        yield stop.name, (joint.parent, joint.child)


def _part(mechanism: Mechanism, body: str) -> set[str]:
    """All bodies that joints and couplings hold together with one."""
    ties = [{joint.parent, joint.child} for joint in mechanism.joints]
    for coupling in mechanism.couplings:
        ties.append(
            {b for name in coupling.joints for b in (mechanism.joint(name).parent, mechanism.joint(name).child)}
        )
    moving, part = {b.name for b in mechanism.bodies}, {body}
    while grown := set().union(*(tie & moving for tie in ties if tie & part)) - part:
        part |= grown
    return part
