"""What the templates of C use of a program's slopes: structs of tangents, kernels with lanes, scripts as functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symvi.emit.c_printer import CPrinter, broken
from symvi.emit.layouts import HOLDER, phase_lines
from symvi.emit.slope_columns import chart_of, columns_of
from symvi.emit.tangents import LanePrinter, Records
from symvi.emit.tapes_view import tapes_view
from symvi.numbers.centring import COINCIDE, INSIDE, LANES, MOST_CENTRED, NOWHERE, SETTLED, STAYING, UNSETTLED
from symvi.program.program import Call
from symvi.program.slope_scripts import increments
from symvi.program.slopes import MARK, Slopes, is_of_slopes, slope_fields


def records_of(scripts: Mapping[str, Slopes]) -> Records:
    """The records that hold the tangents of some scripts, by type of nodes and marked store."""
    return slope_fields(frozenset().union(*(each.places for each in scripts.values())))


def slopes_view(
    printer: CPrinter,
    layout: str,
    scripts: Mapping[str, Slopes],
    meanings: Mapping[str, str],
    independent: Sequence[str] = (),
) -> dict:
    """The names of slopes.h.jinja and slopes.c.jinja. layout: of the text; inline text has functions here too.
    independent: names of coordinates that a state holds, where there are others."""
    lanes = LanePrinter(printer, records_of(scripts))
    columns, chart = columns_of(printer, scripts), chart_of(printer, scripts, independent)
    if columns and columns["composite"]:  # needs no tangents of placements
        scripts = {name: each for name, each in scripts.items() if name != "lift"}
    kernels = {kernel.name: kernel for each in scripts.values() for kernel in each.kernels()}
    values = {
        call.kernel.name: call.kernel
        for each in scripts.values()
        for calls in each.calls
        for call in calls
        if layout == "inline" and not is_of_slopes(call.kernel)
    }
    found = [
        _script(printer, "unrolled" if layout == "inline" else layout, each, meanings) for each in scripts.values()
    ]
    return {
        "lanes": LANES,
        "structs": list(lanes.structs()),
        "aggregates": list(lanes.aggregates()),
        "functions": [printer.kernel(kernel) for kernel in values.values()],
        "kernels": [lanes.kernel(kernel) for kernel in kernels.values()],
        "scripts": found,
        "by_name": {each["name"]: each for each in found},
        "most": MOST_CENTRED,
        "inside": printer.literal(INSIDE),
        "beyond": printer.literal(1.0 / INSIDE),
        "settled": printer.literal(SETTLED),
        "staying": STAYING,
        "coincide": printer.literal(COINCIDE),
        "unsettled": printer.literal(UNSETTLED),
        "nowhere": printer.literal(NOWHERE),
        "seeded": [each for each in lanes.aggregates() if each["store"] in ("state", "input", "motion")],
        "structs_of": {struct["name"]: struct for struct in lanes.structs()},
        "linearize": columns,
        "chart": chart,
        "tapes": tapes_view(printer, "unrolled" if layout == "inline" else layout, scripts, lanes.records, meanings),
        "increments": [
            {"kind": kind, "field": name, "size": size, "count": len(printer.program.nodes[kind])}
            for (kind, name), size in increments(printer.program).items()
        ],
    }


def _script(printer: CPrinter, layout: str, slopes: Slopes, meanings: Mapping[str, str]) -> dict:
    actions = []
    for number, (action, calls) in enumerate(zip(slopes.script.actions, slopes.calls, strict=True)):
        name = f"{slopes.script.name}_{number}_{action.phase}"
        text = phase_lines(layout, printer, name, calls)
        used = _stores(calls)
        actions.append(
            {
                "name": name,
                "phase": action.phase,
                "meaning": meanings[action.phase],
                "moves": action.moves,
                "table": text["table"],
                "lines": [part for line in text["lines"] for part in broken(line)],
                "arguments": ", ".join(
                    f"{'' if written else 'const '}{printer.prefix}_{store} *{HOLDER[store]}"
                    for store, written in used.items()
                ),
                "call": f"{name}({', '.join(HOLDER[store] for store in used)});",
            }
        )
    marked = {store for calls in slopes.calls for store in _stores(calls) if store.startswith(MARK)}
    holders = [(store.removeprefix(MARK), HOLDER[store]) for store in HOLDER if store in marked]
    work = {kind: {f.name: f.size for f in printer.program.records.of(kind, "work")} for kind in printer.kinds}
    cleared = [_whole(printer, kind, name, work) for kind, name in slopes.unwritten()]
    still = sorted({(place.kind, place.field) for place in slopes.script.still})
    return {
        "name": slopes.script.name,
        "actions": actions,
        "holders": holders,
        "cleared": cleared,
        "still": [_whole(printer, kind, name, work) for kind, name in still],
    }


def _whole(printer: CPrinter, kind: str, name: str, work: Mapping[str, Mapping[str, int]]) -> dict:
    """A field of work records."""
    return {"kind": kind, "field": name, "size": work[kind][name], "count": len(printer.program.nodes[kind])}


def _stores(calls: Sequence[Call]) -> dict[str, bool]:
    """The stores that calls use, and whether they write there."""
    found: dict[str, bool] = {}
    for call in calls:
        for _, store, written in call.kernel.used_stores():
            found[store] = found.get(store, False) or written
    return {store: found[store] for store in HOLDER if store in found}
