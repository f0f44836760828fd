"""The half-space: the solid behind a plane of the parent, phi = n·(x_b + R_b p_b - x_a - R_a p_a) - r_b (BSMH23)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from symvi.registry import ContactKind, register_contact


def model(mechanism: Any, point: Any) -> Any:
    """The height of the child's point over the plane. A plane of the world has the same normal at both knots."""
    from symvi.physics.gaps import arm_to_half_space, gap_to_half_space
    from symvi.physics.inequalities import anchor_of_parent, contact_arm, touching
    from symvi.physics.model import Data, FixedTo, Parameter, Position

    contact = point.contact
    parameters = {
        "normal": Parameter(contact.normal, "normal of the half-space, out of the solid, on body a"),
        **anchor_of_parent(mechanism, contact, "a point of the plane, from the centre of mass of body a"),
    }
    inputs = {
        "n": FixedTo("a", "normal"),
        "x_a": Position("a"),
        "r_a": FixedTo("a", "anchor_a"),
        "x_b": Position("b"),
        "r_b": FixedTo("b", "anchor_b"),
        "radius": Data("radius"),
    }
    place = contact_arm(arm_to_half_space, inputs) if contact.parent != "world" else None
    return touching(mechanism, point, gap_to_half_space, inputs, parameters, place=place)


def naive(scene: Any, contact: Any, numbers: Any) -> Callable:
    """The same from both placements."""
    from symvi.naive.quaternion import add, dot, rotate, subtract

    def gap(a: Any, b: Any) -> Any:
        apart = subtract(add(b[0], rotate(b[1], numbers["anchor_b"])), add(a[0], rotate(a[1], numbers["anchor_a"])))
        return dot(rotate(a[1], numbers["normal"]), apart) - numbers["radius"][0]

    return gap


def record(mechanism: Any, point: Any, numbers: Any) -> dict[str, list]:
    """The normal and the axes of the plane, derived a second time."""
    from symvi.naive.quaternion import columns
    from symvi.proofs.exact import triad_turn

    return dict(zip(("t1", "t2", "normal"), columns(triad_turn(numbers, point.contact.normal)), strict=True))


def settings(mechanism: Any, contact: Any) -> Iterator:
    """Both points, and the radius."""
    from symvi.numbers.settings import anchors, plain

    yield from anchors(mechanism, contact)
    yield from plain(contact, "radius")


def definition(world: Any, x: Any, q: Any, p: Any, n: Any, o: Any, r: Any) -> list:
    """The gap to a plane of the world, to verify against."""
    from symvi.naive.quaternion import add, dot, rotate, subtract

    return [dot(n, subtract(add(x, rotate(q, p)), o)) - r[0]]


def definitions() -> Iterator:
    """Its gap."""
    from symvi.derive.contacts import LENGTH
    from symvi.derive.definition import Definition
    from symvi.verify.asking.variables import quaternion, unit_vector, vector

    names = {"x": vector(3), "q": quaternion(), "p": vector(3), "n": unit_vector(), "o": vector(3), "r": LENGTH}
    yield Definition("half_space", "phi = n·(x + R(q) p - o) - r", "BSMH23 section 2", names, ("x", "q"), definition)


def told() -> Any:
    """Its row as a vector expression."""
    from symvi.derive import derivation as d

    reach = d.Total((1, d.Variable("x")), (1, d.Turned("q", d.Variable("p"))), (-1, d.Variable("o")))
    radius = d.Row(d.Number(d.name_factor("r", True), lambda name, tangent: ()))
    return d.Rows([d.Total((1, d.Row(d.dot(d.Variable("n"), reach))), (-1, radius))], [], "phi")


register_contact(
    ContactKind(
        "half_space",
        model,
        naive,
        record,
        fields=("parent_anchor", "whole_shape", "normal"),
        settings=settings,
        has_plane=True,
        ground=lambda contact: (contact.parent_anchor, contact.normal),
        type_name="contact",
        definitions=definitions,
        told={"half_space": told},
        examples=({"normal": (0.48, 0.6, 0.64), "parent_anchor": (0.1, 0.2, -0.3)},),
    )
)
