"""Blocks of the Newton matrix, and forces, against complex steps in floats.

What exact algebra cannot see is rounding, overflow and branches.

The printed kernels run on complex numbers; a perturbation i e of one unknown, a velocity or an impulse, gives the
derivative of every residual in one evaluation, without a difference. Entries are compared one by one, each against its
own size, and at several time steps: an error in an entry that is scaled by h would hide behind its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt
from random import Random

from symvi.emit.python import COMPLEX
from symvi.kernels.kernel import Block
from symvi.kernels.records import STORES
from symvi.naive.quaternion import turned
from symvi.program.matrix import Tie
from symvi.program.program import Node
from symvi.proofs.crun import Compiler, Memory, copy_of, run
from symvi.proofs.damped import added_to, amount, number
from symvi.proofs.kernels import Subject

STEPS = (1e-2, 1e-4)
LAWS = ("scale", "exact")  # of inequalities: scaled after Nesterov and Todd, or linearised as they stand
SMALL = 1e-40  # the complex step: its square is nothing beside 1
FLOOR = 1e-3  # of a block's largest entry: a smaller one may be a difference of large terms, and is compared with this
NUMBERS = {**COMPLEX, "number": lambda value: complex(float(value))}


def runner(of: Subject) -> Callable[..., None]:
    """A function that runs phases of a program on records of complex numbers: phases(memory, name, ...)."""
    compiler = Compiler(NUMBERS)

    def phases(memory: Memory, *names: str) -> None:
        for name in names:
            run(of.printed.phases.get(name, ()), memory, compiler.once)

    return phases


def errors(of: Subject, h: float, seed: int = 0, law: str = "scale") -> Iterator[tuple[str, float]]:
    """(entry, relative error) of all entries of the Newton matrix's blocks, at a random state with the time step h.

    law: one of LAWS. Where there are contacts, limits or dry friction, the residual is the one with the impulses
    that they are sent to: with all slacks eliminated, it depends on velocities as the condensed matrix says.
    """
    phases, memory = runner(of), random_memory(of, h, seed)
    phases(memory, "setup", "prepare", "watch")
    aimed = ()
    if of.program.notes["inequalities"]:
        aimed = ("apply_impulse", "right_hand_side" if law == "scale" else "right_hand_side_exact")
        _start_path(of, phases, memory, law, Random(f"{seed} path"))
    base = copy_of(memory)
    phases(base, "evaluate", "linearize")
    nodes = of.matrix.nodes
    for j, changed in enumerate(nodes):
        columns = [_perturbed(memory, base, changed, k) for k in range(of.matrix.sizes[changed.kind])]
        for column in columns:
            phases(column, "evaluate", *aimed)
        for i, node in enumerate(nodes):
            block = _block(of, base, i, j)
            slopes = [
                [column["work"][node.kind][node.index]["f"][row].imag / SMALL for column in columns]
                for row in range(len(block))
            ]
            yield from _compare(f"({node.name}, {changed.name})", block, slopes)


def _start_path(of: Subject, phases: Callable, memory: Memory, law: str, random: Random) -> None:
    """Variables of contacts, limits and dry friction inside their cones but off the central path, and their law.

    All are of order one, so that what the law adds to the blocks is as large as they are.
    """
    h = memory["work"]["common"][0]["step"][0]
    steering = {"target": h, "ratio": 1.0, "stick": 1.0, "memory": 1.0, "second": 0.0}
    memory["work"]["common"][0] |= {name: [value] for name, value in steering.items()}
    phases(memory, "evaluate", "warm")
    for node in of.program.notes["inequalities"]:
        record = memory["work"][node["kind"]][node["index"]]
        for name in ("impulse", "slack"):
            record[name] = [random.uniform(0.5, 2.0) for _ in record[name]]
        for name in ("b", "e") if node["cone"] else ():
            record[name] = [value / record[name][0] for value in record[name]]
            record[name][0] = random.uniform(1.5, 3.0)
    phases(memory, "apply_impulse", law)


def force_errors(of: Subject, h: float, seed: int = 0) -> Iterator[tuple[str, float]]:
    """(entry, relative error) of the impulse on every body that has an energy: minus its slope, at the first knot.

    For mechanisms whose forces all come from an energy once inputs and dampings are zero: not those with servos. The
    bodies rest, so that springs pull as at the first knot; half of what they do is handed on, and here added to it.
    """
    phases, memory = runner(of), random_memory(of, h, seed)
    for records in memory["input"].values():
        for record in records:
            record.update({name: [0.0] * len(values) for name, values in record.items()})
    for records in memory["parameters"].values():
        for record in records:
            record.update({name: [0.0] * len(values) for name, values in record.items() if name == "damping"})
    for state in memory["state"]["body"]:
        state["p"], state["l"] = [0.0] * 3, [0.0] * 3
    for records in memory["work"].values():
        for record in records:
            record.update({name: [0.0] * len(record[name]) for name in ("v", "w", "y") if name in record})
    memory["work"]["common"][0]["carry"] = [2.0]
    base = copy_of(memory)
    phases(base, "setup", "prepare", "evaluate")
    for node in of.program.nodes["body"]:
        slopes = []
        for k in range(6):
            changed = copy_of(memory)
            _displace(changed["state"]["body"][node.index], k)
            phases(changed, "setup", "prepare")
            changed["work"]["common"][0]["potential"] = [0.0]
            phases(changed, "energy")
            slopes.append(-h * changed["work"]["common"][0]["potential"][0].imag / SMALL)
        given = [-complex(value).real for value in base["work"]["body"][node.index]["f"]]
        yield from _compare(f"force on {node.name}", [given], [slopes])


def _displace(state: dict[str, list], k: int) -> None:
    """Change a body's position, or turn it about a world axis, by i SMALL."""
    if k < 3:
        state["x"][k] += 1j * SMALL
    else:
        state["q"] = turned(state["q"], [1j * SMALL * (k - 3 == i) for i in range(3)])


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
    memory["work"]["common"][0] |= {"step": [h], "impulse": [h], "carry": [1.0], "closure": [1.0 / h]}
    for state in memory["state"]["body"]:
        size = sqrt(sum(x * x for x in state["q"]))
        state["q"] = [x / size for x in state["q"]]
    return memory


def _perturbed(memory: Memory, base: Memory, node: Node, k: int) -> Memory:
    """The records with unknown k of a node changed: a row's impulse; a body's velocity, or its w by (c I - a^) e_k."""
    changed = copy_of(memory)
    if node.kind != "body":
        changed["work"][node.kind][node.index]["y"][k] += 1j * SMALL
        return changed
    body, at = changed["work"]["body"][node.index], base["work"]["body"][node.index]
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
        tie = matrix.ties.get(pair, Tie("none", "first", {(i, j): Block.dense(rows, columns, "", 0)}))
        keeper = tie.keeping(nodes, pair)
        block = tie.blocks[i, j]
    record, added = memory["work"][keeper.kind][keeper.index], added_to(matrix, i, j)
    values = [complex(number(e, record) + amount(added, memory, k)).real for k, e in enumerate(block.entries)]
    return [values[r * columns : (r + 1) * columns] for r in range(rows)]
