"""Explanations that hold at a special place only, as at a turn that is none, where many formulas are the same.

On a way that no random point takes, formulas are compared at ordinary points as well: conditions are made to go that
way, wherever the point is.
"""

from __future__ import annotations

from symvi.verify.comparing import proportion
from symvi.verify.decide import Branch
from symvi.verify.points import Point
from symvi.verify.problem import NO_VALUE, Problem
from symvi.verify.scopes import Scope
from symvi.verify.variants import Matrix, Variant
from symvi.verify.ways import GuidedWorld
from symvi.verify.worlds import DIGITS, RealWorld

ORDINARY = range(8)  # points that are tried
ENOUGH = 2  # of them, with values
NEAR = 1e-30


def by_chance(problem: Problem, branch: Branch, claim: Variant, variant: Variant, scope: Scope, same: bool) -> bool:
    """Whether a claim's formula on an aimed way is not a variant's, or no multiple of it, at ordinary points.

    same: whether they are said to be the same, without a factor.
    """
    if not branch.aimed or problem.in_floats:
        return False
    of_function, of_claim = _ways(problem, branch.points[0])
    compared = 0
    for number in ORDINARY:
        point = problem.draw(number)
        claimed, found = _guided(claim, point, of_claim), _guided(variant, point, of_function)
        if claimed is None or found is None:
            continue
        ratio = proportion(claimed, found, scope, NEAR)
        if ratio is None or same and abs(ratio - 1) > NEAR:
            return True
        compared += 1
        if compared == ENOUGH:
            break
    return False


def _ways(problem: Problem, point: Point) -> tuple[tuple, tuple]:
    """How the conditions of function and claim go."""
    world = RealWorld()
    problem.values(point, world)
    of_function = world.path()
    problem.claim(point, world)
    return of_function, world.path()


def _guided(variant: Variant, point: Point, way: tuple) -> Matrix | None:
    try:
        return variant.of(point, GuidedWorld(way, DIGITS))
    except NO_VALUE:
        return None
