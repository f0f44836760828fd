"""The sphere: a ball of the parent, phi = |x_b + R_b p_b - x_a - R_a p_a| - r_b - r_a."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from symvi.registry import ContactKind, register_contact


def model(mechanism: Any, point: Any) -> Any:
    """The distance of both centres less both radii."""
    from symvi.physics.gaps import arm_to_sphere, gap_of_spheres
    from symvi.physics.inequalities import anchor_of_parent, contact_arm, touching
    from symvi.physics.model import Data, FixedTo, Parameter, Position

    contact = point.contact
    parameters = {
        **anchor_of_parent(mechanism, contact, "centre of the parent's sphere, from its centre of mass"),
        "reach": Parameter((point.radius + contact.parent_radius,), "sum of both radii", "m"),
    }
    inputs = {
        "x_a": Position("a"),
        "r_a": FixedTo("a", "anchor_a"),
        "x_b": Position("b"),
        "r_b": FixedTo("b", "anchor_b"),
        "reach": Data("reach"),
    }
    place = contact_arm(arm_to_sphere, inputs | {"radius": Data("radius")})
    arm = FixedTo("a", "anchor_a")
    return touching(mechanism, point, gap_of_spheres, inputs, parameters, arm=arm, place=place)


def naive(scene: Any, contact: Any, numbers: Any) -> Callable:
    """The same from both placements."""
    from symvi.naive.quaternion import add, dot, rotate, subtract

    def gap(a: Any, b: Any) -> Any:
        apart = subtract(add(b[0], rotate(b[1], numbers["anchor_b"])), add(a[0], rotate(a[1], numbers["anchor_a"])))
        return scene.functions.sqrt(dot(apart, apart)) - numbers["reach"][0]

    return gap


def record(mechanism: Any, point: Any, numbers: Any) -> dict[str, list]:
    """The sum of both radii, derived a second time."""
    return {"reach": [numbers.single(point.radius + point.contact.parent_radius)]}


def definition(world: Any, r_a: Any, r_b: Any, **places: Any) -> list:
    """The gap of two spheres, to verify against."""
    from symvi.derive.contacts import between, length

    return [length(world, between(**places)) - r_a[0] - r_b[0]]


def definitions() -> Iterator:
    """Its gap."""
    from symvi.derive.contacts import BOTH, LENGTH, TWO
    from symvi.derive.definition import Definition

    equation = "phi = |x_b + R_b p_b - x_a - R_a p_a| - r_a - r_b"
    yield Definition("sphere", equation, "derived here", {**TWO, "r_a": LENGTH, "r_b": LENGTH}, BOTH, definition)


def told() -> Any:
    """Its row as a vector expression."""
    from symvi.derive import derivation as d

    size = d.function_of(d.gap(), "|u|", r"\|u\|", lambda w, v: d.length(w), "(1/|u|)", r"\tfrac{1}{\|u\|}",
                         lambda w, v: 1 / d.length(w))  # fmt: skip
    radii = [d.Row(d.Number(d.name_factor(r, True), lambda name, tangent: ())) for r in ("r_a", "r_b")]
    return d.Rows([d.Total((1, d.Row(size)), *((-1, radius) for radius in radii))], [d.GAP_NAME], "phi")


register_contact(
    ContactKind(
        "sphere",
        model,
        naive,
        record,
        fields=("parent_anchor", "whole_shape", "parent_radius"),
        is_sphere=True,
        definitions=definitions,
        told={"sphere": told},
        examples=({"parent_radius": 0.3, "parent_anchor": (0.1, 0.2, -0.3)},),
    )
)
