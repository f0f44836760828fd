"""The plan of a mechanism on the text of another one, where both have the same text but for the defaults in it.

What decides a text is compared (program/outline.py), and so are the exact zeros and ones that it has as constants.
Nothing is taken on trust: the numbers of the first mechanism must come out, every one, as its text has them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from symvi.analysis.choices import Choices
from symvi.kernels.body_kernels import BODY
from symvi.mechanism import Mechanism
from symvi.numbers.derived_parameters import derivation_of
from symvi.physics.multibody import MultibodySystem
from symvi.program.outline import Outline, numbers_of, of_body, outline_of
from symvi.program.precision import parameters_in
from symvi.program.problem import Problem
from symvi.simulate.plan import Plan
from symvi.simulate.solver_build import decided, registered

EXACT = (-1.0, 0.0, 1.0)  # numbers that a text may have as constants


@dataclass(frozen=True, eq=False)
class Basis:
    """A mechanism as far as its program can be told without composing it: its models, and the rows that were chosen."""

    system: MultibodySystem
    choices: Choices

    @cached_property
    def outline(self) -> Outline:
        """What decides the text but for exact numbers."""
        return outline_of(self.system, self.choices)

    @cached_property
    def notes(self) -> dict[str, Any]:
        """What a plan tells that follows from numbers."""
        mechanism, problem = self.system.mechanism, Problem(self.system, self.choices)
        radii = [problem.radius(body.name) for body in mechanism.bodies]
        return {"derived": derivation_of(mechanism, radii), **self.choices.notes}

    def numbers(self, plan: Plan, real: str) -> np.ndarray | None:
        """All parameters in the order of a plan, as a text in "double" or "float" has them; None if one is unknown."""
        known, parameters = numbers_of(self.system, self.choices), {}
        for (kind, index), fields in plan.records.items():
            name = plan.elements.get((kind, index), "")
            own = known.get(of_body(name) if kind == BODY else name, {})
            parameters[kind, index] = found = {}
            for field, (_, size) in fields.items():
                values = own.get(field, (0.0,) * size if field == "guard" else None)
                if values is None or len(values) != size:
                    return None
                found[field] = values
        parameters = parameters_in(parameters, {**plan.notes, **self.notes}, real)
        result = np.zeros(plan.sizes["parameters"])
        for node, fields in plan.records.items():
            for field, (offset, size) in fields.items():
                result[offset : offset + size] = parameters[node][field]
        return result


@lru_cache(maxsize=64)
def basis_of(mechanism: Mechanism, loops: str, registrations: tuple[int, ...]) -> Basis:
    """Checks a mechanism as a new one is checked. registrations: see `registered`.

    Raises MechanismError, AssemblyError.
    """
    return Basis(*decided(mechanism, loops))


def basis(mechanism: Mechanism, loops: str) -> Basis:
    """The basis of a mechanism, kept for the next time."""
    return basis_of(mechanism, loops, registered(mechanism))


def renumbered(plan: Plan, own: Basis, new: Basis, real: str) -> Plan | None:
    """The plan of a new mechanism on the text that a plan is of; None where it has a text of its own.

    own: the basis of the mechanism that the text is of.
    """
    if own.outline != new.outline or own.choices.notes.keys() != new.choices.notes.keys():
        return None
    here, there = own.numbers(plan, real), new.numbers(plan, real)
    if here is None or there is None or here.tobytes() != np.array(plan.defaults).tobytes():
        return None
    if not np.array_equal(_constants(plan, here), _constants(plan, there), equal_nan=True):
        return None
    mechanism = new.system.mechanism
    return replace(plan, digest=mechanism.digest, defaults=tuple(there.tolist()), notes={**plan.notes, **new.notes})


def _constants(plan: Plan, numbers: np.ndarray) -> np.ndarray:
    """What a text may have as constants: of entries that are 0, 1 or -1 in all nodes of a type; else no number."""
    found = np.full(len(numbers), np.nan)
    for places in plan.columns:
        values = numbers[places]
        exact = values[0] if values[0] in EXACT and (values == values[0]).all() else np.nan
        found[places] = exact
    return found
