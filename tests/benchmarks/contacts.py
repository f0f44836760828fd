"""Contacts: iterations, retries and failures of a step, what a contact costs, energy gained by impacts, creep.

The scenes are those of the examples: a cube that drops on its eight corners, 100 tosses of it, a block on a slope near
the threshold of sliding, a chain of 44 spheres that falls, a quadruped that stands and trots. Bounds are the figures of
a prototype of the same method, with the second-order cone and the default tolerance. A bound on a quadruped's step is
half of the prototype's rate.

The energy of a step is the kinetic energy of its own velocity plus the potential at its middle: flight keeps it
exactly, friction and plastic impacts take from it, and what it gains is the error of the method.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import atan, pi
from pathlib import Path

import numpy as np
from _benchmark import Report, run
from _measure import clock, pin, take_turns

from symvi.mechanism import Contact, Mechanism
from symvi.program.control import COMPLEMENTARITY, SolverOptions
from symvi.program.info import ITERATION
from symvi.simulate import Simulator, Trajectory
from symvi.simulate.build import composed

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
GAIN, CREEP, FINE_CREEP = 1.5e-4, 3e-7, 3e-9  # J, m/s, m/s at a tolerance of 1e-8
FINE = 1e-8


def drop(seconds: float) -> Trajectory:
    return Simulator(cube(0.3, height=0.65)).simulate(seconds, 0.01, on_error="status")


def tosses(count: int, seconds: float, step: float) -> Iterator[Trajectory]:
    """Coefficients of friction from 0.1 to 1."""
    simulator, generator = Simulator(cube(0.5)), np.random.default_rng(1)
    for _ in range(count):
        start = random_start(generator)
        simulator.set_parameter("ground.friction", generator.uniform(0.1, 1.0))
        yield simulator.simulate(seconds, step, start=start, on_error="status")


def slopes(seconds: float) -> Iterator[Trajectory]:
    scene = Scene(LEVEL)
    for share in NEAR:
        yield scene.run(slope(atan(share * FRICTION), 0.4), (0, 0, 0), seconds, DEFAULT)


def robot(parameters, step: float, seconds: float) -> Trajectory:
    simulator = Simulator(quadruped(0.8))
    return simulator.simulate(seconds, step, inputs=gait(knots(seconds, step), parameters), on_error="status")


def cases(quick: bool) -> dict[str, list[Trajectory]]:
    short = 0.1 if quick else 1.0
    return {
        "cube drop": [drop(2 * short)],
        "box tosses": list(tosses(2 if quick else 100, 2 * short, 0.01)),
        "incline near the threshold": list(slopes(3 * short)),
        "sphere chain n = 44": [Simulator(chain(4 if quick else 44)).simulate(5 * short, 0.01, on_error="status")],
        "quadruped stands, 1 ms": [robot(STAND, 1e-3, 4 * short)],
        "quadruped trots, 1 ms": [robot(TROT, 1e-3, 4 * short)],
        "quadruped stands, 10 ms": [robot(STAND, 1e-2, 4 * short)],
        "quadruped trots, 10 ms": [robot(TROT, 1e-2, 4 * short)],
    }


def effort(report: Report) -> None:
    """Iterations, retries and failures of every case."""
    rows, found = [], {}
    for name, motions in cases(report.quick).items():
        counts = np.concatenate([motion.iterations[1:] for motion in motions])
        failed = sum(int(motion.status[-1] < 0) for motion in motions)
        retries = sum(int((motion.retries[1:] > 0).sum()) for motion in motions)
        found[name] = float(counts.mean())
        rows.append((name, len(counts), found[name], int(counts.max()), retries, failed))
    title = f"steps solved to the default tolerance, {COMPLEMENTARITY['double']:g} heft (g h)^2"
    report.table(title, ("case", "steps", "iterations", "most", "retries", "failed"), rows)
    for name, floor in FLOORS.items():
        report.at_most(f"{name}: iterations", found[name], floor, timed=report.quick)
    report.at_most("failed steps, all cases", sum(row[-1] for row in rows), 0, timed=False)


class Rest:
    """The generated C's own loop from one start; nothing is recorded."""

    def __init__(self, simulator: Simulator, steps: int, options: SolverOptions, rows: np.ndarray, step: float):
        self.simulator, self.steps, self.options, self.rows = simulator, steps, options, rows
        simulator.start(step=step, inputs=rows[:2] if rows.size else None)
        self.state, self.parameters = simulator.engine.state.copy(), simulator.engine.parameters.copy()

    def __call__(self, every: int | None = None) -> np.ndarray:
        engine = self.simulator.engine
        engine.state[:], engine.parameters[:] = self.state, self.parameters
        varying = len(self.rows) > 1
        return engine.rollout(self.rows, varying, self.steps, every or self.steps + 1, self.options)[2]

    def iterations(self) -> float:
        return float(self(1)[1:, self.simulator.plan.frame["iterations"][0]].mean())


def some_corners(count: int) -> Mechanism:
    """A cube at rest on its four lower corners; beyond four contacts they share them."""
    points = [tuple(map(float, corner)) for corner in CORNERS[CORNERS[:, 2] < 0]]
    contacts = [Contact(name=f"foot{k}", child="cube", child_anchor=points[k % 4], friction=0.3) for k in range(count)]
    return Mechanism(name=f"cube_on_{count}", bodies=cube(0.3).bodies, contacts=contacts)


def cost(report: Report) -> None:
    """Of one contact: the slope of an iteration's time from four contacts at rest to twelve."""
    steps, repeats = (20, 2) if report.quick else (2000, 25)
    nothing, counts, tolerances = np.zeros((1, 0)), (4, 12), (1e-3, 1e-10)
    simulators = {count: Simulator(some_corners(count), layout="unrolled", backend="c") for count in counts}
    jobs = {
        f"{count} {tolerance:g}": Rest(simulator, steps, SolverOptions(complementarity=tolerance), nothing, 0.01)
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
    programs = {count: composed(some_corners(count)) for count in counts}
    phases = [*ITERATION, "scale", "predict", "aim", "respond", "respond", "advance", "press", "merit"]
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
        simulator = Simulator(quadruped(0.8), profile=profile, backend="c")
        for what, parameters in (("stands", STAND), ("trots", TROT)):
            targets = gait(knots(seconds, 1e-3), parameters)
            rows = simulator.inputs.overlay(np.zeros((len(knots(seconds, 1e-3)), len(simulator.plan.inputs))), targets)
            jobs[f"quadruped {what}, 1 ms", profile] = Rest(simulator, len(rows) - 1, DEFAULT, rows, 1e-3)
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


def creep(report: Report) -> None:
    """Of a block that friction holds at half of its strength."""
    scene, steps = Scene(LEVEL), 100 if report.quick else 10_000
    rows = []
    for tolerance, bound in ((COMPLEMENTARITY["double"], CREEP), (FINE, FINE_CREEP)):
        options = SolverOptions(complementarity=tolerance)
        path = scene.path(scene.run(slope(atan(FRICTION / 2), pi / 5), (0, 0, 0), steps * 0.01, options))
        speed = float(np.linalg.norm(path[-1] - path[steps // 10])) / (0.01 * (steps - steps // 10))
        rows.append((tolerance, steps, speed))
        report.at_most(f"creep at half load, tolerance {tolerance:g}", speed, bound, "m/s", timed=False)
    report.table("creep of a sticking block at half load", ("tolerance", "steps", "m/s"), rows)


def measure(report: Report) -> None:
    pin()
    effort(report)
    cost(report)
    rates(report)
    gain(report)
    creep(report)


if __name__ == "__main__":
    raise SystemExit(run(__doc__, measure))
