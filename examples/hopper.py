"""A hopper jumps half a metre over an obstacle of 0.16 m, and nobody says when its foot leaves the ground and lands.

Fan18 6.1 asks for such a jump with free contact times. The plan is found by iterated linear-quadratic regulation of the
simulator's own steps, contact and friction among them, sent to one centring: the foot feels the ground a little before
it touches it, much at first and less from plan to plan. The first guess stands still. A first plan is drawn along a
ballistic jump; then that is let go, and only where the hopper ends, the room over the obstacle, the reach of its joints
and the effort cost something. Thereby thrust, flight and landing move to other times. The motion that the simulator
makes of the same forces has hard contacts.
"""

from __future__ import annotations

import numpy as np
from _planning import Points, Residuals, coordinates, near, over, together, within
from _report import EXACT, OTHER, OURS, Report

from symvi import Actuator, Body, Box, Contact, Joint, Mechanism, Rod, Simulator, State, Trajectory, coordinates_of
from symvi.control import Plan, ilqr

Array = np.ndarray
STEP, TIME, FAR = 0.01, 1.0, 0.5  # s, s, m
FOOT, TRUNK = [("shank", (0.0, 0.0, -0.3))], [("trunk", (0.0, 0.0, 0.0))]
LEG = 0.5  # from the hip to the foot, standing [m]
PLACE, HEIGHT, WIDTH, ROOM = 0.25, 0.16, 0.06, 0.03  # of the obstacle, and over it [m]
LEAVES, LANDS, APEX = 0.35, 0.75, 0.25  # s, s, m: of the foot of the first plan
NAMES = ("plane[0]", "plane[1]", "plane[2]", "hip", "leg")  # height and way of the trunk, its turn, the leg's
REACH = {"leg": (-0.12, 0.2, 30.0), "hip": (-1.0, 1.0, 10.0), "plane[2]": (-0.5, 0.5, 10.0)}  # least, most, weight
Q = {"plane[2]": 0.1, "plane[2].rate": 1e-3, "hip.rate": 1e-3, "leg.rate": 1e-3}
R = {"hip_motor.force": 1e-4, "leg_motor.force": 2e-5}
AT_THE_END = {
    "plane[0]": 500.0, "plane[1]": 500.0, "plane[2]": 200.0, "hip": 100.0, "leg": 100.0, "plane[0].rate": 20.0,
    "plane[1].rate": 20.0, "plane[2].rate": 5.0, "hip.rate": 5.0, "leg.rate": 5.0,
}  # fmt: skip


def hopper() -> Mechanism:
    """A trunk of 3 kg in a plane, a leg that turns and slides out of it, a foot with friction."""
    bodies = [
        Body(name="trunk", mass=3.0, shape=Box(size=(0.25, 0.2, 0.12))),
        Body(name="thigh", mass=0.4, shape=Rod(length=0.25, radius=0.02, position=(0, 0, -0.125))),
        Body(name="shank", mass=0.2, shape=Rod(length=0.3, radius=0.015, position=(0, 0, -0.15))),
    ]
    joints = [
        Joint(name="plane", type="planar_axis", child="trunk", axis=(0, 1, 0), parent_anchor=(0, 0, LEG),
              coordinate=(0, 0, 0)),
        Joint(name="hip", type="revolute", parent="trunk", child="thigh", axis=(0, 1, 0)),
        Joint(name="leg", type="prismatic", parent="thigh", child="shank", axis=(0, 0, 1), parent_anchor=(0, 0, -0.2)),
    ]  # fmt: skip
    forces = [Actuator(name="hip_motor", joint="hip"), Actuator(name="leg_motor", joint="leg")]
    contacts = [Contact(name="foot", child="shank", child_anchor=(0, 0, -0.3), friction=0.8)]
    return Mechanism(name="hopper", bodies=bodies, joints=joints, forces=forces, contacts=contacts)


def standing(simulator: Simulator) -> dict[str, Array]:
    """Forces that stand still: the first guess."""

    def controller(time: float, state: object) -> dict[str, float]:
        assert isinstance(state, State)
        (plane, turns), (hip, rate), (leg, speed) = (
            coordinates_of(simulator.mechanism, name, state) for name in ("plane", "hip", "leg")
        )
        torque = 20 * plane[2] + 2 * turns[2] - 5 * hip[0] - 0.5 * rate[0]
        return {"hip_motor.force": torque, "leg_motor.force": -33.0 - 400 * leg[0] - 20 * speed[0]}

    motion = simulator.simulate(TIME, STEP, controller=controller)
    return {name: motion.inputs[:, k] for k, name in enumerate(R)}


# --- what costs something beside squares ------------------------------------------------------------------------------
def ballistic(foot: Points, trunk: Points) -> Residuals:
    """A jump whose times are said: the foot along a parabola, the trunk in free flight."""
    time = STEP * np.arange(round(TIME / STEP) + 1)
    share = np.clip((time - LEAVES) / (LANDS - LEAVES), 0, 1)
    asked = np.stack([FAR * share, 4 * APEX * share * (1 - share)], axis=1)
    rise = np.where((time > LEAVES) & (time < LANDS), 0.5 * 9.81 * (time - LEAVES) * (LANDS - time), 0.0)
    height = np.stack([np.full(len(time), np.nan), LEG + rise], axis=1)
    return together(near(foot, asked[:, None], 5.0), near(trunk, height[:, None], 5.0))


# --- plans ------------------------------------------------------------------------------------------------------------
def planned(report: Report, simulator: Simulator) -> tuple[list[Plan], Plan]:
    """Plan by plan, each from the forces of the one before."""
    forces, plans, rows = standing(simulator), [], []
    foot, reach = Points(simulator, FOOT), within(NAMES, REACH)
    drawn = together(ballistic(foot, Points(simulator, TRUNK)), reach)
    free = together(over(foot, PLACE, HEIGHT + ROOM, WIDTH, 30.0), reach)
    stages = [(drawn, 1e-1), (free, 1e-2), (free, 1e-3), (free, 1e-4)]
    for residuals, smoothing in stages[: 2 if report.quick else 4]:
        plan = ilqr(
            simulator, TIME, STEP, Q=Q, R=R, final=AT_THE_END, goal={"plane[1]": FAR}, residuals=residuals,
            inputs=forces, smoothing=smoothing, iterations=40, tolerance=1e-4,
        )  # fmt: skip
        forces = {name: plan.inputs[name] for name in R}
        plans.append(plan)
        told = "a ballistic jump" if residuals is drawn else "free"
        rows.append((told, smoothing, len(plan.costs) - 1, plan.costs[0], plan.cost))
    report.table(("along", "smoothing", "changes", "first cost", "cost"), rows)
    return plans, plans[-1]


def flight(motion: Trajectory) -> tuple[float, float]:
    """When the foot leaves the ground for its longest flight, and when it is there again [s]."""
    there = motion.time[np.ravel(motion.curves["foot.gap"]) < 1e-4]
    k = int(np.diff(there).argmax())
    return float(there[k]), float(there[k + 1])


def main() -> int:
    report, simulator = Report(__doc__), Simulator(hopper(), coordinates="tree")
    plans, plan = planned(report, simulator)
    motion = simulator.simulate(TIME, STEP, inputs=plan.inputs)
    x = coordinates(motion, ("plane", "hip", "leg"))
    way = Points(simulator, FOOT)(x)[0][:, 0]
    report.at_most("replay with hard contacts: foot from its goal", float(abs(way[-1, 0] - FAR)), 0.05, "m")
    over = way[np.abs(way[:, 0] - PLACE) < WIDTH / 2]
    report.between("foot over the obstacle, at least", float(over[:, 1].min()), HEIGHT, 1.0, "m")
    report.at_most("trunk from upright at the end", float(abs(x[-1, 2])), 0.1, "rad")
    report.at_most("speed of the trunk at the end", float(np.linalg.norm(motion.velocity[-1, 0])), 0.3, "m/s")
    report.at_most("foot below the ground", float(-motion.curves["foot.gap"].min()), 1e-9, "m")
    report.at_most("replay from the plan", float(np.abs(x - plan.x[:, :5]).max()), 0.05, "m, rad")
    leaves, lands = flight(motion)
    report.note("the foot leaves and lands at", f"{leaves:.2f}, {lands:.2f}", "s")
    moved = max(abs(leaves - LEAVES), abs(lands - LANDS))
    report.between("      moved from the first plan's times by", moved, 0.02, TIME, "s")
    if report.plot:
        draw(report, motion, x, way, Points(simulator, FOOT)(plans[0].x)[0][:, 0])
    return report.end()


def draw(report: Report, motion: Trajectory, x: Array, way: Array, first: Array) -> None:
    figure, (side, forces) = report.figure(1, 2)
    for k in range(0, len(x), 10):
        hip = np.array([x[k, 1], LEG + x[k, 0]])
        ahead = 0.125 * np.array([np.cos(x[k, 2]), -np.sin(x[k, 2])])
        side.plot(*np.array([hip, way[k]]).T, color=OURS, alpha=0.5)
        side.plot(*np.array([hip - ahead, hip + ahead]).T, color=EXACT, linewidth=3, alpha=0.5)
    side.plot(*way.T, color=OTHER, label="foot, replay")
    side.plot(*first.T, color=EXACT, linestyle=":", label="foot, along a ballistic jump")
    side.fill_between([PLACE - WIDTH / 2, PLACE + WIDTH / 2], 0, HEIGHT, color=EXACT, alpha=0.3)
    side.set(title="heights [m]", xlabel="way [m]", aspect="equal")
    side.legend(loc="upper left")
    contact = motion.contacts["foot"]
    forces.step(motion.time, contact.normal_force, where="post", color=OURS, label="on the foot")
    forces.step(
        motion.time, -motion.inputs[:, list(R).index("leg_motor.force")], where="post", color=OTHER, label="leg"
    )
    forces.set(title="forces [N]", xlabel="time [s]")
    forces.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
