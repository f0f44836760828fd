"""Factors that sweeps must leave in the rows that close loops: their pivots tell how near a loop is to losing a row.

A row is eliminated before the body on which its loop hangs, and after all that this body carries. With that body held,
of the naive Newton matrix the block of the rows is left, S = F_rr - F_rc F_cc^-1 F_cr, c: bodies that it carries, their
joints, and rows that were eliminated before. Laws between two bodies are rows of their own, which come later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symvi.exact.linear import solve
from symvi.proofs.check import Check
from symvi.proofs.joint_view import JointView


def factors(view: JointView, matrix: Mapping[tuple[str, str], list[list]]) -> Iterator[Check]:
    """Factors of every row that closes a loop, where they are not zero: L below, 1/pivot on, U right of the diagonal.

    matrix: the naive Newton matrix without laws between two bodies.
    """
    names, hangs = [name for name, _ in view.scene.closing], dict(view.scene.closing)
    for place, name in enumerate(names):
        bodies = carried(view, hangs[name])
        joints = [
            link.name for body, link in view.tree.links.items() if body in bodies and link.name in view.system.sizes
        ]
        led = [d.name for d in view.scene.mechanism.drivers if d.name in view.scene.carried and d.joint in joints]
        before = [other for other in names[:place] if hangs[other] is None or hangs[other] in {*bodies, hangs[name]}]
        if hangs[name] is not None:
            before = [other for other in before if hangs[other] is not None]
        left = schur(view, matrix, name, [*bodies, *joints, *led, *before])
        node, size, found = view.scene.nodes[name], len(left), factored(left)
        stated = {i * size + k: found[i][k] for i in range(size) for k in range(size) if found[i][k] != 0}
        yield Check(
            f"{node.kind} {name}: D",
            list(stated.values()),
            lambda m, n=node, entries=tuple(stated): [m["work"][n.kind][n.index]["D"][k] for k in entries],
        )


def carried(view: JointView, ancestor: str | None) -> list[str]:
    """What a body carries; all bodies for the ground."""
    return list(view.tree.links) if ancestor is None else view.equations.above(ancestor)[1:]


def schur(view: JointView, matrix: Mapping, name: str, nodes: list[str]) -> list[list]:
    """What the elimination of some nodes leaves of the block of another one, with guards."""
    sizes, zero = view.system.sizes, view.scene.zero
    places = [(node, k) for node in nodes for k in range(sizes[node])]

    def entry(row: tuple[str, int], column: tuple[str, int]):
        block = matrix.get((row[0], column[0]))
        value = zero if block is None else block[row[1]][column[1]]
        return value + view.scene.guards[row[0]][row[1]] if row == column and row[0] in view.scene.guards else value

    own = [(name, k) for k in range(sizes[name])]
    taken = solve([[entry(r, c) for c in places] for r in places], [[entry(r, c) for c in own] for r in places])
    return [
        [
            entry(r, c) - sum((entry(r, p) * row[k] for p, row in zip(places, taken, strict=True)), zero)
            for k, c in enumerate(own)
        ]
        for r in own
    ]


def factored(matrix: list[list]) -> list[list]:
    """L below, reciprocals of the pivots on, and U right of the diagonal."""
    found = [list(row) for row in matrix]
    for k, top in enumerate(found):
        top[k] = 1 / top[k]
        for j in range(k + 1, len(top)):
            top[j] = top[j] * top[k]
        for row in found[k + 1 :]:
            for j in range(k + 1, len(top)):
                row[j] = row[j] - row[k] * top[j]
    return found
