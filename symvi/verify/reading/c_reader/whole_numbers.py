"""Operations on two whole numbers: as C has them, overflow and division by zero named."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import integer_result
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Integer
from symvi.verify.reading.c_reader.values import Value

if TYPE_CHECKING:
    from symvi.verify.reading.c_reader.scope import Scope

COMPARISONS = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def integer_operation(scope: Scope, op: str, left: Value, right: Value, place: Place) -> Value:
    if op in COMPARISONS:
        of, result, compare = types.common(left.type, right.type), types.INT, COMPARISONS[op]

        def exact(x, y):
            return int(compare(integer_result(x, of, place), integer_result(y, of, place)))

    else:
        of = types.promoted(left.type) if op in ("<<", ">>") else types.common(left.type, right.type)
        result, exact = of, INTEGERS[op](of, place)
    first, second = left.run, right.run
    known, leaves_no_rest = None, False
    if isinstance(left.constant, int) and isinstance(right.constant, int):
        known = exact(left.constant, right.constant)
        leaves_no_rest = op == "/" and left.constant % right.constant == 0
    if op == "/" and not leaves_no_rest:
        quotient = f"{left.constant}/{right.constant} is {known}" if known is not None else "what follows the point"
        tail = "" if known is not None else " is dropped"
        scope.note(place, "integer division", f"division of whole numbers: {quotient}{tail}, as C has it")
    if known is not None:
        return Value(result, lambda frame: known, known)
    return Value(result, lambda frame: exact(first(frame), second(frame)))


def _divided(of: Integer, place: Place) -> Callable:
    def run(x: int, y: int) -> int:
        x, y = integer_result(x, of, place), integer_result(y, of, place)
        if y == 0:
            raise refused(place, "a whole number is divided by zero")
        quotient = abs(x) // abs(y)
        return integer_result(quotient if (x < 0) == (y < 0) else -quotient, of, place)

    return run


def _remainder(of: Integer, place: Place) -> Callable:
    divide = _divided(of, place)

    def run(x: int, y: int) -> int:
        x, y = integer_result(x, of, place), integer_result(y, of, place)
        return x - y * divide(x, y)

    return run


def _shifted(by: int) -> Callable:
    def of_type(of: Integer, place: Place) -> Callable:
        def run(x: int, y: int) -> int:
            if not 0 <= y < 8 * of.size:
                raise refused(place, f"a shift by {y} bits of a number of {8 * of.size}")
            return integer_result(x << y if by > 0 else x >> y, of, place)

        return run

    return of_type


def _plain(operation: Callable) -> Callable:
    def of_type(of: Integer, place: Place) -> Callable:
        return lambda x, y: integer_result(operation(x, y), of, place)

    return of_type


INTEGERS = {
    "+": _plain(operator.add), "-": _plain(operator.sub), "*": _plain(operator.mul), "/": _divided, "%": _remainder,
    "&": _plain(operator.and_), "|": _plain(operator.or_), "^": _plain(operator.xor), "<<": _shifted(1),
    ">>": _shifted(-1),
}  # fmt: skip
