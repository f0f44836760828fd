"""Jacobians of code with conditions, as people write it: right ones are right, no slip passes as right everywhere."""

from __future__ import annotations

import pytest

from tests.support.subset import first_of
from tests.verify.corpus.guarded import CASES, Guarded, as_expected

FIRST = ("gyroscopic torque, twice where n0 = n1", "update of an angular velocity, twice where (n0 - n1)^2 = 0")
ORDERED = sorted(CASES, key=lambda case: case.name not in FIRST)


@pytest.mark.parametrize("case", first_of(ORDERED, kept=6), ids=lambda case: case.name)
def test_a_guarded_claim_is_judged_as_it_is(case: Guarded) -> None:
    report = case.ask()
    assert as_expected(case.expected, report), str(report)
