"""Newton's equations of a linear cone of friction: its own variables are eliminated (BSMH23 (27a)-(27c)).

The symbols are those of physics/pyramid.py.
"""

from __future__ import annotations

from symvi.physics.constraint import Steps
from symvi.physics.directions import Directions
from symvi.physics.elimination import at_rest, slope_of, solve_for, unknowns
from symvi.physics.formula import INTERMEDIATES, Argument, Formula
from symvi.physics.pairs import MU, SECOND, centred, pair_change

BOUND = Argument("bound", (), "friction impulse per normal impulse")
SOURCE = "BSMH23 (27a)-(27c), directions and their common slack eliminated"


def law_of(cone: Directions) -> Formula:
    """d beta = k + m d gamma - K du: how friction follows the velocities."""

    def law(b, eta, bound, way):
        import sympy as sp

        let, psi, gamma, x = Steps(), unknowns("psi")[0], unknowns("gamma")[0], unknowns("x", cone.half)
        stiffness = [-slope_of(pair_change(b[i], eta[i], psi), psi) for i in range(cone.n + 1)]
        quotient = let("quotient", stiffness[: cone.n])
        own = _own(cone, quotient, x, psi, [0] * cone.n)
        equation = sp.expand(_left(own, psi, 0, 0, stiffness[cone.n]))
        share = let("share", [1 / slope_of(equation, psi)])[0]
        change = sp.Matrix([_psi_change(cone, quotient, 1, bound[0] * gamma, x)])
        net = sp.Matrix([sp.collect(sp.expand(own[i] - own[i + cone.half]), [x[i], psi]) for i in range(cone.half)])
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
        x = sp.symbols(f"slide_0:{cone.half}", real=True)  # d_i·du of half of the directions
        quotient = stated.symbols("quotient")
        known, share = stated.keeping("quotient", "share"), stated.symbols("share")[0]
        for i in range(cone.n):
            yield "a quotient is b_i/eta_i", stated.step("quotient")[i] - b[i] / eta[i]
        own = [-quotient[i] * (slide + psi) for i, slide in enumerate([*x, *(-y for y in x)])]
        balance = bound[0] * gamma - sum(own) + b[cone.n] / eta[cone.n] * psi
        yield (
            "share is one over the slope by psi",
            stated.keeping("quotient").step("share")[0] - 1 / balance.diff(psi),
        )
        yield "quotient is as named", known["quotient"] - quotient
        yield "share is as named", known["share"] - share
        moved = -share * balance.xreplace({psi: sp.Integer(0)})
        change = [value.xreplace({psi: moved}) for value in own]
        beta = sp.Matrix(sum((change[i] * d for i, d in enumerate(cone.all(way))), sp.zeros(3, 1)))
        yield "m is the change of friction by gamma", known["m"] - beta.diff(gamma)
        slope = sum((beta.diff(x[i]) * way[i, :] for i in range(cone.half)), sp.zeros(3, 3))
        yield "K is minus the change of friction by sliding", known["K"] + slope

    return cone.named(
        law,
        "d beta = k + m d gamma - K du,  d psi = share (k_psi - c_f d gamma - sum (b_i/eta_i) d_i·du)",
        SOURCE,
        [cone.b, cone.eta, BOUND, cone.way],
        [
            Argument("m", (3,), "change of friction per change of the normal impulse"),
            Argument("K", (3, 3), "minus change of friction per change of sliding", "kg"),
            cone.quotient,
            cone.share,
        ],
        newton,
    )


def aim_of(cone: Directions) -> Formula:
    """k of it: what changes where velocities stay."""

    def right_hand_side(b, gamma, bound, eta, mu, db, deta, second, quotient, share, miss, way):
        let, psi, other = Steps(), unknowns("psi")[0], unknowns("other")[0]
        aimed = [centred(let, f"pair{i}", mu[0], db[i], deta[i], second[0]) for i in range(cone.n + 1)]
        sent = [at_rest(pair_change(b[i], eta[i], other, aimed[i]), [other]) for i in range(cone.n + 1)]
        sent = let("sent", [*(sent[i] - quotient[i] * miss[i] for i in range(cone.n)), sent[cone.n]])
        still, stiffness = [0] * cone.half, unknowns("stiffness")[0]
        drift = _drift(let, b, gamma[0], bound[0])
        equation = _left(sent[: cone.n], psi, drift, sent[cone.n], stiffness)
        moved = let("psi", [solve_for(psi, equation, share[0])])[0]
        own = let("own", _own(cone, quotient, still, moved, sent))
        return {"k": [*own, moved], "kt": cone.total(way, own), INTERMEDIATES: let.pairs()}

    def newton(stated, b, gamma, bound, eta, mu, db, deta, second, quotient, share, miss, way):
        """Linearised products are centred for db_i = k_i, d eta_i = k_psi + miss_i, and the bound is met."""
        moved, k = stated.symbols("psi")[0], stated.keeping("psi")["k"]
        over = [b[i] / eta[i] for i in range(cone.n + 1)]
        known = dict(zip(quotient, over, strict=False))
        centre = [mu[0] - second[0] * db[i] * deta[i] - b[i] * eta[i] for i in range(cone.n + 1)]
        for i in range(cone.n):
            rest = eta[i] * k[i] + b[i] * (moved + miss[i]) - centre[i]
            yield "a linearised product is centred", rest.xreplace(known)
        yield "psi is as named", k[cone.n] - moved
        still = [(centre[i] - b[i] * miss[i]) / eta[i] for i in range(cone.n)]
        balance = bound[0] * gamma[0] - sum(b) - sum(still) - centre[cone.n] / eta[cone.n]
        step = stated.step("psi")[0].xreplace(known)
        yield "psi meets the bound", step + share[0] * balance
        named, own = stated.symbols("own"), stated.keeping("own")
        total = sum((named[i] * d for i, d in enumerate(cone.all(way))), 0 * way[0, :].T)
        yield "kt is the sum over the directions", own["kt"] - total

    return cone.named(
        right_hand_side,
        "k_i = (mu - db_i d eta_i)/eta_i - b_i - (b_i/eta_i) (k_psi + miss_i)",
        SOURCE + ", with Mehrotra's second-order term",
        [
            cone.b,
            cone.gamma,
            BOUND,
            cone.eta,
            MU,
            Argument("db", (cone.n + 1,), "affine changes of b", "N s"),
            Argument("deta", (cone.n + 1,), "affine changes of eta", "m/s"),
            SECOND,
            cone.quotient,
            cone.share,
            cone.missed,
            cone.way,
        ],
        [cone.k, Argument("kt", (3,), "change of friction where velocities stay", "N s")],
        newton,
    )


def response_of(cone: Directions) -> Formula:
    """The changes of the cone's own variables, from those of the velocities."""

    def response(b, gamma, k, quotient, share, bound, way, miss, dgamma, du):
        let = Steps()
        x = cone.along(let, way, du)
        total = let("total", [bound[0] * dgamma[0]])[0]
        more = let("more", [_psi_change(cone, quotient, share[0], total, x)])[0]
        moved = let("psi", [k[cone.n] + more])[0]
        own = let("own", _own(cone, quotient, x, more, k))
        slacks = [value + moved + miss[i] for i, value in enumerate(cone.both(x))]
        drift = _drift(let, b, gamma[0], bound[0])
        return {"b": [*own, (total - sum(own)) + drift], "eta": [*slacks, moved], INTERMEDIATES: let.pairs()}

    def newton(stated, b, gamma, k, quotient, share, bound, way, miss, dgamma, du):
        """Changes beyond k leave the linearised products and the balance of the bound as they are."""
        import sympy as sp

        stiffness = 1 / share[0] - sum(quotient)  # of zeta and psi
        slides = [(d.T * du)[0] for d in cone.all(way)]
        more = stated.symbols("more")[0]
        known = stated.keeping("more")
        for i in range(cone.n):
            yield "a slack meets its velocity", known["eta"][i] - (slides[i] + k[cone.n] + more + miss[i])
            rest = known["b"][i] - k[i] + quotient[i] * (slides[i] + more)
            yield "a linearised product stays", rest
        yield "psi is as named", known["eta"][cone.n] - k[cone.n] - more
        meeting = sum(b) + sum(known["b"]) - bound[0] * (gamma[0] + dgamma[0])
        yield "the bound is met", meeting
        own = [quotient[i] * (slides[i] + more) for i in range(cone.n)]
        balance = sp.Matrix([bound[0] * dgamma[0] + sum(own) + stiffness * more])
        step = balance.xreplace({more: stated.step("more")[0]})
        yield "zeta's product stays", step

    return cone.named(
        response,
        "db_i = k_i - (b_i/eta_i) (d_i·du + d psi - k_psi),  d eta_i = d_i·du + d psi + miss_i",
        SOURCE,
        [
            cone.b,
            cone.gamma,
            cone.k,
            cone.quotient,
            cone.share,
            BOUND,
            cone.way,
            cone.missed,
            Argument("dgamma", (), "change of the normal impulse", "N s"),
            Argument("du", (3,), "change of the velocity of sliding", "m/s"),
        ],
        [
            Argument("b", (cone.n + 1,), "changes of the impulses and of what is left of the bound", "N s"),
            Argument("eta", (cone.n + 1,), "changes of their slack velocities", "m/s"),
        ],
        newton,
    )


def _own(cone: Directions, quotient, x, psi, sent) -> list:
    """Changes of all b_i where half of the directions slide by x, and the others by -x."""
    slides = cone.both(x)
    return [sent[i] - quotient[i] * (slides[i] + psi) for i in range(cone.n)]


def _drift(let, b, gamma, bound):
    """What rounding took from the bound, to be given back: impulses fall by powers of ten, zeta is least of all."""
    return let("drift", [bound * gamma - sum(b)])[0]


def _left(own, psi, total, sent, stiffness):
    """What vanishes: change of the bound - sum db_i - d zeta, with d zeta by the pair of zeta and psi."""
    return total - sum(own) - (sent - stiffness * psi)


def _psi_change(cone: Directions, quotient, share, total, x):
    """d psi where the bound changes by `total`, and directions slide by x."""
    import sympy as sp

    psi, stiffness = unknowns("psi")[0], unknowns("stiffness")[0]
    own = _own(cone, quotient, x, psi, [0] * cone.n)
    found = solve_for(psi, sp.expand(_left(own, psi, total, 0, stiffness)), 1)
    return share * sp.collect(found, list(x))
