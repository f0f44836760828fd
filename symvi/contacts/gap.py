"""The user's own gap: an expression in the placements of both bodies (mechanism/grammar.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symvi.registry import ContactKind, register_contact


def model(mechanism: Any, point: Any) -> Any:
    """Friction acts where the user says, or at the child's point."""
    from symvi.physics.inequalities import contact_arm, touching
    from symvi.physics.joints.custom import arm_along_normal_formula, arm_formula, expression_formula, expression_inputs
    from symvi.physics.model import Data, FixedTo

    contact = point.contact
    parent = None if contact.parent == "world" else mechanism.body(contact.parent)
    named = dict(contact.parameters)
    inputs, values = expression_inputs(parent, mechanism.body(contact.child), named)
    formula = expression_formula((contact.expression,), tuple(named))
    sphere = {"r_b": FixedTo("b", "anchor_b"), "radius": Data("radius")}
    if contact.point:
        centre, place = None, contact_arm(arm_formula(tuple(contact.point), tuple(named)), inputs)
    else:
        centre = sphere["r_b"]
        place = contact_arm(arm_along_normal_formula(contact.expression, tuple(named)), inputs | sphere)
    return touching(mechanism, point, formula, inputs, values, centre=centre, place=place)


def naive(scene: Any, contact: Any, numbers: Any) -> Callable:
    """The expression, read a second time."""
    from symvi.naive.contact_points import expressions

    values = expressions(scene, contact, numbers, (contact.expression,))
    return lambda a, b: values(a, b)[0]


def place(scene: Any, contact: Any, numbers: Any) -> Callable | None:
    """The user's point, read a second time."""
    from symvi.naive.contact_points import expressions

    return expressions(scene, contact, numbers, contact.point) if contact.point else None


def settings(mechanism: Any, contact: Any) -> Any:
    """The named numbers of the user's own."""
    from symvi.numbers.settings import own_parameters

    return own_parameters(contact)


def expression_of(contact: Any) -> tuple[str, ...]:
    return () if contact.expression is None else (contact.expression,)


EXAMPLE = {
    "expression": "x_b[2] + k*R_b[1, 0]*x_b[0] - 0.3*x_a[1]*R_a[0, 0] + q_b[1]**2 - 0.1*q_a[2]",
    "parameters": {"k": 0.7},
}
POINT = ("x_b[0] - 0.2*R_b[0, 1]", "k*x_a[1] + x_b[1]/(1 + x_b[0]**2)", "q_b[2]*x_a[2]*R_a[1, 2]")

register_contact(
    ContactKind(
        "gap",
        model,
        naive,
        fields=("expression", "point", "parameters"),
        needs=("expression",),
        settings=settings,
        is_distance=False,
        is_own=True,
        expressions=expression_of,
        place=place,
        type_name="gap",
        examples=(EXAMPLE, {**EXAMPLE, "point": POINT}),
    )
)
