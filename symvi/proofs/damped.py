"""What laws that a joint takes along its coordinates add to the blocks of the Newton matrix: Bᵀ k, from records."""

from __future__ import annotations

from collections.abc import Iterator

from symvi.kernels.kernel import Block
from symvi.program.matrix import Matrix
from symvi.program.program import Node
from symvi.proofs.crun import Memory

Added = tuple[Node, Block, Block]


def added_to(matrix: Matrix, i: int, j: int) -> list[Added]:
    """For block (i, j): the joints with such laws between these bodies, directions on body i, slopes by body j."""
    found = []
    for joint, node in enumerate(matrix.nodes):
        if node.kind in matrix.damping:
            labels = dict(_labels(matrix, joint))
            if i in labels and j in labels:
                damping = matrix.damping[node.kind]
                found.append((node, damping.directions[labels[i]], damping.slopes[labels[j]]))
    return found


def between(matrix: Matrix) -> Iterator[tuple[str, str]]:
    """The bodies that such laws would tie to each other, by name, both ways."""
    for joint, node in enumerate(matrix.nodes):
        bodies = [matrix.nodes[body].name for body, _ in _labels(matrix, joint)] if node.kind in matrix.damping else []
        yield from ((one, other) for one in bodies for other in bodies if one != other)


def amount(added: list[Added], memory: Memory, k: int):
    """What they add to entry k of the block, row by row; 0 for no law."""
    row, column = divmod(k, 6)
    total = 0
    for node, directions, slopes in added:
        record = memory["work"][node.kind][node.index]
        for line in range(directions.rows):
            push, slope = directions.entries[6 * line + row], slopes.entries[6 * line + column]
            if not push.is_zero and not slope.is_zero:
                total = total + number(push, record) * number(slope, record)
    return total


def number(entry, record: dict[str, list]):
    """An entry of a block, from the record that keeps it."""
    return entry.sign if entry.is_constant else record[entry.field][entry.index] * entry.sign


def _labels(matrix: Matrix, joint: int) -> Iterator[tuple[int, str]]:
    """The bodies of a joint with its labels for them."""
    for pair, tie in matrix.ties.items():
        if joint in pair:
            yield pair[1 - pair.index(joint)], tie.tag
