"""The actuator: a force or torque along each free axis of a joint, at the knots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.registry import ForceKind, register_force


def description() -> type:
    """The class of its descriptions."""
    from symvi.mechanism.forces import Actuator

    return Actuator


def model(system: Any, force: Any) -> Any:
    """Along the rates of every coordinate."""
    from symvi.physics.coordinates import coordinate_groups, coordinate_units, still_angles
    from symvi.physics.model import ForceModel

    geometry = system.geometry(force.joint)
    groups = tuple(still_angles(coordinate_groups(geometry, rates=True)))
    units = coordinate_units(geometry.joint)
    return ForceModel(
        force.name,
        force.kind,
        geometry.bodies,
        groups,
        geometry.used(groups),
        len(units),
        tuple(f"coordinate {k + 1}" for k in range(len(units))),
        units,
        force="force",
    )


def signals(force: Any) -> Iterator:
    """One for each axis."""
    single = len(force.signal) == 1
    yield from (
        (f"{force.name}.force" + ("" if single else f"[{k}]"), text, False) for k, text in enumerate(force.signal)
    )


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """Its power: forces times the rates that they act along."""
    from symvi.naive.force_energies import NaiveForce, rates_of
    from symvi.naive.laws import near_of

    joint = scene.joints[force.joint]
    rates = rates_of(scene, joint, near_of(scene, force.name))

    def power(*motion):
        return sum((f * rate for f, rate in zip(inputs["force"], rates(*motion), strict=True)), scene.zero)

    return NaiveForce((joint.parent, joint.child), power=power)


register_force(
    ForceKind(
        name="actuator",
        description=description,
        model=model,
        naive=naive,
        signals=signals,
    )
)
