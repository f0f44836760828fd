"""Types and names declared in a C text: typedefs, structs, enumerations, arrays, pointers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast, c_generator

from symvi.verify.reading.c_reader import types
from symvi.verify.reading.c_reader.memory import MOST_CELLS
from symvi.verify.reading.c_reader.problems import Place, refused
from symvi.verify.reading.c_reader.types import Type

OLD_STYLE = "a function in the style of before 1989; write the types into the brackets"
REFUSED = {
    c_ast.FuncDecl: "a pointer to a function: call the function by its name",
    c_ast.Union: "a union: its members are one another's bits, not numbers; use a struct",
}


def place_of(node: c_ast.Node) -> Place:
    """Where a node of pycparser's tree stands: lists in braces and designators stand where their parts do."""
    coordinates = _coordinates(node)
    return Place(coordinates.file or "text", coordinates.line) if coordinates else Place("text", 1)


def _coordinates(node: c_ast.Node):
    own = getattr(node, "coord", None)
    if own or not isinstance(node, (c_ast.InitList, c_ast.NamedInitializer)):
        return own
    return next((found for child in children(node) if (found := _coordinates(child))), None)


def parts(node: Any) -> list[tuple[str, c_ast.Node]]:
    """(name, part) of a node, in order. Any: pycparser's base of all nodes is said to have none."""
    return list(node.children())


def children(node: c_ast.Node) -> list[c_ast.Node]:
    """The parts of a node, in order."""
    return [child for _, child in parts(node)]


def text_of(node: c_ast.Node) -> str:
    """An expression as C writes it."""
    return c_generator.CGenerator().visit(node)


def is_const(node: c_ast.Node) -> bool:
    """Whether what a type's node names is const: elements of arrays count."""
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return "const" in (getattr(node, "quals", None) or ())


@dataclass
class Unit:
    """What a whole text declares, by name; nothing of it is checked until something uses it."""

    typedefs: dict[str, c_ast.Node] = field(default_factory=dict)
    structs: dict[str, c_ast.Struct] = field(default_factory=dict)
    enumerators: dict[str, tuple[c_ast.Node | None, str | None]] = field(default_factory=dict)
    globals: dict[str, c_ast.Decl] = field(default_factory=dict)
    functions: dict[str, c_ast.FuncDef] = field(default_factory=dict)
    prototypes: dict[str, c_ast.Decl] = field(default_factory=dict)
    layouts: dict[int, Type] = field(default_factory=dict)  # of structs that were read, by their nodes
    single: set[Place] = field(default_factory=set)  # where numbers of single precision were read

    @classmethod
    def of(cls, tree: c_ast.FileAST) -> Unit:
        """The declarations of pycparser's tree. Raises SourceError for a function that is defined twice."""
        unit = cls()
        for node in tree.ext:
            if isinstance(node, c_ast.Typedef):
                unit.typedefs[node.name] = node.type
            elif isinstance(node, c_ast.FuncDef):
                if node.decl.name in unit.functions:
                    raise refused(place_of(node), f"{node.decl.name} is defined twice")
                unit.functions[node.decl.name] = node
            elif isinstance(node, c_ast.Decl) and node.name:
                kind = unit.prototypes if isinstance(node.type, c_ast.FuncDecl) else unit.globals
                if not (kind is unit.globals and node.name in kind and node.init is None):
                    kind[node.name] = node
        unit.register(tree)
        return unit

    def register(self, tree: c_ast.Node) -> None:
        """Note all structs, enumerators and local typedefs of a tree, in brackets or not."""
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, c_ast.Struct) and node.decls is not None and node.name:
                self.structs[node.name] = node
            elif isinstance(node, c_ast.Typedef) and node.name not in self.typedefs:
                self.typedefs[node.name] = node.type
            elif isinstance(node, c_ast.EnumeratorList):
                before = None
                for each in node.enumerators:
                    self.enumerators[each.name] = (each.value, before)
                    before = each.name
            waiting += children(node)


class Types:
    """Reads types of a unit. constant: gives the value of a constant integer expression, or raises SourceError."""

    def __init__(self, unit: Unit, constant: Callable[[c_ast.Node], int]):
        self.unit, self.constant = unit, constant
        self.open: list[str] = []  # names being read, for types that contain themselves

    def read(self, node: c_ast.Node) -> Type:
        """The type that a declaration's node states. Raises SourceError for those outside the subset."""
        place = place_of(node)
        if (reason := REFUSED.get(type(node))) is not None:
            raise refused(place, reason)
        if isinstance(node, (c_ast.TypeDecl, c_ast.Typename)):
            return self.read(node.type)
        if isinstance(node, c_ast.PtrDecl):
            return types.pointer_to(self.read(node.type), is_const(node.type))
        if isinstance(node, c_ast.ArrayDecl):
            return self._array(node, place)
        if isinstance(node, c_ast.IdentifierType):
            return self._named(node.names, place)
        if isinstance(node, c_ast.Struct):
            return self._structure(node, place)
        if isinstance(node, c_ast.Enum):
            return types.INT
        raise refused(place, f"a type that the reader does not know ({type(node).__name__})")

    def _array(self, node: c_ast.ArrayDecl, place: Place) -> Type:
        element = _of_something(self.read(node.type), place)
        if node.dim is None:
            return element * 0
        length = self.constant(node.dim)
        if not 0 < length * max(1, types.cells(element)) <= MOST_CELLS:
            raise refused(place, f"an array of {length} elements; between 1 and {MOST_CELLS} numbers can be read")
        return element * length

    def _named(self, names: list[str], place: Place) -> Type:
        if len(names) == 1 and names[0] in self.unit.typedefs:
            return self._guarded(names[0], self.unit.typedefs[names[0]], place)
        if "_Complex" in names:
            raise refused(place, "a complex number; write its two parts as two numbers")
        words = " ".join(sorted({*names} - {"int", "signed"}))
        if words not in types.WORDS:
            raise refused(place, f"the type {' '.join(names)} is unknown")
        if words == "float":
            self.unit.single.add(place)
        return types.WORDS[words]

    def _structure(self, node: c_ast.Struct, place: Place) -> Type:
        if node.decls is None:
            if node.name not in self.unit.structs:
                raise refused(place, f"struct {node.name} is declared nowhere in the text")
            return self._guarded(f"struct {node.name}", self.unit.structs[node.name], place)
        if id(node) not in self.unit.layouts:
            fields = [self._field(each) for each in node.decls]
            self.unit.layouts[id(node)] = type(node.name or "", (ctypes.Structure,), {"_fields_": fields})
        return self.unit.layouts[id(node)]

    def _field(self, node: Any) -> tuple[str, Type]:
        if getattr(node, "bitsize", None) is not None:
            raise refused(place_of(node), "a bit field; use an int")
        if not getattr(node, "name", None):
            raise refused(place_of(node), "a member without a name; give it one")
        return node.name, _of_something(self.read(node.type), place_of(node))

    def _guarded(self, name: str, node: c_ast.Node, place: Place) -> Type:
        """A type that stands under a name, unless it contains itself."""
        if name in self.open:
            raise refused(place, f"{name} holds or points to itself; lists and trees are outside the subset")
        self.open.append(name)
        try:
            return self.read(node)
        finally:
            self.open.pop()


def _of_something(of: Type, place: Place) -> Type:
    if of is None:
        raise refused(place, "an array or a member of type void")
    return of
