"""A law along a joint from outside: spring and damper in one, told by what is carried, a frequency and a damping ratio.

One record in one file is all that it takes: k = load w², d = 2 ratio load w, w = 2 pi frequency.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any, ClassVar, Literal

from symvi import ForceKind
from symvi.mechanism import axis_values, coordinate_kinds
from symvi.mechanism.checks import sign_complaints
from symvi.mechanism.forces import Force
from symvi.mechanism.values import NotNegative, PerAxis, Positive, Text, field
from symvi.numbers.settings import Described, per_axis
from symvi.physics.force_models import share
from symvi.physics.model import Parameter, ShareModel
from symvi.registry import Law


class Suspension(Force):
    """A spring and a damper on every free axis of a joint, by which a load swings with a frequency and dies out."""

    label: ClassVar[str] = "force"
    kind: Literal["suspension"] = "suspension"
    joint: Text = field(..., "the joint")
    load: Positive = field(..., "what is carried: kg on translations, kg m² on rotations")
    frequency: PerAxis = field(..., "undamped frequency per free axis [Hz]")
    ratio: NotNegative = field(..., "damping ratio: 1 is critical")
    rest: PerAxis = field(0.0, "coordinates without force", "coordinate")

    def complaints(self) -> Iterator:
        yield from sign_complaints("frequency", self.frequency)


def stiffness(load: float, frequencies: tuple[float, ...]) -> tuple[float, ...]:
    """k = load w²."""
    return tuple(load * (2 * pi * f) ** 2 for f in frequencies)


def damping(load: float, frequencies: tuple[float, ...], ratio: float) -> tuple[float, ...]:
    """d = 2 ratio load w."""
    return tuple(2 * ratio * load * 2 * pi * f for f in frequencies)


def model(system: Any, force: Any) -> ShareModel:
    """Stiffness, rest and damping of every coordinate."""
    joint = system.geometry(force.joint).joint
    kinds = coordinate_kinds(joint.type)
    frequencies = axis_values(force.frequency, kinds)
    numbers = {
        "stiffness": Parameter(stiffness(force.load, frequencies), "stiffness per coordinate", "N/m, N m/rad"),
        "rest": Parameter(axis_values(force.rest, kinds), "coordinates without force", "m, rad"),
        "damping": Parameter(damping(force.load, frequencies, force.ratio), "damping per coordinate", "N s/m, N m s"),
    }
    return share(joint, force, numbers, stiffness="stiffness", rest="rest", damping="damping")


def numbers(mechanism: Any, force: Any) -> Iterator:
    """Rests, and the ratio, which the damping follows; a load and a frequency decide two numbers at once."""
    yield from per_axis(mechanism, force, "rest")
    frequencies = axis_values(force.frequency, coordinate_kinds(mechanism.joint(force.joint).type))
    yield (
        f"{force.name}.ratio",
        Described((force.ratio,), lambda v: {f"{force.name}.damping": damping(force.load, frequencies, v[0])}),
    )


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """Half of k s² along every coordinate; what damps stores nothing."""
    from symvi.naive.force_energies import NaiveForce, joint_coordinates
    from symvi.naive.laws import holder_of, near_of

    joint, near = scene.joints[force.joint], near_of(scene, holder_of(scene, force.joint))

    def energy(a: Any, b: Any) -> Any:
        total = scene.zero
        coordinates = joint_coordinates(scene, joint, near, a, b)
        for k, c, rest in zip(numbers["stiffness"], coordinates, numbers["rest"], strict=True):
            total = total + k * (c - rest) * (c - rest) / 2
        return total

    return NaiveForce((joint.parent, joint.child), energy=energy)


def record(mechanism: Any, force: Any, joints: Any, numbers: Any) -> dict[str, list]:
    """Its parameters, derived a second time."""
    from symvi.proofs.numbers import per_axis as exact

    kinds = coordinate_kinds(joints[force.joint].type)
    frequencies = axis_values(force.frequency, kinds)
    return {
        "stiffness": exact(numbers, stiffness(force.load, frequencies), kinds),
        "rest": exact(numbers, force.rest, kinds),
        "damping": exact(numbers, damping(force.load, frequencies, force.ratio), kinds),
    }


SUSPENSION = ForceKind(
    "suspension",
    lambda: Suspension,
    model,
    law=lambda force: Law(is_elastic=True, is_damped=True),
    per_axis=("frequency", "rest"),
    numbers=numbers,
    naive=naive,
    record=record,
)
