"""What tapes.h.jinja and tapes.c.jinja use: records of tapes and columns, kernels, and scripts in both directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symvi.emit.c_printer import SUFFIX, CPrinter, broken
from symvi.emit.layouts import HOLDER, phase_lines
from symvi.emit.tangents import Records
from symvi.numbers.centring import BESIDE_SINGULAR
from symvi.program.program import Call
from symvi.program.slopes import Slopes
from symvi.program.tape import AGAIN, COLUMN, TAPE, Made, Tape, tape_of, with_tapes

RECORDED = ("step", "knot")  # scripts


def tapes_view(
    printer: CPrinter, layout: str, scripts: Mapping[str, Slopes], records: Records, meanings: Mapping[str, str]
) -> dict:
    """The names of the templates. records: those of tangents."""
    made = Made()
    tapes = {name: tape_of(scripts[name], made) for name in RECORDED}
    own = type(printer)(with_tapes(printer.program, tapes.values(), records), printer.prefix, printer.real)
    marked = [COLUMN + store for store in HOLDER if COLUMN + store in SUFFIX]
    columns = [each for each in own.aggregates(marked) if each["members"]]
    kernels = {
        call.kernel.name: call.kernel
        for tape in tapes.values()
        for actions in (tape.record, tape.forwards, tape.backwards)
        for calls in actions
        for call in calls
        if call.kernel.name.startswith(("record", "along_", "back_", AGAIN))
    }
    known = own.program.records.fields.items()
    of_state = {kind: fields for (kind, store), fields in known if store == COLUMN + "state"}
    return {
        "of_state": [
            {"kind": kind, "count": len(own.program.nodes[kind]), "fields": list(of_state[kind].values())}
            for kind in own.kinds
            if of_state.get(kind)
        ],
        "structs": list(own.structs((*marked, TAPE))),
        "columns": [{**each, "short": each["store"].removeprefix(COLUMN)} for each in columns],
        "kernels": [own.kernel(kernel) for kernel in kernels.values()],
        "scripts": [_script(own, layout, tape, meanings) for tape in tapes.values()],
        "singular": printer.literal(BESIDE_SINGULAR),
        "moving": any(each["store"] == COLUMN + "parameters" for each in columns),
    }


def _script(printer: CPrinter, layout: str, tape: Tape, meanings: Mapping[str, str]) -> dict:
    name, ways = tape.slopes.script.name, {}
    for way, actions in (("record", tape.record), ("along", tape.forwards), ("back", tape.backwards)):
        found = []
        for number, (action, calls) in enumerate(zip(tape.slopes.script.actions, actions, strict=True)):
            if calls:
                found.append(_action(printer, layout, f"{way}_{name}_{number}_{action.phase}", calls))
                found[-1] |= {"meaning": meanings[action.phase], "phase": action.phase}
        ways[way] = found[::-1] if way == "back" else found
    sizes = {
        kind: {f.name: f.size for f in printer.program.records.of(kind, COLUMN + "work")} for kind in printer.kinds
    }
    return {
        "name": name,
        **ways,
        "members": [
            {"type": printer.struct(kind, TAPE), "name": kind, "count": count} for kind, count in tape.counts.items()
        ],
        "cleared": [
            {"kind": kind, "field": field, "size": sizes[kind][field], "count": len(printer.program.nodes[kind])}
            for kind, field in tape.slopes.unwritten()
        ],
        "work": [_others(printer, kind, tape) for kind in printer.kinds if _others(printer, kind, tape)["fields"]],
        "measures": any("motion" in action["stores"] for action in ways["record"]),
        "given": [_whole(printer, kind, store) for store in ("input", "parameters") for kind in printer.kinds
                  if printer.program.records.of(kind, COLUMN + store)],
    }  # fmt: skip


def _whole(printer: CPrinter, kind: str, store: str) -> dict:
    """A record of a column, field by field."""
    fields = [{"name": f.name, "size": f.size} for f in printer.program.records.of(kind, COLUMN + store)]
    return {"kind": kind, "store": store, "fields": fields, "count": len(printer.program.nodes[kind])}


def _others(printer: CPrinter, kind: str, tape: Tape) -> dict:
    """Fields of the column's work that the script wants no tangents of, and may leave some in."""
    goals = {place.field for place in tape.slopes.script.goals if (place.kind, place.store) == (kind, "work")}
    used = {place.field for place in tape.places if (place.kind, place.store) == (kind, "work")} - goals
    whole = _whole(printer, kind, "work")
    return whole | {"fields": [field for field in whole["fields"] if field["name"] in used]}


def _action(printer: CPrinter, layout: str, name: str, calls: Sequence[Call]) -> dict:
    text = phase_lines(layout, printer, name, calls)
    used: dict[str, bool] = {}
    for call in calls:
        for _, store, written in call.kernel.used_stores():
            used[store] = used.get(store, False) or written
    ordered = [store for store in HOLDER if store in used]
    return {
        "name": name,
        "table": text["table"],
        "lines": [part for line in text["lines"] for part in broken(line)],
        "stores": ordered,
        "written": used,
    }
