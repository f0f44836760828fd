"""CASE: one function, one claimed derivative, and the truth about every entry of it, stated by hand.

A case is written as a person would write it for a paper or a solver: two plain functions of arrays. What its arguments
are is said beside it. `wrong` says by hand which entries of the claim are wrong, `diagnoses` which explanations of it
are right; the tests confirm the first with a hundred digits, without the engine that the corpus is there to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Entries = Callable[[int, int], bool]  # of a row and a column, from zero


@dataclass(frozen=True)
class Variable:
    """What an argument is.

    kind: "vector", "quaternion" (of norm one), "angular velocity" (of a discrete update, so |w| < 2/h), "scalar",
        "positive" (a scalar above zero), "step", "unit vector" or "inertia" (a positive definite matrix).
    size: entries of a vector, rows of a matrix.
    tangent, side: how a quaternion is turned: "rotation vector", "half" of it or "raw" (four free components), the
        factor on the "body" side (right) or the "world" side (left).
    typical: the size of the numbers that people put in; says nothing about whether a claim is right.
    """

    kind: str
    size: int = 1
    tangent: str = ""
    side: str = ""
    typical: float = 1.0

    @property
    def directions(self) -> int:
        """Columns of a derivative with respect to this variable."""
        if self.kind == "quaternion":
            return 4 if self.tangent == "raw" else 3
        return self.size


def vector(size: int = 3, typical: float = 1.0) -> Variable:
    return Variable("vector", size, typical=typical)


def quaternion(tangent: str = "rotation vector", side: str = "body") -> Variable:
    return Variable("quaternion", 4, tangent, side)


def scalar(typical: float = 1.0) -> Variable:
    return Variable("scalar", typical=typical)


def positive(typical: float = 1.0) -> Variable:
    return Variable("positive", typical=typical)


def inertia(typical: float = 1.0) -> Variable:
    """A symmetric positive definite matrix, 3 x 3."""
    return Variable("inertia", 3, typical=typical)


ANGULAR_VELOCITY = Variable("angular velocity", 3)  # its step is the argument h
NORMAL = Variable("unit vector", 3)
STEP = Variable("step", typical=0.01)
RAW = quaternion("raw", "")


def nothing(row: int, column: int) -> bool:
    return False


def everything(row: int, column: int) -> bool:
    return True


def off_diagonal(row: int, column: int) -> bool:
    return row != column


def columns(*numbers: int) -> Entries:
    return lambda row, column: column in numbers


def rows(*numbers: int) -> Entries:
    return lambda row, column: row in numbers


def entries(*pairs: tuple[int, int]) -> Entries:
    return lambda row, column: (row, column) in pairs


def both(one: Entries, other: Entries) -> Entries:
    return lambda row, column: one(row, column) and other(row, column)


@dataclass(frozen=True)
class Case:
    """A claim about a derivative.

    function: array or number of the named variables; claimed: its derivative, one row per number of the function, one
        column per direction of `wrt` (variables side by side).
    wrong: which entries of the claim are wrong on the manifold; nothing where the claim is right.
    diagnoses: any of these explains what is wrong, a kind of symvi's diagnoses and perhaps what it says, as in
        "factor: twice"; none where the error has no simple name.
    order: 2 for second derivatives, column i n + j: along direction j of the derivative along direction i.
    weights: the variable lambda of G^T lambda, G the derivative of the function; with order 2 its derivative, a square.
    branches: how many laws the function chooses from by conditions.
    symbolic: function and claim are SymPy matrices of symbols instead; x0, x1, x2 are a vector x.
    source: where the wrong formula is from, in neutral words.
    c: file, function and claim in C; arguments have the names of the variables, the last one takes the result.
    """

    name: str
    function: Callable | Any
    claimed: Callable | Any
    wrt: str | tuple[str, ...]
    variables: Mapping[str, Variable] = field(hash=False)
    wrong: Entries = nothing
    diagnoses: tuple[str, ...] = ()
    order: int = 1
    weights: str | None = None
    branches: int = 1
    symbolic: bool = False
    source: str = ""
    c: tuple[str, str, str] | None = None

    @property
    def right(self) -> bool:
        return self.wrong is nothing

    @property
    def towards(self) -> tuple[str, ...]:
        """The variables that the derivative is taken with respect to."""
        return (self.wrt,) if isinstance(self.wrt, str) else self.wrt

    @property
    def directions(self) -> list[tuple[str, int]]:
        """Variable and direction of every column of a first derivative."""
        return [(name, k) for name in self.towards for k in range(self.variables[name].directions)]
