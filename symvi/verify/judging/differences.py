"""Derivatives of functions that take machine numbers only: central differences on the manifold, and their errors.

D(t) = (f(x + t) - f(x - t)) / 2t = f' + a t² + b t⁴ + ...: a Richardson step over two steps t takes a t² away, a third
one shows what is left. Steps get shorter until that is next to nothing; near a jump they get shorter than the way to
it. Tiny steps show how f is rounded. Where its slope over them is another one, f itself goes in steps: it has no
derivative that anybody means. No step is a multiple of a grid that code rounds to, nor do three of them fit one grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from symvi.verify.errors import OutsideDomain
from symvi.verify.reading.worlds import World

FIRST_STEP, RATIO, STEPS = Fraction(1, 173), Fraction(3, 7), 10
TINY_STEPS = (Fraction(1, 1_000_000_007), Fraction(173, 10**11 + 3), Fraction(307, 10**11 + 19))
LARGE = 1000  # arguments, whose tiny steps grow with them
SETTLED = 1e-8  # of a slope: what another step may change
LEAST = 1e-12  # changes of outputs that nobody can see
KINK = 0.3  # of f(x + t) + f(x - t) - 2 f(x), over RATIO times t: RATIO² where f is smooth, RATIO where it has a kink
ROUNDING = 1e-14  # of machine numbers, of an output's size
SHAKE, SHAKES = Fraction(3, 10**15), 6  # what shows the roundings inside of a function, and how many times
SEVERAL = 4  # times the roundings that are seen: there may be larger ones
GRID = 3e-10  # larger steps of a function are no roundings of machine numbers
FAR_FROM = 0.5  # of a slope: what tiny steps may differ by
NO_SLOPE = "jumps, goes in steps as what is rounded does, or has a kink: differences over shorter steps disagree"


@dataclass(frozen=True)
class Pair:
    """Two values of every output, `step` ahead and behind: half their difference, and their sum beyond twice f(x)."""

    step: Any
    odd: list
    even: list


@dataclass(frozen=True)
class Slope:
    """A difference, and what it may be wrong by."""

    value: Any
    error: Any


def differences(of: Callable[[Mapping], list], question, values: Mapping, world: World) -> list[Slope]:
    """The derivatives of all outputs in all directions, row by row; of(values) are the outputs.

    Raises OutsideDomain where they do not settle: the function jumps or has a kink there, or goes in steps.
    """
    still = of(values)
    noise = _roundings(of, still, values, world)
    columns = []
    for name, k in question.directions:
        size = max(world.one, *(abs(x) / LARGE for x in values[name]))
        columns.append(_column(_pairs(of, question, values, world, name, k, still), noise, size, world))
    return [column[i] for i in range(len(still)) for column in columns]


def _roundings(of: Callable, still: list, values: Mapping, world: World) -> list:
    """How much every output changes when each number is shaken by a few units of its last place, several times."""
    random, found = Random(SHAKES), [abs(x) * ROUNDING for x in still]
    for _ in range(SHAKES):
        shaken = {
            name: [x * (1 + world.constant(SHAKE * random.choice((-1, 1)))) for x in given]
            for name, given in values.items()
        }
        found = [max(n, abs(x - y)) for n, x, y in zip(found, of(shaken), still, strict=True)]
    return found


def _pairs(of: Callable, question, values: Mapping, world: World, name: str, k: int, still: list) -> Callable:
    """t -> the Pair of all outputs along the direction k of a variable."""
    variable = question.variables[name]

    def at(t) -> list:
        moved = variable.moved(values[name], k, t)
        if variable.kind == "quaternion" and variable.is_turned:
            size = world.functions.sqrt(sum((x * x for x in moved), world.zero))
            moved = [x / size for x in moved]
        return of({**values, name: moved})

    def pair(t) -> Pair:
        both = list(zip(at(t), at(-t), still, strict=True))
        return Pair(t, [(a - b) / 2 for a, b, _ in both], [a + b - 2 * f for a, b, f in both])

    return pair


def _column(pair: Callable, noise: list, size, world: World) -> list[Slope]:
    """The slopes of all outputs in one direction."""
    tiny = [pair(world.constant(step) * size) for step in TINY_STEPS]
    seen = [_seen(tiny, i) for i in range(len(noise))]
    allowed = [max(n, rough) for n, (_, rough) in zip(noise, seen, strict=True)]
    found: dict[int, Slope] = {}
    for three in _ladder(pair, world):
        for i, n in enumerate(allowed):
            if i not in found and (slope := _settled(three, i, n, LEAST * size)) is not None:
                found[i] = slope
        if len(found) == len(noise):
            break
    else:
        raise OutsideDomain(NO_SLOPE)
    largest = max(1, *(abs(slope.value) for slope in found.values()))
    for i, (direct, rough) in enumerate(seen):
        way, slope = tiny[-1].step, found[i].value
        goes = abs(direct - slope) * way > max(FAR_FROM * abs(slope) * way, SEVERAL * allowed[i] + LEAST * way)
        if goes or rough > SEVERAL * noise[i] + GRID * size * largest:
            raise OutsideDomain(NO_SLOPE)
    return [found[i] for i in range(len(noise))]


def _seen(tiny: Sequence[Pair], i: int) -> tuple:
    """An output's slope over tiny steps, and how far from a line its values are."""
    slope = sum(p.step * p.odd[i] for p in tiny) / sum(p.step * p.step for p in tiny)
    return slope, max(max(abs(p.odd[i] - slope * p.step), abs(p.even[i]) / 2) for p in tiny)


def _ladder(pair: Callable, world: World) -> Iterator[list[Pair]]:
    """Three pairs at a time, of shorter and shorter steps; steps out of the domain are left out."""
    pairs: list[Pair] = []
    for number in range(STEPS):
        try:
            pairs.append(pair(world.constant(FIRST_STEP * RATIO**number)))
        except OutsideDomain:
            pairs.clear()
        if len(pairs) >= 3:
            yield pairs[-3:]


def _settled(three: Sequence[Pair], i: int, noise, least) -> Slope | None:
    """The slope of an output by a Richardson step over the two shorter ones of three steps; None where it is open."""
    square = float(RATIO**2)
    far, near, last = (p.odd[i] / p.step for p in three)
    before, value = (near - square * far) / (1 - square), (last - square * near) / (1 - square)
    gap, roundings = abs(value - before), SEVERAL * noise / three[-1].step
    if gap > SETTLED * abs(value) + least / three[-1].step + roundings:
        return None
    if abs(three[-1].even[i]) > KINK * abs(three[-2].even[i]) + SEVERAL * noise + least:
        return None
    return Slope(value, gap + roundings)
