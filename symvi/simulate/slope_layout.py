"""Where tangents lie: a flat array a store, a row a number and a column a direction, as the C structs have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symvi.kernels.records import STORES

if TYPE_CHECKING:
    from symvi.program.program import Program
    from symvi.program.slopes import Place


@dataclass(frozen=True)
class SlopeLayout:
    """fields: store -> {"kind/index/field": (offset, size)}; sizes: store -> numbers. memory: what a state keeps beside
    placements and momenta, as (element, field, index, kind, node)."""

    fields: Mapping[str, Mapping[str, tuple[int, int]]]
    sizes: Mapping[str, int]
    memory: tuple[tuple[str, str, int, str, int], ...]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SlopeLayout:
        """A layout from plain data."""
        fields = {s: {k: (v[0], v[1]) for k, v in own.items()} for s, own in data["fields"].items()}
        return cls(fields, data["sizes"], tuple((a, b, c, d, e) for a, b, c, d, e in data["memory"]))

    def at(self, store: str, kind: str, index: int, field: str) -> slice:
        """Rows of a field. Raises KeyError where it has no tangents."""
        offset, size = self.fields[store][f"{kind}/{index}/{field}"]
        return slice(offset, offset + size)

    def whole(self, store: str, field: str) -> list[tuple[str, int, slice]]:
        """(kind, node, rows) of every field of a name."""
        found = []
        for name, (offset, size) in self.fields[store].items():
            kind, index, own = name.split("/")
            if own == field:
                found.append((kind, int(index), slice(offset, offset + size)))
        return found


def layout_of(program: Program, parameters: Iterable[Place] = ()) -> SlopeLayout:
    """The layout of a program's tangents. parameters: those that may move."""
    from symvi.program.slope_scripts import memory, slopes_of
    from symvi.program.slopes import MARK, slope_fields

    scripts = slopes_of(program, frozenset(parameters)).values()
    records = slope_fields(frozenset().union(*(each.places for each in scripts)))
    fields: dict[str, dict[str, tuple[int, int]]] = {store: {} for store in STORES}
    sizes: dict[str, int] = dict.fromkeys(STORES, 0)
    for store in STORES:
        for kind, nodes in program.nodes.items():
            for node in nodes:
                for each in records.get((kind, MARK + store), {}).values():
                    fields[store][f"{kind}/{node.index}/{each.name}"] = sizes[store], each.size
                    sizes[store] += each.size
    kept = [
        (node.name, place.field, place.entry, kind, node.index)
        for kind, nodes in program.nodes.items()
        for node in nodes
        for place in sorted(memory(program))
        if place.kind == kind
    ]
    return SlopeLayout(fields, sizes, tuple(kept))
