"""The start values of joint coordinates and their rates: what joints say, what drivers prescribe, what gears imply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from symvi.errors import MechanismError
from symvi.mechanism.elements import Joint
from symvi.mechanism.joint_table import coordinate_count
from symvi.mechanism.mechanism import Mechanism
from symvi.mechanism.signals import signal_tree, value_and_rate

__all__ = ["StartValues", "start_values"]

Values = dict[str, tuple[float, ...]]


class StartValues(NamedTuple):
    """Known coordinates [m or rad] and rates by the name of the joint; a joint of which nothing is known is absent."""

    coordinates: Values
    rates: Values


def start_values(mechanism: Mechanism) -> StartValues:
    """The start values of all joints at time zero.

    A joint's own values count first, then the signals of its drivers at t = 0 and their rates (coordinates of that
    joint without a driver are zero), then couplings from one joint to the next.
    Raises MechanismError where a signal has no value at t = 0.
    """
    coordinates = {joint.name: joint.coordinate for joint in mechanism.joints if joint.coordinate is not None}
    rates = {joint.name: joint.velocity for joint in mechanism.joints if joint.velocity is not None}
    driven: tuple[dict[str, list[float]], dict[str, list[float]]] = {}, {}
    for name, count, index, *found in _driven(mechanism):
        for values, value in zip(driven, found, strict=True):
            values.setdefault(name, [0.0] * count)[index] = value
    for known, values in zip((coordinates, rates), driven, strict=True):
        for name, entries in values.items():
            known.setdefault(name, tuple(entries))
    for known, use_offset in ((coordinates, True), (rates, False)):
        while _spread(mechanism, known, use_offset):
            pass
    return StartValues(coordinates, rates)


def _driven(mechanism: Mechanism) -> Iterator[tuple[str, int, int, float, float]]:
    for driver in mechanism.drivers:
        if driver.signal is None:
            continue
        joint: Joint = mechanism.joint(driver.joint)
        try:
            value, rate = value_and_rate(signal_tree(driver.signal), 0.0)
        except MechanismError as error:
            raise MechanismError(f"driver '{driver.name}': {error}", [("drivers", driver.name, "signal")]) from None
        yield joint.name, coordinate_count(joint), driver.coordinate, value, rate


def _spread(mechanism: Mechanism, known: Values, use_offset: bool) -> bool:
    """One pass over the couplings c1 = ratio c2 + offset; whether it brought something new."""
    before = len(known)
    for coupling in mechanism.couplings:
        first, second = coupling.joints
        offset = coupling.offset if use_offset else 0.0
        if second in known:
            known.setdefault(first, (coupling.ratio * known[second][0] + offset,))
        elif first in known and coupling.ratio != 0.0:
            known[second] = ((known[first][0] - offset) / coupling.ratio,)
    return len(known) > before
