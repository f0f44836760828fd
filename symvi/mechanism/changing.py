"""A mechanism with other numbers: lengths, anchors, axes, masses, by element.field, through the checks of a new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import EllipsisType, NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

from symvi.errors import MechanismError
from symvi.mechanism.description import Description
from symvi.mechanism.elements import Joint
from symvi.mechanism.elements_from_tables import TABLES
from symvi.mechanism.mechanism import Mechanism
from symvi.mechanism.names import did_you_mean, shown
from symvi.mechanism.quantities import in_si
from symvi.mechanism.starting import starting_at
from symvi.mechanism.values import Parameters

__all__ = ["full_names", "number_names", "with_numbers"]

Value = TypeVar("Value")
Tables = dict[str, dict[str, dict[str, Any]]]  # table -> element -> field -> value

NUMBERS = (float, NoneType, EllipsisType, Parameters)
GRAVITY = "gravity"
TABLE_OF_PARAMETERS, SHAPE = "parameters", "shape"
STARTS = {"coordinate": "coordinate", "velocity": "coordinate/s"}  # of joints: their starts (starting.py), what unit


def with_numbers(mechanism: Mechanism, changes: Mapping[str, object]) -> Mechanism:
    """The mechanism with these numbers in place of its own.

    changes: "gravity", "element.field", "element.shape.field" or "element.parameter" -> number(s) in SI, or texts with
    units, as a file has them: {"pin.parent_anchor": (0, 0, "25 cm"), "rod.shape.length": 0.5}. "rod.length" is short
    for the latter. What follows from a number that was left out follows it here too: the inertia of a solid its shape
    and mass.
    Raises MechanismError, naming it, for a name that no number has, and for all that a new description is refused for.
    """
    starts: dict[str, dict[str, Any]] = {field: {} for field in STARTS}
    tables: Tables = {}
    gravity = {}
    for name, value in full_names(mechanism, changes).items():
        table, element, field = place_of(mechanism, name)
        if value is None:
            raise MechanismError(f"{name}: None is no number; what is left out is left out of the description")
        if element is None:
            gravity = {GRAVITY: _as_list(value)}
        elif isinstance(element, Joint) and field in STARTS:
            starts[field][element.name] = value
        else:
            _enter(tables.setdefault(table, {}).setdefault(element.name, {}), element, field, value)
    gravity, tables = _in_si(mechanism, gravity, tables)
    changed: dict[str, Any] = dict(gravity)
    for table, elements in tables.items():
        changed[table] = [_changed(item, elements.get(item.name)) for item in getattr(mechanism, table)]
    found = mechanism.changed(**changed) if changed else mechanism
    return starting_at(found, starts["coordinate"], starts["velocity"]) if any(starts.values()) else found


def full_names(mechanism: Mechanism, values: Mapping[str, Value]) -> dict[str, Value]:
    """The same under full names: "rod.length" is "rod.shape.length" where the rod itself has no such number.

    Raises MechanismError where two of them are one.
    """
    known, found, told = set(number_names(mechanism)), {}, {}
    for name, value in values.items():
        owner, dot, field = name.partition(".") if isinstance(name, str) else (name, "", "")
        full = f"{owner}.{SHAPE}.{field}" if dot and name not in known else name
        full = full if full in known else name
        if full in found:
            raise MechanismError(f"{told[full]} and {name} are the same number; name it once")
        found[full], told[full] = value, name
    return found


def number_names(mechanism: Mechanism) -> Iterator[str]:
    """All names that `with_numbers` knows."""
    yield GRAVITY
    for table in TABLES:
        for element in getattr(mechanism, table):
            yield from (f"{element.name}.{field}" for field in _fields(element))


def _fields(element: Description) -> Iterator[str]:
    """The names of an element's numbers, those of its shape and its own parameters among them."""
    own = numeric_fields(type(element))
    yield from (field for field in own if field != TABLE_OF_PARAMETERS)
    yield from getattr(element, TABLE_OF_PARAMETERS, {})
    if isinstance(shape := getattr(element, SHAPE, None), Description):
        yield from (f"{SHAPE}.{field}" for field in numeric_fields(type(shape)))


@cache
def numeric_fields(model: type[Description]) -> tuple[str, ...]:
    """The fields of a description that hold numbers and nothing else."""
    return tuple(name for name, item in model.model_fields.items() if _is_numeric(item.annotation))


def _is_numeric(kind: Any) -> bool:
    if get_origin(kind) is Annotated:
        return _is_numeric(get_args(kind)[0])
    if inner := get_args(kind):
        return get_origin(kind) is not None and all(_is_numeric(each) for each in inner)
    return kind in NUMBERS or kind is Ellipsis


def place_of(mechanism: Mechanism, name: object) -> tuple[str, Any, str]:
    """(table, element, field) of a name; the element is None for gravity. Raises MechanismError."""
    if not isinstance(name, str):
        raise MechanismError(f"{shown(name)}: names are texts, such as gravity or element.field")
    if name == GRAVITY:
        return "", None, name
    owner, _, field = name.partition(".")
    for table in TABLES:
        for element in getattr(mechanism, table):
            if element.name == owner:
                return table, element, _checked(element, field)
    raise MechanismError(
        f"mechanism '{mechanism.name}': no number {shown(name)}; {did_you_mean(name, number_names(mechanism))}"
    )


def _checked(element: Any, field: str) -> str:
    """The field, if it holds numbers. Raises MechanismError."""
    known = tuple(_fields(element))
    if field in known:
        return field
    title = f"{element.label} '{element.name}'"
    if field in type(element).model_fields:
        raise MechanismError(f"{title}: {field} is no number; it decides what is built: change the description instead")
    raise MechanismError(f"{title}: no number {shown(field)}; {did_you_mean(field, known)}")


def _enter(values: dict[str, Any], element: Any, field: str, value: object) -> None:
    """Put a value among the new fields of an element."""
    value = _as_list(value)
    if field.startswith(f"{SHAPE}."):
        shape = {**element.shape.given(), "kind": element.shape.kind}
        values.setdefault(SHAPE, shape)[field.partition(".")[2]] = value
    elif field in numeric_fields(type(element)):
        values[field] = value
    else:
        values.setdefault(TABLE_OF_PARAMETERS, {})[field] = value


def _as_list(value: object) -> object:
    """Tuples as lists, which files have."""
    return list(value) if isinstance(value, tuple) else value


def si_of(mechanism: Mechanism, table: str, element: Any, field: str, value: object) -> object:
    """A value of a number, where `place_of` found it, with texts with units in SI. Raises MechanismError."""
    value = _as_list(value)
    if element is None:
        return _in_si(mechanism, {GRAVITY: value}, {})[0][GRAVITY]
    values: dict[str, Any] = {}
    _enter(values, element, field, value)
    found = _in_si(mechanism, {}, {table: {element.name: values}})[1][table][element.name]
    if field.startswith(f"{SHAPE}."):
        return found[SHAPE][field.partition(".")[2]]
    return found[field] if field in numeric_fields(type(element)) else found[TABLE_OF_PARAMETERS][field]


def _in_si(mechanism: Mechanism, gravity: dict[str, Any], tables: Tables) -> tuple[dict[str, Any], Tables]:
    """Texts with units as numbers. Raises MechanismError."""
    if not _has_text([gravity, tables]):
        return gravity, tables
    told: dict[str, Any] = {"mechanism": {"name": mechanism.name, **gravity}}
    told["joints"] = {joint.name: {"type": joint.type} for joint in mechanism.joints}
    for table, elements in tables.items():
        own = {element.name: element for element in getattr(mechanism, table)}
        for name, values in elements.items():
            about = {key: getattr(own[name], key) for key in ("kind", "type", "joint") if hasattr(own[name], key)}
            if "coordinate" in type(own[name]).model_fields and "coordinate" not in values:
                about["coordinate"] = own[name].coordinate
            told.setdefault(table, {})[name] = {**about, **values}
    found, complaints = in_si(told, type(mechanism).model_fields)
    if complaints:
        raise MechanismError([item.text for item in complaints], [item.path for item in complaints])
    read = {
        table: {name: {field: found[table][name][field] for field in values} for name, values in elements.items()}
        for table, elements in tables.items()
    }
    return {key: found["mechanism"][key] for key in gravity}, read


def _has_text(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_has_text(item) for key, item in value.items() if key != "kind")
    return isinstance(value, str) or (isinstance(value, list) and any(map(_has_text, value)))


def _changed(element: Any, values: Mapping[str, Any] | None) -> Any:
    if not values:
        return element
    changes = dict(values)
    if TABLE_OF_PARAMETERS in changes:
        changes[TABLE_OF_PARAMETERS] = {**element.parameters, **changes[TABLE_OF_PARAMETERS]}
    if "inertia" in changes and element.shape is not None and element.center_of_mass == element.shape.position:
        changes.setdefault("center_of_mass", changes.get(SHAPE, {}).get("position", element.shape.position))
    return element.changed(**changes)
