"""Points for code that takes machine numbers only, of which the conditions are not seen: many, and at its literals.

A number that stands in the code may be a threshold: points are taken around it, and between every two that follow. None
lies on a grid that code may round to, and none has few digits only: what is computed from it shows its precision.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from fractions import Fraction
from types import CodeType, FunctionType

from symvi.verify.asking.lines import is_allowed
from symvi.verify.asking.points import Point
from symvi.verify.judging.problem import Problem, spread_of
from symvi.verify.reading.function import Function

WIDER = Fraction(1, 100)
RANDOM_POINTS, MOST_POINTS, MOST_LITERALS, MOST_NUMBERS = 24, 120, 12, 9
HALF = Fraction(508, 1013)  # nearly
PLAIN = (0, 1, -1, 2)  # numbers of formulas


def points_in_floats(problem: Problem) -> list[Point]:
    """Random ones and some at literals; none of tiny numbers where differences would step across kinks."""
    tiny = Fraction(0) if not problem.function.floats_only else WIDER
    found = [problem.draw(number) for number in range(RANDOM_POINTS) if spread_of(number) > tiny]
    return [*found, *_at_literals(problem, found)][:MOST_POINTS]


def _at_literals(problem: Problem, random_points: list[Point]) -> Iterator[Point]:
    """One number of one variable around a literal; all numbers of a vector as well."""
    literals = sorted({n for f in (problem.function, problem.claimed) if f.floats_only for n in _literals(f)})
    literals = literals[:MOST_LITERALS]
    places = [a + (b - a) * HALF for a, b in zip(literals, literals[1:], strict=False)]
    for literal in literals:
        places += [literal + HALF, literal * (1 + HALF), literal - HALF]
    for number, place in enumerate(places):
        point = random_points[number % len(random_points)]
        for name, variable in problem.question.variables.items():
            if variable.kind not in ("vector", "scalar", "matrix") or (variable.positive and place <= 0):
                continue
            if not is_allowed(variable, [place]):
                continue
            for k in range(min(variable.size, MOST_NUMBERS)):
                yield {**point, name: [place if i == k else x for i, x in enumerate(point[name])]}
            if variable.size > 1:
                yield {**point, name: [place] * variable.size}


def _literals(function: Function) -> Iterator[Fraction]:
    given = inspect.unwrap(function.given or (lambda: None))
    code = getattr(getattr(given, "__func__", given), "__code__", None)
    queue, seen = [code] if code else [], set()
    while queue:
        code = queue.pop()
        if code in seen:
            continue
        seen.add(code)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                queue.append(constant)
            elif isinstance(constant, float | int) and abs(constant) < 10**12 and constant not in PLAIN:
                yield Fraction(str(constant)) if not isinstance(constant, bool) else Fraction(int(constant))
        names = getattr(given, "__globals__", {})
        queue += [f.__code__ for name in code.co_names if isinstance(f := names.get(name), FunctionType)]
