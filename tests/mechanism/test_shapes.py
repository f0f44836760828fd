"""Inertia from shape and mass, against the definition: integrals over the solid."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from symvi.errors import MechanismError
from symvi.mechanism import Body, Box, Capsule, Cylinder, Rod, Sphere
from symvi.mechanism.inertia import inertia_problem, principal_moments, to_matrix
from symvi.mechanism.rotation import about
from symvi.mechanism.shapes import shape_inertia

MASS = 3.0
SHAPES = [
    Box(size=(0.3, 0.5, 0.7)),
    Cylinder(radius=0.2, length=0.9),
    Rod(length=1.0),
    Rod(length=1.0, radius=0.03),
    Sphere(radius=0.4),
    Capsule(radius=0.2, length=0.5),
]


def moments_by_slices(shape, mass):
    """Principal moments by summing thin slices across the long axis; each slice has a closed form of its own."""
    if isinstance(shape, Box):
        half, (x, y) = shape.size[2] / 2, shape.size[:2]
        area, own = (lambda z: x * y), (lambda z: (y * y / 12, x * x / 12))
    else:
        end = {"sphere": 0.0}.get(shape.kind, getattr(shape, "length", 0.0) / 2)
        half = end + (shape.radius if shape.kind in ("sphere", "capsule") else 0.0)

        def square(z):
            return shape.radius**2 - max(abs(z) - end, 0.0) ** 2

        area, own = (lambda z: math.pi * square(z)), (lambda z: (square(z) / 4, square(z) / 4))
    nodes, weights = np.polynomial.legendre.leggauss(12)  # exact: the integrands are polynomials on each of 3 parts
    cuts = sorted({-half, half} | ({-end, end} if not isinstance(shape, Box) else set()))
    volume = xx = yy = zz = 0.0
    for low, high in zip(cuts, cuts[1:], strict=False):
        for node, weight in zip(nodes, weights, strict=True):
            z, dz = (low + high) / 2 + node * (high - low) / 2, weight * (high - low) / 2
            a, b = own(z)
            volume, xx, yy = volume + area(z) * dz, xx + (a + z * z) * area(z) * dz, yy + (b + z * z) * area(z) * dz
            zz += (a + b) * area(z) * dz
    return np.array([xx, yy, zz]) * mass / volume


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_moments_are_the_integrals_over_the_solid(shape):
    assert shape.principal(MASS) == pytest.approx(moments_by_slices(shape, MASS), rel=1e-13)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind)
def test_a_turned_shape_has_the_turned_tensor(shape):
    q = about((1, 2, 3), 0.7)
    matrix = Rotation.from_quat(q, scalar_first=True).as_matrix()
    expected = matrix @ np.diag(shape.principal(MASS)) @ matrix.T
    turned = to_matrix(shape_inertia(shape.changed(orientation=q), MASS))
    assert np.allclose(turned, expected, rtol=0, atol=1e-15)
    assert principal_moments(shape_inertia(shape.changed(orientation=q), MASS)) == pytest.approx(
        sorted(shape.principal(MASS)), rel=1e-13
    )


def test_a_quarter_turn_keeps_exact_zeros():
    """A cylinder laid along x has a diagonal tensor without round-off: zeros are what makes generated code short."""
    lying = Cylinder(radius=0.1, length=1.0, orientation=about((0, 1, 0), math.pi / 2))
    assert shape_inertia(lying, 1.0)[3:] == (0.0, 0.0, 0.0)
    assert shape_inertia(lying, 1.0)[0] == Cylinder(radius=0.1, length=1.0).principal(1.0)[2]


def test_known_values():
    assert Cylinder(radius=0.05, length=1.0).principal(1.0)[0] == pytest.approx(0.05**2 / 4 + 1 / 12)
    assert Rod(length=2.0).radius == 0.02
    assert Sphere(radius=1.0).principal(1.0)[0] == 0.4


def test_a_body_takes_its_centre_of_mass_and_inertia_from_its_shape():
    body = Body(name="arm", mass=2, shape=Box(size=(0.1, 0.2, 0.3), position=(0, 0, -0.15)))
    assert body.center_of_mass == (0.0, 0.0, -0.15)
    assert body.inertia[:3] == pytest.approx(Box(size=(0.1, 0.2, 0.3)).principal(2.0))
    assert body.changed(mass=4).inertia[0] == 2 * body.inertia[0]
    assert set(body.given()) == {"name", "mass", "shape"}


def test_an_inertia_of_its_own_leaves_the_shape_to_the_eye():
    body = Body(name="arm", mass=2, inertia=(1, 1, 1), shape=Sphere(radius=1, position=(5, 0, 0)))
    assert body.center_of_mass == (0.0, 0.0, 0.0)
    assert body.inertia == (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


def test_the_inertia_of_a_shape_is_not_moved_to_another_centre():
    with pytest.raises(MechanismError, match="is not that of the shape"):
        Body(name="arm", mass=2, center_of_mass=(0, 0, 1), shape=Sphere(radius=1))


def test_a_body_that_repeats_its_shape_is_written_so_that_it_reads_back():
    sphere = Sphere(radius=1, position=(1, 0, 0))
    body = Body(name="arm", mass=1, inertia=(0.4, 0.4, 0.4), center_of_mass=(0, 0, 0), shape=sphere)
    assert Body(**body.given()) == body


@pytest.mark.parametrize(
    ("inertia", "reason"),
    [
        ((1, 1, 5), "triangle inequality.*about the centre of mass"),
        ((1, 1, -1), "negative principal moment"),
        ((1, 1, 1, 2, 0, 0), "negative principal moment"),
        ((1, 1, 1, 0.9, 0, 0), "triangle"),
        ((1, 1), "6 entries"),
        ((1, 1, float("nan")), "finite"),
        ((1, 1, float("inf")), "finite"),
        ("box", "list of numbers"),
    ],
)
def test_impossible_inertia_is_refused(inertia, reason):
    with pytest.raises(MechanismError, match=f"body 'arm': inertia .*{reason}"):
        Body(name="arm", mass=1, inertia=inertia)


def test_flat_bodies_and_point_masses_are_possible():
    assert inertia_problem((1.0, 2.0, 3.0, 0.0, 0.0, 0.0)) == ""
    q = about((1, 2, 3), 0.7)
    plate = Box(size=(1, 2, 1e-12), orientation=q)
    assert inertia_problem(shape_inertia(plate, 1.0)) == ""
    assert Body(name="point", mass=1, inertia=(0, 0, 0)).has_zero_inertia
    assert Body(name="line", mass=1, inertia=(1, 1, 0)).has_zero_inertia
    assert not Body(name="thin", mass=1, shape=Rod(length=1)).has_zero_inertia


def test_principal_moments_of_random_tensors_are_numpys_eigenvalues():
    rng = np.random.default_rng(5)
    for _ in range(200):
        matrix = rng.normal(size=(3, 3)) * 10.0 ** rng.integers(-8, 8)
        matrix = matrix @ matrix.T
        entries = (*np.diag(matrix), matrix[0, 1], matrix[0, 2], matrix[1, 2])
        expected = np.linalg.eigvalsh(matrix)
        assert np.allclose(principal_moments(entries), expected, rtol=0, atol=1e-14 * expected[-1])


def test_a_tensor_is_an_inertia_where_the_largest_moment_is_at_most_the_sum_of_the_others():
    """By numpy's eigenvalues of random tensors, of which about half are; what is wrong is said by its name."""
    rng, taken = np.random.default_rng(6), 0
    for _ in range(400):
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        matrix = axes @ np.diag(rng.uniform(-0.1, 1.0, size=3)) @ axes.T * 10.0 ** rng.integers(-8, 8)
        entries = (*np.diag(matrix), matrix[0, 1], matrix[0, 2], matrix[1, 2])
        smallest, middle, largest = np.linalg.eigvalsh(matrix)
        problem = inertia_problem(entries)
        assert (problem == "") == (largest <= smallest + middle)
        assert ("negative" in problem) == (smallest < 0.0)
        taken += problem == ""
    assert 100 < taken < 300


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ({"kind": "bx", "size": (1, 1, 1)}, "did you mean 'box'"),
        ({"kind": ["box"]}, "unknown kind"),
        ({"size": (1, 1, 1)}, "no kind"),
        ({"kind": "box", "size": (1, 1, 0)}, "positive in each direction"),
        ({"kind": "box", "size": (1, 1)}, "3 numbers"),
        ({"kind": "sphere", "radius": -1}, "must be positive"),
        ({"kind": "rod", "length": 1, "width": 2}, "unknown field 'width'"),
        (3, "shape 3 must be a shape; known: box"),
    ],
)
def test_wrong_shapes_are_errors_of_their_body(shape, reason):
    with pytest.raises(MechanismError, match=f"body 'arm': .*{reason}"):
        Body(name="arm", mass=1, shape=shape)
