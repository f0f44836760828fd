"""A step as a function x₊ = f(x, u) of minimal coordinates, with its derivatives at any x: what transcriptions and
operations of other libraries call.

A solver's state is found for x by Newton's method: displacements of bodies close all joints (rows g = 0) and bring the
coordinates to what x says; momenta along the coordinates then have its rates, which are linear in them. Turns of a body
that no joint holds are the rotation vector from the start's orientation: R = exp(φ) R₀, and δθ = J(φ) dφ with the left
Jacobian J of exponentials (Chirikjian, Stochastic Models 2, 2012, eq. 10.86).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symvi.errors import ArgumentError, SolverError
from symvi.mechanism.state import State
from symvi.numbers.control import DEFAULTS, SolverOptions, SolverStatus
from symvi.simulate.linearize import ROUND_OFF
from symvi.simulate.plan import Plan
from symvi.simulate.rotation_vectors import exponential, left_jacobian, product, rotation_vector
from symvi.simulate.slope_charts import Knot
from symvi.simulate.slope_parts import put_lengths
from symvi.simulate.slope_path import SlopePath

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

Array = NDArray[np.float64]
CLOSED = 1e-12  # of the mechanism's numbers: what rows and coordinates may be off by when a state is found
MOST = 40  # changes of a placement
FARTHEST = 1.0  # rad: that a body turns in one of them
LONGER = 1e-4  # of a step: what it is made longer and shorter by, for what follows from its length


@dataclass
class Place:
    """A solver's state, and the coordinates that its angles are told nearest to."""

    state: Array
    near: Array


@dataclass(frozen=True, eq=False)
class StepSlopes:
    """A step at x (n,), u (m,): next (n,), and A (n, n), B (n, m), P (n, p) that it changes by. by_length (n,): by the
    step's own length, where it is given one; by_before (n,): by that of the step before, where it is another one."""

    next: Array
    A: Array
    B: Array
    P: Array
    by_length: Array | None = None
    by_before: Array | None = None


class StepMap:
    """x₊ = f(x, u) of one mechanism's steps.

    names (n,), inputs (m,): of x and u, as `linearize` has them; an input that is a target is that of the step's end.
    start (n,): x of the start. time step [s]. smoothing: of contacts, limits and dry friction; f is then the step that
    is sent to this centring, and not the one of `simulate`. first: the step from a start, with the forces of its knot
    for half a step, instead of one of a motion that is under way; so `simulate` begins.
    """

    def __init__(
        self,
        simulator: Simulator,
        step: float = 0.01,
        *,
        start: State | None = None,
        inputs: Mapping[str, object] | None = None,
        parameters: Sequence[str] = (),
        coordinates: Sequence[str] | None = None,
        smoothing: float | None = None,
        options: SolverOptions = DEFAULTS,
    ):
        """inputs: by name, constants that stand in `held` (m,), the row that is used where u is not given. Raises
        ArgumentError, MechanismError, AssemblyError, SolverError."""
        path = SlopePath(
            simulator, step, step, start, inputs or {}, parameters, coordinates=coordinates, smoothing=smoothing,
            options=options,
        )  # fmt: skip
        self.path, self.linearizer, self.plan = path, path.linearizer, path.own.plan
        self.names, self.inputs, self.smoothing = path.names, path.inputs, path.asked.smoothing
        self.parameter_names: tuple[str, ...] = path.asked.moving.names
        self.step, self.held = path.step, path.rows[0].copy()
        self.chosen, self.turned = self.linearizer.chosen, _turned(self.linearizer.chosen)
        self.orientations = {
            body: path.first[self.plan.at("state", "body", body, "q")].copy() for body, _ in self.turned
        }
        begun = Place(path.first.copy(), self.linearizer.near.copy())
        self.start = self.x(begun)
        self.begun = Place(begun.state, self.linearizer.near.copy())
        self.going = Place(self.linearizer.underway(begun.state, self.held), self.begun.near.copy())

    def __repr__(self) -> str:
        about = "" if self.smoothing is None else f", smoothing {self.smoothing:g}"
        return f"<step of {self.step:g} s: {len(self.names)} states, {len(self.inputs)} inputs{about}>"

    # --- the map ------------------------------------------------------------------------------------------------------
    def __call__(self, x: ArrayLike, u: ArrayLike | None = None, *, first: bool = False) -> Array:
        """(n,) a step after x (n,), with inputs u (m,). Raises SolverError, AssemblyError, ArgumentError."""
        return self.slopes(x, u, first=first).next

    def slopes(self, x: ArrayLike, u: ArrayLike | None = None, *, first: bool = False) -> StepSlopes:
        """The step at x (n,), u (m,), with its derivatives. Raises SolverError, AssemblyError, ArgumentError."""
        found, _ = self.along(self._numbers("x", x, self.names), self.row(u), self.begun if first else self.going)
        return found

    def along(self, x: Array, row: Array, beside: Place) -> tuple[StepSlopes, Place]:
        """The step at x, with its derivatives, from the state of x that is found beside another; and that state."""
        place = self.place(x, beside)
        self.linearizer.near = place.near.copy()
        found, _ = self.linearizer.step(place.state, row)
        ahead, a, b, p = found.next.copy(), found.A.copy(), found.B.copy(), found.P.copy()
        for body, columns in self.turned:
            q = self.linearizer.reached[self.plan.at("state", "body", body, "q")]
            turn = self._turn(body, q, x[columns])
            ahead[columns] = turn
            before, after = left_jacobian(x[columns]), np.linalg.inv(left_jacobian(turn))
            a[columns] = after @ a[columns]
            a[:, columns] = a[:, columns] @ before
            b[columns], p[columns] = after @ b[columns], after @ p[columns]
        return StepSlopes(ahead, a, b, p), place

    def lasting(
        self, x: Array, row: Array, beside: Place, length: float, before: float | None = None
    ) -> tuple[StepSlopes, Place]:
        """The same of a step of another length [s]. before: of the step that led to it, where that is another one;
        forces at the knot act for half of both. What follows from lengths is told by central differences."""
        with self._of(length):
            found, place = self.along(x, row, _led_to(self.plan, beside, before or length))
        if before is None:
            return replace(found, by_length=self._slope(x, row, place, length, lambda h: (h, h))), place
        own = self._slope(x, row, place, length, lambda h: (h, before))
        return replace(found, by_length=own, by_before=self._slope(x, row, place, before, lambda h: (length, h))), place

    def _slope(
        self, x: Array, row: Array, place: Place, length: float, both: Callable[[float], tuple[float, float]]
    ) -> Array:
        """(n,) what a step from a state of x changes by with a length, of which its own and the one before follow."""
        off, ends = LONGER * length, []
        for sign in (1, -1):
            own, before = both(length + sign * off)
            self.linearizer.near = place.near.copy()
            with self._of(own):
                ahead = self.linearizer.settled(_led_to(self.plan, place, before).state, row)
                ends.append(self.x(Place(ahead, place.near), x))
        return np.asarray((ends[0] - ends[1]) / (2 * off), float)

    @contextmanager
    def _of(self, length: float) -> Iterator[None]:
        """Steps of another length [s]."""
        parameters, h = self.linearizer.slopes.engine.parameters, self.plan.at("parameters", "common", 0, "h")
        own = parameters[h].copy()
        parameters[h] = length
        try:
            yield
        finally:
            parameters[h] = own

    def row(self, u: ArrayLike | None) -> Array:
        """Inputs of a step."""
        return self.held if u is None else self._numbers("u", u, self.inputs)

    def _numbers(self, what: str, given: ArrayLike, names: Sequence[str]) -> Array:
        try:
            found = np.array(given, float)
        except (TypeError, ValueError):
            raise ArgumentError(f"{what}: give {len(names)} numbers, of {', '.join(names)}") from None
        if found.shape != (len(names),) or not np.isfinite(found).all():
            raise ArgumentError(
                f"{what}: has shape {found.shape}; give {len(names)} finite numbers, of {', '.join(names)}"
            )
        return found

    # --- between x and states -----------------------------------------------------------------------------------------
    def x(self, place: Place, beside: Array | None = None) -> Array:
        """(n,) of a state. beside: x that turns of bodies are told nearest to."""
        self.linearizer.near = place.near.copy()
        found = self.linearizer.values(place.state, self.held)
        for body, columns in self.turned:
            q = place.state[self.plan.at("state", "body", body, "q")]
            found[columns] = self._turn(body, q, np.zeros(3) if beside is None else beside[columns])
        return found

    def place(self, x: Array, beside: Place) -> Place:
        """A state of x, found from another one. Raises SolverError where there is none that closes the joints."""
        linearizer, count = self.linearizer, len(self.chosen)
        place = Place(beside.state.copy(), self._near(x, beside.near))
        for entry, (_, field, k, kind, node) in enumerate(linearizer.layout.memory):
            place.state[self.plan.at("state", kind, node, field)][k] = x[2 * count + entry]
        knot = self._closed(x, place)
        for angle in self.plan.angles:
            self._tell(angle, place)
        for name in ("p", "l"):
            for body in range(knot.bodies):
                place.state[self.plan.at("state", "body", body, name)] = 0.0
        lift = linearizer.lift(knot)[:, count : 2 * count]
        wanted = x[count : 2 * count]
        for _ in range(3):  # linear: the others are for round-off, and for the numbers that l is not linear in
            off = wanted - self.x(place)[count : 2 * count]
            place.state += self._spread(lift @ off)
            if np.abs(off).max(initial=0.0) <= CLOSED * (1.0 + np.abs(wanted).max(initial=0.0)):
                break
        return Place(place.state, place.near)

    def _closed(self, x: Array, place: Place) -> Knot:
        """Bring bodies to where joints are closed and coordinates are those of x; the knot there."""
        count, off = len(self.chosen), np.inf
        for _ in range(MOST):
            knot = Knot(self.linearizer.slopes, self.plan, place.state, self.held, self.linearizer.parameters)
            gaps = self.linearizer.slopes.rows()
            asked = np.concatenate([-gaps, self._missing(x, place)])
            off = float(np.abs(asked).max(initial=0.0))
            if off <= CLOSED * (1.0 + np.abs(x[:count]).max(initial=0.0)):
                return knot
            equations = np.vstack([knot.rows, knot.gradients(self.chosen)])[:, : 6 * knot.bodies]
            scale = np.abs(equations).max(axis=1, initial=0.0)
            scale = np.where(scale > 0, scale, 1.0)
            change = np.linalg.lstsq(equations / scale[:, None], asked / scale, rcond=ROUND_OFF)[0]
            widest = np.abs(change.reshape(-1, 2, 3)[:, 1]).max(initial=0.0)
            self._move(place.state, np.asarray(change * min(1.0, FARTHEST / max(widest, 1e-300)), float))
        raise SolverError(
            f"step map: no state of these coordinates closes the joints ({off:.1e} m or rad are left)",
            SolverStatus.NOT_CONVERGED,
        )

    def _missing(self, x: Array, place: Place) -> Array:
        """What coordinates are off by, of bodies' turns as rotation vectors of the world's axes."""
        count = len(self.chosen)
        found = x[:count] - self.x(place, x)[:count]
        for body, columns in self.turned:
            q = place.state[self.plan.at("state", "body", body, "q")]
            wanted = product(exponential(x[columns]), self.orientations[body])
            found[columns] = rotation_vector(product(wanted, q * [1, -1, -1, -1]))
        return found

    def _move(self, state: Array, change: Array) -> None:
        for body in range(len(self.plan.bodies)):
            state[self.plan.at("state", "body", body, "x")] += change[6 * body : 6 * body + 3]
            rows = self.plan.at("state", "body", body, "q")
            state[rows] = product(exponential(change[6 * body + 3 : 6 * body + 6]), state[rows])

    def _spread(self, tangent: Array) -> Array:
        """A tangent in the order of the solver's state."""
        found = np.zeros(self.plan.sizes["state"])
        for name in ("p", "l"):
            for kind, node, rows in self.linearizer.layout.whole("state", name):
                found[self.plan.at("state", kind, node, name)] = tangent[rows]
        return found

    def _turn(self, body: int, q: Array, beside: Array) -> Array:
        """The rotation vector of a body from the start's orientation, of all that turn alike the nearest to another."""
        return rotation_vector(product(q, self.orientations[body] * [1, -1, -1, -1]), beside)

    def _near(self, x: Array, near: Array) -> Array:
        found = near.copy()
        for k, each in enumerate(self.chosen):
            if each.joint:
                found[self.linearizer._place_of(each)] = x[k]
        return found

    def _tell(self, angle: Mapping[str, object], place: Place) -> None:
        """Whole turns of an angle that the solver carries."""
        self.linearizer.near = place.near.copy()
        slopes = self.linearizer.slopes
        slopes.enter(place.state, self.held)
        found, _, _ = slopes.coordinates(place.near)
        sizes = [(name, size) for name, (_, size) in self.plan.fields["motion"].items() if name.endswith("/coordinate")]
        at, wanted = 0, str(angle["joint"])
        for (_, size), note in zip(sizes, self.plan.notes["motion"], strict=True):
            if note["joint"] == wanted:
                place.state[self.plan.at("state", angle["kind"], angle["index"], angle["field"])] = found[  # pyright: ignore[reportArgumentType]
                    at + int(angle["coordinate"])  # pyright: ignore[reportArgumentType]
                ]
            at += size

    def state(self, x: ArrayLike, time: float = 0.0) -> State:
        """The start of a motion, for `simulate`, at x (n,). Raises SolverError."""
        own, given = self.path.own, self._numbers("x", x, self.names)
        place = self.place(given, self.begun)
        self.linearizer.slopes.enter(place.state, self.held)
        _, _, velocities = self.linearizer.slopes.coordinates(place.near)
        return state_of(own, place.state, velocities, time, self.named_angles(place))

    def named_angles(self, place: Place) -> dict[str, tuple[float, ...]]:
        """Angles of joints, with their whole turns, as a `State` has them."""
        slopes = self.linearizer.slopes
        slopes.enter(place.state, self.held)
        coordinates, _, _ = slopes.coordinates(place.near)
        found, at = {}, 0
        for note in self.plan.notes["motion"]:
            size = len(note["kinds"])
            known = self.path.own.angles.get(note["joint"])
            if known is not None:
                found[note["joint"]] = tuple(coordinates[at + size - len(known) : at + size].tolist())
            at += size
        return found


def _led_to(plan: Plan, place: Place, length: float) -> Place:
    """A knot that a step of this length [s] led to; a start stays one."""
    state = place.state.copy()
    if state[plan.at("state", "common", 0, "before")][0] != 0.0:
        put_lengths(plan, state, length)
    return Place(state, place.near)


def _turned(chosen: Sequence) -> list[tuple[int, list[int]]]:
    """Bodies that coordinates turn, with the columns of their turns. Raises ArgumentError where one lacks some."""
    found: dict[int, list[int]] = {}
    for column, each in enumerate(chosen):
        if not each.joint and each.entry >= 3:
            found.setdefault(each.node, []).append(column)
    for columns in found.values():
        if [chosen[k].entry for k in columns] != [3, 4, 5]:
            raise ArgumentError(
                f"step map: '{chosen[columns[0]].name}' is one of a body's turns, without the others no coordinate; "
                "give the body a joint that has its freedoms, or name other coordinates"
            )
    return list(found.items())


def state_of(own: Simulator, array: Array, velocities: Array, time: float, angles: Mapping) -> State:
    """A `State` of a solver's, with velocities of bodies (n, 6) in world axes."""
    from symvi.simulate.solver_state import carried, centers

    bodies = range(len(own.plan.bodies))
    x = np.array([array[own.plan.at("state", "body", body, "x")] for body in bodies])
    q = np.array([array[own.plan.at("state", "body", body, "q")] for body in bodies])
    position = x - carried(q[None], centers(own.mechanism))[0]
    turning = carried(q[None], velocities[None, :, 3:], back=True)[0]
    return State(time, position, q, velocities[:, :3], turning, own.plan.bodies, angles)  # pyright: ignore[reportArgumentType]
