"""Verdicts about derivatives written by hand: exact, entry by entry, with counterexamples that can be pasted."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import symvi.verify as verify
from symvi.derive import own
from symvi.verify.asking.question import question
from tests.verify import hand_written as hand

TURNED = {"q": verify.quaternion(), "v": verify.vector()}
LINE = {"x": verify.vector(), "k": verify.scalar(positive=True)}


def test_a_right_derivative_is_equal_in_every_entry() -> None:
    report = verify.derivative(hand.rotated, hand.rotated_by_q, wrt="q", variables=TURNED)
    assert report.right and {entry.verdict for entry in report.entries} == {"equal"}
    assert str(report).startswith("RIGHT")


def test_a_counterexample_can_be_pasted_and_shows_both_values() -> None:
    """The point lies on the unit sphere exactly, and both values come out of the user's own functions there."""

    def claimed(q, v):
        found = hand.rotated_by_q(q, v)
        found[1, 2] = -found[1, 2]
        return found

    report = verify.derivative(hand.rotated, claimed, wrt="q", variables=TURNED)
    (entry,) = report.wrong
    q, v = (np.array(entry.counterexample.point[name], dtype=object) for name in ("q", "v"))
    assert entry.index == (1, 2) and entry.counterexample.exact and q @ q == 1
    assert claimed(q, v)[1, 2] == Fraction(entry.counterexample.claimed)
    assert hand.rotated_by_q(q, v)[1, 2] == Fraction(entry.counterexample.true)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("tangent", "side", "claimed"),
    [
        ("rotation vector", "body", lambda q, v: -hand.rotation(q) @ hand.skew(v)),
        ("rotation vector", "world", lambda q, v: -hand.skew(hand.rotation(q) @ v)),
        ("half", "body", lambda q, v: -2 * hand.rotation(q) @ hand.skew(v)),
        ("half", "world", lambda q, v: -2 * hand.skew(hand.rotation(q) @ v)),
    ],
)
def test_every_tangent_has_its_own_derivative(tangent: str, side: str, claimed) -> None:
    variables = {**TURNED, "q": verify.quaternion(tangent, side)}
    verify.assert_derivative(hand.rotated, claimed, wrt="q", variables=variables)
    others = [verify.quaternion(t, s) for t in ("rotation vector", "half") for s in ("body", "world")]
    right = [verify.derivative(hand.rotated, claimed, "q", {**TURNED, "q": other}).right for other in others]
    assert right.count(True) == 1


def test_raw_components_are_those_of_the_expression_as_it_stands() -> None:
    q, v = sp.Matrix(sp.symbols("q0:4")), sp.Matrix(sp.symbols("v0:3"))
    rotated = sp.Matrix(hand.rotation(q)) * v
    raw = {"q": verify.quaternion("raw"), "v": verify.vector()}
    assert verify.derivative(rotated, rotated.jacobian(q), wrt="q", variables=raw).right
    on_the_sphere = rotated.jacobian(q) + (q.dot(q) - 1) * sp.ones(3, 4)
    assert verify.derivative(rotated, on_the_sphere, wrt="q", variables=raw).right


def test_an_equation_that_holds_on_the_manifold_only_is_no_false_alarm() -> None:
    """(2w² - 1) I + 2 v vᵀ + 2 w v^ is the same rotation on the unit sphere and another matrix elsewhere."""

    def rotated_otherwise(q, v):
        w, u = q[0], q[1:]
        return (2 * w * w - 1) * v + 2 * u * (u @ v) + 2 * w * np.cross(u, v)

    verify.assert_derivative(rotated_otherwise, hand.rotated_by_q, wrt="q", variables=TURNED)


def test_roots_take_the_sign_that_they_have_in_real_numbers() -> None:
    def root(k):
        return np.sqrt(k * k * (k + 1))

    def right(k):
        return np.sqrt(k + 1) + k / (2 * np.sqrt(k + 1))

    verify.assert_derivative(root, right, wrt="k", variables=LINE)
    assert not verify.derivative(root, lambda k: -right(k), wrt="k", variables=LINE).right
    free = {"k": verify.scalar()}  # of either sign: sqrt(k²) is |k|
    report = verify.derivative(root, right, wrt="k", variables=free)
    assert not report.right


def test_functions_that_are_not_algebraic_are_judged_in_sixty_digits() -> None:
    def claimed(x):
        return [4 * np.cos(x[0]) ** 2 - 2, np.exp(x[1]) * np.exp(x[2]), np.exp(x[2] + x[1])]

    report = verify.derivative(
        lambda x: np.sin(2 * x[0]) + np.exp(x[1] + x[2]), claimed, wrt="x", variables={"x": verify.vector()}
    )
    assert report.right and {entry.verdict for entry in report.entries} == {"equal to 60 digits"}
    assert "60 digits" in report.method


def test_every_branch_is_tested_and_the_wrong_one_is_named() -> None:
    """Coulomb friction, sliding or sticking: right where it sticks, wrong where it slides."""

    def friction(x, k):
        speed = np.sqrt(x @ x)
        return k * x / speed if speed > 1 else k * x

    def claimed(x, k):
        speed = np.sqrt(x @ x)
        return k * hand.I3 / speed if speed > 1 else k * hand.I3

    report = verify.derivative(friction, claimed, wrt="x", variables=LINE)
    assert len(report.branches) == 2 and len(report.wrong) == 9
    assert sum(branch.endswith(": right") for branch in report.branches) == 1
    assert all("is true" in entry.branches[0] for entry in report.wrong)


def test_a_condition_that_never_goes_the_other_way_is_said() -> None:
    def guarded(x):
        return 0 * x if x @ x < -1 else 2 * x

    report = verify.derivative(guarded, lambda x: 2 * hand.I3, wrt="x", variables=LINE)
    assert report.right and any("was never true" in note for note in report.notes)


def test_the_angular_velocity_of_an_update_map_keeps_its_root() -> None:
    def claimed(q, w, h):
        c = np.sqrt(1 - h * h / 4 * (w @ w))
        return hand.left(q) @ np.vstack([-h * h / (4 * c) * w, h / 2 * hand.I3])

    verify.assert_derivative(own("update_map"), claimed, wrt="w")


def test_the_momentum_before_a_step_has_the_gyroscopic_term_with_the_other_sign() -> None:
    """The old knot's momentum in the axes of its body: c J w - (h/2) w x J w; the sign that public code has wrong."""

    def by_old(w_0, J, h):  # noqa: N803
        return -hand.momentum("gyroscopic sign")(w_0, J, h)

    verify.assert_derivative(own("rotational_residual"), by_old, wrt="w_0")
    verify.assert_derivative(own("rotational_residual"), lambda h: -h * hand.I3, wrt="tau")


@pytest.mark.thorough
def test_a_counterexample_does_not_stand_on_a_kink() -> None:
    """|x| has no derivative at zero, so a point there would show nothing."""
    for seed in range(5):
        report = verify.derivative(lambda x: abs(x[1]), lambda x: [0, 3, 0], wrt="x", variables=LINE, seed=seed)
        assert report.wrong[0].counterexample.point["x"][1] != 0


def spring(x, k):
    return k * (np.sqrt(x @ x) - 1) ** 2 / 2


@pytest.mark.thorough
def test_second_derivatives_and_products_with_multipliers() -> None:
    def by_q(q, v, lam):
        return -hand.rotated_by_q(q, v).T @ lam * -1

    def twice(q, v, lam):
        """Row i, column j: D_j (D_i (lam · R v)) = lam · R e_j^ e_i^ v."""
        axes = [hand.skew(e) for e in np.eye(3)]
        return [[lam @ hand.rotation(q) @ axes[j] @ axes[i] @ v for j in range(3)] for i in range(3)]

    asked = {"wrt": "q", "variables": TURNED, "weights": "lam"}
    verify.assert_derivative(hand.rotated, by_q, **asked)
    verify.assert_derivative(hand.rotated, twice, order=2, **asked)
    report = verify.derivative(hand.rotated, lambda q, v, lam: np.array(twice(q, v, lam)).T, order=2, **asked)
    assert [found.kind for found in report.diagnoses] == ["transpose"]


def test_second_derivatives_of_an_energy_have_a_row_and_a_column_per_direction() -> None:
    def stiffness(x, k):
        size = np.sqrt(x @ x)
        return k * ((1 - 1 / size) * hand.I3 + np.outer(x, x) / size**3)

    verify.assert_derivative(spring, stiffness, wrt="x", variables=LINE, order=2)


def test_the_transpose_is_named_and_its_entries_are_judged_where_they_belong() -> None:
    report = verify.derivative(lambda x: x[:2] * x[2], lambda x: _scaled(x).T, wrt="x", variables=LINE)
    assert report.transposed and not report.right and not report.wrong
    assert [found.kind for found in report.diagnoses] == ["transpose"]


def _scaled(x):
    return np.array([[x[2], 0, x[0]], [0, x[2], x[1]]])


def test_constants_mean_what_is_written_and_rounded_ones_are_named() -> None:
    report = verify.derivative(lambda x: 0.1 * x, lambda x: hand.I3 / 10, wrt="x", variables=LINE)
    assert report.right and not report.notes
    report = verify.derivative(lambda x: np.sqrt(2) * x, lambda x: 1.4142135623730951 * hand.I3, "x", LINE)
    assert report.right and any("sqrt(2)" in note for note in report.notes)
    assert not verify.derivative(lambda x: np.sqrt(2) * x, lambda x: 1.41421356 * hand.I3, "x", LINE).right


def test_code_that_takes_machine_numbers_only_is_compared_in_floats_and_says_so() -> None:
    def claimed(x):
        return np.array([[float(entry) for entry in 2 * x]])

    report = verify.derivative(lambda x: x @ x, claimed, wrt="x", variables=LINE)
    assert report.right and {entry.verdict for entry in report.entries} == {"equal in floats"}
    assert "floats" in report.method
    assert not verify.derivative(lambda x: x @ x, lambda x: claimed(x) / 2, wrt="x", variables=LINE).right


def test_assert_derivative_prints_the_report() -> None:
    with pytest.raises(AssertionError, match=r"WRONG: 9 of 9 entries[\s\S]*twice the true value"):
        verify.assert_derivative(hand.rotated, lambda q, v: 2 * hand.rotated_by_q(q, v), wrt="q", variables=TURNED)


def test_a_report_has_three_forms() -> None:
    report = verify.derivative(hand.rotated, lambda q, v: 2 * hand.rotated_by_q(q, v), wrt="q", variables=TURNED)
    plain = json.loads(json.dumps(report.json()))
    assert plain["right"] is False and len(plain["entries"]) == 9
    assert plain["entries"][0]["counterexample"]["exact"] is True
    assert report.html().count('<td class="wrong"') == 9 and "src=" not in report.html()


def test_pages_say_what_was_asked_and_of_whom() -> None:
    report = verify.derivative(own("revolute"), hand.revolute("sign"), hand.PLACEMENTS)
    page = report.html()
    assert "<h1>Derivatives by hand, verified by symvi</h1>" in page and "nowrap" in page
    assert "rotation vector, body side" in page and "axes world, scale 2" in page and "method: " in page


def test_columns_are_counted_by_the_tangent() -> None:
    variables = {"x": verify.vector(2), "q": verify.quaternion(), "r": verify.quaternion("raw")}
    asked = question(("q", "x", "r"), variables, 1, None, None)
    assert asked.blocks() == {"q": range(3), "x": range(3, 5), "r": range(5, 9)}


def test_the_same_seed_gives_the_same_report() -> None:
    first, second = (
        verify.derivative(hand.rotated, lambda q, v: 3 * hand.rotated_by_q(q, v), "q", TURNED, seed=5) for _ in range(2)
    )
    assert first.entries == second.entries and first.diagnoses == second.diagnoses
