"""Variables, arrays and pointers while a function runs: every number lies in a cell, and cells know their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Type, cells, label

if TYPE_CHECKING:
    from symvi.verify.reading.arithmetic import Arithmetic

MOST_CELLS = 200_000  # of one variable
MOST_STATEMENTS = 500_000  # executed in one call of the function


class Storage:
    """The cells of one variable; None stands in those that were never written.

    grows: the size is the caller's affair (a parameter `double *x`), and cells appear as they are written.
    is_global: nothing may be written. remedy: what a caller could do for cells that were never written.
    """

    __slots__ = ("name", "type", "cells", "grows", "is_global", "remedy")

    def __init__(
        self, name: str, type: Type, content: list | None = None, grows: bool = False, is_global: bool = False
    ):
        self.name, self.type, self.grows, self.is_global = name, type, grows, is_global
        self.remedy = ""
        self.cells: list = content if content is not None else [None] * (0 if grows else cells(type))

    def label(self, offset: int) -> str:
        """The name of a cell as C writes it."""
        if not self.grows:
            return label(self.type, self.name, offset)
        step = cells(self.type) or 1
        return label(self.type, f"{self.name}[{offset // step}]", offset % step)

    def read(self, offset: int, place: Place):
        """What a cell holds. Raises SourceError where it was never written."""
        if 0 <= offset < len(self.cells):
            value = self.cells[offset]
            if value is not None:
                return value
        raise refused(place, f"{self.label(offset)} is read before anything is written to it{self.remedy}")

    def write(self, offset: int, value, place: Place) -> None:
        """Set a cell. Raises SourceError for a global, and for more cells than can be."""
        if self.is_global:
            raise refused(place, f"{self.name} is global, and is written here; pass it as a parameter")
        if offset >= len(self.cells):
            if offset >= MOST_CELLS:
                raise refused(place, f"{self.label(offset)} is written: more than {MOST_CELLS} numbers")
            self.cells.extend([None] * (offset + 1 - len(self.cells)))
        self.cells[offset] = value


class Pointer:
    """The address of a cell, and the cells from low to high that may be reached from it (high None: a size unknown).

    No storage: the null pointer.
    """

    __slots__ = ("storage", "offset", "low", "high")

    def __init__(self, storage: Storage | None, offset: int = 0, low: int = 0, high: int | None = None):
        self.storage, self.offset, self.low, self.high = storage, offset, low, high

    def moved(self, by: int) -> Pointer:
        """The address so many cells further."""
        return Pointer(self.storage, self.offset + by, self.low, self.high)

    def at(self, by: int, count: int, place: Place) -> tuple[Storage, int]:
        """The cell `by` cells further, of a value of `count` cells. Raises SourceError where it is out of bounds."""
        if self.storage is None:
            raise refused(place, "the null pointer is followed")
        offset = self.offset + by
        if offset < self.low or (self.high is not None and offset + count > self.high):
            name, k = self.storage.name, (offset - self.low) // (count or 1)
            many = (
                "" if self.high is None else f", of {(self.high - self.low) // (count or 1)} that can be reached here"
            )
            raise refused(place, f"index out of bounds: element {k} of {name}{many}")
        return self.storage, offset


@dataclass
class Machine:
    """One run of a function: the numbers' arithmetic, the literals as such numbers, and what is left of the bounds."""

    arithmetic: Arithmetic
    numbers: list
    statements: int = MOST_STATEMENTS
    globals: dict[str, Storage] = field(default_factory=dict)
    tell: Callable | None = None

    def step(self, place: Place) -> None:
        """Count a statement. Raises SourceError where there were too many."""
        self.statements -= 1
        if self.statements < 0:
            raise refused(place, f"more than {MOST_STATEMENTS} statements are executed; does a loop here end?")


class Frame:
    """The variables of one call of one function, and what it returned."""

    __slots__ = ("machine", "slots", "returned")

    def __init__(self, machine: Machine, size: int):
        self.machine = machine
        self.slots: list[Any] = [None] * size  # each a Storage once its declaration has run
        self.returned: Any = None
