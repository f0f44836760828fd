"""The parameters of a function of C: what each is to its caller, and their cells for one run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.functions import Function
from symvi.verify.reading.c_reader.memory import Pointer, Storage
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Array, Integer, PointerTo, Structure, Type


@dataclass(frozen=True)
class Parameter:
    """A parameter, or a member of one that is a struct ("body.q").

    direction: "in", "out", "both", or "unused" of a struct's member that nothing is done with. shape: () of a number,
    the lengths of an array, None first where a pointer does not say it. kind: "real" or "integer".
    """

    name: str
    direction: str
    shape: tuple[int | None, ...]
    kind: str

    @property
    def size(self) -> int | None:
        """How many numbers it holds; None where a pointer does not say it."""
        product = 1
        for length in self.shape:
            if length is None:
                return None
            product *= length
        return product


def parameters_of(function: Function) -> Iterator[Parameter]:
    """The parameters in order; a struct gives one for each of its members. Raises SourceError for other things."""
    for variable, declared in zip(function.parameters, function.declared, strict=True):
        for name, of, is_reached in _leaves(variable.name, declared, function.place, False):
            root = re.sub(r"\[\d+\]", "", name)
            direction = _direction(function, root) if is_reached else "in"
            if root != variable.name and isinstance(variable.type, PointerTo) and not _touched(function, root):
                direction = "unused"
            shape, kind = _shape(of, function.place, name)
            yield Parameter(name, direction, shape, "integer" if isinstance(kind, Integer) else "real")


def _leaves(name: str, of: Type, place: Place, is_reached: bool) -> Iterator[tuple[str, Type, bool]]:
    """(name, type, whether the function could write to it) of a parameter, or of all members of a struct."""
    if isinstance(of, PointerTo) and isinstance(of.target, Structure):
        of, is_reached = of.target, True
    if isinstance(of, Array) and isinstance(of.element, Structure):
        if of.length is None:
            raise refused(place, f"{name}: an array of structs without a length; state it")
        for k in range(of.length):
            yield from _leaves(f"{name}[{k}]", of.element, place, True)
    elif isinstance(of, Structure):
        for field, kind in of.fields:
            yield from _leaves(f"{name}.{field}", kind, place, is_reached)
    else:
        yield name, of, is_reached or isinstance(of, (Array, PointerTo))


def _direction(function: Function, root: str) -> str:
    """Whether what a parameter points to is read, written, or read and then written."""
    same = _touched(function, root)
    if not any(name in function.written for name in same):
        return "in"
    return "both" if any(function.touched[name] == "read" for name in same) else "out"


def _touched(function: Function, root: str) -> list[str]:
    """Of what a function reads or writes, that which a parameter or a member is part of."""
    return [name for name in function.touched if root == name or root.startswith(f"{name}.")]


def _shape(of: Type, place: Place, name: str) -> tuple[tuple[int | None, ...], Type]:
    """The shape of a parameter's numbers, and their type."""
    if isinstance(of, PointerTo):
        of = Array(of.target, None)
    shape = []
    while isinstance(of, Array):
        shape.append(of.length)
        of = of.element
    if not isinstance(of, (types.Real, Integer)):
        raise refused(
            place, f"the parameter {name} leads to {types.describe(of)}; numbers, arrays and structs can be given"
        )
    return tuple(shape), of


class Arguments:
    """The cells of all parameters for one run: filled from the inputs, read again afterwards."""

    def __init__(
        self,
        function: Function,
        parameters: Sequence[Parameter],
        cleared: frozenset[str],
        inputs: Mapping[str, Any],
        arithmetic,
        zero,
    ):
        self.place, self.cleared, self.inputs = function.place, cleared, inputs
        self.arithmetic, self.zero = arithmetic, zero
        self.by_name = {parameter.name: parameter for parameter in parameters}
        self.found: dict[str, tuple[Storage, int]] = {}
        self.storages = [
            self._storage(variable, declared)
            for variable, declared in zip(function.parameters, function.declared, strict=True)
        ]

    def _storage(self, variable, declared: Type) -> Storage:
        """The variable that a parameter is: a number, a struct, or a pointer to what the caller owns."""
        if not isinstance(variable.type, PointerTo):
            storage = Storage(variable.name, variable.type)
            self._fill(storage, variable.name, variable.type, 0)
            return storage
        of, name = declared, variable.name
        if isinstance(of, PointerTo) and isinstance(of.target, Structure):
            owned = Storage(name, of.target)
            self._fill(owned, name, of.target, 0)
        elif isinstance(of, Array) and of.length is not None:
            owned = Storage(name, of)
            self._fill(owned, name, of, 0)
            if name in self.by_name:  # no array of structs
                owned.remedy = f"; {_remedy(name)}"
        else:
            return Storage(name, variable.type, [self._open(name, of)])
        return Storage(name, variable.type, [Pointer(owned, 0, 0, len(owned.cells))])

    def _open(self, name: str, of: Type) -> Pointer:
        """A pointer to as many numbers as are given, or to cells that appear as they are written."""
        element = of.target if isinstance(of, PointerTo) else types.array(of).element
        content = self._content(name)
        direction = self.by_name[name].direction
        grows = direction in ("out", "both")
        owned = Storage(name, element, content or [], grows=True)
        owned.remedy = f"; {_remedy(name)}" if grows else ""
        if content is None and direction == "in":
            raise refused(self.place, f"no numbers are given for the parameter {name}")
        self.found[name] = owned, 0
        return Pointer(owned, 0, 0, None if grows else len(owned.cells))

    def _fill(self, storage: Storage, name: str, of: Type, start: int) -> None:
        """Write the inputs of a parameter, or of every member of a struct, from this cell on."""
        if isinstance(of, Structure):
            for field, kind in of.fields:
                self._fill(storage, f"{name}.{field}", kind, start)
                start += types.cells(kind)
        elif isinstance(of, Array) and isinstance(of.element, Structure):
            for k in range(of.length or 0):
                self._fill(storage, f"{name}[{k}]", of.element, start + k * types.cells(of.element))
        elif isinstance(of, PointerTo):
            storage.cells[start] = self._open(name, of)
        else:
            self.found[name] = storage, start
            content = self._content(name)
            if content is not None:
                storage.cells[start : start + len(content)] = content

    def _content(self, name: str) -> list | None:
        """The numbers given for a parameter, as the arithmetic has them. Raises SourceError for a wrong count."""
        parameter, place = self.by_name[name], self.place
        given = self.inputs.get(name)
        if given is None:
            if name in self.cleared:
                return [self.zero] * (parameter.size or 0)
            if parameter.direction == "in" and parameter.size is not None:
                raise refused(place, f"no numbers are given for the parameter {name}")
            return None
        numbers = list(given) if isinstance(given, Sequence) or hasattr(given, "__len__") else [given]
        if parameter.size is not None and len(numbers) != parameter.size:
            raise refused(place, f"the parameter {name} has {parameter.size} numbers, and {len(numbers)} are given")
        return [self._number(parameter, value) for value in numbers]

    def _number(self, parameter: Parameter, value):
        if parameter.kind == "integer":
            if not isinstance(value, int):
                raise refused(self.place, f"the parameter {parameter.name} is a whole number")
            return value
        return self.arithmetic.number(Fraction(value)) if isinstance(value, (int, Fraction)) else value

    def written(self, parameter: Parameter) -> list:
        """What a parameter holds after the run. Raises SourceError where an entry was never written."""
        storage, start = self.found[parameter.name]
        size = parameter.size if parameter.size is not None else len(storage.cells)
        content = storage.cells[start : start + size]
        if parameter.name in self.cleared:
            content = [self.zero if cell is None else cell for cell in content]
        missing = [storage.label(start + k) for k, cell in enumerate(content) if cell is None]
        if missing:
            shown = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
            raise refused(self.place, f"{shown}: never written; {_remedy(parameter.name)}")
        return content


def _remedy(name: str) -> str:
    return f"if the caller sets {name} to zero before the call, say so: cleared=[{name!r}]"
