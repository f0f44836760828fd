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
        import casadi as found  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise missing_extra("casadi", "CasADi") from error
    return found


def _of_the_guess(error: SolverError | AssemblyError, k: int) -> SolverError | AssemblyError:
    said = f"guess, at knot {k}: {error}"
    return SolverError(said, error.status) if isinstance(error, SolverError) else AssemblyError(said)


class Steps:
    """The steps between the knots of a horizon. Each begins its search for a state where its last one ended.

    rows (N, m): of all inputs; wanted: numbers of those that are unknowns. x (N + 1, n), u (N, wanted): the guess,
    whose steps must be possible. length: of a step of the guess [s], None where it is no unknown. Raises SolverError,
    AssemblyError, with the time of the knot.
    """

    def __init__(self, step: StepMap, rows: Array, wanted: list[int], x: Array, u: Array, length: float | None = None):
        self.step, self.rows, self.wanted, self.free = step, rows, wanted, length is not None
        self.places: list[Place] = []
        self.known: dict[int, tuple[bytes, StepSlopes]] = {}
        self.kept: list[Any] = []  # CasADi holds no reference to what Python made
        before = step.going
        for k in range(len(rows)):
            try:
                _, before = self._taken(x[k], self.row(k, u[k]), step.begun if k == 0 else before, length)
            except (SolverError, AssemblyError) as error:
                raise _of_the_guess(error, k) from None
            self.places.append(before)
            if k == 0:
                before = step.going

    def row(self, k: int, u: Array) -> Array:
        """All inputs of a step."""
        found = self.rows[k].copy()
        found[self.wanted] = u
        return found

    def _taken(self, x: Array, row: Array, beside: Place, length: float | None) -> tuple[StepSlopes, Place]:
        return self.step.along(x, row, beside) if length is None else self.step.lasting(x, row, beside, length)

    def at(self, k: int, x: Array, u: Array, length: Array | None = None) -> StepSlopes | None:
        """A step with its derivatives; None where it cannot be taken."""
        key = x.tobytes() + u.tobytes() + (b"" if length is None else length.tobytes())
        if k in self.known and self.known[k][0] == key:
            return self.known[k][1]
        if not (np.isfinite(x).all() and np.isfinite(u).all()):
            return None
        try:
            h = None if length is None else float(length[0])
            found, self.places[k] = self._taken(x, self.row(k, u), self.places[k], h)
        except (SolverError, AssemblyError):
            return None
        self.known[k] = key, found
        return found

    def symbolic(self, k: int, *given: Any) -> Any:
        """The state after step k, an expression of x, u and, where it is free, the step's length."""
        n = len(self.step.names)
        sizes = (n, len(self.wanted), 1)[: len(given)]

        def following(arguments: list[Array]) -> list[Array]:
            found = self.at(k, *arguments[: len(sizes)])
            return [np.full(n, np.nan) if found is None else found.next]

        def slopes(arguments: list[Array]) -> list[Array]:
            found = self.at(k, *arguments[: len(sizes)])
            if found is None:
                return [np.full((n, size), np.nan) for size in sizes]
            return [found.A, found.B[:, self.wanted], found.by_length][: len(sizes)]  # pyright: ignore[reportReturnType]

        def jacobian(name: str, words: Any, options: Any) -> Any:
            shapes = tuple((n, size) for size in sizes)
            self.kept.append(_called()(name, (*sizes, n), shapes, slopes, words, None, options))
            return self.kept[-1]

        self.kept.append(_called()(f"step_{k}", sizes, ((n, 1),), following, None, jacobian, {}))
        return self.kept[-1](*given)


@cache
def _called() -> type:
    """A function of CasADi that calls one of Python. CasADi is imported where the class is made."""
    ca = casadi()

    class Called(ca.Callback):
        """Not a number where a step cannot be taken: Ipopt then takes a shorter way."""

        def __init__(self, name: str, sizes: Any, shapes: Any, meant: Any, words: Any, slopes: Any, options: Any):
            ca.Callback.__init__(self)
            self.sizes, self.shapes, self.meant, self.words, self.slopes = sizes, shapes, meant, words, slopes
            self.construct(name, options)

        def get_n_in(self) -> int:
            return len(self.sizes)

        def get_n_out(self) -> int:
            return len(self.shapes)

        def get_name_in(self, i: int) -> str:
            return f"i{i}" if self.words is None else self.words[0][i]

        def get_name_out(self, i: int) -> str:
            return f"o{i}" if self.words is None else self.words[1][i]

        def get_sparsity_in(self, i: int) -> Any:
            return ca.Sparsity.dense(self.sizes[i], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return ca.Sparsity.dense(*self.shapes[i])

        def eval(self, arguments: Any) -> Any:
            return self.meant([np.array(each, float).ravel() for each in arguments])

        def has_jacobian(self) -> bool:
            return self.slopes is not None

        def get_jacobian(self, name: str, names_in: Any, names_out: Any, options: Any) -> Any:
            return self.slopes(name, (list(names_in), list(names_out)), options)

    return Called
