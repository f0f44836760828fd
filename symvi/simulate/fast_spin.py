"""Bodies that turn so fast that a step's turn and its momentum differ by more than a part in a hundred.

About a principal axis a step that turns by A has the momentum J sin(A)/h (the discrete Lagrangian's own; see
symvi.physics.body), so a knot's angular velocity J^-1 l = w belongs to a turn of asin(h w), which is (h w)²/6 more than
h w to second order. At h w = 0.25 that is 1.07 %, and at 1 there is no such turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, cos, inf
from typing import TYPE_CHECKING

import numpy as np

from symvi.numbers.composition import composition_of

if TYPE_CHECKING:
    from symvi.simulate.trajectory import Trajectory

FAST = 0.25  # h |w|: an error of 1.07 %
FAR = 0.2  # rad in a step: where none turns as far, no rate at a knot is FAST


def excess(turn: float, composition: str = "") -> float:
    """By what share a step turns further than h |w| = `turn`; infinite where no step turns so.

    composition: of its steps by name, "" of order 2; the turns of inner steps add up.
    """
    found = composition_of(composition or 2)
    shares = [float(share) for share in found.shares] if found else [1.0]
    if not max(map(abs, shares)) * turn < 1.0:
        return inf
    return sum(asin(share * turn) for share in shares) / turn - 1.0 if turn > 0.0 else 0.0


def most_turn(composition: str) -> float:
    """h |w| from where on a step's turn is off by a part in a hundred."""
    if not composition:
        return FAST
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if abs(excess(middle, composition)) < excess(FAST) else (low, middle)
    return low


@dataclass(frozen=True)
class FastSpin:
    """The body that turns furthest in a step, of all recorded knots: its angular velocity [rad/s], and that step [s].

    Where a step was split, its parts are the steps.
    """

    body: str
    time: float
    rate: float
    step: float
    composition: str = ""

    @property
    def turn(self) -> float:
        """h |w| [rad]."""
        return self.step * self.rate

    @property
    def error(self) -> float:
        """By what share its turn and its momentum differ."""
        return excess(self.turn, self.composition)

    def __str__(self) -> str:
        more = "less" if self.error < 0.0 else "more"
        off = (
            f"is {100 * abs(self.error):.2g} % {more} than its momentum says"
            if self.error < inf
            else "cannot be as much"
        )
        most = most_turn(self.composition) / self.rate
        return (
            f"body '{self.body}' turns at {self.rate:.4g} rad/s at t = {self.time:g} s, h |w| = {self.turn:.2g}: its "
            f"turn in a step of {self.step:g} s {off}; take a step below {most:.2g} s for 1 %"
        )


def may_be_fast(trajectory: Trajectory) -> bool:
    """Whether a body turns so far from one recorded knot to the next that its rate at a knot may be too fast; without
    these rates."""
    every = max(round((trajectory.time[1] - trajectory.time[0]) / trajectory.step), 1)
    q = trajectory.orientation
    if np.abs(np.diff(q, axis=0)).max() < FAR * every / 4:  # of |q' - q| = 2 sin(turn/4), half at most
        return False
    halves = np.abs(np.einsum("nki,nki->nk", q[1:], q[:-1]))  # cosines of half the turns
    return not halves.min() > cos(FAR * every / 2)


def fastest(trajectory: Trajectory) -> FastSpin:
    """Of all bodies and recorded knots."""
    with np.errstate(over="ignore"):
        rates = np.nan_to_num(np.linalg.norm(trajectory.angular_velocity, axis=2))
    steps = trajectory.step / np.maximum(trajectory.substeps, 1.0)
    turns = rates * steps[:, None]
    knot, body = np.argwhere(turns >= (1.0 - 1e-6) * turns.max())[0]  # the first, whatever round-off adds later
    where = trajectory.names[body], float(trajectory.time[knot])
    return FastSpin(*where, float(rates[knot, body]), float(steps[knot]), trajectory.composition)
