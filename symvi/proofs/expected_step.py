"""What the kernels of a step must give: residual, blocks of the Newton matrix, a solution of the naive system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symvi.kernels.kernel import Block
from symvi.mechanism import coordinate_kinds
from symvi.mechanism.forces import AlongJoint
from symvi.naive import joints
from symvi.naive.constraints import lock_name
from symvi.naive.discrete_body import apply_inertia, momentum, second_knot
from symvi.naive.quaternion import columns, dot, rotate, scale, subtract, unrotate
from symvi.program.program import Node
from symvi.proofs.check import Check, View
from symvi.proofs.crun import Memory
from symvi.proofs.damped import added_to, amount, between, number
from symvi.proofs.expected_factors import factors
from symvi.proofs.scene import Scene, chord


@dataclass(frozen=True)
class Linear:
    """A linear system F s = f: blocks of F by (row node, column node), f by node."""

    matrix: dict[tuple[str, str], list[list]]
    residual: dict[str, list]


def plain(view: View) -> Linear:
    """The system of a mechanism without contacts, limits and dry friction, or of one that they do not bind."""
    return Linear(view.system.matrix, view.system.residual)


def setup(view: View) -> Iterator[Check]:
    yield view.check("common", "half", [view.scene.h / 2])
    yield view.check("common", "inverse", [1 / view.scene.h])
    if not any(value for body in view.scene.mechanism.bodies for value in body.inertia):
        for name in view.scene.bodies:  # points have no angular momentum, whatever the step
            yield view.check(name, "l", [view.scene.zero] * 3)


def prepare(view: View) -> Iterator[Check]:
    scene = view.scene
    for name, body in scene.bodies.items():
        axes = columns(body.q)
        yield view.check(name, "r", [axes[k][i] for i in range(3) for k in range(3)])
        images = [rotate(body.q, apply_inertia(body.inertia, unrotate(body.q, e))) for e in columns(scene.world[1])]
        yield view.check(name, "j", [images[k][i] for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
        yield view.check(name, "e", scale(scene.impulse, view.system.explicit[name]))
    for constraint in view.system.constraints:
        g = view.system.row_values[0][constraint.name]
        if constraint.target:  # what has been reached: the coordinate against the input of this knot
            g = [g[0] - scene.states[constraint.name]["target"][0]]
        yield view.check(constraint.name, "g", g)
    yield from angles(view, "_now", "work", scene.nodes)


def watch(view: View) -> Iterator[Check]:
    for name, rows in view.system.dropped.items():
        yield view.check(view.scene.watched[name], "g", rows)
    yield from angles(view, "_now", "work", view.scene.watched)


def angles(view: View, suffix: str, store: str, nodes: Mapping[str, Node]) -> Iterator[Check]:
    """Unwrapped angles at the first knot, of every node that carries some."""
    first, scene = view.system.first, view.scene
    for node, joint_name, which, key, near in carried_angles(scene, nodes):
        joint = scene.joints[joint_name]
        value = joints.coordinate(joint, which, first[joint.parent], first[joint.child], scene.functions, near)
        yield view.check(node, f"{key}{suffix}", [value], store)


def evaluate(view: View, residual: Mapping[str, list] | None = None) -> Iterator[Check]:
    """residual: that of the step unless another is given."""
    scene = view.scene
    for name, body in scene.bodies.items():
        second = second_knot(view.system.first[name], body.v, body.turn, scene.h)
        c, a = body.turn[0], body.turn[1:]
        yield view.check(name, "c", [c])
        yield view.check(name, "a", a)
        yield view.check(name, "quotient", scale(1 / scene.h, [c - 1, *a]))
        yield view.check(
            name, "l", momentum(body.mass, body.inertia, scene.h, view.system.first[name], second, 2, scene.zero)[3:]
        )
    for name, values in (residual or view.system.residual).items():
        yield view.check(name, "f", values)
    for laws in view.system.laws:
        if laws.loads:
            yield view.check(laws.holder, "load", [load(view, *numbers) for numbers in laws.loads])


def push(view: View, system: Linear) -> Iterator[Check]:
    """The residual of bodies with what of the step acts before the first knot: of laws, their share beyond half.

    system: with the impulses of contacts, limits and dry friction.
    """
    residual = dict(system.residual)
    for name in view.scene.bodies:
        residual[name] = [f - more for f, more in zip(residual[name], view.system.law_excess(name), strict=True)]
    yield from evaluate(view, residual)


def differ(view: View) -> Iterator[Check]:
    """The mean of the momenta of both steps at their knot, less those of the knot and its forces' share."""
    scene, later = view.scene, view.scene.length
    (h,) = scene.states["common"]["before"]
    for name, body in scene.bodies.items():
        now = view.system.first[name]
        last = (subtract(body.x, scale(h, body.record.v_state)), chord(body))
        next_knot = second_knot(now, body.v, body.turn, scene.h)
        before = momentum(body.mass, body.inertia, h, last, now, 2, scene.zero)
        after = momentum(body.mass, body.inertia, scene.h, now, next_knot, 1, scene.zero)
        forces = scale(scene.impulse, view.system.explicit[name])
        values = zip(before, after, forces, body.momentum, strict=True)
        yield view.check(name, "f", [(1 - later) * a + later * b - later * f - p for a, b, f, p in values])


def load(view: View, theta, stiffness, moves: bool):
    """The impulse of a stiffness over the mechanism's size, or of a turn's over that size."""
    impulse = view.system.within * theta * stiffness
    return impulse * view.scene.extent if moves else impulse / view.scene.extent


def blocks(view: View, naive: dict[tuple[str, str], list[list]]) -> Iterator[Check]:
    """Every block of a Newton matrix, as elimination finds it in the records."""
    nodes = view.matrix.nodes
    for i, node in enumerate(nodes):
        yield block(view, naive, (i, i), view.matrix.diagonals[node.kind], node)
    tied = set()
    for pair, tie in view.matrix.ties.items():
        keeper = tie.keeping(nodes, pair)
        for (i, j), entries in tie.blocks.items():
            tied.add((nodes[i].name, nodes[j].name))
            yield block(view, naive, (i, j), entries, keeper)
    taken = set(between(view.matrix)) - tied
    names = {node.name: i for i, node in enumerate(nodes)}
    for one, other in sorted(taken):
        yield block(view, naive, (names[one], names[other]), Block.dense(6, 6, "", 0), view.scene.nodes[one])
    tied |= taken
    lost = [names for names in naive if names[0] != names[1] and names not in tied]
    if lost or {node.name for node in nodes} != set(view.system.sizes):
        raise KeyError(
            f"{view.program.name}: nodes or blocks of the Newton matrix that the program does not have: {lost}"
        )


def block(view: View, naive: dict, places: tuple[int, int], entries: Block, keeper: Node) -> Check:
    """A block as it is kept, with what the laws add to it that a joint has taken."""
    sizes, (row, column) = view.system.sizes, (view.matrix.nodes[place] for place in places)
    added = added_to(view.matrix, *places)
    empty = [[view.scene.zero] * sizes[column.name]] * sizes[row.name]
    expected = naive.get((row.name, column.name), empty)

    def read(memory: Memory) -> list:
        record = memory["work"][keeper.kind][keeper.index]
        return [
            view.scene.zero + number(e, record) + (amount(added, memory, k) if added else 0)
            for k, e in enumerate(entries.entries)
        ]

    return Check(f"block ({row.name}, {column.name}), row by row", [value for line in expected for value in line], read)


def merit(view: View, residual: dict[str, list], more) -> Iterator[Check]:
    """Squares of a residual in units of velocity, and what else is missed."""
    total = view.sums["merit"][0] + more
    for name, f in residual.items():
        if name in view.scene.bodies:
            body = view.scene.bodies[name]
            total = total + dot(f[:3], f[:3]) / (body.mass * body.mass) + dot(f[3:], f[3:]) / (body.size * body.size)
        else:
            total = total + sum((value * value for value in f), view.scene.zero)
    yield view.check("common", "merit", [total])


def solve(view: View, system: Linear) -> Iterator[Check]:
    """F s = f row by row, with the naive matrix; the guard of a loop's rows adds to its diagonal. Factors of loops."""
    for name, size in view.system.sizes.items():
        guard = view.scene.guards.get(name, [view.scene.zero] * size)
        yield Check(
            f"(F s = f) of {name}",
            system.residual[name],
            lambda m, n=name, g=guard: product(view, system.matrix, m, n, g),
        )
    yield from factors(view, system.matrix)


def product(view: View, matrix: dict, memory: Memory, name: str, guard: list) -> list:
    solution = {
        other: memory["work"][(node := view.scene.nodes[other]).kind][node.index]["s"] for other in view.system.sizes
    }
    total = [g * s for g, s in zip(guard, solution[name], strict=True)]
    for (row, column), block in matrix.items():
        if row == name:
            total = [
                old + sum((x * y for x, y in zip(line, solution[column], strict=True)), view.scene.zero)
                for old, line in zip(total, block, strict=True)
            ]
    return total


def carried_angles(scene: Scene, nodes: Mapping[str, Node]) -> Iterator[tuple]:
    """(node, joint, its coordinate, state field, carried angles) of all angles that the state of some nodes carries."""
    couplings = {c.name: c.joints for c in scene.mechanism.couplings}
    elements = (*scene.mechanism.drivers, *scene.mechanism.forces, *scene.mechanism.limits)
    owners = {e.name: e.joint for e in elements if isinstance(e, AlongJoint)}
    owners |= {f"{joint.name}.laws": joint.name for joint in scene.mechanism.joints}
    owners |= {lock_name(lock.joint, lock.coordinate): lock.joint for lock in scene.choices.locks}
    watched = nodes is scene.watched
    for name, fields in (scene.watched_states if watched else scene.states).items():
        for key in (key for key in fields if key.startswith("angle")):
            number = int(key.removeprefix("angle") or 1) - 1
            if name in couplings:
                yield nodes[name], couplings[name][number], 0, key, scene.near(name, key, watched)
            else:
                joint = owners.get(name, name)
                first = coordinate_kinds(scene.mechanism.joint(joint).type).count("translation")
                yield nodes[name], joint, first + number, key, scene.near(name, watched=watched)
