"""Constraints of a mechanism by their plain rows: joints, couplings of two joint coordinates, drivers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symvi.mechanism import constraint_count
from symvi.naive import joints


@dataclass(frozen=True)
class NaiveConstraint:
    """Rows g = 0: a function of placements by body name. A driver's row is g - u for the input u."""

    name: str
    bodies: tuple[str, ...]
    rows: Callable
    target: bool = False


def naive_constraints(scene) -> list[NaiveConstraint]:
    """Joints with rows, couplings, drivers, locks, in this order; without the rows dropped by the scene's choices."""
    kept = scene.choices.kept
    found = [_joint(scene, joint, kept.get(joint.name)) for joint in scene.mechanism.joints if constraint_count(joint)]
    found += [_coupling(scene, coupling) for coupling in scene.mechanism.couplings]
    found += [_driver(scene, driver) for driver in scene.mechanism.drivers]
    found += [_lock(scene, lock) for lock in scene.choices.locks]
    return [constraint for constraint in found if kept.get(constraint.name) != ()]


def dropped_rows(scene) -> dict[str, Callable]:
    """The rows that were dropped as redundant, by joint or coupling: they are only watched."""
    dropped, mechanism = scene.choices.dropped, scene.mechanism
    found = [_joint(scene, joint, dropped[joint.name], True) for joint in mechanism.joints if dropped.get(joint.name)]
    found += [_coupling(scene, coupling, True) for coupling in mechanism.couplings if dropped.get(coupling.name)]
    return {constraint.name: constraint.rows for constraint in found}


def _moving(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name != "world"))


def _joint(scene, joint, chosen: Sequence[int] | None, watched: bool = False) -> NaiveConstraint:
    """A joint's rows, or the chosen ones of them, which then all lie along the joint's own axes."""
    numbers, near = scene.joints[joint.name], scene.near(joint.name, watched=watched)

    def rows(places):
        found = joints.rows(
            numbers, places[joint.parent], places[joint.child], scene.functions, near, chosen is not None
        )
        joints.check_count(joint.type, found, constraint_count(joint))
        return found if chosen is None else [found[k] for k in chosen]

    return NaiveConstraint(joint.name, _moving(joint.parent, joint.child), rows)


def _coordinate(scene, name: str, which: int, near, places):
    joint = scene.joints[name]
    return joints.coordinate(joint, which, places[joint.parent], places[joint.child], scene.functions, near)


def _coupling(scene, coupling, watched: bool = False) -> NaiveConstraint:
    """c1 - ratio c2 - offset."""
    numbers, (first, second) = scene.parameters[coupling.name], coupling.joints
    near1, near2 = (scene.near(coupling.name, f"angle{k}", watched) for k in (1, 2))

    def rows(places):
        c1, c2 = _coordinate(scene, first, 0, near1, places), _coordinate(scene, second, 0, near2, places)
        return [c1 + numbers["minus_ratio"][0] * c2 - numbers["offset"][0]]

    joined = (scene.joints[name] for name in coupling.joints)
    return NaiveConstraint(coupling.name, _moving(*(body for j in joined for body in (j.parent, j.child))), rows)


def _driver(scene, driver) -> NaiveConstraint:
    joint, near = scene.joints[driver.joint], scene.near(driver.name)
    return NaiveConstraint(
        driver.name,
        _moving(joint.parent, joint.child),
        lambda places: [_coordinate(scene, driver.joint, driver.coordinate, near, places)],
        target=True,
    )


def _lock(scene, lock) -> NaiveConstraint:
    """c - value: a joint coordinate that is held."""
    name, joint = lock_name(lock.joint, lock.coordinate), scene.joints[lock.joint]
    near, value = scene.near(name), scene.parameters[name]["offset"][0]
    return NaiveConstraint(
        name,
        _moving(joint.parent, joint.child),
        lambda places: [_coordinate(scene, lock.joint, lock.coordinate, near, places) - value],
    )


def lock_name(joint: str, coordinate: int) -> str:
    """What the lock of a joint's coordinate is called."""
    return f"{joint}.lock{coordinate}"
