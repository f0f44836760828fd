"""The damper along a joint's coordinates: a share of what acts along them (physics/laws.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.registry import ForceKind, Law, register_force


def description() -> type:
    """The class of its descriptions."""
    from symvi.mechanism.forces import JointDamper

    return JointDamper


def model(system: Any, force: Any) -> Any:
    """Damping of every coordinate."""
    from symvi.mechanism import axis_values, coordinate_kinds
    from symvi.physics.force_models import share
    from symvi.physics.model import Parameter

    joint = system.geometry(force.joint).joint
    damping = axis_values(force.damping, coordinate_kinds(joint.type))
    numbers = {"damping": Parameter(damping, "damping per coordinate", "N s/m, N m s/rad")}
    return share(joint, force, numbers, damping="damping")


def numbers(mechanism: Any, force: Any) -> Iterator:
    """Damping per axis."""
    from symvi.numbers.settings import per_axis

    yield from per_axis(mechanism, force, "damping")


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """It stores no energy; what it does is in naive/laws.py."""
    from symvi.naive.force_energies import storing_nothing

    return storing_nothing(scene, force)


def record(mechanism: Any, force: Any, joints: Any, numbers: Any) -> dict[str, list]:
    """Its parameters, derived a second time."""
    from symvi.mechanism import coordinate_kinds
    from symvi.proofs.numbers import per_axis

    return {"damping": per_axis(numbers, force.damping, coordinate_kinds(joints[force.joint].type))}


register_force(
    ForceKind(
        name="joint_damper",
        description=description,
        model=model,
        numbers=numbers,
        naive=naive,
        record=record,
        law=lambda force: Law(is_damped=True),
        per_axis=("damping",),
    )
)
