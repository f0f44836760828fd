"""What a new value of a parameter changes in a solver's memory, and whether it may be had."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from symvi.errors import MechanismError
from symvi.mechanism import Mechanism
from symvi.mechanism.names import did_you_mean, shown
from symvi.numbers.derived_parameters import OF_UNITS, may_be_set
from symvi.simulate.arguments import real_numbers
from symvi.simulate.plan import Plan
from symvi.simulate.run_parameters import (
    Settings,
    body_numbers,
    body_weight,
    contact_units,
    in_memory,
    parameter_problem,
    settable,
)

if TYPE_CHECKING:
    from symvi.simulate.described import Described

Change = tuple[slice, tuple[float, ...]]


class ParameterChanges:
    """The parameters of one mechanism, in the memory of its plan and a precision.

    settable: the solver's names that can be set -> the plan's names of all that they stand for.
    """

    def __init__(self, mechanism: Mechanism, plan: Plan, real: str):
        self.mechanism, self.plan, self.real = mechanism, plan, real
        self.settable = settable(mechanism, plan)

    @cached_property
    def described(self) -> dict[str, Described]:
        """The parameters of the description by name, with their values there."""
        from symvi.simulate.described import described

        return described(self.mechanism, self.settable, self.plan.notes["baked"])

    def own(self, name: str, value: object) -> Iterator[tuple[str, object]]:
        """The solver's parameters that a name stands for, and what they become. Raises MechanismError."""
        from symvi.program.precision import bounds_in

        if not isinstance(name, str):
            raise MechanismError(f"parameter {shown(name)}: names are texts, as in parameter_names")
        if name not in self.described:  # the solver's own names, which a reader of the generated text knows
            if name in self.settable and not may_be_set(self.plan.notes["derived"]["free"], name):
                raise MechanismError(
                    f"parameter {name}: it follows from others, or is tied to them, and cannot be set alone; "
                    "change the description instead (with_parameters)"
                )
            yield name, value
            return
        values = self._finite(name, value, len(self.described[name].value))
        for own, numbers in self.described[name].numbers(tuple(values.tolist())).items():
            yield own, bounds_in(numbers, self.real) if own.endswith(".bound") else numbers

    def of(self, title: str, name: str, value: object, settings: Settings) -> tuple[dict, list[Change]]:
        """Settings with a parameter by its name in the solver, and all that memory holds otherwise for it.

        Errors call it `title`. Raises MechanismError for a value that it cannot have.
        """
        from symvi.mechanism.changing import number_names

        if name not in self.settable:
            known = (*self.described, *number_names(self.mechanism))
            if name in known:
                raise MechanismError(f"parameter {name}: it cannot be set in this text; use with_parameters")
            raise MechanismError(f"no parameter {shown(name)}; {did_you_mean(str(name), known)}")
        places = [place for own in self.settable[name] for place in self.plan.parameters[own]]
        size = places[0][1]
        values = self._finite(title, value, size)
        self._check_baked(title, name, values)
        body, _, field = name.rpartition(".")
        of_joint = any(joint.name == body for joint in self.mechanism.joints)
        if problem := parameter_problem(name, values, self.real, of_joint):
            raise MechanismError(f"parameter {title}: {value!r} {problem}")
        settings = {**settings, name: tuple(float(x) for x in values)}
        changes = [(slice(offset, offset + size), settings[name]) for offset, _ in places]
        if field in ("mass", "inertia") and body in self.plan.bodies:
            changes += self._of_body(body, settings)
        if field in OF_UNITS and self.plan.notes["inequalities"]:
            changes += self._of_units(settings)
        if not all(isfinite(x) for _, numbers in changes for x in in_memory(numbers, self.real)):
            raise MechanismError(f"parameter {title}: {value!r} is too large: what follows from it is not finite")
        return settings, changes

    def _finite(self, title: str, value: object, size: int) -> np.ndarray:
        values = real_numbers(value)
        if values is None or values.size != size or not np.isfinite(values).all():
            raise MechanismError(f"parameter {title}: {shown(value)} must be {size} finite number(s)")
        return values.reshape(size)

    def _check_baked(self, title: str, name: str, values: np.ndarray) -> None:
        """Raises MechanismError where the text has another value baked in."""
        for own in self.settable[name]:
            for k, fixed in self.plan.notes.get("baked", {}).get(own, {}).items():
                if values[int(k)] != fixed:
                    raise MechanismError(
                        f"parameter {title}[{k}]: the text was generated for what the description has there; change "
                        "the description instead (with_parameters)"
                    )

    def _of_body(self, name: str, settings: Settings) -> Iterator[tuple[slice, tuple[float, ...]]]:
        """What follows from a changed mass or inertia: a solid's inertia, and the weight of the body's residual."""
        k = self.plan.bodies.index(name)
        mass, inertia = body_numbers(self.mechanism.bodies[k], settings)
        weight = body_weight(mass, inertia, self.plan.notes["derived"]["radii"][k], self.real)
        for part, numbers in (("inertia", inertia), ("size", (weight,))):
            yield self.plan.at("parameters", "body", k, part), numbers

    def _of_units(self, settings: Settings) -> Iterator[tuple[slice, tuple[float, ...]]]:
        """What complementarity is measured by follows masses and gravity."""
        units = contact_units(self.mechanism, settings, self.real)
        places = {"common": ("common", 0)}
        places |= {node["name"]: (node["kind"], node["index"]) for node in self.plan.notes["inequalities"]}
        for name, (kind, index) in places.items():
            for field, value in units[name].items():
                yield self.plan.at("parameters", kind, index, field), (value,)
