"""Factors that elimination must leave in the nodes of loops: their pivots tell how near a loop is to losing a row.

The guarded Newton matrix, eliminated number by number in the program's order without a block in sight, has the same
factors in each node: the reciprocals of the pivots on the diagonal, a row of U to the right, a column of L below.
"""

from __future__ import annotations

from collections.abc import Iterator

from symvi.proofs.check import Check, View


def factors(view: View, matrix: dict) -> Iterator[Check]:
    """Factors of every guarded node of a Newton matrix, where they are not zero."""
    left = eliminated(view, matrix) if view.scene.guards else {}
    for name in view.scene.guards:
        node, size = view.scene.nodes[name], view.system.sizes[name]
        stated = {i * size + k: left[name, i, k] for i in range(size) for k in range(size) if left[name, i, k] != 0}
        yield Check(
            f"{node.kind} {name}: d",
            list(stated.values()),
            lambda m, n=node, entries=tuple(stated): [m["work"][n.kind][n.index]["D"][k] for k in entries],
        )


def eliminated(view: View, matrix: dict) -> dict[tuple[str, int, int], object]:
    """(node, row, column) -> L below, 1/pivot on, U right of the diagonal, within every node."""
    sizes, zero = view.system.sizes, view.scene.zero
    rows = guarded_rows(view, matrix)
    order = [(name, k) for name in view.program.notes["order"] if name in sizes for k in range(sizes[name])]
    found = {}
    for position, place in enumerate(order):
        name, k = place
        inverse = 1 / rows[place].get(place, zero)
        upper = {column: value * inverse for column, value in rows[place].items() if column != place}
        found[name, k, k] = inverse
        for other in range(k + 1, sizes[name]):
            found[name, k, other] = upper.get((name, other), zero)
            found[name, other, k] = rows[name, other].get(place, zero)
        for later in order[position + 1 :]:
            lower = rows[later].pop(place, None)
            if lower is not None:
                for column, value in upper.items():
                    rows[later][column] = rows[later].get(column, zero) - lower * value
    return found


def guarded_rows(view: View, matrix: dict) -> dict[tuple[str, int], dict]:
    """The Newton matrix with its guards, by rows: what is not zero."""
    rows: dict[tuple[str, int], dict] = {(name, k): {} for name, size in view.system.sizes.items() for k in range(size)}
    for (row, column), block in matrix.items():
        for i, line in enumerate(block):
            rows[row, i].update({(column, k): value for k, value in enumerate(line) if value != 0})
    for name, guards in view.scene.guards.items():
        for k, guard in enumerate(guards):
            rows[name, k][name, k] = rows[name, k].get((name, k), view.scene.zero) + guard
    return rows
