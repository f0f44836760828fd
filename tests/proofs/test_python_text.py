"""The kernels that are printed as Python compute what the proved C text does: in a prime field, number by number."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace

import pytest

from symvi.emit.python import python_text
from symvi.kernels.kernel import Kernel
from symvi.proofs.crun import Memory, copy_of
from symvi.proofs.kernels import Bench
from symvi.proofs.stages import Stage
from tests.proofs.subjects import of_zoo
from tests.support.subset import first_of

GENERAL = ("askew_revolute", "askew_universal", "askew_screw", "askew_distance", "askew_custom", "body_forces",
           "both_ways", "four_bar", "dropped_angles", "point_masses",
           "touching_askew", "pyramids", "stops")  # fmt: skip


class PythonKernels:
    """The kernels of a bench's program as Python functions of records, on the numbers of its scene."""

    def __init__(self, bench: Bench, text: Callable[[Kernel], str] = python_text):
        self.bench, self.text, self.known = bench, text, {}
        number = bench.scene.field.number
        self.numbers = bench.scene.kernel_numbers() | {"number": lambda top, bottom: number(Fraction(top, bottom))}

    def function(self, kernel: Kernel) -> Callable:
        if kernel not in self.known:
            scope = dict(self.numbers)
            exec(self.text(kernel), scope)  # noqa: S102  (text of our own graph)
            self.known[kernel] = scope[kernel.name]
        return self.known[kernel]

    def after(self, stage: Stage) -> Memory:
        """The records after a stage."""
        memory = copy_of(self.bench.left[stage.after])
        stage.prepare(memory)
        for call in calls_of(self.bench, stage):
            nodes = {port.label: node.index for port, node in zip(call.kernel.ports, call.nodes, strict=True)}
            records = [memory[store][port.kind][nodes[port.label]] for port, store, _ in call.kernel.used_stores()]
            self.function(call.kernel)(*(SimpleNamespace(**record) for record in records))  # their lists are shared
        return memory


def calls_of(bench: Bench, stage: Stage) -> list:
    return [call for phase in stage.phases for call in bench.of.program.phases.get(phase, ())]


@pytest.mark.parametrize("name", first_of(GENERAL, kept=3))
def test_the_python_text_computes_what_the_c_text_does(name: str) -> None:
    bench = Bench(of_zoo(name), guarded=True)
    kernels = PythonKernels(bench)
    for stage in bench.stages:
        assert kernels.after(stage) == bench.left[stage.name], stage.name


@pytest.mark.parametrize(("old", "new"), [(" + ", " - "), (" - ", " + "), ("*", " + "), ("[1]", "[0]")])
def test_an_error_in_the_python_text_is_seen(old: str, new: str) -> None:
    """One error in the last line of every kernel that has the sign."""
    bench = Bench(of_zoo("along_revolute"), guarded=True)

    def spoiled(kernel: Kernel) -> str:
        text = re.sub(r"^ *#.*\n", "", python_text(kernel), flags=re.M)
        head, found, last = text.rpartition(old)
        return head + new + last if found and re.search(r"\n", head) else python_text(kernel)

    kernels = PythonKernels(bench, spoiled)
    for stage in bench.stages:
        if any(spoiled(call.kernel) != python_text(call.kernel) for call in calls_of(bench, stage)):
            bench.scene.opaque.restore(bench.knowledge)
            try:
                assert kernels.after(stage) != bench.left[stage.name], stage.name
            except ArithmeticError:  # a root or branch that no definition has
                continue
