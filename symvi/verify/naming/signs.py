"""A sign that was lost: the square root of x² is |x|, arcsin(sin x) is not x everywhere."""

from __future__ import annotations

from fractions import Fraction

from symvi.verify.judging.decide import Branch
from symvi.verify.judging.entries import Diagnosis
from symvi.verify.judging.problem import NO_VALUE, Problem, spread_of
from symvi.verify.reading.worlds import FloatWorld

SEEN = 1e-8
POINTS = 24
FAR = Fraction(1, 4)


def lost_sign(problem: Problem, branch: Branch) -> Diagnosis | None:
    """What is said of a claim whose wrong entries are right at some points and have the other sign at all others."""
    agreed: dict[int, set[int]] = {k: set() for k in branch.wrong}
    for number in range(POINTS):
        if problem.in_floats and spread_of(number) < FAR:  # differences would step over a kink
            continue
        point, world = problem.draw(number), FloatWorld()
        try:
            truth, claim = problem.truth(point, world), problem.claim(point, world)
        except NO_VALUE:
            continue
        if world.path() != branch.path:
            continue
        for k, signs in agreed.items():
            near = SEEN * (1e-6 + abs(truth[k]))
            if abs(truth[k]) > SEEN:
                signs.add(1 if abs(claim[k] - truth[k]) < near else -1 if abs(claim[k] + truth[k]) < near else 0)
        if any(0 in signs for signs in agreed.values()):
            return None
    if not all(signs == {1, -1} for signs in agreed.values()):
        return None
    said = "right at some points, the wrong sign at others: a sign is lost, as where sqrt(x²) = |x| is taken for x"
    return Diagnosis("the wrong entries", said, frozenset(branch.wrong), "sign", 0.5)
