"""NumPy and math on exact numbers: arrays that keep them, and stand-ins for what insists on machine numbers.

While a user's function runs, np.zeros, np.eye, np.array and their like make arrays of exact numbers, and math.sin,
np.sin and their like take them; everything is as it was afterwards. Names that were imported one by one (`from math
import sin`) are replaced in the modules of the user's functions for that time.
"""

from __future__ import annotations

import ctypes
import functools
import math
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from symvi.verify.errors import NeedsFloats, VerificationError
from symvi.verify.reading.elementary import NAMES, call
from symvi.verify.reading.exact_scalars import METHODS, Scalar, plain_value, user_line
from symvi.verify.reading.sites import ARRAYS
from symvi.verify.reading.steps import OF_ARRAYS, OF_NUMBERS
from symvi.verify.reading.unwritten import Unwritten
from symvi.verify.reading.worlds import FloatWorld, World, primal

FOREIGN = frozenset({"numpy", "symvi", "sympy", "mpmath", "scipy"})
# Ufuncs, and methods of theirs, that ask nothing of numbers: they take those of a world as they are.
WHOLLY: dict[np.ufunc, tuple[str, ...]] = {np.add: ("__call__", "reduce")}
WHOLLY |= {f: ("__call__",) for f in (np.subtract, np.multiply, np.true_divide, np.negative, np.matmul)}
AXES = frozenset({"axis", "keepdims"})
SUMMED, LARGEST_SUM = 3, 6  # rows of a matrix whose determinant is a sum of products; of one without a pivot
# Ufuncs that take infinite numbers: bounds that are none.
COMPARING = frozenset("maximum minimum fmax fmin clip less less_equal greater greater_equal equal not_equal".split())
STRIDING = ("numpy.lib._stride_tricks_impl", "numpy.lib.stride_tricks")  # other strides over the same memory, unread
# NumPy's own, whatever stands in for them while a user's function runs.
WHOLE_ARRAYS = (np.array_equal, np.array_equiv)  # compare the numbers of arrays, in ways of their own
AS_ARRAY, ARRAY, EMPTY, EYE = np.asarray, np.array, np.empty, np.eye


class ExactArray(np.ndarray):
    """An object array of Scalars; what is computed from it is one too."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        _tell_of_precision(options.pop("dtype", None))
        if out is None and method in WHOLLY.get(ufunc, ()) and options.keys() <= AXES:
            found = _computed(getattr(ufunc, method), inputs, options, self)
            if found is not None:
                return found
        infinite = method == "__call__" and ufunc.__name__ in COMPARING
        plain = [_all_exact(x, self, infinite) if isinstance(x, np.ndarray | float | np.number) else x for x in inputs]
        if out is not None:
            options["out"] = tuple(_objects(o) if isinstance(o, np.ndarray) else o for o in out)
        _count_operation(self)
        ARRAYS.depth += (several := self.size > 1)
        try:
            with np.errstate(all="ignore"):  # of numbers that are exact there are no warnings
                found = getattr(OF_ARRAYS.get(ufunc, ufunc), method)(*plain, **options)
        finally:
            ARRAYS.depth -= several
        _count_operation(self)
        if out is not None:
            return out[0]
        return found.view(ExactArray) if isinstance(found, np.ndarray) and found.dtype == object else found

    def __array_function__(self, function, types, arguments, options):
        if function in LINEAR_ALGEBRA:
            return LINEAR_ALGEBRA[function](*arguments, **options)
        _tell_of_precision(options.get("dtype"))
        options = {key: value for key, value in options.items() if key != "dtype"}
        ARRAYS.depth += (whole := function in WHOLE_ARRAYS)
        try:
            found = super().__array_function__(function, types, arguments, options)
        finally:
            ARRAYS.depth -= whole
        return _all_exact(found, self).view(ExactArray) if _is_plain(found) else found

    def astype(self, dtype, *arguments, **options):
        _tell_of_precision(dtype)
        return self.copy() if np.dtype(dtype).kind in "fcO" else super().astype(dtype, *arguments, **options)

    # --- its memory holds objects, which compiled code would take for machine numbers --------------------------------
    @property
    def ctypes(self):
        raise _compiled()

    @property
    def __array_struct__(self):
        raise _compiled()

    @property
    def __array_interface__(self):
        if sys._getframe(1).f_globals["__name__"] in STRIDING:
            return _objects(self).__array_interface__
        raise _compiled()

    def __buffer__(self, flags):
        """For memoryview, np.frombuffer, from_buffer of ctypes and cffi: Python 3.12 and later ask here."""
        raise _compiled()

    def tobytes(self, order="C"):
        raise _compiled()

    def tofile(self, *arguments, **options):
        raise _compiled()

    @property
    def base(self) -> None:
        """What it is a view of is an array without these refusals."""
        return None

    def view(self, *arguments, **options):
        found = super().view(*arguments, **options)
        return found if isinstance(found, ExactArray) else np.ndarray.view(found, ExactArray)

    def __array__(self, *arguments, **options):
        return super().__array__(*arguments, **options).view(ExactArray)


def _computed(function: Callable, inputs: Sequence, options: dict, like: ExactArray):
    """What is computed of the world's own numbers, wrapped again; None where some operand has others, or for a tape."""
    first = _first_exact(like)
    if first is None or first.world.tape is not None:
        return None
    world, told, plain = first.world, first.told, []
    for x in inputs:
        numbers = _of_the_world(x, world, told)
        if numbers is None:
            return None
        plain.append(numbers)
    with _quiet(world):
        found = function(*plain, **options)
    if type(found) is not np.ndarray:
        return first.wrap(found)
    flat, wrapped = found.reshape(-1), EMPTY(found.size, dtype=object)
    for i, value in enumerate(flat):
        wrapped[i] = first.wrap(value)
    return wrapped.reshape(found.shape).view(ExactArray)


def _of_the_world(x, world: World, told: Callable) -> np.ndarray | None:
    """An operand's numbers as the world's, without what keeps a user's conditions; None where some are no numbers."""
    if not isinstance(x, np.ndarray):
        x = [x]
        shape: tuple[int, ...] = ()
    else:
        shape, x = x.shape, _objects(x).reshape(-1).tolist()
    found = EMPTY(len(x), dtype=object)
    for i, entry in enumerate(x):
        kind = type(entry)
        if kind is Scalar:
            found[i] = entry.value
        elif kind is float or kind is int:
            if kind is float and not math.isfinite(entry):
                return None
            found[i] = plain_value(entry, world, told)
        else:
            return None
    return found.reshape(shape)


def _quiet(world: World):
    """Of numbers that are exact there are no warnings; machine numbers give some."""
    return nullcontext() if not isinstance(world, FloatWorld) else np.errstate(all="ignore")


def _compiled() -> NeedsFloats:
    return NeedsFloats(f"{user_line()}: hands the memory of an array to compiled code, which knows no exact numbers")


def _objects(array: np.ndarray) -> np.ndarray:
    """The same memory as NumPy's own array."""
    return np.ndarray.view(array, np.ndarray)


def _without_buffer(kind: type) -> None:
    """Take the buffer protocol from a class, before Python 3.12, where a class inherits it and cannot refuse it.

    The struct PyTypeObject of those versions, which will not change any more: a head as any object's and a size, then
    17 pointers, then one to PyBufferProcs, whose first is bf_getbuffer.
    """
    pointer = ctypes.sizeof(ctypes.c_void_p)
    head = object.__basicsize__ + pointer
    procedures = ctypes.c_void_p.from_address(id(kind) + head + 17 * pointer)
    if procedures.value is not None:
        ctypes.c_void_p.from_address(procedures.value).value = None


if sys.version_info < (3, 12):
    _without_buffer(ExactArray)


def _tell_of_precision(dtype: Any) -> None:
    """Take a note where code asks for numbers of less than double precision."""
    if dtype is not None and NOW.told is not None and (kind := np.dtype(dtype)).kind == "f" and kind.itemsize < 8:
        NOW.told(f"{user_line()}: {kind.name} is evaluated exactly here, not in that precision")


def _count_operation(array: ExactArray) -> None:
    """Tell a tape that numbers from here on belong to another operation."""
    first = _first_exact(array)
    if first is not None and first.world.tape is not None:
        first.world.tape.batch += 1


def _first_exact(array: np.ndarray) -> Scalar | None:
    return next((x for x in _objects(array).flat if type(x) is Scalar), None)


def exact_array(entries: Sequence, shape: tuple[int, ...]) -> ExactArray:
    found = EMPTY(len(entries), dtype=object)
    found[:] = entries
    return found.reshape(shape).view(ExactArray)


def _all_exact(values, like: ExactArray, infinite: bool = False):
    """An operand with all of its numbers exact, so that every entry has sqrt, sin and so on; or infinite, as asked.

    An array all of whose numbers were replaced by plain ones is of the world whose numbers are exact at the moment.
    """
    first = NOW if (found := _first_exact(like)) is None else found
    array = AS_ARRAY(values)
    if first.world is None or first.told is None or array.dtype == bool:
        return _objects(array)
    return _exact(array, first.world, first.told, infinite)


def _number(x):
    """What an array without axes holds, as np.where makes it of single numbers; everything else as it is."""
    return x[()] if isinstance(x, ExactArray) and x.ndim == 0 else x


def _is_plain(found: object) -> bool:
    """Whether it is NumPy's own array, in which plain numbers may be among the exact ones, as of np.where."""
    return type(found) is np.ndarray and found.dtype == object


def _is_infinite(x: object) -> bool:
    return isinstance(x, float | np.floating) and math.isinf(x)


def _exact(array: np.ndarray, world: World, told: Callable, infinite: bool = False) -> np.ndarray:
    entries = list(_objects(array).flat)
    found = EMPTY(array.shape, dtype=object)
    flat = found.reshape(-1)
    if all(type(entry) is Scalar for entry in entries):
        flat[:] = entries
        return found
    for i, entry in enumerate(entries):
        if infinite and _is_infinite(entry):
            flat[i] = float(entry)
            continue
        entry = _number(entry)
        value = None if type(entry) is Scalar else plain_value(entry, world, told)
        flat[i] = entry if value is None else Scalar(value, world, told)
    return found


# --- linear algebra ---------------------------------------------------------------------------------------------------
def _norm(x, ord=None, axis=None, keepdims=False):
    """Of all numbers, or of vectors along an axis. Raises NeedsFloats for the other norms of matrices, and orders."""
    of_vectors = np.ndim(x) == 1 or isinstance(axis, int)
    if ord in (None, "fro") or (ord == 2 and of_vectors):
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    if not of_vectors or ord not in OF_SIZES:
        raise NeedsFloats(f"{user_line()}: np.linalg.norm with ord={ord!r} has no value on exact numbers")
    return OF_SIZES[ord](np.abs(x), axis=axis, keepdims=keepdims)


OF_SIZES = {1: np.sum, math.inf: np.max, -math.inf: np.min}  # of absolute values: norms by their order


def _solve(a, b):
    """Gauss elimination with the first pivot that is not zero."""
    a, b = _rows(a, "solve"), ARRAY(b, dtype=object)
    vector = b.ndim == 1
    right = [list(row) for row in (b.reshape(-1, 1) if vector else b)]
    size = len(a)
    for k in range(size):
        pivot = next((i for i in range(k, size) if not _is_zero(a[i][k])), None)
        if pivot is None:
            raise ZeroDivisionError("singular matrix")
        a[k], a[pivot], right[k], right[pivot] = a[pivot], a[k], right[pivot], right[k]
        for i in range(size):
            if i != k:
                factor = a[i][k] / a[k][k]
                a[i] = [x - factor * y for x, y in zip(a[i], a[k], strict=True)]
                right[i] = [x - factor * y for x, y in zip(right[i], right[k], strict=True)]
    found = [[x / a[i][i] for x in row] for i, row in enumerate(right)]
    return ARRAY([row[0] for row in found] if vector else found, dtype=object).view(ExactArray)


def _is_zero(x) -> bool:
    """Without a condition of the user's own."""
    return x.world.order(primal(x.value), x.world.zero) == 0 if type(x) is Scalar else x == 0


def _rows(a, name: str) -> list[list]:
    """The rows of a square matrix. Raises VerificationError for another one, NeedsFloats for several matrices."""
    a = AS_ARRAY(a)
    if a.ndim > 2:
        raise NeedsFloats(f"{user_line()}: np.linalg.{name} of several matrices has no value on exact numbers")
    if a.ndim < 2 or a.shape[0] != a.shape[1]:
        what = "a single number" if not a.ndim else f"an array of {' x '.join(map(str, a.shape))} numbers"
        raise VerificationError(f"{user_line()}: np.linalg.{name} of {what}; it has to be a square matrix")
    held = _objects(a) if NOW.world is None or NOW.told is None else _exact(a, NOW.world, NOW.told)
    return [list(row) for row in held]


def _inverse(a):
    one = EYE(len(_rows(a, "inv")), dtype=object)
    return _solve(a, _all_exact(one, AS_ARRAY(a).view(ExactArray)))


def _determinant(a):
    """By elimination down to 3 x 3; of what has no pivot, whose determinant is zero and may have slopes, the sum."""
    a, found = _rows(a, "det"), 1
    while len(a) > SUMMED:
        pivot = next((i for i, row in enumerate(a) if not _is_zero(row[0])), None)
        if pivot is None and len(a) <= LARGEST_SUM:
            break
        if pivot is None:
            raise VerificationError(
                f"{user_line()}: np.linalg.det of a singular matrix whose last {len(a)} rows have no pivot: beyond "
                f"{LARGEST_SUM} rows its slopes are not found; write that determinant out"
            )
        first = a.pop(pivot)
        found = found * first[0] * (-1) ** pivot
        factors = [row[0] / first[0] for row in a]
        a = [[x - f * y for x, y in zip(row[1:], first[1:], strict=True)] for f, row in zip(factors, a, strict=True)]
    return found * _sum_of_products(a) if a else found


def _sum_of_products(a: list[list]):
    if len(a) == 1:
        return a[0][0]
    minors = ([row[:k] + row[k + 1 :] for row in a[1:]] for k in range(len(a)))
    return sum((-1) ** k * a[0][k] * _sum_of_products(minor) for k, minor in enumerate(minors))


# Makers of arrays that see nothing exact in single numbers and lists of them.
GATHERING = (
    "where atleast_1d atleast_2d atleast_3d full stack hstack vstack column_stack concatenate append block diag tile "
    "repeat outer cross kron asanyarray asfortranarray asarray_chkfinite require fromiter copy"
).split()
LINEAR_ALGEBRA = {np.linalg.norm: _norm, np.linalg.solve: _solve, np.linalg.inv: _inverse, np.linalg.det: _determinant}


# --- stand-ins ----------------------------------------------------------------------------------------------------
@contextmanager
def exact_numbers(given: Callable, world: World, told: Callable) -> Iterator[None]:
    """While it lasts, NumPy and math know exact numbers."""
    if NOW.world is not None:  # inside of another one's: everything is in its place
        before, NOW.world, NOW.told = (NOW.world, NOW.told), world, told
        try:
            yield
        finally:
            NOW.world, NOW.told = before
        return
    places = _places(given) if isinstance(given, Hashable) else _places.__wrapped__(given)
    originals = [names[key] for names, key, _ in places]
    NOW.world, NOW.told = world, told
    for names, key, replacement in places:
        names[key] = replacement
    try:
        yield
    finally:
        NOW.world = NOW.told = None
        for (names, key, _), original in zip(places, originals, strict=True):
            names[key] = original


class _Now:
    """The world whose numbers are exact at the moment, for stand-ins that are made once."""

    world: World | None = None
    told: Callable | None = None

    def exact(self) -> tuple[World, Callable]:
        """The world, and what takes notes."""
        if self.world is None or self.told is None:
            raise ValueError("no numbers are exact at the moment")
        return self.world, self.told


NOW = _Now()


@functools.lru_cache(maxsize=64)
def _places(given: Callable) -> list[tuple[dict, str, Callable]]:
    """(names, key, stand-in): of NumPy and math, and of what a function's modules imported from them."""
    stand_ins = {**_makers(), **_functions()}
    by_identity = {id(getattr(module, name)): f for (module, name), f in stand_ins.items()}
    places = [(vars(module), name, f) for (module, name), f in stand_ins.items()]
    for names in _namespaces(given):
        places += [(names, k, by_identity[id(v)]) for k, v in names.items() if id(v) in by_identity]
    return places


def _namespaces(given: Callable) -> list[dict]:
    """The globals of a function and of the user's functions in other modules that it can reach by name."""
    found: dict[int, dict] = {}
    seen: set[int] = set()  # functions: those that call themselves lie in their own closures
    queue = [given, *(getattr(given, attribute, None) for attribute in ("__wrapped__", "__func__", "func"))]
    while queue:
        function = queue.pop()
        if not isinstance(function, FunctionType) or id(function) in seen or _is_foreign(function.__module__):
            continue
        seen.add(id(function))
        for cell in function.__closure__ or ():
            try:
                queue.append(cell.cell_contents)
            except ValueError:
                continue
        names = function.__globals__
        if id(names) in found:
            continue
        found[id(names)] = names
        for value in list(names.values()):
            if isinstance(value, FunctionType):
                queue.append(value)
            elif isinstance(value, ModuleType) and not _is_foreign(value.__name__):
                queue += [f for f in list(vars(value).values()) if isinstance(f, FunctionType)][:1]
    return list(found.values())


def _is_foreign(module: str | None) -> bool:
    """Whether a module is the standard library's, or of those whose functions are replaced or need no replacing."""
    first = str(module or "").split(".")[0]
    return first in FOREIGN or (first in sys.stdlib_module_names and first != "__main__")


def _standing_in(original: Callable, of: Callable) -> Callable:
    """A function with the name and the words of the one that it stands for."""
    return functools.wraps(original, updated=())(of)


def _after(original: Callable, change: Callable) -> Callable:
    """A maker of arrays, and what becomes of an array that it makes."""
    return _standing_in(original, lambda *arguments, **options: change(original(*arguments, **options)))


def _now_exact(array: np.ndarray) -> ExactArray:
    return _exact(array, *NOW.exact()).view(ExactArray)


def _filled(found: np.ndarray) -> np.ndarray:
    if found.dtype.kind != "f":
        return found
    _tell_of_precision(found.dtype)
    return _now_exact(found)


def _open(found: np.ndarray) -> np.ndarray:
    if found.dtype.kind not in "fO":
        return found
    _tell_of_precision(found.dtype)
    return np.full(found.shape, Unwritten(), dtype=object).view(ExactArray)


def _like(original: Callable, fill: object) -> Callable:
    def make(a, *arguments, shape=None, **options):
        return _now_exact(np.full(np.shape(a) if shape is None else shape, fill, dtype=object))

    return _standing_in(original, make)


def _array(original: Callable) -> Callable:
    def make(a, *arguments, **options):
        try:
            held = AS_ARRAY(a, dtype=object) if not isinstance(a, np.ndarray) else a
        except ValueError:
            return original(a, *arguments, **options)
        if held.dtype == object and any(type(_number(x)) is Scalar for x in _objects(held.reshape(-1))):
            _tell_of_precision(options.get("dtype", arguments[0] if arguments else None))
            return _now_exact(held)
        return original(a, *arguments, **options)

    return _standing_in(original, make)


def _of_lists(original: Callable) -> Callable:
    def apply(*arguments, **options):
        return original(*(np.array(a) if isinstance(a, list | tuple) else a for a in arguments), **options)

    return _standing_in(original, apply)


def _makers() -> dict:
    found = {(np, name): _after(getattr(np, name), _filled) for name in ("zeros", "ones", "eye", "identity")}
    found[np, "empty"] = _after(np.empty, _open)
    found |= {
        (np, name): _after(getattr(np, name), lambda found: _now_exact(found) if _is_plain(found) else found)
        for name in GATHERING
    }
    found |= {(np.linalg, f.__name__): _of_lists(f) for f in LINEAR_ALGEBRA}
    likes = {"zeros_like": 0, "ones_like": 1, "empty_like": Unwritten()}
    found |= {(np, name): _like(getattr(np, name), fill) for name, fill in likes.items()}
    found |= {(np, name): _array(getattr(np, name)) for name in ("array", "asarray", "ascontiguousarray")}
    return found


def _of_scalars(original: Callable, of: Callable) -> Callable:
    def apply(*arguments, **options):
        arguments = [_number(a) for a in arguments]
        exact = any(type(a) is Scalar for a in arguments) and not any(isinstance(a, np.ndarray) for a in arguments)
        return of(*arguments) if exact else original(*arguments, **options)

    return _standing_in(original, apply)


def _functions() -> dict:
    def taking(original: Callable, name: str) -> Callable:
        def apply(*arguments, **options):
            arguments = [_number(a) for a in arguments]
            bounded = name in ("max", "min") and any(_is_infinite(a) for a in arguments)
            if bounded or not any(type(a) is Scalar for a in arguments):
                return original(*arguments, **options)
            world, told = NOW.exact()
            exact = [plain_value(a, world, told) for a in arguments]
            if any(value is None for value in exact):
                return original(*arguments, **options)
            return next(a for a in arguments if type(a) is Scalar).wrap(call(world, name, exact))

        return _standing_in(original, apply)

    found = {(math, name): taking(getattr(math, name), name) for name in NAMES if hasattr(math, name)}
    found[math, "fabs"] = taking(math.fabs, "abs")
    numpy_names = {**METHODS, "arctan2": "atan2", "hypot": "hypot", "maximum": "max", "minimum": "min", "power": "pow"}
    del numpy_names["sqrt"]
    found[math, "copysign"] = _of_scalars(math.copysign, OF_NUMBERS[np.copysign])
    found |= {(np, original.__name__): _of_scalars(original, of) for original, of in OF_NUMBERS.items()}
    return found | {(np, name): taking(getattr(np, name), own) for name, own in numpy_names.items()}
