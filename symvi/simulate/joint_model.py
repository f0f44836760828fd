"""What a model is asked in joint coordinates: mass matrix, inverse and forward dynamics, Jacobians, by generated C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, NoReturn

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
from symvi.simulate.model_library import PREFIX, loaded, numbers_of
from symvi.simulate.model_ties import queries_of
from symvi.simulate.run_parameters import Settings

Array = NDArray[np.float64]
Given = Mapping[str, object] | Sequence[float] | Array
OPEN = -2
LENGTH = 1e-6  # how far the length of a quaternion may be from one


class Frames(NamedTuple):
    """Where the frames of all bodies are: (n, 3) origins in the world [m], (n, 3, 3) rotations, body to world."""

    position: Array
    rotation: Array


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
        self._queries, self._library, numbers = _built(mechanism, self._settings, profile, loops)
        queries = self._queries
        self.names, self.rate_names, self.bodies = queries.names, queries.rate_names, queries.bodies
        self.size = len(self.names), len(self.rate_names)
        self.entries = {held.name: held.coordinates for held in queries.held if held.size}
        tied = queries.tied
        self._free = list(tied.ties.independent if tied else range(self.size[1]))
        self.rate_entries = dict(self._free_rates())
        self._body_index = {name: k for k, name in enumerate(self.bodies)}
        self._quaternions = [(held.name, held.quaternion) for held in queries.held if held.quaternion is not None]
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
        ffi, lib = self._library.ffi, self._library.lib
        nq, nv = self.size
        n = len(self.bodies)
        self._numbers, self._work = numbers, ffi.new(f"{PREFIX}_model_work *")
        self._parameters = ffi.cast(f"{PREFIX}_model_parameters *", numbers.ctypes.data)
        self._q, self._v, self._a, self._f = np.zeros(nq), np.zeros(nv), np.zeros(nv), np.zeros(nv)
        self._point = np.zeros(3)
        self._zeros = {nq: np.zeros(nq), nv: np.zeros(nv), 3: np.zeros(3)}

        def at(array: Array):
            return ffi.cast(f"{PREFIX}_model_real *", array.ctypes.data)

        self._at = {name: at(getattr(self, f"_{name}")) for name in ("q", "v", "a", "f", "point")}
        shapes = {
            "matrix": (nv, nv), "vector": (nv,), "jacobian": (6, nv), "momentum": (6,), "center": (3,),
            "shift": (3, nv), "places": (n, 3), "rotations": (n, 3, 3),
        }  # fmt: skip
        self._out = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._to = {name: at(array) for name, array in self._out.items()}
        self._calls = {
            name: getattr(lib, f"{PREFIX}_{name}")
            for name in (
                "frames", "mass_matrix", "bias", "inverse_dynamics", "forward_dynamics", "jacobian", "momentum",
                "center_of_mass", "center_of_mass_jacobian",
            )
        }  # fmt: skip

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
        self._take_q(q)
        self._ask("frames", self._parameters, self._at["q"], self._work, self._to["places"], self._to["rotations"])
        return Frames(self._out["places"].copy(), self._out["rotations"].copy())

    def mass_matrix(self, q: Given) -> Array:
        """M(q), symmetric: q'·M q'/2 is the kinetic energy [kg, kg m, kg m²]."""
        self._take_q(q)
        self._ask("mass_matrix", self._parameters, self._at["q"], self._work, self._to["matrix"])
        return self._out["matrix"].copy()

    def bias(self, q: Given, rates: Given) -> Array:
        """C(q, q') q' + g(q) [N, N m]: what along the coordinates keeps q'' zero, against gravity and inertia.

        Springs, dampers, actuators, contacts and other forces of the description are no part of it.
        """
        self._take_q(q)
        self._take("rates", rates, self._v)
        self._ask("bias", self._parameters, self._at["q"], self._at["v"], self._work, self._to["vector"])
        return self._out["vector"].copy()

    def inverse_dynamics(self, q: Given, rates: Given, accelerations: Given) -> Array:
        """M(q) q'' + bias(q, q') [N, N m]: what along the coordinates gives the rates these derivatives in time."""
        self._take_q(q)
        self._take("rates", rates, self._v)
        self._take("accelerations", accelerations, self._a)
        at = self._at
        self._ask("inverse_dynamics", self._parameters, at["q"], at["v"], at["a"], self._work, self._to["vector"])
        return self._out["vector"].copy()

    def forward_dynamics(self, q: Given, rates: Given, forces: Given) -> Array:
        """q'' = M(q)^-1 (forces - bias(q, q')) [m/s², rad/s²]; forces along the coordinates [N, N m].

        Raises MechanismError where a joint carries nothing that has mass.
        """
        self._take_q(q)
        self._take("rates", rates, self._v)
        self._take("forces", forces, self._f)
        at = self._at
        self._ask("forward_dynamics", self._parameters, at["q"], at["v"], at["f"], self._work, self._to["vector"])
        return self._out["vector"].copy()

    def jacobian(self, body: str, q: Given, point: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Array:
        """(6, rates): J q' is the velocity of a point of a body, then the body's angular velocity, in world axes.

        point: (3,), in the body's frame [m].
        """
        index = self._body_index.get(body) if isinstance(body, str) else None
        if index is None:
            raise MechanismError(f"jacobian: no body {shown(body)}; {did_you_mean(str(body), self.bodies)}")
        self._take_q(q)
        self._fill("point", point, self._point)
        at = self._at
        self._ask("jacobian", self._parameters, index, at["point"], at["q"], self._work, self._to["jacobian"])
        return self._out["jacobian"].copy()

    def momentum(self, q: Given, rates: Given) -> Array:
        """(6,): momentum of all bodies [kg m/s], and its moment about their centre of mass [kg m²/s], world axes."""
        self._take_q(q)
        self._take("rates", rates, self._v)
        self._ask("momentum", self._parameters, self._at["q"], self._at["v"], self._work, self._to["momentum"])
        return self._out["momentum"].copy()

    def centre_of_mass(self, q: Given) -> Array:
        """(3,): of all bodies, in the world [m]."""
        self._take_q(q)
        self._ask("center_of_mass", self._parameters, self._at["q"], self._work, self._to["center"])
        return self._out["center"].copy()

    def centre_of_mass_jacobian(self, q: Given) -> Array:
        """(3, rates): J q' is the velocity of the centre of mass, in world axes."""
        self._take_q(q)
        self._ask("center_of_mass_jacobian", self._parameters, self._at["q"], self._work, self._to["shift"])
        return self._out["shift"].copy()

    def _ask(self, name: str, *arguments: object) -> None:
        """Call the C, and say what is wrong with what it was given."""
        status = self._calls[name](*arguments)
        if status == OPEN:
            raise MechanismError(f"{name}: these coordinates leave loops of mechanism '{self.mechanism.name}' open")
        if status:
            self._massless()

    # --- coordinates --------------------------------------------------------------------------------------------------
    def coordinates(self, state: State) -> tuple[Array, Array]:
        """(q, q') of a state: of `world.state`, or of a knot of a trajectory."""
        given = checked_state(state), dict(self._settings)
        q, rates = coordinates_at(self.mechanism, self._queries.held, *given)
        return q, rates[self._free]

    # --- what is given ------------------------------------------------------------------------------------------------
    def _take_q(self, given: Given) -> None:
        self._take("coordinates", given, self._q)
        for name, k in self._quaternions:
            own = self._q[k : k + 4]
            if not abs(own.dot(own) - 1.0) <= LENGTH:
                raise MechanismError(f"coordinates: the quaternion of '{name}' has not the length one")

    def _take(self, what: str, given: Given, into: Array) -> None:
        """Into a buffer that the C reads. A finite array of the right shape is only copied."""
        if type(given) is np.ndarray and given.shape == into.shape and given.dtype == np.float64:
            into[:] = given
            if into.dot(self._zeros[len(into)]) == 0.0:  # not so with NaN, or infinity
                return
            self._not_finite(what, into)
        if isinstance(given, Mapping):
            self._take_named(what, given, into)
        else:
            self._fill(what, given, into)

    def _fill(self, what: str, given: object, into: Array) -> None:
        numbers = real_numbers(given)
        if numbers is None or numbers.shape != into.shape:
            found = "are no numbers" if numbers is None else f"have the shape {numbers.shape}"
            raise MechanismError(f"{what}: {shown(given)} {found}; ({len(into)},) are needed")
        into[:] = numbers
        if not np.isfinite(into).all():
            self._not_finite(what, into)

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
        if not np.isfinite(into).all():
            self._not_finite(what, into)

    def _described(self) -> Array:
        """The coordinates of the description's start."""
        if self._start is None:
            self._start = self.coordinates(start_state(self.mechanism))[0]
        return self._start

    def _not_finite(self, what: str, values: Array) -> NoReturn:
        k = int(np.argmin(np.isfinite(values)))
        names = {"coordinates": self.names, "point": ("x", "y", "z")}.get(what, self.rate_names)
        raise MechanismError(f"{what}: '{names[k]}' is {values[k]}, and must be finite")

    def _massless(self) -> NoReturn:
        k = int(np.argmin(np.isfinite(self._out["vector"])))
        raise MechanismError(f"forward dynamics: nothing that '{self.rate_names[k]}' moves has mass")


@lru_cache(maxsize=32)
def _built(
    mechanism: Mechanism, settings: tuple[tuple[str, tuple[float, ...]], ...], profile: Profile, loops: str
) -> tuple[Queries, Library, Array]:
    """The program of a mechanism, its library, and its numbers in the order of the library's parameters."""
    queries = queries_of(mechanism, dict(settings), loops)
    return queries, loaded(queries, profile), numbers_of(queries)
