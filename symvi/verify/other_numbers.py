"""Variants with one number of a vector in the place of another, and with a sum of two vectors in the place of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from symvi.verify.points import Point
from symvi.verify.problem import Problem
from symvi.verify.variables import Variable
from symvi.verify.variants import Variant, asking, changing

FREE = ("vector", "angular velocity", "matrix", "inertia")  # kinds of which a number may be any other one
MOST_NUMBERS = 9  # of a variable
MOST = 120  # variants of each sort that are worth the time


def other_numbers(problem: Problem) -> Iterator[Variant]:
    """x[1] for x[2], x[0] for all of x, x + y for x."""
    variables = problem.question.variables
    indices = [(name, *rest) for name, variable in variables.items() for rest in _indices(variable)]
    for name, of, wanted in indices if len(indices) <= MOST else ():
        places = " and ".join(f"{name}[{k}]" for k in wanted)
        change = changing({name: _in_place_of(of, wanted)})
        cost = 2.5 if len(wanted) == 1 else 3.0
        yield Variant("exchange", f"{name}[{of}] for {places}", cost, asking(problem, problem.question, change))
    sums = list(_sums(variables))
    for one, other, sign in sums if len(sums) <= MOST else ():
        says = f"{one} {'+' if sign > 0 else '-'} {other} for {one}"
        yield Variant("exchange", says, 2.5, asking(problem, problem.question, _added(one, other, sign)))


def _indices(variable: Variable) -> Iterator[tuple[int, tuple[int, ...]]]:
    """A number, and those that it may stand for: one other, or all others."""
    size = variable.size
    if variable.kind not in FREE or not 1 < size <= MOST_NUMBERS:
        return
    for of in range(size):
        others = tuple(k for k in range(size) if k != of)
        yield from ((of, (k,)) for k in others)
        if len(others) > 1:
            yield of, others


def _in_place_of(of: int, wanted: tuple[int, ...]) -> Callable[[list], list]:
    return lambda values: [values[of] if k in wanted else x for k, x in enumerate(values)]


def _sums(variables: Mapping[str, Variable]) -> Iterator[tuple[str, str, int]]:
    vectors = {
        name: variable for name, variable in variables.items() if variable.kind == "vector" and variable.size > 1
    }
    for one in vectors:
        for other in vectors:
            if other != one and vectors[other].shape == vectors[one].shape:
                yield from ((one, other, sign) for sign in (1, -1))


def _added(one: str, other: str, sign: int) -> Callable[[Point], Point]:
    def changed(point: Point) -> Point:
        values: list[Fraction] = [x + sign * y for x, y in zip(point[one], point[other], strict=True)]
        return {**point, one: values}

    return changed
