"""POINTS: arguments of a case as arrays of floats or of mpmath's numbers, and small moves of them on their manifold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import numpy as np

from tests.verify.corpus.algebra import L, R
from tests.verify.corpus.case import Case, Variable

Point = Mapping[str, object]


def point(case: Case, random: Random, number: Callable = float, root: Callable = np.sqrt) -> dict[str, object]:
    """Random arguments of typical size; number: of a float; root: the square root of such a number."""
    return {name: _argument(variable, random, number, root) for name, variable in case.variables.items()}


def _argument(variable: Variable, random: Random, number: Callable, root: Callable):
    def array(*shape: int):
        return np.array([number(random.uniform(-1, 1)) for _ in range(int(np.prod(shape)))]).reshape(shape)

    typical = number(variable.typical)
    match variable.kind:
        case "vector" | "angular velocity":
            return typical * array(variable.size)
        case "quaternion" | "unit vector":
            q = array(variable.size)
            return q / root(q @ q)
        case "scalar":
            return typical * array(1)[0]
        case "positive" | "step":
            return typical * number(random.uniform(0.5, 1.5))
        case "inertia":
            a = array(variable.size, variable.size)
            return typical * (a @ a.T + np.diag([number(1)] * variable.size))
    raise ValueError(variable.kind)


def moved(case: Case, at: Point, name: str, direction: int, distance, root: Callable = np.sqrt) -> dict[str, object]:
    """The point with one variable moved along one direction of its tangent; a unit quaternion stays one."""
    variable, value = case.variables[name], at[name]
    if variable.kind != "quaternion" or variable.tangent == "raw":
        if variable.size == 1:
            return {**at, name: value + distance}
        step = np.array([distance if k == direction else 0 * distance for k in range(variable.size)])
        return {**at, name: value + step}
    vector = distance if variable.tangent == "half" else distance / 2
    turn = np.array([vector if k == direction + 1 else 0 * distance for k in range(4)])
    turn[0] = root(1 - vector * vector)
    return {**at, name: (L(value) if variable.side == "body" else R(value)) @ turn}
