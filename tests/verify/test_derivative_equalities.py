"""Claims that are wrong only where two numbers are equal; code that does not end; what rounding left of a zero."""

from __future__ import annotations

import math
import signal
from fractions import Fraction

import numpy as np
import pytest

import symvi.verify as verify
from symvi.errors import SymviError
from symvi.verify.asking import effort, patience
from symvi.verify.asking.lines import between
from symvi.verify.errors import OutsideDomain
from symvi.verify.judging import decide
from symvi.verify.reading.worlds import RealWorld
from tests.support.subset import first_of
from tests.verify import hand_written as hand

SPINNING = {"w": verify.vector(3), "J": verify.inertia()}


def torque(w, J):  # noqa: N803  (a matrix)
    return np.cross(w, J @ w)


def torque_by_w(w, J):  # noqa: N803
    return hand.skew(w) @ J - hand.skew(J @ w)


@pytest.mark.parametrize(
    "equality",
    [
        lambda w: w[0] == 0,
        lambda w: w[0] == 0 and w[1] == 0,
        lambda w: w[0] == w[1],
        lambda w: w[0] * w[1] == 0.37 * w[2],
        lambda w: w[0] ** 2 == w[1],
    ],
    ids=["a plane", "a line", "two alike", "a product", "a square"],
)
@pytest.mark.parametrize("factor", first_of([7, 0, -1]))
def test_a_claim_that_is_wrong_where_numbers_are_equal_is_found(equality, factor: int) -> None:
    """Where all of w is zero, truth and claim are zero too, and say nothing."""
    report = verify.derivative(torque, lambda w, J: (factor if equality(w) else 1) * torque_by_w(w, J), "w", SPINNING)
    assert not report.right, str(report)


CURVES = {
    "a product": lambda w: w[0] * w[1] == 0.37 * w[2],
    "a sine": lambda w: np.sin(w[0]) == w[1],
    "two at once": lambda w: w[0] * w[1] == w[2] and w[1] ** 2 == w[0] + 3,
    "a thin layer": lambda w: abs(w[0] * w[1] - w[2]) < 1e-15,
    "behind a surface": lambda w: w[0] * w[1] == w[2] and w[1] > 40,
}


@pytest.mark.parametrize("place", first_of(["22", "00", "12"]))
@pytest.mark.parametrize("surface", first_of(CURVES, kept=2))
def test_one_entry_that_is_wrong_on_a_surface_alone_is_found(surface: str, place: str) -> None:
    """All but the surface's own conditions is as random there as anywhere, and of ordinary size."""
    factors = np.ones((3, 3))
    wrong = int(place[0]), int(place[1])
    factors[wrong] = 3

    def by_w(w, J):  # noqa: N803
        return torque_by_w(w, J) * (factors if CURVES[surface](w) else np.ones((3, 3)))

    report = verify.derivative(torque, by_w, "w", SPINNING)
    assert [entry.index for entry in report.wrong] == [wrong], str(report)


def test_a_surface_on_which_nothing_is_compared_is_no_surface_that_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place where all is zero lies on it, and truth and claim are zero there."""
    monkeypatch.setattr(decide, "_is_lost", lambda problem, point, claim: any(point["w"]))

    def by_w(w, J):  # noqa: N803
        return (7 if w[0] * w[1] == 0.37 * w[2] else 1) * torque_by_w(w, J)

    report = verify.derivative(torque, by_w, "w", SPINNING)
    assert report.right and not report.everywhere
    assert any("w[0] * w[1] == 0.37 * w[2] was never true, but for special places" in said for said in report.unreached)


@pytest.mark.parametrize(("world", "order"), [(RealWorld(60), 0), (RealWorld(400), 0), (RealWorld(400, told=400), 1)])
def test_a_point_on_an_equality_stays_there_in_more_digits(world: RealWorld, order: int) -> None:
    assert world.compare(world.constant(2 + Fraction(1, 10**72)), world.constant(2)) == order


@pytest.mark.thorough
def test_a_special_case_that_changes_nothing_is_right() -> None:
    def by_w(w, J):  # noqa: N803
        if w[0] == 0 and w[1] == 0:
            return hand.skew([0, 0, w[2]]) @ J - hand.skew(J @ np.array([0, 0, w[2]]))
        return torque_by_w(w, J)

    assert verify.derivative(torque, by_w, "w", SPINNING).right


@pytest.mark.thorough
def test_an_entry_that_is_zero_at_the_special_place_is_compared_beside_it() -> None:
    """Of w x J w, nothing but the last entry is wrong where w0 = w1, and that is zero where only w0 and w1 are not."""

    def by_w(w, J):  # noqa: N803
        found = torque_by_w(w, J)
        return found * np.array([[1, 1, 1], [1, 1, 1], [1, 1, 3]]) if w[0] == w[1] else found

    report = verify.derivative(torque, by_w, "w", SPINNING)
    assert [entry.index for entry in report.wrong] == [(2, 2)], str(report)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "equality",
    [
        lambda w: w[0] == -w[1],
        lambda w: w[0] == w[1] and w[1] == w[2],
        lambda w: w[0] == w[1] and w[2] > 1000,
        lambda w: w[0] <= w[1] and w[0] >= w[1],
        lambda w: all(w[k] == k + 1 for k in range(3)),
        lambda w: np.sqrt(w @ w) == 1,
        lambda w: np.sin(w[0]) == w[1],
    ],
    ids=["a sum", "a line", "behind an equality", "from both sides", "a loop", "a length", "a sine"],
)
def test_sets_of_equal_numbers_are_reached(equality) -> None:
    report = verify.derivative(torque, lambda w, J: (2 if equality(w) else 1) * torque_by_w(w, J), "w", SPINNING)
    assert len(report.wrong) == 9, str(report)


TURNED = {"q": verify.quaternion(), "p": verify.vector(3)}


def turned(q, p):
    w, v = q[0], q[1:]
    return (2 * w * w - 1) * p + 2 * v * (v @ p) + 2 * w * np.cross(v, p)


def turned_by_q(q, p):
    w, v = q[0], q[1:]
    rotation = (2 * w * w - 1) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * hand.skew(v)
    return -rotation @ hand.skew(p)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "equality",
    [
        lambda q, p: q[1] == q[2],
        lambda q, p: q[3] == 0,
        lambda q, p: q[0] == 0,
        lambda q, p: p @ q[1:] == 0,
        lambda q, p: (p == q[1:]).all(),
        lambda q, p: np.array_equal(p, q[1:]),
    ],
    ids=["two alike", "no turn about z", "half a turn", "orthogonal", "an array", "arrays"],
)
def test_every_entry_is_compared_where_a_turn_is_special(equality) -> None:
    """At no turn at all the diagonal is zero, and says nothing."""
    report = verify.derivative(turned, lambda q, p: (2 if equality(q, p) else 1) * turned_by_q(q, p), "q", TURNED)
    assert len(report.wrong) == 9, str(report)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("variables", "equality"),
    [
        ({"n": verify.unit_vector(), "h": verify.step()}, lambda n: n[0] == n[1]),
        ({"n": verify.angular_velocity("h"), "h": verify.step()}, lambda n: n[0] == n[1]),
    ],
    ids=["an axis", "a velocity"],
)
def test_equal_numbers_are_found_on_curved_manifolds(variables, equality) -> None:
    def by_n(n, h):
        return (2 if equality(n) else 1) * h * ((n @ n) * np.eye(3) + 2 * np.outer(n, n))

    report = verify.derivative(lambda n, h: h * n * (n @ n), by_n, "n", variables)
    assert len(report.wrong) == 9, str(report)


@pytest.mark.thorough
def test_numbers_of_arrays_that_are_never_equal_all_at_once_are_told() -> None:
    """No unit quaternion has three components of 0.9."""

    def by_q(q, p):
        return (2 if np.array_equal(q[1:], np.array([0.9, 0.9, 0.9])) else 1) * turned_by_q(q, p)

    report = verify.derivative(turned, by_q, "q", TURNED)
    assert report.right and any("never true for all of its numbers" in each for each in report.unreached)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "far", [lambda x: x[0] < 1e30, lambda x: x[0] < 1e300, lambda x: 1e-30 * x[0] < 1], ids=["30", "300", "scaled"]
)
def test_thresholds_beyond_all_digits_are_told(far) -> None:
    report = verify.derivative(lambda x: x @ x, lambda x: 2 * x if far(x) else 0 * x, "x", {"x": verify.vector()})
    assert report.right and "was always true" in report.unreached[0], str(report)


# --- a function's own special cases -----------------------------------------------------------------------------------
TWO = {"x": verify.scalar(), "y": verify.scalar()}


def mean_cosine(x, y):
    """The mean of cos between two angles."""
    return np.cos(x) if x == y else (np.sin(x) - np.sin(y)) / (x - y)


@pytest.mark.thorough
@pytest.mark.parametrize(("share", "right"), [(0.5, True), (1, False), (-0.5, False), (0, False)])
def test_a_functions_own_special_case_has_the_derivative_of_its_surroundings(share: float, right: bool) -> None:
    """Where both angles are the same, half of the derivative of cos is by each of them."""

    def by_x(x, y):
        return -share * np.sin(x) if x == y else np.cos(x) / (x - y) - (np.sin(x) - np.sin(y)) / (x - y) ** 2

    assert verify.derivative(mean_cosine, by_x, "x", TWO).right is right


@pytest.mark.thorough
@pytest.mark.parametrize("sign", [1, 0, -1])
def test_at_a_kink_any_slope_is_right(sign: int) -> None:
    def slope(x, y):
        return sign if x == y else (1 if x > y else -1)

    assert verify.derivative(lambda x, y: abs(x - y), slope, "x", TWO).right


@pytest.mark.thorough
@pytest.mark.parametrize(("slope", "right"), [(0, True), (1, False)])
def test_a_derivative_that_goes_to_zero_is_no_kink(slope: int, right: bool) -> None:
    def by_x(x, y):
        return slope if x == y else 2 * abs(x - y)

    assert verify.derivative(lambda x, y: (x - y) * abs(x - y), by_x, "x", TWO).right is right


def test_no_point_turns_by_more_than_half_a_turn_in_a_step() -> None:
    """A longer step alone may make too fast a turn of one that was allowed."""
    variables = {"w": verify.angular_velocity("h"), "h": verify.step()}
    slow = {"w": [Fraction(3, 5), Fraction(0), Fraction(0)], "h": [Fraction(1)]}
    with pytest.raises(OutsideDomain, match="half a turn"):
        between(slow, {**slow, "h": [Fraction(4)]}, Fraction(1), variables)


# --- Denavit and Hartenberg -----------------------------------------------------------------------------------------
def link(twist: float, turn, offset: float):
    c, s, ca, sa = np.cos(turn), np.sin(turn), math.cos(twist), math.sin(twist)
    return np.array([[c, -s * ca, s * sa, 0], [s, c * ca, -c * sa, 0], [0, sa, ca, offset], [0, 0, 0, 1]])


@pytest.mark.thorough
@pytest.mark.parametrize("twist", [math.pi / 2, -math.pi / 2, math.pi, 0.3])
def test_the_geometric_jacobian_of_an_arm_is_right(twist: float) -> None:
    """cos(pi/2) is 6e-17 in machine numbers, which is no number that anybody means."""

    def hand_of(q):
        return (link(twist, q[0], 0.2) @ link(-twist, q[1], 0.3) @ np.array([0.1, 0.2, 0.3, 1]))[:3]

    def jacobian(q, sign=1):
        first, hand_there = link(twist, q[0], 0.2), hand_of(q)
        return np.column_stack(
            [np.cross([0, 0, 1], hand_there), sign * np.cross(first[:3, 2], hand_there - first[:3, 3])]
        )

    angles = {"q": verify.vector(2)}
    assert verify.derivative(hand_of, jacobian, "q", angles).right
    wrong = verify.derivative(hand_of, lambda q: jacobian(q, -1), "q", angles)
    assert not wrong.right and any("sign" in str(found) for found in wrong.diagnoses), str(wrong)


# --- code that takes long -------------------------------------------------------------------------------------------
def test_code_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it does with its arguments is counted; where it does nothing with them, and only there, a clock ends it."""
    monkeypatch.setattr(effort, "ONE_VALUE", 1e4)
    monkeypatch.setattr(patience, "TICK", 0.05)

    def endless(x):
        while True:
            x = x + 0

    def idle(x):
        while True:
            try:
                while True:
                    pass
            except Exception:
                continue

    for claimed in (endless, idle):
        with pytest.raises(SymviError, match=f"{claimed.__name__} does not end"):
            verify.derivative(lambda x: x * x, claimed, "x", {"x": verify.scalar()})
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL


class Rung(Exception):
    """What an alarm of a caller raises."""


@pytest.mark.parametrize("keeps", [Exception, BaseException])
def test_an_alarm_of_the_caller_ends_the_question(keeps: type[BaseException]) -> None:
    """Neither code nor what reads its errors keeps it to itself, and the caller's handler is back afterwards."""

    def ring(*_) -> None:
        raise Rung

    def slow(x):
        for _ in range(10**9):
            try:
                x = x + 1
            except keeps:
                return x
        return x

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Rung):
            verify.derivative(slow, lambda x: 1 + 0 * x, "x", {"x": verify.scalar()})
        assert signal.getsignal(signal.SIGALRM) is ring
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- what a question costs ------------------------------------------------------------------------------------------
def guarded(x):
    return np.array([n if n > 1 else n * n for n in x])


def guarded_by_x(x):
    return np.diag([1 if n > 1 else 2 * n for n in x])


def test_what_a_question_costs_is_counted() -> None:
    """The same every time; where less is given than it takes, a right claim is right where tested, and says so."""
    told: list[str] = []

    def ask(**options):
        return verify.derivative(guarded, guarded_by_x, "x", {"x": verify.vector(3)}, **options)

    report, again = ask(), ask()
    assert report.everywhere and report.operations == again.operations > 1000
    for share in (0.9, 0.5, 0.1, 0.001):
        short = ask(effort=share * report.operations)
        assert short.right and not short.everywhere, share
        assert any("effort" in said for said in short.unreached)
    assert ask(effort=10 * report.operations).everywhere
    ask(progress=told.append)
    assert not told  # it is short
    for wrong in (0, -1, float("nan"), True, "much"):
        with pytest.raises(SymviError, match="effort"):
            ask(effort=wrong)


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "TOLD", 2000)
    told: list[str] = []
    verify.derivative(guarded, guarded_by_x, "x", {"x": verify.vector(3)}, progress=told.append)
    assert len(told) > 3 and all("operations" in said for said in told)


@pytest.mark.thorough
def test_an_iteration_does_not_drown_in_digits() -> None:
    """Every turn of Newton's method has twice the digits of the one before, as rational numbers."""

    def root(a):
        y = 1.0
        for _ in range(40):
            after = (y + a / y) / 2
            if abs(after - y) < 1e-30:
                break
            y = after
        return y

    report = verify.derivative(root, lambda a: -0.5 / root(a), "a", {"a": verify.scalar(positive=True)})
    assert not report.right


# --- what is not guessed --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (np.sin, np.sin),
        (np.tanh, lambda x: 1 - np.tanh(x)),
        (lambda x: 1 / (1 + np.exp(-x)), lambda x: 1 / (1 + np.exp(-x))),
    ],
    ids=["sine for cosine", "tanh without its square", "a sigmoid for its slope"],
)
def test_no_factor_of_the_functions_own_is_found_by_chance(function, claimed) -> None:
    report = verify.derivative(lambda x: function(x), lambda x: claimed(x), "x", {"x": verify.scalar()})
    assert not report.right and not report.diagnoses, str(report)
