"""A step in fifty digits: the kernels of a program over mpmath's numbers, Newton's method without an eye on round-off.

Differences of such steps tell derivatives to twenty digits, without a rule of differentiation.
"""

from __future__ import annotations

from collections.abc import Mapping

import mpmath
import numpy as np

from symvi.emit.python import compile_kernels
from symvi.program.program import Program
from symvi.simulate.reference_memory import Memory, Runner

DIGITS = 50
WAY = mpmath.mpf(10) ** -14  # of differences: their errors are of its square
ITERATIONS = 5  # from double precision: each doubles the digits


def _angle(y, x, near):
    value = 2 * mpmath.atan2(y, x)
    turn = 2 * mpmath.pi
    return value + turn * mpmath.floor((near - value) / turn + mpmath.mpf(1) / 2)


NUMBERS: Mapping = {
    "number": lambda top, bottom: mpmath.mpf(top) / bottom,
    "sqrt": mpmath.sqrt,
    "angle": _angle,
    "min": min,
    "max": max,
    **{name: getattr(mpmath, name) for name in ("sin", "cos", "exp", "log", "atan2", "expm1", "log1p")},
}


class ManyDigits:
    """Steps of one program from near a solution that a solver in double has found.

    solved: the reference solver whose work memory holds it. smoothing: centring of its contacts [m²/s²], or None.
    """

    def __init__(self, program: Program, solved, centring: float | None):
        self.program, self.solved, self.centring = program, solved, centring
        self.kernels = compile_kernels(program, NUMBERS)

    def step(self, state: list, inputs: list, parameters: list | None = None) -> list:
        """The state after a step: numbers in the order of the program's records."""
        memory = Memory(self.program, mpmath.mpf(0))
        run = Runner(self.program, memory, NUMBERS, self.kernels)
        for store in ("parameters", "work"):
            for kind, records in getattr(self.solved, store).items():
                for record, known in zip(getattr(memory, store)[kind], records, strict=True):
                    for name, values in vars(known).items():
                        getattr(record, name)[:] = [mpmath.mpf(x) for x in values]
        _put(memory.state, state)
        _put(memory.input, inputs)
        if parameters is not None:
            _put(memory.parameters, parameters)
        common = memory.work["common"][0]
        run("setup")
        before = memory.state["common"][0].before[0]
        common.impulse[0] = (before + common.step[0]) / 2
        common.carry[0], common.closure[0], common.length[0] = mpmath.mpf(1), common.inverse[0], mpmath.mpf(1)
        run("prepare")
        contacts = self.centring is not None
        if contacts:
            common.target[0], common.second[0] = mpmath.mpf(self.centring), mpmath.mpf(0)
        for _ in range(ITERATIONS):
            run("evaluate")
            for phase in (*(("apply_impulse", "exact") if contacts else ()), "linearize"):
                run(phase)
            for phase in (*(("right_hand_side_exact",) if contacts else ()), "eliminate", "substitute"):
                run(phase)
            for phase in (*(("respond",) if contacts else ()), "advance"):
                run(phase)
        for phase in ("evaluate", *(("apply_impulse",) if contacts else ()), "arrive", "finish"):
            run(phase)
        return [x for records in memory.state.values() for r in records for values in vars(r).values() for x in values]

    def slope(self, state: np.ndarray, inputs: np.ndarray, along: np.ndarray, driven: np.ndarray) -> np.ndarray:
        """What the state after a step changes by along a direction of the state and the inputs."""
        with mpmath.workdps(DIGITS):
            after = []
            for sign in (1, -1):
                moved = [mpmath.mpf(x) + sign * WAY * mpmath.mpf(d) for x, d in zip(state, along, strict=True)]
                given = [mpmath.mpf(x) + sign * WAY * mpmath.mpf(d) for x, d in zip(inputs, driven, strict=True)]
                after.append(self.step(moved, given))
            return np.array([float((a - b) / (2 * WAY)) for a, b in zip(*after, strict=True)])


def _put(store, numbers: list) -> None:
    first = 0
    for records in store.values():
        for record in records:
            for values in vars(record).values():
                values[:] = numbers[first : first + len(values)]
                first += len(values)
