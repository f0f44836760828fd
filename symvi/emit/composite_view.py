"""What composite.c.jinja uses: freedoms, kernels on them, and their calls with arguments as the template names them."""

from __future__ import annotations

from collections.abc import Mapping

from symvi.emit.c_printer import CPrinter, broken
from symvi.kernels.composite import CHAIN, COLUMN, FIRST, FREEDOM, OWN, PAIR, SECOND, SUMS
from symvi.kernels.kernel import Kernel
from symvi.program.composite import Composites, composites_of, with_freedoms
from symvi.program.program import Call

WIDTH = 32  # columns that are solved for at once: as many as registers hold
CLOSELY = 1e-12  # m/s, rad/s: steps are solved that closely before they are linearised
STORES = {"parameters": "p", "state": "z", "work": "w", "motion": "m"}


def composite_view(printer: CPrinter) -> dict | None:
    """Names of the template; None where the program goes the general way."""
    found = composites_of(printer.program)
    if found is None:
        return None
    own = type(printer)(with_freedoms(printer.program, found), printer.prefix, printer.real)
    kernels = {kernel.name: kernel for kernel in (*found.kernels.values(), *(call.kernel for call in found.columns))}
    count, motors = len(found.below), _motors(printer, found)
    return {
        "width": WIDTH,
        "count": count,
        "panels": -(-(2 * count + len(motors)) // WIDTH),
        "tolerance": printer.literal(CLOSELY),
        "none": count,
        "below": [count if k is None else k for k in found.below],
        "outwards": found.outwards,
        "carries": [count if k is None else k for k in found.carries],
        "carriers": [len(found.carries) if k is None else k for k in found.carriers],
        "grounded": None in found.carries,
        "structs": list(own.structs((CHAIN,), (FREEDOM, COLUMN, PAIR))),
        "sums": [f for f in found.records.of(FREEDOM, CHAIN) if f.name in {*SUMS, "more1", "more2"}],
        "kernels": [own.kernel(kernel) for kernel in kernels.values()],
        "columns": [part for call in found.columns for part in broken(_column_call(call))],
        "calls": {name: _call(kernel, PLACES[name]) for name, kernel in found.kernels.items()},
        "motors": motors,
        "measured": any(at.store == "motion" for call in found.columns for at in call.kernel.reads),
        "two_way": [_columns_of(call)[0] for call in found.columns if len(_columns_of(call)) > 1],
    }


COMMONS = {("common", "parameters"): "&p->common[0]", ("common", "work"): "&w->common[0]"}
KNOTS = {(FIRST, CHAIN): "&q->first[i]", (SECOND, CHAIN): "&q->second[i]", (OWN, CHAIN): "&q->composite[i]"}
BETWEEN = {(FIRST, CHAIN): "&q->first[j]", (SECOND, CHAIN): "&q->second[j]", (OWN, CHAIN): "&q->composite[i]"}
BETWEEN |= COMMONS | {(PAIR, CHAIN): "&pair"}
PLACES: Mapping[str, Mapping[tuple[str, str], str]] = {
    "compose": COMMONS
    | {
        (FIRST, "parameters"): "&p->body[n]",
        (FIRST, "state"): "&z->body[n]",
        (SECOND, "state"): "&q->at.body[n]",
        (OWN, CHAIN): "&q->composite[i]",
    },
    "add": {(OWN, CHAIN): "&q->composite[i]", ("k", CHAIN): "&q->composite[k]"},
    "way": COMMONS
    | {
        (FIRST, "state"): "&z->body[k]",
        (SECOND, "state"): "&q->at.body[k]",
        (OWN, CHAIN): "&q->first[i]",
        ("k", CHAIN): "&q->second[i]",
    },
    "stand": COMMONS | {(OWN, CHAIN): "&q->first[i]", ("k", CHAIN): "&q->second[i]"},
    "lift": KNOTS,
    "pass": KNOTS | {("k", CHAIN): "&q->composite[k]"},
    "move": {(OWN, CHAIN): "&columns[i]", ("k", CHAIN): "&columns[k]"},
    "move_root": {(OWN, CHAIN): "&columns[i]"},
    "rays": COMMONS | KNOTS,
    "masses": BETWEEN,
    "pair": BETWEEN,
}


def _call(kernel: Kernel, places: Mapping[tuple[str, str], str]) -> str:
    return f"{kernel.name}({', '.join(places[port.label, store] for port, store, _ in kernel.used_stores())});"


def _column_call(call: Call) -> str:
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    arguments = [
        f"&columns[{nodes[port.label].index}]"
        if store == CHAIN
        else f"&{STORES[store]}->{nodes[port.label].kind}[{nodes[port.label].index}]"
        for port, store, _ in call.kernel.used_stores()
    ]
    return f"{call.kernel.name}({', '.join(arguments)});"


def _columns_of(call: Call) -> list[int]:
    return [node.index for node in call.nodes if node.kind == COLUMN]


def _motors(printer: CPrinter, found: Composites) -> list[int]:
    """Of every input the freedom that it acts along, in the order of the inputs."""
    known, freedoms = dict(found.motors), []
    for kind in printer.program.nodes:
        if any(printer.program.records.of(kind, "input")) and printer.program.nodes[kind]:
            freedoms += [freedom for node in known[kind] for freedom in node]
    return freedoms
