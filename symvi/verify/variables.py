"""What the arguments of a function are, and in which directions they move: the types a user states.

A unit quaternion moves along the unit sphere. In its tangent, by a small e along the axis k,
    "rotation vector"   dq = (1/2) q (0, e_k) e  on side "body",  (1/2) (0, e_k) q e  on side "world"
    "half"              twice that: dq = q (0, e_k) e, the rotational gradient of BM20 (17) and BSMH23
    "raw"               its four components one by one: the derivative of the expression as it is written
An angular velocity is that of a discrete update map, |w| < 2/h: q2 = q1 [sqrt(1 - (h²/4) w·w); (h/2) w] (BM20 (31)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from numbers import Integral
from typing import Any

from symvi.mechanism.names import did_you_mean
from symvi.naive.quaternion import multiply
from symvi.verify.errors import VerificationError

TANGENTS = ("rotation vector", "half", "raw")
SIDES = ("body", "world")
INERTIAS = {"matrix": (3, 3), "six": (6,), "principal": (3,)}


@dataclass(frozen=True)
class Variable:
    """The type of one argument.

    kind: "scalar", "step", "vector", "matrix", "unit vector", "rotation", "inertia", "quaternion", "angular velocity".
    shape: () for a scalar. symbols: the SymPy symbols that it consists of, where their names do not say so.
    """

    kind: str
    shape: tuple[int, ...] = ()
    positive: bool = False
    tangent: str = ""
    side: str = ""
    step: str | None = None
    symbols: tuple = ()

    @property
    def over(self) -> str:
        """The step that an angular velocity is over."""
        if self.step is None:
            raise ValueError(f"a {self.said} is over no step")
        return self.step

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def directions(self) -> int:
        """The number of columns that a derivative by this variable has."""
        return 3 if self.kind == "quaternion" and self.tangent != "raw" else self.size

    @property
    def said(self) -> str:
        """The type in words, for reports."""
        if self.kind == "quaternion":
            return "unit quaternion" + (f", {self.tangent}" + (f", {self.side} side" if self.side else ""))
        return self.kind + ("" if not self.shape else " of " + " x ".join(map(str, self.shape)))

    def in_tangent(self, tangent: str, side: str) -> Variable:
        return replace(self, tangent=tangent, side="" if tangent == "raw" else side)

    def moved(self, values: Sequence, k: int, e: Any) -> list:
        """The variable's values after a step of e in direction k, to first order."""
        return self.moved_along(values, [e if i == k else e * 0 for i in range(self.directions)])

    def moved_along(self, values: Sequence, steps: Sequence) -> list:
        """The variable's values after a step in every direction; with dual numbers first order is exact."""
        if self.kind != "quaternion" or self.tangent == "raw":
            return [value + e for value, e in zip(values, steps, strict=True)]
        turn = [steps[0] * 0, *steps]
        change = multiply(values, turn) if self.side == "body" else multiply(turn, values)
        return [q + (dq if self.tangent == "half" else dq / 2) for q, dq in zip(values, change, strict=True)]


def scalar(positive: bool = False, symbols: Sequence = ()) -> Variable:
    """A number; positive where roots or physics need it (a mass, a length)."""
    return Variable("scalar", positive=positive, symbols=tuple(symbols))


def step() -> Variable:
    """The time step h, a positive number."""
    return Variable("step", positive=True)


def vector(size: int = 3, symbols: Sequence = ()) -> Variable:
    """Any number of numbers: a position, a velocity, parameters."""
    return Variable("vector", (_size(size),), symbols=tuple(symbols))


def matrix(rows: int, columns: int, symbols: Sequence = ()) -> Variable:
    """A matrix of any numbers, row by row."""
    return Variable("matrix", (_size(rows), _size(columns)), symbols=tuple(symbols))


def unit_vector(symbols: Sequence = ()) -> Variable:
    """Three numbers of length one: an axis, a normal. A derivative by it is by its three components."""
    return Variable("unit vector", (3,), symbols=tuple(symbols))


def rotation(symbols: Sequence = ()) -> Variable:
    """A rotation matrix, 3 x 3, row by row. A derivative by it is by its nine entries."""
    return Variable("rotation", (3, 3), symbols=tuple(symbols))


def inertia(form: str = "matrix", symbols: Sequence = ()) -> Variable:
    """A positive definite inertia: "matrix" 3 x 3, "six" (xx, yy, zz, xy, xz, yz), or three "principal" moments."""
    if form not in INERTIAS:
        raise VerificationError(f"inertia form {form!r}; {did_you_mean(str(form), INERTIAS)}")
    return Variable("inertia", INERTIAS[form], symbols=tuple(symbols))


def quaternion(tangent: str = "rotation vector", side: str = "body", symbols: Sequence = ()) -> Variable:
    """A unit quaternion, scalar first, Hamilton's, and the tangent that derivatives by it are stated in."""
    if tangent not in TANGENTS:
        raise VerificationError(f"quaternion tangent {tangent!r}; {did_you_mean(str(tangent), TANGENTS)}")
    if side not in SIDES:
        raise VerificationError(f"quaternion side {side!r}; {did_you_mean(str(side), SIDES)}")
    return Variable("quaternion", (4,), symbols=tuple(symbols)).in_tangent(tangent, side)


def angular_velocity(step: str = "h", symbols: Sequence = ()) -> Variable:
    """The angular velocity of a discrete update map; `step` names the argument that is its time step."""
    return Variable("angular velocity", (3,), step=step, symbols=tuple(symbols))


def _size(count: object) -> int:
    if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
        raise VerificationError(f"a vector or matrix of size {count!r}: a size is a whole number above zero")
    return int(count)
