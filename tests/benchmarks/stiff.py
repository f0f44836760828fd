"""Springs and dampers of any strength at steps of 0.01 s: bounded, monotone where overdamped; and the order of laws.

A block of 1 kg on a rail, and an arm of two hinged links, with stiffnesses from 100 N/m (N m) to 1e12 and dampings from
0 to 1e6 N s/m (N m s), let go beside their rest. What is stored may only fall: of a linear spring alone it stays. Then
the observed order of positions on four mechanisms with springs, dampers and servos, against the equations of Newton and
Euler integrated by SciPy, with h d below the mass along every damped coordinate.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from _benchmark import Report, run

from symvi.mechanism import Body, Joint, JointDamper, JointSpring, Mechanism
from symvi.simulate import Simulator, SolverOptions

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.support.damped import DAMPED, FULL, arm  # noqa: E402
from tests.support.integrated import integrated  # noqa: E402

STEP, TIME = 0.01, 2.0
STIFFNESS = (1e2, 1e4, 1e6, 1e8, 1e10, 1e12)
DAMPING = (0.0, 1.0, 1e2, 1e4, 1e6)
STEPS = (0.01, 0.005, 0.0025, 0.00125, 0.000625)
OPTIONS = SolverOptions(tolerance=1e-12)
START = 0.01  # m


def rail() -> Mechanism:
    """A block of 1 kg on a rail, a centimetre from the rest of its spring."""
    joint = Joint(name="rail", type="prismatic", child="block", axis=(1, 2, -2), coordinate=START)
    forces = [
        JointSpring(name="spring", joint="rail", stiffness=1.0),
        JointDamper(name="damper", joint="rail", damping=1.0),
    ]
    body = Body(name="block", mass=1.0, inertia=FULL, center_of_mass=(0.05, -0.1, 0.02))
    return Mechanism(name="rail", gravity=(0, 0, 0), bodies=[body], joints=[joint], forces=forces)


def on_a_rail(report: Report, stiffnesses) -> None:
    simulator, rows, undershoots, rises, alone, effort = Simulator(rail(), coordinates="maximal"), [], [], [], [], []
    for k in stiffnesses:
        for d in DAMPING:
            simulator.set_parameter("spring.stiffness", k)
            simulator.set_parameter("damper.damping", d)
            motion = simulator.simulate(TIME, STEP)
            c, energy = motion.coordinates("rail")[:, 0], motion.energy
            rise = float(np.diff(energy).max() / energy[0])
            undershoot = float(-c.min() / START)
            rises.append(rise)
            effort.append(motion.iterations.max())
            if d * d > 4 * k:
                undershoots.append(undershoot)
            if d == 0.0:
                alone.append(float(np.ptp(energy) / energy[0]))
            status = int(motion.status.max())
            rows.append((k, d, status, float(energy[-1] / energy[0]), rise, undershoot, float(effort[-1])))
    head = ("k N/m", "d N s/m", "status", "energy left", "largest rise", "undershoot", "iterations")
    report.table("a block on a rail, energies over that at the start, 2 s", head, rows)
    report.at_most("largest rise of the energy in a step, of that at the start", max(rises), 1e-9, timed=False)
    report.at_most("energy of a spring alone wanders by, of itself", max(alone), 1e-8, timed=False)
    report.at_most("overdamped: how far beyond the rest, of the start", max(undershoots), 1e-9, timed=False)
    report.at_most("most iterations of a step", float(max(effort)), 3.0, timed=False)


def in_an_arm(report: Report, stiffnesses) -> None:
    simulator, rows = Simulator(arm(1.0, 1.0, servo=False), coordinates="maximal"), []
    for k in stiffnesses:
        for d in DAMPING:
            simulator.set_parameter("spring.stiffness", k)
            simulator.set_parameter("damper.damping", d)
            simulator.set_parameter("spring.rest", 0.7 - 1.0 / k)  # pulled by 1 N m at the start, whatever it is
            motion = simulator.simulate(TIME, STEP)
            scale = float(np.ptp(motion.potential_energy) + motion.kinetic_energy.max())
            least = np.minimum.accumulate(motion.energy)
            rise = float((motion.energy - least).max() / scale)
            status = int(motion.status.max())
            rows.append(
                (k, d, status, float(motion.energy[-1] - motion.energy[0]), rise, float(motion.iterations.max()))
            )
    head = ("k N m", "d N m s", "status", "change J", "largest rise", "iterations")
    report.table("an arm under gravity, rises over the energy that moves, 2 s", head, rows)
    report.at_most("arm: largest rise of the energy, of what moves", max(row[4] for row in rows), 0.1, timed=False)
    report.at_most("arm: most iterations of a step", max(row[5] for row in rows), 16.0, timed=False)


def orders(report: Report, names, steps) -> None:
    rows, last = [], []
    for name in names:
        mechanism = DAMPED[name]()
        exact, simulator = integrated(mechanism, 0.4, 1e-11), Simulator(mechanism, coordinates="maximal")
        ends = [simulator.simulate(0.4, step, options=OPTIONS).state() for step in steps]
        errors = [
            [float(np.abs(getattr(end, what) - getattr(exact, what)).max()) for what in ("position", "velocity")]
            for end in ends
        ]
        found = np.log2(np.divide(errors[:-1], errors[1:]))
        for k, (step, error) in enumerate(zip(steps, errors, strict=True)):
            rows.append((name, step, *error, *(map(float, found[k - 1]) if k else (None, None))))
        last.append(float(np.abs(found[-1] - 2.0).max()))
    head = ("mechanism", "step s", "position m", "velocity m/s", "order of positions", "order of velocities")
    report.table("springs, dampers and servos against Newton and Euler, after 0.4 s", head, rows)
    report.at_most("order at the two finest steps, off two by", max(last), 0.1, timed=False)


def measure(report: Report) -> None:
    quick = report.quick
    on_a_rail(report, STIFFNESS[::2] if quick else STIFFNESS)
    in_an_arm(report, STIFFNESS[::2] if quick else STIFFNESS)
    orders(report, ("slider",) if quick else tuple(DAMPED), STEPS[1:4] if quick else STEPS)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
