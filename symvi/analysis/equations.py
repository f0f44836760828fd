"""The constraints of a mechanism in numbers: residuals and gradients, from the same formulas as the kernels.

They serve decisions only: which rows are redundant, whether loops close. Nothing computed here is printed, except for
powers of two. All members of a type are evaluated together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symvi.analysis.evaluation import evaluate
from symvi.mechanism import Body, Mechanism, start_state
from symvi.mechanism.rotation import rotate
from symvi.physics import kinematics
from symvi.physics.formula import Formula
from symvi.physics.joints.rows import angle_about_axis, screw_advance
from symvi.physics.model import AtFirstKnot, Attitude, ConstraintModel, Data, Group, Position, Source, body_of

Array = NDArray[np.float64]
Angles = Mapping[tuple[str, str], float]


@dataclass(frozen=True, eq=False)
class Configuration:
    """n bodies: x (n, 3) centres of mass [m], q (n, 4) orientations; and unwrapped angles by (constraint, field)."""

    x: Array
    q: Array
    angles: Angles

    def moved(self, motion: Array) -> Configuration:
        """Displaced by (n, 6): a translation [m] and a rotation vector in world axes [rad] of each body."""
        angle = np.linalg.norm(motion[:, 3:], axis=1)
        half = 0.5 * np.sinc(angle / (2 * np.pi))[:, None] * motion[:, 3:]
        turn = np.concatenate([np.cos(0.5 * angle)[:, None], half], axis=1)
        q = evaluate(kinematics.turned, {"c": turn.T[:1], "a": turn.T[1:], "q": self.q.T})["q2"].T
        return Configuration(self.x + motion[:, :3], q / np.linalg.norm(q, axis=1)[:, None], self.angles)

    def turns(self) -> Array:
        """(n, 3, 3): the rotation matrix of every body."""
        return evaluate(kinematics.rotation_matrix, {"q": self.q.T})["R"].T.reshape(-1, 3, 3)


def start_configuration(mechanism: Mechanism, bodies: Sequence[Body], angles: Angles) -> Configuration:
    """The start placement of some bodies, as the description has it."""
    state = start_state(mechanism)
    places = [state.index(body.name) for body in bodies]
    q = state.orientation[places]
    arms = [rotate(tuple(turn), body.center_of_mass) for turn, body in zip(q, bodies, strict=True)]
    return Configuration(state.position[places] + np.array(arms).reshape(-1, 3), q, angles)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of one constraint: g (r,), and the gradient (r, 6) by every body it touches, by its index."""

    g: Array
    gradients: Mapping[int, Array]


class Equations:
    """All constraints of some models, over the bodies in the given order."""

    def __init__(self, bodies: Sequence[str], models: Sequence[ConstraintModel]):
        self.models = tuple(models)
        self.index = {name: k for k, name in enumerate(bodies)}
        types: dict[tuple, list[int]] = {}
        for k, model in enumerate(self.models):
            types.setdefault(_type(model), []).append(k)
        self.batches = [(members, _Batch([self.models[k] for k in members], self.index)) for members in types.values()]

    def at(self, configuration: Configuration) -> tuple[list[Rows], Configuration]:
        """The rows of every model, in order; and the configuration with its angles carried on to the nearest branch."""
        found: list[Rows] = [Rows(np.zeros(0), {})] * len(self.models)
        angles = dict(configuration.angles)
        for members, batch in self.batches:
            placed = _Placed(batch, configuration)
            for k, rows in zip(members, placed.rows(), strict=True):
                found[k] = rows
            angles |= placed.angles()
        return found, Configuration(configuration.x, configuration.q, angles)


def _type(model: ConstraintModel) -> tuple:
    """Models with the same formulas on the same kinds of inputs are evaluated together."""
    groups = tuple(
        (g.formula.name, repr(sorted(g.inputs.items())), g.rows, g.into, g.factor, tuple(g.bodies.items()))
        for g in model.groups
    )
    return groups, tuple((label, body is None) for label, body in model.bodies.items()), model.rows, model.offset


class _Batch:
    """Models of one type: their bodies, by index, and their parameters."""

    def __init__(self, models: list[ConstraintModel], index: Mapping[str, int]):
        self.models = models
        self.places = {  # of bodies, not of the world
            label: [index[body_of(model, label)] for model in models]
            for label, body in models[0].bodies.items()
            if body is not None
        }
        self._parameters: dict[str, Array] = {}

    def parameter(self, name: str) -> Array:
        """(size, models)"""
        if name not in self._parameters:
            self._parameters[name] = np.array([model.parameters[name].values for model in self.models], float).T
        return self._parameters[name]


class _Placed:
    """Models of one type at a configuration."""

    def __init__(self, batch: _Batch, configuration: Configuration):
        self.models, self.places, self._parameter = batch.models, batch.places, batch.parameter
        self.configuration = configuration
        self._known: dict[object, Array] = {}

    def rows(self) -> list[Rows]:
        first, count = self.models[0], len(self.models)
        g = np.zeros((first.rows, count))
        gradients = {label: np.zeros((first.rows, 6, count)) for label in self.places}
        for group in first.groups:
            factor = self._parameter(group.factor)[0] if group.factor else 1.0
            values = self._values(group.formula, group)
            into, chosen = list(group.into), list(group.rows)
            g[into] += factor * values["g"][chosen]
            for side, label in group.bodies.items():
                if label in gradients:
                    gradients[label][into] += factor * values[f"G_{side}"].reshape(-1, 6, count)[chosen]
        if first.offset:
            g[0] -= self._parameter(first.offset)[0]
        return [self._one(k, g, gradients) for k in range(count)]

    def _one(self, k: int, g: Array, gradients: Mapping[str, Array]) -> Rows:
        return Rows(g[:, k], {self.places[label][k]: values[:, :, k] for label, values in gradients.items()})

    def angles(self) -> dict[tuple[str, str], float]:
        """The unwrapped angles that the models carry, at this configuration."""
        found = {}
        for group in self.models[0].groups:
            near = group.inputs.get("near")
            if isinstance(near, Data):
                formula = angle_about_axis if group.formula is screw_advance else group.formula
                values = self._values(formula, group)["g"][0]
                found |= {(m.name, near.name): float(value) for m, value in zip(self.models, values, strict=True)}
        return found

    def _values(self, formula: Formula, group: Group) -> dict[str, Array]:
        return evaluate(formula, {a.name: self._known_source(group.inputs[a.name]) for a in formula.inputs})

    def _known_source(self, source: Source) -> Array:
        if source not in self._known:
            self._known[source] = self._source(source)
        return self._known[source]

    def _source(self, source: Source) -> Array:
        """(size, models): what an input of the formula is in every model."""
        if isinstance(source, Data):
            if source.store == "constant":
                return np.full((1, len(self.models)), float(source.name))
            if source.store == "parameters":
                return self._parameter(source.name)
            return np.array([[self.configuration.angles.get((m.name, source.name), 0.0) for m in self.models]])
        if isinstance(source, AtFirstKnot):
            raise TypeError("equations know one knot only")
        places = self.places.get(source.body)
        if isinstance(source, Position):
            return np.zeros((3, len(self.models))) if places is None else self.configuration.x[places].T
        offset = self._parameter(source.parameter)
        if places is None:
            return offset
        q = self.configuration.q[places].T
        if isinstance(source, Attitude):
            return evaluate(kinematics.carried_quaternion, {"q": q, "o": offset})["p"]
        if source.body not in self._known:
            self._known[source.body] = evaluate(kinematics.rotation_matrix, {"q": q})["R"]
        return evaluate(kinematics.carried_vector, {"R": self._known[source.body], "p": offset})["r"]
