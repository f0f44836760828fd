"""Directions of a linear cone of friction, which come in opposite pairs, and the arguments of formulas along them."""

from __future__ import annotations

from symvi.physics.formula import Argument, Formula, derived


class Directions:
    """n directions, and names of what goes along them; b and eta come with zeta and psi behind them."""

    def __init__(self, directions: int):
        self.n, self.half = directions, directions // 2
        n = directions
        self.way = Argument("way", (self.half, 3), "the first half of the directions")
        self.u = Argument("u", (3,), "velocity of sliding", "m/s")
        self.b = Argument("b", (n + 1,), "impulses along the directions, then what is left of the bound", "N s")
        self.gamma = Argument("gamma", (), "normal impulse", "N s")
        self.eta = Argument("eta", (n + 1,), "their slack velocities", "m/s")
        self.missed = Argument("miss", (n,), "velocities minus the slacks that stand for them", "m/s")
        self.quotient = Argument("quotient", (n,), "stiffness along every direction", "kg")
        self.share = Argument("share", (), "change of psi per change of what is left of the bound", "1/kg")
        self.k = Argument("k", (n + 1,), "changes of b and psi where velocities stay", "N s, m/s")

    def named(self, builder, equation: str, source: str, inputs, outputs, follows) -> Formula:
        """A formula for this number of directions, whose builder is named by it."""
        builder.__name__ = f"pyramid_{self.n}_{builder.__name__}"
        return derived(equation, source, inputs, outputs, follows)(builder)

    def all(self, way) -> list:
        """All directions, the second half opposite to the first."""
        first = [way[i, :].T for i in range(self.half)]
        return [*first, *(-d for d in first)]

    # --- sums over the directions -----------------------------------------------------------------------------------
    def along(self, let, way, u):
        """d_i·u of the first half of the directions, named; the others slide by minus that."""
        return let("x", way * u)

    def both(self, x) -> list:
        """What all directions slide by, from the first half of them."""
        return [*x, *(-value for value in x)]

    def total(self, way, weights):
        """The sum of all directions by weight: of two that are opposite by the difference of theirs."""
        import sympy as sp

        net = [weights[i] - weights[i + self.half] for i in range(self.half)]
        return sp.Matrix([sum(net[i] * way[i, j] for i in range(self.half)) for j in range(3)])
