"""Rules of the discrete chain rule: each is the difference of its operation over h, exactly; a broken one is not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import sympy as sp

from symvi.physics import difference
from symvi.physics.difference import RULES

H = sp.Symbol("h", positive=True)
F1, F2, G1, G2 = sp.symbols("f1 f2 g1 g2", positive=True)
OPERATIONS = {
    "add": lambda f, g: f + g,
    "sub": lambda f, g: f - g,
    "neg": lambda f: -f,
    "mul": lambda f, g: f * g,
    "div": lambda f, g: f / g,
    "sqrt": sp.sqrt,
    "sin": sp.sin,
    "cos": sp.cos,
    "exp": sp.exp,
    "log": sp.log,
}
FUNCTIONS = {
    "sin": sp.sin,
    "cos": sp.cos,
    "expm1": lambda x: sp.exp(x) - 1,
    "log1p": lambda x: sp.log(1 + x),
    "atan2": lambda y, x: sp.Function("atan2")(y, x),
}
GRAPH = SimpleNamespace(
    function=lambda name, *x: FUNCTIONS[name](*x), angle=lambda y, x, near: sp.Function("angle")(y, x, near)
)


def moved(first, second) -> tuple:
    """A value at both knots, and its difference over h."""
    return first, second, (second - first) / H


def defect(operation: str):
    """What a rule exceeds the difference over h by."""
    of = OPERATIONS[operation]
    arguments = [moved(F1, F2), moved(G1, G2)][: 2 if operation in ("add", "sub", "mul", "div") else 1]
    values = tuple(of(*(a[k] for a in arguments)) for k in (0, 1))
    return RULES[operation](GRAPH, H, *arguments, values) - (values[1] - values[0]) / H


def is_zero(value) -> bool:
    """Of sums, roots and elementary functions: in sines and cosines of halves, and logarithms of quotients."""
    value = sp.logcombine(sp.expand_trig(value.xreplace({F1: 2 * F1, F2: 2 * F2})), force=True)
    return sp.simplify(sp.expand(value)) == 0


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_rule_is_the_difference_over_h(operation: str) -> None:
    assert is_zero(defect(operation))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_broken_rule_is_not(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = RULES[operation]
    monkeypatch.setitem(difference.RULES, operation, lambda *given: 2 * right(*given))
    assert not is_zero(defect(operation))


@pytest.mark.parametrize("operation", ["angle", "atan2"])
def test_angles_differ_by_the_angle_between(operation: str) -> None:
    """y = r sin, x = r cos at both knots: the sine and cosine of the difference, times r1 r2."""
    r1, r2, a1, a2 = sp.symbols("r1 r2 a1 a2", positive=True)
    y, x = moved(r1 * sp.sin(a1), r2 * sp.sin(a2)), moved(r1 * sp.cos(a1), r2 * sp.cos(a2))
    more = (moved(0, 0),) if operation == "angle" else ()
    found = H * RULES[operation](GRAPH, H, y, x, *more, (0, 0))
    assert found.func.__name__ == operation
    sine, cosine = found.args[:2]
    assert sp.simplify(sine - r1 * r2 * sp.sin(a2 - a1)) == 0
    assert sp.simplify(cosine - r1 * r2 * sp.cos(a2 - a1)) == 0


def test_every_rule_is_compared() -> None:
    assert set(RULES) == {*OPERATIONS, "angle", "atan2"}
