"""Complementarity of impulses and velocities, linearised: what a contact's own equations leave of it.

Every law below says how the impulse of a contact answers to a change of its velocity, once slacks and friction
variables are eliminated inside the contact: dp = k - K du, with the centring mu of the interior point. Vectors of
the friction cone have four entries: a scalar and a tangential vector in world axes. That vector needs no basis of the
tangent plane, so nothing depends on how one is chosen; all products stay in the plane.

    normal    s gamma = mu
    friction  (b0, beta) o (eta0, eta) = (mu, 0),  b0 = c_f gamma,  eta the velocity of sliding

with the Jordan product of the second-order cone, x o y = (x·y, x0 y + y0 x). As mu -> 0 this is Coulomb's law.
"""

from __future__ import annotations

from symvi.physics.constraint import Steps
from symvi.physics.formula import INTERMEDIATES, Argument, derived

B = Argument("b", (4,), "friction bound and friction impulse", "N s")
E = Argument("e", (4,), "dual scalar and velocity of sliding", "m/s")
MU = Argument("mu", (), "centring", "J")
NEWTON_STEPS = 2  # in the search for a point of the central path: it need not be the nearest
SCALING = [
    Argument("eta", (), "factor of the scaling"),
    Argument("w", (4,), "scaling point, of determinant 1"),
]


def _jordan(x, y):
    import sympy as sp

    from symvi.physics import algebra

    return sp.Matrix([algebra.dot(x, y), *(y[i] * x[0] + x[i] * y[0] for i in (1, 2, 3))])


def _arrow(x):
    """L(x) with L(x) y = x o y."""
    import sympy as sp

    y = sp.Matrix(sp.symbols("y_0:4", real=True))
    return _jordan(x, y).jacobian(y)


def _reflected(x):
    import sympy as sp

    return sp.Matrix([x[0], -x[1], -x[2], -x[3]])


def _determinant(let, name, x):
    """x0² - |x|² as (x0 - |x|)(x0 + |x|): no cancellation of squares near the boundary."""
    import sympy as sp

    size = let(f"{name}_size", [sp.sqrt(x[1] ** 2 + x[2] ** 2 + x[3] ** 2)])
    return let(f"{name}_det", [(x[0] - size[0]) * (x[0] + size[0])])[0]


@derived(
    "c = (b o e) - (mu, 0)",
    "Jordan product of the second-order cone",
    [B, E],
    [Argument("c", (4,), "complementarity products", "J")],
)
def cone_product(b, e):
    return {"c": _jordan(b, e)}


@derived(
    "W e = W^-1 b,  W = eta [w0, wᵀ; w, I + w wᵀ/(1 + w0)]",
    "Nesterov-Todd scaling of the second-order cone",
    [B, E],
    SCALING,
)
def scaling_point(b, e):
    import sympy as sp

    let = Steps()
    b_det, e_det = _determinant(let, "b", b), _determinant(let, "e", e)
    root_b, root_e = let("roots", [sp.sqrt(b_det), sp.sqrt(e_det)])
    sb, se = let("sb", b / root_b), let("se", e / root_e)
    half = sum((sb[i] * se[i] for i in range(4)), sp.Integer(1)) / 2
    twice = let("twice", [2 * sp.sqrt(half)])[0]
    eta = sp.sqrt(root_b / root_e)
    return {"eta": eta, "w": (sb + _reflected(se)) / twice, INTERMEDIATES: let.pairs()}


@derived(
    "D = W² = eta² (2 w wᵀ - J)",
    "Nesterov-Todd scaling of the second-order cone",
    SCALING,
    [Argument("D", (4, 4), "db = k - D de")],
)
def scaled_law(eta, w):
    import sympy as sp

    return {"D": eta[0] ** 2 * (2 * w * w.T - sp.diag(1, -1, -1, -1))}


@derived(
    "k = -b + mu e^-1 - W (W e)^-1 o ((W^-1 db) o (W de))",
    "Nesterov-Todd direction with Mehrotra's second-order term",
    [
        B,
        E,
        MU,
        *SCALING,
        Argument("db", (4,), "affine change of b", "N s"),
        Argument("de", (4,), "affine change of e", "m/s"),
        Argument("second", (), "1 with the second-order term, else 0"),
    ],
    [Argument("k", (4,), "db where e does not change", "N s")],
)
def scaled_aim(b, e, mu, eta, w, db, de, second):
    let = Steps()
    e_det = _determinant(let, "e", e)
    scaled = let("scaled", _scale(eta[0], w, e))
    products = let("products", _jordan(_unscale(eta[0], w, db), _scale(eta[0], w, de)))
    det = _determinant(let, "scaled", scaled)
    first = let("first", [(scaled[0] * products[0] - sum(scaled[i] * products[i] for i in (1, 2, 3))) / det])
    ratio = let("ratio", [first[0], *((products[i] - first[0] * scaled[i]) / scaled[0] for i in (1, 2, 3))])
    correction = _scale(eta[0], w, ratio)
    return {"k": -b + mu[0] / e_det * _reflected(e) - second[0] * correction, INTERMEDIATES: let.pairs()}


def _scale(eta, w, x):
    """W x."""
    import sympy as sp

    along = w[1] * x[1] + w[2] * x[2] + w[3] * x[3]
    first = w[0] * x[0] + along
    share = x[0] + along / (1 + w[0])
    return eta * sp.Matrix([first, *(x[i] + share * w[i] for i in (1, 2, 3))])


def _unscale(eta, w, x):
    """W^-1 x = J W J x/eta²."""
    return _reflected(_scale(1 / eta, w, _reflected(x)))


@derived(
    "D = L(e)^-1 L(b)",
    "exact linearisation of b o e",
    [B, E],
    [Argument("D", (4, 4), "db = k - D de")],
)
def exact_law(b, e):
    let = Steps()
    det = _determinant(let, "e", e)
    return {"D": _arrow_solve(let, det, e, _arrow(b)), INTERMEDIATES: let.pairs()}


@derived(
    "k = L(e)^-1 ((mu, 0) - b o e - db o de)",
    "exact linearisation of b o e, with Mehrotra's second-order term",
    [
        B,
        E,
        MU,
        Argument("db", (4,), "affine change of b", "N s"),
        Argument("de", (4,), "affine change of e", "m/s"),
        Argument("second", (), "1 with the second-order term, else 0"),
    ],
    [Argument("k", (4,), "db where e does not change", "N s")],
)
def exact_aim(b, e, mu, db, de, second):
    import sympy as sp

    let = Steps()
    det = _determinant(let, "e", e)
    right = let("right", sp.Matrix([mu[0], 0, 0, 0]) - _jordan(b, e) - second[0] * _jordan(db, de))
    return {"k": _arrow_solve(let, det, e, right), INTERMEDIATES: let.pairs()}


def _arrow_solve(let, det, x, right):
    """L(x)^-1 times a vector or matrix: the first row divides by x0² - |x|²."""
    import sympy as sp

    rows = []
    first = [(x[0] * right[0, j] - sum(x[i] * right[i, j] for i in (1, 2, 3))) / det for j in range(right.cols)]
    first = let("top", first)
    rows.append(list(first))
    for i in (1, 2, 3):
        rows.append([(right[i, j] - first[j] * x[i]) / x[0] for j in range(right.cols)])
    return sp.Matrix(rows)


@derived(
    "dbeta = k + m dgamma - K (I - n nᵀ) du,  where b0 = c_f gamma decides de0",
    "derived here: the dual scalar eliminated",
    [
        Argument("D", (4, 4), "db = k - D de"),
        Argument("bound", (), "friction impulse per normal impulse"),
        Argument("n", (3,), "unit normal"),
    ],
    [
        Argument("m", (3,), "change of friction per change of the normal impulse"),
        Argument("K", (3, 3), "minus change of friction per change of sliding", "kg"),
    ],
)
def friction_law(D, bound, n):  # noqa: N803  (a matrix)
    import sympy as sp

    let = Steps()
    share = let("share", D[1:, 0] / D[0, 0])
    stiffness = sp.Matrix(3, 3, list(let("stiffness", list(D[1:, 1:] - share * D[0, 1:]))))
    return {
        "m": bound[0] * share,
        "K": stiffness - (stiffness * n) * n.T,
        INTERMEDIATES: let.pairs(),
    }


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
    y = let("y", [2 * size / (total + root * (1 + sp.Rational(1, 10**6)))])[0]
    for k in range(NEWTON_STEPS):
        # the first y is too large, as 1 was taken for 2/(1 + y); the function is convex: Newton falls towards the root
        inside = let(f"inside{k}", [(1 - y) * (1 + y)])[0]
        pull = let(f"pull{k}", [2 * r[0] * rho / inside])[0]
        miss = (b0[0] + pull) * y - size
        y = let(f"y{k}", [y - miss / (b0[0] + pull * (1 + y * y) / inside)])[0]
    top = let("top", [2 * rho / ((1 - y) * (1 + y))])[0]
    along = let("along", t / size)
    return {
        "beta": b0[0] * y * along,
        "e": sp.Matrix([top, *(-top * y * along)]),
        INTERMEDIATES: let.pairs(),
    }


@derived(
    "gamma - r s = t, s gamma = mu",
    "derived here: the point of the central path on the line of the prediction",
    [Argument("t", (), "impulse that an open contact would lack", "N s"), MU, Argument("r", (), "mass", "kg")],
    [Argument("gamma", (), "impulse", "N s"), Argument("s", (), "slack velocity", "m/s")],
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
    closed = let("closed", [(1 + t[0] / length) / 2])[0]  # 1 or 0, to the last bit, but where both are nearly alike
    gamma = let("gamma", [smaller + closed * (larger - smaller)])[0]
    return {"gamma": gamma, "s": mu[0] / gamma, INTERMEDIATES: let.pairs()}
