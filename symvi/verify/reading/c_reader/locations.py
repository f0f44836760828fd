"""Where values lie: variables, elements of arrays, members of structs, and what pointers lead to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import as_integer
from symvi.verify.reading.c_reader.declarations import place_of, text_of
from symvi.verify.reading.c_reader.memory import Pointer
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Array, PointerTo, Structure
from symvi.verify.reading.c_reader.values import Location, Value, Variable

if TYPE_CHECKING:
    from symvi.verify.reading.c_reader.scope import Scope


def variable_location(variable: Variable) -> Location:
    slot, name = variable.slot, variable.name
    if slot is None:
        return Location(variable.type, lambda frame: (frame.machine.globals[name], 0), True, name, whole=True)
    return Location(
        variable.type, lambda frame: (frame.slots[slot], 0), variable.constant, name, variable.roots, whole=True
    )


def element(scope: Scope, node: c_ast.ArrayRef) -> Location:
    place, index = place_of(node), as_integer(scope.value(node.subscript), place_of(node), "an index").run
    base = _base(scope, node.name)
    if isinstance(base, Value):
        return followed(base, index, node)
    of, locate = types.array(base.type), base.locate
    step, length = types.cells(of.element), of.length
    if length is None:
        raise refused(place, "an element of an array whose length is not known here; give its length")

    def run(frame):
        storage, start = locate(frame)
        k = index(frame)
        if not 0 <= k < length:
            name = storage.label(start).removesuffix("[0]" * types.dimensions(of))
            raise refused(place, f"index out of bounds: {name}[{k}], and {name} has {length} elements")
        return storage, start + k * step

    return Location(of.element, run, base.constant, f"{base.name}[]", base.roots)


def _base(scope: Scope, node: c_ast.Node) -> Location | Value:
    """What an index is applied to: an array itself, whose length is known, or a pointer's value."""
    names = isinstance(node, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef)) or getattr(node, "op", "") == "*"
    if not names or isinstance(node, c_ast.BinaryOp):
        return scope.value(node)
    location = scope.location(node)
    return location if isinstance(location.type, Array) else scope.loaded(location, place_of(node))


def followed(pointer: Value, index: Callable, node: c_ast.Node) -> Location:
    """What a pointer with an index leads to; node: the whole expression."""
    place = place_of(node)
    if not isinstance(pointer.type, PointerTo):
        raise refused(place, "this is neither an array nor a pointer, and is followed")
    of, run = pointer.type.target, pointer.run
    step = types.cells(of)

    def locate(frame):
        return run(frame).at(index(frame) * step, step, place)

    name = text_of(node) if pointer.type.constant else ""
    return Location(of, locate, pointer.type.constant, name, pointer.roots)


def member(scope: Scope, node: c_ast.StructRef) -> Location:
    place, name = place_of(node), node.field.name
    if node.type == "->":
        base = followed(scope.value(node.name), lambda frame: 0, node)
    else:
        base = _structure_location(scope, node.name, place)
    if not isinstance(base.type, Structure) or name not in dict(base.type.fields):
        raise refused(place, f"{name} is no member of {types.describe(base.type)}")
    before, locate = types.offset(base.type, name), base.locate

    def run(frame):
        storage, start = locate(frame)
        return storage, start + before

    roots = frozenset(f"{root}.{name}" for root in base.roots)
    return Location(dict(base.type.fields)[name], run, base.constant, f"{base.name}.{name}", roots)


def _structure_location(scope: Scope, node: c_ast.Node, place: Place) -> Location:
    """A struct that is named, or one that a function returned and that nobody else sees."""
    if not isinstance(node, (c_ast.FuncCall, c_ast.TernaryOp, c_ast.Cast)):
        return scope.location(node)
    return scope.program.temporary(scope, scope.value(node))


def decayed(location: Location) -> Value:
    of, locate = types.array(location.type), location.locate
    count = types.cells(of)

    def run(frame):
        storage, start = locate(frame)
        return Pointer(storage, start, start, start + count)

    return Value(PointerTo(of.element, location.constant), run, roots=location.roots)


def address(scope: Scope, node: c_ast.Node) -> Value:
    """&x: of an element, every other element of the same variable may be reached, as &J[0][0] is used."""
    location = scope.location(node)
    locate, is_whole = location.locate, location.whole

    def run(frame):
        storage, offset = locate(frame)
        high = None if storage.grows else offset + types.cells(location.type) if is_whole else len(storage.cells)
        return Pointer(storage, offset, 0, high)

    return Value(PointerTo(location.type, location.constant), run, roots=location.roots)
