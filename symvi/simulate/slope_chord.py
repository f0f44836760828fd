"""The chart of chords: x = (c_k, (c_k - c_{k-1})/h), coordinates and their differences, as encoders see them.

The momenta that are carried to a knot are those of the chord that leads there, p_k = D2 L(c_{k-1}, c_k), with the
shares of springs, dampers and servos that act at its end. So a chord says what the rates of the other chart say, and

    dx = T dX,    x = (c_k, rates of p_k, memory),  X = (c_k, (c_k - c_{k-1})/h, memory, memory of the knot before)

turns one into the other, by tangents of the end of the step before: at given velocities, without its balance, whose
impulses are of the knot before. Memory of the knot before is kept where these shares, or drivers, depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, SolverError
from symvi.numbers.control import PROJECTIONS, SolverStatus
from symvi.simulate.linearization import Linearization
from symvi.simulate.linearize import Linearizer
from symvi.simulate.slope_charts import Coordinate, Knot, names_of, turning
from symvi.simulate.turns import product

Array = NDArray[np.float64]
MOST_BACK = 20  # steps of Newton towards the knot before a state
FOUND = 1e-9  # how closely the step from there must lead back, of the largest number or 1
WEAK = 1e-7  # of the largest singular value: what contacts hold does not tell where a motion came from
RATES = ("target_rate", "rate")  # beside a target that is remembered
BEFORE = ".before"  # behind the name of what was remembered one knot earlier


@dataclass(frozen=True)
class Before:
    """The knot before: its state, what drove the step from there, and x (n,) in the chart of knots."""

    state: Array
    inputs: Array
    x: Array


class Chords:
    """Steps of a linearizer in the chart of chords. One step after the other: `before` is the knot that was left last.

    At a start, where no knot lies before, X has the rates of the momenta.
    """

    def __init__(self, linearizer: Linearizer):
        self.linearizer, self.layout, self.plan = linearizer, linearizer.layout, linearizer.plan
        self.kept = list(self.layout.lasting)
        self.before: Before | None = None

    def step(self, state: Array, inputs: Array) -> tuple[Linearization, Array]:
        """The step from a state of the solver, and the state that it leads to. Raises SolverError, AssemblyError."""
        one, after = self.linearizer.step(state, inputs)
        found = self._turned(one, state, inputs, self.linearizer.reached)
        self.before = Before(state, inputs, one.x)
        return found, after

    def names(self) -> tuple[str, ...]:
        """What X holds."""
        names = names_of(self.linearizer.chosen, self.linearizer.layout.memory)
        memory = names[len(names) - len(self.layout.memory) :]
        return (*names, *(memory[k] + BEFORE for k in self.kept))

    # --- matrices -----------------------------------------------------------------------------------------------------
    def _turned(self, one: Linearization, state: Array, inputs: Array, after: Array) -> Linearization:
        f, n, h = len(self.linearizer.chosen), len(one.x), one.step
        wide, kept = n + len(self.kept), [2 * f + k for k in self.kept]
        onto, given = np.eye(n, wide), np.zeros((n, one.P.shape[1]))
        if self.before is not None:
            onto, given = self._rates(self.before, state, inputs, h)
        ahead, behind = self.shares(state, after)
        a, b, p = (self._rows(each) for each in (one.A @ onto, one.B, one.P + one.A @ given))
        for matrix, fixed in ((a, onto), (b, np.zeros((n, b.shape[1]))), (p, given)):
            matrix[f : 2 * f] = (ahead @ matrix[:f] - behind @ fixed[:f]) / h
            matrix[n:] = fixed[kept]
        x = self.values(self.before, one.x, state)
        ahead_x = self.values(Before(state, inputs, one.x), one.next, after)
        return replace(one, A=a, B=b, P=p, x=x, next=ahead_x, names=self.names(), chart="chord")

    def _rows(self, matrix: Array) -> Array:
        return np.vstack([matrix, np.zeros((len(self.kept), matrix.shape[1]))])

    def values(self, before: Before | None, x: Array, state: Array) -> Array:
        """X of a knot whose x is known."""
        f, found, h = len(self.linearizer.chosen), x.copy(), self.linearizer.length()
        memory = (x if before is None else before.x)[2 * f :]
        if before is not None:
            found[f : 2 * f] = (x[:f] - before.x[:f]) / h
            for k, each in enumerate(self.linearizer.chosen):
                if _is_turn(each):
                    found[f + k] = self._turn(before.state, state, each.node)[each.entry - 3] / h
        return np.concatenate([found, memory[self.kept]])

    def slopes(self, by: Array, shares: Sequence[tuple[Array, Array]]) -> Array:
        """(N + 1, n) slopes of a loss by x of all knots, from those by X. shares: of the N steps."""
        f, n, h = len(self.linearizer.chosen), by.shape[1] - len(self.kept), self.linearizer.length()
        found = by[:, :n].copy()
        found[1:, f : 2 * f] = 0.0
        for k, (ahead, behind) in enumerate(shares):
            found[k + 1, :f] += ahead.T @ by[k + 1, f : 2 * f] / h
            found[k, :f] -= behind.T @ by[k + 1, f : 2 * f] / h
        for column, place in enumerate(self.kept):
            found[:-1, 2 * f + place] += by[1:, n + column]
            found[0, 2 * f + place] += by[0, n + column]
        return found

    # --- turns of bodies ----------------------------------------------------------------------------------------------
    def _orientation(self, state: Array, body: int) -> Array:
        return state[self.plan.at("state", "body", body, "q")]

    def _turn(self, before: Array, state: Array, body: int) -> Array:
        """(3,) twice the vector part of the turn between two knots: h w of the step, in world axes."""
        q, back = self._orientation(state, body), self._orientation(before, body)
        found = 2.0 * (_over(q, back))
        return np.asarray(found[1:] * (1.0 if found[0] >= 0.0 else -1.0), float)

    def shares(self, before: Array, state: Array) -> tuple[Array, Array]:
        """(f, f) each: what differences of coordinates change by, with those of the second knot and less those of the
        first. One, but for turns of bodies: of them, rotation vectors of both knots go into the turn in between."""
        chosen = self.linearizer.chosen
        ahead, behind = np.eye(len(chosen)), np.eye(len(chosen))
        for i, row in enumerate(chosen):
            for j, column in enumerate(chosen):
                if _is_turn(row) and _is_turn(column) and row.node == column.node:
                    q, back = self._orientation(state, row.node), self._orientation(before, row.node)
                    sign = 2.0 if _over(q, back)[0] >= 0.0 else -2.0
                    ahead[i, j] = sign * _over(turning(q)[:, column.entry - 3], back)[row.entry - 2]
                    behind[i, j] = -sign * _over(q, turning(back)[:, column.entry - 3])[row.entry - 2]
        return ahead, behind

    # --- rates of momenta by chords -----------------------------------------------------------------------------------
    def _rates(self, before: Before, state: Array, inputs: Array, h: float) -> tuple[Array, Array]:
        """(n, N) and (n, p): x by X, and by parameters at fixed X."""
        own, f, memory = self.linearizer, len(self.linearizer.chosen), len(self.layout.memory)
        k = own.parameters.shape[1]
        by = self._carried(before, state, inputs)
        here, there = by[:, :f], by[:, f : 2 * f]
        ahead, behind = self.shares(before.state, state)
        back = np.linalg.inv(behind)  # dc_{k-1} = back (ahead dc_k - h dr)
        onto = np.eye(2 * f + memory, 2 * f + memory + len(self.kept))
        onto[f : 2 * f, :f] = here + there @ back @ ahead
        onto[f : 2 * f, f : 2 * f] = -h * there @ back
        earlier, now = by[:, 2 * f : 2 * f + memory], by[:, 2 * f + memory : 2 * f + 2 * memory]
        onto[f : 2 * f, 2 * f : 2 * f + memory] = now
        onto[f : 2 * f, 2 * f + memory :] = earlier[:, self.kept]
        given = np.zeros((len(onto), k))
        given[f : 2 * f] = by[:, 2 * f + 2 * memory :]
        return onto, given

    def _carried(self, before: Before, state: Array, inputs: Array) -> Array:
        """(f, f + f + memory + memory + parameters): rates at a knot by coordinates there, by those of the knot before,
        by memory of the knot before, by that of the knot, and by parameters."""
        own, slopes, layout = self.linearizer, self.linearizer.slopes, self.layout
        f, memory, k = len(own.chosen), len(layout.memory), own.parameters.shape[1]
        first = own.knot(before.state, before.inputs)
        first.check(own.chosen)
        _, placed = own.placed(first)
        slopes.enter(before.state, before.inputs)
        status, parts = slopes.step(own.options)
        own._check(status)
        if parts > 1:
            raise SolverError(
                f"linearize: the step before was taken in {parts} parts, and what lies between them is in no "
                "difference of coordinates; use chart='knot', or a smaller step",
                SolverStatus.NOT_CONVERGED,
            )
        places = layout.unknowns
        columns = placed.shape[1] + memory + len(places)
        seeds = {store: np.zeros((layout.sizes[store], columns)) for store in ("state", "input", "work")}
        seeds["state"][:, : placed.shape[1]] = placed
        for column, (_, field, entry, kind, node) in enumerate(layout.memory):  # what a state remembers was an input
            if f"{kind}/{node}/{field}" in layout.fields["input"]:
                seeds["input"][layout.at("input", kind, node, field).start + entry, placed.shape[1] + column] = 1.0
        for column, row in enumerate(places):
            seeds["work"][row, placed.shape[1] + memory + column] = 1.0
        moving = np.zeros((len(own.parameters), columns))
        moving[:, f + memory : f + memory + k] = own.parameters
        slopes.enter(before.state, before.inputs)
        found = slopes.run("chord", {**seeds, "parameters": moving})["state"]
        # memory of the second knot is its own
        for column, (_, field, entry, kind, node) in enumerate(layout.memory):
            row = layout.at("state", kind, node, field).start + entry
            found[row] = 0.0
            found[row, placed.shape[1] + column] = 1.0
        return self._answered(own.knot(state, inputs), found, moving, placed.shape[1])

    def _answered(self, second: Knot, found: Array, moving: Array, count: int) -> Array:
        """Velocities over the step that lead to the coordinates of the second knot, and rates there."""
        own, f, memory = self.linearizer, len(self.linearizer.chosen), len(self.layout.memory)
        k = own.parameters.shape[1]
        at = second.run("place", found, moving)
        rows = [at["work"][rows] for _, _, rows in self.layout.whole("work", "g")]
        told = [
            at["motion"][self.layout.at("motion", each.kind, each.node, "coordinate").start + each.entry]
            if each.joint
            else second.displacement(each, found)
            for each in own.chosen
        ]
        equations = np.vstack([*rows, np.array(told).reshape(f, found.shape[1])])
        answer = equations[:, count + memory :]
        # rows by what bodies do to them: in joint coordinates velocities hardly move them, and round-off is no row
        whole = np.vstack([second.rows, second.gradients(own.chosen)])[:, : 6 * second.bodies]
        scale = np.abs(whole).max(axis=1, keepdims=True, initial=0.0)
        scale = np.where(scale > 0, scale, 1.0)
        unit = np.vstack([np.zeros((len(equations) - f, f)), np.eye(f)])
        wanted = np.hstack([unit, -equations[:, : count + memory]])
        along = np.linalg.lstsq(answer / scale, wanted / scale, rcond=1e-12)[0]
        own_moving = np.hstack([np.zeros((len(moving), f)), moving[:, : count + memory]])
        moved = np.hstack([np.zeros((len(found), f)), found[:, : count + memory]]) + found[:, count + memory :] @ along
        rates = second.rates(own.chosen, second.run("knot", moved, own_moving))
        # columns so far: c_k, c_{k-1}, memory before, parameters, memory here
        order = [*range(2 * f + memory), *range(2 * f + memory + k, 2 * f + 2 * memory + k)]
        return rates[:, [*order, *range(2 * f + memory, 2 * f + memory + k)]]

    # --- the knot before a state --------------------------------------------------------------------------------------
    def come_from(self, state: Array, inputs: Array) -> None:
        """Find the knot before a state of which nothing else is known: a step from there leads to its coordinates and
        momenta, driven as the state remembers. Raises ArgumentError where there is none."""
        own = self.linearizer
        own.knot(state, inputs)
        f = len(own.chosen)
        row, goal = self._aimed(state, inputs), own.values(state, inputs)
        near = own.near.copy()
        back = own.lift(self._knot(state, row))[:, :f] @ (-own.length() * goal[f : 2 * f])
        earlier, worst = self._moved(self._aimed_back(state), row, back), np.inf
        for _ in range(MOST_BACK):
            try:
                one, after = own.step(earlier, row)
            except SolverError:
                break
            left = self._apart(state, after, goal, one.next)
            scale, worst = max(1.0, float(np.abs(goal).max(initial=0.0))), float(np.abs(left).max(initial=0.0))
            if worst <= FOUND * scale:
                self.before = Before(earlier, row, one.x)
                own.near = near
                return
            change = np.linalg.lstsq(one.A[: 2 * f, : 2 * f], left, rcond=WEAK)[0]
            earlier = self._moved(earlier, row, own.lift(self._knot(earlier, row))[:, : 2 * f] @ change)
        raise ArgumentError(
            f"chart 'chord': no step leads to this state (nearest {worst:.0e}), and a chord is the way from the knot "
            "before; linearize a motion, by motion.linearize(chart='chord'), or use chart='knot'"
        )

    def _knot(self, state: Array, row: Array) -> Knot:
        return self.linearizer.knot(state, row)

    def _aimed(self, state: Array, inputs: Array) -> Array:
        """Inputs of the step before: targets are those that the state remembers."""
        row, kept = inputs.copy(), self.plan.fields["state"]
        for name, (a, size) in self.plan.fields["input"].items():
            if name in kept:
                row[a : a + size] = state[kept[name][0] : kept[name][0] + size]
        return row

    def _aimed_back(self, state: Array) -> Array:
        """A state with its targets where they were a step before, by their rates."""
        found, kept = state.copy(), self.plan.fields["state"]
        for name, (a, size) in kept.items():
            node, _, field = name.rpartition("/")
            rate = next((kept[f"{node}/{each}"] for each in RATES if f"{node}/{each}" in kept), None)
            if field == "target" and rate is not None:
                found[a : a + size] -= self.linearizer.length() * state[rate[0] : rate[0] + size]
        return found

    def _moved(self, state: Array, row: Array, along: Array) -> Array:
        """A state moved along tangents, and back onto the joints."""
        found = state.copy()
        for name, (offset, size) in self.layout.fields["state"].items():
            kind, index, field = name.split("/")
            if field in ("x", "q", "p", "l"):
                start = self.plan.fields["state"][name][0]
                found[start : start + size] += along[offset : offset + size]
        for body in range(len(self.plan.bodies)):
            q = self.plan.at("state", "body", body, "q")
            found[q] /= np.linalg.norm(found[q])
        slopes = self.linearizer.slopes
        slopes.enter(found, row)
        slopes.engine.project(row[None], PROJECTIONS)
        return slopes.state()

    def _apart(self, state: Array, after: Array, goal: Array, reached: Array) -> Array:
        """What is left to a state, in coordinates and rates."""
        f = len(self.linearizer.chosen)
        left = goal[: 2 * f] - reached[: 2 * f]
        for k, each in enumerate(self.linearizer.chosen):
            if _is_turn(each):
                left[k] = self._turn(after, state, each.node)[each.entry - 3]
        return left


def _is_turn(each: Coordinate) -> bool:
    return not each.joint and each.entry >= 3


def _over(p: Array, q: Array) -> Array:
    """p q*, of quaternions."""
    return product(p, q * (1.0, -1.0, -1.0, -1.0))
