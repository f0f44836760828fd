"""Checks, and a scene as its program's records see it: where numbers lie, and what is set between phases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symvi.program.maximal import Matrix
from symvi.program.program import Node
from symvi.verify.crun import Memory
from symvi.verify.naive.quaternion import dot, scale
from symvi.verify.scene import Scene


@dataclass(frozen=True)
class Check:
    """Numbers in the records that must equal `expected`; `place` says whose and what they are."""

    place: str
    expected: list
    read: Callable[[Memory], list]


class View:
    """A scene's records, and inputs of phases: a solution, a base and sums that are random."""

    def __init__(self, scene: Scene, matrix: Matrix):
        self.scene, self.matrix, self.system, self.program = scene, matrix, scene.system, scene.program
        random = scene.field.randoms
        self.solution = {name: random(size) for name, size in self.system.sizes.items()}
        self.base = {name: random(size) for name, size in self.system.sizes.items()}
        self.interior, self.path = scene.interior, scene.path
        self.sums = {
            "merit": random(1),
            "kinetic": random(1),
            "potential": random(1),
            "momentum": random(3),
            "spin": random(3),
            "scatter": random(1),
            "swerve": random(1),
        }

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
        if self.interior.nodes:
            self.set(memory, "common", reach=[scene.reach])

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

    def set_knot(self, memory: Memory) -> None:
        """Velocities at a knot, as observing solves for them, and sums to add to."""
        self.set_sums(memory)
        self.set_velocities(memory)

    def set_solution(self, memory: Memory) -> None:
        self.set_length(memory)
        for name, values in self.solution.items():
            self.set(memory, name, s=values)

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

    def set_seen(self, memory: Memory) -> None:
        """What nodes saw of the last motion."""
        for name, u in self.path.seen.items():
            contact = self.interior.contacts.get(name)
            self.set(memory, name, un_last=u if contact is None else u[:1])
            if contact is not None and contact.cone != "none":
                self.set(memory, name, ut_last=u[1:])

    def set_variables(self, memory: Memory) -> None:
        """The variables of all inequality nodes: a point inside their cones."""
        for name, variables in self.path.variables.items():
            self.set(memory, name, **variables)

    def set_aim(self, which: int, memory: Memory) -> None:
        aim = self.path.aims[which]
        self.set(memory, "common", target=[aim.target], second=[aim.second])
        for name, increments in aim.affine.items():
            self.set(memory, name, **{f"d_{field}": values for field, values in increments.items()})
