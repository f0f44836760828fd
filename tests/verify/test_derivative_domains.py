"""What people state about their code: where it is defined, how it stores turns and matrices, what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symvi.verify as verify
from tests.verify import hand_written as hand

S, POSITIVE, V3 = verify.scalar(), verify.scalar(True), verify.vector(3)


# --- where code is defined --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("function", "claimed", "variables"),
    [
        (lambda x: math.log(float(x)), lambda x: np.array([1 / x]), {"x": POSITIVE}),
        (lambda x: math.log(float(x)), lambda x: np.array([1 / x]), {"x": S}),
        (
            lambda x: np.linalg.slogdet(x)[1],
            lambda x: np.linalg.inv(x).T.ravel(),
            {"x": verify.matrix(2, 2)},
        ),
        (
            lambda x: np.sum(np.log(np.diag(np.linalg.cholesky(x)))),
            lambda x: 0.5 * np.linalg.inv(x).ravel(),
            {"x": verify.matrix(2, 2)},
        ),
    ],
    ids=["a logarithm", "of any number", "a determinant", "a factorization"],
)
def test_an_exception_at_a_point_is_a_point_outside_of_the_domain(function, claimed, variables) -> None:
    if "cholesky" in function.__code__.co_names:  # which asks no more than the lower half
        symmetric = lambda x: x @ x.T + np.eye(2)  # noqa: E731
        report = verify.derivative(
            lambda x: function(symmetric(x)),
            lambda x: (np.linalg.inv(symmetric(x)) @ x).ravel(),
            "x",
            variables,
        )
    else:
        report = verify.derivative(function, claimed, "x", variables)
    assert report.right, str(report)


def depth_of(P):  # noqa: N803  (a point in camera axes)
    assert P[2] > 0, "behind"
    return P[:2] / P[2]


def refused_below(x):
    if x < 0:
        raise ValueError("negative")
    return x**3


@pytest.mark.parametrize("factor", [1, 2])
def test_what_code_refuses_is_no_point_and_what_it_does_elsewhere_is_judged(factor: int) -> None:
    def by_point(P):  # noqa: N803
        return np.array([[1 / P[2], 0, -factor * P[0] / P[2] ** 2], [0, 1 / P[2], -P[1] / P[2] ** 2]])

    assert verify.derivative(depth_of, by_point, "P", {"P": V3}).right is (factor == 1)
    report = verify.derivative(refused_below, lambda x: factor * 3 * x**2, "x", {"x": S})
    assert report.right is (factor == 1)
    assert any("outside the domain" in note for note in report.notes)


def test_an_index_that_is_not_there_is_a_slip() -> None:
    with pytest.raises(verify.VerificationError, match="IndexError"):
        verify.derivative(lambda x: x[0], lambda x: x[5], "x", {"x": V3})


def test_bounds_keep_points_where_a_claim_holds() -> None:
    """sqrt((1 - x)²) is 1 - x below 1, and nothing is said of the other side."""

    def asked(where):
        return verify.derivative(lambda x: np.sqrt((1 - x) ** 2), lambda x: -1, "x", {"x": S}, where=where)

    assert not asked(None).right
    assert asked({"x": (None, 1)}).everywhere
    assert asked({"x": (0, 1)}).everywhere
    assert not asked({"x": (0, 1.01)}).right
    assert "between 0.0 and 1.0" in str(asked({"x": (0, 1)}))


def test_a_threshold_within_bounds_is_found_and_one_beyond_is_told() -> None:
    def claimed(x):
        return 2 * x if x < 0.75 else 3 * x

    assert not verify.derivative(lambda x: x * x, claimed, "x", {"x": S}, where={"x": (0, 1)}).right
    report = verify.derivative(lambda x: x * x, claimed, "x", {"x": S}, where={"x": (0, 0.5)})
    assert report.right and "always true" in report.unreached[0]


@pytest.mark.parametrize("threshold", [0.99, 0.999, 0.9999])
@pytest.mark.parametrize(("size", "low"), [(1, 0), (3, 0), (3, -1)])
def test_a_threshold_near_a_bound_has_another_side(threshold: float, size: int, low: float) -> None:
    """On the edge itself the slope of either side holds: what lies between edge and bound decides."""

    def value(x):
        return np.array([x[0] ** 2 if x[0] < threshold else x[0] ** 3])

    def claimed(x):
        return np.array([[2 * x[0]] + [0] * (size - 1)])

    report = verify.derivative(value, claimed, "x", {"x": verify.vector(size)}, where={"x": (low, 1)})
    assert not report.right


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"y": (0, 1)}, "no variable 'y'"),
        ({"x": (1, 0)}, "nothing lies between"),
        ({"x": 3}, "write .low, high."),
        ({"q": (0, 1)}, "has no bounds"),
        ({"x": ("a", 1)}, "is no number"),
    ],
)
def test_bounds_that_are_none_are_named(where, said: str) -> None:
    with pytest.raises(verify.VerificationError, match=said):
        verify.derivative(lambda x: x, lambda x: 1, "x", {"x": S, "q": verify.quaternion()}, where=where)


# --- turns ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("tangent", ["rotation vector", "half", "raw"])
@pytest.mark.parametrize("side", ["body", "world"])
def test_a_quaternion_with_its_scalar_part_last(tangent: str, side: str) -> None:
    """The same derivative as with the scalar part first; raw columns are in the order of storage, whatever it is."""

    def first(q, v):
        w, u = q[0], q[1:]
        return (2 * w * w - 1) * v + 2 * u * (u @ v) + 2 * w * np.cross(u, v)

    def by_first(q, v):
        """By w, x, y, z; then along the turns, by the product of quaternions."""
        w, u = q[0], q[1:]
        raw = np.column_stack(
            [4 * w * v + 2 * np.cross(u, v), 2 * np.outer(u, v) + 2 * (u @ v) * np.eye(3) - 2 * w * hand.skew(v)]
        )
        if tangent == "raw":
            return raw
        turned = hand.left(q)[:, 1:] if side == "body" else right(q)[:, 1:]
        return raw @ turned / (2 if tangent == "rotation vector" else 1)

    def right(q):
        w, x, y, z = q
        return np.array([[w, -x, -y, -z], [x, w, z, -y], [y, -z, w, x], [z, y, -x, w]])

    def last(q, v):
        return first(np.array([q[3], q[0], q[1], q[2]]), v)

    def by_last(q, v):
        found = by_first(np.array([q[3], q[0], q[1], q[2]]), v)
        return found[:, [1, 2, 3, 0]] if tangent == "raw" else found

    def asked(function, claimed, order):
        kind = verify.quaternion(tangent, side, order=order)
        return verify.derivative(function, claimed, "q", {"q": kind, "v": V3})

    assert asked(first, by_first, "wxyz").right
    assert asked(last, by_last, "xyzw").right
    if side == "body" and tangent != "raw":
        assert not asked(last, by_last, "wxyz").right
        assert not asked(first, by_first, "xyzw").right


@pytest.mark.parametrize(("side", "other"), [("body", "world"), ("world", "body")])
def test_a_rotation_matrix_with_a_tangent(side: str, other: str) -> None:
    """R (I + e^) p: -R p^; (I + e^) R p: -(R p)^."""

    def by_turn(R, p):  # noqa: N803
        return -R @ hand.skew(p) if side == "body" else -hand.skew(R @ p)

    def asked(of):
        return verify.derivative(
            lambda R, p: R @ p,  # noqa: N803
            by_turn,
            "R",
            {"R": verify.rotation("rotation vector", of), "p": V3},
        )

    assert asked(side).everywhere
    assert not asked(other).right
    assert "R about x" in str(asked(side))


def test_turns_that_are_not_known_are_named() -> None:
    with pytest.raises(verify.VerificationError, match="xyzw"):
        verify.quaternion(order="xyz")
    with pytest.raises(verify.VerificationError, match="rotation vector"):
        verify.rotation("rotation vectr")


# --- matrices column by column ----------------------------------------------------------------------------------------
def test_a_claim_whose_numbers_come_column_by_column() -> None:
    def by_x(x):
        return np.array([[x[1], x[0], 0], [0, x[2], x[1]]])

    def asked(claimed, layout):
        return verify.derivative(lambda x: np.array([x[0] * x[1], x[1] * x[2]]), claimed, "x", {"x": V3}, layout=layout)

    assert asked(lambda x: by_x(x).T.ravel(), "columns").right
    assert asked(lambda x: by_x(x).ravel(), "rows").right
    assert not asked(lambda x: by_x(x).T.ravel(), "rows").right
    assert not asked(lambda x: by_x(x).ravel(), "columns").right
    assert asked(lambda x: [float(y) for y in by_x(x).T.ravel()], "columns").right
    with pytest.raises(verify.VerificationError, match="in one row"):
        asked(by_x, "columns")
    with pytest.raises(verify.VerificationError, match="layout 'colums'"):
        asked(by_x, "colums")
