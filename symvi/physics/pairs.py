"""Pairs of an impulse and a slack velocity, s gamma = mu: gaps, limits, and dry friction between two bounds.

The impulse answers a change of its velocity by d gamma = k - kappa du. Dry friction has an impulse lambda between -L
and L and two pairs, (L - lambda) y1 = mu and (L + lambda) y2 = mu, whose slacks differ by the velocity: y2 - y1 = u.
"""

from __future__ import annotations

from symvi.physics import cones
from symvi.physics.constraint import Steps
from symvi.physics.elimination import at_rest, linearised, slope_of, solve_for, unknowns
from symvi.physics.formula import INTERMEDIATES, Argument, derived

MU = Argument("mu", (), "centring", "J")
SECOND = Argument("second", (), "1 with the second-order term, else 0")
GAMMA = Argument("gamma", (), "impulse", "N s")
S = Argument("s", (), "slack velocity", "m/s")
KAPPA = Argument("kappa", (), "stiffness", "kg")
MISS = Argument("miss", (), "velocity minus the slack that stands for it", "m/s")
K = Argument("k", (), "change of the impulse where the velocity stays", "N s")
DU = Argument("du", (), "change of the velocity", "m/s")
B = Argument("b", (2,), "impulses L - lambda and L + lambda", "N s")
Y = Argument("y", (2,), "their slack velocities", "m/s")
SENT = Argument("sent", (2,), "changes of both slacks where lambda stays", "m/s")
SIDES = (-1, 1)  # of lambda in L - lambda and L + lambda, and of y1 and y2 in the velocity


def product(x, y):
    return x * y


def pair_change(x, y, dy, centred=0):
    """dx by the linearised product of a pair, linear in dy. centred: mu less the second-order term, named."""
    import sympy as sp

    dx = unknowns("own")[0]
    return sp.expand(solve_for(dx, linearised(product, (x, y), (dx, dy)) + product(x, y) - centred))


def centred(let, name: str, mu, dx, dy, second):
    """A name for mu - second dx dy."""
    return let(f"{name}_centred", [mu - second * product(dx, dy)])[0]


def _both_ends_of_the_path(stated, t, mu, r):
    """s gamma = mu everywhere; gamma - r s = t where the pair is all closed and all open, but for the guard."""
    gamma, length, product, larger, closed = (
        stated.symbols(name)[0] for name in ("gamma", "length", "product", "larger", "closed")
    )
    known = stated.keeping("gamma")
    yield "s gamma is mu", known["s"] * known["gamma"] - mu[0]
    yield "gamma is as named", known["gamma"] - gamma
    root = 2 * stated.keeping("length", "product").step("larger")[0] - length
    yield "larger - product/larger is |t|", root**2 - (t[0] ** 2 + 4 * product)
    yield "product is r mu", stated.step("product")[0] - r[0] * mu[0]
    yield "closed is 1 and 0 at t = |t| and -|t|", stated.keeping("length").step("closed")[0] - (t[0] / length + 1) / 2
    yield "length is |t|, but for a millionth", stated.step("length")[0] ** 2 - t[0] ** 2 - r[0] * mu[0] / 10**12
    blend = stated.keeping("larger", "product", "closed").step("gamma")[0]
    for end, sign in ((1, 1), (0, -1)):
        found = blend.subs(closed, end)
        rest = found - product / found - sign * length  # r s = r mu/gamma
        yield "gamma - r s is t at both ends", rest, {larger: length * larger + product}


@derived(
    "gamma - r s = t, s gamma = mu",
    "derived here: the point of the central path on the line of the prediction",
    [Argument("t", (), "impulse that an open contact would lack", "N s"), MU, Argument("r", (), "mass", "kg")],
    [GAMMA, S],
    _both_ends_of_the_path,
)
def pair_on_path(t, mu, r):
    import sympy as sp

    let = Steps()
    product = let("product", [r[0] * mu[0]])[0]
    square = let("square", [t[0] ** 2])[0]
    # the larger of gamma and r s, and the smaller one from their product: their difference would cancel
    length = let("length", [sp.sqrt(square + product * sp.Rational(1, 10**12))])[0]
    larger = let("larger", [(length + sp.sqrt(square + 4 * product)) / 2])[0]
    smaller = let("smaller", [product / larger])[0]
    # 1 or 0 but where both are nearly alike; squared twice, so that its last bit is nothing beside smaller/larger
    closed = let("closed", [(1 + t[0] / length) / 2])[0]
    once = let("once", [closed * closed])[0]
    gamma = let("gamma", [smaller + (once * once) * (larger - smaller)])[0]
    return {"gamma": gamma, "s": mu[0] / gamma, INTERMEDIATES: let.pairs()}


def _ratio(stated, gamma, s):
    yield "kappa is gamma/s", stated["kappa"] * s[0] - gamma[0]


@derived("d gamma = k - kappa du", "s gamma = mu linearised", [GAMMA, S], [KAPPA], _ratio)
def pair_law(gamma, s):
    ds = unknowns("s")[0]
    return {"kappa": -slope_of(pair_change(gamma[0], s[0], ds), ds)}


def _product_while_the_velocity_stays(stated, gamma, s, mu, dgamma, ds, second, kappa, miss):
    """With du = 0 the impulse changes by k and the slack by what it misses."""
    k = stated["k"].xreplace({kappa[0]: pair_law.builder(gamma, s)["kappa"]})
    changed = linearised(product, (gamma[0], s[0]), (k, miss[0])) + product(gamma[0], s[0])
    yield "the linearised product is the centring", changed - (mu[0] - second[0] * dgamma[0] * ds[0])


@derived(
    "k = (mu - d gamma ds)/s - gamma - kappa miss",
    "s gamma = mu linearised, with Mehrotra's second-order term",
    [
        GAMMA,
        S,
        MU,
        Argument("dgamma", (), "affine change of gamma", "N s"),
        Argument("ds", (), "affine change of s", "m/s"),
        SECOND,
        KAPPA,
        MISS,
    ],
    [K],
    _product_while_the_velocity_stays,
)
def pair_aim(gamma, s, mu, dgamma, ds, second, kappa, miss):
    let, change = Steps(), unknowns("s")[0]
    aimed = centred(let, "pair", mu[0], dgamma[0], ds[0], second[0])
    sent = at_rest(pair_change(gamma[0], s[0], change, aimed), [change])
    return {"k": sent - kappa[0] * miss[0], INTERMEDIATES: let.pairs()}


def _product_and_slack(stated, k, kappa, miss, du):
    """What a change of the velocity adds leaves the linearised product as it is; the slack meets the velocity."""
    import sympy as sp

    gamma, s = sp.symbols("gamma s", positive=True)
    known = {kappa[0]: pair_law.builder([gamma], [s])["kappa"]}
    moved, still = ({du[0]: x} for x in (du[0], 0))
    rest = [
        linearised(product, (gamma, s), (stated["dgamma"].xreplace(x | known), stated["ds"].xreplace(x)))
        for x in (moved, still)
    ]
    yield "the linearised product stays", rest[0] - rest[1]
    yield "k is the change without one of the velocity", stated["dgamma"].xreplace({du[0]: 0}) - k[0]
    yield "the slack meets the velocity", stated["ds"] - (du[0] + miss[0])


@derived(
    "d gamma = k - kappa du,  ds = du + miss",
    "s gamma = mu linearised",
    [K, KAPPA, MISS, DU],
    [Argument("dgamma", (), "change of gamma", "N s"), Argument("ds", (), "change of s", "m/s")],
    _product_and_slack,
)
def pair_response(k, kappa, miss, du):
    return {"dgamma": k[0] - kappa[0] * du[0], "ds": du[0] + miss[0]}


# --- dry friction: an impulse between two bounds --------------------------------------------------------------------
def _bounded_changes(b, y, held, aimed=(0, 0)):
    """dy1 and dy2, linear in the change of lambda."""
    return [pair_change(y[k], b[k], SIDES[k] * held, aimed[k]) for k in range(2)]


def _bounded_equation(changes):
    """dy2 - dy1 - du, with what is missed taken for du."""
    return sum(side * change for side, change in zip(SIDES, changes, strict=True))


def _both_products(stated, t, most, mu, r):
    """(L - lambda) y1 = mu and (L + lambda) y2 = mu, with t/|t| = 1 or -1."""
    last = f"y{cones.NEWTON_STEPS - 1}"
    known, along = stated.keeping("along", last), stated.symbols("along")
    squares = {along[0]: 1}
    bounds, slacks, held = known["b"], known["y"], known["held"]
    for k, side in enumerate(SIDES):
        yield "b is what is left of the bound", bounds[k] - (most[0] + side * held)
        yield "each pair has the product mu", bounds[k] * slacks[k] - mu[0], squares


@derived(
    "(L, lambda) o (y1 + y2, y2 - y1) = (2 mu, 0)",
    "derived here: the sum and the difference of both pairs are a cone of one dimension",
    [
        Argument("t", (), "impulse that sticking friction would have", "N s"),
        Argument("most", (), "L, the largest impulse", "N s"),
        MU,
        Argument("r", (), "impulse per velocity", "kg"),
    ],
    [Argument("held", (), "lambda", "N s"), B, Y],
    _both_products,
)
def bounded_on_path(t, most, mu, r):
    import sympy as sp

    found = cones.friction_on_path.builder(sp.Matrix([t[0], 0, 0]), most, 2 * mu, r)
    held, top, slide = found["beta"][0], found["e"][0], found["e"][1]
    return {
        "held": held,
        "b": [most[0] + side * held for side in SIDES],
        "y": [(top + side * slide) / 2 for side in SIDES],
        INTERMEDIATES: found[INTERMEDIATES],
    }


def _as_printed(stated, b, y):
    yield "kappa is one over the sum of both ratios", stated["kappa"] * (y[0] / b[0] + y[1] / b[1]) - 1


@derived("d lambda = k - du/(y1/(L - lambda) + y2/(L + lambda))", "both pairs linearised", [B, Y], [KAPPA], _as_printed)
def bounded_law(b, y):
    held = unknowns("held")[0]
    return {"kappa": -1 / slope_of(_bounded_equation(_bounded_changes(b, y, held)), held)}


def _both_products_while_the_velocity_stays(stated, b, y, mu, db, dy, second, kappa, miss):
    """lambda changes by k; the slacks by `sent` and by what that makes of them, so that their difference has `miss`."""
    k = stated["k"].xreplace({kappa[0]: bounded_law.builder(b, y)["kappa"]})
    changes = []
    for i, side in enumerate(SIDES):
        centre = mu[0] - second[0] * db[i] * dy[i] - b[i] * y[i]
        yield "sent is the change where lambda stays", b[i] * stated["sent"][i] - centre
        changes.append((centre - y[i] * side * k) / b[i])
    yield "the slacks meet the velocity", changes[1] - changes[0] - miss[0]


@derived(
    "k = kappa (a2 - a1 - miss),  a = (mu - db dy)/b - y",
    "both pairs linearised, with Mehrotra's second-order term",
    [
        B,
        Y,
        MU,
        Argument("db", (2,), "affine changes of b", "N s"),
        Argument("dy", (2,), "affine changes of y", "m/s"),
        SECOND,
        KAPPA,
        MISS,
    ],
    [K, SENT],
    _both_products_while_the_velocity_stays,
)
def bounded_aim(b, y, mu, db, dy, second, kappa, miss):
    let, held = Steps(), unknowns("held")[0]
    aimed = [centred(let, f"pair{k}", mu[0], dy[k], db[k], second[0]) for k in range(2)]
    sent = let("sent", [at_rest(change, [held]) for change in _bounded_changes(b, y, held, aimed)])
    changes = [sent[k] + slope_of(change, held) * held for k, change in enumerate(_bounded_changes(b, y, held))]
    k = solve_for(held, _bounded_equation(changes) - miss[0], -kappa[0])
    return {"k": k, "sent": sent, INTERMEDIATES: let.pairs()}


def _both_products_and_the_velocity(stated, b, y, k, kappa, sent, du):
    """Linearised products as `sent` leaves them, and slacks whose difference follows the velocity."""
    held = stated["held"]
    known = {kappa[0]: bounded_law.builder(b, y)["kappa"]}
    for i, side in enumerate(SIDES):
        db, dy = stated["db"][i], stated["dy"][i]
        yield "b is what is left of the bound", db - side * held
        yield "the linearised product is as aimed", b[i] * dy + y[i] * db - b[i] * sent[i]
    still, moved = stated["dy"].xreplace({du[0]: 0}), stated["dy"]
    change = sum(side * (moved[i] - still[i]) for i, side in enumerate(SIDES))
    yield "the slacks follow the velocity", (change - du[0]).xreplace(known)
    yield "k is the change without one of the velocity", held.xreplace({du[0]: 0}) - k[0]


@derived(
    "d lambda = k - kappa du,  db = (-d lambda, d lambda),  dy = a - (y/b) db",
    "both pairs linearised",
    [B, Y, K, KAPPA, SENT, DU],
    [
        Argument("held", (), "change of lambda", "N s"),
        Argument("db", (2,), "changes of b", "N s"),
        Argument("dy", (2,), "changes of y", "m/s"),
    ],
    _both_products_and_the_velocity,
)
def bounded_response(b, y, k, kappa, sent, du):
    let = Steps()
    held = let("held", [k[0] - kappa[0] * du[0]])[0]
    own = unknowns("held")[0]
    slopes = [slope_of(change, own) for change in _bounded_changes(b, y, own)]
    return {
        "held": held,
        "db": [side * held for side in SIDES],
        "dy": [sent[i] + slope * held for i, slope in enumerate(slopes)],
        INTERMEDIATES: let.pairs(),
    }
