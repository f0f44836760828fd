"""Small regions around removable points: an error matters, or is a note, by its share of its block's largest entry."""

from __future__ import annotations

import numpy as np
import pytest

import symvi.verify as verify
from tests.support.subset import first_of
from tests.verify import hand_written as hand

X = {"x": verify.scalar()}
V = {"v": verify.vector(3)}


def of_sinc(inside, threshold: float) -> verify.Report:
    """A claimed derivative of sin(x)/x with `inside` for small x."""

    def claimed(x):
        return inside(x) if abs(x) < threshold else (x * np.cos(x) - np.sin(x)) / x**2

    return verify.derivative(lambda x: np.sin(x) / x, claimed, "x", X)


@pytest.mark.thorough
@pytest.mark.parametrize("threshold", [1e-4])
@pytest.mark.parametrize("inside", [lambda x: -x / 3, lambda x: -x / 3 + x**3 / 30, lambda x: -x / 3 + x**3])
def test_what_does_not_matter_is_a_note(inside, threshold: float) -> None:
    report = of_sinc(inside, threshold)
    assert report.everywhere, str(report)
    assert any("of the largest entry of its block, less than 1e-06" in note for note in report.notes)


def test_the_bound_is_the_users() -> None:
    """-x/3 leaves out x³/30: at 1e-4 that is 1e-9 of it."""

    def claimed(x):
        return -x / 3 if abs(x) < 1e-4 else (x * np.cos(x) - np.sin(x)) / x**2

    for effect, right in ((1e-8, True), (1e-30, False)):
        assert verify.derivative(lambda x: np.sin(x) / x, claimed, "x", X, effect=effect).right is right


@pytest.mark.parametrize("threshold", first_of([1e-8, 1e-4]))
@pytest.mark.parametrize(
    "inside",
    [
        lambda x: x / 3,
        lambda x: 0,
        lambda x: 1,
        lambda x: -x,
        lambda x: -x / 2,
        lambda x: -x / 6,
        lambda x: -x / 3 + x * abs(x) + x / 100,
    ],
)
def test_terms_of_the_wrong_sign_or_size_are_wrong(inside, threshold: float) -> None:
    assert not of_sinc(inside, threshold).right


def of_rows(first, second, threshold: float = 1e-4) -> verify.Report:
    """Rows of different sizes, 1000 sin(x)/x and (1 - cos x)/x², each with a claim of its own for small x."""

    def claimed(x):
        if abs(x) < threshold:
            return np.array([first(x), second(x)])
        return np.array([1000 * (x * np.cos(x) - np.sin(x)) / x**2, np.sin(x) / x**2 - 2 * (1 - np.cos(x)) / x**3])

    return verify.derivative(lambda x: np.array([1000 * np.sin(x) / x, (1 - np.cos(x)) / x**2]), claimed, "x", X)


@pytest.mark.thorough
def test_every_entry_is_judged_beside_its_block() -> None:
    assert of_rows(lambda x: -1000 * x / 3, lambda x: -x / 12).everywhere
    assert {e.index for e in of_rows(lambda x: -1000 * x / 3, lambda x: 100 * x).wrong} == {(1, 0)}
    assert {e.index for e in of_rows(lambda x: 1000 * x / 3, lambda x: -x / 12).wrong} == {(0, 0)}


@pytest.mark.thorough
def test_in_wide_regions_rows_of_another_unit_excuse_nothing() -> None:
    """A row 1e9 times as large does not make an error of all of this one small."""

    def claimed(x):
        slope = 0 if abs(x[0]) < 1.9 else (x[0] * np.cos(x[0]) - np.sin(x[0])) / x[0] ** 2
        return np.array([[0, 2e9 * x[1]], [slope, 0]])

    rows = lambda x: np.array([1e9 * x[1] ** 2, np.sin(x[0]) / x[0]])  # noqa: E731
    assert not verify.derivative(rows, claimed, "x", {"x": verify.vector(2)}).right


def test_a_guard_where_nothing_is_removable_is_no_approximation() -> None:
    """3 x² needs no guard: its zero is an error however small it is."""
    report = verify.derivative(lambda x: x**3, lambda x: 0 if abs(x) < 1e-4 else 3 * x * x, "x", X)
    assert not report.right


def exponential_of_quaternions(v):
    size = np.sqrt(v @ v)
    return np.concatenate([[np.cos(size / 2)], np.sin(size / 2) / size * v])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("sign", "threshold", "right"),
    [(-1, 1e-8, True), (-1, 1e-4, True), (0, 1e-8, True), (0, 1e-4, False), (1, 1e-8, True), (1, 1e-4, False)],
)
def test_the_exponential_map_of_quaternions(sign: int, threshold: float, right: bool) -> None:
    """Near zero its derivative is (-v/4; I/2): of 1/2, v/4 is little below 1e-8 and much below 1e-4."""

    def claimed(v):
        size = np.sqrt(v @ v)
        if size < threshold:
            return np.concatenate([[sign * v / 4], hand.I3 / 2])
        s, c = np.sin(size / 2), np.cos(size / 2)
        by_vector = s / size * hand.I3 + (c / 2 - s / size) / size**2 * np.outer(v, v)
        return np.concatenate([[-s / size / 2 * v], by_vector])

    assert verify.derivative(exponential_of_quaternions, claimed, "v", V).right == right


@pytest.mark.thorough
@pytest.mark.parametrize(("factor", "right"), [(1, True), (0, False), (-1, False)])
@pytest.mark.parametrize("threshold", [1e-4])
def test_the_left_jacobian_of_rotations(factor: int, right: bool, threshold: float) -> None:
    """Near zero it is I + v^/2: I is off by 1e-4 of it, which matters; below 1e-6 it would not."""

    def turned(v, p):
        size, k = np.sqrt(v @ v), hand.skew(v)
        return p + np.sin(size) / size * k @ p + (1 - np.cos(size)) / size**2 * k @ k @ p

    def claimed(v, p):
        size, k = np.sqrt(v @ v), hand.skew(v)
        if size < threshold:
            left = hand.I3 + factor * k / 2
        else:
            left = hand.I3 + (1 - np.cos(size)) / size**2 * k + (size - np.sin(size)) / size**3 * k @ k
        return -hand.skew(turned(v, p)) @ left

    assert verify.derivative(turned, claimed, "v", {**V, "p": verify.vector(3)}).right == right


@pytest.mark.thorough
def test_a_function_with_a_series_and_the_exact_derivative() -> None:
    def sinc(x):
        return 1 - x * x / 6 if abs(x) < 1e-4 else np.sin(x) / x

    report = verify.derivative(sinc, lambda x: (x * np.cos(x) - np.sin(x)) / x**2, "x", X)
    assert report.right, str(report)


@pytest.mark.thorough
def test_a_guard_of_a_derivative_that_is_zero_is_judged_like_any_claim() -> None:
    """Nothing of a derivative that is zero everywhere may be left out."""

    def claimed(x):
        slope = (x * np.cos(x) - np.sin(x)) / x**2 if abs(x) >= 1e-8 else 1e-3
        return slope - (slope if abs(x) >= 1e-8 else 0)

    report = verify.derivative(lambda x: np.sin(x) / x - np.sin(x) / x, claimed, "x", {"x": verify.scalar()})
    assert not report.right, str(report)


def left_jacobian(v, threshold: float, terms: int, factor: int = 1):
    """Its first terms where v is short; factor: of the first one."""
    size, k = np.sqrt(v @ v), hand.skew(v)
    if threshold and size < threshold:
        return hand.I3 + (factor * k / 2 if terms > 0 else 0 * k) + (k @ k / 6 if terms > 1 else 0 * k)
    return hand.I3 + (1 - np.cos(size)) / size**2 * k + (size - np.sin(size)) / size**3 * k @ k


def rotation_by(v, threshold: float = 0.0):
    size, k = np.sqrt(v @ v), hand.skew(v)
    if threshold and size < threshold:
        return hand.I3 + k
    return hand.I3 + np.sin(size) / size * k + (1 - np.cos(size)) / size**2 * k @ k


@pytest.mark.thorough
@pytest.mark.parametrize(("terms", "factor", "right"), [(0, 1, False), (1, 1, True), (1, -1, False)])
def test_a_product_of_guards(terms: int, factor: int, right: bool) -> None:
    """R(v) p turns by -R p^ J_r: I for J_r is off by 1e-4 where v is, I + v^/2 by 1e-8."""
    report = verify.derivative(
        lambda v, p: rotation_by(v) @ p,
        lambda v, p: -hand.skew(rotation_by(v, 1e-4) @ p) @ left_jacobian(v, 1e-4, terms, factor),
        "v",
        {**V, "p": verify.vector(3)},
    )
    assert report.right == right, str(report)


@pytest.mark.thorough
def test_function_and_claim_may_have_thresholds_of_their_own() -> None:
    """Between them only one has its guard."""

    def logarithm(q):
        w, v, square = q[0], q[1:], q[1:] @ q[1:]
        if square < 1e-10:
            return (2 / w - 2 * square / (3 * w**3)) * v
        side = 1 if w > 0 else -1  # q and -q are one turn
        return 2 * np.arctan2(side * np.sqrt(square), side * w) * v / np.sqrt(square)

    def inverse_of_right_jacobian(q):
        turn = logarithm(q)
        size, k = np.sqrt(turn @ turn), hand.skew(turn)
        if size < 1e-5:
            return hand.I3 + k / 2 + k @ k / 12
        return hand.I3 + k / 2 + (1 / size**2 - (1 + np.cos(size)) / (2 * size * np.sin(size))) * k @ k

    report = verify.derivative(logarithm, inverse_of_right_jacobian, "q", {"q": verify.quaternion()})
    assert report.right, str(report)


@pytest.mark.thorough
def test_a_clamp_is_no_guard() -> None:
    """Beyond the end of a rod the nearest point stays there: the formula between its ends is no approximation."""

    def lever(c, a, b, clamped: bool):
        d = b - a
        t = (c - a) @ d / (d @ d)
        return d, min(t, 1) if clamped else t

    def distance(c, a, b):
        d, t = lever(c, a, b, True)
        return np.sqrt((c - a - t * d) @ (c - a - t * d))

    def claimed(c, a, b):
        d, t = lever(c, a, b, False)
        return -t * (c - a - t * d) / np.sqrt((c - a - t * d) @ (c - a - t * d))

    assert not verify.derivative(distance, claimed, "b", {name: verify.vector(3) for name in "cab"}).right


@pytest.mark.thorough
@pytest.mark.parametrize(("stand_in", "right"), [(1e-8, False), (0.02, False)])
def test_a_number_of_the_size_of_the_threshold_does_not_stand_for_smaller_ones(stand_in: float, right: bool) -> None:
    def inside(x):
        u = stand_in + 0 * x
        return (u * np.cos(u) - np.sin(u)) / u**2

    report = of_sinc(inside, 1e-8)
    assert report.right == right, str(report)


# --- the function's own small regions -----------------------------------------------------------------------------
def frozen(v):
    """The identity for tiny rotation vectors: as code it has no slope there."""
    return np.eye(3) + 0 * hand.skew(v) if np.sqrt(v @ v) < 1e-8 else rotation_by(v)


def by_v(v, p, inside):
    return inside(v, p) if np.sqrt(v @ v) < 1e-8 else -hand.skew(rotation_by(v) @ p) @ left_jacobian(v, 0, 1)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("inside", "right", "everywhere"),
    [
        (lambda v, p: -hand.skew(p), True, True),
        (lambda v, p: 0 * hand.skew(p), False, False),
        (lambda v, p: hand.skew(p), False, False),
        (lambda v, p: -hand.skew(p) / 2, False, False),
    ],
    ids=["that of the surroundings", "that of the code", "the wrong sign", "half of it"],
)
def test_a_function_that_is_frozen_in_a_tiny_region(inside, right: bool, everywhere: bool) -> None:
    """What is around counts: where v is zero the formula has no derivative of its own."""
    report = verify.derivative(
        lambda v, p: frozen(v) @ p, lambda v, p: by_v(v, p, inside), "v", {**V, "p": verify.vector(3)}
    )
    assert (report.right, report.everywhere) == (right, everywhere), str(report)
