"""Parameters of a description from a measured motion: least squares along the motion, by Gauss and Newton.

What is measured is compared with the motion that the simulator makes of the parameters. How that motion changes with
them follows from its steps, S_{k+1} = A_k S_k + P_k, with the exact derivatives of `linearize`; the start may be
unknown as well, S_0 = 1 there. Standard deviations are those of the linear problem at the solution, from the covariance
s² (JᵀJ)^-1 (Gauss; Bard, Nonlinear Parameter Estimation, 1974).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symvi.errors import ArgumentError, MechanismError, SolverError
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.state import State
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.simulate.coordinates import state_from
from symvi.simulate.simulator import Simulator
from symvi.simulate.slope_path import SlopePath

Array = NDArray[np.float64]
SHARES = tuple(0.5**k for k in range(12))  # of a change, tried one after the other
BLIND = 1e-9  # of the largest singular value: below it the measurements do not tell parameters apart


@dataclass(frozen=True, eq=False)
class Identification:
    """What was found. values, deviations (p,): of `names`, parameters first, then unknown numbers of the start
    ("start: hinge.rate") [SI, rad]; a deviation is a standard one. covariance (p, p). parameters: name -> value, for
    `Simulator(parameters=...)`. noise: name -> standard deviation of what was measured, as given or, if not, as its
    residuals say. residuals: name -> (N + 1,) measured less simulated, NaN where nothing was. start: of the motion,
    None for the description's. costs: sums of weighted squares on the way. converged: whether the last change promised
    nothing more."""

    names: tuple[str, ...]
    values: Array
    deviations: Array
    covariance: Array
    parameters: Mapping[str, float | Array]
    noise: Mapping[str, float]
    residuals: Mapping[str, Array]
    start: State | None
    costs: tuple[float, ...]
    converged: bool

    def __repr__(self) -> str:
        found = ", ".join(
            f"{name} = {value:.6g} ± {deviation:.2g}"
            for name, value, deviation in zip(self.names, self.values, self.deviations, strict=True)
        )
        return f"<identification: {found}>"


def identify(
    simulator: Simulator,
    measured: Mapping[str, ArrayLike],
    step: float,
    *,
    parameters: Sequence[str],
    unknown_start: Sequence[str] = (),
    noise: Mapping[str, float] | None = None,
    start: State | None = None,
    inputs: Mapping[str, object] | None = None,
    coordinates: Sequence[str] | None = None,
    smoothing: float | None = None,
    options: SolverOptions = DEFAULTS,
    iterations: int = 30,
    tolerance: float = 1e-10,
) -> Identification:
    """The parameters that make the motion from a start the nearest to what was measured, in least squares.

    measured: what x holds ("hinge", "hinge.rate") -> (N + 1,) at the knots of N steps [SI, rad], NaN where nothing was.
    parameters: names as in `linearize`; the search begins at the simulator's. unknown_start: names of x whose numbers
    at the first knot are searched for too, from those of the start. noise: standard deviations of what was measured, by
    name; None gives all the same weight, and takes deviations from the residuals. start, inputs: as in `simulate`.
    tolerance: share of the cost that the last change may promise. The simulator is left as it is.
    Raises ArgumentError for names, numbers and measurements that tell parameters not apart; SolverError where the
    motion of the first guess cannot be simulated; MechanismError, AssemblyError.
    """
    if not isinstance(parameters, (list, tuple)) or not isinstance(unknown_start, (list, tuple)):
        raise ArgumentError("parameters, unknown_start: give lists of names")
    if not parameters and not unknown_start:
        raise ArgumentError("parameters: names nothing to search for; give one")
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ArgumentError(f"iterations {iterations!r}: must be a whole number above zero")
    values = _checked_measured(measured)
    count = len(next(iter(values.values())))
    more = {"coordinates": coordinates, "smoothing": smoothing, "options": options}
    search = _Search(simulator, values, step, (count - 1) * step, tuple(parameters), start, inputs or {}, more)
    search.given = noise is not None
    return search.run(tuple(unknown_start), _checked_noise(noise, values), iterations, tolerance)


@dataclass
class _Motion:
    """A motion and what it costs. x (N + 1, n); off: weighted residuals."""

    path: SlopePath
    states: list[Array]
    x: Array
    off: Array
    cost: float


@dataclass
class _Search:
    """What all motions of a search share."""

    simulator: Simulator
    measured: Mapping[str, Array]
    step: float
    time: float
    parameters: tuple[str, ...]
    start: State | None
    inputs: Mapping[str, object]
    more: dict
    unknown: tuple[int, ...] = ()
    weights: Array | None = None
    given: bool = False

    def run(self, unknown: tuple[str, ...], noise: Array, iterations: int, tolerance: float) -> Identification:
        """Change the numbers until nothing is to be gained."""
        path = self._path(self.simulator, self.start)
        for name in (*self.measured, *unknown):
            if name not in path.names:
                raise ArgumentError(f"'{name}': is no number of x; {did_you_mean(name, path.names)}")
        self.columns = [path.names.index(name) for name in self.measured]
        self.unknown = tuple(path.names.index(name) for name in unknown)
        self.weights = 1.0 / noise
        self.known = np.array(list(self.measured.values())).T
        self.told = path.asked.moving.names
        self.begin, self.names = path.x(path.first, path.held), path.names
        path.rewind()
        values = np.array([*self._described(), *self.begin[list(self.unknown)]])
        self.scales = [abs(value) or 1.0 for value in values[: len(self.told)]] + [1.0] * len(self.unknown)
        motion, costs, converged = self._motion(values), [], False
        costs.append(motion.cost)
        for _ in range(iterations):
            slopes = self._slopes(motion)
            change = self._change(slopes, motion)
            promised = motion.cost - float(np.sum((motion.off - slopes @ change) ** 2))
            if promised <= tolerance * max(motion.cost, 1e-300) or np.abs(change).max() <= 1e-14 * np.abs(values).max():
                converged = True
                break
            better = self._better(values, change, motion)
            if better is None:
                break
            values, motion = better
            costs.append(motion.cost)
        return self._found(values, motion, tuple(costs), converged, unknown)

    # --- motions ------------------------------------------------------------------------------------------------------
    def _path(self, simulator: Simulator, start: State | None) -> SlopePath:
        return SlopePath(simulator, self.time, self.step, start, self.inputs, self.parameters, **self.more)

    def _described(self) -> list[float]:
        """The simulator's own numbers of the parameters."""
        own, found = self.simulator, []
        for name in self.told:
            field, _, entry = name.removesuffix("]").partition("[")
            value = np.array(own.settings.get(field, own.described[field].value), float).ravel()
            found.append(float(value[int(entry or 0)]))
        return found

    def _set(self, values: Array) -> tuple[Simulator, State | None]:
        """A simulator with these parameters, and the start."""
        own, start = self.simulator._twin(), self.start
        for name, value in self._settings(values).items():
            own.set_parameter(name, value)
        if self.unknown:
            x = self.begin.copy()
            x[list(self.unknown)] = values[len(self.told) :]
            start = self._started(x)
        return own, start

    def _settings(self, values: Array) -> dict[str, float | Array]:
        found: dict[str, float | Array] = {}
        for name, value in zip(self.told, values, strict=False):
            field, _, entry = name.removesuffix("]").partition("[")
            if entry:
                given = np.array(self.simulator.settings.get(field, self.simulator.described[field].value), float)
                whole = np.array(found.get(field, given), float)
                whole[int(entry)] = value
                found[field] = whole
            else:
                found[field] = float(value)
        return found

    def _started(self, x: Array) -> State:
        """The state of coordinates and rates of joints."""
        numbers: tuple[dict[str, list[float]], dict[str, list[float]]] = {}, {}
        joints = {joint.name for joint in self.simulator.mechanism.joints}
        for name, value in zip(self.names, x, strict=True):
            joint, rate = name.removesuffix(".rate").split("[")[0], name.endswith(".rate")
            if joint in joints:
                numbers[rate].setdefault(joint, []).append(float(value))
            elif "." in joint and joint.split(".")[1] in ("position", "turn"):
                raise ArgumentError(f"unknown_start: '{name}' is of a body that no joint holds; give it a joint")
        state = state_from(self.simulator.mechanism, *numbers)
        return state if self.start is None else replace(state, time=self.start.time)

    def _motion(self, values: Array) -> _Motion:
        path = self._path(*self._set(values))
        states, x = [path.first], [path.x(path.first, path.held)]
        for k, row in enumerate(path.rows):
            try:
                states.append(path.after(states[-1], row))
            except SolverError as error:
                raise SolverError(f"identify: at {path.time[k]:g} s: {error}", error.status) from None
            x.append(path.x(states[-1], path.rows[min(k + 1, len(path) - 1)]))
        path.rewind()
        off = self._weighted(self.known - np.array(x)[:, self.columns])
        return _Motion(path, states, np.array(x), off, float(off @ off))

    def _weighted(self, numbers: Array) -> Array:
        """(measurements,) of (N + 1, measured, ...) numbers, one a row."""
        assert self.weights is not None
        shaped = self.weights.reshape(-1, *[1] * (numbers.ndim - 2))
        return (numbers * shaped)[~np.isnan(self.known)]

    def _slopes(self, motion: _Motion) -> Array:
        """(measurements, p) what the motion changes by."""
        path, count = motion.path, len(self.told)
        found = np.zeros((len(motion.x[0]), count + len(self.unknown)))
        for k, row in enumerate(self.unknown):
            found[row, count + k] = 1.0
        kept = [found[self.columns]]
        for state, row in zip(motion.states[:-1], path.rows, strict=True):
            one = path.linearized(state, row)
            found = one.A @ found
            found[:, :count] += one.P
            kept.append(found[self.columns])
        return self._weighted(np.array(kept))

    # --- changes ------------------------------------------------------------------------------------------------------
    def _change(self, slopes: Array, motion: _Motion) -> Array:
        """The change that squares are least after. Raises ArgumentError where they do not tell."""
        sizes = self._sizes(slopes, motion)
        return np.linalg.lstsq(slopes / sizes, motion.off, rcond=None)[0] / sizes

    def _sizes(self, slopes: Array, motion: _Motion) -> Array:
        """Lengths of the columns, once they are known to be independent."""
        names, sizes = self._all_names(), np.linalg.norm(slopes, axis=0)
        whole = float(np.linalg.norm(self._weighted(motion.x[:, self.columns])))
        for name, size, scale in zip(names, sizes, self.scales, strict=True):
            if not size * scale > BLIND * whole:
                raise ArgumentError(f"identify: '{name}' moves nothing that was measured; leave it out")
        if len(slopes) < len(names):
            raise ArgumentError(f"identify: {len(slopes)} measurements for {len(names)} numbers; measure more")
        _, singular, right = np.linalg.svd(slopes / sizes, full_matrices=False)
        if not singular[-1] > BLIND * singular[0]:
            those = ", ".join(names[k] for k in np.flatnonzero(np.abs(right[-1]) > 1e-3))
            raise ArgumentError(f"identify: what was measured does not tell {those} apart; leave one out")
        return sizes

    def _better(self, values: Array, change: Array, motion: _Motion) -> tuple[Array, _Motion] | None:
        """The longest share of a change that makes the cost fall."""
        for share in SHARES:
            tried = values + share * change
            try:
                found = self._motion(tried)
            except (SolverError, MechanismError):
                continue
            if found.cost < motion.cost:
                return tried, found
        return None

    def _all_names(self) -> tuple[str, ...]:
        return (*self.told, *(f"start: {self.names[k]}" for k in self.unknown))

    def _found(self, values: Array, motion: _Motion, costs, converged: bool, unknown) -> Identification:
        slopes = self._slopes(motion)
        sizes = self._sizes(slopes, motion)
        inverse = np.linalg.inv((slopes / sizes).T @ (slopes / sizes)) / np.outer(sizes, sizes)
        freedoms = len(motion.off) - len(values)
        assert self.weights is not None
        scale = 1.0 if self.given else motion.cost / freedoms if freedoms else np.nan
        covariance = np.asarray(scale * inverse, float)
        residuals = dict(zip(self.measured, (self.known - motion.x[:, self.columns]).T, strict=True))
        noise = {name: float(np.sqrt(scale) / weight) for name, weight in zip(self.measured, self.weights, strict=True)}
        start = self._set(values)[1]
        return Identification(
            self._all_names(), values, np.sqrt(np.diag(covariance)), covariance, self._settings(values), noise,
            residuals, start, costs, converged,
        )  # fmt: skip


def _checked_measured(measured: Mapping[str, ArrayLike]) -> dict[str, Array]:
    """Arrays of one length, each with a number in it. Raises ArgumentError."""
    if not isinstance(measured, Mapping) or not measured:
        raise ArgumentError("measured: give names of x with their numbers at the knots")
    found = {}
    for name, values in measured.items():
        try:
            found[name] = np.array(values, float)
        except (TypeError, ValueError):
            raise ArgumentError(f"measured: '{name}': {shown(values)} are no numbers") from None
        if found[name].ndim != 1 or len(found[name]) < 2 or np.isinf(found[name]).any():
            raise ArgumentError(f"measured: '{name}': give one finite number, or NaN, for each of two or more knots")
        if np.isnan(found[name]).all():
            raise ArgumentError(f"measured: '{name}': has no number but NaN; leave it out")
    if len({len(each) for each in found.values()}) > 1:
        lengths = ", ".join(f"'{name}' has {len(each)}" for name, each in found.items())
        raise ArgumentError(f"measured: as many numbers for every name, one a knot: {lengths}")
    return found


def _checked_noise(noise: Mapping[str, float] | None, measured: Mapping[str, Array]) -> Array:
    """(measured,) standard deviations, ones for None. Raises ArgumentError."""
    if noise is None:
        return np.ones(len(measured))
    for name in measured:
        value = noise.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < np.inf:
            raise ArgumentError(f"noise: '{name}': {shown(value)} is no standard deviation; give a number above zero")
    for name in noise:
        if name not in measured:
            raise ArgumentError(f"noise: '{name}' was not measured; {did_you_mean(name, tuple(measured))}")
    return np.array([float(noise[name]) for name in measured])
