"""Operators with two operands: of reals, of whole numbers, of pointers.

Types are C's: an operation on two integers is one of integers (1/2 is 0), one with a real among its operands is one of
reals. Chains of operators are read from left to right without recursion, so that sums may have any number of terms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import as_condition, as_real
from symvi.verify.reading.c_reader.declarations import place_of, text_of
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Integer, PointerTo, Real
from symvi.verify.reading.c_reader.values import Value
from symvi.verify.reading.c_reader.whole_numbers import COMPARISONS, integer_operation

if TYPE_CHECKING:
    from symvi.verify.reading.c_reader.scope import Scope

ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
# What the arithmetic is asked in the place of a comparison: reals have an order, so one question answers two.
INSTEAD = {"<": "<", ">": ">", "<=": ">", ">=": "<", "==": "==", "!=": "=="}


def binary(scope: Scope, node: c_ast.BinaryOp) -> Value:
    """A chain of + - * / on reals becomes one closure, everything else one closure an operator."""
    chain = []
    while isinstance(node, c_ast.BinaryOp):
        chain.append(node)
        node = node.left
    left, steps = scope.value(node), []
    for each in reversed(chain):
        right = scope.value(each.right)
        if each.op in ARITHMETIC and isinstance(left.type, Real) and is_number(right):
            right = as_real(right, place_of(each))
            steps.append((ARITHMETIC[each.op], right.run))
            left = Value(types.DOUBLE, left.run, _folded(each.op, left.constant, right.constant))
            continue
        left = operation(scope, each, _finished(left, steps), right)
        steps = []
    return _finished(left, steps)


def _finished(value: Value, steps: list) -> Value:
    """The value of a chain: its first operand, then one step after the other."""
    if not steps:
        return value
    first, rest = value.run, tuple(steps)
    if len(rest) == 1:
        ((operation, right),) = rest
        return Value(value.type, lambda frame: operation(first(frame), right(frame)), value.constant)

    def run(frame):
        result = first(frame)
        for operation, right in rest:
            result = operation(result, right(frame))
        return result

    return Value(value.type, run, value.constant)


def _folded(op: str, left, right):
    """The value of an operation on constants, None where it is not known or divides by zero."""
    if left is None or right is None or (op == "/" and right == 0):
        return None
    return ARITHMETIC[op](Fraction(left), Fraction(right))


def is_number(value: Value) -> bool:
    return isinstance(value.type, (Real, Integer))


def operation(scope: Scope, node: c_ast.BinaryOp, left: Value, right: Value) -> Value:
    op, place = node.op, place_of(node)
    if op in ("&&", "||"):
        return _junction(op, as_condition(left, place), as_condition(right, place))
    if isinstance(left.type, PointerTo) or isinstance(right.type, PointerTo):
        return _pointer_operation(op, left, right, place)
    if not (is_number(left) and is_number(right)):
        raise refused(place, f"{op} of something that is no number")
    if isinstance(left.type, Integer) and isinstance(right.type, Integer):
        return integer_operation(scope, op, left, right, place)
    if op in COMPARISONS:
        return _comparison(scope, node, as_real(left, place), as_real(right, place), place)
    if op in ARITHMETIC:
        left, right = as_real(left, place), as_real(right, place)
        operation, first, second = ARITHMETIC[op], left.run, right.run
        folded = _folded(op, left.constant, right.constant)
        return Value(types.DOUBLE, lambda frame: operation(first(frame), second(frame)), folded)
    advice = "; fmod is, and jumps where it has no derivative" if op == "%" else ""
    raise refused(place, f"{op} of real numbers is not C{advice}")


def _junction(op: str, left: Callable, right: Callable) -> Value:
    if op == "&&":
        return Value(types.INT, lambda frame: int(left(frame) and right(frame)))
    return Value(types.INT, lambda frame: int(left(frame) or right(frame)))


def _comparison(scope: Scope, node: c_ast.BinaryOp, left: Value, right: Value, place: Place) -> Value:
    """A comparison of reals, through the arithmetic, which is told where it stands."""
    op = node.op
    scope.program.branches.add(place)
    first, second, asked = left.run, right.run, c_ast.BinaryOp(INSTEAD[op], node.left, node.right, node.coord)
    site = f"{place}: {text_of(asked)}"

    def run(frame):
        x, y, numbers = first(frame), second(frame), frame.machine.arithmetic
        if op in ("==", "!="):
            return int(numbers.equal(x, y, site) == (op == "=="))
        if op in ("<", ">="):
            return int(numbers.less(x, y, site) == (op == "<"))
        return int(numbers.less(y, x, site) == (op == ">"))

    return Value(types.INT, run)


def _pointer_operation(op: str, left: Value, right: Value, place: Place) -> Value:
    if op in ("==", "!=") and (left.constant == 0 or right.constant == 0):
        pointer = right if left.constant == 0 else left
        truth = as_condition(pointer, place)
        return Value(types.INT, lambda frame: int(truth(frame) == (op == "!=")))
    if op == "+" and isinstance(left.type, Integer):
        left, right = right, left
    if op in ("+", "-") and isinstance(left.type, PointerTo) and isinstance(right.type, Integer):
        run, by, step = left.run, right.run, types.cells(left.type.target) * (1 if op == "+" else -1)
        return Value(left.type, lambda frame: run(frame).moved(by(frame) * step), roots=left.roots)
    raise refused(place, f"{op} of pointers: add whole numbers to them, and compare them with NULL, nothing else")
