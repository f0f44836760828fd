"""An Acrobot and a four-bar linkage, held where they would fall: regulators of the very steps that the solver takes.

The Acrobot has two rods that stand on each other, and a motor at the elbow alone (Spong 1995). The four-bar closes a
loop; a motor turns its crank, which is to stand upright against the weight of coupler and rocker: the torque that
balances them comes from a step's own A and B, by Newton's method. Gains are those of Riccati's equation for A and B in
minimal coordinates. The same torque without gains lets both fall.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from _report import OTHER, OURS, Report

from symvi import Actuator, Body, Joint, Mechanism, Rod, Simulator, State, coordinates_of, load, state_from
from symvi.control import Regulator, lqr
from symvi.demos import demo_file

STEP, TIME, FALLING = 0.01, 3.0, 0.3  # s; the last without gains, before the crank turns fast
TILTED, TURNED = 0.02, 0.24  # rad: of the Acrobot's shoulder, of the crank
TORQUE = "motor.force"


def acrobot() -> Mechanism:
    """Two rods of 1 m and 1 kg that stand upright at zero, with a motor between them."""
    rods = [
        Body(name=name, mass=1.0, shape=Rod(length=1.0, radius=0.02, position=(0, 0, 0.5)))
        for name in ("upper", "lower")
    ]
    joints = [
        Joint(name="shoulder", type="revolute", child="upper", axis=(0, 1, 0)),
        Joint(name="elbow", type="revolute", parent="upper", child="lower", parent_anchor=(0, 0, 1), axis=(0, 1, 0)),
    ]
    return Mechanism(name="acrobot", bodies=rods, joints=joints, forces=[Actuator(name="motor", joint="elbow")])


def four_bar() -> Mechanism:
    """The four-bar of the demos, its crank upright at zero, with a motor on it."""
    mechanism = load(demo_file("four_bar")).mechanism
    return mechanism.changed(forces=[Actuator(name="motor", joint="crank_bearing")])


def controller(mechanism: Mechanism, joints: tuple[str, ...], regulator: Regulator, torque: float) -> Callable:
    """What holds a mechanism: the torque in balance, and gains times what it is off by."""

    def act(time: float, state: State) -> dict[str, float]:
        pairs = [coordinates_of(mechanism, name, state) for name in joints]
        x = np.array([pair[k][0] for k in (0, 1) for pair in pairs])
        return {TORQUE: torque + regulator(x)[TORQUE]}

    return act


def held(report: Report) -> tuple:
    """The Acrobot."""
    mechanism, joints = acrobot(), ("shoulder", "elbow")
    simulator = Simulator(mechanism)
    found = simulator.linearize(step=STEP)
    weights = {"shoulder": 10.0, "elbow": 10.0, "shoulder.rate": 1.0, "elbow.rate": 1.0}
    regulator = lqr(found, Q=weights, R={TORQUE: 0.1})
    report.between("Acrobot: largest eigenvalue of a step", float(np.abs(np.linalg.eigvals(found.A)).max()), 1.05, 1.1)
    report.at_most("the same with gains", float(np.abs(regulator.eigenvalues).max()), 0.98)
    start = state_from(mechanism, {"shoulder": TILTED})
    motion = simulator.simulate(TIME, STEP, start=start, controller=controller(mechanism, joints, regulator, 0.0))
    left = simulator.simulate(TIME, STEP, start=start)
    report.at_most("Acrobot: off at the end", float(abs(motion.curves["shoulder"][-1]).max()), 1e-3, "rad")
    fallen = float(np.abs(left.curves["shoulder"]).max())
    report.between("without gains: farthest", fallen, 1.0, 100.0, "rad")
    return motion, left, "shoulder"


def balanced(simulator: Simulator) -> tuple[float, object]:
    """The torque that leaves the four-bar at rest, and the step there, linearised."""
    torque, chosen = 0.0, ["crank_bearing"]
    for _ in range(3):
        found = simulator.linearize(inputs={TORQUE: torque}, step=STEP, coordinates=chosen)
        torque -= float(found.next[1] / found.B[1, 0])
    return torque, simulator.linearize(inputs={TORQUE: torque}, step=STEP, coordinates=chosen)


def closed(report: Report) -> tuple:
    """The four-bar."""
    mechanism = four_bar()
    simulator = Simulator(mechanism)
    torque, found = balanced(simulator)
    regulator = lqr(found, Q={"crank_bearing": 10.0, "crank_bearing.rate": 0.1}, R={TORQUE: 1.0})  # pyright: ignore[reportArgumentType]
    report.note("four-bar: torque that holds the crank upright", torque, "N m")
    start = simulator.project(state_from(mechanism, {"crank_bearing": TURNED}), step=STEP)
    act = controller(mechanism, ("crank_bearing",), regulator, torque)
    motion = simulator.simulate(TIME, STEP, start=start, controller=act)
    left = simulator.simulate(FALLING, STEP, start=start, inputs={TORQUE: torque})
    report.at_most("four-bar: crank off at the end", float(abs(motion.curves["crank_bearing"][-1]).max()), 1e-3, "rad")
    report.at_most("its loop opens by", float(motion.curves["closure"].max()), 1e-12, "m")
    fallen = float(np.abs(left.curves["crank_bearing"]).max())
    report.between("without gains: farthest", fallen, 1.0, 1e4, "rad")
    return motion, left, "crank_bearing"


def main() -> int:
    report = Report(__doc__)
    results = [held(report), closed(report)]
    if report.plot:
        figure, panels = report.figure(1, 2)
        for panel, (motion, left, name), title in zip(panels, results, ("Acrobot: shoulder", "crank"), strict=True):
            panel.plot(left.time, np.ravel(left.curves[name]), color=OTHER, label="torque in balance alone")
            panel.plot(motion.time, np.ravel(motion.curves[name]), color=OURS, label="with gains")
            widest = 1.6 * float(np.abs(motion.curves[name]).max())
            panel.set(title=f"{title} from upright [rad]", xlabel="time [s]", ylim=(-widest, widest))
            panel.legend(loc="upper right")
        report.save(figure)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
