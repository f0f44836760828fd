"""The contact points of a world: read while the step that has them is in the memory, or from that step again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.numbers.control import CONTACT_SIZE
from symvi.simulate import frames
from symvi.simulate.engine import Engine
from symvi.simulate.knots import Knots
from symvi.simulate.plan import Plan

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ContactPoint:
    """A contact point at a knot; forces are those on the child, over the step that led there, zero at a start.

    gap: at the knot [m]. normal_force [N]. friction_force (3,): world axes [N]. sliding (3,): of the child on the
    parent, in the tangent plane [m/s]. point, normal (3,): where the force acts, at the knot before, and the unit
    normal there, towards the child [m].
    """

    gap: float
    normal_force: float
    friction_force: Array
    sliding: Array
    point: Array
    normal: Array

    @property
    def force(self) -> Array:
        """(3,): the whole force on the child, world axes [N]."""
        return self.normal * self.normal_force + self.friction_force


class WorldContacts:
    """behind: state and inputs of the knot before, as bytes; None at a start. first: the points there, if a step led to
    it. led: whether the step that led to the knot is still in the solver's memory.
    """

    def __init__(self, plan: Plan, engine: Engine, knots: Knots):
        self._plan, self._knots = plan, knots
        self._z, self._u = engine.state.data.cast("B"), knots.inputs.data.cast("B")
        self.behind: tuple[bytes, bytes] | None = None
        self.first: NDArray[np.floating] | None = None
        self._points: NDArray[np.floating] | None = None
        self.led = False

    def forget(self, led: bool = False) -> None:
        """Another knot. led: by a step."""
        self._points, self.led = None, led

    def keep(self) -> None:
        """Read them while it is time: other readings use the same memory."""
        if self.led and self._plan.contacts:
            self.points()
        self.led = False

    def points(self) -> NDArray[np.floating]:
        """(k, CONTACT_SIZE)"""
        if self._points is not None:
            return self._points
        if self.behind is None:
            self._points = self._at_start()
        elif self.led:
            self._points = self._knots.contacts()
        else:  # another reading, or a step that failed, was in between: the step that led here is taken again
            here = bytes(self._z), bytes(self._u)
            self._z[:], self._u[:] = self.behind[0], here[1]
            self._knots.step()
            self._points = self._knots.contacts()
            self._z[:], self._u[:] = here
        self.led = False
        return self._points

    def _at_start(self) -> NDArray[np.floating]:
        if self.first is not None:
            return self.first
        if not self._plan.contacts:
            return np.zeros((0, CONTACT_SIZE))
        self.led = False
        return frames.entry(self._plan, self._knots.frame()[None], "contact")[0]

    def named(self) -> dict[str, ContactPoint]:
        """Contact point -> its gap, forces and sliding."""
        points = self.points().astype(float)
        return {
            node["name"]: ContactPoint(float(row[0]), float(row[1]), row[2:5], row[5:8], row[8:11], row[11:14])
            for node, row in zip(self._plan.contacts, points, strict=True)
        }
