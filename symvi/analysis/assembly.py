"""Configurations in which all joints close: from the start placement, and by moving on from there.

Gauss-Newton on the scaled rows with the smallest motion, weighted by mass; directions that the rows hold by less than
`cut` of their size are left alone, so that neither a singular position nor a nearly redundant row makes a correction
large.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from random import Random

import numpy as np
from numpy.typing import NDArray

from symvi.analysis.dense import free_part, smallest_solution
from symvi.analysis.equations import Array, Configuration, Equations, Rows, start_configuration
from symvi.analysis.freedoms import Freedoms, Reduced, freedoms, reduced
from symvi.analysis.reach import Reach
from symvi.analysis.spanning import Spanning
from symvi.mechanism import Body, Mechanism
from symvi.mechanism.inertia import principal_moments
from symvi.mechanism.start_values import start_values
from symvi.mechanism.vectors import norm, subtract
from symvi.numbers.extent import OPENING, far_of, size_of
from symvi.physics.model import ConstraintModel

CUT = 1e-4  # directions held by less than this are not corrected
CLOSED = OPENING["double"]
ROUND_OFF = 1e-14
NOISE = 1e-15  # of the largest coordinate: how exactly positions can close
ITERATIONS = 60
STRIDE = 0.3  # of the mechanism's size, and rad: the longest motion between two projections
LEAST_RADIUS = 1e-3  # of the mechanism's size: a body's inertia counts at least as that of its mass there


@dataclass(frozen=True, eq=False)
class Position:
    """A configuration, and the rows of all constraints there. closure: the largest, metres in units of the size."""

    configuration: Configuration
    rows: list[Rows]
    tree: Freedoms
    closure: float


def largest(residuals: Iterable[float]) -> float:
    """The largest magnitude, 0 of none; infinite where one is no number."""
    sizes = [abs(residual) for residual in residuals]
    return max(sizes, default=0.0) if all(map(isfinite, sizes)) else inf


class Assembly:
    """The loops of a mechanism in numbers.

    chosen: the loop rows, as (model, row), that must close; all of them if left out.
    """

    def __init__(self, mechanism: Mechanism, spanning: Spanning, chosen: Sequence[tuple[int, int]] | None = None):
        self.mechanism, self.spanning = mechanism, spanning
        self.chosen = spanning.loop_rows if chosen is None else list(chosen)
        self.size = size_of(mechanism)
        self.bodies = [mechanism.body(name) for name in spanning.bodies]
        self.noise = NOISE * far_of(mechanism) / self.size
        self.equations = Equations(spanning.bodies, spanning.models)
        self.plain = np.broadcast_to(np.diag([1.0] * 3 + [self.size**2] * 3), (len(self.bodies), 6, 6))
        self._closing = self._places()
        self._reach: Reach | None = None

    def start(self) -> Configuration:
        """The start placement of the description, with the angles that it knows."""
        return start_configuration(self.mechanism, self.bodies, start_angles(self.mechanism, self.spanning.models))

    def at(self, configuration: Configuration) -> Position:
        """The rows at a configuration."""
        rows, configuration = self.equations.at(configuration)
        return Position(configuration, rows, freedoms(self.spanning, rows, self.size), self.closure(rows))

    def _places(self) -> tuple[NDArray[np.intp], Array]:
        """Of the rows of the tree, and of the chosen ones, among all rows; and the units of all."""
        models = self.spanning.models
        first = np.cumsum([0, *(model.rows for model in models)])
        tree = [(k, row) for k in self.spanning.carriers if k is not None for row in range(models[k].rows)]
        units = [1.0 if unit == "rad" else self.size for model in models for unit in model.row_units]
        return np.array([first[k] + row for k, row in [*tree, *self.chosen]], np.intp), np.array(units)

    def closure(self, rows: Sequence[Rows]) -> float:
        """The largest residual of the tree and of the chosen rows: rad, or metres in units of the mechanism's size."""
        places, units = self._closing
        found = np.abs((np.concatenate([row.g for row in rows]) / units)[places])
        return float(found.max(initial=0.0)) if np.isfinite(found).all() else inf

    def residual(self, rows: Sequence[Rows], model: int, row: int) -> float:
        unit = 1.0 if self.spanning.models[model].row_units[row] == "rad" else self.size
        return float(rows[model].g[row]) / unit

    def masses(self, configuration: Configuration) -> Array:
        """(n, 6, 6): the inertia of every body in world axes, a point mass with a small radius."""
        turns = configuration.turns()
        blocks = np.zeros((len(self.bodies), 6, 6))
        blocks[:, :3, :3] = self._own_masses[:, None, None] * np.eye(3)
        blocks[:, 3:, 3:] = turns @ self._own_inertias @ turns.swapaxes(1, 2)
        blocks[:, 3:, 3:] += self._missing[:, None, None] * np.eye(3)
        return blocks

    @cached_property
    def _own_masses(self) -> Array:
        return np.array([body.mass for body in self.bodies])

    @cached_property
    def _own_inertias(self) -> Array:
        """(n, 3, 3), in body axes."""
        found = [(xx, xy, xz, xy, yy, yz, xz, yz, zz) for xx, yy, zz, xy, xz, yz in (b.inertia for b in self.bodies)]
        return np.array(found).reshape(-1, 3, 3)

    @cached_property
    def _missing(self) -> Array:
        """(n,): what is added about all axes of a body whose least moment is too small."""
        least = np.array([principal_moments(body.inertia)[0] for body in self.bodies])
        return np.maximum(0.0, self._own_masses * (LEAST_RADIUS * self.size) ** 2 - least)

    def moved_masses(self, configuration: Configuration) -> Array:
        """As masses(), but a body without inertia about some axis counts as its mass on the longest arm of its joints.

        Its joints hold that rotation, so that it moves its mass when it turns: rows that act on it are as stiff as
        that, not as light as its own inertia would let them be.
        """
        blocks = self.masses(configuration)
        for block, body in zip(blocks, self.bodies, strict=True):
            if body.has_zero_inertia:
                block[3:, 3:] += body.mass * self._longest_arm(body) ** 2 * np.eye(3)
        return blocks

    def _longest_arm(self, body: Body) -> float:
        """From the centre of mass to the points of the joints that the body is in [m]."""
        ends = [joint.parent_anchor for joint in self.mechanism.joints if joint.parent == body.name]
        ends += [joint.child_anchor for joint in self.mechanism.joints if joint.child == body.name]
        return max((norm(subtract(end, body.center_of_mass)) for end in ends), default=0.0)

    def reduced(self, position: Position, metric: Array | None = None) -> Reduced:
        """The chosen rows on the freedoms of the tree; in the plain metric all bodies are of one mass and size."""
        self._reach = self._reach or Reach(self.spanning, self.chosen, position.rows, position.tree.widths)
        return reduced(position.rows, position.tree, self.plain if metric is None else metric, self._reach)

    # --- projection --------------------------------------------------------------------------------------------------
    def project(self, configuration: Configuration, cut: float = CUT) -> Position:
        """The nearest configuration in which the rows close, as far as they do."""
        best = last = self.at(configuration)
        for _ in range(ITERATIONS):
            if best.closure <= max(ROUND_OFF, self.noise / 4):
                break
            step = self._correction(last, cut)
            longest = self.stretch(step)
            if not np.isfinite(longest):
                break
            last = self.at(last.configuration.moved(step * min(1.0, STRIDE / max(longest, STRIDE))))
            if not last.closure < (0.5 if best.closure <= CLOSED else 0.999) * best.closure and longest <= STRIDE:
                break
            best = min(best, last, key=lambda position: position.closure)
        return min(best, last, key=lambda position: position.closure)

    def _correction(self, position: Position, cut: float) -> Array:
        """The smallest motion, by mass, that removes the residual to first order."""
        system = self.reduced(position, self.masses(position.configuration))
        tree = position.tree
        free = system.moving
        repair = tree.repair - free.motion(free.coordinates(tree.repair))
        g = np.array([position.rows[model].g[row] for model, row in self.chosen])
        residual = (g + system.acting(repair)) / system.scale
        return repair - free.motion(smallest_solution(system.matrix, residual, cut))

    def stretch(self, motion: Array) -> float:
        """The size of a motion: the largest turn [rad], or translation in units of the mechanism's size."""
        if not len(motion):
            return 0.0
        shift, turn = (np.linalg.norm(part, axis=1).max() for part in (motion[:, :3], motion[:, 3:]))
        return float(max(shift / self.size, turn))

    # --- moving on ---------------------------------------------------------------------------------------------------
    def direction(self, random: Random) -> Array:
        """A random motion of all bodies, the same on every machine."""
        values = [2.0 * random.random() - 1.0 for _ in range(6 * len(self.bodies))]
        return np.array(values).reshape(-1, 6) * np.array([self.size] * 3 + [1.0] * 3)

    def free_part(self, position: Position, motion: Array, cut: float, stride: float = STRIDE) -> Array:
        """The part of a motion that the rows leave free, one stride long; zero where they leave none."""
        system = self.reduced(position)
        u = system.moving.coordinates(motion)
        size = np.linalg.norm(u)
        u = free_part(system.matrix, u, cut)
        if not np.linalg.norm(u) > 1e-6 * size:
            return np.zeros_like(motion)
        free = system.moving.motion(u)
        return free * (stride / self.stretch(free))

    def walk(
        self, position: Position, motion: Array, strides: int, cut: float, stride: float = STRIDE
    ) -> Position | None:
        """Move on along a motion, closing the rows after every stride; None if they do not close."""
        for _ in range(strides):
            free = self.free_part(position, motion, cut, stride)
            if not free.any():
                return None
            position = self.project(position.configuration.moved(free))
            if not position.closure <= max(CLOSED * 1e-3, self.noise):
                return None
            motion = free
        return position


def start_angles(mechanism: Mechanism, models: Sequence[ConstraintModel]) -> Mapping[tuple[str, str], float]:
    """Where the unwrapped angles of constraints start: at the joint coordinates of the description, else at zero."""
    known = start_values(mechanism).coordinates
    joints = {joint.name: (joint.name,) for joint in mechanism.joints}
    joints |= {coupling.name: coupling.joints for coupling in mechanism.couplings}
    found = {}
    for model in models:
        for field in model.angles:
            joint = joints[model.name][int(field.removeprefix("angle") or 1) - 1]
            if joint in known:
                found[model.name, field] = known[joint][-1]
    return found
