"""Code that is no function of its arguments alone: it uses what another call left behind, or asks for their type."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symvi.verify.asking.points import Point
from symvi.verify.errors import NeedsFloats, VerificationError
from symvi.verify.judging.problem import ANOTHER_POINT, Problem, in_world
from symvi.verify.reading.function import Function
from symvi.verify.reading.worlds import FloatWorld, Irrational

TRIES, PLACES = 20, 2
APART = 1e-6  # of the largest entry: machine numbers differ from exact ones by much less
ROUNDED = 1e-13  # of the arguments: what rounding leaves of a function that is zero
NO_ANSWER = (*ANOTHER_POINT, ArithmeticError, VerificationError, NeedsFloats, TypeError, ValueError, Irrational)


def check_alone(problem: Problem) -> None:
    """Call the function before its claim where that needs it; take machine numbers where code asks for them."""
    function, claimed = problem.function, problem.claimed
    if function.origin == claimed.origin == "Python" and _uses_what_is_left(problem):
        claimed.evaluate = _after(function.evaluate, claimed.evaluate)
        if function.on_floats is not None and claimed.on_floats is not None:
            claimed.on_floats = _after(function.on_floats, claimed.on_floats)
        claimed.note(f"{claimed.name} uses what {function.name} leaves behind, which is called before it")
    for given in (function, claimed):
        if given.on_floats is not None and not given.floats_only and _asks_for_types(problem, given, given.on_floats):
            given.floats_only = True
            given.note(
                f"{given.said} has other values for machine numbers than for exact ones (does it ask for a type?): "
                "it is compared in floats"
            )


def _after(before: Callable, alone: Callable) -> Callable:
    def evaluate(values, world):
        before(values, world)
        return alone(values, world)

    return evaluate


def _uses_what_is_left(problem: Problem) -> bool:
    """Whether the claim depends on where the function was called before."""
    function, claimed = problem.function, problem.claimed
    places = list(_places(problem))
    if len(places) < PLACES or function.floats_only:
        return False
    world, (there, here) = FloatWorld(), places
    try:
        function.evaluate(in_world(here, world), world)
        after_same = claimed.evaluate(in_world(here, world), world).entries
    except NO_ANSWER:
        return False
    try:
        function.evaluate(in_world(there, world), world)
        after_other = claimed.evaluate(in_world(here, world), world).entries
    except NO_ANSWER:
        return True
    return list(after_same) != list(after_other)


def _asks_for_types(problem: Problem, given: Function, on_floats: Callable) -> bool:
    """Whether plain machine numbers give something else, wherever one looks."""
    world, found = FloatWorld(), []
    for point in _places(problem):
        try:
            exact = given.evaluate(in_world(point, world), world).entries
            plain = on_floats(in_world(point, world), world).entries
        except NO_ANSWER:
            return False
        size = max(map(abs, (*exact, *plain)), default=0.0)
        seen = APART * size + ROUNDED * float(max(abs(x) for values in point.values() for x in values))
        apart = len(exact) != len(plain) or any(abs(a - b) > seen for a, b in zip(exact, plain, strict=True))
        found.append(apart)
    return bool(found) and all(found)


def _places(problem: Problem) -> Iterator[Point]:
    """Points at which the function has a value."""
    count = 0
    for number in range(TRIES):
        point, world = problem.draw(number), FloatWorld()
        try:
            problem.values(point, world)
        except NO_ANSWER:
            continue
        yield point
        count += 1
        if count == PLACES:
            return
