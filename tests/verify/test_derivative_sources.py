"""What users give: SymPy's symbols, Python's functions as they stand, and everything that cannot be judged, by name."""

from __future__ import annotations

import math
import random
from math import sin

import numpy as np
import pytest
import sympy as sp

import symvi.verify as verify
from symvi.derive import own, own_names
from symvi.verify import VerificationError
from symvi.verify.asking.points import Draw, SmallDraw, draw_point
from symvi.verify.reading.constants import meaning
from symvi.verify.reading.sympy_source import symbol_places
from tests.verify import hand_written as hand

LINE = {"x": verify.vector(), "h": verify.step()}
TURNED = {"q": verify.quaternion(), "v": verify.vector()}


def refusal(function, claimed, wrt="x", variables=LINE, **options) -> str:
    with pytest.raises(VerificationError) as caught:
        verify.derivative(function, claimed, wrt=wrt, variables=variables, **options)
    return str(caught.value)


# --- SymPy --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("symbols", "places"),
    [
        ("q0 q1 q2 q3", [0, 1, 2, 3]),
        ("q_1 q_2 q_3 q_4", [0, 1, 2, 3]),
        ("q_w q_x q_y q_z", [0, 1, 2, 3]),
        ("qs qx qy qz", [0, 1, 2, 3]),
        ("q0 q2", [0, 2]),
        ("q4 q2", [3, 1]),
    ],
)
def test_symbols_are_found_by_their_names(symbols: str, places: list[int]) -> None:
    found = symbol_places(symbols.split(), {"q": verify.quaternion()})
    assert [found[symbol] for symbol in symbols.split()] == [("q", k) for k in places]


def test_symbols_that_may_count_from_zero_or_one_are_asked_for() -> None:
    with pytest.raises(VerificationError, match="count from 0 or from 1"):
        symbol_places(["q1", "q2"], {"q": verify.quaternion()})
    given = {"q": verify.quaternion(symbols=sp.symbols("q0:4"))}
    assert symbol_places(["q1", "q2"], given) == {"q1": ("q", 1), "q2": ("q", 2)}


def test_matrix_symbols_and_six_moments_are_read() -> None:
    x = sp.MatrixSymbol("x", 3, 1)
    report = verify.derivative(sp.Matrix(x).T * sp.Matrix(x), 2 * sp.Matrix(x).T, wrt="x", variables=LINE)
    assert report.right
    found = symbol_places(["Jxx", "J_yz"], {"J": verify.inertia("six")})
    assert found == {"Jxx": ("J", 0), "J_yz": ("J", 5)}


def test_a_piecewise_expression_is_judged_case_by_case() -> None:
    x = sp.symbols("x0:3")
    function, claimed = sp.Abs(x[0]), sp.Matrix([[sp.Piecewise((1, x[0] > 0), (1, True)), 0, 0]])
    report = verify.derivative(function, claimed, wrt="x", variables={"x": verify.vector(symbols=x)})
    assert [entry.index for entry in report.wrong] == [(0, 0)] and report.wrong[0].branches


# --- Python -------------------------------------------------------------------------------------------------------
def test_functions_of_math_and_numpy_are_exact_while_they_run_and_themselves_afterwards() -> None:
    def function(x):
        found = np.zeros(2)
        found[0] = sin(x[0]) * math.sqrt(x[1] ** 2) + np.linalg.norm(x)
        found[1] = np.arctan2(x[1], x[0])
        return found

    def claimed(x):
        size, sign = np.linalg.norm(x), 1 if x[1] > 0 else -1
        turn = x[0] ** 2 + x[1] ** 2
        slope = np.array([math.cos(x[0]) * abs(x[1]), sin(x[0]) * sign, 0.0])
        return np.vstack([slope + x / size, [-x[1] / turn, x[0] / turn, 0]])

    before = (np.zeros, np.array, math.sqrt, sin)
    assert verify.derivative(function, claimed, wrt="x", variables=LINE).right
    assert (np.zeros, np.array, math.sqrt, sin) == before and type(np.zeros(1)) is np.ndarray


def test_linear_algebra_is_exact() -> None:
    def function(x):
        return np.linalg.solve(hand.skew(x) + hand.I3, np.ones(3))

    def claimed(x):
        inverse = np.linalg.inv(hand.skew(x) + hand.I3)
        return inverse @ hand.skew(inverse @ np.ones(3))

    assert verify.derivative(function, claimed, wrt="x", variables=LINE).right


def by_largest(x):
    """The derivative of the largest |x_i|."""
    return np.where(abs(x) == abs(x).max(), np.sign(x), 0)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("order", "claimed"), [(1, lambda x: np.sign(x)), (np.inf, by_largest), (2, lambda x: x / np.sqrt(x @ x))]
)
def test_norms_of_vectors_are_exact(order, claimed) -> None:
    report = verify.derivative(lambda x: np.linalg.norm(x, order), claimed, "x", {"x": verify.vector(2)})
    assert report.right and "floats" not in report.method, str(report)


@pytest.mark.parametrize("order", [3, "nuc"])
def test_other_norms_are_compared_in_floats(order) -> None:
    """|x|_3 of two equal numbers, the nuclear norm of x xᵀ."""
    arrays = {3: lambda x: np.array([x, x]), "nuc": lambda x: np.array([[x, 0], [0, 0]])}
    sizes = {3: 2 ** (1 / 3), "nuc": 1}
    variables = {"x": verify.scalar(positive=True)}
    report = verify.derivative(
        lambda x: np.linalg.norm(arrays[order](x), order), lambda x: sizes[order], "x", variables
    )
    assert report.right and "floats" in report.method, str(report)


def masked(x):
    """Zero for what is negative."""
    x = x.copy()
    x[x < 0] = 0.0
    return x


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (lambda x: np.exp(np.maximum(x, 0)), lambda x: np.diag(np.where(x > 0, np.exp(x), 0))),
        (lambda x: np.exp(np.where(x > 0, x, 0)), lambda x: np.diag(np.where(x > 0, np.exp(x), 0))),
        (lambda x: np.cos(masked(x)), lambda x: np.diag(-np.sin(masked(x)))),
        (lambda x: np.sinc(x), lambda x: np.diag((np.cos(np.pi * x) - np.sinc(x)) / x)),
    ],
)
def test_arrays_all_of_whose_numbers_were_replaced_are_exact(function, claimed) -> None:
    """Where both numbers are negative nothing of x is left in the array."""
    variables = {"x": verify.vector(2)}
    report = verify.derivative(function, claimed, "x", variables)
    assert report.right and "floats" not in report.method, str(report)
    assert not verify.derivative(function, lambda x: 1.001 * claimed(x), "x", variables).right


@pytest.mark.filterwarnings("error")
def test_numbers_that_grow_beyond_any_bound_warn_of_nothing() -> None:
    def function(x):
        return (x * 1e200) ** 2 / 1e300 / 1e100

    assert verify.derivative(function, lambda x: np.diag(2 * x), "x", LINE).right


@pytest.mark.parametrize(
    "given",
    [
        0.1 * np.eye(3),
        np.float32(0.1) * np.eye(3, dtype="f"),
        np.array([[0.1, 0, 0], [0, sp.Rational(1, 10), 0], [0, 0, 0.1]]),
        [*(np.eye(3) * 0.1)],
    ],
    ids=["numbers", "short numbers", "SymPy's among them", "rows"],
)
def test_an_array_of_numbers_is_a_constant_derivative(given) -> None:
    assert verify.derivative(lambda x: x / 10, given, "x", LINE).right
    assert not verify.derivative(lambda x: x / 9, given, "x", LINE).right


def test_an_array_of_what_is_no_number_is_named() -> None:
    with pytest.raises(VerificationError, match=r"claim \(NumPy\): the number nan is not finite"):
        verify.derivative(lambda x: x, np.eye(3) * math.nan, "x", LINE)


def test_short_floats_are_exact_and_noted() -> None:
    report = verify.derivative(lambda x: x**3, lambda x: np.diag(3 * np.asarray(x, np.float32) ** 2), "x", LINE)
    assert report.right
    assert any("float32 is evaluated exactly here" in note for note in report.notes)


def test_rows_of_different_lengths_are_named_as_such() -> None:
    assert "lists of different lengths" in refusal(lambda x: x[:2], lambda x: [[1, 0, 0], [0, 1]])


def test_parameters_may_leave_out_underscores_and_come_in_any_order() -> None:
    def claimed(q_b, QA):  # noqa: N803
        d = hand.left(np.array([1, -1, -1, -1]) * QA) @ q_b
        return np.hstack([-hand.right(d)[:, 1:], hand.left(d)[:, 1:]]) / 2

    verify.assert_derivative(own("relative_orientation"), claimed, wrt=("q_a", "q_b"))


@pytest.mark.parametrize(
    ("value", "factor", "radicand"),
    [(0.1, "1/10", 1), (1 / 3, "1/3", 1), (math.sqrt(2) / 2, "1/2", 2), (-math.sqrt(3), "-1", 3), (0.333333, None, 1)],
)
def test_numbers_in_code_mean_what_was_meant(value: float, factor: str | None, radicand: int) -> None:
    found = meaning(value)
    assert found.radicand == radicand
    assert str(found.factor) == (factor or "333333/1000000")


def test_a_note_on_a_number_has_its_sign() -> None:
    assert meaning(-math.pi / 2).said == "-1.5707963267948966 is read as -1/2 pi"
    assert meaning(math.pi / 2).said == "1.5707963267948966 is read as 1/2 pi"


# --- what cannot be judged ----------------------------------------------------------------------------------------
def test_shapes_that_do_not_fit_are_named_with_what_would_fit() -> None:
    said = refusal(lambda x: x, lambda x: np.eye(4))
    assert "4 x 4" in said and "3 x 3" in said and "x 3" in said
    said = refusal(lambda q: q, lambda q: np.eye(4), "q", TURNED)
    assert "verify.quaternion('raw')" in said
    said = refusal(lambda v: v, lambda v: np.ones((4, 3)), "v", {"v": verify.vector(4)})
    assert "is v a quaternion?" in said


def test_a_quaternion_that_is_not_said_to_be_one_is_asked_for() -> None:
    said = refusal(sp.Matrix(sp.symbols("q0:4")), sp.eye(4), "x", LINE)
    assert "q0" in said and "quaternion must be said to be one" in said


def test_a_division_by_what_is_zero_on_the_manifold_is_named_with_its_line() -> None:
    def divided(q, v):
        return v / (1 - q @ q)

    said = refusal(divided, lambda v: hand.I3, "v", TURNED)
    assert (
        "zero on the manifold" in said and f"test_derivative_sources.py:{divided.__code__.co_firstlineno + 1}" in said
    )
    q = sp.symbols("q0:4")
    said = refusal(1 / (sum(e**2 for e in q) - 1), sp.zeros(1, 4), "q", {"q": verify.quaternion("raw", symbols=q)})
    assert "zero on the manifold" in said and "q0**2" in said


def test_a_function_that_gives_other_values_each_time_is_named() -> None:
    assert "different values for the same arguments" in refusal(lambda x: x * random.random(), lambda x: hand.I3)


def test_a_function_that_raises_is_named_with_its_line() -> None:
    def beyond(x):
        return x[7]

    said = refusal(beyond, lambda x: hand.I3)
    assert f"beyond raises IndexError at test_derivative_sources.py:{beyond.__code__.co_firstlineno + 1}" in said


def test_a_function_without_values_is_named() -> None:
    said = refusal(lambda x: np.sqrt(-(x @ x) - 1), lambda x: x)
    assert "no value at any of" in said and "sqrt of a negative number" in said


def test_points_are_on_the_manifold_and_angular_velocities_have_the_root_of_their_update() -> None:
    variables = {"w": verify.angular_velocity(), "h": verify.step(), "q": verify.quaternion(), "A": verify.rotation()}
    for draw in (Draw(random.Random(1)), SmallDraw(random.Random(1))):
        point = draw_point(variables, draw)
        assert sum(x * x for x in point["q"]) == 1
        rows = np.array(point["A"], dtype=object).reshape(3, 3)
        assert (rows @ rows.T == np.eye(3)).all()
        radicand = 1 - point["h"][0] ** 2 / 4 * sum(x * x for x in point["w"])
        assert all(math.isqrt(part) ** 2 == part for part in (radicand.numerator, radicand.denominator))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: verify.derivative(lambda x: x, lambda x: hand.I3, wrt="y", variables=LINE), "no variable 'y'"),
        (lambda: verify.derivative(lambda y: y, lambda x: hand.I3, wrt="x", variables=LINE), "'y' is no variable"),
        (lambda: verify.derivative(lambda x: x, lambda x: hand.I3, wrt="x"), "variables say"),
        (lambda: verify.derivative(object(), lambda x: hand.I3, wrt="x", variables=LINE), "cannot be read"),
        (lambda: verify.derivative(lambda x: None, lambda x: hand.I3, wrt="x", variables=LINE), "returns nothing"),
        (lambda: verify.derivative(lambda x: x, lambda x: hand.I3, "x", LINE, order=3), "order 3"),
        (lambda: verify.derivative(lambda x: x, lambda x: hand.I3, "x", ["x"]), "variables is a list; make it a dict"),
        (lambda: verify.derivative(lambda x: x, lambda x: hand.I3, "x", LINE, points=0), "points 0"),
        (lambda: verify.derivative(lambda x: x, lambda x: hand.I3, "x", LINE, points=0.5), "points 0.5"),
        (lambda: weighed([1, 2, 3]), r"weights \[1, 2, 3\]: give the name"),
        (lambda: weighed("x"), "weights 'x': this is differentiated by as well"),
        (lambda: weighed("l", verify.vector(2)), r"'l' has 2 numbers \(vector of 2\) for 3 outputs of the function"),
        (lambda: weighed("l", verify.vector(4)), r"make it verify.vector\(3\)"),
        (lambda: weighed("l", verify.scalar()), r"'l' has 1 number \(scalar\) for 3 outputs"),
        (lambda: verify.derivative(lambda w: w, lambda w: w, "w", {"w": verify.angular_velocity()}), "add 'h'"),
        (lambda: own("revolut"), "revolute"),
        (lambda: own("revolute", axis=(0, 1, 1)), "axis"),
        (lambda: verify.quaternion("halves"), "half"),
        (lambda: verify.vector(0), "size"),
        (lambda: verify.c("double f(double a) { return a; }", "f").as_function({}, "f"), "'a' is no variable"),
    ],
)
def test_a_question_that_cannot_be_asked_says_what_would_do(call, words: str) -> None:
    with pytest.raises(VerificationError, match=words):
        call()


def weighed(weights, of: verify.Variable | None = None) -> verify.Report:
    variables = LINE if of is None else {**LINE, "l": of}
    return verify.derivative(lambda x: x, lambda x, l: l, "x", variables, weights=weights)  # noqa: E741


def test_weights_may_be_stated_or_not() -> None:
    assert weighed("l", verify.vector(np.int64(3))).right and verify.vector(np.int64(3)) == verify.vector(3)
    assert verify.derivative(lambda x: x, lambda x, l: l, "x", {**LINE, "l": verify.vector(3)}, weights="l").right  # noqa: E741


def test_every_function_of_symvis_own_can_be_differentiated_by_its_usual_variables() -> None:
    for name in own_names():
        function = own(name)
        with pytest.raises(VerificationError, match="the derivative is"):
            verify.derivative(function, lambda: np.zeros((1, 77)), wrt=function.definition.wrt)


def test_a_structure_that_c_returns_is_its_numbers() -> None:
    text = "typedef struct { double m[4]; } M; M d(double x) { M r = {{x, 2*x, 3*x, 4}}; return r; }"
    report = verify.derivative(
        lambda x: [x * x / 2, x * x, 3 * x * x / 2, 4 * x], verify.c(text, "d"), "x", {"x": verify.scalar()}
    )
    assert report.right, str(report)


def test_a_number_in_c_with_all_digits_of_a_double_was_rounded() -> None:
    text = "double d(double x) { return 2*0.44879895051282760*x; }"  # pi/7
    report = verify.derivative(lambda x: np.pi / 7 * x * x, verify.c(text, "d"), "x", {"x": verify.scalar()})
    assert report.right and "is taken as pi/7, rounded" in str(report), str(report)
    short = verify.derivative(
        lambda x: np.pi / 7 * x * x, verify.c(text.replace("282760", ""), "d"), "x", {"x": verify.scalar()}
    )
    assert not short.right and "seems to round pi/7" in str(short)
