"""What a running solver must know of its generated text: where every number lies, what it is called, its default.

A plan is plain data, so that it can be kept beside the text: a process that finds both never loads the derivation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields as fields_of
from functools import cached_property
from typing import TYPE_CHECKING, Any

from symvi.kernels.angles import carried_once
from symvi.kernels.records import STORES
from symvi.numbers.control import CONTACT_SIZE
from symvi.numbers.derived_parameters import INTERNAL
from symvi.registry import contact_types

if TYPE_CHECKING:
    from symvi.program.program import Program


@dataclass(frozen=True)
class Plan:
    """The memory of one program, store by store, as flat arrays of reals.

    fields: store -> {"kind/index/field": (offset, size)}. sizes: store -> length. defaults: the parameters of the
    description. constraints, reactions: in the order in which frames report them. inputs: one name per entry of the
    input array. parameters: element.field -> every place where that number lies. angles, notes: see program/notes.py.
    """

    name: str
    digest: str
    bodies: tuple[str, ...]
    fields: Mapping[str, Mapping[str, tuple[int, int]]]
    sizes: Mapping[str, int]
    defaults: tuple[float, ...]
    constraints: tuple[Mapping[str, Any], ...]
    inputs: tuple[str, ...]
    parameters: Mapping[str, tuple[tuple[int, int], ...]]
    angles: tuple[Mapping[str, Any], ...]
    notes: Mapping[str, Any]

    def at(self, store: str, kind: str, index: int, field: str) -> slice:
        """Where a field lies in its store's array."""
        offset, size = self.fields[store][f"{kind}/{index}/{field}"]
        return slice(offset, offset + size)

    @cached_property
    def records(self) -> dict[tuple[str, int], dict[str, tuple[int, int]]]:
        """Where the fields of every node's parameters lie: (node type, number) -> field -> (offset, size)."""
        found: dict[tuple[str, int], dict[str, tuple[int, int]]] = {}
        for place, (offset, size) in self.fields["parameters"].items():
            kind, index, field = place.split("/")
            found.setdefault((kind, int(index)), {})[field] = offset, size
        return found

    @cached_property
    def elements(self) -> dict[tuple[str, int], str]:
        """(node type, number) -> what the node is called, of nodes with parameters that have a name."""
        nodes = {offset: node for node, fields in self.records.items() for offset, _ in fields.values()}
        return {
            nodes[offset]: name.rpartition(".")[0] for name, places in self.parameters.items() for offset, _ in places
        }

    @cached_property
    def columns(self) -> tuple[list[int], ...]:
        """Where one entry of a field of several lies in all nodes of a type: what the text may have as a constant."""
        found: dict[tuple[str, str, int], list[int]] = {}
        for (kind, _), fields in self.records.items():
            for field, (offset, size) in fields.items():
                for k in range(size) if size > 1 else ():
                    found.setdefault((kind, field, k), []).append(offset + k)
        return tuple(found.values())

    @cached_property
    def rows(self) -> int:
        return sum(len(c["rows"]) for c in self.constraints)

    @cached_property
    def reactions(self) -> tuple[str, ...]:
        return tuple(c["name"] for c in self.constraints if c["reaction"])

    @cached_property
    def drivers(self) -> tuple[str, ...]:
        return tuple(c["name"] for c in self.constraints if c["type"] == "driver")

    @cached_property
    def carried(self) -> tuple[Mapping[str, Any], ...]:
        """Where a frame finds each joint angle that the solver carries, once for every joint coordinate."""
        return carried_once(self.angles)

    @cached_property
    def contacts(self) -> tuple[Mapping[str, Any], ...]:
        """The contact points, in the order in which frames report them."""
        types = contact_types()
        return tuple(node for node in self.notes["inequalities"] if node["type"] in types)

    @cached_property
    def stops(self) -> tuple[Mapping[str, Any], ...]:
        """Limits and dry friction, in the order in which frames report their forces."""
        types = contact_types()
        return tuple(node for node in self.notes["inequalities"] if node["type"] not in types)

    @cached_property
    def works(self) -> tuple[Mapping[str, Any], ...]:
        """The laws and drivers that give energy, in the order in which frames report their work."""
        return tuple(self.notes["works"])

    @cached_property
    def late(self) -> tuple[Mapping[str, Any], ...]:
        """Those that act at knots, whose work in a step the next one closes."""
        return tuple(note for note in self.works if note["late"])

    @cached_property
    def losses(self) -> tuple[tuple[str, str], ...]:
        """(element, way) of everything that takes energy: what it is taken by, in the order of frames."""
        return tuple((note["name"], way) for note in self.notes["losses"] for way in note["ways"])

    @cached_property
    def frame(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        """Offsets and shapes of what a frame holds, in the order of the generated struct."""
        n = len(self.bodies)
        shapes = {
            "x": (n, 3),
            "q": (n, 4),
            "v": (n, 3),
            "w": (n, 3),
            "kinetic": (),
            "potential": (),
            "momentum": (3,),
            "angular_momentum": (3,),
            "closure": (),
            "iterations": (),
            "substeps": (),
            "status": (),
        }
        if self.rows:
            shapes["rows"] = (self.rows,)
        if self.reactions:
            shapes["reaction"] = (len(self.reactions), 6)
        if self.notes["inequalities"]:
            shapes["retries"] = ()
        if self.contacts:
            shapes["contact"] = (len(self.contacts), CONTACT_SIZE)
        if self.stops:
            shapes["stop"] = (sum(node["rows"] for node in self.stops),)
        if self.carried:
            shapes["angle"] = (len(self.carried),)
        if self.notes["watched"]:
            shapes |= {"before_x": (n, 3), "before_q": (n, 4)}
        shapes |= {"scatter": (), "swerve": (), "pace": (), "sway": (), "misread": ()}
        if self.works:
            shapes["work"] = (len(self.works),)
        if self.late:
            shapes["late"] = (len(self.late), 2)
        if self.losses:
            shapes["spent"] = (len(self.losses),)
        if self.drivers:
            shapes["power"] = (len(self.drivers),)
        places, offset = {}, 0
        for name, shape in shapes.items():
            places[name] = offset, shape
            size = 1
            for extent in shape:
                size *= extent
            offset += size
        return places | {"size": (offset, ())}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), separators=(",", ":"))

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data, that of JSON."""
        return {item.name: getattr(self, item.name) for item in fields_of(self)}

    @classmethod
    def from_json(cls, text: str) -> Plan:
        return cls.from_dict(json.loads(text))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Plan:
        """The plan of what JSON makes of plain data."""
        data = dict(data)
        for name in ("bodies", "defaults", "constraints", "inputs", "angles"):
            data[name] = tuple(data[name])
        return cls(**data)


def reals_of(integers: int) -> int:
    """How many reals take no less memory than so many integers of 16 bits, in float too."""
    return (integers + 1) // 2


def plan_of(program: Program) -> Plan:
    """The plan of a program."""
    fields: dict[str, dict[str, tuple[int, int]]] = {}
    sizes = {}
    for store in STORES:
        places, offset = {}, 0
        for kind, nodes in program.nodes.items():
            for node in nodes:
                for field in program.records.of(kind, store):
                    places[f"{kind}/{node.index}/{field.name}"] = offset, field.size
                    offset += field.size
        fields[store], sizes[store] = places, offset
    if not program.notes.get("lean"):
        sizes["work"] += sizes["state"] * (2 if program.phases["push"] else 1)  # where a step began, and led
    if "near" in program.notes:
        sizes["work"] += reals_of(program.notes["near"]["integers"])
    kinds = list(program.nodes)
    constraints = sorted(program.notes["constraints"], key=lambda c: (kinds.index(c["kind"]), c["index"]))
    notes: dict[str, Any] = {key: value for key, value in program.notes.items() if key not in ("constraints", "angles")}
    notes["watch"] = _watched(program)
    notes["inequalities"] = sorted(notes["inequalities"], key=lambda node: (kinds.index(node["kind"]), node["index"]))
    return Plan(
        program.name,
        program.digest,
        tuple(node.name for node in program.nodes["body"]),
        fields,
        sizes,
        _defaults(program, fields, sizes),
        tuple(constraints),
        tuple(_input_names(program, fields)),
        _parameter_names(program, fields),
        tuple(program.notes["angles"]),
        notes,
    )


def _watched(program: Program) -> list[dict[str, Any]]:
    """Nodes of rows that were dropped: they have residuals and no impulses."""
    fields = {kind: {field.name for field in program.records.of(kind, "work")} for kind in program.nodes}
    kinds = [kind for kind, names in fields.items() if "g" in names and "y" not in names]
    return [{"name": node.name, "kind": kind, "index": node.index} for kind in kinds for node in program.nodes[kind]]


def _defaults(program: Program, fields, sizes) -> tuple[float, ...]:
    values = [0.0] * sizes["parameters"]
    for (kind, index), numbers in program.parameters.items():
        for name, entries in numbers.items():
            place = fields["parameters"].get(f"{kind}/{index}/{name}")
            if place:
                values[place[0] : place[0] + place[1]] = entries
    return tuple(values)


def _named(program: Program, fields, store: str):
    for place, (offset, size) in fields[store].items():
        kind, index, name = place.split("/")
        yield program.nodes[kind][int(index)].name, name, offset, size


def _input_names(program: Program, fields) -> list[str]:
    """element.field, with [k] where a field has several entries."""
    names = []
    for element, name, _, size in _named(program, fields, "input"):
        names += [f"{element}.{name}" + (f"[{k}]" if size > 1 else "") for k in range(size)]
    return names


def _parameter_names(program: Program, fields) -> dict[str, tuple[tuple[int, int], ...]]:
    """element.field -> (offset, size) of each place: a joint has two nodes where some of its rows are only watched."""
    places: dict[str, tuple[tuple[int, int], ...]] = {}
    for element, name, offset, size in _named(program, fields, "parameters"):
        if name not in INTERNAL:
            places[f"{element}.{name}"] = (*places.get(f"{element}.{name}", ()), (offset, size))
    return places
