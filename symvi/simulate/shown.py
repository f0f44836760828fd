"""How a trajectory shows itself: in a line, as curves by name, in tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from symvi.errors import missing_extra
from symvi.numbers.control import DEFAULTS, SolverOptions
from symvi.registry import MOTION, NOTEBOOK

if TYPE_CHECKING:
    import numpy as np
    import pandas
    from numpy.typing import NDArray

    from symvi.mechanism import Mechanism
    from symvi.simulate.curves import Curves
    from symvi.simulate.linearization import MotionLinearization
    from symvi.simulate.trajectory import Trajectory


class Shown(Sized):
    """What a Trajectory tells of itself."""

    if TYPE_CHECKING:
        mechanism: Mechanism
        step: float
        time: NDArray[np.float64]
        status: NDArray[np.float64]
        recorded: tuple[str, ...]
        watched: Trajectory | None

    def _repr_html_(self) -> str | None:
        """The page of the motion, for a notebook."""
        return NOTEBOOK["motion"](self) if "motion" in NOTEBOOK else None

    def linearize(
        self,
        *,
        parameters: Sequence[str] = (),
        coordinates: Sequence[str] | None = None,
        smoothing: float | None = None,
        chart: Literal["knot", "chord"] = "knot",
        options: SolverOptions = DEFAULTS,
    ) -> MotionLinearization:
        """Derivatives of every step, as `Simulator.linearize` gives them of one; of steps in parts, their product.

        Every knot must have been recorded, and the motion have begun at a start: its steps are taken anew. options:
        those of the simulation. Raises MechanismError, SolverError, AssemblyError, ArgumentError.
        """
        return MOTION["linearize"](self, chart, parameters, coordinates, smoothing, options)

    @cached_property
    def curves(self) -> Curves:
        """Name -> (N,) or (N, k): all that can be chosen of the motion by name (symvi/simulate/curves.py)."""
        from symvi.simulate.curves import Curves

        return Curves(cast("Trajectory", self))

    def to_csv(self, path: str | Path, curves: Iterable[str] | None = None) -> Path:
        """Write one row per knot: time, and what is chosen by name; left out, placements and velocities, energies,
        closure, contacts, limits, works, inputs."""
        from symvi.simulate import trajectory_files

        return trajectory_files.write_csv(cast("Trajectory", self), path, curves)

    def to_pandas(self, curves: Iterable[str] | None = None) -> pandas.DataFrame:
        """A table with the time [s] as index and a column for each curve, named as in `curves`; left out, energies,
        joints, what drives, contacts and stops. `attrs["units"]` has the units of the columns.

        Raises MissingExtraError without pandas; ArgumentError for a name that is none.
        """
        try:
            import pandas
        except ImportError as error:
            raise missing_extra("pandas", "pandas") from error
        columns = self.curves.columns(self.curves.of_motion() if curves is None else curves)
        index = pandas.Index(self.time, name="time")
        table = pandas.DataFrame({column.name: column.values for column in columns}, index=index)
        table.attrs["units"] = {column.name: column.unit for column in columns}
        return table

    def __repr__(self) -> str:
        failed = ", failed" if (self.status < 0).any() else ""
        ends = f"{self.time[0]:g} to {self.time[-1]:g} s, steps of {self.step:g} s"
        part = f", {', '.join(self.recorded)}" if self.watched else ""
        return f"<Trajectory of {self.mechanism.name}: {len(self)} knots, {ends}{part}{failed}>"
