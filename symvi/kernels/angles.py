"""Joint angles that the state carries: which of its fields frames report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def carried_once(angles: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """The first place of each joint coordinate: several elements may carry the same angle, with the same turns."""
    places: dict[tuple[str, int], Mapping[str, Any]] = {}
    for angle in angles:
        places.setdefault((angle["joint"], angle["coordinate"]), angle)
    return tuple(places.values())
