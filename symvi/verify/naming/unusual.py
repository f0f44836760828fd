"""Variants of a few kinds of question: second derivatives, weighted sums of rows, rotation vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from symvi.verify.asking.points import Point
from symvi.verify.judging.problem import Problem, in_world
from symvi.verify.naming.variants import Matrix, Variant, truth_of
from symvi.verify.reading.worlds import World


def unusual(problem: Problem) -> Iterator[Variant]:
    """Directions in the other order, symmetric parts, G for Gᵀ, a Jacobian of the exponential map for the other."""
    yield from _orders(problem)
    yield from _untransposed(problem)
    yield from _exponentials(problem)


# --- second derivatives -------------------------------------------------------------------------------------------
def _orders(problem: Problem) -> Iterator[Variant]:
    """Entry (i, k) of a second derivative is D_k D_i; on rotations D_i D_k is another."""
    if problem.question.order != 2:
        return
    if not (problem.question.weights or problem.rows == 1):
        says = "the two directions in the other order: derivatives of a Jacobian along rotations do not commute"
        yield Variant("order", says, 1.0, _with_directions(problem, lambda one, other: other))
    says = "the symmetric part: the derivative of a Jacobian along rotations is not symmetric"
    yield Variant("order", says, 1.2, _with_directions(problem, lambda one, other: (one + other) / 2))


def _with_directions(problem: Problem, of_two: Callable) -> Callable[[Point, World], Matrix]:
    """Every D_k D_i f in the place of what `of_two` makes of it and of D_i D_k f."""
    count = len(problem.question.directions)

    def square(entries: list) -> list:
        return [of_two(entries[i * count + k], entries[k * count + i]) for i in range(count) for k in range(count)]

    def of(point: Point, world: World) -> Matrix:
        truth = truth_of(problem, point, world)
        if len(truth[0]) > count or len(truth) == 1:
            return [square(row) for row in truth]
        flat = square([x for row in truth for x in row])
        return [flat[i * count : (i + 1) * count] for i in range(count)]

    return of


# --- G for its transpose --------------------------------------------------------------------------------------------
def _untransposed(problem: Problem) -> Iterator[Variant]:
    question, count = problem.question, len(problem.question.directions)
    weighed_by = question.weights
    if not weighed_by or problem.rows != count:
        return
    plain = replace(problem, question=replace(question, weights=None))

    def of(point: Point, world: World) -> Matrix:
        weights = in_world(point, world)[weighed_by]
        matrix = truth_of(plain, point, world)
        if question.order == 1:
            return [[_weighed(row, weights, world) for row in matrix]]
        return [[_weighed(row[k::count], weights, world) for k in range(count)] for row in matrix]

    said = f"G {question.weights} for Gᵀ {question.weights}"
    yield Variant("transpose", said if question.order == 1 else f"the derivative of {said}", 1.0, of)


def _weighed(row: list, weights: list, world: World):
    return sum((g * w for g, w in zip(row, weights, strict=True)), world.zero)


# --- the exponential map --------------------------------------------------------------------------------------------
def _exponentials(problem: Problem) -> Iterator[Variant]:
    """Of a rotation vector v: the left Jacobian is R(v) times the right one, and both commute with R(v)."""
    question = problem.question
    if question.order != 1 or question.weights:
        return
    for name, block in question.blocks().items():
        if question.variables[name].kind == "vector" and len(block) == 3:
            for sign, words in ((1, "left Jacobian for the right"), (-1, "right Jacobian for the left")):
                says = f"the {words} one of the exponential map of {name}"
                yield Variant("side", says, 2.0, _turned(problem, name, block, exponential, sign), columns=block)
            for sign, words in ((1, "right"), (-1, "left")):
                says = f"as if {name} were small: the {words} Jacobian of its exponential map is missing"
                of = _turned(problem, name, block, jacobian_inverse, sign)
                yield Variant("missing", says, 2.0, of, columns=block)


def _turned(problem: Problem, name: str, block: range, factor: Callable, sign: int) -> Callable[[Point, World], Matrix]:
    """The columns of a rotation vector times a matrix that it has."""

    def of(point: Point, world: World) -> Matrix:
        turn = factor([sign * x for x in in_world(point, world)[name]], world)
        found = truth_of(problem, point, world)
        for row in found:
            old = [row[k] for k in block]
            for i, k in enumerate(block):
                row[k] = sum((old[j] * turn[j][i] for j in range(3)), world.zero)
        return found

    return of


def exponential(v: list, world: World) -> Matrix:
    """The rotation matrix of a rotation vector, by Rodrigues."""
    call = world.functions
    square = sum((x * x for x in v), world.zero)
    angle = call.sqrt(square)
    return _of_cross(v, call.sin(angle) / angle, (1 - call.cos(angle)) / square, world)


def jacobian_inverse(v: list, world: World) -> Matrix:
    """The inverse of the right Jacobian of the exponential map; that of the left one is at -v."""
    call, half = world.functions, world.constant(Fraction(1, 2))
    square = sum((x * x for x in v), world.zero)
    angle = call.sqrt(square) * half
    return _of_cross(v, half, (1 - angle * call.cos(angle) / call.sin(angle)) / square, world)


def _of_cross(v: list, first, second, world: World) -> Matrix:
    """I + first v^ + second v^ v^."""
    square = sum((x * x for x in v), world.zero)
    cross = [[world.zero, -v[2], v[1]], [v[2], world.zero, -v[0]], [-v[1], v[0], world.zero]]
    return [
        [
            first * cross[i][k] + second * (v[i] * v[k] - square * int(i == k)) + int(i == k)
            for k in range(3)
        ]
        for i in range(3)
    ]  # fmt: skip
