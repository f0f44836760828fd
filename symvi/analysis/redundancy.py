"""From the numbers of the loops to decisions: rows kept and dropped, guards, refusals, and what a reader is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import frexp, ldexp, sqrt
from random import Random

import numpy as np

from symvi.analysis import refusals
from symvi.analysis.assembly import CLOSED, STRIDE, Assembly, Position
from symvi.analysis.choices import Choices, Findings, Lock, models_of
from symvi.analysis.dense import residuals, singular_values
from symvi.analysis.equations import Array, Equations, Rows
from symvi.analysis.freedoms import positive, reduced
from symvi.analysis.locks import locks_for
from symvi.analysis.rank import INDEPENDENT, Rank, choose, positions, quality, rank_of
from symvi.analysis.reach import Reach
from symvi.analysis.reactions import undetermined
from symvi.analysis.spanning import Spanning
from symvi.numbers.control import GUARD
from symvi.physics.multibody import MultibodySystem

GOOD_CHOICE = 0.01  # smallest singular value of the kept rows over that of all rows
LARGEST_MISFIT = 0.03  # of the mechanism's size, or rad: what loops="drop" accepts
MARGIN = 10.0  # opening that is declared for rows that do not fit, over the largest that was seen
WIGGLES = 4


@dataclass
class Analysis:
    """One mechanism's loops. choices() asks the questions in their order and raises at the first that fails."""

    system: MultibodySystem
    spanning: Spanning
    loops: str

    def choices(self) -> Choices:
        rank = self._checked_rank()
        kept = self._choose(rank)
        self._check_drivers(kept)
        locks = tuple(locks_for(self.system, self.assembly, self.start, kept, rank.doubtful)) if self._rigid else ()
        opening = self._opening(kept)
        found = self._by_constraint(kept)
        names = {name: k for name, (k, _) in found.items()}, {name: d for name, (_, d) in found.items()}
        choices = Choices(*names, {}, self._notes(rank, kept, locks, opening), locks)
        return replace(choices, guards=self._guards(choices))

    # --- configurations ----------------------------------------------------------------------------------------------
    @cached_property
    def assembly(self) -> Assembly:
        return Assembly(self.system.mechanism, self.spanning)

    @property
    def _rigid(self) -> bool:
        return self.loops == "rigid"

    @cached_property
    def start(self) -> Position:
        """The assembled start, or as near to it as it comes. Raises AssemblyError for loops that cannot close."""
        position = self.assembly.project(self.assembly.start())
        random = Random(2)
        if position.closure <= CLOSED:
            return position
        for _ in range(WIGGLES):
            # a start in a singular position may be stuck although it closes nearby
            aside = self.assembly.free_part(position, self.assembly.direction(random), INDEPENDENT, STRIDE / 3)
            found = self.assembly.project(position.configuration.moved(aside))
            if found.closure <= CLOSED:
                return found
        if self.loops == "drop" and position.closure <= LARGEST_MISFIT:
            return position
        raise refusals.contradictory(self.assembly, position, small=position.closure <= LARGEST_MISFIT)

    @cached_property
    def seen(self) -> list[Position]:
        """Assembled configurations, the start first."""
        return positions(self.assembly, self.start, self._driven()) if self.start.closure <= CLOSED else [self.start]

    @cached_property
    def regular(self) -> list[Position]:
        """Those in which every independent row counts."""
        lost = self.rank.singular
        return [position for k, position in enumerate(self.seen) if k not in lost] or self.seen

    @cached_property
    def rank(self) -> Rank:
        matrices = (self.assembly.reduced(position).matrix for position in self.seen)
        return rank_of([singular_values(matrix) for matrix in matrices], self.assembly.noise)

    def _driven(self) -> list[Array]:
        """Motions along which drivers move the mechanism."""
        found = []
        for rows in self._driver_rows(self.start):
            motion = np.zeros((len(self.spanning.bodies), 6))
            for body, gradient in rows.gradients.items():
                motion[body] = np.linalg.solve(self.assembly.plain[body], gradient[0])
            found.append(motion)
        return found

    def _driver_rows(self, position: Position) -> list[Rows]:
        return Equations(self.spanning.bodies, self.spanning.drivers).at(position.configuration)[0]

    # --- questions ---------------------------------------------------------------------------------------------------
    def _checked_rank(self) -> Rank:
        rank = self.rank
        if rank.doubtful and self.loops == "drop-redundant":
            raise refusals.nearly_redundant(self.assembly, self.start, rank)
        if len(self.seen) == 1 and self.loops != "drop" and self.start.tree.count > rank.independent + rank.doubtful:
            raise refusals.dead_point(self.assembly)
        return rank

    def _choose(self, rank: Rank) -> list[int]:
        """The loop rows that are kept, by number."""
        metrics = [self.assembly.masses(position.configuration) for position in self.regular]
        systems = [self.assembly.reduced(*pair) for pair in zip(self.regular, metrics, strict=True)]
        kept = choose([system.matrix for system in systems], rank.independent)
        self.quality = min(quality(system.matrix, kept, rank.independent) for system in systems)
        if self.quality < GOOD_CHOICE:
            raise refusals.poor_choice(self.assembly, self.quality)
        return kept

    def _check_drivers(self, kept: Sequence[int]) -> None:
        """A driver's coordinate must be free: of the joints, and of the drivers before it."""
        count, chosen = len(self.spanning.models), [self.spanning.loop_rows[k] for k in kept]
        wanted = [*chosen, *((count + k, 0) for k in range(len(self.spanning.drivers)))]
        best = np.zeros(len(self.spanning.drivers))
        for position in self.regular if len(best) else ():
            rows = [*position.rows, *self._driver_rows(position)]
            reach = Reach(self.spanning, wanted, rows, position.tree.widths)
            matrix = reduced(rows, position.tree, self.assembly.plain, reach).matrix
            best = np.maximum(best, residuals(matrix)[len(chosen) :])
        for model, residual in zip(self.spanning.drivers, best, strict=True):
            if residual < INDEPENDENT:
                raise refusals.nothing_to_drive(self.system.mechanism, model)

    def _opening(self, kept: Sequence[int]) -> float:
        """How far dropped rows open that do not fit, where the kept rows allow it [m or rad]; 0 where all fit."""
        dropped = [row for k, row in enumerate(self.spanning.loop_rows) if k not in kept]
        if self.loops != "drop" or not dropped:
            return 0.0
        partial = Assembly(self.system.mechanism, self.spanning, [self.spanning.loop_rows[k] for k in kept])
        found = positions(partial, partial.project(self.start.configuration))
        largest = max(abs(partial.residual(position.rows, *row)) for position in found for row in dropped)
        if largest > LARGEST_MISFIT:
            raise refusals.opens_too_far(self.assembly, largest)
        if largest <= CLOSED:
            return 0.0
        return max(abs(float(position.rows[model].g[row])) for position in found for model, row in dropped)

    # --- results -----------------------------------------------------------------------------------------------------
    def _by_constraint(self, kept: Sequence[int]) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
        """(kept, dropped) rows of the constraints that lose some, by name."""
        chosen = {self.spanning.loop_rows[k] for k in kept}
        found = {}
        for k in self.spanning.loops:
            model = self.spanning.models[k]
            rows = tuple(row for row in range(model.rows) if (k, row) in chosen)
            if len(rows) < model.rows:
                found[model.name] = rows, tuple(row for row in range(model.rows) if row not in rows)
        return found

    def _guards(self, choices: Choices) -> dict[str, tuple[float, ...]]:
        """For every kept row a power of two near s² at the assembled start, times GUARD.

        For all constraints of the loops: the elimination order decides later which of them close one.
        """
        here = set(self.spanning.bodies)
        models = [m for m in models_of(self.system, choices) if set(m.bodies.values()) - {None} <= here]
        rows, _ = Equations(self.spanning.bodies, models).at(self.start.configuration)
        inverse = np.linalg.inv(self.assembly.moved_masses(self.start.configuration))
        guards = {}
        for model, found in zip(models, rows, strict=True):
            parts = (np.einsum("ri,ij,rj->r", g, inverse[body], g) for body, g in found.gradients.items())
            squares = positive(sum(parts, np.zeros(model.rows)))
            guards[model.name] = tuple(GUARD * near_power_of_two(square) for square in squares)
        return guards

    def _notes(self, rank: Rank, kept: Sequence[int], locks: Sequence[Lock], opening: float) -> Findings:
        drops = self._by_constraint(kept)
        names = {model.name: model.row_names for model in self.spanning.models}
        rows, lost = sum(model.rows for model in self.system.in_joint_axes), sum(len(d) for _, d in drops.values())
        independent = rows - lost + len(locks)
        texts = [refusals.what_is_kept(name, names[name], k, d) for name, (k, d) in drops.items()]
        texts += [refusals.what_is_locked(lock) for lock in locks]
        mobility = 6 * len(self.system.mechanism.bodies) - independent + len(self.spanning.drivers)
        return {
            "rows": rows,
            "rank": independent,
            "mobility": mobility,
            "over_constraint": rows - independent,
            "redundant_rows": {name: [names[name][row] for row in d] for name, (_, d) in drops.items()},
            "limit": max(CLOSED * self.assembly.size, MARGIN * opening),
            "size": self.assembly.size,
            "positions": len(self.seen),
            "singular_positions": len(rank.singular),
            "starts_singular": 0 in rank.singular,
            "choice": self.quality,
            "texts": texts + refusals.warnings(mobility, rank, opening),
            "undetermined": undetermined(self.assembly, self.regular, kept),
        }


def near_power_of_two(value: float) -> float:
    """The power of two nearest to a positive number by its logarithm.

    Numbers met in practice (1, 2, 12, 1/3) do not lie between two of them, so round-off cannot tip the choice.
    """
    fraction, exponent = frexp(value)
    return ldexp(1.0, exponent if fraction > sqrt(0.5) else exponent - 1)
