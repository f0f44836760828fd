"""An Acrobot swings up from hanging by the motor at its elbow alone, and stands there, also with a heavier forearm.

The two rods of `held_upright.py` (Spong 1995). The torque is planned by iterated linear-quadratic regulation of the
simulator's own steps; no energy is pumped by rule, and the shoulder has no motor. Gains along the plan, by Riccati's
recursion, hold an Acrobot near it that starts beside it and whose lower rod is 5 % heavier; at its end the regulator of
the upright Acrobot goes on. Both see angles as encoders do, at this knot and at the one before. The same torques
without gains do not bring that Acrobot up.
"""

from __future__ import annotations

import warnings
from math import pi

import numpy as np
from _report import EXACT, OTHER, OURS, Report
from held_upright import acrobot

from symvi import Simulator, SpinWarning, State, coordinates_of, state_from
from symvi.control import ilqr, lqr, tvlqr

STEP, PLANNED, HELD = 0.02, 4.0, 2.0  # s
JOINTS, TORQUE = ("shoulder", "elbow"), "motor.force"
CHEAP, R = {"shoulder.rate": 1e-3, "elbow.rate": 1e-3}, {TORQUE: 2e-3}
AT_THE_END = {"shoulder": 1000.0, "elbow": 1000.0, "shoulder.rate": 100.0, "elbow.rate": 100.0}
HELD_BY = {TORQUE: 0.1}
HOLDING = {"shoulder": 10.0, "elbow": 10.0, "shoulder.rate": 1.0, "elbow.rate": 1.0}
BESIDE, HEAVIER = 0.05, 1.05  # rad, of the lower rod's mass


def main() -> int:
    warnings.simplefilter("ignore", SpinWarning)  # the lower rod turns by a quarter of a radian in a step
    report, mechanism = Report(__doc__), acrobot()
    simulator, hanging = Simulator(mechanism, coordinates="tree"), state_from(mechanism, {"shoulder": pi})
    steps = round(PLANNED / STEP)
    guess = {TORQUE: 2.0 * np.sin(2.5 * STEP * np.arange(steps + 1))}
    most = 90 if report.quick else 300
    plan = ilqr(
        simulator, PLANNED, STEP, Q=CHEAP, R=R, final=AT_THE_END, start=hanging, inputs=guess, iterations=most,
        tolerance=1e-6,
    )  # fmt: skip
    report.note("changes of the torque", float(len(plan.costs) - 1))
    report.note("cost of the first guess", plan.costs[0])
    report.at_most("cost of the plan", plan.cost, 12.0 if report.quick else 8.7)
    report.note("largest torque of the plan", float(np.abs(plan.u).max()), "N m")
    replay = simulator.simulate(PLANNED, STEP, start=hanging, inputs=plan.inputs)
    off = max(float(np.abs(replay.coordinates(name)[:, 0] - plan.x[:, k]).max()) for k, name in enumerate(JOINTS))
    report.at_most("the plan from its replay", off, 1e-10, "rad")
    report.at_most("both rods from upright at its end", float(np.abs(plan.x[-1, :2]).max()), 0.05, "rad")

    upright = lqr(simulator.linearize(step=STEP, chart="chord"), Q=HOLDING, R=HELD_BY)
    tracker = tvlqr(replay.linearize(chart="chord"), Q=HOLDING, R=HELD_BY, final=upright.P)
    seen = [np.array([pi - BESIDE, 0.0])]

    def controller(time: float, state: object) -> dict[str, float]:
        assert isinstance(state, State)
        seen.append(np.array([coordinates_of(mechanism, name, state)[0][0] for name in JOINTS]))
        x, k = np.concatenate([seen[-1], (seen[-1] - seen[-2]) / STEP]), round(time / STEP)
        return {TORQUE: plan.u[k, 0] + tracker(time, x)[TORQUE]} if k < steps else upright(x)

    real = Simulator(mechanism, coordinates="tree", parameters={"lower.mass": HEAVIER})
    beside = state_from(mechanism, {"shoulder": pi - BESIDE})
    held = real.simulate(PLANNED + HELD, STEP, start=beside, controller=controller)
    left = real.simulate(
        PLANNED + HELD, STEP, start=beside,
        inputs={TORQUE: np.append(plan.u[:, 0], np.zeros(round(HELD / STEP) + 1))},
    )  # fmt: skip
    report.at_most("held: farthest from upright at the end", farthest(held, -1), 0.02, "rad")
    report.between("the same torques alone: farthest after the plan", farthest(left, steps), 1.0, 100.0, "rad")
    if report.plot:
        figure, (angles, torques) = report.figure(1, 2)
        for k, name in enumerate(JOINTS):
            angles.plot(plan.time, plan.x[:, k], color=EXACT, linewidth=2.5, alpha=0.35)
            angles.plot(held.time, held.coordinates(name)[:, 0], color=(OURS, OTHER)[k], label=f"{name}, held")
        fallen = left.coordinates("shoulder")[:, 0]
        angles.plot(left.time, fallen, color=OURS, linestyle=":", label="shoulder, torques alone")
        angles.set(title="from upright [rad]", xlabel="time [s]", ylim=(-4, 6))
        angles.legend(loc="upper right")
        torques.step(plan.time[:-1], plan.u[:, 0], where="post", color=EXACT, linewidth=2.5, alpha=0.35, label="plan")
        torques.step(held.time, held.inputs[:, 0], where="post", color=OURS, label="with gains, 5 % heavier")
        torques.set(title="torque of the elbow [N m]", xlabel="time [s]")
        torques.legend()
        report.save(figure)
    return report.end()


def farthest(motion, first: int) -> float:
    """How far a rod is from upright at most, from a knot on [rad]."""
    return max(float(np.abs(motion.coordinates(name)[first:]).max()) for name in JOINTS)


if __name__ == "__main__":
    raise SystemExit(main())
