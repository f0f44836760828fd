"""What a run-time parameter may be: the checks of the description, for values that change without generating again."""

from __future__ import annotations

from collections.abc import Sequence

from symvi.mechanism.inertia import inertia_problem
from symvi.program.control import SMALLEST_RADIUS

INTERNAL = ("size", "guard", "limit", "h")  # what follows from other numbers, or has its own argument
NOT_NEGATIVE = ("stiffness", "damping")


def parameter_problem(name: str, values: Sequence[float]) -> str:
    """What is wrong with values of the parameter element.field, as the end of a sentence; empty where nothing is."""
    field = name.rpartition(".")[2].removeprefix("j1_").removeprefix("j2_")
    if field == "mass" and not values[0] > 0:
        return "must be positive"
    if field == "inertia":
        return inertia_problem(tuple(float(x) for x in values))
    if field in NOT_NEGATIVE and min(values) < 0:
        return "must not be negative"
    if field == "length" and not values[0] > 0:
        return "must be positive"
    return ""


def merit_inertia(mass: float, inertia: Sequence[float]) -> float:
    """What a body's residual is weighed by: its largest moment, at least that of its mass at a small radius."""
    return max(*inertia[:3], mass * SMALLEST_RADIUS**2)
