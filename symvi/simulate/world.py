"""World: a simulation that waits at a knot for the inputs of the next step, and answers what it is asked there.

The buffers are made and checked once. A step is one call of the generated C; what is read is computed when it is asked
for, and changes nothing of the motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from symvi.errors import AssemblyError, MechanismError, SymviError
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.state import State
from symvi.numbers.control import CONTACT_SIZE, SolverStatus
from symvi.simulate import frames
from symvi.simulate.arguments import checked_step, checked_table, real_numbers
from symvi.simulate.failures import failure_of
from symvi.simulate.knots import coordinate_places, knots_of
from symvi.simulate.run import overlaid
from symvi.simulate.seen import SeenState
from symvi.simulate.standing import Standing
from symvi.simulate.starter import Starter
from symvi.simulate.trajectory import Trajectory
from symvi.simulate.turns import Angles, nearest

if TYPE_CHECKING:
    from symvi.simulate.simulator import Simulator

Array = NDArray[np.float64]
INFINITY = float("inf")
Aimed = frozenset[str] | None
PASSED = 256  # knots that are kept before the turns between them are counted
# What a saved knot belongs to, and of which of these an error shows both.
OF = ("mechanism", "choice of coordinates", "number type", "loops", "step", "parameters")
TOLD = {"choice of coordinates", "number type", "loops", "step"}


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


@dataclass(frozen=True)
class Saved:
    """A world at a knot, as plain bytes: see `World.save`."""

    of: tuple[object, ...]
    index: int
    state: bytes
    inputs: bytes
    near: bytes
    gains: bytes
    behind: tuple[bytes, bytes] | None
    passed: tuple[bytes, ...]
    given: bytes

    def __repr__(self) -> str:
        return f"<Saved: a world after {self.index} steps, {len(self.state)} bytes of state>"


class World:
    """A mechanism at a knot, as `Simulator.reset` makes it. One thread uses it; others use copies.

    names: of the joints' coordinates, in the order of `coordinates` and `rates`: the joint, with [k] where it has
        several. entries: joint -> its slice of them. input_names: in the order of an array that `step` takes.
    """

    def __init__(self, own: Simulator, step: float):
        """own: a simulator of this world's alone, which stands at its start."""
        plan, engine = own.plan, own.engine
        self._own, self._plan, self._step_size = own, plan, step
        self._knots = knots_of(engine)
        self._z, self._u = engine.state, self._knots.inputs
        self._zbytes, self._ubytes = self._z.data.cast("B"), self._u.data.cast("B")
        self.input_names = plan.inputs
        self._columns = {name: k for k, name in enumerate(plan.inputs)}
        self._sort_coordinates()
        self._signals = any(own.inputs.has_signal(name) for name in plan.inputs)
        self._ahead = own.inputs.ahead
        self._quick = not self._signals and not own.gains.names and engine.state.dtype == np.float64
        self._held: list[tuple[int, slice]] = []
        kind = (own.mechanism.digest, own.coordinates, engine.state.dtype.name, own.loops)
        self._of = (*kind, step, tuple(sorted(own.settings.items())))
        self._closed = False
        self._frame: NDArray[np.floating] | None = None
        self._points: NDArray[np.floating] | None = None
        self._behind: tuple[bytes, bytes] | None = None
        self._first_points: NDArray[np.floating] | None = None
        self._passed: list[bytes] = []

    def _sort_coordinates(self) -> None:
        """Coordinates in the order of the description, and which of them are angles that come round again."""
        own, places = self._own, coordinate_places(self._plan)
        self.entries: dict[str, slice] = {}
        order, names = [], []
        turning, where, which = own.turning, [], []
        for joint in own.mechanism.joints:
            if joint.name not in places:
                continue
            place = range(*places[joint.name].indices(1 << 30))
            self.entries[joint.name] = slice(len(order), len(order) + len(place))
            names += [joint.name] if len(place) == 1 else [f"{joint.name}[{k}]" for k in range(len(place))]
            order += place
            if joint.name in turning.row:
                row = turning.row[joint.name]
                angles = 1 + int(turning.two[row])
                where += list(place)[-angles:]
                which += [(row, k) for k in range(angles)]
        self.names = tuple(names)
        self._alone = {name: order[at.start] for name, at in self.entries.items() if at.stop == at.start + 1}
        self._order = np.array(order, int)
        self._angles = {name: 1 + int(turning.two[row]) for name, row in turning.row.items() if name in places}
        self._turns = bool(where)
        self._turning_at = np.array(where, int)
        self._turning_of = tuple(np.array(which, int).reshape(-1, 2).T)
        at = [self._plan.at("state", "body", k, "q") for k in range(len(self._plan.bodies))]
        self._q = np.array([np.arange(a.start, a.stop) for a in at], int)

    # --- where it stands ---------------------------------------------------------------------------------------------
    @property
    def time(self) -> float:
        """Of the knot [s]."""
        return self._time(self._index)

    @property
    def state(self) -> State:
        """The knot as a State, as a controller sees it: velocities as if the inputs of the step before stayed."""
        frame, own = self._seen(), self._own
        self._count()
        near = {name: tuple(angles) for name, angles in self._near()}

        def angles() -> Angles:
            return own.turning.at(frames.entry(self._plan, frame[None], "q")[0], near)

        return SeenState(own.mechanism, self._plan, frame, self.time, angles)

    @property
    def coordinates(self) -> Array:
        """(c,): all joint coordinates [m, rad], whole turns counted; three free rotations are a rotation vector."""
        self._measure()
        return self._knots.coordinates[self._order].astype(float, copy=False)

    @property
    def rates(self) -> Array:
        """(c,): their time derivatives [m/s, rad/s], as if the inputs of the step before stayed."""
        self._measure()
        return self._knots.rates[self._order].astype(float, copy=False)

    @property
    def energy(self) -> float:
        """Kinetic and potential energy [J]."""
        frame = self._seen()
        return sum(float(frame[self._plan.frame[name][0]]) for name in ("kinetic", "potential"))

    @property
    def contacts(self) -> dict[str, ContactPoint]:
        """Contact point -> its gap, forces and sliding."""
        self._check_open()
        points = self._contact_points().astype(float)
        return {
            node["name"]: ContactPoint(float(row[0]), float(row[1]), row[2:5], row[5:8], row[8:11], row[11:14])
            for node, row in zip(self._plan.contacts, points, strict=True)
        }

    def __repr__(self) -> str:
        where = "closed" if self._closed else f"t = {self.time:g} s"
        return f"<World of {self._own.mechanism.name}, {where}, steps of {self._step_size:g} s>"

    # --- going on ----------------------------------------------------------------------------------------------------
    def step(self, inputs: Mapping[str, object] | Sequence[float] | Array | None = None) -> None:
        """Take a step: actuators act from this knot on, targets are those of the next knot.

        inputs: name -> number, or an array of all in the order of `input_names`. What is not named has the value that
        `reset` was given, else that of its signal, as under a controller. Gains of servos may be named too.
        Raises SolverError for a step that cannot be solved, MechanismError for other inputs; the world stays as it was.
        """
        self._check_open()
        before, gains = (bytes(self._zbytes), bytes(self._ubytes)), self._gains_now
        if inputs is not None or not self._plain:
            self._enter(inputs)
        status = self._knots.step()
        if status < 0:
            self._fail(status, before, gains)
        self._index += 1
        self._frame = self._points = None
        self._measured, self._led = False, True
        self._behind = before
        if self._turns:
            self._passed.append(before[0])
            if len(self._passed) >= PASSED:
                self._count()
                del self._passed[:-1]

    def reset(
        self,
        coordinates: Mapping[str, object] | Sequence[float] | Array | None = None,
        rates: Mapping[str, object] | Sequence[float] | Array | None = None,
    ) -> None:
        """Back to the start, or to these joint coordinates and rates there; joints that are not named are as at the
        start.

        An array has the order of `names`. Loops are closed by the nearest placement that does so. Raises AssemblyError
        where no motion can start, MechanismError for other names, shapes and numbers; the world stays as it was.
        """
        self._check_open()
        if coordinates is None and rates is None:
            self._write(self._start)
            return
        wanted, own_rates = self._knots.wanted, self._start_motion[1]
        self._put("coordinates", coordinates, self._start_motion[0], wanted[0])
        self._put("rates", rates, own_rates, wanted[1])
        before, start, gains = (bytes(self._zbytes), bytes(self._ubytes)), self._start, self._gains_now
        self._zbytes[:], self._ubytes[:] = start.state, start.inputs
        self._set_gains(start.gains)
        status = self._knots.place()
        if status < 0:
            self._zbytes[:], self._ubytes[:] = before
            self._set_gains(gains)
            self._led = False
            raise AssemblyError(
                f"mechanism '{self._own.mechanism.name}' cannot start at these coordinates: "
                f"{SolverStatus(status).sentence}"
            )
        self._knots.coordinates[:] = wanted[0]
        self._index, self._behind, self._plain = 0, None, False
        self._passed.clear()
        self._forget()
        if self._held:
            for column, place in self._held:
                self._given[column] = self._u[column] = self._z[place][0]

    def save(self) -> Saved:
        """The knot as it is, to come back to by `restore`, here or in a copy."""
        self._check_open()
        return Saved(
            self._of,
            self._index,
            bytes(self._zbytes),
            bytes(self._ubytes),
            self._knots.coordinates.tobytes(),
            self._gains_now,
            self._behind,
            tuple(self._passed),
            self._given.tobytes(),
        )

    def restore(self, saved: Saved | World) -> None:
        """Go back, or on, to a knot that was saved, or to that of another world of the same mechanism.

        Raises MechanismError where it was saved by another mechanism, or with other parameters or another step.
        """
        self._check_open()
        saved = saved.save() if isinstance(saved, World) else saved
        if not isinstance(saved, Saved):
            raise MechanismError(f"{shown(saved)} is no saved world; world.save() and world.copy() are")
        for what, here, there in zip(OF, self._of, saved.of, strict=True):
            if here != there:
                told = f": {shown(there)}, here {shown(here)}" if what in TOLD else ""
                raise MechanismError(f"the world was saved with another {what}{told}")
        self._write(saved)

    def copy(self) -> World:
        """Another world at the same knot, in a memory of its own; it may run in another thread."""
        self._check_open()
        twin = World(self._own._twin(), self._step_size)
        twin._settle(self._from, self._given.copy(), self._fixed, self._gains, self._aimed)
        twin._start, twin._start_motion, twin._first_points = self._start, self._start_motion, self._first_points
        twin._write(self.save())
        return twin

    def close(self) -> None:
        """Let go of it: every later call is refused."""
        self._closed = True

    def __enter__(self) -> World:
        self._check_open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- inside: the start -------------------------------------------------------------------------------------------
    def _settle(
        self,
        begin: tuple[float | None, int],
        given: Array,
        fixed: list[int],
        gains: Array,
        aimed: frozenset[str] | None,
    ) -> None:
        """What stays the same from knot to knot. given: (m,) inputs of the first knot. fixed: columns of those that
        `reset` was given or that drivers hold, which no signal changes."""
        self._from, self._given, self._fixed, self._gains, self._aimed = begin, given, fixed, gains, aimed
        self._index, self._passed, self._behind = 0, [], None
        self._gains_now = gains.tobytes()
        self._u[: len(given)] = given
        self._plain = not self._signals
        self._forget()

    def _begin(self, angles: Mapping[str, tuple[float, ...]], points: NDArray[np.floating] | None) -> None:
        """Keep the start. angles: of the joints there. points: contact points of the step that led there, if one did"""
        places = coordinate_places(self._plan)
        for name, values in angles.items():
            if name in places:
                self._knots.coordinates[places[name]][-len(values) :] = values
        self._first_points = points
        self._measure()
        self._start_motion = self._knots.coordinates.copy(), self._knots.rates.copy()
        self._start = self.save()

    def _forget(self) -> None:
        self._frame = self._points = None
        self._measured = self._led = False

    def _write(self, saved: Saved) -> None:
        self._zbytes[:], self._ubytes[:] = saved.state, saved.inputs
        real = self._u.dtype
        self._knots.coordinates[:] = np.frombuffer(saved.near, real)
        self._given = np.frombuffer(saved.given).copy()
        self._set_gains(saved.gains)
        self._index, self._behind, self._passed = saved.index, saved.behind, list(saved.passed)
        self._plain = False
        self._forget()

    def _put(self, word: str, given: object, known: NDArray[np.floating], into: NDArray[np.floating]) -> None:
        """Coordinates or rates in the solver's order. Raises MechanismError."""
        into[:] = known
        if isinstance(given, Mapping):
            for name, value in given.items():
                place = self._alone.get(name)
                if place is not None and type(value) is float and -INFINITY < value < INFINITY:
                    into[place] = value
                    continue
                if name not in self.entries:
                    raise MechanismError(f"{word}: no joint {shown(name)}; {did_you_mean(str(name), self.entries)}")
                places, values = self._order[self.entries[name]], real_numbers(value)
                if values is None or values.shape != places.shape or not np.isfinite(values).all():
                    raise MechanismError(
                        f"{word} of joint '{name}': {shown(value)} must be {len(places)} finite number(s)"
                    )
                into[places] = values
        elif given is not None:
            values = real_numbers(given)
            if values is None or values.shape != self._order.shape or not np.isfinite(values).all():
                raise MechanismError(f"{word} {shown(given)}: give {len(self.names)} finite numbers, in order of names")
            into[self._order] = values

    # --- inside: inputs ----------------------------------------------------------------------------------------------
    def _time(self, index: int) -> float:
        begin, whole = self._from
        return self._step_size * (whole + index) if begin is None else begin + self._step_size * index

    def _enter(self, inputs: Mapping[str, object] | Sequence[float] | Array | None) -> None:
        """Put inputs where the step reads them, checked before anything changes."""
        if self._quick and type(inputs) is dict:
            columns = self._columns
            for name, value in inputs.items():
                if type(value) is not float or not -INFINITY < value < INFINITY or name not in columns:
                    break
            else:
                self._plain = False
                if len(inputs) < len(columns):
                    self._u[: len(self._given)] = self._given
                for name, value in inputs.items():
                    self._u[columns[name]] = value
                return
        self._enter_any(inputs)

    def _enter_any(self, inputs: object) -> None:
        own = self._own
        row, given, gains = self._standing(), {}, {}
        if isinstance(inputs, Mapping):
            given, gains = own.gains.split(checked_table("inputs", inputs, "names of inputs to numbers"))
            own.inputs.overlay(row[None], given)
        elif inputs is not None:
            values = real_numbers(inputs)
            if values is None or values.shape != row.shape:
                raise MechanismError(
                    f"inputs {shown(inputs)}: give a mapping from names to numbers, or {len(row)} numbers in the order "
                    "of input_names"
                )
            if not np.isfinite(values).all():
                bad = self.input_names[int(np.argmin(np.isfinite(values)))]
                raise MechanismError(f"input {shown(bad)} has a value that is not finite")
            row, given = values, dict.fromkeys(self.input_names)
        gain_row = own.gains.overlay(self._gains[None].copy(), gains)[0]
        self._set_gains(gain_row.tobytes())
        with np.errstate(over="ignore"):  # what float cannot hold is infinite, and the step says so
            self._u[: len(row)] = row
        if self._index == 0 and self._aimed is not None:
            own.inputs.aim_from(self._z, self._u, given.keys() - self._aimed)
        self._plain = inputs is None and not self._signals

    def _standing(self) -> Array:
        """(m,): inputs of the step from here that nobody names."""
        if not self._signals:
            return self._given.copy()
        now, then = self._own.inputs.from_signals(np.array([self.time, self._time(self._index + 1)]))
        now[self._ahead] = then[self._ahead]
        now[self._fixed] = self._given[self._fixed]
        return now

    def _set_gains(self, gains: bytes) -> None:
        if gains != self._gains_now:
            self._own.engine.parameters[self._own.gains.places] = np.frombuffer(gains)
            self._gains_now = gains

    def _fail(self, status: int, before: tuple[bytes, bytes], gains: bytes) -> NoReturn:
        """The world as it was before a step that failed, whose error is raised."""
        engine = self._own.engine
        self._knots.explain(status)
        effort = self.time, engine.iterations
        error = failure_of(self._plan, SolverStatus(status), *effort, Standing(engine).numbers, engine.would_do)
        self._zbytes[:], self._ubytes[:] = before
        self._set_gains(gains)
        self._plain = self._led = False
        raise error

    def _check_open(self) -> None:
        if self._closed:
            raise SymviError(f"the world of mechanism '{self._own.mechanism.name}' is closed; reset() makes another")

    # --- inside: reading ---------------------------------------------------------------------------------------------
    def _seen(self) -> NDArray[np.floating]:
        """The frame of the knot."""
        self._check_open()
        if self._frame is None:
            self._keep_contacts()
            self._frame = self._knots.frame()
        return self._frame

    def _measure(self) -> None:
        self._check_open()
        if not self._measured:
            self._keep_contacts()
            self._count()
            self._knots.measure()
            self._passed.clear()
            self._measured = True

    def _count(self) -> None:
        """Bring the angles that are kept to the last knot that was passed: turns show between neighbours only."""
        if len(self._passed) < 2:
            return
        z = np.frombuffer(b"".join(self._passed), self._z.dtype).reshape(len(self._passed), -1)
        turning, near = self._own.turning, self._knots.coordinates
        rows, which = self._turning_of
        values = turning._principal(z[:, self._q].astype(float), np.arange(len(turning.row)))[:, rows, which]
        values[0] = nearest(values[0], near[self._turning_at].astype(float))
        turns = values[0] + np.cumsum(nearest(np.diff(values, axis=0), 0.0), axis=0)
        near[self._turning_at] = nearest(values[-1], turns[-1])
        del self._passed[:-1]

    def _near(self) -> Iterator[tuple[str, list[float]]]:
        """Joint -> angles near to those of the knot."""
        for name, count in self._angles.items():
            yield name, self._knots.coordinates[self._order[self.entries[name]]][-count:].tolist()

    def _keep_contacts(self) -> None:
        """Read contact points while the step that has them is in the solver's memory; other readings use it too."""
        if self._led and self._plan.contacts:
            self._contact_points()
        self._led = False

    def _contact_points(self) -> NDArray[np.floating]:
        """(k, CONTACT_SIZE)"""
        if self._points is not None:
            return self._points
        if self._behind is None:
            self._points = self._points_at_start()
        elif self._led:
            self._points = self._knots.contacts()
        else:  # another reading, or a step that failed, was in between: the step that led here is taken again
            here = bytes(self._zbytes), bytes(self._ubytes)
            self._zbytes[:], self._ubytes[:] = self._behind[0], here[1]
            self._knots.step()
            self._points = self._knots.contacts()
            self._zbytes[:], self._ubytes[:] = here
        self._led = False
        return self._points

    def _points_at_start(self) -> NDArray[np.floating]:
        if self._first_points is not None:
            return self._first_points
        if not self._plan.contacts:
            return np.zeros((0, CONTACT_SIZE))
        return frames.entry(self._plan, self._seen()[None], "contact")[0]


def world_at(
    own: Simulator, start: State | Trajectory | None, inputs: Mapping[str, object] | None, step: float
) -> World:
    """A world at a start. own: a simulator with a memory that nobody else uses."""
    given = checked_table("inputs", inputs, "names of inputs to numbers")
    if not isinstance(start, State | Trajectory | None):
        raise MechanismError(f"start {shown(start)}: must be a State, a Trajectory to go on from, or None")
    step = checked_step(step, "double" if own.engine.state.dtype == np.float64 else "float")
    begin = 0.0 if start is None else float(start.time[-1]) if isinstance(start, Trajectory) else start.time
    if begin + step == begin:
        raise MechanismError(f"start at {begin:g} s: steps of {step:g} s do not show in times so large")
    for name, value in given.items():
        numbers = real_numbers(value)
        fields = [known for known in own.plan.inputs if known == name or known.startswith(f"{name}[")]
        if numbers is not None and numbers.size not in (1, len(fields)):
            raise MechanismError(f"input {shown(name)}: {shown(value)} must be {len(fields) or 1} number(s)")
    first = round(begin / step)
    whole = abs(first * step - begin) <= 1e-9 * step * max(1, abs(first))
    times = step * (first + np.arange(4)) if whole else begin + step * np.arange(4)
    driving = overlaid(own.inputs, own.gains, own.engine, times, given)
    rows, gains = driving.rows, driving.gain_rows[0]
    aimed = points = None
    if isinstance(start, Trajectory):
        own._go_on(start, step)
        if start.contact_names:
            points = start.contact_values[-1]
    else:
        own.start(start, time=begin, step=step, inputs=rows if given else None)
        aimed = own.inputs.aimed(given)
    Starter(own.engine, own.mechanism, own.inputs).hold(rows, given)
    world, drivers = World(own, step), []
    others, _ = own.gains.split(given)
    for constraint in own.plan.constraints:
        name = f"{constraint['name']}.target"
        if constraint["type"] == "driver" and not own.inputs.has_signal(name) and name not in given:
            place = own.plan.at("state", constraint["kind"], constraint["index"], "target")
            drivers.append((own.inputs.column(name), place))
    fixed = [k for k, name in enumerate(own.plan.inputs) if name in others or name.split("[")[0] in others]
    world._held = drivers
    own.engine.parameters[own.gains.places] = gains
    world._settle((None if whole else begin, first), rows[0], fixed + [column for column, _ in drivers], gains, aimed)
    if isinstance(start, Trajectory):
        world._u[: len(rows[0])] = start.inputs[-1, : len(rows[0])]
        world._plain = False
    world._begin(own.angles, points)
    return world
