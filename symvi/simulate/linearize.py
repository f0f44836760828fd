"""A step of a motion, linearised: the implicit function theorem on the solver's own kernels, in minimal coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, SolverError
from symvi.numbers.centring import UNSETTLED
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate.linearization import Linearization
from symvi.simulate.parameter_tangents import ParameterTangents
from symvi.simulate.plan import Plan
from symvi.simulate.slope_charts import Coordinate, Knot, SlopeEngine, candidates, inverse, names_of, scales
from symvi.simulate.slope_parts import aims, driven_to, ends, put_lengths, with_lengths
from symvi.simulate.slope_trees import is_plain, matrices

Array = NDArray[np.float64]
CLOSED = 1e-7  # of what a parameter opens, that may be left where bodies have followed it
ROUND_OFF = 1e-12  # of the largest singular value of rows and coordinates: below it they hold nothing


class Linearizer:
    """Linearises steps of one solver, whose time step is set.

    names: coordinates to take; None chooses them at the first knot. smoothing: None without contacts. moving: tangents
    of parameters.
    """

    def __init__(
        self,
        slopes: SlopeEngine,
        plan: Plan,
        options: SolverOptions,
        names: Sequence[str] | None,
        smoothing: float | None,
        moving: ParameterTangents,
    ):
        self.slopes, self.plan, self.options, self.layout = slopes, plan, options, slopes.layout
        self.names, self.smoothing, self.moving = names, smoothing, moving
        self.every = candidates(plan)
        self.chosen: list[Coordinate] = []
        self.near = np.zeros(plan.sizes["motion"] // 2)  # coordinates of joints that were told last
        self.parameters = moving.columns(self.layout, plan)
        self.reached = np.zeros(0)  # where the step that was linearised last leads: of contacts, that of one centring
        sizes = [(name, n) for name, (_, n) in plan.fields["motion"].items() if name.endswith("/coordinate")]
        nodes = [(name.split("/")[0], int(name.split("/")[1])) for name, _ in sizes]
        self.firsts = dict(zip(nodes, np.cumsum([0, *(n for _, n in sizes)]).tolist(), strict=False))  # of joints
        self.plain = False  # until a step has been checked in whole: then the generated function may make the rest

    def step(self, state: Array, inputs: Array) -> tuple[Linearization, Array]:
        """The step from a state of the solver, and the state that it leads to. Raises SolverError, AssemblyError."""
        if self.plain and (plain := self._plainly(state, inputs)) is not None:
            return plain
        first = self.knot(state, inputs)
        lift = self.lift(first)
        n, m = lift.shape[1] - self.parameters.shape[1], len(inputs)
        seeds = np.hstack([lift[:, :n], np.zeros((len(lift), m)), lift[:, n:]])
        moved, centred, after, parts = self._through(state, inputs, seeds)
        second = Knot(self.slopes, self.plan, centred, inputs, self.parameters)
        second.check(self.chosen)
        found = self._read(second, moved)
        if not np.isfinite(found).all():
            raise SolverError(
                "linearize: a derivative is not finite here: something that the step depends on has none at this state",
                SolverStatus.NOT_FINITE,
            )
        self.plain = is_plain(self)
        parted, self.reached = (found[:, :n], found[:, n : n + m], found[:, n + m :]), centred
        return self._result(parted, state, centred, inputs, parts), after

    def _plainly(self, state: Array, inputs: Array) -> tuple[Linearization, Array] | None:
        """The step by the function of the text; None where it is taken in parts, or by what scripts refuse by name."""
        self.slopes.enter(state, inputs)
        status, parts = self.slopes.step(self.options)
        after = self.slopes.state()
        found = matrices(self, state, inputs, self.options) if status == 0 and parts == 1 else None
        if found is None:
            return None
        none, self.reached = np.zeros((len(found[0]), 0)), after
        if self.smoothing is not None:
            self.reached = with_lengths(self.plan, self.slopes.arrived, after)
        return self._result((*found, none), state, self.reached, inputs, 1), after

    def _result(
        self, found: tuple[Array, Array, Array], state: Array, after: Array, inputs: Array, parts: int
    ) -> Linearization:
        x, ahead = self.values(state, inputs), self.values(after, inputs)
        about = self.length(), "knot", parts, self.smoothing
        return Linearization(
            *found, names_of(self.chosen, self.layout.memory), self.plan.inputs, self.moving.names, x, ahead, *about
        )

    def underway(self, start: Array, inputs: Array) -> Array:
        """The state of a motion that is at a start in its midst: forces at the knot act for a whole step, and weights
        of dampers are those of the knot. Its velocities are those that momenta have as they are carried there. A rule
        has momenta of the knot whole."""
        state, plan = start.copy(), self.plan
        if "rule" in plan.notes:
            return state
        put_lengths(plan, state, self.length())
        weights = [
            slice(a, a + size) for name, (a, size) in plan.fields["state"].items() if name.endswith("theta_before")
        ]
        if weights:
            self.slopes.enter(state, inputs)
            self._check(self.slopes.step(self.options)[0])
            after = self.slopes.state()
            for each in weights:
                state[each] = after[each]
        return state

    def length(self) -> float:
        """Of the step [s]."""
        return float(self.slopes.engine.parameters[self.plan.at("parameters", "common", 0, "h")][0])

    def knot(self, state: Array, inputs: Array) -> Knot:
        """The tangents of a knot; the first one chooses the coordinates. Raises AssemblyError, ArgumentError."""
        found = Knot(self.slopes, self.plan, state, inputs, self.parameters)
        if not self.chosen:
            self.chosen = found.choose(self.every, self.names)
        return found

    # --- from minimal tangents to those of a state, and back ----------------------------------------------------------
    def placed(self, knot: Knot) -> tuple[Array, Array]:
        """(6 bodies, ...) and (numbers of the state, ...), by coordinates, memory and parameters: displacements of
        bodies on the joints, and tangents of placements and memory."""
        size, count = 6 * knot.bodies, len(self.chosen)
        equations = np.vstack([knot.rows, knot.gradients(self.chosen)])
        unit = np.vstack([np.zeros((len(knot.rows), count)), np.eye(count)])
        # displacements along the coordinates, and those that memory and parameters ask for at fixed ones
        scale = scales(equations[:, :size])
        wanted = np.hstack([unit, -equations[:, size:]])
        along = np.linalg.lstsq(equations[:, :size] / scale, wanted / scale, rcond=ROUND_OFF)[0]
        _check_closed(self.moving.names, (equations[:, :size] @ along - wanted) / scale, wanted / scale)
        moved = knot.moved @ along
        moved[:, count:] += np.hstack([knot.kept, knot.given])
        return np.asarray(along, float), moved

    def lift(self, knot: Knot) -> Array:
        """(numbers of the state, coordinates + rates + memory + parameters) the tangents of a state on the joints."""
        knot.check(self.chosen)
        count = len(self.chosen)
        along, moved = self.placed(knot)
        pushes = self._momenta(knot, along[:, :count])
        own = np.zeros((len(self.parameters), moved.shape[1] + count))
        own[:, moved.shape[1] - self.parameters.shape[1] : moved.shape[1]] = self.parameters
        rates = knot.rates(self.chosen, knot.run("knot", np.hstack([moved, pushes]), own))
        response = inverse(self.chosen, rates[:, moved.shape[1] :])
        lifted = moved - pushes @ (response @ rates[:, : moved.shape[1]])
        return np.hstack([lifted[:, :count], pushes @ response, lifted[:, count:]])

    def _momenta(self, knot: Knot, along: Array) -> Array:
        """Momenta of velocities along the coordinates."""
        seeds = np.zeros((self.layout.sizes["state"], along.shape[1]))
        for body in range(knot.bodies):
            for name, first in (("v", 0), ("w", 3)):
                rows = self.layout.at("state", "body", body, name)
                seeds[rows] = along[6 * body + first : 6 * body + first + 3][: rows.stop - rows.start]
        found = knot.run("start", seeds, np.zeros((len(self.parameters), along.shape[1])))["state"]
        momenta = np.zeros_like(found)
        for _, _, rows in (*self.layout.whole("state", "p"), *self.layout.whole("state", "l")):
            momenta[rows] = found[rows]
        return momenta

    def _read(self, knot: Knot, moved: Array) -> Array:
        """Minimal tangents of those of a state."""
        own = np.zeros((len(self.parameters), moved.shape[1]))
        own[:, moved.shape[1] - self.parameters.shape[1] :] = self.parameters
        placed = knot.run("place", moved, own)
        coordinates = [
            placed["motion"][self.layout.at("motion", each.kind, each.node, "coordinate").start + each.entry]
            if each.joint
            else knot.displacement(each, moved)
            for each in self.chosen
        ]
        rates = knot.rates(self.chosen, knot.run("knot", moved, own))
        count = len(self.chosen), moved.shape[1]
        return np.vstack([np.array(coordinates).reshape(count), rates, knot.kept.T @ moved])

    # --- the step -----------------------------------------------------------------------------------------------------
    def _through(self, state: Array, inputs: Array, seeds: Array) -> tuple[Array, Array, Array, int]:
        """Tangents after a step, the state there, that of the step as the solver ends it, and the parts that it was
        taken in. The first is that of the solution that was settled: with contacts of one centring."""
        slopes, columns, k = self.slopes, seeds.shape[1], self.parameters.shape[1]
        slopes.enter(state, inputs)
        status, parts = slopes.step(self.options)
        self._check(status)
        after, moved, now = slopes.state(), seeds, state
        driven = np.zeros((self.layout.sizes["input"], columns))
        driven[:, columns - k - len(inputs) : columns - k] = np.eye(len(inputs))
        own = np.zeros((len(self.parameters), columns))
        own[:, columns - k :] = self.parameters
        shares = ends(self.plan, parts)
        for number, share in enumerate(shares, 1):
            row, ahead, last = aims(self.plan, state, inputs, share), after, number == len(shares)
            if len(shares) > 1:
                slopes.enter(now, row)
                self._check(slopes.part(parts, number, self.options))
                ahead = slopes.state()
            slopes.enter(now, row)
            self._settle()
            given = {
                "state": moved,
                "input": driven_to(self.plan, self.layout, driven, seeds, share),
                "parameters": own,
            }
            moved = slopes.run("step", given, last=last)["state"]
            now = with_lengths(self.plan, slopes.arrived, ahead)
        return moved, now, after, parts

    def settled(self, state: Array, inputs: Array) -> Array:
        """The state where the step leads that is sent to one centring. Raises SolverError."""
        columns = max(1, len(inputs) + self.parameters.shape[1])
        return self._through(state, inputs, np.zeros((self.layout.sizes["state"], columns)))[1]

    def _check(self, status: int) -> None:
        if status < 0:
            found = SolverStatus(status)
            raise SolverError(f"linearize: the step cannot be solved ({found.name}): {found.sentence}", found)
        if status == SolverStatus.SINGULAR_STEP:
            raise SolverError(
                "linearize: the step begins in a singular position, where a motion has no derivative; move it away",
                SolverStatus.SINGULAR_STEP,
            )

    def _settle(self) -> None:
        change = self.slopes.settle(self.smoothing or 0.0)
        if not change <= UNSETTLED:
            raise SolverError(
                f"linearize: increments at the solution stay at {change:.1e} m/s or rad/s, so that there is no "
                "point to linearise at; take a larger smoothing, or a smaller step",
                SolverStatus.NOT_CONVERGED,
            )

    # --- words and numbers --------------------------------------------------------------------------------------------
    def branch(self, angles: Mapping[str, Sequence[float]]) -> None:
        """Tell angles from now on by whole turns nearest to these, of joints by name; then knot by knot."""
        self.near[:] = 0.0
        for each in self.every:
            if each.joint and each.joint_name in angles:
                known = angles[each.joint_name]
                count = sum(other.joint and other.joint_name == each.joint_name for other in self.every)
                if (own := each.entry - (count - len(known))) >= 0:
                    self.near[self._place_of(each)] = known[own]

    def values(self, state: Array, inputs: Array) -> Array:
        """x at a knot; angles are nearest to those told last, and turns of bodies are counted from there."""
        plan = self.plan
        self.slopes.enter(state, inputs)
        found, rates, velocities = self.slopes.coordinates(self.near)
        self.near = found.copy()
        values, speeds = [], []
        for each in self.chosen:
            if each.joint:
                values.append(found[self._place_of(each)])
                speeds.append(rates[self._place_of(each)])
            else:
                x = state[plan.at("state", "body", each.node, "x")]
                values.append(x[each.entry] if each.entry < 3 else 0.0)
                speeds.append(velocities[each.node][each.entry])
        kept = [state[plan.at("state", kind, node, field)][entry] for _, field, entry, kind, node in self.layout.memory]
        return np.array([*values, *speeds, *kept])

    def _place_of(self, each: Coordinate) -> int:
        """Where a joint's coordinate lies among all."""
        return self.firsts[each.kind, each.node] + each.entry


def _check_closed(names: Sequence[str], left: Array, wanted: Array) -> None:
    """Raises ArgumentError for a parameter, of the last columns, that opens rows which no motion of bodies closes."""
    first = wanted.shape[1] - len(names)
    for column, name in enumerate(names, first):
        if not np.abs(left[:, column]).max(initial=0.0) <= CLOSED * np.abs(wanted[:, column]).max(initial=0.0):
            raise ArgumentError(
                f"parameters: '{name}' opens a loop that no motion closes again, as an anchor does that leaves the "
                "plane of a planar linkage: alone it has no derivative; leave it out"
            )
