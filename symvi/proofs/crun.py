"""Running printed kernels on any numbers: a function of records per kernel, written anew from its trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from symvi.proofs.cprogram import PrintedCall
from symvi.proofs.ctext import Function, Statement, UnreadableText

OWN_NAMES = {"angle_near": "angle", "angle_of": "atan2", "sine_of": "sin", "cosine_of": "cos",
             "greater_of": "max"}  # fmt: skip
Memory = dict[str, dict[str, list[dict[str, list]]]]


def compiled(function: Function, numbers: Mapping[str, Callable]) -> Callable:
    """A function of records (dictionaries of lists of numbers), in the order of the kernel's arguments.

    numbers: "number" makes a number of a Fraction; the other entries are functions by name, as in emit/python.py.
    """
    return Compiler(numbers)(function)


class Compiler:
    """Makes kernels run on one kind of numbers. What runs is written anew from the trees, never the text itself.

    A statement is written once, whichever kernels it stands in: one with a planted error shares all but one.
    """

    def __init__(self, numbers: Mapping[str, Callable]):
        self.scope: dict[str, Any] = {}
        self.writer = _Writer(self.scope, numbers)
        self.written: dict[int, tuple[Statement, str]] = {}  # by identity; the statement is kept, so that it stays
        self.made: dict[Function, Callable] = {}

    def once(self, function: Function) -> Callable:
        """The same, kept: for kernels that run more often than once."""
        if function not in self.made:
            self.made[function] = self(function)
        return self.made[function]

    def __call__(self, function: Function) -> Callable:
        records = [f"r_{name}" for name, _ in function.records]
        lines = [f"def kernel({', '.join(records)}):", *map(self._line, function.statements), "    return None"]
        exec(_code("\n".join(lines), function.name), self.scope)  # noqa: S102  (text of our own trees)
        return self.scope.pop("kernel")

    def _line(self, statement: Statement) -> str:
        known = self.written.get(id(statement))
        if known is None:
            known = self.written[id(statement)] = statement, f"    {self.writer.statement(statement)}"
        return known[1]


@lru_cache(maxsize=1024)
def _code(text: str, name: str) -> CodeType:
    """The same for every kind of numbers: what they are is in the scope."""
    return compile(text, f"<{name}>", "exec")


class _Writer:
    """Writes trees as Python; constants and functions go into the scope under names of its own."""

    def __init__(self, scope: dict[str, object], numbers: Mapping[str, Callable]):
        self.scope, self.numbers = scope, numbers

    def statement(self, statement: Statement) -> str:
        target = f"v_{statement.target}" if isinstance(statement.target, str) else self.text(statement.target)
        return f"{target} = {self.text(statement.expression)}"

    def text(self, tree: tuple) -> str:
        kind = tree[0]
        if kind == "number":
            name = f"k_{tree[1].numerator}_{tree[1].denominator}"
            self.scope.setdefault(name, self.numbers["number"](tree[1]))
            return name
        if kind == "name":
            return f"v_{tree[1]}"
        if kind == "entry":
            return f"r_{tree[1]}[{tree[2]!r}][{tree[3]}]"
        if kind == "neg":
            return f"(-{self.text(tree[1])})"
        if kind == "call":
            return f"{self._function(tree[1])}({', '.join(self.text(argument) for argument in tree[2])})"
        return f"({self.text(tree[1])} {kind} {self.text(tree[2])})"

    def _function(self, printed: str) -> str:
        name = OWN_NAMES.get(printed, printed)
        name = "sqrt" if name.endswith("_SQRT") else name
        if name not in self.numbers and name.endswith("f"):
            name = name[:-1]
        if name not in self.numbers:
            raise UnreadableText(f"unknown function {printed}")
        self.scope[f"f_{name}"] = self.numbers[name]
        return f"f_{name}"


def run(calls: Iterable[PrintedCall], memory: Memory, compile_function: Callable[[Function], Callable]) -> None:
    """Run the calls of a phase on records: memory[store][kind][index][field]."""
    for function, records in calls:
        compile_function(function)(*(memory[r.store][r.kind][r.index] for r in records))


def copy_of(memory: Memory) -> Memory:
    """The same records with lists of their own."""
    return {
        store: {
            kind: [{name: list(values) for name, values in record.items()} for record in records]
            for kind, records in kinds.items()
        }
        for store, kinds in memory.items()
    }
