"""Expressions of C: numbers, names, operators, assignments, and where values lie.

Types are C's: an operation on two whole numbers is one of whole numbers (1/2 is 0), one with a real among its operands
is one of reals. Chains of operators are read from left to right without recursion: sums may have any number of terms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from pycparser import c_ast

from symvi.verify.reading.c_reader import initializers, literals, types
from symvi.verify.reading.c_reader.calls import called
from symvi.verify.reading.c_reader.conversions import as_condition, as_integer, as_real, converted, is_number, whole
from symvi.verify.reading.c_reader.declarations import place_of, text_of
from symvi.verify.reading.c_reader.memory import COMPARISONS, SHIFTS, whole_operation
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.scope import Location, Scope, Value

ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
# What the arithmetic is asked in the place of a comparison: reals have an order, so one question answers two.
INSTEAD = {"<": "<", ">": ">", "<=": ">", ">=": "<", "==": "==", "!=": "=="}


# --- numbers and names -----------------------------------------------------------------------------------------------
def _constant(scope: Scope, node: c_ast.Constant) -> Value:
    place, text = place_of(node), node.value
    try:
        if node.type in ("float", "double", "long double"):
            return _decimal(scope, text, place)
        if "int" in node.type:
            return _whole(*literals.whole(text), place)
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


def _whole(value: int, suffix: str, place: Place) -> Value:
    """A whole number of the first type that is wide enough."""
    for words in ("", "unsigned", "long", "long unsigned"):
        of = types.WORDS[words]
        is_wide_enough = value <= types.limits(of)[1] and ("l" not in suffix or "long" in words)
        if is_wide_enough and ("unsigned" in words) == ("u" in suffix or words == "long unsigned"):
            return whole(of, value)
    raise refused(place, f"{value} is beyond every type of whole numbers")


def _name(scope: Scope, node: c_ast.ID) -> Value:
    place, name = place_of(node), node.name
    if not any(name in block for block in scope.names) and name not in scope.unit.globals:
        if name in scope.unit.enumerators:
            return whole(types.INT, scope.program.enumerator(name))
        if name in ("true", "false"):
            return whole(types.INT, int(name == "true"))
        if name == "NULL":
            return Value(types.pointer_to(None), "NULL", 0)
        if name in literals.CONSTANTS:
            return _decimal(scope, literals.CONSTANTS[name], place)
        if name in ("INFINITY", "NAN", "HUGE_VAL"):
            raise refused(place, f"{name} is no number that can be computed with exactly")
    variable = scope.find(name, place)
    return whole(variable.type, variable.value) if variable.value is not None else _load(scope, node)


# --- where values lie ------------------------------------------------------------------------------------------------
def location(scope: Scope, node: c_ast.Node) -> Location:
    """The memory that an expression names. Raises SourceError for one that names none."""
    place = place_of(node)
    if isinstance(node, c_ast.ID):
        found = scope.find(node.name, place)
        return Location(found.type, found.code, found.constant, found.name, found.roots, whole=True)
    if isinstance(node, c_ast.ArrayRef):
        return _element(scope, node, place)
    if isinstance(node, c_ast.StructRef):
        return _member(scope, node, place)
    if isinstance(node, c_ast.UnaryOp) and node.op == "*":
        return _followed(scope, scope.value(node.expr), "0", node)
    if isinstance(node, c_ast.CompoundLiteral):
        of = initializers.completed(scope.types.read(node.type.type), node.init, place)
        return _unnamed(scope, of, initializers.initial(scope, of, node.init))
    raise refused(place, "this is no variable, element or member that could be written or pointed to")


def _unnamed(scope: Scope, of: types.Type, content: str) -> Location:
    return Location(of, f"m.new('(unnamed)', {scope.keep(of)}, {content})", True, "an unnamed value")


def _names_memory(node: c_ast.Node) -> bool:
    names = isinstance(node, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef))
    return names or isinstance(node, c_ast.UnaryOp) and node.op == "*"


def _element(scope: Scope, node: c_ast.ArrayRef, place: Place) -> Location:
    index = as_integer(scope.value(node.subscript), place, "an index").code
    base = location(scope, node.name) if _names_memory(node.name) else None
    if base is None or not types.is_array(base.type):
        return _followed(scope, scope.value(node.name), index, node)
    if not base.type._length_:
        raise refused(place, "an element of an array whose length is not known here; give its length")
    code = f"{base.code}.element({index}, {scope.keep(base.type)}, {scope.keep(place)})"
    return Location(base.type._type_, code, base.constant, f"{base.name}[]", base.roots)


def _followed(scope: Scope, pointer: Value, index: str, node: c_ast.Node) -> Location:
    """What a pointer with an index leads to; node: the whole expression."""
    place = place_of(node)
    if not types.is_pointer(pointer.type):
        raise refused(place, "this is neither an array nor a pointer, and is followed")
    of, constant = pointer.type.target, pointer.type.constant
    step = types.size(of)
    code = f"{pointer.code}.at({step}*{index}, {step}, {scope.keep(place)})"
    return Location(of, code, constant, text_of(node) if constant else "", pointer.roots)


def _member(scope: Scope, node: c_ast.StructRef, place: Place) -> Location:
    name = node.field.name
    if node.type == "->":
        base = _followed(scope, scope.value(node.name), "0", node)
    elif isinstance(node.name, (c_ast.FuncCall, c_ast.TernaryOp, c_ast.Cast)):
        returned = scope.value(node.name)  # a struct that nobody else sees
        base = _unnamed(scope, returned.type, returned.code)
    else:
        base = location(scope, node.name)
    fields = {field: (kind, at) for field, kind, at in types.members(base.type)} if types.is_struct(base.type) else {}
    if name not in fields:
        raise refused(place, f"{name} is no member of {types.describe(base.type)}")
    of, offset = fields[name]
    roots = frozenset(f"{root}.{name}" for root in base.roots)
    return Location(of, f"{base.code}.moved({offset})", base.constant, f"{base.name}.{name}", roots)


def _load(scope: Scope, node: c_ast.Node) -> Value:
    return loaded(scope, location(scope, node), place_of(node))


def loaded(scope: Scope, location: Location, place: Place) -> Value:
    """The value of what a location names: arrays become pointers to their first element."""
    of, code = location.type, location.code
    if types.is_array(of):
        pointer = types.pointer_to(of._type_, location.constant)
        return Value(pointer, f"{code}.decayed({types.size(of)})", roots=location.roots)
    if not (location.whole or types.is_pointer(of)):
        scope.touch(location.roots, "read")
    if types.is_struct(of):
        return Value(of, f"{code}.all({types.size(of)})")
    roots = location.roots if types.is_pointer(of) else frozenset()
    return Value(of, f"{code}.read({scope.keep(place)})", roots=roots)


def _address(scope: Scope, node: c_ast.Node) -> Value:
    place = location(scope, node)
    size = types.size(place.type) if place.whole else None
    return Value(types.pointer_to(place.type, place.constant), f"{place.code}.address({size})", roots=place.roots)


# --- assignments -----------------------------------------------------------------------------------------------------
def _assignment(scope: Scope, node: c_ast.Assignment) -> Value:
    place, value = place_of(node), scope.value(node.rvalue)
    target = location(scope, node.lvalue)
    if node.op != "=":
        change = c_ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue, node.coord)
        return _changed(scope, change, target, value, "updated")
    value = converted(scope, value, target.type, place)
    if types.is_pointer(value.type) and isinstance(node.lvalue, c_ast.ID):
        scope.find(node.lvalue.name, place).roots |= value.roots  # it may from here on point into that
    _writable(scope, target, place)
    method = "put" if types.is_struct(target.type) else "write"
    return Value(target.type, f"{target.code}.{method}({value.code}, {scope.keep(place)})", roots=value.roots)


def _stepped(scope: Scope, node: c_ast.UnaryOp) -> Value:
    """x++, ++x, x--, --x of whole numbers, reals and pointers."""
    change = c_ast.BinaryOp(node.op[-1], node.expr, None, node.coord)
    method = "stepped" if "p" in node.op else "updated"
    return _changed(scope, change, location(scope, node.expr), whole(types.INT, 1), method)


def _changed(scope: Scope, node: c_ast.BinaryOp, target: Location, by: Value, method: str) -> Value:
    """A place that is looked for once, and written as an operation on what is there."""
    place = place_of(node)
    old = replace(loaded(scope, target, place), code="old", constant=None)
    new = converted(scope, _operation(scope, node, old, by), target.type, place)
    _writable(scope, target, place)
    return Value(target.type, f"{target.code}.{method}(lambda old: {new.code}, {scope.keep(place)})", roots=old.roots)


def _writable(scope: Scope, target: Location, place: Place) -> None:
    """Note that this is written. Raises SourceError where it may not be."""
    if target.constant:
        raise refused(place, f"{target.name} is const or global, and is written here; pass it as a parameter")
    if not target.whole:
        scope.touch(target.roots, "written")


# --- operators -------------------------------------------------------------------------------------------------------
def _binary(scope: Scope, node: c_ast.Node) -> Value:
    chain: list[c_ast.BinaryOp] = []
    while isinstance(node, c_ast.BinaryOp):
        chain.append(node)
        node = node.left
    left = scope.value(node)
    for each in reversed(chain):
        left = scope.short(_operation(scope, each, left, scope.value(each.right)))
    return left


def _operation(scope: Scope, node: c_ast.BinaryOp, left: Value, right: Value) -> Value:
    op, place = node.op, place_of(node)
    if op in ("&&", "||"):
        first, second = as_condition(scope, left, place), as_condition(scope, right, place)
        return Value(types.INT, f"int({first} {'and' if op == '&&' else 'or'} {second})")
    if types.is_pointer(left.type) or types.is_pointer(right.type):
        return _of_pointers(scope, op, left, right, place)
    if not (is_number(left) and is_number(right)):
        raise refused(place, f"{op} of something that is no number")
    if types.is_whole(left.type) and types.is_whole(right.type):
        return _of_whole_numbers(scope, op, left, right, place)
    left, right = as_real(scope, left, place), as_real(scope, right, place)
    if op in COMPARISONS:
        return _comparison(scope, node, left.code, right.code, place)
    if op not in ARITHMETIC:
        advice = "; fmod is, and jumps where it has no derivative" if op == "%" else ""
        raise refused(place, f"{op} of real numbers is not C{advice}")
    known = None
    if left.constant is not None and right.constant is not None and not (op == "/" and right.constant == 0):
        known = ARITHMETIC[op](Fraction(left.constant), Fraction(right.constant))
    return Value(types.DOUBLE, f"({left.code} {op} {right.code})", known)


def _comparison(scope: Scope, node: c_ast.BinaryOp, left: str, right: str, place: Place) -> Value:
    """A comparison of reals, through the arithmetic, which is told where it stands."""
    scope.program.branches.add(place)
    asked = INSTEAD[node.op]
    site = f"{place}: {text_of(c_ast.BinaryOp(asked, node.left, node.right, node.coord))}"
    first, second = (right, left) if asked == ">" else (left, right)
    method = "equal" if asked == "==" else "less"
    return Value(types.INT, f"int(A.{method}({first}, {second}, {site!r}) is {asked == node.op})")


def _of_whole_numbers(scope: Scope, op: str, left: Value, right: Value, place: Place) -> Value:
    of = types.promoted(left.type) if op in SHIFTS else types.common(left.type, right.type)
    known, rest = None, True
    if isinstance(left.constant, int) and isinstance(right.constant, int):
        known = whole_operation(op, left.constant, right.constant, of, place)
        rest = op == "/" and left.constant % right.constant != 0
    if op == "/" and rest:
        said = "what follows the point is dropped" if known is None else f"{left.constant}/{right.constant} is {known}"
        scope.note(place, "integer division", f"division of whole numbers: {said}, as C has it")
    result = types.INT if op in COMPARISONS else of
    code = f"whole({op!r}, {left.code}, {right.code}, {scope.keep(of)}, {scope.keep(place)})"
    return Value(result, code) if known is None else whole(result, known)


def _of_pointers(scope: Scope, op: str, left: Value, right: Value, place: Place) -> Value:
    if op in ("==", "!=") and (left.constant == 0 or right.constant == 0):
        pointer = right if left.constant == 0 else left
        return Value(types.INT, f"int({as_condition(scope, pointer, place)} is {op == '!='})")
    if op == "+" and types.is_whole(left.type):
        left, right = right, left
    if op in ("+", "-") and types.is_pointer(left.type) and types.is_whole(right.type):
        step = types.size(left.type.target)
        return Value(left.type, f"{left.code}.moved({op}{step}*{right.code})", roots=left.roots)
    raise refused(place, f"{op} of pointers: add whole numbers to them, and compare them with NULL, nothing else")


def _unary(scope: Scope, node: c_ast.UnaryOp) -> Value:
    op, place = node.op, place_of(node)
    if op in ("++", "--", "p++", "p--"):
        return _stepped(scope, node)
    if op == "&":
        return _address(scope, node.expr)
    if op == "*":
        return _load(scope, node)
    if op == "sizeof":
        return _size_of(scope, node.expr)
    value = scope.value(node.expr)
    if op == "!":
        return Value(types.INT, f"int(not {as_condition(scope, value, place)})")
    if op in ("-", "+") and types.is_real(value.type):
        negative = Value(value.type, f"(-{value.code})", None if value.constant is None else -value.constant)
        return value if op == "+" else negative
    if op not in ("-", "+", "~") or not types.is_whole(value.type):
        raise refused(place, f"{op} of something that is no whole number")
    zero = whole(types.promoted(value.type), -1 if op == "~" else 0)
    return _of_whole_numbers(scope, {"~": "^"}.get(op, op), zero, value, place)


def _size_of(scope: Scope, node: c_ast.Node) -> Value:
    if isinstance(node, c_ast.Typename):
        of = scope.types.read(node.type)
    else:
        of = location(scope, node).type if _names_memory(node) else scope.value(node).type
    return whole(types.UNSIGNED_LONG, types.size(of))


def _ternary(scope: Scope, node: c_ast.TernaryOp) -> Value:
    place, truth = place_of(node), as_condition(scope, scope.value(node.cond), place_of(node))
    left, right = scope.value(node.iftrue), scope.value(node.iffalse)
    if is_number(left) and is_number(right):
        both_whole = types.is_whole(left.type) and types.is_whole(right.type)
        of = types.common(left.type, right.type) if both_whole else types.DOUBLE
        left, right = converted(scope, left, of, place), converted(scope, right, of, place)
    elif left.type != right.type and not (types.is_pointer(left.type) and types.is_pointer(right.type)):
        raise refused(place, "the two sides of ?: have different types")
    return Value(left.type, f"({left.code} if {truth} else {right.code})", roots=left.roots | right.roots)


def _cast(scope: Scope, node: c_ast.Cast) -> Value:
    place, of, value = place_of(node), scope.types.read(node.to_type.type), scope.value(node.expr)
    if of is None:
        return Value(None, value.code)
    if types.is_pointer(of) and types.is_pointer(value.type):
        if types.scalar(of.target) != types.scalar(value.type.target):
            raise refused(
                place, "a pointer cast that sees other numbers in the same memory; use the variable's own type"
            )
        return Value(of, value.code, value.constant, value.roots)
    return converted(scope, value, of, place)


def _listed(scope: Scope, node: c_ast.ExprList) -> Value:
    """a, b, c: all are computed, the last one counts."""
    values = [scope.value(each) for each in node.exprs]
    codes = ", ".join(value.code for value in values)
    return Value(values[-1].type, f"({codes},)[-1]", roots=values[-1].roots)


READERS: dict[type, Callable[[Scope, Any], Value]] = {
    c_ast.Constant: _constant,
    c_ast.ID: _name,
    c_ast.BinaryOp: _binary,
    c_ast.UnaryOp: _unary,
    c_ast.Assignment: _assignment,
    c_ast.ArrayRef: _load,
    c_ast.StructRef: _load,
    c_ast.CompoundLiteral: _load,
    c_ast.TernaryOp: _ternary,
    c_ast.Cast: _cast,
    c_ast.ExprList: _listed,
    c_ast.FuncCall: called,
}
