"""Inertia tensors as six floats (ixx, iyy, izz, ixy, ixz, iyz): turning them, their principal moments, what is wrong.

The numbers are the entries of the symmetric matrix J (products of inertia enter with their sign in the matrix:
ixy = -integral x y dm), in kg m^2, about the centre of mass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import sqrt

from symvi.mechanism.rotation import Quaternion4, rotation_matrix

__all__ = [
    "RELATIVE_TOLERANCE",
    "Inertia6",
    "from_matrix",
    "inertia_problem",
    "principal_moments",
    "spread_pivots",
    "to_matrix",
    "turned",
]

Inertia6 = tuple[float, float, float, float, float, float]
Matrix3 = tuple[tuple[float, float, float], ...]

# Round-off of a triangle inequality that holds with equality (a thin plate whose tensor was turned by a program).
RELATIVE_TOLERANCE = 1e-9
POINT = Fraction(1, 10**30)  # kg m²: what is smaller is round-off of a point mass


def to_matrix(inertia: Inertia6) -> Matrix3:
    """The symmetric 3 x 3 matrix of six entries."""
    ixx, iyy, izz, ixy, ixz, iyz = inertia
    return ((ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz))


def from_matrix(matrix: Sequence[Sequence[float]]) -> Inertia6:
    """The six entries of a symmetric 3 x 3 matrix."""
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = matrix
    return (ixx, iyy, izz, ixy, ixz, iyz)


def turned(inertia: Inertia6, orientation: Quaternion4) -> Inertia6:
    """R J R^T: the tensor in the axes of the body of a part that stands there with the given orientation."""
    rotation, matrix, axes = rotation_matrix(orientation), to_matrix(inertia), range(3)
    product = [[sum(rotation[i][k] * matrix[k][j] for k in axes) for j in axes] for i in axes]
    found = [[sum(product[i][k] * rotation[j][k] for k in axes) + 0.0 for j in axes] for i in axes]
    return from_matrix(found)


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


def spread_pivots(inertia: Sequence, round_off) -> Iterator:
    """Three numbers [kg m²] that are all positive where some distribution of mass has this inertia, and nowhere else.

    They are the pivots of P = tr(J)/2 1 - J = integral r r^T dm, how mass is spread along the axes of the body, with
    its round-off in the trace of J added to the diagonal. P has no negative eigenvalue just where the principal moments
    a <= b <= c of J fulfil c <= a + b, and then 0 <= a as well.

    inertia: six numbers, or six scalars of a trace, for generated text. The pivots come one by one: what follows one
    that is not positive means nothing, and may be no number.
    """
    xx, yy, zz, xy, xz, yz = inertia
    trace = (xx + yy) + zz
    half, margin = trace / 2, round_off * trace + POINT
    first = (half - xx) + margin
    yield first
    second = ((half - yy) + margin) - xy * xy / first
    yield second
    mixed = yz + xy * xz / first
    yield (((half - zz) + margin) - xz * xz / first) - mixed * mixed / second


def inertia_problem(inertia: Inertia6) -> str:
    """Why no mass distribution has this tensor about its centre of mass; empty if one has.

    The principal moments a <= b <= c must not be negative and must fulfil c <= a + b. Equality is a flat body,
    zero moments are a point mass or a line of mass: both are possible.
    """
    if all(pivot > 0.0 for pivot in spread_pivots(inertia, RELATIVE_TOLERANCE)):
        return ""
    smallest, middle, largest = principal_moments(inertia)
    moments = f"({smallest:.6g}, {middle:.6g}, {largest:.6g})"
    if smallest < -RELATIVE_TOLERANCE * max(abs(smallest), abs(largest)):
        return f"has a negative principal moment, {moments}; check the signs and the order ixx, iyy, izz, ixy, ixz, iyz"
    return f"violates the triangle inequality: its principal moments are {moments}; is it about the centre of mass?"
