"""Functions as straight lines of operations: user code runs once on every way through its conditions, then its tape.

A run on numbers that write down what is done with them leaves a list of operations, up to the first comparison, and
from there on a list for each of its three outcomes: a tree. On other numbers, of any world, the tree gives what the
code gives, as the same operations in the same order; equal operations are done once. Where a way is new, or an
operation fails, the code itself runs. Comparisons that are no conditions, as of pivots, are part of the tree too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from symvi.exact.dual import Dual, reciprocal
from symvi.verify.errors import Endless
from symvi.verify.reading.recorded import ADD, DIVIDE, MULTIPLY, NEGATE, OPERATIONS, SUBTRACT, Recorded
from symvi.verify.reading.worlds import Enough, World, primal

MOST_OPERATIONS = 200_000  # of all ways of a function
# What is written down: operations that give a number each, and what only changes or asks.
CONSTANT, ROUNDED, PI, CALL = range(5, 9)
NUMBERS = range(9)
DECIDE, EQUALITY, COMPARE, ORDER, RESULT, SKIPPED = range(9, 15)
FAILED = MOST_OPERATIONS // 4  # what a run counts that could not be written


class Spoiled(Exception):
    """What a function does depends on more than comparisons."""


class Unknown(Exception):
    """A comparison came out as in no run before."""


class Written(Recorded):
    """A number of a world that writes down what is done with it."""

    __slots__ = ()

    def _other(self, other) -> Written | None:
        if type(other) is Written:
            return other if other.tape is self.tape else self.tape.spoil()
        return self.tape.constant(other) if type(other) is int else None

    def _spoil(self, *_):
        self.tape.spoil()

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = __abs__ = _spoil  # type: ignore[assignment]
    __hash__ = object.__hash__


class Tape(World):
    """A world over another one that writes down operations and comparisons, in their order."""

    exact = False

    def __init__(self, inner: World, count: int):
        self.inner, self.events, self.known, self.spoiled = inner, [], {}, False
        self.count = count  # of numbers: those of the variables come first
        super().__init__({name: self._called(name) for name in inner.functions.base})
        self.name, self.exact = inner.name, inner.exact
        self.equalities = _Equalities(self)  # type: ignore[assignment]

    def done(self, kind: int, a: Written, b: Written | None) -> Written:
        """The number that + - * / or a change of sign gives."""
        if b is None:
            return self.kept(kind, a.index, None, lambda: -a.value)
        return self.kept(kind, a.index, b.index, lambda: OPERATIONS[kind](a.value, b.value))

    def kept(self, kind: int, a, b, value: Callable[[], Any]) -> Written:
        """The number that an operation gives; the same one where it was done before."""
        key = kind, a, b
        if (found := self.known.get(key)) is not None:
            return found
        if len(self.events) > MOST_OPERATIONS:
            self.spoil()
        try:
            made = Written(value(), self.count, self)
        except BaseException:
            self.spoiled = True  # code may go on from there
            raise
        self.count += 1
        self.events.append(key)
        self.known[key] = made
        return made

    def constant(self, value: int | Fraction) -> Written:
        return self.kept(CONSTANT, Fraction(value), None, lambda: self.inner.constant(value))

    def rounded(self, value: Fraction, unit: Fraction) -> Written:
        return self.kept(ROUNDED, value, unit, lambda: self.inner.rounded(value, unit))

    @property
    def pi(self) -> Written:
        return self.kept(PI, None, None, lambda: self.inner.pi)

    def _called(self, name: str) -> Callable:
        def apply(*arguments: Written) -> Written:
            held = tuple(self.own(x) for x in arguments)
            function = self.inner.functions.base[name]
            return self.kept(CALL, name, tuple(x.index for x in held), lambda: function(*(x.value for x in held)))

        return apply

    def own(self, x) -> Written:
        """A number as one of this tape."""
        if type(x) is not Written:
            return self.constant(x)
        return x if x.tape is self else self.spoil()

    def spoil(self) -> Any:
        """Give up: code is run as it is."""
        self.spoiled = True
        raise Spoiled

    def order(self, a, b) -> int:
        a, b = self.own(a), self.own(b)
        order = self.inner.order(a.value, b.value)
        self.events.append((ORDER, (a.index, b.index, False), order))
        return order

    def compare(self, a, b) -> int:
        moving = isinstance(a, Dual) or isinstance(b, Dual)
        a, b = self.own(primal(a)), self.own(primal(b))
        order = self.inner.compare(a.value, b.value)
        self.inner._moving = moving
        self.events.append((COMPARE, (a.index, b.index, moving), order))
        return order

    def decide(self, outcome: bool, site: object) -> bool:
        self.events.append((DECIDE, outcome, site))
        try:
            return self.inner.decide(outcome, site)
        except Enough:
            self.spoiled = True  # it is not written to its end
            raise


class _Equalities:
    """Sites of equalities, told to a tape and to the world below it."""

    def __init__(self, tape: Tape):
        self.tape = tape

    def add(self, site: object) -> None:
        self.tape.events.append((EQUALITY, site, None))
        self.tape.inner.equalities.add(site)


class Part:
    """Operations up to a comparison, and what follows each of its outcomes; or up to the results.

    done: (kind, operand, operand). needed: which of them a comparison or an operation that may fail depends on. end:
    (COMPARE, numbers, {outcome: Part}) or (RESULT, shape, numbers).
    """

    __slots__ = ("done", "needed", "end", "_lean")

    def __init__(self):
        self.done: list[tuple] = []
        self.needed: set[int] = set()
        self.end: tuple[int, Any, Any] | None = None
        self._lean: list[tuple] | None = None

    def need(self, places: set[int]) -> None:
        if not places <= self.needed:
            self.needed |= places
            self._lean = None

    @property
    def lean(self) -> list[tuple]:
        """The operations that are needed to follow the conditions."""
        if self._lean is None:
            self._lean = [
                one if k in self.needed or one[0] not in NUMBERS else (SKIPPED, None, None)
                for k, one in enumerate(self.done)
            ]
        return self._lean


class StraightLines:
    """The tree of a function: evaluate(values, world) of it, found without running it again where that is known.

    of: what evaluates the function itself.
    """

    def __init__(self, of: Callable):
        self.of, self.root, self.left = of, Part(), MOST_OPERATIONS
        self.names: tuple[tuple[str, int], ...] = ()  # of the variables, and how many numbers each has
        self.constants: dict[object, dict] = {}  # by kind of world

    def evaluate(self, values: Mapping[str, Sequence], world: World, lean: bool = False) -> tuple[tuple, list]:
        """The shape of the function's outputs, and their entries. Raises what the function raises.

        lean: only the ways of conditions are asked for, and whether there are values; entries mean nothing.
        """
        names = tuple((name, len(values[name])) for name in sorted(values))
        if self.left <= 0 or world.replays is None or (self.names and self.names != names):
            return self._run(values, world)
        self.names = names
        numbers = [x for name, _ in names for x in values[name]]
        before = len(world.branches), len(world._gaps)
        if self.root.end is not None:
            try:
                return self._replayed(numbers, world, lean)
            except (Enough, Endless):
                raise
            except Unknown:
                _restore(world, before)
            except Exception:  # the code itself tells where it fails
                _restore(world, before)
                return self._run(values, world)
        found = self._written(values, world) if world.way is None else None
        if found is None or any(isinstance(x, Dual) for x in numbers):
            _restore(world, before)
            return self._run(values, world) if found is None else self.evaluate(values, world)
        return found

    def _run(self, values: Mapping[str, Sequence], world: World) -> tuple[tuple, list]:
        found = self.of(values, world)
        return found.shape, found.entries

    def _replayed(self, numbers: list, world: World, lean: bool) -> tuple[tuple, list]:
        """The same operations on other numbers. Raises Unknown where the tree does not go on."""
        part, fixed = self.root, self.constants.setdefault(world.replays, {})
        each = 1 + sum(type(x) is Dual for x in numbers)  # an operation, and one for every direction
        while part.end is not None:
            world.effort.spend(each * len(part.done))
            _computed(part.lean if lean else part.done, numbers, world, fixed)
            kind, asked, following = part.end
            if kind == RESULT:
                return asked, [numbers[k] for k in following]
            first, second, moving = asked
            if kind == COMPARE:
                order = world.compare(numbers[first], numbers[second])
                world._moving = world._moving or moving
            else:
                order = world.order(primal(numbers[first]), primal(numbers[second]))
            if world.way is not None:
                order = _on_the_way(following, order, world)
            if order not in following:
                break
            part = following[order]
        raise Unknown

    def _written(self, values: Mapping, world: World) -> tuple[tuple, list] | None:
        """The function's outputs, from a run that is added to the tree; None where it is not written to its end."""
        start, noted = 0, {}
        tape = Tape(world, sum(count for _, count in self.names))
        for name, count in self.names:
            noted[name] = [Written(primal(x), start + k, tape) for k, x in enumerate(values[name])]
            start += count
        try:
            found = self.of({name: noted[name] for name in values}, tape)
            results = [tape.own(x) for x in found.entries]
        except (Enough, Endless):
            raise
        except Exception:
            self.left -= FAILED
            return None
        if tape.spoiled or not self._kept(tape.events, start, found.shape, [x.index for x in results]):
            self.left -= FAILED
            return None
        self.left -= len(tape.events)
        return found.shape, [x.value for x in results]

    def _kept(self, events: list[tuple], count: int, shape: tuple, results: list[int]) -> bool:
        """Add a run to the tree; False where it does other things than another one did before the same comparison.

        count: of the variables' numbers.
        """
        part, start, needed = self.root, 0, _needed(events, count)
        ends = [number for number, event in enumerate(events) if event[0] in (COMPARE, ORDER)]
        for number in (*ends, len(events)):
            done = events[start:number]
            kind, asked, outcome = events[number] if number < len(events) else (RESULT, shape, results)
            if part.end is None:
                part.done, part.end = done, (kind, asked, outcome if kind == RESULT else {})
            elif part.done != done or part.end[:2] != (kind, asked):
                return False
            part.need({k - start for k in needed if start <= k < number})
            if kind != RESULT:
                following: dict[object, Part] = part.end[2]
                part, start = following.setdefault(outcome, Part()), number + 1
        return True


def _on_the_way(following: Mapping[int, Part], order: int, world: World) -> int | None:
    """The outcome of a comparison after which a condition goes the way that it is made to go."""
    number, way = len(world._gaps), world.way or ()
    if number >= len(way):
        return order
    for outcome in (order, *following):
        asked = [event for event in following[outcome].done if event[0] == DECIDE] if outcome in following else []
        if asked and asked[0] == (DECIDE, way[number][1], way[number][0]):
            return outcome
    return None


def _needed(events: list[tuple], count: int) -> set[int]:
    """The operations of a run, by their places, on which comparisons and operations that may fail depend."""
    places = [place for place, (kind, *_) in enumerate(events) if kind in NUMBERS]
    needed, asked = set(), set()
    number = count + len(places)
    for place in range(len(events) - 1, -1, -1):
        kind, a, b = events[place]
        if kind not in NUMBERS:
            asked |= {a[0], a[1]} if kind in (COMPARE, ORDER) else set()
            continue
        number -= 1
        if number in asked or kind in (DIVIDE, CALL):
            needed.add(place)
            asked |= {a, b} if kind in (ADD, SUBTRACT, MULTIPLY, DIVIDE) else {a} if kind == NEGATE else set()
            asked |= set(b) if kind == CALL else set()
    return needed


def _computed(done: Sequence[tuple], numbers: list, world: World, fixed: dict) -> None:
    """Add the numbers that operations give. fixed: constants of the world that are known."""
    add = numbers.append
    for kind, a, b in done:
        if kind == MULTIPLY:
            add(numbers[a] * numbers[b])
        elif kind == SKIPPED:
            add(None)
        elif kind == ADD:
            add(numbers[a] + numbers[b])
        elif kind == SUBTRACT:
            add(numbers[a] - numbers[b])
        elif kind == CONSTANT:
            if a not in fixed:
                fixed[a] = world.constant(a)
            add(fixed[a])
        elif kind == DIVIDE:
            add(numbers[a] / numbers[b])
        elif kind == NEGATE:
            add(-numbers[a])
        elif kind == CALL:
            add(_called(world, a, [numbers[k] for k in b]))
        elif kind == DECIDE:
            world.decide(a, b)
        elif kind == EQUALITY:
            world.equalities.add(a)
        else:
            add(world.rounded(a, b) if kind == ROUNDED else world.pi)


def _called(world: World, name: str, arguments: list):
    """A function of the world, of dual numbers too."""
    functions = world.functions
    if name == "erf":
        return functions.erf(arguments[0], lambda: 2 * reciprocal(functions.sqrt(world.pi)))
    return getattr(functions, name)(*arguments)


def _restore(world: World, before: tuple) -> None:
    """What a world has written down, as it was."""
    del world.branches[before[0] :]
    del world._gaps[before[1] :]
    world._tied, world._gap = False, None
