"""Contacts and limits that joints hold at zero for good: nothing decides with what force they are pressed.

A slider that lies on the very ground along which its joint guides it carries its weight by either. There every force
between contact and joint balances, and an interior point follows them without an end. So a gap that is zero at the
start, and that no motion which the joints allow changes, there and at some configurations near by, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from symvi.analysis.assembly import start_angles
from symvi.analysis.equations import Array, Configuration, Equations, Rows, start_configuration
from symvi.errors import AssemblyError
from symvi.graph.joined_parts import parts_of
from symvi.numbers.extent import size_of
from symvi.physics.model import ConstraintModel, LimitModel
from symvi.physics.multibody import MultibodySystem

ZERO = 1e-7  # of the mechanism's size, or rad: a gap that counts as closed
HELD = 1e-6  # of the gradient's size: a gap that free motions change by less is held
CUT = 1e-6  # of the largest: directions that rows hold by less are free
PLACES = 3
STRIDE = 0.1  # of the mechanism's size, or rad: from one place to the next
CORRECTIONS = 8


def check_held_gaps(system: MultibodySystem) -> None:
    """Raises AssemblyError, naming a contact or limit that joints hold at zero."""
    mechanism, nodes = system.mechanism, (*system.contacts, *system.limits)
    held = [model for model in system.in_joint_axes if model.target is None] if nodes else []
    if not held:
        return
    size, angles = size_of(mechanism), start_angles(mechanism, held)
    start = start_configuration(mechanism, mechanism.bodies, angles)
    gaps = Equations([body.name for body in mechanism.bodies], [_row(node) for node in nodes]).at(start)[0]
    closed = [node for node, gap in zip(nodes, gaps, strict=True) if abs(gap.g[0]) <= ZERO * _unit(node, size)]
    leader, groups = parts_of(mechanism), {}
    for node in closed:
        groups.setdefault(frozenset(leader[body] for body in _bodies(node)), []).append(node)
    for leaders, own in groups.items():  # a large robot is not looked at whole
        bodies = [body for body in mechanism.bodies if leader[body.name] in leaders]
        for node in _held(own, held, start_configuration(mechanism, bodies, angles), bodies, size):
            what = "limit" if isinstance(node, LimitModel) else "contact"
            raise AssemblyError(
                f"{what} '{node.name}': joints hold it closed for good, so nothing decides with what force it is "
                "pressed; leave it out, or give it room"
            )


def _bodies(model) -> set[str]:
    return {body for body in model.bodies.values() if body is not None}


def _held(nodes: Sequence, held: Sequence[ConstraintModel], start: Configuration, bodies, size: float) -> list:
    """Those of the nodes that no motion of their part changes."""
    names = [body.name for body in bodies]
    own = [model for model in held if _bodies(model) and _bodies(model) <= set(names)]
    if not own:
        return []
    gaps, rows = Equations(names, [_row(node) for node in nodes]), Equations(names, own)
    scale, closed = np.tile([size] * 3 + [1.0] * 3, len(names)), set(range(len(nodes)))
    for place, free in _places(rows, start, scale):
        here = gaps.at(place)[0]
        closed = {k for k in closed if _share(_dense(here[k : k + 1], scale)[0], free) <= HELD}
        if not closed:  # as a rule at the start already
            break
    return [nodes[k] for k in sorted(closed)]


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
