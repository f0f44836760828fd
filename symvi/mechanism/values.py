"""The values a description is made of: numbers, vectors, quaternions, texts, each with the check it must pass.

The checks raise ValueError with a text that continues "<field> <value> ..."; see description.py.
Arrays, lists and tuples are taken for vectors; what is kept are tuples of floats, with -0.0 written as 0.0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, Generic, Protocol, TypeVar, cast

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema

from symvi.mechanism.names import checked_name, shown
from symvi.mechanism.vectors import norm, unit

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "LARGEST", "SMALLEST", "TOO_LARGE", "TOO_SMALL", "Color", "Expression", "Expressions", "Given", "MaybeExpression",
    "MaybeOneOrMore", "MaybeQuaternion", "MaybeSignals", "MaybeUnitVector", "MaybeVector", "Name", "NotNegative",
    "Number", "OneOrMore", "ParameterTable", "Parameters", "PerAxis", "Positive", "Quaternion", "Signals", "Text",
    "UnitVector", "Vector", "field", "field_from", "items_of", "number", "numbers", "text",
]  # fmt: skip

QUATERNION_TOLERANCE = 1e-6
# What is computed from numbers within these bounds neither over- nor underflows on its way to a motion: products of
# three of them, and of masses with squares of lengths, are still doubles. Nothing that moves is near them.
LARGEST, SMALLEST = 1e100, 1e-100
TOO_LARGE = f"is too large, beyond {LARGEST:g}; check its unit"
TOO_SMALL = f"is too small, below {SMALLEST:g}; check its unit"
LONGEST_TEXT = 10_000
MOST_ITEMS = 1_000_000  # beyond them an iterable is taken for one without end


class Symbolic(Protocol):
    """A SymPy expression, as far as this room knows SymPy."""

    def atoms(self) -> Any: ...
    def xreplace(self, rule: Any) -> Any: ...


def field(default: Any, meaning: str, unit: str | tuple[str, ...] = "") -> Any:
    """A field of a description with its meaning, and the unit in which files may write it (see units.py)."""
    extra: dict[str, Any] = {"unit": unit}
    return Field(default, description=meaning, json_schema_extra=extra if unit else None)


def field_from(make: Callable[[], Any], meaning: str, unit: str) -> Any:
    """A field like the above whose default is made by a call."""
    return Field(default_factory=make, description=meaning, json_schema_extra={"unit": unit})


def number(value: object) -> float:
    """A float within bounds from any real number (not from a text: units belong to files)."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError("must be a number")
    try:
        result = float(value) + 0.0  # + 0.0 turns -0.0 into 0.0: equal descriptions must have equal bytes
    except OverflowError:
        raise ValueError("is too large for a double") from None
    if not math.isfinite(result):
        raise ValueError("must be finite")
    if abs(result) > LARGEST:
        raise ValueError(TOO_LARGE)
    return result


def numbers(value: object, count: int | None = None) -> tuple[float, ...]:
    """A tuple of finite floats from a list, tuple or array, of the given length if one is given."""
    wanted = "a list of numbers" if count is None else f"{count} numbers"
    items = items_of(value)
    if items is None:
        raise ValueError(f"must be {wanted}")
    if count is not None and len(items) != count:
        raise ValueError(f"must be {wanted}, but has {len(items)}")
    return tuple(number(item) for item in items)


def items_of(value: object) -> list[object] | None:
    """What a list, tuple, array or other iterable holds; None for texts, tables, what is none, and what has no end."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        return None
    try:
        items = list(islice(iter(value), MOST_ITEMS + 1))
        return items if len(items) <= MOST_ITEMS else None
    except Exception:  # an array without axes, or an object whose own code fails
        return None


def positive(value: float) -> float:
    """The number, if it is above zero."""
    if value <= 0.0:
        raise ValueError("must be positive")
    if value < SMALLEST:
        raise ValueError(TOO_SMALL)
    return value


def not_negative(value: float) -> float:
    """The number, if it is not below zero."""
    if value < 0.0:
        raise ValueError("must not be negative")
    return value


def vector(value: object) -> tuple[float, float, float]:
    """Three finite floats."""
    x, y, z = numbers(value, 3)
    return x, y, z


def unit_vector(value: tuple[float, ...]) -> tuple[float, ...]:
    """The vector with its length made one."""
    if 0.0 < max(map(abs, value)) < SMALLEST:
        raise ValueError(f"is shorter than {SMALLEST:g}, which is no direction; give one, of any other length")
    try:
        return tuple(x + 0.0 for x in unit(value))
    except ValueError:
        raise ValueError("has length zero; give a direction") from None


def quaternion(value: object) -> tuple[float, ...]:
    """A unit quaternion (w, x, y, z); a small deviation of its length is removed, a large one is refused."""
    parts = numbers(value, 4)
    length = norm(parts)
    if abs(length - 1.0) > QUATERNION_TOLERANCE:
        raise ValueError(f"has length {length:.9g}; a unit quaternion (w, x, y, z) has length 1")
    return tuple(x + 0.0 for x in unit(parts))


def text(value: object) -> str:
    """A text of bounded length that every file can hold."""
    if not isinstance(value, str):
        raise ValueError("must be a text")
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"has {len(value)} characters; at most {LONGEST_TEXT} are allowed")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("holds half of a surrogate pair, which no text file can hold")
    return value


def color(value: object) -> str:
    """A colour written #rrggbb."""
    if not isinstance(value, str) or not re.fullmatch("#[0-9a-fA-F]{6}", value):
        raise ValueError("must be a colour like '#3366cc'")
    return value.lower()


def expression(value: object) -> str:
    """The text of an expression; a SymPy expression is taken as it prints, its decimals with all digits of a double."""
    if isinstance(value, (str, bytes, int, float, list, tuple, Mapping)) or value is None:
        return text(value)
    if hasattr(value, "xreplace"):  # SymPy prints 15 digits, but all that a decimal was made of
        symbolic = cast(Symbolic, value)
        decimals = [atom for atom in symbolic.atoms() if getattr(atom, "is_Float", False)]
        value = symbolic.xreplace({atom: type(atom)(repr(float(atom))) for atom in decimals})
    try:
        return text(str(value))
    except Exception:  # an object whose own code fails
        raise ValueError("must be a text") from None


def expressions(value: object) -> tuple[str, ...]:
    """A tuple of expressions from one or several."""
    return tuple(expression(item) for item in (value if isinstance(value, (list, tuple)) else [value]))


def per_axis(value: object) -> float | tuple[float, ...]:
    """One number, or one per free axis of a joint."""
    return number(value) if isinstance(value, Real) else numbers(value)


def one_or_more(value: object) -> tuple[float, ...]:
    """A tuple of numbers from one number or several."""
    return (number(value),) if isinstance(value, Real) else numbers(value)


class Parameters(Mapping[str, float]):
    """Named numbers of an expression, in the order of their names: a mapping that cannot change and has a hash."""

    __slots__ = ("_pairs",)

    def __init__(self, pairs: Iterable[tuple[str, float]] = ()):
        self._pairs = dict(sorted(pairs))

    def __getitem__(self, name: str) -> float:
        return self._pairs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __hash__(self) -> int:
        return hash(frozenset(self._pairs.items()))

    def __repr__(self) -> str:
        return f"Parameters({self._pairs!r})"


def parameters(value: object) -> Parameters:
    """Named finite numbers, each name through the gate of names.py."""
    if not isinstance(value, Mapping):
        raise ValueError("must be a table of numbers by name")
    pairs = []
    for name, item in value.items():
        try:
            pairs.append((checked_name(name), number(item)))
        except ValueError as error:
            raise ValueError(f"holds {shown(name)} = {shown(item)}, which {error}") from None
    return Parameters(pairs)


def _list_of(count: int) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "number"}, "minItems": count, "maxItems": count}


_ONE_OR_MORE = {"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]}
_TEXTS = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

Kept = TypeVar("Kept", covariant=True)
Taken = TypeVar("Taken", contravariant=True)


class Given(Generic[Kept, Taken]):
    """For type checkers: a field that keeps one type and takes more, a list for a tuple (pydantic turns it)."""

    if TYPE_CHECKING:

        def __get__(self, element: object, owner: type | None = None) -> Kept: ...
        def __set__(self, element: object, value: Taken) -> None: ...


Number = Annotated[float, BeforeValidator(number)]
Positive = Annotated[Number, AfterValidator(positive)]
NotNegative = Annotated[Number, AfterValidator(not_negative)]
Name = Annotated[str, BeforeValidator(checked_name), Field(pattern="^[A-Za-z][A-Za-z0-9_]{0,62}$")]
Text = Annotated[str, BeforeValidator(text)]
Color = Annotated[str, BeforeValidator(color), Field(pattern="^#[0-9a-fA-F]{6}$")]

if TYPE_CHECKING:
    Numbers = Sequence[float] | np.ndarray
    Texts = str | Symbolic | Sequence[str | Symbolic]
    _Three = tuple[float, float, float]
    _Four = tuple[float, float, float, float]
    Vector = Given[_Three, Numbers]
    UnitVector = Given[_Three, Numbers]
    Quaternion = Given[_Four, Numbers]
    OneOrMore = Given[tuple[float, ...], float | Numbers]
    PerAxis = Given[float | tuple[float, ...], float | Numbers]
    Signals = Given[tuple[str, ...], Texts]
    Expression = Given[str, str | Symbolic]
    Expressions = Given[tuple[str, ...], Texts]
    MaybeVector = Given[_Three | None, Numbers | None]
    MaybeUnitVector = Given[_Three | None, Numbers | None]
    MaybeQuaternion = Given[_Four | None, Numbers | None]
    MaybeOneOrMore = Given[tuple[float, ...] | None, float | Numbers | None]
    MaybeSignals = Given[tuple[str, ...] | None, Texts | None]
    MaybeExpression = Given[str | None, str | Symbolic | None]
    ParameterTable = Given[Parameters, Mapping[str, float]]
else:
    Vector = Annotated[tuple[float, float, float], BeforeValidator(vector), WithJsonSchema(_list_of(3))]
    UnitVector = Annotated[Vector, AfterValidator(unit_vector)]
    Quaternion = Annotated[tuple[float, float, float, float], BeforeValidator(quaternion), WithJsonSchema(_list_of(4))]
    OneOrMore = Annotated[tuple[float, ...], BeforeValidator(one_or_more), WithJsonSchema(_ONE_OR_MORE)]
    PerAxis = Annotated[float | tuple[float, ...], BeforeValidator(per_axis), WithJsonSchema(_ONE_OR_MORE)]
    Signals = Annotated[tuple[str, ...], BeforeValidator(expressions), WithJsonSchema(_TEXTS)]
    Expression = Annotated[str, BeforeValidator(expression)]
    Expressions = Annotated[tuple[str, ...], BeforeValidator(expressions), WithJsonSchema(_TEXTS)]
    MaybeVector = Vector | None
    MaybeUnitVector = UnitVector | None
    MaybeQuaternion = Quaternion | None
    MaybeOneOrMore = OneOrMore | None
    MaybeSignals = Signals | None
    MaybeExpression = Expression | None
    ParameterTable = Annotated[
        Parameters,
        PlainValidator(parameters),
        PlainSerializer(dict, return_type=dict[str, float]),
        WithJsonSchema({"type": "object", "additionalProperties": {"type": "number"}}),
    ]
