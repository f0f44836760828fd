"""What springs, dampers and servos do at the knots of a motion, one by one: their forces, and the energy they store.

    f_k = stiffness_k (rest_k - c_k) + damping_k (rate_k - c'_k)      along the free axes of a joint, on the child
    f = stiffness (length - d) - damping d'                            along the distance d of two points
    V = 1/2 stiffness (c - rest)²,   stiffness (1 - cos(c - rest))     what a spring stores

with coordinates and rates of the knots themselves, as `Trajectory.coordinates` and `rates` tell them; along three free
rotations dampers act on the relative angular velocity in joint axes (mechanism/forces.py). What they give, their work
and power, is no function of one knot: the account of energies has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from symvi.mechanism import free_rotations
from symvi.registry import law_of
from symvi.simulate.run_parameters import with_settings

if TYPE_CHECKING:
    from symvi.mechanism import Force
    from symvi.physics.model import ShareModel
    from symvi.simulate.trajectory import Trajectory

__all__ = ["force_along", "stored_energy"]

Array = NDArray[np.float64]


def force_along(motion: Trajectory, force: Force) -> Array:
    """(N, k) along the coordinates that it acts on [N, N m], on the child, at the knots. Of a point spring k is 1, and
    what pulls the points together is negative.

    Raises NotRecordedError where a damper's rates, or the target of a servo, were not recorded.
    """
    if _is_between_points(force):
        numbers, distance, rate = _point_spring(motion, force)
        return numbers["stiffness"] * (numbers["length"] - distance) - numbers["damping"] * rate
    share = _share(motion, force)
    found = np.zeros((len(motion), len(share.along)))
    if share.stiffness:
        stiffness, behind = _of(motion, share, share.stiffness), _behind(motion, share)
        found += stiffness * (np.sin(behind) if share.sinusoidal else behind)
    if share.damping:
        wanted = _input(motion, f"{share.name}.{share.target}_rate") if share.target else 0.0
        found += _of(motion, share, share.damping) * (wanted - _damped_rates(motion, share.joint)[:, share.along])
    return found


def _is_between_points(force: Force) -> bool:
    law = law_of(force)
    return law is not None and law.is_between_points


def stored_energy(motion: Trajectory, force: Force) -> Array:
    """(N,) at the knots [J]."""
    if _is_between_points(force):
        numbers, distance, _ = _point_spring(motion, force)
        return numbers["stiffness"] * (distance[:, 0] - numbers["length"]) ** 2 / 2
    share = _share(motion, force)
    assert share.stiffness is not None
    stiffness, behind = _of(motion, share, share.stiffness), _behind(motion, share)
    energy = stiffness * (2.0 * np.sin(behind / 2) ** 2 if share.sinusoidal else behind**2 / 2)
    return energy.sum(axis=1)


# --- along joints -----------------------------------------------------------------------------------------------------
def _share(motion: Trajectory, force: Force) -> ShareModel:
    """Its numbers as they were set."""
    from symvi.physics.force_models import force_model
    from symvi.physics.model import ShareModel
    from symvi.physics.multibody import MultibodySystem

    model = force_model(MultibodySystem(motion.mechanism), force)
    assert isinstance(model, ShareModel), "as its law says"
    return with_settings(motion.mechanism, model, motion.settings)


def _behind(motion: Trajectory, share: ShareModel) -> Array:
    """(N, k) by how much coordinates are short of where the spring, or the servo, wants them [m, rad]."""
    coordinates = motion.coordinates(share.joint)[:, share.along]
    if share.sinusoidal:
        cosine, sine = (np.array(share.parameters[name].values) for name in ("rest_cos", "rest_sin"))
        return np.arctan2(sine, cosine) - coordinates
    if share.target:
        return _input(motion, f"{share.name}.{share.target}") - coordinates
    assert share.rest is not None
    return np.array(share.parameters[share.rest].values, float) - coordinates


def _of(motion: Trajectory, share: ShareModel, parameter: str) -> Array:
    """(N, k) or (k,) a parameter, which may have been an input."""
    name = f"{share.name}.{parameter}"
    return _input(motion, name) if name in motion.input_names else np.array(share.parameters[parameter].values, float)


def _input(motion: Trajectory, name: str) -> Array:
    """(N, 1)."""
    return motion.inputs[:, [motion.input_names.index(name)]]


def _damped_rates(motion: Trajectory, joint: str) -> Array:
    """(N, k) the rates that dampers of a joint act along."""
    described = motion.mechanism.joint(joint)
    if free_rotations(described) < 3:
        return motion.rates(joint)
    from symvi.physics.multibody import MultibodySystem
    from symvi.simulate.knot_rates import model_along
    from symvi.simulate.reactions import gradients

    x, _, v, w = _placed(motion)
    bodies = {name: k for k, name in enumerate(motion.names)}
    geometry = MultibodySystem(motion.mechanism).geometry(joint)
    gradient = gradients(model_along(geometry), bodies, x, motion.orientation)
    return np.einsum("nij,nj->ni", gradient, np.concatenate([v, w], axis=2).reshape(len(x), -1))


def _placed(motion: Trajectory, moves: bool = True) -> tuple[Array, Array, Array, Array]:
    """In world axes: centres of mass (N, n, 3), rotations (N, n, 3, 3), velocities and angular velocities of all bodies
    (N, n, 3), which are 0 unless they are wanted."""
    from symvi.simulate.turns import rotation_matrices

    rotation = rotation_matrices(motion.orientation)
    centres = np.array([body.center_of_mass for body in motion.mechanism.bodies], float)
    x = motion.position + np.einsum("nbij,bj->nbi", rotation, centres)
    if not moves:
        return x, rotation, np.zeros_like(x), np.zeros_like(x)
    return x, rotation, motion.velocity, np.einsum("nbij,nbj->nbi", rotation, motion.angular_velocity)


# --- between points ---------------------------------------------------------------------------------------------------
def _point_spring(motion: Trajectory, force: Force) -> tuple[dict[str, float], Array, Array]:
    """Its stiffness, length and damping as they were set; (N, 1) distance of its points [m], and that distance's rate,
    which is 0 where the distance is."""
    from symvi.physics.force_models import force_model
    from symvi.physics.model import LawModel
    from symvi.physics.multibody import MultibodySystem

    model = force_model(MultibodySystem(motion.mechanism), force)
    assert isinstance(model, LawModel), "as its law says"
    model = with_settings(motion.mechanism, model, motion.settings)
    numbers = {name: model.parameters[name].values[0] if name in model.parameters else 0.0
               for name in ("stiffness", "length", "damping")}  # fmt: skip
    x, rotation, v, w = _placed(motion, moves=bool(model.laws.damped))
    ends = []
    for side in "ab":
        arm, body = np.array(model.parameters[f"anchor_{side}"].values, float), model.bodies[side]
        if body is None:
            ends.append((arm, np.zeros(3)))
            continue
        k = motion.names.index(body)
        arm = rotation[:, k] @ arm
        ends.append((x[:, k] + arm, v[:, k] + np.cross(w[:, k], arm)))
    (first, slow), (second, fast) = ends
    between = np.broadcast_to(second - first, (len(motion), 3))
    distance = np.linalg.norm(between, axis=1, keepdims=True)
    along = np.sum(between * (fast - slow), axis=1, keepdims=True)
    return numbers, distance, np.divide(along, distance, out=np.zeros_like(distance), where=distance > 0.0)
