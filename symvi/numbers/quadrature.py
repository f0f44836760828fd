"""Quadrature rules: the coordinates of a step are a polynomial in time, the action is summed up at a few points of it.

Over a step of length h a coordinate is the polynomial q(x) of degree s through its values q_0 ... q_s at the times
n_0 = 0 < n_1 < ... < n_s = 1, as shares of the step; at the point x of weight w

    q = sum_k a_k q_k,    h q' = sum_k b_k q_k,    a_k = l_k(x), b_k = l_k'(x), l_k Lagrange's polynomials

and L_d = h sum w L(q, q') (Fan18; JM09 section V-A). With s + 1 points of Lobatto, which are the nodes too, or
with s points of Gauss, a step is of order 2 s (Ober-Bloebaum and Saake). Numbers are exact, or within 1e-40.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import cos, pi

from symvi.errors import ArgumentError

DIGITS = 10**40  # of nodes that are no fractions
SMALLEST = Fraction(1, 10**30)  # of slopes: what is below is zero
# Newton's method, or with impulses at the first knot in place of slopes (RIQN, Lee16), and Broyden's updates of these
SOLVERS = ("newton", "riqn", "broyden")
BY = " by "  # between the name of a rule and that of its solver
MOST = 5  # nodes after the first one: the kernels of an elimination grow with their square


@dataclass(frozen=True)
class Rule:
    """A quadrature rule by its name, its order, and its numbers as fractions.

    nodes: times of a step at which coordinates are unknown, the first one (0, where they are known) included. points,
    weights: where the action is summed up, and what each counts. positions, rates: a and b, a row for each point.
    solver: which method solves for the coordinates, one of SOLVERS; the name says it where it is not Newton's.
    """

    name: str
    order: int
    nodes: tuple[Fraction, ...]
    points: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    positions: tuple[tuple[Fraction, ...], ...]
    rates: tuple[tuple[Fraction, ...], ...]
    solver: str = "newton"

    @property
    def degree(self) -> int:
        """Of the polynomial, and how many values of a coordinate a step is solved for."""
        return len(self.nodes) - 1


def _rule(name: str, order: int, nodes, points, weights) -> Rule:
    values = tuple(tuple(_value(nodes, k, x) for k in range(len(nodes))) for x in points)
    slopes = tuple(tuple(_slope(nodes, k, x) for k in range(len(nodes))) for x in points)
    return Rule(name, order, tuple(nodes), tuple(points), tuple(weights), values, slopes)


def with_nodes(rule: Rule) -> Rule:
    """The same rule, whose points are its nodes too: those that were none have no weight."""
    more = tuple(node for node in rule.nodes if node not in rule.points)
    if not more:
        return rule
    weights = [*rule.weights, *(Fraction(0) for _ in more)]
    return _rule(rule.name, rule.order, rule.nodes, (*rule.points, *more), weights)


def _value(nodes, k: int, x: Fraction) -> Fraction:
    """l_k(x)."""
    product = Fraction(1)
    for m, node in enumerate(nodes):
        if m != k:
            product *= (x - node) / (nodes[k] - node)
    return product


def _slope(nodes, k: int, x: Fraction) -> Fraction:
    """l_k'(x)."""
    total = Fraction(0)
    for skipped in range(len(nodes)):
        if skipped != k:
            product = 1 / (nodes[k] - nodes[skipped])
            for m, node in enumerate(nodes):
                if m not in (k, skipped):
                    product *= (x - node) / (nodes[k] - node)
            total += product
    return total if abs(total) > SMALLEST else Fraction(0)


def _legendre(n: int, x: Fraction) -> tuple[Fraction, Fraction]:
    """P_n(x) and P_n'(x), |x| < 1."""
    before, now = Fraction(1), x
    for k in range(2, n + 1):
        before, now = now, _near(((2 * k - 1) * x * now - (k - 1) * before) / k)
    return now, n * (before - x * now) / (1 - x * x)


def _near(x: Fraction) -> Fraction:
    return Fraction(round(x * DIGITS), DIGITS)


def _gauss(count: int) -> tuple[list[Fraction], list[Fraction]]:
    """Points and weights of Gauss on [0, 1]."""
    roots = []
    for k in range(count):
        x = Fraction(-cos(pi * (k + 0.75) / (count + 0.5)))
        for _ in range(8):
            value, slope = _legendre(count, x)
            x = _near(x - value / slope)
        roots.append(x)
    roots = [(x - y) / 2 for x, y in zip(roots, reversed(roots), strict=True)]  # exactly symmetric
    weights = [1 / ((1 - x * x) * _legendre(count, x)[1] ** 2) for x in roots]
    return [(1 + x) / 2 for x in roots], _of_sum_one(weights)


def _lobatto(count: int) -> tuple[list[Fraction], list[Fraction]]:
    """Points and weights of Lobatto on [0, 1], the ends among them."""
    n, inner = count - 1, []
    for k in range(1, n):
        x = Fraction(-cos(pi * k / n))
        for _ in range(8):  # the roots of P_n', by (1 - x²) P_n'' = 2 x P_n' - n (n + 1) P_n
            value, slope = _legendre(n, x)
            x = _near(x - slope * (1 - x * x) / (2 * x * slope - n * (n + 1) * value))
        inner.append(x)
    inner = [(x - y) / 2 for x, y in zip(inner, reversed(inner), strict=True)]
    ends = Fraction(1, n * (n + 1))
    weights = [ends, *(ends / _legendre(n, x)[0] ** 2 for x in inner), ends]
    return [Fraction(0), *((1 + x) / 2 for x in inner), Fraction(1)], _of_sum_one(weights)


def _of_sum_one(weights: list[Fraction]) -> list[Fraction]:
    total = sum(weights, Fraction(0))
    return [weight / total for weight in weights]


def midpoint(alpha: Fraction = Fraction(1, 2)) -> Rule:
    """One point at the share alpha of the step: of order 2 at 1/2, else of order 1 (JM09 section V-A)."""
    half = alpha == Fraction(1, 2)
    name = "midpoint" if half else f"midpoint({float(alpha)!r})"
    return _rule(name, 2 if half else 1, [Fraction(0), Fraction(1)], [alpha], [Fraction(1)])


@cache
def _named(family: str, order: int) -> Rule:
    """A rule of Lobatto or of Gauss, of an even order."""
    s = order // 2
    nodes, weights = _lobatto(s + 1)
    points = nodes
    if family == "gauss":
        points, weights = _gauss(s)
    other = {("lobatto", 2): "trapezoid", ("lobatto", 4): "simpson", ("gauss", 2): "midpoint"}
    return _rule(other.get((family, order), f"{family}-{order}"), order, nodes, points, weights)


NAMED = {"midpoint": ("gauss", 2), "trapezoid": ("lobatto", 2), "simpson": ("lobatto", 4)}
ORDERS = tuple(range(2, 2 * MOST + 1, 2))
_FORM = re.compile(r"(?P<family>lobatto|gauss)-(?P<order>\d{1,2})|midpoint\((?P<alpha>[0-9.eE+-]{1,24})\)")
HOW = (
    "use 'midpoint', 'midpoint(0.3)' with alpha from 0 to 1, 'trapezoid', 'simpson', or 'lobatto-N' or 'gauss-N' of an "
    f"even order N up to {ORDERS[-1]}"
)


def solved_by(rule: Rule, solver: object) -> Rule:
    """The same rule, whose steps this method solves. Raises ArgumentError where it does not."""
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise ArgumentError(f"solver {str(solver)[:40]!r}: use {', '.join(map(repr, SOLVERS[:-1]))} or {SOLVERS[-1]!r}")
    if solver == "newton":
        return replace(rule, name=without_solver(rule.name), solver=solver)
    if rule.degree > 1:
        raise ArgumentError(
            f"solver {solver!r}: rule {rule.name!r} has coordinates within the step, which impulses at its first knot "
            "do not lead to; use solver='newton', or rule 'midpoint' or 'trapezoid'"
        )
    return replace(rule, name=f"{without_solver(rule.name)}{BY}{solver}", solver=solver)


def without_solver(name: str) -> str:
    """The name of the rule alone."""
    return name.partition(BY)[0]


def rule_of(name: object) -> Rule | None:
    """The rule of a name; None for None and "". Raises ArgumentError for a name that is of no rule.

    A name may say which method solves the steps, as "midpoint by riqn" does.
    """
    if name is None or name == "":
        return None
    if isinstance(name, str) and BY in name:
        alone, _, solver = name.partition(BY)
        rule = rule_of(alone)
        if rule is not None and solver != "newton":
            return solved_by(rule, solver)
    if isinstance(name, str):
        if name in NAMED:
            return _named(*NAMED[name])
        found = _FORM.fullmatch(name)
        if found and found["family"] and int(found["order"]) in ORDERS:
            return _named(found["family"], int(found["order"]))
        if found and found["alpha"]:
            try:
                alpha = Fraction(found["alpha"])
            except ValueError:
                alpha = Fraction(-1)
            if 0 <= alpha <= 1:
                return midpoint(alpha)
    raise ArgumentError(f"rule {str(name)[:40]!r}: {HOW}")


def is_rule(name: object) -> bool:
    """Whether a text is the name of a rule, as these are kept in files and notes."""
    try:
        return bool(name) and rule_of(name) is not None
    except ArgumentError:
        return False
