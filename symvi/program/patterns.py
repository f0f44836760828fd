"""Numbers of a program that are the same in every step: kernels with these put in, and without what nobody reads then.

Where orientations are computed from joints, exact zeros of axes and anchors go on into all that follows from them: the
links of a planar chain turn about one axis, and every number beside its plane is zero. Which are so follows from the
kernels alone, as the greatest fixed point: every number is taken for a constant, kernels are traced, and what one of
them makes something else of is free from then on. Zeros of a state count as well, but not what a start gives (rates): a
motion that begins on its joints has these zeros, and the kernels that place bodies keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from symvi.kernels.kernel import Kernel, Location, Port
from symvi.kernels.records import Records
from symvi.program.program import Call
from symvi.scalar import Graph, Scalar

Place = tuple[str, str, str, int]  # (kind, store, field, entry)
UNKNOWN = object()  # of a place that no kernel has written yet


class Patterns:
    """Finds constants and rewrites the calls of all phases.

    phases: calls by phase. kinds: node types whose numbers may be constants. exempt: phases whose kernels stay as they
    are, since they look at what a caller has given. needed: whether something else than a kernel reads a place. given:
    whether a start gives a place of the state, so that it may hold any number.
    """

    def __init__(
        self,
        phases: Mapping[str, Sequence[Call]],
        kinds: Collection[str],
        exempt: Collection[str],
        needed: Callable[[Place], bool],
        given: Callable[[Place], bool],
    ):
        self.phases, self.kinds, self.exempt, self.needed, self.given = phases, kinds, exempt, needed, given
        self.kernels = list(dict.fromkeys(call.kernel for calls in phases.values() for call in calls))
        self.known: dict[Place, object] = {}
        self.settled: dict[Place, Fraction] = {}  # constants that something else than a kernel reads

    def simplified(self) -> dict[str, list[Call]]:
        """The calls of all phases, those that have nothing left to do taken out."""
        fixed = {call.kernel for phase in self.exempt for call in self.phases.get(phase, ())}
        self._find(fixed)
        constants = {place: value for place, value in self.known.items() if isinstance(value, Fraction)}
        made = {k: k if k in fixed else self._rewritten(k, constants) for k in self.kernels}
        looked_at = {self._place(kernel, location) for kernel in fixed for location in kernel.writes}
        self.settled = {
            place: value
            for place, value in constants.items()
            if place[1] == "work" and place not in looked_at and self.needed(place)
        }
        self._drop_unread(made, fixed)
        made = {original: with_used_ports(kernel) for original, kernel in made.items()}
        found = {}
        for phase, calls in self.phases.items():
            found[phase] = [called_with(call, made[call.kernel]) for call in calls if made[call.kernel].outputs]
        found["setup"] = [*found["setup"], *self._constants()]
        return found

    def _constants(self) -> list[Call]:
        """What control reads of these numbers is stored once, before a step: a call for each record that has some."""
        nodes = dict.fromkeys(node for calls in self.phases.values() for call in calls for node in call.nodes)
        kernels = {}
        for kind in dict.fromkeys(place[0] for place in self.settled):
            graph, port = Graph(), Port(kind, kind)
            values = sorted((place[2:], value) for place, value in self.settled.items() if place[0] == kind)
            outputs = tuple((Location(kind, "work", *at), graph.constant(value)) for at, value in values)
            kernels[kind] = Kernel(f"settle_{kind}", "numbers that are the same in every step", (port,), graph, outputs)
        return [Call(kernels[node.kind], (node,), node.name) for node in nodes if node.kind in kernels]

    # --- constants ----------------------------------------------------------------------------------------------------
    def _place(self, kernel: Kernel, location: Location) -> Place:
        return kernel.kind(location.port), location.store, location.field, location.index

    def _may_be_constant(self, place: Place) -> bool:
        return place[0] in self.kinds and place[1] in ("work", "state")

    def _find(self, fixed: Collection[Kernel]) -> None:
        """Take every place for a constant until no kernel makes something else of one.

        What kernels that stay as they are write into a state is zero but for round-off wherever the others keep it so.
        """
        for kernel in self.kernels:
            for location in (*kernel.reads, *kernel.writes):
                place = self._place(kernel, location)
                if self._may_be_constant(place):
                    self.known[place] = self._first(place)
        readers: dict[Place, list[Kernel]] = {}
        for kernel in self.kernels:
            for place in {self._place(kernel, location) for location in kernel.reads} & self.known.keys():
                readers.setdefault(place, []).append(kernel)
        waiting = dict.fromkeys(self.kernels)  # of which something that they read has changed
        while waiting:
            for kernel in list(waiting):
                del waiting[kernel]
                values = self._values(kernel)
                for location, scalar in kernel.outputs:
                    place = self._place(kernel, location)
                    if place in self.known and not (kernel in fixed and place[1] == "state"):
                        joined = _joined(self.known[place], values[scalar.index])
                        if joined is not self.known[place] and joined != self.known[place]:
                            self.known[place] = joined
                            waiting |= dict.fromkeys(readers.get(place, ()))

    def _first(self, place: Place) -> object:
        """What a place holds before a kernel writes it.

        In a state this is zero, but for what a start gives and for scalar parts of orientations.
        """
        _, store, name, entry = place
        if store == "work":
            return UNKNOWN
        return None if (name, entry) == ("q", 0) or self.given(place) else Fraction(0)

    def _values(self, kernel: Kernel) -> dict[int, object]:
        """Constant, None for any number, or UNKNOWN, of every node of a kernel."""
        graph, found = kernel.graph, {}
        for index in kernel.sequence:
            operation = graph.operation(index)
            if operation == "const":
                found[index] = graph.arguments(index)[0]
            elif operation == "symbol":
                found[index] = self.known.get(self._place(kernel, graph.arguments(index)[0]))
            else:
                found[index] = _outcome(operation, [found[i] for i in graph.operands(index)])
        return found

    # --- kernels ------------------------------------------------------------------------------------------------------
    def _rewritten(self, kernel: Kernel, constants: Mapping[Place, Fraction]) -> Kernel:
        """The kernel with constants put in."""

        def known(location: Location) -> Fraction | Location:
            return constants.get(self._place(kernel, location), location)

        return copied(kernel, known)

    def _drop_unread(self, made: dict[Kernel, Kernel], fixed: Collection[Kernel]) -> None:
        """Leave out stores that nothing comes of: no kernel makes something of them that is needed."""
        live: set[Place] = set()
        counts: dict[Kernel, int] = {}  # of outputs that were live when a kernel was looked at last: they grow
        grown = True
        while grown:
            grown = False
            for original, kernel in made.items():
                kept = [o for o in kernel.outputs if original in fixed or self._is_live(kernel, o[0], live)]
                if counts.get(original) == len(kept):
                    continue
                counts[original] = len(kept)
                reads = kernel.graph.sequence([scalar for _, scalar in kept])
                found = {
                    self._place(kernel, kernel.graph.arguments(i)[0])
                    for i in reads
                    if kernel.graph.operation(i) == "symbol"
                }
                grown = grown or not found <= live
                live |= found
        for original, kernel in made.items():
            if original not in fixed:
                kept = tuple(o for o in kernel.outputs if self._is_live(kernel, o[0], live))
                made[original] = replace(kernel, outputs=kept)

    def _is_live(self, kernel: Kernel, location: Location, live: Collection[Place]) -> bool:
        place = self._place(kernel, location)
        if place in self.settled:
            return False
        return not (place[0] in self.kinds and place[1] == "work") or place in live or self.needed(place)


def _joined(known: object, value: object) -> object:
    """What a place holds that held one and is given another."""
    if value is UNKNOWN:
        return known
    if known is UNKNOWN:
        return value
    return known if known == value else None


def _outcome(operation: str, values: Sequence[object]) -> object:
    """What an operation makes of constants; UNKNOWN where a number is not written yet."""
    if operation == "mul" and any(value == 0 for value in values if isinstance(value, Fraction)):
        return Fraction(0)
    if operation == "div" and isinstance(values[0], Fraction) and values[0] == 0:
        return Fraction(0)
    if any(value is UNKNOWN for value in values):
        return UNKNOWN
    known = [value for value in values if isinstance(value, Fraction)]
    if len(known) < len(values) or (operation == "div" and known[1] == 0):
        return None
    graph = Graph()
    return graph.constant_value(graph.apply(operation, [graph.constant(value) for value in known]))


def with_used_ports(kernel: Kernel) -> Kernel:
    """The kernel with those of its ports that it reads or writes."""
    used = {location.port for location in (*kernel.reads, *kernel.writes)}
    return replace(kernel, ports=tuple(port for port in kernel.ports if port.label in used))


def called_with(call: Call, kernel: Kernel) -> Call:
    """The call with the nodes of the ports that the kernel still has."""
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return replace(call, kernel=kernel, nodes=tuple(nodes[port.label] for port in kernel.ports))


# --- records ----------------------------------------------------------------------------------------------------------
def compacted(
    phases: Mapping[str, Sequence[Call]], records: Records, kinds: Collection[str], needed: Callable[[Place], bool]
) -> dict[str, list[Call]]:
    """The calls with fields of work closed up: entries that no kernel touches, and nobody else reads, have no place."""
    kernels = list(dict.fromkeys(call.kernel for calls in phases.values() for call in calls))
    used: dict[tuple[str, str], set[int]] = {}
    for kernel in kernels:
        for location in (*kernel.reads, *kernel.writes):
            kind = kernel.kind(location.port)
            if kind in kinds and location.store == "work" and not needed((kind, "work", location.field, 0)):
                used.setdefault((kind, location.field), set()).add(location.index)
    places = {of: {old: new for new, old in enumerate(sorted(entries))} for of, entries in used.items()}
    for (kind, field), moved in places.items():
        records.resize(kind, "work", field, len(moved))
    made = {kernel: _moved(kernel, places) for kernel in kernels}
    return {phase: [replace(call, kernel=made[call.kernel]) for call in calls] for phase, calls in phases.items()}


def _moved(kernel: Kernel, places: Mapping[tuple[str, str], Mapping[int, int]]) -> Kernel:
    """The kernel on records whose entries lie elsewhere."""

    def moved(location: Location) -> Location:
        entries = places.get((kernel.kind(location.port), location.field), {}) if location.store == "work" else {}
        return replace(location, index=entries.get(location.index, location.index))

    copy = copied(kernel, moved)
    return replace(copy, outputs=tuple((moved(location), scalar) for location, scalar in copy.outputs))


def _one(graph: Graph, operation: str, operands: Sequence[Scalar]) -> Scalar | None:
    """x (1/x) is one, without round-off: the pivot of a coordinate, against what it is the inverse of."""
    if operation == "mul":
        for inverse, value in (operands, operands[::-1]):
            if graph.operation(inverse.index) == "div":
                top, bottom = graph.operands(inverse.index)
                if bottom == value.index and graph.constant_value(graph.scalar(top)) == 1:
                    return graph.constant(1)
    return None


def copied(kernel: Kernel, known: Callable[[Location], Fraction | Location], named: bool = False) -> Kernel:
    """A kernel built anew on other inputs: numbers, or other places. named: these are called as the places before."""
    source, graph = kernel.graph, Graph()
    copies: dict[int, Scalar] = {}
    places: dict[int, int] = {}
    for index in kernel.sequence:
        first, operation = len(graph), source.operation(index)
        graph.origin = source.origins.get(index)
        if operation == "const":
            copies[index] = graph.constant(source.arguments(index)[0])
        elif operation == "symbol":
            value = known(source.arguments(index)[0])
            if isinstance(value, Fraction):
                copies[index] = graph.constant(value)
            else:
                place = source.arguments(index)[0]
                name = source.names.get(index) or (f"{place.field}_{place.index}" if named else None)
                copies[index] = graph.symbol(value, source.rate(index), name)
        else:
            operands = [copies[i] for i in source.operands(index)]
            copies[index] = _one(graph, operation, operands) or graph.apply(operation, operands)
            if index in source.names:
                graph.name(copies[index], source.names[index])
            if index in source.hints:
                graph.hint(copies[index], source.hints[index])
        places.update(dict.fromkeys(range(first, len(graph)), kernel.places.get(index, index)))
    graph.origin = None
    outputs = tuple((location, copies[scalar.index]) for location, scalar in kernel.outputs)
    return replace(kernel, graph=graph, outputs=outputs, places=places)
