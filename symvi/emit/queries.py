"""The C text of what a model is asked: a header and a source beside those of the solver, or alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

from symvi import __version__
from symvi.emit.c import Sources, declarations_of
from symvi.emit.c_printer import CPrinter, broken, wrapped
from symvi.emit.constants import constants_of
from symvi.emit.layouts import phase_lines
from symvi.emit.number_tables import NumberTables
from symvi.emit.sines import COSINE, PARTS, QUARTER, SINE
from symvi.emit.templates import environment
from symvi.kernels.body_kernels import BODY
from symvi.kernels.spatial import OWN
from symvi.program.queries import ANSWERS, PHASES, Queries

Questions = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
STORES = ("parameters", "work")
MEANINGS = {
    "place": "bodies from the coordinates of joints, and the columns of these",
    "show": "where the frames of bodies are",
    "weigh": "inertia in world axes",
    "stack": "inertia of every body alone",
    "compose": "inertia of all that a body carries, leaves first",
    "carry": "momentum of what every freedom carries",
    "pair": "entries of the mass matrix",
    "move": "velocities from rates",
    "accelerate": "accelerations of bodies from those of joints",
    "body_force": "forces that move every body so",
    "collect": "forces along the freedoms, leaves first",
    "begin": "inertia of every body, and what keeps it from accelerating",
    "articulate": "articulated inertia, leaves first",
    "release": "accelerations, root first",
    "clear": "sums of all bodies begin at zero",
    "gather": "mass and its moment",
    "center": "centre of mass of all",
    "swing": "momentum of all",
    "shift": "columns of the centre of mass",
    "close": "rows of joints that close loops, by rates",
    "drift": "how these rows change",
}
ALONE = ("begin", "articulate", "release")  # phases of trees, whose rates nothing ties
LARGEST_UNROLLED = 2500  # calls; beyond, tables of them are smaller than their text
OPEN_BY = {"double": 1e-6, "float": 1e-3}  # m, rad: of loops at coordinates that are given for closed
OFF_BY = {"double": 1e-6, "float": 1e-5}  # of the square of a quaternion's length
WIDTH = 16  # numbers in a line of a table


def generate_queries(queries: Queries, prefix: str, real: str = "double", kept: Path | None = None) -> Sources:
    """The text of all answers. prefix: of every function; structs and files begin with PREFIX_model and PREFIX_queries.

    real: "double" or "float". kept: a folder for compiled templates.
    """
    view = _view(queries, prefix, real)
    env, name = environment("c", kept), f"{prefix}_queries"
    header = env.get_template("queries.h.jinja").render(view)
    source = env.get_template("queries.c.jinja").render(view)
    return Sources(name, {f"{name}.h": header, f"{name}.c": source}, declarations_of(header), view["layout"], real)


def asked(prefix: str, questions: Questions, kept: Path | None = None) -> Sources:
    """Calls with one pointer, for Python: every argument of a call of a library takes a tenth of a microsecond there.

    questions: by name, the arrays that are read and written, in the order of the functions' arguments.
    """
    arrays = list(dict.fromkeys(name for given, found in questions.values() for name in (*given, *found)))
    view = {"prefix": prefix, "PREFIX": prefix.upper(), "questions": questions, "arrays": arrays}
    env, name = environment("c", kept), f"{prefix}_asked"
    header, source = (env.get_template(f"asked.{end}.jinja").render(view) for end in "hc")
    return Sources(name, {f"{name}.h": header, f"{name}.c": source}, declarations_of(header), "", "double")


def _view(queries: Queries, prefix: str, real: str) -> dict:
    """All names that the templates use."""
    program, tied = queries.program, queries.tied
    printer = CPrinter(program, f"{prefix}_model", real)
    layout = "unrolled" if sum(map(len, program.phases.values())) <= LARGEST_UNROLLED else "looped"
    used = [phase for phase in PHASES if not (tied and phase in ALONE)]
    used += ["close", "drift"] if tied and tied.gaps else []
    phases = {
        phase: phase_lines("looped" if phase == "pair" else layout, printer, phase, program.phases[phase])
        for phase in used
    }
    for text in phases.values():
        text["lines"] = [part for line in text["lines"] for part in broken(line)]
    called = {call.kernel.name for phase in used for call in program.phases[phase]}
    kernels = [kernel for kernel in program.kernels() if kernel.name in called] + list(queries.asked.values())
    kernels += tied.kernels.values() if tied else []
    places, bodies = _constants(queries, prefix)
    path = [freedom for own in queries.paths for freedom in own]
    return {
        "prefix": prefix,
        "PREFIX": prefix.upper(),
        "own": printer.prefix,
        "OWN": printer.prefix.upper(),
        "file": f"{prefix}_queries",
        "name": program.name,
        "digest": program.digest,
        "version": __version__,
        "real": real,
        "layout": layout,
        "literal": printer.literal,
        "structs": list(printer.structs(STORES)),
        "aggregates": list(printer.aggregates(STORES)),
        "defaults": list(NumberTables(printer).defaults()),
        "kernels": [printer.kernel(kernel) for kernel in kernels],
        "phases": phases,
        "meanings": MEANINGS,
        "answers": ANSWERS,
        "count": len(queries.names),
        "rates": len(queries.rate_names),
        "freedoms": len(program.nodes["freedom"]),
        "tied": tied,
        "reach_count": program.records.fields["ties", "work"]["reach"].size if tied else 0,
        "open_by": OPEN_BY[real],
        "off_by": OFF_BY[real],
        "slopes": len(tied.ties.slopes) if tied else 0,
        "reduced_lines": list(_lines([f"{{{a}, {b}}}" for a, b in tied.reduced])) if tied else [],
        "places": places,
        "bodies": bodies,
        "quaternions": [held.quaternion for held in queries.held if held.quaternion is not None],
        "place_calls": [phase_lines("unrolled", printer, "place", [call])["lines"] for call in program.phases["place"]],
        "carries": _carries(queries),
        "grounded": any(node.name == "world" for node in program.nodes["tree"]),
        "pairs": queries.pairs,
        "pair_lines": list(_lines([f"{{{a}, {b}}}" for a, b in queries.pairs])),
        "path": path,
        "path_lines": list(_lines(path or [0])),
        "firsts": [0, *accumulate(len(own) for own in queries.paths)],
        "point_call": _call(printer, queries, "locate", {"i": "body[body]", "point": "point[0]"}),
        "column_call": _call(printer, queries, "lead", {"freedom": "freedom[moving]", "point": "point[0]"}),
        "tied_call": lambda phase: _call(printer, queries, phase, {"ties": "ties[0]"}),
        "tie": lambda name, index="n": f"ties[0].{name}" + _entry(queries, "ties", name, index),
        "entry_of": lambda kind, name, index: _entry(queries, kind, name, index),
        "sources": _sources(kernels),
        "sines": [name for name in ("sin", "cos") if any(name in k.operation_count() for k in kernels)],
        "quarter": printer.literal(QUARTER),
        "quarter_parts": [printer.literal(part) for part in PARTS[real]],
        "sine_series": [printer.literal(term) for term in SINE],
        "cosine_series": [printer.literal(term) for term in COSINE],
    }


def _lines(entries: Sequence[object]) -> Iterator[str]:
    """The entries of a table, some in a line."""
    for first in range(0, len(entries), WIDTH):
        last = first + WIDTH >= len(entries)
        yield ", ".join(map(str, entries[first : first + WIDTH])) + ("" if last else ",")


def _entry(queries: Queries, kind: str, name: str, index: int | str) -> str:
    """The index of an entry of a field, which a field of one number does without."""
    size = queries.program.records.fields[kind, "work"][name].size
    return f"[{index}]" if size > 1 else ""


def _carries(queries: Queries) -> list[list[int]]:
    """By body and by call of `place`, whether that places the body or one between it and the ground."""
    placed = [
        next(node.name for port, node in zip(call.kernel.ports, call.nodes, strict=True) if port.label == OWN)
        for call in queries.program.phases["place"]
    ]
    return [[int(name in chain) for name in placed] for chain in queries.chains]


def _call(printer: CPrinter, queries: Queries, name: str, places: dict[str, str]) -> str:
    """A call by control on nodes that it chooses."""
    kernel = {**queries.asked, **(queries.tied.kernels if queries.tied else {})}[name]
    holders = {"parameters": "p", "work": "w"}
    targets = [f"&{holders[store]}->{places[port.label]}" for port, store, _ in kernel.used_stores()]
    return f"{kernel.name}({', '.join(targets)});"


def _constants(queries: Queries, prefix: str) -> tuple[list[tuple[str, int]], list[tuple[str, str]]]:
    """Constants of the joints, with where their coordinates begin; of the bodies, with their names."""
    names = [node.name for node in queries.program.nodes[BODY]]
    things = [("coordinate", held.name) for held in queries.held] + [("body", name) for name in names]
    found = constants_of(f"{prefix}_model", things)
    places = [(found["coordinate", h.name], h.coordinates.start) for h in queries.held if h.size]
    return places, [(found["body", name], name) for name in names]


def _sources(kernels: Sequence) -> list[str]:
    seen: dict[str, None] = {}
    for kernel in kernels:
        for formula in kernel.formulas:
            seen.setdefault(f"{formula.equation}    [{formula.source}]")
    return [line for text in seen for line in wrapped(text)]
