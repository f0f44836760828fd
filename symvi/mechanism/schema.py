"""The JSON Schema of mechanism files: made from the fields of the elements, so that there is one place to change.

It describes the form of a file; what lies between elements (names, references, inertia) is checked on reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic.fields import FieldInfo
from pydantic.json_schema import models_json_schema

from symvi.mechanism.elements_from_tables import TABLES
from symvi.mechanism.forces import FORCES

__all__ = ["file_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
QUANTITY = {"$ref": "#/$defs/Quantity"}
QUANTITY_DEFINITION = {
    "description": "a number in SI units, or a text with a number and a unit, as '10 mm'",
    "anyOf": [{"type": "number"}, {"type": "string"}],
}
NAME_PATTERN = "^[A-Za-z][A-Za-z0-9_]{0,62}$"


def file_schema(own_fields: Mapping[str, FieldInfo]) -> dict[str, Any]:
    """The schema of a whole file; own_fields are those of the table [mechanism]."""
    models = [model for table, model in TABLES.items() if table != "forces"] + list(FORCES.values())
    _, collected = models_json_schema([(model, "validation") for model in models], ref_template="#/$defs/{model}")
    definitions = {name: _definition(schema) for name, schema in sorted(collected["$defs"].items())}
    definitions["Quantity"] = QUANTITY_DEFINITION
    elements: dict[str, Any] = {table: {"$ref": f"#/$defs/{model.__name__}"} for table, model in TABLES.items()}
    elements["forces"] = {"oneOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in FORCES.values()]}
    return {
        "$schema": DIALECT,
        "title": "symvi mechanism",
        "type": "object",
        "properties": {
            "mechanism": _own_table(own_fields),
            **{table: _by_name(schema) for table, schema in elements.items()},
        },
        "required": ["mechanism", "bodies"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _by_name(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "propertyNames": {"pattern": NAME_PATTERN}, "additionalProperties": schema}


def _own_table(fields: Mapping[str, FieldInfo]) -> dict[str, Any]:
    text = {"type": "string"}
    vector = {"type": "array", "items": QUANTITY, "minItems": 3, "maxItems": 3}
    kinds = {"name": text | {"pattern": NAME_PATTERN}, "gravity": vector, "description": text}
    properties = {name: kind | {"description": fields[name].description} for name, kind in kinds.items()}
    return {"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False}


def _definition(schema: dict[str, Any]) -> dict[str, Any]:
    """A model's schema as it stands in a file: the name is the key, the kind is written, quantities may have units."""
    properties = {name: _property(value) for name, value in schema["properties"].items() if name != "name"}
    required = [name for name in schema.get("required", []) if name != "name"]
    required += ["kind"] if "const" in properties.get("kind", {}) else []  # one that has a default may be left out
    title_free = {key: value for key, value in schema.items() if key not in ("title", "properties", "required")}
    summary = schema["description"].split("\n\n")[0]
    return {**title_free, "description": summary, "properties": properties, "required": required}


def _property(schema: dict[str, Any]) -> dict[str, Any]:
    described = {key: value for key, value in schema.items() if key not in ("title", "default", "unit")}
    if "default" in schema and schema["default"] is not None:
        described["default"] = schema["default"]
    unit = schema.get("unit")
    if unit == "orientation":
        turn = {"axis": {"type": "array", "items": {"type": "number"}}, "angle": QUANTITY}
        table = {"type": "object", "properties": turn, "required": ["axis", "angle"], "additionalProperties": False}
        note = described.pop("description", "")
        return {"description": note, "anyOf": [_without_null(described), table]}
    return _with_units(_without_null(described)) if unit else _without_null(described)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A field that may be None in Python is left out in a file; TOML has no null."""
    choices = [choice for choice in schema.get("anyOf", []) if choice != {"type": "null"}]
    if len(choices) != 1 or len(schema["anyOf"]) == 1:
        return {**schema, "anyOf": choices} if choices else schema
    return {**{key: value for key, value in schema.items() if key != "anyOf"}, **choices[0]}


def _with_units(schema: Any) -> Any:
    """Every number may also be a text with a unit."""
    if isinstance(schema, list):
        return [_with_units(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "number":
        return {key: value for key, value in schema.items() if key in ("description", "default")} | QUANTITY
    return {key: value if key in ("default", "description") else _with_units(value) for key, value in schema.items()}
