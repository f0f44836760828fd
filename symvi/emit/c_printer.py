"""Names and text of one program in C: structs, kernels, tables of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby

import numpy as np

from symvi.emit.constants import Thing, constants_of, plain_constant
from symvi.emit.printer import Language, Statement, statements
from symvi.emit.template_files import function_names
from symvi.kernels.kernel import Kernel, Location
from symvi.kernels.records import Field
from symvi.numbers.control import CONTACT_TYPES
from symvi.program.program import Node, Program, solved_kinds

C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while real".split()
)
SUFFIX = {"parameters": "_p", "state": "_z", "input": "_u", "work": "", "motion": "_m", "account": "_a"}
MEMORY = ("parameters", "state", "input", "work")  # what the caller owns
WIDTH = 118
STEP = 0.01  # s: the time step of default parameters


@dataclass(frozen=True)
class Member:
    """A field of a printed struct."""

    name: str
    size: int
    comment: str


class CPrinter:
    """Names and text of one program in C."""

    def __init__(self, program: Program, prefix: str, real: str):
        self.program, self.prefix, self.real = program, prefix, real
        self.kinds = [kind for kind in program.nodes if program.nodes[kind]]
        self.row_counts = {
            kind: next(f.size for f in program.records.of(kind, "work") if f.name == "y")
            for kind in self.kinds
            if any(f.name == "y" for f in program.records.of(kind, "work"))
        }

    def literal(self, value: Fraction | float | int) -> str:
        """The shortest text of a number, in the precision of the target."""
        return literal(value, self.real)

    def law_groups(self) -> Iterator[dict]:
        """Node types with springs along their coordinates: how many nodes, how many loads and forces each."""
        for kind in self.kinds:
            sizes = {f.name: f.size for f in self.program.records.of(kind, "work")}
            if "load" in sizes:
                yield {"kind": kind, "count": len(self.program.nodes[kind]), "rows": sizes["load"], "phi": sizes["phi"]}

    def solved_groups(self) -> Iterator[dict]:
        """Node types with velocities that are solved for: bodies, or joints whose coordinates are."""
        for kind in solved_kinds(self.program):
            size = next(f.size for f in self.program.records.of(kind, "work") if f.name == "s")
            yield {"kind": kind, "count": len(self.program.nodes[kind]), "size": size}

    def wrench_groups(self) -> Iterator[dict]:
        """Node types that bear a wrench: joints whose coordinates are solved for."""
        for kind in self.kinds:
            fields = {f.name for f in self.program.records.of(kind, "work")}
            for name in ("bearing", "wrench"):
                if name in fields:
                    yield {"kind": kind, "count": len(self.program.nodes[kind]), "force": name}
                    break

    def row_groups(self) -> Iterator[dict]:
        """Node types whose rows are reported: constraints, and the rows that are only watched."""
        for kind in self.kinds:
            fields = {f.name: f.size for f in self.program.records.of(kind, "work")}
            if "g" in fields:
                yield {
                    "kind": kind,
                    "count": len(self.program.nodes[kind]),
                    "rows": fields["g"],
                    "watched": "y" not in fields,
                    "solved": "f" in fields,
                    "guarded": any(f.name == "guard" for f in self.program.records.of(kind, "parameters")),
                }

    def reactions(self) -> Iterator:
        """The constraints that report a wrench, in the order of their types."""
        for kind in self.kinds:
            if any(f.name == "reaction" for f in self.program.records.of(kind, "work")):
                yield from self.program.nodes[kind]

    def drivers(self) -> Iterator:
        """The constraints that follow an input, in the order of their types."""
        for kind in self.kinds:
            if any(f.name == "rate_before" for f in self.program.records.of(kind, "state")):
                yield from self.program.nodes[kind]

    def servos(self) -> Iterator:
        """The laws that aim at an input, in the order of their types."""
        for kind in self.kinds:
            if any(f.name == "target_rate" for f in self.program.records.of(kind, "state")):
                yield from self.program.nodes[kind]

    def aims(self) -> Iterator[str]:
        """Inputs that a state keeps from the knot before, as members of both records: targets of drivers and servos."""
        for kind in self.kinds:
            kept = {f.name for f in self.program.records.of(kind, "state")}
            for field in self.program.records.of(kind, "input"):
                if field.name in kept:
                    yield from (f"{kind}[{node.index}].{field.name}" for node in self.program.nodes[kind])

    def signature(self, letters: str) -> str:
        """Parameters of a function on the four stores: p z u w, Z where the state is written."""
        names = {"p": "parameters", "z": "state", "u": "input", "w": "work"}
        parts = [
            f"{'' if letter in 'wZ' else 'const '}{self.prefix}_{names[letter.lower()]} *{letter.lower()}"
            for letter in letters
        ]
        return ", ".join(parts[:2]) + ",\n    " + ", ".join(parts[2:])

    def struct(self, kind: str, store: str) -> str:
        return f"{self.prefix}_{kind}_{store}"

    def argument(self, label: str, store: str) -> str:
        return f"{label}{SUFFIX[store]}"

    def structs(self, stores: Sequence[str] = MEMORY, kinds: Iterable[str] = ()) -> Iterator[dict]:
        """A struct per node type and store, in the order of the stores. kinds: types of records that are no nodes."""
        entries = self.program.records.entries
        for store in stores:
            for kind in kinds or self.kinds:
                fields = self.program.records.of(kind, store)
                if fields:
                    members = [
                        Member(f.name, f.size, self._comment(f, entries.get((kind, store, f.name)))) for f in fields
                    ]
                    yield {
                        "kind": kind,
                        "store": store,
                        "name": self.struct(kind, store),
                        "members": members,
                        "comment": f"{kind.replace('_', ' ')}: {store}",
                    }

    @staticmethod
    def _comment(member: Field, entries: Sequence[str] | None) -> str:
        """What a field means, its unit, and what its entries are called where it is no vector."""
        text = f"{member.meaning} [{member.unit}]" if member.unit != "1" else member.meaning
        return f"{text}: {', '.join(entries)}" if entries else text

    def aggregates(self, stores: Sequence[str] = MEMORY) -> Iterator[dict]:
        """The structs that hold all records of a store."""
        for store in stores:
            members = [
                {"type": self.struct(kind, store), "name": kind, "count": len(self.program.nodes[kind])}
                for kind in self.kinds
                if self.program.records.of(kind, store)
            ]
            yield {"name": f"{self.prefix}_{store}", "members": members, "store": store}

    def fields(self, store: str) -> Iterator[dict]:
        """The fields of a store by node type, with the number of nodes."""
        for kind in self.kinds:
            if fields := self.program.records.of(kind, store):
                yield {"kind": kind, "count": len(self.program.nodes[kind]), "fields": fields}

    def constraints(self) -> Iterator[dict]:
        for kind, rows in self.row_counts.items():
            for node in self.program.nodes[kind]:
                yield {"kind": kind, "index": node.index, "name": node.name, "rows": rows}

    def names(self) -> Iterator[tuple[str, int, str]]:
        """Constants that name the nodes of every type, for a reader and for an embedded program; a remark, or ""."""
        for node in self._named():
            yield self.constant(node.kind, node.name), node.index, self.remark(node.kind, node.name)

    def _named(self) -> Iterator[Node]:
        for kind in self.kinds:
            if kind not in ("common", "link", "side") and not kind.startswith("edge"):
                yield from self.program.nodes[kind]

    def constant(self, what: str, name: str) -> str:
        """The constant that names a thing: a node of its kind, or an "input", "reaction", "point", "coordinate"."""
        return self._constants[what, name]

    def remark(self, what: str, name: str) -> str:
        """The name of a thing whose constant does not tell it from another; else ""."""
        return "" if self.constant(what, name) == plain_constant(self.prefix, (what, name)) else name

    @cached_property
    def _constants(self) -> Mapping[Thing, str]:
        fields = {kind: self.program.records.of(kind, "input") for kind in self.kinds}
        things = [(node.kind, node.name) for node in self._named()]
        things += [
            ("input", f"{node.name}.{field.name}")
            for kind in self.kinds
            for node in self.program.nodes[kind]
            for field in fields[kind]
        ]
        things += [("reaction", node.name) for node in self.reactions()]
        things += [("point", note["name"]) for note in self.points()]
        things += [
            ("coordinate", node.name) for motion in self.motions() for node in self.program.nodes[motion["kind"]]
        ]
        return constants_of(self.prefix, things)

    def inequalities(self) -> list[dict]:
        """Contacts, limits and dry friction, in the order of their types."""
        return sorted(self.program.notes["inequalities"], key=lambda note: self.kinds.index(note["kind"]))

    def points(self) -> list[dict]:
        """The contact points, in the order of their results."""
        return [note for note in self.inequalities() if note["type"] in CONTACT_TYPES]

    def motions(self) -> Iterator[dict]:
        """Node types that have coordinates: how many each, and where theirs begin in the caller's arrays."""
        first = 0
        for kind in self.kinds:
            size = next((f.size for f in self.program.records.of(kind, "motion")), 0)
            if size:
                count = len(self.program.nodes[kind])
                yield {"kind": kind, "count": count, "size": size, "first": first}
                first += count * size

    def coordinates(self) -> Iterator[tuple[str, int, str]]:
        """(constant, place of a joint's first coordinate, what the joint is) in the order of the caller's arrays."""
        notes = {(note["kind"], note["index"]): note for note in self.program.notes["motion"]}
        for motion in self.motions():
            for node in self.program.nodes[motion["kind"]]:
                place = motion["first"] + motion["size"] * node.index
                yield self.constant("coordinate", node.name), place, notes[node.kind, node.index]["text"]

    def input_places(self) -> Iterator[tuple[str, int, str]]:
        """(constant, place among all numbers of the input, what is there and its unit)."""
        place = 0
        for kind in self.kinds:
            fields = self.program.records.of(kind, "input")
            for node in self.program.nodes[kind] if fields else ():
                for field in fields:
                    constant = self.constant("input", f"{node.name}.{field.name}")
                    entries = f"{kind}[{node.index}].{field.name}" + (f"[{field.size}]" if field.size > 1 else "")
                    yield constant, place, f"{entries}: {field.meaning} [{field.unit}]"
                    place += field.size

    def defaults(self) -> Iterator[dict]:
        """The numbers of the description: a table per node type, with the members of every node's struct in order."""
        for kind in self.kinds:
            fields = self.program.records.of(kind, "parameters")
            if fields:
                rows = [
                    {"name": node.name, "members": list(self._members(node, fields))}
                    for node in self.program.nodes[kind]
                ]
                yield {"kind": kind, "struct": self.struct(kind, "parameters"), "rows": rows}

    def tables(self, store: str, numbers: Sequence[float]) -> Iterator[dict]:
        """The numbers of a state or an input, record by record: a table per node type like those of the parameters."""
        left = iter(numbers)
        for kind in self.kinds:
            fields = self.program.records.of(kind, store)
            if fields:
                rows = [
                    {
                        "name": node.name,
                        "members": [self._member(f, [next(left) for _ in range(f.size)]) for f in fields],
                    }
                    for node in self.program.nodes[kind]
                ]
                yield {"kind": kind, "struct": self.struct(kind, store), "rows": rows}

    def _member(self, field: Field, numbers: Sequence[float]) -> str:
        """A member of an initialiser, each number as the very one that memory holds."""
        text = ", ".join(held_literal(number, self.real) for number in numbers)
        return f"{text if field.size == 1 else f'{{ {text} }}'}, /* {field.name} */"

    def _members(self, node: Node, fields: Sequence[Field]) -> Iterator[str]:
        known = {"h": (STEP,), **self.program.parameters.get((node.kind, node.index), {})}
        for field in fields:
            yield self._member(field, known.get(field.name, (0.0,) * field.size))

    def access(self, kernel: Kernel):
        sizes = {port.label: port.kind for port in kernel.ports}

        def text(location: Location) -> str:
            fields = self.program.records.fields[sizes[location.port], location.store]
            entry = location.field if fields[location.field].size == 1 else f"{location.field}[{location.index}]"
            return f"{self.argument(location.port, location.store)}->{entry}"

        return text

    def function(self, name: str, arguments: Sequence[str]) -> str:
        own = {
            "sqrt": f"{self.prefix.upper()}_SQRT",
            "min": "lesser_of",
            "max": "greater_of",
            "angle": "angle_near",
            "atan2": "angle_of",
            "sin": "sine_of",
            "cos": "cosine_of",
        }
        library = name + ("f" if self.real == "float" else "")
        return f"{own.get(name, library)}({', '.join(arguments)})"

    def arguments(self, kernel: Kernel) -> list[tuple[str, str, str, bool]]:
        """(struct, name, port kind, written) of every argument."""
        return [
            (self.struct(port.kind, store), self.argument(port.label, store), port.kind, written)
            for port, store, written in kernel.used_stores()
        ]

    def call(self, kernel: Kernel, places: Mapping[str, str]) -> str:
        """A call by control. places: for every node type of the kernel's ports, a pointer to its one record."""
        return f"{kernel.name}({', '.join(places[kind] for _, _, kind, _ in self.arguments(kernel))});"

    def kernel(self, kernel: Kernel) -> dict:
        # No `restrict`, though the records of a call are different ones: clang 14 takes it as a promise about all turns
        # of a loop that the kernel is inlined into, where a body is the child in one and the parent in the next, and
        # vectorizes wrongly. Nothing is lost: kernels load no number again that they have stored.
        arguments = ", ".join(
            f"{'' if written else 'const '}{struct} *{name}" for struct, name, _, written in self.arguments(kernel)
        )
        signature = broken(f"static void {kernel.name}({arguments})", 0)
        return {
            "name": kernel.name,
            "comment": self.comment(kernel),
            "signature": signature,
            "lines": self.body(kernel),
        }

    def comment(self, kernel: Kernel) -> list[str]:
        lines = wrapped(f"{kernel.summary} ({kernel.flops()} operations)")
        for formula in kernel.formulas:
            lines += wrapped(f"  {formula.equation}    [{formula.source}]")
        return lines

    def body(self, kernel: Kernel) -> list[str]:
        reserved = C_WORDS | function_names("c") | {name for _, name, _, _ in self.arguments(kernel)}
        language = Language(self.literal, self.access(kernel), self.function, reserved, self.meaning(kernel))
        lines: list[str] = []
        for kind, group in groupby(statements(kernel, language), lambda statement: statement.kind):
            if kind == "load":
                lines += self._loads(list(group))
            else:
                lines += [part for statement in group for part in self._lines(statement)]
        return lines

    @staticmethod
    def _lines(statement: Statement) -> list[str]:
        if statement.kind == "comment":
            return [f"/* {line} */" for line in wrapped(statement.expression)]
        declared = "" if statement.kind == "store" else "const real "
        return broken(f"{declared}{statement.target} = {statement.expression};")

    @staticmethod
    def _loads(loads: Sequence[Statement]) -> list[str]:
        """Loads of the entries of one field on one line, as far as they fit; MISRA wants a declaration for each."""
        lines: list[str] = []
        last = ""
        for load in loads:
            place, text = load.expression.partition("[")[0], f"const real {load.target} = {load.expression};"
            if place == last and len(lines[-1]) + len(text) + 1 <= WIDTH - 4:
                lines[-1] = f"{lines[-1]} {text}"
            else:
                lines.append(text)
            last = place
        return lines

    def meaning(self, kernel: Kernel):
        """What is said of the field of a record that a kernel stores into."""
        kinds = {port.label: port.kind for port in kernel.ports}

        def text(location: Location) -> str:
            found = self.program.records.fields[kinds[location.port], location.store][location.field]
            return f"{found.name}: {found.meaning}" if found.meaning else found.name

        return text


def literal(value: Fraction | float | int, real: str) -> str:
    """The shortest text of a number of Python, in the precision "double" or "float"."""
    text = repr(float(value))
    if "e" not in text and "." not in text:
        text += ".0"
    return text + ("f" if real == "float" else "")


def held_literal(value: float, real: str) -> str:
    """The shortest text of the very number that memory holds."""
    return f"{np.float32(value)!s}f" if real == "float" else literal(value, real)


def wrapped(text: str) -> list[str]:
    """A long text as lines of a comment."""
    lines, indent = [], " " * (len(text) - len(text.lstrip()))
    while len(text) > WIDTH - 6:
        cut = text.rfind(" ", 0, WIDTH - 6)
        cut = cut if text[: max(cut, 0)].strip() else WIDTH - 6  # a word longer than a line is cut
        lines.append(text[:cut])
        text = indent + "  " + text[cut:].lstrip()
    return [*lines, text]


def broken(line: str, margin: int = 4) -> list[str]:
    """A long line over several, broken at spaces between words that hold together (a type and its name do)."""
    parts, indent = [], " " * (len(line) - len(line.lstrip()) + 4)
    while len(line) > WIDTH - margin and not line.lstrip().startswith("/*"):
        cut = max(
            line.rfind(mark, len(indent) + 4, WIDTH - margin) + len(mark) for mark in (", ", " + ", " - ", "; ", " = ")
        )
        if cut <= len(indent) + 6:  # one word is longer than a line
            cut = line.find(", ", WIDTH - margin) + 2
        if cut <= len(indent) + 6:
            break
        parts.append(line[:cut].rstrip())
        line = indent + line[cut:]
    return [*parts, line]
