"""Numbers of a program that follow from the precision of its text.

A program is composed for doubles. In float the guards of loops, what counts as an opened loop, and the bound that
stands for no dry friction are larger; and what follows from masses and gravity is worked out in float from numbers in
float, as generated text does when it updates them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from symvi.mechanism.forces import LEAST_BOUND
from symvi.numbers.complementarity_scale import Touching, effective_masses, pull, total_mass
from symvi.numbers.derived_parameters import LEAST_FRICTION, merit_inertia
from symvi.numbers.extent import OPENING

if TYPE_CHECKING:
    from symvi.program.program import Program

COARSER = 1e5  # factor on guards, which lie four digits above round-off in double and just above it in float

NUMBER = {"double": float, "float": np.float32}  # of the precisions: what arithmetic in them is done with

Numbers = Mapping[str, tuple[float, ...]]
Parameters = Mapping[tuple[str, int], Numbers]


def in_precision(program: Program, real: str) -> Program:
    """The program with the parameters that its text has in "double" or "float"."""
    return replace(program, parameters=parameters_in(program.parameters, program.notes, real))


def parameters_in(parameters: Parameters, notes: Mapping[str, Any], real: str) -> Parameters:
    """Parameters by (node type, number) as a text in "double" or "float" has them. notes: of their program."""
    if real == "double":
        return parameters
    found = {node: _in_float(numbers) for node, numbers in parameters.items()}
    for node, numbers in _derived(parameters, notes).items():
        found[node] = {**found[node], **numbers}
    return found


def bounds_in(bounds: tuple[float, ...], real: str) -> tuple[float, ...]:
    """Bounds of dry friction; the one that stands for none is larger in float."""
    return tuple(LEAST_FRICTION[real] if bound == LEAST_BOUND else bound for bound in bounds)


def held(value: float, real: str) -> float:
    """The number that memory holds of one, with as few digits as tell it there."""
    return float(str(np.float32(value))) if real == "float" else float(value)


def _in_float(numbers: Numbers) -> Numbers:
    changed = dict(numbers)
    if "guard" in numbers:
        changed["guard"] = tuple(COARSER * guard for guard in numbers["guard"])
    if "bound" in numbers:
        changed["bound"] = bounds_in(numbers["bound"], "float")
    if "limit" in numbers and "extent" in numbers:
        changed["limit"] = (max(numbers["limit"][0], OPENING["float"] * numbers["extent"][0]),)
    return changed


def _derived(of: Parameters, notes: Mapping[str, Any]) -> dict[tuple[str, int], Numbers]:
    """What bodies weigh and what complementarity is measured by, in float."""
    from symvi.kernels.body_kernels import BODY
    from symvi.kernels.common import COMMON

    number, derived = NUMBER["float"], notes["derived"]
    bodies = [numbers for (kind, _), numbers in of.items() if kind == BODY]
    masses = [number(body["mass"][0]) for body in bodies]
    found: dict[tuple[str, int], Numbers] = {}
    for k, body in enumerate(bodies):
        inertia, square = [number(x) for x in body["inertia"]], number(derived["radii"][k] ** 2)
        found[BODY, k] = {"size": (float(merit_inertia(masses[k], inertia, square)),)}
    if notes["inequalities"]:
        gravity = [number(x) for x in of[COMMON, 0]["gravity"]]
        found[COMMON, 0] = {"mass": (float(total_mass(masses)),), "acceleration": (float(number(pull(gravity))),)}
        sides = {name: tuple(bodies) for name, bodies in derived["nodes"].items()}
        units = effective_masses(Touching(tuple(derived["parts"]), tuple(derived["contacts"]), sides), masses)
        for node in notes["inequalities"]:
            own = units[node["name"]]._asdict()
            found[node["kind"], node["index"]] = {name: (float(value),) for name, value in own.items()}
    return found
