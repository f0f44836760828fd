"""A program that steps and does no more: for controllers whose memory is small.

What is left: the phases of a start and of a step with a fixed number of iterations. Nobody asks for reactions, energies
or coordinates of joints, no increment is shortened, and no step is taken again in parts. Stores that nothing comes of
then go, and parameters that nobody reads. The arithmetic that is left is the same, in the same order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from symvi.errors import SymviError
from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON
from symvi.kernels.kernel import Kernel, Location
from symvi.kernels.records import Records
from symvi.program.patterns import Place, called_with, compacted, with_used_ports
from symvi.program.program import Call, Notes, Program, solved_kinds
from symvi.program.sharing import shared

STEPPING = (
    "setup", "prepare", "watch", "inspect", "measure_bend", "begin", "rest", "evaluate", "spread", "linearize",
    "eliminate", "substitute", "take_velocity", "advance", "arrive", "finish", "start_momenta",
    "start_momenta_of_chord", "start_momenta_of_turn",
)  # fmt: skip
# Of the work of bodies and of all, what control reads or writes by name (templates/c); of joints, `g` of rows and `s`.
OF_BODIES = ("v", "w", "l", "turn")
OF_ALL = (
    "step", "impulse", "carry", "closure", "length", "inverse", "changed", "bent", "bend", "bend_before",
)  # fmt: skip
OLD = (("state", "v_old"),)  # what only comparisons of a whole motion read
SHOWN = ("g",)  # how far rows are open


def lean(program: Program) -> Program:
    """The same program, of which steps of a fixed number of iterations are left alone.

    Raises SymviError for a program with contacts, limits or dry friction, whose interior point knows no fixed number of
    operations.
    """
    if program.notes["inequalities"]:
        name = program.notes["inequalities"][0]["name"]
        raise SymviError(
            f"lean: '{program.name}' has contacts, limits or dry friction ('{name}'), whose steps take no fixed "
            "number of operations; leave out one of the two"
        )
    shown, records = _shown(program), _copy(program.records)
    stepping = {phase: calls if phase in STEPPING else () for phase, calls in program.phases.items()}
    pruned = compacted(_pruned(stepping, shown), records, set(program.nodes), lambda place: place in shown)
    _drop_unused(records, pruned, shown)
    phases, nodes = shared(pruned, program.nodes, records, {(place[0], place[2]) for place in shown})
    parameters = {
        node: {name: v for name, v in numbers.items() if name in records.fields.get((node[0], "parameters"), {})}
        for node, numbers in program.parameters.items()
    }
    baked = {(kind, name): v for (kind, name), v in program.baked.items() if _is_kept(records, kind, name)}
    notes: Notes = {**program.notes, "lean": True}
    return Program(program.name, program.digest, records, nodes, phases, parameters, baked, notes)


def _shown(program: Program) -> frozenset[Place]:
    """What control reads or writes of the work memory."""
    solved = solved_kinds(program)
    return frozenset(
        (kind, "work", field.name, entry)
        for kind in program.nodes
        for field in program.records.of(kind, "work")
        if (kind == COMMON and field.name in OF_ALL)
        or (kind == BODY and field.name in OF_BODIES)
        or (kind in solved and field.name == "s")
        or (kind not in (COMMON, BODY) and field.name in SHOWN)
        for entry in range(field.size)
    )


def _pruned(phases: Mapping[str, Sequence[Call]], shown: Collection[Place]) -> dict[str, list[Call]]:
    """The calls without stores of work that no other kernel and no control reads, and without those left empty."""
    kernels = list(dict.fromkeys(call.kernel for calls in phases.values() for call in calls))
    live, known = set(shown), -1
    while len(live) != known:
        known = len(live)
        for kernel in kernels:
            kept = [scalar for location, scalar in kernel.outputs if _is_live(kernel, location, live)]
            for index in kernel.graph.needed(kept):
                if kernel.graph.operation(index) == "symbol":
                    live.add(_place(kernel, kernel.graph.arguments(index)[0]))
    made = {kernel: _with_outputs(kernel, live) for kernel in kernels}
    return {phase: [called_with(call, made[call.kernel]) for call in calls if made[call.kernel].outputs]
            for phase, calls in phases.items()}  # fmt: skip


def _place(kernel: Kernel, location: Location) -> Place:
    return kernel.kind(location.port), location.store, location.field, location.index


def _is_live(kernel: Kernel, location: Location, live: Collection[Place]) -> bool:
    fleeting = location.store == "work" or (location.store, location.field) in OLD
    return not fleeting or _place(kernel, location) in live


def _with_outputs(kernel: Kernel, live: Collection[Place]) -> Kernel:
    kept = tuple(output for output in kernel.outputs if _is_live(kernel, output[0], live))
    return with_used_ports(replace(kernel, outputs=kept))


# --- records ----------------------------------------------------------------------------------------------------------
def _copy(records: Records) -> Records:
    return Records({key: dict(fields) for key, fields in records.fields.items()}, dict(records.entries))


def _drop_unused(records: Records, phases: Mapping[str, Sequence[Call]], shown: Collection[Place]) -> None:
    """Give up work that nobody touches, parameters that nobody reads, and what only readings of a motion need.

    Parameters of bodies and of all stay: a description is told by them.
    """
    used: set[tuple[str, str, str]] = {place[:3] for place in shown} | {
        (kernel.kind(place.port), place.store, place.field)
        for kernel in {call.kernel: None for calls in phases.values() for call in calls}
        for place in (*kernel.reads, *kernel.writes)
    }
    for (kind, store), fields in records.fields.items():
        for name in list(fields):
            idle = (kind, store, name) not in used
            spare = store == "work" or (store, name) in OLD or (store == "parameters" and kind not in (COMMON, BODY))
            if store in ("motion", "account") or (idle and spare):
                del fields[name]


def _is_kept(records: Records, kind: str, name: str) -> bool:
    return name in records.fields.get((kind, "parameters"), {})
