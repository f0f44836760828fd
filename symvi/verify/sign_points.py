"""Where another sign of a root may show: claim and truth in floats at many points, some of them far away.

A prime field does not see signs, as of sqrt(x²) for x below zero; floats do, and are quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from random import Random
from time import process_time

from symvi.verify.errors import Endless
from symvi.verify.patience import searching
from symvi.verify.points import Draw, Point, draw_point
from symvi.verify.problem import NO_VALUE, Problem
from symvi.verify.worlds import FloatWorld

FAR, MANY = (10**3, 10**5, 10**8), 5  # sizes of numbers, and points of each
NEAR = 30  # points of ordinary size
ROUGH = 1e-7  # of the largest entry: what is less apart may be rounding
SECONDS = 3.0  # of a processor, for all points together


class SignPoints:
    """Evaluated once for all ways through the conditions."""

    def __init__(self, problem: Problem):
        self.problem = problem

    def apart(self, path: tuple, hidden: list[bool]) -> Iterator[Point]:
        """Points of a way at which an entry differs of which no difference has been seen."""
        for point, taken, pairs in self._seen:
            size = max((abs(x) for pair in pairs for x in pair), default=0) + 1e-9
            if taken == path and any(abs(t - c) > ROUGH * size and hidden[k] for k, (t, c) in enumerate(pairs)):
                yield point

    @cached_property
    def _seen(self) -> list[tuple[Point, tuple, list[tuple]]]:
        with searching():
            return list(self._evaluated())

    def _evaluated(self) -> Iterator[tuple[Point, tuple, list[tuple]]]:
        began = process_time()
        for point in self._points():
            world = FloatWorld()
            try:
                pairs = list(zip(self.problem.truth(point, world), self.problem.claim(point, world), strict=True))
            except Endless:
                return  # those further away take longer
            except NO_VALUE:
                continue
            yield point, world.path(), pairs
            if process_time() - began > SECONDS:
                return

    def _points(self) -> Iterator[Point]:
        yield from (self.problem.draw(number) for number in range(NEAR))
        random, variables = Random(f"{self.problem.seed} far"), self.problem.question.variables
        yield from (draw_point(variables, Draw(random, spread=spread)) for spread in FAR for _ in range(MANY))
