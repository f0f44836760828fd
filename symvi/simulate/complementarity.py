"""How complementary impulses and slacks are, in the words of templates/c/complementarity.c.jinja and with its bits.

Products of impulses and slacks count per effective mass (numbers/complementarity_scale.py).
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from symvi.numbers import path
from symvi.numbers.control import ROUND_OFF
from symvi.registry import contact_types

if TYPE_CHECKING:
    from symvi.simulate.reference import ReferenceSolver


class Complementarity:
    """The inequalities of one reference solver as they stand.

    nodes: the records of all. rooms: those that bodies or joints may not enter, with the pairs of each that say so.
    closing: those of contacts.
    """

    def __init__(self, solver: ReferenceSolver):
        self.solver = solver
        notes, work = solver.program.notes["inequalities"], solver.memory.work
        kinds = dict.fromkeys(node["kind"] for node in notes)
        self.nodes = [record for kind in kinds for record in work[kind]]
        contacts = contact_types()
        closing = dict.fromkeys(node["kind"] for node in notes if node["type"] in contacts)
        rooms = [node for node in notes if node["type"] in contacts or node["type"] == "limit"]
        sides = {node["kind"]: 1 if node["type"] in contacts else node["pairs"] for node in rooms}
        self.rooms = [(node, count) for kind, count in sides.items() for node in work[kind]]
        self.closing = [record for kind in closing for record in work[kind]]
        numbers = [record for kind in closing for record in solver.memory.parameters[kind]]
        self.closing_numbers = list(zip(self.closing, numbers, strict=True))
        self.degree = float(sum(node["pairs"] + node["cone"] for node in notes))

    def gap(self, length: float) -> float:
        """Mean complementarity after `length` of the increment, per effective mass."""
        total = 0.0
        for node in self.nodes:
            own = 0.0
            for name, other in (("impulse", "slack"), ("b", "e")):
                if hasattr(node, name):
                    values = zip(*(getattr(node, key) for key in (name, f"d_{name}", other, f"d_{other}")), strict=True)
                    for x, dx, y, dy in values:
                        own = own + ((x + length * dx) * (y + length * dy) if length else x * y)
            total = total + own * node.light[0]
        return total / self.degree

    def largest_product(self) -> float:
        """The largest product that complementarity wants to vanish, per effective mass; or NaN, or infinite."""
        largest = 0.0
        for node in self.nodes:
            own = 0.0
            for x, y in zip(node.impulse, node.slack, strict=True):
                own = _larger(own, x * y)
            if hasattr(node, "b"):
                b, e = node.b, node.e
                own = _larger(own, (b[0] * e[0]) + ((b[1] * e[1]) + ((b[2] * e[2]) + (b[3] * e[3]))))
                for k in (1, 2, 3):
                    own = _larger(own, (b[0] * e[k]) + (e[0] * b[k]))
            largest = _larger(largest, own * node.light[0])
        return largest

    def attained(self, rate: float) -> bool:
        """Whether all slacks stand for their velocities but for a rate and their own round-off."""
        for node in self.nodes:
            largest = node.e[0] if hasattr(node, "e") else 0.0
            for slack in node.slack:
                largest = max(largest, abs(slack))
            if not all(abs(miss) <= rate + ROUND_OFF["double"] * largest for miss in node.miss):
                return False
        return True

    def is_apart(self) -> bool:
        """Whether what gaps and limits miss of their rates is a small part of their slacks, but for round-off."""
        extent, fastest = self.solver.memory.parameters["common"][0].extent[0], 0.0
        for body in self.solver.bodies:
            for k in range(3):
                fastest = max(fastest, abs(body.v[k]), abs(extent * body.w[k]))
        for node, sides in self.rooms:
            for miss, slack in zip(node.miss[:sides], node.slack[:sides], strict=True):
                if not abs(miss) <= path.APART_BY * slack + ROUND_OFF["double"] * fastest:
                    return False
        return True

    def missed(self) -> float:
        """Squares of what slacks miss of the velocities that they stand for."""
        total = 0.0
        for node in self.nodes:
            for miss in node.miss:
                total = total + (miss * miss)
        return total

    def are_foreseen(self, speed: float) -> bool:
        """Whether all contacts are foreseen where they start: at rest, pressed and sticking, or open, each by far.

        Near rest are squares of a part of their sliding, with the rate of a gap that is pressed, or what the slack of
        an open one misses of it.
        """
        still, least = path.RESTING * (speed * speed), path.FORESEEN_BY * speed
        return all(
            self._holds(node, least * (self.solver.common.ratio[0] * numbers.share[0]))
            or node.slack[0] >= least
            or self._moved(node) <= still
            for node, numbers in self.closing_numbers
        )

    @staticmethod
    def _holds(node, least: float) -> bool:
        """Whether a contact is pressed by so much, and sticks; not told of a pyramid."""
        if not node.impulse[0] >= least:
            return False
        if hasattr(node, "b"):
            b = node.b
            return (b[1] * b[1]) + ((b[2] * b[2]) + (b[3] * b[3])) <= path.STICKING * (b[0] * b[0])
        return len(node.impulse) == 1

    @staticmethod
    def _moved(node) -> float:
        un = node.un[0]
        miss = un - node.slack[0]
        moved = min(miss * miss, un * un)
        if len(node.miss) > 1:
            x, y, z = node.ut
            moved = moved + (path.SLID * ((x * x) + ((y * y) + (z * z))))
        return moved

    def largest_share(self, share: float) -> float:
        """The largest share of the increment, up to `share`, that stays inside all cones."""
        for node in self.nodes:
            for x, dx, y, dy in zip(node.impulse, node.d_impulse, node.slack, node.d_slack, strict=True):
                share = _share_inside(share, x, dx)
                share = _share_inside(share, y, dy)
            if hasattr(node, "b"):
                share = _share_in_cone(share, node.b, node.d_b, node.det[0])
                share = _share_in_cone(share, node.e, node.d_e, node.det[1])
        return share

    def depth(self) -> float:
        """How far the worst contact or limit is beyond its bound at the knot that was prepared [m or rad]."""
        deepest = 0.0
        for node in self.nodes:
            for room in getattr(node, "gap", None) or getattr(node, "room", ()):
                deepest = -room if room < -deepest else deepest
        return deepest

    def refined(self) -> float:
        """Complementarity that a projection leaves: a little, but enough for masses to count beside stiffness."""
        parameters, h = self.solver.memory.parameters["common"][0], self.solver.common.step[0]
        rate = self.depth() / (parameters.acceleration[0] * (h * h))
        least = path.STIFFEST["double"] * (rate * rate)
        return least if least > path.REFINED["double"] else path.REFINED["double"]

    def closing_speed(self) -> float:
        largest = 0.0
        for node in self.closing:
            if -node.un[0] > largest:
                largest = -node.un[0]
        return largest


def _larger(largest: float, value: float) -> float:
    """The larger of a number and the size of another; what is not finite stays."""
    return largest if abs(value) <= largest else abs(value)


def _share_inside(share: float, x: float, change: float) -> float:
    return share if x + share * change > 0.0 else -x / change


def _share_in_cone(share: float, x: list[float], change: list[float], c: float) -> float:
    """c: x0² less the squared length of the rest."""
    a = (change[0] * change[0]) - ((change[1] * change[1]) + ((change[2] * change[2]) + (change[3] * change[3])))
    b = (x[0] * change[0]) - ((x[1] * change[1]) + ((x[2] * change[2]) + (x[3] * change[3])))
    if x[0] + share * change[0] > 0.0 and c + share * ((b + b) + share * a) > 0.0:
        return share  # a cone is convex: with the end inside, the way is
    root = (b * b) - (a * c)
    below = sqrt(root) - b if root >= 0.0 else 0.0
    return c / below if below > 0.0 and c < share * below else share
