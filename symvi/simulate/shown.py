"""How a trajectory shows itself: in a line, to a debugger or at a notebook."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symvi.mechanism import Mechanism


class Shown(Sized):
    """What a Trajectory tells of itself."""

    if TYPE_CHECKING:
        mechanism: Mechanism
        step: float
        time: NDArray[np.float64]
        status: NDArray[np.float64]

    def __repr__(self) -> str:
        failed = ", failed" if (self.status < 0).any() else ""
        ends = f"{self.time[0]:g} to {self.time[-1]:g} s, steps of {self.step:g} s"
        return f"<Trajectory of {self.mechanism.name}: {len(self)} knots, {ends}{failed}>"
