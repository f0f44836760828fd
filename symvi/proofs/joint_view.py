"""A scene on the joints of a tree as its program's records see it: what is set between phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cached_property

from symvi.naive.quaternion import conjugate, dot, multiply, scale, subtract, vector
from symvi.naive.system import System
from symvi.naive.tree_equations import newton
from symvi.program.matrix import Matrix
from symvi.program.program import Node
from symvi.proofs.check import Check, View
from symvi.proofs.crun import Memory
from symvi.proofs.expected_step import Linear
from symvi.proofs.joint_scene import BEGINNING, NEXT, SHIFTED, JointScene

NO_MATRIX = Matrix([], {}, {}, {}, frozenset(), {}, {}, {})


class JointView(View):
    """Inputs of the stages of a program in joint coordinates.

    solution: of Newton's system, and so such increments as joints allow. impulses: of all rows, those of drivers that
    lead joints of the tree as the residual leaves them.
    """

    scene: JointScene

    def __init__(self, scene: JointScene):
        super().__init__(scene, NO_MATRIX)
        self.tree, self.equations = scene.tree, scene.equations
        random = scene.field.randoms
        self.sums |= {"changed": random(1), "bent": random(1)}
        self.other_impulses = {name: random(len(values)) for name, values in scene.impulses.items()}

    # --- records ------------------------------------------------------------------------------------------------------
    def of_joint(self, name: str, field: str, values: list, store: str = "work") -> Check:
        """Numbers of the coordinates of the joint that carries a body."""
        return self.check(self.node_of(name), field, self.scene.unknowns(name, values), store)

    def node_of(self, name: str) -> Node:
        return self.scene.link_nodes[name]

    def put(self, memory: Memory, name: str, field: str, values: list) -> None:
        """Set numbers of the coordinates of the joint that carries a body."""
        node = self.node_of(name)
        if values:
            memory["work"][node.kind][node.index][field] = self.scene.unknowns(name, values)

    def turn(self, name: str, w: list) -> Check:
        raise NotImplementedError("turns of a tree are those of its joints")

    def turned(self, name: str, places: Mapping) -> Check:
        """a·a of the half turn of a body to its place; where its joint turns it, more beyond half a turn."""
        c = multiply(places[name][1], conjugate(self.system.first[name][1]))
        if self.tree.links[name].is_absolute:
            return self.check(name, "turn", [dot(c[1:], c[1:])])
        return self.check(name, "turn", [1 - c[0] * self.scene.functions.base["max"](c[0], -c[0])])

    def velocities(self, name: str, places: Mapping) -> tuple[list, list]:
        """(v, w) of a body on its way from the first knot to a place."""
        (x, q), (there, turned) = self.system.first[name], places[name]
        h = self.scene.h
        return scale(1 / h, subtract(there, x)), scale(2 / h, vector(multiply(turned, conjugate(q))))

    # --- Newton's system ----------------------------------------------------------------------------------------------
    def solved(self, system: Linear) -> dict[str, list]:
        """F s = f by node, of the naive system."""
        return newton(self.system, system.matrix, system.residual, self.scene.guards)

    def solving(self, solution: dict[str, list]) -> JointView:
        """The same with another solution."""
        view = copy(self)
        view.solution = solution
        return view

    def otherwise(self, system: Linear) -> Linear:
        """The same system at other momenta and impulses of rows."""
        found = dict(system.residual)
        for name, body in self.scene.bodies.items():
            more = subtract(body.momentum, self.scene.other_momenta[name])
            found[name] = [f + self.scene.carry * x for f, x in zip(found[name], more, strict=True)]
        for (row, name), lines in self.system.gradients.items():
            if self.is_row(row):
                changes = subtract(self.scene.impulses[row], self.other_impulses[row])
                for change, line in zip(changes, lines, strict=True):
                    found[name] = [f + change * x for f, x in zip(found[name], line, strict=True)]
        return Linear(system.matrix, found)

    def sum_up(self, impulses: Mapping[str, list], reactions: Mapping[str, list]) -> None:
        """Let sums over parts of a step be multiples of these, which are zero where joints allow nothing else."""
        factor = self.scene.field.random()
        for name, values in impulses.items():
            self.totals[name]["total"] = scale(factor, values)
        for name, values in reactions.items():
            self.totals[name]["total_reaction"] = scale(factor, values)

    # --- inputs of the stages -----------------------------------------------------------------------------------------
    def set_beginning(self, memory: Memory) -> None:
        """How far rates are carried on."""
        self.set(memory, "common", **{name: [self.scene.beginning[name]] for name in BEGINNING})

    def set_bends(self, memory: Memory) -> None:
        self.set(memory, "common", changed=self.sums["changed"], bent=self.sums["bent"])

    def set_motion(self, memory: Memory) -> None:
        """Impulses of the rows that the tree does not carry; bodies move already."""
        self.set_variables(memory)
        for name, impulses in self.scene.impulses.items():
            if name not in self.scene.carried:
                self.set(memory, name, y=impulses)

    def set_begun(self, memory: Memory) -> None:
        """All that an iteration begins with, once more."""
        self.set_beginning(memory)
        self.set_motion(memory)

    def set_other(self, memory: Memory) -> None:
        """Other momenta and impulses of rows: another residual at the same motion."""
        for k, name in enumerate(self.scene.bodies):
            momentum = self.scene.other_momenta[name]
            memory["state"]["body"][k].update(p=momentum[:3], l=momentum[3:])
        for name, impulses in self.other_impulses.items():
            if name not in self.scene.carried:
                self.set(memory, name, y=impulses)

    def set_step(self, memory: Memory) -> None:
        """Increments of joints that lead to the next motion, and of rows; bodies keep theirs."""
        self.set_length(memory)
        for name in self.tree.links:
            self.put(memory, name, "s", self.solved_increment(name))
        for name, values in self.solution.items():
            if self.is_row(name):
                self.set(memory, name, s=values)

    def is_along_tree(self, laws) -> bool:
        """Whether laws act along a joint of the tree, which takes them."""
        return laws.holder in self.scene.carried

    def is_bordered(self, name: str) -> bool:
        """Whether a contact is between two bodies, and so a row of its own."""
        contact = self.interior.contacts.get(name)
        return contact is not None and "world" not in (contact.parent, contact.child)

    def is_row(self, name: str) -> bool:
        """Whether a node has rows that the tree does not carry."""
        return name not in self.scene.bodies and name not in self.scene.carried

    @cached_property
    def changes(self) -> dict[str, list]:
        """How rates change from the motion of the step to the next one."""
        rates, share = self.scene.rates, 1 / self.scene.length
        return {n: scale(share, subtract(now, rates[NEXT][n])) for n, now in rates["to come"].items()}

    def solved_increment(self, name: str) -> list:
        """What Newton's method must have found for these: slope theta/h = du, and (2/h) V([1; (h/2) s] [c; a]) = dw."""
        link, change, h = self.tree.links[name], self.changes[name], self.scene.h
        slides = link.slides
        if link.is_absolute:
            c, a = self.scene.bodies[name].turn[0], self.scene.bodies[name].turn[1:]
            return change[:slides] + solved_turn(c, a, change[slides:])
        rates = self.scene.rates["to come"][name]
        t = [h / 4 * u for u in rates[slides:]]
        return change[:slides] + [x / (1 + k * k) for x, k in zip(change[slides:], t, strict=True)]

    def set_base(self, memory: Memory) -> None:
        """Rates to start from, and increments of these, which lead to the next motion."""
        self.set_length(memory)
        share = self.scene.length
        for name in self.tree.links:
            self.put(memory, name, "s", self.changes[name])
            moved = scale(share, self.changes[name])
            self.put(memory, name, "base", [a + b for a, b in zip(self.scene.rates[NEXT][name], moved, strict=True)])
        for name, values in self.solution.items():
            if self.is_row(name):
                self.set(memory, name, s=values, base=self.base[name])
        for name, variables in self.path.base.items():
            self.set(memory, name, **{f"base_{field}": values for field, values in variables.items()})
            self.set(memory, name, **{f"d_{field}": values for field, values in self.path.aims[0].affine[name].items()})

    def set_shift(self, memory: Memory) -> None:
        self.set_length(memory)
        for name, rates in self.scene.rates[SHIFTED].items():
            self.put(memory, name, "s", scale(-1 / self.scene.length, rates))

    def set_solution(self, memory: Memory) -> None:
        """Increments of all bodies, joints and rows, as joints allow them."""
        self.set_length(memory)
        for name in self.scene.bodies:
            self.set(memory, name, s=self.solution[name])
        self.set_step(memory)

    # --- where joints stand open --------------------------------------------------------------------------------------
    @cached_property
    def apart(self) -> JointView:
        """The same records with bodies anywhere, as a caller may have put them."""
        return self._elsewhere(lambda: self.scene.field.sphere(4))

    @cached_property
    def slid(self) -> JointView:
        """The same with bodies beside their joints, turned as these hold them."""
        return self._elsewhere(lambda: None)

    def _elsewhere(self, turn: Callable[[], list | None]) -> JointView:
        view, scene = copy(self), copy(self.scene)
        scene.bodies = {name: copy(body) for name, body in self.scene.bodies.items()}
        for body in scene.bodies.values():
            body.x, body.q = scene.field.randoms(3), turn() or body.q
        scene.system = System(scene)
        view.scene, view.system = scene, scene.system
        return view

    def set_apart(self, memory: Memory) -> None:
        self._put_bodies(memory, self.apart)

    def set_slid(self, memory: Memory) -> None:
        self._put_bodies(memory, self.slid)

    @staticmethod
    def _put_bodies(memory: Memory, view: JointView) -> None:
        for k, body in enumerate(view.scene.bodies.values()):
            memory["state"]["body"][k].update(x=list(body.x), q=list(body.q))


def solved_turn(c, a: list, change: list) -> list:
    """s with c s + s x a = change, by Cramer's rule in three dimensions: (c² change + (a·change) a + c a x change)/c,
    for [c; a] of length one."""
    along = dot(a, change)
    across = [a[i - 2] * change[i - 1] - a[i - 1] * change[i - 2] for i in range(3)]
    return [(c * c * x + along * y + c * z) / c for x, y, z in zip(change, a, across, strict=True)]
