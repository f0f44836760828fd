"""Verdicts about claims with many conditions, thresholds far away or close together, or rounded constants.

Every claim here looks right at nearly all points.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import sympy
from sympy.physics.mechanics import dynamicsymbols

import symvi.verify as verify
from symvi.verify import Report

X = {"x": verify.scalar()}
LINE = {"x": verify.vector()}
XY = {"x": verify.scalar(), "y": verify.scalar()}


def judged(function, claimed, wrt="x", variables=X, **options) -> Report:
    return verify.derivative(function, claimed, wrt, variables, **options)


# --- conditions ---------------------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_turns_of_a_loop_are_conditions_of_their_own(seed: int) -> None:
    """Signs of three numbers, wrong in one octant of eight."""

    def lengths(x):
        total = 0
        for k in range(3):
            total = total + abs(x[k])
        return total

    def signs(x):
        found = [1 if x[k] > 0 else -1 for k in range(3)]
        return [found[0], 0 if found == [1, -1, 1] else found[1], found[2]]

    report = judged(lengths, signs, variables={"x": verify.vector()}, seed=seed)
    assert [entry.index for entry in report.wrong] == [(0, 1)]


@pytest.mark.thorough
def test_more_ways_than_can_be_listed_are_tested_all_the_same() -> None:
    """One thirty-second of all numbers, in 256 ways."""

    def claimed(x):
        bad = not x[0] >= 0 and not x[1] >= 0 and x[2] > 0 and not x[3] >= 0 and x[4] > 0
        return [2 * x[k] if x[k] > 0 else int(bad) for k in range(8)]

    def energy(x):
        total = 0
        for k in range(8):
            total = total + (x[k] ** 2 if x[k] > 0 else 0)
        return total

    assert not judged(energy, claimed, variables={"x": verify.vector(8)}).right
    report = judged(energy, lambda x: [2 * x[k] if x[k] > 0 else 0 for k in range(8)], "x", {"x": verify.vector(8)})
    assert report.right and len(str(report).splitlines()) < 40


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (lambda x, y: x * x, lambda x, y: 2 * x if not (0.5 < x < 0.50001) else 7),
        (lambda x, y: x * y, lambda x, y: y if not (x > 50 and y > 50 and x * y > 2600 and x < 60) else 0),
        (lambda x, y: x * x, lambda x, y: 2 * x if x < 1000 else 3 * x),
        (lambda x, y: x * x, lambda x, y: np.where((x > 0.5) & (x < 0.5001), 0, 2 * x)),
        (lambda x, y: x * y, lambda x, y: y if x != y else 0),
        (lambda x, y: x * x, lambda x, y: 2 * x if x != 0.3 else 0.7),
        (lambda x, y: x * x, lambda x, y: 2 * x if x != 0 else 1),
        (lambda x, y: x * np.abs(y), lambda x, y: y * np.sign(y) if abs(y) > 1e-7 else 1),
        (lambda x, y: y * np.sign(x) * x, lambda x, y: y),
    ],
)
def test_points_are_aimed_at_thresholds(function, claimed) -> None:
    report = judged(function, claimed, "x", XY)
    assert not report.right and report.wrong[0].counterexample is not None


@pytest.mark.thorough
def test_thresholds_on_unit_quaternions_are_found() -> None:
    def claimed(q):
        return [-q[1] / 2, q[0] / 2, -q[3] / 2] if 0.7 < q[2] < 0.70001 else [-q[1] / 2, -q[2] / 2, -q[3] / 2]

    assert not judged(lambda q: q[0], claimed, "q", {"q": verify.quaternion()}).right


def test_a_guard_that_is_the_same_on_both_sides_is_no_false_alarm() -> None:
    def slope(x, y):
        return y if x > 3000 else (x * y - y * (x - 1) if x != y else y)

    assert judged(lambda x, y: x * y, slope, "x", XY).right


def test_the_headline_says_which_ways_were_not_reached() -> None:
    report = judged(lambda x: x * x, lambda x: 2 * x if math.sin(x) < 2 else 0)
    assert report.right and "was always true" in report.unreached[0]
    headline = str(report).splitlines()[0]
    assert headline.startswith("RIGHT WHERE TESTED") and "always true" in headline and "probability" not in headline
    assert report.json()["unreached"] == list(report.unreached)


def test_a_condition_that_goes_both_ways_in_one_run_is_told_in_its_order() -> None:
    report = judged(
        lambda x: sum(x[k] ** 2 if x[k] > 0 else 0 for k in range(2)),
        lambda x: [2 * x[0], 2 * x[1]],
        variables={"x": verify.vector(2)},
    )
    assert any("is true, then false" in branch for branch in report.branches)
    assert not any("is false, condition in" in branch and "is true" in branch for branch in report.branches)


# --- digits -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (lambda x: np.sqrt(1 + x * x), lambda x: x / np.sqrt(1 + x * x) + 1e-45),
        (np.exp, lambda x: np.exp(x) + 1e-45),
        (lambda x: 1e-40 * x, lambda x: 0),
        (lambda x: 1e-40 * np.exp(x), lambda x: 0),
    ],
)
def test_sixty_digits_are_sixty_digits(function, claimed) -> None:
    def named(x):
        return function(x)

    report = judged(named, claimed)
    assert not report.right
    assert all("the true entry [0, 0]" not in each.says for each in report.diagnoses)


def test_numbers_that_cancel_are_no_false_alarm() -> None:
    def zero(x):
        return np.exp(x) * np.exp(-x) - 1 + np.sin(x) ** 2 + np.cos(x) ** 2 - 1

    assert judged(zero, lambda x: 0).right
    assert judged(lambda x: np.cos(x) ** 2 - x, lambda x: -np.sin(2 * x) - 1 + zero(x)).right


# --- constants ----------------------------------------------------------------------------------------------------
ROUNDED = {
    "sum": (lambda x: 0.3 * x, lambda x: 0.1 + 0.2),
    "root of 11": (lambda x: x * x / math.sqrt(11), lambda x: 2 * x * math.sqrt(11) / 11),
    "seventh of pi": (lambda x: np.sin(np.pi * x / 7), lambda x: np.pi / 7 * np.cos(x * np.pi / 7)),
    "e": (lambda x: np.e**x, np.exp),
    "log of 2": (lambda x: 2**x, lambda x: np.log(2) * 2**x),
    "bell": (
        lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
        lambda x: -x * np.exp(-x * x / 2) / np.sqrt(2) / np.sqrt(np.pi),
    ),
    "fraction": (lambda x: x / 7001, lambda x: 1 / 7001),
    "short float": (lambda x: x / 3, lambda x: np.float32(1) / 3),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_a_constant_that_python_rounded_is_no_false_alarm(name: str) -> None:
    function, claimed = ROUNDED[name]

    def named(x):
        return claimed(x)

    report = judged(function, named)
    assert report.right, str(report)


@pytest.mark.parametrize("name", ROUNDED)
def test_a_constant_that_python_rounded_hides_no_error(name: str) -> None:
    function, claimed = ROUNDED[name]

    def doubled(x):
        return claimed(x) * (1 + 1e-6)

    assert not judged(function, doubled).right


def test_a_rounded_constant_is_named() -> None:
    function, claimed = ROUNDED["fraction"]
    report = judged(function, claimed)
    assert {entry.verdict for entry in report.entries} == {"equal but for rounded constants"}
    assert any("0.000142836737" in note for note in report.notes) and "constants" in report.method


# --- machine numbers ----------------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "claimed", "wrong"),
    [
        (lambda x: abs(float(x)), lambda x: 1, [0]),
        (lambda x: np.array([1e9 * float(x) ** 2, float(x) ** 2]), lambda x: [2e9 * float(x), 3 * float(x)], [1]),
        (lambda x: 1e-9 * float(x) ** 2, lambda x: 3e-9 * float(x), [0]),
        (lambda x: np.array([1e9 * float(x) ** 2, float(x) ** 2]), lambda x: [2e9 * float(x), 2 * float(x)], []),
        (lambda x: 1e-9 * math.sin(float(x)), lambda x: 1e-9 * np.cos(x), []),
    ],
)
def test_floats_are_compared_entry_by_entry(function, claimed, wrong) -> None:
    report = judged(function, claimed)
    assert [entry.index[0] for entry in report.wrong] == wrong, str(report)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (lambda x: x * np.copysign(1.0, x), lambda x: np.copysign(1.0, x)),
        (lambda x: x * np.heaviside(x, 0.5), lambda x: np.heaviside(x, 0.5)),
        (lambda x: x - math.trunc(x) * 0, lambda x: 1),
        (lambda x: x + x % 1.0 * 0, lambda x: 1),
        (lambda x: np.zeros_like(x, shape=(2, 3)).ravel() + x, lambda x: np.ones(6)),
    ],
)
def test_what_exact_numbers_cannot_do_is_done_in_floats(function, claimed) -> None:
    assert judged(function, claimed).right
    assert not judged(function, lambda x: 2 * claimed(x)).right


# --- code that is not a function ----------------------------------------------------------------------------------
def test_a_function_that_answers_differently_now_and_then_is_named() -> None:
    dice = random.Random(1)
    with pytest.raises(verify.VerificationError, match="different values for the same arguments"):
        judged(lambda x: x * x, lambda x: 2 * x + (dice.random() < 0.05))


def test_a_claim_that_uses_what_the_function_left_behind() -> None:
    class Residual:
        def value(self, x):
            self.size = np.sqrt(x @ x)
            return self.size

        def slope(self, x):
            return x / self.size

    residual = Residual()
    assert verify.derivative(residual.value, residual.slope, "x", {"x": verify.vector()}).right


def test_bad_ends_are_named() -> None:
    with pytest.raises(verify.VerificationError, match="returns no numbers"):
        judged(lambda x: [], lambda x: [])

    def leaves(x):
        raise SystemExit(3)

    with pytest.raises(verify.VerificationError, match="SystemExit"):
        judged(lambda x: x * x, leaves)
    with pytest.raises(verify.VerificationError, match=r"<lambda>.*not finite"):
        judged(lambda x: x * x, lambda x: math.nan)


@pytest.mark.thorough
def test_a_claim_without_a_value_where_the_function_has_a_derivative_is_told_first() -> None:
    x, y = sympy.symbols("x y")
    report = judged(sympy.sqrt(x * y), sympy.sqrt(y) / (2 * sympy.sqrt(x)), "x", XY)
    assert any("no value where the function has a derivative, at x = -" in each for each in report.unreached)
    assert str(report).startswith("RIGHT WHERE TESTED")
    assert not judged(sympy.sqrt(x * y), y / (2 * sympy.sqrt(x * y)), "x", XY).unreached


# --- guards, SymPy's own forms, forms of the report -------------------------------------------------------------------
def test_a_guard_on_what_the_manifold_makes_zero_is_no_branch() -> None:
    """abs(norm(q) - 1) is zero on the unit sphere, and 30 digits of it are noise."""

    def guarded(q):
        if abs(np.linalg.norm(q) - 1) > 1e-9:
            raise ValueError("no unit quaternion")
        return q[0]

    report = judged(guarded, lambda q: -q[1:] / 2, "q", {"q": verify.quaternion()})
    assert {entry.verdict for entry in report.entries} == {"equal"} and len(report.branches) == 1


@pytest.mark.thorough
def test_sympy_writes_some_things_in_its_own_way() -> None:
    x, y = sympy.symbols("x y")
    theta = dynamicsymbols("theta")
    assert judged(sympy.sin(theta), sympy.cos(theta), "theta", {"theta": verify.scalar(symbols=[theta])}).right
    assert judged(sympy.sin(theta), sympy.cos(theta), "theta", {"theta": verify.scalar()}).right
    square = sympy.Max(x, y) ** 2
    assert judged(square, sympy.diff(square, x), "x", XY).right
    assert judged(x**2, sympy.Derivative(x**2, x), x, {x: verify.scalar()}).right
    with pytest.raises(verify.VerificationError, match="gamma"):
        judged(sympy.gamma(x), 2 * x)


def test_every_box_of_a_page_has_the_point_where_its_values_are_true() -> None:
    """x0 and x1 vanish at some small points, so their entries need two."""
    report = judged(
        lambda x: x @ x / 2, lambda x: [x[0] + 3 * x[0] * (x[1] - 3), x[1] + (x[0] - 3) * 5, x[2] + 1], "x", LINE
    )
    points = {str(entry.counterexample.point) for entry in report.wrong}
    assert report.html().count("counterexample ") == len(points)


def test_a_function_that_calls_itself_in_a_file_full_of_sympy_ends() -> None:
    """Closures may lead back to their own function, and a star import brings a thousand functions of others."""

    def made():
        def power(n, x):
            return x if n == 1 else power(n - 1, x) * x

        return power

    own = {"x": verify.scalar()}
    cube = made()
    names = {"cube": cube}
    exec("from sympy import *", names)
    claim = eval("lambda x: 3*cube(2, x)", names)
    assert verify.derivative(lambda x: cube(3, x), claim, "x", own).right


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(verify.VerificationError, match="complex"):
        verify.derivative(lambda x: x * x, lambda x: 2 * x + 0j, "x", {"x": verify.scalar()})


def test_second_derivatives_may_be_a_list_of_hessians() -> None:
    x, y = sympy.symbols("x y")
    function = sympy.Matrix([x**2 * y, x * y**3])
    hessians = [sympy.hessian(f, (x, y)) for f in function]
    assert verify.derivative(function, hessians, ["x", "y"], XY, order=2).right
    assert not verify.derivative(function, hessians[::-1], ["x", "y"], XY, order=2).right
