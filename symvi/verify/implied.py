"""Conditions that cannot go the other way, because of what was asked before them: x > 0 after x >= 0 and x > d > 0.

At a random point two expressions with the same value are the same expression. The conditions before one on its way, the
signs of positive variables and the bounds of unit vectors are an order of such expressions; what contradicts it does
not happen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symvi.verify.branches import Branch
from symvi.verify.problem import NO_VALUE, Problem, in_world
from symvi.verify.sites import by_turns
from symvi.verify.worlds import RealWorld, primal

ORDERS = (-1, 0, 1)
UNIT = ("quaternion", "unit vector", "rotation")
POINTS = 2  # random ones, at which a constant is the same


@dataclass(frozen=True)
class Fact:
    """Of two numbers, each by its values at the points: how they may be to each other, as -1, 0 or 1.

    constant: whether the other one stands in the code.
    """

    one: tuple
    other: tuple
    orders: tuple[int, ...]
    constant: bool = False

    @property
    def turned_over(self) -> Fact:
        return replace(self, orders=tuple(order for order in ORDERS if order not in self.orders))


class FactsWorld(RealWorld):
    """Real numbers that keep what was asked of which."""

    def __init__(self):
        super().__init__()
        self.facts: list[Fact] = []
        self.pair = self.learned = None

    def compare(self, a, b) -> int:
        self.pair = primal(a), primal(b)
        return super().compare(a, b)

    def learn(self, orders: tuple[int, ...], constant: bool) -> None:
        self.learned = orders, constant

    def decide(self, outcome: bool, site: object) -> bool:
        one, other = self.pair or (self.zero, self.zero)
        orders, constant = self.learned if self.pair and self.learned else (ORDERS, False)
        self.facts.append(Fact((one,), (other,), orders, constant))
        self.pair = self.learned = None
        return super().decide(outcome, site)


@dataclass(frozen=True)
class Implied:
    """What cannot be on the ways that were seen."""

    problem: Problem
    branches: Sequence[Branch]

    def has_one_way(self, at: tuple) -> bool:
        """Whether a condition, (site, turn), can go no other way than it went on every way that asks it."""
        asking = [branch for branch in self.branches if at in by_turns(branch.path)]
        return bool(asking) and all(self._has_one_way(branch, at) for branch in asking)

    def never_all(self, site: object, way: bool) -> bool:
        """Whether the numbers of an array cannot all go a way together, as none is larger than all of them.

        Where points were aimed at, two expressions may have the same value: what runs the same code counts for it.
        """
        asking = [branch for branch in self.branches if any(where == site for where, _ in branch.path)]
        wide = {frozenset(where for where, _ in branch.path): branch for branch in asking if not branch.aimed}
        if not all(frozenset(where for where, _ in branch.path) in wide for branch in asking):
            return False
        return bool(wide) and all(self._never_all(branch, site, way) for branch in asking if not branch.aimed)

    def _has_one_way(self, branch: Branch, at: tuple) -> bool:
        facts, world = self._facts(branch), RealWorld()
        return bool(facts) and all(
            _has_no_other_way([*facts[:k], *_known(self.problem, branch, facts[: k + 1], world)], facts[k], world)
            for k, turn in enumerate(by_turns(branch.path))
            if turn == at
        )

    def _never_all(self, branch: Branch, site: object, way: bool) -> bool:
        facts, world = self._facts(branch), RealWorld()
        asked = [k for k, (where, _) in enumerate(branch.path) if where == site]
        if not facts:
            return False
        wanted = [facts[k] if branch.path[k][1] == way else facts[k].turned_over for k in asked]
        known = [*facts[: asked[0]], *_known(self.problem, branch, facts[: asked[-1] + 1], world)]
        return any(_contradicts([*known, *wanted], fact, world) for fact in wanted)

    def _facts(self, branch: Branch) -> list[Fact]:
        """No facts where two expressions may have the same value by chance."""
        return [] if branch.aimed else _facts(self.problem, branch)


def _has_no_other_way(before: Sequence[Fact], fact: Fact, world: RealWorld) -> bool:
    against = fact.turned_over.orders
    return bool(against) and all(_contradicts(before, replace(fact, orders=(order,)), world) for order in against)


def _facts(problem: Problem, branch: Branch) -> list[Fact]:
    """What is asked on a way, with the values at all points."""
    found = []
    for point in branch.points[:POINTS]:
        world = FactsWorld()
        try:
            if problem.path(point, world) == branch.path:
                found.append(world.facts)
        except NO_VALUE:
            continue
    if len(found) < POINTS:
        return []
    return [
        replace(one, one=one.one + other.one, other=one.other + other.other) for one, other in zip(*found, strict=True)
    ]


def _known(problem: Problem, branch: Branch, facts: Sequence[Fact], world: RealWorld) -> Iterator[Fact]:
    """The signs of constants and of positive variables; no component of a unit vector is beyond 1."""
    zero, one = (world.zero,) * POINTS, (world.one,) * POINTS
    for fact in facts:
        if fact.constant:
            yield Fact(fact.other, zero, (world.order(fact.other[0], world.zero),))
    drawn = [in_world(point, world) for point in branch.points[:POINTS]]
    for name, variable in problem.question.variables.items():
        for k in range(variable.size if variable.positive else 0):
            yield Fact(tuple(values[name][k] for values in drawn), zero, (1,))
        for k in range(variable.size if variable.kind in UNIT else 0):
            yield Fact(tuple(values[name][k] for values in drawn), one, (-1, 0))
            yield Fact(tuple(-values[name][k] for values in drawn), one, (-1, 0))
            yield Fact(tuple(values[name][k] for values in drawn), tuple(-x for x in one), (1, 0))


def _contradicts(facts: Sequence[Fact], fact: Fact, world: RealWorld) -> bool:
    """Whether a fact cannot be beside the others: a circle of numbers, each at most the next, one of them less."""
    numbers: list[tuple] = []
    below: dict[int, list[tuple[int, bool]]] = {}

    def node(values: tuple) -> int:
        for k, known in enumerate(numbers):
            if all(world.order(x, y) == 0 for x, y in zip(values, known, strict=True)):
                return k
        numbers.append(values)
        return len(numbers) - 1

    for each in (*facts, fact):
        one, other = node(each.one), node(each.other)
        if one == other and 0 not in each.orders:
            return True
        if 1 not in each.orders:
            below.setdefault(one, []).append((other, 0 not in each.orders))
        if -1 not in each.orders:
            below.setdefault(other, []).append((one, 0 not in each.orders))
    return any(_closes(below, start) for start in range(len(numbers)))


def _closes(below: dict[int, list[tuple[int, bool]]], start: int) -> bool:
    """Whether a number is less than itself."""
    seen, todo = set(), [(start, False)]
    while todo:
        number, less = todo.pop()
        for after, strictly in below.get(number, []):
            state = (after, less or strictly)
            if state == (start, True):
                return True
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return False
