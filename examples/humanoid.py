"""A humanoid of 30 freedoms takes a ball in 1.3 s while it stands on one foot, which stays flat on the ground.

Fan18 Fig. 6; the body is that of `_humanoid.py`. Torques of all hinges are planned by iterated linear-quadratic
regulation of the simulator's own steps, with the right foot held: the left hand is to meet the ball, at rest, and the
centre of mass to stay above the sole. What the foot would press with must lie within the sole and the cone of friction
at every step. The plan is then run where nothing holds the foot: it stands on four points with friction, of which the
plan knows nothing. Gains along the plan keep the humanoid up, which falls by the same torques alone: what rounding does
to it grows a fifth in each step.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from _humanoid import HAND, JOINTS, SOLE, humanoid
from _report import EXACT, OTHER, OURS, Report

from symvi import Simulator, SpinWarning, State, Trajectory, coordinates_of
from symvi.control import Plan, ilqr, tvlqr

Array = np.ndarray
TIME, STEP, FRICTION = 1.3, 0.02, 0.7  # s, s
BALL = np.array([0.55, 0.30, 0.65])  # m
MIDDLE = np.array([0.04, 0.0])  # of the sole [m]
N = len(JOINTS)
STANCE = {
    "right_knee": 0.3, "right_ankle_pitch": -0.15, "right_hip_pitch": -0.15, "left_knee": 1.0, "left_hip_pitch": -0.5,
    "left_ankle_pitch": -0.5, "left_shoulder_roll": 0.15, "right_shoulder_roll": -0.15, "left_elbow": -0.3,
    "right_elbow": -0.3,
}  # fmt: skip
R = {f"{name}_motor.force": 1e-4 for name in JOINTS}
Q = {name: 0.2 for name in JOINTS} | {f"{name}.rate": 0.02 for name in JOINTS}
AT_THE_END = {name: 0.02 for name in JOINTS} | {f"{name}.rate": 100.0 for name in JOINTS}
REACHING, BALANCING = 300.0, 20.0  # weights of the hand and of the centre of mass [1/m]


def balanced() -> dict[str, float]:
    """The stance with its centre of mass above the middle of the sole: ankle and hip lean, the pelvis stays level."""
    model = Simulator(humanoid(STANCE), coordinates="tree").model
    q = np.array([STANCE.get(name, 0.0) for name in model.names])
    leaning = np.zeros((N, 2))
    for k, axis in enumerate(("roll", "pitch")):
        leaning[model.names.index(f"right_ankle_{axis}"), k] = 1.0
        leaning[model.names.index(f"right_hip_{axis}"), k] = -1.0
    for _ in range(20):
        off = model.centre_of_mass(q)[:2] - MIDDLE
        q -= leaning @ np.linalg.solve(model.centre_of_mass_jacobian(q)[:2] @ leaning, off)
    return dict(zip(model.names, q.tolist(), strict=True))


def palm(simulator: Simulator, q: Array) -> Array:
    """Where the left palm is [m]."""
    frames, hand = simulator.model.frames(q), simulator.model.bodies.index("left_hand")
    return frames.position[hand] + frames.rotation[hand] @ np.array(HAND)


def reaching(simulator: Simulator) -> Callable[[Array], tuple[Array, Array]]:
    """The palm at the end off the ball, and the centre of mass off the middle of the sole at all knots."""
    model = simulator.model

    def residuals(x: Array) -> tuple[Array, Array]:
        r, by_x = np.zeros((len(x), 5)), np.zeros((len(x), 5, 2 * N))
        r[-1, :3] = REACHING * (palm(simulator, x[-1, :N]) - BALL)
        by_x[-1, :3, :N] = REACHING * model.jacobian("left_hand", x[-1, :N], HAND)[:3]
        for k, q in enumerate(x[:, :N]):
            r[k, 3:] = BALANCING * (model.centre_of_mass(q)[:2] - MIDDLE)
            by_x[k, 3:, :N] = BALANCING * model.centre_of_mass_jacobian(q)[:2]
        return r, by_x

    return residuals


def planned(simulator: Simulator, stance: dict[str, float], iterations: int) -> Plan:
    """The motion. The first guess holds the stance against gravity."""
    q = np.array([stance[name] for name in JOINTS])
    weights = simulator.model.inverse_dynamics(q, 0 * q, 0 * q)
    held = {f"{name}_motor.force": float(each) for name, each in zip(JOINTS, weights, strict=True)}
    return ilqr(
        simulator, TIME, STEP, Q=Q, R=R, final=AT_THE_END, goal=stance, residuals=reaching(simulator), inputs=held,
        iterations=iterations, tolerance=1e-5,
    )  # fmt: skip


def pressed(motion: Trajectory) -> tuple[Array, Array]:
    """(N, 2) where the sole presses on the ground [m], and (N,) the share of friction that it takes, of every step."""
    force, torque = np.split(motion.reactions["sole"][1:], 2, axis=1)
    place = np.stack([-torque[:, 1], torque[:, 0]], axis=1) / force[:, 2:]
    return place, np.linalg.norm(force[:, :2], axis=1) / force[:, 2]


def standing(stance: dict[str, float], plan: Plan, motion: Trajectory) -> tuple[Trajectory, Trajectory]:
    """The plan where nothing holds the foot: with gains along it, which see the angles of this knot and of the one
    before, and by its torques alone."""
    simulator = Simulator(humanoid(stance, held=False), coordinates="tree")
    weights = {name: 10.0 for name in JOINTS} | {f"{name}.rate": 1.0 for name in JOINTS}
    tracker = tvlqr(motion.linearize(chart="chord"), Q=weights, R={name: 1e-2 for name in R})
    seen = [np.array([stance[name] for name in JOINTS])]

    def controller(time: float, state: object) -> dict[str, float]:
        assert isinstance(state, State)
        seen.append(np.array([coordinates_of(simulator.mechanism, name, state)[0][0] for name in JOINTS]))
        k = min(round(time / STEP), len(plan.u) - 1)
        more = tracker(k * STEP, np.concatenate([seen[-1], (seen[-1] - seen[-2]) / STEP]))
        return {name: plan.u[k, j] + more[name] for j, name in enumerate(plan.input_names)}

    stood = simulator.simulate(TIME, STEP, controller=controller)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpinWarning)  # of limbs that whirl in the fall
        return stood, simulator.simulate(TIME, STEP, inputs=plan.inputs, on_error="status")


def turned(motion: Trajectory) -> float:
    """By how much the foot turns at most [rad]."""
    q = motion.orientation[:, motion.body("right_foot")]
    return float(2 * np.arctan2(np.linalg.norm(q[:, 1:], axis=1), np.abs(q[:, 0])).max())


def angles(motion: Trajectory) -> Array:
    return np.array([float(motion.coordinates(name)[-1, 0]) for name in JOINTS])


def main() -> int:
    report, stance = Report(__doc__), balanced()
    simulator = Simulator(humanoid(stance), coordinates="tree")
    report.equal("freedoms", len(simulator.model.names), 30)
    plan = planned(simulator, stance, 10 if report.quick else 100)
    report.note("changes of the torques", float(len(plan.costs) - 1))
    report.note("largest torque", float(np.abs(plan.u).max()), "N m")
    motion = simulator.simulate(TIME, STEP, inputs=plan.inputs)
    report.at_most("the plan from its replay", float(np.abs(angles(motion) - plan.x[-1, :N]).max()), 1e-9, "rad")
    begin = palm(simulator, np.array([stance[name] for name in JOINTS]))
    report.note("palm from the ball at first", float(np.linalg.norm(begin - BALL)), "m")
    off, near = float(np.linalg.norm(palm(simulator, angles(motion)) - BALL)), 5e-3
    report.at_most("palm from the ball at 1.3 s", off, near, "m")
    place, share = pressed(motion)
    inside = np.abs(place - MIDDLE) / SOLE
    report.at_most("the sole presses within itself, of its half", float(inside.max()), 1.0)
    report.at_most("friction that it takes, coefficient", float(share.max()), FRICTION)
    stood, left = standing(stance, plan, motion)
    slip = np.linalg.norm(stood.position[:, stood.body("right_foot")], axis=1).max()
    report.at_most("on four points: the foot turns", turned(stood), 1e-6, "rad")
    report.at_most("      and slips", float(slip), 1e-6, "m")
    report.at_most("      palm from the ball", float(np.linalg.norm(palm(simulator, angles(stood)) - BALL)), near, "m")
    report.between("      without gains it falls: the foot turns", turned(left), 0.1, 4.0, "rad")
    if report.plot:
        draw(report, stood, place, motion)
    return report.end()


def draw(report: Report, stood: Trajectory, place: Array, motion: Trajectory) -> None:
    figure, (side, sole, torques) = report.figure(
        1, 3, width=12, height=4.2, gridspec_kw={"width_ratios": [1.3, 1.2, 1.2]}
    )
    for k, shade in zip(np.linspace(0, len(stood.time) - 1, 5).astype(int), (0.15, 0.3, 0.45, 0.7, 1.0), strict=True):
        for joint in stood.mechanism.joints[1:]:
            ends = [stood.position[k, stood.body(name)] for name in (joint.parent, joint.child)]
            side.plot(*np.array(ends)[:, [0, 2]].T, color=OURS, alpha=shade, solid_capstyle="round", linewidth=2)
    side.plot(*BALL[[0, 2]], "o", color=OTHER, markersize=9)
    side.set(title="from the right: heights [m]", xlabel="ahead [m]", aspect="equal")
    sole.plot(*place.T, color=OURS, label="pressed here")
    corners = MIDDLE + np.array(SOLE) * [[1, 1], [1, -1], [-1, -1], [-1, 1], [1, 1]]
    sole.plot(*corners.T, color=EXACT, label="sole")
    sole.set(title="under the foot [m]", xlabel="ahead [m]", aspect="equal")
    sole.legend(loc="upper left")
    for name in ("right_ankle_pitch", "right_knee", "left_shoulder_pitch", "back_pitch"):
        torques.step(motion.time[:-1], motion.inputs[:-1, JOINTS.index(name)], where="post", label=name)
    torques.set(title="torques [N m]", xlabel="time [s]")
    torques.legend(loc="lower left")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
