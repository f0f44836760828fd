"""Inertia tensors as six floats (ixx, iyy, izz, ixy, ixz, iyz): turning them, their principal moments, what is wrong.

The numbers are the entries of the symmetric matrix J (products of inertia enter with their sign in the matrix:
ixy = -integral x y dm), in kg m^2, about the centre of mass.
"""

from __future__ import annotations

from math import sqrt

from symvi.mechanism.rotation import Quaternion4, rotation_matrix

__all__ = ["Inertia6", "from_matrix", "inertia_problem", "principal_moments", "to_matrix", "turned"]

Inertia6 = tuple[float, float, float, float, float, float]
Matrix3 = tuple[tuple[float, float, float], ...]

# Round-off of a triangle inequality that holds with equality (a thin plate whose tensor was turned by a program).
RELATIVE_TOLERANCE = 1e-9


def to_matrix(inertia: Inertia6) -> Matrix3:
    """The symmetric 3 x 3 matrix of six entries."""
    ixx, iyy, izz, ixy, ixz, iyz = inertia
    return ((ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz))


def from_matrix(matrix: Matrix3) -> Inertia6:
    """The six entries of a symmetric 3 x 3 matrix."""
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = matrix
    return (ixx, iyy, izz, ixy, ixz, iyz)


def turned(inertia: Inertia6, orientation: Quaternion4) -> Inertia6:
    """R J R^T: the tensor in the axes of the body of a part that stands there with the given orientation."""
    rotation, matrix, axes = rotation_matrix(orientation), to_matrix(inertia), range(3)
    product = [[sum(rotation[i][k] * matrix[k][j] for k in axes) for j in axes] for i in axes]
    return from_matrix(
        tuple(tuple(sum(product[i][k] * rotation[j][k] for k in axes) + 0.0 for j in axes) for i in axes)
    )


def principal_moments(inertia: Inertia6) -> tuple[float, float, float]:
    """The eigenvalues of the tensor in ascending order, by cyclic Jacobi rotations."""
    a = [list(row) for row in to_matrix(inertia)]
    for _ in range(32):
        off_diagonal = abs(a[0][1]) + abs(a[0][2]) + abs(a[1][2])
        if off_diagonal <= 1e-18 * (abs(a[0][0]) + abs(a[1][1]) + abs(a[2][2])):
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            _rotate_away(a, p, q)
    first, second, third = sorted((a[0][0], a[1][1], a[2][2]))
    return (first, second, third)


def _rotate_away(a: list[list[float]], p: int, q: int) -> None:
    """Make a[p][q] zero by a plane rotation of the symmetric matrix a."""
    if a[p][q] == 0.0:
        return
    half_difference = 0.5 * (a[q][q] - a[p][p])
    root = sqrt((half_difference / a[p][q]) ** 2 + 1.0) if abs(a[p][q]) > 1e-150 * abs(half_difference) else None
    if root is None:  # the entry is far below round-off of the diagonal
        a[p][q] = a[q][p] = 0.0
        return
    ratio = half_difference / a[p][q]
    tangent = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + root)
    cosine = 1.0 / sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    r = 3 - p - q
    change = tangent * a[p][q]
    a[p][p], a[q][q] = a[p][p] - change, a[q][q] + change
    a[p][q] = a[q][p] = 0.0
    a[r][p], a[r][q] = cosine * a[r][p] - sine * a[r][q], sine * a[r][p] + cosine * a[r][q]
    a[p][r], a[q][r] = a[r][p], a[r][q]


def inertia_problem(inertia: Inertia6) -> str:
    """Why no mass distribution has this tensor about its centre of mass; empty if one has.

    The principal moments a <= b <= c must not be negative and must fulfil c <= a + b. Equality is a flat body,
    zero moments are a point mass or a line of mass: both are possible.
    """
    smallest, middle, largest = principal_moments(inertia)
    tolerance = RELATIVE_TOLERANCE * max(abs(smallest), abs(largest))
    moments = f"({smallest:.6g}, {middle:.6g}, {largest:.6g})"
    if smallest < -tolerance:
        return f"has a negative principal moment, {moments}; check the signs and the order ixx, iyy, izz, ixy, ixz, iyz"
    if largest > smallest + middle + tolerance:
        return f"violates the triangle inequality: its principal moments are {moments}; is it about the centre of mass?"
    return ""
