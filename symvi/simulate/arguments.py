"""What users give, before anything is computed with it: numbers, times, starts, and what a controller returns."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Literal, get_args

import numpy as np

from symvi.errors import MechanismError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State
from symvi.program.control import Beginning
from symvi.simulate.trajectory import Trajectory

Rates = Literal["momentum", "turn"]


def real_numbers(value: object) -> np.ndarray | None:
    """An array of doubles of at least one dimension, or None for what is no array of real numbers."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return np.atleast_1d(array.astype(float)) if array.dtype.kind in "iufb" else None


def _is_positive(value: object) -> bool:
    return isinstance(value, Real) and isfinite(value) and value > 0


def checked_step(step: object) -> float:
    """A time step [s]. Raises MechanismError."""
    if not _is_positive(step):
        raise MechanismError(f"step {step!r}: the time step must be a positive number of seconds")
    return float(step)


def checked_steps(time: object, step: float) -> int:
    """The number of steps in a time [s]. Raises MechanismError where it is not whole."""
    if not _is_positive(time):
        raise MechanismError(f"time {time!r}: must be a positive number of seconds")
    steps = round(time / step)
    if steps < 1 or abs(steps * step - time) > 1e-6 * time:
        raise MechanismError(f"time {time:g} s is not a whole number of steps of {step:g} s")
    return steps


def beginning_of(knot: bool, rates: str) -> Beginning:
    """What the velocities of a start are. Raises ValueError for unknown rates, and for those that no knot has."""
    if rates not in get_args(Rates):
        raise ValueError(f"rates {rates!r}: use 'momentum' or 'turn'")
    if rates == "turn" and not knot:
        raise ValueError("rates='turn' is of velocities at the knot; the papers' start has them over the step before")
    return Beginning.CHORD if not knot else Beginning.TURN if rates == "turn" else Beginning.KNOT


def check_run(
    steps: int, every: object, start: object, inputs: object, project: bool, papers_start: bool, rates: str
) -> None:
    """Raises MechanismError for what a run cannot begin with."""
    if not isinstance(every, Integral) or every < 1 or steps % every:
        raise MechanismError(f"every={every!r}: must divide the {steps} steps")
    if not isinstance(start, State | Trajectory | None):
        raise MechanismError(f"start {shown(start)}: must be a State, a Trajectory to go on from, or None")
    if isinstance(start, Trajectory) and (project or papers_start or rates != "momentum"):
        asked = "project=True" if project else "papers_start=True" if papers_start else f"rates={rates!r}"
        raise MechanismError(f"{asked}: a trajectory goes on as it ended; start from its state() instead")
    if not isinstance(inputs, Mapping | None):
        raise MechanismError(f"inputs {shown(inputs)}: must be a mapping from names of inputs to numbers or arrays")


def checked_answer(given: object, time: float) -> Mapping[str, object]:
    """What a controller returned. Raises MechanismError."""
    if not isinstance(given, Mapping):
        raise MechanismError(
            f"the controller returned {shown(given)} at t = {time:g} s; it must return a mapping from names of inputs "
            "to values, {} where it changes nothing"
        )
    return given
