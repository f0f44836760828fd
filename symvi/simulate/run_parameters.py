"""Run-time parameters: their names, what they may be, and what else a value decides, without generating again.

What follows from what is told in symvi/numbers/derived_parameters.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from symvi.errors import MechanismError
from symvi.mechanism import Body, Mechanism
from symvi.mechanism.inertia import inertia_problem
from symvi.mechanism.shapes import shape_inertia
from symvi.mechanism.values import LARGEST, SMALLEST, TOO_LARGE, TOO_SMALL
from symvi.numbers.derived_parameters import (
    FRICTION,
    LEAST_FRICTION,
    NOT_NEGATIVE,
    acts_along,
    common_name,
    is_positive,
    merit_inertia,
)

if TYPE_CHECKING:
    from symvi.physics.model import ConstraintModel, LawModel, ShareModel
    from symvi.simulate.plan import Plan

Settings = Mapping[str, tuple[float, ...]]
OfParameters = TypeVar("OfParameters", "ConstraintModel", "LawModel", "ShareModel")


def settable(mechanism: Mechanism, plan: Plan) -> dict[str, tuple[str, ...]]:
    """The names that users set -> the plan's names of all that they stand for."""
    names: dict[str, tuple[str, ...]] = {}
    joints = acts_along(mechanism)
    for own in plan.parameters:
        known = common_name(joints, own)
        names[known] = (*names.get(known, ()), own)
    return names


def with_settings(mechanism: Mechanism, model: OfParameters, settings: Settings) -> OfParameters:
    """A model whose parameters are those that were set."""
    if not settings:
        return model
    joints = acts_along(mechanism)
    names = {own: common_name(joints, f"{model.name}.{own}") for own in model.parameters}
    parameters = {
        own: replace(parameter, values=tuple(settings.get(names[own], parameter.values)))
        for own, parameter in model.parameters.items()
    }
    return replace(model, parameters=parameters)


def mass_of(body: Body, settings: Settings) -> float:
    """The mass of a body [kg]."""
    return settings.get(f"{body.name}.mass", (body.mass,))[0]


def body_numbers(body: Body, settings: Settings) -> tuple[float, tuple[float, ...]]:
    """Mass and inertia of a body. The inertia of a uniform solid follows a mass that was set."""
    mass = mass_of(body, settings)
    shape, inertia = body.shape, body.inertia
    if shape is not None and body.center_of_mass == shape.position and body.inertia == shape_inertia(shape, body.mass):
        inertia = shape_inertia(shape, mass)
    return mass, tuple(settings.get(f"{body.name}.inertia", inertia))


def parameter_problem(name: str, values: Collection[float], real: str = "double", of_joint: bool = False) -> str:
    """What is wrong with values of the parameter element.field, as the end of a sentence; empty where nothing is.

    real: the precision of the memory that is to hold them. of_joint: whether the element is a joint.
    """
    field, held_there = name.rpartition(".")[2], in_memory(values, real)
    if max(map(abs, values)) > LARGEST:
        return TOO_LARGE
    if not all(map(isfinite, held_there)):
        return f"is too large for a number in {real}"
    if is_positive(field, of_joint) and not min(held_there) > 0:
        return "must be positive" if real == "double" else "must be positive, in float too"
    if is_positive(field, of_joint) and min(values) < SMALLEST:
        return TOO_SMALL
    if field in FRICTION and not min(held_there) >= _least_friction(real):
        least = f"{LEAST_FRICTION[real]:g}"
        if real == "float" and min(values) > 0:
            return f"is too small for float; {least} is next to none there"
        return f"must be positive where there is friction in the text; {least} is next to none"
    if field == "inertia":
        xx, yy, zz, xy, xz, yz = map(float, values)
        return inertia_problem((xx, yy, zz, xy, xz, yz))
    if field in NOT_NEGATIVE and min(values) < 0:
        return "must not be negative"
    return ""


def _least_friction(real: str) -> float:
    """The smallest coefficient or bound that is solved for in a precision."""
    return 5e-324 if real == "double" else in_memory((LEAST_FRICTION[real],), real)[0]


def in_memory(values: Collection[float], real: str) -> tuple[float, ...]:
    """Numbers as memory of a precision holds them; infinite where it cannot."""
    from symvi.program.precision import NUMBER

    with np.errstate(over="ignore"):
        return tuple(float(NUMBER[real](x)) for x in values)


def check_described(mechanism: Mechanism, real: str) -> None:
    """Raises MechanismError, naming it, for a number of the description that cannot be had in float."""
    from symvi.numbers.settings import described_numbers
    from symvi.program.precision import bounds_in

    if real == "double":
        return
    joints = {joint.name for joint in mechanism.joints}
    for title, parameter in described_numbers(mechanism):
        for own, values in parameter.numbers(parameter.value).items():
            values = bounds_in(values, real) if own.endswith(".bound") else values
            if problem := parameter_problem(own, values, real, own.partition(".")[0] in joints):
                raise MechanismError(f"parameter {title}: {parameter.shown!r} {problem}; choose another, or double")


def contact_units(mechanism: Mechanism, settings: Settings, real: str = "double") -> dict[str, dict[str, float]]:
    """What complementarity is measured by, by node and field; "common" is the whole mechanism's.

    It follows the masses and the gravity that were set, but where a unit itself was set. real: the precision in which
    it is worked out, which is that of generated text that updates its parameters.
    """
    from symvi.program.precision import NUMBER

    with np.errstate(over="ignore"):
        return _contact_units(mechanism, settings, NUMBER[real])


def _contact_units(mechanism: Mechanism, settings: Settings, number: type) -> dict[str, dict[str, float]]:
    from symvi.numbers.complementarity_scale import effective_masses, pull, total_mass, touching

    masses = [number(body_numbers(body, settings)[0]) for body in mechanism.bodies]
    gravity = [number(x) for x in settings.get("common.gravity", mechanism.gravity)]
    found = {"common": {"mass": float(total_mass(masses)), "acceleration": float(number(pull(gravity)))}}
    for name, unit in effective_masses(touching(mechanism), masses).items():
        found[name] = {field: float(value) for field, value in unit._asdict().items()}
    for name, units in found.items():
        for field, value in units.items():
            own = settings.get(f"{name}.{field}", (value,))[0]
            if field == "effective_mass":
                units["share"] *= own / value
            units[field] = own
    return found


def body_weight(mass: float, inertia: Sequence[float], radius: float, real: str) -> float:
    """What a body's residual is weighed by [kg m²], worked out in the precision of the text."""
    from symvi.program.precision import NUMBER

    number = NUMBER[real]
    with np.errstate(over="ignore"):
        return float(merit_inertia(number(mass), [number(x) for x in inertia], number(radius**2)))
