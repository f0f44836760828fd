"""Minimal coordinates of a knot, by tangents: independent coordinates, their rates, and what a state remembers.

A state (x, q, p, l) of all bodies has more numbers than freedoms. With N the tangents of placements along the chosen
coordinates c (rows g stay closed), and dp = M N r, momenta along them, any tangent of a state on the joints is

    dz = (N dc, dp),    r such that the rates of c change by what is asked,

up to impulses of joints G(z)ᵀ mu, of which the next step takes none: its own impulses answer them. Rates are those of
the momenta that are carried to the knot, before the forces there, projected onto the joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, AssemblyError, SolverError
from symvi.mechanism.names import did_you_mean
from symvi.numbers.centring import DEAD
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate.engine import Engine
from symvi.simulate.plan import Plan
from symvi.simulate.slope_layout import SlopeLayout

Array = NDArray[np.float64]
ROUND_OFF = 1e-10  # of the largest singular value: rows below it hold nothing
DEAF = 1e-9  # of the largest: a rate that answers its own momentum by less is left out by the solver


class SlopeEngine(Protocol):
    """The tangents of one solver, in C (slope_native.py) or in Python (slope_reference.py)."""

    @property
    def engine(self) -> Engine: ...
    @property
    def layout(self) -> SlopeLayout: ...
    @property
    def arrived(self) -> Array: ...
    def enter(self, state: Array, inputs: Array) -> None: ...
    def step(self, options: SolverOptions) -> tuple[int, int]: ...
    def part(self, parts: int, number: int, options: SolverOptions) -> int: ...
    def state(self) -> Array: ...
    def settle(self, smoothing: float) -> float: ...
    def run(self, name: str, seeds: Mapping[str, Array], last: bool = True) -> dict[str, Array]: ...
    def rows(self) -> Array: ...
    def coordinates(self, near: Array) -> tuple[Array, Array, Array]: ...


@dataclass(frozen=True)
class Coordinate:
    """A coordinate that may be chosen. joint: of a joint, at (kind, node, entry) in the store "motion"; otherwise of a
    body, entry 0 to 5: position, then turn about the world's axes."""

    name: str
    joint: bool
    kind: str
    node: int
    entry: int

    @property
    def joint_name(self) -> str:
        """The name without its entry."""
        return self.name.split("[")[0]


def candidates(plan: Plan) -> tuple[Coordinate, ...]:
    """Every coordinate of joints, then of bodies, in the order of the description."""
    found = []
    for note in plan.notes["motion"]:
        several = len(note["kinds"]) > 1
        found += [
            Coordinate(f"{note['joint']}[{k}]" if several else note["joint"], True, note["kind"], note["index"], k)
            for k in range(len(note["kinds"]))
        ]
    for body, name in enumerate(plan.bodies):
        for what, first in (("position", 0), ("turn", 3)):
            found += [Coordinate(f"{name}.{what}[{k}]", False, "body", body, first + k) for k in range(3)]
    return tuple(found)


class Knot:
    """The tangents of one knot of a motion, at a state of the solver.

    Columns: displacements and rotation vectors of bodies, world axes; then memory; then parameters. moved, kept, given:
    what they are in the state. rows, coordinates: what they do to rows of joints, and to coordinates.
    """

    def __init__(self, slopes: SlopeEngine, plan: Plan, state: Array, inputs: Array, parameters: Array):
        if not np.isfinite(state).all():
            raise SolverError("linearize: the smoothed step leads nowhere finite", SolverStatus.NOT_FINITE)
        self.slopes, self.plan, self.layout = slopes, plan, slopes.layout
        self.z, self.u = state, inputs
        self.bodies = len(plan.bodies)
        self.moved, self.kept = self._placements(), self._memory()
        self.given = np.zeros((len(self.moved), parameters.shape[1]))
        seeds = np.hstack([self.moved, self.kept, self.given])
        own = np.zeros((len(parameters), seeds.shape[1]))
        own[:, seeds.shape[1] - parameters.shape[1] :] = parameters
        found = self.run("place", seeds, own)
        rows = [found["work"][rows] for _, _, rows in self.layout.whole("work", "g")]
        self.rows = np.vstack([*rows, np.zeros((0, seeds.shape[1]))])
        self.coordinates = found["motion"]

    # --- seeds --------------------------------------------------------------------------------------------------------
    def _placements(self) -> Array:
        seeds = np.zeros((self.layout.sizes["state"], 6 * self.bodies))
        for body in range(self.bodies):
            x, q = (self.layout.at("state", "body", body, name) for name in ("x", "q"))
            seeds[x, 6 * body : 6 * body + 3] = np.eye(3)
            seeds[q, 6 * body + 3 : 6 * body + 6] = turning(self.z[self.plan.at("state", "body", body, "q")])
        return seeds

    def _memory(self) -> Array:
        seeds = np.zeros((self.layout.sizes["state"], len(self.layout.memory)))
        for column, (_, field, entry, kind, node) in enumerate(self.layout.memory):
            seeds[self.layout.at("state", kind, node, field).start + entry, column] = 1.0
        return seeds

    def run(self, name: str, state: Array, parameters: Array) -> dict[str, Array]:
        """Tangents of a script from those of the state and of parameters."""
        self.slopes.enter(self.z, self.u)
        return self.slopes.run(name, {"state": state, "parameters": parameters})

    def displacement(self, each: Coordinate, moved: Array) -> Array:
        """What a body's own coordinate changes by along tangents of the state."""
        seeds = self.moved[:, 6 * each.node + each.entry]
        return (seeds @ moved) / (seeds @ seeds)

    # --- coordinates --------------------------------------------------------------------------------------------------
    def gradients(self, chosen: Sequence[Coordinate]) -> Array:
        """(coordinates, columns) what every one changes by along the seeds."""
        return np.array([self._gradient(each) for each in chosen]).reshape(len(chosen), self.coordinates.shape[1])

    def _gradient(self, each: Coordinate) -> Array:
        if each.joint:
            return self.coordinates[self.layout.at("motion", each.kind, each.node, "coordinate").start + each.entry]
        found = np.zeros(self.coordinates.shape[1])
        found[6 * each.node + each.entry] = 1.0
        return found

    def rates(self, chosen: Sequence[Coordinate], tangents: dict[str, Array]) -> Array:
        """(coordinates, columns) what their rates change by, of tangents of the script "knot"."""
        found = []
        for each in chosen:
            if each.joint:
                rows = self.layout.at("motion", each.kind, each.node, "rate")
                found.append(tangents["motion"][rows.start + each.entry])
            else:
                rows = self.layout.at("work", "body", each.node, "v" if each.entry < 3 else "w")
                found.append(tangents["work"][rows.start + each.entry % 3])
        return np.array(found).reshape(len(chosen), tangents["motion"].shape[1])

    def freedoms(self) -> Array:
        """(6 bodies, f) an orthonormal base of what joints leave free. Raises AssemblyError where they hold less."""
        rows = self.rows[:, : 6 * self.bodies]
        if not len(rows):
            return np.eye(6 * self.bodies)
        _, sizes, right = np.linalg.svd(rows / scales(rows))
        rank = int((sizes > DEAD * sizes[0]).sum())
        doubtful = int(((sizes > ROUND_OFF * sizes[0]) & (sizes <= DEAD * sizes[0])).sum())
        if doubtful or rank < self.plan.rows:
            raise AssemblyError(
                f"linearize: the joints hold {rank} of their {self.plan.rows} independent directions here: the "
                "mechanism stands in or beside a singular position, where its motion has no derivative; move it away"
            )
        return right[rank:].T

    def choose(self, every: Sequence[Coordinate], names: Sequence[str] | None = None) -> list[Coordinate]:
        """Independent coordinates: those named, or as many as there are freedoms, of joints first and the largest."""
        free = self.freedoms()
        if names is not None:
            return self._named(every, names, free)
        chosen: list[Coordinate] = []
        for group in (True, False):
            own = [each for each in every if each.joint == group]
            moves, known = self._moves(own, free), self._moves(chosen, free)
            chosen += [own[k] for k in _independent(moves, known, free.shape[1] - len(chosen))]
        return sorted(chosen, key=list(every).index)

    def check(self, chosen: Sequence[Coordinate]) -> None:
        """Raises AssemblyError where coordinates do not tell all freedoms, as one at a dead centre does not.

        Each counts beside what it tells of all ways of bodies, those that joints do not leave among them.
        """
        slopes = self.gradients(chosen)[:, : 6 * self.bodies]
        reach = np.linalg.norm(slopes, axis=1, keepdims=True)
        moves = slopes @ self.freedoms() / np.where(reach > 0, reach, 1.0)
        left, sizes, _ = np.linalg.svd(moves)
        shares = np.minimum(1.0 / np.maximum(sizes, 1e-150), 1e150) ** 2  # of ways along coordinates, squared
        if moves.shape[0] != moves.shape[1] or not shares.sum() < 1.0 / DEAD**2:
            names = ", ".join(each.name for each in chosen)
            worst = chosen[int(abs(left[:, -1]).argmax())].name if len(sizes) else ""
            raise AssemblyError(
                f"linearize: the coordinates {names} are not independent here: '{worst}' does not move, as at a dead "
                "centre, or follows others; name others in coordinates=[...]"
            )

    def _moves(self, chosen: Sequence[Coordinate], free: Array) -> Array:
        return self.gradients(chosen)[:, : 6 * self.bodies] @ free

    def _named(self, every: Sequence[Coordinate], names: Sequence[str], free: Array) -> list[Coordinate]:
        known = {each.name: each for each in every}
        for name in names:
            if name not in known:
                raise ArgumentError(f"coordinates: no coordinate '{name}'; {did_you_mean(str(name), tuple(known))}")
        chosen = [known[name] for name in names]
        if len(chosen) != free.shape[1]:
            best = ", ".join(each.name for each in self.choose(every))
            example = f"for example {best}" if best else "all is driven: leave coordinates out"
            raise ArgumentError(
                f"coordinates: found {len(chosen)}, and the mechanism has {free.shape[1]} freedoms; {example}"
            )
        return chosen


def names_of(chosen: Sequence[Coordinate], memory: Sequence[tuple[str, str, int, str, int]]) -> tuple[str, ...]:
    """What x holds: coordinates, rates, and memory as a layout has it."""
    names, sizes = [each.name for each in chosen], {}
    for element, field, *_ in memory:
        sizes[element, field] = sizes.get((element, field), 0) + 1
    kept = [
        f"{element}.{field}" + (f"[{entry}]" if sizes[element, field] > 1 else "")
        for element, field, entry, _, _ in memory
    ]
    return (*names, *(f"{name}.rate" for name in names), *kept)


def inverse(chosen: Sequence[Coordinate], response: Array) -> Array:
    """Of what rates answer to momenta along them: one, but for what the solver leaves out. Raises ArgumentError."""
    size = np.abs(np.diag(response))
    for k, each in enumerate(chosen):
        if not size[k] > DEAF * size.max():
            raise ArgumentError(
                f"linearize: '{each.name}' never moves from the description's start, and coordinates='tree' leaves "
                "it out; make the simulator with coordinates='maximal'"
            )
    return np.asarray(np.linalg.inv(response), float)


def scales(rows: Array) -> Array:
    """(rows, 1) the largest entries of rows; of one that round-off alone has left, as some of a planar loop are, that
    of all."""
    found = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    largest = found.max(initial=0.0)
    return np.asarray(np.where(found > ROUND_OFF * largest, found, largest if largest > 0 else 1.0), float)


def turning(q: Array) -> Array:
    """(4, 3) what an orientation changes by where the body turns about the world's axes: dq = (0, theta) q / 2."""
    w, x, y, z = q
    return 0.5 * np.array([[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]])


def _independent(rows: Array, known: Array, count: int) -> list[int]:
    """Numbers of rows that are independent of each other and of known ones, the largest remainder first."""
    found: list[int] = []
    basis: list[Array] = []
    for row in known:
        rest = row - sum((b * (b @ row) for b in basis), np.zeros_like(row))
        basis.append(rest / np.linalg.norm(rest))
    left = rows - sum((np.outer(rows @ b, b) for b in basis), np.zeros_like(rows)) if len(rows) else rows
    sizes = np.linalg.norm(rows, axis=1) if len(rows) else np.zeros(0)
    while len(found) < count and len(rows):
        norms = np.linalg.norm(left, axis=1)
        share = np.where(sizes > 0, norms, 0.0)
        k = int(share.argmax())
        if not share[k] > DEAD * max(1.0, sizes.max()):
            break
        found.append(k)
        base = left[k] / norms[k]
        left = left - np.outer(left @ base, base)
    return found
