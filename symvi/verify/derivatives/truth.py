"""The derivative itself, by nested tagged dual numbers along the tangent directions: no formula of anybody's.

First order: one column D_k f per direction. Second order: D_j (D_i f) for all pairs, where D_i f is the derivative
along the direction i as a function of the point; both tangents move with the point, as in the derivative of a Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from symvi.verify.derivatives.errors import NeedsFloats, OutsideDomain
from symvi.verify.derivatives.function import Function
from symvi.verify.derivatives.question import Question
from symvi.verify.derivatives.worlds import World
from symvi.verify.dual import derivatives

FLOAT_STEP = Fraction(1, 500)  # of differences of functions that take machine numbers only
ROUNDING = 1e-14  # of machine numbers, of an output's size
JUMP, SMALLEST_JUMP = 1e-5, 1e-12  # of an output's size, of the arguments': what no smooth function does in a step
SHAKE, SEVERAL = Fraction(3, 10**15), 4  # what shows the roundings of a function that is zero, and how many times
STEP_ERROR = 1e-3  # of what half the step changes, which a Richardson step leaves


def outputs(function: Function, question: Question, values: Mapping[str, Sequence], world: World) -> list:
    """The function's outputs; with weights, the one number lambda·f."""
    entries = function.evaluate(values, world).entries
    if question.weights is None:
        return entries
    found = world.zero
    for weight, entry in zip(values[question.weights], entries, strict=True):
        found = found + weight * entry
    return [found]


def true_derivative(function: Function, question: Question, values: Mapping, world: World) -> list:
    """All entries row by row, in the question's shape."""
    if function.floats_only:
        columns = [_difference(function, question, values, world, *d) for d in question.directions]
        return [column[i] for i in range(len(columns[0])) for column in columns]
    if question.order == 1:
        return first_derivative(function, question, values, world)
    second = _derivatives(lambda at: first_derivative(function, question, at, world), question, values, world)
    return [entry for row in second for entry in row]


def first_derivative(function: Function, question: Question, values: Mapping, world: World) -> list:
    """All D_i of all outputs, row by row."""
    rows = _derivatives(lambda at: outputs(function, question, at, world), question, values, world)
    return [entry for row in rows for entry in row]


def _derivatives(of: Callable, question: Question, values: Mapping, world: World) -> list[list]:
    """The derivatives of a list of numbers along all directions at once: a row per number."""

    def along(steps: list) -> list:
        at, used = dict(values), 0
        for name in question.wrt:
            variable = question.variables[name]
            at[name] = variable.moved_along(values[name], steps[used : used + variable.directions])
            used += variable.directions
        return of(at)

    return derivatives(along, world.zero, len(question.directions))


def _difference(function: Function, question: Question, values: Mapping, world: World, name: str, k: int) -> list:
    """One column by central differences on the manifold, with one Richardson step: error about 1e-12 of the size.

    Raises OutsideDomain where two steps say that the function has a jump or a kink between them.
    """
    still = outputs(function, question, values, world)
    size = JUMP * max(map(abs, still)) + SMALLEST_JUMP * max(1, *(abs(x) for x in values[name]))
    ends = _ends(function, question, values, world, name, k)
    far, near = ends(FLOAT_STEP), ends(FLOAT_STEP / 2)
    found = []
    for f, a, b, c, d in zip(still, *far, *near, strict=True):
        if abs((c - d) - (a - b) / 2) > size or abs(4 * (c + d - 2 * f) - (a + b - 2 * f)) > size:
            raise OutsideDomain(f"{function.said} jumps, or has a kink: two steps of differences disagree")
        found.append((8 * (c - d) - (a - b)) / world.constant(6 * FLOAT_STEP))
    return found


def difference_noise(function: Function, question: Question, values: Mapping, world: World) -> list:
    """What central differences may be wrong by, entry by entry: what half the step changes, and roundings over it."""
    still = outputs(function, question, values, world)
    shaken = {name: [x * (1 + world.constant(SHAKE)) for x in given] for name, given in values.items()}
    moved = outputs(function, question, shaken, world)
    sizes = [abs(x) * ROUNDING + SEVERAL * abs(x - y) for x, y in zip(still, moved, strict=True)]
    sizes = [size / world.constant(FLOAT_STEP) for size in sizes]
    columns = []
    for name, k in question.directions:
        slope = _slopes(function, question, values, world, name, k)
        pairs = zip(slope(FLOAT_STEP / 2), slope(FLOAT_STEP), sizes, strict=True)
        columns.append([abs(fine - coarse) * STEP_ERROR + size for fine, coarse, size in pairs])
    return [column[i] for i in range(len(columns[0])) for column in columns]


def _slopes(function: Function, question: Question, values: Mapping, world: World, name: str, k: int) -> Callable:
    """e -> the central differences of all outputs over 2 e, along the direction k of a variable."""
    ends = _ends(function, question, values, world, name, k)
    return lambda e: [(a - b) / world.constant(2 * e) for a, b in zip(*ends(e), strict=True)]


def _ends(function: Function, question: Question, values: Mapping, world: World, name: str, k: int) -> Callable:
    """e -> all outputs e ahead along the direction k of a variable, and e behind."""
    if question.order != 1:
        raise NeedsFloats(f"{function.said} takes machine numbers only; its second derivatives cannot be verified")
    variable = question.variables[name]

    def at(e) -> list:
        moved = variable.moved(values[name], k, world.constant(e))
        if variable.kind == "quaternion" and variable.tangent != "raw":
            size = world.functions.sqrt(sum((x * x for x in moved), world.zero))
            moved = [x / size for x in moved]
        return outputs(function, question, {**values, name: moved}, world)

    return lambda e: (at(e), at(-e))
