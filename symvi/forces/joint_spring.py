"""The spring along a joint's coordinates, linear or sinusoidal: a share of what acts along them (physics/laws.py)."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, sin
from typing import Any

from symvi.registry import ForceKind, Law, register_force


def description() -> type:
    """The class of its descriptions."""
    from symvi.mechanism.forces import JointSpring

    return JointSpring


def model(system: Any, force: Any) -> Any:
    """Stiffness and rest of every coordinate."""
    from symvi.mechanism import axis_values, coordinate_kinds
    from symvi.physics.force_models import share
    from symvi.physics.model import Parameter

    joint = system.geometry(force.joint).joint
    kinds = coordinate_kinds(joint.type)
    stiffness, rest = axis_values(force.stiffness, kinds), axis_values(force.rest, kinds)
    if force.law == "sinusoidal":
        return sinusoidal(joint, force, kinds.index("rotation"), stiffness, rest)
    numbers = {
        "stiffness": Parameter(stiffness, "stiffness per coordinate", "N/m, N m/rad"),
        "rest": Parameter(rest, "coordinates without force", "m, rad"),
    }
    return share(joint, force, numbers, stiffness="stiffness", rest="rest")


def law(force: Any) -> Law:
    """Elastic, linear or sinusoidal."""
    return Law(is_elastic=True, is_sinusoidal=force.law == "sinusoidal")


def sinusoidal(joint: Any, force: Any, k: int, stiffness: Any, rest: Any) -> Any:
    """A torque of -stiffness sin(c - rest), along one rotation."""
    from symvi.physics.force_models import share
    from symvi.physics.model import Parameter

    numbers = {
        "stiffness": Parameter((stiffness[k],), "torque at a quarter turn", "N m"),
        "rest_cos": Parameter((cos(rest[k]),), "cosine of the rest angle"),
        "rest_sin": Parameter((sin(rest[k]),), "sine of the rest angle"),
    }
    return share(joint, force, numbers, along=(k,), type="sinusoidal_spring", stiffness="stiffness", sinusoidal=True)


def numbers(mechanism: Any, force: Any) -> Iterator:
    """Stiffness and rest per axis; of a sinusoidal spring, the solver keeps cosine and sine of the rest angle."""
    from symvi.mechanism import coordinate_kinds
    from symvi.numbers.settings import Described, per_axis, same

    if force.law != "sinusoidal":
        yield from per_axis(mechanism, force, "stiffness", "rest")
        return
    kinds, name = coordinate_kinds(mechanism.joint(force.joint).type), force.name
    turning = slice(kinds.index("rotation"), kinds.index("rotation") + 1)
    for field, described in per_axis(mechanism, force, "stiffness", "rest"):
        value = described.value[turning]
        if field == f"{name}.rest":
            both = f"{name}.rest_cos", f"{name}.rest_sin"
            yield field, Described(value, lambda v, of=both: {of[0]: (cos(v[0]),), of[1]: (sin(v[0]),)})
        else:
            yield field, same(field, value)


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """Half of k s² along every coordinate."""
    from symvi.naive.force_energies import NaiveForce, joint_coordinates
    from symvi.naive.laws import holder_of, near_of
    from symvi.naive.quaternion import subtract

    joint, near = scene.joints[force.joint], near_of(scene, holder_of(scene, force.joint))
    if force.law == "sinusoidal":
        return naive_sinusoidal(scene, joint, near, numbers)

    def energy(a, b):
        stretch = subtract(joint_coordinates(scene, joint, near, a, b), numbers["rest"])
        return sum((k * s * s for k, s in zip(numbers["stiffness"], stretch, strict=True)), scene.zero) / 2

    return NaiveForce((joint.parent, joint.child), energy=energy)


def naive_sinusoidal(scene: Any, joint: Any, near: Any, numbers: Any) -> Any:
    """V = k (1 - cos(alpha - rest))."""
    from symvi.mechanism import coordinate_kinds
    from symvi.naive import joints
    from symvi.naive.force_energies import NaiveForce

    which = coordinate_kinds(joint.type).index("rotation")

    def energy(a, b):
        alpha = joints.coordinate(joint, which, a, b, scene.functions, near)
        cosine, sine = scene.functions.cos(alpha), scene.functions.sin(alpha)
        return numbers["stiffness"][0] * (1 - cosine * numbers["rest_cos"][0] - sine * numbers["rest_sin"][0])

    return NaiveForce((joint.parent, joint.child), energy=energy)


def record(mechanism: Any, force: Any, joints: Any, numbers: Any) -> dict[str, list]:
    """Its parameters, derived a second time."""
    from symvi.mechanism import axis_values, coordinate_kinds
    from symvi.proofs.numbers import per_axis

    kinds = coordinate_kinds(joints[force.joint].type)
    if force.law == "sinusoidal":
        cosine, sine = numbers.direction(axis_values(force.rest, kinds)[0])
        return {
            "stiffness": [numbers.single(axis_values(force.stiffness, kinds)[0])],
            "rest_cos": [cosine],
            "rest_sin": [sine],
        }
    return {"stiffness": per_axis(numbers, force.stiffness, kinds), "rest": per_axis(numbers, force.rest, kinds)}


register_force(
    ForceKind(
        name="joint_spring",
        description=description,
        model=model,
        numbers=numbers,
        naive=naive,
        record=record,
        law=law,
        per_axis=("stiffness", "rest"),
        pulls_at_knots=lambda force: force.law == "sinusoidal",
    )
)
