"""Expressions without parts: numbers as they are written, names, and what headers of the standard library name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pycparser import c_ast

from symvi.verify.reading.c_reader import literals, types
from symvi.verify.reading.c_reader.declarations import place_of
from symvi.verify.reading.c_reader.locations import variable_location
from symvi.verify.reading.c_reader.memory import Pointer
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import PointerTo
from symvi.verify.reading.c_reader.values import Value

if TYPE_CHECKING:
    from symvi.verify.reading.c_reader.scope import Scope


def constant(scope: Scope, node: c_ast.Constant) -> Value:
    place, text = place_of(node), node.value
    try:
        if node.type in ("float", "double", "long double"):
            return _decimal(scope, text, place)
        if "int" in node.type:
            return whole(*literals.whole(text), place)
    except literals.UnreadableNumber as error:
        raise refused(place, str(error)) from None
    raise refused(place, f"{text} is a text or a character, which is no number")


def _decimal(scope: Scope, text: str, place: Place) -> Value:
    if text[-1] in "fF" and text[:2].lower() != "0x":
        scope.unit.single.add(place)
    meant = literals.meaning(text)
    if meant.said:
        scope.note(place, "rounded number", meant.said)
    return scope.program.literal(meant)


def whole(value: int, suffix: str, place: Place) -> Value:
    wanted = "l" in suffix, "u" in suffix
    for of in (types.INT, types.UNSIGNED, types.LONG, types.UNSIGNED_LONG):
        is_wide_enough = of.size >= (8 if wanted[0] else 4) and value <= of.high
        if is_wide_enough and of.is_unsigned == (wanted[1] or (of is types.UNSIGNED_LONG)):
            return Value(of, lambda frame: value, value)
    raise refused(place, f"{value} is beyond every type of whole numbers")


def name(scope: Scope, node: c_ast.ID) -> Value:
    place = place_of(node)
    if not any(node.name in block for block in scope.names) and node.name not in scope.unit.globals:
        outside = _name_of_a_header(scope, node.name, place)
        if outside is not None:
            return outside
    variable = scope.find(node.name, place)
    if variable.value is not None:
        known = variable.value
        return Value(variable.type, lambda frame: known, known)
    return scope.loaded(variable_location(variable), place)


def _name_of_a_header(scope: Scope, name: str, place: Place) -> Value | None:
    """The value of an enumerator, or of what math.h, stdbool.h and stddef.h define."""
    if name in scope.unit.enumerators:
        value = scope.program.enumerator(name)
        return Value(types.INT, lambda frame: value, value)
    if name in ("true", "false"):
        return whole(int(name == "true"), "", place)
    if name == "NULL":
        return Value(PointerTo(types.VOID), lambda frame: Pointer(None), 0)
    if name not in literals.CONSTANTS:
        if name in ("INFINITY", "NAN", "HUGE_VAL"):
            raise refused(place, f"{name} is no number that can be computed with exactly")
        return None
    return _decimal(scope, literals.CONSTANTS[name], place)
