"""The gradient of a loss along a motion, by the adjoint: λ_k = ∂ℓ/∂x_k + A_kᵀ λ_{k+1}, from the last knot to the first.

Only every √N-th state is kept; the stretch between two of them is taken again, and must end in the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism.names import shown
from symvi.simulate.slope_backwards import Backwards
from symvi.simulate.slope_chord import Before, Chords
from symvi.simulate.slope_native import NativeSlopes
from symvi.simulate.slope_path import SlopePath, repeated

Array = NDArray[np.float64]
Loss = Callable[[Array, Array], Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Gradient:
    """What a loss along a motion changes by.

    value: the loss. start (n,): by coordinates and rates at the first knot, whose numbers are `names`. inputs (N, m):
    by what drives each step, as columns of B. parameters (p,): at fixed coordinates and rates of the start. x (N + 1,
    ...) of what `x_names` say, u (N, m), time (N + 1,) [s]: the motion. parts (N,): equal parts of each step.
    smoothing: complementarity of contacts, limits and dry friction that the derivatives are of, None without any.
    chart: what rates in x are; those of the start are of its momenta in either.
    """

    value: float
    start: Array
    inputs: Array
    parameters: Array
    names: tuple[str, ...]
    x_names: tuple[str, ...]
    input_names: tuple[str, ...]
    parameter_names: tuple[str, ...]
    time: Array
    x: Array
    u: Array
    parts: NDArray[np.int64]
    smoothing: float | None
    chart: str

    def __repr__(self) -> str:
        about = "" if self.smoothing is None else f", smoothing {self.smoothing:g}"
        return f"<gradient: loss {self.value:g}, {len(self.inputs)} steps, {len(self.names)} states{about}>"


def gradient_along(path: SlopePath, loss: Loss) -> Gradient:
    """The gradient of a loss along a path. Raises SolverError, AssemblyError; ArgumentError for a loss that is none."""
    steps, rows, stretch = len(path), path.rows, max(1, isqrt(len(path)))
    kept, told, state = {0: path.first}, _Told(path), path.first
    told.add(path.first, path.held)
    for first in range(0, steps, stretch):
        last = min(first + stretch, steps)
        reached = path.states(state, first, last, rows)
        for k, each in enumerate(reached[1:]):
            told.add(each, rows[min(first + 1 + k, steps - 1)])
        kept[last] = state = reached[-1]
    xs = np.array(told.x)
    value, by_x, by_u = _checked(loss(xs.copy(), rows.copy()), xs.shape, rows.shape)
    by_x = told.by_knots(by_x)
    taken = _by_tapes if isinstance(path.linearizer.slopes, NativeSlopes) else _by_matrices
    costate, inputs, parameters, parts = taken(path, kept, stretch, by_x, by_u)
    names = path.asked.moving.names
    about = path.asked.smoothing, path.asked.chart
    return Gradient(
        value,
        costate,
        inputs,
        parameters,
        path.names,
        told.names,
        path.inputs,
        names,
        path.time,
        xs,
        rows,
        parts,
        *about,
    )


Taken = tuple[Array, Array, Array, NDArray[np.int64]]


def _by_tapes(path: SlopePath, kept: Mapping[int, Array], stretch: int, by_x: Array, by_u: Array) -> Taken:
    """Slopes by the start, by inputs and by parameters, and parts of each step: by the adjoint of every step. Each
    stretch is taken once more, and recorded on the way."""
    steps, rows = len(path), path.rows
    back, inputs, parts = Backwards(path.linearizer), by_u.copy(), np.zeros(steps, np.int64)
    costate, x = np.zeros(path.linearizer.layout.sizes["state"]), by_x[steps]
    for first in reversed(range(0, steps, stretch)):
        last, state, recorded, states = min(first + stretch, steps), kept[first], [], []
        back.rewind()
        for k in range(first, last):
            told = back.smoothed or bool(by_x[k + 1].any())
            states.append(state)
            one, state = path.timed(k, lambda k=k, state=state, told=told: back.record(state, rows[k], told))
            recorded.append(one)
        repeated(state, kept[last], path.time[last])
        for k in reversed(range(first, last)):
            one = recorded[k - first]
            if back.smoothed:
                costate = back.told(one, x)
            elif one.told:
                costate = costate + back.told(one, by_x[k + 1])
            costate, by_row = back.step(one, costate)
            inputs[k] += by_row
            parts[k] = one.parts
            if back.smoothed or k == 0:
                x = by_x[k] + path.timed(
                    k, lambda k=k, state=states[k - first], by=costate: back.lifted(state, rows[k], by)
                )
    return x, inputs, back.parameters, parts


def _by_matrices(path: SlopePath, kept: Mapping[int, Array], stretch: int, by_x: Array, by_u: Array) -> Taken:
    """The same by the matrices of every step, as the back end in Python has them."""
    steps, rows = len(path), path.rows
    costate, inputs, parts = by_x[steps].copy(), by_u.copy(), np.zeros(steps, np.int64)
    parameters = np.zeros(len(path.asked.moving.names))
    for first in reversed(range(0, steps, stretch)):
        last = min(first + stretch, steps)
        reached = path.states(kept[first], first, last, rows)
        repeated(reached[-1], kept[last], path.time[last])
        for k in reversed(range(first, last)):
            one = path.linearized(reached[k - first], rows[k])
            inputs[k] += one.B.T @ costate
            parameters += one.P.T @ costate
            costate, parts[k] = by_x[k] + one.A.T @ costate, one.parts
    return costate, inputs, parameters, parts


class _Told:
    """x of knot after knot in the chart that is asked for, and slopes by it in the chart of knots."""

    def __init__(self, path: SlopePath):
        self.path, self.x, self.shares = path, [], []
        self.chords = None if path.asked.chart == "knot" else Chords(path.linearizer)
        self.before: Before | None = None
        self.names: tuple[str, ...] = path.names if self.chords is None else self.chords.names()

    def add(self, state: Array, row: Array) -> None:
        """The knot that comes next."""
        x = self.path.x(state, row)
        if self.chords is None:
            self.x.append(x)
            return
        self.x.append(self.chords.values(self.before, x, state))
        if self.before is not None:
            self.shares.append(self.chords.shares(self.before.state, state))
        self.before = Before(state, row, x)

    def by_knots(self, by: Array) -> Array:
        """Slopes by coordinates and rates of all knots."""
        return by if self.chords is None else self.chords.slopes(by, self.shares)


def _checked(found: object, x: tuple[int, ...], u: tuple[int, ...]) -> tuple[float, Array, Array]:
    """Value and slopes of a loss. Raises ArgumentError."""
    if not isinstance(found, Sequence) or len(found) not in (2, 3):
        raise ArgumentError(f"loss: returned {shown(found)}; return (value, by x) or (value, by x, by u)")
    value = _numbers("the value", found[0], ())
    by_x = _numbers("the slope by x", found[1], x)
    by_u = np.zeros(u) if len(found) == 2 else _numbers("the slope by u", found[2], u)
    return float(value), by_x, by_u


def _numbers(what: str, given: object, shape: tuple[int, ...]) -> Array:
    try:
        array = np.array(given, float)
    except (TypeError, ValueError):
        raise ArgumentError(f"loss: {what} is {shown(given)}; give numbers") from None
    if array.shape != shape:
        raise ArgumentError(f"loss: {what} has shape {array.shape}, and must have {shape}")
    if not np.isfinite(array).all():
        where = "" if not shape else f" at knot {int(np.argwhere(~np.isfinite(array))[0][0])}"
        raise ArgumentError(f"loss: {what} is not finite{where}")
    return array


def gradient_of(loss: Loss, path_arguments: Mapping[str, Any]) -> Gradient:
    """The gradient along the path of some arguments."""
    if not callable(loss):
        raise ArgumentError(f"loss {shown(loss)}: give a function of x and u that returns (value, by x, by u)")
    return gradient_along(SlopePath(**path_arguments), loss)
