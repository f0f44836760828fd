"""A derivative as symvi prints it in C: lowered to its scalar graph, shared and folded, statement by statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symvi.emit.printer import Language, statements
from symvi.kernels.kernel import Kernel, Location
from symvi.scalar import Graph

OUTPUT = "G"


def printed(name: str, symbols: Mapping[str, Sequence], entries: Sequence) -> str:
    """A C function of arrays named like the arguments that writes the entries to G. entries: SymPy expressions."""
    from symvi.physics.lowering import scalar_of

    graph = Graph()
    known = {
        symbol: graph.symbol(Location(argument, "", argument, k))
        for argument, s in symbols.items()
        for k, symbol in enumerate(s)
    }
    outputs = tuple(
        (Location(OUTPUT, "", OUTPUT, k), scalar_of(graph, entry, known)) for k, entry in enumerate(entries)
    )
    kernel = Kernel(name, "", (), graph, outputs)
    singles = {argument for argument, s in symbols.items() if len(s) == 1}
    language = Language(_literal, lambda place: _access(place, singles), _call, frozenset(symbols))
    body = [
        f"{s.target} = {s.expression};" if s.kind == "store" else f"const double {s.target} = {s.expression};"
        for s in statements(kernel, language)
    ]
    inputs = [f"double {a}" if a in singles else f"const double {a}[{len(s)}]" for a, s in symbols.items()]
    return "\n".join([f"void {name}({', '.join(inputs)}, double {OUTPUT}[{len(entries)}])", "{", *body, "}", ""])


def _literal(value: Fraction) -> str:
    return repr(float(value))


def _access(place: Location, singles: set[str]) -> str:
    return place.port if place.port in singles else f"{place.port}[{place.index}]"


def _call(name: str, arguments: Sequence[str]) -> str:
    return f"{name}({', '.join(arguments)})"
