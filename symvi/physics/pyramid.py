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
from symvi.physics.elimination import at_rest, slope_of, solve_for, unknowns
from symvi.physics.formula import INTERMEDIATES, Argument, Formula, derived
from symvi.physics.pairs import MU, SECOND, centred, pair_change

BOUND = Argument("bound", (), "friction impulse per normal impulse")
SOURCE = "BSMH23 (27a)-(27c), directions and their common slack eliminated"


@dataclass(frozen=True)
class Pyramid:
    """The formulas of a linear cone with one number of directions.

    on_path: a point of the central path. friction: beta. miss: what the slacks miss. law, aim, response: of
    d beta = k + m d gamma - K du.
    """

    on_path: Formula
    friction: Formula
    miss: Formula
    law: Formula
    aim: Formula
    response: Formula


@cache
def pyramid(directions: int) -> Pyramid:
    """The formulas for an even number of directions."""
    made = _Pyramid(directions)
    return Pyramid(made.on_path(), made.friction(), made.miss(), made.law(), made.aim(), made.response())


class _Pyramid:
    """Declares the formulas for n directions; b and eta come with zeta and psi behind them."""

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
        builder.__name__ = f"pyramid_{self.n}_{builder.__name__}"
        return derived(equation, source, inputs, outputs, follows)(builder)

    def directions(self, way) -> list:
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

    # --- formulas ---------------------------------------------------------------------------------------------------
    def friction(self) -> Formula:
        def friction(b, way):
            return {"beta": self.total(way, b)}

        def sum_over_directions(stated, b, way):
            pushes = [b[i] * d for i, d in enumerate(self.directions(way))]
            yield "beta is the sum of all impulses", stated["beta"] - sum(pushes[1:], pushes[0])

        return self.named(
            friction,
            "beta = sum b_i d_i",
            "BSMH23 (4a)",
            [self.b, self.way],
            [Argument("beta", (3,), "friction impulse", "N s")],
            sum_over_directions,
        )

    def miss(self) -> Formula:
        def miss(eta, way, u):
            let, psi = Steps(), eta[self.n]
            wanted = let("wanted", [x + psi for x in self.both(self.along(let, way, u))])
            return {"miss": [wanted[i] - eta[i] for i in range(self.n)], INTERMEDIATES: let.pairs()}

        def rows_of_slacks(stated, eta, way, u):
            """B z' + E psi - eta."""
            for i, d in enumerate(self.directions(way)):
                yield "it is what a slack misses", stated["miss"][i] - ((d.T * u)[0] + eta[self.n] - eta[i])

        inputs, equation = [self.eta, self.way, self.u], "miss_i = d_i·u + psi - eta_i"
        return self.named(miss, equation, "BSMH23 (27a)", inputs, [self.missed], rows_of_slacks)

    def on_path(self) -> Formula:
        """A point of the central path at a velocity of sliding, all products alike and the bound met exactly.

        psi counts the two directions against the sliding, as if one of them were along it.
        """

        def on_path(u, bound, mu, way):
            import sympy as sp

            from symvi.physics import algebra

            let, size = Steps(), sp.Symbol("psi_itself", positive=True)
            speed = let("speed", [sp.sqrt(algebra.dot(u, u))])[0]
            equation = bound[0] - mu[0] * (2 / (size - speed) + (self.n - 1) / size)
            a, b, c = sp.Poly(sp.numer(sp.together(equation)), size).all_coeffs()
            half = let("half", [let("sum", [sp.cancel(-b / a)])[0] / 2])[0]
            psi = let("psi", [half + sp.sqrt(half**2 - sp.cancel(c / a))])[0]
            eta = let("eta", [*(x + psi for x in self.both(self.along(let, way, u))), psi])
            inverses = let("inverses", [1 / x for x in eta])
            product = let("product", [bound[0] / sum(inverses)])[0]
            return {"b": product * inverses, "eta": eta, INTERMEDIATES: let.pairs()}

        def products_alike(stated, u, bound, mu, way):
            """All products b_i eta_i and zeta psi are one number, and the bound is met; psi is the larger root."""
            import sympy as sp

            known, eta = stated.keeping("eta", "inverses", "product"), stated.symbols("eta")
            inverses, product = stated.symbols("inverses"), stated.symbols("product")[0]
            yield "eta is as named", known["eta"] - eta
            for i in range(self.n + 1):
                yield "all products are alike", known["b"][i] - product * inverses[i]
                yield "inverses are those of eta", known.step("inverses")[i] * eta[i] - 1
            yield "the bound is met", known.step("product")[0] * sum(inverses) - bound[0]
            psi, speed = stated.symbols("psi")[0], stated.symbols("speed")[0]
            slacks = stated.keeping("psi").step("eta")
            for i, d in enumerate(self.directions(way)):
                yield "eta_i is d_i·u + psi", slacks[i] - ((d.T * u)[0] + psi)
            yield "psi stands behind them", slacks[self.n] - psi
            yield "speed is |u|", stated.step("speed")[0] ** 2 - (u.T * u)[0]
            half = stated.symbols("half")[0]
            root = stated.keeping("speed", "half").step("psi")[0] - half
            total = stated.keeping("speed").step("half")[0]
            square = sp.expand(root**2).xreplace({half: total})
            yield "psi is of a quadratic", 2 * total - stated.keeping("speed").step("sum")[0]
            equation = bound[0] * psi * (psi - speed) - mu[0] * (2 * psi + (self.n - 1) * (psi - speed))
            squares = {psi: 2 * total * psi - total**2 + square}
            yield "psi counts two directions as against the sliding", equation, squares

        return self.named(
            on_path,
            "c_f gamma = sum b_i + zeta,  b_i eta_i = zeta psi,  c_f gamma = mu (2/(psi - |u|) + (n - 1)/psi)",
            "derived here: a point of the central path, but for a factor that meets the bound",
            [self.u, Argument("bound", (), "friction bound", "N s"), MU, self.way],
            [self.b, self.eta],
            products_alike,
        )

    # --- Newton's equations of the pyramid's own variables ----------------------------------------------------------
    def own(self, quotient, x, psi, sent) -> list:
        """Changes of all b_i where half of the directions slide by x, and the others by -x."""
        slides = self.both(x)
        return [sent[i] - quotient[i] * (slides[i] + psi) for i in range(self.n)]

    def drift(self, let, b, gamma, bound):
        """What rounding took from the bound, to be given back: impulses fall by powers of ten, zeta is least of all."""
        return let("drift", [bound * gamma - sum(b)])[0]

    def left(self, own, psi, total, sent, stiffness):
        """What vanishes: change of the bound - sum db_i - d zeta, with d zeta by the pair of zeta and psi."""
        return total - sum(own) - (sent - stiffness * psi)

    def psi_change(self, quotient, share, total, x):
        """d psi where the bound changes by `total`, and directions slide by x."""
        import sympy as sp

        psi, stiffness = unknowns("psi")[0], unknowns("stiffness")[0]
        own = self.own(quotient, x, psi, [0] * self.n)
        found = solve_for(psi, sp.expand(self.left(own, psi, total, 0, stiffness)), 1)
        return share * sp.collect(found, list(x))

    def law(self) -> Formula:
        def law(b, eta, bound, way):
            import sympy as sp

            let, psi, gamma, x = Steps(), unknowns("psi")[0], unknowns("gamma")[0], unknowns("x", self.half)
            stiffness = [-slope_of(pair_change(b[i], eta[i], psi), psi) for i in range(self.n + 1)]
            quotient = let("quotient", stiffness[: self.n])
            own = self.own(quotient, x, psi, [0] * self.n)
            equation = sp.expand(self.left(own, psi, 0, 0, stiffness[self.n]))
            share = let("share", [1 / slope_of(equation, psi)])[0]
            change = sp.Matrix([self.psi_change(quotient, 1, bound[0] * gamma, x)])
            net = sp.Matrix([sp.collect(sp.expand(own[i] - own[i + self.half]), [x[i], psi]) for i in range(self.half)])
            pull = way.T * net.diff(psi)  # friction per change of psi
            return {
                "m": pull * (share * slope_of(change[0], gamma)),
                "K": -(way.T * net.jacobian(x) * way) - pull * (share * (change.jacobian(x) * way)),
                "quotient": quotient,
                "share": share,
                INTERMEDIATES: let.pairs(),
            }

        def newton(stated, b, eta, bound, way):
            """d beta by b_i d eta_i + eta_i db_i = 0, d eta_i = d_i·du + d psi, c_f d gamma = sum db_i + d zeta."""
            import sympy as sp

            gamma, psi = sp.symbols("dgamma dpsi", real=True)
            x = sp.symbols(f"slide_0:{self.half}", real=True)  # d_i·du of half of the directions
            quotient = stated.symbols("quotient")
            known, share = stated.keeping("quotient", "share"), stated.symbols("share")[0]
            for i in range(self.n):
                yield "a quotient is b_i/eta_i", stated.step("quotient")[i] - b[i] / eta[i]
            own = [-quotient[i] * (slide + psi) for i, slide in enumerate([*x, *(-y for y in x)])]
            balance = bound[0] * gamma - sum(own) + b[self.n] / eta[self.n] * psi
            yield (
                "share is one over the slope by psi",
                stated.keeping("quotient").step("share")[0] - 1 / balance.diff(psi),
            )
            yield "quotient is as named", known["quotient"] - quotient
            yield "share is as named", known["share"] - share
            moved = -share * balance.xreplace({psi: sp.Integer(0)})
            change = [value.xreplace({psi: moved}) for value in own]
            beta = sp.Matrix(sum((change[i] * d for i, d in enumerate(self.directions(way))), sp.zeros(3, 1)))
            yield "m is the change of friction by gamma", known["m"] - beta.diff(gamma)
            slope = sum((beta.diff(x[i]) * way[i, :] for i in range(self.half)), sp.zeros(3, 3))
            yield "K is minus the change of friction by sliding", known["K"] + slope

        return self.named(
            law,
            "d beta = k + m d gamma - K du,  d psi = share (k_psi - c_f d gamma - sum (b_i/eta_i) d_i·du)",
            SOURCE,
            [self.b, self.eta, BOUND, self.way],
            [
                Argument("m", (3,), "change of friction per change of the normal impulse"),
                Argument("K", (3, 3), "minus change of friction per change of sliding", "kg"),
                self.quotient,
                self.share,
            ],
            newton,
        )

    def aim(self) -> Formula:
        def aim(b, gamma, bound, eta, mu, db, deta, second, quotient, share, miss, way):
            let, psi, other = Steps(), unknowns("psi")[0], unknowns("other")[0]
            aimed = [centred(let, f"pair{i}", mu[0], db[i], deta[i], second[0]) for i in range(self.n + 1)]
            sent = [at_rest(pair_change(b[i], eta[i], other, aimed[i]), [other]) for i in range(self.n + 1)]
            sent = let("sent", [*(sent[i] - quotient[i] * miss[i] for i in range(self.n)), sent[self.n]])
            still, stiffness = [0] * self.half, unknowns("stiffness")[0]
            drift = self.drift(let, b, gamma[0], bound[0])
            equation = self.left(sent[: self.n], psi, drift, sent[self.n], stiffness)
            moved = let("psi", [solve_for(psi, equation, share[0])])[0]
            own = let("own", self.own(quotient, still, moved, sent))
            return {"k": [*own, moved], "kt": self.total(way, own), INTERMEDIATES: let.pairs()}

        def newton(stated, b, gamma, bound, eta, mu, db, deta, second, quotient, share, miss, way):
            """Linearised products are centred for db_i = k_i, d eta_i = k_psi + miss_i, and the bound is met."""
            moved, k = stated.symbols("psi")[0], stated.keeping("psi")["k"]
            over = [b[i] / eta[i] for i in range(self.n + 1)]
            known = dict(zip(quotient, over, strict=False))
            centre = [mu[0] - second[0] * db[i] * deta[i] - b[i] * eta[i] for i in range(self.n + 1)]
            for i in range(self.n):
                rest = eta[i] * k[i] + b[i] * (moved + miss[i]) - centre[i]
                yield "a linearised product is centred", rest.xreplace(known)
            yield "psi is as named", k[self.n] - moved
            still = [(centre[i] - b[i] * miss[i]) / eta[i] for i in range(self.n)]
            balance = bound[0] * gamma[0] - sum(b) - sum(still) - centre[self.n] / eta[self.n]
            step = stated.step("psi")[0].xreplace(known)
            yield "psi meets the bound", step + share[0] * balance
            named, own = stated.symbols("own"), stated.keeping("own")
            total = sum((named[i] * d for i, d in enumerate(self.directions(way))), 0 * way[0, :].T)
            yield "kt is the sum over the directions", own["kt"] - total

        return self.named(
            aim,
            "k_i = (mu - db_i d eta_i)/eta_i - b_i - (b_i/eta_i) (k_psi + miss_i)",
            SOURCE + ", with Mehrotra's second-order term",
            [
                self.b,
                self.gamma,
                BOUND,
                self.eta,
                MU,
                Argument("db", (self.n + 1,), "affine changes of b", "N s"),
                Argument("deta", (self.n + 1,), "affine changes of eta", "m/s"),
                SECOND,
                self.quotient,
                self.share,
                self.missed,
                self.way,
            ],
            [self.k, Argument("kt", (3,), "change of friction where velocities stay", "N s")],
            newton,
        )

    def response(self) -> Formula:
        def response(b, gamma, k, quotient, share, bound, way, miss, dgamma, du):
            let = Steps()
            x = self.along(let, way, du)
            total = let("total", [bound[0] * dgamma[0]])[0]
            more = let("more", [self.psi_change(quotient, share[0], total, x)])[0]
            moved = let("psi", [k[self.n] + more])[0]
            own = let("own", self.own(quotient, x, more, k))
            slacks = [value + moved + miss[i] for i, value in enumerate(self.both(x))]
            drift = self.drift(let, b, gamma[0], bound[0])
            return {"b": [*own, (total - sum(own)) + drift], "eta": [*slacks, moved], INTERMEDIATES: let.pairs()}

        def newton(stated, b, gamma, k, quotient, share, bound, way, miss, dgamma, du):
            """Changes beyond k leave the linearised products and the balance of the bound as they are."""
            import sympy as sp

            stiffness = 1 / share[0] - sum(quotient)  # of zeta and psi
            slides = [(d.T * du)[0] for d in self.directions(way)]
            more = stated.symbols("more")[0]
            known = stated.keeping("more")
            for i in range(self.n):
                yield "a slack meets its velocity", known["eta"][i] - (slides[i] + k[self.n] + more + miss[i])
                rest = known["b"][i] - k[i] + quotient[i] * (slides[i] + more)
                yield "a linearised product stays", rest
            yield "psi is as named", known["eta"][self.n] - k[self.n] - more
            meeting = sum(b) + sum(known["b"]) - bound[0] * (gamma[0] + dgamma[0])
            yield "the bound is met", meeting
            own = [quotient[i] * (slides[i] + more) for i in range(self.n)]
            balance = sp.Matrix([bound[0] * dgamma[0] + sum(own) + stiffness * more])
            step = balance.xreplace({more: stated.step("more")[0]})
            yield "zeta's product stays", step

        return self.named(
            response,
            "db_i = k_i - (b_i/eta_i) (d_i·du + d psi - k_psi),  d eta_i = d_i·du + d psi + miss_i",
            SOURCE,
            [
                self.b,
                self.gamma,
                self.k,
                self.quotient,
                self.share,
                BOUND,
                self.way,
                self.missed,
                Argument("dgamma", (), "change of the normal impulse", "N s"),
                Argument("du", (3,), "change of the velocity of sliding", "m/s"),
            ],
            [
                Argument("b", (self.n + 1,), "changes of the impulses and of what is left of the bound", "N s"),
                Argument("eta", (self.n + 1,), "changes of their slack velocities", "m/s"),
            ],
            newton,
        )
