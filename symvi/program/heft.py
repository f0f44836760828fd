"""The unit of complementarity of every contact, limit and dry friction: the weight of what it acts on.

A product of impulse and velocity counts as small beside heft (|g| h)², the weight of some mass times its fall in a
step. With one mass for a whole scene, a coin beside a truck would float and creep: its own weight is lost in the
truck's tolerance. So each node has its own,
    heft    the mass of the lightest part that it acts on: all bodies that joints hold together, but at most LIGHTEST
            times the body itself, so that a light link of a heavy machine is still held by its own weight;
    share   heft over the contacts of that part: what one impulse moves when variables start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from symvi.mechanism import Mechanism
from symvi.mechanism.contacts import contact_points
from symvi.program.parts import parts_of

LIGHTEST = 100.0


class Heft(NamedTuple):
    """Both masses [kg] of one inequality node."""

    heft: float
    share: float


def hefts(mechanism: Mechanism, masses: Mapping[str, float]) -> dict[str, Heft]:
    """Every contact point, limit and dry friction by name; masses [kg]: those of all bodies."""
    parts = parts_of(mechanism)
    weight = Counter()
    for body, part in parts.items():
        weight[part] += masses[body]
    touched = Counter(part for _, *bodies in _contacts(mechanism) for part in {parts[b] for b in bodies if b in parts})

    def of(body: str) -> Heft:
        mass = min(weight[parts[body]], LIGHTEST * masses[body])
        return Heft(mass, mass / max(touched[parts[body]], 1))

    nodes = (*_contacts(mechanism), *_stops(mechanism))
    return {name: min(of(body) for body in bodies if body in parts) for name, *bodies in nodes}


def _contacts(mechanism: Mechanism) -> Iterator[tuple[str, str, str]]:
    for point in contact_points(mechanism):
        yield point.name, point.contact.parent, point.contact.child


def _stops(mechanism: Mechanism) -> Iterator[tuple[str, str, str]]:
    stops = (*mechanism.limits, *(force for force in mechanism.forces if force.kind == "dry_friction"))
    for stop in stops:
        joint = mechanism.joint(stop.joint)
        yield stop.name, joint.parent, joint.child
