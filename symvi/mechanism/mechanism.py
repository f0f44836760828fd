"""Mechanism: the validated whole of a description.

It is plain frozen data, so that equality, hash, digest and files come with it. State, step and tolerances are no part
of it: they are arguments of a simulation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from pydantic import SerializeAsAny

from symvi.errors import MechanismError
from symvi.mechanism.contacts import Contact
from symvi.mechanism.description import Complaint, Description
from symvi.mechanism.elements import Body, Coupling, Driver, Joint
from symvi.mechanism.elements_from_tables import TABLES, built_elements
from symvi.mechanism.forces import Force
from symvi.mechanism.limits import Limit
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.references import reference_complaints
from symvi.mechanism.tables import to_tables, toml_text
from symvi.mechanism.values import Name, Text, Vector, field
from symvi.registry import NOTEBOOK

__all__ = ["HasMechanism", "Mechanism"]


class HasMechanism(Protocol):
    """What stands for its mechanism: an import, which `symvi.load` returns."""

    @property
    def mechanism(self) -> Mechanism: ...


class Mechanism(Description):
    """Bodies, the joints, couplings and drivers that hold them, forces, contacts and limits, and gravity.

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
    contacts: tuple[Contact, ...] = field((), "surfaces that hold bodies off")
    limits: tuple[Limit, ...] = field((), "end stops of joint coordinates")
    description: Text = field("", "what the mechanism is, for readers")
    if TYPE_CHECKING:  # pydantic makes it, as for all that is frozen

        def __hash__(self) -> int: ...

    def __init__(self, /, **values: Any):
        elements = built_elements(values)
        found = [*elements.complaints, *reference_complaints(elements)]
        try:
            super().__init__(**(values | elements.tables))
        except MechanismError as error:
            own = zip(error.paths, error.problems, strict=True)
            found = [Complaint(("mechanism", *path), text) for path, text in own] + found
        if not any(table == "bodies" for table, _ in elements.names) and not elements.complaints:
            title = f"mechanism {shown(values['name'])}" if "name" in values else "mechanism"
            found.append(Complaint((), f"{title}: has no bodies; give at least one"))
        if found:
            raise MechanismError([complaint.text for complaint in found], [complaint.path for complaint in found])

    def __repr__(self) -> str:
        counts = {table: len(getattr(self, table)) for table in TABLES}
        words = (f"1 {TABLES[table].label}" if n == 1 else f"{n} {table}" for table, n in counts.items() if n)
        return f"<Mechanism {self.name}: {', '.join(words)}>"

    __str__ = __repr__

    def _repr_html_(self) -> str | None:
        """A picture, the joints and the freedoms, for a notebook."""
        return NOTEBOOK["mechanism"](self) if "mechanism" in NOTEBOOK else None

    @classmethod
    def merge(
        cls, name: str, *mechanisms: Mechanism | HasMechanism, prefixes: Sequence[str] | None = None
    ) -> Mechanism:
        """Several mechanisms as one.

        prefixes: one per mechanism, put with an underscore before the names of its elements; needed where two
            mechanisms share names, as two copies of one leg do. "" leaves the names as they are.
        Raises MechanismError if names collide, gravity differs, or the prefixes do not fit.
        """
        from symvi.mechanism.merge import merged_values

        return cls(**merged_values(name, [cls.of(mechanism) for mechanism in mechanisms], prefixes))

    @classmethod
    def of(cls, value: object) -> Mechanism:
        """The mechanism of what a caller gives for one: itself, or that of an import, which `symvi.load` returns.

        Raises MechanismError for anything else, a file's name for example.
        """
        found = value if isinstance(value, Mechanism) else getattr(value, "mechanism", None)
        if isinstance(found, Mechanism):
            return found
        raise MechanismError(
            f"{shown(value)} is no Mechanism; Mechanism.from_file(...) or symvi.load(...) makes one from a file, "
            "Mechanism(...) from bodies and joints"
        )

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Self:
        """The mechanism of a .toml or .json file. Raises MechanismError with all problems and their lines."""
        from symvi.mechanism.files import file_form, printable, read_text

        form = file_form(path)
        return cls._from_text(read_text(path), form, printable(path))

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """The mechanism of a TOML text. Raises MechanismError with all problems and their lines."""
        return cls._from_text(text, "toml", "text")

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The mechanism of a JSON text. Raises MechanismError with all problems and their lines."""
        return cls._from_text(text, "json", "text")

    @classmethod
    def _from_text(cls, text: str, form: str, source: str) -> Self:
        from symvi.mechanism.files import file_values, parsed, with_lines
        from symvi.mechanism.quantities import in_si

        tables, found = in_si(parsed(text, form, source), cls.model_fields)
        values, misplaced = file_values(tables)
        found += misplaced
        mechanism = None
        try:
            mechanism = cls(**values)
        except MechanismError as error:
            # A quantity that could not be read has its complaint already; as a text it is also no number.
            unread = [complaint.path for complaint in found]
            later = map(Complaint, error.paths, error.problems)
            found += [complaint for complaint in later if not any(_same(complaint.path, path) for path in unread)]
        if found or mechanism is None:
            raise with_lines(found, text, form, source)
        return mechanism

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON Schema of mechanism files, in JSON and in TOML."""
        from symvi.mechanism.schema import file_schema

        return file_schema(Mechanism.model_fields)

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

    def contact(self, name: str) -> Contact:
        """The contact of this name. Raises MechanismError with the nearest name."""
        return self._element("contacts", name)

    def limit(self, name: str) -> Limit:
        """The limit of this name. Raises MechanismError with the nearest name."""
        return self._element("limits", name)

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

    def to_toml(self) -> str:
        """The description as TOML, in the form of its files."""
        return toml_text(to_tables(self))

    @cached_property
    def _tables(self) -> dict[str, dict[str, Any]]:
        return {table: {element.name: element for element in getattr(self, table)} for table in TABLES}

    def _element(self, table: str, name: str) -> Any:
        elements = self._tables[table]
        if not isinstance(name, str) or name not in elements:
            remedy = did_you_mean(name if isinstance(name, str) else "", elements)
            raise MechanismError(f"mechanism '{self.name}': no {TABLES[table].label} {shown(name)}; {remedy}")
        return elements[name]


def _same(path: tuple[str | int, ...], other: tuple[str | int, ...]) -> bool:
    """Whether one path leads through the other, within one element."""
    shorter = min(len(path), len(other))
    return shorter > 2 and path[:shorter] == other[:shorter]
