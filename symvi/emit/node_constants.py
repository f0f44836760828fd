"""Constants of the generated header: they name nodes and places for a reader and for an embedded program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from symvi.emit.constants import Thing, constants_of, plain_constant
from symvi.emit.node_groups import NodeGroups
from symvi.program.program import Node
from symvi.program.sharing import SUMS


class NodeConstants:
    """The constants of one program."""

    def __init__(self, groups: NodeGroups, prefix: str):
        self.groups, self.program, self.prefix = groups, groups.program, prefix

    def names(self) -> Iterator[tuple[str, int, str]]:
        """Constants that name the nodes of every type, for a reader and for an embedded program; a remark, or ""."""
        for node in self._named():
            yield self.constant(node.kind, node.name), node.index, self.remark(node.kind, node.name)

    def _named(self) -> Iterator[Node]:
        for kind in self.groups.kinds:
            if kind not in ("common", "link", "side", SUMS, *self._reaches) and not kind.startswith("edge"):
                yield from self.program.nodes[kind]

    @property
    def _reaches(self) -> tuple[str, ...]:
        near = self.program.notes.get("near")
        return tuple(near["kinds"].values()) if near else ()

    def constant(self, what: str, name: str) -> str:
        """The constant that names a thing: a node of its kind, or an "input", "reaction", "point", "coordinate"."""
        return self._constants[what, name]

    def remark(self, what: str, name: str) -> str:
        """The name of a thing whose constant does not tell it from another; else ""."""
        return "" if self.constant(what, name) == plain_constant(self.prefix, (what, name)) else name

    @cached_property
    def _constants(self) -> Mapping[Thing, str]:
        fields = {kind: self.program.records.of(kind, "input") for kind in self.groups.kinds}
        things = [(node.kind, node.name) for node in self._named()]
        things += [
            ("input", f"{node.name}.{field.name}")
            for kind in self.groups.kinds
            for node in self.program.nodes[kind]
            for field in fields[kind]
        ]
        things += [("reaction", node.name) for node in self.groups.reactions()]
        things += [("point", note["name"]) for note in self.groups.points()]
        things += [
            ("coordinate", node.name) for motion in self.groups.motions() for node in self.program.nodes[motion["kind"]]
        ]
        return constants_of(self.prefix, things)

    def coordinates(self) -> Iterator[tuple[str, int, str]]:
        """(constant, place of a joint's first coordinate, what the joint is) in the order of the caller's arrays."""
        notes = {(note["kind"], note["index"]): note for note in self.program.notes["motion"]}
        for motion in self.groups.motions():
            for node in self.program.nodes[motion["kind"]]:
                place = motion["first"] + motion["size"] * node.index
                yield self.constant("coordinate", node.name), place, notes[node.kind, node.index]["text"]

    def input_places(self) -> Iterator[tuple[str, int, str]]:
        """(constant, place among all numbers of the input, what is there and its unit)."""
        place = 0
        for kind in self.groups.kinds:
            fields = self.program.records.of(kind, "input")
            for node in self.program.nodes[kind] if fields else ():
                for field in fields:
                    constant = self.constant("input", f"{node.name}.{field.name}")
                    entries = f"{kind}[{node.index}].{field.name}" + (f"[{field.size}]" if field.size > 1 else "")
                    yield constant, place, f"{entries}: {field.meaning} [{field.unit}]"
                    place += field.size
