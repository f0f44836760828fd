"""The circular cone of friction, linearised: what a contact's own equations leave of it.

A contact answers a change of its velocity by a change of its impulse, once slacks and friction variables are eliminated
inside it: dbeta = k + m dgamma - K du, with the centring mu of the interior point. Vectors of the cone have four
entries: a scalar and a tangential vector in world axes. That vector needs no basis of the tangent plane, so nothing
depends on how one is chosen; all products stay in the plane.

    (b0, beta) o (e0, e) = (mu, 0),  b0 = c_f gamma,  e the velocity of sliding

with the Jordan product of the second-order cone, x o y = (x·y, x0 y + y0 x). As mu -> 0 this is Coulomb's law. Both
linearisations have the form db = sent - D de. Their first row decides the dual scalar,
de0 = top - dual_per_sliding·de - dual_per_bound db0, the others decide friction.
"""

from __future__ import annotations

from fractions import Fraction

from symvi.physics.constraint import Steps
from symvi.physics.elimination import at_rest, ensure_equal, linearised, slope_of, solve_for, unknowns
from symvi.physics.formula import INTERMEDIATES, Argument, derived
from symvi.physics.straight_line import Symbolic

B = Argument("b", (4,), "friction bound and friction impulse", "N s")
E = Argument("e", (4,), "dual scalar and velocity of sliding", "m/s")
DET = Argument("det", (2,), "x0² - |x|² of b and of e", "N² s², m²/s²")
MU = Argument("mu", (), "centring", "J")
DB = Argument("db", (4,), "affine change of b", "N s")
DE = Argument("de", (4,), "affine change of e", "m/s")
SECOND = Argument("second", (), "1 with the second-order term, else 0")
BOUND = Argument("bound", (), "friction impulse per normal impulse")
NORMAL = Argument("n", (3,), "unit normal")
ETA = Argument("eta", (), "factor of the scaling")
POINT = Argument("w", (4,), "scaling point, of determinant 1")
OF_SCALING = Argument("inverse", (2,), "1/eta and 1/(1 + w0)")
OF_ROWS = Argument("inverse", (2,), "1/(b0 e0 - b·e) and 1/e0: pivots of the exact law")
M = Argument("m", (3,), "change of friction per change of the normal impulse")
K = Argument("K", (3, 3), "minus change of friction per change of sliding", "kg")
DUAL_PER_SLIDING = Argument("dual_per_sliding", (3,), "minus change of the dual scalar per change of sliding")
DUAL_PER_BOUND = Argument("dual_per_bound", (), "minus change of the dual scalar per change of the bound", "1/kg")
MISS = Argument("miss", (3,), "velocity of sliding minus the one that stands for it", "m/s")
TOP = Argument("top", (), "change of the dual scalar where velocities stay", "m/s")
KT = Argument("kt", (3,), "change of friction where velocities stay", "N s")
ROOT_GUARD = Fraction(1, 10**6)  # keeps 1 - y from vanishing in float
NEWTON_STEPS = 2  # in the search for a point of the central path: it need not be the nearest


def _jordan(x, y) -> Symbolic:
    import sympy as sp

    from symvi.physics import algebra

    return sp.Matrix([algebra.dot(x, y), *(y[i] * x[0] + x[i] * y[0] for i in (1, 2, 3))])


def _reflected(x) -> Symbolic:
    import sympy as sp

    return sp.Matrix([x[0], -x[1], -x[2], -x[3]])


def _determinant(let, name, x):
    """x0² - |x|² as (x0 - |x|)(x0 + |x|): no cancellation of squares near the boundary."""
    import sympy as sp

    size = let(f"{name}_size", [sp.sqrt(x[1] ** 2 + x[2] ** 2 + x[3] ** 2)])
    return let(f"{name}_det", [(x[0] - size[0]) * (x[0] + size[0])])[0]


def _square_of(x):
    """x0² - |x|²."""
    return x[0] ** 2 - x[1] ** 2 - x[2] ** 2 - x[3] ** 2


def _both_determinants(stated, b, e):
    for k, (name, x) in enumerate((("b", b), ("e", e))):
        size, length = f"{name}_size", sum(y**2 for y in x[1:])
        squares = {stated.symbols(size)[0]: length}
        yield "size is |x|", stated.step(size)[0] ** 2 - length
        yield "det is x0² - |x|²", stated.keeping(size)["det"][k] - _square_of(x), squares


@derived("det x = x0² - |x|²", "of the second-order cone", [B, E], [DET], _both_determinants)
def determinants(b, e):
    let = Steps()
    return {"det": [_determinant(let, "b", b), _determinant(let, "e", e)], INTERMEDIATES: let.pairs()}


def _tangential(n):
    """I - n nᵀ."""
    import sympy as sp

    return sp.eye(3) - n * n.T


def _flattened(let, vector, n):
    """A tangential vector without what round-off left of it along the normal: bodies move along that as well."""
    from symvi.physics import algebra

    return vector - n * let(f"{vector[0]}_along", [algebra.dot(n, vector)])[0]


def _in_plane(vector, n):
    """What the last entry of a tangential vector of symbols is, by the others."""
    return {vector[2]: -(n[0] * vector[0] + n[1] * vector[1]) / n[2]}


# --- scaled after Nesterov and Todd -------------------------------------------------------------------------------
def _square_of_scaling(eta, w, x):
    """W² x = eta² (2 w (w·x) - J x)."""
    from symvi.physics import algebra

    return eta**2 * (2 * w * algebra.dot(w, x) - _reflected(x))


def _scaled_alike(stated, b, e, det):
    """W² e = b with a point w of determinant 1."""
    square, size = (stated.symbols(name)[0] for name in ("square", "size"))
    known = stated.keeping("square", "size")
    w, eta, inverse = known["w"], known["eta"], known["inverse"]
    ratio = det[0] / det[1]
    squares = {size: 2 * (det[0] + square * _jordan(b, e)[0]), square: ratio}
    det_b, det_e = _square_of(b), _square_of(e)

    def of(value) -> tuple:
        return value, {**squares, b[0]: det[0] + b[0] ** 2 - det_b, e[0]: det[1] + e[0] ** 2 - det_e}

    yield "W² e is b", *of(_square_of_scaling(eta, w, e) - b)
    yield "w has determinant 1", *of(_square_of(w) - 1)
    yield "square is the root of the ratio", stated.step("square")[0] ** 2 - ratio
    whole = stated.keeping("square").step("size")[0] ** 2 - squares[size]
    yield "size is that of w before", whole
    yield "inverses are those of eta and 1 + w0", inverse[0] * eta - 1
    yield "inverses are those of eta and 1 + w0", inverse[1] * (1 + w[0]) - 1


@derived(
    "W e = W^-1 b,  W = eta [w0, wᵀ; w, I + w wᵀ/(1 + w0)],  eta⁴ = det b/det e,  w along b + eta² (e0, -e)",
    "Nesterov-Todd scaling of the second-order cone",
    [B, E, DET],
    [ETA, POINT, OF_SCALING],
    _scaled_alike,
)
def scaling_point(b, e, det):
    import sympy as sp

    let = Steps()
    square = let("square", [sp.sqrt(det[0] / det[1])])[0]
    eta = let("eta", [sp.sqrt(square)])[0]
    # the determinant of b + eta² (e0, -e), of which b and eta² (e0, -e) have the same one
    size = let("size", [sp.sqrt(2 * (det[0] + square * _jordan(b, e)[0]))])[0]
    w = let("w", (b + square * _reflected(e)) * let("shrunk", [1 / size])[0])
    return {"eta": eta, "w": w, "inverse": [1 / eta, 1 / (1 + w[0])], INTERMEDIATES: let.pairs()}


AXIS = (Fraction(2, 7), Fraction(3, 7), Fraction(6, 7))  # a normal for checks: no law prefers one


def _level(*vectors) -> dict:
    """The last entries of vectors, or of their tangential parts, that are across the normal AXIS."""
    return {vector[-1]: -(2 * vector[-3] + 3 * vector[-2]) / 6 for vector in vectors}


def _unit_point(w) -> dict:
    """w0² of a scaling point of determinant 1 whose tangential part is across AXIS."""
    import sympy as sp

    return {w[0]: 1 + sum(x**2 for x in sp.Matrix(w[1:]).xreplace(_level(w)))}


def _along_axis(n) -> dict:
    import sympy as sp

    return dict(zip(n, map(sp.Rational, AXIS), strict=True))


def _changes(stated, bound, n, db0, du) -> tuple:
    """db and de by a law, for a change of the bound and one of sliding, where the normal is AXIS."""
    import sympy as sp

    law = {name: stated[name] for name in ("m", "K", "dual_per_sliding")}
    normal = _along_axis(n)
    de0 = -(law["dual_per_sliding"].T * du)[0] - stated["dual_per_bound"] * db0
    db = sp.Matrix([db0, *(law["m"] * db0 / bound[0] - law["K"] * du)])
    return db.xreplace(normal), sp.Matrix([de0, *du]).xreplace(normal)


def _tangential_change():
    import sympy as sp

    du = sp.Matrix(sp.symbols("du_0:3", real=True))
    return sp.Symbol("db0", real=True), du.xreplace(_level(du))


def _scaled_newton(stated, eta, w, inverse, bound, n):
    """db + W² de = 0."""
    db, de = _changes(stated, bound, n, *_tangential_change())
    rest = (db + _square_of_scaling(eta[0], w, de)).xreplace({inverse[0]: 1 / eta[0]} | _level(w))
    yield "db + W² de is zero", rest.xreplace(_level(w)), _unit_point(w)


@derived(
    "D = W² = eta² (2 w wᵀ - J),  K = eta² (I - n nᵀ - 2 w wᵀ/(2 w0² - 1)),  m = c_f dual_per_sliding",
    "Nesterov-Todd scaling of the second-order cone, its dual scalar eliminated",
    [ETA, POINT, OF_SCALING, BOUND, NORMAL],
    [M, K, DUAL_PER_SLIDING, DUAL_PER_BOUND],
    _scaled_newton,
)
def scaled_law(eta, w, inverse, bound, n):
    import sympy as sp

    let, db0, du = Steps(), unknowns("b")[0], unknowns("e", 4)
    square = let("square", [eta[0] ** 2])[0]
    rows = (2 * w * w.T - sp.diag(1, -1, -1, -1)) * du  # of D de/eta²
    core = let("core", [1 / slope_of(rows[0], du[0])])[0]
    dual = solve_for(du[0], sp.expand(rows[0]) + db0 * inverse[0] ** 2, core)
    twice, fold = let("twice", [2 * core * w[0]])[0], let("fold", [2 * core * square])[0]
    flat = let("flat", _flattened(let, w[1:, 0], n))
    dual_per_sliding = let("dual_per_sliding", twice * flat)
    stiffness = square * _tangential(n) - fold * flat * flat.T
    friction = -square * rows[1:, :].xreplace({du[0]: dual})
    names = {twice: 2 * core * w[0], fold: 2 * core * square, **dict(zip(flat, w[1:, 0], strict=True))}
    ensure_equal([-slope_of(dual, x) for x in du[1:]], twice * flat, names)
    known = {core: 1 / slope_of(rows[0], du[0])}
    ensure_equal(-friction.jacobian(du[1:]) * _tangential(n), stiffness, names, known, _in_plane(w[1:, 0], n))
    return {
        "m": bound[0] * dual_per_sliding,
        "K": stiffness,
        "dual_per_sliding": dual_per_sliding,
        "dual_per_bound": -slope_of(dual, db0),
        INTERMEDIATES: let.pairs(),
    }


def _scaled_direction(
    stated, b, e, det, mu, eta, w, inverse, db, de, second, dual_per_sliding, dual_per_bound, K, miss
):  # noqa: N803
    """Nesterov's and Todd's direction: l o W^-1 sent = (mu, 0) - l o l - second (W^-1 db) o (W de), l = W e = W^-1 b.

    Then db + W² de = sent for what becomes of sent.
    """
    import sympy as sp

    over, back = 1 / (1 + w[0]), {inverse[0]: 1 / eta[0], inverse[1]: 1 / (1 + w[0])}
    x = sp.Matrix(sp.symbols("x_0:4", real=True))
    level, squares = _level(w, x), _unit_point(w)
    once = _scale(eta[0], w, x, over)
    yield "W twice is W²", (_scale(eta[0], w, once, over) - _square_of_scaling(eta[0], w, x)).xreplace(level), squares
    yield "W^-1 undoes W", (_unscale(1 / eta[0], w, once, over) - x).xreplace(level), squares
    yield "scaled is W e", stated.step("scaled") - _scale(eta[0], w, e, inverse[1])
    products = _jordan(_unscale(inverse[0], w, db, inverse[1]), _scale(eta[0], w, de, inverse[1]))
    yield "products are those of the scaled changes", stated.step("products") - products
    scaled, products = stated.symbols("scaled"), stated.symbols("products")
    third = _level(scaled, products, w)
    ratio = stated.keeping("scaled", "products").step("ratio").xreplace({det[1]: _square_of(scaled) / eta[0] ** 2})
    yield "l o ratio is products", _jordan(scaled, ratio) - products
    sent = stated.keeping("scaled", "products", "ratio").step("sent")
    known = dict(zip(e, _unscale(1 / eta[0], w, scaled, over), strict=True))
    known |= dict(zip(b, _scale(eta[0], w, scaled, over), strict=True))
    sent = sent.xreplace(known).xreplace({det[1]: _square_of(scaled) / eta[0] ** 2} | back)
    named = stated.symbols("ratio")
    aim = sp.Matrix([mu[0], 0, 0, 0]) - _jordan(scaled, scaled) - second[0] * _jordan(scaled, named)
    found = mu[0] / _square_of(scaled) * _reflected(scaled) - scaled - second[0] * named
    yield "what sent is scaled from is as aimed", _jordan(scaled, found) - aim
    yield "sent is scaled from it", (sent - _scale(eta[0], w, found, over)).xreplace(third | _level(named))
    yield from _sent_is_spread(
        stated.keeping("sent"), stated.symbols("sent"), eta, w, dual_per_sliding, dual_per_bound, K, miss
    )


def _sent_is_spread(known, sent, eta, w, dual_per_sliding, dual_per_bound, K, miss):  # noqa: N803
    """db = (0, kt) and de = (top - dual_per_sliding·miss, miss) have db + W² de = sent."""
    import sympy as sp

    square = sp.Matrix.hstack(*(_square_of_scaling(eta[0], w, sp.eye(4)[:, k]) for k in range(4)))
    own = square[0, 0]
    table = {dual_per_bound[0]: 1 / own, **dict(zip(dual_per_sliding, square[0, 1:] / own, strict=True))}
    table |= dict(zip(K, square[1:, 1:] - square[1:, 0] * square[0, 1:] / own, strict=True))
    top, kt = known["top"], known["kt"]
    de = sp.Matrix([top - (dual_per_sliding.T * miss)[0], *miss])
    rest = sp.Matrix([0, *kt]) + square * de - sent
    yield "db + W² de is sent", rest.xreplace(table)


@derived(
    "k = -b + mu e^-1 - W (W e)^-1 o ((W^-1 db) o (W de)),  top = dual_per_bound k0,  "
    "kt = k - dual_per_sliding k0 - K miss",
    "Nesterov-Todd direction with Mehrotra's second-order term, its dual scalar eliminated",
    [B, E, DET, MU, ETA, POINT, OF_SCALING, DB, DE, SECOND, DUAL_PER_SLIDING, DUAL_PER_BOUND, K, MISS],
    [TOP, KT],
    _scaled_direction,
)
def scaled_right_hand_side(b, e, det, mu, eta, w, inverse, db, de, second, dual_per_sliding, dual_per_bound, K, miss):  # noqa: N803  (a matrix)
    let = Steps()
    scaled = let("scaled", _scale(eta[0], w, e, inverse[1]))
    products = let("products", _jordan(_unscale(inverse[0], w, db, inverse[1]), _scale(eta[0], w, de, inverse[1])))
    scaled_det, first_inverse = let("scaled_det", [eta[0] ** 2 * det[1]])[0], let("first_inverse", [1 / scaled[0]])[0]
    first = let("first", [(scaled[0] * products[0] - sum(scaled[i] * products[i] for i in (1, 2, 3))) / scaled_det])[0]
    ratio = let("ratio", [first, *((products[i] - first * scaled[i]) * first_inverse for i in (1, 2, 3))])
    correction = _scale(eta[0], w, ratio, inverse[1])
    central = let("central", [mu[0] / det[1]])[0]
    sent = let("sent", -b + central * _reflected(e) - second[0] * correction)
    return {**_reduced(sent, dual_per_sliding, dual_per_bound, K, miss), INTERMEDIATES: let.pairs()}


def _reduced(sent, dual_per_sliding, dual_per_bound, stiffness, miss):
    """What is left of sent. D is symmetric here: its first column over its first entry is dual_per_sliding as well."""
    return {"top": dual_per_bound[0] * sent[0], "kt": sent[1:, 0] - dual_per_sliding * sent[0] - stiffness * miss}


def _scale(eta, w, x, inverse):
    """W x. inverse: 1/(1 + w0)."""
    import sympy as sp

    along = w[1] * x[1] + w[2] * x[2] + w[3] * x[3]
    first = w[0] * x[0] + along
    share = x[0] + along * inverse
    return eta * sp.Matrix([first, *(x[i] + share * w[i] for i in (1, 2, 3))])


def _unscale(inverse_eta, w, x, inverse):
    """W^-1 x = J W J x/eta²."""
    return _reflected(_scale(inverse_eta, w, _reflected(x), inverse))


# --- linearised as it stands ----------------------------------------------------------------------------------------
def _rows(b, e, db, de, right):
    """The linearised products less what they are to become."""
    return linearised(_jordan, (b, e), (db, de)) - right


def _pivot_row(e, rows):
    """The row that decides the dual scalar: the other ones take friction out of the first."""
    import sympy as sp

    return sp.expand(e[0] * rows[0] - sum(e[i] * rows[i] for i in (1, 2, 3)))


def _exact_newton(stated, b, e, det, bound, n):
    """db o e + b o de = 0."""
    changes = _changes(stated, bound, n, *_tangential_change())
    rest = linearised(_jordan, (b, e), changes).xreplace({det[1]: _square_of(e)})
    yield "db o e + b o de is zero", rest.xreplace(_level(b, e))
    inverse = stated["inverse"]
    yield "inverses are those of the pivots", inverse[0] * (b[0] * e[0] - sum(b[i] * e[i] for i in (1, 2, 3))) - 1
    yield "inverses are those of the pivots", inverse[1] * e[0] - 1


@derived(
    "dual_per_sliding = (e0 b - b0 e)/(b0 e0 - b·e),  dual_per_bound = det e/(b0 e0 - b·e),  "
    "K = (b0 (I - n nᵀ) - b dual_per_slidingᵀ)/e0,  m = c_f (dual_per_bound b - e)/e0",
    "exact linearisation of b o e, friction and then the dual scalar eliminated",
    [B, E, DET, BOUND, NORMAL],
    [M, K, DUAL_PER_SLIDING, DUAL_PER_BOUND, OF_ROWS],
    _exact_newton,
)
def exact_law(b, e, det, bound, n):
    import sympy as sp

    let, db, de = Steps(), unknowns("b", 4), unknowns("e", 4)
    rows = _rows(b, e, db, de, sp.zeros(4, 1))
    pivot = _pivot_row(e, rows)
    inverse = let("inverse", [1 / slope_of(pivot, de[0]), 1 / slope_of(rows[1], db[1])])
    dual = solve_for(de[0], pivot, inverse[0])
    leaning = let("leaning", [-slope_of(dual, x) for x in de[1:]])
    dual_per_sliding, dual_per_bound = (
        let("dual_per_sliding", _flattened(let, leaning, n)),
        let("dual_per_bound", [det[1] * inverse[0]])[0],
    )
    ensure_equal(
        [-slope_of(dual, db[0])],
        [dual_per_bound],
        {dual_per_bound: (e[0] ** 2 - e[1] ** 2 - e[2] ** 2 - e[3] ** 2) * inverse[0]},
    )
    friction = sp.Matrix([solve_for(db[i], rows[i], inverse[1]) for i in (1, 2, 3)])
    over = let("over", b[1:, 0] * inverse[1])
    known = dict(zip(over, b[1:, 0] * inverse[1], strict=True))
    ensure_equal(friction.diff(de[0]), -over, known)
    stiffness = b[0] * inverse[1] * _tangential(n) - over * dual_per_sliding.T
    moved = friction.jacobian(de[1:]) - friction.diff(de[0]) * leaning.T
    known |= dict(zip(dual_per_sliding, _tangential(n) * leaning, strict=True))
    ensure_equal(-moved * _tangential(n), stiffness, known)
    return {
        "m": bound[0] * (friction.diff(db[0]) + over * dual_per_bound),
        "K": stiffness,
        "dual_per_sliding": dual_per_sliding,
        "dual_per_bound": dual_per_bound,
        "inverse": inverse,
        INTERMEDIATES: let.pairs(),
    }


def _exact_law_level(b, e, bound, n) -> dict:
    """What the exact law makes of b and e where the normal is AXIS, by the symbols of what it returns and of M."""
    import sympy as sp

    from symvi.physics.lowering import symbols_of
    from symvi.physics.stated import Stated

    det = sp.Matrix([_square_of(b), _square_of(e)])
    law, table = Stated(exact_law.builder(b, e, det, bound, n)), {}
    normal = _along_axis(n) | _level(b, e)
    for argument in (DUAL_PER_SLIDING, DUAL_PER_BOUND, K, M):
        values = sp.Matrix([law[argument.name]]).xreplace(normal)
        table |= dict(zip(symbols_of(argument), values, strict=True))
    return table


def _exact_direction(stated, b, e, mu, db, de, second, inverse, K, miss):  # noqa: N803
    """b o de + db o e = r for db = (0, kt) and de = (top - dual_per_sliding·miss, miss)."""
    import sympy as sp

    from symvi.physics.lowering import symbols_of

    right = stated.symbols("right")
    aimed = sp.Matrix([mu[0], 0, 0, 0]) - _jordan(b, e) - second[0] * _jordan(db, de)
    yield "r is what products lack", stated.step("right") - aimed
    table = _exact_law_level(b, e, symbols_of(BOUND), symbols_of(NORMAL))
    table |= {inverse[0]: 1 / (b[0] * e[0] - sum(b[i] * e[i] for i in (1, 2, 3))), inverse[1]: 1 / e[0]}
    known, dual_per_sliding = stated.keeping("right"), symbols_of(DUAL_PER_SLIDING)
    changes = sp.Matrix([0, *known["kt"]]), sp.Matrix([known["top"] - (dual_per_sliding.T * miss)[0], *miss])
    rest = linearised(_jordan, (b, e), changes) - right
    yield "the linearised products are r", rest.xreplace(table).xreplace(_level(b, e, right, miss))


@derived(
    "r = (mu, 0) - b o e - db o de,  top = (e0 r0 - e·r)/(b0 e0 - b·e),  kt = (r - b top)/e0 - K miss",
    "exact linearisation of b o e, with Mehrotra's second-order term",
    [B, E, MU, DB, DE, SECOND, OF_ROWS, K, MISS],
    [TOP, KT],
    _exact_direction,
)
def exact_right_hand_side(b, e, mu, db, de, second, inverse, K, miss):  # noqa: N803  (a matrix)
    import sympy as sp

    let, own, other = Steps(), unknowns("b", 4), unknowns("e", 4)
    right = let("right", sp.Matrix([mu[0], 0, 0, 0]) - _jordan(b, e) - second[0] * _jordan(db, de))
    rows = at_rest(_rows(b, e, own, other, right), [own[0], *other[1:]])
    top = let("top", [solve_for(other[0], _pivot_row(e, rows), inverse[0])])[0]
    friction = sp.Matrix([solve_for(own[i], rows[i], inverse[1]) for i in (1, 2, 3)])
    return {"top": top, "kt": friction.xreplace({other[0]: top}) - K * miss, INTERMEDIATES: let.pairs()}


# --- with either law --------------------------------------------------------------------------------------------------
def _without_centring(stated, b, gamma, m, dual_per_bound, K, miss):  # noqa: N803
    """b o de + db o e = -b o e for db = (0, kt), de = (top - dual_per_sliding·miss, miss), and b0 = c_f gamma."""
    import sympy as sp

    from symvi.physics.lowering import symbols_of

    e, bound, dual_per_sliding = (symbols_of(argument) for argument in (E, BOUND, DUAL_PER_SLIDING))
    table = _exact_law_level(b, e, bound, symbols_of(NORMAL))
    changes = sp.Matrix([0, *stated["kt"]]), sp.Matrix([stated["top"] - (dual_per_sliding.T * miss)[0], *miss])
    rest = linearised(_jordan, (b, e), changes) + _jordan(b, e)
    rest = rest.xreplace(table | {gamma[0]: b[0] / bound[0]})
    yield "the linearised products vanish", rest.xreplace(_level(b, e, miss))


@derived(
    "k = -b,  top = -dual_per_bound b0,  kt = -beta + m gamma - K miss",
    "both laws have D e = b, and where mu = 0 without a second-order term they send b to nothing",
    [B, Argument("gamma", (), "normal impulse, b0 = c_f gamma", "N s"), M, DUAL_PER_BOUND, K, MISS],
    [TOP, KT],
    _without_centring,
)
def affine_right_hand_side(b, gamma, m, dual_per_bound, K, miss):  # noqa: N803  (a matrix)
    return {"top": -dual_per_bound[0] * b[0], "kt": m * gamma[0] - b[1:, 0] - K * miss}


def _same_products(stated, b0, gamma, top, kt, dual_per_sliding, dual_per_bound, m, K, bound, miss, dgamma, du):  # noqa: N803
    """Changes of the bound and of sliding leave b o de + db o e as top and kt have it; and the equations of both."""

    from symvi.physics.lowering import symbols_of

    b, e = (symbols_of(argument) for argument in (B, E))
    db, de = stated["db"], stated["de"]
    yield "the bound is met", b0[0] + db[0] - bound[0] * (gamma[0] + dgamma[0])
    yield "what stands for sliding meets it", de[1:, 0] - du - miss
    table = _exact_law_level(b, e, bound, symbols_of(NORMAL))
    met, still = {b0[0]: bound[0] * gamma[0]}, dict.fromkeys([dgamma[0], *du], 0)
    change = linearised(_jordan, (b, e), (db, de)).xreplace(met)
    rest = change - change.xreplace(still)
    yield "the linearised products stay", rest.xreplace(table).xreplace(_level(b, e, du))
    yield "kt is the change of friction without them", db[1:, 0].xreplace(still) - kt
    rest = de[0].xreplace(met).xreplace(still) - top[0] + (dual_per_sliding.T * miss)[0]
    yield "top is the change of the dual scalar without them", rest


@derived(
    "de = du + miss,  db0 = c_f (gamma + dgamma) - b0,  de0 = top - dual_per_sliding·de - dual_per_bound db0,  "
    "dbeta = kt + m dgamma - K du",
    "either law of the circular cone",
    [
        Argument("b0", (), "friction bound", "N s"),
        Argument("gamma", (), "normal impulse", "N s"),
        TOP,
        KT,
        DUAL_PER_SLIDING,
        DUAL_PER_BOUND,
        M,
        K,
        BOUND,
        MISS,
        Argument("dgamma", (), "change of the normal impulse", "N s"),
        Argument("du", (3,), "change of the velocity of sliding", "m/s"),
    ],
    [DB, DE],
    _same_products,
)
def friction_response(b0, gamma, top, kt, dual_per_sliding, dual_per_bound, m, K, bound, miss, dgamma, du):  # noqa: N803  (a matrix)
    from symvi.physics import algebra

    let = Steps()
    # not c_f dgamma: what rounding took from the bound while impulses fell by powers of ten is given back
    slide, db0 = let("slide", du + miss), let("db0", [bound[0] * (gamma[0] + dgamma[0]) - b0[0]])[0]
    dual = top[0] - algebra.dot(dual_per_sliding, slide) - dual_per_bound[0] * db0
    return {
        "db": [db0, *(kt + m * dgamma[0] - K * du)],
        "de": [dual, *slide],
        INTERMEDIATES: let.pairs(),
    }


def _point_of_the_path(stated, t, b0, mu, r):
    """b o e = (mu, 0) exactly, and y by steps of Newton's method for f(y) = b0 y + 2 r rho y/(1 - y²) - |t| from the
    root with 1 for 2/(1 + y)."""
    import sympy as sp

    size, total, root = (stated.symbols(name)[0] for name in ("size", "total", "root"))
    rho, x = mu[0] / (2 * b0[0]), sp.Symbol("x", positive=True)
    yield "size is |t|, but for the guard", stated.step("size")[0] ** 2 - (t.T * t)[0] - b0[0] ** 2 / 10**20
    start = stated.keeping("size", "total", "root").step("y")[0].xreplace({sp.Rational(1 + ROOT_GUARD): sp.Integer(1)})
    sized = stated.keeping("size")
    whole, square = sized.step("total")[0], sized.step("root")[0] ** 2
    yield "the root is that of the quadratic", square - whole**2 + 4 * b0[0] * size
    coarse = (b0[0] * x + r[0] * rho * x / (1 - x) - size).subs(x, start)
    yield "y starts at the root of the simpler equation", coarse.xreplace({total: whole}), {root: square}
    f, before = b0[0] * x + 2 * r[0] * rho * x / (1 - x**2) - size, stated.symbols("y")[0]
    for k in range(NEWTON_STEPS):
        step = stated.keeping("size", before.name.rpartition("_")[0]).step(f"y{k}")[0]
        yield "y follows Newton's method", step - (x - f / sp.diff(f, x)).subs(x, before)
        before = stated.symbols(f"y{k}")[0]
    known, along = stated.keeping("along", before.name.rpartition("_")[0]), stated.symbols("along")
    b, e = sp.Matrix([b0[0], *known["beta"]]), sp.Matrix(known["e"])
    units = {along[2]: 1 - along[0] ** 2 - along[1] ** 2}
    yield "b o e is (mu, 0)", _jordan(b, e) - sp.Matrix([mu[0], 0, 0, 0]), units
    yield "along is t/|t|", stated.keeping("size").step("along") * size - t
    yield "beta is y of the bound along t", known["beta"] - b0[0] * before * along


@derived(
    "beta = b0 y t/|t|,  e = (2 rho, -2 rho y t/|t|)/(1 - y²),  rho = mu/(2 b0),  b0 y + 2 r rho y/(1 - y²) = |t|",
    "derived here: a point of the central path near beta - r eta = t",
    [
        Argument("t", (3,), "impulse that sticking friction would have", "N s"),
        Argument("b0", (), "friction bound", "N s"),
        MU,
        Argument("r", (), "impulse per velocity of sliding", "kg"),
    ],
    [
        Argument("beta", (3,), "friction impulse", "N s"),
        Argument("e", (4,), "dual scalar and velocity of sliding", "m/s"),
    ],
    _point_of_the_path,
)
def friction_on_path(t, b0, mu, r):
    import sympy as sp

    from symvi.physics import algebra

    let = Steps()
    tiny = sp.Rational(1, 10**20)  # keeps the direction of a vanishing t finite
    size = let("size", [sp.sqrt(algebra.dot(t, t) + tiny * b0[0] ** 2)])[0]
    rho = let("rho", [mu[0] / (2 * b0[0])])[0]
    yielding = let("yielding", [r[0] * rho])[0]
    total = let("total", [b0[0] + size + yielding])[0]
    # total² - 4 b0 size without cancellation; the factor keeps 1 - y from vanishing in float
    root = let("root", [sp.sqrt((b0[0] - size) ** 2 + yielding * (2 * (b0[0] + size) + yielding))])[0]
    y = let("y", [2 * size / (total + root * sp.Rational(1 + ROOT_GUARD))])[0]
    pull = let("pull", [2 * yielding])[0]
    for k in range(NEWTON_STEPS):
        # the first y is too large, as 1 was taken for 2/(1 + y); the function is convex: Newton falls towards the root
        inside = let(f"inside{k}", [(1 - y) * (1 + y)])[0]
        miss = let(f"miss{k}", [inside * (b0[0] * y - size) + pull * y])[0]  # times inside; the slope times its square
        y = let(f"y{k}", [y - miss * inside / (b0[0] * inside**2 + pull * (1 + y * y))])[0]
    top = let("top", [2 * rho / ((1 - y) * (1 + y))])[0]
    along = let("along", t * let("inverse", [1 / size])[0])
    return {
        "beta": b0[0] * y * along,
        "e": sp.Matrix([top, *(-top * y * along)]),
        INTERMEDIATES: let.pairs(),
    }
