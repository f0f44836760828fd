"""Several mechanisms as one: their elements side by side, renamed by prefixes, with every reference renamed too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symvi.errors import MechanismError
from symvi.mechanism.description import Description
from symvi.mechanism.elements_from_tables import TABLES
from symvi.mechanism.names import WORLD, shown
from symvi.mechanism.values import items_of

__all__ = ["merged_values"]

REFERENCES = ("name", "parent", "child", "body", "joint")


def merged_values(name: str, mechanisms: Sequence[Any], prefixes: Sequence[str] | None) -> dict[str, Any]:
    """The fields of the merged mechanism; its description is theirs, a line each.

    prefixes: one text per mechanism, put with an underscore before the names of its elements ("" leaves them as they
    are). Raises MechanismError if there is nothing to merge, if gravity differs, or if the prefixes do not fit.
    """
    if not mechanisms:
        raise MechanismError(f"mechanism '{name}': nothing to merge; give at least one mechanism")
    given = [""] * len(mechanisms) if prefixes is None else items_of(prefixes)
    prefixes = [prefix for prefix in given or () if isinstance(prefix, str)]
    if given is None or len(prefixes) != len(given):
        raise MechanismError(f"mechanism {shown(name)}: prefixes must be texts, one for each mechanism")
    if len(prefixes) != len(mechanisms):
        raise MechanismError(f"mechanism '{name}': {len(prefixes)} prefixes for {len(mechanisms)} mechanisms")
    gravity = mechanisms[0].gravity
    for mechanism in mechanisms[1:]:
        if mechanism.gravity != gravity:
            raise MechanismError(
                f"mechanism '{mechanism.name}': gravity {mechanism.gravity} differs from {gravity} of "
                f"'{mechanisms[0].name}'; make them equal first: .changed(gravity=...)"
            )
    values: dict[str, Any] = {table: [] for table in TABLES}
    for mechanism, prefix in zip(mechanisms, prefixes, strict=True):
        for table in TABLES:
            values[table] += [_renamed(element, prefix) for element in getattr(mechanism, table)]
    texts = dict.fromkeys(mechanism.description for mechanism in mechanisms if mechanism.description)
    return {"name": name, "gravity": gravity, "description": "\n".join(texts), **values}


def _renamed(element: Description, prefix: str) -> Description:
    if not prefix:
        return element
    changes: dict[str, Any] = {
        field: _with_prefix(getattr(element, field), prefix) for field in REFERENCES if hasattr(element, field)
    }
    if "joints" in type(element).model_fields:
        changes["joints"] = tuple(_with_prefix(joint, prefix) for joint in vars(element)["joints"])
    return element.changed(**changes)


def _with_prefix(name: str, prefix: str) -> str:
    return name if name == WORLD else f"{prefix}_{name}"
