"""Python code that is no function of its arguments alone: forward passes that are kept, counters, questions of type."""

from __future__ import annotations

import pytest

import symvi.verify as verify
from symvi.verify import VerificationError

X = {"x": verify.scalar()}


def kept_in_a_dictionary():
    kept = {}

    def f(x):
        kept["square"] = x * x
        return kept["square"] * x

    return f, lambda x: 3 * kept["square"]


def kept_in_a_closure():
    square = None

    def f(x):
        nonlocal square
        square = x * x
        return square * x

    return f, lambda x: 3 * square


def kept_in_an_object():
    class Solver:
        def value(self, x):
            self.square = x * x
            return self.square * x

    solver = Solver()
    return solver.value, lambda x: 3 * solver.square


@pytest.mark.parametrize("pair", [kept_in_a_dictionary, kept_in_a_closure, kept_in_an_object])
def test_what_the_function_keeps_for_its_derivative_is_of_the_same_point(pair) -> None:
    report = verify.derivative(*pair(), "x", X)
    assert report.right and "leaves behind" in "; ".join(report.notes), str(report)


def test_a_wrong_claim_that_uses_what_is_kept_is_wrong() -> None:
    f, claim = kept_in_a_dictionary()
    report = verify.derivative(f, lambda x: 2 * claim(x) / 3, "x", X)
    assert "2/3 times the true value" in str(report)


def test_a_rare_counter_is_seen() -> None:
    calls = [0]

    def claim(x):
        calls[0] += 1
        return 2 * x + (calls[0] % 97 == 0)

    with pytest.raises(VerificationError, match="different values for the same arguments"):
        verify.derivative(lambda x: x * x, claim, "x", X)


def test_code_that_asks_for_floats_is_judged_by_what_it_does_with_floats() -> None:
    right = verify.derivative(lambda x: x * x, lambda x: 2 * x if isinstance(x, float) else 3 * x, "x", X)
    assert right.right and "does it ask for a type?" in "; ".join(right.notes)
    wrong = verify.derivative(lambda x: x * x, lambda x: 3 * x if isinstance(x, float) else 2 * x, "x", X)
    assert "3/2 times the true value" in str(wrong)
