"""A whole text: its functions and tables, read when something uses them, and what reading them found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from pycparser import c_ast

from symvi.verify.reading.c_reader import initializers, types
from symvi.verify.reading.c_reader.conversions import converted
from symvi.verify.reading.c_reader.declarations import OLD_STYLE, Unit, is_const, place_of
from symvi.verify.reading.c_reader.expressions import READERS
from symvi.verify.reading.c_reader.memory import Machine, Pointer
from symvi.verify.reading.c_reader.problems import Note, Place, SourceError, refused
from symvi.verify.reading.c_reader.scope import Scope, Value, Variable
from symvi.verify.reading.c_reader.sequence import unordered
from symvi.verify.reading.c_reader.statements import block
from symvi.verify.reading.c_reader.types import Type
from symvi.verify.reading.constants import Constant


@dataclass(eq=False)
class Function:
    """A function that can be called: its parameters in order, what it returns, and its lines.

    declared: the types of the parameters as they are written, with the lengths of arrays. touched, written: which
    parameters' contents are read or written, and which of both comes first.
    """

    name: str
    place: Place
    parameters: tuple[Variable, ...]
    declared: tuple[Type, ...]
    returned: Type
    scope: Scope

    @property
    def touched(self) -> dict[str, str]:
        return self.scope.touched

    @property
    def written(self) -> set[str]:
        return self.scope.written

    @cached_property
    def body(self) -> Callable:
        """The function of a machine and a Pointer for each parameter. Raises SourceError for what is nested too
        deeply for Python."""
        try:
            return self.scope.compiled(f"c_{self.name}", [variable.code for variable in self.parameters])
        except SyntaxError as error:
            raise refused(self.place, f"statements are nested too deeply ({error.msg})") from error


@dataclass
class Program:
    """The functions, tables, literals and notes that one function of a text needs.

    hint: what to say after the message about an unknown name. branches: the places of comparisons of real numbers.
    in_floats: what in it has values for machine numbers only.
    """

    unit: Unit
    hint: str = ""
    readers: ClassVar = READERS  # of expressions
    functions: dict[str, Function] = field(default_factory=dict)
    open: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    problems: list[tuple[Place, str]] = field(default_factory=list)
    branches: set[Place] = field(default_factory=set)
    in_floats: list[str] = field(default_factory=list)
    literals: dict[Constant, int] = field(default_factory=lambda: {Constant(Fraction(0)): 0})
    tables: dict[str, tuple[Variable, Callable]] = field(default_factory=dict)

    # --- what reading finds out ------------------------------------------------------------------------------------
    def wrong(self, error: SourceError) -> None:
        """Note the problems of a statement; those with no text follow from earlier ones."""
        for place, text in zip(error.places, error.problems, strict=True):
            if sentence := text.removeprefix(f"{place}: "):
                self.problems.append((place, sentence))

    def jump(self, place: Place, text: str) -> None:
        """Note something that jumps, and has values for machine numbers only."""
        if (said := f"{place}: {text}") not in self.in_floats:
            self.in_floats.append(said)

    # --- functions -------------------------------------------------------------------------------------------------
    def function(self, name: str, place: Place) -> Function:
        """A function of the text, read once. Raises SourceError for one that calls itself."""
        if name in self.open:
            raise refused(place, f"{name} calls itself; write the recursion as a loop")
        if name not in self.functions:
            self.open.append(name)
            try:
                self.functions[name] = self._read(self.unit.functions[name])
            finally:
                self.open.pop()
        return self.functions[name]

    def _read(self, node: c_ast.FuncDef) -> Function:
        place, declaration = place_of(node), node.decl.type
        if node.param_decls:
            raise refused(place, OLD_STYLE)
        scope = Scope(self.unit, self)
        given = declaration.args.params if declaration.args else []
        pairs = [self._parameter(scope, each, place) for each in given if not _is_void(each)]
        if len(scope.names[0]) < len(pairs):
            raise refused(place, "two parameters have the same name")
        scope.returned = scope.types.read(declaration.type)
        for error in unordered(node.body):
            self.wrong(error)
        block(scope, node.body.block_items or [])
        variables, declared = tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)
        return Function(node.decl.name, place, variables, declared, scope.returned, scope)

    def _parameter(self, scope: Scope, node: c_ast.Node, place: Place) -> tuple[Variable, Type]:
        """The variable that a parameter is, and its type as declared; arrays are pointers to their first element."""
        if isinstance(node, c_ast.EllipsisParam):
            raise refused(place, "a function with any number of arguments; state them")
        if isinstance(node, c_ast.ID):
            raise refused(place, OLD_STYLE)
        if not isinstance(node, c_ast.Decl) or not node.name:
            raise refused(place_of(node), "a parameter without a name; give it one")
        of = declared = _declared(scope, node)
        if of is None:
            raise refused(place_of(node), f"{node.name} has no type")
        if types.is_array(of):
            of = types.pointer_to(of._type_, is_const(node.type))
        roots = frozenset([node.name]) if types.is_pointer(of) else frozenset()
        return scope.declare(Variable(node.name, of, is_const(node.type), scope.new_name("v"), roots)), declared

    # --- tables and enumerators ------------------------------------------------------------------------------------
    def global_variable(self, name: str) -> Variable:
        """A variable outside of functions, which may be read only. Raises SourceError where it has no value."""
        if name not in self.tables:
            node = self.unit.globals[name]
            place, scope = place_of(node), Scope(self.unit, self)
            if node.init is None:
                raise refused(place, f"the global {name} has no value here; pass it as a parameter")
            of = initializers.completed(scope.types.read(node.type), node.init, place)
            value = None
            if not is_const(node.type):
                self.notes.append(Note(place, "global", f"the global {name} is taken to keep its first value"))
            elif types.is_whole(of):
                value = converted(scope, scope.value(node.init), of, place).constant
            scope.emit(f"return {initializers.initial(scope, of, node.init)}")
            variable = Variable(name, of, True, f"m.globals[{name!r}]", value=None if value is None else int(value))
            self.tables[name] = variable, scope.compiled(f"table_{name}", [])
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

    # --- numbers ---------------------------------------------------------------------------------------------------
    def number(self, value: Fraction) -> Value:
        """A rational number; all of them are turned into the arithmetic's numbers once a run."""
        return self.literal(Constant(value))

    def literal(self, meant: Constant) -> Value:
        """A literal, or the irrational number that it stands for."""
        slot = self.literals.setdefault(replace(meant, said=""), len(self.literals))
        is_rational = meant.radicand == 1 and not meant.with_pi
        return Value(types.DOUBLE, f"n[{slot}]", meant.factor if is_rational else None)

    # --- running ---------------------------------------------------------------------------------------------------
    def run(self, function: Function, arithmetic, arguments: Callable[[Machine], list[Pointer]]):
        """Call a function with what `arguments` makes of a machine; gives what it returned.

        An arithmetic error (a division by zero, a root that is none) says where in the text it came from.
        """
        machine = Machine(arithmetic, [_number(meant, arithmetic) for meant in self.literals], function.place)
        try:
            for name, (variable, content) in self.tables.items():
                machine.globals[name] = machine.new(name, variable.type, content(machine))
                machine.globals[name].variable(function.place).is_global = True
            return machine.call(function, arguments(machine), function.place)
        except ArithmeticError as error:
            if not hasattr(error, "place"):
                vars(error)["place"] = machine.place
                error.add_note(f"at {machine.place}")
            raise


def _number(meant: Constant, arithmetic):
    """A literal as the arithmetic has it."""
    if meant.unit is not None:
        return arithmetic.rounded(meant.factor, meant.unit)
    found = arithmetic.number(meant.factor)
    if meant.radicand != 1:
        found = found * arithmetic.root(arithmetic.number(Fraction(meant.radicand)))
    return found * arithmetic.pi if meant.with_pi else found


def _declared(scope: Scope, node: c_ast.Decl) -> Type:
    """A parameter's type; the first length of an array may be another parameter's value, which is no length."""
    if isinstance(node.type, c_ast.ArrayDecl) and node.type.dim is not None:
        try:
            return scope.types.read(node.type)
        except SourceError:
            return scope.types.read(c_ast.ArrayDecl(node.type.type, None, [], coord=node.type.coord))
    return scope.types.read(node.type)


def _is_void(node: c_ast.Node) -> bool:
    """Whether a parameter list is just (void)."""
    return isinstance(node, c_ast.Typename) and getattr(node.type.type, "names", None) == ["void"]
