"""Calls: of functions in the same text, of math.h, and of memset and memcpy, which fill and copy arrays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeGuard

from pycparser import c_ast

from symvi.verify.reading.c_reader import library, types
from symvi.verify.reading.c_reader.conversions import as_integer, as_real, converted, integer_result
from symvi.verify.reading.c_reader.declarations import place_of
from symvi.verify.reading.c_reader.memory import MOST_CELLS, Frame, Machine, Storage
from symvi.verify.reading.c_reader.problems import Place, jump, refused
from symvi.verify.reading.c_reader.types import Integer, PointerTo, Real, Structure
from symvi.verify.reading.c_reader.values import Value, Variable


def called(scope, node: c_ast.FuncCall) -> Value:
    """A call's value. scope: expressions.Scope."""
    place = place_of(node)
    if not isinstance(node.name, c_ast.ID):
        raise refused(place, "a function is called through a pointer; call it by its name")
    name, arguments = node.name.name, node.args.exprs if node.args else []
    if name in scope.unit.functions:
        return _own(scope, scope.program.function(name, place), arguments, place)
    bare = library.base_name(name, _is_known)
    if bare in library.WITHOUT_EFFECT:
        scope.note(place, "skipped call", f"the call of {name} was left out")
        return Value(types.INT, lambda frame: 0)
    if name in scope.unit.prototypes and not _is_known(bare):
        raise refused(place, f"{name} is declared but not defined in the text; give its definition as well")
    if bare in library.REASONS:
        raise refused(place, f"{name}: {library.REASONS[bare]}")
    values = [scope.value(each) for each in arguments]
    if bare in SPECIAL:
        count, read = SPECIAL[bare]
        _counted(name, count, values, place)
        return read(scope, values, place)
    if bare in library.OF_MACHINES:
        return _of_machine(name, bare, values, place)
    if bare not in library.FUNCTIONS:
        raise refused(place, f"the function {name} is unknown; give its definition as well{scope.program.hint}")
    return _of_the_library(scope, name, bare, values, place)


def _is_known(name: str) -> bool:
    tables = (library.FUNCTIONS, library.OF_MACHINES, library.REASONS, SPECIAL, library.WITHOUT_EFFECT)
    return any(name in table for table in tables)


def _counted(name: str, count: int, arguments: list, place: Place) -> None:
    if len(arguments) != count:
        raise refused(place, f"{name} takes {count} arguments and is given {len(arguments)}")


def _of_the_library(scope, name: str, bare: str, values: list[Value], place: Place) -> Value:
    count, function = library.FUNCTIONS[bare]
    _counted(name, count, values, place)
    if bare in ("fabs", "fmin", "fmax", "copysign"):
        scope.program.branches.add(place)
    runs = [as_real(value, place).run for value in values]
    if len(runs) == 1:
        (only,) = runs
        return Value(types.DOUBLE, lambda frame: function(frame.machine, place, only(frame)))
    return Value(types.DOUBLE, lambda frame: function(frame.machine, place, *(run(frame) for run in runs)))


def _of_machine(name: str, bare: str, values: list[Value], place: Place) -> Value:
    """A function that jumps, of machine numbers."""
    count, function, reason = library.OF_MACHINES[bare]
    _counted(name, count, values, place)
    runs = [as_real(value, place).run for value in values]
    jump(place, f"{name} jumps")

    def run(frame):
        of_machine = getattr(frame.machine.arithmetic, "of_machine", None)
        if of_machine is None:
            raise refused(place, f"{name}: {reason}")
        return float(of_machine(function, *(each(frame) for each in runs)))

    return Value(types.DOUBLE, run)


# --- functions of the same text --------------------------------------------------------------------------------------
def _own(scope, function, arguments: list[c_ast.Node], place: Place) -> Value:
    _counted(function.name, len(function.parameters), arguments, place)
    runs: list[tuple[Callable, Variable, int]] = []
    roots: frozenset[str] = frozenset()
    for variable, node in zip(function.parameters, arguments, strict=True):
        value = converted(scope.value(node), variable.type, place)
        _touched(scope, function, variable.name, value)
        runs.append((value.run, variable, variable.in_frame))
        roots |= value.roots
    returned = function.returned

    def run(frame):
        inner = Frame(frame.machine, function.slots)
        for evaluate, variable, slot in runs:
            value = evaluate(frame)
            content = value if isinstance(variable.type, Structure) else [value]
            inner.slots[slot] = Storage(variable.name, variable.type, content)
        function.body(inner)
        if inner.returned is None and not isinstance(returned, types.Void):
            raise refused(place, f"{function.name} ends here without a return")
        return inner.returned

    return Value(returned, run, roots=roots if _points(returned) else frozenset())


def _points(of: types.Type) -> TypeGuard[PointerTo]:
    return isinstance(of, PointerTo)


def _touched(scope, function, name: str, value: Value) -> None:
    """What a function does with what its parameter points to is done with what the argument points to."""
    for inner, how in function.touched.items():
        if inner == name or inner.startswith(f"{name}."):
            outer = frozenset(root + inner[len(name) :] for root in value.roots)
            scope.touch(outer, how)
            if inner in function.written:
                scope.touch(outer, "written")


# --- functions with a meaning of their own ---------------------------------------------------------------------------
def _power(scope, values: list[Value], place: Place) -> Value:
    base, exponent = as_real(values[0], place).run, values[1]
    if isinstance(exponent.type, Integer) and exponent.constant is None:
        run = exponent.run
        return Value(types.DOUBLE, lambda frame: library.power(frame.machine, base(frame), _small(run(frame), place)))
    if exponent.constant is None:
        to = as_real(exponent, place).run
        return Value(types.DOUBLE, lambda frame: library.named("pow")(frame.machine, place, base(frame), to(frame)))
    known = Fraction(exponent.constant)
    whole, rest = divmod(known.numerator, known.denominator)
    _small(whole, place)
    if rest == 0:
        return Value(types.DOUBLE, lambda frame: library.power(frame.machine, base(frame), whole))
    if known.denominator == 2:
        return Value(types.DOUBLE, lambda frame: _with_root(frame.machine, base(frame), whole))
    return Value(types.DOUBLE, lambda frame: library.named("power")(frame.machine, place, base(frame), known))


def _with_root(machine: Machine, x, whole: int):
    return library.power(machine, x, whole) * machine.arithmetic.root(x)


def _small(exponent: int, place: Place) -> int:
    if abs(exponent) > library.LARGEST_POWER:
        raise refused(place, f"a power of {exponent}; at most {library.LARGEST_POWER} can be computed exactly")
    return exponent


def _absolute(scope, values: list[Value], place: Place) -> Value:
    if isinstance(values[0].type, Real):
        raise refused(place, "abs of a real number drops what follows the point; fabs is meant for real numbers")
    value = as_integer(values[0], place, "the argument of abs")
    of, run = types.promoted(value.type), value.run
    return Value(of, lambda frame: integer_result(abs(run(frame)), of, place))


def _filled(scope, values: list[Value], place: Place) -> Value:
    """memset(p, 0, bytes): zeros; no other byte is a number that one could name."""
    target, byte, count = values
    if byte.constant != 0:
        raise refused(place, "memset with a byte other than 0, which makes no number; use a loop")
    kinds, many = _elements(target, count, place)
    run, bytes_of, zeros = target.run, many, scope.program.zeros(kinds)
    scope.touch(target.roots, "written")

    def fill(frame):
        repeated, pointer = bytes_of(frame), run(frame)
        content = zeros(frame) * repeated
        storage, start = pointer.at(0, len(content), place)
        for k, zero in enumerate(content):
            storage.write(start + k, zero, place)
        return pointer

    return Value(target.type, fill, roots=target.roots)


def _copied(scope, values: list[Value], place: Place) -> Value:
    """memcpy(p, q, bytes)."""
    target, source, count = values
    kinds, many = _elements(target, count, place)
    if not _points(source.type) or types.scalar(source.type.target) != types.scalar(kinds):
        raise refused(place, "memcpy between different types of numbers; use a loop")
    to, come, step = target.run, source.run, types.cells(kinds)
    scope.touch(source.roots, "read")
    scope.touch(target.roots, "written")

    def copy(frame):
        count = many(frame) * step
        (storage, start), (origin, first) = to(frame).at(0, count, place), come(frame).at(0, count, place)
        content = [origin.read(first + k, place) for k in range(count)]
        for k, cell in enumerate(content):
            storage.write(start + k, cell, place)
        return to(frame)

    return Value(target.type, copy, roots=target.roots)


def _elements(target: Value, count: Value, place: Place):
    """The type of the elements that a number of bytes covers, and a closure for their number."""
    if not _points(target.type) or isinstance(target.type.target, types.Void):
        raise refused(place, "this fills or copies memory that has no type here; use an array")
    if target.type.constant:
        raise refused(place, "what is filled or copied to is const")
    of, run = target.type.target, as_integer(count, place, "a number of bytes").run
    bytes_each = types.size(of)

    def many(frame):
        found, rest = divmod(run(frame), bytes_each)
        if rest or found < 0:
            raise refused(place, f"{run(frame)} bytes are no whole number of elements of {bytes_each} bytes")
        if found > MOST_CELLS:
            raise refused(place, f"{found} elements are filled or copied")
        return found

    return of, many


def _finite(name: str, answer: bool) -> Callable:
    """isnan, isinf, isfinite: the numbers of a verdict are finite, so that their other way is never seen."""

    def read(scope, values: list[Value], place: Place) -> Value:
        run, site = as_real(values[0], place).run, f"{place}: {name}"
        scope.program.branches.add(place)

        def ask(frame):
            run(frame)
            told = getattr(frame.machine.arithmetic, "told", None)
            return int(answer if told is None else told(answer, site))

        return Value(types.INT, ask)

    return read


SPECIAL = {
    **{name: (1, _finite(name, answer)) for name, answer in (("isnan", False), ("isinf", False), ("isfinite", True))},
    "pow": (2, _power),
    "abs": (1, _absolute),
    "labs": (1, _absolute),
    "memset": (3, _filled),
    "memcpy": (3, _copied),
    "memmove": (3, _copied),
}
