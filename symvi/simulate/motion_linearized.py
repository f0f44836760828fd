"""A whole motion, linearised by a simulator like the one that made it: what `Trajectory.linearize` asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symvi.errors import MechanismError
from symvi.numbers.control import SolverOptions
from symvi.simulate.linearization import MotionLinearization
from symvi.simulate.linearized import Linearizing
from symvi.simulate.orders import again
from symvi.simulate.simulator import Simulator
from symvi.simulate.trajectory import Trajectory


def along_motion(
    motion: Trajectory,
    chart: str,
    parameters: Sequence[str],
    coordinates: Sequence[str] | None,
    smoothing: float | None,
    options: SolverOptions,
) -> MotionLinearization:
    """Every step of a motion, by a simulator like the one that made it."""
    if len(motion.time) > 1 and abs(motion.time[1] - motion.time[0] - motion.step) > 1e-9 * motion.step:
        raise MechanismError("linearize: not every knot of the motion was recorded; simulate with every=1")
    if motion.status[-1] < 0:
        raise MechanismError("linearize: the motion ends in a step that was not solved, which has no derivative")
    formulation: Any = motion.formulation  # one of the names that a simulator takes
    how: Any = {"coordinates": formulation, **again(motion.composition)}
    simulator = Simulator(motion.mechanism, loops=motion.loops, real=motion.real, **how)
    for name, value in motion.settings.items():
        simulator.set_parameter(name, value)
    if any(name in simulator.gains.names for name in motion.input_names):
        raise MechanismError("linearize: gains of servos changed within the motion; linearize step by step from states")
    return Linearizing(simulator, chart, parameters, coordinates, smoothing, options).along(motion)
