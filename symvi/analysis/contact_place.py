"""Whether friction of a user's own gap acts where its normal force does.

The force of a gap phi has the direction N = d phi/dx_b and, about the child's centre of mass, the torque
d phi/dtheta_b: its line of action is known. A contact point off that line would give friction a lever that the surfaces
do not have, and a disk that never rolls. The line is compared with the contact point at the start and at some
placements near by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from symvi.analysis.equations import Array, Configuration, Equations, start_configuration
from symvi.errors import AssemblyError, MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.contacts import ContactPoint, contact_points
from symvi.mechanism.rotation import rotate
from symvi.numbers.extent import size_of
from symvi.physics.model import ConstraintModel, ContactModel, body_of
from symvi.physics.multibody import MultibodySystem
from symvi.registry import CONTACTS, ContactKind

PLACEMENTS = 6
AWAY = 0.2  # of the mechanism's size, and rad: how far other placements are from the start
OFF = 1e-6  # of the mechanism's size: how far a point may be off the line


def check_contact_points(system: MultibodySystem) -> None:
    """Raises AssemblyError for a gap whose friction would act beside its normal force.

    Raises MechanismError for a kind from outside that says of its gap or of its point of contact what is not so.
    """
    mechanism = system.mechanism
    kinds = {model.name: CONTACTS[point.contact.kind] for model, point in _with_points(system)}
    models = [model for model in system.contacts if not kinds[model.name].is_distance or _is_from_outside(model, kinds)]
    size = size_of(mechanism) if models else 0.0
    names = [body.name for body in mechanism.bodies]
    for model in models:
        if _is_from_outside(model, kinds):
            for placement in _placements(mechanism, size):
                _check_record(model, kinds[model.name].name, names, placement, size)
        if model.cone == "none":
            continue
        off = max(_off_line(model, names, placement) for placement in _placements(mechanism, size))
        if off > OFF * size:
            where = "child_anchor, or radius away from it" if model.centre is not None else "point"
            raise AssemblyError(
                f"contact '{model.name}': friction would act {off:.3g} m beside the line along which the gap's normal "
                f"force acts, at {where}; give in point, as three expressions, where the bodies touch"
            )


def _with_points(system: MultibodySystem) -> Iterator[tuple[ContactModel, ContactPoint]]:
    return zip(system.contacts, contact_points(system.mechanism), strict=True)


def _is_from_outside(model: ContactModel, kinds: Mapping[str, ContactKind]) -> bool:
    return CONTACTS.serial(kinds[model.name].name) != 0


def _check_record(model: ContactModel, kind: str, names: list[str], placement: Configuration, size: float) -> None:
    """Whether a gap that is said to be a distance is one, and `place` is under the sphere's centre."""
    (row,) = _value(model, model.groups, ("gap",), names, placement).gradients[names.index(body_of(model, "b"))]
    slope = float(np.linalg.norm(row[:3]))
    if not np.isfinite(slope):
        return
    if model.unit_gradient and abs(slope - 1.0) > OFF:
        raise MechanismError(
            f"kind of contact '{kind}': is_distance is true, but the gap of '{model.name}' grows by {slope:.6g} m "
            "where its point goes 1 m away; set is_distance=False"
        )
    if model.centre is not None and model.place is not None:
        told = _value(model, (model.place,), ("x", "y", "z"), names, placement).g
        off = float(np.linalg.norm(told - _arm(model, names, placement, row[:3] / slope)))
        if off > OFF * size:
            raise MechanismError(
                f"kind of contact '{kind}': place ends {off:.3g} m from the point of '{model.name}' under the sphere's "
                "centre, against the direction in which the gap opens; correct it, or set centre=None"
            )


def _placements(mechanism: Mechanism, size: float) -> Iterator[Configuration]:
    """The start, and placements near by."""
    start, random = start_configuration(mechanism, mechanism.bodies, {}), np.random.default_rng(1)
    yield start
    for _ in range(PLACEMENTS):
        motion = AWAY * random.uniform(-1.0, 1.0, (len(mechanism.bodies), 6))
        yield start.moved(motion * ([size] * 3 + [1.0] * 3))


def _off_line(model: ContactModel, names: list[str], placement: Configuration) -> float:
    """How far the contact point is off the force's line of action [m]; 0 where the gap has no value."""
    child = names.index(body_of(model, "b"))
    gap = _value(model, model.groups, ("gap",), names, placement)
    force, torque = np.split(gap.gradients[child][0], 2)
    size = np.linalg.norm(force)
    arm = _arm(model, names, placement, force / size)
    off = float(np.linalg.norm(torque - np.cross(arm, force)) / size)
    return off if np.isfinite(off) else 0.0


def _arm(model: ContactModel, names: list[str], placement: Configuration, normal: Array) -> Array:
    """From the child's centre of mass to the contact point."""
    child = names.index(body_of(model, "b"))
    if model.centre is None:
        return _value(model, (model.place,), ("x", "y", "z"), names, placement).g
    x, y, z = model.parameters["anchor_b"].values
    (radius,) = model.parameters["radius"].values
    return np.array(rotate(tuple(placement.q[child]), (x, y, z))) - radius * normal


def _value(model: ContactModel, groups, rows: tuple[str, ...], names: list[str], placement: Configuration):
    like = ConstraintModel(
        model.name, model.type, model.bodies, tuple(groups), model.parameters, len(rows), rows, ("m",) * len(rows)
    )
    return Equations(names, [like]).at(placement)[0][0]
