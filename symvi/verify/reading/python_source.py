"""Functions that are Python callables, NumPy style: run as the user's own code, on exact numbers.

The callable gets arrays of exact numbers, and while it runs, math's functions and NumPy's ways of making arrays know
those numbers (`exact_arrays`). Code that insists on machine numbers is reported as such.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Hashable, Mapping
from dis import opmap
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from symvi.exact.dual import Dual
from symvi.mechanism.names import did_you_mean
from symvi.verify.asking.variables import Variable
from symvi.verify.errors import NeedsFloats, OutsideDomain, VerificationError
from symvi.verify.reading.exact_scalars import Scalar, plain_value
from symvi.verify.reading.function import Function, Outputs, unread
from symvi.verify.reading.matching import matched
from symvi.verify.reading.unwritten import Unwritten
from symvi.verify.reading.worlds import FloatWorld, Irrational, RealWorld, World

RAISE = opmap["RAISE_VARARGS"]
UNEVEN = "a list of lists of different lengths"
LEFT_BEHIND = ("mpf",)  # numbers of a world, which only an earlier call can have left


def python_function(given: Callable, variables: Mapping[str, Variable]) -> Function:
    """The function of the variables that its parameters name. Raises VerificationError for one that is none."""
    name, place = getattr(given, "__name__", type(given).__name__), place_of(given)
    arguments = _arguments(given, variables, f"{name} ({place})")
    function = Function(name, tuple(arguments.values()), unread, "Python", place, given=given)
    function.evaluate = lambda values, world: _run(given, arguments, variables, values, world, function)
    function.on_floats = lambda values, world: _run_on_floats(given, arguments, variables, values, world, function)
    return function


def array_function(given, name: str) -> Function:
    """The function that has the numbers of an array everywhere: 2*np.eye(3) is a constant derivative."""
    from symvi.verify.reading.exact_arrays import exact_array

    function = Function(name, (), unread, "NumPy")
    numbers = exact_array(list(given.reshape(-1)), given.shape)  # each of its own precision
    function.evaluate = lambda values, world: _outputs(numbers, world, function)
    return function


def place_of(given: Callable) -> str:
    code = getattr(inspect.unwrap(given), "__code__", None)
    return "" if code is None else f"{Path(code.co_filename).name}:{code.co_firstlineno}"


def _arguments(given: Callable, variables: Mapping[str, Variable], said: str) -> dict[str, str]:
    """Parameter -> variable. Raises VerificationError for one that is none."""
    try:
        parameters = list(inspect.signature(given).parameters.values())
    except (TypeError, ValueError):
        raise VerificationError(f"{said} does not say what its parameters are") from None
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise VerificationError(f"{said}: *{parameter.name} names no variable; name the parameters one by one")
    found = matched([parameter.name for parameter in parameters], variables, {}, said)
    for parameter in parameters:
        if parameter.name not in found and parameter.default is parameter.empty:
            raise VerificationError(
                f"{said}: parameter '{parameter.name}' is no variable; {did_you_mean(parameter.name, variables)}"
            )
    return found


def _run(given: Callable, arguments: Mapping[str, str], variables: Mapping[str, Variable], values, world, function):
    if function.floats_only:
        return _run_on_floats(given, arguments, variables, values, world, function)
    from symvi.verify.reading.exact_arrays import exact_array, exact_numbers

    inputs = {}
    for parameter, name in arguments.items():
        scalars = [Scalar(value, world, function.note) for value in values[name]]
        shape = variables[name].shape
        inputs[parameter] = exact_array(scalars, shape) if shape else scalars[0]
    with exact_numbers(given, world, function.note):
        result = _called(given, inputs, function, world)
    return _outputs(result, world, function)


def _run_on_floats(given: Callable, arguments, variables, values, world: World, function: Function) -> Outputs:
    """Machine numbers in, machine numbers out, whatever the world. Raises NeedsFloats for dual numbers, Irrational."""
    import numpy as np

    if not isinstance(world, FloatWorld | RealWorld):
        raise Irrational("a function of machine numbers has no exact values")
    inputs = {}
    for parameter, name in arguments.items():
        if any(isinstance(value, Dual) for value in values[name]):
            raise NeedsFloats(f"{function.said} takes machine numbers only")
        numbers = np.array([float(value) for value in values[name]])
        inputs[parameter] = numbers.reshape(variables[name].shape) if variables[name].shape else float(numbers[0])
    result = _called(given, inputs, function, world)
    if np.iscomplexobj(result):
        raise OutsideDomain(f"{function.said} returns complex numbers; give real and imaginary parts on their own")
    try:
        array = np.asarray(result, dtype=float)
    except (TypeError, ValueError):
        said = f"{function.said} returns a {type(result).__name__}, not all of whose entries are numbers"
        raise VerificationError(said) from None
    if not array.size:
        raise VerificationError(f"{function.said} returns no numbers")
    if not np.isfinite(array).all():
        raise OutsideDomain(f"{function.said} returns what is not finite")
    return Outputs(array.shape, [world.constant(Fraction(float(value))) for value in array.ravel()])


def _called(given: Callable, inputs: dict, function: Function, world: World):
    with world.effort.value(function.name):
        return _told_apart(given, inputs, function)


def _told_apart(given: Callable, inputs: dict, function: Function):
    """A call, with what goes wrong in it as an error that says where."""
    by_place = _by_place(given) if isinstance(given, Hashable) else _by_place.__wrapped__(given)
    try:
        return given(*(inputs.pop(name) for name in by_place), **inputs)
    except ZeroDivisionError as error:
        raise ZeroDivisionError(f"{line_of(error)} divides by zero") from None
    except (ArithmeticError, NeedsFloats):
        raise
    except VerificationError as error:
        line = line_of(error)
        raise VerificationError(f"{function.name}, {line}: {str(error).removeprefix(f'{line}: ')}") from None
    except SystemExit as error:
        raise VerificationError(f"{function.name} ends the program at {line_of(error)} (SystemExit)") from None
    except Exception as error:
        before = error.__cause__ or error.__context__
        if isinstance(before, NeedsFloats) and not function.floats_only:
            raise before from None
        said = f"{function.name} raises {type(error).__name__} at {line_of(error)}: {error}"
        if _is_refusal(error, function.floats_only):
            raise OutsideDomain(said) from None
        if any(name in str(error) for name in LEFT_BEHIND):
            raise VerificationError(f"{said}; does it use numbers that another call left behind?") from error
        if _is_of_numbers(error, given) and not function.floats_only:
            raise NeedsFloats(said) from error  # machine numbers may do what exact ones cannot
        raise VerificationError(said) from error


def _is_refusal(error: Exception, in_floats: bool) -> bool:
    """Whether code says that a point is outside of its domain: by assert or raise, or as LAPACK and math do in floats.

    Other errors are slips: an index that is not there is none of the numbers'.
    """
    if isinstance(error, AssertionError) or type(error).__name__ == "LinAlgError":
        return True
    if not isinstance(error, ValueError):
        return False
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    code = last.tb_frame.f_code.co_code if last is not None else b""
    return in_floats or (last is not None and code[last.tb_lasti] == RAISE)


def _is_of_numbers(error: Exception, given: Callable) -> bool:
    """Whether exact numbers may be what an error is about: packages of compiled code have errors of their own."""
    of_kind = isinstance(error, TypeError | ValueError | AttributeError | BufferError | NotImplementedError)
    return of_kind or type(error).__module__ not in ("builtins", "__main__", getattr(given, "__module__", None))


@lru_cache(maxsize=64)
def _by_place(given: Callable) -> list[str]:
    """Parameters that have no name for callers."""
    return [p.name for p in inspect.signature(given).parameters.values() if p.kind == p.POSITIONAL_ONLY]


def line_of(error: BaseException) -> str:
    """file.py:12, the innermost line of the user's own code that an error went through."""
    from symvi.verify.reading.exact_scalars import INSIDE

    frames = [f for f in traceback.extract_tb(error.__traceback__) if not any(part in f.filename for part in INSIDE)]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "its code"


def _outputs(result, world: World, function: Function) -> Outputs:
    import numpy as np

    if result is None:
        raise VerificationError(f"{function.said} returns nothing")
    try:
        array = np.array(result, dtype=object)
    except ValueError:
        raise VerificationError(f"{function.said} returns {UNEVEN}") from None
    if not array.size:
        raise VerificationError(f"{function.said} returns no numbers")
    entries = []
    for item in array.ravel():
        try:
            value = plain_value(item, world, function.note)
        except VerificationError:
            raise VerificationError(f"{function.said}: the number {item} is not finite") from None
        if isinstance(item, list | tuple):
            raise VerificationError(f"{function.said} returns {UNEVEN}")
        if type(item) is Unwritten:
            raise VerificationError(f"{function.said} returns {item}")
        if value is None:
            raise VerificationError(f"{function.said} returns a {type(item).__name__} where a number should be")
        entries.append(value)
    return Outputs(tuple(array.shape), entries)
