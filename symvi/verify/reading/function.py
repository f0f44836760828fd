"""A function of named arguments, whatever language it was written in: what readers make, and judges evaluate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symvi.verify.reading.straight_line import StraightLines
from symvi.verify.reading.worlds import World

Values = Mapping[str, Sequence]


@dataclass(frozen=True)
class Outputs:
    """What a function returned: its shape, () for one number, and its entries row by row."""

    shape: tuple[int, ...]
    entries: list


@dataclass(repr=False)
class Function:
    """name: as reports say it. arguments: the variables that it takes. origin: "SymPy", "Python", "NumPy", "C" or
    "symvi".

    evaluate(values, world) gives Outputs; values are lists of the world's numbers, or of dual numbers over them.
    place: file and line where it stands, "" where there is none. notes: what reading it found worth saying; it may
    grow while the function is evaluated. floats_only: code that asks for machine numbers.
    equation: as papers write it, "" where none is known. on_floats: evaluate, on plain machine numbers. given: Python
    code as the user gave it.
    """

    name: str
    arguments: tuple[str, ...]
    evaluate: Callable[[Values, World], Outputs]
    origin: str
    place: str = ""
    notes: list[str] = field(default_factory=list)
    tree: Any = None
    variables: Mapping = field(default_factory=dict)
    definition: Any = None
    equation: str = ""
    floats_only: bool = False
    on_floats: Callable[[Values, World], Outputs] | None = None
    given: Any = None
    lines: StraightLines | None = None

    def found(self, values: Values, world: World, lean: bool = False) -> Outputs:
        """What `evaluate` gives, without running code again on a way that it went before.

        lean: where only the ways that conditions go are asked for; the entries may mean nothing.
        """
        if self.floats_only:
            return self.evaluate(values, world)
        if self.lines is None or self.lines.of is not self.evaluate:
            self.lines = StraightLines(self.evaluate)
        return Outputs(*self.lines.evaluate(values, world, lean))

    @property
    def said(self) -> str:
        return f"{self.name} ({self.origin}{', ' + self.place if self.place else ''})"

    def __repr__(self) -> str:
        return f"{self.said}: {self.equation}" if self.equation else self.said

    def note(self, text: str) -> None:
        if text and text not in self.notes:
            self.notes.append(text)


def unread(values: Values, world: World) -> Outputs:
    """What a function evaluates to until its reader has said more."""
    raise ValueError("the function is still being read")
