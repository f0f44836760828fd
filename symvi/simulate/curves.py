"""What can be chosen of a motion by name, to be plotted, written in a table or read: one list for all of them.

pin, pin.rate             coordinates of a joint [m, rad] and their rates; entries pin[0], pin[1] where it has several
pin.reaction              force [N] and torque [N m] on its child; also pin.reaction.force, pin.reaction.torque
motor.force, motor.target inputs, as they are named; of drivers and gears, NAME.force is what holds them
spring.force              of springs, dampers and servos, along the coordinates that they act on; spring.energy: stored
motor.power, motor.work   of drivers, servos, actuators, wrenches, springs, dampers: what they give [W], have given [J]
foot.force, foot.gap      of contact points, also .normal_force, .friction_force, .sliding; stop.force of limits
rod.position              of bodies, also .orientation, .velocity, .angular_velocity
energy, dissipation       and kinetic_energy, potential_energy, energy_balance, closure, iterations, substeps, status

A column of several stands for itself: rod.position.z, pin.reaction.force.x.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import ArgumentError
from symvi.mechanism import coordinate_kinds
from symvi.mechanism.contacts import contact_points
from symvi.mechanism.names import shown
from symvi.mechanism.values import items_of
from symvi.registry import Law, law_of
from symvi.simulate.energy_guard import ways_of, work_by_law
from symvi.simulate.recording import PER_KNOT, NotRecordedError, not_recorded

if TYPE_CHECKING:
    from symvi.mechanism import Mechanism
    from symvi.simulate.trajectory import Trajectory

__all__ = ["Column", "Curves", "by_unit"]

Array = NDArray[np.float64]
ALONG = {"coordinate": ("m", "rad"), "rate": ("m/s", "rad/s"), "force": ("N", "N m")}
TOTALS = {
    "kinetic_energy": "J", "potential_energy": "J", "energy": "J", "energy_balance": "J", "closure": "m or rad",
    "iterations": "", "substeps": "", "status": "",
}  # fmt: skip
QUANTITIES = {
    "m": "Lengths", "rad": "Angles", "m/s": "Velocities", "rad/s": "Angular velocities", "N": "Forces",
    "N m": "Torques", "W": "Powers", "J": "Energies", "m or rad": "Closure",
}  # fmt: skip
CLOSE = 6  # names that an error tells


@dataclass(frozen=True, eq=False)
class Column:
    """One curve: its name, its unit in SI, and its values (N,) at the knots."""

    name: str
    unit: str
    values: Array


@dataclass(frozen=True)
class _Curve:
    """columns: their names. units: of each. values: gives (N,) or (N, k). group: of what is recorded it is.

    also: another of these groups that it takes.
    """

    columns: tuple[str, ...]
    units: tuple[str, ...]
    values: Callable[[], Array]
    group: str = "coordinates"
    also: str = "coordinates"


def by_unit(columns: Iterable[Column]) -> dict[str, list[Column]]:
    """Title of a panel, as "Angles [rad]" -> the columns that it shows, in their order."""
    found: dict[str, list[Column]] = {}
    for column in columns:
        title = f"{QUANTITIES.get(column.unit, 'Values')} [{column.unit}]" if column.unit else "Numbers"
        found.setdefault(title, []).append(column)
    return found


class Curves(Mapping[str, Array]):
    """Name -> (N,) or (N, k): all that can be chosen of a trajectory. Computed when it is asked for.

    Reactions, and what holds drivers, gears, contacts and stops, are of the step that led to a knot: NaN at the first
    knot of a fresh start, to which none did. A power is what was given since the recorded knot before, over the time
    since then: NaN at the first knot; at the last one it is of first order in the step. Forces of springs, dampers and
    servos are those at the knots.
    """

    def __init__(self, trajectory: Trajectory):
        self._known: dict[str, _Curve] = {}
        self._trajectory = trajectory
        for name, curve in _curves(trajectory):
            self._known.setdefault(name, curve)
        self._columns = {name: (of, k) for of, curve in self._known.items() for k, name in enumerate(curve.columns)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __getitem__(self, name: str) -> Array:
        """Raises ArgumentError with the nearest names."""
        if name in self._known:
            return self._known[name].values()
        of, k = self._of(name)
        return self._known[of].values()[:, k]

    def columns(self, names: Iterable[str]) -> list[Column]:
        """The columns of some names, each once. Raises ArgumentError with the nearest names."""
        found: dict[str, Column] = {}
        given = items_of(names)
        if given is None or not all(isinstance(name, str) for name in given):
            raise ArgumentError(f"curves {shown(names)}: must be a list of names, such as ['energy']")
        for name in map(str, given):
            if name in self._known:
                curve = self._known[name]
                values = curve.values().reshape(-1, len(curve.columns))
                parts = zip(curve.columns, curve.units, values.T, strict=True)
            else:
                of, k = self._of(name)
                parts = [(name, self._known[of].units[k], self[name])]
            for column, unit, array in parts:
                found.setdefault(column, Column(column, unit, array))
        return list(found.values())

    def of_motion(self) -> list[str]:
        """The names that most readers want: all but placements of bodies, reactions, and parts of contact forces."""
        left_out = {"position", "orientation", "velocity", "angular_velocity", "reaction", "friction_force", "sliding"}
        return [name for name in self._known if left_out.isdisjoint(name.split(".")[1:])]

    def check(self, names: Iterable[str]) -> None:
        """Raises ArgumentError for a name that is none, without computing anything."""
        for name in names:
            if name not in self._known:
                self._of(name)

    def _of(self, name: str) -> tuple[str, int]:
        if name in self._columns:
            return self._columns[name]
        whole = self._trajectory.whole
        if whole is not self._trajectory and whole.curves.holds(name):
            raise NotRecordedError(
                not_recorded(name, whole.curves.missing(name, self._trajectory), self._trajectory.recorded)
            )
        raise ArgumentError(f"no curve {shown(name)}; {self._remedy(str(name))}")

    def holds(self, name: str) -> bool:
        """Whether a curve, or a column of one, has this name."""
        return name in self._known or name in self._columns

    def missing(self, name: str, part: Trajectory) -> str:
        """What was not recorded in a part of this motion, and is needed for a curve or a column."""
        curve = self._known[name if name in self._known else self._columns[name][0]]
        return curve.also if part.has(curve.group) else curve.group

    def _remedy(self, name: str) -> str:
        owner = name.partition(".")[0].partition("[")[0]
        own = [known for known in self._known if known == owner or known.startswith((f"{owner}.", f"{owner}["))]
        near = get_close_matches(name[:80], [*self._known, *self._columns], n=CLOSE, cutoff=0.5)
        if own and "." in name:
            return f"of {shown(owner)} there are {', '.join(own)}"
        if near:
            return f"near are {', '.join(dict.fromkeys(near))}"
        return f"there are {', '.join(list(self._known)[:12])}, ..."


def _curves(motion: Trajectory) -> Iterator[tuple[str, _Curve]]:
    """Those of what was recorded."""
    for name, curve in _all_curves(motion):
        if motion.has(curve.group) and motion.has(curve.also):
            yield name, curve


def _all_curves(motion: Trajectory) -> Iterator[tuple[str, _Curve]]:
    for name, unit in TOTALS.items():
        group = PER_KNOT.get(name, "energy")
        yield name, _single(name, unit, lambda name=name: np.asarray(getattr(motion, name), float), group)
    yield from _of_joints(motion)
    yield from _of_what_drives(motion)
    yield from _of_laws(motion)
    yield from _of_contacts(motion)
    yield from _of_bodies(motion)
    ways = tuple(ways_of(motion))
    columns = tuple(f"dissipation.{way.replace(' ', '_')}" for way in ways)
    values = lambda: np.stack(list(motion.dissipation.values()), axis=1)  # noqa: E731
    yield "dissipation", _Curve(columns, ("J",) * len(ways), values, "energy")


def _led(motion: Trajectory, values: Array) -> Array:
    """What a step does that leads to a knot: NaN at a first knot to which none did."""
    if motion.substeps[0] > 0:
        return values
    found = np.array(values, float)
    found[0] = np.nan
    return found


def _single(name: str, unit: str, values: Callable[[], Array], group: str) -> _Curve:
    return _Curve((name,), (unit,), values, group)


def _numbered(name: str, units: Sequence[str], values: Callable[[], Array], group: str = "coordinates") -> _Curve:
    """Columns name[0], name[1]; the name itself where there is one."""
    columns = (name,) if len(units) == 1 else tuple(f"{name}[{k}]" for k in range(len(units)))
    return _Curve(columns, tuple(units), values, group)


def _vector(name: str, unit: str, values: Callable[[], Array], group: str, parts: str = "xyz") -> _Curve:
    return _Curve(tuple(f"{name}.{part}" for part in parts), (unit,) * len(parts), values, group)


def _units(mechanism: Mechanism, joint: str, along: str) -> tuple[str, ...]:
    translation, rotation = ALONG[along]
    kinds = coordinate_kinds(mechanism.joint(joint).type)
    return tuple(translation if kind == "translation" else rotation for kind in kinds)


def _of_joints(motion: Trajectory) -> Iterator[tuple[str, _Curve]]:
    for name in (joint.name for joint in motion.mechanism.joints):
        if units := _units(motion.mechanism, name, "coordinate"):
            rates = _units(motion.mechanism, name, "rate")
            yield name, _numbered(name, units, lambda name=name: motion.coordinates(name))
            yield f"{name}.rate", _numbered(f"{name}.rate", rates, lambda name=name: motion.rates(name), "rates")
    for name in motion.whole.kept_reactions:

        def both(name: str = name) -> Array:
            return _led(motion, motion.reactions[name])

        force = _vector(f"{name}.reaction.force", "N", lambda both=both: both()[:, :3], "reactions")
        torque = _vector(f"{name}.reaction.torque", "N m", lambda both=both: both()[:, 3:], "reactions")
        yield f"{name}.reaction", _Curve(force.columns + torque.columns, force.units + torque.units, both, "reactions")
        yield f"{name}.reaction.force", force
        yield f"{name}.reaction.torque", torque


def _of_what_drives(motion: Trajectory) -> Iterator[tuple[str, _Curve]]:
    mechanism = motion.mechanism
    places: dict[str, list[int]] = {}
    for k, name in enumerate(motion.input_names):
        places.setdefault(name.partition("[")[0], []).append(k)
    for name, at in places.items():
        columns = tuple(motion.input_names[k] for k in at)
        units = input_units(mechanism, name, len(at))
        yield name, _Curve(columns, units, lambda at=at: motion.inputs[:, at], "inputs")
    held = [(driver, driver.joint, driver.coordinate) for driver in mechanism.drivers]
    for element, joint, entry in [*held, *((gear, gear.joints[0], 0) for gear in mechanism.couplings)]:
        if element.name in motion.whole.multipliers:
            unit, name = _units(mechanism, joint, "force")[entry], f"{element.name}.force"
            yield (
                name,
                _single(name, unit, lambda own=element.name: _led(motion, motion.multipliers[own][:, 0]), "reactions"),
            )
    for name in (name for name, paid in motion.work_names if paid):
        yield from _given(motion, name, lambda name=name: motion.work[name])


def _given(motion: Trajectory, name: str, values: Callable[[], Array]) -> Iterator[tuple[str, _Curve]]:
    power, work = f"{name}.power", f"{name}.work"
    yield power, _single(power, "W", lambda: _power(values(), motion.time), "energy")
    yield work, _single(work, "J", values, "energy")


def _power(work: Array, time: Array) -> Array:
    """(N,) mean power since the knot before [W]; NaN at the first one."""
    return np.concatenate([np.full(1, np.nan), np.diff(work) / np.diff(time)])


def _of_laws(motion: Trajectory) -> Iterator[tuple[str, _Curve]]:
    """Of springs, dampers and servos."""
    from symvi.simulate.law_curves import force_along, stored_energy

    known = {name for name, _ in (*motion.work_names, *motion.loss_names)}
    for force in motion.mechanism.forces:
        if (law := law_of(force)) is None:
            continue
        name, units = f"{force.name}.force", _law_units(motion.mechanism, force, law)
        curve = _numbered(
            name, units, lambda force=force: force_along(motion, force), "rates" if law.is_damped else "coordinates"
        )
        yield name, replace(curve, also="inputs") if law.is_aimed else curve
        if law.is_elastic and not law.is_aimed:
            energy = f"{force.name}.energy"
            yield energy, _single(energy, "J", lambda force=force: stored_energy(motion, force), "coordinates")
        if force.name in known and not law.is_aimed:
            yield from _given(motion, force.name, lambda name=force.name: work_by_law(motion)[name])


def _law_units(mechanism: Mechanism, force: Any, law: Law) -> tuple[str, ...]:
    """Of the coordinates that a law acts on; of a sinusoidal spring, of the one that turns."""
    if law.is_between_points:
        return ("N",)
    units = _units(mechanism, force.joint, "force")
    return ("N m",) if law.is_sinusoidal else units


def input_units(mechanism: Mechanism, name: str, count: int) -> tuple[str, ...]:
    """Of the entries of an input element.field: a force's or a target's along a joint, or in space."""
    owner, _, field = name.partition(".")
    along = {"force": "force", "target": "coordinate", "target_rate": "rate"}.get(field)
    element = next((one for one in (*mechanism.drivers, *mechanism.forces) if one.name == owner), None)
    joint = getattr(element, "joint", None)
    if along and isinstance(joint, str):
        units = _units(mechanism, joint, along)
        return units if len(units) == count else units[getattr(element, "coordinate", 0) :][:1] * count
    return ({"force": "N", "torque": "N m"}.get(field, ""),) * count


def _of_contacts(motion: Trajectory) -> Iterator[tuple[str, _Curve]]:
    parts: dict[str, list[str]] = {}
    for point in contact_points(motion.mechanism):
        if point.name not in motion.contact_names:
            continue
        name = point.name
        history = cache(lambda name=name: motion.contacts[name])
        yield f"{name}.gap", _single(f"{name}.gap", "m", lambda history=history: history().gap, "contacts")
        yield (
            f"{name}.normal_force",
            _single(
                f"{name}.normal_force", "N", lambda history=history: _led(motion, history().normal_force), "contacts"
            ),
        )
        for field, unit in (("force", "N"), ("friction_force", "N"), ("sliding", "m/s")):
            values = lambda history=history, field=field: _led(motion, getattr(history(), field))  # noqa: E731
            yield f"{name}.{field}", _vector(f"{name}.{field}", unit, values, "contacts")
        if name != point.contact.name:
            parts.setdefault(point.contact.name, []).append(name)
    for whole, points in parts.items():  # of a shape with several points, their sum
        forces = lambda points=points: np.sum([motion.contacts[name].force for name in points], axis=0)  # noqa: E731
        values = lambda forces=forces: _led(motion, forces())  # noqa: E731
        yield f"{whole}.force", _vector(f"{whole}.force", "N", values, "contacts")
    for name, count in Counter(motion.stop_names).items():
        columns = tuple(f"{name}.force[{k}]" for k in range(count))
        units = _stop_units(motion.mechanism, name, count)
        yield (
            f"{name}.force",
            _Curve(columns, units, lambda name=name: _led(motion, motion.stop_forces[name]), "contacts"),
        )


def _stop_units(mechanism: Mechanism, name: str, count: int) -> tuple[str, ...]:
    """Of a limit, both of whose stops are along one coordinate; of dry friction, along each of the joint's."""
    limit = next((limit for limit in mechanism.limits if limit.name == name), None)
    if limit is not None:
        return (_units(mechanism, limit.joint, "force")[limit.coordinate],) * count
    joint = getattr(mechanism.force(name), "joint", "")
    return _units(mechanism, joint, "force") if joint else ("",) * count


def _of_bodies(motion: Trajectory) -> Iterator[tuple[str, _Curve]]:
    for k, name in enumerate(motion.names):
        for field, unit, parts in (
            ("position", "m", "xyz"), ("orientation", "", "wxyz"), ("velocity", "m/s", "xyz"),
            ("angular_velocity", "rad/s", "xyz"),
        ):  # fmt: skip
            values = lambda k=k, field=field: getattr(motion, field)[:, k]  # noqa: E731
            yield f"{name}.{field}", _vector(f"{name}.{field}", unit, values, PER_KNOT[field], parts)
