"""A whole text: its functions and tables, read when something uses them, and what reading them found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from pycparser import c_ast

from symvi.verify.reading.c_reader import initializers, types
from symvi.verify.reading.c_reader.conversions import converted, whole_constant
from symvi.verify.reading.c_reader.declarations import Unit, is_const, place_of
from symvi.verify.reading.c_reader.memory import Frame, Machine, Storage
from symvi.verify.reading.c_reader.problems import Note, Place, SourceError, refused
from symvi.verify.reading.c_reader.scope import Scope
from symvi.verify.reading.c_reader.sequence import unordered
from symvi.verify.reading.c_reader.statements import RETURN, block
from symvi.verify.reading.c_reader.types import Array, Integer, PointerTo, Type
from symvi.verify.reading.c_reader.values import Value, Variable
from symvi.verify.reading.constants import Constant


@dataclass
class Function:
    """A function that can be called: its parameters in order, what it returns, its body and the size of its frame.

    declared: the types of the parameters as they are written, with the lengths of arrays. touched, written: which
    parameters' contents are read or written, and which of both comes first.
    """

    name: str
    place: Place
    parameters: tuple[Variable, ...]
    declared: tuple[Type, ...]
    returned: Type
    body: Callable[[Frame], object] | None = None
    slots: int = 0
    touched: dict[str, str] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)


class Program:
    """The functions, tables, literals and notes that one function of a text needs.

    hint: what to say after the message about an unknown name. branches: the places of comparisons of real numbers.
    """

    def __init__(self, unit: Unit, hint: str = ""):
        self.unit, self.hint = unit, hint
        self.functions: dict[str, Function] = {}
        self.open: list[str] = []
        self.notes: list[Note] = []
        self.problems: list[tuple[Place, str]] = []
        self.branches: set[Place] = set()
        self.literals: dict[Constant, int] = {Constant(Fraction(0)): 0}
        self.tables: dict[str, tuple[Variable, Callable]] = {}
        self.returned: Type = types.VOID

    # --- what went wrong -------------------------------------------------------------------------------------------
    def wrong(self, error: SourceError) -> None:
        """Note the problems of a statement; those with no text follow from earlier ones."""
        for place, text in zip(error.places, error.problems, strict=True):
            sentence = text.removeprefix(f"{place}: ")
            if sentence:
                self.problems.append((place, sentence))

    # --- functions -------------------------------------------------------------------------------------------------
    def function(self, name: str, place: Place) -> Function:
        """A function of the text, read once. Raises SourceError for one that calls itself."""
        if name in self.open:
            raise refused(place, f"{name} calls itself; write the recursion as a loop")
        if name not in self.functions:
            self.open.append(name)
            outer = self.returned
            try:
                self.functions[name] = self._read(self.unit.functions[name])
            finally:
                self.open.pop()
                self.returned = outer
        return self.functions[name]

    def _read(self, node: c_ast.FuncDef) -> Function:
        place, declaration = place_of(node), node.decl.type
        if node.param_decls:
            raise refused(place, "a function in the style of before 1989; write the types into the brackets")
        scope = Scope(self.unit, self)
        given = declaration.args.params if declaration.args else []
        pairs = [self._parameter(scope, each, place) for each in given if not _is_void(each)]
        if len(scope.names[0]) < len(pairs):
            raise refused(place, "two parameters have the same name")
        returned = scope.types.read(declaration.type)
        function = Function(
            node.decl.name, place, tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs), returned
        )
        self.returned = returned
        for error in unordered(node.body):
            self.wrong(error)
        body = block(scope, node.body.block_items or [])
        function.body, function.slots = body, scope.slots
        function.touched, function.written = scope.touched, scope.written
        return function

    def _parameter(self, scope: Scope, node: c_ast.Node, place: Place) -> tuple[Variable, Type]:
        """The variable that a parameter is, and its type as declared; arrays are pointers to their first element."""
        if isinstance(node, c_ast.EllipsisParam):
            raise refused(place, "a function with any number of arguments; state them")
        if isinstance(node, c_ast.ID):
            raise refused(place, "a function in the style of before 1989; write the types into the brackets")
        if not isinstance(node, c_ast.Decl) or not node.name:
            raise refused(place_of(node), "a parameter without a name; give it one")
        of = declared = self._declared(scope, node)
        if isinstance(of, types.Void):
            raise refused(place_of(node), f"{node.name} has no type")
        if isinstance(of, Array):
            of = PointerTo(of.element, is_const(node.type))
        roots = frozenset([node.name]) if isinstance(of, PointerTo) else frozenset()
        return scope.declare(Variable(node.name, of, is_const(node.type), scope.new_slot(), roots)), declared

    def _declared(self, scope: Scope, node: c_ast.Decl) -> Type:
        """A parameter's type; the first length of an array may be another parameter's value, which is no length."""
        if isinstance(node.type, c_ast.ArrayDecl) and node.type.dim is not None:
            try:
                return scope.types.read(node.type)
            except SourceError:
                bare = c_ast.ArrayDecl(node.type.type, None, [], coord=node.type.coord)
                return scope.types.read(bare)
        return scope.types.read(node.type)

    # --- tables and enumerators ------------------------------------------------------------------------------------
    def global_variable(self, name: str) -> Variable:
        """A variable outside of functions, which may be read only. Raises SourceError where it has no value."""
        if name not in self.tables:
            node = self.unit.globals[name]
            place, scope = place_of(node), Scope(self.unit, self)
            if node.init is None:
                raise refused(place, f"the global {name} has no value here; pass it as a parameter")
            of = initializers.completed(scope, scope.types.read(node.type), node.init, place)
            initializers.bounded(of, place)
            value = None
            if not is_const(node.type):
                self.notes.append(Note(place, "global", f"the global {name} is taken to keep its first value"))
            elif isinstance(of, Integer):
                value = whole_constant(converted(scope.value(node.init), of, place))
            variable = Variable(name, of, True, None, value=value)
            self.tables[name] = variable, initializers.initial(scope, of, node.init)
        return self.tables[name][0]

    def enumerator(self, name: str) -> int:
        """The value of a name in an enum."""
        distance = 0
        while True:
            node, before = self.unit.enumerators[name]
            if node is not None:
                return Scope(self.unit, self).constant(node) + distance
            if before is None:
                return distance
            name, distance = before, distance + 1

    # --- values ----------------------------------------------------------------------------------------------------
    def number(self, value: Fraction) -> Value:
        """A rational number; all of them are turned into the arithmetic's numbers once a run."""
        return self.literal(Constant(value))

    def literal(self, meant: Constant) -> Value:
        """A literal, or the irrational number that it stands for."""
        slot = self.literals.setdefault(replace(meant, said=""), len(self.literals))
        is_rational = meant.radicand == 1 and not meant.with_pi
        return Value(types.DOUBLE, lambda frame: frame.machine.numbers[slot], meant.factor if is_rational else None)

    def compound_literal(self, scope: Scope, node: c_ast.CompoundLiteral):
        return initializers.compound_literal(scope, node)

    def temporary(self, scope: Scope, value: Value):
        return initializers.temporary(scope, value)

    def zeros(self, of: Type) -> Callable:
        return initializers.zero_cells(of)

    # --- running ---------------------------------------------------------------------------------------------------
    def machine(self, arithmetic) -> Machine:
        """A run with this arithmetic, its literals and tables made."""
        numbers = [_number(meant, arithmetic) for meant in self.literals]
        machine = Machine(arithmetic, numbers, tell=getattr(arithmetic, "at", None))
        for name, (variable, content) in self.tables.items():
            machine.globals[name] = Storage(name, variable.type, list(content(Frame(machine, 0))), is_global=True)
        return machine

    def run(self, function: Function, machine: Machine, arguments: list[Storage]):
        """Call a function with its parameters' cells; gives what it returned."""
        if function.body is None:
            raise ValueError(f"{function.name} is still being read")
        frame = Frame(machine, function.slots)
        for variable, storage in zip(function.parameters, arguments, strict=True):
            frame.slots[variable.in_frame] = storage
        ended = function.body(frame)
        if ended != RETURN and not isinstance(function.returned, types.Void):
            raise refused(function.place, f"{function.name} ends without a return")
        return frame.returned


def _number(meant: Constant, arithmetic):
    """A literal as the arithmetic has it."""
    if meant.unit is not None:
        return arithmetic.rounded(meant.factor, meant.unit)
    found = arithmetic.number(meant.factor)
    if meant.radicand != 1:
        found = found * arithmetic.root(arithmetic.number(Fraction(meant.radicand)))
    return found * arithmetic.pi if meant.with_pi else found


def _is_void(node: c_ast.Node) -> bool:
    """Whether a parameter list is just (void)."""
    return isinstance(node, c_ast.Typename) and getattr(node.type.type, "names", None) == ["void"]
