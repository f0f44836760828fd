"""The unit of complementarity of every contact, limit and dry friction: the weight of what it acts on.

A product of impulse and velocity counts as small beside m_eff (|g| h)², the weight of some effective mass times its
fall in a step. With one mass for a whole scene, a coin beside a truck would float and creep: its own weight is lost in
the truck's tolerance. So each node has its own,
    effective mass   the mass of the lightest part that it acts on: all bodies that joints hold together, but at most
                     LIGHTEST times the body itself: a light link of a heavy machine is still held by its own weight;
    share            effective mass over the contacts of that part: what one impulse moves when variables start.
All contacts of the part count, idle ones too. Counting those alone that close in the step or pressed in the last one
starts further inside the cones: on tossed boxes 2 to 13 % more iterations, a third of the retries (5 in 1e5 steps), as
many steps that fail.
What is computed here is computed in generated text too: formulas take floats, or scalars that are traced
(program/parameter_update.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Generic, NamedTuple

from symvi.mechanism import Mechanism
from symvi.mechanism.contacts import contact_points
from symvi.registry import inequalities_of
from symvi.scalar import Number, lesser, root

LIGHTEST = 100


class EffectiveMass(NamedTuple, Generic[Number]):
    """Both masses [kg] of one inequality node."""

    effective_mass: Number
    share: Number


class Touching(NamedTuple):
    """What acts on what, in numbers: a part per body, contacts per part, and one or two bodies per inequality node."""

    parts: tuple[int, ...]
    contacts: tuple[int, ...]
    nodes: Mapping[str, tuple[int, ...]]


def touching(mechanism: Mechanism) -> Touching:
    """The tables from which units follow by sums, here and in generated text."""
    bodies = {body.name: k for k, body in enumerate(mechanism.bodies)}
    from symvi.graph.joined_parts import parts_of

    leader = parts_of(mechanism)
    numbers = {part: k for k, part in enumerate(dict.fromkeys(leader.values()))}
    parts = tuple(numbers[leader[body]] for body in bodies)
    sides = {
        name: tuple(bodies[body] for body in both if body in bodies)
        for name, *both in (*_contacts(mechanism), *_stops(mechanism))
    }
    touched = Counter(part for name, *_ in _contacts(mechanism) for part in {parts[body] for body in sides[name]})
    return Touching(parts, tuple(touched[k] for k in range(len(numbers))), sides)


def effective_masses(tables: Touching, masses: Sequence[float]) -> dict[str, EffectiveMass[float]]:
    """Every contact point, limit and dry friction by name; masses [kg]: of all bodies, in any precision."""
    members: list[list[float]] = [[] for _ in tables.contacts]
    for mass, part in zip(masses, tables.parts, strict=True):
        members[part].append(mass)
    parts = [total_mass(own) for own in members]

    def of(body: int) -> EffectiveMass[float]:
        mass, part = masses[body], tables.parts[body]
        number = type(mass)
        return effective_mass_of(mass, parts[part], number(max(tables.contacts[part], 1)), number(LIGHTEST))

    return {name: min(of(body) for body in bodies) for name, bodies in tables.nodes.items()}


def effective_mass_of(body: Number, part: Number, contacts: Number, lightest: Number) -> EffectiveMass[Number]:
    """What a node counts that acts on a body, by its mass and that of its part [kg] and by the part's contacts."""
    effective_mass = lesser(part, lightest * body)
    return EffectiveMass(effective_mass, effective_mass / contacts)


def total_mass(masses: Iterable[Number]) -> Number:
    """The sum in the order of the bodies, each sum rounded: the same in every language."""
    return reduce(lambda mass, more: mass + more, masses)


def strength(gravity: Sequence[Number]) -> Number:
    """|g| [m/s²]."""
    x, y, z = gravity
    return root((x * x + y * y) + z * z)


def pull(gravity: Sequence[float]) -> float:
    """|g|, the acceleration that a contact works against [m/s²]; 1 where there is no gravity."""
    return strength(gravity) or 1.0


def _contacts(mechanism: Mechanism) -> Iterator[tuple[str, str, str]]:
    for point in contact_points(mechanism):
        yield point.name, point.contact.parent, point.contact.child


def _stops(mechanism: Mechanism) -> Iterator[tuple[str, str, str]]:
    for stop in (*mechanism.limits, *inequalities_of(mechanism.forces)):
        joint = mechanism.joint(stop.joint)
        yield stop.name, joint.parent, joint.child
