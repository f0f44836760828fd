"""Slopes of a program: for kernels of phases, kernels of tangents beside their values.

A script is phases in the order in which control runs them at a solution. Tangents start at seeds, numbers of records,
and go on through every kernel: its graph is differentiated by the rules of scalar/derivative.py. What moves is followed
forwards through the script, what is wanted backwards, so that a kernel of tangents has what is needed of both.

One Newton step over dual numbers at the solution is the implicit function theorem: with the residual f = 0 there, the
increments of tangents are those of the landed factors, F ds = df. So phases that `solve` see no tangents of the matrix:
those would meet increments that are zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symvi.kernels.kernel import Kernel, Location, over_graph
from symvi.kernels.records import Field
from symvi.kernels.tracing import KEPT
from symvi.program.program import Call, Node, Program
from symvi.scalar import Graph, Rate, Scalar
from symvi.scalar.derivative import Tangents

MARK = "d_"  # in front of a store: tangents of its numbers
# Fields of the matrix: they meet increments that are zero at a solution. Any other that a solve reads may be of the
# right-hand side, and keeps its tangents.
OF_MATRIX = (
    "D",
    "c",  # of which an elimination makes D as it goes (fusion.py), as of what bodies keep
    "a",
    "j",
    "jw",
    "l",
    "mass",
    "G1",
    "G2",
    "along",
    "along1",
    "along2",
    "arm1",
    "arm2",
    "axes1",
    "axes2",
    "brake",
    "hard",
    "points_axes",
    "points_centre",
    "points_inertia",
    "points_momentum",
    "points_sum",
    "reach1",
    "reach2",
    "slope",
)


class Place(NamedTuple):
    """A number in the records of a type of nodes."""

    kind: str
    store: str
    field: str
    entry: int


def _of_matrix(field: str) -> bool:
    return field in OF_MATRIX or field.startswith(f"{KEPT}_")


class Action(NamedTuple):
    """A phase of a script. moves: it has tangents; solves: none of the matrix; runs: its values are computed too."""

    phase: str
    moves: bool = True
    solves: bool = False
    runs: bool = True


@dataclass(frozen=True)
class Script:
    """Actions in order, what moves at the beginning, and what is wanted at the end.

    still: numbers that are zero at a solution, and are held there: they and their tangents are zero before the last
    action, whatever the phases in front of it make of them.
    """

    name: str
    actions: tuple[Action, ...]
    seeds: frozenset[Place]
    goals: frozenset[Place]
    still: frozenset[Place] = frozenset()


@dataclass(frozen=True)
class Slopes:
    """A script with its calls: for every action, those of tangents and of values in one order."""

    script: Script
    calls: tuple[tuple[Call, ...], ...]
    places: frozenset[Place]  # the numbers that tangents are kept of

    def unwritten(self) -> tuple[tuple[str, str], ...]:
        """Fields of work records, by type of nodes, whose tangents are read somewhere before the script writes them.

        They do not move there, and must be zero at the beginning, whatever another script has left.
        """
        written: set[tuple] = set()
        found: set[tuple[str, str]] = set()
        for call in (call for calls in self.calls for call in calls if is_of_slopes(call.kernel)):
            nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
            for places, where in ((call.kernel.reads, None), (call.kernel.writes, written)):
                for at in places:
                    own = nodes[at.port].kind, nodes[at.port].index, at.field, at.index
                    if at.store == MARK + "work" and where is not None:
                        where.add(own)
                    elif at.store == MARK + "work" and own not in written and not self._is_seed(own[0], at.field):
                        found.add((own[0], at.field))
        return tuple(sorted(found))

    def reads(self) -> set[Place]:
        """Numbers whose tangents are read somewhere."""
        return {
            Place(kernel.kind(at.port), at.store.removeprefix(MARK), at.field, at.index)
            for kernel in self.kernels()
            for at in kernel.reads
            if at.store.startswith(MARK)
        }

    def _is_seed(self, kind: str, name: str) -> bool:
        return any((place.kind, place.store, place.field) == (kind, "work", name) for place in self.script.seeds)

    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels of tangents, once each."""
        found = {call.kernel.name: call.kernel for calls in self.calls for call in calls if is_of_slopes(call.kernel)}
        return tuple(found.values())


def is_of_slopes(kernel: Kernel) -> bool:
    """Whether a kernel writes tangents."""
    return any(place.store.startswith(MARK) for place in kernel.writes)


def places_of(program: Program, store: str, kind: str, names: Iterable[str]) -> frozenset[Place]:
    """All numbers of some fields of a record."""
    sizes = {f.name: f.size for f in program.records.of(kind, store)}
    return frozenset(Place(kind, store, name, k) for name in names if name in sizes for k in range(sizes[name]))


def slope_fields(places: Collection[Place]) -> dict[tuple[str, str], dict[str, Field]]:
    """Records that hold tangents, by type of nodes and marked store."""
    found: dict[tuple[str, str], dict[str, Field]] = {}
    for place in sorted(places):
        record = found.setdefault((place.kind, MARK + place.store), {})
        size = max(place.entry + 1, record[place.field].size if place.field in record else 0)
        record[place.field] = Field(place.field, size, f"tangents of {place.field}")
    return found


def derive(program: Program, script: Script, taken: dict[tuple, Kernel] | None = None) -> Slopes:
    """The kernels of tangents that a script needs, and its calls. taken: kernels that other scripts have made."""
    return _Derivation(program, script, {} if taken is None else taken).slopes()


@dataclass
class _Stage:
    """One action on the way: what moves when its kernels are called, and what is wanted of each kernel."""

    action: Action
    calls: tuple[Call, ...]
    moving: set[Place]
    before: set[Place] = field(default_factory=set)  # tangents in memory that are not zero when it begins
    spoilt: set[Place] = field(default_factory=set)  # values that were computed anew without their tangents
    wanted: dict[str, set[Place]] = field(default_factory=dict)


class _Derivation:
    def __init__(self, program: Program, script: Script, taken: dict[tuple, Kernel]):
        self.program, self.script, self.taken = program, script, taken
        self._moved: dict[tuple[str, frozenset[Place]], set[int]] = {}

    def slopes(self) -> Slopes:
        stages = self._forwards()
        self._backwards(stages)
        calls = tuple(tuple(self._calls(stage)) for stage in stages)
        kernels = {call.kernel.name: call.kernel for each in calls for call in each if is_of_slopes(call.kernel)}
        kept = {
            Place(kernel.kind(at.port), at.store.removeprefix(MARK), at.field, at.index)
            for kernel in kernels.values()
            for at in (*kernel.reads, *kernel.writes)
            if at.store.startswith(MARK)
        }
        return Slopes(self.script, calls, frozenset(kept | self.script.seeds | self.script.goals))

    # --- what moves ---------------------------------------------------------------------------------------------------
    def _forwards(self) -> list[_Stage]:
        """What moves in every stage. A type of nodes moves as a whole."""
        stages, moving, spoilt = [], set(self.script.seeds), set()
        inner: set[Place] | None = None
        for action in self.script.actions:
            if action.solves and inner is None:
                inner = {place for place in moving if not _of_matrix(place.field)}
            elif not action.solves and inner is not None:
                moving, inner = moving | inner, None
            calls = {**self.program.phases, **self.program.tangents}[action.phase]
            now = moving if inner is None else inner
            stage = _Stage(action, calls, now, moving | now, set(spoilt))
            stages.append(stage)
            written = {place for call in calls for place in _places(call.kernel, call.kernel.writes)}
            if action.moves:
                self._spread(stage, now)
                spoilt -= written & now
            if action.runs and (not action.moves or action.solves):
                spoilt |= (written & moving) - now
            elif action.moves:
                spoilt -= written
            stage.moving = set(now)
        return stages

    def _spread(self, stage: _Stage, moving: set[Place]) -> None:
        """Add what moves after the calls of a stage."""
        kernels = _kernels(stage.calls)
        while True:
            count = len(moving)
            for kernel in kernels:
                nodes = self._moving_nodes(kernel, moving)
                found = {_place(kernel, at) for at, value in kernel.outputs if value.index in nodes}
                moving |= found - self.script.still
            if len(moving) == count:
                return

    def _moving_nodes(self, kernel: Kernel, moving: set[Place]) -> set[int]:
        """The nodes of a kernel's graph that move."""
        own = frozenset(place for place in _places(kernel, kernel.reads) if place in moving)
        key = kernel.name, own
        if key not in self._moved:
            graph, found = kernel.graph, set()
            for i in kernel.graph.sequence([value for _, value in kernel.outputs]):
                operation = graph.operation(i)
                if operation == "symbol":
                    if _place(kernel, graph.arguments(i)[0]) in own:
                        found.add(i)
                elif any(j in found for j in _leading(graph, i)):
                    found.add(i)
            self._moved[key] = found
        return self._moved[key]

    # --- what is wanted -----------------------------------------------------------------------------------------------
    def _backwards(self, stages: Sequence[_Stage]) -> None:
        """What is wanted of every kernel."""
        wanted = set(self.script.goals)
        for stage in reversed(stages):
            if stage.action.moves:
                self._ask(stage, wanted)
                wanted -= self._overwritten(stage)
                for kernel in _kernels(stage.calls):
                    wanted |= self._reads(kernel, stage, stage.wanted[kernel.name]) - self._first_written(stage)
                wanted &= stage.before

    def _ask(self, stage: _Stage, after: set[Place]) -> None:
        wanted, kernels = set(after), _kernels(stage.calls)
        stage.wanted = {kernel.name: set() for kernel in kernels}
        while True:
            count = sum(map(len, stage.wanted.values()))
            for kernel in reversed(kernels):
                own = set(_places(kernel, kernel.writes)) & wanted & (stage.moving | stage.before)
                stage.wanted[kernel.name] |= own
                wanted |= self._reads(kernel, stage, own)
            if sum(map(len, stage.wanted.values())) == count:
                return

    def _reads(self, kernel: Kernel, stage: _Stage, wanted: set[Place]) -> set[Place]:
        """Moving inputs that wanted outputs of a kernel depend on."""
        nodes, graph, found = self._moving_nodes(kernel, stage.moving), kernel.graph, set()
        stack = [value.index for at, value in kernel.outputs if _place(kernel, at) in wanted]
        seen: set[int] = set()
        while stack:
            i = stack.pop()
            if i in seen or i not in nodes:
                continue
            seen.add(i)
            if graph.operation(i) == "symbol":
                found.add(_place(kernel, graph.arguments(i)[0]))
            stack.extend(_leading(graph, i))
        return found

    def _first_written(self, stage: _Stage) -> set[Place]:
        """Numbers that the calls of a stage write in every node of their type before they read them."""
        first: dict[tuple[str, int], dict[tuple[str, str, int], bool]] = {}
        for call in stage.calls:
            kernel = call.kernel
            nodes = {port.label: node for port, node in zip(kernel.ports, call.nodes, strict=True)}
            for written, places in ((False, kernel.reads), (True, kernel.writes)):
                for at in places:
                    node = nodes[at.port]
                    first.setdefault((node.kind, node.index), {}).setdefault((at.store, at.field, at.index), written)
        counts: dict[Place, int] = {}
        for (kind, _), known in first.items():
            for own, written in known.items():
                if written:
                    counts[Place(kind, *own)] = counts.get(Place(kind, *own), 0) + 1
        return {place for place, count in counts.items() if count == len(self.program.nodes[place.kind])}

    def _overwritten(self, stage: _Stage) -> set[Place]:
        return self._first_written(stage)

    # --- calls --------------------------------------------------------------------------------------------------------
    def _calls(self, stage: _Stage) -> Iterable[Call]:
        """A kernel of tangents in front of every kernel of values: both read what was there before."""
        for call in stage.calls:
            wanted = stage.wanted.get(call.kernel.name) if stage.action.moves else None
            if wanted:
                read = self._reads(call.kernel, stage, wanted)
                if stray := read & stage.spoilt:
                    raise ValueError(
                        f"{self.script.name}: {stage.action.phase} reads {sorted(stray)[0]} without tangents"
                    )
                yield _called(self._tangents_of(call.kernel, frozenset(wanted), frozenset(read)), call)
            if stage.action.runs:
                yield call

    def _tangents_of(self, kernel: Kernel, wanted: frozenset[Place], read: frozenset[Place]) -> Kernel:
        key = kernel.name, wanted, read
        if key not in self.taken:
            count = sum(name == kernel.name for name, *_ in self.taken)
            name = f"slopes{count + 1 if count else ''}_of_{kernel.name}"
            self.taken[key] = kernel_of_tangents(kernel, name, wanted, read)
        return self.taken[key]


def kernel_of_tangents(kernel: Kernel, name: str, wanted: Collection[Place], moving: Collection[Place]) -> Kernel:
    """The kernel that writes tangents of some outputs from those of some inputs."""
    graph, source = Graph(), kernel.graph

    def symbol(index: int) -> Scalar:
        at = source.arguments(index)[0]
        return graph.symbol(at, Rate.ITERATION, source.names.get(index))

    def moved(index: int) -> Scalar | None:
        at = source.arguments(index)[0]
        if _place(kernel, at) not in moving:
            return None
        called = source.names.get(index) or f"{at.field}_{at.index}"
        return graph.symbol(Location(at.port, MARK + at.store, at.field, at.index), Rate.ITERATION, f"{MARK}{called}")

    own, outputs = Tangents(source, graph, symbol, moved), []
    for at, value in kernel.outputs:
        if _place(kernel, at) in wanted:
            found = own.tangent(value.index)
            goal = Location(at.port, MARK + at.store, at.field, at.index)
            outputs.append((goal, graph.constant(0) if found is None else found))
            if found is not None:
                graph.hint(found, f"{MARK}{at.field}_{at.index}")
    return over_graph(name, f"tangents: {kernel.summary}", kernel.ports, graph, tuple(outputs))


def _called(kernel: Kernel, call: Call) -> Call:
    nodes: Mapping[str, Node] = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return Call(kernel, tuple(nodes[port.label] for port in kernel.ports), call.comment)


def _kernels(calls: Sequence[Call]) -> list[Kernel]:
    return list({call.kernel.name: call.kernel for call in calls}.values())


def _place(kernel: Kernel, at: Location) -> Place:
    return Place(kernel.kind(at.port), at.store, at.field, at.index)


def _places(kernel: Kernel, locations: Iterable[Location]) -> list[Place]:
    return [_place(kernel, at) for at in locations]


def _leading(graph: Graph, index: int) -> tuple[int, ...]:
    """The operands that move a node: an angle stays on its branch."""
    operands = graph.operands(index)
    return operands[:2] if graph.operation(index) == "angle" else operands
