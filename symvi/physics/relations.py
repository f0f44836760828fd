"""Constraints between joint coordinates: gears (couplings) and drivers."""

from __future__ import annotations

from symvi.mechanism import Coupling, Driver
from symvi.physics.coordinates import coordinate_units, single_coordinate
from symvi.physics.joints import Geometry
from symvi.physics.model import ConstraintModel, Parameter


def driver_model(driver: Driver, geometry: Geometry) -> ConstraintModel:
    """A row c(z2) - u = 0 that makes a joint coordinate follow an input. geometry: of the joint."""
    joint = geometry.joint
    group = single_coordinate(geometry, driver.coordinate, "angle")
    angles = () if group.near is None else (group.near.name,)
    unit = coordinate_units(joint)[driver.coordinate]
    return ConstraintModel(
        driver.name,
        "driver",
        geometry.bodies,
        (group,),
        geometry.used((group,)),
        1,
        (f"coordinate of {joint.name}",),
        (unit,),
        target="target",
        angles=angles,
        tree=False,
    )


def lock_name(joint: str, coordinate: int) -> str:
    """The name of a lock; the dot keeps it apart from all names of a description."""
    return f"{joint}.lock{coordinate}"


def lock_model(geometry: Geometry, coordinate: int, value: float) -> ConstraintModel:
    """A row c(z2) - value = 0 that holds a joint coordinate."""
    joint = geometry.joint
    group = single_coordinate(geometry, coordinate, "angle")
    angles = () if group.near is None else (group.near.name,)
    parameters = geometry.used((group,)) | {"offset": Parameter((value,), "value at which the coordinate is held")}
    unit = coordinate_units(joint)[coordinate]
    return ConstraintModel(
        lock_name(joint.name, coordinate),
        "lock",
        geometry.bodies,
        (group,),
        parameters,
        1,
        (f"coordinate of {joint.name}",),
        (unit,),
        offset="offset",
        angles=angles,
        tree=False,
    )


def coupling_model(coupling: Coupling, *geometries: Geometry) -> ConstraintModel:
    """A row c1 - ratio c2 - offset = 0 between the coordinates of two joints: up to four bodies.

    geometries: of both joints, in the order of the coupling.
    """
    first, second = (geometry.joint for geometry in geometries)
    labels: dict[str, str] = {}
    bodies: dict[str, str | None] = {}
    for joint in (first, second):
        for name in (joint.parent, joint.child):
            label = labels.setdefault(name, "abcd"[len(labels)])
            bodies[label] = None if name == "world" else name
    groups, parameters = [], {}
    for k, own in enumerate(geometries):
        geometry = own.labelled(f"j{k + 1}_", (labels[own.joint.parent], labels[own.joint.child]))
        group = single_coordinate(geometry, 0, f"angle{k + 1}", factor="minus_ratio" if k else None)
        groups.append(group)
        parameters |= geometry.used((group,))
    parameters["minus_ratio"] = Parameter(
        (-coupling.ratio,), "minus the change of the first coordinate per change of the second"
    )
    parameters["offset"] = Parameter((coupling.offset,), "first coordinate where the second is zero")
    angles = tuple(g.inputs["near"].name for g in groups if "near" in g.inputs)
    unit = coordinate_units(first)[0]
    return ConstraintModel(
        coupling.name,
        "coupling",
        bodies,
        tuple(groups),
        parameters,
        1,
        (f"{first.name} with {second.name}",),
        (unit,),
        offset="offset",
        angles=angles,
        tree=False,
    )
