"""A proof, where it is quick: claim minus truth has the normal form zero on the manifold, for every proved entry.

Unit quaternions, unit vectors, rotations and roots are unknowns whose squares are known (symvi/physics/normal_form.py).
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from symvi.verify.asking.points import rotation_of
from symvi.verify.errors import VerificationError
from symvi.verify.judging.problem import Problem
from symvi.verify.judging.truth import true_derivative
from symvi.verify.reading.worlds import World

PRODUCTS = 15e6  # of terms; two thirds of them for the quick way


class PolynomialWorld(World):
    """Quotients of polynomials in the entries of all variables."""

    name = "normal form"

    def __init__(self, problem: Problem, products: float, loose: bool):
        from symvi.physics.normal_form import Quotients, Unprovable

        self.unprovable = Unprovable
        variables = problem.question.variables
        names = {name: list(_names(name, variable)) for name, variable in variables.items()}
        positive = [entry for name, entries in names.items() if variables[name].positive for entry in entries]
        self.quotients = Quotients(
            [entry for entries in names.values() for entry in entries], positive, products, loose
        )
        self.opaque: dict[tuple, Any] = {}
        base: dict[str, Callable] = {name: self._opaque(name) for name in ("exp", "log", "atan2")}
        super().__init__({**base, "sqrt": self.quotients.root, "sin": self._turn(1), "cos": self._turn(0)})
        self.values = {name: self._values(entries, variables[name]) for name, entries in names.items()}

    def constant(self, value):
        return self.quotients.constant(value)

    @property
    def pi(self):
        raise self.unprovable("pi has no normal form")

    def order(self, a, b) -> int:
        if (a - b).is_zero():
            return 0
        raise self.unprovable("a condition has no normal form")

    def _values(self, entries: list[str], variable) -> list:
        found = [self.quotients.unknown(entry) for entry in entries]
        if variable.kind == "inertia" and variable.size == 9:
            return [found[max(i, k) * 3 + min(i, k)] for i in range(3) for k in range(3)]
        if variable.kind in ("quaternion", "unit vector", "rotation"):
            first, *rest = entries
            self.quotients.relate(
                first, 1 - sum((self.quotients.unknown(e) * self.quotients.unknown(e) for e in rest), self.constant(0))
            )
        return rotation_of(found) if variable.kind == "rotation" else found

    def _opaque(self, name: str) -> Callable:
        def apply(*arguments):
            key = (name, *((x.above, x.below) for x in arguments))
            if key not in self.opaque:
                self.opaque[key] = self._fresh()
            return self.opaque[key]

        return apply

    def _fresh(self):
        return type(self.one)(self.quotients.fresh(), self.quotients.ring.one, self.quotients)

    def _turn(self, which: int) -> Callable:
        """cos and sin of one argument: two unknowns, the square of the first known."""

        def apply(x):
            key = ("turn", x.above, x.below)
            if key not in self.opaque:
                c, s = self._fresh(), self._fresh()
                self.quotients._relate(c.above, (1 - s * s).above)
                self.opaque[key] = (c, s)
            return self.opaque[key][which]

        return apply


def _names(name: str, variable):
    return (f"{name}_{k}" for k in range(4 if variable.kind == "rotation" else variable.size))


def proved_entries(problem: Problem, products: float = PRODUCTS) -> tuple[set[int], str]:
    """The entries whose difference has the normal form zero, and why not all could be tried ("" if all were).

    First with roots and reciprocals that nothing is known of, which is quick; then with all that is known.
    """
    if problem.in_floats:
        return set(), "machine numbers have no normal form"
    found, reason = _zeros(problem, products * 2 / 3, loose=True)
    if len(found) < prod(problem.shape):
        more, reason = _zeros(problem, products / 3, loose=False)
        found |= more
    return found, reason


def _zeros(problem: Problem, products: float, loose: bool) -> tuple[set[int], str]:
    from symvi.physics.normal_form import Unprovable

    try:
        world = PolynomialWorld(problem, products, loose)
        truth = true_derivative(problem.function, problem.question, world.values, world)
        claim = problem.claim_at(world.values, world)
        return {k for k, (t, c) in enumerate(zip(truth, claim, strict=True)) if _is_zero(t - c)}, ""
    except Unprovable as reason:
        return set(), str(reason)
    except (ZeroDivisionError, VerificationError) as error:
        return set(), str(error)


def _is_zero(difference) -> bool:
    return difference == 0 if isinstance(difference, int) else difference.is_zero()
