"""What a trajectory knows of its contacts: gaps, forces, sliding, and which of them are closed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.mechanism.contacts import contact_points
from symvi.mechanism.names import WORLD, did_you_mean, listed, shown
from symvi.registry import CONTACTS
from symvi.simulate.run_parameters import contact_units
from symvi.simulate.turns import rotation_matrices

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContactHistory:
    """One contact point over N knots; forces are those on the child, over the step that led to each knot.

    gap (N,): at the knot [m]. normal_force (N,) [N]. friction_force (N, 3): world axes [N]. sliding (N, 3): of the
        child on the parent, in the tangent plane, over that step [m/s]. point, normal (N, 3): where the force acts, at
        the knot before, and the unit normal there, towards the child [m].
    closed (N,): whether the contact carried load. sticking (N,): closed, and friction below its bound holds it.
    fast (N,): whether two spheres moved against each other, in a step on the way to the knot, by more than the smaller
        radius and by more than was between them: they may have passed through each other unseen. Take smaller steps
        there. A half-space is never passed; a gap of your own is what you make it.
    """

    gap: Array
    normal_force: Array
    friction_force: Array
    sliding: Array
    point: Array
    normal: Array
    closed: NDArray[np.bool_]
    sticking: NDArray[np.bool_]
    fast: NDArray[np.bool_]

    def __repr__(self) -> str:
        closed = f"closed at {int(self.closed.sum())}"
        return f"<ContactHistory of {len(self.gap)} knots, {closed}, gap from {np.min(self.gap, initial=np.inf):g} m>"

    @property
    def force(self) -> Array:
        """(N, 3): the whole force on the child, world axes [N]."""
        return self.normal * self.normal_force[:, None] + self.friction_force


class Contacts(Mapping[str, ContactHistory]):
    """Contact points by name, in the order of the description: that of the contact, or "name.k" of a whole shape's."""

    def __init__(self, trajectory: Trajectory):
        self._trajectory = trajectory
        self._points = {point.name: point for point in contact_points(trajectory.mechanism)}

    def __repr__(self) -> str:
        return f"<Contacts: {listed(tuple(self), 'points')}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def __getitem__(self, name: str) -> ContactHistory:
        """Raises MechanismError with the nearest name."""
        if name not in self._points:
            raise MechanismError(
                f"no contact point {shown(name)}; {did_you_mean(name if isinstance(name, str) else '', self._points)}"
            )
        trajectory = self._trajectory
        values = trajectory.contact_values[:, trajectory.contact_names.index(name)]
        gap, load = values[:, 0], values[:, 1]
        friction, sliding = values[:, 2:5], values[:, 5:8]
        mass = self._units[name]["effective_mass"]  # kg
        closed = load * trajectory.step**2 > gap * mass
        bound = self._coefficient(name) * load
        spare = (bound - np.linalg.norm(friction, axis=1)) * trajectory.step
        sticking = closed & (bound > 0.0) & (np.linalg.norm(sliding, axis=1) * mass < spare)
        fast = self._fast(name, gap)
        return ContactHistory(gap, load, friction, sliding, values[:, 8:11], values[:, 11:14], closed, sticking, fast)

    @cached_property
    def _units(self) -> Mapping[str, Mapping[str, float]]:
        """Worked out once: a robot has hundreds of contact points, and each effective mass comes from all of it."""
        return contact_units(self._trajectory.mechanism, self._trajectory.settings)

    def _fast(self, name: str, gap: Array) -> NDArray[np.bool_]:
        point = self._points[name]
        found = np.zeros(len(gap), bool)
        if CONTACTS[point.contact.kind].is_sphere and len(gap) > 1:
            apart = self._centre(point.contact.child, point.anchor)
            apart = apart - self._centre(point.contact.parent, point.contact.parent_anchor)
            steps = np.maximum(np.round(np.diff(self._trajectory.time) / self._trajectory.step), 1.0)
            moved = np.linalg.norm(np.diff(apart, axis=0), axis=1)
            radius = min(radius for radius in (point.radius, point.contact.parent_radius) if radius > 0.0)
            found[1:] = (moved / steps > radius) & (gap[:-1] < moved)
        return found

    def _centre(self, body: str, anchor: Sequence[float]) -> Array:
        """A point of a body, or of the world, in the world [m]."""
        if body == WORLD:
            return np.asarray(anchor, float)
        k = self._trajectory.body(body)
        turn = rotation_matrices(self._trajectory.orientation[:, k])
        return self._trajectory.position[:, k] + turn @ np.asarray(anchor, float)

    def _coefficient(self, name: str) -> float:
        known = self._trajectory.settings.get(f"{name}.friction")
        return known[0] if known else self._points[name].contact.friction
