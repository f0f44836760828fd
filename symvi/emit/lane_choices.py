"""Phases that do their work for some lanes alone, so that one run serves lanes that want different things.

The end of a step writes into the state of lanes that end. Where some lanes make factors and others use those made
before once more, one sweep does both: a call that eliminates also does what the call of another right-hand side does on
the same nodes, and of every number each lane takes its own. What is only handed on from call to call of an elimination
needs no choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from symvi.kernels.common import COMMON
from symvi.kernels.kernel import Kernel, Location, Port
from symvi.kernels.records import Records
from symvi.program.program import Call, Node, Program, free_name
from symvi.scalar import Graph, Scalar

ENDING, AFRESH = "ending", "afresh"  # fields of the work of all: masks of lanes
MEANINGS = {ENDING: "lanes whose step ends", AFRESH: "lanes that make new factors"}
CHOSEN = "chosen"  # (lanes, number of these, number of the others): an operation of lanes alone
ENDS = ("arrive", "finish")  # phases that write into the state
ONES, OTHERS = ("linearize", "eliminate"), "resolve"  # phases that make factors, and the one that uses them once more
SOME = "_of_some"  # the end of the name of a phase for some lanes

Place = tuple[str, str, str]  # type of node, store, field


def with_choices(program: Program) -> Program:
    """The program with phases for some lanes beside those for all."""
    fields = {key: dict(named) for key, named in program.records.fields.items()}
    records = Records(fields, dict(program.records.entries))
    for name, meaning in MEANINGS.items():
        records.declare(COMMON, "work", name, 1, meaning)
    phases = dict(program.phases)
    pairs = _Pairs(program.nodes[COMMON][0])
    for phase in ENDS:
        calls = phases.get(phase, ())
        phases[phase + SOME] = tuple(
            pairs.call(ENDING, call, None, lambda place: place[1] == "state") for call in calls
        )
    if program.notes["chords"] and not program.notes["inequalities"]:
        handed = handed_on(program)
        left = list(phases.get(OTHERS, ()))
        for phase in ONES:
            made = []
            for call in phases.get(phase, ()):
                partner = left.pop(0) if left and set(left[0].nodes) <= set(call.nodes) else None
                made.append(pairs.call(AFRESH, call, partner, lambda place: place not in handed))
            phases[phase + SOME] = tuple(made)
        alone = [pairs.call(AFRESH, None, call, lambda place: True) for call in left]
        phases[ONES[-1] + SOME] = (*phases[ONES[-1] + SOME], *alone)
    return replace(program, records=records, phases=phases)


def handed_on(program: Program) -> set[Place]:
    """What phases that make factors read, and no other does: from call to call, each makes it before the next reads."""
    ones = _places(program, ONES)
    return ones - _places(program, [phase for phase in program.phases if phase not in ONES])


def _places(program: Program, phases: Iterable[str]) -> set[Place]:
    """What phases read."""
    calls = [call for phase in phases for call in program.phases.get(phase, ())]
    return {(call.kernel.kind(place.port), place.store, place.field) for call in calls for place in call.kernel.reads}


class _Pairs:
    """Makes calls of which lanes take their own numbers. common: the node of all."""

    def __init__(self, common: Node):
        self.common = common
        self.made: dict[tuple, Kernel] = {}

    def call(self, which: str, ones: Call | None, others: Call | None, is_chosen: Callable[[Place], bool]) -> Call:
        """What lanes of a field of the work of all do, and what the others do; None is nothing. is_chosen: whether the
        others keep a number that only the first write."""
        given = [call for call in (ones, others) if call is not None]
        nodes = list(dict.fromkeys(node for call in given for node in call.nodes))
        nodes = nodes if self.common in nodes else [*nodes, self.common]
        shape = [None if call is None else (call.kernel, *map(nodes.index, call.nodes)) for call in (ones, others)]
        key = which, *shape, nodes.index(self.common)
        if key not in self.made:
            name = free_name(given[0].kernel.name + SOME, (), {kernel.name for kernel in self.made.values()})
            self.made[key] = replace(_chosen(which, ones, others, nodes, self.common, is_chosen), name=name)
        return replace(given[0], kernel=self.made[key], nodes=tuple(nodes))


def _chosen(
    which: str,
    ones: Call | None,
    others: Call | None,
    nodes: Sequence[Node],
    common: Node,
    is_chosen: Callable[[Place], bool],
) -> Kernel:
    """The kernel of both calls. nodes: its own, in the order of its ports."""
    given = [call for call in (ones, others) if call is not None]
    labels: dict[Node, str] = {}
    for call in given:
        for port, node in zip(call.kernel.ports, call.nodes, strict=True):
            if node not in labels:
                labels[node] = port.label
    labels.setdefault(common, COMMON)
    graph = Graph()
    lanes = graph.symbol(Location(labels[common], "work", which, 0))
    second, first = (({} if call is None else _copied(call, graph, labels)) for call in (others, ones))
    kinds = {label: node.kind for node, label in labels.items()}
    outputs, places = [], {}
    for place in dict.fromkeys((*first, *second)):
        old = graph.symbol(place)
        mine, theirs = first.get(place, old), second.get(place, old)
        value = mine
        same = which == AFRESH and graph.operation(mine.index) == "const"  # as it is in the last factors
        if place in second or (not same and is_chosen((kinds[place.port], place.store, place.field))):
            value = graph.function(CHOSEN, lanes, mine, theirs)
            places[value.index] = max(mine.index, theirs.index)  # as soon as both are known
        outputs.append((place, value))
    return replace(
        given[0].kernel,
        ports=tuple(Port(labels[node], node.kind) for node in nodes),
        graph=graph,
        outputs=tuple(outputs),
        places=places,
    )


def _copied(call: Call, graph: Graph, labels: dict[Node, str]) -> dict[Location, Scalar]:
    """What a call writes, by place, in a graph: the very operations of its kernel, by which no bit changes."""
    kernel = call.kernel
    names = {port.label: labels[node] for port, node in zip(kernel.ports, call.nodes, strict=True)}
    source, copies = kernel.graph, {}
    for index in kernel.sequence:
        operation = source.operation(index)
        graph.origin = source.origins.get(index)
        if operation == "const":
            copies[index] = graph.constant(source.arguments(index)[0])
        elif operation == "symbol":
            place = source.arguments(index)[0]
            copies[index] = graph.symbol(replace(place, port=names[place.port]), name=source.names.get(index))
        else:
            copies[index] = graph.function(operation, *(copies[i] for i in source.operands(index)))
            if index in source.names:
                graph.name(copies[index], source.names[index])
            if index in source.hints:
                graph.hint(copies[index], source.hints[index])
    graph.origin = None
    return {replace(place, port=names[place.port]): copies[scalar.index] for place, scalar in kernel.outputs}
