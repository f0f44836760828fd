"""The corpus tells the truth about itself: every entry that a case calls right or wrong, to a hundred digits.

The witness is a central difference along the tangents at three random points, ten times as many where a condition
chooses between laws: with steps of 1e-20 its error is near 1e-40 for first and for second derivatives, and derivatives
that differ at all differ by far more than 1e-12 at one of the points.
"""

from __future__ import annotations

from random import Random

import mpmath
import numpy as np
import pytest

from tests.verify.corpus.differences import claimed, derivative
from tests.verify.corpus.loading import ForeignNumbers, load, numeric, written_in_sympy
from tests.verify.corpus.points import point

DIGITS = mpmath.mp.clone()
DIGITS.dps = 100
STEP = DIGITS.mpf(10) ** -20
EQUAL, DIFFERENT = 1e-15, 1e-12  # what Python divides, 1 / 3, is a double

FUNCTIONS = {name: getattr(DIGITS, name) for name in ("sqrt", "sin", "cos", "tan", "exp", "log", "atan2", "acos")}
NUMPY = ForeignNumbers(
    {**FUNCTIONS, "arctan2": DIGITS.atan2, "arccos": DIGITS.acos, "sign": DIGITS.sign, "pi": +DIGITS.pi}
)
CASES = {
    **load(NUMPY),
    **{name: numeric(case, [{**FUNCTIONS, "mpf": DIGITS.mpf}, "mpmath"]) for name, case in written_in_sympy().items()},
}


def worst_differences(name: str) -> np.ndarray:
    """The largest relative difference of every entry at three points of every law."""
    case, random = CASES[name], Random(name)
    found = []
    for _ in range(3 if case.branches == 1 else 10 * case.branches):
        at = point(case, random, DIGITS.mpf, DIGITS.sqrt)
        claim, truth = claimed(case, at), derivative(case, at, STEP, DIGITS.sqrt)
        assert claim.shape == truth.shape, "the claim has another shape than the derivative"
        scale = max(abs(entry) for entry in truth.flat) or DIGITS.mpf(1)
        found.append(np.array([float(abs(entry) / scale) for entry in (claim - truth).flat]).reshape(truth.shape))
    return np.max(found, axis=0)


@pytest.mark.parametrize("name", CASES)
def test_entries_are_wrong_where_the_case_says_so_and_nowhere_else(name: str) -> None:
    case, differences = CASES[name], worst_differences(name)
    said = np.array([[bool(case.wrong(i, j)) for j in range(differences.shape[1])] for i in range(len(differences))])
    assert np.all((differences < EQUAL) | (differences > DIFFERENT))
    assert np.array_equal(differences > DIFFERENT, said), f"wrong entries are\n{(differences > DIFFERENT).astype(int)}"
    assert case.right != said.any()
    assert not (case.right and case.diagnoses)
