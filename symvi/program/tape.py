"""Tapes: what the tangents of a script need is computed once, at a solution; then tangents go forwards, and slopes of a
loss backwards, as often as wanted, by products and sums alone.

A kernel of tangents is linear in them: dy = L dx. Its record is the numbers in L; from there it runs forwards, or
reversed: y's slopes are taken, those of x gain Lᵀ of them. The calls of a script in reverse order, each reversed, are
its adjoint, with the same factors of the same matrix.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from symvi.kernels.kernel import Kernel, Location, Port, over_graph
from symvi.kernels.records import Field, Records
from symvi.program.program import Call, Node, Program
from symvi.program.slopes import MARK, Action, Place, Slopes, is_of_slopes
from symvi.scalar import Graph, Rate, Scalar

TAPE = "tape"  # the store, and the port, of numbers that are recorded
BY = "by"  # their field
SOLVED = "step"  # the script that begins at a solution
STANDING = ("shorten_step", "substitute", "advance")  # phases that leave it where it is
KNOWN = ("prepare", "evaluate")  # phases whose results are in memory there, where none but these two has written
AGAIN = "again"  # what kernels are called of which a part runs once more
COLUMN = "c_"  # in front of a store: one direction of its numbers, or slopes of a loss by them


@dataclass(frozen=True)
class LinearParts:
    """A kernel of tangents as its record, what it does forwards, and its reverse. record: None where it needs none."""

    record: Kernel | None
    forwards: Kernel
    backwards: Kernel
    count: int


@dataclass(frozen=True)
class Tape:
    """A script that is recorded. Calls by action, those backwards in the order of the actions too.

    sizes: numbers of every type of records on the tape, which is the kernel's name. counts: how many of each. places:
    numbers of a column.
    """

    slopes: Slopes
    record: tuple[tuple[Call, ...], ...]
    forwards: tuple[tuple[Call, ...], ...]
    backwards: tuple[tuple[Call, ...], ...]
    sizes: dict[str, int]
    counts: dict[str, int]
    places: frozenset[Place]


class Made:
    """Kernels that tapes of one program have made. Equal ones have one name, and others have another.

    linear: parts of kernels of tangents by their names. again: parts of kernels of values, by name and outputs.
    joined: records with these.
    """

    def __init__(self) -> None:
        self.linear: dict[str, LinearParts] = {}
        self.again: dict[tuple[str, frozenset[Location]], Kernel] = {}
        self.joined: dict[tuple[str, str], Kernel] = {}

    def part(self, kernel: Kernel, outputs: Collection[Location]) -> Kernel:
        """The part of a kernel that computes some outputs."""
        key = kernel.name, frozenset(outputs)
        if key not in self.again:
            left = tuple((at, value) for at, value in kernel.outputs if at in outputs)
            name = f"{AGAIN}{self._number(self.again, kernel.name)}_{kernel.name}"
            self.again[key] = over_graph(name, kernel.summary, kernel.ports, kernel.graph, left)
        return self.again[key]

    def both(self, record: Kernel, values: Kernel) -> Kernel:
        """A record and the kernel of values behind it."""
        key = record.name, values.name
        if key not in self.joined:
            name = record.name.replace("record_", f"record{self._number(self.joined, record.name)}_with_", 1)
            self.joined[key] = _both(record, values, name)
        return self.joined[key]

    @staticmethod
    def _number(made: Mapping[tuple, Kernel], name: str) -> str:
        count = sum(own == name for own, _ in made)
        return str(count + 1) if count else ""


def tape_of(slopes: Slopes, made: Made | None = None) -> Tape:
    """The tape of a script. made: kernels that other tapes have made."""
    made = Made() if made is None else made
    known = made.linear
    record, forwards, backwards, counts = [], [], [], {}
    for calls in slopes.calls:
        own: list[Call] = []
        ahead: list[Call] = []
        back: list[Call] = []
        for call in calls:
            if not is_of_slopes(call.kernel):
                own.append(call)
                continue
            name = call.kernel.name
            if name not in known:
                known[name] = linear_parts(call.kernel)
            parts = known[name]
            node = Node(name, counts.get(name, 0), f"{name} {counts.get(name, 0)}")
            if parts.record is not None:
                own.append(_called(parts.record, call, node))
                counts[name] = counts.get(name, 0) + 1
            ahead.append(_called(parts.forwards, call, node))
            back.append(_called(parts.backwards, call, node))
        record.append(own)
        forwards.append(tuple(ahead))
        backwards.append(tuple(reversed(back)))
    sizes = {name: known[name].count for name in counts}
    needed = tuple(_joined(calls, made) for calls in _needed(slopes, record, made))
    return Tape(slopes, needed, tuple(forwards), tuple(backwards), sizes, counts, slopes.places)


def with_tapes(
    program: Program, tapes: Iterable[Tape], tangents: Mapping[tuple[str, str], Mapping[str, Field]]
) -> Program:
    """The program with records of tapes and of columns. tangents: records that hold tangents; a column has the same."""
    records = Records({key: dict(fields) for key, fields in program.records.fields.items()}, program.records.entries)
    nodes = dict(program.nodes)
    for tape in tapes:
        for kind, size in tape.sizes.items():
            records.fields[kind, TAPE] = {BY: Field(BY, size, "what tangents need")}
            count = max(tape.counts[kind], len(nodes.get(kind, ())))
            nodes[kind] = tuple(Node(kind, k, f"{kind} {k}") for k in range(count))
    for (kind, store), fields in tangents.items():
        records.fields[kind, COLUMN + store.removeprefix(MARK)] = dict(fields)
    return replace(program, records=records, nodes=nodes)


def _called(kernel: Kernel, call: Call, tape: Node) -> Call:
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)} | {TAPE: tape}
    return Call(kernel, tuple(nodes[port.label] for port in kernel.ports), call.comment)


def _needed(slopes: Slopes, actions: Sequence[Sequence[Call]], made: Made) -> tuple[tuple[Call, ...], ...]:
    """Calls whose results are recorded, at once or by others, and are not in memory as they are; of their kernels the
    outputs that are read."""
    each = zip(slopes.script.actions, actions, strict=True)
    needs = _Needs([(action, call) for action, calls in each for call in calls], slopes.script.name == SOLVED, made)
    return needs.calls([len(calls) for calls in actions])


class _Needs:
    """Which calls of a script are run once more to record it.

    A number has versions: its first one, and one of every result, which is its kernel and the versions of what that
    read. Equal versions are equal numbers. What a call reads while it is recorded must have the version that it has in
    the whole script: either memory has it from before, and nothing that runs again takes its place, or its writer runs.
    A sum that calls add to in turn is therefore made anew as a whole, or not at all. At a solution the phases that
    stand there change no number: increments are zero, of which an elimination may leave a part.
    """

    def __init__(self, calls: Sequence[tuple[Action, Call]], solved: bool, known: Made):
        self.known = known
        self.all = [call for _, call in calls]
        self.stands = [solved and action.phase in STANDING for action, _ in calls]
        self.solves = [action.solves for action, _ in calls]
        self.read: list[dict[tuple, object]] = []  # of every call the versions of what it reads
        self.made: list[dict[tuple, object]] = []  # and of what it writes
        self.writers: list[dict[tuple, int]] = []  # and who wrote what it reads
        versions: dict[tuple, object] = {}
        last: dict[tuple, int] = {}
        lost: set[tuple] = set()  # numbers of which memory may hold others than those of the solution
        for n, (action, call) in enumerate(calls):
            reads, writes = (_numbers(call, places) for places in (call.kernel.reads, call.kernel.writes))
            self.read.append({number: versions.get(number, number) for number in reads})
            self.writers.append({number: last[number] for number in reads if number in last})
            made = hash((call.kernel.name, tuple(self.read[-1].values())))
            self.made.append({number: number if self.stands[n] else (made, k) for k, number in enumerate(writes)})
            versions |= self.made[-1]
            last |= dict.fromkeys(writes, n)
            if not (solved and action.phase in (*STANDING, *KNOWN)):
                lost |= set(writes)
        self.memory = {number: version for number, version in versions.items() if number not in lost}
        self.kept: dict[str, set[Location]] = {}  # kernel -> outputs that are read
        self.parts: dict[tuple[str, int], tuple[tuple[Location, ...], tuple[Location, ...]]] = {}

    def calls(self, counts: Sequence[int]) -> tuple[tuple[Call, ...], ...]:
        """Those of every action, of which there are so many."""
        runs = {n for n, call in enumerate(self.all) if _is_record(call)}
        for n in runs:
            self.kept[self.all[n].kernel.name] = set(self.all[n].kernel.writes)
        while missing := self._missing(runs):
            for n, number in missing:
                call = self.all[n]
                written = zip(call.kernel.writes, _numbers(call, call.kernel.writes), strict=True)
                self.kept.setdefault(call.kernel.name, set()).update(at for at, own in written if own == number)
                runs.add(n)
        found, first = [], 0
        for count in counts:
            found.append(tuple(self._named(n) for n in range(first, first + count) if n in runs))
            first += count
        return tuple(found)

    def _missing(self, runs: set[int]) -> list[tuple[int, tuple]]:
        """Calls, and their results, that are read and not there where only some calls run."""
        found: list[tuple[int, tuple]] = []
        now: dict[tuple, object] = {}
        solved: set[tuple] = set()  # increments that an elimination has left
        for n in sorted(runs):
            call, (reads, writes) = self.all[n], self._part(n)
            for number in _numbers(call, reads):
                version = self.read[n][number]
                there = (now[number],) if number in now else (number, self.memory.get(number, number))
                if version not in there:
                    writer = self.writers[n].get(number)
                    if writer is not None and self.stands[writer] and number in solved:
                        continue
                    if writer is None or self.stands[writer]:
                        raise ValueError(f"{call.kernel.name} reads {number}, whose place is taken")
                    found.append((writer, number))
            written = _numbers(call, writes)
            now |= {number: self.made[n][number] for number in written}
            solved = (solved | set(written)) if self.solves[n] else (solved - set(written))
        return found

    def _part(self, n: int) -> tuple[tuple[Location, ...], tuple[Location, ...]]:
        """What a call reads and writes of which the results are read."""
        kernel = self.all[n].kernel
        outputs = self.kept[kernel.name]
        key = kernel.name, len(outputs)  # which only grow
        if key not in self.parts:
            left = [(at, value) for at, value in kernel.outputs if at in outputs]
            graph, read = kernel.graph, dict.fromkeys(kernel.reads)
            own = {graph.arguments(i)[0] for i in graph.sequence([value for _, value in left])
                   if graph.operation(i) == "symbol"}  # fmt: skip
            self.parts[key] = tuple(at for at in read if at in own), tuple(at for at, _ in left)
        return self.parts[key]

    def _named(self, n: int) -> Call:
        """A call of a kernel's part that computes what is read."""
        call = self.all[n]
        kernel, outputs = call.kernel, self.kept[call.kernel.name]
        if len(outputs) == len(kernel.outputs):
            return call
        part = self.known.part(kernel, outputs)
        nodes = {port.label: node for port, node in zip(kernel.ports, call.nodes, strict=True)}
        return Call(part, tuple(nodes[port.label] for port in part.ports), call.comment)


def _is_record(call: Call) -> bool:
    return any(at.store == TAPE for at in call.kernel.writes)


def _joined(calls: Sequence[Call], made: Made) -> tuple[Call, ...]:
    """A record and the kernel of values behind it, as one kernel: much of both is the same."""
    found: list[Call] = []
    for call in calls:
        name = call.kernel.name.partition("_")[2] if call.kernel.name.startswith(AGAIN) else call.kernel.name
        if found and _is_record(found[-1]) and found[-1].kernel.name.endswith(f"_of_{name}"):
            before = found.pop()
            kernel = made.both(before.kernel, call.kernel)
            nodes = {port.label: node for each in (before, call)
                     for port, node in zip(each.kernel.ports, each.nodes, strict=True)}  # fmt: skip
            call = Call(kernel, tuple(nodes[port.label] for port in kernel.ports), call.comment)
        found.append(call)
    return tuple(found)


def _both(record: Kernel, values: Kernel, name: str) -> Kernel:
    graph, outputs = Graph(), []
    for kernel in (values, record):
        source, copies = kernel.graph, {}
        for i in kernel.sequence:
            graph.origin = source.origins.get(i)
            if source.operation(i) == "symbol":
                copies[i] = graph.symbol(source.arguments(i)[0], source.rate(i), source.names.get(i))
            elif source.operation(i) == "const":
                copies[i] = graph.constant(source.arguments(i)[0])
            else:
                copies[i] = graph.apply(source.operation(i), [copies[j] for j in source.operands(i)])
                if i in source.names:
                    graph.name(copies[i], source.names[i])
                if i in source.hints:
                    graph.hint(copies[i], source.hints[i])
        outputs += [(at, copies[value.index]) for at, value in kernel.outputs]
    ports = tuple({port.label: port for port in (*values.ports, *record.ports)}.values())
    summary = f"{values.summary}; what tangents need of it"
    return over_graph(name, summary, ports, graph, tuple(outputs))


def _numbers(call: Call, places: Iterable[Location]) -> list[tuple]:
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return [(nodes[at.port].kind, nodes[at.port].index, at.store, at.field, at.index) for at in places]


# --- kernels ----------------------------------------------------------------------------------------------------------
def linear_parts(kernel: Kernel) -> LinearParts:
    """The parts of a kernel of tangents. Raises ValueError for one that is not linear in them."""
    source, moving = kernel.graph, _moving(kernel)
    ports = (*kernel.ports, Port(TAPE, kernel.name))
    kept: dict[int, int] = {}

    def taken(graph: Graph, i: int) -> Scalar:
        """What does not move, as a number on the tape."""
        if source.operation(i) == "const":
            return graph.constant(source.arguments(i)[0])
        if source.operation(i) == "neg":
            return graph.neg(taken(graph, source.operands(i)[0]))
        name = source.names.get(i) or source.hints.get(i) or f"{BY}{kept.setdefault(i, len(kept))}"
        place = Location(TAPE, TAPE, BY, kept.setdefault(i, len(kept)))
        return graph.symbol(place, Rate.STEP, name)

    forwards, backwards = _forwards(kernel, moving, taken), _backwards(kernel, moving, taken)
    numbers = tuple((Location(TAPE, TAPE, BY, k), source.scalar(i)) for i, k in kept.items())
    summary = kernel.summary.removeprefix("tangents: ")
    record = over_graph(f"record_{kernel.name}", f"for tangents: {summary}", ports, source, numbers) if kept else None
    return LinearParts(
        record,
        over_graph(f"along_{kernel.name}", kernel.summary, ports, *forwards),
        over_graph(f"back_{kernel.name}", f"reversed: {kernel.summary}", ports, *backwards),
        len(kept),
    )


def _moving(kernel: Kernel) -> list[int]:
    """Nodes of a graph that are linear in tangents, operands first."""
    source, found = kernel.graph, {}
    for i in source.sequence([value for _, value in kernel.outputs]):
        if source.operation(i) == "symbol":
            moves = source.arguments(i)[0].store.startswith(MARK)
        else:
            moves = any(j in found for j in source.operands(i))
        if moves:
            found[i] = None
    return list(found)


def _column(at: Location) -> Location:
    return Location(at.port, COLUMN + at.store.removeprefix(MARK), at.field, at.index)


def _forwards(kernel: Kernel, moving: Sequence[int], taken) -> tuple[Graph, tuple]:
    source, graph, copies = kernel.graph, Graph(), {}
    for i in moving:
        graph.origin = source.origins.get(i)
        if source.operation(i) == "symbol":
            copies[i] = graph.symbol(_column(source.arguments(i)[0]), Rate.ITERATION, source.names.get(i))
        else:
            operands = [copies[j] if j in copies else taken(graph, j) for j in source.operands(i)]
            copies[i] = graph.apply(source.operation(i), operands)
        if i in source.hints and source.operation(i) != "symbol":
            graph.hint(copies[i], source.hints[i])
    return graph, tuple((_column(at), copies.get(v.index) or taken(graph, v.index)) for at, v in kernel.outputs)


def _backwards(kernel: Kernel, moving: Sequence[int], taken) -> tuple[Graph, tuple]:
    """Slopes of outputs are taken from their places, and go to the inputs: a rule for each linear operation."""
    source, graph, known = kernel.graph, Graph(), set(moving)
    slopes: dict[int, Scalar] = {}

    def give(i: int, slope: Scalar) -> None:
        if i in known:
            slopes[i] = slopes[i] + slope if i in slopes else slope

    for at, value in kernel.outputs:
        name = f"by_{at.field}_{at.index}"
        give(value.index, graph.symbol(_column(at), Rate.ITERATION, name))
    for i in reversed(moving):
        slope = slopes.get(i)
        if slope is None or source.operation(i) == "symbol":
            continue
        operands = source.operands(i)
        rule = REVERSED.get(source.operation(i))
        if rule is None or (source.operation(i) in ("mul", "div") and all(j in known for j in operands)):
            raise ValueError(f"{kernel.name}: '{source.operation(i)}' of tangents is not linear in them")
        rule(graph, lambda j: taken(graph, j), give, known, operands, slope)
    written = {_column(at) for at, _ in kernel.outputs}
    found = {place: graph.constant(0) for place in written}
    for i in moving:
        if source.operation(i) == "symbol":
            place = _column(source.arguments(i)[0])
            gained = slopes.get(i, graph.constant(0))
            found[place] = gained if place in written else graph.symbol(place, Rate.ITERATION) + gained
    order = [_column(at) for at, _ in kernel.outputs]
    order += [place for place in found if place not in written]
    return graph, tuple((place, found[place]) for place in order)


def _of_sum(graph, taken, give, known, operands, slope) -> None:
    give(operands[0], slope)
    give(operands[1], slope)


def _of_difference(graph, taken, give, known, operands, slope) -> None:
    give(operands[0], slope)
    give(operands[1], -slope)


def _of_opposite(graph, taken, give, known, operands, slope) -> None:
    give(operands[0], -slope)


def _of_product(graph, taken, give, known, operands, slope) -> None:
    moves, factor = operands if operands[0] in known else reversed(operands)
    give(moves, taken(factor) * slope)


def _of_quotient(graph, taken, give, known, operands, slope) -> None:
    give(operands[0], slope / taken(operands[1]))


REVERSED = {
    "add": _of_sum,
    "sub": _of_difference,
    "neg": _of_opposite,
    "mul": _of_product,
    "div": _of_quotient,
}
