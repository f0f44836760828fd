"""From the numbers of the loops to decisions: rows kept and dropped, guards, refusals by name, and what a reader is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import frexp, ldexp, sqrt

import numpy as np

from symvi.errors import AssemblyError
from symvi.mechanism import Mechanism
from symvi.physics.model import ConstraintModel
from symvi.program import refusals
from symvi.program.assembly import CLOSED, Assembly, Position
from symvi.program.compose import Choices, models_of
from symvi.program.equations import Array, Equations, Rows
from symvi.program.freedoms import reduced, row_scales
from symvi.program.rank import INDEPENDENT, REDUNDANT, Rank, choose, positions, quality, rank_of
from symvi.program.spanning import Spanning

GUARD = 1e-12  # of a row's scale s², added to its pivot in the factorisation only (loops.md section 1)
GOOD_CHOICE = 0.01  # smallest singular value of the kept rows over that of all rows
LARGEST_MISFIT = 0.03  # of the mechanism's size, or rad: what loops="drop" accepts
MARGIN = 10.0  # declared opening of rows that were dropped although they do not fit, over the opening that was seen


@dataclass
class Analysis:
    """One mechanism's loops. Use it once: choices() asks the questions in their order and raises at the first that fails."""

    mechanism: Mechanism
    models: Sequence[ConstraintModel]
    spanning: Spanning
    loops: str

    def choices(self) -> Choices:
        start = self.start
        self.seen = positions(self.assembly, start, self._driven(start)) if start.closure <= CLOSED else [start]
        rank = self._rank()
        kept = self._choose(rank)
        drops = self._by_constraint(kept)
        self._check_drivers(kept)
        opening = self._opening(kept)
        choices = Choices({name: k for name, (k, _) in drops.items()}, {name: d for name, (_, d) in drops.items()}, {}, {})
        guards = self._guards(choices, kept)
        return replace(choices, guards=guards, notes=self._notes(rank, kept, drops, opening))

    @cached_property
    def assembly(self) -> Assembly:
        return Assembly(self.mechanism, self.spanning)

    @cached_property
    def start(self) -> Position:
        """The assembled start, or as near to it as it comes. Raises AssemblyError for loops that cannot close."""
        position = self.assembly.project(self.assembly.start())
        if position.closure <= CLOSED or (self.loops == "drop" and position.closure <= LARGEST_MISFIT):
            return position
        raise refusals.contradictory(self.assembly, position, small=position.closure <= LARGEST_MISFIT)

    # --- questions ---------------------------------------------------------------------------------------------------------
    def _rank(self) -> Rank:
        rank = rank_of([self.assembly.reduced(position) for position in self.seen])
        if not rank.doubtful or self.loops == "drop":
            return rank
        if self.loops == "rigid":
            return replace(rank, independent=rank.independent + rank.doubtful, doubtful=0)
        raise refusals.nearly_redundant(self.assembly, self.seen[0], rank)

    @cached_property
    def regular(self) -> list[Position]:
        """The positions in which every independent row counts; all of them if there are none."""
        return [position for k, position in enumerate(self.seen) if k not in self.singular] or self.seen

    def _choose(self, rank: Rank) -> list[int]:
        """The loop rows that are kept, by number."""
        self.singular = set(rank.singular)
        systems = [self.assembly.reduced(position, self.assembly.masses(position.configuration)) for position in self.regular]
        kept = choose([system.matrix for system in systems], rank.independent)
        self.quality = min(quality(system.matrix, kept, rank.independent) for system in systems)
        if self.quality < GOOD_CHOICE and self.loops != "rigid":
            raise refusals.poor_choice(self.assembly, self.quality)
        return kept

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

    def _driver_rows(self, position: Position) -> list[Rows]:
        return Equations(self.spanning.bodies, self.spanning.drivers).at(position.configuration)[0]

    def _driven(self, position: Position) -> list[Array]:
        """Motions along which drivers move the mechanism."""
        found = []
        for rows in self._driver_rows(position):
            motion = np.zeros((len(self.spanning.bodies), 6))
            for body, gradient in rows.gradients.items():
                motion[body] = np.linalg.solve(self.assembly.plain[body], gradient[0])
            found.append(motion)
        return found

    def _check_drivers(self, kept: Sequence[int]) -> None:
        """A driver's coordinate must be free: of the joints, and of the drivers before it."""
        count, chosen = len(self.spanning.models), [self.spanning.loop_rows[k] for k in kept]
        best = np.zeros(len(self.spanning.drivers))
        for position in self.regular if len(best) else ():
            rows = [*position.rows, *self._driver_rows(position)]
            wanted = [*chosen, *((count + k, 0) for k in range(len(best)))]
            matrix = reduced(rows, position.tree, self.assembly.plain, wanted).matrix
            r = np.abs(np.diag(np.linalg.qr(matrix.T)[1])) if matrix.shape[1] >= len(wanted) else _residuals(matrix)
            best = np.maximum(best, r[len(chosen):])
        for model, residual in zip(self.spanning.drivers, best, strict=True):
            if residual < INDEPENDENT:
                raise refusals.nothing_to_drive(self.mechanism, model)

    def _opening(self, kept: Sequence[int]) -> float:
        """How far dropped rows open that do not fit, over the positions that the kept rows allow; 0 where all fit."""
        dropped = [row for k, row in enumerate(self.spanning.loop_rows) if k not in kept]
        if self.loops != "drop" or not dropped:
            return 0.0
        partial = Assembly(self.mechanism, self.spanning, [self.spanning.loop_rows[k] for k in kept])
        found = positions(partial, partial.project(self.start.configuration))
        largest = max(abs(partial.residual(position.rows, *row)) for position in found for row in dropped)
        if largest > LARGEST_MISFIT:
            raise refusals.contradictory(self.assembly, self.start, small=False)
        return max(abs(float(position.rows[model].g[row])) for position in found for model, row in dropped) if largest > CLOSED else 0.0

    # --- results -----------------------------------------------------------------------------------------------------------
    def _guards(self, choices: Choices, kept: Sequence[int]) -> dict[str, tuple[float, ...]]:
        """Per kept row, a power of two near s² at the assembled start, times GUARD. For all constraints: the order decides later
        which of them close loops."""
        models = [model for model in models_of(self.mechanism, choices) if set(model.bodies.values()) - {None} <= set(self.spanning.bodies)]
        configuration = self.start.configuration
        metric = self.assembly.masses(configuration)
        rows, _ = Equations(self.spanning.bodies, models).at(configuration)
        share = GUARD
        if self.loops == "rigid" and kept:
            # rows that hold by as little as 1e-11 of their size have pivots of the square of that
            weakest = self.assembly.reduced(self.start, metric).matrix[list(kept)]
            share = min(GUARD, 1e-4 * float(np.linalg.svd(weakest, compute_uv=False)[-1]) ** 2)
            share = ldexp(0.5, frexp(share)[1]) if share < GUARD else GUARD
        return {model.name: tuple(share * near_power_of_two(s) for s in row_scales(_dense(found, metric), metric))
                for model, found in zip(models, rows, strict=True)}

    def _notes(self, rank: Rank, kept: Sequence[int], drops, opening: float) -> dict[str, object]:
        dropped = len(self.spanning.loop_rows) - len(kept)
        rows = sum(model.rows for model in self.models)
        drivers = len(self.spanning.drivers)
        mobility = 6 * len(self.mechanism.bodies) - (rows - drivers - dropped)
        names = {model.name: model.row_names for model in self.spanning.models}
        return {
            "rows": rows, "rank": rows - dropped, "mobility": mobility, "over_constraint": dropped,
            "redundant_rows": {name: [names[name][row] for row in lost] for name, (_, lost) in drops.items()},
            "size": self.assembly.size, "limit": max(CLOSED * self.assembly.size, MARGIN * opening), "singular_positions": len(rank.singular),
            "starts_singular": 0 in rank.singular, "positions": len(self.seen), "choice": self.quality,
            "texts": self._texts(rank, drops, names, opening), "undetermined": self._undetermined(kept) if drops else [],
        }

    def _texts(self, rank: Rank, drops, names, opening: float) -> list[str]:
        texts = [refusals.what_is_kept(name, names[name], kept, lost) for name, (kept, lost) in drops.items()]
        if opening:
            texts.append(f"dropped rows that do not fit open by up to {opening:.2g} (m or rad)")
        if 0 in rank.singular:
            texts.append("starts in a singular position: from rest there, physics does not say which way it goes; the elimination order does")
        elif rank.singular:
            texts.append("passes singular positions: reactions grow near them")
        return texts

    def _undetermined(self, kept: Sequence[int]) -> list[str]:
        """Constraints whose reactions are not unique: those that take part in a balance of forces without motion."""
        touched: set[str] = set()
        lost = [k for k in range(len(self.spanning.loop_rows)) if k not in kept]
        for position in self.regular:
            system = self.assembly.reduced(position)
            for k in lost:
                weights = np.zeros(len(self.spanning.loop_rows))
                weights[k] = 1.0
                if kept:
                    weights[list(kept)] = -np.linalg.lstsq(system.matrix[list(kept)].T, system.matrix[k], rcond=None)[0]
                touched |= self._balance(position, weights / system.scale, system.gradients)
        return [model.name for model in self.spanning.models if model.name in touched]

    def _balance(self, position: Position, weights: Array, gradients: Array) -> set[str]:
        """The constraints in the balance that begins with these forces along the loop rows, down the tree to its roots."""
        units = np.array([1.0] * 3 + [1.0 / self.assembly.size] * 3)
        left = np.einsum("r,rbi->bi", weights, gradients)
        sizes = {}
        for (k, row), weight in zip(self.spanning.loop_rows, weights, strict=True):
            pushed = max(np.abs(weight * g[row] * units).max() for g in position.rows[k].gradients.values())
            sizes[k] = max(sizes.get(k, 0.0), float(pushed))
        for body in reversed(range(len(self.spanning.bodies))):
            carrier, above = self.spanning.carriers[body], self.spanning.above[body]
            if carrier is None:
                continue
            rows = position.rows[carrier].gradients
            share = np.linalg.lstsq((rows[body] * units).T, left[body] * units, rcond=None)[0]
            sizes[carrier] = float(np.abs((share @ rows[body]) * units).max())
            if above is not None:
                left[above] -= share @ rows[above]
        largest = max(sizes.values())
        return {self.spanning.models[k].name for k, size in sizes.items() if size > 1e-6 * largest}


def _residuals(matrix: Array) -> Array:
    """What each row adds to those before it, when there are more rows than freedoms."""
    left, found = matrix.copy(), []
    for row in range(len(left)):
        size = float(np.linalg.norm(left[row]))
        found.append(size)
        if size > REDUNDANT:
            direction = left[row] / size
            for _twice in range(2):
                left -= np.outer(left @ direction, direction)
    return np.array(found)


def _dense(rows: Rows, metric: Array) -> Array:
    gradients = np.zeros((len(rows.g), len(metric), 6))
    for body, gradient in rows.gradients.items():
        gradients[:, body] = gradient
    return gradients


def near_power_of_two(value: float) -> float:
    """The power of two nearest to a positive number by its logarithm: the same on every machine, unless it lies just between."""
    fraction, exponent = frexp(value)
    return ldexp(1.0, exponent if fraction > sqrt(0.5) else exponent - 1)


__all__ = ["Analysis", "AssemblyError", "near_power_of_two"]
