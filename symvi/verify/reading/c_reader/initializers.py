"""Initial values: of numbers, arrays and structs, in nested braces or flat ones, with designators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import converted
from symvi.verify.reading.c_reader.declarations import place_of
from symvi.verify.reading.c_reader.memory import MOST_CELLS
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.scope import Scope
from symvi.verify.reading.c_reader.types import Type

Items = list[Any]  # the entries of a list in braces that are still to be placed
Parts = Iterator[tuple[int, str]]  # (offset, Python for what lies there: a number, or a struct)


def completed(of: Type, node: c_ast.Node | None, place: Place) -> Type:
    """The type of a variable, the length of `double x[] = {...}` taken from its initial values.

    Raises SourceError for one that is not known, and for too many numbers.
    """
    if types.is_array(of) and not of._length_:
        if not isinstance(node, c_ast.InitList):
            raise refused(place, "an array without a length; state it")
        if any(isinstance(each, c_ast.NamedInitializer) for each in node.exprs):
            raise refused(place_of(node), "designators in an array without a length; state the length")
        wide = types.cells(of._type_)
        is_nested = wide > 1 and isinstance(node.exprs[0], c_ast.InitList)
        of = of._type_ * (len(node.exprs) if is_nested else -(-len(node.exprs) // wide))
    if of is None:
        raise refused(place, "a variable of type void")
    if types.cells(of) > MOST_CELLS:
        raise refused(place, f"a variable of {types.cells(of)} numbers; at most {MOST_CELLS} can be read")
    return of


def initial(scope: Scope, of: Type, node: c_ast.Node) -> str:
    """Python for the content of a variable with these initial values; what they leave out is zero."""
    place = place_of(node)
    if not isinstance(node, c_ast.InitList):
        if types.is_array(of):
            raise refused(place, "an array is initialised by something that is no list in braces")
        value = converted(scope, scope.value(node), of, place).code
        return value if types.is_struct(of) else f"{{0: {value}}}"
    parts = "".join(f", ({start}, {code})" for start, code in _placed(scope, of, list(node.exprs), 0))
    return f"merged((0, m.zeros({scope.keep(of)})){parts})"


def _placed(scope: Scope, of: Type, items: Items, start: int) -> Parts:
    """What lies where of a list that is one value of this type."""
    yield from _members(scope, of, items, start) if _keys(of) else _entry(scope, of, items, start)
    if items:
        raise refused(place_of(items[0]), "more initial values than there is room for")


def _keys(of: Type) -> dict:
    """(type, offset) of the elements of an array or the members of a struct."""
    if types.is_array(of):
        return {k: (of._type_, k * types.size(of._type_)) for k in range(of._length_)}
    return {name: (kind, at) for name, kind, at in types.members(of)} if types.is_struct(of) else {}


def _members(scope: Scope, of: Type, items: Items, start: int, is_whole: bool = True) -> Parts:
    """Entries for the parts of an array or a struct, in order or as designators say."""
    places = _keys(of)
    keys, k = list(places), 0
    while items and (k < len(keys) or isinstance(items[0], c_ast.NamedInitializer)):
        node = items[0]
        if isinstance(node, c_ast.NamedInitializer):
            if not is_whole:
                return
            k = _designated(scope, node, keys)
            items[0] = node.expr
        kind, at = places[keys[k]]
        yield from _entry(scope, kind, items, start + at)
        k += 1


def _designated(scope: Scope, node: c_ast.NamedInitializer, keys: list) -> int:
    if len(node.name) != 1:
        raise refused(place_of(node), "a designator of several parts; use braces in braces")
    (designator,) = node.name
    is_member = isinstance(designator, c_ast.ID) and isinstance(keys[0], str)
    index = getattr(designator, "expr", designator)  # pycparser wraps indices since its third version
    key = designator.name if is_member else scope.constant(index)
    if key not in keys:
        raise refused(place_of(node), f"{key} is no place of what is initialised here")
    return keys.index(key)


def _entry(scope: Scope, of: Type, items: Items, start: int) -> Parts:
    """The entry in front, and, where it is the first of a member's numbers without braces, those that follow."""
    node = items[0]
    if isinstance(node, c_ast.InitList):
        yield from _placed(scope, of, list(items.pop(0).exprs), start)
        return
    value = None if types.is_array(of) else scope.value(node)
    if value is None or types.is_struct(of) and not types.is_struct(value.type):
        yield from _members(scope, of, items, start, False)
    else:
        items.pop(0)
        yield start, converted(scope, value, of, place_of(node)).code
