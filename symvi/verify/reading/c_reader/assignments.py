"""Assignments: =, += and its kin, ++ and --; the place that is written is looked for once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pycparser import c_ast

from symvi.verify.reading.c_reader.conversions import converted
from symvi.verify.reading.c_reader.declarations import place_of
from symvi.verify.reading.c_reader.leaves import whole
from symvi.verify.reading.c_reader.operators import operation
from symvi.verify.reading.c_reader.types import PointerTo
from symvi.verify.reading.c_reader.values import Location, Value

if TYPE_CHECKING:
    from symvi.verify.reading.c_reader.scope import Scope


def assignment(scope: Scope, node: c_ast.Assignment) -> Value:
    place = place_of(node)
    value = scope.value(node.rvalue)
    location = scope.location(node.lvalue)
    if node.op == "=":
        value = converted(value, location.type, place)
        _point(scope, node.lvalue, value)
        return Value(location.type, scope.stored(location, value.run, place), roots=value.roots)
    prepare, location = _kept(scope, location)
    old = scope.loaded(location, place)
    new = operation(scope, c_ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue, node.coord), old, value)
    store = scope.stored(location, converted(new, location.type, place).run, place)
    return Value(location.type, lambda frame: (prepare(frame), store(frame))[1], roots=old.roots)


def _kept(scope: Scope, location: Location) -> tuple[Callable, Location]:
    """A closure that finds the cells of a location, and the location as found: a[i++] += 1 counts once."""
    slot, locate = scope.new_slot(), location.locate

    def prepare(frame):
        frame.slots[slot] = locate(frame)

    return prepare, replace(location, locate=lambda frame: frame.slots[slot])


def _point(scope: Scope, target: c_ast.Node, value: Value) -> None:
    """A pointer variable may from here on point into what its new value points into."""
    if isinstance(value.type, PointerTo) and isinstance(target, c_ast.ID):
        variable = scope.find(target.name, place_of(target))
        variable.roots |= value.roots


def stepped(scope: Scope, node: c_ast.UnaryOp) -> Value:
    """x++, ++x, x--, --x of whole numbers, reals and pointers."""
    place = place_of(node)
    prepare, location = _kept(scope, scope.location(node.expr))
    old = scope.loaded(location, place)
    new = operation(scope, c_ast.BinaryOp(node.op[-1], node.expr, None, node.coord), old, whole(1, "", place))
    store, run, gives_old = (
        scope.stored(location, converted(new, location.type, place).run, place),
        old.run,
        "p" in node.op,
    )

    def step(frame):
        prepare(frame)
        before = run(frame)
        after = store(frame)
        return before if gives_old else after

    return Value(location.type, step, roots=old.roots)
