"""A controller on an emulated board steps its own model a thousand times a second, and balances two poles with it.

The model is exported as C in float and built for a Cortex-M4F, together with examples/balancer_board.c. Every
millisecond three encoders' counts go to the board and the force of the next millisecond comes back: late by one step,
which is why the controller predicts. The plant runs here, the same text in double, heavier and with more friction than
the model says, and is pushed after three seconds. The same controller compiled for this machine answers along with the
board, and has to give the same numbers. Instructions are counted; cycles are assumed, 1.5 an instruction.

Beside it, without a model, the same gains on differences of the same counts, smoothed over 10 ms.
"""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from _balancer import STEP, balancer, linearised, observer, placed, read, regulator
from _report import EXACT, OTHER, OURS, Report

import symvi
from symvi.exporters.bits import ON_HOST
from symvi.exporters.measure import BOARDS
from symvi.exporters.measure.board_build import compile_object, link, write
from symvi.exporters.measure.emulator import launch
from symvi.exporters.measure.instructions import counted, counting
from symvi.exporters.measure.subject import files_of
from symvi.exporters.measure.tools import NotMeasured
from symvi.native import find_compiler
from symvi.native.command import run_compiler
from symvi.native.compiler import NO_COMPILER

BOARD = BOARDS["cortex-m4f"]
CONTROLLER = Path(__file__).with_name("balancer_board.c")
COUNTS = np.array([1e-4, 2 * np.pi / 4096, 2 * np.pi / 4096])  # what a count is worth [m, rad]
LIMIT = 60.0  # N
HEAVIER, FRICTION = 0.25, 0.5  # kg of the upper pole, N s/m; the model has 0.2 and 0.1
START = np.array([0.0, np.radians(4.0), np.radians(-2.0), 0.0, 0.0, 0.0])
PUSH, PUSHED = 15.0, (3.0, 3.05)  # N, s
CALM = (1.5, 3.0)  # s, between the start and the push
SMOOTHED = 0.01  # s, for differences
PATIENCE = 30.0  # s, for an answer


class Running:
    """A controller's program that is asked once a step, through two pipes in its folder."""

    def __init__(self, command: Sequence[str], folder: Path):
        for name in ("counts", "forces"):
            os.mkfifo(folder / name)
        self.process = subprocess.Popen(command, cwd=folder)
        # opened both ways: nobody waits for the other side to open
        self.counts = os.fdopen(os.open(folder / "counts", os.O_RDWR), "w", buffering=1)
        self.forces = os.fdopen(os.open(folder / "forces", os.O_RDWR))

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        self.counts.close()  # the program's end
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.forces.close()

    def ask(self, counts: np.ndarray) -> int:
        """Counts of the encoders -> the force from the next knot on [mN]."""
        self.counts.write(" ".join(map(str, counts)) + "\n")
        if not select.select([self.forces], [], [], PATIENCE)[0]:
            raise NotMeasured("the controller does not answer")
        status, force = map(int, self.forces.readline().split())
        if status < 0:
            raise NotMeasured(f"the model's step failed with status {status}")
        return force


def gains_text(k: np.ndarray, share: np.ndarray) -> str:
    """gains.h: what the controller is given."""

    def row(numbers) -> str:
        return "{ " + ", ".join(f"{number:.9g}f" for number in numbers) + " }"

    return (
        f"static const balancer_real REGULATOR[6] = {row(k)};\n"
        f"static const balancer_real OBSERVER[6][3] = {{ {', '.join(map(row, share))} }};\n"
        f"static const balancer_real COUNT[3] = {row(COUNTS)};\n"
        f"static const balancer_real LIMIT = {LIMIT}f;\n"
    )


def build(folder: Path, k: np.ndarray, share: np.ndarray):
    """Export the model; build the controller with it for the board and, as here/controller, for this machine."""
    symvi.export(balancer(), folder / "export", real="float", step=STEP, measure=False)
    files = files_of(folder / "export", "balancer")
    write({**files, "gains.h": gains_text(k, share), "main.c": CONTROLLER.read_text(encoding="utf-8")}, folder)
    compile_object(BOARD, "balancer", folder)
    compile_object(BOARD, "main", folder, ("-fno-inline",))  # so that `control` is called, and can be counted
    compiler = find_compiler()
    if compiler is None:
        raise NotMeasured(NO_COMPILER)
    (folder / "here").mkdir()
    flags = ON_HOST[compiler.kind]
    run_compiler(compiler.command, (*flags, "-o", "here/controller", "main.c", "balancer.c", "-lm"), folder)
    return link(BOARD, ("main", "balancer"), folder)


class Loop:
    """What stands between plant and controller: encoders, the delay of a step, the push.

    answer: counts of the encoders -> the force of the next step [mN].
    """

    def __init__(self, answer: Callable[[np.ndarray], int]):
        self.answer, self.force = answer, 0
        self.forces: list[float] = []

    def __call__(self, time: float, state) -> dict[str, float]:
        now, counts = self.force / 1000, np.rint(read(state) / COUNTS).astype(int)
        self.force = self.answer(counts)
        self.forces.append(now)
        return {"motor.force": now + (PUSH if PUSHED[0] <= time < PUSHED[1] else 0.0)}


def without_model(k: np.ndarray) -> Callable[[np.ndarray], int]:
    """The same gains on differences of counts, smoothed."""
    last: list[np.ndarray] = []
    rates = np.zeros(3)

    def answer(counts: np.ndarray) -> int:
        new = (counts - (last[-1] if last else counts)) * COUNTS / STEP
        rates[:] += (new - rates) * STEP / SMOOTHED
        last[:] = [counts]
        return int(1000 * np.clip(-k @ np.concatenate([counts * COUNTS, rates]), -LIMIT, LIMIT))

    return answer


def main() -> int:
    report = Report(__doc__)
    duration = 2.0 if report.quick else 6.0
    model = balancer()
    a, b = linearised(model)
    k = regulator(a, b)
    plant = symvi.Simulator(model, parameters={"upper.mass": HEAVIER, "track_friction.damping": FRICTION})
    with tempfile.TemporaryDirectory(prefix="symvi-") as name:
        folder = Path(name)
        program = build(folder, k, observer(a, COUNTS))
        pairs: list[tuple[int, int]] = []
        command = launch(BOARD, program.path, counting(program, ["control"]))
        with Running(command, folder) as board, Running(["./controller"], folder / "here") as host:

            def both(counts: np.ndarray) -> int:
                pairs.append((board.ask(counts), host.ask(counts)))
                return pairs[-1][0]

            loop = Loop(both)
            motion = plant.simulate(duration, STEP, start=placed(model, START), controller=loop)
        instructions = np.array(counted(program, ["control"])["control"])
        size = program.text("balancer") + program.text("main")
    differences = Loop(without_model(k))
    other = plant.simulate(duration, STEP, start=placed(model, START), controller=differences, on_error="status")
    judge(report, motion, loop, np.array(pairs), instructions, size)
    unrest, bare = (calm(np.array(each.forces)).std() for each in (loop, differences))
    report.note("unrest of the force in calm, without a model", bare, "N")
    report.at_most("the same with the model, share of that", unrest / bare, 0.3)
    if report.plot:
        draw(report, (motion, loop), (other, differences), instructions)
    return report.end()


def angles(motion) -> np.ndarray:
    """(N, 2): of both poles against the vertical [deg]."""
    lower, relative = motion.coordinates("lower_hinge"), motion.coordinates("upper_hinge")
    return np.degrees(np.stack([np.ravel(lower), np.ravel(lower) + np.ravel(relative)], axis=1))


def calm(values: np.ndarray) -> np.ndarray:
    """Those of the knots between start and push."""
    return values[round(CALM[0] / STEP) : round(CALM[1] / STEP)]


def judge(report: Report, motion, loop: Loop, pairs: np.ndarray, instructions: np.ndarray, size: int) -> None:
    off = np.abs(angles(motion)).max(axis=1)
    most = float(instructions.max())
    report.note("instructions of a millisecond's work, most", most)
    report.at_most("about so long on a Cortex-M4F at 168 MHz, of 1 ms", 1e3 * BOARD.seconds(most, "float"), 0.5, "ms")
    report.note("flash of controller and model", float(size), "B")
    report.equal("forces that differ from those computed here", int((pairs[:, 0] != pairs[:, 1]).sum()), 0)
    report.at_most("poles, largest angle", off.max(), 5.0, "deg")
    report.at_most("poles between start and push", calm(off).max(), 1.0, "deg")
    if not report.quick:
        report.at_most("poles at the end", off[-1], 0.3, "deg")
    report.at_most("cart, largest way", float(np.abs(motion.coordinates("track")).max()), 0.3, "m")


def draw(report: Report, ours, other, instructions: np.ndarray) -> None:
    figure, (left, middle, right) = report.figure(1, 3, width=12)
    (motion, loop), (_, differences) = ours, other
    for column, colour, name in ((0, EXACT, "lower pole"), (1, OURS, "upper pole")):
        left.plot(motion.time, angles(motion)[:, column], color=colour, label=name)
    left.set(title="angles against the vertical [deg]", xlabel="time [s]")
    left.legend()
    for each, colour, width, name in ((differences, OTHER, 0.3, "differences"), (loop, OURS, 0.8, "own model")):
        middle.plot(STEP * np.arange(len(each.forces)), each.forces, color=colour, linewidth=width, label=name)
    middle.set(title="force on the cart [N]", xlabel="time [s]")
    middle.legend(frameon=True)
    right.plot(STEP * np.arange(len(instructions)), 1e3 * BOARD.seconds(1, "float") * instructions, color=OURS)
    right.set(title="work in each millisecond on the board, about [ms]", xlabel="time [s]", ylim=(0, 1))
    report.save(figure)


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except NotMeasured as error:
        print(f"cannot run here: {error}")
        raise SystemExit(3) from None
