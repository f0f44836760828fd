"""Contacts: iterations, retries and failures of a step, what a contact costs, energy gained by impacts, creep.

What a step leaves of complementarity is seen as creep, and what it does not leave is paid in iterations: both are
printed for the default and for other tolerances, creep up to a thousandth below the slope on which a block slides.

The scenes are those of the examples: a cube that drops on its eight corners, 100 tosses of it, a block on a slope near
the threshold of sliding, a chain of 44 spheres that falls, a quadruped that stands and trots. Bounds are the figures of
a prototype of the same method, with the second-order cone and a tolerance of 1e-6. A bound on a quadruped's step is
half of the prototype's rate.

The energy of a step is the kinetic energy of its own velocity plus the potential at its middle: flight keeps it
exactly, friction and plastic impacts take from it, and what it gains is the error of the method.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import atan, cos
from pathlib import Path

import numpy as np
from _benchmark import Report, run
from _measure import DrivenRollout, clock, pin, take_turns

from symvi.mechanism import Contact, Mechanism
from symvi.numbers.control import COMPLEMENTARITY, SolverOptions
from symvi.program.info import ITERATION
from symvi.simulate import Simulator, Trajectory
from symvi.simulate.solver_build import composed

sys.path.append(str(Path(__file__).parents[2] / "examples"))
from _contacts import CORNERS, EDGE, GRAVITY, cube
from _quadruped import STAND, gait, knots, quadruped
from box_toss import random_start
from incline import FRICTION, LEVEL, Scene, slope
from quadruped import TROT
from sphere_chain import chain

DEFAULT = SolverOptions()
NEAR = (0.98, 0.999, 1.001, 1.02)  # tan(theta)/c_f of the slopes
FLOORS = {  # case -> most iterations per step on average
    "cube drop": 2.1, "box tosses": 2.6, "incline near the threshold": 3.4, "sphere chain n = 44": 5.1,
    "quadruped stands, 1 ms": 2.1, "quadruped trots, 1 ms": 3.0, "quadruped trots, 10 ms": 4.5,
}  # fmt: skip
CONTACT_TIME, PROTOTYPE_CLOCK = 100.0, 3.7  # ns per contact and iteration at GHz
STEP_TIMES = {"quadruped stands, 1 ms": 1e6 / 60e3, "quadruped trots, 1 ms": 1e6 / 60e3}  # us
GAIN = 1.5e-4  # J
PROTOTYPE, TOLERANCES = 1e-6, (1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
FINER = 0.1  # iterations that the default may take more than the prototype's tolerance, in tosses
LOADS = (0.5, 0.9, 0.99, 0.999)  # of the tangent of the slope on which a block slides


def drop(seconds: float, options: SolverOptions) -> Trajectory:
    return Simulator(cube(0.3, height=0.65), coordinates="maximal").simulate(
        seconds, 0.01, options=options, on_error="status"
    )


def tosses(count: int, seconds: float, step: float, options: SolverOptions = DEFAULT) -> Iterator[Trajectory]:
    """Coefficients of friction from 0.1 to 1."""
    simulator, generator = Simulator(cube(0.5), coordinates="maximal"), np.random.default_rng(1)
    for _ in range(count):
        start = random_start(generator)
        simulator.set_parameter("ground.friction", generator.uniform(0.1, 1.0))
        yield simulator.simulate(seconds, step, start=start, options=options, on_error="status")


def slopes(seconds: float, options: SolverOptions) -> Iterator[Trajectory]:
    scene = Scene(LEVEL)
    for share in NEAR:
        yield scene.run(slope(atan(share * FRICTION), 0.4), (0, 0, 0), seconds, options)


def robot(parameters, step: float, seconds: float, options: SolverOptions) -> Trajectory:
    inputs = gait(knots(seconds, step), parameters)
    return Simulator(quadruped(0.8), coordinates="maximal").simulate(
        seconds, step, inputs=inputs, options=options, on_error="status"
    )


def spheres(count: int, seconds: float, options: SolverOptions) -> Trajectory:
    return Simulator(chain(count), coordinates="maximal").simulate(seconds, 0.01, options=options, on_error="status")


def cases(quick: bool, options: SolverOptions = DEFAULT) -> dict[str, list[Trajectory]]:
    short = 0.1 if quick else 1.0
    return {
        "cube drop": [drop(2 * short, options)],
        "box tosses": list(tosses(2 if quick else 100, 2 * short, 0.01, options)),
        "incline near the threshold": list(slopes(3 * short, options)),
        "sphere chain n = 44": [spheres(4 if quick else 44, 5 * short, options)],
        "quadruped stands, 1 ms": [robot(STAND, 1e-3, 4 * short, options)],
        "quadruped trots, 1 ms": [robot(TROT, 1e-3, 4 * short, options)],
        "quadruped stands, 10 ms": [robot(STAND, 1e-2, 4 * short, options)],
        "quadruped trots, 10 ms": [robot(TROT, 1e-2, 4 * short, options)],
    }


def effort(report: Report) -> None:
    """Iterations, retries and failures of every case, at the prototype's tolerance."""
    rows, found = [], {}
    for name, motions in cases(report.quick, SolverOptions(complementarity=PROTOTYPE)).items():
        counts = np.concatenate([motion.iterations[1:] for motion in motions])
        failed = sum(int(motion.status[-1] < 0) for motion in motions)
        retries = sum(int((motion.retries[1:] > 0).sum()) for motion in motions)
        found[name] = float(counts.mean())
        rows.append((name, len(counts), found[name], int(counts.max()), retries, failed))
    title = f"steps solved to a tolerance of {PROTOTYPE:g} effective mass (g h)^2"
    report.table(title, ("case", "steps", "iterations", "most", "retries", "failed"), rows)
    for name, floor in FLOORS.items():
        report.at_most(f"{name}: iterations", found[name], floor, timed=report.quick)
    report.at_most("failed steps, all cases", sum(row[-1] for row in rows), 0, timed=False)


def some_corners(count: int) -> Mechanism:
    """A cube at rest on its four lower corners; beyond four contacts they share them."""
    points = [tuple(map(float, corner)) for corner in CORNERS[CORNERS[:, 2] < 0]]
    contacts = [Contact(name=f"foot{k}", child="cube", child_anchor=points[k % 4], friction=0.3) for k in range(count)]
    return Mechanism(name=f"cube_on_{count}", bodies=cube(0.3).bodies, contacts=contacts)


def cost(report: Report) -> None:
    """Of one contact: the slope of an iteration's time from four contacts at rest to twelve."""
    steps, repeats = (20, 2) if report.quick else (2000, 25)
    nothing, counts, tolerances = np.zeros((1, 0)), (4, 12), (1e-3, 1e-10)
    simulators = {
        count: Simulator(some_corners(count), layout="unrolled", backend="c", coordinates="maximal") for count in counts
    }
    jobs = {
        f"{count} {tolerance:g}": DrivenRollout(
            simulator, steps, SolverOptions(complementarity=tolerance), nothing, 0.01
        )
        for count, simulator in simulators.items()
        for tolerance in tolerances
    }
    before = clock()
    times, often = take_turns(jobs, repeats), {name: job.iterations() for name, job in jobs.items()}
    gigahertz = clock()
    each, once = {}, {}
    for count in counts:
        coarse, fine = (f"{count} {tolerance:g}" for tolerance in tolerances)
        each[count] = (times[fine].least - times[coarse].least) / (often[fine] - often[coarse]) / steps * 1e9
        once[count] = times[fine].least / steps * 1e9 - each[count] * often[fine]
    programs = {count: composed(some_corners(count), coordinates="maximal") for count in counts}
    phases = [
        *ITERATION,
        "scale",
        "predict",
        "right_hand_side",
        "respond",
        "respond",
        "advance",
        "apply_impulse",
        "merit",
    ]
    flops = {count: sum(program.flops(phase) for phase in phases) for count, program in programs.items()}
    few, many = counts
    per = (each[many] - each[few]) / (many - few)
    rows = [(count, each[count], once[count], often[f"{count} {tolerances[1]:g}"]) for count in counts]
    rows.append((f"each of {few} to {many}", per, (once[many] - once[few]) / (many - few), None))
    head = ("contacts", "ns/iteration", "ns once a step", "iterations")
    report.table(f"a cube at rest at {before:.2f} to {gigahertz:.2f} GHz", head, rows)
    report.note(f"operations of a contact in an iteration: about {(flops[many] - flops[few]) / (many - few):.0f}")
    report.at_most("cycles per contact and iteration", per * gigahertz, CONTACT_TIME * PROTOTYPE_CLOCK)


def rates(report: Report) -> None:
    """Steps of the quadruped."""
    seconds, repeats = (0.02, 2) if report.quick else (4.0, 5)
    jobs = {}
    for profile in ("reproducible", "fast"):
        simulator = Simulator(quadruped(0.8), profile=profile, backend="c", coordinates="maximal")
        for what, parameters in (("stands", STAND), ("trots", TROT)):
            targets = gait(knots(seconds, 1e-3), parameters)
            rows = simulator.inputs.overlay(np.zeros((len(knots(seconds, 1e-3)), len(simulator.plan.inputs))), targets)
            jobs[f"quadruped {what}, 1 ms", profile] = DrivenRollout(simulator, len(rows) - 1, DEFAULT, rows, 1e-3)
    times = take_turns({" ".join(name): job for name, job in jobs.items()}, repeats)
    rows = []
    for (name, profile), job in jobs.items():
        step = times[f"{name} {profile}"].least / job.steps
        rows.append((name, profile, step * 1e6, 1 / step))
    report.table("quadruped, one core", ("", "profile", "us/step", "steps/s"), rows)
    for name, profile, step, _ in rows:
        if profile == "reproducible":
            report.at_most(f"{name}: a step", step, STEP_TIMES[name], "us")


def step_energies(motion: Trajectory) -> np.ndarray:
    """(N - 1,): kinetic energy of each step's own velocity and potential at its middle, of the cube [J]."""
    place, turn, step = motion.position[:, 0], motion.orientation[:, 0], motion.step
    velocity = np.diff(place, axis=0) / step
    first, second = turn[:-1], turn[1:]
    scalar, vector = first[:, :1], first[:, 1:]
    half = second[:, 1:] * scalar - second[:, :1] * vector - np.cross(second[:, 1:], vector)  # of q2 times q1 reversed
    spin = 2 * half / step
    kinetic = 0.5 * (velocity**2).sum(axis=1) + 0.5 * EDGE**2 / 6 * (spin**2).sum(axis=1)
    return kinetic + GRAVITY * (place[1:, 2] + place[:-1, 2]) / 2


def gain(report: Report) -> None:
    """Energy that a step gains at most."""
    steps = (0.01, 0.005, 0.0025)
    found = [
        max(float(np.diff(step_energies(motion)).max()) for motion in tosses(3 if report.quick else 100, 2.0, step))
        for step in steps
    ]
    rows = [(step, value, value / step**2) for step, value in zip(steps, found, strict=True)]
    report.table("largest energy that a step of a tossed box gains", ("step s", "J", "J/s^2"), rows)
    report.at_most(f"steps of {steps[0]} s: largest gain", found[0], GAIN, "J", timed=False)
    report.at_most("a quarter of the step: gain / h^2, against that before", rows[-1][2] / rows[0][2], 1.0,
                   timed=report.quick)  # fmt: skip


def sweep(report: Report) -> None:
    """What a finer or coarser complementarity costs: iterations of every case, steps with retries, failures."""
    rows: dict[str, list[float]] = {}
    for tolerance in TOLERANCES:
        motions = cases(report.quick, SolverOptions(complementarity=tolerance))
        for name, found in motions.items():
            rows.setdefault(name, []).append(float(np.concatenate([m.iterations[1:] for m in found]).mean()))
        everything = [motion for found in motions.values() for motion in found]
        rows.setdefault("steps with retries, all", []).append(sum(int((m.retries[1:] > 0).sum()) for m in everything))
        rows.setdefault("failed steps, all", []).append(sum(int(m.status[-1] < 0) for m in everything))
    head = ("iterations per step", *(f"{tolerance:g}" for tolerance in TOLERANCES))
    report.table("complementarity", head, [(name, *values) for name, values in rows.items()])
    coarse, default = TOLERANCES.index(PROTOTYPE), TOLERANCES.index(COMPLEMENTARITY["double"])
    more = rows["box tosses"][default] - rows["box tosses"][coarse]
    report.at_most("box tosses: more iterations at the default", more, FINER, timed=report.quick)
    report.at_most("failed steps at the default", rows["failed steps, all"][default], 0, timed=False)


def creep(report: Report) -> None:
    """Of a block on n = 4 feet that friction holds, by the share y of its strength that is asked for.

    At the middle of the central path it is (n/2) tol g h y/(c_f cos(slope) (1 - y²)); a step may leave products of up
    to twice that.
    """
    scene, seconds = Scene(LEVEL), 0.5 if report.quick else 5.0
    rows = []
    for step in (0.01, 0.001):
        for tolerance in TOLERANCES:
            row: list[float] = [step, tolerance]
            for share in LOADS:
                gravity = slope(atan(share * FRICTION), 0.4)
                motion = scene.run(gravity, (0, 0, 0), seconds, SolverOptions(complementarity=tolerance), step)
                path, tenth = scene.path(motion), len(motion) // 10
                row.append(float(np.linalg.norm(path[-1] - path[tenth])) / (seconds - motion.time[tenth]))
            rows.append((*row, float(motion.iterations[1:].mean())))
            if tolerance == COMPLEMENTARITY["double"]:
                for share, speed in zip(LOADS, row[2:], strict=True):
                    weight = FRICTION * cos(atan(share * FRICTION)) * (1 - share**2)
                    bound = 4 * tolerance * GRAVITY * step * share / weight
                    report.at_most(f"creep at {share:g} of the slope, h = {step:g} s", speed, bound, "m/s", timed=False)
    head = ("step s", "tolerance", *(f"at {share:g}" for share in LOADS), "iterations")
    report.table("creep of a block that sticks, m/s, by the share of the steepest slope", head, rows)


def measure(report: Report) -> None:
    pin()
    effort(report)
    cost(report)
    rates(report)
    gain(report)
    sweep(report)
    creep(report)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
