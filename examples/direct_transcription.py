"""A cart swings a pole up with 12 N on two metres of rail: one nonlinear program of all knots, solved by Ipopt.

Direct transcription (Betts, Practical Methods for Optimal Control, 2010): states and inputs of 60 steps are the
unknowns, each step of the simulator is a constraint with its exact Jacobian, and the bounds are bounds of unknowns.
The first guess is a straight line from hanging to upright, no motion at all. What is found is one: the simulator
repeats it from its inputs.
"""

from __future__ import annotations

import warnings
from math import pi

import numpy as np
from _report import EXACT, OURS, Report
from swing_up import cart_pole

from symvi import Simulator, SpinWarning, state_from
from symvi.control import transcribe

STEP, TIME, MOST, WIDEST = 0.04, 2.4, 12.0, 1.0  # s, s, N, m
UPRIGHT = {"track": 0.0, "hinge": 0.0, "track.rate": 0.0, "hinge.rate": 0.0}
FORCE = "motor.force"


def main() -> int:
    warnings.simplefilter("ignore", SpinWarning)  # the pole turns by a third of a radian in a step
    report, mechanism = Report(__doc__), cart_pole()
    simulator, hanging = Simulator(mechanism), state_from(mechanism, {"hinge": pi})
    bounds = {"track": (-WIDEST, WIDEST), FORCE: (-MOST, MOST)}
    plan = transcribe(simulator, TIME, STEP, R={FORCE: 0.01}, start=hanging, end=UPRIGHT, bounds=bounds)
    report.equal("a minimum was found", plan.converged, True)
    report.at_most("iterations", plan.iterations, 100)
    report.note("cost", plan.cost)
    report.at_most("largest force", float(np.abs(plan.u).max()), MOST + 1e-6, "N")
    report.at_most("farthest cart", float(np.abs(plan.x[:, 0]).max()), WIDEST + 1e-6, "m")
    replay = simulator.simulate(TIME, STEP, start=plan.start, inputs=plan.inputs)
    off = float(np.abs(np.ravel(replay.curves["hinge"]) - plan.x[:, 1]).max())
    report.at_most("the plan from its replay", off, 1e-6, "rad")
    report.at_most("replay: pole from upright", float(np.abs(replay.curves["hinge"][-1]).max()), 1e-6, "rad")
    if report.plot:
        figure, (places, forces) = report.figure(1, 2)
        places.plot(plan.time, plan.x[:, 1], color=OURS, label="pole from upright [rad]")
        places.plot(plan.time, plan.x[:, 0], color=EXACT, label="cart [m]")
        places.plot(plan.time, np.linspace(pi, 0.0, len(plan.time)), color=OURS, linestyle=":", label="first guess")
        places.set(title="what is found", xlabel="time [s]")
        places.legend()
        forces.step(plan.time[:-1], plan.u[:, 0], where="post", color=OURS)
        for bound in (-MOST, MOST):
            forces.axhline(bound, color=EXACT, linestyle="--", linewidth=0.8)
        forces.set(title="force [N]", xlabel="time [s]")
        report.save(figure)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
