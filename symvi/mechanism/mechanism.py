"""Mechanism: the validated whole of a description.

It is plain frozen data, so that equality, hash, digest and files come with it. State, step and tolerances are no part
of it: they are arguments of a simulation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from pydantic import SerializeAsAny

from symvi.errors import MechanismError
from symvi.mechanism.build import TABLES, built_elements
from symvi.mechanism.description import Complaint, Description
from symvi.mechanism.elements import Body, Coupling, Driver, Joint
from symvi.mechanism.forces import Force
from symvi.mechanism.merge import merged_values
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.references import reference_complaints
from symvi.mechanism.tables import to_tables
from symvi.mechanism.values import Name, Text, Vector, field

__all__ = ["Mechanism"]


class Mechanism(Description):
    """Bodies, the joints, couplings and drivers that hold them, the forces on them, and gravity.

    Elements may be given as objects or as tables of their fields. The world is the fixed parent named "world".
    Raises MechanismError with every problem of every element.
    """

    label: ClassVar[str] = "mechanism"
    name: Name = field(..., "name of the mechanism; generated files and symbols begin with it")
    gravity: Vector = field((0.0, 0.0, -9.81), "acceleration of free fall in the world", "m/s^2")
    bodies: tuple[Body, ...] = field((), "bodies, in the order of the state")
    joints: tuple[Joint, ...] = field((), "joints")
    couplings: tuple[Coupling, ...] = field((), "gears between joint coordinates")
    drivers: tuple[Driver, ...] = field((), "joint coordinates that follow an input")
    forces: tuple[SerializeAsAny[Force], ...] = field((), "forces besides gravity")
    description: Text = field("", "what the mechanism is, for readers")

    def __init__(self, /, **values: Any):
        elements = built_elements(values)
        found = [*elements.complaints, *reference_complaints(elements)]
        try:
            super().__init__(**(values | elements.tables))
        except MechanismError as error:
            own = zip(error.paths, error.problems, strict=True)
            found = [Complaint(("mechanism", *path), text) for path, text in own] + found
        if not elements.names:
            found.append(Complaint((), f"mechanism {shown(values.get('name'))}: has no bodies; give at least one"))
        if found:
            raise MechanismError([complaint.text for complaint in found], [complaint.path for complaint in found])

    @classmethod
    def merge(cls, name: str, *mechanisms: Mechanism, prefixes: Sequence[str] | None = None) -> Mechanism:
        """Several mechanisms as one.

        prefixes: one per mechanism, put with an underscore before the names of its elements; needed where two
            mechanisms share names, as two copies of one leg do. "" leaves the names as they are.
        Raises MechanismError if names collide, gravity differs, or the prefixes do not fit.
        """
        return cls(**merged_values(name, mechanisms, prefixes))

    def body(self, name: str) -> Body:
        """The body of this name. Raises MechanismError with the nearest name."""
        return self._element("bodies", name)

    def joint(self, name: str) -> Joint:
        """The joint of this name. Raises MechanismError with the nearest name."""
        return self._element("joints", name)

    def coupling(self, name: str) -> Coupling:
        """The coupling of this name. Raises MechanismError with the nearest name."""
        return self._element("couplings", name)

    def driver(self, name: str) -> Driver:
        """The driver of this name. Raises MechanismError with the nearest name."""
        return self._element("drivers", name)

    def force(self, name: str) -> Force:
        """The force of this name. Raises MechanismError with the nearest name."""
        return self._element("forces", name)

    @property
    def body_names(self) -> tuple[str, ...]:
        """The names of the bodies in the order of the state."""
        return tuple(body.name for body in self.bodies)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON, in hexadecimal: equal for equal mechanisms, on every machine."""
        return hashlib.sha256(self.to_json(indent=None).encode()).hexdigest()

    def to_json(self, indent: int | None = 2) -> str:
        """The description as JSON, in the form of its files; without indent it is the canonical form."""
        separators = (",", ":") if indent is None else None
        return json.dumps(to_tables(self), indent=indent, separators=separators, ensure_ascii=False, allow_nan=False)

    @cached_property
    def _tables(self) -> dict[str, dict[str, Any]]:
        return {table: {element.name: element for element in getattr(self, table)} for table in TABLES}

    def _element(self, table: str, name: str) -> Any:
        elements = self._tables[table]
        if name not in elements:
            remedy = did_you_mean(str(name), elements)
            raise MechanismError(f"mechanism '{self.name}': no {TABLES[table].label} {shown(name)}; {remedy}")
        return elements[name]

    def changed(self, **changes: Any) -> Self:
        """A copy with some fields changed, validated like a new one."""
        return super().changed(**changes)
