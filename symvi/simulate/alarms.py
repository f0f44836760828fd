"""Why a motion is not to be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symvi.simulate.energy_guard import Fall, Rise
    from symvi.simulate.knot_rates import MisreadRate
    from symvi.simulate.knot_stiffness import TooStiff
    from symvi.simulate.trajectory import Trajectory


def alarms_of(trajectory: Trajectory) -> list[Rise | Fall | TooStiff | MisreadRate]:
    """Its rise and fall of energy, forces that its step was too long for, and rates at knots that dampers hide.

    Such forces are told of all after a rise or a failure, else those that were for several recorded knots on end.
    """
    told: list[Rise | Fall | TooStiff | MisreadRate] = []
    told += [change for change in (trajectory.rise, trajectory.fall) if change]
    wrong = bool(trajectory.rise) or bool((trajectory.status < 0).any())
    told += [one for one in trajectory.too_stiff if wrong or one.lasting]
    return told + [rate for rate in (trajectory.misread_rate,) if rate]
