"""Bordered rows of steps by a quadrature rule: the scheme of border.py, with kernels that carry all nodes of a step."""

from __future__ import annotations

from collections.abc import Mapping

from symvi.kernels.border import Bordered
from symvi.kernels.kernel import Kernel
from symvi.kernels.rule_border import RuleCrossing
from symvi.kernels.rule_departure import departure_kernels, motion_kernels
from symvi.kernels.rule_inward import RuleInward
from symvi.kernels.rule_joint import Points
from symvi.kernels.rule_rows import ROW, clear_pressed, row_kernels
from symvi.program.border import Border, Row
from symvi.program.draft import Draft
from symvi.program.phases import RULE
from symvi.program.program import Node, free_name


class RuleBorder(Border):
    """All rows that close loops, under a rule. base: those of starts and knots, whose numbers they have."""

    def __init__(self, draft: Draft, base: Border, points: Points, links: Mapping[str, Node]):
        super().__init__(draft, base.below)
        self.base, self.points = base, points
        self.inward: dict[str, RuleInward] = {}
        self.names = base.names
        self.sent: list[tuple[dict[str, Kernel], dict[str, Node], str]] = []
        made: dict[str, tuple[str, dict[str, Kernel]]] = {}
        by_name = {row.name: row for row in base.rows}
        for joined in base.joints:
            row, kind, model = by_name[joined.model.name], joined.node.kind, joined.model
            count = model.rows * points.degree
            if kind not in made:
                own = free_name(f"{kind}_nodes", [], set(draft.nodes))
                baked = draft.baked_of(kind)
                rows = row_kernels(draft.records, kind, own, model, baked, points)
                made[kind] = own, rows | departure_kernels(draft.records, kind, own, model, points)
            own, kernels = made[kind]
            node = draft.node(own, f"{model.name} at nodes")
            guard = draft.parameters[kind, joined.node.index]["guard"]
            draft.parameters[own, node.index] = {"guard": guard * points.degree}
            self.rows.append(
                Row(row.name, node, None, row.bodies, Bordered(own, count, {}, {}), row.path, row.ancestor)
            )
            ports = draft.ports(joined.node, model) | {ROW: node}
            self.sent.append((kernels, ports, model.name))

    def evaluate(self) -> None:
        """Schedule rows, and what they send to bodies, after these have moved."""
        clear = clear_pressed(self.draft.records, self.points)
        first, moved = motion_kernels(self.draft.records, self.points)
        self.draft.schedule({"weigh_rule": first}, {}, "sums of the step")
        for name in self.below:
            body = {"body": self.draft.bodies[name]}
            self.draft.schedule({"evaluate_rule": clear, "weigh_rule": moved}, body, name)
        for kernels, ports, name in self.sent:
            self.draft.schedule(kernels, ports, name, RULE)

    def eliminated(self, links: Mapping[str, Node], inward: Mapping[str, RuleInward]) -> None:
        """Make the records of what rows leave at bodies. inward: what eliminates the joints of these links."""
        self.inward = dict(inward)
        self.elimination(links, {name: each.own.joint for name, each in inward.items()})

    def _crossing(self, row: Row, body: str) -> RuleCrossing:
        return RuleCrossing(self.inward[body], row.bordered, self.here[row.name, body].kind)
