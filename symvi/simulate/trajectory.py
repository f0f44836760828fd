"""A trajectory: what a simulation was, knot by knot, with names and units; saved with its description inside."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError, MechanismError, MissingFileError, SymviError, told_as_files
from symvi.mechanism import Mechanism
from symvi.mechanism.files import checked_path, refuse_pipe
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.state import State
from symvi.simulate import energy_guard
from symvi.simulate.contacts import Contacts
from symvi.simulate.energy_guard import Fall, Rise
from symvi.simulate.fast_spin import FAST, FastSpin, fastest
from symvi.simulate.knot_rates import MisreadRate, misread_rate
from symvi.simulate.knot_stiffness import TooStiff, too_stiff
from symvi.simulate.saved import check_arrays, check_header, numbers_of_file

FORMAT = 6
LOOPS = ("drop-redundant", "rigid", "drop")
COORDINATES = ("maximal", "tree")
READ = (3, FORMAT)  # a simulation goes on from FORMAT alone: the state at a knot meant something else before
Array = NDArray[np.float64]
NUMBER = {"double": np.float64, "float": np.float32}


class UnknownNameError(MechanismError, KeyError):
    """A name that is not in a mapping of a trajectory."""


class ByName(dict[str, Array]):
    """Arrays by the names of elements; an unknown name is an error with the nearest one."""

    def __init__(self, what: str, arrays: Mapping[str, Array]):
        super().__init__(arrays)
        self.what = what

    def __missing__(self, name: object) -> Array:
        raise UnknownNameError(
            f"no {self.what} {shown(name)}; {did_you_mean(name if isinstance(name, str) else '', self)}"
        )


@dataclass(frozen=True, eq=False)
class Trajectory:
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
    formulation: in which coordinates it was solved for, "maximal" or "tree".
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
    format: int = FORMAT

    def __post_init__(self) -> None:
        for field, what in (
            ("kept_reactions", "reaction of a joint"),
            ("multipliers", "multipliers of a constraint"),
            ("powers", "power of a driver"),
        ):
            object.__setattr__(self, field, ByName(what, getattr(self, field)))

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
        return Contacts(self)

    @property
    def stop_forces(self) -> dict[str, Array]:
        """Limit or dry friction -> (N, rows): force or torque along its coordinates, over the step before [N, N m]."""
        columns: dict[str, list[int]] = {}
        for k, name in enumerate(self.stop_names):
            columns.setdefault(name, []).append(k)
        found = {name: self.stop_values[:, chosen] for name, chosen in columns.items()}
        return ByName("limit or dry friction", found)

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
    def _watched(self) -> energy_guard.Watch:
        return energy_guard.watch(self)

    @cached_property
    def energy_balance(self) -> Array:
        """(N,): energy less its first value, less all work [J]; in a sound motion it rises only within the order."""
        return self._watched.balance

    @cached_property
    def rise(self) -> Rise | None:
        """The first rise of energy that nothing has paid for: time, amount, element; None in a motion that is sound."""
        return self._watched.alarm

    @cached_property
    def fall(self) -> Fall | None:
        """The first lasting fall of energy that nothing has taken: time, amount; None also where something may have."""
        return self._watched.fall

    @cached_property
    def too_stiff(self) -> list[TooStiff]:
        """The forces at knots that the step was too long for, each where it first was, in the order of time."""
        return too_stiff(self)

    @cached_property
    def misread_rate(self) -> MisreadRate | None:
        """The rate at a knot that dampers hide most, where it is far from those of the steps around it; else nothing.

        Positions, and their differences, are right all the same. Nothing is known of it where not every knot was
        recorded (`every`), at the first knot and at the last one.
        """
        return misread_rate(self)

    @property
    def alarms(self) -> list[Rise | Fall | TooStiff | MisreadRate]:
        """Why the motion is not to be trusted: its rise and fall of energy, and forces that its step was too long for:
        all of them after a rise or a failure, else those that were for several recorded knots on end; and why rates at
        knots are not."""
        told = [change for change in (self.rise, self.fall) if change]
        wrong = bool(self.rise) or bool((self.status < 0).any())
        told += [one for one in self.too_stiff if wrong or one.lasting]
        return told + [rate for rate in (self.misread_rate,) if rate]

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
        from symvi.simulate.turns import angles_along

        return angles_along(self)

    def fast_spin(self) -> FastSpin | None:
        """The body that turns fastest at a recorded knot, if its h |w| is above 0.25; else nothing.

        A step turns it by asin(h |w|), (h |w|)²/6 more than `angular_velocity`, its momentum over its inertia, says.
        """
        found = fastest(self)
        return found if found.turn > FAST else None

    def state(self, index: int = -1) -> State:
        """The state at a knot, with the whole turns of its joints. Raises ArgumentError for a knot that is none."""
        if not isinstance(index, Integral) or isinstance(index, bool) or not -len(self) <= index < len(self):
            raise ArgumentError(
                f"index {shown(index)}: must be the number of a knot, from {-len(self)} to {len(self) - 1}"
            )
        return State(
            float(self.time[index]),
            self.position[index],
            self.orientation[index],
            self.velocity[index],
            self.angular_velocity[index],
            self.names,
            {name: tuple(map(float, values[index])) for name, values in self.angles.items()},
        )

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
        path = _in_a_folder(path)
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if isinstance(getattr(self, f.name), np.ndarray)}
        arrays |= {f"reaction:{name}": values for name, values in self.kept_reactions.items()}
        arrays |= {f"multiplier:{name}": values for name, values in self.multipliers.items()}
        arrays |= {f"power:{name}": values for name, values in self.powers.items()}
        arrays |= {f"angle:{name}": values for name, values in self.carried_angles.items()}
        header = {
            "format": self.format,
            "mechanism": json.loads(self.mechanism.to_json()),
            "step": self.step,
            "input_names": self.input_names,
            "contact_names": self.contact_names,
            "stop_names": self.stop_names,
            "undetermined": self.undetermined,
            "settings": dict(self.settings),
            "loops": self.loops,
            "formulation": self.formulation,
            "work_names": self.work_names,
            "loss_names": self.loss_names,
            "real": self.real,
            "slack": self.slack,
            "first_angles": dict(self.first_angles),
        }
        temporary = path.with_name(path.name + ".part")
        with told_as_files(path):
            with temporary.open("wb") as file:
                np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)
            os.replace(temporary, path)
        return path

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Read a saved trajectory. Raises SymviError if it is none, or damaged; FileError if it cannot be read."""
        path = checked_path(path)
        with told_as_files(path):
            return cls._loaded(path)

    @classmethod
    def _loaded(cls, path: Path) -> Trajectory:
        refuse_pipe(path)
        try:
            with np.load(path, allow_pickle=False) as data:
                header = json.loads(str(data["header"]))
                if header["format"] not in READ:
                    raise SymviError(
                        f"{path}: written by another version of symvi (format {header['format']}); simulate again"
                    )
                trajectory = cls._of_file(header, {name: data[name] for name in data.files if name != "header"})
            check_arrays(trajectory)
        except (OSError, SymviError) as error:
            if isinstance(error, MechanismError):
                raise SymviError(f"{path}: is no trajectory that symvi saved: {error}") from error
            raise
        except Exception as error:  # an archive that was damaged may fail in any part of its reader
            why = f": {error}" if type(error) is ValueError else ""
            raise SymviError(f"{path}: is no trajectory that symvi saved, or is damaged{why}") from error
        return trajectory

    @classmethod
    def _of_file(cls, header: Mapping[str, Any], arrays: dict[str, Array]) -> Trajectory:
        groups = {"reaction": {}, "multiplier": {}, "power": {}, "angle": {}}
        arrays = numbers_of_file(arrays)
        for name in [n for n in arrays if ":" in n]:
            kind, joint = name.split(":", 1)
            groups[kind][joint] = arrays.pop(name)
        if header["format"] < FORMAT:  # no step was split, and nothing is known of work
            count = len(arrays["time"])
            arrays.setdefault("substeps", np.minimum(np.arange(count), 1.0))
            arrays["substeps"] = arrays["substeps"].astype(np.int64)
            for name in ("scatter", "swerve", "pace", "sway", "misread"):
                arrays.setdefault(name, np.full(count, np.nan))
            arrays.setdefault("begin", np.full(energy_guard.REMEMBERED, np.nan))
            arrays.setdefault("account", np.zeros(0))
            for name, shape in (("work_values", (0,)), ("late_values", (0, 2)), ("spent_values", (0,))):
                arrays.setdefault(name, np.zeros((count, *shape)))
            header = {"work_names": [], "loss_names": [], "real": "double", "slack": (0.0, 0.0)} | header
        header = {"formulation": "maximal"} | header
        check_header(header, {"loops": LOOPS, "real": NUMBER, "formulation": COORDINATES})
        return cls(
            mechanism=Mechanism.from_json(json.dumps(header["mechanism"])),
            step=header["step"],
            kept_reactions=groups["reaction"],
            multipliers=groups["multiplier"],
            powers=groups["power"],
            input_names=tuple(header["input_names"]),
            contact_names=tuple(header["contact_names"]),
            stop_names=tuple(header["stop_names"]),
            undetermined=tuple(header["undetermined"]),
            settings={name: tuple(values) for name, values in header["settings"].items()},
            loops=header["loops"],
            formulation=header["formulation"],
            work_names=tuple((name, bool(paid)) for name, paid in header["work_names"]),
            loss_names=tuple((name, way) for name, way in header["loss_names"]),
            real=header["real"],
            slack=tuple(map(float, header["slack"])),
            first_angles={name: tuple(values) for name, values in header["first_angles"].items()},
            carried_angles=groups["angle"],
            format=header["format"],
            **arrays,
        )

    def to_csv(self, path: str | Path) -> Path:
        """Write one row per knot: time, placements and velocities, energies, closure, contacts, limits, inputs."""
        path = _in_a_folder(path)
        columns: dict[str, Array] = {"time": self.time}
        for k, name in enumerate(self.names):
            for label, values, parts in (
                ("position", self.position, "xyz"),
                ("orientation", self.orientation, "wxyz"),
                ("velocity", self.velocity, "xyz"),
                ("angular_velocity", self.angular_velocity, "xyz"),
            ):
                columns |= {f"{name}.{label}.{part}": values[:, k, i] for i, part in enumerate(parts)}
        columns |= {
            "kinetic_energy": self.kinetic_energy,
            "potential_energy": self.potential_energy,
            "energy": self.energy,
            "energy_balance": self.energy_balance,
            "closure": self.closure,
            "iterations": self.iterations,
            "substeps": self.substeps,
            "status": self.status,
        }
        for name, contact in self.contacts.items():
            columns |= {f"{name}.gap": contact.gap, f"{name}.normal_force": contact.normal_force}
            columns |= {f"{name}.friction_force.{part}": contact.friction_force[:, i] for i, part in enumerate("xyz")}
            columns |= {f"{name}.sliding.{part}": contact.sliding[:, i] for i, part in enumerate("xyz")}
        for name, forces in self.stop_forces.items():
            columns |= {f"{name}.force[{k}]": forces[:, k] for k in range(forces.shape[1])}
        columns |= {f"{name}.work": values for name, values in self.work.items()}
        columns |= {f"dissipation.{way.replace(' ', '_')}": values for way, values in self.dissipation.items()}
        columns |= {name: self.inputs[:, k] for k, name in enumerate(self.input_names)}
        temporary = path.with_name(path.name + ".part")
        with told_as_files(path):
            with temporary.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(columns)
                writer.writerows([repr(float(value)) for value in row] for row in zip(*columns.values(), strict=True))
            os.replace(temporary, path)
        return path


def _in_a_folder(path: str | Path) -> Path:
    """A path whose folder exists. Raises MissingFileError naming the path, MechanismError for what is no path."""
    path = checked_path(path)
    if not path.parent.is_dir():
        raise MissingFileError(2, "its folder does not exist", str(path))
    return path
