"""A dropped cube never enters the ground; it comes to rest some picometres above, by a formula that says how far.

Brüdigam, Sosnowski, Manchester & Hirche 2023, Fig. 7d. A cube of 0.5 m and 1 kg, a contact in each corner, falls flat
from 0.25 to 1.25 m, in steps of 0.01 s. The paper finds a smallest gap of 43 um with a tolerance of 1e-3, in its own
mixed units, and 2.7 cm of penetration in MuJoCo. Here a tolerance bounds impulse times velocity in units of
m (g h)^2; with n contacts each carries m g h / n, so that the interior point, which ends on half of the tolerance,
leaves the cube n/2 tol g h^2 above the ground. At 1e-8 that is 20 pm. The corners' heights are computed from the
placement alone. MuJoCo takes part, with its own settings, where it is installed (pip install mujoco).
"""

from __future__ import annotations

import numpy as np
from _contacts import EDGE, GRAVITY, corner_heights, cube, normal_forces
from _report import OTHER, OURS, THIRD, Report

from symvi import Simulator, SolverOptions, State, Trajectory

STEP, DURATION, FRICTION, RESTING = 0.01, 1.0, 0.3, 4
QUOTED = 0.65  # m: the height of which the paper gives figures
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
DEFAULT = 1e-8
XML = """<mujoco><option timestep="{step}"/><worldbody>
<geom type="plane" size="5 5 1" friction="{friction} .005 .0001"/>
<body pos="0 0 {height}"><freejoint/>
<geom type="box" size=".25 .25 .25" mass="1" friction="{friction} .005 .0001"/></body>
</worldbody></mujoco>"""


def drop(simulator: Simulator, height: float, tolerance: float = DEFAULT) -> Trajectory:
    """Let go at a height of the centre [m]."""
    turned, still = [[1.0, 0.0, 0.0, 0.0]], np.zeros((1, 3))
    start = State(0.0, np.array([[0.0, 0.0, height]]), turned, still, still, ("cube",))
    return simulator.simulate(DURATION, STEP, start=start, options=SolverOptions(complementarity=tolerance))


def lowest(trajectory: Trajectory) -> np.ndarray:
    """Height of the lowest corner at every knot [m]."""
    return corner_heights(trajectory.position[:, 0], trajectory.orientation[:, 0]).min(axis=1)


def mujoco_lowest(heights: np.ndarray) -> np.ndarray | None:
    """(drops, knots): height of the lowest corner in MuJoCo [m], or nothing where it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    found = []
    for height in heights:
        model = mujoco.MjModel.from_xml_string(XML.format(step=STEP, friction=FRICTION, height=height))
        data, placements = mujoco.MjData(model), []
        for _ in range(round(DURATION / STEP)):
            mujoco.mj_step(model, data)
            placements.append(data.qpos.copy())
        states = np.array(placements)
        found.append(corner_heights(states[:, :3], states[:, 3:]).min(axis=1))
    return np.array(found)


def main() -> int:
    report = Report(__doc__)
    simulator = Simulator(cube(FRICTION))
    heights = np.linspace(EDGE / 2, 1.25, 6 if report.quick else 21)
    drops = [drop(simulator, height) for height in heights]
    ours = np.array([lowest(each) for each in drops])
    rest = {tolerance: float(lowest(drop(simulator, QUOTED, tolerance))[-1]) for tolerance in TOLERANCES}
    expected = {tolerance: RESTING / 2 * tolerance * GRAVITY * STEP**2 for tolerance in TOLERANCES}
    forces = np.array([normal_forces(each)[-1] for each in drops])
    theirs = mujoco_lowest(heights)

    report.note("default tolerance", DEFAULT)
    report.table(
        ("tolerance", "rest gap m", "n/2 tol g h^2", "ratio"),
        [(tolerance, gap, expected[tolerance], gap / expected[tolerance]) for tolerance, gap in rest.items()],
    )
    report.at_most("deepest penetration of a corner, all drops", max(0.0, -ours.min()), 0.0, "m")
    report.note("smallest gap of all drops (paper: 43 um)", ours[:, 1:].min(), "m")
    for tolerance in TOLERANCES:
        ratio = rest[tolerance] / expected[tolerance]
        report.between(f"rest gap / (n/2 tol g h^2) at {tolerance:g}", ratio, 0.98, 1.02)
    ratio = max(abs(ours[:, -1] / expected[DEFAULT] - 1))
    report.at_most("the same after all drops, deviation", ratio, 0.02)
    report.at_most("sum of normal forces / weight - 1", abs(forces.sum(axis=1) / GRAVITY - 1).max(), 1e-6)
    iterations = np.concatenate([each.iterations[1:] for each in drops])
    report.note("iterations per step, mean", iterations.mean())
    report.note("iterations per step, most", iterations.max())
    report.at_most("starts that did not get through", float(sum(each.retries.sum() for each in drops)), 0)
    if theirs is None:
        report.note("MuJoCo", "not installed")
    else:
        at = int(np.argmin(abs(heights - QUOTED)))
        report.note(f"MuJoCo's penetration from {heights[at]:.2f} m (paper: 2.7 cm)", -theirs[at].min(), "m")
        report.note("MuJoCo's deepest penetration of all drops", -theirs.min(), "m")
    if report.plot:
        draw(report, heights, drops, ours, theirs, rest, expected)
    return report.end()


def draw(report: Report, heights, drops, ours, theirs, rest, expected) -> None:
    figure, (left, middle, right) = report.figure(1, 3, width=12)
    for each, height in list(zip(ours, heights, strict=True))[:: max(1, len(heights) // 5)]:
        left.plot(drops[0].time, each, color=OURS, alpha=0.4 + 0.4 * height, linewidth=0.9)
    left.set(title="height of the lowest corner [m]", xlabel="time [s]")
    middle.plot(heights, -1e3 * np.minimum(ours, 0).min(axis=1), "o-", color=OURS, markersize=3, label="symvi")
    if theirs is not None:
        middle.plot(heights, -1e3 * theirs.min(axis=1), "s-", color=OTHER, markersize=3, label="MuJoCo")
    middle.set(title="deepest penetration [mm]", xlabel="height of the centre at the start [m]")
    middle.legend()
    right.loglog(list(expected), list(expected.values()), color=THIRD, label="n/2 tol g h^2")
    right.loglog(list(rest), list(rest.values()), "o", color=OURS, markersize=4, label="symvi")
    right.set(title="gap at rest [m]", xlabel="tolerance")
    right.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
