"""Contacts and limits that joints hold at zero for good: nothing decides with what force they are pressed.

A slider that lies on the very ground along which its joint guides it carries its weight by either. There every force
between contact and joint balances, and an interior point follows them without an end. So a gap that is zero at the
start, and that no motion which the joints allow changes, there and at some configurations near by, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from symvi.errors import AssemblyError
from symvi.mechanism import Mechanism
from symvi.physics.contacts import contact_models, limit_models
from symvi.physics.model import ConstraintModel, LimitModel
from symvi.program.assembly import start_angles
from symvi.program.equations import Array, Configuration, Equations, Rows, start_configuration
from symvi.program.extent import size_of

ZERO = 1e-7  # of the mechanism's size, or rad: a gap that counts as closed
HELD = 1e-6  # of the gradient's size: a gap that free motions change by less is held
CUT = 1e-6  # of the largest: directions that rows hold by less are free
PLACES = 3
STRIDE = 0.1  # of the mechanism's size, or rad: from one place to the next
CORRECTIONS = 8


def check_held_gaps(mechanism: Mechanism, constraints: Sequence[ConstraintModel]) -> None:
    """Raises AssemblyError, naming a contact or limit that joints hold at zero. constraints: all that hold bodies."""
    held = [model for model in constraints if model.target is None]
    nodes = [*contact_models(mechanism), *limit_models(mechanism)]
    if not nodes or not held:
        return
    names, size = [body.name for body in mechanism.bodies], size_of(mechanism)
    gaps, rows = Equations(names, [_row(node) for node in nodes]), Equations(names, held)
    start = start_configuration(mechanism, mechanism.bodies, start_angles(mechanism, held))
    closed = {k for k, gap in enumerate(gaps.at(start)[0]) if abs(gap.g[0]) <= ZERO * _unit(nodes[k], size)}
    scale = np.tile([size] * 3 + [1.0] * 3, len(names))
    for place, free in _places(rows, start, scale) if closed else ():
        here = gaps.at(place)[0]
        closed = {k for k in closed if _share(_dense(here[k : k + 1], scale)[0], free) <= HELD}
    for k in sorted(closed):
        what = "limit" if isinstance(nodes[k], LimitModel) else "contact"
        raise AssemblyError(
            f"{what} '{nodes[k].name}': joints hold it closed for good, so nothing decides with what force it is "
            "pressed; leave it out, or give it room"
        )


def _row(node) -> ConstraintModel:
    return ConstraintModel(node.name, node.type, node.bodies, node.groups, node.parameters, 1, ("gap",), ("m",))


def _unit(node, size: float) -> float:
    return 1.0 if node.row_units[0] == "rad" else size


def _share(gradient: Array, free: Array) -> float:
    """The part of a gradient that free motions see."""
    return float(np.linalg.norm(free @ gradient) / (np.linalg.norm(gradient) or 1.0))


def _places(rows: Equations, start: Configuration, scale: Array) -> Iterator[tuple[Configuration, Array]]:
    """The start and configurations near by that the joints allow, each with its free motions (f, 6 n), orthonormal."""
    random, place = np.random.default_rng(1), start
    for _ in range(PLACES):
        free = _null(_dense(rows.at(place)[0], scale))
        yield place, free
        if not len(free):
            return
        way = free.T @ random.uniform(-1.0, 1.0, len(free))
        place = _closed(rows, place.moved((STRIDE * scale * way / np.abs(way).max()).reshape(-1, 6)), scale)


def _closed(rows: Equations, place: Configuration, scale: Array) -> Configuration:
    """The nearest configuration in which all rows are zero, as far as Gauss and Newton get."""
    for _ in range(CORRECTIONS):
        values = rows.at(place)[0]
        step = -np.linalg.pinv(_dense(values, scale), rcond=CUT) @ np.concatenate([row.g for row in values])
        place = place.moved((scale * step).reshape(-1, 6))
    return place


def _dense(rows: Sequence[Rows], scale: Array) -> Array:
    """The gradients of rows by all motions, each motion in its own unit."""
    blocks = []
    for row in rows:
        block = np.zeros((len(row.g), len(scale)))
        for body, gradient in row.gradients.items():
            block[:, 6 * body : 6 * body + 6] = gradient
        blocks.append(block * scale)
    return np.concatenate(blocks)


def _null(matrix: Array) -> Array:
    _, sigma, vt = np.linalg.svd(matrix)
    return vt[int(np.sum(sigma > CUT * sigma[0])) :]
