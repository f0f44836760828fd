"""The Newton matrix of a program by complex steps through its own residual, dense: a witness for the elimination."""

from __future__ import annotations

import numpy as np

from symvi.emit.python import COMPLEX, FLOATS
from symvi.program.program import Program
from symvi.simulate.reference_memory import Memory, Runner

TINY = 1e-40


class DenseNewton:
    """Residual and dense Newton matrix of one step, for unknowns (v, theta/h) of bodies and impulses y of
    constraints.
    """

    def __init__(self, program: Program, h: float = 0.01, complex_numbers: bool = True):
        zero = 0j if complex_numbers else 0.0
        self.program = program
        self.memory = Memory(program, zero)
        self.run = Runner(program, self.memory, COMPLEX if complex_numbers else FLOATS)
        self.constraints = [
            record
            for kind in program.nodes
            for record in self.memory.work[kind]
            if hasattr(record, "y") and hasattr(record, "f")
        ]
        self.bodies = self.memory.work["body"]
        for record in (r for records in self.memory.parameters.values() for r in records if hasattr(r, "guard")):
            record.guard[:] = [zero] * len(record.guard)  # it is no part of the matrix, only of its factors
        common = self.memory.work["common"][0]
        common.step[0] = zero + h
        self.run("setup")
        common.impulse[0], common.carry[0], common.closure[0] = zero + h, zero + 1, zero + 1 / h

    def residual(self) -> np.ndarray:
        self.run("evaluate")
        return np.array([x for record in (*self.bodies, *self.constraints) for x in record.f])

    def matrix(self) -> np.ndarray:
        """dF/d(unknowns), exact to round-off."""
        self.run("evaluate")
        columns = []
        for body in self.bodies:
            c, a = body.c[0], np.array(body.a)
            chain = c * np.eye(3) - np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
            for k in range(3):
                columns.append(self._column(body.v, np.eye(3)[k]))
            for k in range(3):
                columns.append(self._column(body.w, chain[:, k]))
        for record in self.constraints:
            for k in range(len(record.y)):
                columns.append(self._column(record.y, np.eye(len(record.y))[k]))
        return np.array(columns).T

    def _column(self, values: list, direction: np.ndarray) -> np.ndarray:
        kept = list(values)
        values[:] = [x + 1j * TINY * complex(d).real for x, d in zip(kept, direction, strict=True)]
        derivative = self.residual().imag / TINY
        values[:] = kept
        return derivative

    def solved(self) -> np.ndarray:
        """The increment that the program's own elimination gives."""
        self.run("evaluate")
        self.run("linearize")
        self.run("eliminate")
        self.run("substitute")
        return np.array([x for record in (*self.bodies, *self.constraints) for x in record.s])
