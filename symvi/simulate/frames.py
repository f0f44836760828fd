"""Between the solver's numbers (centres of mass, world axes) and the user's (body frames, body axes)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

import numpy as np

from symvi.mechanism import Mechanism, free_rotations, free_translations
from symvi.mechanism.state import State
from symvi.numbers.control import CONTACT_SIZE
from symvi.simulate.energy_guard import Balance, watch
from symvi.simulate.plan import Plan
from symvi.simulate.solver_state import centers, rotated
from symvi.simulate.trajectory import Trajectory
from symvi.simulate.turns import Angles, Turning, rotation_matrices


def entry(plan: Plan, recorded: np.ndarray, name: str) -> np.ndarray:
    """One quantity of (N, frame) recorded frames."""
    offset, shape = plan.frame[name]
    size = int(np.prod(shape)) if shape else 1
    return recorded[:, offset : offset + size].reshape(len(recorded), *shape).astype(float)


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
    kept = recorded[count::count].copy()
    parts = recorded[1 : 1 + count * len(kept)].reshape(len(kept), count, -1)

    def place(name: str) -> slice:
        offset, shape = plan.frame[name]
        return slice(offset, offset + int(np.prod(shape)))

    for name in {"work", "spent"} & plan.frame.keys():
        kept[:, place(name)] = parts[:, :, place(name)].sum(axis=1)
    if "late" in plan.frame:  # settled is what the step after the frame before has settled
        kept[:, place("late")][:, ::2] = parts[:, 0, place("late")][:, ::2]
    for name in ("pace", "sway"):
        kept[:, place(name)] = parts[:, :, place(name)].max(axis=1)
    return np.concatenate([recorded[:1], kept])


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


class Booked(TypedDict):
    """What a trajectory keeps of its energies, by the names that it has there."""

    work_values: np.ndarray
    spent_values: np.ndarray
    late_values: np.ndarray
    begin: np.ndarray


def _booked(plan: Plan, recorded: np.ndarray, start: Trajectory | None) -> Booked:
    """What was given and taken from knot to knot, and what the guard remembers of the motion that goes on."""
    paid = [note for note in plan.works if note["paid"]]
    found = Booked(
        work_values=entry(plan, recorded, "work") if plan.works else np.zeros((len(recorded), 0)),
        spent_values=entry(plan, recorded, "spent") if plan.losses else np.zeros((len(recorded), 0)),
        late_values=np.zeros((len(recorded), len(paid), 2)),
        begin=np.zeros(0),
    )
    if plan.late:
        found["late_values"][:, [note["late"] for note in paid]] = entry(plan, recorded, "late")
    if start is None:
        energy = entry(plan, recorded[:1], "kinetic") + entry(plan, recorded[:1], "potential")
        found["begin"] = Balance(float(energy[0])).numbers
        return found
    found["work_values"][0] = start.work_values.sum(axis=0)
    found["spent_values"][0] = start.spent_values.sum(axis=0)
    found["late_values"][0, :, 1] = start.late_values[-1, :, 1]
    found["begin"] = watch(start).after.numbers
    return found


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
    first_angles: Angles,
    counted_angles: Mapping[str, np.ndarray],
    account: np.ndarray,
    real: str,
    slack: tuple[float, float],
    start: Trajectory | None,
) -> Trajectory:
    """A trajectory from recorded frames. start: the one that it goes on from."""
    multipliers, offset = {}, 0
    rows = entry(plan, recorded, "rows") if plan.rows else np.zeros((len(recorded), 0))
    for constraint in plan.constraints:
        count = len(constraint["rows"])
        multipliers[constraint["name"]] = rows[:, offset : offset + count]
        offset += count
    reactions = entry(plan, recorded, "reaction") if plan.reactions else np.zeros((len(recorded), 0, 6))
    powers = entry(plan, recorded, "power") if plan.drivers else np.zeros((len(recorded), 0))
    before = (
        [entry(plan, recorded, name) for name in ("before_x", "before_q")]
        if plan.notes["watched"]
        else [np.zeros(0), np.zeros(0)]
    )
    knots = len(recorded)
    return Trajectory(
        mechanism=mechanism,
        step=step,
        time=times,
        **placements(mechanism, plan, recorded),
        kinetic_energy=entry(plan, recorded, "kinetic"),
        potential_energy=entry(plan, recorded, "potential"),
        linear_momentum=entry(plan, recorded, "momentum"),
        angular_momentum=entry(plan, recorded, "angular_momentum"),
        closure=entry(plan, recorded, "closure"),
        iterations=counts(plan, recorded, "iterations"),
        status=counts(plan, recorded, "status"),
        substeps=counts(plan, recorded, "substeps"),
        kept_reactions={name: reactions[:, k] for k, name in enumerate(plan.reactions)},
        multipliers=multipliers,
        powers={name: powers[:, k] for k, name in enumerate(plan.drivers)},
        inputs=inputs,
        input_names=input_names,
        undetermined=tuple(plan.notes.get("undetermined", ())),
        resume=resume,
        before_position=before[0],
        before_orientation=before[1],
        settings=dict(settings),
        loops=loops,
        formulation=formulation,
        first_angles=dict(first_angles),
        carried_angles=carried_angles(mechanism, plan, recorded, counted_angles),
        retries=counts(plan, recorded, "retries"),
        contact_values=entry(plan, recorded, "contact") if plan.contacts else np.zeros((knots, 0, CONTACT_SIZE)),
        contact_names=tuple(node["name"] for node in plan.contacts),
        stop_values=entry(plan, recorded, "stop") if plan.stops else np.zeros((len(recorded), 0)),
        stop_names=tuple(node["name"] for node in plan.stops for _ in range(node["rows"])),
        **_booked(plan, recorded, start),
        scatter=entry(plan, recorded, "scatter"),
        swerve=entry(plan, recorded, "swerve"),
        pace=entry(plan, recorded, "pace"),
        sway=entry(plan, recorded, "sway"),
        misread=entry(plan, recorded, "misread"),
        work_names=tuple((note["name"], note["paid"]) for note in plan.works),
        loss_names=plan.losses,
        account=account,
        real=real,
        slack=slack,
    )
