"""Exported solvers on emulated boards: flash, RAM, stack, instructions of a step, about how long that takes.

A 6-axis arm with servos and a quadruped that trots on contacts, both at 1 kHz, on a Cortex-M7 in double and on a
Cortex-M4F in float; a 5-link chain on ball joints within bounds of its own on the Cortex-M4F, as a lean export, too;
how far float strays from double in 10 s. Boards are QEMU's, code is compiled for size. Instructions are counted one by
one and are the same in every run; a step takes `once + each x iterations` of them, at most `above` more. RAM is what a
step needs besides its parameters, which may stay in flash: state, inputs, work, options and info, and the stack on top.
Times are an estimate: instructions times assumed cycles, 1.5 each on a Cortex-M4F at 168 MHz, 2 each in double and 1 in
float on a Cortex-M7 at 480 MHz.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from _arm import six_axis_arm
from _benchmark import Report, run
from _chains import chain

from symvi.exporters import export
from symvi.exporters.measure import BOARDS, Subject
from symvi.exporters.measure.boards import Board
from symvi.exporters.measure.figures import measured
from symvi.exporters.measure.tools import CROSS_COMPILER, cross_compiler, emulator
from symvi.mechanism import Mechanism
from symvi.simulate import Simulator

sys.path.append(str(Path(__file__).parents[2] / "examples"))
from _quadruped import gait, knots, quadruped
from quadruped import TROT

M4F, M7 = BOARDS["cortex-m4f"], BOARDS["cortex-m7"]
PLACES = ((M7, "double"), (M7, "float"), (M4F, "float"))
STEP, CHAIN_STEP, STEPS, QUICK_STEPS = 1e-3, 1e-2, 280, 20  # 280 ms: a period of the gait
FRICTION, DURATION = 0.8, 10.0
STACK_WITHIN = 0.1  # sum along the calls / painted - 1
TEXT, RAM, EACH = (
    48e3,
    5000,
    15e3,
)  # of the chain: bytes, bytes, instructions per iteration; a tenth of the RAM is the state
# that a step began at, kept to take it again in parts
STRETCH = (40e3, 3e3, 12e3)
JOINTS = "chain, joint coordinates"
LEAN = "chain, joint coordinates, lean"
ASKED = (15e3, 3300, 4200)  # of the chain in joint coordinates, likewise; RAM with the stack on top
LEAN_ITERATIONS = 2
STRAY = {"arm": 5e-4, "quadruped": 1e-2, "chain": 2e-4}  # m


class Case(NamedTuple):
    """A mechanism at work. inputs: given ones; what the description's signals say comes by itself."""

    mechanism: Mechanism
    step: float
    inputs: Mapping[str, np.ndarray]
    coordinates: str = "maximal"
    lean: bool = False


class Run(NamedTuple):
    """What a board did: bytes, instructions, and those of a step on average and at most."""

    text: int
    sizes: Mapping[str, int]
    painted: int
    summed: int
    once: float
    each: float
    above: float
    iterations: float
    mean: float
    most: int

    @property
    def ram(self) -> int:
        return sum(self.sizes[name] for name in ("state", "input", "work", "options", "info"))


def cases(duration: float) -> dict[str, Case]:
    """The arm follows its sines, the quadruped trots, the chain falls."""
    targets = gait(knots(duration, STEP), TROT)
    return {
        "arm": Case(six_axis_arm(), STEP, {}),
        "quadruped": Case(quadruped(FRICTION), STEP, targets),
        "chain": Case(chain(5, "spherical"), CHAIN_STEP, {}),
        JOINTS: Case(chain(5, "spherical"), CHAIN_STEP, {}, "tree"),
        LEAN: Case(chain(5, "spherical"), CHAIN_STEP, {}, "tree", True),
    }


@cache
def solver(mechanism: Mechanism, real: str, coordinates: str) -> Simulator:
    return Simulator(mechanism, real=real, coordinates=coordinates, backend="c")


def lean_text(case: Case, real: str) -> Mapping[str, str]:
    """The header and the source of a lean export, by name."""
    with tempfile.TemporaryDirectory(prefix="symvi-") as name:
        how = {"real": real, "coordinates": case.coordinates, "step": case.step, "measure": False, "lean": True}
        folder = export(case.mechanism, Path(name) / "lean", fixed_iterations=LEAN_ITERATIONS, **how).folder
        return {path.name: path.read_text() for path in (*folder.glob("src/*.c"), *folder.glob("include/*.h"))}


def on_board(case: Case, board: Board, real: str, steps: int) -> Run:
    """Measure the first steps of a motion. Raises NotMeasured where a tool is missing."""
    simulator = solver(case.mechanism, real, case.coordinates)
    rows = simulator.inputs.from_signals(case.step * np.arange(steps))
    rows = simulator.inputs.overlay(rows, {name: values[:steps] for name, values in case.inputs.items()})
    files = lean_text(case, real) if case.lean else simulator.text.files
    subject = Subject(files, simulator.text.prefix, case.step, steps).driven(rows.tolist())
    with measured(subject, board) as found:
        line, half = found.fit(), found.steps()[:steps]  # the second half was to a coarse tolerance
        text, counts = found.program.text(subject.prefix), found.instructions("step")[:steps]
        iterations, painted = np.mean([step[1] for step in half]), max(step[2] for step in found.steps())
        return Run(text, found.sizes(), painted, found.summed("step"), line.once, line.each, line.above, iterations,
                   np.mean(counts), max(counts))  # fmt: skip


def row(name: str, board: Board, real: str, found: Run) -> tuple:
    return (name, board.title, real, found.text, found.ram, found.sizes["parameters"], found.painted, found.summed,
            found.once, found.each, found.above, found.iterations, found.mean, found.most,
            1e6 * board.seconds(found.most, real))  # fmt: skip


HEAD = ("case", "board", "real", "flash B", "RAM B", "parameters B", "stack painted B", "stack summed B", "once",
        "each", "above", "iterations", "mean/step", "most/step", "about us")  # fmt: skip


def stray(case: Case, duration: float) -> float:
    """How far bodies are from their places in double, at most [m]; boards compute the bits of this machine."""
    double, single = (
        solver(case.mechanism, real, case.coordinates).simulate(duration, case.step, inputs=case.inputs)
        for real in ("double", "float")
    )
    return float(np.abs(double.position - single.position).max())


def measure(report: Report) -> None:
    emulator()
    report.note(f"{cross_compiler()[1]} -Os, {CROSS_COMPILER}'s picolibc")
    duration = 0.3 if report.quick else DURATION
    steps = QUICK_STEPS if report.quick else STEPS
    several, rows = cases(duration), []
    if report.quick:
        del several["quadruped"]
    for name, case in several.items():
        for board, real in PLACES[2:] if report.quick or "chain" in name else PLACES:
            found = on_board(case, board, real, steps)
            rows.append((found, row(name, board, real, found)))
    report.table(f"the first {steps} steps", HEAD, [cells for _, cells in rows])
    for found, (name, title, real, *_) in rows:
        off = found.summed / found.painted - 1
        report.at_most(f"{name}, {title}, {real}: stack summed / painted - 1", off, STACK_WITHIN, timed=False)
    chains = {cells[0]: found for found, cells in rows if "chain" in cells[0]}
    judge_chain(report, chains["chain"])
    judge_joints(report, chains[JOINTS])
    judge_lean(report, chains[LEAN])
    del several[LEAN]
    for name, case in several.items():
        bound = STRAY["chain" if name == JOINTS else name]
        report.at_most(f"{name}: float strays from double in {duration:g} s", stray(case, duration), bound, "m",
                       timed=False)  # fmt: skip


def judge_chain(report: Report, found: Run) -> None:
    """Five links on ball joints, in float, on a Cortex-M4F."""
    figures = ((found.text, TEXT, "B of flash"), (found.ram, RAM, "B of RAM"),
               (found.each, EACH, "instructions an iteration"))  # fmt: skip
    for (value, bound, unit), stretch in zip(figures, STRETCH, strict=True):
        report.at_most("chain of 5 spherical links, Cortex-M4F, float", value, bound, unit, timed=False)
        report.note(f"      {value / stretch:.2f} of the stretched bound of {stretch:g}")
    whole = (found.once + 2 * found.each) / 2
    report.at_most("the same with all that a step of two iterations takes", whole, EACH, "an iteration", timed=False)


def judge_joints(report: Report, found: Run) -> None:
    """The same in joint coordinates, which reach the floor of instructions, and those of memory where they are lean."""
    name = "chain of 5 spherical links in joint coordinates, Cortex-M4F, float"
    report.at_most(name, found.each, ASKED[2], "instructions an iteration", timed=False)
    report.note(f"      {found.text} B of flash, {found.ram} B of RAM; lean exports take less")


def judge_lean(report: Report, found: Run) -> None:
    """The same as a lean export: its floors of memory and of instructions; its steps all take the same number."""
    name = "chain of 5 spherical links in joint coordinates, lean, Cortex-M4F, float"
    figures = ((found.text, "B of flash"), (found.ram + found.painted, "B of RAM, stack included"),
               (found.each, "instructions an iteration"))  # fmt: skip
    for (value, unit), bound in zip(figures, ASKED, strict=True):
        report.at_most(name, value, bound, unit, timed=False)
    report.at_most(f"{name}: most/step - mean/step", found.most - found.mean, 0, "instructions", timed=False)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
