"""The names inside a function of C, and its expressions as values and as places that can be written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.conversions import as_condition, as_real
from symvi.verify.reading.c_reader.declarations import Types, Unit, place_of
from symvi.verify.reading.c_reader.locations import decayed, element, followed, member, variable_location
from symvi.verify.reading.c_reader.problems import Note, Place, refused
from symvi.verify.reading.c_reader.types import Array, Integer, PointerTo, Structure
from symvi.verify.reading.c_reader.values import Location, Value, Variable

if TYPE_CHECKING:
    from symvi.verify.reading.c_reader.functions import Program


@dataclass
class Scope:
    """The names inside one function, and what reading it finds out.

    reads, writes: names of parameters in the order in which the text first touches what they point to.
    """

    unit: Unit
    program: Program  # the other functions, globals, literals and notes
    names: list[dict[str, Variable | None]] = field(default_factory=lambda: [{}])
    slots: int = 0
    touched: dict[str, str] = field(default_factory=dict)  # parameter -> "read" or "written" first
    written: set[str] = field(default_factory=set)

    @property
    def types(self) -> Types:
        return Types(self.unit, self.constant)

    def declare(self, variable: Variable) -> Variable:
        """Add a name to the innermost block."""
        self.names[-1][variable.name] = variable
        return variable

    def new_slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def note(self, place: Place, kind: str, text: str) -> None:
        self.program.notes.append(Note(place, kind, text))

    def touch(self, roots, how: str) -> None:
        """Note that what these parameters point to is read or written here."""
        for root in roots:
            self.touched.setdefault(root, how)
            if how == "written":
                self.written.add(root)

    # --- constants -------------------------------------------------------------------------------------------------
    def constant(self, node: c_ast.Node) -> int:
        """The value of an integer that is known when the text is read. Raises SourceError for any other."""
        value = self.value(node)
        if not isinstance(value.constant, int) or not isinstance(value.type, Integer):
            raise refused(
                place_of(node), "a size or label that is not a constant whole number; write it as a number or a #define"
            )
        return value.constant

    def find(self, name: str, place: Place) -> Variable:
        """The variable of a name. Raises SourceError; its text is empty where the declaration was refused already."""
        for block in reversed(self.names):
            if name in block:
                if (variable := block[name]) is None:
                    raise refused(place, "")
                return variable
        if name in self.unit.globals:
            return self.program.global_variable(name)
        raise refused(place, f"{name} is not declared here{self.program.hint}")

    # --- expressions -----------------------------------------------------------------------------------------------
    def value(self, node: c_ast.Node) -> Value:
        """An expression's value. Raises SourceError for what is outside the subset."""
        from symvi.verify.reading.c_reader.expressions import READERS  # they read their parts through this scope

        read = READERS.get(type(node))
        if read is None:
            raise refused(place_of(node), f"an expression that the reader does not know ({type(node).__name__})")
        return read(self, node)

    def real(self, node: c_ast.Node) -> Value:
        return as_real(self.value(node), place_of(node))

    def condition(self, node: c_ast.Node) -> Callable:
        """A closure for the truth of an expression."""
        return as_condition(self.value(node), place_of(node))

    def location(self, node: c_ast.Node) -> Location:
        """The cells that an expression names."""
        if isinstance(node, c_ast.ID):
            return variable_location(self.find(node.name, place_of(node)))
        if isinstance(node, c_ast.ArrayRef):
            return element(self, node)
        if isinstance(node, c_ast.StructRef):
            return member(self, node)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            pointer = self.value(node.expr)
            return followed(pointer, lambda frame: 0, node)
        if isinstance(node, c_ast.CompoundLiteral):
            return self.program.compound_literal(self, node)
        raise refused(place_of(node), "this is no variable, element or member that could be written or pointed to")

    def loaded(self, location: Location, place: Place) -> Value:
        """The value of what a location names: arrays become pointers to their first element."""
        of = location.type
        if isinstance(of, Array):
            return decayed(location)
        if not (location.whole or isinstance(of, PointerTo)):
            self.touch(location.roots, "read")
        locate = location.locate
        if isinstance(of, Structure):
            count = types.cells(of)

            def copied(frame):
                storage, start = locate(frame)
                return [storage.cells[cell] if cell < len(storage.cells) else None
                        for cell in range(start, start + count)]  # fmt: skip

            return Value(of, copied)

        def run(frame):
            storage, offset = locate(frame)
            return storage.read(offset, place)

        return Value(of, run, roots=location.roots if isinstance(of, PointerTo) else frozenset())

    def stored(self, location: Location, value: Callable, place: Place) -> Callable:
        """A closure that writes the value of another one and returns it."""
        if location.constant:
            raise refused(place, f"{location.name} is const or global, and is written here; pass it as a parameter")
        if not location.whole:
            self.touch(location.roots, "written")
        locate = location.locate
        if isinstance(location.type, Structure):

            def copy(frame):
                cells = value(frame)
                storage, start = locate(frame)
                for k, cell in enumerate(cells):
                    if cell is not None:
                        storage.write(start + k, cell, place)
                return cells

            return copy

        def run(frame):
            result = value(frame)
            storage, offset = locate(frame)
            storage.write(offset, result, place)
            return result

        return run
