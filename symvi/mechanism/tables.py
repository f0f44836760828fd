"""A mechanism as plain tables, the form of its files: [mechanism], [bodies.NAME], [joints.NAME] and so on.

Only what differs from the defaults is written, so that a file stays as short as a hand would write it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symvi.mechanism.build import TABLES
from symvi.mechanism.description import Description

__all__ = ["plain", "to_tables"]


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
        kind = {"kind": value.kind} if "kind" in type(value).model_fields else {}
        return kind | {name: plain(item) for name, item in value.given().items()}
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def _without_name(table: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != "name"}
