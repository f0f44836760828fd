"""A scene's contacts, limits and dry friction in its system: impulses on bodies, and the condensed Newton matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from symvi.exact.dual import derivatives
from symvi.naive.contact_points import NaiveContact
from symvi.naive.inequalities import Law, NaiveInequality
from symvi.naive.nodes import naive_contacts, naive_inequalities


class Interior:
    """The inequality nodes of a system, by name; none for most mechanisms."""

    def __init__(self, system):
        self.system, self.zero = system, system.zero
        self.contacts: dict[str, NaiveContact] = naive_contacts(system)
        self.nodes: dict[str, NaiveInequality] = {node.name: node for node in naive_inequalities(system, self.contacts)}

    @cached_property
    def rates(self) -> dict[str, list]:
        """The velocities that every inequality node sees."""
        return {name: node.velocities() for name, node in self.nodes.items()}

    @cached_property
    def rate_slopes(self) -> dict[tuple[str, str], list[list]]:
        """How these depend on a body's unknowns, by (node, body): six columns per velocity."""
        return {
            (name, body): derivatives(lambda s, n=node, b=body: n.velocities(b, s), self.zero, 6)
            for name, node in self.nodes.items()
            for body in node.moving
        }

    def rate_change(self, name: str, motion: Mapping[str, Sequence]) -> list:
        """The change of a node's velocities with changes of its bodies' unknowns."""
        total = [self.zero] * len(self.rates[name])
        for body in self.nodes[name].moving:
            for k, row in enumerate(self.rate_slopes[name, body]):
                total[k] = total[k] + sum((a * b for a, b in zip(row, motion[body], strict=True)), self.zero)
        return total

    def pressed(self, impulses: Mapping[str, list]) -> dict[str, list]:
        """The residual with impulses of the inequality nodes on their bodies."""
        found = dict(self.system.residual)
        for name, impulse in impulses.items():
            for body in self.nodes[name].moving:
                pushed = self.nodes[name].push(body, impulse)
                found[body] = [old - value for old, value in zip(found[body], pushed, strict=True)]
        return found

    def condensed(self, laws: Mapping[str, Law]) -> dict[tuple[str, str], list[list]]:
        """The Newton matrix with the nodes' own variables eliminated: F_jk += A_jᵀ K du/ds_k."""
        found = {blocks: [list(row) for row in rows] for blocks, rows in self.system.matrix.items()}
        for name, law in laws.items():
            node, stiffness = self.nodes[name], law.stiffness
            for column in node.moving:
                slopes = self.rate_slopes[name, column]
                changed = [
                    [sum((k * line[m] for k, line in zip(row, slopes, strict=True)), self.zero) for m in range(6)]
                    for row in stiffness
                ]
                for body in node.moving:
                    block = found.setdefault((body, column), [[self.zero] * 6 for _ in range(6)])
                    pushed = [node.push(body, [row[m] for row in changed]) for m in range(6)]
                    found[body, column] = [[block[i][m] + pushed[m][i] for m in range(6)] for i in range(6)]
        return found
