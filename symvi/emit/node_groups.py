"""The nodes of one program by type, as loops of the generated control run over them."""

from __future__ import annotations

from collections.abc import Iterator

from symvi.kernels.rule_joint import INCREMENT
from symvi.program.program import Node, Program, solved_kinds
from symvi.registry import contact_types


class NodeGroups:
    """kinds: node types that have nodes. row_counts: rows of one node, by the types whose rows are solved for."""

    def __init__(self, program: Program):
        self.program = program
        self.kinds = [kind for kind in program.nodes if program.nodes[kind]]
        self.row_counts = {
            kind: next(f.size for f in program.records.of(kind, "work") if f.name == "y")
            for kind in self.kinds
            if any(f.name == "y" for f in program.records.of(kind, "work"))
        }

    def law_groups(self) -> Iterator[dict]:
        """Node types with springs along their coordinates: how many nodes, how many loads and forces each."""
        for kind in self.kinds:
            sizes = {f.name: f.size for f in self.program.records.of(kind, "work")}
            if "load" in sizes:
                yield {"kind": kind, "count": len(self.program.nodes[kind]), "rows": sizes["load"], "phi": sizes["phi"]}

    def lag_groups(self) -> Iterator[dict]:
        """Node types with dampers whose inner steps may be too long: how many nodes, how many coordinates each."""
        for kind in self.kinds:
            sizes = {f.name: f.size for f in self.program.records.of(kind, "work")}
            if "lag" in sizes:
                yield {"kind": kind, "count": len(self.program.nodes[kind]), "rows": sizes["lag"]}

    def solved_groups(self) -> Iterator[dict]:
        """Node types with velocities that are solved for: bodies, or joints whose coordinates are."""
        for kind in solved_kinds(self.program):
            size = next(f.size for f in self.program.records.of(kind, "work") if f.name == "s")
            yield {"kind": kind, "count": len(self.program.nodes[kind]), "size": size}

    def rule_groups(self) -> Iterator[dict]:
        """Node types whose coordinates are solved for at the nodes of a quadrature rule."""
        for kind in self.kinds:
            for field in self.program.records.of(kind, "work"):
                if field.name == INCREMENT:
                    yield {"kind": kind, "count": len(self.program.nodes[kind]), "size": field.size}

    def wrench_groups(self) -> Iterator[dict]:
        """Node types that bear a wrench: joints whose coordinates are solved for."""
        for kind in self.kinds:
            fields = {f.name for f in self.program.records.of(kind, "work")}
            for name in ("bearing", "wrench"):
                if name in fields:
                    yield {"kind": kind, "count": len(self.program.nodes[kind]), "force": name}
                    break

    def row_groups(self) -> Iterator[dict]:
        """Node types whose rows are reported: constraints, and the rows that are only watched."""
        watched = {
            call.kernel.kind(place.port)
            for call in self.program.phases.get("watch", ())
            for place in call.kernel.writes
            if place.field == "g"
        }
        for kind in self.kinds:
            fields = {f.name: f.size for f in self.program.records.of(kind, "work")}
            if "g" in fields:
                yield {
                    "kind": kind,
                    "count": len(self.program.nodes[kind]),
                    "rows": fields["g"],
                    "watched": kind in watched,
                    "solved": "f" in fields,
                    "led": "base" not in fields,
                    "guarded": any(f.name == "guard" for f in self.program.records.of(kind, "parameters")),
                }

    def reactions(self) -> Iterator[Node]:
        """The constraints that report a wrench, in the order of their types."""
        for kind in self.kinds:
            if any(f.name == "reaction" for f in self.program.records.of(kind, "work")):
                yield from self.program.nodes[kind]

    def drivers(self) -> Iterator[Node]:
        """The constraints that follow an input, in the order of their types."""
        for kind in self.kinds:
            if any(f.name == "rate_before" for f in self.program.records.of(kind, "state")):
                yield from self.program.nodes[kind]

    def servos(self) -> Iterator[Node]:
        """The laws that aim at an input, in the order of their types."""
        for kind in self.kinds:
            if any(f.name == "target_rate" for f in self.program.records.of(kind, "state")):
                yield from self.program.nodes[kind]

    def aims(self) -> Iterator[str]:
        """Inputs that a state keeps from the knot before, as members of both records: targets of drivers and servos."""
        for kind in self.kinds:
            kept = {f.name for f in self.program.records.of(kind, "state")}
            for field in self.program.records.of(kind, "input"):
                if field.name in kept:
                    yield from (f"{kind}[{node.index}].{field.name}" for node in self.program.nodes[kind])

    def fields(self, store: str) -> Iterator[dict]:
        """The fields of a store by node type, with the number of nodes."""
        for kind in self.kinds:
            if fields := self.program.records.of(kind, store):
                yield {"kind": kind, "count": len(self.program.nodes[kind]), "fields": fields}

    def constraints(self) -> Iterator[dict]:
        """The nodes whose rows are solved for."""
        for kind, rows in self.row_counts.items():
            for node in self.program.nodes[kind]:
                yield {"kind": kind, "index": node.index, "name": node.name, "rows": rows}

    def inequalities(self) -> list[dict]:
        """Contacts, limits and dry friction, in the order of their types."""
        return sorted(self.program.notes["inequalities"], key=lambda note: self.kinds.index(note["kind"]))

    def points(self) -> list[dict]:
        """The contact points, in the order of their results."""
        types = contact_types()
        return [note for note in self.inequalities() if note["type"] in types]

    def motions(self) -> Iterator[dict]:
        """Node types that have coordinates: how many each, and where theirs begin in the caller's arrays."""
        first = 0
        for kind in self.kinds:
            size = next((f.size for f in self.program.records.of(kind, "motion")), 0)
            if size:
                count = len(self.program.nodes[kind])
                yield {"kind": kind, "count": count, "size": size, "first": first}
                first += count * size
