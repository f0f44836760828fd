"""Derivatives of steps of random mechanisms: by differences of steps, by tapes, by matrices, in both coordinates.

python -m tests.slopes.random_slopes 0 40      seeds from 0 on; whatever differs is printed
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from symvi import ArgumentError, Mechanism, Simulator, SolverOptions, SymviError
from symvi.simulate import gradient as gradients
from symvi.simulate.linearize import Linearizer
from symvi.simulate.linearized import slopes_of
from symvi.simulate.parameter_tangents import tangents_of
from symvi.simulate.slope_native import NativeSlopes
from symvi.simulate.slope_tapes import Tapes
from tests.support.quick import compiling_quickly
from tests.tree.random_scenes import scene

STEP, BEFORE, STEPS = 0.005, 6, 5  # s, steps taken before the one that is looked at, steps of a gradient
SMOOTHING = 1e-2
OPTIONS = SolverOptions(tolerance=1e-12)
Array = np.ndarray


def conjugate(q: Array) -> Array:
    return q * [1, -1, -1, -1]


def multiplied(a: Array, b: Array) -> Array:
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([w, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def parameters_of(simulator: Simulator, most: int = 1000) -> list[str]:
    """Parameters that have derivatives, each entry of a field one of them."""
    found: list[str] = []
    for name, described in simulator.described.items():
        size = np.size(described.value)
        for each in [name] if size == 1 else [f"{name}[{k}]" for k in range(size)]:
            try:
                tangents_of(simulator, [each])
            except SymviError:
                continue
            found.append(each)
    return found[:: max(1, len(found) // most)]


def closed_ones(simulator: Simulator, names: list[str]) -> list[str]:
    """Those that open no loop for good."""
    left = list(names)
    while True:
        try:
            simulator.linearize(step=STEP, parameters=left)
        except ArgumentError as error:
            if "opens a loop" not in str(error):
                raise
            left.remove(str(error).split("'")[1])
        else:
            return left


class Compared:
    """One mechanism in one formulation, some steps into its motion."""

    def __init__(self, mechanism: Mechanism, coordinates: str):
        self.simulator = Simulator(mechanism, coordinates=coordinates)
        self.contacts = bool(self.simulator.plan.notes["inequalities"])
        self.smoothing = SMOOTHING if self.contacts else None
        self.names = closed_ones(self.simulator, parameters_of(self.simulator, 12))
        self.motion = self.simulator.simulate(BEFORE * STEP, STEP, options=OPTIONS)
        own = self.simulator._twin()
        own._set_step(STEP)
        moving = tangents_of(self.simulator, self.names)
        slopes = slopes_of(own, moving.places)
        assert isinstance(slopes, NativeSlopes)
        self.slopes, self.moving, self.plan, self.layout = slopes, moving, own.plan, slopes.layout
        self.linearizer = Linearizer(slopes, own.plan, OPTIONS, None, self.smoothing, moving)
        self.state = self.motion.resume.copy()
        self.row = self.motion.inputs[-1, : len(own.plan.inputs)].copy()

    def differences(self) -> Iterator[tuple[str, float]]:
        """What is compared, and how far apart it is, of its size."""
        one, _ = self.linearizer.step(self.state, self.row)
        if one.parts == 1:
            yield "matrices and differences", self._by_differences(one)
            yield "matrices and the generated function", self._by_function(one)
            yield from self._by_tape()
        yield from self._by_gradients()

    def _by_function(self, one) -> float:
        """NAME_linearize, by the same coordinates."""
        slopes, own, every = self.slopes, self.linearizer, len(self.linearizer.near)
        numbers = [own._place_of(each) if each.joint else every + 6 * each.node + each.entry for each in own.chosen]
        slopes.enter(self.state, self.row)
        status, a, b = slopes.linearize(replace(OPTIONS, complementarity=self.smoothing), own.near, numbers)
        if status < 0:
            return np.inf
        if not slopes.takes_coordinates():
            f = len(numbers)
            order = [*numbers, *(f + k for k in numbers), *range(2 * f, len(a))]
            a, b = a[np.ix_(order, order)], b[order]
        pairs = [(x, y) for x, y in ((a, one.A), (b, one.B)) if y.size]
        return float(max(np.abs(x - y).max() / max(1.0, np.abs(y).max()) for x, y in pairs))

    def _step(self, state: Array, row: Array) -> Array:
        slopes, own = self.slopes, self.linearizer
        slopes.enter(state, row)
        own._check(slopes.step(OPTIONS)[0])
        slopes.enter(state, row)
        own._settle()
        sizes = self.layout.sizes
        slopes.run("step", {store: np.zeros((sizes[store], 1)) for store in ("state", "input", "parameters")})
        own.near = self.near.copy()
        found = own.values(slopes.arrived, row)
        for place, each in enumerate(own.chosen):
            if not each.joint and each.entry >= 3:
                q = slopes.arrived[self.plan.at("state", "body", each.node, "q")]
                found[place] = 2.0 * multiplied(q, conjugate(self.turned(each.node)))[each.entry - 2]
        return found

    def turned(self, body: int) -> Array:
        """The quaternion of a body at the end of the step, from which its turns are told."""
        return self.end[self.plan.at("state", "body", body, "q")]

    def _by_differences(self, one) -> float:
        """Of the smoothed step, along every column, in the fourth order."""
        own, engine = self.linearizer, self.slopes.engine
        lift = own.lift(own.knot(self.state, self.row))
        self.end = own.reached.copy()
        own.branch({})
        own.values(self.state, self.row)
        self.near, places = own.near.copy(), self._places()
        n, m, worst = len(one.A), len(self.row), 0.0
        whole, known = np.hstack([one.A, one.B, one.P]), engine.parameters.copy()
        for column in range(whole.shape[1]):
            state, row, numbers = np.zeros(len(self.state)), np.zeros(m), np.zeros(len(known))
            if n <= column < n + m:
                row[column - n] = 1.0
            else:
                state[places] = lift[:, column if column < n else column - m]
                if column >= n + m:
                    numbers = self._moved(self.moving.values[:, column - n - m])
            size = 1e-4 / max(1.0, np.abs(state).max(), np.abs(numbers).max())
            if self.contacts:
                size *= 0.1

            def moved(share: float, size=size, state=state, row=row, numbers=numbers) -> Array:
                engine.parameters[:] = known + share * size * numbers
                found = self._step(self.state + share * size * state, self.row + share * size * row)
                engine.parameters[:] = known
                return found

            near, far = (moved(k) - moved(-k) for k in (1, 2))
            found = (8 * near - far) / (12 * size)
            error = np.abs(found - whole[:, column]).max() / max(np.abs(whole[:, column]).max(), 1.0)
            worst = max(worst, float(error))
        return worst

    def _moved(self, numbers: Array) -> Array:
        """What moves of the solver's numbers: units of residuals and of the smoothing are held."""
        found = np.zeros(len(numbers))
        for kind, _, field, entry in self.moving.places:
            for name, (offset, _) in self.plan.fields["parameters"].items():
                if name.startswith(f"{kind}/") and name.endswith(f"/{field}"):
                    found[offset + entry] = numbers[offset + entry]
        return found

    def _places(self) -> Array:
        """Where the layout's numbers of a state lie in the solver's."""
        found = np.zeros(self.layout.sizes["state"], int)
        for name, (offset, size) in self.layout.fields["state"].items():
            start = self.plan.fields["state"][name][0]
            found[offset : offset + size] = np.arange(start, start + size)
        return found

    def _by_tape(self) -> Iterator[tuple[str, float]]:
        slopes, layout, random = self.slopes, self.layout, np.random.default_rng(0)
        slopes.enter(self.state, self.row)
        slopes.step(OPTIONS)
        slopes.enter(self.state, self.row)
        slopes.settle(self.smoothing or 0.0)
        tapes = Tapes(slopes)
        tapes.record(0)
        carried = np.ones(layout.sizes["state"])
        for field in ("v", "w"):
            for _, _, rows in layout.whole("state", field):
                carried[rows] = 0.0
        given = {store: random.standard_normal(layout.sizes[store]) for store in ("state", "input")}
        own = self.moving.columns(layout, self.plan)
        given["parameters"] = own @ random.standard_normal(own.shape[1])
        moved = carried * tapes.tangent(0, given)["state"]
        slopes.enter(self.state, self.row)
        known = carried * slopes.run("step", {store: each[:, None] for store, each in given.items()})["state"][:, 0]
        yield "tape and tangents", float(np.abs(moved - known).max() / np.abs(known).max())
        weights = carried * random.standard_normal(len(moved))
        found = tapes.adjoint(0, {"state": weights})
        pairs = [(weights, moved), *((found[store], given[store]) for store in given)]
        forwards, *backwards = (float(a @ b) for a, b in pairs)
        size = sum(float(np.abs(a) @ np.abs(b)) for a, b in pairs)
        yield "tape backwards and forwards", abs(forwards - sum(backwards)) / size

    def _by_gradients(self) -> Iterator[tuple[str, float]]:
        """By tapes and by matrices, over some steps."""

        def loss(x: Array, u: Array):
            by = np.linspace(0.5, 1.5, len(x))[:, None] * np.linspace(1.0, 2.0, x.shape[1])
            return (by * x**2).sum() / 2, by * x, 0.0 * u

        tapes, found = gradients._by_tapes, []
        for each in (tapes, gradients._by_matrices):
            gradients._by_tapes = each
            try:
                found.append(
                    self.simulator.gradient(
                        loss, STEPS * STEP, STEP, parameters=self.names, smoothing=self.smoothing, options=OPTIONS
                    )
                )
            finally:
                gradients._by_tapes = tapes
        for field in ("start", "inputs", "parameters"):
            a, b = (getattr(each, field) for each in found)
            yield f"gradients by {field}", float(np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


BOUNDS = {
    "matrices and differences": 1e-6,
    "matrices and the generated function": 1e-8,
    "tape and tangents": 1e-10,
    "tape backwards and forwards": 1e-11,
}
OF_GRADIENTS = 1e-8


def compared(seed: int, coordinates: str) -> list[str]:
    """What differs, in words; refusals are told in the first word. Empty where all is one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            own = Compared(scene(seed), coordinates)
            found = list(own.differences())
        except SymviError as error:
            return [f"refused: {error}"]
    return [f"{what}: {apart:.1e}" for what, apart in found if not apart <= BOUNDS.get(what, OF_GRADIENTS)]


def main(first: int, count: int) -> int:
    """Print what differs; the exit code is 1 if anything does."""
    alike = refused = 0
    with compiling_quickly():
        for seed in range(first, first + count):
            for coordinates in ("maximal", "tree"):
                found = compared(seed, coordinates)
                refused += any(each.startswith("refused") for each in found)
                alike += not found
                for each in found:
                    print(f"seed {seed}, {coordinates}: {each}", flush=True)
    print(f"{alike} alike, {refused} refused, {2 * count - alike - refused} that differ")
    return int(alike + refused < 2 * count)


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
