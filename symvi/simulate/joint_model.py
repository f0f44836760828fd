"""What a model is asked in joint coordinates: mass matrix, inverse and forward dynamics, Jacobians, by generated C."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism, State, start_state
from symvi.mechanism.names import did_you_mean, shown
from symvi.native.flags import Profile
from symvi.native.library import Library
from symvi.program.queries import Queries
from symvi.simulate.arguments import checked_state, real_numbers
from symvi.simulate.model_coordinates import coordinates_at
from symvi.simulate.model_library import PREFIX, QUESTIONS, loaded, numbers_of
from symvi.simulate.model_ties import queries_of
from symvi.simulate.run_parameters import Settings
from symvi.simulate.solver_build import registered

Array = NDArray[np.float64]
Given = Mapping[str, object] | Sequence[float] | Array
ARRAY, DOUBLE = np.ndarray, np.dtype(np.float64)
OPEN, UNDECIDED = -2, -5
LENGTH = 4e-7  # how far the length of a quaternion may be from one: its square by 1e-6


class Frames:
    """Where the frames of all bodies are. poses: (n, 3, 4), rotation and origin [m] of each, body to world."""

    __slots__ = ("poses",)

    def __init__(self, poses: Array):
        self.poses = poses

    @property
    def position(self) -> Array:
        """(n, 3): the origins in the world [m]."""
        return self.poses[:, :, 3]

    @property
    def rotation(self) -> Array:
        """(n, 3, 3): the rotations, body to world."""
        return self.poses[:, :, :3]


class JointModel:
    """A mechanism as a function of its joint coordinates q and their rates q'.

    Coordinates are those of the description's joints, in its order: slides [m], then angles [rad]. Three free turns
    have a unit quaternion (w, x, y, z) for a coordinate, and for rates the angular velocity of the child against the
    parent [rad/s] in the axes of the child's joint frame. Six freedoms, of a floating joint or of a body that no joint
    leads to, are the child's anchor [m] along the axes of the parent's joint frame, and the quaternion; their rates
    are the velocity of that anchor [m/s] and the angular velocity, both in the axes of the child's joint frame. Bodies
    that no joint leads to come first, under their own names. Drivers hold nothing here.

    Gears and loops leave some of the rates free, which decide the others: rates, forces, rows and columns are of these
    alone, q' = N r, M = Nᵀ M N, tau = Nᵀ tau. Those that motors, drivers and the second joints of gears move stay free
    where they can. Coordinates are those of all joints of a tree, and must close the loops. At a singular position
    answers are those of the rows that are kept.

    names, rate_names: of the entries of q and of q'. entries, rate_entries: joint -> its slice of them. bodies: names.
    size: how many coordinates, how many rates.

    Wherever q, rates or forces are asked for, an array in that order does, or a mapping from joints to numbers: joints
    that are not named are as the description starts, at rest, free of force. Answers are arrays that the caller may
    keep. One thread uses a model; others use copies.
    """

    def __init__(
        self, mechanism: Mechanism, settings: Settings, profile: Profile = "reproducible", loops: str = "drop-redundant"
    ):
        """Raises MechanismError where no rate is free, AssemblyError for loops that cannot close."""
        self.mechanism, self._settings = mechanism, tuple(sorted(settings.items()))
        self._profile: Profile = profile
        self._loops = loops
        self._queries, self._library, numbers = _built(mechanism, self._settings, profile, loops, registered(mechanism))
        queries = self._queries
        self.names, self.rate_names, self.bodies = queries.names, queries.rate_names, queries.bodies
        self.size = len(self.names), len(self.rate_names)
        self.entries = {held.name: held.coordinates for held in queries.held if held.size}
        tied = queries.tied
        self._free = list(tied.ties.independent if tied else range(self.size[1]))
        self.rate_entries = dict(self._free_rates())
        self._start: Array | None = None
        self._make_memory(numbers)

    def _free_rates(self) -> Iterator[tuple[str, slice]]:
        """Joints with the places of their rates; of joints whose rates all are free."""
        for held in self._queries.held:
            own = range(held.rates.start, held.rates.stop)
            if own and set(own) <= set(self._free):
                first = self._free.index(held.rates.start)
                yield held.name, slice(first, first + len(own))

    def _make_memory(self, numbers: Array) -> None:
        """Buffers, and calls of the C on them by question, which take no argument."""
        ffi, lib = self._library.ffi, self._library.lib
        (nq, nv), n = self.size, len(self.bodies)
        shapes = {
            "q": nq, "v": nv, "a": nv, "f": nv, "point": 3, "matrix": (nv, nv), "vector": nv, "lead": (6, nv),
            "momentum": 6, "center": 3, "shift": (3, nv), "poses": (n, 3, 4),
        }  # fmt: skip
        self._buffers = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._given = {name: (self._buffers[name], self._buffers[name].shape) for name in ("q", "v", "a", "f", "point")}
        self._kept = numbers, ffi.new(f"{PREFIX}_model_work *")

        def asked(body: int) -> object:
            """All that a question reads and writes."""
            found = ffi.new(f"{PREFIX}_asked *")
            found.p, found.w = ffi.cast(f"{PREFIX}_model_parameters *", numbers.ctypes.data), self._kept[1]
            found.body = body
            for name, array in self._buffers.items():
                setattr(found, name, ffi.cast(f"{PREFIX}_model_real *", array.ctypes.data))
            return found

        call = {name: getattr(lib, f"{PREFIX}_ask_{name}") for name in QUESTIONS}
        self._calls: dict[str, Callable[[], int]] = {name: partial(call[name], asked(0)) for name in QUESTIONS}
        self._leads: dict[str, Callable[[], int]] = {
            body: partial(call["jacobian"], asked(k)) for k, body in enumerate(self.bodies)
        }

    def copy(self) -> JointModel:
        """The same model in a memory of its own, for another thread."""
        return JointModel(self.mechanism, dict(self._settings), self._profile, self._loops)

    def has(self, settings: Settings) -> bool:
        """Whether it was made with these parameters."""
        return self._settings == tuple(sorted(settings.items()))

    def __repr__(self) -> str:
        return f"<JointModel of {self.mechanism.name}: {self.size[0]} coordinates, {self.size[1]} rates>"

    # --- answers ------------------------------------------------------------------------------------------------------
    def frames(self, q: Given) -> Frames:
        """Where the frames of all bodies are, in the order of `bodies`."""
        self._take("coordinates", q, "q")
        if status := self._calls["frames"]():
            self._refuse("frames", status)
        return Frames(self._buffers["poses"].copy())

    def mass_matrix(self, q: Given) -> Array:
        """M(q), symmetric: q'·M q'/2 is the kinetic energy [kg, kg m, kg m²]."""
        self._take("coordinates", q, "q")
        if status := self._calls["mass_matrix"]():
            self._refuse("mass_matrix", status)
        return self._buffers["matrix"].copy()

    def bias(self, q: Given, rates: Given) -> Array:
        """C(q, q') q' + g(q) [N, N m]: what along the coordinates keeps q'' zero, against gravity and inertia.

        Springs, dampers, actuators, contacts and other forces of the description are no part of it.
        """
        self._take("coordinates", q, "q")
        self._take("rates", rates, "v")
        if status := self._calls["bias"]():
            self._refuse("bias", status)
        return self._buffers["vector"].copy()

    def inverse_dynamics(self, q: Given, rates: Given, accelerations: Given) -> Array:
        """M(q) q'' + bias(q, q') [N, N m]: what along the coordinates gives the rates these derivatives in time."""
        self._take("coordinates", q, "q")
        self._take("rates", rates, "v")
        self._take("accelerations", accelerations, "a")
        if status := self._calls["inverse_dynamics"]():
            self._refuse("inverse_dynamics", status)
        return self._buffers["vector"].copy()

    def forward_dynamics(self, q: Given, rates: Given, forces: Given) -> Array:
        """q'' = M(q)^-1 (forces - bias(q, q')) [m/s², rad/s²]; forces along the coordinates [N, N m].

        Raises MechanismError where a joint carries nothing that has mass.
        """
        self._take("coordinates", q, "q")
        self._take("rates", rates, "v")
        self._take("forces", forces, "f")
        if status := self._calls["forward_dynamics"]():
            self._refuse("forward_dynamics", status)
        return self._buffers["vector"].copy()

    def jacobian(self, body: str, q: Given, point: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Array:
        """(6, rates): J q' is the velocity of a point of a body, then the body's angular velocity, in world axes.

        point: (3,), in the body's frame [m].
        """
        try:
            lead = self._leads[body]
        except (KeyError, TypeError):
            raise MechanismError(f"jacobian: no body {shown(body)}; {did_you_mean(str(body), self.bodies)}") from None
        self._take("coordinates", q, "q")
        self._take("point", point, "point")
        if status := lead():
            self._refuse("jacobian", status)
        return self._buffers["lead"].copy()

    def momentum(self, q: Given, rates: Given) -> Array:
        """(6,): momentum of all bodies [kg m/s], and its moment about their centre of mass [kg m²/s], world axes."""
        self._take("coordinates", q, "q")
        self._take("rates", rates, "v")
        if status := self._calls["total_momentum"]():
            self._refuse("total_momentum", status)
        return self._buffers["momentum"].copy()

    def centre_of_mass(self, q: Given) -> Array:
        """(3,): of all bodies, in the world [m]."""
        self._take("coordinates", q, "q")
        if status := self._calls["center_of_mass"]():
            self._refuse("center_of_mass", status)
        return self._buffers["center"].copy()

    def centre_of_mass_jacobian(self, q: Given) -> Array:
        """(3, rates): J q' is the velocity of the centre of mass, in world axes."""
        self._take("coordinates", q, "q")
        if status := self._calls["center_of_mass_jacobian"]():
            self._refuse("center_of_mass_jacobian", status)
        return self._buffers["shift"].copy()

    # --- coordinates --------------------------------------------------------------------------------------------------
    def coordinates(self, state: State) -> tuple[Array, Array]:
        """(q, q') of a state: of `world.state`, or of a knot of a trajectory."""
        given = checked_state(state), dict(self._settings)
        q, rates = coordinates_at(self.mechanism, self._queries.held, *given)
        return q, rates[self._free]

    # --- what is given ------------------------------------------------------------------------------------------------
    def _take(self, what: str, given: Given, name: str) -> None:
        """Into a buffer that the C reads. An array of doubles of the right shape is only copied."""
        into, shape = self._given[name]
        if type(given) is ARRAY and given.dtype is DOUBLE and given.shape == shape:
            into[...] = given
        elif isinstance(given, Mapping):
            self._take_named(what, given, into)
        else:
            numbers = real_numbers(given)
            if numbers is None or numbers.shape != into.shape:
                found = "are no numbers" if numbers is None else f"have the shape {numbers.shape}"
                raise MechanismError(f"{what}: {shown(given)} {found}; ({len(into)},) are needed")
            into[...] = numbers

    def _refuse(self, question: str, status: int) -> NoReturn:
        """Say what is wrong with what the C was given."""
        for name in QUESTIONS[question][0]:
            values, (what, names) = self._buffers[name], self._words(name)
            if not np.isfinite(values).all():
                k = int(np.argmin(np.isfinite(values)))
                raise MechanismError(f"{what}: '{names[k]}' is {values[k]}, and must be finite")
        if status == OPEN:
            raise MechanismError(f"{question}: these coordinates leave loops of mechanism '{self.mechanism.name}' open")
        if status == UNDECIDED:
            raise MechanismError(
                f"{question}: at these coordinates loops of mechanism '{self.mechanism.name}' are singular, and "
                f"{', '.join(self.rate_names)} do not decide the other rates"
            )
        for held in self._queries.held:
            k = held.quaternion
            if k is not None and abs(np.linalg.norm(self._buffers["q"][k : k + 4]) - 1.0) > LENGTH:
                raise MechanismError(f"coordinates: the quaternion of '{held.name}' has not the length one")
        k = int(np.argmin(np.isfinite(self._buffers["vector"])))
        raise MechanismError(f"{question}: nothing that '{self.rate_names[k]}' moves has mass")

    def _words(self, name: str) -> tuple[str, tuple[str, ...]]:
        """What a buffer holds, and the names of its entries."""
        told = {"q": ("coordinates", self.names), "point": ("point", ("x", "y", "z"))}
        return told.get(name, ({"v": "rates", "a": "accelerations", "f": "forces"}.get(name, name), self.rate_names))

    def _take_named(self, what: str, given: Mapping, into: Array) -> None:
        places = self.entries if what == "coordinates" else self.rate_entries
        into[:] = self._described() if what == "coordinates" else 0.0
        for name, values in given.items():
            if name not in places:
                raise MechanismError(f"{what}: no joint {shown(name)}; {did_you_mean(str(name), list(places))}")
            own = into[places[name]]
            numbers = real_numbers(values)
            if numbers is None or numbers.shape != own.shape:
                raise MechanismError(f"{what} of '{name}': {shown(values)} must be {len(own)} numbers")
            own[:] = numbers

    def _described(self) -> Array:
        """The coordinates of the description's start."""
        if self._start is None:
            self._start = self.coordinates(start_state(self.mechanism))[0]
        return self._start


@lru_cache(maxsize=32)
def _built(
    mechanism: Mechanism,
    settings: tuple[tuple[str, tuple[float, ...]], ...],
    profile: Profile,
    loops: str,
    registrations: tuple[int, ...],
) -> tuple[Queries, Library, Array]:
    """The program of a mechanism, its library, and its numbers in the order of the library's parameters."""
    queries = queries_of(mechanism, dict(settings), loops)
    return queries, loaded(queries, profile), numbers_of(queries)
