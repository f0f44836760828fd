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
from fractions import Fraction
from math import isfinite, prod
from numbers import Integral, Real
from typing import Any

from symvi.mechanism.names import did_you_mean
from symvi.naive.quaternion import multiply
from symvi.verify.errors import VerificationError

TANGENTS = ("rotation vector", "half", "raw")
SIDES = ("body", "world")
ORDERS = ("wxyz", "xyzw")  # in which the numbers of a quaternion are stored
TURNS = ("rotation vector", "raw")  # tangents of a rotation matrix
BOUNDED = ("scalar", "step", "vector", "matrix")  # kinds that may be kept between two numbers
INERTIAS = {"matrix": (3, 3), "six": (6,), "principal": (3,)}


@dataclass(frozen=True)
class Variable:
    """The type of one argument.

    kind: "scalar", "step", "vector", "matrix", "unit vector", "rotation", "inertia", "quaternion", "angular velocity".
    shape: () for a scalar. symbols: the SymPy symbols that it consists of, where their names do not say so. order: in
    which the numbers of a quaternion are stored. low, high: what every number lies between, None for no bound.
    """

    kind: str
    shape: tuple[int, ...] = ()
    positive: bool = False
    tangent: str = ""
    side: str = ""
    step: str | None = None
    symbols: tuple = ()
    order: str = "wxyz"
    low: Fraction | None = None
    high: Fraction | None = None

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
        return 3 if self.is_turned else self.size

    @property
    def is_turned(self) -> bool:
        """Whether a derivative by it is by a rotation about three axes."""
        return self.kind in ("quaternion", "rotation") and self.tangent not in ("raw", "")

    def scalar_first(self, values: Sequence) -> list:
        """The numbers of a quaternion as w, x, y, z."""
        return list(values) if self.order == "wxyz" else [values[3], *values[:3]]

    def stored(self, values: Sequence) -> list:
        """Those in the order in which it is stored."""
        return list(values) if self.order == "wxyz" else [*values[1:], values[0]]

    @property
    def said(self) -> str:
        """The type in words, for reports."""
        if self.kind == "quaternion":
            stored = ", stored as x, y, z, w" * (self.order == "xyzw")
            return "unit quaternion" + stored + (f", {self.tangent}" + (f", {self.side} side" if self.side else ""))
        turned = f", {self.tangent}, {self.side} side" * self.is_turned
        bounds = f", between {_said(self.low)} and {_said(self.high)}"
        within = bounds * (self.low is not None or self.high is not None)
        return self.kind + ("" if not self.shape else " of " + " x ".join(map(str, self.shape))) + turned + within

    def in_tangent(self, tangent: str, side: str) -> Variable:
        return replace(self, tangent=tangent, side="" if tangent == "raw" else side)

    def moved(self, values: Sequence, k: int, e: Any) -> list:
        """The variable's values after a step of e in direction k, to first order."""
        return self.moved_along(values, [e if i == k else e * 0 for i in range(self.directions)])

    def moved_along(self, values: Sequence, steps: Sequence) -> list:
        """The variable's values after a step in every direction; with dual numbers first order is exact."""
        if not self.is_turned:
            return [value + e for value, e in zip(values, steps, strict=True)]
        if self.kind == "rotation":
            return _turned(values, steps, self.side)
        turn, given = [steps[0] * 0, *steps], self.scalar_first(values)
        change = multiply(given, turn) if self.side == "body" else multiply(turn, given)
        return self.stored(
            [q + (dq if self.tangent == "half" else dq / 2) for q, dq in zip(given, change, strict=True)]
        )


def _turned(values: Sequence, steps: Sequence, side: str) -> list:
    """A rotation matrix R after a small rotation vector e, to first order: R (I + e^) on side "body", (I + e^) R."""
    x, y, z = steps
    if side == "body":  # of every row r: r + r e^
        rows = [values[3 * i : 3 * i + 3] for i in range(3)]
        moved = [(a + b * z - c * y, b - a * z + c * x, c + a * y - b * x) for a, b, c in rows]
        return [number for row in moved for number in row]
    columns = [values[k::3] for k in range(3)]
    turned = [(a + y * c - z * b, b + z * a - x * c, c + x * b - y * a) for a, b, c in columns]
    return [turned[k][i] for i in range(3) for k in range(3)]


def _said(bound: Fraction | None) -> str:
    return "any number" if bound is None else str(float(bound))


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


def rotation(tangent: str = "raw", side: str = "body", symbols: Sequence = ()) -> Variable:
    """A rotation matrix, 3 x 3, row by row.

    A derivative by it is by its nine entries ("raw"), or by a rotation vector e: R -> R (I + e^) on side "body", and
    (I + e^) R on side "world".
    """
    if tangent not in TURNS:
        raise VerificationError(f"rotation tangent {tangent!r}; {did_you_mean(str(tangent), TURNS)}")
    if side not in SIDES:
        raise VerificationError(f"rotation side {side!r}; {did_you_mean(str(side), SIDES)}")
    return Variable("rotation", (3, 3), symbols=tuple(symbols)).in_tangent(tangent, side)


def inertia(form: str = "matrix", symbols: Sequence = ()) -> Variable:
    """A positive definite inertia: "matrix" 3 x 3, "six" (xx, yy, zz, xy, xz, yz), or three "principal" moments."""
    if form not in INERTIAS:
        raise VerificationError(f"inertia form {form!r}; {did_you_mean(str(form), INERTIAS)}")
    return Variable("inertia", INERTIAS[form], symbols=tuple(symbols))


def quaternion(
    tangent: str = "rotation vector", side: str = "body", symbols: Sequence = (), order: str = "wxyz"
) -> Variable:
    """A unit quaternion, Hamilton's, and the tangent that derivatives by it are stated in.

    order: in which code stores it, scalar first or, as ROS and Eigen's coefficients have it, "xyzw".
    """
    if order not in ORDERS:
        raise VerificationError(f"quaternion order {order!r}; {did_you_mean(str(order), ORDERS)}")
    if tangent not in TANGENTS:
        raise VerificationError(f"quaternion tangent {tangent!r}; {did_you_mean(str(tangent), TANGENTS)}")
    if side not in SIDES:
        raise VerificationError(f"quaternion side {side!r}; {did_you_mean(str(side), SIDES)}")
    return Variable("quaternion", (4,), symbols=tuple(symbols), order=order).in_tangent(tangent, side)


def angular_velocity(step: str = "h", symbols: Sequence = ()) -> Variable:
    """The angular velocity of a discrete update map; `step` names the argument that is its time step."""
    return Variable("angular velocity", (3,), step=step, symbols=tuple(symbols))


def bounded(variable: Variable, name: str, bounds: object) -> Variable:
    """A variable all of whose numbers lie between two: (low, high), None for no bound. Raises VerificationError."""
    wanted = f"where: {name} = {bounds!r}"
    if variable.kind not in BOUNDED:
        raise VerificationError(f"{wanted}: a {variable.said} has no bounds; scalars, vectors and matrices may")
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise VerificationError(f"{wanted}: write (low, high), None for no bound")
    low, high = (_bound(value, wanted) for value in bounds)
    if variable.positive and (low is None or low < 0):
        low = Fraction(0)
    if low is not None and high is not None and not low < high:
        raise VerificationError(f"{wanted}: nothing lies between them")
    return replace(variable, low=low, high=high)


def _bound(value: object, wanted: str) -> Fraction | None:
    if value is None or (isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)):
        return None if value is None else Fraction(str(value))
    raise VerificationError(f"{wanted}: {value!r} is no number")


def _size(count: object) -> int:
    if not isinstance(count, Integral) or isinstance(count, bool) or count < 1:
        raise VerificationError(f"a vector or matrix of size {count!r}: a size is a whole number above zero")
    return int(count)
