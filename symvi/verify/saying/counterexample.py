"""Counterexamples that a user can paste: small rational points, at which claim and truth are two different numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from random import Random

from symvi.verify.asking.points import Point, SmallDraw, draw_point
from symvi.verify.judging.entries import Counterexample
from symvi.verify.judging.nearness import allowed_in_floats, known_entries
from symvi.verify.judging.problem import NO_VALUE, Problem
from symvi.verify.reading.function import Function
from symvi.verify.reading.trace import Traced, TraceWorld
from symvi.verify.reading.worlds import DIGITS, Irrational, RationalWorld, RealWorld, World
from symvi.verify.saying.pasting import pasted

POINTS = 40
SHOWN_DIGITS = (12, 16, 24, 40, DIGITS)
LONG = 1000  # binary digits
PLAIN, HIDDEN, IN_FLOATS = 1e-10, 1e-30, 1e-7  # of an entry's size: differences that are shown; plain ones first


def counterexamples(problem: Problem, wrong: Iterable[int], spare: Iterable[Point] = ()) -> dict[int, Counterexample]:
    """Entry -> the first small point at which it differs; `spare` points are taken where no small one does."""
    open_entries, found, used = set(wrong), {}, used_variables(problem)
    spare = list(spare)
    points = [*_small_points(problem), *spare]
    tries = [(point, PLAIN) for point in points] + [(point, HIDDEN) for point in spare]
    for point, near in tries:
        if not open_entries:
            break
        found |= _differing(problem, point, open_entries, near)
        open_entries -= set(found)
    return {entry: _of_used(problem, one, used) for entry, one in found.items()}


def _of_used(problem: Problem, one: Counterexample, used: set[str]) -> Counterexample:
    point = {name: values for name, values in one.point.items() if name in used}
    return replace(one, point=point, pasted=pasted(problem, point))


def used_variables(problem: Problem) -> set[str]:
    """The variables that function, claim or question know: a file's dictionary states those of all of its claims."""
    asked = problem.question
    used = {*asked.wrt, *([asked.weights] if asked.weights else [])}
    for function in (problem.function, problem.claimed):
        used |= set(function.arguments) if function.definition is None else _reached(function, problem)
    steps = (asked.variables[name].step for name in used if name in asked.variables)
    return used | {step for step in steps if step}


def _reached(function: Function, problem: Problem) -> set[str]:
    """The variables that one of symvi's own functions computes with: a ball joint takes a triad, and needs none."""
    world, point = TraceWorld(), problem.draw(0)
    values = {name: [world.variable(x) for x in entries] for name, entries in point.items()}
    reached = {one.index for one in function.evaluate(values, world).entries if isinstance(one, Traced)}
    for i in range(len(world.tape.parents) - 1, -1, -1):
        if i in reached:
            reached |= {parent for parent, _ in world.tape.parents[i]}
    return {name for name, entries in values.items() if any(one.index in reached for one in entries)}


def _small_points(problem: Problem) -> list[Point]:
    random, found = Random(problem.seed), []
    for _ in range(POINTS):
        point = draw_point(problem.question.variables, SmallDraw(random))
        if point not in found:
            found.append(point)
    return found


def _differing(problem: Problem, point: Point, entries: set[int], near: float) -> dict[int, Counterexample]:
    """The open entries that differ at a point by more than `near` of their size."""
    for world in (RationalWorld(), RealWorld()):
        try:
            truth, crossed = problem.truth(point, world), problem.is_crossed(world)
            claim = problem.claim(point, world)
            if world.exact and any(_is_long(number) for number in (*truth, *claim)):
                continue
        except Irrational:
            continue
        except NO_VALUE:
            return {}
        if crossed:  # the function may have a kink here
            return {}
        near = IN_FLOATS if problem.in_floats else near
        differ = [e for e in sorted(entries) if _differ(truth[e], claim[e], world, near)]
        if problem.in_floats and differ:
            allowed = allowed_in_floats(problem, point, truth, claim)
            differ = [e for e in differ if abs(truth[e] - claim[e]) > allowed[e]]
        if not world.exact and not problem.in_floats and differ:
            known = known_entries(problem, point, differ)
            truth, claim = known.truth, known.claim
            differ = [e for e in sorted(known.apart) if _differ(truth[e], claim[e], world, near)]
        return {e: Counterexample(point, *shown(claim[e], truth[e]), world.exact) for e in differ}
    return {}


def _is_long(number: Fraction | int) -> bool:
    """Whether nobody wants to read a number, as after the turns of an iteration."""
    return max(number.numerator.bit_length(), number.denominator.bit_length()) > LONG


def _differ(t, c, world: World, near: float) -> bool:
    return t != c if world.exact else abs(t - c) > near * (abs(t) + abs(c))


def shown(claimed, true) -> tuple[str, str]:
    """Rational numbers as they are, others with as many digits as it takes to see them apart, 12 at least."""
    texts = ("", "")
    for digits in SHOWN_DIGITS:
        texts = _number(claimed, digits), _number(true, digits)
        if texts[0] != texts[1]:
            break
    return texts


def _number(value, digits: int) -> str:
    return str(value) if isinstance(value, Fraction | int) else value.context.nstr(value, digits)
