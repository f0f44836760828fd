"""Which freedoms of the tree a loop row sees: those of the bodies that it touches, and of all bodies above these.

In a net of loops that is a small part of all freedoms. The structure is the same in every configuration, so it is found
once; the numbers run along it from the leaves to the roots, the bodies of one level at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from symvi.analysis.equations import Array, Rows
from symvi.analysis.spanning import Spanning

Places = NDArray[np.intp]


class Reach:
    """Pairs of a constraint and a body that its rows reach, deepest bodies first.

    chosen: rows, as (model, row). rows: of all models, at any configuration; they say which bodies a model touches.
    widths: how many freedoms of its own every body has.
    """

    def __init__(
        self, spanning: Spanning, chosen: Sequence[tuple[int, int]], rows: Sequence[Rows], widths: Sequence[int]
    ):
        self.models = list(dict.fromkeys(model for model, _ in chosen))
        self.height = 1 + max((row for _, row in chosen), default=0)
        self.touched = [(k, body) for k, model in enumerate(self.models) for body in rows[model].gradients]
        pairs = self._pairs(spanning, rows)
        self.place = {pair: number for number, pair in enumerate(pairs)}
        self.body: Places = np.array([body for _, body in pairs], np.intp)
        above = [(k, spanning.above[body]) for k, body in pairs]
        places = [-1 if body is None else self.place.get((k, body), -1) for k, body in above]
        self.up: Places = np.array(places, np.intp)
        place = {model: k for k, model in enumerate(self.models)}
        self.row: tuple[Places, Places] = (
            np.array([place[model] for model, _ in chosen], np.intp),
            np.array([row for _, row in chosen], np.intp),
        )
        self.shape = (len(chosen), int(sum(widths)))
        self.entries, self.seen = self._entries(pairs, chosen, place, widths)

    def _pairs(self, spanning: Spanning, rows: Sequence[Rows]) -> list[tuple[int, int]]:
        depth = [0] * len(spanning.bodies)
        for level, bodies in enumerate(spanning.levels):
            for body in bodies:
                depth[body] = level
        found = []
        for k, model in enumerate(self.models):
            reached: set[int] = set()
            for end in rows[model].gradients:
                body: int | None = end
                while body is not None and body not in reached:
                    reached.add(body)
                    body = spanning.above[body]
            found += [(k, body) for body in reached]
        found.sort(key=lambda pair: (-depth[pair[1]], pair))
        depths = np.array([depth[body] for _, body in found], np.intp)
        ends = [0, *(np.flatnonzero(np.diff(depths)) + 1).tolist(), len(found)]
        self.levels = [slice(begin, end) for begin, end in zip(ends, ends[1:], strict=False) if begin < end]
        return found

    def _entries(self, pairs, chosen, place, widths) -> tuple[Places, Places]:
        """Where in the matrix of chosen rows and all freedoms the numbers of the pairs go: (to, from), both flat."""
        first = np.concatenate([[0], np.cumsum(np.array(widths, np.intp))])
        number = np.full((len(self.models), self.height), -1, np.intp)
        for k, (model, row) in enumerate(chosen):
            number[place[model], row] = k
        row = number[[k for k, _ in pairs]] if pairs else np.zeros((0, self.height), np.intp)
        width = np.array(widths, np.intp)[self.body]
        counts = np.arange(6)
        there = (row[:, :, None] >= 0) & (counts < width[:, None, None])
        to = row[:, :, None] * self.shape[1] + (first[self.body][:, None, None] + counts)
        return to[there], np.flatnonzero(there)

    def gradients(self, rows: Sequence[Rows]) -> Array:
        """(touched, height, 6): of the rows of every constraint by every body that it touches."""
        found = np.zeros((len(self.touched), self.height, 6))
        for block, (k, body) in zip(found, self.touched, strict=True):
            own = rows[self.models[k]].gradients[body]
            block[: len(own)] = own[: self.height]
        return found

    def acting(self, gradients: Array, motion: Array) -> Array:
        """What a motion (n, 6) changes the chosen rows by."""
        found = np.zeros((len(self.models), self.height))
        shares = np.einsum("tri,ti->tr", gradients, motion[[body for _, body in self.touched]])
        np.add.at(found, [k for k, _ in self.touched], shares)
        return found[self.row]

    def squares(self, gradients: Array, inverse: Array) -> Array:
        """G M Gᵀ of the chosen rows, one by one. inverse: M (n, 6, 6)."""
        found = np.zeros((len(self.models), self.height))
        weighted = gradients @ inverse[[body for _, body in self.touched]]
        np.add.at(found, [k for k, _ in self.touched], np.einsum("tri,tri->tr", weighted, gradients))
        return found[self.row]

    def matrix(self, gradients: Array, carry: Array, own: Array) -> Array:
        """Chosen rows by all freedoms. A body moves by `carry` with the one above it, and by `own` on its own."""
        forces = np.zeros((len(self.body), self.height, 6))
        forces[[self.place[pair] for pair in self.touched]] = gradients
        for level, up, distinct in self._steps:
            passed = forces[level] @ carry[self.body[level]]
            if distinct:
                forces[up] += passed
            else:
                np.add.at(forces, up, passed)
        found = np.zeros(self.shape)
        found.ravel()[self.entries] = (forces @ own[self.body]).ravel()[self.seen]
        return found

    @cached_property
    def _steps(self) -> list[tuple[slice, Places, bool]]:
        """(pairs of a level, the pairs above them, whether these are all different), for levels below the roots."""
        steps = [(level, self.up[level]) for level in self.levels]
        return [(level, up, len(np.unique(up)) == len(up)) for level, up in steps if up[0] >= 0]
