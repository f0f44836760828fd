"""Steps of a simulator as functions of CasADi, with their exact Jacobian (extra `casadi`)."""

from __future__ import annotations

from collections.abc import Sequence
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
    whose steps must be possible. lengths: of the steps of the guess [s], each (own,), or (own, before) where the one
    before is another one; none where they are no unknowns. Raises SolverError, AssemblyError, with the number of the
    knot.
    """

    def __init__(
        self, step: StepMap, rows: Array, wanted: list[int], x: Array, u: Array, lengths: Sequence[Sequence[float]] = ()
    ):
        self.step, self.rows, self.wanted = step, rows, wanted
        self.places: list[Place] = []
        self.known: dict[int, tuple[bytes, StepSlopes]] = {}
        self.kept: list[Any] = []  # CasADi holds no reference to what Python made
        before = step.going
        for k in range(len(rows)):
            try:
                beside = step.begun if k == 0 else before
                _, before = self._taken(x[k], self.row(k, u[k]), beside, lengths[k] if lengths else ())
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

    def _taken(self, x: Array, row: Array, beside: Place, lengths: Sequence[float]) -> tuple[StepSlopes, Place]:
        return self.step.lasting(x, row, beside, *lengths) if len(lengths) else self.step.along(x, row, beside)

    def at(self, k: int, x: Array, u: Array, *lengths: Array) -> StepSlopes | None:
        """A step with its derivatives; None where it cannot be taken."""
        key = b"".join(each.tobytes() for each in (x, u, *lengths))
        if k in self.known and self.known[k][0] == key:
            return self.known[k][1]
        if not (np.isfinite(x).all() and np.isfinite(u).all()):
            return None
        try:
            given = [float(each[0]) for each in lengths]
            found, self.places[k] = self._taken(x, self.row(k, u), self.places[k], given)
        except (SolverError, AssemblyError):
            return None
        self.known[k] = key, found
        return found

    def symbolic(self, k: int, *given: Any) -> Any:
        """The state after step k, an expression of x, u and, where they are free, the step's length and that of the
        step before."""
        n = len(self.step.names)
        sizes = (n, len(self.wanted), 1, 1)[: len(given)]

        def following(arguments: list[Array]) -> list[Array]:
            found = self.at(k, *arguments[: len(sizes)])
            return [np.full(n, np.nan) if found is None else found.next]

        def slopes(arguments: list[Array]) -> list[Array]:
            found = self.at(k, *arguments[: len(sizes)])
            if found is None:
                return [np.full((n, size), np.nan) for size in sizes]
            by = [found.A, found.B[:, self.wanted], found.by_length, found.by_before]
            return by[: len(sizes)]  # pyright: ignore[reportReturnType]

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
