"""Types of C are ctypes' own: sizes, the layout of structs and how whole numbers wrap are that library's affair.

void is None, a pointer is a subclass of Address, and an array of a length that is not stated has length 0.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    c_bool,
    c_double,
    c_float,
    c_int8,
    c_int16,
    c_int32,
    c_int64,
    c_longdouble,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
)
from functools import cache
from typing import Any

from symvi.verify.reading.c_reader.problems import Place, refused

Type = Any  # a class of ctypes, or None

INT, UNSIGNED, UNSIGNED_LONG, DOUBLE, BOOL = c_int32, c_uint32, c_uint64, c_double, c_bool
NAMES: dict[Type, str] = {
    None: "void", c_bool: "_Bool", c_int8: "char", c_uint8: "unsigned char", c_int16: "short",
    c_uint16: "unsigned short", c_int32: "int", c_uint32: "unsigned", c_int64: "long", c_uint64: "unsigned long",
    c_longdouble: "long double", c_float: "float", c_double: "double",
}  # fmt: skip
REALS = (c_double, c_float, c_longdouble)
# What a declaration's words mean, in alphabetical order, without "int" and "signed".
WORDS: dict[str, Type] = {
    "": c_int32, "unsigned": c_uint32, "char": c_int8, "char unsigned": c_uint8, "short": c_int16,
    "short unsigned": c_uint16, "long": c_int64, "long unsigned": c_uint64, "double": c_double, "float": c_float,
    "double long": c_longdouble, "_Bool": c_bool, "void": None,
}  # fmt: skip
# What stdint.h, stddef.h, stdbool.h and math.h define.
STANDARD: dict[str, Type] = {
    "bool": c_bool, "size_t": c_uint64, "ptrdiff_t": c_int64, "intptr_t": c_int64, "uintptr_t": c_uint64,
    "ssize_t": c_int64, "int8_t": c_int8, "uint8_t": c_uint8, "int16_t": c_int16, "uint16_t": c_uint16,
    "int32_t": c_int32, "uint32_t": c_uint32, "int64_t": c_int64, "uint64_t": c_uint64, "int_fast32_t": c_int64,
    "uint_fast32_t": c_uint64, "double_t": c_double, "float_t": c_float,
}  # fmt: skip


class Address(ctypes.c_void_p):
    """A pointer to values of a type; constant: they cannot be written through it."""

    target: Type
    constant = False


@cache
def pointer_to(target: Type, constant: bool = False) -> Type:
    return type("Address", (Address,), {"target": target, "constant": constant})


def is_real(of: Type) -> bool:
    return of in REALS


def is_whole(of: Type) -> bool:
    return of in NAMES and of is not None and of not in REALS


def is_pointer(of: Type) -> bool:
    return of is not None and issubclass(of, Address)


def is_array(of: Type) -> bool:
    return of is not None and issubclass(of, ctypes.Array)


def is_struct(of: Type) -> bool:
    return of is not None and issubclass(of, ctypes.Structure)


def size(of: Type) -> int:
    """sizeof, as compilers have it."""
    return 1 if of is None else ctypes.sizeof(of)


def members(of: Type) -> list[tuple[str, Type, int]]:
    """(name, type, offset) of a struct's fields."""
    return [(name, kind, getattr(of, name).offset) for name, kind in of._fields_]


@cache
def leaves(of: Type) -> tuple[tuple[int, Type], ...]:
    """(offset, type) of all numbers and pointers in a value of a type."""
    if is_array(of):
        parts = [(k * size(of._type_), of._type_) for k in range(of._length_)]
    elif is_struct(of):
        parts = [(offset, kind) for _, kind, offset in members(of)]
    else:
        return ((0, of),)
    return tuple((start + at, kind) for start, part in parts for at, kind in leaves(part))


def cells(of: Type) -> int:
    """How many numbers and pointers a value of a type holds."""
    if is_array(of):
        return of._length_ * cells(of._type_)
    return sum(cells(kind) for _, kind in of._fields_) if is_struct(of) else 1


def label(of: Type, name: str, offset: int, stop: Type = None) -> str:
    """What lies at an offset of a variable, as C writes it: of double q[4], at 16, q[2]. stop: a type that is not
    looked into."""
    if of is stop:
        return name
    if is_array(of):
        k, rest = divmod(offset, size(of._type_) or 1)
        return label(of._type_, f"{name}[{k}]", rest, stop)
    for field, kind, start in members(of) if is_struct(of) else ():
        if start <= offset < start + size(kind):
            return label(kind, f"{name}.{field}", offset - start, stop)
    return name


def scalar(of: Type) -> Type:
    """The one type of all numbers of a type, floats and doubles taken as the same; BOOL's class where there is none."""
    if is_array(of):
        return scalar(of._type_)
    if is_struct(of):
        kinds = {scalar(kind) for _, kind in of._fields_}
        return kinds.pop() if len(kinds) == 1 else of
    return DOUBLE if is_real(of) else of


def describe(of: Type) -> str:
    """A type in words, for messages."""
    if is_pointer(of):
        return f"pointer to {describe(of.target)}"
    if is_array(of):
        return f"array of {describe(of._type_)}"
    return NAMES[of] if of in NAMES else f"struct {of.__name__}".strip()


# --- whole numbers ---------------------------------------------------------------------------------------------------
@cache
def limits(of: Type) -> tuple[int, int]:
    """The least and the largest whole number of a type."""
    bits = 8 * size(of) - (of(-1).value < 0)
    return (0, 1) if of is BOOL else (of(1 << bits).value if of(-1).value < 0 else 0, (1 << bits) - 1)


def held(value: int, of: Type, place: Place) -> int:
    """A whole number as its type holds it: unsigned ones wrap around, signed ones must fit."""
    low, high = limits(of)
    if low <= value <= high:
        return value
    if low == 0:
        return int(of(value).value)
    raise refused(place, f"{value if abs(value) < 10**30 else 'a whole number'} is beyond {NAMES[of]}: undefined in C")


def promoted(of: Type) -> Type:
    """Whole numbers shorter than int are ints in arithmetic."""
    return INT if size(of) < size(INT) else of


def common(left: Type, right: Type) -> Type:
    """The type of an operation on two whole numbers (C99 6.3.1.8)."""
    left, right = promoted(left), promoted(right)
    if size(left) != size(right):
        return left if size(left) > size(right) else right
    return left if limits(left)[0] == 0 else right
