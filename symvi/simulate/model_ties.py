"""Which rates of a joint model gears and loops decide: chosen where the description starts, by elimination."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from symvi.analysis.choices import Choices
from symvi.errors import MechanismError
from symvi.mechanism import Mechanism, State, start_state
from symvi.mechanism.rotation import rotate
from symvi.physics.model import ConstraintModel
from symvi.physics.multibody import MultibodySystem
from symvi.program.queries import Queries, compose_queries
from symvi.program.tied_rates import closing_models, gears_of
from symvi.registry import moves_joint
from symvi.simulate.model_coordinates import coordinates_at
from symvi.simulate.model_library import motions
from symvi.simulate.reactions import gradients
from symvi.simulate.run_parameters import Settings, body_numbers

Array = NDArray[np.float64]
MOVED = 0.1  # rates that motors, drivers or gears lead stay free unless those of others are so much worse to solve for
SINGULAR = 1e-9


def queries_of(mechanism: Mechanism, settings: Settings, loops: str) -> Queries:
    """The program of a model. Raises MechanismError."""
    known = dict(settings)
    for body in mechanism.bodies:
        mass, inertia = body_numbers(body, known)
        known |= {f"{body.name}.mass": (mass,), f"{body.name}.inertia": inertia}
    choices, system = _choices(mechanism, loops), MultibodySystem(mechanism)
    closing = closing_models(system, choices)
    found = compose_queries(system, known, choices)
    if not found.rate_names:
        raise MechanismError(f"mechanism '{mechanism.name}' has no joint coordinates to be asked in")
    if not closing and not gears_of(mechanism, choices):
        return found
    rows = np.concatenate([_closing_rows(mechanism, closing, found), _gear_rows(mechanism, choices, found)])
    if len(rows) >= rows.shape[1]:
        raise MechanismError(f"mechanism '{mechanism.name}': its loops and gears leave no rate free to be asked about")
    return compose_queries(system, known, choices, pivots_of(mechanism, rows, found))


def _choices(mechanism: Mechanism, loops: str) -> Choices:
    from symvi.analysis.loops import choices_for

    return choices_for(MultibodySystem(mechanism.changed(drivers=())), loops)


def _gear_rows(mechanism: Mechanism, choices: Choices, queries: Queries) -> Array:
    """(gears, rates of the tree): c1' - ratio c2' = 0."""
    places = {held.name: held.rates.start for held in queries.held}
    gears = gears_of(mechanism, choices)
    rows = np.zeros((len(gears), len(queries.rate_names)))
    for row, coupling in zip(rows, gears, strict=True):
        row[places[coupling.joints[0]]] += 1.0
        row[places[coupling.joints[1]]] -= coupling.ratio
    return rows


def _closing_rows(mechanism: Mechanism, models: Sequence[ConstraintModel], queries: Queries) -> Array:
    """(rows, rates of the tree) of closing joints at the start."""
    count = len(queries.rate_names)
    if not models:
        return np.zeros((0, count))
    state = start_state(mechanism)
    q = coordinates_at(mechanism, queries.held, state, {})[0]
    moving = motions(queries, q, np.array([body.center_of_mass for body in mechanism.bodies]))
    bodies = {body.name: k for k, body in enumerate(mechanism.bodies)}
    x, turns = centers(mechanism, state)
    found = [gradients(model, bodies, x[None], turns[None])[0] for model in models]
    return np.concatenate(found) @ np.concatenate(moving)


def centers(mechanism: Mechanism, state: State) -> tuple[Array, Array]:
    """Centres of mass and orientations of all bodies, in their order."""
    rows = [state.index(body.name) for body in mechanism.bodies]
    turns = state.orientation[rows]
    arms = [rotate(tuple(q), body.center_of_mass) for q, body in zip(turns, mechanism.bodies, strict=True)]
    return state.position[rows] + np.array(arms), turns


def pivots_of(mechanism: Mechanism, rows: Array, queries: Queries) -> list[tuple[int, int]]:
    """(row, rate) in the order of elimination, the largest entry first. Raises MechanismError for a singular start."""
    rest, weight = rows.copy(), np.ones(rows.shape[1])
    motors = [force for force in mechanism.forces if moves_joint(force)]
    moved = {getattr(element, "joint", None) for element in (*motors, *mechanism.drivers)}
    leading = {gear.joints[1] for gear in mechanism.couplings} - {gear.joints[0] for gear in mechanism.couplings}
    for held in queries.held:
        weight[held.rates] *= MOVED ** ((held.name in moved) + (held.name in leading))
    scale = np.abs(rows).max(axis=1, initial=0.0)
    left, found = set(range(len(rows))), []
    for _ in range(len(rows)):
        sizes = np.abs(rest) * weight / np.where(scale > 0, scale, 1.0)[:, None]
        sizes[[row for row in range(len(rows)) if row not in left]] = 0.0
        sizes[:, [rate for _, rate in found]] = 0.0
        row, rate = divmod(int(sizes.argmax()), rows.shape[1])
        if not sizes[row, rate] > SINGULAR:
            raise MechanismError(
                f"mechanism '{mechanism.name}': at its start, loops and gears hold each other up, and no rates decide "
                "the others; describe another start"
            )
        found.append((row, rate))
        left.remove(row)
        for other in left:
            rest[other] -= rest[other, rate] / rest[row, rate] * rest[row]
    return found
