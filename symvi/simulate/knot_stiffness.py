"""How stiff those forces are that act at the knots alone: a step must be short for them.

Springs, dampers and servos act between the knots, and no stiffness is too large for them. What stays at the knots: the
tension of a point spring across its own line, T/l; a user's own potential; and a sinusoidal spring that swings far,
which is no linear spring there. A stiffness K at the knots on masses M is stable only while

    h² s·K s < 4 s·M s      for every motion s that the joints leave free.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from symvi.mechanism import coordinate_kinds
from symvi.simulate.parameters import body_numbers
from symvi.simulate.turns import rotation_matrices

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

SAMPLES = 40  # knots that are looked at
FAR = 1.0  # rad: beyond it a sinusoidal spring is not nearly linear
DIFFERENCE = 1e-5  # of a metre and of a radian, for the second derivatives of a potential
LIGHTEST = 1e-9  # of a body's mass, at a metre: what an axis without inertia counts as


@dataclass(frozen=True)
class TooStiff:
    """A force that is too stiff for the step: when it first was, and the longest step that would do there [s]."""

    element: str
    time: float
    step: float

    @property
    def sentence(self) -> str:
        return (
            f"force '{self.element}' is too stiff for this step at {self.time:.6g} s, where it acts at the knots "
            f"alone: take a step below {self.step:.3g} s"
        )


def too_stiff(trajectory: Trajectory) -> list[TooStiff]:
    """The forces of a motion that its step was too long for, each where it first was, in the order of time."""
    found: dict[str, TooStiff] = {}
    for one in _Stiffness(trajectory).beyond() if _may_be_stiff(trajectory) else ():
        found.setdefault(one.element, one)
    return list(found.values())


def _may_be_stiff(trajectory: Trajectory) -> bool:
    return any(
        force.kind in ("point_spring", "potential") or getattr(force, "law", "") == "sinusoidal"
        for force in trajectory.mechanism.forces
    )


class _Stiffness:
    """Stiffness at the knots of one motion, on the centres of mass and rotation vectors in world axes of its bodies."""

    def __init__(self, trajectory: Trajectory):
        self.trajectory, self.mechanism = trajectory, trajectory.mechanism
        count = len(trajectory.time)
        self.knots = np.unique(np.linspace(0, count - 1, min(count, SAMPLES)).astype(int))
        self.bodies = {body.name: k for k, body in enumerate(self.mechanism.bodies)}
        self.rotation = rotation_matrices(trajectory.orientation[self.knots])
        centres = np.array([body.center_of_mass for body in self.mechanism.bodies], float)
        self.x = trajectory.position[self.knots] + np.einsum("nkij,kj->nki", self.rotation, centres)
        self.q = trajectory.orientation[self.knots]

    def beyond(self) -> Iterator[TooStiff]:
        h, size = self.trajectory.step, 6 * len(self.bodies)
        forces = {force.name: matrices for force in self.mechanism.forces for matrices in self._matrices(force)}
        if not forces:
            return
        for n, knot in enumerate(self.knots):
            root = self._inverse_root(n)
            each = {name: root @ matrices[n] @ root.T for name, matrices in forces.items()}
            # the largest eigenvalue of a sum is at most the sum of the largest ones
            if h * h * sum(max(np.linalg.eigvalsh(matrix)[-1], 0.0) for matrix in each.values()) < 4.0:
                continue
            free = self._free(n, root) if self.mechanism.joints else np.eye(size)
            values, vectors = np.linalg.eigh(free.T @ sum(each.values()) @ free)
            if h * h * values[-1] >= 4.0:
                worst = free @ vectors[:, -1]
                shares = {name: float(worst @ matrix @ worst) for name, matrix in each.items()}
                yield TooStiff(max(shares, key=shares.get), float(self.trajectory.time[knot]), 2.0 / sqrt(values[-1]))

    def _inverse_root(self, n: int) -> np.ndarray:
        """L with L M Lᵀ = 1, block by block."""
        found = np.zeros((6 * len(self.bodies),) * 2)
        for k, body in enumerate(self.mechanism.bodies):
            mass, inertia = body_numbers(body, self.trajectory.settings)
            xx, yy, zz, xy, xz, yz = inertia
            turning = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + LIGHTEST * mass * np.eye(3)
            turned = self.rotation[n, k] @ turning @ self.rotation[n, k].T
            place = slice(6 * k, 6 * k + 6)
            block = np.zeros((6, 6))
            block[:3, :3], block[3:, 3:] = mass * np.eye(3), turned
            found[place, place] = np.linalg.inv(np.linalg.cholesky(block))
        return found

    def _free(self, n: int, root: np.ndarray) -> np.ndarray:
        """Motions that the joints leave free, in the scaled unknowns: an orthonormal basis."""
        from symvi.program.loops import models_in_joint_axes
        from symvi.simulate.reactions import gradients

        models = models_in_joint_axes(self.mechanism)
        rows = [gradients(model, self.bodies, self.x[n : n + 1], self.q[n : n + 1])[0] for model in models]
        matrix = np.concatenate([np.zeros((0, len(root))), *rows]) @ root.T
        _, sigma, vt = np.linalg.svd(matrix, full_matrices=True)
        rank = int((sigma > 1e-9 * max(sigma.max(initial=0.0), 1.0)).sum())
        return vt[rank:].T

    # --- matrices of single forces ------------------------------------------------------------------------------------
    def _matrices(self, force) -> Iterator[np.ndarray]:
        """(N, 6 n, 6 n), for a force that has any stiffness at the knots."""
        if force.kind == "point_spring" and force.length > 0.0:
            yield self._across(force)
        elif force.kind == "potential":
            yield self._of_potential(force)
        elif getattr(force, "law", "") == "sinusoidal":
            yield from self._swinging(force)

    def _across(self, force) -> np.ndarray:
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
        stiffness = self._setting(f"{force.name}.stiffness", force.stiffness)
        tension = np.maximum(stiffness * (length - self._setting(f"{force.name}.length", force.length)), 0.0)
        n = u / length[:, None]
        across = (tension / length)[:, None, None] * (np.eye(3) - np.einsum("ni,nj->nij", n, n))
        return np.einsum("nai,nab,nbj->nij", gradient, across, gradient)

    def _setting(self, name: str, described: float) -> float:
        return float(self.trajectory.settings.get(name, (described,))[0])

    def _of_potential(self, force) -> np.ndarray:
        """Second derivatives of a user's own potential, by differences of its gradient."""
        from symvi.physics.forces import force_model
        from symvi.physics.model import ConstraintModel
        from symvi.program.equations import Configuration, Equations

        model = force_model(self.mechanism, force)
        own = {
            key: self.trajectory.settings.get(f"{force.name}.{key}", p.values) for key, p in model.parameters.items()
        }
        numbers = {key: replace(p, values=tuple(own[key])) for key, p in model.parameters.items()}
        rows = ConstraintModel(model.name, "potential", model.bodies, model.groups, numbers, 1, ("energy",), ("J",))
        equations, size = Equations(list(self.bodies), [rows]), 6 * len(self.bodies)

        def slope(configuration: Configuration) -> np.ndarray:
            (found,), _ = equations.at(configuration)
            total = np.zeros(size)
            for k, gradient in found.gradients.items():
                total[6 * k : 6 * k + 6] = gradient[0]
            return total

        moving = [6 * self.bodies[name] + i for name in model.bodies.values() if name is not None for i in range(6)]
        result = np.zeros((len(self.knots), size, size))
        for n in range(len(self.knots)):
            here = Configuration(self.x[n], self.q[n], {})
            for column in moving:
                step = np.zeros(size)
                step[column] = DIFFERENCE
                ends = [slope(here.moved((sign * step).reshape(-1, 6))) for sign in (1.0, -1.0)]
                result[n, :, column] = (ends[0] - ends[1]) / (2 * DIFFERENCE)
        return np.nan_to_num((result + np.swapaxes(result, 1, 2)) / 2)

    def _swinging(self, force) -> Iterator[np.ndarray]:
        """The stiffness of a sinusoidal spring, where it swings far."""
        from symvi.physics.coordinates import joint_laws
        from symvi.physics.forces import force_model
        from symvi.simulate.reactions import gradients

        joint = self.mechanism.joint(force.joint)
        kinds = coordinate_kinds(joint.type)
        which = kinds.index("rotation")
        angles = self.trajectory.coordinates(force.joint)[:, which]
        described = force.rest if not isinstance(force.rest, Sequence) else force.rest[which]
        if np.abs((angles - described + np.pi) % (2 * np.pi) - np.pi).max() <= FAR:
            return
        model = joint_laws(self.mechanism, joint, [force_model(self.mechanism, force)])
        along = gradients(model, self.bodies, self.x, self.q)[:, which]
        stiffness = force.stiffness if not isinstance(force.stiffness, Sequence) else force.stiffness[which]
        yield self._setting(f"{force.name}.stiffness", stiffness) * np.einsum("ni,nj->nij", along, along)
