"""Inside one function of C: its names, and the lines of Python that it becomes.

An expression becomes an expression of Python in the function's variables (v0, v1, ...: Pointers), its machine `m`, the
machine's arithmetic `A` and literals `n`, NULL, and objects k0, k1, ... that were known when it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pycparser import c_ast

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.declarations import Types, Unit, place_of
from symvi.verify.reading.c_reader.memory import Pointer, merged, whole_operation
from symvi.verify.reading.c_reader.problems import Note, Place, refused
from symvi.verify.reading.c_reader.types import Type, held

if TYPE_CHECKING:
    from symvi.verify.reading.c_reader.program import Program

LONGEST = 400  # characters of an expression; Python reads some 200 brackets inside one another
Roots = frozenset[str]  # the parameters that a pointer may point into


@dataclass(frozen=True)
class Value:
    """An expression: its type, its Python, its value where that is known when it is read, and what it points into.

    Whole numbers are Python's int, reals are whatever the arithmetic uses, structs are what memory.Pointer.all gives.
    """

    type: Type
    code: str
    constant: int | Fraction | None = None
    roots: Roots = frozenset()


@dataclass(frozen=True)
class Location:
    """An expression that names memory: its type, Python for its Pointer, and whether it is const."""

    type: Type
    code: str
    constant: bool
    name: str
    roots: Roots = frozenset()
    whole: bool = False  # a variable itself, not a part of one


@dataclass
class Variable:
    """A name of a scope: Python for its Pointer, its type, and what its pointer may point into."""

    name: str
    type: Type
    constant: bool
    code: str
    roots: Roots = frozenset()
    value: int | None = None  # of a const integer that is known when it is read


@dataclass
class Scope:
    """The names inside one function, its lines, and what reading it finds out.

    touched: names of parameters, in the order in which the text first touches what they point to -> "read" or
    "written", whichever comes first. turns: of the loops and switches around a statement, innermost last: the two lines
    that `continue` is.
    """

    unit: Unit
    program: Program  # the other functions, globals, literals and notes
    returned: Type = None
    names: list[dict[str, Variable | None]] = field(default_factory=lambda: [{}])
    touched: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)  # expressions that were too long for one line
    kept: dict[Any, str] = field(default_factory=lambda: {merged: "merged", whole_operation: "whole", held: "held"})
    turns: list[tuple[str, str]] = field(default_factory=list)
    indent: int = 1
    count: int = 0

    @property
    def types(self) -> Types:
        return Types(self.unit, self.constant)

    # --- lines -----------------------------------------------------------------------------------------------------
    def emit(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """Lines under an if or a loop."""
        self.emit(head)
        self.indent += 1
        self.emit("pass")
        yield
        self.indent -= 1

    def new_name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def keep(self, thing: Any) -> str:
        """A name for something that is known when the text is read."""
        if thing not in self.kept:
            self.kept[thing] = self.new_name("k")
        return self.kept[thing]

    def short(self, value: Value) -> Value:
        """The same value, in a line of its own where its code is long."""
        if len(value.code) <= LONGEST:
            return value
        name = self.new_name("e")
        self.parts.append(f"    {name} = lambda: {value.code}")
        return Value(value.type, f"{name}()", value.constant, value.roots)

    def compiled(self, name: str, parameters: list[str]) -> Callable:
        """The lines as a function of a machine and Pointers."""
        head = [f"def {name}({', '.join(['m', *parameters])}):", "    A, n = m.arithmetic, m.numbers"]
        names: dict[str, Any] = {kept: thing for thing, kept in self.kept.items()} | {"NULL": Pointer(None)}
        exec(compile("\n".join([*head, *self.parts, *self.lines]), f"<C: {name}>", "exec"), names)
        return names[name]

    # --- names -----------------------------------------------------------------------------------------------------
    def declare(self, variable: Variable) -> Variable:
        """Add a name to the innermost block."""
        self.names[-1][variable.name] = variable
        return variable

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

    @contextmanager
    def block(self) -> Iterator[None]:
        """Names of a block of their own."""
        self.names.append({})
        try:
            yield
        finally:
            self.names.pop()

    # --- what reading finds out ------------------------------------------------------------------------------------
    def note(self, place: Place, kind: str, text: str) -> None:
        self.program.notes.append(Note(place, kind, text))

    def touch(self, roots: Roots, how: str) -> None:
        """Note that what these parameters point to is read or written here."""
        for root in roots:
            self.touched.setdefault(root, how)
            if how == "written":
                self.written.add(root)

    # --- expressions -----------------------------------------------------------------------------------------------
    def value(self, node: c_ast.Node) -> Value:
        """An expression's value. Raises SourceError for what is outside the subset."""
        read = self.program.readers.get(type(node))  # they read their parts through this scope
        if read is None:
            raise refused(place_of(node), f"an expression that the reader does not know ({type(node).__name__})")
        return self.short(read(self, node))

    def constant(self, node: c_ast.Node) -> int:
        """The value of an integer that is known when the text is read. Raises SourceError for any other."""
        value = self.value(node)
        if not isinstance(value.constant, int) or not types.is_whole(value.type):
            raise refused(
                place_of(node), "a size or label that is not a constant whole number; write it as a number or a #define"
            )
        return value.constant
