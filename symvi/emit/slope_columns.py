"""Columns of A and B in C: what a state of minimal coordinates holds, and what scripts between them would spoil."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symvi.emit.c_printer import CPrinter, wrapped
from symvi.emit.composite_view import composite_view
from symvi.kernels.body_kernels import BODY
from symvi.kernels.kernel import Location
from symvi.numbers.centring import BESIDE_SINGULAR, DEAD, MOST_ROUNDS, SAME, STRONG
from symvi.program.program import Call, Program
from symvi.program.slope_scripts import is_tree, memory
from symvi.program.slopes import Place, Slopes, is_of_slopes


def columns_of(printer: CPrinter, scripts: Mapping[str, Slopes]) -> dict | None:
    """Of a tree: what a state holds, all coordinates of joints among it. None of another program."""
    if "lift" not in scripts:
        return None
    coordinates = sum(group["count"] * group["size"] for group in printer.groups.motions())
    solution = _spoilt(printer, scripts, ("knot", "lift"))
    return _columns(printer, coordinates) | {"solution": solution, "composite": composite_view(printer)}


def chart_of(printer: CPrinter, scripts: Mapping[str, Slopes], independent: Sequence[str]) -> dict | None:
    """Of any other program: what a state holds, independent coordinates among it. independent: their names; none where
    the caller says. None of a tree, and of steps that are no single ones."""
    program = printer.program
    if "lift" in scripts or "rule" in program.notes or "composition" in program.notes:
        return None
    own = _columns(printer, freedoms_of(program))
    names = coordinate_names(printer)
    return own | {
        "solution": _spoilt(printer, scripts, ("knot", "place", "start", "follow")),
        "joints": len(names) - 6 * len(program.nodes[BODY]),
        "chosen": [names.index(name) for name in independent],
        "names": _lines(state_names(printer, independent)) if independent else [],
        "nearest": printer.literal(1.0 / DEAD**2),
        "singular": printer.literal(BESIDE_SINGULAR),
        "strong": printer.literal(STRONG),
        "same": printer.literal(SAME),
        "most_rounds": MOST_ROUNDS,
        "follows": _followed(program, scripts["follow"]) if "follow" in scripts else [],
    }


def _followed(program: Program, script: Slopes) -> list[dict]:
    """The targets that placements follow."""
    places = sorted(place for place in script.reads() if place.store == "input")
    return [
        {"kind": each.kind, "field": each.field, "entry": each.entry, "count": len(program.nodes[each.kind])}
        for each in places
    ]


def freedoms_of(program: Program) -> int:
    """What joints, gears and drivers leave of six of every body."""
    rows = 0
    for kind, nodes in program.nodes.items():
        rows += sum(f.size for f in program.records.of(kind, "work") if f.name == "y") * len(nodes)
    return 6 * len(program.nodes[BODY]) - rows


def coordinate_names(printer: CPrinter) -> list[str]:
    """Every coordinate that may be chosen: of joints as PREFIX_place takes them, then six of every body."""
    found, notes = [], printer.program.notes["motion"]
    for kind in printer.kinds:
        for note in sorted((note for note in notes if note["kind"] == kind), key=lambda note: note["index"]):
            several = len(note["kinds"]) > 1
            found += [f"{note['joint']}[{k}]" if several else note["joint"] for k in range(len(note["kinds"]))]
    for node in printer.program.nodes[BODY]:
        found += [f"{node.name}.{what}[{k}]" for what in ("position", "turn") for k in range(3)]
    return found


def state_names(printer: CPrinter, independent: Sequence[str] = ()) -> list[str]:
    """What a state x holds. independent: coordinates of a program that is no tree."""
    program = printer.program
    if is_tree(program):
        independent = coordinate_names(printer)[: freedoms_of(program)]
    kept = [
        (f"{node.name}.{place.field}", place.entry)
        for kind in printer.kinds
        for node in program.nodes[kind]
        for place in sorted(memory(program))
        if place.kind == kind
    ]
    several = [name for name, _ in kept]
    remembered = [f"{name}[{entry}]" if several.count(name) > 1 else name for name, entry in kept]
    return [*independent, *(f"{name}.rate" for name in independent), *remembered]


def _lines(names: Sequence[str]) -> list[str]:
    """Lines of a comment with all of them."""
    return wrapped(", ".join(names).replace("*/", "* /"))


def _columns(printer: CPrinter, coordinates: int) -> dict:
    """What a state holds beside so many coordinates and their rates, and what drives a step."""
    program, kept = printer.program, {}
    for place in sorted(memory(program)):
        kept.setdefault(place.kind, []).append(place)
    groups = {"memory": _numbered(printer, kept), "inputs": _numbered(printer, _inputs(program))}
    sizes = {name: sum(each["count"] * len(each["places"]) for each in found) for name, found in groups.items()}
    return {
        **groups,
        "freedoms": coordinates,
        "states": 2 * coordinates + sizes["memory"],
        "columns": 2 * coordinates + sizes["memory"] + sizes["inputs"],
        "input_count": sizes["inputs"],
        "memory_count": sizes["memory"],
    }


def _inputs(program: Program) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for kind in program.nodes:
        for field in program.records.of(kind, "input"):
            found.setdefault(kind, []).extend(Place(kind, "input", field.name, k) for k in range(field.size))
    return found


def _numbered(printer: CPrinter, places: Mapping[str, Sequence[Place]]) -> list[dict]:
    """Places of every node of some kinds, and the number of the first of a kind."""
    found, first = [], 0
    for kind in printer.kinds:
        if kind in places:
            count = len(printer.program.nodes[kind])
            found.append({"kind": kind, "count": count, "first": first, "places": places[kind]})
            first += count * len(places[kind])
    return found


def _spoilt(printer: CPrinter, scripts: Mapping[str, Slopes], names: Sequence[str]) -> list[dict]:
    """Fields of the solution of a step that some scripts overwrite: the step reads them before it writes them."""
    written: set[tuple] = set()
    read: set[tuple[str, str]] = set()
    for call in _values(scripts["step"]):
        read |= {(place[0], place[2]) for place in _numbers(call, call.kernel.reads) if place not in written}
        written |= _numbers(call, call.kernel.writes)
    others = [call for name in names if name in scripts for call in _values(scripts[name])]
    spoilt = {(place[0], place[2]) for call in others for place in _numbers(call, call.kernel.writes)}
    sizes = {kind: {f.name: f.size for f in printer.program.records.of(kind, "work")} for kind in printer.kinds}
    return [
        {"kind": kind, "field": name, "size": sizes[kind][name], "count": len(printer.program.nodes[kind])}
        for kind, name in sorted(read & spoilt)
    ]


def _numbers(call: Call, places: Iterable[Location]) -> set[tuple]:
    """Numbers in work records, of the nodes of a call."""
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    work = (at for at in places if at.store == "work")
    return {(nodes[at.port].kind, nodes[at.port].index, at.field, at.index) for at in work}


def _values(slopes: Slopes) -> list[Call]:
    return [call for calls in slopes.calls for call in calls if not is_of_slopes(call.kernel)]
