"""Where tangents lie: a flat array a store, a row a number and a column a direction, as the C structs have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symvi.kernels.records import STORES

if TYPE_CHECKING:
    from symvi.program.program import Program
    from symvi.program.slopes import Place, Slopes


@dataclass(frozen=True)
class SlopeLayout:
    """fields: store -> {"kind/index/field": (offset, size)}; sizes: store -> numbers. memory: what a state keeps beside
    placements and momenta, as (element, field, index, kind, node). lasting: numbers of memory that momenta still depend
    on a knot later, at given coordinates of both. unknowns: rows in the store "work" of increments of velocities."""

    fields: Mapping[str, Mapping[str, tuple[int, int]]]
    sizes: Mapping[str, int]
    memory: tuple[tuple[str, str, int, str, int], ...]
    lasting: tuple[int, ...]
    unknowns: tuple[int, ...]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SlopeLayout:
        """A layout from plain data."""
        fields = {s: {k: (v[0], v[1]) for k, v in own.items()} for s, own in data["fields"].items()}
        memory = tuple((a, b, c, d, e) for a, b, c, d, e in data["memory"])
        return cls(fields, data["sizes"], memory, tuple(data["lasting"]), tuple(data["unknowns"]))

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


def layout_of(
    program: Program, parameters: Iterable[Place] = (), scripts: Mapping[str, Slopes] | None = None
) -> SlopeLayout:
    """The layout of a program's tangents. parameters: those that may move. scripts: all of them, unless they are some
    that are known."""
    from symvi.program.slope_scripts import memory, slopes_of, unknowns
    from symvi.program.slopes import MARK, slope_fields

    scripts = slopes_of(program, frozenset(parameters)) if scripts is None else scripts
    records = slope_fields(frozenset().union(*(each.places for each in scripts.values())))
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
    depended = frozenset().union(*(scripts[name].reads() for name in ("chord", "place") if name in scripts))
    lasting = {(place.kind, place.field, place.entry) for place in memory(program) & depended}
    solved = [(each.kind, node.index, each.field, each.entry) for each in sorted(unknowns(program))
              for node in program.nodes[each.kind]]  # fmt: skip
    return SlopeLayout(
        fields,
        sizes,
        tuple(kept),
        tuple(k for k, (_, field, entry, kind, _) in enumerate(kept) if (kind, field, entry) in lasting),
        tuple(
            fields["work"][f"{kind}/{index}/{name}"][0] + entry
            for kind, index, name, entry in solved
            if f"{kind}/{index}/{name}" in fields["work"]
        ),
    )
