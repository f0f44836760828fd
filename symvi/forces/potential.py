"""The potential: an energy of the user's own, a text in the placements of two bodies, at the knots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symvi.registry import ForceKind, register_force

ENERGY = (
    "0.5*k*(x_b[0] - x_a[0])**2 + sin(R_b[2, 1])*exp(q_a[1]) - log(1.5 + q_b[0]) + cos(x_b[2])/(2 + x_a[1]**2)"
    " + atan2(q_b[1], q_b[3])"
)


def description() -> type:
    """The class of its descriptions."""
    from symvi.mechanism.forces import Potential

    return Potential


def model(system: Any, force: Any) -> Any:
    """The gradient of the expression."""
    from symvi.physics.joints.custom import expression_formula, expression_inputs
    from symvi.physics.model import ForceModel, Group, Parameter

    parent = None if force.parent == "world" else system.mechanism.body(force.parent)
    child = system.mechanism.body(force.child)
    parameters = dict(force.parameters)
    inputs, values = expression_inputs(parent, child, parameters)
    formula = expression_formula((force.expression,), tuple(parameters), "J")
    groups = (Group(formula, inputs, (0,), (0,)),)
    values["scale"] = Parameter((1.0,), "factor on the whole potential")
    return ForceModel(
        force.name,
        force.kind,
        {"a": None if parent is None else parent.name, "b": child.name},
        groups,
        values,
        1,
        ("energy",),
        ("J",),
        energy="scale",
    )


def numbers(mechanism: Any, force: Any) -> Iterator:
    """The user's own."""
    from symvi.numbers.settings import own_parameters

    yield from own_parameters(force)


def naive(scene: Any, force: Any, numbers: Any, inputs: Any) -> Any:
    """The expression, read a second time."""
    from symvi.naive.expressions import rows_of_expressions
    from symvi.naive.force_energies import NaiveForce

    user = {name: numbers[f"par_{name}"][0] for name in dict(force.parameters)}
    origins = {side: numbers[f"origin_{side}"] for side in "ab"}

    def energy(a, b):
        return numbers["scale"][0] * rows_of_expressions((force.expression,), user, origins, a, b, scene.functions)[0]

    return NaiveForce((force.parent, force.child), energy=energy, at_knots=True)


def record(mechanism: Any, force: Any, joints: Any, numbers: Any) -> dict[str, list]:
    """Its parameters, derived a second time."""
    from symvi.proofs.numbers import expression_record, from_center

    user = {name: numbers.single(value) for name, value in dict(force.parameters).items()}
    origins = {
        side: from_center(mechanism, body, (0.0, 0.0, 0.0), numbers)
        for side, body in (("a", force.parent), ("b", force.child))
    }
    return {**expression_record(user, origins, numbers), "scale": [numbers.single(1.0)]}


def examples(parent: str, child: str) -> Iterator:
    """With the world, and between two bodies."""
    from symvi.mechanism import Potential

    yield Potential(name="well", parent="world", child=child, expression=ENERGY, parameters={"k": 3.0})
    yield Potential(name="bond", parent=parent, child=child, expression=ENERGY, parameters={"k": 3.0})


register_force(
    ForceKind(
        name="potential",
        description=description,
        model=model,
        numbers=numbers,
        naive=naive,
        record=record,
        expressions=lambda force: (force.expression,),
        pulls_at_knots=lambda force: True,
        examples=examples,
    )
)
