"""Elimination of an inequality's own variables: what solves Newton's equations, and what is refused."""

from __future__ import annotations

import pytest
import sympy as sp

from symvi.physics.elimination import ensure_equal, slope_of, solve_for, unknowns
from symvi.physics.pairs import pair_change
from symvi.physics.pyramid import pyramid

X, Y, A, B = sp.symbols("x y a b", positive=True)


def test_a_pair_changes_so_that_its_linearised_product_is_the_centring() -> None:
    dy, mu = unknowns("y")[0], sp.Symbol("mu")
    dx = pair_change(X, Y, dy, mu)
    assert sp.simplify(X * Y + Y * dx + X * dy - mu) == 0
    assert slope_of(dx, dy) == -X / Y


def test_an_equation_that_does_not_decide_a_change_is_refused() -> None:
    for equation in (A + B, X**2 + A):
        with pytest.raises(ValueError, match="does not decide x"):
            solve_for(X, equation)


def test_a_form_given_by_hand_is_checked() -> None:
    ensure_equal([A / (A * B)], [1 / B])
    ensure_equal([A], [B * X], {A: X * Y}, {Y: B})
    with pytest.raises(ValueError, match="is not"):
        ensure_equal([A], [B])


@pytest.mark.parametrize("directions", [4, 8])
def test_a_pyramid_fulfils_newton_s_equations(directions: int) -> None:
    """With mu = 0 and nothing missed, for any change of the normal impulse and of sliding; to the last digit."""
    formulas, n = pyramid(directions), directions
    numbers = iter(sp.Rational(3 * k + 2, 2 * k + 5) for k in range(1000))

    def some(count: int) -> list:
        return [next(numbers) for _ in range(count)]

    def apply(formula, **values) -> dict[str, list]:
        symbols = {
            a.name: sp.Matrix(*((*a.shape, 1, 1)[:2] if a.shape else (1, 1)), values[a.name]) for a in formula.inputs
        }
        found = formula.builder(**symbols)
        steps = dict(found.pop("intermediates", ()))

        def value(x):
            while x.free_symbols:
                x = x.xreplace(steps)
            return x

        return {name: [value(sp.sympify(x)) for x in sp.Matrix([result])] for name, result in found.items()}

    b, eta, way = some(n + 1), some(n + 1), some(3 * n // 2)
    gamma, bound, dgamma, du = some(1), some(1), some(1), some(3)
    law = apply(formulas.law, b=b, eta=eta, bound=bound, way=way)
    shared = {"quotient": law["quotient"], "share": law["share"], "way": way, "miss": [0] * n}
    nothing = {"mu": [0], "second": [0], "db": [0] * (n + 1), "deta": [0] * (n + 1)}
    now = {"b": b, "gamma": gamma, "bound": bound}
    sent = apply(formulas.right_hand_side, eta=eta, **now, **nothing, **shared)
    change = apply(formulas.response, k=sent["k"], dgamma=dgamma, du=du, **now, **shared)
    assert [x * dy + y * dx + x * y for x, y, dx, dy in zip(b, eta, change["b"], change["eta"], strict=True)] == [0] * (
        n + 1
    )
    assert sum(b) + sum(change["b"]) == bound[0] * (gamma[0] + dgamma[0])  # whatever the bound was before
    ways = [way[3 * i : 3 * i + 3] for i in range(n // 2)]
    ways += [[-x for x in d] for d in ways]
    along = [sum(x * y for x, y in zip(d, du, strict=True)) for d in ways]
    assert change["eta"][:n] == [x + change["eta"][n] for x in along]
    friction = [sum(d[j] * x for d, x in zip(ways, change["b"][:n], strict=True)) for j in range(3)]
    stiffness = [sum(law["K"][3 * i + j] * du[j] for j in range(3)) for i in range(3)]
    assert friction == [sent["kt"][i] + law["m"][i] * dgamma[0] - stiffness[i] for i in range(3)]
