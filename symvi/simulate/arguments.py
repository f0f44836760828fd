"""What users give, before anything is computed with it: numbers, times, starts, and what a controller returns."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Literal, get_args

import numpy as np

from symvi.errors import ArgumentError, MechanismError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State
from symvi.mechanism.values import LARGEST, SMALLEST, TOO_LARGE
from symvi.numbers.control import Beginning

Rates = Literal["momentum", "turn"]


# What is chosen from a list -> its values.
MODES = {
    "backend": ("auto", "c", "python"),
    "layout": ("auto", "inline", "unrolled", "looped"),
    "real": ("double", "float"),
    "profile": ("reproducible", "fast"),
    "coordinates": ("auto", "maximal", "tree"),
    "loops": ("drop-redundant", "rigid", "drop"),
    "on_error": ("raise", "status"),
    "rates": get_args(Rates),
}


def check_modes(**given: object) -> None:
    """Raises ArgumentError for a mode that is none of its kind."""
    for name, value in given.items():
        known = MODES[name]
        if not isinstance(value, str) or value not in known:
            choice = f"{', '.join(map(repr, known[:-1]))} or {known[-1]!r}"
            raise ArgumentError(f"{name} {shown(value)}: use {choice}")


def check_switches(**given: object) -> None:
    """Raises ArgumentError for what is neither True nor False."""
    for name, value in given.items():
        if type(value).__name__ not in ("bool", "bool_") and not (isinstance(value, Integral) and value in (0, 1)):
            raise ArgumentError(f"{name} {shown(value)}: must be True or False")


def checked_state(given: object) -> State:
    """A state that was given for one. Raises MechanismError."""
    if not isinstance(given, State):
        raise MechanismError(f"{shown(given)} is no State; symvi.state_from(...) or a trajectory's state(...) is one")
    for name in ("position", "velocity", "angular_velocity"):
        large = np.abs(getattr(given, name)).max(axis=1, initial=0.0) > LARGEST
        if large.any():
            raise MechanismError(f"state: {name} of body '{given.names[int(large.argmax())]}' {TOO_LARGE}")
    return given


def checked_table(name: str, given: object, words: str) -> Mapping:
    """A mapping with texts as keys, {} of None. Raises MechanismError."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise MechanismError(f"{name} {shown(given)}: must be a mapping from {words}")
    return given


def real_numbers(value: object) -> np.ndarray | None:
    """An array of doubles of at least one dimension, or None for what is no array of real numbers."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return np.atleast_1d(array.astype(float)) if array.dtype.kind in "iufb" else None


# A step is squared, and divided by: in float both must stay within 2e38.
STEPS = {"double": (SMALLEST, LARGEST), "float": (1e-18, 1e18)}
MOST_COUNTED = 2.0**53  # whole numbers that doubles have


def _seconds(what: str, value: object) -> float:
    """A positive time [s]. Raises MechanismError."""
    try:
        if isinstance(value, Real) and isfinite(value) and (seconds := float(value)) > 0:
            return seconds
    except OverflowError:  # a whole number beyond all doubles
        pass
    raise MechanismError(f"{what} must be a positive number of seconds")


def checked_step(step: object, real: str = "double") -> float:
    """A time step [s]. real: the precision in which it is computed with. Raises MechanismError."""
    seconds = _seconds(f"step {shown(step)}: the time step", step)
    least, most = STEPS[real]
    if not least <= seconds <= most:
        raise MechanismError(f"step {seconds:g} s: must lie between {least:g} and {most:g} s to be computed with")
    return seconds


def checked_steps(time: object, step: float) -> int:
    """The number of steps in a time [s]. Raises MechanismError where it is not whole, or beyond what can be counted."""
    seconds = _seconds(f"time {shown(time)}:", time)
    if not seconds / step < MOST_COUNTED:
        raise MechanismError(
            f"time {seconds:g} s in steps of {step:g} s: more steps than can be counted; take longer ones, or less time"
        )
    steps = round(seconds / step)
    if steps < 1 or abs(steps * step - seconds) > 1e-6 * seconds:
        raise MechanismError(f"time {seconds:g} s is not a whole number of steps of {step:g} s")
    return steps


def beginning_of(knot: bool, rates: str) -> Beginning:
    """What the velocities of a start are. Raises ArgumentError for unknown rates, and for those that no knot has."""
    check_modes(rates=rates)
    if rates == "turn" and not knot:
        raise ArgumentError(
            "rates='turn' is of velocities at the knot; the papers' start has them over the step before"
        )
    return Beginning.CHORD if not knot else Beginning.TURN if rates == "turn" else Beginning.KNOT


def checked_answer(given: object, time: float) -> Mapping[str, object]:
    """What a controller returned. Raises MechanismError."""
    if not isinstance(given, Mapping):
        raise MechanismError(
            f"the controller returned {shown(given)} at t = {time:g} s; it must return a mapping from names of inputs "
            "to values, {} where it changes nothing"
        )
    return given
