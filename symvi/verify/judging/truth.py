"""The derivative itself, by nested tagged dual numbers along the tangent directions: no formula of anybody's.

First order: one column D_k f per direction. Second order: D_j (D_i f) for all pairs, where D_i f is the derivative
along the direction i as a function of the point; both tangents move with the point, as in the derivative of a Jacobian.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from symvi.exact.dual import derivatives
from symvi.verify.asking.question import Question
from symvi.verify.errors import NeedsFloats, OutsideDomain
from symvi.verify.judging.differences import Slope, differences
from symvi.verify.reading.function import Function
from symvi.verify.reading.worlds import World


def outputs(function: Function, question: Question, values: Mapping[str, Sequence], world: World) -> list:
    """The function's outputs; with weights, the one number lambda·f."""
    entries = function.found(values, world).entries
    if question.weights is None:
        return entries
    found = world.zero
    for weight, entry in zip(values[question.weights], entries, strict=True):
        found = found + weight * entry
    return [found]


def true_derivative(function: Function, question: Question, values: Mapping, world: World) -> list:
    """All entries row by row, in the question's shape; in a world that remembers, what was found before."""
    if world.memory is None:
        return _true_derivative(function, question, values, world)
    asked = question.wrt, question.order, question.weights, *question.variables.items()
    key = id(function), asked, tuple((name, *value) for name, value in values.items())
    if key not in world.memory:
        start = len(world.branches)
        found = _true_derivative(function, question, values, world)
        world.memory[key] = found, world.branches[start:], function
        return list(found)
    found, branches, _ = world.memory[key]
    world.branches += branches
    return list(found)


def _true_derivative(function: Function, question: Question, values: Mapping, world: World) -> list:
    if function.floats_only:
        return [slope.value for slope in _differences(function, question, values, world)]
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


def difference_noise(function: Function, question: Question, values: Mapping, world: World) -> list:
    """What the differences of a function of machine numbers may be wrong by, entry by entry."""
    return [slope.error for slope in _differences(function, question, values, world)]


def _differences(function: Function, question: Question, values: Mapping, world: World) -> list[Slope]:
    """Raises OutsideDomain where they find no derivative."""
    if question.order != 1:
        raise NeedsFloats(f"{function.said} takes machine numbers only; its second derivatives cannot be verified")
    try:
        return differences(lambda at: outputs(function, question, at, world), question, values, world)
    except OutsideDomain as error:
        raise OutsideDomain(f"{function.said} {error}") from None
