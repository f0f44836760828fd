"""Blocks of the Newton matrix against complex steps in floats.

What exact algebra cannot see is rounding, overflow and branches.

The printed kernels run on complex numbers; a perturbation i e of one unknown gives the derivative of every residual in
one evaluation, without a difference. Entries are compared one by one, each against its own size, and at several time
steps: an error in an entry that is scaled by h would hide behind its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from random import Random

from symvi.emit.python import COMPLEX
from symvi.program.records import STORES
from symvi.verify.crun import Memory, compiled, copy_of, run
from symvi.verify.kernels import Subject

STEPS = (1e-2, 1e-4)
SMALL = 1e-40  # the complex step: its square is nothing beside 1
FLOOR = 1e-3  # of a block's largest entry: a smaller one may be a difference of large terms, and is compared with this
NUMBERS = {**COMPLEX, "number": lambda value: complex(float(value))}


def errors(of: Subject, h: float, seed: int = 0) -> Iterator[tuple[str, float]]:
    """(entry, relative error) of all entries of the Newton matrix's blocks, at a random state with the time step h."""
    functions: dict[int, object] = {}

    def compile_function(function):
        return functions.setdefault(id(function), compiled(function, NUMBERS))

    def phases(memory: Memory, *names: str) -> None:
        for name in names:
            run(of.printed.phases.get(name, ()), memory, compile_function)

    memory = random_memory(of, h, seed)
    phases(memory, "setup", "prepare", "watch")
    base = copy_of(memory)
    phases(base, "evaluate", "linearize")
    nodes = of.matrix.nodes
    for j, body in enumerate(nodes):
        if body.kind == "body":
            columns = [_perturbed(memory, base, body.index, k) for k in range(6)]
            for column in columns:
                phases(column, "evaluate")
            for i, node in enumerate(nodes):
                block = _block(of, base, i, j)
                slopes = [
                    [column["work"][node.kind][node.index]["f"][row].imag / SMALL for column in columns]
                    for row in range(len(block))
                ]
                yield from _compare(f"({node.name}, {body.name})", block, slopes)


def _compare(place: str, block: list[list[float]], slopes: list[list[float]]) -> Iterator[tuple[str, float]]:
    largest = max((abs(value) for row in (*block, *slopes) for value in row), default=0.0)
    for i, (row, other) in enumerate(zip(block, slopes, strict=True)):
        for k, (value, slope) in enumerate(zip(row, other, strict=True)):
            size = max(abs(value), abs(slope), FLOOR * largest)
            yield f"{place}[{i}, {k}]", abs(value - slope) / size if size else 0.0


def random_memory(of: Subject, h: float, seed: int = 0) -> Memory:
    """Float records at a random state: parameters as described, bodies anywhere, moving at about 1 m/s and 1 rad/s."""
    program, random = of.program, Random(seed)

    def record(kind: str, store: str, index: int) -> dict[str, list]:
        known = program.parameters.get((kind, index), {}) if store == "parameters" else {}
        fields = program.records.of(kind, store)
        return {f.name: list(known.get(f.name) or (random.gauss(0, 1) for _ in range(f.size))) for f in fields}

    memory: Memory = {
        store: {kind: [record(kind, store, node.index) for node in nodes] for kind, nodes in program.nodes.items()}
        for store in STORES
    }
    memory["parameters"]["common"][0]["h"] = [h]
    memory["work"]["common"][0] |= {"impulse": [h], "carry": [1.0], "closure": [1.0 / h]}
    for state in memory["state"]["body"]:
        size = sqrt(sum(x * x for x in state["q"]))
        state["q"] = [x / size for x in state["q"]]
    return memory


def _perturbed(memory: Memory, base: Memory, index: int, k: int) -> Memory:
    """The records with unknown k of a body changed: its velocity, or w by (c I - a^) e_k."""
    changed = copy_of(memory)
    body, at = changed["work"]["body"][index], base["work"]["body"][index]
    if k < 3:
        body["v"][k] += 1j * SMALL
        return changed
    c, a, axis = at["c"][0], at["a"], k - 3
    turned = [0j, 0j, 0j]
    turned[axis] = c
    turned[(axis + 1) % 3] -= a[(axis + 2) % 3]
    turned[(axis + 2) % 3] += a[(axis + 1) % 3]
    body["w"] = [w + 1j * SMALL * t.real for w, t in zip(body["w"], turned, strict=True)]
    return changed


def _block(of: Subject, memory: Memory, i: int, j: int) -> list[list[float]]:
    """Block (i, j) of the Newton matrix as the records hold it; zeros where nodes are not tied."""
    matrix, nodes = of.matrix, of.matrix.nodes
    rows, columns = matrix.sizes[nodes[i].kind], matrix.sizes[nodes[j].kind]
    if i == j:
        keeper, block = nodes[i], matrix.diagonals[nodes[i].kind]
    else:
        pair = (i, j) if (i, j) in matrix.ties else (j, i)
        tie = matrix.ties.get(pair)
        if tie is None:
            return [[0.0] * columns for _ in range(rows)]
        keeper = tie.edge if tie.keeper == "edge" else nodes[pair[0] if tie.keeper == "first" else pair[1]]
        block = tie.blocks[i, j]
    record = memory["work"][keeper.kind][keeper.index]
    values = [float(e.sign) if e.is_constant else (record[e.field][e.index] * e.sign).real for e in block.entries]
    return [values[r * columns : (r + 1) * columns] for r in range(rows)]
