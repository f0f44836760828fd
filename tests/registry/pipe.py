"""A contact from outside: a round pipe of the parent, which the child's sphere rolls in, phi = bore - r - |d across|.

d leads from a point of the pipe's axis to the sphere's centre; `normal` is the axis. One record in one file is all that
it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from symvi import ContactKind
from symvi.mechanism.description import Complaint
from symvi.numbers.settings import anchors, own_parameters, plain
from symvi.physics.constraint import carried, data, function_of_bodies, position
from symvi.physics.gaps import CENTRE, along
from symvi.physics.inequalities import anchor_of_parent, contact_arm, named_number, touching
from symvi.physics.model import Data, FixedTo, Parameter, Position

PIPE_INPUTS = (
    carried("n", "axis of the pipe", "a", "1"),
    position("a"),
    carried("r_a", "a point of the axis", "a"),
    *CENTRE,
    data("radius", "radius of the sphere", "m"),
)


def across(n, x_a, r_a, x_b, r_b, let):
    """From the axis to the centre."""
    from symvi.physics import algebra

    d = let("d", x_b + r_b - x_a - r_a)
    return let("across", d - n * algebra.dot(n, d))


@function_of_bodies(
    "phi = bore - radius - |d - n (n·d)|", "derived here", (*PIPE_INPUTS, data("bore", "radius of the pipe", "m")), 1
)
def gap_in_pipe(n, x_a, r_a, x_b, r_b, radius, bore, let):
    import sympy as sp

    from symvi.physics import algebra

    d = across(n, x_a, r_a, x_b, r_b, let)
    return bore[0] - radius[0] - let("distance", [sp.sqrt(algebra.dot(d, d))])[0]


@function_of_bodies("l_b = r_b + radius d/|d|", "derived here: away from the axis", PIPE_INPUTS, 3)
def arm_in_pipe(n, x_a, r_a, x_b, r_b, radius, let):
    return r_b + along(across(n, x_a, r_a, x_b, r_b, let), let) * radius[0]


def model(mechanism: Any, point: Any) -> Any:
    """The gap of one point."""
    parameters = {
        "normal": Parameter(point.contact.normal, "axis of the pipe, on body a"),
        **anchor_of_parent(mechanism, point.contact, "a point of the pipe's axis"),
    }
    inputs = {
        "n": FixedTo("a", "normal"),
        "x_a": Position("a"),
        "r_a": FixedTo("a", "anchor_a"),
        "x_b": Position("b"),
        "r_b": FixedTo("b", "anchor_b"),
        "radius": Data("radius"),
        "bore": named_number("bore"),
    }
    return touching(mechanism, point, gap_in_pipe, inputs, parameters, place=contact_arm(arm_in_pipe, inputs))


def naive(scene: Any, contact: Any, numbers: Any) -> Callable:
    """The same from both placements: the axis is crossed with the way to the centre."""
    from symvi.naive.quaternion import add, cross, dot, rotate, subtract

    def gap(a: Any, b: Any) -> Any:
        apart = subtract(add(b[0], rotate(b[1], numbers["anchor_b"])), add(a[0], rotate(a[1], numbers["anchor_a"])))
        lever = cross(rotate(a[1], numbers["normal"]), apart)
        return numbers["par_bore"][0] - numbers["radius"][0] - scene.functions.sqrt(dot(lever, lever))

    return gap


def record(mechanism: Any, point: Any, numbers: Any) -> dict[str, list]:
    """The axis, derived a second time."""
    from symvi.naive.quaternion import columns
    from symvi.proofs.exact import triad_turn

    return {"normal": columns(triad_turn(numbers, point.contact.normal))[2]}


def settings(mechanism: Any, contact: Any) -> Iterator:
    """Both points, the radius and the bore."""
    yield from anchors(mechanism, contact)
    yield from plain(contact, "radius")
    yield from own_parameters(contact)


def complaints(contact: Any) -> Iterator[Complaint]:
    """The sphere must fit."""
    if contact.radius >= contact.parameters.get("bore", float("inf")):
        yield Complaint(("radius",), f"radius {contact.radius:g} m does not fit into the pipe")


PIPE = ContactKind(
    "pipe",
    model,
    naive,
    record,
    fields=("parent_anchor", "normal"),
    numbers={"bore": ("radius of the pipe", "m")},
    complaints=complaints,
    settings=settings,
    examples=({"normal": (0.48, 0.6, 0.64), "parent_anchor": (0.1, 0.2, -0.3), "parameters": {"bore": 1.5}},),
)
