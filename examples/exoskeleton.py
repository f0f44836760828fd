"""An exoskeleton's gains are found by gradient: elbow torques of a healthy and of a spastic patient stay below 5 N m.

BSMH23 Fig. 14. The exoskeleton's shoulder and elbow follow sines by servos, and an arm is strapped into it at two
cuffs, each a joint with two translations, one rotation and springs along them: two loops. With the original gains the
elbow of the patient whose spasm holds it, 10 (-pi/4 - q) - 2 q', is turned with more than 5 N m. How what lies above
the limit changes with the gains is the gradient of the whole motion, by the adjoint, through both loops; Newton's steps
along it lower the gain of the elbow. The shoulder, which hardly matters to that, is stiffened a little, and follows its
sine more closely than with the gains of the paper, which are both the original ones over 4.75.

Masses, inertias and places are those of the paper's own model. The lower cuff stands at the middle of the forearm:
taken literally its place there, 0.0136 m behind the elbow, would stretch the springs by 0.139 m at rest.
"""

from __future__ import annotations

import warnings
from math import cos, pi, sin

import numpy as np
from _report import EXACT, OTHER, OURS, Report

from symvi import (
    Body,
    EnergyWarning,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    RateWarning,
    Servo,
    Simulator,
    Trajectory,
)

Quaternion = tuple[float, float, float, float]
STEP, TIME = 1e-3, 10.0  # s, of the paper
COARSE, ROUND = 0.01, 6.28  # s, of the motions that gradients are of: one round of the sines
LIMIT, ASKED = 5.0, 4.9  # N m: of the paper, and of the search, which sees a coarser motion
SMALL = 1e-4  # N²m²s: what may lie above the limit that is asked
HIGH, PAPERS = np.array([100.0, 50.0]), np.array([100.0, 50.0]) / 4.75  # N m/rad; damping is a tenth of it, in s
SHOULDER, UPPER_ARM, LOWER_ARM, CUFF = (0.2483, 0.0, 0.0), 0.3087, 0.125, 0.155  # m
PATIENTS = {"healthy": (0.0, 0.0), "spastic": (10.0, 2.0)}  # N m/rad, N m s/rad: what the elbow adds
INDEPENDENT = ["flexion", "bend", "shoulder[1]", "elbow"]
FOUND = ["shoulder_servo.stiffness", "shoulder_servo.damping", "elbow_servo.stiffness", "elbow_servo.damping"]
MOST, FARTHEST = 12, 0.4  # changes of the gains, and of their logarithms in one of them
BODIES = {  # mass, centre of mass, inertia about it: ixx, iyy, izz, ixy, ixz, iyz
    "sAA": (6.712, (0.0, 0.1301, -0.1279), (0.3787893, 0.192833, 0.1956839, -0.0006556, -0.0006709, 0.0540633)),
    "sFE": (3.487, (0.0001, 0.1051, -0.1201), (0.1108677, 0.0689688, 0.0569634, -9.77e-5, 3.99e-5, 0.0384741)),
    "sIE": (1.663, (-0.0006, 0.1079, -0.03), (0.0266938, 0.007941, 0.0235228, 0.0001282, -5.56e-5, 0.0038772)),
    "eFE": (0.494, (0.0, 0.0557, -0.0803), (0.0069974, 0.0035498, 0.0037622, -9e-7, -4e-7, 0.001812)),
    "upper_arm": (2.25, (0.0, 0.0, CUFF), (0.01875, 0.01875, 0.00375, 0.0, 0.0, 0.0)),
    "lower_arm": (1.5, (0.0, LOWER_ARM, 0.0), (0.008515625, 0.00140625, 0.008515625, 0.0, 0.0, 0.0)),
}


def about(axis: str, angle: float) -> Quaternion:
    """A turn about x or z."""
    return cos(angle / 2), sin(angle / 2) * (axis == "x"), 0.0, sin(angle / 2) * (axis == "z")


def after(p: Quaternion, q: Quaternion) -> Quaternion:
    """Turned by p, then in there by q."""
    (w, x, y, z), (a, b, c, d) = p, q
    return (
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    )


BASE: Quaternion = (0.0, 0.5**0.5, 0.0, 0.5**0.5)  # x upwards, z ahead
OUT, BACK = about("x", pi / 2), about("x", -pi / 2)  # hinges turn about z


def exoskeleton() -> Mechanism:
    """The arm in the exoskeleton, elbow at a right angle; abduction and rotation of the shoulder are locked."""
    bodies = [
        Body(name=name, mass=mass, center_of_mass=centre, inertia=inertia)
        for name, (mass, centre, inertia) in BODIES.items()
    ]
    along = after(after(after(BASE, OUT), about("z", pi / 4)), BACK)  # of the upper arm at the start
    joints = [
        Joint(name="abduction", type="fixed", child="sAA", parent_anchor=SHOULDER, orientation=BASE),
        Joint(name="flexion", type="revolute", parent="sAA", child="sFE", orientation=OUT, coordinate=pi / 4),
        Joint(name="rotation", type="fixed", parent="sFE", child="sIE", parent_anchor=(0, UPPER_ARM, 0),
              orientation=BACK),
        Joint(name="bend", type="revolute", parent="sIE", child="eFE", orientation=OUT, coordinate=-pi / 4),
        Joint(name="shoulder", type="spherical", child="upper_arm", parent_anchor=SHOULDER, orientation=along,
              coordinate=(0, 0, 0)),
        Joint(name="elbow", type="revolute", parent="upper_arm", child="lower_arm", parent_anchor=(0, 0, UPPER_ARM),
              orientation=OUT, coordinate=-pi / 4),
        Joint(name="upper_cuff", type="planar_axis", parent="sIE", child="upper_arm", axis=(0, 1, 0),
              parent_anchor=(0, 0, CUFF - UPPER_ARM), child_anchor=(0, 0, CUFF)),
        Joint(name="lower_cuff", type="planar_axis", parent="eFE", child="lower_arm", axis=(0, 0, 1),
              parent_anchor=(0, LOWER_ARM, 0), child_anchor=(0, LOWER_ARM, 0)),
    ]  # fmt: skip
    forces = [
        Servo(name="shoulder_servo", joint="flexion", stiffness=100.0, damping=10.0, signal="pi/4 + pi/4*sin(t)"),
        Servo(name="elbow_servo", joint="bend", stiffness=50.0, damping=5.0, signal="-pi/4 + pi/4*sin(t)"),
        *(JointSpring(name=f"{cuff}_pad", joint=f"{cuff}_cuff", stiffness=(100, 100, 100)) for cuff in
          ("upper", "lower")),
        JointSpring(name="spasm", joint="elbow", stiffness=0.0, rest=-pi / 4),
        JointDamper(name="spasm_rate", joint="elbow", damping=0.0),
    ]  # fmt: skip
    return Mechanism(name="exoskeleton", bodies=bodies, joints=joints, forces=forces)


def settings(gains: np.ndarray) -> dict[str, float]:
    """Numbers of the servos."""
    return dict(zip(FOUND, (float(share * gain) for gain in gains for share in (1.0, 0.1)), strict=True))


def above(simulator: Simulator, gains: np.ndarray) -> tuple[float, np.ndarray]:
    """(∫ (|τ| - limit)₊² dt along a round, what it changes by with the logarithms of both gains). τ is the torque of
    the elbow's servo; rates are differences of coordinates, so that strong damping does not blur them."""
    stiffness, direct = float(gains[1]), np.zeros(2)
    for name, value in settings(gains).items():
        simulator.set_parameter(name, value)

    def loss(x: np.ndarray, u: np.ndarray) -> tuple[float, np.ndarray]:
        knots = COARSE * np.arange(len(x))
        target = pi / 4 * (np.sin(knots) - 1.0)
        rate = np.gradient(target, COARSE)
        rate[1:] = np.diff(target) / COARSE
        torque = -stiffness * (x[:, 1] - target + 0.1 * (x[:, len(INDEPENDENT) + 1] - rate))
        over = np.sign(torque) * np.maximum(np.abs(torque) - ASKED, 0.0)
        over[0] = 0.0  # a start from rest
        by_x = np.zeros_like(x)
        by_x[:, 1], by_x[:, len(INDEPENDENT) + 1] = -2 * COARSE * stiffness * over, -0.2 * COARSE * stiffness * over
        direct[1] = 2 * COARSE * float(over @ torque)  # τ has the gain as a factor
        return COARSE * float(over @ over), by_x

    found = simulator.gradient(loss, ROUND, COARSE, parameters=FOUND, coordinates=INDEPENDENT, chart="chord")
    by = found.parameters
    return found.value, gains * np.array([by[0] + 0.1 * by[1], by[2] + 0.1 * by[3]]) + direct


def motion_of(simulator: Simulator, gains: np.ndarray) -> Trajectory:
    for name, value in settings(gains).items():
        simulator.set_parameter(name, value)
    return simulator.simulate(TIME, STEP, record=["coordinates", "inputs", "closure", "rates"])


def peak(motion: Trajectory) -> float:
    """The largest torque of the elbow's servo [N m]."""
    return float(np.abs(motion.curves["elbow_servo.force"]).max())


def lag(motion: Trajectory) -> float:
    """Root of the mean square by which the shoulder is off its sine [rad]."""
    return float(np.sqrt(np.mean((np.ravel(motion.curves["flexion"]) - pi / 4 * (1 + np.sin(motion.time))) ** 2)))


def search(report: Report, simulators: dict[str, Simulator]) -> np.ndarray:
    """Gains for both patients: Newton's steps for the root of what lies above the limit, along its gradient."""
    gains, rows = HIGH.copy(), []
    for _ in range(MOST):
        both = [above(simulator, gains) for simulator in simulators.values()]
        value, slope = sum(each[0] for each in both), np.sum([each[1] for each in both], axis=0)
        rows.append((float(value), *gains.tolist(), *slope.tolist()))
        if value < SMALL:
            break
        change = -2 * value / (slope @ slope) * slope
        gains = gains * np.exp(change * min(1.0, FARTHEST / np.linalg.norm(change)))
    report.table(("above N²m²s", "shoulder", "elbow N m/rad", "by its log", "by its log"), rows)
    report.at_most("gradients of each patient's motion", len(rows), MOST)
    return gains


def main() -> int:
    for warning in (EnergyWarning, RateWarning):  # of the first instants, when servos catch an arm at rest
        warnings.simplefilter("ignore", warning)
    report = Report(__doc__)
    simulators = {
        name: Simulator(exoskeleton(), parameters={"spasm.stiffness": stiffness, "spasm_rate.damping": damping})
        for name, (stiffness, damping) in PATIENTS.items()
    }
    high = {name: motion_of(simulator, HIGH) for name, simulator in simulators.items()}
    report.at_most("original gains: healthy elbow", peak(high["healthy"]), LIMIT, "N m")
    report.between("original gains: spastic elbow", peak(high["spastic"]), LIMIT, 20.0, "N m")
    theirs = {name: motion_of(simulator, PAPERS) for name, simulator in simulators.items()}
    for name, motion in theirs.items():
        report.at_most(f"the paper's gains: {name} elbow", peak(motion), LIMIT, "N m")
    ours = dict(theirs)
    if report.quick:
        check(report, simulators["spastic"])
    else:
        gains = search(report, simulators)
        report.note("gains of shoulder and elbow", ", ".join(f"{gain:.4g}" for gain in gains), "N m/rad")
        ours = {name: motion_of(simulator, gains) for name, simulator in simulators.items()}
        for name, motion in ours.items():
            report.at_most(f"gains found: {name} elbow", peak(motion), LIMIT, "N m")
        report.at_most(
            "shoulder off its sine, of the paper's gains", lag(ours["spastic"]) / lag(theirs["spastic"]), 0.5
        )
    report.at_most("loops open by", max(float(motion.closure.max()) for motion in ours.values()), 1e-12, "m")
    if report.plot:
        draw(report, high, ours)
    return report.end()


def check(report: Report, simulator: Simulator) -> None:
    """The gradient beside differences of whole motions."""
    found, off = above(simulator, HIGH)[1], 1e-4
    ends = [above(simulator, HIGH * np.exp([0.0, sign * off]))[0] for sign in (1, -1)]
    share = abs((ends[0] - ends[1]) / (2 * off) / found[1] - 1)
    report.at_most("gradient by the elbow's gain, off differences", share, 1e-5)


def draw(report: Report, high: dict[str, Trajectory], ours: dict[str, Trajectory]) -> None:
    figure, panels = report.figure(1, 2, sharey=True)
    for panel, motions, title in zip(panels, (high, ours), ("original gains", "gains found"), strict=True):
        for (name, motion), color in zip(motions.items(), (OURS, OTHER), strict=True):
            panel.plot(motion.time, np.ravel(motion.curves["elbow_servo.force"]), color=color, label=name)
        for bound in (-LIMIT, LIMIT):
            panel.axhline(bound, color=EXACT, linestyle="--", linewidth=0.8)
        panel.set(title=f"elbow torque [N m], {title}", xlabel="time [s]")
        panel.legend(loc="upper right")
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
