"""A solver called as firmware calls it: one entry point of the generated C at a time, on the memory of a simulator."""

import numpy as np

from symvi.numbers.control import CONTACT_SIZE, DEFAULTS, SolverOptions, SolverStatus
from symvi.simulate import Simulator


class Firmware:
    """The entry points of one compiled solver. `inputs` are those that every call is given."""

    def __init__(self, simulator: Simulator):
        self.engine, self.plan = simulator.engine, simulator.plan
        self.real = self.engine.parameters.dtype
        self.inputs = np.zeros(max(1, len(self.plan.inputs)), self.real)
        self.engine.work[:] = np.nan

    def pointers(self) -> list:
        """p, z, u, w."""
        return self.engine._memory(self.inputs)[1]

    def call(self, name: str, *arguments) -> SolverStatus:
        """An entry point that takes all memory and more; returns its status."""
        return SolverStatus(self.engine._function(name)(*self.pointers(), *arguments))

    def array(self, *shape: int) -> tuple[np.ndarray, object]:
        """Numbers that C writes, and their address."""
        values = np.full(shape, np.nan, self.real)
        return values, self.address(values)

    def address(self, values: np.ndarray):
        """The address of an array of reals, or of rows of six."""
        kind = f"{self.engine._prefix}_real" + (" (*)[6]" if values.ndim == 2 else " *")
        return self.engine._ffi.cast(kind, values.ctypes.data)

    def init(self) -> SolverStatus:
        engine = self.engine
        engine.parameters[:] = engine.state[:] = np.nan
        p, z, u, w = self.pointers()
        return SolverStatus(engine._function("init")(p, engine._options(DEFAULTS), z, u, w))

    def reset(self) -> SolverStatus:
        """The start of the description with its constants, which stay in constant memory."""
        engine = self.engine
        engine.state[:] = np.nan
        _, z, u, w = self.pointers()
        described = self.described()
        return SolverStatus(engine._function("reset")(described, engine._options(DEFAULTS), z, u, w))

    def described(self):
        """The address of the description's parameters as constants."""
        return self.engine._ffi.addressof(self.engine._function("described"))

    def start(self, knot: int) -> tuple[SolverStatus, float]:
        """Whether a motion starts here, and the largest change of a velocity."""
        change = self.engine._ffi.new(f"{self.engine._prefix}_real *")
        return self.call("start", knot, change), float(change[0])

    def step(self, options: SolverOptions = DEFAULTS) -> SolverStatus:
        p, z, u, w = self.pointers()
        self.info = self.engine._ffi.new(f"{self.engine._prefix}_info *")
        return SolverStatus(self.engine._function("step")(p, self.engine._options(options), z, u, w, self.info))

    def energy(self) -> tuple[float, float]:
        (kinetic, first), (potential, second) = self.array(1), self.array(1)
        self.engine._function("energy")(*self.pointers(), first, second)
        return kinetic[0], potential[0]

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        (linear, first), (spin, second) = self.array(3), self.array(3)
        self.engine._function("momentum")(*self.pointers(), first, second)
        return linear, spin

    def reactions(self) -> np.ndarray:
        values, address = self.array(len(self.plan.reactions), 6)
        assert self.call("reactions", address) == SolverStatus.OK
        return values

    def contacts(self) -> np.ndarray:
        values = np.full((len(self.plan.contacts), CONTACT_SIZE), np.nan, self.real)
        assert self.call("contacts", self.engine._pointer(values, "contact")) == SolverStatus.OK
        return values

    def status_of_reactions(self) -> SolverStatus:
        return self.call("reactions", self.array(len(self.plan.reactions), 6)[1])

    def status_of_contacts(self) -> SolverStatus:
        values = np.zeros((len(self.plan.contacts), CONTACT_SIZE), self.real)
        return self.call("contacts", self.engine._pointer(values, "contact"))

    def place(self, coordinates: np.ndarray, rates: np.ndarray) -> SolverStatus:
        values = [np.ascontiguousarray(given, self.real) for given in (coordinates, rates)]
        return self.call("place", *(self.address(given) for given in values))

    def coordinates(self, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found, (rates, second) = np.array(near, self.real), self.array(len(near))
        self.engine._function("coordinates")(*self.pointers(), self.address(found), second)
        return found, rates

    def by_joint(self) -> dict[str, slice]:
        """Where the coordinates of each joint lie."""
        places, first = {}, 0
        for note in self.ordered():
            places[note["joint"]] = slice(first, first + len(note["kinds"]))
            first += len(note["kinds"])
        return places

    def ordered(self) -> list[dict]:
        """What the plan knows of joints with coordinates, in the order of the arrays."""
        kinds = list(dict.fromkeys(place.split("/")[0] for place in self.plan.fields["motion"]))
        return sorted(self.plan.notes["motion"], key=lambda note: (kinds.index(note["kind"]), note["index"]))

    def update_parameters(self) -> SolverStatus:
        """What follows from changed parameters is worked out anew."""
        return SolverStatus(self.engine._function("update_parameters")(self.pointers()[0]))
