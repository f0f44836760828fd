"""Expressions of C as closures: arithmetic, comparisons, indexing, members, assignments, calls.

Types are C's: an operation on two integers is one of integers (1/2 is 0), one with a real among its operands is one of
reals. Chains of operators are read from left to right without recursion, so that sums may have any number of terms.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from pycparser import c_ast

from symvi.verify.derivatives.c_reader import literals, types
from symvi.verify.derivatives.c_reader.calls import called
from symvi.verify.derivatives.c_reader.conversions import as_condition, as_integer, as_real, converted, integer_result
from symvi.verify.derivatives.c_reader.declarations import Types, Unit, place_of, text_of
from symvi.verify.derivatives.c_reader.memory import Pointer
from symvi.verify.derivatives.c_reader.problems import Note, Place, refused
from symvi.verify.derivatives.c_reader.types import Array, Integer, PointerTo, Real, Structure
from symvi.verify.derivatives.c_reader.values import Location, Value, Variable

ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
COMPARISONS = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
# What the arithmetic is asked in the place of a comparison: reals have an order, so one question answers two.
INSTEAD = {"<": "<", ">": ">", "<=": ">", ">=": "<", "==": "==", "!=": "=="}


@dataclass
class Scope:
    """The names inside one function, and what reading it finds out.

    reads, writes: names of parameters in the order in which the text first touches what they point to.
    """

    unit: Unit
    program: object  # functions.Program: the other functions, globals, literals and notes
    names: list[dict[str, Variable | None]] = field(default_factory=lambda: [{}])
    slots: int = 0
    touched: dict[str, str] = field(default_factory=dict)  # parameter -> "read" or "written" first
    written: set[str] = field(default_factory=set)

    @property
    def types(self) -> Types:
        return Types(self.unit, self.constant)

    def declare(self, variable: Variable) -> Variable:
        """Add a name to the innermost block."""
        self.names[-1][variable.name] = variable
        return variable

    def new_slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def note(self, place: Place, kind: str, text: str) -> None:
        self.program.notes.append(Note(place, kind, text))

    def touch(self, roots, how: str) -> None:
        """Note that what these parameters point to is read or written here."""
        for root in roots:
            self.touched.setdefault(root, how)
            if how == "written":
                self.written.add(root)

    # --- constants -------------------------------------------------------------------------------------------------
    def constant(self, node: c_ast.Node) -> int:
        """The value of an integer that is known when the text is read. Raises SourceError for any other."""
        value = self.value(node)
        if not isinstance(value.constant, int) or not isinstance(value.type, Integer):
            raise refused(
                place_of(node), "a size or label that is not a constant whole number; write it as a number or a #define"
            )
        return value.constant

    def find(self, name: str, place: Place) -> Variable:
        """The variable of a name. Raises SourceError; its text is empty where the declaration was refused already."""
        for block in reversed(self.names):
            if name in block:
                if block[name] is None:
                    raise refused(place, "")
                return block[name]
        if name in self.unit.globals:
            return self.program.global_variable(name)
        raise refused(place, f"{name} is not declared here{self.program.hint}")

    # --- expressions -----------------------------------------------------------------------------------------------
    def value(self, node: c_ast.Node) -> Value:
        """An expression's value. Raises SourceError for what is outside the subset."""
        read = READERS.get(type(node))
        if read is None:
            raise refused(place_of(node), f"an expression that the reader does not know ({type(node).__name__})")
        return read(self, node)

    def real(self, node: c_ast.Node) -> Value:
        return as_real(self.value(node), place_of(node))

    def condition(self, node: c_ast.Node) -> Callable:
        """A closure for the truth of an expression."""
        return as_condition(self.value(node), place_of(node))

    def location(self, node: c_ast.Node) -> Location:
        """The cells that an expression names."""
        if isinstance(node, c_ast.ID):
            return _variable_location(self.find(node.name, place_of(node)))
        if isinstance(node, c_ast.ArrayRef):
            return _element(self, node)
        if isinstance(node, c_ast.StructRef):
            return _member(self, node)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            pointer = self.value(node.expr)
            return _followed(pointer, lambda frame: 0, node)
        if isinstance(node, c_ast.CompoundLiteral):
            return self.program.compound_literal(self, node)
        raise refused(place_of(node), "this is no variable, element or member that could be written or pointed to")

    def loaded(self, location: Location, place: Place) -> Value:
        """The value of what a location names: arrays become pointers to their first element."""
        of = location.type
        if isinstance(of, Array):
            return _decayed(location)
        if not (location.whole or isinstance(of, PointerTo)):
            self.touch(location.roots, "read")
        locate = location.locate
        if isinstance(of, Structure):
            count = types.cells(of)

            def copied(frame):
                storage, start = locate(frame)
                return [storage.cells[cell] if cell < len(storage.cells) else None
                        for cell in range(start, start + count)]  # fmt: skip

            return Value(of, copied)

        def run(frame):
            storage, offset = locate(frame)
            return storage.read(offset, place)

        return Value(of, run, roots=location.roots if isinstance(of, PointerTo) else frozenset())

    def stored(self, location: Location, value: Callable, place: Place) -> Callable:
        """A closure that writes the value of another one and returns it."""
        if location.constant:
            raise refused(place, f"{location.name} is const or global, and is written here; pass it as a parameter")
        if not location.whole:
            self.touch(location.roots, "written")
        locate = location.locate
        if isinstance(location.type, Structure):

            def copy(frame):
                cells = value(frame)
                storage, start = locate(frame)
                for k, cell in enumerate(cells):
                    if cell is not None:
                        storage.write(start + k, cell, place)
                return cells

            return copy

        def run(frame):
            result = value(frame)
            storage, offset = locate(frame)
            storage.write(offset, result, place)
            return result

        return run


# --- locations -------------------------------------------------------------------------------------------------------
def _variable_location(variable: Variable) -> Location:
    slot, name = variable.slot, variable.name
    if slot is None:
        return Location(variable.type, lambda frame: (frame.machine.globals[name], 0), True, name, whole=True)
    return Location(
        variable.type, lambda frame: (frame.slots[slot], 0), variable.constant, name, variable.roots, whole=True
    )


def _element(scope: Scope, node: c_ast.ArrayRef) -> Location:
    place, index = place_of(node), as_integer(scope.value(node.subscript), place_of(node), "an index").run
    base = _base(scope, node.name)
    if isinstance(base, Value):
        return _followed(base, index, node)
    of, locate, step = base.type, base.locate, types.cells(base.type.element)

    def run(frame):
        storage, start = locate(frame)
        k = index(frame)
        if not 0 <= k < of.length:
            name = storage.label(start).removesuffix("[0]" * types.dimensions(of))
            raise refused(place, f"index out of bounds: {name}[{k}], and {name} has {of.length} elements")
        return storage, start + k * step

    return Location(of.element, run, base.constant, f"{base.name}[]", base.roots)


def _base(scope: Scope, node: c_ast.Node) -> Location | Value:
    """What an index is applied to: an array itself, whose length is known, or a pointer's value."""
    names = isinstance(node, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef)) or getattr(node, "op", "") == "*"
    if not names or isinstance(node, c_ast.BinaryOp):
        return scope.value(node)
    location = scope.location(node)
    return location if isinstance(location.type, Array) else scope.loaded(location, place_of(node))


def _followed(pointer: Value, index: Callable, node: c_ast.Node) -> Location:
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


def _member(scope: Scope, node: c_ast.StructRef) -> Location:
    place, name = place_of(node), node.field.name
    if node.type == "->":
        base = _followed(scope.value(node.name), lambda frame: 0, node)
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


def _decayed(location: Location) -> Value:
    of, locate = location.type, location.locate
    count = types.cells(of)

    def run(frame):
        storage, start = locate(frame)
        return Pointer(storage, start, start, start + count)

    return Value(PointerTo(of.element, location.constant), run, roots=location.roots)


# --- leaves ----------------------------------------------------------------------------------------------------------
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
    meant = literals.meaning(text)
    if meant.said:
        scope.note(place, "rounded number", meant.said)
    return scope.program.literal(meant)


def _whole(value: int, suffix: str, place: Place) -> Value:
    wanted = "l" in suffix, "u" in suffix
    for of in (types.INT, types.UNSIGNED, types.LONG, types.UNSIGNED_LONG):
        is_wide_enough = of.size >= (8 if wanted[0] else 4) and value <= of.high
        if is_wide_enough and of.is_unsigned == (wanted[1] or (of is types.UNSIGNED_LONG)):
            return Value(of, lambda frame: value, value)
    raise refused(place, f"{value} is beyond every type of whole numbers")


def _name(scope: Scope, node: c_ast.ID) -> Value:
    place = place_of(node)
    if not any(node.name in block for block in scope.names) and node.name not in scope.unit.globals:
        outside = _name_of_a_header(scope, node.name, place)
        if outside is not None:
            return outside
    variable = scope.find(node.name, place)
    if variable.value is not None:
        known = variable.value
        return Value(variable.type, lambda frame: known, known)
    return scope.loaded(_variable_location(variable), place)


def _name_of_a_header(scope: Scope, name: str, place: Place) -> Value | None:
    """The value of an enumerator, or of what math.h, stdbool.h and stddef.h define."""
    if name in scope.unit.enumerators:
        value = scope.program.enumerator(name)
        return Value(types.INT, lambda frame: value, value)
    if name in ("true", "false"):
        return _whole(int(name == "true"), "", place)
    if name == "NULL":
        return Value(PointerTo(types.VOID), lambda frame: Pointer(None), 0)
    if name not in literals.CONSTANTS:
        if name in ("INFINITY", "NAN", "HUGE_VAL"):
            raise refused(place, f"{name} is no number that can be computed with exactly")
        return None
    return _decimal(scope, literals.CONSTANTS[name], place)


# --- operators -------------------------------------------------------------------------------------------------------
def _binary(scope: Scope, node: c_ast.BinaryOp) -> Value:
    """A chain of + - * / on reals becomes one closure, everything else one closure an operator."""
    chain = []
    while isinstance(node, c_ast.BinaryOp):
        chain.append(node)
        node = node.left
    left, steps = scope.value(node), []
    for each in reversed(chain):
        right = scope.value(each.right)
        if each.op in ARITHMETIC and isinstance(left.type, Real) and _is_number(right):
            right = as_real(right, place_of(each))
            steps.append((ARITHMETIC[each.op], right.run))
            left = Value(types.DOUBLE, left.run, _folded(each.op, left.constant, right.constant))
            continue
        left = _operation(scope, each, _finished(left, steps), right)
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


def _is_number(value: Value) -> bool:
    return isinstance(value.type, (Real, Integer))


def _operation(scope: Scope, node: c_ast.BinaryOp, left: Value, right: Value) -> Value:
    op, place = node.op, place_of(node)
    if op in ("&&", "||"):
        return _junction(op, as_condition(left, place), as_condition(right, place))
    if isinstance(left.type, PointerTo) or isinstance(right.type, PointerTo):
        return _pointer_operation(op, left, right, place)
    if not (_is_number(left) and _is_number(right)):
        raise refused(place, f"{op} of something that is no number")
    if isinstance(left.type, Integer) and isinstance(right.type, Integer):
        return _integer_operation(scope, op, left, right, place)
    if op in COMPARISONS:
        return _comparison(scope, node, as_real(left, place), as_real(right, place), place)
    if op in ARITHMETIC:
        left, right = as_real(left, place), as_real(right, place)
        operation, first, second = ARITHMETIC[op], left.run, right.run
        folded = _folded(op, left.constant, right.constant)
        return Value(types.DOUBLE, lambda frame: operation(first(frame), second(frame)), folded)
    advice = "; fmod jumps, and has no derivative there" if op == "%" else ""
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


def _integer_operation(scope: Scope, op: str, left: Value, right: Value, place: Place) -> Value:
    if op in COMPARISONS:
        of, result, compare = types.common(left.type, right.type), types.INT, COMPARISONS[op]

        def exact(x, y):
            return int(compare(integer_result(x, of, place), integer_result(y, of, place)))

    else:
        of = types.promoted(left.type) if op in ("<<", ">>") else types.common(left.type, right.type)
        result, exact = of, INTEGERS[op](of, place)
    first, second = left.run, right.run
    known = None
    if isinstance(left.constant, int) and isinstance(right.constant, int):
        known = exact(left.constant, right.constant)
    if op == "/" and (known is None or left.constant % right.constant):
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


def _unary(scope: Scope, node: c_ast.UnaryOp) -> Value:
    op, place = node.op, place_of(node)
    if op in ("++", "--", "p++", "p--"):
        return _stepped(scope, node)
    if op == "&":
        return _address(scope, node.expr)
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

    return Value(of, lambda frame: apply(run(frame)), None if known is None else apply(known))


def _address(scope: Scope, node: c_ast.Node) -> Value:
    """&x: of an element, every other element of the same variable may be reached, as &J[0][0] is used."""
    location = scope.location(node)
    locate, is_whole = location.locate, location.whole

    def run(frame):
        storage, offset = locate(frame)
        high = None if storage.grows else offset + types.cells(location.type) if is_whole else len(storage.cells)
        return Pointer(storage, offset, 0, high)

    return Value(PointerTo(location.type, location.constant), run, roots=location.roots)


def _size_of(scope: Scope, node: c_ast.Node, place: Place) -> Value:
    if isinstance(node, c_ast.Typename):
        of = scope.types.read(node.type)
    elif isinstance(node, (c_ast.ID, c_ast.ArrayRef, c_ast.StructRef)) or getattr(node, "op", "") == "*":
        of = scope.location(node).type
    else:
        of = scope.value(node).type
    known = types.size(of)
    return Value(types.UNSIGNED_LONG, lambda frame: known, known)


def _stepped(scope: Scope, node: c_ast.UnaryOp) -> Value:
    """x++, ++x, x--, --x of whole numbers, reals and pointers."""
    place = place_of(node)
    prepare, location = _kept(scope, scope.location(node.expr))
    old = scope.loaded(location, place)
    new = _operation(scope, c_ast.BinaryOp(node.op[-1], node.expr, None, node.coord), old, _whole(1, "", place))
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


def _assignment(scope: Scope, node: c_ast.Assignment) -> Value:
    place = place_of(node)
    value = scope.value(node.rvalue)
    location = scope.location(node.lvalue)
    if node.op == "=":
        value = converted(value, location.type, place)
        _point(scope, node.lvalue, value)
        return Value(location.type, scope.stored(location, value.run, place), roots=value.roots)
    prepare, location = _kept(scope, location)
    old = scope.loaded(location, place)
    new = _operation(scope, c_ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue, node.coord), old, value)
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


def _ternary(scope: Scope, node: c_ast.TernaryOp) -> Value:
    place, truth = place_of(node), scope.condition(node.cond)
    left, right = scope.value(node.iftrue), scope.value(node.iffalse)
    if _is_number(left) and _is_number(right):
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
    if types.scalar(of.target) != types.scalar(value.type.target):
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


def _member_load(scope: Scope, node: c_ast.StructRef) -> Value:
    return scope.loaded(_member(scope, node), place_of(node))


READERS: dict[type, Callable[[Scope, c_ast.Node], Value]] = {
    c_ast.Constant: _constant,
    c_ast.ID: _name,
    c_ast.BinaryOp: _binary,
    c_ast.UnaryOp: _unary,
    c_ast.Assignment: _assignment,
    c_ast.ArrayRef: _load,
    c_ast.StructRef: _member_load,
    c_ast.CompoundLiteral: _load,
    c_ast.TernaryOp: _ternary,
    c_ast.Cast: _cast,
    c_ast.ExprList: _listed,
    c_ast.FuncCall: called,
}
