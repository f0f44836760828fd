"""A biped of 9 freedoms with sprung ankles leaps over 0.16 m out of its walk, and nobody says when its feet touch.

Fan18 6.1, Fig. 4: motors drive hips and knees, springs with some damping the ankles; from a walk of 0.26 m/s the robot
goes on at about 0.9 m/s, over the obstacle. The paper prints no masses: these bodies weigh 14 kg on legs of 0.84 m. The
first plan follows a drawn motion, of a pendulum on the feet, and help at the trunk is priced out of it. Then the
drawing is let go, and only the end, the room over the obstacle, the reach of joints and effort cost something: feet
leave the ground and land when it suits them. All are plans of the simulator's own steps, contacts and friction among
them, sent to one centring.

The witness is one motion of the robot without help, with hard contacts, from the first step till it stands: the gains
of the plan hold it, also with a lighter or heavier trunk; the torques of the plan alone let it fall. It is told for
1.9 s, 0.1 s before the plan ends. The right foot, unloaded, has stepped back by then to where the drawing had it, and
the trunk still sways by 0.2 m/s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from _planning import Points, Residuals, coordinates, over, together, within
from _report import EXACT, OTHER, OURS, Report

from symvi import (
    Actuator,
    Body,
    Box,
    Contact,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    Rod,
    Simulator,
    State,
    Trajectory,
    Wrench,
    coordinates_of,
    state_from,
)
from symvi.control import Plan, Tracker, ilqr

Array = np.ndarray
THIGH, SHANK, ANKLE, HEEL, TOE = 0.42, 0.42, 0.04, -0.06, 0.17  # m: the ankle's height, heel and toe before it
MASSES = {"trunk": 12.0, "thigh": 0.46, "shank": 0.31, "foot": 0.35}  # kg
SPRING, REST, DAMPING, FRICTION = 15.0, -0.45, 0.2, 0.8  # N m/rad, rad, N m s/rad, 1
HIP = THIGH + SHANK + ANKLE  # height of the hips where plane[0] is zero [m]
SIDES, PARTS = ("left", "right"), ("hip", "knee", "ankle")
JOINTS = tuple(f"{side}_{part}" for side in SIDES for part in PARTS)
NAMES = ("plane[0]", "plane[1]", "plane[2]", *JOINTS)  # height and way of the hips, the trunk's turn
MOTORS = tuple(f"{side}_{part}_motor.force" for side in SIDES for part in ("hip", "knee"))
ANKLES = [NAMES.index(f"{side}_ankle") for side in SIDES]
HELP = ("help.force[0]", "help.force[2]", "help.torque[1]")
HEAVIER = (0.95, 1.05)  # trunks of the mass
BY_HAND = (  # gains of the help that leads the first motion
    ("help.force[0]", "plane[1]", 1500.0, 150.0), ("help.force[2]", "plane[0]", 1500.0, 150.0),
    ("help.torque[1]", "plane[2]", 50.0, 2.0),
)  # fmt: skip
DRAWING = {"plane[0]": 15.0, "plane[1]": 15.0, "plane[2]": 8.0} | {
    name: 1.0 if name.endswith("ankle") else 8.0 for name in JOINTS
}
REACH = {"plane[2]": (-0.3, 0.3, 10.0)}  # least, most, weight
for _side in SIDES:
    REACH |= {f"{_side}_hip": (-1.5, 1.0, 10.0), f"{_side}_knee": (0.3, 2.4, 10.0), f"{_side}_ankle": (-1.2, 0.6, 10.0)}
Q = {"plane[2]": 1.0, "plane[2].rate": 0.02, "plane[0].rate": 0.02} | {f"{name}.rate": 1e-3 for name in JOINTS}
AT_THE_END = dict.fromkeys(NAMES, 100.0) | {f"{name}.rate": 10.0 for name in NAMES}
STAGES = (  # along what, weight of help, smoothing, changes at most
    ("drawn", 1e-2, 1e-1, 6), ("drawn", 1e4, 1e-1, 5), ("free", 1e4, 1e-2, 9), ("free", 1e4, 1e-3, 3),
)  # fmt: skip
SOLES = [(f"{side}_foot", (at, 0.0, -ANKLE)) for side in SIDES for at in np.linspace(HEEL, TOE, 4)]
PLACE, HEIGHT, WIDTH, ROOM = 0.42, 0.16, 0.06, 0.03  # of the obstacle, and over it [m]
STEP, TIME, TOLD = 0.01, 2.0, 1.9  # s: of a plan; of a motion, before the last gains, which look at no future
RESTS = 130  # the knot from which on it should rest
WALK, PENDULUM = 0.26, 3.2  # m/s; 1/s: its rate, of a mass 0.96 m high
# of the drawn motion: one foot leaves, the other, one lands, the other [s]; where the pendulum stands till then [m]
DRAWN, UNDER = (0.15, 0.44, 0.59, 0.85), (-0.17, -0.04, None, 0.78)
SWINGS = ((DRAWN[1], DRAWN[3]), (DRAWN[0], DRAWN[2]))  # of the sides [s]
FEET = {"left": (0.0, 1.02), "right": (-0.25, 0.68)}  # first and last ways of the ankles [m]
CROUCH, LEAVES, STANDS, LIFT, SETTLES = 0.78, 0.80, 0.80, 0.26, 0.25  # heights of hips, of swings [m]; s


def flamingo(stance: Mapping[str, Any], helped: bool = False) -> Mechanism:
    """The robot with feet on the ground; helped: with a wrench at its trunk."""
    bodies = [Body(name="trunk", mass=MASSES["trunk"], shape=Box(size=(0.12, 0.25, 0.38), position=(0, 0, 0.2)))]
    joints = [
        Joint(name="plane", type="planar_axis", child="trunk", axis=(0, 1, 0), parent_anchor=(0, 0, HIP),
              coordinate=stance["plane"])
    ]  # fmt: skip
    forces: list = [Wrench(name="help", body="trunk", point=(0, 0, 0.2))] if helped else []
    contacts = []
    for side, y in (("left", 0.12), ("right", -0.12)):
        shapes = {
            "thigh": Rod(length=THIGH, radius=0.02, position=(0, 0, -THIGH / 2)),
            "shank": Rod(length=SHANK, radius=0.015, position=(0, 0, -SHANK / 2)),
            "foot": Box(size=(TOE - HEEL, 0.04, 0.03), position=((TOE + HEEL) / 2, 0, -0.025)),
        }
        bodies += [Body(name=f"{side}_{part}", mass=MASSES[part], shape=shape) for part, shape in shapes.items()]
        parents, anchors = ("trunk", f"{side}_thigh", f"{side}_shank"), ((0, y, 0), (0, 0, -THIGH), (0, 0, -SHANK))
        for name, parent, part, anchor in zip(PARTS, parents, shapes, anchors, strict=True):
            joints.append(
                Joint(name=f"{side}_{name}", type="revolute", parent=parent, child=f"{side}_{part}", axis=(0, 1, 0),
                      parent_anchor=anchor, coordinate=stance[f"{side}_{name}"])
            )  # fmt: skip
        forces += [Actuator(name=f"{side}_{name}_motor", joint=f"{side}_{name}") for name in ("hip", "knee")]
        forces.append(JointSpring(name=f"{side}_spring", joint=f"{side}_ankle", stiffness=SPRING, rest=REST))
        forces.append(JointDamper(name=f"{side}_damper", joint=f"{side}_ankle", damping=DAMPING))
        for name, at in (("heel", HEEL), ("toe", TOE)):
            anchor = (at, 0.0, -ANKLE)
            contacts.append(
                Contact(name=f"{side}_{name}", child=f"{side}_foot", child_anchor=anchor, friction=FRICTION)
            )
    return Mechanism(name="spring_flamingo", bodies=bodies, joints=joints, forces=forces, contacts=contacts)


# --- the drawn motion -------------------------------------------------------------------------------------------------
def bent(way: Array, height: Array) -> tuple[Array, Array, Array]:
    """Hip, knee and ankle of a flat foot whose ankle is this far before the hips and below them."""
    far = np.minimum(np.hypot(way, height), THIGH + SHANK - 1e-3)
    knee = np.pi - np.arccos((THIGH**2 + SHANK**2 - far**2) / (2 * THIGH * SHANK))
    hip = np.arctan2(-way, height) - knee / 2
    return hip, knee, -(hip + knee)


def pendulum(time: Array) -> Array:
    """Ways of the hips: of a pendulum that stands on a foot or flies, and comes to rest after the last landing."""
    way, at, speed, begin = np.zeros(len(time)), 0.0, WALK, 0.0
    for end, under in zip(DRAWN, UNDER, strict=True):
        s, now = np.append(time[time >= begin - 1e-9], end) - begin, time >= begin - 1e-9
        if under is None:
            found, rate = at + speed * s, speed
        else:
            c, sh, off = np.cosh(PENDULUM * s), np.sinh(PENDULUM * s), at - under
            found, rate = under + off * c + speed / PENDULUM * sh, PENDULUM * off * sh[-1] + speed * c[-1]
        way[now], at, speed, begin = found[:-1], found[-1], rate, end
    last = time >= begin
    way[last] = at + speed / PENDULUM * (1 - np.exp(-PENDULUM * (time[last] - begin)))
    return way


def between(s: Array, time: float, first: tuple, last: tuple) -> Array:
    """The polynomial of degree 5 with value, rate and acceleration at both ends."""
    terms = range(6)
    rows = [
        row
        for at in (0.0, time)
        for row in ([at**k for k in terms], [k * at ** max(k - 1, 0) for k in terms],
                    [k * (k - 1) * at ** max(k - 2, 0) for k in terms])
    ]  # fmt: skip
    return np.polynomial.polynomial.polyval(s, np.linalg.solve(np.array(rows), np.array([*first, *last])))


def drawn(time: Array) -> Array:
    """(N + 1, 9) coordinates: hips on a pendulum that leap, flat feet on arcs, sprung ankles in the air."""
    way = pendulum(time)
    up = 0.5 * 9.81 * (DRAWN[2] - DRAWN[1])  # speed at which hips leave and land, the other way round
    spans = ((DRAWN[0], DRAWN[1], (CROUCH, 0, 0), (LEAVES, up, -9.81)),
             (DRAWN[1], DRAWN[2], (LEAVES, up, -9.81), (LEAVES, -up, -9.81)),
             (DRAWN[2], DRAWN[3] + SETTLES, (LEAVES, -up, -9.81), (STANDS, 0, 0)))  # fmt: skip
    height = np.where(time < DRAWN[0], CROUCH, STANDS)
    for begin, end, first, last in spans:
        now = (time >= begin) & (time <= end)
        height[now] = between(time[now] - begin, end - begin, first, last)
    found = [height - HIP, way, 0 * way]
    for side, (begin, end) in zip(SIDES, SWINGS, strict=True):
        share = np.clip((time - begin) / (end - begin), 0, 1)
        first, last = FEET[side]
        foot = first + (last - first) * share**3 * (10 - 15 * share + 6 * share**2)
        hip, knee, ankle = bent(foot - way, height - LIFT * (4 * share * (1 - share)) ** 2 - ANKLE)
        free = np.clip(np.minimum(time - begin, end - time) / 0.08, 0, 1)
        free = free**2 * (3 - 2 * free)
        found += [hip, knee, (1 - free) * ankle + free * REST]
    return np.stack(found, axis=1)


def beginning(mechanism: Mechanism, q: Array) -> State:
    """The start: it walks, and both feet are at rest."""
    rates: dict[str, Any] = {"plane": (0.0, WALK, 0.0)}
    ahead = 1e-6
    for side in SIDES:
        off, down = FEET[side][0] - q[0, 1], q[0, 0] + HIP - ANKLE
        ends = [bent(np.array(off + sign * WALK * ahead), np.array(down)) for sign in (-1, 1)]
        for name, one, other in zip(PARTS, *ends, strict=True):
            rates[f"{side}_{name}"] = float(one - other) / (2 * ahead)
    return state_from(mechanism, stance(q), rates)


def stance(q: Array) -> dict[str, Any]:
    return {"plane": tuple(q[0, :3].tolist())} | dict(zip(JOINTS, q[0, 3:9].tolist(), strict=True))


# --- plans ------------------------------------------------------------------------------------------------------------
def carried(simulator: Simulator, q: Array) -> Array:
    """(N, 4) torques that nearly make the drawn motion, with forces at the soles that stand: least squares."""
    model, rates = simulator.model, np.gradient(q, STEP, axis=0)
    pull, found = np.gradient(rates, STEP, axis=0), []
    for k in range(len(q) - 1):
        needed = model.inverse_dynamics(q[k], rates[k], pull[k])
        needed[ANKLES] += SPRING * (q[k, ANKLES] - REST)
        columns = [np.eye(len(NAMES))[NAMES.index(motor.removesuffix("_motor.force"))] for motor in MOTORS]
        for side, (begin, end) in zip(SIDES, SWINGS, strict=True):
            if not begin <= STEP * k < end:
                for at in (HEEL, TOE):
                    columns += list(model.jacobian(f"{side}_foot", q[k], (at, 0.0, -ANKLE))[[0, 2]])
        matrix = np.vstack([np.array(columns).T, 1e-2 * np.eye(len(columns))])
        found.append(np.linalg.lstsq(matrix, np.append(needed, np.zeros(len(columns))), rcond=None)[0][: len(MOTORS)])
    return np.array(found)


def led(simulator: Simulator, start: State, x: Array, time: Array) -> Plan:
    """The drawn motion with gains by hand that lead a helped robot along it: a plan to begin at."""
    one = ilqr(simulator, STEP, STEP, Q={"plane[2]": 1.0}, R=dict.fromkeys([*MOTORS, *HELP], 1.0), start=start,
               iterations=1)  # fmt: skip
    u, names = np.zeros((len(time) - 1, len(one.input_names))), one.tracker.inputs
    u[:, [one.input_names.index(motor) for motor in MOTORS]] = carried(simulator, x[:, : len(NAMES)])
    gains, at = np.zeros((len(names), x.shape[1])), list(one.names)
    hand = [(motor, motor.removesuffix("_motor.force"), 50.0, 1.5) for motor in MOTORS]
    for name, to, by, damped in (*BY_HAND, *hand):
        gains[names.index(name), at.index(to)], gains[names.index(name), at.index(f"{to}.rate")] = by, damped
    whole = np.repeat(gains[None], len(u), axis=0)
    tracker = Tracker(whole, np.zeros((0, 0, 0)), one.names, names, time, x)
    return Plan(x, u, one.names, one.input_names, time, 0.0, (), False, "drawn", {}, tracker)


def along(x: Array, weights: Mapping[str, float], names: tuple[str, ...], begin: int = 0) -> Residuals:
    """States beside those of a motion, from a knot on."""
    at, by = [names.index(name) for name in weights], np.array(list(weights.values()))

    def residuals(now: Array) -> tuple[Array, Array]:
        weighed = by * (np.arange(len(now)) >= begin)[:, None]
        slope = np.zeros((len(now), len(at), now.shape[1]))
        slope[:, range(len(at)), at] = weighed
        return weighed * (now - x)[:, at], slope

    return residuals


def planned(report: Report, simulator: Simulator, q: Array, time: Array) -> tuple[list[Plan], State]:
    """Plans, each from the one before: along the drawn motion, then without help, then without drawing."""
    rates, before = np.gradient(q, STEP, axis=0), q[np.maximum(np.arange(len(q)) - 1, 0)][:, ANKLES]
    x, start = np.hstack([q, rates, before]), beginning(simulator.mechanism, q)
    plan, rest = led(simulator, start, x, time), np.repeat(x[-1:], len(x), axis=0)
    names, rest[:, len(NAMES) : 2 * len(NAMES)] = plan.names, 0.0
    drawing = along(x, DRAWING | {f"{name}.rate": 0.1 for name in NAMES}, names)
    resting = along(rest, dict.fromkeys(NAMES, 5.0) | {f"{name}.rate": 0.5 for name in NAMES}, names, RESTS)
    feet, plans, rows = Points(simulator, SOLES), [], []
    free = together(over(feet, PLACE, HEIGHT + ROOM, WIDTH, 30.0), within(names, REACH), resting)
    for name, helped, smoothing, changes in STAGES[: 2 if report.quick else 4]:
        plan = ilqr(
            simulator, TIME, STEP, Q=Q, R=dict.fromkeys(MOTORS, 1e-3) | dict.fromkeys(HELP, helped), final=AT_THE_END,
            goal=dict(zip(NAMES, q[-1].tolist(), strict=True)), residuals=free if name == "free" else drawing,
            start=start, smoothing=smoothing, iterations=changes, tolerance=1e-3, guess=plan,
        )  # fmt: skip
        help_ = float(np.abs(plan.u[:, [plan.input_names.index(one) for one in HELP]]).max())
        rows.append((name, smoothing, len(plan.costs) - 1, plan.costs[0], plan.cost, help_))
        plans.append(plan)
    report.table(("motion", "smoothing", "changes", "first cost", "cost", "help [N, N m]"), rows)
    return plans, start


# --- the witness ------------------------------------------------------------------------------------------------------
def held(plan: Plan, start: State, mechanism: Mechanism, heavier: float = 1.0, gain: float = 1.0) -> Trajectory:
    """The robot without help, by the torques and the gains of a plan."""
    simulator = Simulator(mechanism, coordinates="tree", parameters={"trunk.mass": heavier * MASSES["trunk"]})
    driven = [plan.input_names.index(motor) for motor in MOTORS]
    rows = [plan.tracker.inputs.index(motor) for motor in MOTORS]
    before = plan.x[0, 2 * len(NAMES) :]

    def controller(time: float, state: object) -> dict[str, float]:
        nonlocal before
        assert isinstance(state, State)
        pairs = [coordinates_of(mechanism, name, state) for name in ("plane", *JOINTS)]
        q, rates = (np.concatenate([np.ravel(pair[one]) for pair in pairs]) for one in (0, 1))
        x, before = np.concatenate([q, rates, before]), q[ANKLES]
        k = round(time / STEP)
        change = -plan.tracker.K[k][rows] @ (x - plan.x[k])
        return dict(zip(MOTORS, (plan.u[k, driven] + gain * change).tolist(), strict=True))

    return simulator.simulate(TOLD, STEP, start=start, controller=controller)


def swing(motion: Trajectory, side: str) -> tuple[float, float]:
    """When a foot leaves the ground for its longest swing, and when it is there again [s]."""
    there = motion.time[np.minimum(*(np.ravel(motion.curves[f"{side}_{end}.gap"]) for end in ("heel", "toe"))) < 1e-4]
    k = int(np.diff(there).argmax())
    return float(there[k]), float(there[k + 1])


def clearance(ways: Array) -> float:
    """The least height of a sole over the obstacle [m], told between knots and along soles too. ways: (n, 8, 2)."""
    knots = np.linspace(0, len(ways) - 1, 8 * (len(ways) - 1) + 1)
    fine = np.stack([[np.interp(knots, np.arange(len(ways)), ways[:, j, one]) for j in range(8)] for one in (0, 1)])
    least = np.inf
    for heel in (0, 4):
        for share in np.linspace(0, 1, 41):
            way, up = (1 - share) * fine[:, heel] + share * fine[:, heel + 3]
            least = min(least, float(up[np.abs(way - PLACE) < WIDTH / 2].min(initial=np.inf)))
    return least


def told(report: Report, plan: Plan, motion: Trajectory, ways: Array) -> None:
    """The claims about one motion."""
    x = coordinates(motion, ("plane", *JOINTS))
    gaps = np.stack([np.ravel(motion.curves[f"{side}_{end}.gap"]) for side in SIDES for end in ("heel", "toe")])
    report.at_most("feet below the ground", float(-gaps.min()), 1e-9, "m")
    least = 0.0 if report.quick else HEIGHT  # the drawn motion does not know of the obstacle
    report.between("soles over the obstacle, at least", clearance(ways), least, 1.0, "m")
    report.between("walks at first at", float(motion.velocity[0, 0, 0]), WALK - 1e-3, WALK + 1e-3, "m/s")
    swings = {side: swing(motion, side) for side in SIDES}
    first, last = swings["right"][0], swings["left"][1]
    ahead = np.interp([first, last], motion.time, x[:, 1])
    report.between("mean speed while a foot is in the air", float(np.diff(ahead)[0] / (last - first)), 0.8, 1.0, "m/s")
    report.between("both feet in the air for", swings["right"][1] - swings["left"][0], 0.05, 0.5, "s")
    report.note("the right foot leaves and lands at", "{:.2f}, {:.2f}".format(*swings["right"]), "s")
    report.note("the left foot leaves and lands at", "{:.2f}, {:.2f}".format(*swings["left"]), "s")
    moved = np.abs(np.array([swings[side] for side in SIDES]) - SWINGS).max()
    if not report.quick:
        report.between("      moved from the drawn times by", float(moved), 0.02, TIME, "s")
    off = np.abs(x - plan.x[: len(x), : len(NAMES)]).max(axis=0)
    report.at_most("trunk from the plan", float(off[:3].max()), 0.1, "m, rad")
    report.note("joints from the plan, of a leg in the air", float(off[3:].max()), "rad")
    report.at_most("largest torque", float(np.abs(motion.inputs).max()), 60.0, "N m")


def stands(report: Report, what: str, motion: Trajectory) -> None:
    """The claims about its end."""
    report.at_most(f"{what}: speed of the trunk at the end", float(np.abs(motion.velocity[-1, 0]).max()), 0.3, "m/s")
    report.at_most(f"{what}: trunk from upright", float(np.abs(motion.coordinates("plane")[-1, 2])), 0.15, "rad")
    height = HIP + float(motion.coordinates("plane")[-1, 0])
    report.between(f"{what}: hips above the ground", height, 0.75, HIP, "m")


def main() -> int:
    report, time = Report(__doc__), STEP * np.arange(round(TIME / STEP) + 1)
    q = drawn(time)
    plans, start = planned(report, Simulator(flamingo(stance(q), helped=True), coordinates="tree"), q, time)
    mechanism, plan = flamingo(stance(q)), plans[-1]
    motion = held(plan, start, mechanism)
    feet = Points(Simulator(mechanism, coordinates="tree"), SOLES)
    ways = feet(coordinates(motion, ("plane", *JOINTS)))[0]
    told(report, plan, motion, ways)
    stands(report, "stands", motion)
    for heavier in HEAVIER:
        stands(report, f"trunk of {heavier * MASSES['trunk']:.3g} kg", held(plan, start, mechanism, heavier))
    alone = held(plan, start, mechanism, gain=0.0)
    report.at_most("torques alone, no gains: hips fall to", float(alone.position[:, 0, 2].min()), 0.5, "m")
    if report.plot:
        draw(report, motion, ways, feet(plans[1].x[:, : len(NAMES)])[0])
    return report.end()


def draw(report: Report, motion: Trajectory, ways: Array, first: Array) -> None:
    """Figures of the robot, soles, and ground forces."""
    figure, (side, forces) = report.figure(2, 1, height=6.4, height_ratios=(2, 1))
    x = coordinates(motion, ("plane", *JOINTS))
    for k in [*range(0, 120, 12), len(x) - 1]:
        shade = 0.25 + 0.6 * k / len(x)
        way, up, turn = x[k, 1], HIP + x[k, 0], x[k, 2]
        side.plot(
            [way, way + 0.39 * np.sin(turn)], [up, up + 0.39 * np.cos(turn)], color=EXACT, linewidth=3, alpha=shade
        )
        for number, color in ((0, OURS), (1, OTHER)):
            at, angle, points = np.array([way, up]), turn, [np.array([way, up])]
            for joint, length in ((0, THIGH), (1, SHANK)):
                angle += x[k, 3 + 3 * number + joint]
                at = at - length * np.array([np.sin(angle), np.cos(angle)])
                points.append(at)
            soles = ways[k, 4 * number : 4 * number + 4]
            points += [soles[0], soles[3], at]
            side.plot(*np.array(points).T, color=color, alpha=shade, linewidth=1.0)
    for number, color in ((0, OURS), (1, OTHER)):
        side.plot(*ways[:, 4 * number + 3].T, color=color, linewidth=1.5, label=f"{SIDES[number]} toe")
        side.plot(
            *first[:, 4 * number + 3].T, color=color, linestyle=":", label=f"{SIDES[number]} toe, along the drawing"
        )
    side.fill_between([PLACE - WIDTH / 2, PLACE + WIDTH / 2], 0, HEIGHT, color=EXACT, alpha=0.3)
    side.set(title="the robot every 0.12 s, and at the end [m]", aspect="equal")
    side.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    for name, color in zip(SIDES, (OURS, OTHER), strict=True):
        pressed = sum(motion.contacts[f"{name}_{end}"].normal_force for end in ("heel", "toe"))
        forces.step(motion.time, pressed, where="post", color=color, label=f"{name} foot")
    forces.set(title="normal forces [N]", xlabel="time [s]", xlim=(0, 2))
    forces.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
