"""Rates that gears and loops tie together (kernels/tied.py): their rows, and which rates these decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symvi.analysis.choices import Choices, models_of
from symvi.kernels.kernel import Kernel
from symvi.kernels.spatial import FREEDOM
from symvi.kernels.tied import TIE, TIES, ClosingKernels, Ties, TiesKernels
from symvi.mechanism import Coupling, Mechanism
from symvi.physics.model import ConstraintModel
from symvi.physics.multibody import MultibodySystem
from symvi.program.carrying_tree import carrying_tree
from symvi.program.program import free_name
from symvi.program.query_draft import QueryDraft


@dataclass(frozen=True)
class Tied:
    """What gears and loops leave of the rates.

    kernels: of rates by phase. reduced: rows and columns of the entries of the projected mass matrix. gaps: by row of a
    closing joint, the row of all, and where its record is: (row, kind, index, own row).
    """

    ties: Ties
    kernels: Mapping[str, Kernel]
    reduced: tuple[tuple[int, int], ...]
    gaps: tuple[tuple[int, str, int, int], ...]


def gears_of(mechanism: Mechanism, choices: Choices) -> list[Coupling]:
    """The gears that tie rates of the tree; those that others imply tie nothing."""
    placed = {step.joint.name for step in carrying_tree(mechanism, choices)}
    return [c for c in mechanism.couplings if set(c.joints) <= placed and not choices.dropped.get(c.name)]


def closing_models(system: MultibodySystem, choices: Choices) -> list[ConstraintModel]:
    """The rows of joints that close loops, or hold without coordinates; and of gears on these."""
    mechanism = system.mechanism
    placed = {step.joint.name for step in carrying_tree(mechanism, choices)}
    other = {driver.name for driver in mechanism.drivers} | {gear.name for gear in gears_of(mechanism, choices)}
    models = models_of(system, choices)
    return [model for model in models if model.name not in placed | other]


class TiedRates:
    """Composes their kernels and calls. pivots: (row, rate) in the order of elimination, rows of closing joints, then
    of gears."""

    def __init__(
        self,
        draft: QueryDraft,
        closing: Sequence[ConstraintModel],
        gears: Sequence[Coupling],
        pivots: Sequence[tuple[int, int]],
    ):
        self.draft, self.closing, self.gears, self.pivots = draft, closing, gears, pivots

    def tied(self, pairs: tuple[tuple[int, int], ...]) -> Tied:
        """pairs: rows and columns of the entries of the mass matrix of the tree."""
        draft, pivots = self.draft, self.pivots
        place = {row: n for n, (row, _) in enumerate(pivots)}
        rows: list[Mapping[int, int | None | str]] = [{} for _ in pivots]
        first, starts = 0, []
        for model in self.closing:
            starts.append(first)
            reached = {k for body in model.bodies.values() if body is not None for k in draft.path(body)}
            for row in range(model.rows):
                rows[place[first + row]] = dict.fromkeys(sorted(reached))
            first += model.rows
        ratios = []
        for number, coupling in enumerate(self.gears):
            own, other = (draft.freedoms[self._carried(joint)][-1].index for joint in coupling.joints)
            rows[place[first + number]] = {own: 1, other: str(number)}
            ratios.append(draft.number(f"{coupling.name}.ratio", (coupling.ratio,))[0])
        ties = Ties(len(draft.nodes[FREEDOM]), tuple(rate for _, rate in pivots), tuple(rows), pairs)
        made = TiesKernels(draft.records, ties, len(ratios))
        draft.parameters[TIES, draft.node(TIES, "rates").index] = {"ratio": tuple(ratios)}
        gaps = self._close(ties, starts, place) if self.closing else ()
        kernels = made.kernels()
        return Tied(ties, kernels, tuple(made.reduced), gaps)

    def _carried(self, joint: str) -> str:
        """The body that a joint of the tree carries."""
        return next(limb.body for limb in self.draft.limbs.values() if limb.name == joint)

    def _close(
        self, ties: Ties, starts: Sequence[int], place: Mapping[int, int]
    ) -> tuple[tuple[int, str, int, int], ...]:
        """Calls of the joints that close loops."""
        draft, slopes = self.draft, ties.slopes
        nodes = [draft.node(TIE, "slope") for _ in slopes]
        at = dict(zip(slopes, nodes, strict=True))
        gaps = []
        for model, start in zip(self.closing, starts, strict=True):
            kind = free_name(f"closing_{model.type}", [model.name], set(draft.nodes))
            node = draft.node(kind, model.name)
            values = {name: draft.number(f"{model.name}.{name}", p.values) for name, p in model.parameters.items()}
            draft.parameters[kind, node.index] = values
            own = ClosingKernels(draft.records, kind, model, {})
            kernels, ports = own.kernels(), {kind: node, TIES: draft.nodes[TIES][0]}
            for side in own.sides:
                body = model.bodies[side]
                assert body is not None
                ports |= {side: draft.bodies[body], f"tree_{side}": draft.trees[body]}
            draft.call("close", kernels["close"], ports, model.name)
            draft.call("drift", kernels["drift"], ports, model.name)
            made: dict[tuple[str, ...], Kernel] = {}
            paths = {side: set(draft.path(body)) for side, body in model.bodies.items() if body is not None}
            for k in sorted(set().union(*paths.values())):
                sides = tuple(side for side in own.sides if k in paths[side])
                kernel = made.setdefault(sides, own.tie(sides)) if sides not in made else made[sides]
                targets = {f"t{row}": at[place[start + row], k] for row in range(model.rows)}
                draft.call("close", kernel, {**ports, FREEDOM: draft.nodes[FREEDOM][k], **targets})
            gaps += [(place[start + row], kind, node.index, row) for row in range(model.rows)]
        return tuple(gaps)
