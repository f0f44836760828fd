"""What the kernels of joint coordinates must leave of a residual, as one square matrix at the first knot tells it.

Bodies keep what they lack; joints, what is open along their coordinates, and what they bear (naive/tree_equations.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from symvi.naive.discrete_body import apply_inertia, momentum, second_knot
from symvi.naive.inequalities import Law
from symvi.naive.joint_tree import Carried
from symvi.naive.quaternion import add, cross, dot, rotate, subtract, unrotate
from symvi.proofs import expected_state as state
from symvi.proofs.check import Check
from symvi.proofs.expected_step import Linear, load
from symvi.proofs.joint_view import JointView
from symvi.registry import JOINTS


class Residual:
    """Impulses that bodies lack, and what these leave open along the coordinates of joints.

    whole: of the naive system, with laws of joints as they push on bodies. own: what records of bodies hold, to which
    laws along coordinates of the tree do not add.
    """

    def __init__(self, view: JointView, system: Linear, before: Residual | None = None):
        """before: the residual without what of the laws acts before the first knot."""
        self.view, self.rows, self.before = view, system.residual, before
        self.whole, self.own = {}, {}
        for name in view.scene.bodies:
            f = system.residual[name]
            self.whole[name] = subtract(f, view.system.law_excess(name)) if before else f
            self.own[name] = add(self.whole[name], view.system.law_impulse(name, only=view.is_along_tree))
        self.open = view.equations.open(self.whole)
        self.y, self.given, self.left = view.equations.held(self.whole)

    @cached_property
    def told(self) -> dict[str, list]:
        """Impulses of drivers, of which nobody asks what acts before the first knot."""
        return self.driven if self.before is None else self.before.driven

    @property
    def driven(self) -> dict[str, list]:
        """The impulse of every driver that leads a joint of the tree, from open coordinates."""
        return self._driven(self.open)

    @property
    def balanced(self) -> dict[str, list]:
        """The same, once nothing is left open but what they hold."""
        return self._driven(self.given)

    def _driven(self, values: Mapping[str, list]) -> dict[str, list]:
        bodies = {link.name: name for name, link in self.view.tree.links.items()}
        return {
            driver.name: [values[bodies[driver.joint]][driver.coordinate]]
            for driver in self.view.scene.mechanism.drivers
            if driver.name in self.view.scene.carried
        }


def do_work(view: JointView) -> Iterator[Check]:
    """As of maximal coordinates, but of rows beside the tree, less laws along its joints: bodies lack what these do."""
    return state.do_work(view, lambda name: view.system.law_impulse(name, only=view.is_along_tree))


def evaluate(view: JointView, residual: Residual) -> Iterator[Check]:
    yield from residual_of_bodies(view, residual)
    yield from rows_and_loads(view, residual)


def rows_and_loads(view: JointView, residual: Residual) -> Iterator[Check]:
    for name, values in residual.rows.items():
        if view.is_row(name) or name in residual.driven:
            yield view.check(name, "f", values)
    for laws in view.system.laws:
        if laws.loads:
            yield view.check(laws.holder, "load", [load(view, *numbers) for numbers in laws.loads])


def residual_of_bodies(view: JointView, residual: Residual) -> Iterator[Check]:
    for name, body in view.scene.bodies.items():
        second = second_knot(view.system.first[name], body.v, body.turn, view.scene.h)
        l2 = momentum(body.mass, body.inertia, view.scene.h, view.system.first[name], second, 2, view.scene.zero)[3:]
        yield view.check(name, "l", l2)
        yield view.check(name, "f", residual.own[name])
    if view.scene.summed:
        yield from summed(view, residual)


def summed(view: JointView, residual: Residual) -> Iterator[Check]:
    """What is open along coordinates, as impulses on bodies; the force that each joint bears; drivers' impulses."""
    left = view.equations.left(residual.open)
    for name in view.tree.links:
        yield view.check(name, "rest", left[name])
        total = [view.scene.zero] * 3
        for other in view.equations.above(name):
            total = add(total, residual.own[other][:3])
        yield view.check(view.node_of(name), "bearing", total)
    for name, values in residual.told.items():
        yield view.check(name, "y", values)


def pressed(view: JointView, residual: Residual) -> Iterator[Check]:
    """With contacts, limits or dry friction: what is open is left to bodies, and joints hold all else."""
    for name, link in view.tree.links.items():
        yield view.check(name, "f", residual.left[name])
        if view.program.notes["loops"]:
            yield view.check(name, "held", subtract(residual.own[name], residual.left[name]))
        yield view.check(view.node_of(name), "wrench", wrench(view, residual, link))
    for name, values in residual.balanced.items():
        yield view.check(name, "y", values)


def sent(view: JointView, residual: Residual, laws: Mapping[str, Law]) -> Iterator[Check]:
    """What was left to bodies, less what nodes are sent to beside their impulses; of those on the ground alone."""
    found = dict(residual.left)
    for name, node in view.interior.nodes.items():
        if not view.is_bordered(name):
            for body in node.moving:
                found[body] = subtract(found[body], node.push(body, laws[name].sent))
    for name, values in found.items():
        yield view.check(name, "f", values)


def kept(view: JointView, residual: Residual) -> Iterator[Check]:
    """What was left to bodies, and rows, as they were before an aim and an elimination changed them."""
    for name, values in residual.left.items():
        yield view.check(name, "f", values)
    for name, values in residual.rows.items():
        if view.is_row(name) or name in residual.driven:
            yield view.check(name, "f", values)


def wrench(view: JointView, residual: Residual, link: Carried) -> list:
    """What a joint gives the body that it carries, about the joint's point: rows, drivers and laws along it."""
    name, total = link.body, [view.scene.zero] * 6
    if link.joint is None:
        return total
    for row, y in zip(view.system.gradients.get((link.name, name), []), residual.y.get(link.name, []), strict=True):
        total = [old + y * x for old, x in zip(total, row, strict=True)]
    for k in link.led:
        row = view.equations.coordinates[name][name][k]
        total = [old + residual.given[name][k] * x for old, x in zip(total, row, strict=True)]
    total = add(total, view.system.law_impulse(name, only=lambda laws: laws.holder == link.name))
    return [*total[:3], *subtract(total[3:], cross(view.equations.arm(link), total[:3]))]


def merit(view: JointView, residual: Residual, more) -> Iterator[Check]:
    """Squares of what is open over what each body alone opposes to it, of rows, and what else is missed."""
    total = view.sums["merit"][0] + more
    left = residual.open if view.scene.summed else residual.given
    for name, link in view.tree.links.items():
        for k, (value, mass) in enumerate(zip(left[name], opposed(view, link), strict=True)):
            if k not in link.led:
                total = total + value * value / (mass * mass)
    for name, values in residual.rows.items():
        if view.is_row(name) or name in residual.driven:
            total = total + sum((value * value for value in values), view.scene.zero)
    yield view.check("common", "merit", [total])


def opposed(view: JointView, link: Carried) -> list:
    """What a body alone opposes to each coordinate of its joint: mass, or inertia about the joint's point.

    Of free turns an inertia that is none of a direction.
    """
    name, body = link.body, view.scene.bodies[link.body]
    if link.joint is None:
        return [body.mass] * 3 + [body.size] * 3
    arm = view.equations.arm(link)
    found = [body.mass] * link.slides
    if link.is_absolute:
        return found + [body.size + body.mass * dot(arm, arm)] * 3
    for row in view.equations.coordinates[name][name][link.slides :]:
        axis, q = row[3:], body.q
        lever = cross(axis, arm)
        spin = rotate(q, apply_inertia(body.inertia, unrotate(q, axis)))
        pitch: Any = link.joint.pitch if JOINTS[link.joint.type].is_threaded else view.scene.zero
        found.append(dot(axis, spin) + body.mass * (dot(lever, lever) + pitch * pitch))
    return found
