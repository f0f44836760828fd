"""The C text that runs many worlds of one mechanism, one after the other or side by side in the lanes of vectors.

The solver's own text stays as it is. Lanes are its kernels once more, with a vector of worlds in place of every number:
only control is written anew for them, in templates/lanes, with masks in place of branches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from symvi import __version__
from symvi.emit.c import Sources, declarations_of
from symvi.emit.c_printer import CPrinter
from symvi.emit.c_view import foreseen, view_of
from symvi.emit.lane_choices import CHOSEN, with_choices
from symvi.emit.printer import Statement
from symvi.emit.templates import environment
from symvi.kernels.kernel import Kernel, Location
from symvi.program.precision import in_precision
from symvi.program.program import Node, Program

STEP = (  # phases of a step that lanes take
    "setup", "prepare", "watch", "measure_bend", "begin", "evaluate", "merit", "linearize", "eliminate", "resolve",
    "substitute", "advance", "compare", "spread", "arrive", "finish", "warm", "apply_impulse", "scale", "exact", "keep",
    "recall", "predict", "right_hand_side", "right_hand_side_exact", "respond", "do_work",
)  # fmt: skip
KNOT = ("rest", "take_velocity", "measure")  # those that lanes read a knot by, beside those of a step
CENTRED = ("right_hand_side", "right_hand_side_exact")  # of which lanes take either
NUMBER = re.compile(r"-?[0-9][0-9.e+-]*f?")
LIBRARY = ("exp", "expm1", "log", "log1p")  # C's own, lane by lane
FUNCTIONS = {
    CHOSEN: "chosen_of",
    "sqrt": "root_of",
    "max": "greater_of",
    "angle": "angle_near",
    "atan2": "angle_of",
    "sin": "sine_of",
    "cos": "cosine_of",
}


class LanePrinter(CPrinter):
    """Kernels on vectors of worlds: the same text, but for numbers that all lanes share."""

    def access(self, kernel: Kernel):
        plain = super().access(kernel)

        def text(location: Location) -> str:
            return f"EACH({plain(location)})" if location.store == "parameters" else plain(location)

        return text

    def function(self, name: str, arguments: Sequence[str]) -> str:
        return f"{FUNCTIONS.get(name, f'{name}_of')}({', '.join(map(_in_all_lanes, arguments))})"

    @staticmethod
    def _lines(statement: Statement) -> list[str]:
        if statement.kind == "comment":
            return CPrinter._lines(statement)
        return CPrinter._lines(replace(statement, expression=_in_all_lanes(statement.expression)))


def _in_all_lanes(expression: str) -> str:
    """An expression as a vector: a number alone is none, beside a vector it is one."""
    return f"EVEN({expression})" if NUMBER.fullmatch(expression) else expression


def has_lanes(program: Program) -> bool:
    """Whether lanes can step a program: one that leaves no contacts out where they are far."""
    if _numbers(program, ("setup",)) & _numbers(program, [phase for phase in (*STEP, *KNOT) if phase != "setup"]):
        return False  # what parameters decide is worked out once in a rollout
    return "near" not in program.notes  # every world has its own list of contacts that are near


def generate_batch(prefix: str, real: str, coordinates: int, kept: Path | None = None) -> Sources:
    """A header and a source beside those of a solver: its worlds one after the other.

    prefix, real: of the solver's text. coordinates: how many a knot has. kept: a folder for compiled templates.
    """
    view = _view(prefix, coordinates)
    return _sources(prefix, real, view, environment("batch", kept).get_template("batch.c.jinja").render(view), kept)


def generate_lanes(
    program: Program, layout: str, real: str, prefix: str, coordinates: int, kept: Path | None = None
) -> Sources:
    """The same with worlds side by side in vectors. It needs gcc or clang. program: one that has lanes."""
    program = in_precision(program, real)
    read = KNOT if coordinates and not foreseen(program) else ()
    unasked = _unasked(program, any(LanePrinter(program, prefix, real).groups.drivers()))
    asked = [phase for phase in (*STEP, *read) if phase not in unasked]
    program = with_choices(replace(program, phases={phase: program.phases.get(phase, ()) for phase in asked}))
    lane = f"{prefix}_lane"
    view = view_of(program, layout, real, lane, printing=LanePrinter)
    printer = LanePrinter(program, lane, real)
    fields = _choices(program)
    view |= {
        "lane": lane,
        "structs": list(printer.structs()),
        "library": sorted(name for name in LIBRARY if any(name in k.operation_count() for k in program.kernels())),
        **fields,
        "measured": "measure" in asked,
        **{f"{which}_fields": _together(fields, which) for which in ("before", "kept")},
        "all_fields": _together(fields, ""),
    }
    view |= _view(prefix, coordinates)
    return _sources(prefix, real, view, environment("lanes", kept).get_template("lanes.c.jinja").render(view), kept)


def _unasked(program: Program, driven: bool) -> set[str]:
    """Phases that lanes of a program do not call: whether joints do work is asked where contacts act in loops, and how
    far velocities are from where they led in loops that nothing touches or drives."""
    touched, loops = bool(program.notes["inequalities"]), bool(program.notes["loops"])
    unasked = set() if touched and loops else {"do_work"}
    return unasked if loops and not touched and not driven else unasked | {"compare"}


def _choices(program: Program) -> dict[str, list[dict]]:
    """What is put back where some lanes want other phases than their neighbours, and both are run one after the other.

    `..._kept`: fields that lanes of the first run are given back after the second. `..._before`: fields that the second
    run reads as they were before the first.
    """
    if not program.notes["inequalities"]:
        return {}
    choices = {"scaling": (("exact",), ("scale",)), "right_hand_side": (CENTRED[1:], CENTRED[:1])}
    found = {}
    for name, (others, ones) in choices.items():
        found[f"{name}_kept"] = _fields(program, _places(program, (*others, *ones)))
        found[f"{name}_before"] = _fields(program, _places(program, others) & _read_before_written(program, ones))
    return found


def _together(choices: dict[str, list[dict]], which: str) -> list[dict]:
    """Fields of all choices, each once."""
    return list(
        {each["name"]: each for name, found in choices.items() if name.endswith(which) for each in found}.values()
    )


def _read_before_written(program: Program, phases: Iterable[str]) -> set[tuple[str, str, str]]:
    """(type of node, store, field) of what phases, one after the other, read as it was before them."""
    written: set[tuple[Node, str, str, int]] = set()
    found = set()
    for call in (call for phase in phases for call in program.phases.get(phase, ())):
        node = dict(zip((port.label for port in call.kernel.ports), call.nodes, strict=True))
        for place in call.kernel.reads:
            if (node[place.port], place.store, place.field, place.index) not in written:
                found.add((call.kernel.kind(place.port), place.store, place.field))
        written |= {(node[place.port], place.store, place.field, place.index) for place in call.kernel.writes}
    return found


def _numbers(program: Program, phases: Iterable[str]) -> set[tuple[Node, str, str, int]]:
    """(node, store, field, entry) of every number that some phases write."""
    return {
        (node, place.store, place.field, place.index)
        for phase in phases
        for call in program.phases.get(phase, ())
        for port, node in zip(call.kernel.ports, call.nodes, strict=True)
        for place in call.kernel.writes
        if place.port == port.label
    }


def _places(program: Program, phases: Iterable[str]) -> set[tuple[str, str, str]]:
    """(type of node, store, field) of everything that some phases write."""
    calls = [call for phase in phases for call in program.phases.get(phase, ())]
    return {
        (call.kernel.kind(place.port), place.store, place.field) for call in calls for place, _ in call.kernel.outputs
    }


def _fields(program: Program, places: Iterable[tuple[str, str, str]]) -> list[dict]:
    """Fields of work records: what is to be put back for lanes that want another one."""
    found = {}
    for kind, store, name in sorted(places):
        if store != "work":
            raise ValueError(f"lanes that want something else write into the {store} of {kind}")
        found[kind, name] = program.records.fields[kind, "work"][name].size
    return [
        {"name": f"{kind}_{name}", "kind": kind, "field": name, "size": size, "count": len(program.nodes[kind])}
        for (kind, name), size in found.items()
    ]


def _view(prefix: str, coordinates: int) -> dict:
    return {"prefix": prefix, "PREFIX": prefix.upper(), "version": __version__, "coordinates": coordinates}


def _sources(prefix: str, real: str, view: dict, source: str, kept: Path | None) -> Sources:
    """A source with the header that both kinds have."""
    header = environment("batch", kept).get_template("batch.h.jinja").render(view)
    declarations, name = f"typedef {real} {prefix}_real;\n" + declarations_of(header), f"{prefix}_batch"
    return Sources(name, {f"{name}.h": header, f"{name}.c": source}, declarations, "", real)
