"""The placements of two bodies as SymPy symbols, for constraints and potentials written in Python."""

from __future__ import annotations

from typing import Any, NamedTuple


class Placements(NamedTuple):
    """SymPy matrices of real symbols, named as in descriptions: bodies a (the parent) and b (the child).

    x (3, 1): position of the body frame in the world [m]; R (3, 3): rotation, body to world; q (4, 1): unit quaternion
    (w, x, y, z).
    """

    x_a: Any
    R_a: Any
    q_a: Any
    x_b: Any
    R_b: Any
    q_b: Any


def placements() -> Placements:
    """Symbols to write a constraint (a joint of type "custom") or a Potential with:

        p = symvi.placements()
        Joint(name="track", type="custom", child="bead", expressions=[p.x_b[0]**2 / 25 + p.x_b[2]**2 / 4 - 1])

    Named parameters are ordinary symbols, sympy.Symbol("k"). Derivatives are never asked for.
    """
    import sympy as sp

    def column(letter: str, side: str, size: int):
        return sp.Matrix(size, 1, lambda i, j: sp.Symbol(f"{letter}_{side}[{i}]", real=True))

    def square(side: str):
        return sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"R_{side}[{i}, {j}]", real=True))

    return Placements(*(part for side in "ab" for part in (column("x", side, 3), square(side), column("q", side, 4))))
