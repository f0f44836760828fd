"""From tables of plain values to elements, with every problem of every element collected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from symvi.errors import MechanismError
from symvi.mechanism.contacts import Contact
from symvi.mechanism.description import Complaint, Description
from symvi.mechanism.elements import Body, Coupling, Driver, Joint
from symvi.mechanism.forces import FORCES, Force
from symvi.mechanism.limits import Limit
from symvi.mechanism.names import checked_name, did_you_mean, shown
from symvi.mechanism.values import items_of

__all__ = ["TABLES", "Elements", "built_elements", "element_class"]

# The tables of a mechanism in the order in which files and records hold them.
TABLES: dict[str, type[Description]] = {
    "bodies": Body,
    "joints": Joint,
    "couplings": Coupling,
    "drivers": Driver,
    "forces": Force,
    "contacts": Contact,
    "limits": Limit,
}


@dataclass
class Elements:
    """What came of the tables: the elements that are right, those that are wrong, and why.

    tables: the right elements of each table, in order
    wrong: (table, name, fields) of the others, so that their references can be checked all the same
    names: (table, name) of all, in order, as often as they were given
    """

    tables: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    wrong: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)


def element_class(table: str, values: Mapping[str, Any]) -> type[Description] | None:
    """The class of an element; None for a force of unknown kind."""
    if table != "forces":
        return TABLES[table]
    kind = values.get("kind")
    return FORCES.get(kind) if isinstance(kind, str) else None


def built_elements(values: Mapping[str, Any]) -> Elements:
    """Build the elements of all tables.

    Each table is a list of elements or of tables of their fields, or a table of such tables by name.
    """
    elements = Elements()
    for table in TABLES:
        built = []
        for name, item in _items(table, values.get(table, ()), elements.complaints):
            elements.names.append((table, name))
            try:
                built.append(_element(table, name, item))
            except MechanismError as error:
                places = ((table, name, *path) for path in error.paths)
                elements.complaints.extend(map(Complaint, places, error.problems))
                if isinstance(item, Mapping):
                    elements.wrong.append((table, name, item))
        elements.tables[table] = tuple(built)
    return elements


def _items(table: str, given: object, complaints: list[Complaint]) -> Iterator[tuple[str, Any]]:
    """(name, element or its fields) of a table in either form."""
    if isinstance(given, Mapping):
        for name, item in given.items():
            if isinstance(item, Mapping) and item.get("name", name) != name:
                title = f"{TABLES[table].label} {shown(name)}"
                complaints.append(
                    Complaint((table, str(name), "name"), f"{title}: has two names; remove the field name")
                )
            yield str(name), ({**item, "name": name} if isinstance(item, Mapping) else item)
    elif not isinstance(given, Description) and (items := items_of(given)) is not None:
        for item in items:
            name = item.get("name", "") if isinstance(item, Mapping) else getattr(item, "name", "")
            yield str(name), item
    else:
        complaints.append(Complaint((table,), f"{table} {shown(given)} must be a list or a table"))


def _element(table: str, name: str, item: object) -> Description:
    expected = TABLES[table]
    if isinstance(item, tuple(FORCES.values()) if table == "forces" else expected):
        return item
    title = f"{expected.label} {shown(name)}"
    if not isinstance(item, Mapping):
        raise MechanismError(f"{title}: {shown(item)} must be a {expected.label} or a table of its fields")
    model = element_class(table, item)
    if model is None:
        kind = item.get("kind")
        found = f"kind {shown(kind)} is unknown" if "kind" in item else "kind is missing"
        problems = [f"{title}: {found}; {did_you_mean(str(kind), FORCES)}"]
        places: list[tuple[str, ...]] = [("kind",) if "kind" in item else ()]
        try:
            checked_name(item.get("name"))
        except ValueError as error:
            problems.append(f"{title}: name {shown(name)} {error}")
            places.append(("name",))
        raise MechanismError(problems, places)
    return model(**{str(key): value for key, value in item.items()})
