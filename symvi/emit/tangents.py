"""Kernels of tangents in C: what values decide is computed once, then a loop over lanes takes all directions along.

A graph of tangents is linear in them. Its other part, values and their slopes, is split off in front of the loop, so
that what is left inside are a few products and sums for every lane, which compilers make vectors of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from symvi.emit.c_printer import C_WORDS, SUFFIX, CPrinter, broken, wrapped
from symvi.emit.printer import Language, Statement, statements
from symvi.emit.template_files import function_names
from symvi.kernels.kernel import Kernel, Location
from symvi.kernels.records import Field
from symvi.program.slopes import MARK
from symvi.scalar import Graph, Rate, Scalar

OUTSIDE = ""  # the port of numbers that are known in front of the loop
LANE = "lane"
Records = Mapping[tuple[str, str], Mapping[str, Field]]


class LanePrinter:
    """Structs and kernels of tangents of one program. records: the numbers that tangents are kept of."""

    def __init__(self, printer: CPrinter, records: Records):
        self.printer, self.records = printer, records

    def structs(self) -> Iterator[dict]:
        """A struct per node type and store that has tangents."""
        for store in SUFFIX:
            for kind in self.printer.kinds:
                fields = self.records.get((kind, MARK + store))
                if fields:
                    members = [{"name": f.name, "size": f.size} for f in fields.values()]
                    yield {
                        "name": self.printer.struct(kind, MARK + store),
                        "members": members,
                        "kind": kind,
                        "store": store,
                    }

    def aggregates(self) -> Iterator[dict]:
        """The structs that hold all records of a store."""
        for store in SUFFIX:
            members = [
                {
                    "type": self.printer.struct(kind, MARK + store),
                    "name": kind,
                    "count": len(self.printer.program.nodes[kind]),
                }
                for kind in self.printer.kinds
                if self.records.get((kind, MARK + store))
            ]
            if members:
                yield {"name": f"{self.printer.prefix}_{MARK}{store}", "members": members, "store": store}

    def kernel(self, kernel: Kernel) -> dict:
        """Its text: as that of any kernel, with a loop."""
        printer = self.printer
        arguments = ", ".join(
            f"{'' if written else 'const '}{printer.struct(port.kind, store)} *{self._argument(port.label, store)}"
            for port, store, written in kernel.used_stores()
        )
        return {
            "name": kernel.name,
            "comment": printer.comment(kernel),
            "signature": broken(f"static void {kernel.name}({arguments})", 0),
            "lines": self._body(kernel),
        }

    def _argument(self, label: str, store: str) -> str:
        marked = store.startswith(MARK)
        return (
            f"{label}_d{SUFFIX[store.removeprefix(MARK)].strip('_')}" if marked else self.printer.argument(label, store)
        )

    # --- bodies -------------------------------------------------------------------------------------------------------
    def _body(self, kernel: Kernel) -> list[str]:
        reserved = C_WORDS | function_names("c") | {LANE}
        reserved |= {self._argument(port.label, store) for port, store, _ in kernel.used_stores()}
        before, inside = split(kernel, reserved)
        taken = set(reserved)
        lines = [line for text in self._lines(before, frozenset(reserved), taken) for line in text]
        loop = [line for text in self._lines(inside, frozenset(taken), set()) for line in text]
        return [*lines, f"{self.printer.prefix.upper()}_LANEWISE",
                f"for (unsigned int {LANE} = 0u; {LANE} < {self.printer.prefix.upper()}_LANES; {LANE}++) {{",
                *(f"    {line}" for line in loop), "}"]  # fmt: skip

    def _lines(self, kernel: Kernel, reserved: frozenset[str], taken: set[str]) -> Iterator[list[str]]:
        language = Language(
            self.printer.literal,
            self._access(kernel),
            self.printer.function,
            reserved,
            self._meaning(kernel),
            _is_outside,
        )
        for statement in statements(kernel, language):
            taken.add(statement.target)
            yield self._line(statement)

    def _line(self, statement: Statement) -> list[str]:
        if statement.kind == "comment":
            return wrapped_comment(statement.expression)
        declared = "" if statement.kind == "store" and "->" in statement.target else "const real "
        return broken(f"{declared}{statement.target} = {statement.expression};")

    def _access(self, kernel: Kernel) -> Callable[[Location], str]:
        kinds = {port.label: port.kind for port in kernel.ports}

        def text(at: Location) -> str:
            if at.port == OUTSIDE:
                return at.field
            if at.store.startswith(MARK):
                return f"{self._argument(at.port, at.store)}->{at.field}[{at.index}][{LANE}]"
            fields = self.printer.program.records.fields[kinds[at.port], at.store]
            entry = at.field if fields[at.field].size == 1 else f"{at.field}[{at.index}]"
            return f"{self.printer.argument(at.port, at.store)}->{entry}"

        return text

    def _meaning(self, kernel: Kernel) -> Callable[[Location], str]:
        def text(at: Location) -> str:
            return "what the tangents need" if at.port == OUTSIDE else f"tangents of {at.field}"

        return text


def wrapped_comment(text: str) -> list[str]:
    """A comment as lines; none for an empty one."""
    return [f"/* {line} */" for line in wrapped(text)] if text.strip() else []


def _is_outside(at: Location) -> bool:
    return at.port == OUTSIDE


def split(kernel: Kernel, reserved: frozenset[str] | set[str] = frozenset()) -> tuple[Kernel, Kernel]:
    """The part of a kernel of tangents in front of its loop, and the part inside."""
    source, lanes = kernel.graph, set()
    for i in source.sequence([value for _, value in kernel.outputs]):
        if source.operation(i) == "symbol":
            moves = source.arguments(i)[0].store.startswith(MARK)
        else:
            moves = any(j in lanes for j in source.operands(i))
        if moves:
            lanes.add(i)
    graph = Graph()
    names, known, found = _Names(reserved), {}, []

    def outside(i: int) -> Scalar:
        if source.operation(i) == "const":
            return graph.constant(source.arguments(i)[0])
        if source.operation(i) == "neg":
            return graph.neg(outside(source.operands(i)[0]))
        at = Location(OUTSIDE, OUTSIDE, names.of(i, source.names.get(i) or source.hints.get(i)), 0)
        if i not in known:
            known[i] = at
            found.append((at, source.scalar(i)))
        return graph.symbol(known[i], Rate.STEP, at.field)

    copies: dict[int, Scalar] = {}
    for i in source.sequence([value for _, value in kernel.outputs]):
        if i not in lanes:
            continue
        graph.origin = source.origins.get(i)
        if source.operation(i) == "symbol":
            copies[i] = graph.symbol(source.arguments(i)[0], Rate.ITERATION, source.names.get(i))
        else:
            operands = [copies[j] if j in lanes else outside(j) for j in source.operands(i)]
            copies[i] = graph.apply(source.operation(i), operands)
        if i in source.hints and source.operation(i) != "symbol":
            graph.hint(copies[i], source.hints[i])
    outputs = tuple((at, copies[v.index] if v.index in lanes else outside(v.index)) for at, v in kernel.outputs)
    before = Kernel(f"{kernel.name}_before", kernel.summary, kernel.ports, source, tuple(found))
    return before, Kernel(f"{kernel.name}_lanes", kernel.summary, kernel.ports, graph, outputs)


class _Names:
    """Different names for values that are handed into a loop."""

    def __init__(self, reserved):
        self.taken, self.found = set(reserved), {}

    def of(self, index: int, wanted: str | None) -> str:
        if index not in self.found:
            base = f"by_{wanted}" if wanted and wanted.isidentifier() else f"by_{len(self.found) + 1}"
            name, count = base, 2
            while name in self.taken:
                name, count = f"{base}_{count}", count + 1
            self.taken.add(name)
            self.found[index] = name
        return self.found[index]
