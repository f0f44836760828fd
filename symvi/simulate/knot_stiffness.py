"""How stiff those forces are that act at the knots alone: a step must be short for them.

Springs, dampers and servos act between the knots, and no stiffness is too large for them. What stays at the knots: the
tension of a point spring across its own line, T/l; a user's own potential; and a sinusoidal spring that swings far,
which is no linear spring there. A stiffness K at the knots on masses M is stable only while

    h² s·K s < 4 s·M s      for every motion s that the joints leave free.

A bound without joints is asked at all recorded knots, or as many as a moment allows; the joints at those beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import atan2, sqrt
from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import MechanismError
from symvi.mechanism import coordinate_kinds
from symvi.numbers.composition import composition_of
from symvi.registry import FORCES, law_of
from symvi.simulate.run_parameters import body_numbers
from symvi.simulate.turns import product, rotation_matrices

if TYPE_CHECKING:
    from symvi.mechanism.forces import PointSpring
    from symvi.physics.model import ForceModel, LawModel, ShareModel
    from symvi.physics.multibody import MultibodySystem
    from symvi.simulate.trajectory import Trajectory

LASTING = 5  # consecutive recorded knots: a force that is too stiff for so long is told of also where nothing rose
CHUNK, BOUNDED = 4096, 5000  # knots that are bounded at a time, in all
LOOKED_AT, WORK = (40, 2000), 5e6  # knots that are looked at, so that they times the cube of unknowns stay below WORK
FAR = 1.0  # rad: beyond it a sinusoidal spring is not nearly linear
DIFFERENCE = 1e-5  # of a metre and of a radian, for the second derivatives of a potential
LIGHTEST = 1e-9  # of a body's mass, at a metre: what an axis without inertia counts as


@dataclass(frozen=True)
class TooStiff:
    """A force that is too stiff for the step: when it first was, and the longest step that would do there [s].

    lasting: whether it was at LASTING consecutive recorded knots.
    """

    element: str
    time: float
    step: float
    lasting: bool

    @property
    def sentence(self) -> str:
        return (
            f"force '{self.element}' is too stiff for this step at {self.time:.6g} s, where it acts at the knots "
            f"alone: take a step below {self.step:.3g} s"
        )


def too_stiff(trajectory: Trajectory) -> list[TooStiff]:
    """The forces of a motion that its step was too long for, each where it first was, in the order of time."""
    if not _may_be_stiff(trajectory):
        return []
    looked_at = _suspects(trajectory)
    beyond = dict(_Stiffness(trajectory, looked_at).beyond()) if len(looked_at) else {}
    found: dict[str, TooStiff] = {}
    for knot, (element, step) in beyond.items():
        lasting = any(all(first + k in beyond for k in range(LASTING)) for first in range(knot - LASTING + 1, knot + 1))
        first = found.get(element, TooStiff(element, float(trajectory.time[knot]), step, lasting))
        found[element] = replace(first, lasting=first.lasting or lasting)
    return list(found.values())


def _may_be_stiff(trajectory: Trajectory) -> bool:
    return any(FORCES[force.kind].pulls_at_knots(force) for force in trajectory.mechanism.forces)


def _suspects(trajectory: Trajectory) -> np.ndarray:
    """The knots to look at: where stiffness may be beyond the bound."""
    knots = _thinned(np.arange(len(trajectory.time)), BOUNDED)
    chunks = np.split(knots, range(CHUNK, len(knots), CHUNK))
    suspects = np.concatenate([chunk[_Stiffness(trajectory, chunk).suspected()] for chunk in chunks])
    return _thinned(suspects, int(np.clip(WORK / (6 * len(trajectory.mechanism.bodies)) ** 3, *LOOKED_AT)))


def _thinned(knots: np.ndarray, allowed: int) -> np.ndarray:
    """At most so many, in groups of LASTING that follow each other, the groups evenly spread."""
    if len(knots) <= allowed:
        return knots
    firsts = np.linspace(0, len(knots) - LASTING, allowed // LASTING).astype(int)
    return knots[np.unique(firsts[:, None] + np.arange(LASTING))]


class _Stiffness:
    """Stiffness at some knots of a motion, on the centres of mass and rotation vectors in world axes of its bodies."""

    def __init__(self, trajectory: Trajectory, knots: np.ndarray):
        self.trajectory, self.mechanism, self.knots = trajectory, trajectory.mechanism, knots
        self.bodies = {body.name: k for k, body in enumerate(self.mechanism.bodies)}
        self.rotation = rotation_matrices(trajectory.orientation[self.knots])
        centres = np.array([body.center_of_mass for body in self.mechanism.bodies], float)
        self.x = trajectory.position[self.knots] + np.einsum("nkij,kj->nki", self.rotation, centres)
        self.q = trajectory.orientation[self.knots]
        self.forces = {force.name: matrices for force in self.mechanism.forces for matrices in self._matrices(force)}

    def suspected(self) -> np.ndarray:
        """(N,) whether a sum of norms, each of at least the largest eigenvalue, is beyond the bound."""
        each = []
        for body in self.mechanism.bodies:
            mass, inertia = body_numbers(body, self.trajectory.settings)
            least = max(np.linalg.eigvalsh(_tensor(inertia))[0], 0.0) + LIGHTEST * mass
            each += 3 * [1 / mass] + 3 * [1 / least]
        squared = np.array(each)
        norms = [np.einsum("nij,nij,i,j->n", matrices, matrices, squared, squared, optimize=True) ** 0.5
                 for matrices in self.forces.values()]  # fmt: skip
        return self._longest() ** 2 * sum(norms, np.zeros(len(self.knots))) >= 4.0

    def beyond(self) -> Iterator[tuple[int, tuple[str, float]]]:
        """Knots beyond the bound: the force that is stiffest there, and the step that would do [s]."""
        h, size, forces = self._longest(), 6 * len(self.bodies), self.forces
        longer = h / self.trajectory.step
        for n, knot in enumerate(self.knots):
            root = self._inverse_root(n)
            each = {name: root @ matrices[n] @ root.T for name, matrices in forces.items()}
            # the largest eigenvalue of a sum is at most the sum of the largest ones
            if not h * h * sum(max(np.linalg.eigvalsh(matrix)[-1], 0.0) for matrix in each.values()) >= 4.0:
                continue
            free = self._free(n, root) if self.mechanism.joints else np.eye(size)
            values, vectors = np.linalg.eigh(free.T @ sum(each.values()) @ free)
            if len(values) and h * h * values[-1] >= 4.0:
                worst = free @ vectors[:, -1]
                shares = {name: float(worst @ matrix @ worst) for name, matrix in each.items()}
                yield int(knot), (max(shares, key=lambda name: shares[name]), 2.0 / (longer * sqrt(values[-1])))

    def _longest(self) -> float:
        """The step, or the longest of its inner steps [s]."""
        composition = composition_of(self.trajectory.composition or 2)
        return self.trajectory.step * float(max(map(abs, composition.shares)) if composition else 1)

    def _inverse_root(self, n: int) -> np.ndarray:
        """L with L M Lᵀ = 1, block by block."""
        found = np.zeros((6 * len(self.bodies),) * 2)
        for k, body in enumerate(self.mechanism.bodies):
            mass, inertia = body_numbers(body, self.trajectory.settings)
            turning = _tensor(inertia) + LIGHTEST * mass * np.eye(3)
            turned = self.rotation[n, k] @ turning @ self.rotation[n, k].T
            place = slice(6 * k, 6 * k + 6)
            block = np.zeros((6, 6))
            block[:3, :3], block[3:, 3:] = mass * np.eye(3), turned
            found[place, place] = np.linalg.inv(np.linalg.cholesky(block))
        return found

    def _free(self, n: int, root: np.ndarray) -> np.ndarray:
        """Motions that the joints leave free, in the scaled unknowns: an orthonormal basis."""
        from symvi.simulate.reactions import gradients

        models = self.system.in_joint_axes
        rows = [gradients(model, self.bodies, self.x[n : n + 1], self.q[n : n + 1])[0] for model in models]
        matrix = np.concatenate([np.zeros((0, len(root))), *rows]) @ root.T
        _, sigma, vt = np.linalg.svd(matrix, full_matrices=True)
        rank = int((sigma > 1e-9 * max(sigma.max(initial=0.0), 1.0)).sum())
        return vt[rank:].T

    @cached_property
    def system(self) -> MultibodySystem:
        """The models of the mechanism."""
        from symvi.physics.multibody import MultibodySystem

        return MultibodySystem(self.mechanism)

    # --- matrices of single forces ------------------------------------------------------------------------------------
    def _matrices(self, force) -> Iterator[np.ndarray]:
        """(N, 6 n, 6 n), for a force that has any stiffness at the knots."""
        if not FORCES[force.kind].pulls_at_knots(force):
            return
        from symvi.physics.force_models import force_model

        law, model = law_of(force), force_model(self.system, force)
        if law is None:
            yield self._of_potential(model)
        elif law.is_between_points:
            yield self._across(force, model)
        elif law.is_sinusoidal:
            yield from self._swinging(model)

    def _across(self, force: PointSpring, model: LawModel) -> np.ndarray:
        """Tension over length, in the directions across the spring."""
        ends = {force.child: (1.0, force.child_anchor), force.parent: (-1.0, force.parent_anchor)}
        size, count = 6 * len(self.bodies), len(self.knots)
        u, gradient = np.zeros((count, 3)), np.zeros((count, 3, size))
        for name, (sign, anchor) in ends.items():
            if name == "world":
                u += sign * np.array(anchor)
                continue
            k = self.bodies[name]
            arm = np.einsum(
                "nij,j->ni", self.rotation[:, k], np.subtract(anchor, self.mechanism.bodies[k].center_of_mass)
            )
            u += sign * (self.x[:, k] + arm)
            gradient[:, :, 6 * k : 6 * k + 3] = sign * np.eye(3)
            for axis in range(3):
                gradient[:, :, 6 * k + 3 + axis] = sign * np.cross(np.eye(3)[axis], arm)
        length = np.maximum(np.linalg.norm(u, axis=1), np.finfo(float).tiny)
        numbers = self._numbers(model)
        tension = np.maximum(numbers["stiffness"] * (length - numbers.get("length", 0.0)), 0.0)
        n = u / length[:, None]
        across = (tension / length)[:, None, None] * (np.eye(3) - np.einsum("ni,nj->nij", n, n))
        return np.swapaxes(gradient, 1, 2) @ (across @ gradient)

    def _numbers(self, model: LawModel | ShareModel) -> dict[str, float]:
        """The first number of each parameter of a force, as it was set."""
        own, settings = model.parameters, self.trajectory.settings
        return {key: float(settings.get(f"{model.name}.{key}", p.values)[0]) for key, p in own.items()}

    def _of_potential(self, model: ForceModel) -> np.ndarray:
        """Second derivatives of a user's own potential, by differences of its gradient."""
        from symvi.physics.model import ConstraintModel
        from symvi.simulate.reactions import gradients

        own = {
            key: self.trajectory.settings.get(f"{model.name}.{key}", p.values) for key, p in model.parameters.items()
        }
        numbers = {key: replace(p, values=tuple(own[key])) for key, p in model.parameters.items()}
        rows = ConstraintModel(model.name, "potential", model.bodies, model.groups, numbers, 1, ("energy",), ("J",))
        size = 6 * len(self.bodies)
        result = np.zeros((len(self.knots), size, size))
        for k in (self.bodies[name] for name in model.bodies.values() if name is not None):
            for column in range(6):
                ends = [
                    gradients(rows, self.bodies, *self._moved(k, column, sign * DIFFERENCE))[:, 0] for sign in (1, -1)
                ]
                result[:, :, 6 * k + column] = (ends[0] - ends[1]) / (2 * DIFFERENCE)
        return np.nan_to_num((result + np.swapaxes(result, 1, 2)) / 2)

    def _moved(self, body: int, column: int, far: float) -> tuple[np.ndarray, np.ndarray]:
        """x and q with a body displaced along a world axis, or turned about it, at every knot."""
        x, q = self.x.copy(), self.q.copy()
        if column < 3:
            x[:, body, column] += far
            return x, q
        half = np.zeros(4)
        half[0], half[column - 2] = np.cos(far / 2), np.sin(far / 2)
        q[:, body] = product(half, q[:, body])
        return x, q

    def _swinging(self, model: ShareModel) -> Iterator[np.ndarray]:
        """The stiffness of a sinusoidal spring, where it swings far."""
        from symvi.physics.coordinates import joint_laws
        from symvi.simulate.reactions import gradients

        geometry = self.system.geometry(model.joint)
        which = coordinate_kinds(geometry.joint.type).index("rotation")
        numbers = self._numbers(model)
        rest = atan2(numbers["rest_sin"], numbers["rest_cos"])
        try:
            angles = self.trajectory.coordinates(model.joint)[:, which]
        except MechanismError:  # it turns so fast that whole turns between recorded knots are not known
            angles = np.array([rest + np.pi])
        if np.abs((angles - rest + np.pi) % (2 * np.pi) - np.pi).max() <= FAR:
            return
        along = gradients(joint_laws(geometry, [model]), self.bodies, self.x, self.q)[:, which]
        yield numbers["stiffness"] * np.einsum("ni,nj->nij", along, along)


def _tensor(inertia: Sequence[float]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
