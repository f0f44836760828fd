"""Steps of a simulator as functions of CasADi, with their exact Jacobian (extra `casadi`)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symvi.errors import AssemblyError, SolverError, missing_extra
from symvi.simulate.step_map import Place, StepMap, StepSlopes

Array = NDArray[np.float64]


def casadi() -> Any:
    """The module. Raises MissingExtraError."""
    try:
        import casadi as found
    except ImportError as error:
        raise missing_extra("casadi", "CasADi") from error
    return found


class Steps:
    """The steps between the knots of a horizon. Each begins its search for a state where its last one ended.

    rows (N, m): of all inputs; wanted: numbers of those that are unknowns. x (N + 1, n), u (N, wanted): the guess,
    whose steps must be possible. Raises SolverError, AssemblyError, with the time of the knot.
    """

    def __init__(self, step: StepMap, rows: Array, wanted: list[int], x: Array, u: Array):
        self.step, self.rows, self.wanted = step, rows, wanted
        self.places: list[Place] = []
        self.known: dict[int, tuple[bytes, StepSlopes]] = {}
        self.kept: list[Any] = []  # CasADi holds no reference to what Python made
        before = step.going
        for k in range(len(rows)):
            try:
                found, before = step.along(x[k], self.row(k, u[k]), step.begun if k == 0 else before)
            except (SolverError, AssemblyError) as error:
                said = f"guess, at knot {k}: {error}"
                raise (SolverError(said, error.status) if isinstance(error, SolverError) else AssemblyError(said)) from None
            self.places.append(before)
            if k == 0:
                before = step.going

    def row(self, k: int, u: Array) -> Array:
        """All inputs of a step."""
        found = self.rows[k].copy()
        found[self.wanted] = u
        return found

    def at(self, k: int, x: Array, u: Array) -> StepSlopes | None:
        """A step with its derivatives; None where it cannot be taken."""
        key = x.tobytes() + u.tobytes()
        if k in self.known and self.known[k][0] == key:
            return self.known[k][1]
        if not (np.isfinite(x).all() and np.isfinite(u).all()):
            return None
        try:
            found, self.places[k] = self.step.along(x, self.row(k, u), self.places[k])
        except (SolverError, AssemblyError):
            return None
        self.known[k] = key, found
        return found

    def symbolic(self, k: int, x: Any, u: Any) -> Any:
        """The state after step k, an expression."""
        function = _callback()(self, k)
        self.kept.append(function)
        return function(x, u)


@cache
def _callback() -> type:
    """The class of a step. CasADi is imported where it is made."""
    ca = casadi()

    class Step(ca.Callback):
        """x₊ of x (n,), u (m,). Not a number where the step cannot be taken: Ipopt then takes a shorter way."""

        def __init__(self, steps: Steps, k: int):
            ca.Callback.__init__(self)
            self.steps, self.k = steps, k
            self.n, self.m = len(steps.step.names), len(steps.wanted)
            self.construct(f"step_{k}", {})

        def get_n_in(self) -> int:
            return 2

        def get_n_out(self) -> int:
            return 1

        def get_sparsity_in(self, i: int) -> Any:
            return ca.Sparsity.dense((self.n, self.m)[i], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return ca.Sparsity.dense(self.n, 1)

        def eval(self, arguments: Any) -> list[Any]:
            found = self.steps.at(self.k, *_flat(arguments[:2]))
            return [np.full(self.n, np.nan) if found is None else found.next]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, name: str, names_in: Any, names_out: Any, options: Any) -> Any:
            self.slopes = Slopes(self, name, names_in, names_out, options)
            return self.slopes

    class Slopes(ca.Callback):
        """A (n, n) and B (n, m) of a step."""

        def __init__(self, step: Step, name: str, names_in: Any, names_out: Any, options: Any):
            ca.Callback.__init__(self)
            self.of, self.names = step, (list(names_in), list(names_out))
            self.construct(name, options)

        def get_n_in(self) -> int:
            return 3

        def get_n_out(self) -> int:
            return 2

        def get_name_in(self, i: int) -> str:
            return self.names[0][i]

        def get_name_out(self, i: int) -> str:
            return self.names[1][i]

        def get_sparsity_in(self, i: int) -> Any:
            return ca.Sparsity.dense((self.of.n, self.of.m, self.of.n)[i], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return ca.Sparsity.dense(self.of.n, (self.of.n, self.of.m)[i])

        def eval(self, arguments: Any) -> list[Any]:
            found, steps = self.of.steps.at(self.of.k, *_flat(arguments[:2])), self.of.steps
            if found is None:
                return [np.full((self.of.n, size), np.nan) for size in (self.of.n, self.of.m)]
            return [found.A, found.B[:, steps.wanted]]

    return Step


def _flat(arguments: Any) -> list[Array]:
    return [np.array(each, float).ravel() for each in arguments]
