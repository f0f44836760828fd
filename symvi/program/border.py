"""Bordered rows of joint coordinates: constraints that the tree does not carry, eliminated where their paths meet.

Each has a path: the bodies between those that it touches and their nearest common ancestor, over which the inward sweep
carries its rows. Rows whose loops do not cross cost no more than their paths are long; others have blocks between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from symvi.kernels.account import driver_kernels
from symvi.kernels.border import (
    DOWN,
    FIRST,
    HERE,
    HOLDER,
    OTHER,
    OTHER_HERE,
    PAIR,
    ROW,
    SECOND,
    Bordered,
    Crossing,
    Ends,
    fill_kernel,
    ground_kernels,
    pair_kernels,
    pair_kind,
)
from symvi.kernels.carried_joint import OWN, CarriedJoint
from symvi.kernels.common import slopes_of
from symvi.kernels.constraint import Damping, constraint_kernels
from symvi.kernels.kernel import Block, Kernel
from symvi.physics.model import ConstraintModel
from symvi.program.draft import Draft
from symvi.program.formulation import Joined
from symvi.program.program import Call, Node, free_name


class Row(NamedTuple):
    """A constraint outside the tree, or laws between two branches: the bodies of its path, and where its paths meet.

    node: its record; holder: that with the gradients of laws. bodies: by label. ancestor: None for the ground.
    """

    name: str
    node: Node
    holder: Node | None
    bodies: Mapping[str, str | None]
    bordered: Bordered
    path: frozenset[str]
    ancestor: str | None


@dataclass
class Calls:
    """What bordered rows add to the sweeps: after a body's own elimination, before it, and the same outward."""

    eliminate: list[Call] = field(default_factory=list)
    resolve: list[Call] = field(default_factory=list)
    substitute: list[Call] = field(default_factory=list)


class Border:
    """All constraints outside the tree of a program.

    below: for every body the one below it, from the ground to the leaves; None for the ground.
    """

    def __init__(self, draft: Draft, below: Mapping[str, str | None]):
        self.draft, self.below = draft, below
        self.rows: list[Row] = []
        self.joints: list[Joined] = []
        self.kinds: list[str] = []
        self.made: dict[tuple, Kernel | None] = {}
        self.names: set[str] = set()
        self.here: dict[tuple[str, str | None], Node] = {}
        self.pairs: dict[tuple[str, str], Node] = {}
        self.begun: set[tuple] = set()

    # --- rows ---------------------------------------------------------------------------------------------------------
    def add(self, models: Sequence[ConstraintModel], guards: Mapping[str, tuple[float, ...]]) -> dict[str, Joined]:
        """Records and kernels of constraints, as maximal coordinates have them."""
        draft, made = self.draft, {}
        models = [replace(model, pivots=()) for model in models]
        for kind, model, members in draft.types(models, lambda model: ("loop",)):
            kernels = constraint_kernels(draft.records, kind, model, draft.bake(kind, members))
            if model.target:
                kernels.kernels.update(driver_kernels(draft.records, kind, model.target))
            made |= {member.name: (kind, kernels) for member in members}
        for model in models:
            kind, kernels = made[model.name]
            node = draft.node(kind, model.name, model)
            draft.parameters[kind, node.index]["guard"] = tuple(guards.get(model.name, (0.0,) * model.rows))
            if model.target:
                draft.book(draft.works, node, model, paid=True, late=True)
            bordered = Bordered(kind, model.rows, kernels.right, kernels.below)
            self.rows.append(Row(model.name, node, None, model.bodies, bordered, *self._path(model.bodies)))
            self.joints.append(Joined(node, kernels, model))
            if kernels.damping:
                self.add_law(node, model.name, model.bodies, kernels.damping)
        return {joined.model.name: joined for joined in self.joints}

    def add_law(
        self, holder: Node, name: str, bodies: Mapping[str, str | None], damping: Damping, sent: bool = False
    ) -> Node:
        """Laws between two branches, whose gradients lie in the record `holder`; returns that of their rows."""
        right = {label: _transposed(block) for label, block in damping.directions.items()}
        kind, count = slopes_of(holder.kind), next(iter(damping.slopes.values())).rows
        bordered = Bordered(kind, count, right, damping.slopes, holder.kind, sent)
        node = self.draft.node(kind, f"laws of {name}")
        self.rows.append(Row(node.name, node, holder, bodies, bordered, *self._path(bodies)))
        return node

    def _path(self, bodies: Mapping[str, str | None]) -> tuple[frozenset[str], str | None]:
        chains = [list(self._chain(body)) for body in bodies.values() if body is not None]
        shared = set(chains[0]).intersection(*chains[1:])
        ancestor = None
        if None not in bodies.values():
            ancestor = next((name for name in chains[0] if name in shared), None)
        above = set(self._chain(ancestor))
        return frozenset(name for chain in chains for name in chain if name not in above), ancestor

    def _chain(self, body: str | None) -> Iterator[str]:
        while body is not None:
            yield body
            body = self.below[body]

    def schedule(self, phases: Sequence[str]) -> None:
        """Call the own kernels of all rows in these phases."""
        for node, kernels, model in self.joints:
            self.draft.schedule(kernels.kernels, self.draft.ports(node, model), model.name, phases)

    # --- elimination --------------------------------------------------------------------------------------------------
    def elimination(self, nodes: Mapping[str, Node], joints: Mapping[str, CarriedJoint]) -> None:
        """Make the records of what rows leave at bodies. nodes: of links; joints: what carries these."""
        self.nodes, self.carried = nodes, joints
        # those that close last in the inward sweep come last
        depth = {name: k for k, name in enumerate(self.below)}
        self.rows.sort(key=lambda row: -1 if row.ancestor is None else depth[row.ancestor], reverse=True)
        self.kinds += list(dict.fromkeys(row.bordered.kind for row in self.rows))
        for row in self.rows:
            for body in [*(name for name in self.below if name in row.path), row.ancestor]:
                if body is not None:
                    self.here[row.name, body] = self._node(
                        f"{row.bordered.kind}_at_{nodes[body].kind}", f"{row.name} at {body}"
                    )

    def _node(self, kind: str, name: str) -> Node:
        if kind not in self.kinds:
            self.kinds.append(kind)
        return self.draft.node(kind, name)

    def _crossing(self, row: Row, body: str) -> Crossing:
        return Crossing(self.draft.records, self.carried[body], row.bordered, self.here[row.name, body].kind)

    def _through(self, body: str) -> list[Row]:
        return [row for row in self.rows if body in row.path]

    def _closing(self, ancestor: str | None) -> list[Row]:
        return [row for row in self.rows if row.ancestor == ancestor]

    def _ends(self, row: Row, body: str) -> Ends:
        labels = [label for label, name in row.bodies.items() if name == body]
        carried = any(self.below[name] == body for name in row.path)
        return Ends(labels[0] if labels else None, carried)

    def _first(self, *what: object) -> bool:
        """Whether this is the first time that something is met."""
        new = what not in self.begun
        self.begun.add(what)
        return new

    def after(self, body: str) -> Calls:
        """Once a body's joint is eliminated: what it leaves of the rows that run through it, and between them."""
        calls = Calls()
        link, rows = self.nodes[body], self._through(body)
        for row in rows:
            crossing, here, below = self._crossing(row, body), self.here[row.name, body], self.below[body]
            down = None if below is None else self.here.get((row.name, below))
            ends = self._ends(row, body)
            ends = replace(ends, begins=self._first(row.name), fresh=down is not None and self._first(row.name, below))
            kinds, into = (here.kind,), None if down is None else down.kind
            ports = self._ports(row, body) | ({} if down is None else {DOWN: down})
            made = self._kernel(
                "cross", (*kinds, ends, into), lambda name, c=crossing, e=ends, d=into: c.cross(name, e, d)
            )
            calls.eliminate += self._call(made, ports, f"rows of {row.name} past {link.name}")
            begins = ends.begins
            made = self._kernel("cross_again", (*kinds, begins), lambda name, c=crossing, b=begins: c.resolve(name, b))
            calls.resolve += self._call(made, ports, f"rows of {row.name} past {link.name}")
            made = self._kernel("open_out", kinds, crossing.substitute)
            calls.substitute += self._call(made, ports, f"{link.name} by {row.name}")
        coupled = rows if self.carried[body].link.solved else []
        for k, row in enumerate(coupled):
            for other in coupled[k + 1 :]:
                begins, pair = self._first(row.name, other.name), self._pair(row, other)
                ours, theirs = self._crossing(row, body), self._crossing(other, body)
                made = self._kernel(
                    "between",
                    (ours.kind, theirs.kind, begins),
                    lambda name, o=ours, t=theirs, b=begins: o.couple(name, t, b),
                )
                ports = self._ports(row, body) | {OTHER_HERE: self.here[other.name, body], PAIR: pair}
                calls.eliminate += self._call(made, ports, f"{row.name} and {other.name} past {link.name}")
        return calls

    def before(self, ancestor: str | None) -> Calls:
        """Before a body's own elimination, or last of all: the rows whose loops hang on it."""
        calls = Calls()
        for row in self._closing(ancestor):
            substitute = []
            others = [other for other in self.rows if (row.name, other.name) in self.pairs]
            for phase, made, ports in self._close(row, ancestor):
                target = substitute if phase == "substitute" else getattr(calls, phase)
                target.extend(self._call(made, ports, f"impulses of {row.name}"))
            apart = []
            for other in others:
                kernels = self._pair_kernels(row, other)
                ports = {ROW: row.node, OTHER: other.node, PAIR: self.pairs[row.name, other.name]}
                text = f"{other.name} by {row.name}"
                calls.eliminate += self._call(kernels["eliminate"], ports, text)
                calls.resolve += self._call(kernels["resolve"], ports, text)
                apart += self._call(kernels["substitute"], ports, f"{row.name} by {other.name}")
                if ancestor is not None:
                    ours, theirs = self._crossing(row, ancestor), self._crossing(other, ancestor)
                    made = self._kernel(
                        "close_on", (ours.kind, theirs.kind), lambda name, o=ours, t=theirs: o.close_on(name, t)
                    )
                    more = self._ports(row, ancestor) | {
                        OTHER_HERE: self.here[other.name, ancestor],
                        PAIR: self.pairs[row.name, other.name],
                    }
                    calls.eliminate += self._call(made, more, text)
            for k, one in enumerate(others):
                for other in others[k + 1 :]:
                    calls.eliminate += self._fill(row, one, other)
            calls.substitute[:0] = [*apart, *substitute]
        return calls

    def _close(self, row: Row, ancestor: str | None) -> Iterator[tuple[str, Kernel | None, dict[str, Node]]]:
        kind = row.bordered.kind
        if ancestor is None:
            for phase in ("eliminate", "resolve", "substitute"):
                made = self._kernel(
                    f"{phase}_ground",
                    (kind,),
                    lambda name, p=phase: ground_kernels(self.draft.records, row.bordered)[p],
                )
                yield phase, made, {ROW: row.node}
            return
        crossing, ends, ports = self._crossing(row, ancestor), self._ends(row, ancestor), self._ports(row, ancestor)
        yield "eliminate", self._kernel("close", (crossing.kind, ends), lambda name: crossing.close(name, ends)), ports
        yield "resolve", self._kernel("close_again", (crossing.kind,), crossing.close_again), ports
        yield "substitute", self._kernel("open", (crossing.kind,), crossing.open), ports

    def _fill(self, row: Row, one: Row, other: Row) -> list[Call]:
        begins, pair = self._first(one.name, other.name), self._pair(one, other)
        kinds = row.bordered, one.bordered, other.bordered
        made = self._kernel(
            "fill",
            (*(b.kind for b in kinds), begins),
            lambda name: fill_kernel(self.draft.records, *kinds, name, begins),
        )
        ports = {FIRST: self.pairs[row.name, one.name], SECOND: self.pairs[row.name, other.name], PAIR: pair}
        return self._call(made, ports, f"{one.name} and {other.name} by {row.name}")

    def _pair(self, row: Row, other: Row) -> Node:
        key = row.name, other.name
        if key not in self.pairs:
            self.pairs[key] = self._node(pair_kind(row.bordered, other.bordered), f"{row.name} and {other.name}")
        return self.pairs[key]

    def _pair_kernels(self, row: Row, other: Row) -> dict[str, Kernel | None]:
        kinds = row.bordered.kind, other.bordered.kind
        return {
            phase: self._kernel(
                f"{phase}_pair",
                kinds,
                lambda name, p=phase: pair_kernels(self.draft.records, row.bordered, other.bordered)[p],
            )
            for phase in ("eliminate", "resolve", "substitute")
        }

    # --- calls --------------------------------------------------------------------------------------------------------
    def _kernel(self, what: str, key: tuple, make) -> Kernel | None:
        """The kernel of a role, traced when first met; its name is free."""
        if (what, *key) not in self.made:
            name = free_name(f"{what}_{key[0]}", [], self.names)
            self.names.add(name)
            self.made[what, *key] = make(name)
        return self.made[what, *key]

    def _ports(self, row: Row, body: str) -> dict[str, Node]:
        link = self.nodes[body]
        held = {HOLDER: row.holder} if row.holder else {}
        own = {link.kind: link, OWN: self.draft.bodies[body], ROW: row.node, HERE: self.here[row.name, body]}
        return own | held

    def _call(self, kernel: Kernel | None, ports: Mapping[str, Node], text: str) -> list[Call]:
        if kernel is None:
            return []
        nodes = tuple(self.draft.common if port.label == "common" else ports[port.label] for port in kernel.ports)
        return [Call(kernel, nodes, text)]

    # --- what is known of numbers -------------------------------------------------------------------------------------
    def is_needed(self, kind: str, name: str) -> bool:
        """Whether control, or a user, reads a field of a row's record."""
        blocks = ("G1", "G2", "kept", "along", "slope")
        return any(kind == joined.node.kind for joined in self.joints) and not name.startswith(blocks)


def _transposed(block: Block) -> Block:
    entries = [block.entries[block.columns * r + c] for c in range(block.columns) for r in range(block.rows)]
    return Block(block.columns, block.rows, tuple(entries))
