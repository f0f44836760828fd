"""Calls: of functions in the same text, of math.h, and of memset and memcpy, which fill and copy arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import as_integer, as_real, converted
from symvi.verify.reading.c_reader.declarations import place_of
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.scope import Scope, Value

LARGEST_POWER = 1_000
# Functions of math.h that an arithmetic has under the same name, and how many arguments they take.
FUNCTIONS = {
    **dict.fromkeys("sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log".split(), 1),
    **dict.fromkeys("expm1 log1p log2 log10 cbrt erf erfc".split(), 1),
    **dict.fromkeys(("atan2", "hypot"), 2),
}
WITH_CONDITIONS = {"fabs": 1, "fmin": 2, "fmax": 2, "copysign": 2}


def _half_away(x: float) -> float:
    """C's round: halves go away from zero."""
    return math.copysign(math.floor(abs(x) + 0.5), x)


# Of machine numbers only: name -> (number of arguments, function of them, why exact numbers have none).
_STEPS = "it is constant between jumps, and has no derivative there"
_SAWTOOTH = "it jumps, and exact numbers do not count its turns; between jumps it is x less a constant, write that"
_SPECIAL = "it is not among the functions that can be evaluated exactly"
_MEMORY = "the subset has no heap; use an array of fixed size"
OF_MACHINES: dict[str, tuple[int, Callable, str]] = {
    "floor": (1, math.floor, _STEPS),
    "ceil": (1, math.ceil, _STEPS),
    "trunc": (1, math.trunc, _STEPS),
    "round": (1, _half_away, _STEPS),
    "rint": (1, round, _STEPS),
    "nearbyint": (1, round, _STEPS),
    "fmod": (2, math.fmod, _SAWTOOTH),
    "remainder": (2, math.remainder, _SAWTOOTH),
}
REASONS = {
    **dict.fromkeys(("lround", "lrint", "signbit"), _STEPS),
    "modf": _SAWTOOTH,
    **dict.fromkeys(("tgamma", "lgamma", "frexp", "ldexp"), _SPECIAL),
    **dict.fromkeys(("malloc", "calloc", "realloc", "free", "alloca"), _MEMORY),
    **dict.fromkeys(("rand", "random", "drand48", "time", "clock"), "its value differs from call to call"),
    **dict.fromkeys(("setjmp", "longjmp", "exit", "abort", "system", "fopen", "scanf", "getenv"),
                    "it does more than compute numbers"),
    "fpclassify": "exact numbers are finite; leave the test out",
}  # fmt: skip
# Calls that change no number: left out, and noted.
WITHOUT_EFFECT = {"printf", "fprintf", "puts", "putchar", "fputs", "fflush", "assert", "perror"}


def called(scope: Scope, node: c_ast.FuncCall) -> Value:
    """A call's value. Raises SourceError for a function that is outside the subset."""
    place = place_of(node)
    if not isinstance(node.name, c_ast.ID):
        raise refused(place, "a function is called through a pointer; call it by its name")
    name, arguments = node.name.name, node.args.exprs if node.args else []
    if name in scope.unit.functions:
        return _own(scope, scope.program.function(name, place), arguments, place)
    bare = _base_name(name)
    if bare in WITHOUT_EFFECT:
        scope.note(place, "skipped call", f"the call of {name} was left out")
        return Value(types.INT, "0")
    if name in scope.unit.prototypes and not _is_known(bare):
        raise refused(place, f"{name} is declared but not defined in the text; give its definition as well")
    if bare in REASONS:
        raise refused(place, f"{name}: {REASONS[bare]}")
    values = [scope.value(each) for each in arguments]
    if bare in SPECIAL:
        count, read = SPECIAL[bare]
        _counted(name, count, values, place)
        return read(scope, values, place)
    if bare not in FUNCTIONS and bare not in WITH_CONDITIONS and bare not in OF_MACHINES:
        raise refused(place, f"the function {name} is unknown; give its definition as well{scope.program.hint}")
    return _of_numbers(scope, name, bare, values, place)


def _base_name(name: str) -> str:
    """The name of math.h's function for doubles: sqrt for sqrtf, sqrtl and __builtin_sqrt."""
    bare = name.removeprefix("__builtin_")
    return bare[:-1] if not _is_known(bare) and bare[-1:] in ("f", "l") and _is_known(bare[:-1]) else bare


def _is_known(name: str) -> bool:
    return any(name in table for table in (FUNCTIONS, WITH_CONDITIONS, OF_MACHINES, REASONS, SPECIAL, WITHOUT_EFFECT))


def _counted(name: str, count: int, arguments: list, place: Place) -> None:
    if len(arguments) != count:
        raise refused(place, f"{name} takes {count} arguments and is given {len(arguments)}")


def _of_numbers(scope: Scope, name: str, bare: str, values: list[Value], place: Place) -> Value:
    """A function of math.h that maps real numbers to one."""
    if bare in FUNCTIONS:
        count, code = FUNCTIONS[bare], f"m.function({bare!r}, {scope.keep(place)}"
    elif bare in WITH_CONDITIONS:
        scope.program.branches.add(place)
        count, code = WITH_CONDITIONS[bare], f"m.{bare}({scope.keep(place)}"
    else:
        count, function, reason = OF_MACHINES[bare]
        scope.program.jump(place, f"{name} jumps")
        code = f"m.of_machine({scope.keep(function)}, {f'{name}: {reason}'!r}, {scope.keep(place)}"
    _counted(name, count, values, place)
    return Value(types.DOUBLE, ", ".join([code, *(as_real(scope, value, place).code for value in values)]) + ")")


# --- functions of the same text --------------------------------------------------------------------------------------
def _own(scope: Scope, function, arguments: list[c_ast.Node], place: Place) -> Value:
    _counted(function.name, len(function.parameters), arguments, place)
    values = []
    for variable, node in zip(function.parameters, arguments, strict=True):
        values.append(converted(scope, scope.value(node), variable.type, place))
        _touched(scope, function, variable.name, values[-1])
    codes = ", ".join(value.code for value in values)
    roots = (
        frozenset().union(*(value.roots for value in values)) if types.is_pointer(function.returned) else frozenset()
    )
    code = f"m.passed({scope.keep(function)}, [{codes}], {scope.keep(place)})"
    return Value(function.returned, code, roots=roots)


def _touched(scope: Scope, function, name: str, value: Value) -> None:
    """What a function does with what its parameter points to is done with what the argument points to."""
    for inner, how in function.touched.items():
        if inner == name or inner.startswith(f"{name}."):
            outer = frozenset(root + inner[len(name) :] for root in value.roots)
            scope.touch(outer, how)
            if inner in function.written:
                scope.touch(outer, "written")


# --- functions with a meaning of their own ---------------------------------------------------------------------------
def _root(scope: Scope, values: list[Value], place: Place) -> Value:
    return Value(types.DOUBLE, f"A.root({as_real(scope, values[0], place).code})")


def _fused(scope: Scope, values: list[Value], place: Place) -> Value:
    x, y, z = (as_real(scope, value, place).code for value in values)
    return Value(types.DOUBLE, f"({x}*{y} + {z})")


def _power(scope: Scope, values: list[Value], place: Place) -> Value:
    base, exponent = as_real(scope, values[0], place).code, values[1]
    if exponent.constant is not None:
        known = Fraction(exponent.constant)
        _small(int(known), place)
        return Value(types.DOUBLE, f"m.function('power', {scope.keep(place)}, {base}, {scope.keep(known)})")
    if types.is_whole(exponent.type):
        small = f"{scope.keep(_small)}({exponent.code}, {scope.keep(place)})"
        return Value(types.DOUBLE, f"m.function('power', {scope.keep(place)}, {base}, {small})")
    to = as_real(scope, exponent, place).code
    return Value(types.DOUBLE, f"m.function('pow', {scope.keep(place)}, {base}, {to})")


def _small(exponent: int, place: Place) -> int:
    if abs(exponent) > LARGEST_POWER:
        raise refused(place, f"a power of {exponent}; at most {LARGEST_POWER} can be computed exactly")
    return exponent


def _absolute(scope: Scope, values: list[Value], place: Place) -> Value:
    if types.is_real(values[0].type):
        raise refused(place, "abs of a real number drops what follows the point; fabs is meant for real numbers")
    value = as_integer(values[0], place, "the argument of abs")
    of = types.promoted(value.type)
    return Value(of, f"held(abs({value.code}), {scope.keep(of)}, {scope.keep(place)})")


def _filled(scope: Scope, values: list[Value], place: Place) -> Value:
    """memset(p, 0, bytes): zeros; no other byte is a number that one could name."""
    target, byte, count = values
    if byte.constant != 0:
        raise refused(place, "memset with a byte other than 0, which makes no number; use a loop")
    of = _written(scope, target, place)
    bytes_ = as_integer(count, place, "a number of bytes").code
    code = f"m.filled({target.code}, {scope.keep(of)}, {bytes_}, {scope.keep(place)})"
    return Value(target.type, code, roots=target.roots)


def _copied(scope: Scope, values: list[Value], place: Place) -> Value:
    """memcpy(p, q, bytes)."""
    target, source, count = values
    of = _written(scope, target, place)
    if not types.is_pointer(source.type) or types.scalar(source.type.target) != types.scalar(of):
        raise refused(place, "memcpy between different types of numbers; use a loop")
    scope.touch(source.roots, "read")
    bytes_ = as_integer(count, place, "a number of bytes").code
    code = f"m.copied({target.code}, {source.code}, {types.size(of)}, {bytes_}, {scope.keep(place)})"
    return Value(target.type, code, roots=target.roots)


def _written(scope: Scope, target: Value, place: Place) -> types.Type:
    """The type of the elements of what is filled or copied to."""
    if not types.is_pointer(target.type) or target.type.target is None:
        raise refused(place, "this fills or copies memory that has no type here; use an array")
    if target.type.constant:
        raise refused(place, "what is filled or copied to is const")
    scope.touch(target.roots, "written")
    return target.type.target


def _finite(name: str, answer: bool) -> Callable:
    def read(scope: Scope, values: list[Value], place: Place) -> Value:
        scope.program.branches.add(place)
        return Value(types.INT, f"m.finite({as_real(scope, values[0], place).code}, {answer}, {f'{place}: {name}'!r})")

    return read


SPECIAL = {
    **{name: (1, _finite(name, answer)) for name, answer in (("isnan", False), ("isinf", False), ("isfinite", True))},
    "sqrt": (1, _root),
    "fma": (3, _fused),
    "pow": (2, _power),
    "abs": (1, _absolute),
    "labs": (1, _absolute),
    "memset": (3, _filled),
    "memcpy": (3, _copied),
    "memmove": (3, _copied),
}
