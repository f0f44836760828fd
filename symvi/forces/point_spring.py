"""The spring between two points, and its damper: a law within the step (physics/laws.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from symvi.registry import ForceKind, Law, register_force


def description() -> type:
    """The class of its descriptions."""
    from symvi.mechanism.forces import PointSpring

    return PointSpring


def model(system: Any, force: Any) -> Any:
    """Along the distance of its points; one without a length pulls them together, along the three directions.

    A distance has no direction where it vanishes, which is where a spring of length zero leads to.
    """
    from symvi.physics.force_models import point_geometry
    from symvi.physics.joints import rows as row
    from symvi.physics.model import Group, LawModel, Laws, Parameter

    geometry = point_geometry(system.mechanism, force)
    numbers = {"stiffness": Parameter((force.stiffness,), "stiffness", "N/m")}
    if force.damping:
        numbers["damping"] = Parameter((force.damping,), "damping of the distance", "N s/m")
    along = Group(row.distance, geometry.anchors(), (0,), (0,))
    if force.length == 0.0:
        together = Group(row.coincidence, geometry.anchors(), (0, 1, 2), (0, 1, 2))
        groups = (together,) if force.damping == 0.0 else (together, replace(along, into=(3,)))
        laws = Laws((0, 1, 2), (3,) if force.damping else (), (), (0, 1, 2, 3)[: 3 + bool(force.damping)])
    else:
        numbers["length"] = Parameter((force.length,), "length without force", "m")
        groups, laws = (along,), Laws((0,), (0,) if force.damping else (), (), (0,))
    rows = len(laws.coordinates)
    return LawModel(
        force.name,
        force.kind,
        geometry.bodies,
        groups,
        {**geometry.used(groups), **numbers},
        rows,
        ("x", "y", "z", "distance")[:rows] if force.length == 0.0 else ("distance",),
        ("m",) * rows,
        laws,
    )


def law(force: Any) -> Law:
    """Elastic, and damped if it has a damping."""
    return Law(is_elastic=True, is_damped=bool(force.damping), is_between_points=True, has_length=bool(force.length))


def numbers(mechanism: Any, force: Any) -> Iterator:
    """One without a length, or without damping, is another law: it keeps that."""
    from symvi.numbers.settings import anchors, plain

    fixed = [field for field in ("length", "damping") if getattr(force, field) == 0.0]
    yield from plain(force, *(field for field in ("stiffness", "length", "damping") if field not in fixed))
    yield from anchors(mechanism, force)


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """Half of k times the square of what it is longer by."""
    from symvi.naive import joints
    from symvi.naive.force_energies import NaiveForce
    from symvi.naive.quaternion import dot

    joint = scene.joints[force.name]

    def energy(a, b):
        u = joints.gap(joint, a, b)
        if not force.length:
            return numbers["stiffness"][0] * dot(u, u) / 2
        stretch = scene.functions.sqrt(dot(u, u)) - numbers["length"][0]
        return numbers["stiffness"][0] * stretch * stretch / 2

    return NaiveForce((joint.parent, joint.child), energy=energy)


def record(mechanism: Any, force: Any, joints: Any, numbers: Any) -> dict[str, list]:
    """Its parameters, derived a second time."""
    joint = joints[force.name]
    return {
        "anchor_a": joint.anchor_a,
        "anchor_b": joint.anchor_b,
        "stiffness": [numbers.single(force.stiffness)],
        "length": [numbers.single(force.length)],
        "damping": [numbers.single(force.damping)],
    }


def definitions() -> Iterator:
    """Its energy, and its force."""
    from symvi.derive.contacts import BOTH, LENGTH, TWO, spring_energy, spring_force
    from symvi.derive.definition import Definition

    places = {**TWO, "k": LENGTH, "L": LENGTH}
    energy = "V = (k/2) (|u| - L)²,  u = x_b + R_b p_b - x_a - R_a p_a"
    yield Definition("point_spring", energy, "derived here", places, BOTH, spring_energy)
    yield Definition("point_spring_force", "f = -k (|u| - L) u/|u|", "derived here", places, BOTH, spring_force)


def told(name: str) -> Callable:
    """Its rows as vector expressions."""

    def rows() -> Any:
        from symvi.derive import derivation

        return getattr(derivation, name)()

    return rows


def examples(parent: str, child: str) -> Iterator:
    """With the world, and between two bodies; one without a length."""
    from symvi.mechanism import PointSpring

    yield PointSpring(
        name="wire",
        parent="world",
        child=parent,
        parent_anchor=(1, 2, 0.5),
        child_anchor=(0.2, 0, 0.1),
        stiffness=4,
        length=0.5,
    )
    yield PointSpring(
        name="band",
        parent=parent,
        child=child,
        parent_anchor=(0, 0.3, 0),
        child_anchor=(0.2, 0.7, 0.1),
        stiffness=4,
        length=0,
    )


register_force(
    ForceKind(
        name="point_spring",
        description=description,
        model=model,
        numbers=numbers,
        naive=naive,
        record=record,
        law=law,
        pulls_at_knots=lambda force: force.length > 0.0,
        span=("spring", 0.045),
        definitions=definitions,
        told={"point_spring": told("point_spring_rows"), "point_spring_force": told("point_spring_force_rows")},
        examples=examples,
    )
)
