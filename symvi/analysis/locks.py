"""Joints to lock in place of rows that hold a mechanism rigid, but too weakly for numbers of sixteen digits.

An axis that is off by 1e-5 holds a four-bar with forces 1e5 times those of its load, and a solver would creep. Locking
a joint coordinate that these rows hold says the same thing firmly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from symvi.analysis import refusals
from symvi.analysis.assembly import Assembly, Position
from symvi.analysis.choices import Lock
from symvi.analysis.dense import remove
from symvi.analysis.equations import Array, Equations
from symvi.analysis.freedoms import reduced
from symvi.analysis.rank import INDEPENDENT, REDUNDANT
from symvi.analysis.reach import Reach
from symvi.mechanism import coordinate_kinds
from symvi.mechanism.start_values import start_values
from symvi.physics.multibody import MultibodySystem
from symvi.physics.relations import lock_model

DIGITS = 12  # of the coordinate that is held: more would carry the noise of an assembly into the generated text


def locks_for(
    system: MultibodySystem, assembly: Assembly, start: Position, kept: Sequence[int], count: int
) -> Iterator[Lock]:
    """`count` joint coordinates that the nearly redundant rows hold. Raises AssemblyError if there are none such."""
    mechanism, spanning = system.mechanism, assembly.spanning
    names = {model.name for model in spanning.models}
    candidates = [
        Lock(joint.name, k, 0.0)
        for joint in mechanism.joints
        if joint.name in names
        for k in range(len(coordinate_kinds(joint.type)))
    ]
    models = [lock_model(system.geometry(lock.joint), lock.coordinate, lock.value) for lock in candidates]
    known = start_values(mechanism).coordinates
    angles = {
        (m.name, field): known[c.joint][c.coordinate]
        for m, c in zip(models, candidates, strict=True)
        for field in m.angles
        if c.joint in known
    }
    configuration = replace(start.configuration, angles=angles)
    found, _ = Equations(spanning.bodies, models).at(configuration)
    number = len(spanning.models)
    chosen = [*spanning.loop_rows, *((number + k, 0) for k in range(len(candidates)))]
    rows = [*start.rows, *found]
    matrix = reduced(rows, start.tree, assembly.plain, Reach(spanning, chosen, rows, start.tree.widths)).matrix
    for k in _choose(matrix, len(spanning.loop_rows), kept, count, assembly):
        yield candidates[k]._replace(value=float(f"{float(found[k].g[0]):.{DIGITS}g}"))


def _choose(matrix: Array, loops: int, kept: Sequence[int], count: int, assembly: Assembly) -> list[int]:
    """Rows that add most to the kept ones, among those that hold nothing which all loop rows leave free."""
    left = matrix[loops:].copy()
    _, sigma, vt = np.linalg.svd(matrix[:loops], full_matrices=False)
    held = vt[sigma > REDUNDANT]
    beside = np.linalg.norm(left - np.einsum("ij,kj,kl->il", left, held, held), axis=1)
    rows = matrix[list(kept)]
    for k in range(len(kept)):
        row = rows[k].copy()
        remove(left, row)
        remove(rows[k + 1 :], row)
    left[beside > INDEPENDENT] = 0.0
    found: list[int] = []
    for _ in range(count):
        sizes = np.linalg.norm(left, axis=1)
        best = int(np.argmax(sizes >= (1 - 1e-6) * sizes.max()))
        if sizes[best] < INDEPENDENT:
            raise refusals.nothing_to_lock(assembly)
        found.append(best)
        remove(left, left[best].copy())
    return found
