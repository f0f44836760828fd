"""Printing a kernel's graph as statements, passage by passage: what it computes, loads, named values, and stores.

A passage is what one formula computes, of one thing; its comment says which. What no formula claims belongs to the
field that it is stored in. A value that is used once and has no name of its own is written inside the expression that
uses it, while the line stays short; a value is stored as soon as it is known. An input is loaded at the head of the
first passage that needs it, or of the kernel, where registers hold so many; in any case before its place is written: a
kernel may write the very fields that it reads, but two records that it is given are never the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from symvi.kernels.kernel import Kernel, Location
from symvi.scalar import Graph

LONGEST = 150
SHORT_PRODUCT = 24  # characters of the name of a product
SHORT = 24  # characters of an access to a record that is written where it is needed
REGISTERS, AHEAD = 8, 16  # loads at the head of a kernel, of a passage; more would only be put aside again
TIGHT = {"mul": 3, "div": 3, "neg": 4, "add": 1, "sub": 1}


@dataclass(frozen=True)
class Language:
    """How a language writes constants, functions and accesses to records, and what it says of a field."""

    constant: Callable[[Fraction], str]
    access: Callable[[Location], str]
    function: Callable[[str, list[str]], str]
    reserved: frozenset[str] = frozenset()
    meaning: Callable[[Location], str] = lambda location: location.field
    is_name: Callable[[Location], bool] = lambda location: False  # of a place that is a name already, not of a record


@dataclass(frozen=True)
class Statement:
    """One line of a kernel: `kind` is "comment", "load", "value" or "store"; a comment is an expression alone."""

    kind: str
    target: str
    expression: str


@dataclass
class _Passage:
    """Statements under one comment."""

    comment: str
    parts: list[tuple[list[int], Statement]] = field(default_factory=list)  # with the inputs that each needs first

    @property
    def inputs(self) -> list[int]:
        return [index for inputs, _ in self.parts for index in inputs]


def statements(kernel: Kernel, language: Language) -> Iterator[Statement]:
    """The kernel's statements in order."""
    return _Printer(kernel, language).statements()


class _Printer:
    def __init__(self, kernel: Kernel, language: Language):
        self.kernel, self.language, self.graph = kernel, language, kernel.graph
        self.text: dict[int, tuple[str, int]] = {}
        self.inputs: dict[int, tuple[int, ...]] = {}  # the inputs that the text of a value names
        self.inputs_called: set[str] = set()
        self.loaded: set[int] = set()
        self.users = self._users()
        self.comments = self._comments()
        self.taken: set[str] = set(language.reserved)
        self.temporaries = 0
        self.stored: tuple[str, str, str] | None = None  # the field of the last store
        self.passages: list[_Passage] = []

    def _users(self) -> dict[int, list[int | None]]:
        """By node, the nodes that use it; None for every place where it is stored."""
        users: dict[int, list[int | None]] = {}
        for index in self.kernel.sequence:
            for operand in self.graph.operands(index):
                users.setdefault(operand, []).append(index)
        for _, scalar in self.kernel.outputs:
            users.setdefault(scalar.index, []).append(None)
        return users

    def _comments(self) -> dict[int, str]:
        """By node, what is said above it: its formula, else the field that it goes into."""
        comments = {i: passage.text for i, passage in self.graph.origins.items()}
        for location, scalar in self.kernel.outputs:
            meaning, stack = self.language.meaning(location), [scalar.index]
            while stack:
                index = stack.pop()
                if index not in comments:
                    comments[index] = meaning
                    stack.extend(self.graph.operands(index))
        for index in reversed(self.kernel.sequence):  # what a formula is given stands below it
            known = next((comments[user] for user in self.users.get(index, ()) if user in comments), None)
            if known is not None:
                comments.setdefault(index, known)
        return comments

    # --- the order of all -------------------------------------------------------------------------------------------
    def statements(self) -> Iterator[Statement]:
        self._print()
        first = len(self.loaded) <= REGISTERS
        if first:
            yield from self._loads([index for passage in self.passages for index in passage.inputs])
        for passage in self.passages:
            if len(self.passages) > 1:
                yield Statement("comment", "", passage.comment)
            early = first or len(passage.inputs) <= AHEAD
            if early and not first:
                yield from self._loads(passage.inputs)
            for inputs, statement in passage.parts:
                if not early:
                    yield from self._loads(inputs)
                yield statement

    def _loads(self, inputs: list[int]) -> Iterator[Statement]:
        """Loads of some inputs, record by record and field by field, in the order in which the fields are needed."""
        places = [self.graph.arguments(index)[0] for index in inputs]
        ports = list(dict.fromkeys([*(port.label for port in self.kernel.ports), *(place.port for place in places)]))
        fields = list(dict.fromkeys((place.port, place.store, place.field) for place in places))

        def key(pair: tuple[int, Location]) -> tuple[int, int, int]:
            place = pair[1]
            return ports.index(place.port), fields.index((place.port, place.store, place.field)), place.index

        for index, place in sorted(zip(inputs, places, strict=True), key=key):
            yield Statement("load", self.text[index][0], self.language.access(place))

    def _print(self) -> None:
        """Every value in order, each with the stores that wait for it."""
        read, waiting = self._name_inputs(), self._waiting()
        for index in (None, *self.kernel.sequence):
            if index is not None:
                self._value(index)
            for location, scalar in waiting.get(index, ()):
                self._store(location, scalar, read)

    def _waiting(self) -> dict[int | None, list[tuple[Location, int]]]:
        """What is stored after every value: itself, then inputs and constants that come next among the outputs."""
        waiting: dict[int | None, list[tuple[Location, int]]] = {}
        last = None
        for location, scalar in self.kernel.outputs:
            if self.graph.operation(scalar.index) not in ("const", "symbol"):
                last = scalar.index
            waiting.setdefault(last, []).append((location, scalar.index))
        return waiting

    def _name_inputs(self) -> dict[Location, int]:
        """Name every input and write every constant; returns which node reads a place."""
        read = {self.graph.arguments(i)[0]: i for i in self.kernel.sequence if self.graph.operation(i) == "symbol"}
        written = {location: scalar.index for location, scalar in self.kernel.outputs}
        for location, index in read.items():
            if self.language.is_name(location) or self._is_read_in_place(index, location, written):
                self.text[index] = self.language.access(location), 9
                continue
            wanted = self.graph.names.get(index) or f"{location.field}_{location.index}"
            self.text[index] = self._fresh(wanted if wanted not in self.taken else f"{location.store}_{wanted}"), 9
            self.inputs[index] = (index,)
        self.inputs_called = {self.text[index][0] for index in self.inputs}
        for index in self.kernel.sequence:
            if self.graph.operation(index) == "const":
                value = self.graph.arguments(index)[0]
                self.text[index] = self.language.constant(value), 9 if value >= 0 else 4
        return read

    def _is_read_in_place(self, index: int, location: Location, written: dict[Location, int]) -> bool:
        """Whether an input needs no name: it is used once, and its place is not written before."""
        users = self.users.get(index, [])
        if len(users) != 1 or users == [None] or len(self.language.access(location)) > SHORT:
            return location not in written and users == [None]
        if location not in written:
            return True
        (user,) = users
        while user is not None and user != written[location]:
            further = self.users.get(user, [])
            if len(further) != 1 or further == [None]:
                break
            (user,) = further
        return user == written[location]

    def _put(self, comment: str | None, inputs: tuple[int, ...], statement: Statement) -> None:
        """Add a statement and the loads that it needs, in another passage where the comment is another one."""
        if not self.passages or comment not in (None, self.passages[-1].comment):
            self.passages.append(_Passage(comment or ""))
        new = [index for index in dict.fromkeys(inputs) if index not in self.loaded]
        self.loaded.update(new)
        self.passages[-1].parts.append((new, statement))

    # --- one value --------------------------------------------------------------------------------------------------
    def _store(self, location: Location, scalar: int, read: dict[Location, int]) -> None:
        inputs = self.inputs.pop(scalar, ())
        if read.get(location) in self.inputs:
            inputs += (read[location],)
        place = location.port, location.store, location.field
        if self.graph.operation(scalar) not in ("const", "symbol"):
            comment = self.comments[scalar]
        else:  # beside the other entries of its field
            comment = None if place == self.stored else self.language.meaning(location)
        self.stored = place
        self._put(comment, inputs, Statement("store", self.language.access(location), self.text[scalar][0]))

    def _value(self, index: int) -> None:
        operation = self.graph.operation(index)
        if operation in ("symbol", "const"):
            return
        expression, strength = self._expression(index, operation)
        operands = self.graph.operands(index)
        inputs = tuple(dict.fromkeys(symbol for i in operands for symbol in self.inputs.get(i, ())))
        stored = self.users.get(index) == [None]  # and used nowhere else
        if stored or (self._is_inside(index, operation) and len(expression) <= LONGEST):
            self.text[index], self.inputs[index] = (expression, strength), inputs
            return
        wanted = self._wanted(index)
        name = self._fresh(f"new_{wanted}" if wanted in self.inputs_called else wanted)
        self.text[index] = name, 9
        self._put(self.comments.get(index), inputs, Statement("value", name, expression))

    def _is_inside(self, index: int, operation: str) -> bool:
        """Whether a value is written where it is used: alone, by the same formula or by a store, and without a name."""
        users = self.users.get(index, [])
        if operation == "neg" and self.text[self.graph.operands(index)[0]][0].isidentifier():
            return True
        if len(users) > 1:
            return False
        named = index in self.graph.names
        said = self.comments.get(index)
        left = index in self.graph.hints and any(i is not None and self.comments.get(i) != said for i in users)
        return not (named or left)

    def _wanted(self, index: int) -> str | None:
        """The name of a value, that of its formula, or that of a short product of two names."""
        known = self.graph.names.get(index) or self.graph.hints.get(index)
        if known is None and self.graph.operation(index) == "mul":
            factors = [self.text[i][0] for i in self.graph.operands(index)]
            together = "_".join(factors)
            return together if together.isidentifier() and len(together) <= SHORT_PRODUCT else None
        return known

    def _expression(self, index: int, operation: str) -> tuple[str, int]:
        operands = [self.text[i] for i in self.graph.operands(index)]
        if operation in ("add", "sub"):
            sign = "+" if operation == "add" else "-"
            left = self._inside(operands[0], 1)
            right = self._inside(operands[1], 1 if operation == "add" else 2, right=True)
            return f"{left} {sign} {right}", 1
        if operation in ("mul", "div"):
            sign = "*" if operation == "mul" else "/"
            return f"{self._inside(operands[0], 3)}{sign}{self._inside(operands[1], 4)}", 3
        if operation == "neg":
            return f"-{self._inside(operands[0], 5)}", 4
        return self.language.function(operation, [text for text, _ in operands]), 9

    @staticmethod
    def _inside(operand: tuple[str, int], needed: int, right: bool = False) -> str:
        """Brackets keep the order of the graph: a sum on the right of a sum is not the sum read from the left.

        Products within other expressions have them too, so that nobody must know which binds closer.
        """
        text, strength = operand
        return f"({text})" if strength == 3 or strength < needed or (right and strength <= 1) else text

    def _fresh(self, wanted: str | None) -> str:
        if wanted is None:
            self.temporaries += 1
            wanted = f"t{self.temporaries}"
        name = wanted
        suffix = 2
        while name in self.taken:
            name, suffix = f"{wanted}_{suffix}", suffix + 1
        self.taken.add(name)
        return name


def unused(graph: Graph) -> int:
    """Nodes of a graph that no output needs (for tests)."""
    return len(graph)
