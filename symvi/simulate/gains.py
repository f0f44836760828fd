"""Gains of servos. They are parameters of the solver; a run may set them anew for every step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.values import LARGEST
from symvi.registry import law_of
from symvi.simulate.inputs import layout
from symvi.simulate.plan import Plan

FIELDS = ("stiffness", "damping")


class Gains:
    """servo.stiffness and servo.damping of every servo, where they lie among the parameters."""

    def __init__(self, mechanism: Mechanism, plan: Plan, most: float = LARGEST):
        self.most = most
        servos = [force.name for force in mechanism.forces if (law := law_of(force)) and law.is_aimed]
        self.names = tuple(f"{servo}.{field}" for servo in servos for field in FIELDS)
        self.places = np.array([plan.parameters[name][0][0] for name in self.names], int)

    def split(self, given: Mapping[str, object]) -> tuple[dict[str, object], dict[str, object]]:
        """What is given for inputs, and what for gains."""
        gains = {name: value for name, value in given.items() if name in self.names}
        return {name: value for name, value in given.items() if name not in gains}, gains

    def overlay(self, rows: np.ndarray, given: Mapping[str, object]) -> np.ndarray:
        """Put given gains over (N, g) rows and return them. Raises MechanismError for values that are no gains."""
        for name, values in given.items():
            array = np.asarray(layout(name, values, len(rows), 1, self.most), float)
            if array.min() < 0:
                raise MechanismError(f"gain {name}: must not be negative")
            rows[:, self.names.index(name)] = array.reshape(-1)
        return rows
