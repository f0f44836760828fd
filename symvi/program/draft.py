"""A program while it is composed: records, nodes, calls by phase, and what is baked into the text of a node type."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON
from symvi.kernels.kernel import Kernel
from symvi.kernels.records import Records
from symvi.physics.model import Modelled
from symvi.program.phases import PHASES
from symvi.program.program import Call, Node, free_name

Model = TypeVar("Model", bound=Modelled)
# what a model does with its rows: two wrenches in different axes are two types
LAW = (
    "cone",
    "directions",
    "unit_gradient",
    "is_flat",
    "target",
    "offset",
    "angles",
    "frame",
    "stiffness",
    "rest",
    "damping",
    "sinusoidal",
    "laws",
    "force",
    "energy",
    "torque",
    "in_body_axes",
    "pivots",
    "freedoms",
    "stopped",
    "along",
)


class Draft:
    """What every part of a program is written into.

    bodies: the records of bodies by name, in which all that acts finds where they are and leaves its impulses.
    parameters: values by (node type, number), baked: exact entries by (node type, parameter). works, losses: nodes
    whose energy is accounted for, as given or as taken.
    """

    def __init__(self) -> None:
        self.records = Records()
        self.nodes: dict[str, list[Node]] = {COMMON: [Node(COMMON, 0, COMMON)]}
        self.bodies: dict[str, Node] = {}
        self.parameters: dict[tuple[str, int], dict[str, tuple[float, ...]]] = {}
        self.baked: dict[tuple[str, str], tuple] = {}
        self.phases: dict[str, list[Call]] = {phase: [] for phase in PHASES}
        self.works: list[dict] = []
        self.losses: list[dict] = []

    @property
    def common(self) -> Node:
        """The record that all kernels share."""
        return self.nodes[COMMON][0]

    def node(self, kind: str, name: str, model: Modelled | None = None) -> Node:
        """A new record of a type; model: whose parameters it has."""
        nodes = self.nodes.setdefault(kind, [])
        nodes.append(Node(kind, len(nodes), name))
        if kind == BODY:
            self.bodies[name] = nodes[-1]
        if model is not None:
            self.parameters[kind, nodes[-1].index] = {name: p.values for name, p in model.parameters.items()}
        return nodes[-1]

    def ports(self, node: Node, model: Modelled) -> dict[str, Node]:
        """The records that a model's kernels work on: its own, and those of its bodies, by the model's labels."""
        return {
            node.kind: node,
            **{label: self.bodies[body] for label, body in model.bodies.items() if body is not None},
        }

    def schedule(
        self, kernels: Mapping[str, Kernel], ports: Mapping[str, Node], name: str, phases: Collection[str] = PHASES
    ) -> None:
        """Call a node's kernels in their phases, or in some of these."""
        for phase, kernel in kernels.items():
            if phase in phases:
                nodes = tuple(self.common if port.label == COMMON else ports[port.label] for port in kernel.ports)
                told = phase in ("evaluate", "linearize")
                self.phases[phase].append(
                    Call(kernel, nodes, f"{re.split('[:;]', kernel.summary)[0]} {name}" if told else name)
                )

    def pattern(self, kind: str, *fields: str) -> int:
        """Bit i is set where a call so far writes something other than zero into entry i of one of these fields."""
        found = 0
        for kernel in {call.kernel for calls in self.phases.values() for call in calls}:
            for place, value in kernel.outputs:
                if place.field in fields and place.store == "work" and kernel.kind(place.port) == kind:
                    found |= 0 if value.is_zero else 1 << place.index
        return found

    def book(self, where: list[dict], node: Node, model: Modelled, **more) -> None:
        """Note a node whose energy is accounted for."""
        where.append({"name": model.name, "type": model.type, "kind": node.kind, "index": node.index, **more})

    # --- types --------------------------------------------------------------------------------------------------------
    def types(
        self, models: Sequence[Model], extra: Callable[[Model], tuple[str, ...]] = lambda model: (), said: bool = True
    ) -> list[tuple[str, Model, list[Model]]]:
        """Models grouped by type: a name, one of them, all of them; in the order of their first appearance.

        extra: what tells types apart beyond their formulas; said: whether it is part of their names.
        """
        groups: dict[tuple, list[Model]] = {}
        for model in models:
            groups.setdefault((*shape_of(model), *extra(model)), []).append(model)
        named: list[tuple[str, Model, list[Model]]] = []
        for members in groups.values():
            ground = ("ground",) if None in members[0].bodies.values() else ()
            base = "_".join((members[0].type, *ground, *(extra(members[0]) if said else ())))
            taken = {name for name, _, _ in named} | set(self.nodes)
            named.append((free_name(base, [members[0].name], taken), members[0], members))
        return named

    def bake(self, kind: str, members: Sequence[Modelled]) -> dict[str, tuple]:
        """Entries that are the same exact 0 or +-1 in all models of a type."""
        baked = {}
        for name, first in members[0].parameters.items():
            values = zip(*(model.parameters[name].values for model in members), strict=True)
            baked[name] = tuple(
                Fraction(int(entries[0]))
                if entries[0] in (-1.0, 0.0, 1.0) and all(e == entries[0] for e in entries)
                else None
                for entries in values
            )
            if len(first.values) == 1:
                baked[name] = (None,)  # single numbers stay adjustable
            self.baked[kind, name] = baked[name]
        return baked

    def baked_of(self, kind: str) -> dict[str, tuple]:
        """What is baked into a type, by parameter."""
        return {name: entries for (of, name), entries in self.baked.items() if of == kind}

    # --- at the end ---------------------------------------------------------------------------------------------------
    def drop_unused_fields(self) -> None:
        """Give up scratch that no kernel touches: places declared for blocks that turned out to be zero or known."""
        used = {
            (port.kind, place.field)
            for calls in self.phases.values()
            for kernel in {call.kernel for call in calls}
            for port in kernel.ports
            for place in (*kernel.reads, *kernel.writes)
            if place.port == port.label and place.store == "work"
        }
        for (kind, store), fields in self.records.fields.items():
            if store == "work" and kind != COMMON:
                for name in [name for name in fields if (kind, name) not in used]:
                    del fields[name]


def shape_of(model: Modelled) -> tuple:
    """What makes two models one type: everything but their numbers."""
    groups = tuple(
        (
            g.formula.name,
            tuple(sorted((k, repr(v)) for k, v in g.inputs.items())),
            g.rows,
            g.into,
            g.factor,
            tuple(g.bodies.items()),
        )
        for g in (*model.groups, *filter(None, [getattr(model, "place", None)]))
    )
    bodies = tuple((label, body is None) for label, body in model.bodies.items())
    law = tuple(getattr(model, name, None) for name in LAW)
    return model.type, bodies, groups, model.rows, law, tuple((k, len(p.values)) for k, p in model.parameters.items())
