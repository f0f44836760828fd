"""Initial values: of numbers, arrays and structs, in nested braces or flat ones, with designators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import converted
from symvi.verify.reading.c_reader.declarations import place_of
from symvi.verify.reading.c_reader.memory import MOST_CELLS, Pointer, Storage
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Array, Integer, PointerTo, Structure, Type
from symvi.verify.reading.c_reader.values import Location, Value


@dataclass
class Items:
    """The entries of a list in braces that are still to be placed."""

    left: list[c_ast.Node]

    @property
    def front(self) -> c_ast.Node | None:
        return self.left[0] if self.left else None

    def take(self) -> c_ast.Node:
        return self.left.pop(0)


def completed(scope, of: Type, node: c_ast.Node | None, place: Place) -> Type:
    """The type of a variable, the length of `double x[] = {...}` taken from its initial values."""
    if not isinstance(of, Array) or of.length is not None:
        return of
    if not isinstance(node, c_ast.InitList):
        raise refused(place, "an array without a length; state it")
    if any(isinstance(each, c_ast.NamedInitializer) for each in node.exprs):
        raise refused(place_of(node), "designators in an array without a length; state the length")
    is_nested = types.cells(of.element) > 1 and isinstance(node.exprs[0], c_ast.InitList)
    count = len(node.exprs) if is_nested else -(-len(node.exprs) // types.cells(of.element))
    return Array(of.element, count)


def initial(scope, of: Type, node: c_ast.Node) -> Callable:
    """A closure for the cells of a variable with these initial values; what they leave out is zero."""
    place = place_of(node)
    if not isinstance(node, c_ast.InitList):
        if isinstance(of, Array):
            raise refused(place, "an array is initialised by something that is no list in braces")
        value = converted(scope.value(node), of, place).run
        return value if isinstance(of, Structure) else lambda frame: [value(frame)]
    zeros, parts = zero_cells(of), list(_placed(scope, of, Items(list(node.exprs)), 0, place))

    def run(frame):
        content = zeros(frame)
        for start, value, is_many in parts:
            found = value(frame)
            if is_many:
                content[start : start + len(found)] = found
            else:
                content[start] = found
        return content

    return run


def _placed(scope, of: Type, items: Items, start: int, place: Place) -> Iterator[tuple[int, Callable, bool]]:
    """(first cell, closure, whether it gives several cells) of every entry of a list that is one value of this type."""
    if not isinstance(of, (Array, Structure)):
        yield from _entry(scope, of, items, start)
    elif isinstance(of, Array):
        yield from _members(scope, dict(enumerate([of.element] * (of.length or 0))), items, start, place)
    else:
        yield from _members(scope, dict(of.fields), items, start, place)
    if (more := items.front) is not None:
        raise refused(place_of(more), "more initial values than there is room for")


def _members(scope, members: dict, items: Items, start: int, place: Place, is_whole: bool = True) -> Iterator:
    """The entries for the elements of an array or the members of a struct, in order or as designators say."""
    keys = list(members)
    offsets = _offsets(members)
    k = 0
    while items.front is not None and (k < len(keys) or isinstance(items.front, c_ast.NamedInitializer)):
        node = items.front
        if isinstance(node, c_ast.NamedInitializer):
            if not is_whole:
                return
            k = _designated(scope, node, keys)
            items.left[0] = node.expr
        yield from _entry(scope, members[keys[k]], items, start + offsets[keys[k]])
        k += 1


def _offsets(members: dict) -> dict:
    before, found = 0, {}
    for key, of in members.items():
        found[key] = before
        before += types.cells(of)
    return found


def _designated(scope, node: c_ast.NamedInitializer, keys: list) -> int:
    if len(node.name) != 1:
        raise refused(place_of(node), "a designator of several parts; use braces in braces")
    (designator,) = node.name
    is_member = isinstance(designator, c_ast.ID) and isinstance(keys[0], str)
    index = getattr(designator, "expr", designator)  # pycparser wraps indices since its third version
    key = designator.name if is_member else scope.constant(index)
    if key not in keys:
        raise refused(place_of(node), f"{key} is no place of what is initialised here")
    return keys.index(key)


def _entry(scope, of: Type, items: Items, start: int) -> Iterator[tuple[int, Callable, bool]]:
    """The entry in front, and, where it is the first of a member's numbers without braces, those that follow."""
    node = items.front
    if node is None:
        return
    place = place_of(node)
    if isinstance(node, c_ast.InitList):
        items.take()
        yield from _placed(scope, of, Items(list(node.exprs)), start, place)
    elif isinstance(of, Array):
        yield from _members(scope, dict(enumerate([of.element] * (of.length or 0))), items, start, place, False)
    elif isinstance(of, Structure):
        value = scope.value(node)
        if isinstance(value.type, Structure):
            items.take()
            yield start, converted(value, of, place).run, True
        else:
            yield from _members(scope, dict(of.fields), items, start, place, False)
    else:
        items.take()
        yield start, converted(scope.value(node), of, place).run, False


def zero_cells(of: Type) -> Callable:
    """A closure for the cells of a variable that is all zero."""
    kinds = list(_kinds(of))

    def run(frame):
        zero, null = frame.machine.numbers[0], Pointer(None)
        return [0 if isinstance(kind, Integer) else null if isinstance(kind, PointerTo) else zero for kind in kinds]

    return run


def _kinds(of: Type) -> Iterator[Type]:
    if isinstance(of, Array):
        for _ in range(of.length or 0):
            yield from _kinds(of.element)
    elif isinstance(of, Structure):
        for _, kind in of.fields:
            yield from _kinds(kind)
    else:
        yield of


def compound_literal(scope, node: c_ast.CompoundLiteral) -> Location:
    """(type){...}: a variable without a name."""
    place = place_of(node)
    of = completed(scope, scope.types.read(node.type.type), node.init, place)
    return kept(scope, of, initial(scope, of, node.init))


def kept(scope, of: Type, content: Callable) -> Location:
    """A variable without a name that holds the cells of a closure."""

    def locate(frame):
        return Storage("(unnamed)", of, list(content(frame))), 0

    return Location(of, locate, True, "an unnamed value")


def temporary(scope, value: Value) -> Location:
    """The struct that an expression gives, as something whose members can be read."""
    return kept(scope, value.type, value.run)


def bounded(of: Type, place: Place) -> None:
    """Raises SourceError where a variable of this type holds too many numbers."""
    if types.cells(of) > MOST_CELLS:
        raise refused(place, f"a variable of {types.cells(of)} numbers; at most {MOST_CELLS} can be read")
