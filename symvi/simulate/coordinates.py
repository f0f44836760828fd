"""Minimal coordinates and velocities of joints, read from states and trajectories; and states made from them.

Coordinates are those of the description: translations along the free axes, then rotations with their whole turns.
Velocities are their exact time derivatives: the gradient of the coordinates times the velocities of the bodies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from symvi.analysis.evaluation import evaluate
from symvi.errors import MechanismError
from symvi.mechanism import Joint, Mechanism, coordinate_kinds, free_rotations, free_translations, start_state
from symvi.mechanism.mechanism import HasMechanism
from symvi.mechanism.names import shown
from symvi.mechanism.placement import known_angles
from symvi.mechanism.starting import Given, starting_at
from symvi.mechanism.state import State
from symvi.physics.coordinates import coordinate_groups
from symvi.physics.joints import Geometry
from symvi.physics.model import ConstraintModel
from symvi.simulate.arguments import checked_state, checked_table, real_numbers
from symvi.simulate.reactions import gradients, source
from symvi.simulate.run_parameters import Settings, with_settings
from symvi.simulate.solver_state import solver_state
from symvi.simulate.told import ToldState
from symvi.simulate.turns import Turning, rotation_matrices

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory


def coordinates_of(
    mechanism: Mechanism | HasMechanism, joint: str, state: State, parameters: Mapping[str, object] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(k,) coordinates [m, rad] and (k,) velocities [m/s, rad/s] of a joint in a state.

    One or two angles have the whole turns of `state.angles`; where it tells none, they lie nearest to the description's
    start. Three are a rotation vector of at most half a turn. parameters: those that the simulator was given. Of the
    state that a controller sees, and of the last `world.state`, the solver's own C tells them, in microseconds.
    Raises MechanismError for an unknown joint, or one without coordinates (a distance, a custom joint).
    """
    mechanism, settings = Mechanism.of(mechanism), {}
    for name, value in checked_table("parameters", parameters, "names of parameters to values").items():
        numbers = real_numbers(value)
        if numbers is None or not np.isfinite(numbers).all():
            raise MechanismError(f"parameter {shown(name)}: {shown(value)} must be finite numbers")
        settings[name] = tuple(numbers.ravel().tolist())
    known = state.joint(mechanism, settings, joint) if isinstance(state, ToldState) else None
    if known is not None:
        return known
    described, state = mechanism.joint(joint), checked_state(state)
    values = {name: array[None] for name, array in solver_state(mechanism, state).items()}
    found, rates = _coordinates(mechanism, described, values, settings)
    if free_rotations(described) in (1, 2):
        near = {**known_angles(mechanism), **state.angles}
        found[0, free_translations(described) :] = Turning(mechanism, settings).at(state.orientation, near)[joint]
    return found[0], rates[0]


def along(trajectory: Trajectory, joint: str) -> np.ndarray:
    """(N, k) coordinates of a joint along a trajectory, whole turns counted.

    Raises MechanismError, also where the recorded knots lie too far apart to count turns.
    """
    found, described = _along(trajectory, joint, still=True)[0], trajectory.mechanism.joint(joint)
    if free_rotations(described) in (1, 2):
        if joint not in trajectory.angles:
            raise MechanismError(
                f"joint '{joint}': turns too far between the recorded knots to count its turns; record more of them"
                f"{'' if trajectory.has('rates') else ', or rates too'}, or put an actuator on the joint: then the "
                "solver counts them"
            )
        found[:, free_translations(described) :] = trajectory.angles[joint]
    return found


def rates_along(trajectory: Trajectory, joint: str) -> np.ndarray:
    """(N, k) velocities of a joint along a trajectory. Raises MechanismError."""
    return _along(trajectory, joint)[1]


def _along(trajectory: Trajectory, joint: str, still: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and velocities; these as if all were at rest, where nobody reads them."""
    mechanism = trajectory.mechanism
    rotation = rotation_matrices(trajectory.orientation)
    centers = np.array([body.center_of_mass for body in mechanism.bodies])
    values = {
        "x": trajectory.position + np.einsum("nbij,bj->nbi", rotation, centers),
        "q": trajectory.orientation,
        "v": np.zeros(trajectory.position.shape) if still else trajectory.velocity,
        "w": np.zeros(trajectory.position.shape)
        if still
        else np.einsum("nbij,nbj->nbi", rotation, trajectory.angular_velocity),
    }
    return _coordinates(mechanism, mechanism.joint(joint), values, trajectory.settings)


def state_from(
    mechanism: Mechanism | HasMechanism,
    coordinates: Mapping[str, Given],
    velocities: Mapping[str, Given] | None = None,
) -> State:
    """The state with these joint coordinates and velocities, others as described; bodies follow the tree of joints.

    Numbers are in SI, texts have units: "60 deg". Bodies with a placement of their own in the description keep it
    unless a joint is given that leads to them: from the world outwards, or from parent to child where none leads to
    the world.
    Raises MechanismError for unknown joints or wrong numbers of coordinates.
    """
    mechanism = Mechanism.of(mechanism)
    coordinates = checked_table("coordinates", coordinates, "names of joints to coordinates")
    velocities = checked_table("velocities", velocities, "names of joints to velocities")
    return start_state(starting_at(mechanism, coordinates, velocities))


def _coordinates(
    mechanism: Mechanism, joint: Joint, values: Mapping[str, np.ndarray], settings: Settings
) -> tuple[np.ndarray, np.ndarray]:
    kinds = coordinate_kinds(joint.type)
    if not kinds:
        raise MechanismError(f"joint '{joint.name}': a {joint.type} joint has no coordinates")
    geometry = Geometry(mechanism, joint)
    groups = tuple(coordinate_groups(geometry))
    model = ConstraintModel(joint.name, joint.type, geometry.bodies, groups, geometry.used(groups), len(kinds), (), ())
    model = with_settings(mechanism, model, settings)
    bodies = {body.name: k for k, body in enumerate(mechanism.bodies)}
    x, q = values["x"], values["q"]
    found = np.zeros((len(x), len(kinds)))
    for group in groups:
        inputs = {a.name: source(model, group.inputs[a.name], bodies, x, q) for a in group.formula.inputs}
        found[:, list(group.into)] = evaluate(group.formula, inputs)["g"][list(group.rows)].T
    motion = np.concatenate([values["v"], values["w"]], axis=2).reshape(len(x), -1)
    return found, np.einsum("nij,nj->ni", gradients(model, bodies, x, q), motion)
