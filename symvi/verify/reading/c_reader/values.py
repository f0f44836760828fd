"""What expressions of C are turned into: values with a type and a closure that computes them in a frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symvi.verify.reading.c_reader.memory import Frame, Storage
from symvi.verify.reading.c_reader.types import Type

Roots = frozenset[str]  # the parameters that a pointer may point into


@dataclass(frozen=True)
class Value:
    """An expression: its type, `run(frame)`, its value where that is known when it is read, and what it points into.

    Integers are Python's int, reals are whatever the arithmetic uses, pointers are Pointer, structs are lists of cells.
    """

    type: Type
    run: Callable[[Frame], Any]
    constant: int | Fraction | None = None
    roots: Roots = frozenset()


@dataclass(frozen=True)
class Location:
    """An expression that names cells: its type, `locate(frame)` -> (storage, offset), and whether it is const."""

    type: Type
    locate: Callable[[Frame], tuple[Storage, int]]
    constant: bool
    name: str
    roots: Roots = frozenset()
    whole: bool = False  # a variable itself, not a part of one


@dataclass
class Variable:
    """A name of a scope: where it lies in the frame (or globally), its type, and what its pointer may point into."""

    name: str
    type: Type
    constant: bool
    slot: int | None  # None: global
    roots: Roots = frozenset()
    value: int | None = None  # of a const integer that is known when it is read

    @property
    def in_frame(self) -> int:
        """The slot of one that is not global."""
        if self.slot is None:
            raise ValueError(f"{self.name} is global")
        return self.slot
