"""The gyroscopic term w x J w, the one that is most often forgotten, halved, or differentiated in one factor only."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symvi.verify.asking.points import Point
from symvi.verify.asking.variables import Variable
from symvi.verify.judging.problem import Problem

Matrix = list[list[float]]


def gyroscopic_terms(problem: Problem) -> Iterator[tuple[str, range, Callable[[Point], Matrix]]]:
    """(words, columns, function of a point giving 3 x 3) for every angular velocity and inertia of the question."""
    question = problem.question
    inertias = [n for n, v in question.variables.items() if v.kind == "inertia" or (v.size == 9 and v.kind == "matrix")]
    if question.order != 1 or question.weights:
        return
    for name, block in question.blocks().items():
        variable = question.variables[name]
        if variable.size != 3 or variable.kind not in ("vector", "angular velocity"):
            continue
        for inertia in inertias:
            both, first, second = (
                _share(name, inertia, question.variables[inertia], p) for p in ("both", "spin", "arm")
            )
            yield f"the derivative of the gyroscopic term {name} x {inertia} {name}", block, both
            yield f"the part {name}^ {inertia} of the derivative of the gyroscopic term", block, first
            yield f"the part -({inertia} {name})^ of the derivative of the gyroscopic term", block, second


def _share(name: str, inertia: str, variable: Variable, part: str):
    def of(point: Point) -> Matrix:
        w = [float(x) for x in point[name]]
        matrix = full([float(x) for x in point[inertia]])
        spin = [sum(matrix[i][k] * w[k] for k in range(3)) for i in range(3)]
        first = _product(_skew(w), matrix)
        second = [[-x for x in row] for row in _skew(spin)]
        if part == "spin":
            return first
        if part == "arm":
            return second
        return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(first, second, strict=True)]

    return of


def full(j: list[float]) -> Matrix:
    """An inertia in any of its forms as a matrix."""
    if len(j) == 9:
        return [j[0:3], j[3:6], j[6:9]]
    xx, yy, zz, xy, xz, yz = j if len(j) == 6 else (*j, 0.0, 0.0, 0.0)
    return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


def _skew(v: list[float]) -> Matrix:
    return [[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]]


def _product(a: Matrix, b: Matrix) -> Matrix:
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
