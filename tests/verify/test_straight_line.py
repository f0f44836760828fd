"""Straight lines of operations give what code gives: its numbers, its conditions, its errors; code runs once a way."""

import inspect
import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest

import symvi.verify as verify
from symvi.verify.asking.points import Draw, draw_point
from symvi.verify.asking.question import question
from symvi.verify.errors import OutsideDomain
from symvi.verify.judging.known_errors import BoundedWorld
from symvi.verify.judging.problem import NO_VALUE, in_world
from symvi.verify.judging.truth import true_derivative
from symvi.verify.reading.function import Function
from symvi.verify.reading.python_source import python_function
from symvi.verify.reading.straight_line import FAILED, MOST_OPERATIONS
from symvi.verify.reading.worlds import FloatWorld, RealWorld
from tests.support.subset import first_of
from tests.verify.corpus import guarded

WORLDS = {"60 digits": RealWorld, "120 digits": lambda: RealWorld(120), "bounds": BoundedWorld, "floats": FloatWorld}
SIZES = (Fraction(1), Fraction(1, 10**9), Fraction(1), Fraction(100), Fraction(1, 10**4))
S, V3 = verify.scalar(), verify.vector(3)


def seen(evaluate, values, world):
    """Numbers, or the kind of error, with all that a world writes down."""
    world.keeps_gaps = True
    try:
        found = evaluate(values, world)
        entries = [getattr(x, "value", x) for x in found.entries], found.shape
    except NO_VALUE as error:
        entries = type(error), str(error)
    path = world.path()
    gaps = [getattr(x, "value", x) for x in world.gaps]
    return entries, path, gaps, world.ties, world.equalities, world.roundings


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("each", first_of(guarded.CASES), ids=lambda each: each.name)
def test_numbers_and_conditions_are_those_of_the_code(each, world):
    """Bit by bit: the same operations in the same order, on points of many sizes, so that all ways are gone."""
    random = Random(each.name)
    for given in (each.function, each.claimed):
        function = python_function(given, each.variables)
        for size in SIZES * 3:
            point = draw_point(each.variables, Draw(random, spread=size))
            one, other = WORLDS[world](), WORLDS[world]()
            assert seen(function.found, in_world(point, one), one) == seen(
                function.evaluate, in_world(point, other), other
            )


@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_are_those_of_the_code(order):
    """Dual numbers go through the same operations; a division by one is done by its reciprocal, rounded once more."""

    def function(x):
        n = np.linalg.norm(x)
        return np.array([np.sin(n) / n * x[0] if n > 1 else x[0] * x[1] ** 3, abs(x[2]) / (1 + n)])

    given = python_function(function, {"x": V3})
    asked = question("x", {"x": V3}, order, None, 2)
    for number in range(6):
        point = draw_point({"x": V3}, Draw(Random(number)))
        world = RealWorld()
        truth = true_derivative(given, asked, in_world(point, world), world)
        plain = RealWorld()
        plain.replays = None
        expected = true_derivative(given, asked, in_world(point, plain), plain)
        assert all(abs(a - b) < 1e-55 * (1 + abs(b)) for a, b in zip(truth, expected, strict=True))
        assert world.path() == plain.path()


def counted(function, variables):
    """A function of the user's, and how often it has run."""
    runs = []

    def count(**values):
        runs.append(1)
        return function(**values)

    count.__signature__ = inspect.signature(function)
    return python_function(count, variables), runs


def at(function: Function, **numbers):
    world = RealWorld()
    return [float(x) for x in function.found({n: [world.constant(v)] for n, v in numbers.items()}, world).entries]


def test_code_runs_once_on_every_way():
    function, runs = counted(lambda x: x * x if x > 1 else math.sin(x), {"x": S})
    assert [at(function, x=x)[0] for x in (2, 3, 4)] == [4, 9, 16]
    assert len(runs) == 1
    assert at(function, x=0) == [0] and at(function, x=-1) == pytest.approx([-math.sin(1)])
    assert len(runs) == 2


def test_forster_runs_seldom():
    """Three seconds of a processor are what a person waits; runs of code are most of them, and are counted here."""
    each = next(one for one in guarded.CASES if one.name == "two gyroscope samples (Forster)")
    runs = []

    def function(b, w, p, dt):
        runs.append(1)
        return each.function(b, w, p, dt)

    assert verify.derivative(function, each.claimed, each.wrt, each.variables).everywhere
    assert len(runs) < 400


def test_an_error_that_code_catches_is_no_way():
    """The operation that fails is no comparison: its line is not kept."""

    def function(x, y):
        try:
            return x / y
        except ZeroDivisionError:
            return x

    given = python_function(function, {"x": S, "y": S})
    assert at(given, x=3, y=0) == [3]
    assert at(given, x=3, y=2) == [1.5]
    assert at(given, x=3, y=0) == [3]


def test_errors_are_the_code_s_own():
    given = python_function(lambda x: math.log(x), {"x": S})
    assert at(given, x=1) == [0]
    with pytest.raises(OutsideDomain):
        at(given, x=-1)
    given = python_function(lambda x: 1 / x, {"x": S})
    assert at(given, x=2) == [0.5]
    with pytest.raises(ZeroDivisionError, match=r"test_straight_line\.py:\d+ divides by zero"):
        at(given, x=0)


def test_code_that_does_other_things_before_the_same_comparison_runs_every_time():
    """It depends on more than its arguments; nothing of it is kept for long."""
    turns = []

    def function(x):
        turns.append(1)
        y = x * x if len(turns) % 2 else x + 5
        return y if y > 1 else -y

    given = python_function(function, {"x": S})
    for x in (0, 2, 0, 2):
        at(given, x=x)
    assert given.lines.left <= MOST_OPERATIONS - FAILED


def test_pivots_are_comparisons():
    """np.linalg.solve takes the first pivot that is not zero, which is no condition of the user's."""
    given = python_function(lambda x: np.linalg.solve(np.array([[x, 1.0], [1.0, 0.0]]), np.array([1.0, 2.0])), {"x": S})
    assert at(given, x=3) == [2, -5]
    assert at(given, x=0) == [2, 1]
    assert at(given, x=3) == [2, -5]
