"""Between the solver's numbers (centres of mass, world axes) and the user's (body frames, body axes)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, TypedDict

import numpy as np

from symvi.mechanism import Mechanism, free_rotations, free_translations
from symvi.mechanism.state import State
from symvi.numbers.control import CONTACT_SIZE
from symvi.simulate.energy_guard import Balance, watch
from symvi.simulate.plan import Plan
from symvi.simulate.recording import EVERYTHING, PER_KNOT, Later
from symvi.simulate.solver_state import carried, centers, rotated
from symvi.simulate.trajectory import Trajectory
from symvi.simulate.turns import Angles, Turning, rotation_matrices

BLOCK = 500  # knots
COUNTED = ("iterations", "status", "substeps", "retries")
EMPTY = {"reaction": (6,), "contact": (CONTACT_SIZE,)}  # of what there may be none of, the shape of one


def entry(plan: Plan, recorded: np.ndarray, name: str) -> np.ndarray:
    """One quantity of (N, frame) recorded frames."""
    offset, shape = plan.frame[name]
    size = int(np.prod(shape)) if shape else 1
    return recorded[:, offset : offset + size].reshape(len(recorded), *shape).astype(float, copy=False)


def counts(plan: Plan, recorded: np.ndarray, name: str) -> np.ndarray:
    """The same of what is counted, as integers; none where the program counts nothing of that name."""
    found = np.zeros(len(recorded), np.int64)
    if name in plan.frame:
        found[:] = entry(plan, recorded, name)
    return found


class Placements(TypedDict):
    """What moves, of all bodies in N frames, by the names that states and trajectories have."""

    position: np.ndarray
    orientation: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


def placements(mechanism: Mechanism, plan: Plan, recorded: np.ndarray) -> Placements:
    """Position, orientation, velocity, angular_velocity as users see them."""
    q = entry(plan, recorded, "q")
    rotation = rotation_matrices(q)
    return {
        "position": entry(plan, recorded, "x") - rotated(rotation, centers(mechanism)),
        "orientation": q,
        "velocity": entry(plan, recorded, "v"),
        "angular_velocity": rotated(np.swapaxes(rotation, -1, -2), entry(plan, recorded, "w")),
    }


def state(mechanism: Mechanism, plan: Plan, frame: np.ndarray, time: float, angles: Angles) -> State:
    """The state in one frame, with the angles that its joints have there."""
    values = placements(mechanism, plan, frame[None])
    return State(
        time=float(time),
        position=values["position"][0],
        orientation=values["orientation"][0],
        velocity=values["velocity"][0],
        angular_velocity=values["angular_velocity"][0],
        names=plan.bodies,
        angles=angles,
    )


def state_near(
    mechanism: Mechanism, plan: Plan, frame: np.ndarray, time: float, turning: Turning, near: Angles
) -> State:
    """The state in one frame, its joints' angles on the branches nearest to others."""
    return state(mechanism, plan, frame, time, turning.at(entry(plan, frame[None], "q")[0], near))


def carried_angles(
    mechanism: Mechanism, plan: Plan, recorded: np.ndarray, counted: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Joint -> (N, r) angles that the solver carries, or that were counted beside it; NaN where only one of two is."""
    found: dict[str, np.ndarray] = {}
    values = entry(plan, recorded, "angle") if plan.carried else np.zeros((len(recorded), 0))
    for k, angle in enumerate(plan.carried):
        joint = mechanism.joint(angle["joint"])
        columns = found.setdefault(joint.name, np.full((len(recorded), free_rotations(joint)), np.nan))
        columns[:, angle["coordinate"] - free_translations(joint)] = values[:, k]
    return found | {name: values for name, values in counted.items() if np.isnan(found.get(name, np.nan)).any()}


def observe_again(plan: Plan, frame: np.ndarray, fresh: np.ndarray) -> None:
    """Velocities at a knot, and what follows from them, once the step from there is known, and the inputs of it."""
    places = places_again(plan)
    frame[places] = fresh[places]


def places_again(plan: Plan) -> np.ndarray:
    """Where a frame has them."""
    found = []
    for name in ("v", "w", "kinetic", "momentum", "angular_momentum", "scatter", "swerve", "misread"):
        offset, shape = plan.frame[name]
        found.append(np.arange(offset, offset + int(np.prod(shape))))
    return np.concatenate(found)


def gathered(plan: Plan, recorded: np.ndarray, count: int) -> np.ndarray:
    """The first frame and every count-th after it, with the sums of those that it takes the place of."""
    return thinned(plan, recorded, np.arange(0, len(recorded), count))


def thinned(plan: Plan, recorded: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Some frames, the first one and later ones, with the sums of those that they take the place of."""
    kept, first = recorded[at], at[:-1] + 1
    if not len(first):
        return kept

    def place(name: str) -> slice:
        offset, shape = plan.frame[name]
        return slice(offset, offset + int(np.prod(shape)))

    until = recorded[: at[-1] + 1]
    for name in {"work", "spent"} & plan.frame.keys():
        kept[1:, place(name)] = np.add.reduceat(until[:, place(name)], first, axis=0)
    if "late" in plan.frame:  # settled is what the step after the frame before has settled
        kept[1:, place("late")][:, ::2] = recorded[first, place("late")][:, ::2]
    for name in ("pace", "sway"):
        kept[1:, place(name)] = np.maximum.reduceat(until[:, place(name)], first, axis=0)
    return kept


def carry_over(plan: Plan, frame: np.ndarray, start: Trajectory) -> None:
    """Forces, effort and status at a knot that a trajectory ended at: they belong to the step that led there."""
    last = {
        "rows": [start.multipliers[c["name"]][-1] for c in plan.constraints],
        "reaction": [start.kept_reactions[name][-1] for name in plan.reactions],
        "power": [start.powers[name][-1] for name in plan.drivers],
        "iterations": [start.iterations[-1]],
        "status": [start.status[-1]],
        "retries": [start.retries[-1]],
        "substeps": [start.substeps[-1]],
        "contact": [start.contact_values[-1]],
        "stop": [start.stop_values[-1]],
        "before_x": [start.before_position[-1:]],
        "before_q": [start.before_orientation[-1:]],
    }
    for name, values in last.items():
        if name in plan.frame and values:
            flat = np.concatenate([np.ravel(value) for value in values])
            offset = plan.frame[name][0]
            frame[offset : offset + len(flat)] = flat


def blocks(count: int) -> Iterator[slice]:
    """So many knots, in pieces whose numbers stay in the processor's own memory."""
    return (slice(first, first + BLOCK) for first in range(0, count, BLOCK))


def in_body_axes(q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(N, n, 3) angular velocities w, in world axes, of bodies with orientations q (N, n, 4)."""
    found = np.empty(w.shape)
    for some in blocks(len(w)):
        found[some] = carried(q[some], w[some], back=True)
    return found


class Read:
    """What recorded frames hold, as the fields of a trajectory, group by group (recording.GROUPS).

    plan: with the layout of these frames. counted: angles that were counted beside the solver. start: the trajectory
    that goes on.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        plan: Plan,
        recorded: np.ndarray,
        counted: Mapping[str, np.ndarray],
        start: Trajectory | None,
    ):
        self.mechanism, self.plan, self.recorded, self.counted, self.start = mechanism, plan, recorded, counted, start

    def fields(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of some groups, but for times and inputs, which frames do not hold."""
        found: dict[str, Any] = {}
        for name in names:
            if name != "inputs":
                found |= getattr(self, f"_{name}")()
        return found

    def entry(self, name: str, there: object = True) -> np.ndarray:
        """An entry; of what there is none of, none at every knot."""
        if there:
            return entry(self.plan, self.recorded, name)
        return np.zeros((len(self.recorded), 0, *EMPTY.get(name, ())))

    def position(self) -> np.ndarray:
        """(N, n, 3) of body frames."""
        offsets, position = centers(self.mechanism), self.entry("x")
        apart = np.flatnonzero(offsets.any(axis=1))
        if len(apart):
            position, q = position.copy(), self.entry("q")
            for some in blocks(len(position)):
                position[some, apart] -= carried(q[some, apart], offsets[apart])
        return position

    def angular_velocity(self) -> np.ndarray:
        """(N, n, 3) in body axes."""
        return in_body_axes(self.entry("q"), self.entry("w"))

    def _coordinates(self) -> dict[str, Any]:
        return {
            "position": Later(self.position),
            "orientation": self.entry("q"),
            "carried_angles": carried_angles(self.mechanism, self.plan, self.recorded, self.counted),
            **{name: Later(partial(counts, self.plan, self.recorded, name)) for name in COUNTED},
        }

    def _rates(self) -> dict[str, Any]:
        return {
            "velocity": self.entry("v"),
            "angular_velocity": Later(self.angular_velocity),
            "linear_momentum": self.entry("momentum"),
            "angular_momentum": self.entry("angular_momentum"),
        }

    def _closure(self) -> dict[str, Any]:
        return {"closure": self.entry("closure")}

    def _contacts(self) -> dict[str, Any]:
        return {
            "contact_values": self.entry("contact", self.plan.contacts),
            "stop_values": self.entry("stop", self.plan.stops),
        }

    def _reactions(self) -> dict[str, Any]:
        plan, multipliers, offset = self.plan, {}, 0
        rows = self.entry("rows", plan.rows)
        for constraint in plan.constraints:
            count = len(constraint["rows"])
            multipliers[constraint["name"]] = rows[:, offset : offset + count]
            offset += count
        reactions, powers = self.entry("reaction", plan.reactions), self.entry("power", plan.drivers)
        shared = plan.notes["watched"]
        return {
            "kept_reactions": {name: reactions[:, k] for k, name in enumerate(plan.reactions)},
            "multipliers": multipliers,
            "powers": {name: powers[:, k] for k, name in enumerate(plan.drivers)},
            "before_position": self.entry("before_x") if shared else np.zeros(0),
            "before_orientation": self.entry("before_q") if shared else np.zeros(0),
        }

    def _energy(self) -> dict[str, Any]:
        """With what was given and taken from knot to knot."""
        plan, start = self.plan, self.start
        paid = [note for note in plan.works if note["paid"]]
        work, spent = self.entry("work", plan.works), self.entry("spent", plan.losses)
        late = np.zeros((len(self.recorded), len(paid), 2))
        if plan.late:
            late[:, [note["late"] for note in paid]] = self.entry("late")
        if start is not None:
            work[0], spent[0] = start.work_values.sum(axis=0), start.spent_values.sum(axis=0)
            late[0, :, 1] = start.late_values[-1, :, 1]
        found = {name: self.entry(name) for name in ("scatter", "swerve", "pace", "sway", "misread")}
        return found | {
            "kinetic_energy": self.entry("kinetic"),
            "potential_energy": self.entry("potential"),
            "work_values": work,
            "spent_values": spent,
            "late_values": late,
        }


def trajectory(
    mechanism: Mechanism,
    plan: Plan,
    step: float,
    times: np.ndarray,
    recorded: np.ndarray,
    inputs: np.ndarray,
    input_names: tuple[str, ...],
    resume: np.ndarray,
    settings: Mapping[str, tuple[float, ...]],
    loops: str,
    formulation: str,
    composition: str,
    first_angles: Angles,
    counted_angles: Mapping[str, np.ndarray],
    account: np.ndarray,
    real: str,
    slack: tuple[float, float],
    start: Trajectory | None,
) -> Trajectory:
    """A trajectory from recorded frames. start: the one that it goes on from."""
    found = Read(mechanism, plan, recorded, counted_angles, start).fields(EVERYTHING)
    begin = Balance(float(found["kinetic_energy"][0] + found["potential_energy"][0]))
    return Trajectory(
        mechanism=mechanism,
        step=step,
        time=times,
        inputs=inputs,
        input_names=input_names,
        undetermined=tuple(plan.notes.get("undetermined", ())),
        resume=resume,
        settings=dict(settings),
        loops=loops,
        formulation=formulation,
        composition=composition,
        first_angles=dict(first_angles),
        contact_names=tuple(node["name"] for node in plan.contacts),
        stop_names=tuple(node["name"] for node in plan.stops for _ in range(node["rows"])),
        work_names=tuple((note["name"], note["paid"]) for note in plan.works),
        loss_names=plan.losses,
        begin=(begin if start is None else watch(start).after).numbers,
        account=account,
        real=real,
        slack=slack,
        **found,
    )


def part(whole: Trajectory, names: tuple[str, ...], read: Mapping[str, Any]) -> Trajectory:
    """A trajectory of what was chosen at all recorded knots. whole: of all, at some of them; names: of what is read, or
    will be; read: fields of all knots that are known, and others that are not as in the whole."""
    known = {field.name: getattr(whole, field.name) for field in fields(whole) if field.name not in PER_KNOT}
    known |= dict.fromkeys(PER_KNOT)
    return Trajectory(**{**known, "recorded": names, "watched": whole, **read})
