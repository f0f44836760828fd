"""Every stated form follows from mechanics: break it, and its formula cannot be derived."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from functools import cache

import pytest
import sympy as sp

import symvi.physics
from symvi.physics.formula import BY_BUILDER, DEFINITION, INTERMEDIATES, Formula, UnfoundedError
from symvi.physics.lowering import lower, symbols_of
from symvi.physics.pyramid import pyramid
from symvi.physics.stated import Stated, vanishes

X, Y = sp.symbols("x y", real=True)


def all_formulas() -> dict[str, Formula]:
    """Those of every module of symvi/physics, and a pyramid's."""
    found = dict(vars(pyramid(4)))
    for module in pkgutil.walk_packages(symvi.physics.__path__, "symvi.physics."):
        found |= vars(importlib.import_module(module.name))
    return {formula.name: formula for formula in found.values() if isinstance(formula, Formula)}


FORMULAS = all_formulas()
STATED = {name: formula for name, formula in FORMULAS.items() if callable(formula.follows)}


@cache
def results_of(name: str) -> dict:
    """What the builder of a formula returns."""
    return FORMULAS[name].builder(**{a.name: symbols_of(a) for a in FORMULAS[name].inputs})


def test_every_formula_is_founded_but_for_definitions() -> None:
    """A formula that is added says what it follows from, or is entered here as one that defines its words."""
    definitions = {name for name, formula in FORMULAS.items() if formula.follows == DEFINITION}
    assert definitions == {
        "kinetic_energy", "gap_to_half_space", "some_axis", "coincidence", "offset_along", "orthogonality",
        "point_on_body", "carried_vector",
    }  # fmt: skip
    assert {name for name, formula in FORMULAS.items() if formula.follows == BY_BUILDER} == {"weight"}


def broken(formula: Formula, output: str, entry: int) -> Formula:
    """The same with an entry of an output twice as large, or one where it is zero."""

    def builder(**given):
        results = dict(results_of(formula.name))
        value = results[output]
        several = isinstance(value, list | tuple | sp.MatrixBase)
        changed = sp.Matrix(value if several else [value])
        changed[entry] = 2 * changed[entry] if changed[entry] != 0 else sp.Integer(1)
        results[output] = changed if several else changed[0]
        return results

    return replace(formula, builder=builder)


def sizes(formula: Formula) -> list[tuple[str, int]]:
    return [(output.name, output.size) for output in formula.outputs if not output.name.startswith("G_")]


@pytest.mark.parametrize("name", STATED)
def test_a_broken_form_is_not_derived(name: str) -> None:
    for output, size in sizes(STATED[name]):
        for entry in {0, size - 1}:
            with pytest.raises(UnfoundedError, match=f"formula {name}, "):
                lower(broken(STATED[name], output, entry))


@pytest.mark.thorough
@pytest.mark.parametrize("name", STATED)
def test_no_entry_of_a_stated_form_is_free(name: str) -> None:
    for output, size in sizes(STATED[name]):
        for entry in range(1, size - 1):
            with pytest.raises(UnfoundedError, match=f"formula {name}, "):
                lower(broken(STATED[name], output, entry))


def negated_roots(value):
    """The same with a minus before every square root."""
    if isinstance(value, list | tuple | sp.MatrixBase):
        return sp.Matrix(value).applyfunc(negated_roots)
    return sp.sympify(value).replace(lambda e: e.is_Pow and abs(e.exp) == sp.S.Half, lambda e: -e)


def with_other_roots(results: dict) -> list[dict]:
    """All ways to take the roots of one output, or of one intermediate result, with a minus."""
    steps, found = list(results.get(INTERMEDIATES, ())), []
    for name, value in results.items():
        if name in OUTPUTS and "sqrt" in str(value):
            found.append({**results, name: negated_roots(value)})
    for k, (symbol, value) in enumerate(steps):
        if "sqrt" in str(value):
            found.append({**results, INTERMEDIATES: [*steps[:k], (symbol, negated_roots(value)), *steps[k + 1 :]]})
    return found


OUTPUTS = {output.name for formula in STATED.values() for output in formula.outputs if output.name[:2] != "G_"}
WITH_ROOTS = [
    name
    for name in STATED
    if "sqrt" in str(results_of(name))
    and name != "turn_by_vector"  # sin(s)/s is even in its root, and -d the same turn
]


@pytest.mark.parametrize("name", WITH_ROOTS)
def test_no_root_may_change_its_sign(name: str) -> None:
    """Squares alone would not see it: a normal that points into the ground, a distance below zero."""
    for results in with_other_roots(results_of(name)):
        with pytest.raises(UnfoundedError, match=f"formula {name}, "):
            lower(replace(FORMULAS[name], builder=lambda _changed=results, **given: _changed))


def test_a_sign_that_public_code_has_wrong_is_refused() -> None:
    """l = c Jw - a x Jw, with which a free top would never tumble."""
    formula = FORMULAS["angular_momentum"]

    def builder(c, a, w, J):  # noqa: N803
        right = formula.builder(c, a, w, J)
        return {"l": 2 * c[0] * right["Jw"] - right["l"], "Jw": right["Jw"]}

    with pytest.raises(UnfoundedError, match="l is the slope of the discrete Lagrangian by its knot 1"):
        lower(replace(formula, builder=builder))


def test_zero_is_decided_with_squares_of_roots() -> None:
    assert vanishes((X - Y) * (X + Y) / (X - Y) - X - Y)
    assert not vanishes(X**3 - X)
    assert vanishes(X**3 - X, {X: sp.Integer(1)})
    assert vanishes(X**4 - 1 + 2 * Y**2 - Y**4, {X: 1 - Y**2})
    assert not vanishes(sp.Matrix([0, X]))


def test_intermediate_results_are_put_in_but_those_that_are_kept() -> None:
    step = sp.Symbol("step_0", real=True)
    stated = Stated({"y": [2 * step], INTERMEDIATES: [(step, X**2)]})
    assert stated["y"][0] == 2 * X**2
    assert stated.keeping("step")["y"][0] == 2 * step
    assert stated.step("step")[0] == X**2
    assert stated.symbols("step")[0] == step
