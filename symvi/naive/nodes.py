"""The inequalities of a scene: contacts, limits, dry friction, in the order of the description.

Velocities are what the second knot makes of them, by the definitions of contact_points.py and joints.py:
    of a gap or a limit    u = phi(z2)/h
    of dry friction        u = (c(z2) - c(z1))/h, and of three free rotations the chord of the relative turn
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symvi.mechanism import coordinate_kinds
from symvi.mechanism.contacts import contact_points
from symvi.naive import inequalities, joints
from symvi.naive.contact_points import NaiveContact, naive_contact, slopes_at
from symvi.naive.inequalities import NaiveInequality
from symvi.naive.quaternion import conjugate, multiply, scale, vector
from symvi.registry import inequalities_of

SIDES = (("lower", 1), ("upper", -1))


def naive_contacts(system) -> dict[str, NaiveContact]:
    """Contact points of a system's scene by name."""
    points = contact_points(system.scene.mechanism)
    return {point.name: naive_contact(system.scene, system.first, point) for point in points}


def naive_inequalities(system, contacts: dict[str, NaiveContact]) -> list[NaiveInequality]:
    """All inequality nodes of a system's scene. velocities(name of a changed body, its unknowns) of each."""
    return [*_contacts(system, contacts), *_limits(system), *_dry_frictions(system)]


# --- contacts -----------------------------------------------------------------------------------------------------
def _contacts(system, contacts: dict[str, NaiveContact]) -> Iterator[NaiveInequality]:
    for name, contact in contacts.items():
        velocities = _contact_velocities(system, contact)
        pushes = {body: [_work(system, body, contact)] for body in contact.moving}
        if contact.cone == "none":
            yield inequalities.smooth_contact(name, contact.moving, velocities, pushes)
            continue
        pushes = {body: [*rows, *contact.friction_pushes(body)] for body, rows in pushes.items()}
        bound = contact.numbers["friction"][0] * contact.steepness
        if contact.cone == "linear":
            yield inequalities.linear_contact(name, contact.moving, velocities, pushes, bound, contact.ways)
        else:
            yield inequalities.round_contact(name, contact.moving, velocities, pushes, bound)


def _work(system, body: str, contact: NaiveContact) -> list:
    """d phi/dz of a body at the first knot."""
    slopes = slopes_at(system.first, system.zero)
    return slopes(body, lambda places: contact.gap(places[contact.parent], places[contact.child]))


def gap_rate(system, phi: Callable, changed=None, s=None):
    """phi(z2)/h for a function of placements."""
    return phi(system.second(changed, s)) / system.h


def _contact_velocities(system, contact: NaiveContact) -> Callable:
    def velocities(changed=None, s=None) -> list:
        opening = gap_rate(
            system, lambda places: contact.gap(places[contact.parent], places[contact.child]), changed, s
        )
        if contact.cone == "none":
            return [opening]
        spins = {name: system.velocity(name, s if name == changed else None)[1] for name in contact.moving}
        return [opening, *contact.sliding(system.first, system.second(changed, s), spins, system.h)]

    return velocities


# --- joints -------------------------------------------------------------------------------------------------------
def _moving(joint) -> tuple[str, ...]:
    return tuple(name for name in (joint.parent, joint.child) if name != "world")


def _pushes(system, joint, rows: Callable) -> dict[str, list[list]]:
    """The gradients of rows at the first knot, by body."""
    slopes = slopes_at(system.first, system.zero)
    count = len(rows(system.first))
    return {body: [slopes(body, lambda places, k=k: rows(places)[k]) for k in range(count)] for body in _moving(joint)}


def _limits(system) -> Iterator[NaiveInequality]:
    scene = system.scene
    for stop in scene.mechanism.limits:
        rooms = limit_rooms(system, stop)
        joint = scene.joints[stop.joint]
        count = len(rooms(system.first))

        def velocities(changed=None, s=None, rooms=rooms, count=count):
            return [gap_rate(system, lambda places, k=k: rooms(places)[k], changed, s) for k in range(count)]

        yield inequalities.limit(stop.name, _moving(joint), velocities, _pushes(system, joint, rooms), count)


def limit_rooms(system, stop) -> Callable:
    """The rooms that a limit leaves: c - lower, upper - c, whichever it has, as a function of placements."""
    scene, numbers = system.scene, system.scene.parameters[stop.name]
    joint, near = scene.joints[stop.joint], scene.near(stop.name)
    given = [(numbers[side][0], sign) for side, sign in SIDES if getattr(stop, side) is not None]

    def rooms(places):
        c = joints.coordinate(joint, stop.coordinate, places[joint.parent], places[joint.child], scene.functions, near)
        return [(c - bound) * sign for bound, sign in given]

    return rooms


def _dry_frictions(system) -> Iterator[NaiveInequality]:
    scene = system.scene
    for force in inequalities_of(scene.mechanism.forces):
        joint = scene.joints[force.joint]
        rows = rubbing(system, joint, scene.near(force.name))

        def velocities(changed=None, s=None, rows=rows):
            second, first = rows(system.second(changed, s)), rows(system.first)
            return [(new - old) / system.h for new, old in zip(second, first, strict=True)]

        most = scale(scene.impulse, scene.parameters[force.name]["bound"])
        yield inequalities.dry_friction(force.name, _moving(joint), velocities, _pushes(system, joint, rows), most)


def rubbing(system, joint, near) -> Callable:
    """A joint's minimal coordinates; three free rotations by their relative turn since the first knot."""
    kinds = coordinate_kinds(joint.type)
    three = kinds.count("rotation") == 3
    count = kinds.count("translation") if three else len(kinds)
    start = joints.relative(joint, system.first[joint.parent], system.first[joint.child])

    def rows(places):
        a, b = places[joint.parent], places[joint.child]
        found = [joints.coordinate(joint, k, a, b, system.scene.functions, near) for k in range(count)]
        if three:
            found += scale(2, vector(multiply(joints.relative(joint, a, b), conjugate(start))))
        return found

    return rows
