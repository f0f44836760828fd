"""What the functions that a text becomes work on: variables in memory, addresses in it, whole numbers, one run."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Type, held

MOST_CELLS = 200_000  # of one variable
MOST_STATEMENTS = 500_000  # executed in one call of the function


@dataclass(slots=True)
class Storage:
    """One variable: offset in bytes -> number or Pointer, for what was written.

    grows: the size is the caller's affair (a parameter `double *x`). is_global: nothing may be written. remedy: what a
    caller could do for numbers that were never written.
    """

    name: str
    type: Type
    cells: dict[int, Any]
    grows: bool = False
    is_global: bool = False
    remedy: str = ""

    def label(self, offset: int, stop: Type = None) -> str:
        """What lies at an offset, as C writes it."""
        if not self.grows:
            return types.label(self.type, self.name, offset, stop)
        k, rest = divmod(offset, types.size(self.type))
        return types.label(self.type, f"{self.name}[{k}]", rest, stop)

    def whole(self) -> Pointer:
        """Its address, and how far one may go from there."""
        return Pointer(self, 0, 0, None if self.grows else types.size(self.type))


@dataclass(slots=True)
class Pointer:
    """An address, in bytes, and from where to where may be gone from it (high None: a size unknown); no storage: null.

    place, of all its methods: the line that is told where something is wrong. They raise SourceError.
    """

    storage: Storage | None
    offset: int = 0
    low: int = 0
    high: int | None = None

    def moved(self, by: int) -> Pointer:
        return Pointer(self.storage, self.offset + by, self.low, self.high)

    def variable(self, place: Place) -> Storage:
        if self.storage is None:
            raise refused(place, "the null pointer is followed")
        return self.storage

    def at(self, by: int, size: int, place: Place) -> Pointer:
        """What lies so many bytes further, a value of this size."""
        name, found = self.variable(place).name, self.moved(by)
        if found.offset < self.low or (self.high is not None and found.offset + size > self.high):
            many = "" if self.high is None else f", of {(self.high - self.low) // size} that can be reached here"
            k = (found.offset - self.low) // size
            raise refused(place, f"index out of bounds: element {k} of {name}{many}")
        return found

    def element(self, k: int, of: Type, place: Place) -> Pointer:
        """Of an array that lies here."""
        if not 0 <= k < of._length_:
            name = self.variable(place).label(self.offset, of)
            raise refused(place, f"index out of bounds: {name}[{k}], and {name} has {of._length_} elements")
        return self.moved(k * types.size(of._type_))

    def decayed(self, size: int) -> Pointer:
        """An array as the address of its first element: the others may be reached from there."""
        return Pointer(self.storage, self.offset, self.offset, self.offset + size)

    def address(self, size: int | None) -> Pointer:
        """&x; of a part of a variable (no size) all of it may be reached, as &J[0][0] is used."""
        if self.storage is None or self.storage.grows:
            return Pointer(self.storage, self.offset)
        return Pointer(self.storage, self.offset, 0, types.size(self.storage.type) if size is None else size)

    def read(self, place: Place):
        storage = self.variable(place)
        if (found := storage.cells.get(self.offset)) is None:
            label = storage.label(self.offset)
            raise refused(place, f"{label} is read before anything is written to it{storage.remedy}")
        return found

    def write(self, value, place: Place):
        """The value, once it is written."""
        storage = self.variable(place)
        if storage.is_global:
            raise refused(place, f"{storage.name} is global, and is written here; pass it as a parameter")
        if storage.grows and self.offset >= MOST_CELLS * types.size(types.DOUBLE):
            raise refused(place, f"{storage.label(self.offset)} is written: more than {MOST_CELLS} numbers")
        storage.cells[self.offset] = value
        return value

    def updated(self, change: Callable, place: Place):
        """x += ...: what is there, changed."""
        return self.write(change(self.read(place)), place)

    def stepped(self, change: Callable, place: Place):
        """x++: what was there before."""
        before = self.read(place)
        self.write(change(before), place)
        return before

    def all(self, size: int) -> dict[int, Any]:
        """A struct: what is written in it, by offsets."""
        cells, inside = {} if self.storage is None else self.storage.cells, range(self.offset, self.offset + size)
        places = [at for at in inside if at in cells] if size < len(cells) else [at for at in cells if at in inside]
        return {at - self.offset: cells[at] for at in places}

    def put(self, content: Mapping[int, Any], place: Place):
        """Write a struct, or some of its like one after the other."""
        for at, value in content.items():
            self.moved(at).write(value, place)
        return content


def merged(*parts: tuple[int, Any]) -> dict[int, Any]:
    """The content of a variable from its parts, each of them a number or a struct's content."""
    found = {}
    for start, part in parts:
        found |= {start + at: value for at, value in part.items()} if isinstance(part, dict) else {start: part}
    return found


# --- whole numbers ---------------------------------------------------------------------------------------------------
COMPARISONS = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
SHIFTS = {"<<": operator.lshift, ">>": operator.rshift}
PLAIN = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def whole_operation(op: str, x: int, y: int, of: Type, place: Place) -> int:
    """An operation on two whole numbers of a type. Raises SourceError for overflow and division by zero."""
    if op in SHIFTS:
        if not 0 <= y < 8 * types.size(of):
            raise refused(place, f"a shift by {y} bits of a number of {8 * types.size(of)}")
        return held(SHIFTS[op](x, y), of, place)
    x, y = held(x, of, place), held(y, of, place)
    if op in COMPARISONS:
        return int(COMPARISONS[op](x, y))
    if op in PLAIN:
        return held(PLAIN[op](x, y), of, place)
    if y == 0:
        raise refused(place, "a whole number is divided by zero")
    quotient = abs(x) // abs(y) if (x < 0) == (y < 0) else -(abs(x) // abs(y))
    return held(quotient, of, place) if op == "/" else x - y * quotient


# --- one run ---------------------------------------------------------------------------------------------------------
@dataclass
class Machine:
    """One run of a function: the numbers' arithmetic, the literals as such numbers, and what is left of the bounds.

    place: of the statement that is executed.
    """

    arithmetic: Any
    numbers: list
    place: Place
    statements: int = MOST_STATEMENTS
    globals: dict[str, Pointer] = field(default_factory=dict)

    def step(self, place: Place) -> None:
        """Count a statement. Raises SourceError where there were too many."""
        self.place = place
        self.statements -= 1
        if self.statements < 0:
            raise refused(place, f"more than {MOST_STATEMENTS} statements are executed; does a loop here end?")

    def number(self, value: int | Fraction):
        return self.arithmetic.number(Fraction(value))

    def told(self, value, text: str):
        """A value that was assigned, told to an arithmetic that keeps where it was computed."""
        if (tell := getattr(self.arithmetic, "at", None)) is not None:
            tell(value, text)
        return value

    def is_true(self, x, place: Place) -> bool:
        return not self.arithmetic.equal(x, self.numbers[0], f"{place}: a condition is zero")

    def new(self, name: str, of: Type, content: dict[int, Any]) -> Pointer:
        return Storage(name, of, content).whole()

    def zeros(self, of: Type) -> dict[int, Any]:
        """The content of a variable that is all zero."""
        return {at: self._zero(kind) for at, kind in types.leaves(of)}

    def _zero(self, of: Type):
        return 0 if types.is_whole(of) else self.numbers[0] if types.is_real(of) else Pointer(None)

    def call(self, function, pointers: list[Pointer], place: Place):
        """What a function of the text returns. Raises SourceError where it ends without a return."""
        found = function.body(self, *pointers)
        if found is None and function.returned is not None:
            raise refused(place, f"{function.name} ends without a return")
        self.place = place
        return found

    def passed(self, function, values: list, place: Place):
        """The same, of values: each parameter is a variable of its own."""
        contents = (value if isinstance(value, dict) else {0: value} for value in values)
        pairs = zip(function.parameters, contents, strict=True)
        return self.call(function, [self.new(p.name, p.type, content) for p, content in pairs], place)

    def of_machine(self, function: Callable, refusal: str, place: Place, *numbers):
        """A function that only machine numbers have. Raises SourceError where there are others."""
        known = getattr(self.arithmetic, "of_machine", None)
        if known is None:
            raise refused(place, refusal)
        return known(function, *numbers)

    def function(self, name: str, place: Place, *numbers):
        """A function of the arithmetic's. Raises SourceError where it has none of this name."""
        known = getattr(self.arithmetic, name, None)
        if known is None:
            raise refused(place, f"{name} is no function of the numbers that this is evaluated on")
        return known(*numbers)

    def fabs(self, place: Place, x):
        return -x if self.arithmetic.less(x, self.numbers[0], f"{place}: fabs of a negative number") else x

    def fmin(self, place: Place, x, y):
        return y if self.arithmetic.less(y, x, f"{place}: fmin takes its second argument") else x

    def fmax(self, place: Place, x, y):
        return y if self.arithmetic.less(x, y, f"{place}: fmax takes its second argument") else x

    def copysign(self, place: Place, x, y):
        size = self.fabs(place, x)
        return -size if self.arithmetic.less(y, self.numbers[0], f"{place}: copysign of a negative number") else size

    def finite(self, x, answer: bool, site: str) -> int:
        """isnan, isinf, isfinite: numbers of a verdict are finite, so that their other way is never seen."""
        told = getattr(self.arithmetic, "told", None)
        return int(answer if told is None else told(answer, site))

    def copied(self, target: Pointer, source: Pointer, step: int, count: int, place: Place) -> Pointer:
        """memcpy, of elements of a size."""
        count = self._counted(count, step, place)
        target.at(0, count, place).put(source.at(0, count, place).all(count), place)
        return target

    def filled(self, target: Pointer, of: Type, count: int, place: Place) -> Pointer:
        """memset with zeros, of elements of a type."""
        zeros, step = self.zeros(of), types.size(of)
        count = self._counted(count, step, place)
        where = target.at(0, count, place)
        for k in range(count // step):
            where.moved(k * step).put(zeros, place)
        return target

    def _counted(self, count: int, step: int, place: Place) -> int:
        if count < 0 or count % step:
            raise refused(place, f"{count} bytes are no whole number of elements of {step} bytes")
        if count > MOST_CELLS * step:
            raise refused(place, f"{count // step} elements are filled or copied")
        return count
