"""A printed C source as a program that runs on any numbers: its kernels, and the calls of every phase in its layout.

Three layouts say the same in three ways: a list of calls (unrolled), loops that count or walk a table (looped), blocks
in which every record has a name (inline). Read back, all become calls of functions on records, so what runs here is
what the compiler sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from symvi.proofs.ctext import Function, Reader, Statement, UnreadableText, read_function, tokens

STORES = {"p": "parameters", "z": "state", "u": "input", "w": "work", "m": "motion", "account": "account"}
ACCESS = re.compile(r"(?<!\b[pzum]->)\b(\w+)\[[^\]]*\]\.(\w+)")  # of work: other records are seen whole
FUNCTION = re.compile(r"^static void (\w+)\([^)]*\)\n\{.*?^\}\n", re.S | re.M)
TABLE = re.compile(r"^ *static const unsigned short (\w+)_table\[\d+\]\[\d+\] = \{(.*?)^ *\};\n", re.S | re.M)


class Record(NamedTuple):
    """One record: its store, node type and index."""

    store: str
    kind: str
    index: int


class PrintedCall(NamedTuple):
    """A kernel on records, in the order of its arguments."""

    function: Function
    records: tuple[Record, ...]


@dataclass(frozen=True)
class PrintedProgram:
    """Kernels by name (none in the inline layout), calls by phase, and the fields that other functions name.

    named: (node type, field) of every access to work outside of kernels: what steers Newton's method, starts, reports.
    """

    kernels: Mapping[str, Function]
    phases: Mapping[str, tuple[PrintedCall, ...]] = field(default_factory=dict)
    named: frozenset[tuple[str, str]] = frozenset()


cached_function = lru_cache(maxsize=512)(read_function)


def read_program(text: str) -> PrintedProgram:
    """Read a generated C source in any layout. Raises UnreadableText where a kernel or phase is not as it should be."""
    bodies = {match.group(1): match.group(0) for match in FUNCTION.finditer(text)}
    tables = {match.group(1): _table(match.group(2)) for match in TABLE.finditer(text)}
    kernels: dict[str, Function] = {}

    def kernel(name: str) -> Function:
        if name not in bodies:
            raise UnreadableText(f"the kernel {name} is called and not defined")
        return kernels.setdefault(name, cached_function(bodies[name]))

    phases = {}
    for name, body in bodies.items():
        if name.startswith("run_"):
            phase = name.removeprefix("run_")
            phases[phase] = tuple(_Phase(TABLE.sub("", body), kernel, tables.get(phase, [])).calls())
    for calls in phases.values():
        for call in calls:
            _check_records(call)
    return PrintedProgram(kernels, phases, _named_elsewhere(text, kernels))


def _named_elsewhere(text: str, kernels: Mapping[str, Function]) -> frozenset[tuple[str, str]]:
    """(node type, field) of the accesses to work that are in no kernel."""

    def left_out(match: re.Match) -> str:
        return "" if match.group(1) in kernels or match.group(1).startswith("run_") else match.group(0)

    return frozenset(ACCESS.findall(FUNCTION.sub(left_out, text)))


def _table(text: str) -> list[list[int]]:
    return [[int(n) for n in re.findall(r"\d+", row)] for row in re.findall(r"\{([^}]*)\}", text)]


def _check_records(call: PrintedCall) -> None:
    """A record that a kernel writes must not be passed to it twice, and what it writes must not be const."""
    const = dict(call.function.records)
    for (name, is_const), record in zip(call.function.records, call.records, strict=True):
        if not is_const and call.records.count(record) > 1:
            raise UnreadableText(
                f"kernel {call.function.name}: {record.kind}[{record.index}] is passed twice and written as {name}"
            )
    for statement in call.function.statements:
        if not isinstance(statement.target, str) and const[statement.target[1]]:
            raise UnreadableText(f"kernel {call.function.name}: writes the const record {statement.target[1]}")


class _Phase:
    """Reads the body of one run_PHASE function."""

    def __init__(self, text: str, kernel: Callable[[str], Function], table: list[list[int]]):
        self.text, self.kernel, self.table = text, kernel, table
        self.reader = Reader(text, tokens(text, text.index("{") + 1))

    def calls(self) -> list[PrintedCall]:
        reader, found = self.reader, []
        while reader.front != "}":
            if reader.front == "{":
                found.append(self._block(len(found)))
            elif reader.front == "for":
                found.extend(self._loop())
            else:
                function, arguments = self._call()
                found.append(PrintedCall(function, tuple(place([], 0) for place in arguments)))
        return found

    def _call(self) -> tuple[Function, list[Callable]]:
        """`kernel(&w->kind[index], ...);`: the function, and its arguments as functions of a table's row and of n."""
        reader = self.reader
        function = self.kernel(reader.word())
        reader.take("(")
        places = [self._target()]
        while reader.take(",", ")") == ",":
            places.append(self._target())
        reader.take(";")
        return function, places

    def _target(self) -> Callable[[list[int], int], Record]:
        """`&w->kind[index]`: a record, given the row and the turn of the loop around it."""
        reader = self.reader
        reader.take("&")
        store = STORES[reader.take(*STORES)]
        reader.take("->")
        kind = reader.word()
        reader.take("[")
        if reader.front == "row":
            reader.take()
            reader.take("[")
            column = reader.whole()
            reader.take("]")
            reader.take("]")
            return lambda row, turn: Record(store, kind, row[column])
        first, step = self._index("]")
        return lambda row, turn: Record(store, kind, first + step * turn)

    def _index(self, end: str) -> tuple[int, int]:
        """`7`, `n`, `7u + n`, `7u - (2u*n)` up to a closing token, as (value at n = 0, step)."""
        reader, sign, sums = self.reader, 1, [0, 0]
        while True:
            inside = reader.front == "("
            if inside:
                reader.take()
            factor = reader.whole() if reader.front != "n" else 1
            is_step = reader.front == "n" or reader.front == "*"
            if reader.front == "*":
                reader.take()
            if is_step:
                reader.take("n")
            if inside:
                reader.take(")")
            sums[is_step] += sign * factor
            if reader.front == end:
                reader.take()
                return sums[0], sums[1]
            sign = 1 if reader.take("+", "-") == "+" else -1

    def _block(self, number: int) -> PrintedCall:
        """`{ type *const name = &w->kind[index]; ... statements }`."""
        reader = self.reader
        start = reader.place
        reader.take("{")
        names, places = [], []
        while "*" in (reader.ahead(1), reader.ahead(2)) and reader.ahead(1) != "=":
            names.append(reader.record("const"))
            reader.take("=")
            places.append(self._target()([], 0))
            reader.take(";")
        statements: tuple[Statement, ...] = reader.statements()
        text = self.text[start : reader.tokens[reader.position - 1].end]
        return PrintedCall(Function(f"block_{number + 1}", tuple(names), statements, text), tuple(places))

    def _loop(self) -> list[PrintedCall]:
        """A loop that calls kernels on records further on in every turn, or one that walks rows of a table."""
        reader = self.reader
        self._skip("<")
        turns = reader.whole()
        self._skip("{")
        if reader.front == "const":
            return self._walk(turns)
        pattern = []
        while reader.front != "}":
            pattern.append(self._call())
        reader.take("}")
        return [
            PrintedCall(function, tuple(place([], turn) for place in arguments))
            for turn in range(turns)
            for function, arguments in pattern
        ]

    def _walk(self, turns: int) -> list[PrintedCall]:
        """Rows of the table, whose first column names the kernel."""
        reader = self.reader
        self._skip("[")
        first, step = self._index("]")
        self._skip("{")
        cases = {}
        while reader.front == "case":
            reader.take()
            number = reader.whole()
            reader.take(":")
            cases[number] = self._call()
            reader.take("break")
            reader.take(";")
        for word in ("default", ":", "break", ";", "}", "}"):
            reader.take(word)
        rows = [self.table[first + step * turn] for turn in range(turns)]
        return [PrintedCall(cases[row[0]][0], tuple(place(row, 0) for place in cases[row[0]][1])) for row in rows]

    def _skip(self, token: str) -> None:
        while self.reader.take() != token:
            pass
