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


def on_joint(force: Any, kinds: tuple) -> Iterator:
    """As many signals as free axes."""
    from symvi.mechanism.description import Complaint
    from symvi.mechanism.joint_table import free_axes

    if force.signal is not None and len(force.signal) != len(kinds):
        has = f"signal has {len(force.signal)} texts, but joint '{force.joint}' has {free_axes(kinds)}"
        yield Complaint(("signal",), has)


def signals(force: Any) -> Iterator:
    """One for each axis."""
    single = len(force.signal) == 1
    yield from (
        (f"{force.name}.force" + ("" if single else f"[{k}]"), text, False) for k, text in enumerate(force.signal)
    )


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """Its power: forces times the rates that they act along, and how far the joint moves."""
    from symvi.naive.force_energies import NaiveForce, rates_of
    from symvi.naive.laws import near_of
    from symvi.naive.nodes import rubbing
    from symvi.naive.quaternion import subtract

    joint, near = scene.joints[force.joint], near_of(scene, force.name)
    rates = rates_of(scene, joint, near)

    def power(*motion):
        return sum((f * rate for f, rate in zip(inputs["force"], rates(*motion), strict=True)), scene.zero)

    def way():
        rows = rubbing(scene.system, joint, near)
        return subtract(rows(scene.system.second()), rows(scene.system.first))

    return NaiveForce((joint.parent, joint.child), power=power, given=lambda: inputs["force"], way=way)


register_force(
    ForceKind(
        name="actuator",
        description=description,
        model=model,
        naive=naive,
        on_joint=on_joint,
        is_motor=True,
        signals=signals,
    )
)
