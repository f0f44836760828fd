"""Expressions of C as closures: which file reads which, and those that are too short for one of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.assignments import assignment, stepped
from symvi.verify.reading.c_reader.calls import called
from symvi.verify.reading.c_reader.conversions import converted, integer_result
from symvi.verify.reading.c_reader.declarations import place_of
from symvi.verify.reading.c_reader.leaves import constant, name
from symvi.verify.reading.c_reader.locations import address
from symvi.verify.reading.c_reader.memory import Pointer
from symvi.verify.reading.c_reader.operators import binary, is_number
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Integer, PointerTo, Real
from symvi.verify.reading.c_reader.values import Value

if TYPE_CHECKING:
    from symvi.verify.reading.c_reader.scope import Scope


def _unary(scope: Scope, node: c_ast.UnaryOp) -> Value:
    op, place = node.op, place_of(node)
    if op in ("++", "--", "p++", "p--"):
        return stepped(scope, node)
    if op == "&":
        return address(scope, node.expr)
    if op == "*":
        return scope.loaded(scope.location(node), place)
    if op == "sizeof":
        return _size_of(scope, node.expr, place)
    if op == "!":
        truth = scope.condition(node.expr)
        return Value(types.INT, lambda frame: int(not truth(frame)))
    value = scope.value(node.expr)
    run, known = value.run, value.constant
    if isinstance(value.type, Integer):
        return _unary_integer(op, value, place)
    if op not in ("-", "+") or not isinstance(value.type, Real):
        raise refused(place, f"{op} of something that is no whole number")
    if op == "+":
        return value
    return Value(value.type, lambda frame: -run(frame), None if known is None else -known)


def _unary_integer(op: str, value: Value, place: Place) -> Value:
    if op not in ("+", "-", "~"):
        raise refused(place, f"the operator {op} is unknown")
    of, run, known = types.promoted(value.type), value.run, value.constant

    def apply(x: int) -> int:
        return integer_result({"+": x, "-": -x, "~": ~x}[op], of, place)

    return Value(of, lambda frame: apply(run(frame)), None if known is None else apply(int(known)))


def _size_of(scope: Scope, node: c_ast.Node, place: Place) -> Value:
    if isinstance(node, c_ast.Typename):
        of = scope.types.read(node.type)
    elif isinstance(node, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef)) or getattr(node, "op", "") == "*":
        of = scope.location(node).type
    else:
        of = scope.value(node).type
    known = types.size(of)
    return Value(types.UNSIGNED_LONG, lambda frame: known, known)


def _ternary(scope: Scope, node: c_ast.TernaryOp) -> Value:
    place, truth = place_of(node), scope.condition(node.cond)
    left, right = scope.value(node.iftrue), scope.value(node.iffalse)
    if is_number(left) and is_number(right):
        if isinstance(left.type, Integer) and isinstance(right.type, Integer):
            of = types.common(left.type, right.type)
        else:
            of = types.DOUBLE
        left, right = converted(left, of, place), converted(right, of, place)
    elif left.type != right.type and not (isinstance(left.type, PointerTo) and isinstance(right.type, PointerTo)):
        raise refused(place, "the two sides of ?: have different types")
    yes, no = left.run, right.run
    return Value(left.type, lambda frame: yes(frame) if truth(frame) else no(frame), roots=left.roots | right.roots)


def _cast(scope: Scope, node: c_ast.Cast) -> Value:
    place, of, value = place_of(node), scope.types.read(node.to_type.type), scope.value(node.expr)
    if isinstance(of, types.Void):
        return Value(of, value.run)
    if isinstance(of, PointerTo) and isinstance(value.type, PointerTo):
        return _cast_pointer(of, value, place)
    if isinstance(of, PointerTo) and value.constant == 0:
        return Value(of, lambda frame: Pointer(None), 0)
    return converted(value, of, place)


def _cast_pointer(of: PointerTo, value: Value, place: Place) -> Value:
    """A pointer to numbers seen as one to arrays of them, or the other way round; never as other numbers."""
    if not isinstance(value.type, PointerTo) or types.scalar(of.target) != types.scalar(value.type.target):
        raise refused(place, "a pointer cast that sees other numbers in the same memory; use the variable's own type")
    return Value(of, value.run, value.constant, value.roots)


def _listed(scope: Scope, node: c_ast.ExprList) -> Value:
    """a, b, c: all are computed, the last one counts."""
    values = [scope.value(each) for each in node.exprs]
    runs, last = [value.run for value in values[:-1]], values[-1]

    def run(frame):
        for each in runs:
            each(frame)
        return last.run(frame)

    return Value(last.type, run, roots=last.roots)


def _load(scope: Scope, node: c_ast.Node) -> Value:
    return scope.loaded(scope.location(node), place_of(node))


READERS: dict[type, Callable[[Scope, Any], Value]] = {
    c_ast.Constant: constant,
    c_ast.ID: name,
    c_ast.BinaryOp: binary,
    c_ast.UnaryOp: _unary,
    c_ast.Assignment: assignment,
    c_ast.ArrayRef: _load,
    c_ast.StructRef: _load,
    c_ast.CompoundLiteral: _load,
    c_ast.TernaryOp: _ternary,
    c_ast.Cast: _cast,
    c_ast.ExprList: _listed,
    c_ast.FuncCall: called,
}
