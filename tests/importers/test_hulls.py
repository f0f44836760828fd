"""Corners of convex hulls, and how far a thinned hull is from the whole one: against projections by least squares."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from symvi.importers.hulls import hull_corners, thinned_corners

scipy = pytest.importorskip("scipy")
from scipy.optimize import nnls  # noqa: E402

RANDOM = np.random.default_rng(7)
BOX = np.array(list(product((0.0, 1.0), (0.0, 2.0), (-1.0, 3.0))))


def sphere(count: int) -> np.ndarray:
    points = np.random.default_rng(count).normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def ellipsoid(count: int) -> np.ndarray:
    return sphere(count) * (0.03, 0.2, 0.05) + (1.0, -2.0, 0.5)


def rod(count: int) -> np.ndarray:
    angles = np.arange(count // 2) * 4 * np.pi / count
    return np.array([(np.cos(a), np.sin(a), z) for z in (0.0, 40.0) for a in angles])


def disc(count: int) -> np.ndarray:
    """A flat one, askew."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    angles = np.arange(count) * 2 * np.pi / count
    return np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1) @ turn + 3.0


FORMS: dict[str, Callable[[int], np.ndarray]] = {form.__name__: form for form in (sphere, ellipsoid, rod, disc)}


def distance(point: np.ndarray, hull: np.ndarray) -> float:
    """From a point to the convex hull of points: weights w >= 0 with a sum of 1 that lead nearest to it."""
    size = float(np.ptp(hull, axis=0).max())
    heavy = 1e5  # holds the sum of the weights to 1
    matrix = np.vstack([(hull - point).T / size, np.full(len(hull), heavy)])
    weights, _ = nnls(matrix, np.array([0.0, 0.0, 0.0, heavy]))
    return float(np.linalg.norm(weights @ (hull - point) / weights.sum()))


def test_the_corners_of_a_hull_are_what_is_on_no_side_and_in_no_edge() -> None:
    inner = [(0.5, 1.0, 0.0), (0.5, 1.0, 3.0), (0.5, 0.0, 3.0)]  # inside, on a side, on an edge
    points = np.array([*inner, *BOX[::-1], *BOX])
    assert np.array_equal(hull_corners(points), BOX)


@pytest.mark.parametrize(
    "points, corners",
    [
        ([(1, 2, 3)] * 4, [(1, 2, 3)]),
        ([(1, 1, 1), (0, 0, 0), (0.5, 0.5, 0.5)], [(0, 0, 0), (1, 1, 1)]),
        ([(0, 0, 1), (1, 0, 1), (0, 1, 1), (0.2, 0.2, 1)], [(0, 0, 1), (0, 1, 1), (1, 0, 1)]),
    ],
)
def test_meshes_without_a_volume_have_a_hull_too(points: list, corners: list) -> None:
    found = hull_corners(np.array(points, float))
    assert found.tolist() == [list(map(float, corner)) for corner in corners]
    assert len(thinned_corners(found, 6).points) == len(corners)


@pytest.mark.parametrize("most", [6, 9, 32])
@pytest.mark.parametrize("form", FORMS)
def test_what_thinning_leaves_uncovered_is_the_greatest_distance_of_a_corner_left_out(form: str, most: int) -> None:
    corners = hull_corners(FORMS[form](120))
    assert len(corners) == 120
    thin = thinned_corners(corners, most)
    assert (len(thin.points), thin.count) == (most, 120)
    size = float(np.ptp(corners, axis=0).max())
    away = [distance(point, thin.points) for point in corners]
    assert thin.uncovered == pytest.approx(max(away), abs=1e-6 * size)
    # and no plane, however it lies, goes further into the whole hull than that before it meets the thinned one
    planes = sphere(3000)
    deep = (corners @ planes.T).max(axis=0) - (thin.points @ planes.T).max(axis=0)
    assert 0.0 <= deep.min() and deep.max() <= thin.uncovered * (1 + 1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_the_outermost_corners_along_the_axes_are_kept_and_more_leave_less(form: str) -> None:
    corners = hull_corners(FORMS[form](120))
    thin = [thinned_corners(corners, most) for most in (6, 12, 24, 48, 120)]
    assert [len(found.points) for found in thin] == [6, 12, 24, 48, 120]
    for found in thin:
        assert np.ptp(found.points, axis=0) == pytest.approx(np.ptp(corners, axis=0), rel=1e-9)
    left = [found.uncovered for found in thin]
    assert left == sorted(left, reverse=True) and left[-1] == 0.0
    kept = [set(map(tuple, found.points)) for found in thin]
    assert all(fewer <= more for fewer, more in zip(kept, kept[1:], strict=False))


def test_the_same_corners_are_kept_whatever_their_order_in_the_file() -> None:
    points = sphere(300)
    wanted = thinned_corners(hull_corners(points), 20)
    again = thinned_corners(hull_corners(RANDOM.permutation(np.concatenate([points, points, 0.3 * points]))), 20)
    assert np.array_equal(wanted.points, again.points) and wanted.uncovered == again.uncovered


def test_corners_that_no_hull_needs_are_left_out_before_the_number_is_reached() -> None:
    """Eight corners of a box, and others next to them by less than its rounding."""
    near = np.concatenate([BOX, BOX * (1 - 1e-13)])
    thin = thinned_corners(near, 10)
    assert len(thin.points) == 8 and thin.uncovered < 1e-8
