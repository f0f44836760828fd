"""World: a simulation that waits at a knot for the inputs of the next step, and answers what it is asked there.

The buffers are made and checked once. A step is one call of the generated C; what is read is computed when it is asked
for, and changes nothing of the motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from symvi.errors import AssemblyError, MechanismError, SymviError
from symvi.mechanism.names import shown
from symvi.mechanism.state import State
from symvi.numbers.control import SolverOptions, SolverStatus
from symvi.simulate.arguments import Rates, checked_step, checked_table, real_numbers
from symvi.simulate.failures import failure_of
from symvi.simulate.knots import coordinate_places, knots_of
from symvi.simulate.orders import refuse
from symvi.simulate.run import overlaid
from symvi.simulate.run_checks import check_run
from symvi.simulate.seen import SeenState
from symvi.simulate.standing import Standing
from symvi.simulate.starter import Starter, put_where_it_ended
from symvi.simulate.told import Joints
from symvi.simulate.trajectory import Trajectory
from symvi.simulate.world_contacts import ContactPoint, WorldContacts
from symvi.simulate.world_coordinates import WorldCoordinates
from symvi.simulate.world_inputs import Clock, WorldInputs

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

    def __init__(self, own: Simulator, step: float, options: SolverOptions):
        """own: a simulator of this world's alone, which stands at its start."""
        plan, engine = own.plan, own.engine
        self._own, self._plan, self._options = own, plan, options
        self._knots, self._clock = knots_of(engine, options), Clock(step)
        self._z, self._u = engine.state, self._knots.inputs
        self._zbytes, self._ubytes = self._z.data.cast("B"), self._u.data.cast("B")
        self._joints = WorldCoordinates(own, self._knots)
        self._inputs = WorldInputs(own, self._knots, self._clock)
        self._contacts = WorldContacts(plan, engine, self._knots)
        self.names, self.entries, self.input_names = self._joints.names, self._joints.entries, self._inputs.names
        self._held: list[tuple[int, slice]] = []
        kind = (own.mechanism.digest, own.coordinates, engine.state.dtype.name, own.loops)
        self._of = (*kind, step, tuple(sorted(own.settings.items())))
        self._closed = False
        self._frame: NDArray[np.floating] | None = None

    # --- where it stands ---------------------------------------------------------------------------------------------
    @property
    def time(self) -> float:
        """Of the knot [s]."""
        return self._clock.time

    @property
    def state(self) -> State:
        """The knot as a State, as a controller sees it: velocities as if the inputs of the step before stayed."""
        frame, joints = self._seen(), self._joints

        def found() -> Joints | None:
            if self._closed or self._frame is not frame:
                return None
            self._measure()
            return joints.found

        return SeenState(self._own, frame, self.time, joints.angles(frame), found)

    @property
    def coordinates(self) -> Array:
        """(c,): all joint coordinates [m, rad], whole turns counted; three free rotations are a rotation vector."""
        self._measure()
        return self._knots.coordinates[self._joints.order].astype(float, copy=False)

    @property
    def rates(self) -> Array:
        """(c,): their time derivatives [m/s, rad/s], as if the inputs of the step before stayed."""
        self._measure()
        return self._knots.rates[self._joints.order].astype(float, copy=False)

    @property
    def energy(self) -> float:
        """Kinetic and potential energy [J]."""
        frame = self._seen()
        return sum(float(frame[self._plan.frame[name][0]]) for name in ("kinetic", "potential"))

    @property
    def contacts(self) -> dict[str, ContactPoint]:
        """Contact point -> its gap, forces and sliding."""
        self._check_open()
        return self._contacts.named()

    def __repr__(self) -> str:
        where = "closed" if self._closed else f"t = {self.time:g} s"
        return f"<World of {self._own.mechanism.name}, {where}, steps of {self._clock.step:g} s>"

    # --- going on ----------------------------------------------------------------------------------------------------
    def step(self, inputs: Mapping[str, object] | Sequence[float] | Array | None = None) -> None:
        """Take a step: actuators act from this knot on, targets are those of the next knot.

        inputs: name -> number, or an array of all in the order of `input_names`. What is not named has the value that
        `reset` was given, else that of its signal, as under a controller. Gains of servos may be named too.
        Raises SolverError for a step that cannot be solved, MechanismError for other inputs; the world stays as it was.
        """
        self._check_open()
        given, contacts = self._inputs, self._contacts
        before, gains = (bytes(self._zbytes), bytes(self._ubytes)), given.gains_now
        if inputs is not None or not given.plain:
            given.enter(inputs)
        status = self._knots.step()
        if status < 0:
            self._fail(status, before, gains)
        self._clock.index += 1
        self._frame, self._measured = None, False
        contacts.forget(led=True)
        contacts.behind = before
        self._joints.leave(before[0])

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
        self._joints.put("coordinates", coordinates, self._start_motion[0], wanted[0])
        self._joints.put("rates", rates, own_rates, wanted[1])
        before, start, gains = (bytes(self._zbytes), bytes(self._ubytes)), self._start, self._inputs.gains_now
        self._zbytes[:], self._ubytes[:] = start.state, start.inputs
        self._inputs.set_gains(start.gains)
        status = self._knots.place()
        if status < 0:
            self._zbytes[:], self._ubytes[:] = before
            self._inputs.set_gains(gains)
            self._contacts.led = False
            raise AssemblyError(
                f"mechanism '{self._own.mechanism.name}' cannot start at these coordinates: "
                f"{SolverStatus(status).sentence}"
            )
        self._knots.coordinates[:] = wanted[0]
        self._clock.index, self._contacts.behind, self._inputs.plain = 0, None, False
        self._joints.passed.clear()
        self._forget()
        if self._held:
            for column, place in self._held:
                self._inputs.given[column] = self._u[column] = self._z[place][0]

    def save(self) -> Saved:
        """The knot as it is, to come back to by `restore`, here or in a copy."""
        self._check_open()
        return Saved(
            self._of,
            self._clock.index,
            bytes(self._zbytes),
            bytes(self._ubytes),
            self._knots.coordinates.tobytes(),
            self._inputs.gains_now,
            self._contacts.behind,
            tuple(self._joints.passed),
            self._inputs.given.tobytes(),
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
        twin, given = World(self._own._twin(), self._clock.step, self._options), self._inputs
        twin._settle(self._clock, given.given.copy(), given.fixed, given.gains, given.aimed)
        twin._start, twin._start_motion, twin._contacts.first = self._start, self._start_motion, self._contacts.first
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
    def _settle(self, clock: Clock, given: Array, fixed: list[int], gains: Array, aimed: frozenset[str] | None) -> None:
        """What stays the same from knot to knot. clock: when the first knot is; the rest as in `WorldInputs`."""
        self._clock.begin, self._clock.whole, self._clock.index = clock.begin, clock.whole, 0
        self._inputs.settle(given, fixed, gains, aimed)
        self._contacts.behind = None
        self._joints.passed.clear()
        self._forget()

    def _begin(self, angles: Mapping[str, tuple[float, ...]], points: NDArray[np.floating] | None) -> None:
        """Keep the start. angles: of the joints there. points: contact points of the step that led there, if one did"""
        places = coordinate_places(self._plan)
        for name, values in angles.items():
            if name in places:
                self._knots.coordinates[places[name]][-len(values) :] = values
        self._contacts.first = points
        self._measure()
        self._start_motion = self._knots.coordinates.copy(), self._knots.rates.copy()
        self._start = self.save()

    def _forget(self) -> None:
        self._frame, self._measured = None, False
        self._contacts.forget()

    def _write(self, saved: Saved) -> None:
        self._zbytes[:], self._ubytes[:] = saved.state, saved.inputs
        real = self._u.dtype
        self._knots.coordinates[:] = np.frombuffer(saved.near, real)
        self._inputs.given = np.frombuffer(saved.given).copy()
        self._inputs.set_gains(saved.gains)
        self._clock.index, self._contacts.behind = saved.index, saved.behind
        self._joints.passed[:] = saved.passed
        self._inputs.plain = False
        self._forget()

    def _fail(self, status: int, before: tuple[bytes, bytes], gains: bytes) -> NoReturn:
        """The world as it was before a step that failed, whose error is raised."""
        engine = self._own.engine
        self._knots.explain(status)
        effort = self.time, engine.iterations
        error = failure_of(self._plan, SolverStatus(status), *effort, Standing(engine).numbers, engine.would_do)
        self._zbytes[:], self._ubytes[:] = before
        self._inputs.set_gains(gains)
        self._inputs.plain = self._contacts.led = False
        raise error

    def _check_open(self) -> None:
        if self._closed:
            raise SymviError(f"the world of mechanism '{self._own.mechanism.name}' is closed; reset() makes another")

    # --- inside: reading ---------------------------------------------------------------------------------------------
    def _seen(self) -> NDArray[np.floating]:
        """The frame of the knot."""
        self._check_open()
        if self._frame is None:
            self._contacts.keep()
            self._frame = self._knots.frame()
        return self._frame

    def _measure(self) -> None:
        self._check_open()
        if not self._measured:
            self._contacts.keep()
            self._joints.count()
            self._knots.measure()
            self._joints.passed.clear()
            self._measured = True


def world_at(
    own: Simulator,
    start: State | Trajectory | None,
    inputs: Mapping[str, object] | None,
    step: float,
    options: SolverOptions,
    project: bool = False,
    rates: Rates = "momentum",
) -> World:
    """A world at a start. own: a simulator with a memory that nobody else uses."""
    refuse(own, "reset", "a world's inputs change at its knots")
    check_run(1, 1, start, inputs, None, options, None, project, False, rates)
    given = checked_table("inputs", inputs, "names of inputs to numbers")
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
        put_where_it_ended(own, start, step)
        if start.contact_names:
            points = start.contact_values[-1]
    else:
        own.start(start, time=begin, step=step, project=project, rates=rates, inputs=rows if given else None)
        aimed = own.inputs.aimed(given)
    Starter(own.engine, own.mechanism, own.inputs).hold(rows, given)
    world, drivers = World(own, step, options), []
    others, _ = own.gains.split(given)
    for constraint in own.plan.constraints:
        name = f"{constraint['name']}.target"
        if constraint["type"] == "driver" and not own.inputs.has_signal(name) and name not in given:
            place = own.plan.at("state", constraint["kind"], constraint["index"], "target")
            drivers.append((own.inputs.column(name), place))
    fixed = [k for k, name in enumerate(own.plan.inputs) if name in others or name.split("[")[0] in others]
    world._held = drivers
    own.engine.parameters[own.gains.places] = gains
    clock = Clock(step, None if whole else begin, first)
    world._settle(clock, rows[0], fixed + [column for column, _ in drivers], gains, aimed)
    if isinstance(start, Trajectory):
        world._u[: len(rows[0])] = start.inputs[-1, : len(rows[0])]
        world._inputs.plain = False
    world._begin(own.angles, points)
    return world
