"""What generated text does with parameters that were changed: which may be, which follow, which it has as constants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from symvi.emit.c_printer import CPrinter, Member
from symvi.kernels.common import COMMON
from symvi.kernels.records import Field
from symvi.numbers.derived_parameters import (
    FRICTION,
    LEAST_FRICTION,
    NOT_NEGATIVE,
    PAIRS,
    SOLVERS,
    common_name,
    is_positive,
)
from symvi.program.parameter_update import SCRATCH, squares, update_kernels
from symvi.program.program import Node
from symvi.scalar import EXTREMES

OF_NODES = ("effective_mass", "share")
OF_WHOLE = ("mass", "acceleration")
OWN_ARGUMENT = "common.h"  # a number of the run, and none of the description
FREE, FOLLOWS, FIXED, SOLVER = "free", "follows", "fixed", "solver"


@dataclass(frozen=True)
class Place:
    """A field of one node's parameters."""

    node: Node
    field: Field

    def text(self) -> str:
        return f"p->{self.node.kind}[{self.node.index}].{self.field.name}"


class ParameterText:
    """The parameters of one program, by what a caller may do with them."""

    def __init__(self, printer: CPrinter):
        self.printer, self.program = printer, printer.program
        self.notes = self.program.notes["derived"]

    @cached_property
    def places(self) -> list[Place]:
        """Every field of every node's parameters, in their order."""
        return [
            Place(node, field)
            for kind in self.printer.kinds
            for node in self.program.nodes[kind]
            for field in self.program.records.of(kind, "parameters")
        ]

    @cached_property
    def names(self) -> dict[Place, str]:
        """The one name of every place, which copies have in common."""
        along = {element: tuple(joints) for element, joints in self.notes["along"].items()}
        return {place: common_name(along, f"{place.node.name}.{place.field.name}") for place in self.places}

    @cached_property
    def known(self) -> frozenset[str]:
        """The names of what may be changed, whether or not the text has entries of it as constants."""
        return frozenset((*self.notes["free"], OWN_ARGUMENT))

    @cached_property
    def leaders(self) -> dict[Place, Place]:
        """Copies of the geometry of a joint -> the joint's own, which they follow."""
        groups: dict[str, list[Place]] = {}
        for place, name in self.names.items():
            groups.setdefault(name, []).append(place)
        found = {}
        for name, members in groups.items():
            own = [place for place in members if f"{place.node.name}.{place.field.name}" == name]
            first, *_ = own or members
            copies = [place for place in members if place != first and self._values(place) == self._values(first)]
            found |= dict.fromkeys(copies, first)
        return found

    @cached_property
    def copies(self) -> dict[Place, list[Place]]:
        """The copies that follow a leader, by leader."""
        found: dict[Place, list[Place]] = {}
        for copy, leader in self.leaders.items():
            found.setdefault(leader, []).append(copy)
        return found

    def _values(self, place: Place) -> tuple[float, ...]:
        numbers = self.program.parameters.get((place.node.kind, place.node.index), {})
        return tuple(numbers.get(place.field.name, (0.0,) * place.field.size))

    def role(self, place: Place) -> str:
        """free: may be changed; follows: update_parameters sets it; fixed: it stays as described; solver: its own."""
        name = place.field.name
        if name in OF_NODES or (place.node.kind, name) == ("body", "size"):
            return FOLLOWS
        if place in self.leaders:
            return FIXED if self.role(self.leaders[place]) == FIXED else FOLLOWS
        if place.node.kind == COMMON and name in OF_WHOLE:
            return FOLLOWS
        if name in SOLVERS:
            return SOLVER
        return FIXED if len(self.fixed(place)) == place.field.size else FREE

    def fixed(self, place: Place) -> frozenset[int]:
        """Entries of a place that stay as described: those that the text has as constants, there or where a copy of
        the place is read; all, where they are tied to other numbers."""
        leader = self.leaders.get(place)
        if self._is_tied(place) or (leader and self.role(leader) == FIXED):
            return frozenset(range(place.field.size))
        every = (place, *self.copies.get(place, ()))
        return frozenset(
            k
            for each in every
            for k, value in enumerate(self.program.baked.get((each.node.kind, each.field.name), ()))
            if value is not None
        )

    def _is_tied(self, place: Place) -> bool:
        """Whether a number is none of the description's, nor the solver's own, nor set by update_parameters."""
        return self.names[place] not in self.known and place.field.name not in (*OF_NODES, *OF_WHOLE, *SOLVERS, "size")

    def structs(self) -> Iterator[dict]:
        """The printed structs; comments of parameters say what a caller may do with each."""
        for struct in self.printer.structs():
            if struct["store"] == "parameters":
                members = [self._remarked(struct["kind"], member) for member in struct["members"]]
                struct = struct | {"members": members}
            yield struct

    def _remarked(self, kind: str, member: Member) -> Member:
        remark = self._remark(kind, member.name)
        return replace(member, comment=f"{member.comment}; {remark}") if remark else member

    def _remark(self, kind: str, name: str) -> str:
        """What a comment says of a field, for all nodes of a type."""
        field = self.program.records.fields[kind, "parameters"][name]
        places = [Place(node, field) for node in self.program.nodes[kind]]
        roles, entries = {self.role(place) for place in places}, [self.fixed(place) for place in places]
        if roles == {FOLLOWS}:
            return "follows"
        if roles == {SOLVER}:
            return "the solver's own"
        if roles == {FIXED}:
            return "fixed"
        if FOLLOWS in roles or any(known != entries[0] for known in entries):
            return "not free in every record: see manifest.json"
        return f"fixed: {', '.join(f'[{k}]' for k in sorted(entries[0]))}" if entries[0] else ""

    def view(self) -> dict[str, object]:
        """What the template of update_parameters uses."""
        literal = self.printer.literal
        return {
            "structs": list(self.structs()),
            "checked_fields": list(self._checked()),
            "fixed_entries": list(self._fixed()),
            "ranges": list(self._told_apart()),
            "unit_pairs": list(self._pairs()),
            "copies": [
                (copy.text(), first.text(), copy.field.size)
                for copy, first in self.leaders.items()
                if self.role(copy) == FOLLOWS
            ],
            "squares": [literal(square) for square in squares(self.program)],
            "weights_grow": any(square > 1.0 for square in squares(self.program)),
            "part_of_body": self.notes["parts"],
            "contacts_of_part": [literal(max(count, 1)) for count in self.notes["contacts"]],
            "acted_on": list(self._acted_on()),
            **self._kernels(),
        }

    def _fixed(self) -> Iterator[dict]:
        """Entries that stay as described, with how many of them are in a row, by nodes in a row that are alike."""
        ends: dict[tuple, list[list[int]]] = {}
        for place in self.places:
            for first, count in () if self.role(place) == FOLLOWS else _runs(sorted(self.fixed(place))):
                rows = ends.setdefault((place.node.kind, place.field, first, count), [])
                if rows and rows[-1][1] == place.node.index:
                    rows[-1][1] += 1
                else:
                    rows.append([place.node.index, place.node.index + 1])
        groups: dict[tuple, list[tuple[str, int]]] = {}
        for (kind, field, entry, count), rows in ends.items():
            name = f"{field.name}[{entry}]" if field.size > 1 else field.name
            for first, end in rows:
                groups.setdefault((kind, first, end), []).append((name, count))
        for (kind, first, end), entries in groups.items():
            yield {"kind": kind, "first": first, "end": end, "entries": entries}

    def _told_apart(self) -> Iterator[dict]:
        """Node types whose lower bound must be below their upper one."""
        for kind in self.printer.kinds:
            if {"lower", "upper"} <= {field.name for field in self.program.records.of(kind, "parameters")}:
                yield {"kind": kind, "count": len(self.program.nodes[kind])}

    def _pairs(self) -> Iterator[dict]:
        """Cosines and sines of one angle, by node type."""
        for kind in self.printer.kinds:
            known = {field.name for field in self.program.records.of(kind, "parameters")}
            for cosine, sine in PAIRS:
                if {cosine, sine} <= known:
                    yield {"kind": kind, "count": len(self.program.nodes[kind]), "cosine": cosine, "sine": sine}

    def _kernels(self) -> dict[str, object]:
        """The kernels that control calls, and what they keep beside the parameters."""
        kernels, records = update_kernels(self.program, self.printer.real)
        printer = CPrinter(replace(self.program, records=records), self.printer.prefix, self.printer.real)
        return {
            "scratch": [struct | {"comment": SCRATCH[struct["kind"]]} for struct in printer.structs(["work"], SCRATCH)],
            "update_kernels": [printer.kernel(kernel) for kernel in kernels.values()],
            "extremes": sorted({name for k in kernels.values() for name in k.operation_count() if name in EXTREMES}),
            "judged": "judge_body" in kernels,
            "run": lambda name, **places: printer.call(kernels[name], places),
        }

    def _checked(self) -> Iterator[dict]:
        """Fields that must be finite, by node type, and from where on they make sense: those that may be changed."""
        for kind in self.printer.kinds:
            nodes = self.program.nodes[kind]
            for field in self.program.records.of(kind, "parameters"):
                if all(self.role(Place(node, field)) in (FOLLOWS, FIXED) for node in nodes):
                    continue
                yield {
                    "kind": kind,
                    "count": len(nodes),
                    "name": field.name,
                    "size": field.size,
                    "bound": self._bound(nodes, field),
                }

    def _bound(self, nodes: tuple[Node, ...], field: Field) -> str:
        """What all numbers of a field must be, as C says it of each: "> 0.0", or ""."""
        of_joints = all(self.notes["along"].get(node.name) == [node.name] for node in nodes)
        zero, real = self.printer.literal(0), self.printer.real
        if field.name in FRICTION and real == "float":
            return f">= {self.printer.literal(LEAST_FRICTION[real])}"
        if field.name in FRICTION or is_positive(field.name, of_joints):
            return f"> {zero}"
        smallest = min(min(self._values(Place(node, field))) for node in nodes)
        return f">= {zero}" if field.name in NOT_NEGATIVE and smallest >= 0.0 else ""

    def _acted_on(self) -> Iterator[dict]:
        """Contacts, limits and dry friction by node type, with the one or two bodies that each acts on."""
        kinds = {node["kind"] for node in self.program.notes["inequalities"]}
        for kind in self.printer.kinds:
            if kind in kinds:
                bodies = [self.notes["nodes"][node.name] for node in self.program.nodes[kind]]
                yield {"kind": kind, "bodies": [(both[0], both[-1]) for both in bodies]}


def _runs(entries: Sequence[int]) -> list[tuple[int, int]]:
    """Numbers that rise, as (first, count) of those that follow each other."""
    found: list[tuple[int, int]] = []
    for k in entries:
        if found and sum(found[-1]) == k:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((k, 1))
    return found
