"""A cart swings a pole up from hanging and holds it there, also with another mass: planned by derivatives of the steps.

The inputs come from iterated linear-quadratic regulation (Li & Todorov 2004): A and B of every step are those of the
solver itself, so that the plan is a motion of the simulator to the last digits. Gains along the plan, by Riccati's
recursion, bring a cart back to it that starts beside it and whose pole is a tenth heavier; at its end the regulator of
the upright pole goes on. The same forces without gains let that pole fall.
"""

from __future__ import annotations

from math import pi

import numpy as np
from _report import EXACT, OTHER, OURS, Report

from symvi import Actuator, Body, Joint, Mechanism, Rod, Simulator, State, coordinates_of, state_from
from symvi.control import ilqr, lqr, tvlqr

STEP, PLANNED, HELD = 0.02, 3.0, 3.0  # s
NAMES = ("track", "hinge")
CHEAP = {"track": 0.02, "hinge": 0.02, "hinge.rate": 0.002}
FORCE = {"motor.force": 0.002}
AT_THE_END = {"track": 50.0, "hinge": 200.0, "track.rate": 20.0, "hinge.rate": 20.0}
BESIDE, HEAVIER = 0.1, 1.1  # rad, of the mass


def cart_pole() -> Mechanism:
    """A pole that stands upright at zero, on a cart that a force drives."""
    bodies = [
        Body(name="cart", mass=1.0, inertia=(0.01, 0.01, 0.01)),
        Body(name="pole", mass=0.2, shape=Rod(length=0.6, radius=0.01, position=(0, 0, 0.3))),
    ]
    joints = [
        Joint(name="track", type="prismatic", child="cart", axis=(1, 0, 0)),
        Joint(name="hinge", type="revolute", parent="cart", child="pole", axis=(0, 1, 0)),
    ]
    return Mechanism(name="cart_pole", bodies=bodies, joints=joints, forces=[Actuator(name="motor", joint="track")])


def main() -> int:
    report, mechanism = Report(__doc__), cart_pole()
    simulator = Simulator(mechanism, coordinates="tree")
    hanging, steps = state_from(mechanism, {"hinge": pi}), round(PLANNED / STEP)
    guess = {"motor.force": np.sin(5.0 * STEP * np.arange(steps + 1))}
    most = 60 if report.quick else 300
    plan = ilqr(
        simulator, PLANNED, STEP, Q=CHEAP, R=FORCE, final=AT_THE_END, start=hanging, inputs=guess, iterations=most
    )
    report.note("changes of the inputs", float(len(plan.costs) - 1))
    report.note("cost of the first guess", plan.costs[0])
    report.at_most("cost of the plan", plan.cost, 30.0 if report.quick else 17.4)
    report.note("largest force of the plan", float(np.abs(plan.u).max()), "N")
    report.at_most("pole from upright at the end of the plan", float(abs(plan.x[-1, 1])), 0.02, "rad")

    whole = {"motor.force": np.append(plan.u[:, 0], np.zeros(round(HELD / STEP) + 1))}
    replay = simulator.simulate(PLANNED, STEP, start=hanging, inputs=plan.inputs)
    off = float(np.abs(np.ravel(replay.curves["hinge"]) - plan.x[:, 1]).max())
    report.at_most("the plan from its replay", off, 1e-12, "rad")

    upright = lqr(simulator.linearize(step=STEP), Q={"track": 1.0, "hinge": 10.0}, R=FORCE)
    tracker = tvlqr(replay.linearize(), Q={"track": 1.0, "hinge": 10.0}, R=FORCE, final=upright.P)

    def controller(time: float, state: object) -> dict[str, float]:
        assert isinstance(state, State)
        pairs = [coordinates_of(mechanism, name, state) for name in NAMES]
        x, k = np.array([pair[one][0] for one in (0, 1) for pair in pairs]), round(time / STEP)
        return tracker_force(time, x, plan.u[k, 0]) if k < steps else upright(x)

    def tracker_force(time: float, x: np.ndarray, force: float) -> dict[str, float]:
        return {"motor.force": force + tracker(time, x)["motor.force"]}

    real = Simulator(mechanism, coordinates="tree", parameters={"pole.mass": HEAVIER * 0.2})
    beside = state_from(mechanism, {"hinge": pi - BESIDE})
    held = real.simulate(PLANNED + HELD, STEP, start=beside, controller=controller)
    left = real.simulate(PLANNED + HELD, STEP, start=beside, inputs=whole)
    report.at_most("held: pole from upright at the end", float(np.abs(held.curves["hinge"][-1]).max()), 1e-2, "rad")
    report.at_most("held: cart from where it began", float(np.abs(held.curves["track"][-1]).max()), 0.1, "m")
    fallen = float(np.abs(np.ravel(left.curves["hinge"])[steps:]).max())
    report.between("the same forces alone: pole from upright, at most", fallen, 1.0, 100.0, "rad")
    if report.plot:
        draw(report, plan, held, left)
    return report.end()


def draw(report: Report, plan, held, left) -> None:
    figure, (angles, forces) = report.figure(1, 2)
    angles.plot(plan.time, plan.x[:, 1], color=EXACT, linewidth=2.5, alpha=0.35, label="plan")
    angles.plot(left.time, np.ravel(left.curves["hinge"]), color=OTHER, label="forces alone, 10 % heavier")
    angles.plot(held.time, np.ravel(held.curves["hinge"]), color=OURS, label="with gains, 10 % heavier")
    angles.set(title="pole from upright [rad]", xlabel="time [s]", ylim=(-1.5, 9.5))
    forces.step(plan.time[:-1], plan.u[:, 0], where="post", color=EXACT, linewidth=2.5, alpha=0.35)
    forces.step(held.time, held.inputs[:, 0], where="post", color=OURS)
    forces.set(title="force [N]", xlabel="time [s]")
    angles.legend(loc="upper right")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
