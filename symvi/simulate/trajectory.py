"""A trajectory: what a simulation was, knot by knot, with names and units; saved with its description inside."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.names import did_you_mean, listed, shown
from symvi.mechanism.state import State
from symvi.simulate import energy_guard
from symvi.simulate.alarms import Judged
from symvi.simulate.recording import EVERYTHING, FORMAT, PER_KNOT, Later
from symvi.simulate.shown import Shown
from symvi.simulate.turns import angles_along

if TYPE_CHECKING:
    from symvi.simulate.contact_history import Contacts
    from symvi.simulate.found_accuracy import Accuracy

Array = NDArray[np.float64]
NUMBER = {"double": np.float64, "float": np.float32}
NAMED = {
    "kept_reactions": "reaction of a joint",
    "multipliers": "multipliers of a constraint",
    "powers": "power of a driver",
}


class UnknownNameError(MechanismError, KeyError):
    """A name that is not in a mapping of a trajectory."""


class ByName(dict[str, Array]):
    """Arrays by the names of elements; an unknown name is an error with the nearest one."""

    def __init__(self, what: str, arrays: Mapping[str, Array]):
        super().__init__(arrays)
        self.what = what

    def __repr__(self) -> str:
        return f"<{self.what}: {listed(tuple(self), 'names')}>"

    def __missing__(self, name: object) -> Array:
        raise UnknownNameError(
            f"no {self.what} {shown(name)}; {did_you_mean(name if isinstance(name, str) else '', self)}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Judged, Shown):
    """N knots of a mechanism of n bodies.

    time (N,) [s]. position (N, n, 3): origins of the body frames, world [m]. orientation (N, n, 4): unit quaternions.
    velocity (N, n, 3): of the centres of mass, world [m/s]. angular_velocity (N, n, 3): body axes [rad/s]. Both are
        knot values, projected onto the joints, by all that has acted before the knot: half of the forces there, and
        half of what contacts, limits, dry friction and springs, dampers and servos do in the step from there. In
        flight and in an impact that is the mean of the two steps around the knot; a load that rests reads zero. Where
        something damps, or with contacts, limits or dry friction, the step from the last knot is solved and not
        taken, with the inputs of the knot and targets going on as they went; where it cannot be solved its impulses
        are none.
    kinetic_energy, potential_energy, energy (N,) [J]; linear_momentum, angular_momentum (N, 3) about the origin.
    closure (N,): largest residual of a constraint row, dropped ones included [m or rad].
    iterations, status (N,): of the step that led to each knot, integers.
    kept_reactions: as `reactions`, by the rows that the solver keeps.
    multipliers: constraint -> (N, rows), forces along its rows [N, N m]. Like reactions they are those of the step
        that led to each knot: to second order the forces at the knot before, to first order in the first step of a
        fresh start. They are 0 at its first knot, which no step led to.
    powers: driver -> (N,) [W], that force times the mean rate of the step: first order in the step.
    substeps (N,): equal parts that this step was taken in, 1 where it was solved whole; what is told of its forces are
        means over all of it.
    retries (N,): starts that did not get through, of the step that led to each knot; zero without contacts.
    contact_values (N, n, 14), contact_names: see `contacts`. stop_values (N, m), stop_names: see `stop_forces`.
    inputs (N, m), input_names: what drove the steps.
    undetermined: joints in redundant loops, whose reactions are not unique (those of least norm are given).
    before_position (N, n, 3), before_orientation: centres of mass and orientations where the forces acted; empty
        without such loops.
    settings: parameters that differed from the description's, by name. loops: what was done with loops.
    formulation: in which coordinates it was solved for, "maximal" or "tree". composition: that of its steps by name, ""
        of order 2. accuracy: what was asked for and found, where any was (accuracy.py); files do not tell it.
    first_angles: joint -> its one or two angles at the first knot [rad], whole turns included, where they are known.
    carried_angles: joint -> (N, r), angles that were counted in every step; NaN where only the other one of two was.
    resume: the solver's own state at the last knot, from which a simulation goes on without a seam.
    account: its sums of energies there. real: "double" or "float", what it computed in. slack: energy that
        contacts, limits and dry friction may give in a step, by the complementarity that is left, and energy of what is
        left of velocities [J].
    work_values (N, m), work_names: what laws and drivers gave from knot to knot [J], and whether it is paid for from
        outside. late_values (N, p, 2): of those, work that the following step settled, the same as far as a knot knows
        it. spent_values (N, d), loss_names: what was taken, element and way. See `work`, `dissipation`.
    scatter, swerve, pace, sway, misread (N,): what the energy guard knows by velocities [J] (kernels/account.py).
    begin: what the energy guard remembers of a motion that goes on (energy_guard.Balance).
    format: of the file that it was read from; no simulation goes on from an old one.
    recorded: what of all this it has at every recorded knot (`simulate(record=...)`, symvi/simulate/recording.py); the
        rest raises NotRecordedError. watched: where that is not everything, everything at some of its knots, and at
        the last one. struck: knot_rates.strikes, where rates were recorded without contacts.
    """

    mechanism: Mechanism
    step: float
    time: Array
    position: Array
    orientation: Array
    velocity: Array
    angular_velocity: Array
    kinetic_energy: Array
    potential_energy: Array
    linear_momentum: Array
    angular_momentum: Array
    closure: Array
    iterations: Array
    status: Array
    kept_reactions: Mapping[str, Array]
    multipliers: Mapping[str, Array]
    powers: Mapping[str, Array]
    inputs: Array
    input_names: tuple[str, ...]
    undetermined: tuple[str, ...]
    resume: Array
    before_position: Array
    before_orientation: Array
    settings: Mapping[str, tuple[float, ...]]
    retries: Array
    contact_values: Array
    contact_names: tuple[str, ...]
    stop_values: Array
    stop_names: tuple[str, ...]
    loops: str
    first_angles: Mapping[str, tuple[float, ...]]
    carried_angles: Mapping[str, Array]
    substeps: Array
    work_values: Array
    work_names: tuple[tuple[str, bool], ...]
    late_values: Array
    spent_values: Array
    loss_names: tuple[tuple[str, str], ...]
    scatter: Array
    swerve: Array
    pace: Array
    sway: Array
    misread: Array
    begin: Array
    account: Array
    real: str
    slack: tuple[float, float]
    formulation: str = "maximal"
    composition: str = ""
    accuracy: Accuracy | None = None
    format: int = FORMAT
    recorded: tuple[str, ...] = EVERYTHING
    watched: Trajectory | None = None
    struck: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        for name, group in PER_KNOT.items():
            if group not in self.recorded or getattr(self, name) is None:
                object.__delattr__(self, name)  # whoever asks for it is told, or waits for it
        later = {name: value for name, value in self.__dict__.items() if isinstance(value, Later)}
        object.__setattr__(self, "_later", later)
        for name in later:
            object.__delattr__(self, name)
        for name, what in NAMED.items():
            if name in self.__dict__:
                object.__setattr__(self, name, ByName(what, getattr(self, name)))

    @cached_property
    def reactions(self) -> Mapping[str, Array]:
        """Joint -> (N, 6): force and torque on the child at the anchor, in joint axes, over the step before [N, N m].

        To second order they are those at the knot before; 0 at the first knot of a fresh start.
        Where redundant loops leave them undetermined (`undetermined` names the joints) they are those of least norm.
        """
        if not self.undetermined:
            return self.kept_reactions
        from symvi.simulate.reactions import MinimumNormReactions

        return MinimumNormReactions(self)

    @cached_property
    def contacts(self) -> Contacts:
        """Contact point -> its gap, forces, sliding and state over the knots (a ContactHistory)."""
        from symvi.simulate.contact_history import Contacts

        return Contacts(self)

    @property
    def stop_forces(self) -> dict[str, Array]:
        """Limit or dry friction -> (N, rows): force or torque along its coordinates, over the step before [N, N m]."""
        names = np.array(self.stop_names)
        return ByName("limit or dry friction", {name: self.stop_values[:, names == name] for name in self.stop_names})

    @property
    def energy(self) -> Array:
        """Total energy at every knot [J]."""
        return self.kinetic_energy + self.potential_energy

    @cached_property
    def work(self) -> Mapping[str, Array]:
        """Driver, servo, actuator or wrench -> (N,): what it has given since the motion began [J].

        Energy of springs and potentials is part of `potential_energy`; what a servo's damping takes is part of its
        work. At the last knot it is known to first order in the step.
        """
        return ByName("work of a driver, servo, actuator or wrench", energy_guard.work_by_element(self))

    @cached_property
    def dissipation(self) -> Mapping[str, Array]:
        """Way -> (N,): energy taken since the motion began [J], by "dampers", "dry friction", "limits", by "friction"
        and "impact" of contacts, and "other": what is left of the balance, which the method's order explains."""
        return ByName("dissipation", energy_guard.dissipation_by_way(self))

    @cached_property
    def energy_balance(self) -> Array:
        """(N,): energy less its first value, less all work [J]; in a sound motion it rises only within the order."""
        return energy_guard.balance_of(self)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(body.name for body in self.mechanism.bodies)

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def angles(self) -> Mapping[str, Array]:
        """Joint -> (N, r): the angles of joints with one or two free rotations, whole turns counted [rad].

        A joint is absent where it may have turned by more between two recorded knots than their rates can tell.
        """
        return angles_along(self)

    def state(self, index: int = -1) -> State:
        """The state at a knot, with the whole turns of its joints. Raises ArgumentError for a knot that is none."""
        from symvi.simulate.knot_states import state_at

        return state_at(self, index)

    def state_hash(self) -> str:
        """SHA-256 of the solver's own state at the last knot, -0 as 0.

        Equal for all compilers and layouts in the reproducible profile.
        """
        return hashlib.sha256((self.resume.astype(NUMBER[self.real]) + 0.0).tobytes()).hexdigest()

    def body(self, name: str) -> int:
        """The column of a body. Raises MechanismError with the nearest name."""
        self.mechanism.body(name)
        return self.names.index(name)

    def coordinates(self, joint: str) -> Array:
        """(N, k): a joint's minimal coordinates [m, rad], translations first; whole turns are counted.

        Three free rotations are a rotation vector of at most half a turn. Raises MechanismError, also where recorded
        knots lie too far apart to count turns (see `angles`).
        """
        from symvi.simulate.coordinates import along

        return along(self, joint)

    def rates(self, joint: str) -> Array:
        """(N, k): a joint's minimal velocities [m/s, rad/s], derivatives of its coordinates. Raises MechanismError."""
        from symvi.simulate.coordinates import rates_along

        return rates_along(self, joint)

    def save(self, path: str | Path) -> Path:
        """Write everything to one npz file, whole or not at all."""
        from symvi.simulate import trajectory_files

        return trajectory_files.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Read a saved trajectory. Raises SymviError if it is none, or damaged; FileError if it cannot be read."""
        from symvi.simulate import trajectory_files

        return trajectory_files.load(cls, path)
