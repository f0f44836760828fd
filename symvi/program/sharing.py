"""Work memory that several numbers share, one after the other: what is dead by then makes room for what comes.

Control runs the phases of a lean program in a fixed order (RUNS). Going through them backwards tells which numbers are
alive where: written, and still to be read. Two fields of a record that are never alive together may lie in one place.
What bodies are handed by those that they carry lives from one call of a sweep to the next: such sums lie in records of
their own, of which a sweep needs as many as are alive at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from symvi.kernels.body_kernels import BODY
from symvi.kernels.common import COMMON
from symvi.kernels.kernel import Kernel, Location, Port
from symvi.kernels.records import Field, Records
from symvi.program.patterns import copied
from symvi.program.program import Call, Node, free_name

SUMS = "sums"  # the type of the records of what bodies are handed
HANDED = ("borne", "carried", "left")
SHARED = "shared"
_KNOT = ("setup", "prepare", "rest", "evaluate", "linearize", "eliminate", "substitute", "take_velocity")
_LOOKS = ("setup", "prepare", "watch", "inspect")
_BEGIN = ("setup", "prepare", "start_momenta", *_KNOT)
_ITERATION = ("linearize", "eliminate", "substitute", "advance", "evaluate")
# The phases in the order in which control runs them: the starts, and a step of two iterations, of which the first leads
# on to another one and the last to the end. No number is handed from one run to another.
RUNS = (
    (*_LOOKS, *_BEGIN, "start_momenta", *_LOOKS),
    (*_BEGIN, "start_momenta", "start_momenta_of_turn", *_KNOT, "start_momenta", *_LOOKS),
    ("setup", "prepare", "start_momenta_of_chord", *_LOOKS),
    ("setup", "prepare", "watch", "measure_bend", "begin", "begin", "evaluate", *_ITERATION, *_ITERATION, "spread",
     "arrive", "finish"),
)  # fmt: skip

Spot = tuple[Node, str]  # a field of the work of a node
Phases = Mapping[str, Sequence[Call]]


def shared(
    phases: Phases, nodes: Mapping[str, Sequence[Node]], records: Records, shown: Collection[tuple[str, str]]
) -> tuple[dict[str, tuple[Call, ...]], dict[str, tuple[Node, ...]]]:
    """The calls on records whose numbers share places, and the nodes of all types. Changes the records.

    shown: (type, field) of what control reads or writes by name: that keeps a place of its own.
    """
    found = {phase: tuple(calls) for phase, calls in phases.items()}
    of_all = {kind: tuple(of) for kind, of in nodes.items()}
    found, of_all = _pooled(found, of_all, records)
    return _overlaid(found, records, shown), of_all


# --- lives ------------------------------------------------------------------------------------------------------------
class _Lives:
    """What is alive at every call of the runs."""

    def __init__(self, phases: Phases):
        self.at: list[tuple[set[Spot], set[Spot], set[Spot]]] = []  # per call: spots read, written, alive after it
        self.handed_on: set[Spot] = set()  # alive where a run begins
        for run in RUNS:
            calls = [call for phase in run for call in phases.get(phase, ())]
            alive: set[tuple[Spot, int]] = set()
            for call in reversed(calls):
                nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
                reads, writes = (set(_entries(nodes, places)) for places in (call.kernel.reads, call.kernel.writes))
                self.at.append((_spots(reads), _spots(writes), _spots(alive)))
                alive = (alive - writes) | reads
            self.handed_on |= _spots(alive)


def _spots(entries: Collection[tuple[Spot, int]]) -> set[Spot]:
    return {spot for spot, _ in entries}


def _entries(nodes: Mapping[str, Node], places: Sequence[Location]) -> Iterator[tuple[Spot, int]]:
    for place in places:
        if place.store == "work":
            yield (nodes[place.port], place.field), place.index


# --- records of sums --------------------------------------------------------------------------------------------------
def _pooled(phases: dict, nodes: dict, records: Records) -> tuple[dict, dict]:
    """Sums of bodies in as few records as are alive at once, where these are fewer than bodies."""
    fields = records.fields.get((BODY, "work"), {})
    handed = [name for name in HANDED if name in fields]
    if not handed or SUMS in nodes:
        return phases, nodes
    lives = _Lives(phases)
    together: dict[Node, set[Node]] = defaultdict(set)
    for reads, writes, alive in lives.at:
        # a kernel may write before it reads the last number
        here = {node for node, name in reads | writes | alive if node.kind == BODY and name in handed}
        for node in here:
            together[node] |= here - {node}
    slots: dict[Node, int] = {}
    for node in reversed(nodes[BODY]):  # as sweeps go inward
        if node in together:
            taken = {slots[other] for other in together[node] if other in slots}
            slots[node] = next(k for k in range(len(nodes[BODY])) if k not in taken)
    count = max(slots.values(), default=-1) + 1
    if count >= len(slots) or any(node.kind == BODY and name in handed for node, name in lives.handed_on):
        return phases, nodes
    own = tuple(Node(SUMS, k, f"sums {k}") for k in range(count))
    if not own:
        return phases, nodes
    records.fields[SUMS, "work"] = {name: fields.pop(name) for name in handed}
    made: dict[Kernel, Kernel] = {}
    found = {phase: tuple(_on_sums(call, made, own, slots) for call in calls) for phase, calls in phases.items()}
    return found, nodes | {SUMS: own}


def _on_sums(call: Call, made: dict[Kernel, Kernel], own: Sequence[Node], slots: Mapping[Node, int]) -> Call:
    """The call of the kernel that has sums of bodies in records of their own."""
    kernel = call.kernel
    used = {p.port for p in (*kernel.reads, *kernel.writes) if _is_handed(kernel, p)}
    if not used:
        return call
    if kernel not in made:
        ports = [port for port in kernel.ports if any(p.port == port.label and not _is_handed(kernel, p)
                 for p in (*kernel.reads, *kernel.writes))]  # fmt: skip
        ports += [Port(f"{label}_{SUMS}", SUMS) for label in sorted(used)]
        made[kernel] = replace(
            moved(kernel, lambda p: replace(p, port=f"{p.port}_{SUMS}") if _is_handed(kernel, p) else p),
            ports=tuple(ports),
        )
    nodes = {port.label: node for port, node in zip(kernel.ports, call.nodes, strict=True)}
    nodes |= {f"{label}_{SUMS}": own[slots[nodes[label]]] for label in used}
    return replace(call, kernel=made[kernel], nodes=tuple(nodes[port.label] for port in made[kernel].ports))


def _is_handed(kernel: Kernel, place: Location) -> bool:
    return place.store == "work" and place.field in HANDED and kernel.kind(place.port) == BODY


def moved(kernel: Kernel, place: Callable[[Location], Location]) -> Kernel:
    """The kernel on other places; what it calls its inputs stays."""
    copy = copied(kernel, place, named=True)
    return replace(copy, outputs=tuple((place(location), scalar) for location, scalar in copy.outputs))


# --- one place for several fields -------------------------------------------------------------------------------------
def _overlaid(phases: dict, records: Records, shown: Collection[tuple[str, str]]) -> dict[str, tuple[Call, ...]]:
    """Fields of a record that are never alive together, in one field."""
    lives = _Lives(phases)
    handed_on = {(node.kind, name) for node, name in lives.handed_on}
    together: dict[tuple[str, str], set[str]] = defaultdict(set)
    for _, writes, alive in lives.at:
        here: dict[Node, set[str]] = defaultdict(set)
        for node, name in alive | writes:
            here[node].add(name)
        for node, names in here.items():
            for name in names:
                together[node.kind, name] |= names - {name}
    places: dict[tuple[str, str], tuple[str, int]] = {}
    for kind in {kind for kind, store in records.fields if store == "work" and kind != COMMON}:
        fields = records.fields[kind, "work"]
        free = [f for f in fields.values() if (kind, f.name) not in {*shown, *handed_on}]
        for run in _runs(free, lambda one, other, kind=kind: other in together[kind, one]):
            name = free_name(SHARED, (), fields)
            first = min(at for _, at in run)
            size = max(at + f.size for f, at in run) - first
            told = ", ".join(f"{f.name} from {at - first}" for f, at in run)
            fields[name] = Field(name, size, f"of what is not known at the same time: {told}")
            for f, at in run:
                places[kind, f.name] = name, at - first
                del fields[f.name]

    def place(kernel: Kernel, location: Location) -> Location:
        known = places.get((kernel.kind(location.port), location.field)) if location.store == "work" else None
        return location if known is None else replace(location, field=known[0], index=known[1] + location.index)

    kernels = dict.fromkeys(call.kernel for calls in phases.values() for call in calls)
    made = {kernel: moved(kernel, lambda p, kernel=kernel: place(kernel, p)) for kernel in kernels}
    return {phase: tuple(replace(call, kernel=made[call.kernel]) for call in calls) for phase, calls in phases.items()}


def _runs(fields: Sequence[Field], meet: Callable[[str, str], bool]) -> Iterator[list[tuple[Field, int]]]:
    """Fields that lie over each other, with their places: the largest first, each where it meets nothing alive."""
    placed: list[tuple[Field, int]] = []
    for f in sorted(fields, key=lambda f: -f.size):
        taken = sorted((at, at + other.size) for other, at in placed if meet(f.name, other.name))
        start = 0
        for low, high in taken:
            if start + f.size <= low:
                break
            start = max(start, high)
        placed.append((f, start))
    run: list[tuple[Field, int]] = []
    end = 0
    for f, at in sorted(placed, key=lambda pair: (pair[1], -pair[0].size)):
        if run and at >= end:
            if len(run) > 1:
                yield run
            run = []
        end = max(end, at + f.size) if run else at + f.size
        run.append((f, at))
    if len(run) > 1:
        yield run
