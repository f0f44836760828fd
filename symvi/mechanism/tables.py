"""A mechanism as plain tables, the form of its files: [mechanism], [bodies.NAME], [joints.NAME] and so on.

Only what differs from the defaults is written, so that a file stays as short as a hand would write it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from symvi.mechanism.description import Description
from symvi.mechanism.elements_from_tables import TABLES

__all__ = ["plain", "to_tables", "toml_text"]


def to_tables(mechanism: Description) -> dict[str, Any]:
    """The tables of a mechanism: dicts, lists, texts and numbers only, in a fixed order."""
    own = {name: plain(value) for name, value in mechanism.given().items() if name not in TABLES}
    tables: dict[str, Any] = {"mechanism": own}
    for table in TABLES:
        elements = getattr(mechanism, table)
        if elements:
            tables[table] = {element.name: _without_name(plain(element)) for element in elements}
    return tables


def plain(value: Any) -> Any:
    """A value as dicts, lists, texts and numbers."""
    if isinstance(value, Description):
        kind = {"kind": vars(value)["kind"]} if "kind" in type(value).model_fields else {}
        return kind | {name: plain(item) for name, item in value.given().items()}
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def _without_name(table: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != "name"}


def toml_text(tables: Mapping[str, Any]) -> str:
    """The tables as TOML: one header per element, what is nested inside it on one line."""
    parts = []
    for table, items in tables.items():
        if table == "mechanism":
            parts.append(_section(table, items))
        else:
            parts += [_section(f"{table}.{name}", item) for name, item in items.items()]
    return "\n".join(parts)


def _section(header: str, values: Mapping[str, Any]) -> str:
    lines = [f"{name} = {_toml_value(value)}" for name, value in values.items()]
    return "\n".join([f"[{header}]", *lines, ""])


def _toml_value(value: Any) -> str:
    if isinstance(value, (str, bool)):
        # JSON's escapes, true and false are TOML's too, but for the one control character that JSON leaves as it is.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_toml_value(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    return repr(value)
