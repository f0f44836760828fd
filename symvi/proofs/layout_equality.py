"""One meaning in every layout and precision: a proof of one text holds for all of them.

Two texts mean the same when every phase calls kernels on the same records in the same order, and every kernel stores
the same expressions in the same order. Names of intermediate values do not matter, and where they are introduced
depends on the length of a line; so expressions are numbered, equal ones alike, with names replaced by what they stand
for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from symvi.emit.layouts import LAYOUTS, is_too_large
from symvi.program.program import Program
from symvi.proofs.cprogram import PrintedProgram
from symvi.proofs.ctext import Function
from symvi.proofs.kernels import read_printed

FOLLOW = "follow"  # substitute and advance in one, where a layout has it


class Meanings:
    """Numbers for expressions: expressions of any text have one number if and only if they are the same arithmetic."""

    def __init__(self) -> None:
        self._numbers: dict[tuple, int] = {}
        self._functions: dict[str, tuple] = {}

    def of_program(self, printed: PrintedProgram) -> dict[str, list[tuple]]:
        """Every phase as a list of (what is stored where, on which records)."""
        return {
            phase: [(self.of_function(call.function), call.records) for call in calls]
            for phase, calls in printed.phases.items()
        }

    def of_function(self, function: Function) -> tuple:
        if function.text not in self._functions:
            names: dict[str, int] = {}
            stored = []
            for statement in function.statements:
                number = self._number(statement.expression, names)
                if isinstance(statement.target, str):
                    names[statement.target] = number
                else:
                    stored.append((statement.target, number))
            loaded = {
                (entry[1], entry[2]) for statement in function.statements for entry in _entries(statement.expression)
            }
            self._functions[function.text] = function.records, tuple(stored), frozenset(loaded)
        return self._functions[function.text]

    def _number(self, tree: tuple, names: dict[str, int]) -> int:
        kind = tree[0]
        if kind == "name":
            return names[tree[1]]
        if kind in ("number", "entry"):
            node = tree
        elif kind == "call":
            node = ("call", _plain_name(tree[1]), *(self._number(argument, names) for argument in tree[2]))
        else:
            node = (kind, *(self._number(part, names) for part in tree[1:]))
        return self._numbers.setdefault(node, len(self._numbers))


def _entries(tree: tuple) -> Iterator[tuple]:
    """The numbers of records that an expression reads."""
    if tree[0] == "entry":
        yield tree
    elif tree[0] not in ("name", "number"):
        for part in tree[2] if tree[0] == "call" else tree[1:]:
            yield from _entries(part)


def _plain_name(printed: str) -> str:
    """The name of a function in every precision."""
    return "sqrt" if printed.endswith("_SQRT") else printed.removesuffix("f") if printed != "angle_of" else printed


def differences_between_layouts(program: Program) -> Iterator[str]:
    """Where a layout or precision means something else than the unrolled text in double; nothing when all is well."""
    meanings = Meanings()
    plain = meanings.of_program(read_printed(program, "unrolled"))
    for layout in LAYOUTS:
        for real in ("double", "float"):
            if (layout, real) != ("unrolled", "double") and not is_too_large(layout, program):
                other = meanings.of_program(read_printed(program, layout, real))
                for phase in sorted((plain.keys() | other.keys()) - {FOLLOW}):
                    if plain.get(phase) != other.get(phase):
                        yield f"{program.name}: phase {phase} in layout {layout}, {real}"
                if FOLLOW in other and not is_one_way(
                    other[FOLLOW], other.get("substitute", []), other.get("advance", [])
                ):
                    yield f"{program.name}: phase {FOLLOW} in layout {layout}, {real}"


def is_one_way(calls: list[tuple], first: list[tuple], second: list[tuple]) -> bool:
    """Whether calls are those of two phases that run one after the other, and each finds what it would find there.

    Then every field of a record is stored by the same calls in the same order, and loaded by the same ones in between.
    """
    together = [*first, *second]
    return Counter(calls) == Counter(together) and _histories(calls) == _histories(together)


def _histories(calls: list[tuple]) -> dict[tuple, list]:
    """Of every field of a record: which calls load it, then which one stores it, and so on."""
    found: dict[tuple, list] = {}
    for call in calls:
        loads, stores = _touched(call)
        for place in loads - stores:
            found.setdefault(place, [set()])[-1].add(call)
        for place in stores:
            found.setdefault(place, [set()]).extend([call, set()])
    return found


def _touched(call: tuple) -> tuple[set[tuple], set[tuple]]:
    """The fields of records that a call loads, and those that it stores."""
    (arguments, stored, loaded), records = call
    called = dict(zip((name for name, _ in arguments), records, strict=True))
    loads = {(called[record], field) for record, field in loaded}
    return loads, {(called[target[1]], target[2]) for target, _ in stored}
