"""The linear cone of friction (BSMH23 (27a)-(27c)): impulses b_i along n directions d_i of the tangent plane.

    s gamma = mu,  b_i eta_i = mu,  zeta psi = mu
    eta_i = d_i·u + psi,  zeta = c_f gamma - sum b_i,  beta = sum b_i d_i

u is the velocity of sliding, psi the slack that all directions share, zeta what is left of the bound. The directions
come in opposite pairs: the first half is given, the other half is minus the first. There is a set of formulas for
every number of directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from symvi.physics.constraint import Steps
from symvi.physics.directions import Directions
from symvi.physics.formula import INTERMEDIATES, Argument, Formula
from symvi.physics.pairs import MU
from symvi.physics.pyramid_newton import aim_of, law_of, response_of


@dataclass(frozen=True)
class Pyramid:
    """The formulas of a linear cone with one number of directions.

    on_path: a point of the central path. friction: beta. miss: what the slacks miss. law, right_hand_side, response: of
    d beta = k + m d gamma - K du.
    """

    on_path: Formula
    friction: Formula
    miss: Formula
    law: Formula
    right_hand_side: Formula
    response: Formula


@cache
def pyramid(directions: int) -> Pyramid:
    """The formulas for an even number of directions."""
    cone = Directions(directions)
    return Pyramid(*(made(cone) for made in (_on_path, _friction, _miss, law_of, aim_of, response_of)))


def _friction(cone: Directions) -> Formula:
    def friction(b, way):
        return {"beta": cone.total(way, b)}

    def sum_over_directions(stated, b, way):
        pushes = [b[i] * d for i, d in enumerate(cone.all(way))]
        yield "beta is the sum of all impulses", stated["beta"] - sum(pushes[1:], pushes[0])

    return cone.named(
        friction,
        "beta = sum b_i d_i",
        "BSMH23 (4a)",
        [cone.b, cone.way],
        [Argument("beta", (3,), "friction impulse", "N s")],
        sum_over_directions,
    )


def _miss(cone: Directions) -> Formula:
    def miss(eta, way, u):
        let, psi = Steps(), eta[cone.n]
        wanted = let("wanted", [x + psi for x in cone.both(cone.along(let, way, u))])
        return {"miss": [wanted[i] - eta[i] for i in range(cone.n)], INTERMEDIATES: let.pairs()}

    def rows_of_slacks(stated, eta, way, u):
        """B z' + E psi - eta."""
        for i, d in enumerate(cone.all(way)):
            yield "it is what a slack misses", stated["miss"][i] - ((d.T * u)[0] + eta[cone.n] - eta[i])

    inputs, equation = [cone.eta, cone.way, cone.u], "miss_i = d_i·u + psi - eta_i"
    return cone.named(miss, equation, "BSMH23 (27a)", inputs, [cone.missed], rows_of_slacks)


def _on_path(cone: Directions) -> Formula:
    """A point of the central path at a velocity of sliding, all products alike and the bound met exactly.

    psi counts the two directions against the sliding, as if one of them were along it.
    """

    def on_path(u, bound, mu, way):
        import sympy as sp

        from symvi.physics import algebra

        let, size = Steps(), sp.Symbol("psi_itself", positive=True)
        speed = let("speed", [sp.sqrt(algebra.dot(u, u))])[0]
        equation = bound[0] - mu[0] * (2 / (size - speed) + (cone.n - 1) / size)
        a, b, c = sp.Poly(sp.numer(sp.together(equation)), size).all_coeffs()
        half = let("half", [let("sum", [sp.cancel(-b / a)])[0] / 2])[0]
        psi = let("psi", [half + sp.sqrt(half**2 - sp.cancel(c / a))])[0]
        eta = let("eta", [*(x + psi for x in cone.both(cone.along(let, way, u))), psi])
        inverses = let("inverses", [1 / x for x in eta])
        product = let("product", [bound[0] / sum(inverses)])[0]
        return {"b": product * inverses, "eta": eta, INTERMEDIATES: let.pairs()}

    def products_alike(stated, u, bound, mu, way):
        """All products b_i eta_i and zeta psi are one number, and the bound is met; psi is the larger root."""
        import sympy as sp

        known, eta = stated.keeping("eta", "inverses", "product"), stated.symbols("eta")
        inverses, product = stated.symbols("inverses"), stated.symbols("product")[0]
        yield "eta is as named", known["eta"] - eta
        for i in range(cone.n + 1):
            yield "all products are alike", known["b"][i] - product * inverses[i]
            yield "inverses are those of eta", known.step("inverses")[i] * eta[i] - 1
        yield "the bound is met", known.step("product")[0] * sum(inverses) - bound[0]
        psi, speed = stated.symbols("psi")[0], stated.symbols("speed")[0]
        slacks = stated.keeping("psi").step("eta")
        for i, d in enumerate(cone.all(way)):
            yield "eta_i is d_i·u + psi", slacks[i] - ((d.T * u)[0] + psi)
        yield "psi stands behind them", slacks[cone.n] - psi
        yield "speed is |u|", stated.step("speed")[0] ** 2 - (u.T * u)[0]
        half = stated.symbols("half")[0]
        root = stated.keeping("speed", "half").step("psi")[0] - half
        total = stated.keeping("speed").step("half")[0]
        square = sp.expand(root**2).xreplace({half: total})
        yield "psi is of a quadratic", 2 * total - stated.keeping("speed").step("sum")[0]
        equation = bound[0] * psi * (psi - speed) - mu[0] * (2 * psi + (cone.n - 1) * (psi - speed))
        squares = {psi: 2 * total * psi - total**2 + square}
        yield "psi counts two directions as against the sliding", equation, squares

    return cone.named(
        on_path,
        "c_f gamma = sum b_i + zeta,  b_i eta_i = zeta psi,  c_f gamma = mu (2/(psi - |u|) + (n - 1)/psi)",
        "derived here: a point of the central path, but for a factor that meets the bound",
        [cone.u, Argument("bound", (), "friction bound", "N s"), MU, cone.way],
        [cone.b, cone.eta],
        products_alike,
    )
