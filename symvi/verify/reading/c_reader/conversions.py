"""Conversions between the types of C: whole numbers to reals, anything to a truth, and what has no meaning exactly."""

from __future__ import annotations

from fractions import Fraction

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.scope import Scope, Value
from symvi.verify.reading.c_reader.types import Type, describe, held

TRUNCATED = "a real number becomes a whole one here, which drops what follows the point"


def is_number(value: Value) -> bool:
    return types.is_real(value.type) or types.is_whole(value.type)


def whole(of: Type, value: int) -> Value:
    """A whole number that is known."""
    return Value(of, f"({value})" if value < 0 else str(value), value)


def as_real(scope: Scope, value: Value, place: Place) -> Value:
    """A number as a real."""
    if types.is_real(value.type):
        return value
    if not types.is_whole(value.type):
        raise refused(place, f"{describe(value.type)} stands where a number should")
    if value.constant is not None:
        return scope.program.number(Fraction(value.constant))
    return Value(types.DOUBLE, f"m.number({value.code})")


def as_integer(value: Value, place: Place, what: str) -> Value:
    """A whole number; what: the thing that must be one."""
    if not types.is_whole(value.type):
        raise refused(place, f"{what} is {describe(value.type)}; it must be a whole number")
    return value


def as_condition(scope: Scope, value: Value, place: Place) -> str:
    """Python for the truth of a value: a number other than zero, a pointer other than NULL."""
    if types.is_whole(value.type):
        return f"({value.code} != 0)"
    if types.is_pointer(value.type):
        return f"({value.code}.storage is not None)"
    if not types.is_real(value.type):
        raise refused(place, f"{describe(value.type)} stands where a condition should")
    return f"m.is_true({value.code}, {scope.keep(place)})"


def converted(scope: Scope, value: Value, to: Type, place: Place) -> Value:
    """A value as an assignment, an argument or a cast converts it. Raises SourceError where that is not exact."""
    if types.is_real(to):
        real = as_real(scope, value, place)
        return Value(to, real.code, real.constant)
    if types.is_whole(to):
        return _to_integer(scope, value, to, place)
    if types.is_pointer(to):
        return _to_pointer(scope, value, to, place)
    if value.type == to and to is not None:
        return value
    raise refused(place, f"{describe(value.type)} stands where {describe(to)} should")


def _to_integer(scope: Scope, value: Value, to: Type, place: Place) -> Value:
    if value.constant is not None and (value.constant % 1 == 0 or to is types.BOOL):
        return whole(to, int(value.constant != 0) if to is types.BOOL else held(int(value.constant), to, place))
    if to is types.BOOL:
        return Value(to, f"int({as_condition(scope, value, place)})")
    if types.is_real(value.type):
        scope.program.jump(place, TRUNCATED)
        refusal = f"{TRUNCATED}; use a real variable, or a whole number from the start"
        code = f"m.of_machine(int, {refusal!r}, {scope.keep(place)}, {value.code})"
    elif types.is_whole(value.type):
        code = value.code
    else:
        raise refused(place, f"{describe(value.type)} stands where a whole number should")
    low, high = types.limits(to)
    if types.is_whole(value.type) and low <= types.limits(value.type)[0] and types.limits(value.type)[1] <= high:
        return Value(to, code)
    return Value(to, f"held({code}, {scope.keep(to)}, {scope.keep(place)})")


def _to_pointer(scope: Scope, value: Value, to: Type, place: Place) -> Value:
    if types.is_whole(value.type) and value.constant == 0:
        return Value(to, "NULL", 0)
    if not types.is_pointer(value.type):
        raise refused(place, f"{describe(value.type)} stands where {describe(to)} should")
    same = types.scalar(value.type.target) == types.scalar(to.target)
    if not same and value.type.target is not None and to.target is not None:
        raise refused(place, f"{describe(value.type)} stands where {describe(to)} should")
    return Value(to, value.code, value.constant, value.roots)
