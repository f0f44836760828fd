"""Conversions between the types of C: whole numbers to reals, anything to a truth, and what has no meaning exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.memory import Pointer
from symvi.verify.reading.c_reader.problems import Place, jump, refused
from symvi.verify.reading.c_reader.types import Integer, PointerTo, Real, Structure, Type, describe
from symvi.verify.reading.c_reader.values import Value


def integer_result(value: int, of: Integer, place: Place) -> int:
    """A whole number as its type holds it: unsigned ones wrap around, signed ones must fit."""
    if of.low <= value <= of.high:
        return value
    if of.is_unsigned:
        return value % (of.high + 1)
    raise refused(place, f"{value if abs(value) < 10**30 else 'a whole number'} is beyond {of.name}: undefined in C")


def as_real(value: Value, place: Place) -> Value:
    """A number as a real."""
    if isinstance(value.type, Real):
        return value
    if not isinstance(value.type, Integer):
        raise refused(place, f"{describe(value.type)} stands where a number should")
    run, known = value.run, value.constant

    def number(frame):
        return frame.machine.arithmetic.number(Fraction(run(frame)))

    return Value(types.DOUBLE, number, None if known is None else Fraction(known))


def as_integer(value: Value, place: Place, what: str) -> Value:
    """A whole number; what: the thing that must be one."""
    if not isinstance(value.type, Integer):
        raise refused(place, f"{what} is {describe(value.type)}; it must be a whole number")
    return value


def whole_constant(value: Value) -> int | None:
    """The value of a whole number that is known when it is read."""
    return value.constant if isinstance(value.constant, int) else None


def as_condition(value: Value, place: Place) -> Callable:
    """A closure for the truth of a value: a number other than zero, a pointer other than NULL."""
    run = value.run
    if isinstance(value.type, Integer):
        return lambda frame: run(frame) != 0
    if isinstance(value.type, PointerTo):
        return lambda frame: run(frame).storage is not None
    if not isinstance(value.type, Real):
        raise refused(place, f"{describe(value.type)} stands where a condition should")

    def is_other_than_zero(frame):
        numbers = frame.machine.arithmetic
        return not numbers.equal(run(frame), numbers.number(Fraction(0)), f"{place}: a condition is zero")

    return is_other_than_zero


def converted(value: Value, to: Type, place: Place) -> Value:
    """A value as an assignment, an argument or a cast converts it. Raises SourceError where that is not exact."""
    if isinstance(to, Real):
        real = as_real(value, place)
        return Value(to, real.run, real.constant)
    if isinstance(to, Integer):
        return _to_integer(value, to, place)
    if isinstance(to, PointerTo):
        return _to_pointer(value, to, place)
    if isinstance(to, Structure) and value.type == to:
        return value
    raise refused(place, f"{describe(value.type)} stands where {describe(to)} should")


def _to_integer(value: Value, to: Integer, place: Place) -> Value:
    if to is types.BOOL and not isinstance(value.type, Integer):
        truth = as_condition(value, place)
        return Value(to, lambda frame: int(truth(frame)))
    if isinstance(value.type, Real):
        whole = value.constant
        if whole is None or whole.denominator != 1:
            return _truncated(value, to, place)
        exact = integer_result(int(whole), to, place)
        return Value(to, lambda frame: exact, exact)
    if not isinstance(value.type, Integer):
        raise refused(place, f"{describe(value.type)} stands where a whole number should")
    run, known = value.run, value.constant
    if to is types.BOOL:
        return Value(to, lambda frame: int(run(frame) != 0), None if known is None else int(known != 0))
    if to.low <= value.type.low and value.type.high <= to.high:
        return Value(to, run, known)
    if known is not None:
        exact = integer_result(int(known), to, place)
        return Value(to, lambda frame: exact, exact)
    return Value(to, lambda frame: integer_result(run(frame), to, place))


def _truncated(value: Value, to: Integer, place: Place) -> Value:
    """What stands before a real number's point, which machine numbers have."""
    said, run = "a real number becomes a whole one here, which drops what follows the point", value.run
    jump(place, said)

    def drop(frame):
        of_machine = getattr(frame.machine.arithmetic, "of_machine", None)
        if of_machine is None:
            raise refused(place, f"{said}; use a real variable, or a whole number from the start")
        return integer_result(of_machine(int, run(frame)), to, place)

    return Value(to, drop)


def _to_pointer(value: Value, to: PointerTo, place: Place) -> Value:
    if isinstance(value.type, Integer) and value.constant == 0:
        return Value(to, lambda frame: Pointer(None), 0)
    if not isinstance(value.type, PointerTo):
        raise refused(place, f"{describe(value.type)} stands where {describe(to)} should")
    same = types.scalar(value.type.target) == types.scalar(to.target)
    if not same and not isinstance(value.type.target, types.Void) and not isinstance(to.target, types.Void):
        raise refused(place, f"{describe(value.type)} stands where {describe(to)} should")
    return Value(to, value.run, value.constant, value.roots)
