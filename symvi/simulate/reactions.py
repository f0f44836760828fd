"""Reactions that a redundant loop leaves undetermined: of all that hold the bodies alike, those of least norm.

The solver finds impulses of the rows that it keeps. With every row of every joint (G, at the knot where the forces act)
the same forces on the bodies, w = G_keptᵀ y, are shared out by the least y of Gᵀ y = w, rows measured by the square
root of (G M⁻¹ Gᵀ)_ii.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symvi.analysis.choices import models_of
from symvi.analysis.evaluation import evaluate
from symvi.analysis.loops import choices_for
from symvi.physics import kinematics
from symvi.physics.model import (
    AtFirstKnot,
    Attitude,
    ConstraintModel,
    Data,
    FixedTo,
    Modelled,
    Position,
    Source,
    body_of,
)
from symvi.physics.multibody import MultibodySystem
from symvi.simulate.run_parameters import body_numbers, with_settings

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

NEGLIGIBLE = 1e-12  # squares of singular values below this share of the largest belong to motions that no row holds


class MinimumNormReactions(Mapping[str, np.ndarray]):
    """Joint -> (N, 6) force and torque on the child at the anchor, in joint axes; computed when first asked for."""

    def __init__(self, trajectory: Trajectory):
        self.trajectory = trajectory

    def __iter__(self) -> Iterator[str]:
        return iter(self.trajectory.kept_reactions)

    def __len__(self) -> int:
        return len(self.trajectory.kept_reactions)

    def __getitem__(self, name: str) -> np.ndarray:
        return self._shared[name] if name in self.trajectory.undetermined else self.trajectory.kept_reactions[name]

    @cached_property
    def _shared(self) -> dict[str, np.ndarray]:
        trajectory = self.trajectory
        mechanism = trajectory.mechanism
        system = MultibodySystem(mechanism)
        full, kept = (
            [with_settings(mechanism, model, trajectory.settings) for model in models]
            for models in (system.in_joint_axes, models_of(system, choices_for(system, trajectory.loops)))
        )
        bodies = {body.name: k for k, body in enumerate(mechanism.bodies)}
        acted = np.abs(trajectory.before_orientation).sum(axis=(1, 2)) > 0  # no forces led to a fresh start
        x, q = trajectory.before_position[acted], trajectory.before_orientation[acted]
        loads = self._loads(kept, bodies, x, q, acted)
        matrices = [gradients(model, bodies, x, q) for model in full]
        whole = np.concatenate(matrices, axis=1)
        scale = np.sqrt(np.maximum(self._scale(whole[0]), np.finfo(float).tiny))
        scaled = whole / scale[:, None]
        shares = np.einsum("nij,nj->ni", scaled, _solved(scaled, loads)) / scale
        found, row = {}, 0
        for model, matrix in zip(full, matrices, strict=True):
            if model.name in trajectory.undetermined:
                y = shares[:, row : row + model.rows]
                place = 6 * bodies[body_of(model, "b")]
                wrench = np.einsum("nij,ni->nj", matrix[:, :, place : place + 6], y)
                found[model.name] = np.zeros((len(acted), 6))
                found[model.name][acted] = in_joint_axes(model, wrench, bodies, q)
            row += model.rows
        return found

    def _loads(self, kept: list[ConstraintModel], bodies: Mapping[str, int], x, q, acted) -> np.ndarray:
        """(N, 6 n): what the kept rows do to the bodies."""
        total = np.zeros((len(x), 6 * len(bodies)))
        for model in kept:
            total += np.einsum(
                "nij,ni->nj", gradients(model, bodies, x, q), self.trajectory.multipliers[model.name][acted]
            )
        return total

    def _scale(self, matrix: np.ndarray) -> np.ndarray:
        """(G M⁻¹ Gᵀ)_ii, with each body's inertia taken as its mean."""
        bodies = [body_numbers(body, self.trajectory.settings) for body in self.trajectory.mechanism.bodies]
        masses = np.concatenate([[mass] * 3 + [max(sum(inertia[:3]) / 3, mass * 1e-6)] * 3 for mass, inertia in bodies])
        return (matrix**2 / masses).sum(axis=1)


def _solved(matrices: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """(Gᵀ G)⁺ w for N matrices (N, rows, 6 n): G times it is the least y with Gᵀ y = w."""
    values, vectors = np.linalg.eigh(np.einsum("nri,nrj->nij", matrices, matrices))
    inverse = np.where(values > NEGLIGIBLE * values[:, -1:], 1.0 / np.where(values > 0, values, 1.0), 0.0)
    return np.einsum("nij,nj->ni", vectors, inverse * np.einsum("nij,ni->nj", vectors, loads))


def gradients(model: Modelled, bodies: Mapping[str, int], x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(N, rows, 6 n): the rows' gradient at N placements x (N, n, 3) of centres of mass and q (N, n, 4)."""
    count = len(x)
    result = np.zeros((count, model.rows, 6 * len(bodies)))
    for group in model.groups:
        factor = model.parameters[group.factor].values[0] if group.factor else 1.0
        values = evaluate(
            group.formula, {a.name: source(model, group.inputs[a.name], bodies, x, q) for a in group.formula.inputs}
        )
        for side, label in group.bodies.items():
            if (body := model.bodies[label]) is not None:
                place = 6 * bodies[body]
                entries = np.moveaxis(values[f"G_{side}"].reshape(-1, 6, count), 2, 0)
                result[:, list(group.into), place : place + 6] += factor * entries[:, list(group.rows)]
    return result


def source(model: Modelled, source: Source, bodies: Mapping[str, int], x, q) -> np.ndarray:
    """(size, N): an input of a formula. FixedTo angles do not matter to gradients.

    Raises ValueError for a source that is held: that takes a first knot and a second.
    """
    if isinstance(source, AtFirstKnot):
        raise ValueError(f"{model.name}: a source that is held has no value at one placement")
    if isinstance(source, Data):
        known = {"parameters": lambda: model.parameters[source.name].values, "constant": lambda: (float(source.name),)}
        return np.repeat(np.array(known.get(source.store, lambda: (0.0,))(), float)[:, None], len(x), axis=1)
    body = model.bodies[source.body]
    if isinstance(source, Position):
        return np.zeros((3, len(x))) if body is None else x[:, bodies[body]].T
    offset = np.repeat(np.array(model.parameters[source.parameter].values, float)[:, None], len(x), axis=1)
    if body is None:
        return offset
    turn = q[:, bodies[body]].T
    if isinstance(source, Attitude):
        return evaluate(kinematics.carried_quaternion, {"q": turn, "o": offset})["p"]
    return evaluate(
        kinematics.carried_vector, {"R": evaluate(kinematics.rotation_matrix, {"q": turn})["R"], "p": offset}
    )["r"]


def in_joint_axes(model: ConstraintModel, wrench: np.ndarray, bodies: Mapping[str, int], q: np.ndarray) -> np.ndarray:
    """Force and torque about the anchor, in the joint frame on the parent."""
    x = np.zeros((len(q), len(bodies), 3))
    arm = source(model, FixedTo("b", "anchor_b"), bodies, x, q).T
    axes = np.stack([source(model, FixedTo("a", name), bodies, x, q).T for name in model.frame], axis=1)
    force, torque = wrench[:, :3], wrench[:, 3:] - np.cross(arm, wrench[:, :3])
    return np.concatenate([np.einsum("nij,nj->ni", axes, force), np.einsum("nij,nj->ni", axes, torque)], axis=1)
