"""The quaternion of an orthonormal triad, in plain floats."""

from __future__ import annotations

from math import sqrt


def from_axes(a1, a2, a3) -> tuple[float, float, float, float]:
    """The rotation that takes x, y, z to right-handed orthonormal axes a1, a2, a3 (Shepperd: the largest term)."""
    m = list(zip(a1, a2, a3, strict=True))
    trace = m[0][0] + m[1][1] + m[2][2]
    squares = [1 + trace] + [1 - trace + 2 * m[i][i] for i in range(3)]
    largest = max(range(4), key=lambda i: squares[i])
    s = 2 * sqrt(squares[largest])
    sums = {
        (0, 1): m[2][1] - m[1][2],
        (0, 2): m[0][2] - m[2][0],
        (0, 3): m[1][0] - m[0][1],
        (1, 2): m[1][0] + m[0][1],
        (1, 3): m[2][0] + m[0][2],
        (2, 3): m[2][1] + m[1][2],
    }
    q = [s / 4 if i == largest else sums[min(i, largest), max(i, largest)] / s for i in range(4)]
    sign = -1.0 if q[0] < 0 else 1.0
    w, x, y, z = (sign * value + 0.0 for value in q)
    return w, x, y, z
