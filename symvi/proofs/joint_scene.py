"""A scene on the joints of a tree: the point at which programs in joint coordinates are proved.

Every joint of the tree stands and moves anyhow, and bodies follow from these by plain definitions, as a step leaves
them (naive/joint_tree.py): at the first knot, over the step to it, and over the step to come. Momenta are those that
the last step left, with what laws hand on. Rows that close loops know nothing of this, and are open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace

from symvi.exact.field import MERSENNE_61, NotASquare
from symvi.kernels.carried_joint import Link
from symvi.naive.discrete_body import momentum
from symvi.naive.joint_tree import Carried, JointTree, Motion, Standing
from symvi.naive.joints import rotation_vector
from symvi.naive.quaternion import conjugate, multiply, scale, subtract, vector
from symvi.naive.tree_equations import TreeEquations
from symvi.program.program import Node
from symvi.program.tree import FREE, TreeCoordinates
from symvi.proofs.crun import Memory
from symvi.proofs.exact import Exact
from symvi.proofs.scene import BodyNumbers, Scene

TO_COME, PAST, SHIFTED, NEXT = "to come", "past", "shifted", "next"  # steps over which joints move
BEGINNING = ("length", "bend", "bend_before")  # what the start of an iteration reads of the common record


class JointScene(Scene):
    """One point on the joints of a program's tree.

    rates: of every body's joint over a step, in the order of its coordinates; of free turns the angular velocity.
    """

    def __init__(
        self, mechanism, program, choices, formulation: TreeCoordinates, *, prime=MERSENNE_61, seed=0, guarded=False
    ):
        self.links: Mapping[str, Link] = formulation.links
        self.summed = formulation.summed
        self.link_nodes: Mapping[str, Node] = formulation.nodes
        closing = {model.name for model in formulation.closing}
        self.closing = [(row.name, row.ancestor) for row in formulation.border.rows if row.name in closing]
        super().__init__(mechanism, program, replace(choices, pivots={}), prime=prime, seed=seed, guarded=guarded)
        self.equations = TreeEquations(self.tree, self.system)
        self._remember()
        self._leave_momenta()

    def is_named(self, kind: str) -> bool:
        return kind != FREE

    # --- joints -------------------------------------------------------------------------------------------------------
    def _stand(self, exact: Exact) -> None:
        links = [self._carried(name, link) for name, link in self.links.items()]
        zero = self.zero
        nears = {link.name: {0: zero, 1: zero} | self.near(link.name) for link in links if link.name}
        self.tree = JointTree(links, self.functions, zero, nears)
        self.carried = {link.name for link in links} | {d.name for d in self.mechanism.drivers if self._leads(d)}
        self.stands: dict[str, Standing] = {}
        self.motions: dict[str, dict[str, Motion]] = {step: {} for step in (TO_COME, PAST, SHIFTED, NEXT)}
        self.rates: dict[str, dict[str, list]] = {step: {} for step in self.motions}
        self.places: dict[str, dict] = {step: {"world": self.world} for step in ("", *self.motions)}
        self.inertias = {body.name: body.inertia for body in self.mechanism.bodies}
        for link in links:
            while True:
                try:
                    self._stand_at(link)
                    break
                except NotASquare:
                    continue
        self.bodies = {body.name: self.bodies[body.name] for body in self.mechanism.bodies}

    def _carried(self, name: str, link: Link) -> Carried:
        if link.model is None:
            return Carried(name)
        led = tuple(sorted(self._order(link)[k] for k in link.driven))
        return Carried(name, link.model.name, self.joints[link.model.name], link.outward, led)

    def _leads(self, driver) -> bool:
        return any(link.name == driver.joint and driver.coordinate in link.led for link in self.tree.links.values())

    @staticmethod
    def _order(link: Link) -> tuple[int, ...]:
        """Which coordinate each unknown of a program is."""
        return link.order if len(link.order) == link.freedoms else tuple(range(link.freedoms))

    def unknowns(self, name: str, values: list) -> list:
        """Numbers of a joint's coordinates in the order that a program keeps them in."""
        return [values[k] for k in self._order(self.links[name])]

    def _stand_at(self, link: Carried) -> None:
        """A body at its joint, and how both move; its past has lengths that definitions take."""
        field, name = self.field, link.body
        stands = self._standing(link)
        below = self.places[""][link.below]
        if link.joint is None:
            here = field.randoms(3), field.sphere(4)
        else:
            here = self.tree.beside(link, below, stands)
        self.stands[name], self.places[""][name] = stands, here
        for step, h in ((TO_COME, self.h), (PAST, -self.h), (SHIFTED, self.h), (NEXT, self.h)):
            motion = self._motion(link, step)
            place, _ = self.tree.moved(link, self.places[step][link.below], here, stands, motion, h)
            self.motions[step][name], self.places[step][name] = motion, place
        self.bodies[name] = self._moving(link)

    def _standing(self, link: Carried) -> Standing:
        field = self.field
        if link.joint is None:
            return Standing()
        if link.is_absolute:
            turn = field.sphere(4)
            rotation_vector(turn, self.functions)
            return Standing(field.randoms(link.slides), [turn])
        hinges = [field.sphere(2) for _ in link.pins]
        turns = [[c, *scale(s, pin)] for (c, s), pin in zip(hinges, link.pins, strict=True)]
        return Standing(field.randoms(link.slides), turns)

    def _motion(self, link: Carried, step: str) -> Motion:
        rates = self.field.randoms(link.slides if link.is_absolute else link.freedoms)
        if not link.is_absolute:
            self.rates[step][link.body] = rates
            return Motion(rates)
        turn = self.field.sphere(4)
        self.field.square_of(turn[0])
        self.rates[step][link.body] = [*rates, *scale(2 / self.h, turn[1:])]
        return Motion(rates, lambda h: conjugate(turn) if step == PAST else turn)

    def _moving(self, link: Carried) -> BodyNumbers:
        """The body of a link, with what its state carries but for momenta and the velocities of older steps."""
        field, name, h = self.field, link.body, self.h
        here, before, after = (self.places[step][name] for step in ("", PAST, TO_COME))
        past, turn, shifted = (
            multiply(here[1], conjugate(before[1])),
            multiply(after[1], conjugate(here[1])),
            multiply(self.places[SHIFTED][name][1], conjugate(here[1])),
        )
        for known in (past, turn):
            field.square_of(known[0])
        record = SimpleNamespace(
            past=past,
            w_past=scale(2 / h, vector(past)),
            v_state=scale(1 / h, subtract(here[0], before[0])),
            shifted=shifted,
        )
        self.size_of_turn(record.w_past)
        for step in (TO_COME, SHIFTED, NEXT):
            self._order_cosine(multiply(self.places[step][name][1], conjugate(here[1]))[0])
        inertia = [self.zero if value == 0 else field.random() for value in self.inertias[name]]
        v = scale(1 / h, subtract(after[0], here[0]))
        x, q = here
        return BodyNumbers(field.random(), inertia, field.random(), x, q, v, turn, field.randoms(6), record)

    def _order_cosine(self, c) -> None:
        """Let the cosine of a half turn be larger than zero, or smaller: by no rule."""
        if c in (1, -1):
            self.opaque.order(self.zero + 1, self.zero - 1)
        elif not {(2 * c).n, (-2 * c).n} & self.opaque.above:
            larger = c if self.field.random_source.random() < 0.5 else -c
            self.opaque.order(larger, -larger)

    def _remember(self) -> None:
        """Rates of older steps, such that an iteration begins at those of the step to come."""
        field = self.field
        self.beginning = dict(zip(BEGINNING, field.randoms(3), strict=True))
        share = self.beginning["length"]
        bend, back = (self.beginning[name] for name in BEGINNING[1:])
        self.old, self.older = {}, {}
        for name, link in self.tree.links.items():
            last, to_come = self.rates[PAST][name], self.rates[TO_COME][name]
            old = field.randoms(link.freedoms)
            older = [
                y - (x + (share + bend) * (x - y) - new) / back for x, y, new in zip(last, old, to_come, strict=True)
            ]
            self.old[name], self.older[name] = old, older
        velocities = self.tree.velocities(self.places[""], self.stands, self.old)
        oldest = self.tree.velocities(self.places[""], self.stands, self.older)
        for name, body in self.bodies.items():
            own, first = velocities[name], oldest[name]
            body.record.v_old, body.record.w_old = own[:3], own[3:]
            body.record.v_older, body.record.w_older = first[:3], first[3:]
        for name, link in self.links.items():
            if link.model is not None:
                node, count = link.model.name, link.slides if link.is_absolute else link.freedoms
                kept = {"u": self.rates[PAST][name], "u_old": self.old[name], "u_older": self.older[name]}
                for field_name, values in kept.items():
                    if field_name in self.states[node]:
                        self.states[node][field_name] = self.unknowns(name, values)[:count]

    def _impulse(self, name: str) -> list:
        """Impulses of what the tree carries are not unknowns of its residual."""
        return [self.zero] * self.system.sizes[name] if name in self.carried else super()._impulse(name)

    def _leave_momenta(self) -> None:
        """Momenta as the step before left them, and what laws have handed on."""
        pushed = {name: [self.zero] * 6 for name in self.bodies}
        for gradients in self.system.law_gradients:
            amounts = self.field.randoms(max((len(rows) for rows in gradients.values()), default=0))
            for name, rows in gradients.items():
                for amount, row in zip(amounts, rows, strict=True):
                    pushed[name] = [old + amount * x for old, x in zip(pushed[name], row, strict=True)]
        self.other_momenta = {}
        for name, body in self.bodies.items():
            before = self.places[PAST][name]
            left = momentum(body.mass, body.inertia, self.h, before, self.system.first[name], 2, self.zero)
            body.momentum = [a + b for a, b in zip(left, pushed[name], strict=True)]
            factor = self.field.random()
            self.other_momenta[name] = [factor * x for x in body.momentum]

    # --- memory -------------------------------------------------------------------------------------------------------
    def memory(self) -> Memory:
        memory = super().memory()
        for k, body in enumerate(self.bodies.values()):
            state = memory["state"]["body"][k]
            for name in ("v_older", "w_older"):
                if name in state:
                    state[name] = list(getattr(body.record, name))
        return memory
