"""Checks, and a scene as its program's records see it: where numbers lie, and what is set between phases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symvi.naive.quaternion import dot, scale
from symvi.program.matrix import Matrix
from symvi.program.program import Node
from symvi.proofs.crun import Memory
from symvi.proofs.scene import Scene


@dataclass(frozen=True)
class Check:
    """Numbers in the records that must equal `expected`; `place` says whose and what they are."""

    place: str
    expected: list
    read: Callable[[Memory], list]


class View:
    """A scene's records, and inputs of phases: a solution, a base and sums that are random.

    impulses: of all rows, as an evaluated residual leaves them.
    """

    def __init__(self, scene: Scene, matrix: Matrix):
        self.scene, self.matrix, self.system, self.program = scene, matrix, scene.system, scene.program
        random = scene.field.randoms
        self.solution = {name: random(size) for name, size in self.system.sizes.items()}
        self.base = {name: random(size) for name, size in self.system.sizes.items()}
        self.interior, self.path = scene.interior, scene.path
        self.impulses = scene.impulses
        self.sums = {
            "merit": random(1),
            "kinetic": random(1),
            "potential": random(1),
            "momentum": random(3),
            "angular_momentum": random(3),
            "missed": random(1),
            "moved": random(1),
            "work_after": random(1),
            "work_before": random(1),
            "scatter": random(1),
            "swerve": random(1),
            "misread": random(1),
        }
        self.seen = {name: random(6) for name in scene.bodies} if scene.mechanism.drivers else {}
        self.elapsed = random(1)[0]
        self.totals = {name: self._totals(node) for name, node in scene.nodes.items()}

    def _totals(self, node: Node) -> dict[str, list]:
        """Sums over the parts of a step that came before, of a node that has some."""
        fields = self.program.records.of(node.kind, "work")
        return {f.name: self.scene.field.randoms(f.size) for f in fields if f.name in ("total", "total_reaction")}

    # --- records ---------------------------------------------------------------------------------------------------
    def check(self, of: str | Node, field: str, expected: list, store: str = "work") -> Check:
        """A field of a node's record must be what is expected."""
        node = self.scene.nodes[of] if isinstance(of, str) else of
        return Check(f"{node.kind} {node.name}: {field}", expected, lambda m: m[store][node.kind][node.index][field])

    def turn(self, name: str, w: list) -> Check:
        """a·a of the half turn a = (h/2) w."""
        a = scale(self.scene.h / 2, w)
        return self.check(name, "turn", [dot(a, a)])

    def set(self, memory: Memory, name: str, /, **fields) -> None:
        node = self.scene.nodes[name]
        memory["work"][node.kind][node.index].update({field: list(values) for field, values in fields.items()})

    # --- inputs of the stages --------------------------------------------------------------------------------------
    def nothing(self, memory: Memory) -> None:
        """This stage runs on what is there."""

    def set_switches(self, memory: Memory) -> None:
        scene = self.scene
        self.set(memory, "common", impulse=[scene.impulse], carry=[scene.carry], closure=[scene.closure])

    def set_length(self, memory: Memory) -> None:
        self.set(memory, "common", length=[self.scene.length])

    def set_velocities(self, memory: Memory) -> None:
        for name in self.scene.bodies:
            v, w = self.system.velocity(name)
            self.set(memory, name, v=v, w=w)

    def set_motion(self, memory: Memory) -> None:
        """Velocities of the step and impulses of all nodes: the point at which the residual is taken."""
        self.set_velocities(memory)
        self.set_variables(memory)
        for name, impulses in self.scene.impulses.items():
            self.set(memory, name, y=impulses)

    def set_sums(self, memory: Memory) -> None:
        self.set(memory, "common", **self.sums)

    def set_expected(self, memory: Memory) -> None:
        """How much of the last change of the velocities was expected, and sums to add to."""
        self.set_length(memory)
        self.set_sums(memory)

    def set_parts(self, memory: Memory) -> None:
        """Sums over parts of the step that came before, and the time of all of them."""
        self.set(memory, "common", elapsed=[self.elapsed])
        for name, totals in self.totals.items():
            self.set(memory, name, **totals)

    def set_knot(self, memory: Memory) -> None:
        """Velocities at a knot, as observing solves for them, and sums to add to."""
        self.set_sums(memory)
        self.set_velocities(memory)

    def set_seen(self, memory: Memory) -> None:
        """Velocities that were seen at the knot, where drivers act, and sums to add to."""
        self.set_sums(memory)
        for name, velocities in self.seen.items():
            self.set(memory, name, seen=velocities)

    def set_solution(self, memory: Memory) -> None:
        self.set_length(memory)
        for name, values in self.solution.items():
            self.set(memory, name, s=values)

    def set_step_before(self, memory: Memory) -> None:
        """Velocities over a step of the length of the one before, in which bodies turned as they did; a weight."""
        self.set_length(memory)
        for k, body in enumerate(self.scene.bodies.values()):
            memory["state"]["body"][k]["w"] = self.rates_before(body)

    def rates_before(self, body) -> list:
        (before,) = self.scene.states["common"]["before"]
        return scale(self.scene.h / before, body.record.w_past)

    def set_answered(self, memory: Memory) -> None:
        """A solution, and forces that act before a knot."""
        self.set_solution(memory)
        for name, values in self.path.forces.items():
            self.set(memory, name, force=values)

    def set_base(self, memory: Memory) -> None:
        self.set_solution(memory)
        for name, values in self.base.items():
            self.set(memory, name, base=values)
        for name, variables in self.path.base.items():
            self.set(memory, name, **{f"base_{field}": values for field, values in variables.items()})
            self.set(memory, name, **{f"d_{field}": values for field, values in self.path.aims[0].affine[name].items()})

    def set_shift(self, memory: Memory) -> None:
        self.set_length(memory)
        for name, body in self.scene.bodies.items():
            self.set(memory, name, v=body.v, w=body.record.w_shifted)

    # --- inputs of the interior point ------------------------------------------------------------------------------
    def set_start(self, memory: Memory) -> None:
        path = self.path
        self.set(
            memory,
            "common",
            target=[path.target],
            ratio=[path.ratio],
            stick=[path.stick],
            memory=[path.memory],
        )

    def set_variables(self, memory: Memory) -> None:
        """The variables of all inequality nodes: a point inside their cones."""
        for name, variables in self.path.variables.items():
            self.set(memory, name, **variables)

    def set_aim(self, which: int, memory: Memory) -> None:
        aim = self.path.aims[which]
        self.set(memory, "common", target=[aim.target], second=[aim.second])
        for name, increments in aim.affine.items():
            self.set(memory, name, **{f"d_{field}": values for field, values in increments.items()})
