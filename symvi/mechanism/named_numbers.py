"""One number of a description by its name: its value there, its unit, a text of it in SI, and what follows it."""

from __future__ import annotations

from typing import Any

from symvi.errors import MechanismError
from symvi.mechanism.changing import SHAPE, STARTS, TABLE_OF_PARAMETERS, number_names, place_of, si_of
from symvi.mechanism.elements import Joint
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.mechanism import Mechanism
from symvi.mechanism.quantities import ALONG_AXES, along_joint

__all__ = ["in_si", "places_bodies", "unit_of", "value_of"]


def places_bodies(mechanism: Mechanism, name: str) -> bool:
    """Whether a number has a say in where bodies start."""
    owner, _, field = name.partition(".")
    body = owner in mechanism.body_names and field not in ("mass", "inertia")
    joint = any(element.name == owner for element in (*mechanism.joints, *mechanism.couplings))
    return (body or joint) and name in number_names(mechanism)


def value_of(mechanism: Mechanism, name: str) -> tuple[float, ...] | None:
    """What the description has there; None for what was left out. Raises MechanismError for a name that is none."""
    _, element, field = place_of(mechanism, name)
    if element is None:
        value = mechanism.gravity
    elif field.startswith(f"{SHAPE}."):
        value = getattr(element.shape, field.partition(".")[2])
    elif field in type(element).model_fields:
        value = getattr(element, field)
    else:
        value = getattr(element, TABLE_OF_PARAMETERS)[field]
    if value is None:
        return None
    return tuple(map(float, value)) if isinstance(value, tuple | list) else (float(value),)


def in_si(mechanism: Mechanism, name: str, value: object) -> object:
    """The same value with texts such as "60 deg" as numbers in SI.

    Raises MechanismError for a name that is none, and for a unit that does not measure it.
    """
    table, element, field = place_of(mechanism, name)
    if isinstance(element, Joint) and field in STARTS:
        try:
            return along_joint(value, coordinate_kinds(element.type), STARTS[field])
        except ValueError as error:
            raise MechanismError(f"joint '{element.name}': {field} {error}") from None
    return si_of(mechanism, table, element, field, value)


def unit_of(mechanism: Mechanism, name: str) -> tuple[str, ...]:
    """The unit of each entry in SI, or one for all of them; "" for a number that has none, or where it is not known."""
    _, element, field = place_of(mechanism, name)
    owner: Any = mechanism if element is None else element
    if field.startswith(f"{SHAPE}."):
        owner, field = owner.shape, field.partition(".")[2]
    item = type(owner).model_fields.get(field)
    extra = None if item is None else item.json_schema_extra
    unit: Any = extra.get("unit") if isinstance(extra, dict) else None
    if unit == "orientation" or not unit:
        return ("",)
    if unit not in ALONG_AXES:
        return (unit,) if isinstance(unit, str) else (unit[0],)
    joint = owner if isinstance(owner, Joint) else mechanism.joint(owner.joint)
    kinds = coordinate_kinds(joint.type)
    if hasattr(owner, "coordinate") and not isinstance(owner, Joint):
        kinds = kinds[owner.coordinate : owner.coordinate + 1]
    return tuple(ALONG_AXES[unit][kind != "translation"][0] for kind in kinds) or ("",)
