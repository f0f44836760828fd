"""Which reactions are not unique: redundant rows allow forces that balance each other without moving anything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symvi.analysis.assembly import Assembly, Position
from symvi.analysis.dense import combinations
from symvi.analysis.equations import Array

LOOKED_AT = 2  # configurations: in a special one a force may happen to vanish
SMALL = 1e-6


def undetermined(assembly: Assembly, seen: Sequence[Position], kept: Sequence[int]) -> list[str]:
    """The constraints that take part in such a balance, in their order.

    A dropped loop row is a combination of the kept ones and of rows of the tree; whoever is in it, is undetermined.
    """
    spanning = assembly.spanning
    lost = sorted(set(range(len(spanning.loop_rows))) - set(kept))
    if not lost:
        return []
    touched: set[int] = set()
    for position in seen[:LOOKED_AT]:
        system = assembly.reduced(position)
        weights = np.zeros((len(lost), len(spanning.loop_rows)))
        weights[range(len(lost)), lost] = 1.0
        if kept:
            weights[:, list(kept)] = -combinations(system.matrix[list(kept)], system.matrix[lost])
        touched |= _balance(assembly, position, weights / system.scale)
    return [model.name for k, model in enumerate(spanning.models) if k in touched]


def _balance(assembly: Assembly, position: Position, weights: Array) -> set[int]:
    """The constraints in the balances that begin with forces `weights` along loop rows, down the tree to its roots."""
    spanning = assembly.spanning
    units = np.array([1.0] * 3 + [1.0 / assembly.size] * 3)
    left = np.zeros((len(weights), len(spanning.bodies), 6))
    sizes = np.zeros((len(weights), len(spanning.models)))
    for number, (k, row) in enumerate(spanning.loop_rows):
        push = max(np.abs(g[row] * units).max() for g in position.rows[k].gradients.values())
        sizes[:, k] = np.maximum(sizes[:, k], np.abs(weights[:, number]) * push)
        for body, gradient in position.rows[k].gradients.items():
            left[:, body] += weights[:, number, None] * gradient[row]
    for body in reversed(range(len(spanning.bodies))):
        carrier, above = spanning.carriers[body], spanning.above[body]
        if carrier is None:
            continue
        rows = position.rows[carrier].gradients
        acting = np.flatnonzero(left[:, body].any(axis=1))  # of many loops few run through a body
        share = left[acting, body] @ position.tree.closing[body, :, : len(rows[body])]
        sizes[acting, carrier] = np.abs(share @ (rows[body] * units)).max(axis=1, initial=0.0)
        if above is not None:
            left[acting, above] -= share @ rows[above]
    return set(np.flatnonzero((sizes > SMALL * sizes.max(axis=1, keepdims=True)).any(axis=0)).tolist())
