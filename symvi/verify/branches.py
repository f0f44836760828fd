"""The ways through a function's conditions, each the sequence of what its conditions said, turns of loops one by one.

Random points find the wide ones; `aiming` looks for those between and behind thresholds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from symvi.verify.aiming import aimed
from symvi.verify.errors import VerificationError
from symvi.verify.looking import Seen
from symvi.verify.patience import searching
from symvi.verify.points import Point
from symvi.verify.problem import ANOTHER_POINT, NO_VALUE, Problem
from symvi.verify.sites import OF_AN_ARRAY, all_alike, by_turns
from symvi.verify.thresholds import SEVERAL, is_still
from symvi.verify.worlds import RealWorld, World

SCAN_DIGITS, SCANNED, FIRST = 30, 150, 6
MANY_DIGITS, STILL_IN_MANY = 400, 1e-320  # for what may be lost in those of a scan; what is left there of a zero
MORE_SCANNED = 450  # where there are many ways
MOST_ASKED = 10000  # conditions, at points beyond the first SCANNED
EXAMPLES = 2  # real points of every branch
MORE_EXAMPLES = 5  # of aimed ones, where the function may have no derivative
MOST_GENERIC = 6  # of those, at which all but an equality is random
MANY_WAYS = 16
FEW_TURNS = 4  # of a condition that are told one by one


@dataclass
class Branch:
    """The points of one way through all conditions, and what was found there.

    aimed: whether no random point came here. wrong: entries that differ. rounded: those that differ by roundings of
    constants only. counted: for every prime and entry, the points at which it agreed. doubt: the decimal logarithm of a
    bound of the probability that a wrong entry passed. opaque, roots: whether functions or roots made some points of
    fields say nothing. series: entries that differ by what a series leaves out in a small region, and how much of an
    entry's size that is; unclear: whether one of them has something else instead; tends: whether it is an iteration
    that leaves it out, rough: how much, where it ends far from what it tends to. kink: whether the function has no
    derivative there, or has that of its surroundings. generic: how many of the points, the first ones, are random but
    for numbers that are equal there.
    """

    path: tuple
    points: list[Point] = field(default_factory=list)
    aimed: bool = False
    wrong: set[int] = field(default_factory=set)
    rounded: set[int] = field(default_factory=set)
    counted: dict[int, list[int]] = field(default_factory=dict)
    largest: dict[int, float] = field(default_factory=dict)
    doubt: float = 0.0
    opaque: bool = False
    roots: int = 0
    series: dict[int, float] = field(default_factory=dict)
    unclear: bool = False
    tends: bool = False
    rough: float = 0.0
    kink: bool = False
    generic: int = 0

    @property
    def said(self) -> str:
        """What every condition said; of one that was asked several times, in its order."""
        ways: dict[object, list[bool]] = {}
        for site, way in self.path:
            ways.setdefault(site, []).append(way)
        return ", ".join(f"{site} is {_said(found)}" for site, found in ways.items())


def _said(found: list[bool]) -> str:
    words = ["true" if way else "false" for way in found]
    if len(set(words)) == 1:
        return words[0]
    if len(words) <= FEW_TURNS:
        return ", then ".join(words)
    rare = min((True, False), key=found.count)
    turns = ", ".join(str(turn) for turn, way in enumerate(found, 1) if way == rare)
    return f"{str(rare).lower()} in turn{'s' * (found.count(rare) > 1)} {turns} of {len(found)}"


@dataclass
class Scan:
    """branches: by path, those of random points first. undefined: points without a value, of `points`.

    once: how many ways only a single random point took: where there are some, there may be others. still: conditions
    whose two numbers differ by the same everywhere on the manifold, like a check of a quaternion's length; still_sites:
    where all turns are such.
    """

    branches: list[Branch]
    undefined: int
    points: int
    once: int
    still: frozenset = frozenset()
    still_sites: frozenset = frozenset()


def scan(problem: Problem) -> Scan:
    """The branches that random and aimed points reach. Raises VerificationError where no point has a value."""
    found: dict[tuple, Branch] = {}
    seen: list[Seen] = []
    undefined, last, world, number, asked = 0, None, RealWorld(SCAN_DIGITS), 0, 0
    world.keeps_gaps = True
    while number < (SCANNED if len(found) <= MANY_WAYS or asked > MOST_ASKED else MORE_SCANNED):
        if number >= FIRST and found and all(not path for path in found):
            break
        point = problem.draw(number)
        number += 1
        try:
            path = evaluated(problem, lambda p=point: problem.path(p, world))
        except ANOTHER_POINT as error:
            undefined, last = undefined + 1, error
            continue
        seen.append(Seen(point, path, world.gaps))
        asked += len(path)
        _add(found, seen[-1], False)
    if not found:
        raise VerificationError(f"{problem.function.said}: no value at any of {SCANNED} points on the manifold: {last}")
    once = sum(count == 1 for count in Counter(one.path for one in seen).values())
    still = _still(problem, seen)
    if any(found):
        sharp = RealWorld()
        with searching():
            for one in aimed(problem, seen, world):
                if _is_wanted(found, one) and (one := _sharp(problem, one, sharp)) is not None:
                    _add(found, one, True)
    moving = {site for one in seen for site, turn in one.asked if (site, turn) not in still}
    sites = frozenset(site for site, _ in still) - moving
    return Scan(list(found.values()), undefined, number, once if len(found) > MANY_WAYS else 0, still, sites)


def _is_wanted(found: dict[tuple, Branch], one: Seen) -> bool:
    """Whether one more aimed point may say something new of its branch."""
    branch = found.get(one.path)
    if branch is None or (one.generic and branch.aimed and branch.generic < MOST_GENERIC):
        return True
    return len(branch.points) < MORE_EXAMPLES and branch.aimed


def _sharp(problem: Problem, one: Seen, world: World) -> Seen | None:
    """A point with the way that it goes in all digits: numbers that are equal in those of a scan may not be."""
    if one.generic or all(one.gaps):
        return one
    try:
        return replace(one, path=problem.path(one.point, world))
    except NO_VALUE:
        return None


def _add(found: dict[tuple, Branch], one: Seen, is_aimed: bool) -> None:
    """Points that are random but for an equality come first: they say the most about their branch."""
    branch = found.setdefault(one.path, Branch(one.path, aimed=is_aimed))
    if one.generic and branch.aimed and branch.generic < MOST_GENERIC:
        branch.points.insert(branch.generic, one.point)
        branch.generic += 1
    elif len(branch.points) < (MORE_EXAMPLES if is_aimed else EXAMPLES):
        branch.points.append(one.point)


def _still(problem: Problem, seen: list[Seen]) -> frozenset:
    """The conditions, (site, turn), that compare the same two numbers at all random points.

    In the digits of a scan a number is lost beside one that is much larger: what seems still is looked at in many more.
    """
    world = RealWorld(MANY_DIGITS)
    world.keeps_gaps = True
    sharp: dict[int, Seen] = {}
    found = [at for at, gaps in _gaps(seen).items() if is_still(gaps)]
    for at in found:
        for number in [number for number, one in enumerate(seen) if at in one.asked][:SEVERAL]:
            if number not in sharp:
                try:
                    path = problem.path(seen[number].point, world)
                except NO_VALUE:
                    continue
                sharp[number] = Seen(seen[number].point, path, world.gaps)
    gaps = _gaps(sharp.values())
    return frozenset(at for at in found if len(gaps.get(at, ())) < SEVERAL or is_still(gaps[at], STILL_IN_MANY))


def _gaps(seen: Iterable[Seen]) -> dict[tuple, list]:
    found: dict[tuple, list] = {}
    for one in seen:
        for at, (_, gap) in one.asked.items():
            found.setdefault(at, []).append(gap)
    return found


def one_way_conditions(
    branches: list[Branch],
    still: frozenset = frozenset(),
    has_one_way: Callable[[tuple], bool] = lambda at: False,
    never_all: Callable[[object, bool], bool] = lambda site, way: False,
) -> list[str]:
    """Those that went one way only, all of their turns or some; of `still` ones the other way is not there.

    Of an array, all of its numbers at once are a condition as well: code may ask for them together. has_one_way:
    whether a condition, (site, turn), has no other way, because of those before it; never_all: whether all numbers of
    an array at once cannot go a way.
    """
    turns: dict[object, dict[int, set[bool]]] = {}
    alike: set[tuple] = set()
    for branch in branches:
        alike |= all_alike(branch.path)
        for (site, turn), (_, way) in zip(by_turns(branch.path), branch.path, strict=True):
            if (site, turn) not in still:
                turns.setdefault(site, {}).setdefault(turn, set()).add(way)
    for site, ways in turns.items():
        for turn, went in ways.items():
            if len(went) == 1 and has_one_way((site, turn)):
                ways[turn] = {True, False}
    return [said for site, ways in turns.items() for said in _one_way(site, ways, alike, never_all)]


def _one_way(
    site: object, turns: dict[int, set[bool]], alike: set[tuple], never_all: Callable[[object, bool], bool]
) -> Iterator[str]:
    ways = set().union(*turns.values())
    if len(ways) == 1:
        yield f"{site} was {'always' if True in ways else 'never'} true"
        return
    for way in (True, False):
        found = [str(turn) for turn, went in turns.items() if went == {way}]
        if found:
            yield f"{site} was {'always' if way else 'never'} true in turn{'s' * (len(found) > 1)} {', '.join(found)}"
        if str(site).endswith(OF_AN_ARRAY) and (site, way) not in alike and not never_all(site, way):
            yield f"{site} was never {str(way).lower()} for all of its numbers"


def evaluated(problem: Problem, job: Callable):
    """A job's result, with a division by zero as an error of the one whose formula it is."""
    try:
        return job()
    except ZeroDivisionError as error:
        raise divided(problem, error) from error


def divided(problem: Problem, error: ArithmeticError) -> VerificationError:
    """The error for a formula that divides by zero where it should have a value."""
    return VerificationError(
        f"{problem.function.name} or its claimed derivative divides by zero on the manifold: {error}"
    )
