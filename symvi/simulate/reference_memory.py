"""The memory of the reference back end: the records of a program as lists of numbers, and phases that run on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace

from symvi.emit.python import FLOATS, compile_kernels
from symvi.kernels.records import STORES
from symvi.program.program import Program

Store = dict[str, list[SimpleNamespace]]  # the records of every type of nodes


class Memory:
    """The records of one program, as lists of numbers: memory.work["body"][0].v."""

    parameters: Store
    state: Store
    input: Store
    work: Store
    motion: Store
    account: Store

    def __init__(self, program: Program, zero=0.0):
        for store in STORES:
            setattr(
                self,
                store,
                {
                    kind: [_record(program.records.of(kind, store), zero) for _ in nodes]
                    for kind, nodes in program.nodes.items()
                },
            )
        for (kind, index), values in program.parameters.items():
            for name, numbers in values.items():
                record = self.parameters[kind][index]
                if hasattr(record, name):
                    getattr(record, name)[:] = [zero + x for x in numbers]


def _record(fields, zero) -> SimpleNamespace:
    return SimpleNamespace(**{f.name: [zero] * f.size for f in fields})


class Runner:
    """Runs phases of a program on a memory, with kernels over any numbers."""

    def __init__(
        self,
        program: Program,
        memory: Memory,
        numbers: Mapping[str, Callable] = FLOATS,
        kernels: Mapping[str, Callable] | None = None,
    ):
        self.kernels = kernels or compile_kernels(program, numbers)
        self.calls = {
            phase: [(self.kernels[call.kernel.name], _arguments(call, memory)) for call in calls]
            for phase, calls in program.phases.items()
        }

    def __call__(self, phase: str) -> None:
        for kernel, arguments in self.calls[phase]:
            kernel(*arguments)


def _arguments(call, memory: Memory) -> list[SimpleNamespace]:
    nodes = {port.label: node for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
    return [getattr(memory, store)[port.kind][nodes[port.label].index] for port, store, _ in call.kernel.used_stores()]


def restore(store: Mapping[str, Sequence[SimpleNamespace]], saved: Mapping[str, Sequence[SimpleNamespace]]) -> None:
    """Write saved numbers into a store, whose lists stay the very ones that kernels know."""
    for kind, records in saved.items():
        for record, old in zip(store[kind], records, strict=True):
            for name, values in vars(old).items():
                getattr(record, name)[:] = values
