"""The whole system by its definition: the residual of one step, and its Newton matrix by dual numbers (BM20 (33)-(37)).

    f_body = -dL_d/dz1 - carry momentum_old - impulse force - G(z1)ᵀ y - laws within the step     [N s, N m s, world]
    f_row  = closure g(z1) + (g(z2) - g(z1))/h
with the unknowns s = (change of v, rotation vector of z2 over h, world axes) of every body and y of every row.
impulse = s h, carry and closure are the switches that make one residual serve step, start and projection
(kernels/common.py). A body that lacks inertia has its joint's rows in its balance as well, f_body += G(z1)ᵀ W f_row
with weights W: they vanish in the solution.
"""

from __future__ import annotations

from functools import cached_property

from symvi.exact.dual import derivatives
from symvi.naive.constraints import dropped_rows, naive_constraints
from symvi.naive.discrete_body import momentum, second_knot, slopes_by_place
from symvi.naive.force_energies import naive_force
from symvi.naive.laws import naive_laws
from symvi.naive.quaternion import add, multiply, scale
from symvi.registry import FORCES

STILL = (0, 0, 0)


class System:
    """Residual, Newton matrix and forces of a scene, node by node; nodes are named as in the mechanism."""

    def __init__(self, scene):
        self.scene, self.zero, self.h = scene, scene.zero, scene.h
        self.constraints = naive_constraints(scene)
        smooth = [force for force in scene.mechanism.forces if not FORCES[force.kind].is_inequality]
        self.forces = {force.name: naive_force(scene, force) for force in smooth}
        self.laws = naive_laws(scene)
        self.pivots = {
            body: c for c in self.constraints for body, name in scene.choices.pivots.items() if name == c.name
        }
        self.sizes = {name: 6 for name in scene.bodies} | {c.name: len(c.rows(self.first)) for c in self.constraints}

    # --- placements ------------------------------------------------------------------------------------------------
    @cached_property
    def first(self) -> dict:
        """Placements at the first knot."""
        return {"world": self.scene.world} | {name: (body.x, body.q) for name, body in self.scene.bodies.items()}

    def second(self, name: str | None = None, s=None) -> dict:
        """Placements at the second knot, with one body's unknowns changed by s."""
        places = {"world": self.scene.world}
        for other in self.scene.bodies:
            v, turn = self.motion(other, s if other == name else None)
            places[other] = second_knot(self.first[other], v, turn, self.h)
        return places

    def motion(self, name: str, s=None) -> tuple[list, list]:
        """(v, [c; a]) of a body over the step, changed by s: v + s_v and (1 + h s_theta/2) [c; a]."""
        body = self.scene.bodies[name]
        if s is None:
            return body.v, body.turn
        turn = add(body.turn, multiply([s[3] * 0, *scale(self.h / 2, s[3:])], body.turn))
        return add(body.v, s[:3]), turn

    def velocity(self, name: str, s=None) -> tuple[list, list]:
        """(v, w) of a body over the step, w = (2/h) a in world axes."""
        if name == "world":
            return list(STILL), list(STILL)
        v, turn = self.motion(name, s)
        return v, scale(2 / self.h, turn[1:])

    # --- forces ----------------------------------------------------------------------------------------------------
    @cached_property
    def explicit(self) -> dict[str, list]:
        """The force and torque on every body that is known at the first knot: gravity, potentials, inputs."""
        total = {}
        for name, body in self.scene.bodies.items():
            pull = self._slopes(
                name,
                lambda places, b=body, n=name: (
                    -b.mass * sum((g * x for g, x in zip(self.scene.gravity, places[n][0], strict=True)), self.zero)
                ),
            )
            total[name] = [-slope for slope in pull]
        for force in self.forces.values():
            for name in {body for body in force.bodies if body != "world"}:
                if (energy := force.energy) and force.at_knots:
                    of = force.bodies
                    pull = self._slopes(name, lambda places, e=energy, of=of: e(*(places[body] for body in of)))
                    total[name] = [old - slope for old, slope in zip(total[name], pull, strict=True)]
                if power := force.power:
                    total[name] = add(total[name], self._directions(force, name, lambda *m, p=power: [p(*m)])[0])
        return total

    def _slopes(self, name: str, potential) -> list:
        """The derivative of a potential at the first knot by a body's position and rotation."""
        return slopes_by_place(lambda z: [potential(self.first | {name: z})], self.first[name], self.zero)[0]

    def _directions(self, force, name: str, function) -> list[list]:
        """How functions that are linear in the velocities depend on those of one body: a row of six per function."""
        places, found = [self.first[body] for body in force.bodies], []
        for k in range(6):
            unit = [self.zero + int(i == k) for i in range(6)]
            motions = [(unit[:3], unit[3:]) if body == name else ([self.zero] * 3,) * 2 for body in force.bodies]
            found.append(function(*places, *motions))
        return [list(row) for row in zip(*found, strict=True)]

    # --- laws between the knots --------------------------------------------------------------------------------------
    @property
    def within(self):
        """The time that they act: the step where rows close and momenta enter."""
        return self.scene.carry * self.scene.closure * self.h * self.h

    def forces_of(self, laws, changed: str | None = None, s=None) -> list[tuple]:
        """phi and braking along every coordinate."""
        ends = [[places[body] for body in laws.bodies] for places in (self.first, self.second(changed, s))]
        return [self._force(row, *(row.value(*places, *ends[0]) for places in ends)) for row in laws.rows]

    def _force(self, row, c1, c2):
        middle = (1 - row.spring[0]) * c1 + row.spring[0] * c2
        braking = row.drive - row.damping * (c2 - c1) / self.h
        force = row.tension - row.stiffness * middle
        if row.sine == self.zero and row.cosine == self.zero:
            return force, braking
        sine, cosine = self.scene.functions.sin(middle), self.scene.functions.cos(middle)
        return force - row.sine * sine + row.cosine * cosine, braking

    def _gradients_at(self, laws, places: dict) -> dict[str, list[list]]:
        """dc/dz by body, at one of the knots: six columns per row."""
        held = [self.first[body] for body in laws.bodies]

        def values(name: str, z) -> list:
            moved = places | {name: z}
            return [row.value(*(moved[body] for body in laws.bodies), *held) for row in laws.rows]

        moving = [body for body in laws.bodies if body != "world"]
        return {name: slopes_by_place(lambda z, n=name: values(n, z), places[name], self.zero) for name in moving}

    @cached_property
    def law_gradients(self) -> list[dict[str, list[list]]]:
        return [self._gradients_at(laws, self.first) for laws in self.laws]

    def law_impulse(self, name: str, changed: str | None = None, s=None, only=lambda laws: True) -> list:
        """What the laws do to a body in this step, by the shares of the first knot. only: some of them."""
        return self._at_first(name, lambda place: place[1], changed, s, only)

    def law_excess(self, name: str) -> list:
        """What of it acts before the first knot: all that is beyond half of the step's."""
        half = (self.zero + 1) / 2
        return self._at_first(name, lambda place: place[1] - half)

    def _at_first(self, name: str, share, changed: str | None = None, s=None, only=lambda laws: True) -> list:
        """A share of the impulses of all laws, along their gradients at the first knot."""
        total = [self.zero] * 6
        for laws, gradients in zip(self.laws, self.law_gradients, strict=True):
            if name in gradients and only(laws):
                found = self.forces_of(laws, changed, s)
                for row, (phi, braking), line in zip(laws.rows, found, gradients[name], strict=True):
                    push = self.within * (share(row.spring) * phi + share(row.damper) * braking)
                    total = [old + push * c for old, c in zip(total, line, strict=True)]
        return total

    def handed_on(self, name: str) -> list:
        """What they leave for the next one: t ((1 - s) phi + (1 - theta) braking) dc/dz at the second knot."""
        total = [self.zero] * 6
        for laws in self.laws:
            if name in laws.bodies:
                lines = self._gradients_at(laws, self.second())[name]
                for row, (phi, braking), line in zip(laws.rows, self.forces_of(laws), lines, strict=True):
                    share = self.within * ((1 - row.spring[0]) * phi + (1 - row.damper[0]) * braking)
                    total = [old + share * c for old, c in zip(total, line, strict=True)]
        return total

    # --- rows ------------------------------------------------------------------------------------------------------
    @cached_property
    def row_values(self) -> tuple[dict, dict]:
        """The values of all rows at both knots."""
        second = self.second()
        at1, at2 = ({c.name: c.rows(places) for c in self.constraints} for places in (self.first, second))
        return at1, at2

    @cached_property
    def dropped(self) -> dict[str, list]:
        """Rows that are only watched, at the first knot."""
        return {name: rows(self.first) for name, rows in dropped_rows(self.scene).items()}

    @cached_property
    def gradients(self) -> dict[tuple[str, str], list[list]]:
        """G(z1) by (constraint, body): six columns per row."""
        found = {}
        for c in self.constraints:
            for name in c.bodies:
                found[c.name, name] = slopes_by_place(
                    lambda z, n=name, c=c: c.rows(self.first | {n: z}), self.first[name], self.zero
                )
        return found

    # --- residual and Newton matrix --------------------------------------------------------------------------------
    def body_residual(self, name: str, changed: str | None = None, s=None) -> list:
        scene, body = self.scene, self.scene.bodies[name]
        own = s if changed == name else None
        second = second_knot(self.first[name], *self.motion(name, own), self.h)
        new = momentum(body.mass, body.inertia, self.h, self.first[name], second, 1, self.zero)
        known = [
            scene.carry * old + scene.impulse * force
            for old, force in zip(body.momentum, self.explicit[name], strict=True)
        ]
        pushed = self.constraint_impulse(name)
        within = self.law_impulse(name, changed, s)
        total = [p - k - g - d for p, k, g, d in zip(new, known, pushed, within, strict=True)]
        return add(total, self.weighted_rows(name, changed, s)) if name in self.pivots else total

    def weighted_rows(self, name: str, changed: str | None = None, s=None) -> list:
        """G(z1)ᵀ W f_rows of the joint that holds a body without inertia."""
        constraint = self.pivots[name]
        weights, total = self.scene.parameters[constraint.name]["weight"], [self.zero] * 6
        residual = self.row_residual(constraint, changed, s)
        for row, weight, value in zip(self.gradients[constraint.name, name], weights, residual, strict=True):
            total = [old + g * weight * value for old, g in zip(total, row, strict=True)]
        return total

    def constraint_impulse(self, name: str, only: str | None = None) -> list:
        """G(z1)ᵀ y on a body, of all rows or of one constraint."""
        total = [self.zero] * 6
        for (constraint, body), rows in self.gradients.items():
            if body == name and only in (None, constraint):
                for row, impulse in zip(rows, self.scene.impulses[constraint], strict=True):
                    total = [old + g * impulse for old, g in zip(total, row, strict=True)]
        return total

    def row_residual(self, constraint, changed: str | None = None, s=None) -> list:
        scene = self.scene
        first = self.row_values[0][constraint.name]
        second = constraint.rows(self.second(changed, s)) if changed else self.row_values[1][constraint.name]
        found = [scene.closure * g1 + (g2 - g1) / self.h for g1, g2 in zip(first, second, strict=True)]
        if constraint.target:
            target, rate = scene.inputs[constraint.name]["target"][0], scene.states[constraint.name]["rate"][0]
            found[0] = found[0] - scene.closure * target - (1 - scene.closure * self.h) * rate
        return found

    @cached_property
    def residual(self) -> dict[str, list]:
        return {name: self.body_residual(name) for name in self.scene.bodies} | {
            c.name: self.row_residual(c) for c in self.constraints
        }

    @cached_property
    def matrix(self) -> dict[tuple[str, str], list[list]]:
        """Blocks of the Newton matrix that may differ from zero, by (row node, column node)."""
        found = {}
        for name in self.scene.bodies:
            for other in self.scene.bodies:
                tied = any(name in laws.bodies and other in laws.bodies for laws in self.laws)
                if name == other or tied or (name in self.pivots and other in self.pivots[name].bodies):
                    found[name, other] = derivatives(
                        lambda s, n=name, o=other: self.body_residual(n, o, s), self.zero, 6
                    )
        for c in self.constraints:
            for name in c.bodies:
                found[c.name, name] = derivatives(lambda s, c=c, n=name: self.row_residual(c, n, s), self.zero, 6)
                found[name, c.name] = [
                    [-g for g in column] for column in zip(*self.gradients[c.name, name], strict=True)
                ]
        return found
