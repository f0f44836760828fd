"""Quaternions, triads and the table of joints, against SciPy's rotations and the definitions."""

import itertools
import math

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from symvi.mechanism import JOINT_TABLE, JOINT_TYPES, coordinate_kinds, triad
from symvi.mechanism.rotation import (
    about,
    body_rate,
    conjugate,
    from_rotation_vector,
    multiply,
    rotate,
    rotation_matrix,
    rotation_vector,
)
from symvi.mechanism.vectors import norm, unit

RANDOM = np.random.default_rng(11)
QUATERNIONS = [tuple(q / np.linalg.norm(q)) for q in RANDOM.normal(size=(20, 4))]
VECTORS = [tuple(v) for v in RANDOM.normal(size=(20, 3))]


def scipy_rotation(q):
    return Rotation.from_quat(q, scalar_first=True)


@pytest.mark.parametrize(("p", "q"), list(itertools.pairwise(QUATERNIONS)))
def test_products_and_matrices_are_scipys(p, q):
    assert np.allclose(rotation_matrix(p), scipy_rotation(p).as_matrix(), rtol=0, atol=1e-15)
    product = (scipy_rotation(p) * scipy_rotation(q)).as_matrix()
    assert np.allclose(rotation_matrix(multiply(p, q)), product, rtol=0, atol=1e-15)
    assert np.allclose(rotate(multiply(p, conjugate(p)), (1, 2, 3)), (1, 2, 3), rtol=0, atol=1e-15)


@pytest.mark.parametrize("vector", VECTORS)
def test_exponential_and_logarithm_are_scipys(vector):
    q = from_rotation_vector(vector)
    assert np.allclose(rotation_matrix(q), Rotation.from_rotvec(vector).as_matrix(), rtol=0, atol=2e-15)
    assert np.allclose(rotation_vector(q), vector, rtol=0, atol=1e-14)
    assert np.allclose(rotation_vector(tuple(-x for x in q)), vector, rtol=0, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.0099, 0.0101, 0.5, 2.0, 3.1, 5.0, 20.0])
def test_rate_of_a_rotation_vector_is_the_derivative_of_its_exponential(angle):
    """d/dt exp(phi) = exp(phi) [omega]x, with the derivative of the matrix exponential from a block matrix."""
    phi, rate = np.array(unit((0.3, -0.5, 0.8))) * angle, np.array([0.7, 0.2, -0.4])

    def hat(v):
        return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])

    block = np.block([[hat(phi), hat(rate)], [np.zeros((3, 3)), hat(phi)]])
    exponential = expm(block)
    omega = exponential[:3, :3].T @ exponential[:3, 3:]
    expected = (omega[2, 1], omega[0, 2], omega[1, 0])
    assert np.allclose(body_rate(tuple(phi), tuple(rate)), expected, rtol=0, atol=1e-13 * max(1.0, angle))


@pytest.mark.parametrize("quarters", range(-9, 10))
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 2)])
def test_quarter_turns_are_exact(quarters, axis):
    turned = about(axis, quarters * (math.pi / 2))
    assert turned[0] == pytest.approx(math.cos(quarters * math.pi / 4), abs=1e-15)  # not the opposite quaternion
    matrix = np.array(rotation_matrix(turned))
    assert np.isin(matrix, (-1.0, 0.0, 1.0)).all()
    assert np.allclose(matrix, Rotation.from_rotvec(np.array(unit(axis)) * quarters * math.pi / 2).as_matrix())


def test_the_triad_of_an_axis_is_a_cyclic_permutation():
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    assert triad(z) == (x, y, z)
    assert triad(x) == (y, z, x)
    assert triad(y) == (z, x, y)
    for axis in (x, y, z):
        opposite = tuple(0.0 - part for part in axis)
        assert set(itertools.chain(*triad(opposite))) == {0.0, 1.0, -1.0}
        assert "-0.0" not in repr(triad(opposite))


@pytest.mark.parametrize("axis", [*VECTORS, (0, 3, 4), (1e-200, 0, 0), (0, 0, -1), (1, 1, 1), (1e-9, 0, 1)])
def test_triads_are_right_handed_and_orthonormal(axis):
    matrix = np.array(triad(axis))
    assert np.allclose(matrix @ matrix.T, np.eye(3), rtol=0, atol=1e-15)
    assert np.linalg.det(matrix) == pytest.approx(1.0)
    assert np.allclose(matrix[2] * norm(axis), axis, rtol=1e-15, atol=0)
    assert triad(axis) == triad(axis)


def test_an_axis_in_a_coordinate_plane_keeps_the_zeros_of_its_triad():
    a1, a2, a3 = triad((0, 3, 4))
    assert a1 == (1.0, 0.0, 0.0)
    assert a2[0] == a3[0] == 0.0


def test_a_unit_vector_is_left_alone():
    """Reading back what was written must give the same bytes."""
    for vector in [*VECTORS, *QUATERNIONS, (3.0, 4.0, 0.0)]:
        once = unit(vector)
        assert unit(once) == once
    assert unit((0.0, -2.0, 0.0)) == (0.0, -1.0, 0.0)
    assert norm((3e200, 4e200, 0.0)) == pytest.approx(5e200)
    with pytest.raises(ValueError):
        unit((0.0, 0.0, 0.0))


def test_each_joint_of_the_table_splits_six_freedoms():
    for name, rows in JOINT_TABLE.items():
        assert sum(rows) + len(coordinate_kinds(name)) == 6
    assert len({*JOINT_TABLE.values()}) == len(JOINT_TABLE) == 12
    assert set(JOINT_TYPES) - set(JOINT_TABLE) == {"universal", "screw", "distance", "custom"}
    assert coordinate_kinds("cylindrical") == ("translation", "rotation")
    assert coordinate_kinds("universal") == ("rotation", "rotation")
    assert coordinate_kinds("screw") == ("rotation",)
    assert coordinate_kinds("distance") == coordinate_kinds("custom") == ()
