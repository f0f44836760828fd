"""Regions that random points do not reach: a claim is judged in them, and what a guard leaves out is no error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import symvi.verify as verify
from symvi.verify.asking import effort
from symvi.verify.reading.worlds import primal

SCALAR, POSITIVE, VECTOR = verify.scalar(), verify.scalar(positive=True), verify.vector(3)


# --- far away ---------------------------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda x: abs(x - 1000), -1),
        (lambda x: min(x, 1000), 1),
        (lambda x: max(0, x - 300), 0),
        (lambda x: 5 * x if x > 1000 else x, 1),
        (lambda x: 3 * x if abs(x - 0.5) < 1e-4 else x, 1),
        (lambda x: 0 * x if abs(x - 0.5) < 1e-4 else x - 0.5, 1),
        (lambda x: min(max(x, 0.5), 0.5001), 0),
        (lambda x: np.sqrt((x - 1000) ** 2), -1),
    ],
    ids=["a kink", "saturation", "a spring", "a jump", "a band", "a dead band", "a narrow clamp", "a root's sign"],
)
def test_a_claim_that_follows_no_condition_is_wrong(function: Callable, slope: int) -> None:
    assert not verify.derivative(function, lambda x: slope + 0 * x, "x", {"x": SCALAR}).right


def test_a_small_entry_is_judged_beside_a_large_one() -> None:
    def claimed(x):
        return np.array([1e8 + 0 * x, np.cos(x) if x < 1000 else -np.cos(x)])

    report = verify.derivative(lambda x: np.array([1e8 * x, np.sin(x)]), claimed, "x", {"x": SCALAR})
    assert [entry.index for entry in report.wrong] == [(1, 0)]


@pytest.mark.thorough
def test_conditions_that_are_true_together_only_far_away() -> None:
    def claimed(a, b, c):
        everywhere = a > 300, b < 1e-4, c < -300
        return np.eye(3) if sum(map(bool, everywhere)) == 3 else np.diag([2 * a, 2 * b, 2 * c])

    variables = {"a": SCALAR, "b": POSITIVE, "c": SCALAR}
    assert not verify.derivative(lambda a, b, c: np.array([a * a, b * b, c * c]), claimed, list("abc"), variables).right


# --- at a point -------------------------------------------------------------------------------------------------------
def friction(v, N):  # noqa: N803  (a normal force)
    return np.array([N * np.sign(v) + v, N * N]) if v != 0 else np.array([0 * v, N * N])


@pytest.mark.thorough
@pytest.mark.parametrize(("normal", "right"), [(2, True), (0, False)])
def test_a_kink_in_one_entry_excuses_no_other(normal: int, right: bool) -> None:
    def claimed(v, N):  # noqa: N803
        sign = 1 if v > 0 else -1 if v < 0 else 0
        return np.array([[1 + 0 * v, sign + 0 * v], [0 * v, (2 if v != 0 else normal) * N]])

    report = verify.derivative(friction, claimed, ["v", "N"], {"v": SCALAR, "N": POSITIVE})
    assert report.right == right, str(report)


@pytest.mark.thorough
@pytest.mark.parametrize(("at_zero", "right"), [(1, True), (2, False), (0, False)])
def test_a_special_case_is_judged_from_nearby_where_its_formula_has_no_slope(at_zero: int, right: bool) -> None:
    def turned(v):
        angle = np.sqrt(v @ v)
        return v if angle == 0 else np.sin(angle) / angle * v

    def claimed(v):
        angle = np.sqrt(v @ v)
        if angle == 0:
            return at_zero * np.eye(3)
        sine = np.sin(angle) / angle
        return sine * np.eye(3) + np.outer(v, v) * (np.cos(angle) - sine) / angle**2

    report = verify.derivative(turned, claimed, "v", {"v": VECTOR})
    assert report.right == right and (report.everywhere or not right), str(report)


@pytest.mark.thorough
@pytest.mark.parametrize(("at_zero", "right"), [(1, True), (2, True), (5, False)])
def test_at_a_jump_that_no_direction_crosses_a_claim_is_that_of_a_side(at_zero: int, right: bool) -> None:
    def claimed(x, y):
        return np.array([[at_zero if x == 0 else 1 if x > 0 else 2]])

    report = verify.derivative(lambda x, y: y if x > 0 else 2 * y, claimed, "y", {"x": SCALAR, "y": SCALAR})
    assert report.right is right, str(report)
    assert [entry.counterexample.true for entry in report.wrong] == ([] if right else ["2"])


# --- guards -----------------------------------------------------------------------------------------------------------
def decay(k, t):
    """(1 - exp(-k t))/k, of a rate k."""
    return t - k * t * t / 2 if k < 1e-6 else (1 - np.exp(-k * t)) / k


@pytest.mark.thorough
@pytest.mark.parametrize(("first", "right"), [(-1, True), (1, False)])
def test_a_guard_of_a_positive_number(first: int, right: bool) -> None:
    def claimed(k, t):
        if k < 1e-6:
            return first * t * t / 2 + k * t**3 / 3
        return (k * t * np.exp(-k * t) - 1 + np.exp(-k * t)) / k**2

    assert verify.derivative(decay, claimed, "k", {"k": POSITIVE, "t": SCALAR}).right == right


def length_is_one(n) -> None:
    assert abs(np.linalg.norm(n) - 1) < 1e-9


@pytest.mark.thorough
@pytest.mark.parametrize("inertia", ["principal", "matrix"])
def test_checks_and_inertias_do_not_keep_a_guard_from_being_right(inertia: str) -> None:
    def of_angle(w):
        angle = np.sqrt(w @ w)
        return (
            (1, 0 * angle)
            if angle < 1e-6
            else (np.sin(angle) / angle, np.cos(angle) / angle - np.sin(angle) / angle**2)
        )

    def momentum(n, w, J):  # noqa: N803
        length_is_one(n)
        return of_angle(w)[0] * (J * w if inertia == "principal" else J @ w)

    def claimed(n, w, J):  # noqa: N803
        matrix = np.diag(J) if inertia == "principal" else J
        sine, slope = of_angle(w)
        angle = np.sqrt(w @ w)
        return sine * matrix + (np.outer(matrix @ w, w) * slope / angle if angle >= 1e-6 else 0 * matrix)

    variables = {"n": verify.unit_vector(), "w": VECTOR, "J": verify.inertia(inertia)}
    report = verify.derivative(momentum, claimed, "w", variables)
    assert report.right, str(report)


@pytest.mark.thorough
def test_a_guard_elsewhere_than_at_zero() -> None:
    def sinc(x):
        return 1 + 0 * x if abs(x - 2) <= 1e-6 else np.sin(x - 2) / (x - 2)

    def claimed(x):
        return 0 * x if abs(x - 2) <= 1e-6 else np.cos(x - 2) / (x - 2) - np.sin(x - 2) / (x - 2) ** 2

    assert verify.derivative(sinc, claimed, "x", {"x": SCALAR}).right
    assert not verify.derivative(sinc, lambda x: claimed(x) + (abs(x - 2) <= 1e-6), "x", {"x": SCALAR}).right


# --- loops ------------------------------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize(("slope", "right"), [(1, True), (-1, False), (5000, False)])
def test_an_error_beside_a_number_that_grows_is_none_of_its_loop(slope: int, right: bool) -> None:
    def grown(x, m, h):
        time = 0 * h
        while time < 10.5 * h:
            x, time = x + 0.4 * x, time + h
        return np.array([x, 0.001 * np.sin(m)])

    def claimed(x, m, h):
        return np.array([[grown(1, m, h)[0], 0 * m], [0 * m, slope * 0.001 * np.cos(m)]])

    variables = {"x": SCALAR, "m": SCALAR, "h": verify.step()}
    assert verify.derivative(grown, claimed, ["x", "m"], variables).right == right


@pytest.mark.thorough
def test_a_root_that_ends_for_positive_numbers_only_is_judged() -> None:
    def root(m):
        s = 1 + m
        while abs(s * s - m) > 1e-10:
            s = (s + m / s) / 2
        return s

    report = verify.derivative(root, lambda m: -1 / (2 * root(m)), "m", {"m": POSITIVE})
    assert not report.right and len(str(report)) < 100_000


# --- as wide as may be ------------------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize(
    "is_small",
    [
        lambda x: x[0] * x[0] + x[1] * x[1] < 1e-16,
        lambda x: np.hypot(x[0], x[1]) < 1e-12,
        lambda x: (x[0] - x[1]) ** 2 < 1e-20,
    ],
    ids=["squares", "a length", "a difference"],
)
def test_a_small_region_is_judged_where_no_more_is_small_than_has_to_be(is_small: Callable) -> None:
    """Where all of x is next to nothing, so is what the claim leaves out."""

    def claimed(x):
        return np.array([x[1], x[0], 0 if is_small(x) else 2 * x[2]])

    report = verify.derivative(lambda x: x[0] * x[1] + x[2] ** 2, claimed, "x", {"x": VECTOR})
    assert [entry.index for entry in report.wrong] == [(0, 2)]


def test_a_guard_by_some_components_is_right() -> None:
    """cos θ of a vector's horizontal part, whose limit there is none: both sides say zero."""

    def gap(x):
        return np.array([0 * x[0] if x[0] ** 2 + x[1] ** 2 < 1e-16 else x[0] ** 2 + x[1] ** 2, x[2] ** 2])

    def claimed(x):
        across = 0 if x[0] ** 2 + x[1] ** 2 < 1e-16 else 2
        return np.array([[across * x[0], across * x[1], 0 * x[2]], [0 * x[0], 0 * x[1], 2 * x[2]]])

    report = verify.derivative(gap, claimed, "x", {"x": VECTOR})
    assert report.right, str(report)


# --- the other half of the sphere -------------------------------------------------------------------------------------
def product(a, b):
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def shortest(q):
    """2 v of q or -q, whichever is the shorter turn: the rotation vector of a small one."""
    return 2 * (1 if q[0] >= 0 else -1) * q[1:]


def of_shortest(q, near):
    """By a rotation in body axes; near: what stands for it where there is no turn."""
    if q[1:] @ q[1:] < 1e-16:
        return near * np.eye(3)
    x, y, z = q[1:]
    return (1 if q[0] >= 0 else -1) * (q[0] * np.eye(3) + np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))


@pytest.mark.thorough
@pytest.mark.parametrize("right", [True, False])
def test_the_same_turn_has_two_quaternions(right: bool) -> None:
    """A guard's sign at q = -1 is a slip that no point near q = 1 shows; nor one where two are equal, if b = -a is."""

    def near(q):
        return 1 if right or q[0] >= 0 else -1

    def between(a, b):
        return product(np.array([a[0], *-a[1:]]), b)

    if right:
        report = verify.derivative(shortest, lambda q: of_shortest(q, near(q)), "q", {"q": verify.quaternion()})
    else:
        report = verify.derivative(
            lambda a, b: shortest(between(a, b)),
            lambda a, b: of_shortest(between(a, b), near(between(a, b))),
            "b",
            {"a": verify.quaternion(), "b": verify.quaternion()},
        )
    assert report.right is right, str(report)


# --- loops that go on ------------------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_a_loop_that_is_long_far_away_keeps_no_verdict_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 1e8 an angle is brought back in 16 million turns; that is looked at once, not for every way."""
    monkeypatch.setattr(effort, "IN_A_SEARCH", 1e5)
    asked = []

    def wrapped(x):
        asked.append(primal(x.value))
        while x > np.pi:
            x = x - 2 * np.pi
        return x**2

    def slope(x):
        while x > np.pi:
            x = x - 2 * np.pi
        return 2 * x

    assert verify.derivative(wrapped, slope, "x", {"x": SCALAR}).right
    assert sum(isinstance(x, float) and x > 10**6 for x in asked) < 10


TABLE = """
static const double X[5] = {0, 1, 2, 3, 4}, Y[5] = {0, 1, 4, 9, 16};
double f(double x) { int i; if (x <= X[0] || x >= X[4]) return 0;
    for (i = 0; i < 4; i++) if (x < X[i + 1]) break;
    return Y[i] + (Y[i + 1] - Y[i]) * (x - X[i]) / (X[i + 1] - X[i]); }
double slope(double x) { int i; if (x <= X[0] || x >= X[4]) return 0;
    for (i = 0; i < 4; i++) if (x < X[i + 1]) break;
    return (Y[i + 1] - Y[i]) / (X[i + 1] - X[i]) * (i == 2 ? 2 : 1); }
"""


def test_what_a_loop_does_when_it_is_made_to_go_on_is_no_error_of_its_code() -> None:
    report = verify.derivative(verify.c(TABLE, "f"), verify.c(TABLE, "slope"), "x", {"x": SCALAR})
    assert len(report.wrong) == 1
