"""The parameters of a function of C: what each is to its caller, and their memory for one run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.memory import Machine, Pointer, Storage
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.program import Function
from symvi.verify.reading.c_reader.types import Type


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
        known = [length for length in self.shape if length is not None]
        return prod(known) if len(known) == len(self.shape) else None


def parameters_of(function: Function) -> Iterator[Parameter]:
    """The parameters in order; a struct gives one for each of its members. Raises SourceError for other things."""
    for variable, declared in zip(function.parameters, function.declared, strict=True):
        for name, of, is_reached in _leaves(variable.name, declared, function.place, False):
            root = re.sub(r"\[\d+\]", "", name)
            direction = _direction(function, root) if is_reached else "in"
            if root != variable.name and types.is_pointer(variable.type) and not _touched(function, root):
                direction = "unused"
            shape, kind = _shape(of, function.place, name)
            yield Parameter(name, direction, shape, "integer" if types.is_whole(kind) else "real")


def _leaves(name: str, of: Type, place: Place, is_reached: bool) -> Iterator[tuple[str, Type, bool]]:
    """(name, type, whether the function could write to it) of a parameter, or of all members of a struct."""
    if types.is_pointer(of) and types.is_struct(of.target):
        of, is_reached = of.target, True
    if types.is_array(of) and types.is_struct(of._type_):
        if not of._length_:
            raise refused(place, f"{name}: an array of structs without a length; state it")
        for k in range(of._length_):
            yield from _leaves(f"{name}[{k}]", of._type_, place, True)
    elif types.is_struct(of):
        for field_name, kind, _ in types.members(of):
            yield from _leaves(f"{name}.{field_name}", kind, place, is_reached)
    else:
        yield name, of, is_reached or types.is_array(of) or types.is_pointer(of)


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
    shape: list[int | None] = []
    if types.is_pointer(of):
        shape, of = [None], of.target
    while types.is_array(of):
        shape.append(of._length_ or None)
        of = of._type_
    if not (types.is_real(of) or types.is_whole(of)):
        what = f"the parameter {name} leads to {types.describe(of)}"
        raise refused(place, f"{what}; numbers, arrays and structs can be given")
    return tuple(shape), of


@dataclass
class Arguments:
    """The memory of all parameters for one run: filled from the inputs, read again afterwards."""

    function: Function
    parameters: Sequence[Parameter]
    cleared: frozenset[str]
    inputs: Mapping[str, Any]
    found: dict[str, tuple[Storage, int, Type]] = field(default_factory=dict)  # where numbers lie, and of which type

    def pointers(self, machine: Machine) -> list[Pointer]:
        """The variables that the parameters are."""
        self.machine, self.by_name = machine, {parameter.name: parameter for parameter in self.parameters}
        return [self._variable(*pair) for pair in zip(self.function.parameters, self.function.declared, strict=True)]

    def _variable(self, variable, declared: Type) -> Pointer:
        """A number, a struct, or a pointer to what the caller owns."""
        content: dict[int, Any] = {}
        if types.is_pointer(variable.type):
            content[0] = self._owned(variable.name, declared)
        else:
            self._fill(Storage(variable.name, variable.type, content), variable.name, variable.type, 0)
        return Storage(variable.name, variable.type, content).whole()

    def _owned(self, name: str, of: Type) -> Pointer:
        """What a caller owns: an array or a struct of a size that is known; as many numbers as are given; or memory
        that grows as it is written."""
        known = of.target if types.is_pointer(of) and types.is_struct(of.target) else of
        storage = Storage(name, known, {})
        if name in self.by_name and self.by_name[name].direction != "in":
            storage.remedy = f"; {_remedy(name)}"
        if types.is_struct(known) or types.is_array(known) and known._length_:
            self._fill(storage, name, known, 0)
            return storage.whole()
        storage.type = of.target if types.is_pointer(of) else of._type_
        storage.grows = self.by_name[name].direction in ("out", "both")
        if self._put(storage, name, storage.type, 0) is None and not storage.grows:
            raise refused(self.function.place, f"no numbers are given for the parameter {name}")
        count = len(storage.cells) * types.size(_number_of(storage.type))
        return Pointer(storage, 0, 0, None if storage.grows else count)

    def _fill(self, storage: Storage, name: str, of: Type, start: int) -> None:
        """Write the inputs of a parameter, or of every member of a struct, from this offset on."""
        if types.is_struct(of):
            for field_name, kind, at in types.members(of):
                self._fill(storage, f"{name}.{field_name}", kind, start + at)
        elif types.is_array(of) and types.is_struct(of._type_):
            for k in range(of._length_):
                self._fill(storage, f"{name}[{k}]", of._type_, start + k * types.size(of._type_))
        elif types.is_pointer(of):
            storage.cells[start] = self._owned(name, of)
        else:
            self._put(storage, name, of, start)

    def _put(self, storage: Storage, name: str, of: Type, start: int) -> list | None:
        """Write the numbers given for a parameter; None where there are none. Raises SourceError for a wrong count."""
        kind = _number_of(of)
        self.found[name] = storage, start, kind
        numbers = self._numbers(self.by_name[name])
        for k, number in enumerate(numbers or ()):
            storage.cells[start + k * types.size(kind)] = number
        return numbers

    def _numbers(self, parameter: Parameter) -> list | None:
        name, place = parameter.name, self.function.place
        given = self.inputs.get(name)
        if given is None and name in self.cleared:
            return [self.machine.numbers[0]] * (parameter.size or 0)
        if given is None:
            if parameter.direction == "in" and parameter.size is not None:
                raise refused(place, f"no numbers are given for the parameter {name}")
            return None
        numbers = list(given) if hasattr(given, "__len__") else [given]
        if parameter.size is not None and len(numbers) != parameter.size:
            raise refused(place, f"the parameter {name} has {parameter.size} numbers, and {len(numbers)} are given")
        if parameter.kind == "integer" and not all(isinstance(number, int) for number in numbers):
            raise refused(place, f"the parameter {name} is a whole number")
        if parameter.kind == "integer":
            return numbers
        return [self.machine.number(x) if isinstance(x, int | Fraction) else x for x in numbers]

    def written(self, parameter: Parameter) -> list:
        """What a parameter holds after the run. Raises SourceError where an entry was never written."""
        storage, start, kind = self.found[parameter.name]
        step = types.size(kind)
        size = parameter.size if parameter.size is not None else (max(storage.cells, default=-step) + step) // step
        rest = self.machine.numbers[0] if parameter.name in self.cleared else None
        content = [storage.cells.get(start + k * step, rest) for k in range(size)]
        missing = [storage.label(start + k * step) for k, number in enumerate(content) if number is None]
        if missing:
            shown = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
            raise refused(self.function.place, f"{shown}: never written; {_remedy(parameter.name)}")
        return content


def _number_of(of: Type) -> Type:
    """The type of an array's numbers."""
    while types.is_array(of):
        of = of._type_
    return of


def _remedy(name: str) -> str:
    return f"if the caller sets {name} to zero before the call, say so: cleared=[{name!r}]"
