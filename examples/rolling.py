"""A sphere thrown without spin ends rolling at 5/7 of its speed, and a sliding block stops after v^2 / (2 c_f g).

Coulomb friction c_f m g slows a sphere of radius r and turns it until its lowest point rests: momentum lost is
c_f m g t, angular momentum gained c_f m g r t, so that v = 5/7 v0 for a full sphere, whatever the friction, after the
time 2 v0 / (7 c_f g). Then friction vanishes. The speed is that at the first knot (a start of second order). The
papers' start takes it for that of the step before, which friction has slowed already: a block then stops h v0 / 2
too early. Of the angle w h that a step turns by, the chord rolls and the sine is angular momentum: a sphere rolls by
(w h)^2/28 of its speed too fast, and the rate that its momentum tells at a knot is (w h)^2/8 less than that of rolling.

A rattleback and a ball that is heavier on one side roll in space. Rolling takes no energy, and a rattleback turns over
by it: spun one way it rattles, stops and spins the other way. Both follow the nonholonomic equations, integrated here
after Newton and Euler with Runge and Kutta's method, to the second order of the step.
"""

from __future__ import annotations

import numpy as np
from _contacts import GRAVITY
from _integrators import integrate, runge_kutta
from _nonholonomic import BALL_START, STONE_START, Ellipsoid, loaded_ball, rattleback
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Body, Box, Contact, Mechanism, Simulator, Sphere, State, Trajectory

RADIUS, SPEED, FRICTION = 0.1, 2.0, 0.3
STEPS = (0.04, 0.02, 0.01, 0.005, 0.0025)
SPHERE = Mechanism(
    name="thrown_sphere",
    bodies=[Body(name="body", mass=1.0, shape=Sphere(radius=RADIUS), position=(0.0, 0.0, RADIUS))],
    contacts=[Contact(name="ground", child="body", radius=RADIUS, friction=FRICTION)],
)
BLOCK = Mechanism(
    name="pushed_block",
    bodies=[Body(name="body", mass=1.0, shape=Box(size=(0.2, 0.2, 0.02)), position=(0.0, 0.0, 0.01))],
    contacts=[Contact(name="ground", child="body", whole_shape=True, friction=FRICTION)],
)


def push(simulator: Simulator, height: float, step: float, time: float = 1.2, papers: bool = False) -> Trajectory:
    """Along x with the speed, without spin."""
    start = State(0.0, [[0, 0, height]], [[1.0, 0, 0, 0]], [[SPEED, 0, 0]], np.zeros((1, 3)), ("body",))
    return simulator.simulate(time, step, start=start, papers_start=papers)


ROLLERS = {"rattleback": (rattleback(), *STONE_START), "loaded ball": (loaded_ball(), *BALL_START)}
ROLLING_STEPS = (1e-3, 5e-4, 2.5e-4)
FINE = 1e-3  # s: of the integration to compare with, which is of fourth order


def exact_spin(body: Ellipsoid, q, w, time: float) -> np.ndarray:
    """(N, 3) angular velocity in body axes, a hundred times a second."""
    found = integrate(
        runge_kutta, lambda y: tuple(body.rates(np.array(y))), tuple(body.state(q, w)), FINE, round(time / FINE)
    )
    return np.array(found)[:: round(0.01 / FINE), 7:]


def turns_over(time: np.ndarray, spin: np.ndarray) -> float:
    """When the spin about the vertical of a rattleback first is zero [s]."""
    k = int(np.argmax(spin < 0.0))
    return float(time[k - 1] + (time[k] - time[k - 1]) * spin[k - 1] / (spin[k - 1] - spin[k]))


def in_space(report: Report, steps: tuple[float, ...]) -> dict:
    """Bodies that roll in space for 10 s: energy, and the spin against the nonholonomic equations for 3 s."""
    shown = {}
    for name, (body, q, w) in ROLLERS.items():
        solver = Simulator(body.mechanism(name.replace(" ", "_"), q, w))
        motions = {step: solver.simulate(10.0, step, every=round(0.01 / step)) for step in steps}
        exact, rows, errors = exact_spin(body, q, w, 3.0), [], []
        for step, motion in motions.items():
            gained = motion.energy - motion.energy[0]
            errors.append([abs(motion.angular_velocity[:k, 0] - exact[:k]).max() for k in (101, 301)])
            rows.append((step, *(float(gained[k]) for k in (100, 300, 1000)), *map(float, errors[-1])))
            if name == "rattleback":
                late = turns_over(motion.time, motion.angular_velocity[:, 0, 2])
                late -= turns_over(motion.time[:301], exact[:, 2])
                report.at_most(f"{name}, step {step:g} s: turns over too late by", abs(late), 1e2 * step**2, "s")
        head = ("step s", *(f"J after {t} s" for t in (1, 3, 10)), "rad/s in 1 s", "rad/s in 3 s")
        report.table(head, rows)
        moving = motions[steps[0]].kinetic_energy[0]
        for row in rows:
            share = max(map(abs, row[1:4])) / moving
            report.at_most(f"{name}, step {row[0]:g} s: share of energy gained", share, 1e-3)
        for k, time in enumerate((1, 3)):
            order = float(np.log2(errors[-2][k] / errors[-1][k]))
            report.between(f"{name}: order of the spin in {time} s", order, 1.9, 2.1)
        shown[name] = (motions, exact)
    return shown


def main() -> int:
    report = Report(__doc__)
    sphere, block = Simulator(SPHERE), Simulator(BLOCK)
    steps = STEPS[1:3] if report.quick else STEPS
    rolled = {step: push(sphere, RADIUS, step) for step in steps}
    slid = {step: push(block, 0.01, step) for step in steps}
    papers = {step: push(block, 0.01, step, papers=True) for step in steps}
    distance, begins = SPEED**2 / (2 * FRICTION * GRAVITY), 2 * SPEED / (7 * FRICTION * GRAVITY)
    rows = []
    for step in steps:
        speed, spin = rolled[step].velocity[-1, 0, 0], rolled[step].angular_velocity[-1, 0, 1]
        way = slid[step].position[-1, 0, 0] - distance
        old = papers[step].position[-1, 0, 0] - distance
        rows.append((step, float(speed / SPEED - 5 / 7), float(speed - RADIUS * spin), float(way), float(old / step)))
    report.table(("step s", "v/v0 - 5/7", "slip m/s", "distance error m", "papers' / h m/s"), rows)
    for step, share, slip, way, _ in rows:
        squared = (step * 5 / 7 * SPEED / RADIUS) ** 2
        report.between(f"step {step:g} s: (7/5 v/v0 - 1) 28/(w h)^2", share * 7 / 5 * 28 / squared, 0.9, 1.1)
        report.between("      slip of the lowest point, v (w h)^2/8", slip / SPEED * 7 / 5 * 8 / squared, 0.9, 1.1)
        report.at_most("      block: error of the stopping distance", abs(way), 1e-5, "m")
    fine = rolled[min(steps)]
    sliding = np.linalg.norm(fine.contacts["ground"].sliding[1:], axis=1)
    starts = fine.time[1:][sliding < 1e-3 * SPEED][0]
    report.between("rolling begins / (2 v0 / (7 c_f g))", starts / begins, 0.99, 1.0 + 2 * min(steps) / begins)
    shorter = max(abs(row[4] / SPEED + 0.5) for row in rows)
    report.at_most("block with the papers' start: error / (h v0) + 1/2", shorter, 1e-3)
    rests = {step: float(abs(motion.velocity[-1]).max()) for step, motion in slid.items()}
    report.at_most("the block's speed at the end", max(rests.values()), 1e-5, "m/s")
    spun = in_space(report, ROLLING_STEPS[:2] if report.quick else ROLLING_STEPS)
    if report.plot:
        draw(report, rolled, slid, papers, distance, begins, spun)
    return report.end()


def draw(report: Report, rolled, slid, papers, distance, begins, spun) -> None:
    figure, ((left, right), (turning, energy)) = report.figure(2, 2, height=6.0)
    step = min(rolled)
    motion = rolled[step]
    left.plot(motion.time, motion.velocity[:, 0, 0], color=OURS, label="speed")
    left.plot(motion.time, RADIUS * motion.angular_velocity[:, 0, 1], color=THIRD, label="radius x spin")
    left.axhline(5 / 7 * SPEED, color=EXACT, linestyle="--", linewidth=0.8)
    left.axvline(begins, color=EXACT, linestyle="--", linewidth=0.8)
    left.set(title=f"thrown sphere, steps of {step:g} s [m/s]", xlabel="time [s]")
    left.legend()
    for motions, color, name in ((slid, OURS, "second-order start"), (papers, THIRD, "the papers' start")):
        errors = [abs(motion.position[-1, 0, 0] - distance) for motion in motions.values()]
        right.loglog(list(motions), errors, "o-", color=color, markersize=3, label=name)
    right.set(title="error of a block's stopping distance [m]", xlabel="step [s]")
    right.legend()
    motions, exact = spun["rattleback"]
    fine = motions[min(motions)]
    turning.plot(fine.time, fine.angular_velocity[:, 0, 2], color=OURS, label=f"steps of {min(motions):g} s")
    turning.plot(
        fine.time[:301], exact[:, 2], color=EXACT, linestyle="--", linewidth=0.8, label="nonholonomic equations"
    )
    turning.set(title="spin of a rattleback [rad/s]", xlabel="time [s]")
    turning.legend()
    for (name, (motions, _)), style in zip(spun.items(), ("-", "--"), strict=True):
        for (step, motion), color in zip(motions.items(), (OTHER, THIRD, OURS), strict=False):
            gained = abs(motion.energy - motion.energy[0])[1:]
            energy.semilogy(motion.time[1:], gained, style, color=color, linewidth=0.7, label=f"{name}, {step:g} s")
    energy.set(title="energy gained or lost by rolling in space [J]", xlabel="time [s]", ylim=(1e-10, 1e-2))
    energy.legend(ncols=2, fontsize=6)
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
