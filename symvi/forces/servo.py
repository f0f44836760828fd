"""The servo on a joint with one free axis: a spring and a damper towards a target (physics/laws.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.registry import ForceKind, Law, register_force


def description() -> type:
    """The class of its descriptions."""
    from symvi.mechanism.forces import Servo

    return Servo


def model(system: Any, force: Any) -> Any:
    """Its gains, and the target that it has."""
    from symvi.physics.force_models import share
    from symvi.physics.model import Parameter

    numbers = {
        "stiffness": Parameter((force.stiffness,), "gain on the coordinate", "N/m, N m/rad"),
        "damping": Parameter((force.damping,), "gain on the velocity", "N s/m, N m s/rad"),
    }
    return share(
        system.geometry(force.joint).joint, force, numbers, stiffness="stiffness", target="target", damping="damping"
    )


def numbers(mechanism: Any, force: Any) -> Iterator:
    """Both gains."""
    from symvi.numbers.settings import plain

    yield from plain(force, "stiffness", "damping")


def signals(force: Any) -> Iterator:
    """The target, and its rate."""
    yield f"{force.name}.target", force.signal, False
    yield f"{force.name}.target_rate", force.signal, True


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """It stores no energy; what it does is in naive/laws.py."""
    from symvi.naive.force_energies import storing_nothing

    return storing_nothing(scene, force)


def record(mechanism: Any, force: Any, joints: Any, numbers: Any) -> dict[str, list]:
    """Its parameters, derived a second time."""
    return {"stiffness": [numbers.single(force.stiffness)], "damping": [numbers.single(force.damping)]}


register_force(
    ForceKind(
        name="servo",
        description=description,
        model=model,
        numbers=numbers,
        naive=naive,
        record=record,
        law=lambda force: Law(is_elastic=True, is_damped=True, is_aimed=True),
        signals=signals,
    )
)
