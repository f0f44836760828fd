"""What a solver's numbers change by where parameters of a description do: columns of tangents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import did_you_mean

if TYPE_CHECKING:
    from symvi.program.slopes import Place
    from symvi.simulate.plan import Plan
    from symvi.simulate.simulator import Simulator
    from symvi.simulate.slope_layout import SlopeLayout

Array = NDArray[np.float64]
STRAIGHT = 1e-9  # how far two slopes of a straight line may differ, of the larger
UNITS = ("size", "effective_mass", "share", "acceleration", "extent", "weight")  # what residuals are measured by


@dataclass(frozen=True)
class ParameterTangents:
    """names: of the columns. values (numbers of the plan, columns). places: the solver's numbers that move."""

    names: tuple[str, ...]
    values: Array
    places: tuple[Place, ...]

    def columns(self, layout: SlopeLayout, plan: Plan) -> Array:
        """(numbers, columns) in the order of a layout."""
        found = np.zeros((layout.sizes["parameters"], len(self.names)))
        for name, (offset, size) in layout.fields["parameters"].items():
            start = plan.fields["parameters"][name][0]
            found[offset : offset + size] = self.values[start : start + size]
        return found


def tangents_of(simulator: Simulator, names: Sequence[str]) -> ParameterTangents:
    """Of parameters of a description by name, each entry of a field a column; "arm.anchor[2]" is one entry.

    Only parameters that the solver's numbers are straight lines of. Raises ArgumentError for others, MechanismError.
    """
    columns, told, places = [], [], {}
    for name in names:
        field, _, entry = name.removesuffix("]").partition("[")
        described = simulator.described.get(field)
        if described is None:
            raise ArgumentError(f"parameters: no parameter '{name}'; {did_you_mean(name, simulator.parameter_names)}")
        value = np.array(simulator.settings.get(field, described.value), float).ravel()
        if entry and not (entry.isdecimal() and int(entry) < len(value)):
            raise ArgumentError(f"parameters: '{name}': '{field}' has the entries 0 to {len(value) - 1}")
        for k in [int(entry)] if entry else range(len(value)):
            column = _column(simulator, field, value, k)
            columns.append(column)
            told.append(field if len(value) == 1 else f"{field}[{k}]")
            places |= dict.fromkeys(_moved(simulator, column))
    size = simulator.plan.sizes["parameters"]
    return ParameterTangents(tuple(told), np.array(columns).reshape(len(told), size).T, tuple(sorted(places)))


def _column(simulator: Simulator, name: str, value: Array, k: int) -> Array:
    """What all numbers change by, by one entry."""
    scale = abs(value[k]) if value[k] else 1.0
    near, far = (_slope(simulator, name, value, k, share * scale) for share in (2.0**-10, 2.0**-6))
    if np.abs(near - far).max(initial=0.0) > STRAIGHT * max(np.abs(far).max(initial=0.0), 1e-300):
        raise ArgumentError(
            f"parameters: '{name}' moves numbers of the solver along a curve, of which no derivative is made yet; "
            "leave it out"
        )
    return far


def _slope(simulator: Simulator, name: str, value: Array, k: int, change: float) -> Array:
    after = []
    for sign in (1.0, -1.0):
        twin = simulator._twin()
        moved = value.copy()
        moved[k] += sign * change
        twin.set_parameter(name, moved if len(moved) > 1 else float(moved[0]))
        after.append(twin.engine.parameters.astype(float).copy())
    return (after[0] - after[1]) / (2.0 * change)


def _moved(simulator: Simulator, column: Array) -> list[Place]:
    """The numbers that a column moves, but for what residuals are measured by."""
    from symvi.program.slopes import Place

    found = []
    for place, (offset, size) in simulator.plan.fields["parameters"].items():
        kind, _, field = place.split("/")
        if field not in UNITS:
            found += [Place(kind, "parameters", field, k) for k in range(size) if column[offset + k] != 0.0]
    return found
