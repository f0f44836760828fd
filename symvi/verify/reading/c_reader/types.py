"""Types of C as the reader knows them: sizes in cells (numbers and pointers) and, for sizeof, in bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Integer:
    """A type of whole numbers, from low to high, of so many bytes."""

    name: str
    low: int
    high: int
    size: int

    @property
    def is_unsigned(self) -> bool:
        return self.low == 0


@dataclass(frozen=True)
class Real:
    """float, double or long double: exact numbers here, whichever it is."""

    name: str
    size: int


@dataclass(frozen=True)
class Void:
    """The type of nothing."""


@dataclass(frozen=True)
class Array:
    """length elements, one after the other; the length is None in a parameter `double x[]`."""

    element: Type
    length: int | None


@dataclass(frozen=True)
class Structure:
    """A struct: its name, and its fields in order as (name, type)."""

    name: str
    fields: tuple[tuple[str, Type], ...]


@dataclass(frozen=True)
class PointerTo:
    """A pointer to values of a type; constant: they cannot be written through it."""

    target: Type
    constant: bool = False


Type = Integer | Real | Void | Array | Structure | PointerTo

BOOL = Integer("_Bool", 0, 1, 1)
CHAR = Integer("char", -(2**7), 2**7 - 1, 1)
UNSIGNED_CHAR = Integer("unsigned char", 0, 2**8 - 1, 1)
SHORT = Integer("short", -(2**15), 2**15 - 1, 2)
UNSIGNED_SHORT = Integer("unsigned short", 0, 2**16 - 1, 2)
INT = Integer("int", -(2**31), 2**31 - 1, 4)
UNSIGNED = Integer("unsigned", 0, 2**32 - 1, 4)
LONG = Integer("long", -(2**63), 2**63 - 1, 8)
UNSIGNED_LONG = Integer("unsigned long", 0, 2**64 - 1, 8)
DOUBLE, FLOAT, LONG_DOUBLE = Real("double", 8), Real("float", 4), Real("long double", 16)
VOID = Void()

# What stdint.h, stddef.h, stdbool.h and math.h define.
STANDARD: dict[str, Type] = {
    "bool": BOOL, "size_t": UNSIGNED_LONG, "ptrdiff_t": LONG, "intptr_t": LONG, "uintptr_t": UNSIGNED_LONG,
    "ssize_t": LONG, "int8_t": CHAR, "uint8_t": UNSIGNED_CHAR, "int16_t": SHORT, "uint16_t": UNSIGNED_SHORT,
    "int32_t": INT, "uint32_t": UNSIGNED, "int64_t": LONG, "uint64_t": UNSIGNED_LONG, "int_fast32_t": LONG,
    "uint_fast32_t": UNSIGNED_LONG, "double_t": DOUBLE, "float_t": FLOAT,
}  # fmt: skip


def cells(of: Type) -> int:
    """How many numbers and pointers a value of this type holds."""
    if isinstance(of, Array):
        return (of.length or 0) * cells(of.element)
    if isinstance(of, Structure):
        return sum(cells(field) for _, field in of.fields)
    return 1


def size(of: Type) -> int:
    """sizeof, on the usual 64-bit machine."""
    if isinstance(of, Array):
        return (of.length or 0) * size(of.element)
    if isinstance(of, Structure):
        end = 0
        for _, field in of.fields:
            end = -(-end // alignment(field)) * alignment(field) + size(field)
        return -(-end // alignment(of)) * alignment(of)
    return 1 if isinstance(of, Void) else 8 if isinstance(of, PointerTo) else of.size


def alignment(of: Type) -> int:
    """The number of bytes that addresses of this type are multiples of."""
    if isinstance(of, Array):
        return alignment(of.element)
    if isinstance(of, Structure):
        return max((alignment(field) for _, field in of.fields), default=1)
    return size(of)


def offset(of: Structure, name: str) -> int:
    """The number of cells before a field."""
    before = 0
    for field, kind in of.fields:
        if field == name:
            return before
        before += cells(kind)
    raise KeyError(name)


def integer(of: Type) -> Integer:
    """A type that is known to be one of whole numbers. Raises TypeError for another."""
    if not isinstance(of, Integer):
        raise TypeError(f"{describe(of)} is no whole number")
    return of


def array(of: Type) -> Array:
    """A type that is known to be an array. Raises TypeError for another."""
    if not isinstance(of, Array):
        raise TypeError(f"{describe(of)} is no array")
    return of


def promoted(of: Type) -> Integer:
    """Integers shorter than int are ints in arithmetic."""
    of = integer(of)
    return INT if of.size < INT.size else of


def common(left: Type, right: Type) -> Integer:
    """The type of an operation on two integers (C99 6.3.1.8)."""
    left, right = promoted(left), promoted(right)
    if left.size != right.size:
        return left if left.size > right.size else right
    return left if left.is_unsigned else right


def label(of: Type, name: str, cell: int) -> str:
    """The name of one cell of a variable as C writes it: label(Array(DOUBLE, 4), "q", 2) is q[2]."""
    if isinstance(of, Array):
        step = cells(of.element) or 1
        return label(of.element, f"{name}[{cell // step}]", cell % step)
    if isinstance(of, Structure):
        for field, kind in of.fields:
            if cell < cells(kind):
                return label(kind, f"{name}.{field}", cell)
            cell -= cells(kind)
    return name


def dimensions(of: Type) -> int:
    """How many indices lead to an element that is no array."""
    return 1 + dimensions(of.element) if isinstance(of, Array) else 0


def scalar(of: Type) -> Type | None:
    """The one type of all cells of a type, floats and doubles taken as the same; None where there are several."""
    if isinstance(of, Array):
        return scalar(of.element)
    if isinstance(of, Structure):
        kinds = {scalar(kind) for _, kind in of.fields}
        return kinds.pop() if len(kinds) == 1 else None
    return DOUBLE if isinstance(of, Real) else of


def describe(of: Type) -> str:
    """A type in words, for messages."""
    if isinstance(of, (Integer, Real)):
        return of.name
    if isinstance(of, Structure):
        return f"struct {of.name}".strip()
    if isinstance(of, PointerTo):
        return f"pointer to {describe(of.target)}"
    return f"array of {describe(of.element)}" if isinstance(of, Array) else "void"
