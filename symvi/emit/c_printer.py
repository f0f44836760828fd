"""Names and text of one program in C: structs, kernels, tables of numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from symvi.emit.near_text import NearText
from symvi.emit.node_constants import NodeConstants
from symvi.emit.node_groups import NodeGroups
from symvi.emit.number_tables import literal
from symvi.emit.printer import Language, Statement, statements
from symvi.emit.template_files import function_names
from symvi.kernels.kernel import Kernel, Location
from symvi.kernels.records import Field
from symvi.program.program import Program

C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while real".split()
)

SUFFIX = {"parameters": "_p", "state": "_z", "input": "_u", "work": "", "motion": "_m", "account": "_a", "chain": "_c"}
SUFFIX |= {"tape": "", "c_parameters": "_cp", "c_state": "_cz", "c_input": "_cu", "c_work": "_cw", "c_motion": "_cm"}
MEMORY = ("parameters", "state", "input", "work")  # what the caller owns
WIDTH = 118


@dataclass(frozen=True)
class Member:
    """A field of a printed struct."""

    name: str
    size: int
    comment: str


class CPrinter:
    """Structs, kernels and calls of one program in C.

    groups: its nodes by type. constants: names of nodes and places in the header.
    """

    def __init__(self, program: Program, prefix: str, real: str):
        self.program, self.prefix, self.real = program, prefix, real
        self.groups = NodeGroups(program)
        self.kinds = self.groups.kinds
        self.constants = NodeConstants(self.groups, prefix)

    @cached_property
    def near(self) -> NearText | None:
        """The loops over contacts that are looked at only where bodies are near, where the program has such."""
        notes = self.program.notes.get("near")
        return None if notes is None else NearText(self.program, notes)

    def literal(self, value: Fraction | float | int) -> str:
        """The shortest text of a number, in the precision of the target."""
        return literal(value, self.real)

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

    def body(self, kernel: Kernel, around: Collection[str] = ()) -> list[str]:
        """The statements of a kernel. around: names of the function that they stand in, which none of them may hide."""
        reserved = C_WORDS | function_names("c") | {name for _, name, _, _ in self.arguments(kernel)} | set(around)
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
