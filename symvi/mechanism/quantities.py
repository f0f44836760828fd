"""Where units may stand in a file: every text in a field that has a unit becomes a number in SI.

The unit of a joint's coordinates, and of what acts along them, follows from the joint's type: m for translations, rad
for rotations. An orientation may also be written as {axis = [0, 1, 0], angle = "30 deg"}.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic.fields import FieldInfo

from symvi.mechanism.description import Complaint
from symvi.mechanism.elements_from_tables import TABLES, element_class
from symvi.mechanism.joint_table import coordinate_kinds
from symvi.mechanism.names import shown
from symvi.mechanism.rotation import about
from symvi.mechanism.shapes import SHAPES
from symvi.mechanism.units import quantity
from symvi.mechanism.values import numbers
from symvi.registry import JOINTS

__all__ = ["along_joint", "in_si"]

# Quantities along a joint's coordinates: the units for a translation and for a rotation.
ALONG_AXES = {
    "coordinate": (("m",), ("rad",)),
    "coordinate/s": (("m/s",), ("rad/s",)),
    "stiffness": (("N/m",), ("N m/rad", "N m")),
    "damping": (("N s/m",), ("N m s/rad", "N m s")),
    "effort": (("N",), ("N m",)),
}
Units = tuple[str, ...]
Path = tuple[str | int, ...]


def in_si(tables: Mapping[str, Any], own_fields: Mapping[str, FieldInfo]) -> tuple[dict[str, Any], list[Complaint]]:
    """The tables of a file with numbers in SI, and a complaint for each quantity that cannot be read.

    own_fields: the fields of the table [mechanism]. What cannot be read stays as it is.
    """
    complaints: list[Complaint] = []
    result = dict(tables)
    if isinstance(tables.get("mechanism"), Mapping):
        title = f"mechanism {shown(tables['mechanism'].get('name'))}"
        result["mechanism"] = _Reader(title, (), complaints).table(("mechanism",), tables["mechanism"], own_fields)
    for table in TABLES:
        if not isinstance(tables.get(table), Mapping):
            continue
        result[table] = dict(tables[table])
        for name, item in tables[table].items():
            model = element_class(table, item) if isinstance(item, Mapping) else None
            if model is not None:
                reader = _Reader(f"{model.label} {shown(name)}", _kinds(table, item, tables), complaints)
                result[table][name] = reader.table((table, name), item, model.model_fields)
    return result, complaints


def _kinds(table: str, item: Mapping[str, Any], tables: Mapping[str, Any]) -> tuple[str, ...]:
    """The coordinates that an element is about, by the type of its joint; empty if that is not known."""
    joint: Any = item
    if table != "joints":
        joints, name = tables.get("joints"), item.get("joint")
        joint = joints.get(name) if isinstance(joints, Mapping) and isinstance(name, str) else None
    kind = joint.get("type") if isinstance(joint, Mapping) else None
    kinds = coordinate_kinds(kind) if isinstance(kind, str) and kind in JOINTS else ()
    if table != "limits":
        return kinds
    k = item.get("coordinate", 0)
    return kinds[k : k + 1] if isinstance(k, int) else kinds


def along_joint(given: Any, kinds: Sequence[str], along: str = "coordinate") -> Any:
    """What was given along the coordinates of a joint, with texts such as "60 deg" as numbers in SI.

    given: one or several. kinds: of the coordinates. along: a key of ALONG_AXES. Raises ValueError for a text that is
    no such quantity, which it begins with.
    """

    def in_si_units(item: Any, k: int) -> Any:
        if not isinstance(item, str):
            return item
        units = ALONG_AXES[along][0 if kinds[k : k + 1] == ("translation",) else 1]
        try:
            return quantity(item, units)
        except ValueError as error:
            raise ValueError(f"{shown(item)} {error}") from None

    if isinstance(given, (list, tuple)):
        return [in_si_units(item, k) for k, item in enumerate(given)]
    return in_si_units(given, 0)


class _Reader:
    """Reads the fields of one element and notes what is wrong."""

    def __init__(self, title: str, kinds: Sequence[str], complaints: list[Complaint]):
        self.title, self.kinds, self.complaints = title, kinds, complaints

    def table(self, path: Path, values: Mapping[str, Any], fields: Mapping[str, FieldInfo]) -> dict[str, Any]:
        result = dict(values)
        for name, value in values.items():
            extra = fields[name].json_schema_extra if name in fields else None
            unit = extra.get("unit") if isinstance(extra, dict) else None
            if name == "shape" and isinstance(value, Mapping) and value.get("kind") in list(SHAPES):
                result[name] = self.table((*path, name), value, SHAPES[value["kind"]].model_fields)
            elif unit == "orientation":
                result[name] = self.orientation((*path, name), value)
            elif unit is not None:
                result[name] = self.numbers((*path, name), value, self.units(unit))
        return result

    def units(self, unit: Any) -> Callable[[int | None], Units]:
        """The units of the i-th number of a field, or of its only one (None)."""
        if unit not in ALONG_AXES:
            own = (unit,) if isinstance(unit, str) else tuple(unit)
            return lambda i: own
        by_kind: dict[str, Units] = dict(zip(("translation", "rotation"), ALONG_AXES[unit], strict=True))
        either = tuple(wanted for units in by_kind.values() for wanted in units)

        def along_axis(i: int | None) -> Units:
            kinds = set(self.kinds) if i is None else set(self.kinds[i : i + 1])
            return by_kind[kinds.pop()] if len(kinds) == 1 else either

        return along_axis

    def numbers(self, path: Path, value: Any, units: Callable[[int | None], Units]) -> Any:
        if isinstance(value, list):
            return [self.number((*path, i), item, units(i)) for i, item in enumerate(value)]
        if isinstance(value, Mapping):  # named parameters
            return {name: self.number((*path, name), item, units(None)) for name, item in value.items()}
        return self.number(path, value, units(None))

    def number(self, path: Path, value: Any, units: Units) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return quantity(value, units)
        except ValueError as error:
            return self.complain(path, value, error)

    def orientation(self, path: Path, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        if set(value) != {"axis", "angle"}:
            return self.complain(path, value, "must be (w, x, y, z), or a table of axis and angle")
        angle = self.number((*path, "angle"), value["angle"], ("deg", "rad"))
        if isinstance(angle, str):
            return value
        try:
            axis = numbers(value["axis"], 3)
            return list(about((axis[0], axis[1], axis[2]), *numbers([angle])))
        except ValueError as error:
            return self.complain(path, value, error)

    def complain(self, path: Path, value: Any, reason: object) -> Any:
        where = ".".join(str(part) for part in path[1 if path[0] == "mechanism" else 2 :])
        self.complaints.append(Complaint(path, f"{self.title}: {where} {shown(value)} {reason}"))
        return value
