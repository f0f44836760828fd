"""The ways through a function's conditions, each the sequence of what its conditions said, turns of loops one by one.

Random points find the wide ones; `aiming` looks for those between and behind thresholds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from symvi.verify.asking.effort import AIMING, current
from symvi.verify.asking.points import Point
from symvi.verify.errors import VerificationError
from symvi.verify.judging.aiming import aimed, is_telling
from symvi.verify.judging.looking import SEVERAL, Looking, Seen, is_still
from symvi.verify.judging.problem import ANOTHER_POINT, NO_VALUE, Problem, spread_of
from symvi.verify.reading.sites import OF_AN_ARRAY, all_alike, by_turns
from symvi.verify.reading.worlds import RealWorld, World

SCAN_DIGITS, SCANNED, FIRST = 30, 150, 10
MANY_DIGITS, STILL_IN_MANY = 400, 1e-320  # for what may be lost in those of a scan; what is left there of a zero
MORE_SCANNED = 450  # where there are many ways
MOST_ASKED = 10000  # conditions, at points beyond the first SCANNED
EXAMPLES = 2  # points of every way that are compared, of each size
MOST_ORDINARY, MOST_SPECIAL = 4, 3  # of ways that no random point took
MANY_WAYS = 16
ORDINARY = Fraction(1, 4)  # size of the numbers of a point
FEW_TURNS = 4  # of a condition that are told one by one


@dataclass
class Branch:
    """The points of one way through all conditions, and what was found there.

    aimed: whether no random point came here. ordinary: how many of the points, the first ones, are not special; where
    there is none, how many show all the same what holds here. wrong: entries that differ. noted: those whose error does
    not matter, and how large it is beside the largest entry of their block. other: where the function's formula has
    another slope than its surroundings. rounded: entries that differ by roundings of constants only. exact: whether
    claim and truth were compared as fractions; has_roots: with square roots among them. is_reached: whether the points
    show what holds on this way. is_looked_at: whether one was compared. wide: whether a random point of ordinary size
    came here.
    """

    path: tuple
    points: list[Point] = field(default_factory=list)
    aimed: bool = False
    ordinary: int = 0
    wrong: set[int] = field(default_factory=set)
    rounded: set[int] = field(default_factory=set)
    largest: dict[int, float] = field(default_factory=dict)
    noted: dict[int, float] = field(default_factory=dict)
    other: dict[int, float] = field(default_factory=dict)
    exact: bool = False
    has_roots: bool = False
    is_reached: bool = True
    is_looked_at: bool = False
    wide: bool = False

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

    once: how many ways only a single random point took: where there are some, there may be others. is_cut: whether the
    effort was spent before all points were looked at. still: conditions
    whose two numbers differ by the same everywhere on the manifold, like a check of a quaternion's length, or are equal
    only where code has turned away before; still_sites: where all turns are of the first kind.
    """

    branches: list[Branch]
    undefined: int
    points: int
    once: int
    is_cut: bool
    still: frozenset = frozenset()
    still_sites: frozenset = frozenset()


def scan(problem: Problem, points: int = EXAMPLES) -> Scan:
    """The branches that random and aimed points reach. Raises VerificationError where no point has a value.

    points: random ones that are kept of every size.
    """
    found: dict[tuple, Branch] = {}
    seen: list[Seen] = []
    sizes: Counter = Counter()
    undefined, last, world, number, asked = 0, None, RealWorld(SCAN_DIGITS), 0, 0
    world.keeps_gaps, effort = True, current()
    effort.stage = "random points"
    while number < (SCANNED if len(found) <= MANY_WAYS or asked > MOST_ASKED else MORE_SCANNED):
        if number >= max(FIRST, points) and found and all(not path for path in found):
            break
        if found and number >= FIRST and effort.is_spent(AIMING):
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
        branch, size = found.setdefault(path, Branch(path)), (path, spread_of(number - 1))
        sizes[size] += 1
        branch.wide |= spread_of(number - 1) >= ORDINARY
        if sizes[size] <= (points if spread_of(number - 1) == 1 else 1):
            branch.points.append(point)
    if not found:
        raise VerificationError(f"{problem.function.said}: no value at any of {SCANNED} points on the manifold: {last}")
    once = sum(count == 1 for count in Counter(one.path for one in seen).values())
    still = _still(problem, seen)
    looking = Looking(problem, world)
    if any(found):
        effort.stage = "points at thresholds"
        with effort.searching():
            _aim(problem, seen, found, looking)
    is_cut = bool(any(found)) and effort.is_spent(AIMING)
    ends = still | {at for at in looking.never_equal if at[0] in world.equalities}
    moving = {site for one in seen for site, turn in one.asked if (site, turn) not in still}
    sites = frozenset(site for site, _ in still) - moving
    return Scan(list(found.values()), undefined, number, once if len(found) > MANY_WAYS else 0, is_cut, ends, sites)


def _aim(problem: Problem, seen: list[Seen], found: dict[tuple, Branch], looking: Looking) -> None:
    """Add the ways that aimed points take. Those that only special points took may not have been reached."""
    for branch in found.values():
        branch.ordinary = len(branch.points)
    sharp, usual = RealWorld(), {(at, way) for one in seen for at, (way, _) in one.asked.items()}
    sharp.keeps_gaps = True
    special: dict[tuple, list[Seen]] = {}
    for one in aimed(problem, seen, looking):
        branch = found.get(one.path)
        if branch is not None and (branch.wide or (branch.ordinary >= MOST_ORDINARY and not one.solved)):
            continue
        if (one := _sharp(problem, one, sharp)) is None:
            continue
        branch = found.setdefault(one.path, Branch(one.path, aimed=True, is_reached=False))
        if branch.wide:
            continue
        if one.solved or (not one.stuck and branch.ordinary < MOST_ORDINARY):
            branch.points.insert(0 if one.solved else branch.ordinary, one.point)
            branch.ordinary += 1
            branch.is_reached = True
        elif one.stuck:
            special.setdefault(one.path, []).append(one)
    for path, ones in special.items():
        branch = found[path]
        ones = sorted(ones, key=lambda one: len(one.stuck))[:MOST_SPECIAL]
        if not branch.is_reached:
            rare = [{at for at, (way, _) in one.asked.items() if (at, way) not in usual} for one in ones]
            telling = [one for one, each in zip(ones, rare, strict=True) if is_telling(problem, one, each)]
            ones = telling + [one for one in ones if one not in telling]
            branch.ordinary, branch.is_reached = len(telling), bool(telling)
        branch.points += [one.point for one in ones]


def _sharp(problem: Problem, one: Seen, world: World) -> Seen | None:
    """A point with the way that it goes in all digits: numbers that are equal in those of a scan may not be."""
    if all(one.gaps):
        return one
    try:
        path = problem.path(one.point, world)
    except NO_VALUE:
        return None
    return replace(one, path=path, gaps=world.gaps)


def _still(problem: Problem, seen: list[Seen]) -> frozenset:
    """The conditions, (site, turn), that compare the same two numbers at all random points.

    In the digits of a scan a number is lost beside one that is much larger: what seems still is looked at in many more.
    """
    world = RealWorld(MANY_DIGITS, MANY_DIGITS)
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


def one_way_conditions(branches: list[Branch], still: frozenset = frozenset()) -> list[str]:
    """Those that went one way only, all of their turns or some; of `still` ones the other way is not there.

    Of an array, all of its numbers at once are a condition as well: code may ask for them together.
    """
    turns: dict[object, dict[int, set[bool]]] = {}
    alike: set[tuple] = set()
    special: set[object] = set()
    for branch in branches:
        if not branch.is_reached:
            special |= set(branch.path)
            continue
        alike |= all_alike(branch.path)
        for (site, turn), (_, way) in zip(by_turns(branch.path), branch.path, strict=True):
            if (site, turn) not in still:
                turns.setdefault(site, {}).setdefault(turn, set()).add(way)
    return [said for site, ways in turns.items() for said in _one_way(site, ways, alike, special)]


def _one_way(site: object, turns: dict[int, set[bool]], alike: set[tuple], special: set[object]) -> Iterator[str]:
    ways = set().union(*turns.values())
    if len(ways) == 1:
        said = f"{site} was {'always' if True in ways else 'never'} true"
        yield said + ", but for special places" * ((site, not min(ways)) in special)
        return
    for way in (True, False):
        found = [str(turn) for turn, went in turns.items() if went == {way}]
        if found:
            yield f"{site} was {'always' if way else 'never'} true in turn{'s' * (len(found) > 1)} {', '.join(found)}"
        if str(site).endswith(OF_AN_ARRAY) and (site, way) not in alike:
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
