"""Calls that work on one link of a tree, one after the other, as one call: what one kernel leaves the next one has.

A body's kernel is called just before the first that needs what it does, or that changes what it reads; the sweeps stay
in their order. Then kernels of a body and of the joint that carries it are one kernel: what the first stores and the
second reads is not loaded again, and not even stored where nobody else reads it (patterns.py). The arithmetic is the
same, in the same order, so that no bit of a motion changes; a sweep goes through memory once, not twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from symvi.kernels.common import COMMON
from symvi.kernels.kernel import Kernel, Location, Port
from symvi.program.program import Call, Node, free_name
from symvi.scalar import Graph, Scalar

TOGETHER = ("prepare", "evaluate", "eliminate", "finish")  # phases whose calls are taken together


def of_links(
    phases: Mapping[str, Sequence[Call]], kinds: Collection[str], exempt: Collection[str]
) -> dict[str, list[Call]]:
    """The calls of all phases, one for each link in a sweep, and the block of a body made where it is eliminated.

    kinds, exempt: as of `Fusion`.
    """
    return Fusion(
        {**phases, "linearize": [], "eliminate": [*phases["linearize"], *phases["eliminate"]]}, kinds, exempt
    ).fused()


class Fusion:
    """Rewrites the calls of phases.

    kinds: node types of bodies and of the joints that carry them. exempt: phases whose kernels stay as they are.
    """

    def __init__(self, phases: Mapping[str, Sequence[Call]], kinds: Collection[str], exempt: Collection[str]):
        self.phases, self.kinds = phases, {COMMON, *kinds}
        self.fixed = {call.kernel for phase in exempt for call in phases.get(phase, ())}
        self.made: dict[tuple, Kernel] = {}
        self.main: dict[Kernel, str] = {}  # by kernel that was made, the name of the part that works on most records

    def fused(self) -> dict[str, list[Call]]:
        """The calls of all phases."""
        found = {
            phase: self._together(beside(calls, self._fit)) if phase in TOGETHER else list(calls)
            for phase, calls in self.phases.items()
        }
        named = self._named({call.kernel: None for calls in found.values() for call in calls})
        return {
            phase: [replace(call, kernel=named.get(call.kernel, call.kernel)) for call in calls]
            for phase, calls in found.items()
        }

    def _named(self, used: Collection[Kernel]) -> dict[Kernel, Kernel]:
        """Kernels that were made, under the name of their main part, where that is not called any more by itself."""
        taken, named = {kernel.name for kernel in used if kernel not in self.main}, {}
        for kernel in used:
            if kernel in self.main:
                main = self.main[kernel]
                name = free_name(main if main not in taken else f"{main}_with_body", (), taken)
                taken.add(name)
                named[kernel] = replace(kernel, name=name)
        return named

    def _together(self, calls: Sequence[Call]) -> list[Call]:
        found: list[Call] = []
        for k, call in enumerate(calls):
            leads = k + 1 < len(calls) and len(_records(call)) == 1 and _records(call) < _records(calls[k + 1])
            if found and self._fit(found[-1], call) and not (leads and not _records(found[-1]) <= _records(call)):
                found[-1] = self._pair(found[-1], call)
            else:
                found.append(call)
        return found

    def _fit(self, first: Call, second: Call) -> bool:
        """Whether two calls are of one link."""
        if self.fixed & {first.kernel, second.kernel} or any(
            node.kind not in self.kinds for call in (first, second) for node in call.nodes
        ):
            return False
        one, other = _records(first), _records(second)
        return bool(one and other) and (one <= other or other <= one)

    def _pair(self, first: Call, second: Call) -> Call:
        """One call in the place of two."""
        main, other = (second, first) if len(_records(second)) >= len(_records(first)) else (first, second)
        called: dict[Node, str] = {}
        kinds: dict[str, str] = {}
        for call in (main, other):  # which names all records that are no others' but those that all share
            for port, node in zip(call.kernel.ports, call.nodes, strict=True):
                kinds.setdefault(called.setdefault(node, port.label), port.kind)
        if len(kinds) < len(called):
            raise ValueError(f"{first.kernel.name} and {second.kernel.name} call two records by one name")
        labels = [
            {port.label: called[node] for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
            for call in (first, second)
        ]
        key = first.kernel, second.kernel, *(tuple(each.items()) for each in labels)
        if key not in self.made:
            ports = [Port(label, kinds[label]) for label in called.values()]
            ports.sort(key=lambda port: port.kind != COMMON)
            self.made[key] = _one(ports, (first.kernel, second.kernel), labels)
            self.main[self.made[key]] = self.main.get(main.kernel, main.kernel.name)
        kernel = self.made[key]
        nodes = {label: node for node, label in called.items()}
        return Call(kernel, tuple(nodes[port.label] for port in kernel.ports), second.comment or first.comment)


def _records(call: Call) -> frozenset[Node]:
    """The records that a call works on, but for the one that all share."""
    return frozenset(node for node in call.nodes if node.kind != COMMON)


# --- order ------------------------------------------------------------------------------------------------------------
def beside(calls: Sequence[Call], fit: Callable[[Call, Call], bool]) -> list[Call]:
    """The calls of a phase, each that works on one record just before the first that it must come before.

    If there is none, before the first that works on that record at all. Where the two do not fit together it stays.
    """
    touched: dict[tuple, tuple[int, int]] = {}  # where the first of the later calls stands that works on a field
    written: dict[tuple, tuple[int, int]] = {}  # and the first that writes it
    worked: dict[Node, tuple[int, int]] = {}  # the first of the later calls by the record
    led: dict[int, int] = {}
    placed: list[tuple[tuple[int, int], Call]] = []
    for number in reversed(range(len(calls))):
        call = calls[number]
        reads, writes = _fields(call, "reads"), _fields(call, "writes")
        place = (number, 0)
        if len(_records(call)) == 1:
            after = [touched[field] for field in writes if field in touched]
            after += [written[field] for field in reads if field in written]
            after = after or [worked[node] for node in _records(call) if node in worked]
            if after and fit(call, calls[min(after)[0]]):
                first = min(after)[0]
                led[first] = led.get(first, 0) + 1
                place = (first, -led[first])
        for field in reads | writes:
            touched[field] = min(place, touched.get(field, place))
        for field in writes:
            written[field] = min(place, written.get(field, place))
        for node in _records(call):
            worked[node] = min(place, worked.get(node, place))
        placed.append((place, call))
    return [call for _, call in sorted(placed, key=lambda pair: pair[0])]


def in_one_way(first: Sequence[Call], second: Sequence[Call]) -> list[Call]:
    """The calls of two phases that run one after the other, those of the second as early as may be.

    A sweep of the second goes along with one of the first then, and neither waits for the end of the other.
    """
    touched: dict[tuple, tuple[int, int]] = {}  # where the last call stands that works on a field
    written: dict[tuple, tuple[int, int]] = {}  # and the last that writes it
    followed: dict[int, int] = {}
    placed: list[tuple[tuple[int, int], Call]] = []
    for number, call in enumerate([*first, *second]):
        reads, writes = _fields(call, "reads"), _fields(call, "writes")
        place = (number, 0)
        if number >= len(first):
            before = [touched[field] for field in writes if field in touched]
            before += [written[field] for field in reads if field in written]
            last = max(before, default=(-1, 0))[0]
            followed[last] = followed.get(last, 0) + 1
            place = (last, followed[last])
        for field in reads | writes:
            touched[field] = max(place, touched.get(field, place))
        for field in writes:
            written[field] = max(place, written.get(field, place))
        placed.append((place, call))
    return [call for _, call in sorted(placed, key=lambda pair: pair[0])]


def _fields(call: Call, which: str) -> set[tuple]:
    """The fields of records that a call reads, or writes."""
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return {(nodes[place.port], place.store, place.field) for place in getattr(call.kernel, which)}


# --- one kernel of two ------------------------------------------------------------------------------------------------
def _one(ports: Sequence[Port], kernels: Sequence[Kernel], labels: Sequence[Mapping[str, str]]) -> Kernel:
    """The kernel that does what others do, one after the other. labels: of each, its names of records -> the ports'."""
    graph, left = Graph(), {}
    for kernel, own in zip(kernels, labels, strict=True):
        copied = _copy(kernel, graph, own, left)
        for location, scalar in kernel.outputs:
            place = replace(location, port=own[location.port])
            left.pop(place, None)
            left[place] = copied[scalar.index]
    return Kernel("", "; ".join(kernel.summary for kernel in kernels), tuple(ports), graph, tuple(left.items()))


def _copy(kernel: Kernel, graph: Graph, own: Mapping[str, str], left: Mapping[Location, Scalar]) -> dict[int, Scalar]:
    """The values of a kernel, built anew in a graph. own: its names of records -> theirs here. left: what is kept."""
    source, copies = kernel.graph, {}
    for index in kernel.sequence:
        operation = source.operation(index)
        graph.origin = source.origins.get(index)
        if operation == "const":
            copies[index] = graph.constant(source.arguments(index)[0])
            continue
        if operation == "symbol":
            read = source.arguments(index)[0]
            place, name = replace(read, port=own[read.port]), source.names.get(index)
            copies[index] = left[place] if place in left else graph.symbol(place, source.rate(index), name)
            continue
        copies[index] = graph.apply(operation, [copies[i] for i in source.operands(index)])
        if index in source.names:
            graph.name(copies[index], source.names[index])
        if index in source.hints:
            graph.hint(copies[index], source.hints[index])
    graph.origin = None
    return copies
