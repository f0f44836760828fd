"""Steps by Simpson's quadrature are of order 4, and their operations grow with the number of links as links do.

Fan, Schultz & Murphey 2018, Figs. 1 to 3. Fig. 1: one trapezoidal step of 32 links from angles and rates of joints
within pi/2, in steps of 1 to 60 ms, by Newton's method. Fig. 2: operations of the residual and of Newton's direction
under Simpson's rule, of 4 to 128 links. Fig. 3: 12 links of 1 m and 1 kg let go from within pi/12, against collocation
after Hermite and Simpson, and against Suzuki's composition of five steps of order 2; the error is the mean of
|q - q_d| over the time, of the angles of joints. The paper prints no masses and no lengths. It takes collocation for
a method of third order; solved at the knots as here it is one of fourth order (Lobatto IIIA). Over 10 s it errs half
as much as Simpson's quadrature in steps of 10 ms and less, and twice as much in steps of 40 ms, as the paper shows.
It is no variational integrator.
"""

from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
from _chains import open_chain
from _planar_chain import PlanarChain, hermite_simpson
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Simulator, SolverOptions, Trajectory, state_from
from symvi.errors import SolverError
from symvi.numbers.quadrature import rule_of
from symvi.program.compose import Composer
from symvi.program.program import work_of
from symvi.program.rule_coordinates import RuleCoordinates, by_rule
from symvi.program.tree import TreeCoordinates
from symvi.simulate.solver_build import decided

LINKS, DRAWN, STEPS = 32, 300, (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06)
# Shares of draws that are solved: those of a prototype's plain iterations, less what 300 draws leave to chance.
LEAST = {0.01: 0.98, 0.02: 0.8, 0.04: 0.45}
RESOLVED = 0.01  # s; errors of longer steps have grown by the sensitivity of 10 s of such a chain
COUNTS = (4, 8, 16, 32, 64, 128)
SWUNG, SECONDS, MOTIONS = 12, 10.0, 5
LENGTHS = (0.04, 0.02, 0.01, 0.005)
DIRECTION = ("eliminate_rule", "substitute_rule")


def one_step(draws: int) -> list[tuple[float, float, float]]:
    """(step, share of draws that were solved, mean iterations of these): Fig. 1."""
    numbers = np.random.default_rng(1).uniform(-np.pi / 2, np.pi / 2, (draws, 2, LINKS))
    chain = open_chain([0.0] * LINKS)
    names = [joint.name for joint in chain.joints]
    simulator = Simulator(chain, coordinates="tree", rule="trapezoid")
    options, found = SolverOptions(tolerance=1e-10, substeps=1, max_iterations=40), []
    starts = [state_from(chain, *(dict(zip(names, row.tolist(), strict=True)) for row in pair)) for pair in numbers]
    for step in STEPS:
        iterations = []
        for start in starts:
            try:
                motion = simulator.simulate(step, step, start=start, options=options)
            except SolverError:
                continue
            iterations.append(int(motion.iterations[1]))
        found.append((step, len(iterations) / draws, float(np.mean(iterations or [0]))))
    return found


def simpsons() -> type[RuleCoordinates]:
    """The formulation of Simpson's rule."""
    rule = rule_of("simpson")
    assert rule is not None
    return by_rule(rule)


def operations() -> list[tuple[int, int, int]]:
    """(links, operations of the residual, of Newton's direction) under Simpson's rule: Fig. 2."""
    found = []
    for count in COUNTS:
        system, choices = decided(open_chain([0.1] * count))
        program = Composer(system, choices, simpsons()).program()
        found.append((count, program.flops("evaluate_rule"), sum(program.flops(phase) for phase in DIRECTION)))
    return found


def joint_angles(motion: Trajectory) -> np.ndarray:
    """Angles of all joints at the knots, (knots, n)."""
    w, x = motion.orientation[:, :, 0], motion.orientation[:, :, 1]
    return np.diff(np.unwrap(2 * np.arctan2(x, w), axis=0), axis=1, prepend=0.0)


def mean_error(found: np.ndarray, exact: np.ndarray) -> float:
    """Of angles of joints at the same knots: the mean of |q - q_d|."""
    return float(np.mean(np.linalg.norm(found - exact, axis=-1)))


def swinging(motions: int, seconds: float, lengths: tuple[float, ...]) -> dict[str, list[tuple[float, float, float]]]:
    """By method: (step, error, iterations a second of motion): Fig. 3."""
    starts = np.random.default_rng(2).uniform(-np.pi / 12, np.pi / 12, (motions, SWUNG))
    chain, solved = PlanarChain(SWUNG), open_chain([0.0] * SWUNG)
    names = [joint.name for joint in solved.joints]
    begin = [state_from(solved, dict(zip(names, row.tolist(), strict=True))) for row in starts]
    options, exact = SolverOptions(tolerance=1e-12), []
    fine = Simulator(solved, coordinates="tree", order=8)
    every = round(lengths[0] / lengths[-1])
    for start in begin:
        run = fine.simulate(seconds, lengths[-1], start=start, options=options, every=every, record=["coordinates"])
        exact.append(joint_angles(run))
    found: dict[str, list[tuple[float, float, float]]] = {"Hermite-Simpson": [], "Simpson": [], "Suzuki": []}
    solvers = {
        "Simpson": Simulator(solved, coordinates="tree", rule="simpson"),
        "Suzuki": Simulator(solved, coordinates="tree", order=4),
    }
    for name, simulator in solvers.items():
        for step in lengths:
            apart, iterations = round(lengths[0] / step), []
            errors = []
            for start, right in zip(begin, exact, strict=True):
                run = simulator.simulate(
                    seconds, step, start=start, options=options, every=apart, record=["coordinates"]
                )
                iterations.append(run.iterations[1:].mean())
                errors.append(mean_error(joint_angles(run), right))
            found[name].append((step, float(np.mean(errors)), float(np.mean(iterations)) / step))
    for step in lengths:
        apart = round(lengths[0] / step)
        angles = hermite_simpson(chain, np.cumsum(starts, axis=-1), step, round(seconds / step))[::apart]
        joints = np.diff(angles, axis=-1, prepend=0.0)
        errors = [mean_error(joints[:, k], right) for k, right in enumerate(exact)]
        found["Hermite-Simpson"].append((step, float(np.mean(errors)), 0.0))
    return found


def exponents(rows: list[tuple]) -> list[float]:
    """How figures in the last column of two neighbours grow with those in the first."""
    return [log(b[-1] / a[-1]) / log(b[0] / a[0]) for a, b in pairwise(rows)]


def costs() -> dict[str, int]:
    """Operations of an iteration of a step, of 12 links."""
    system, choices = decided(open_chain([0.1] * SWUNG))
    simpson = Composer(system, choices, simpsons()).program()
    plain = Composer(system, choices, TreeCoordinates).program()
    return {
        "Simpson": sum(simpson.flops(phase) for phase in ("evaluate_rule", *DIRECTION)),
        "Suzuki": work_of(plain),
    }


def main() -> int:
    report = Report(__doc__)
    steps = one_step(20 if report.quick else DRAWN)
    report.table(("step [s]", "solved", "iterations"), steps)
    for step, share, iterations in steps:
        if step in LEAST and not report.quick:
            report.between(f"solved in {step:g} s", share, LEAST[step], 1.0)
        if step <= 0.005:
            report.at_most(f"iterations in {step:g} s", iterations, 5.0)
    counts = operations()
    report.table(("links", "residual", "direction"), counts)
    for name, rows in (
        ("residual", [(n, float(a)) for n, a, _ in counts]), ("direction", [(n, float(b)) for n, _, b in counts]),
    ):  # fmt: skip
        report.between(f"exponent of operations, {name}", exponents(rows)[-1], 0.9, 1.1)
    lengths = LENGTHS[:3] if report.quick else LENGTHS
    found = swinging(1 if report.quick else MOTIONS, 2.0 if report.quick else SECONDS, lengths)
    weigh = costs()
    for name, rows in found.items():
        for step, error, iterations in rows:
            report.note(f"{name}, {step:g} s", error, "rad" if name not in weigh else
                        f"rad, {weigh[name] * iterations / 1e6:.1f}e6 operations a second")  # fmt: skip
    simpson, collocation = found["Simpson"], found["Hermite-Simpson"]
    order = log(simpson[-2][1] / simpson[-1][1]) / log(2)
    report.between("order of Simpson's quadrature", order, 3.85, 4.15)
    for (step, ours, _), (_, theirs, _), (_, suzuki, _) in zip(simpson, collocation, found["Suzuki"], strict=True):
        report.note(f"error of Hermite and Simpson over Simpson's, {step:g} s", theirs / ours)
        name = f"error of Suzuki's composition over Simpson's, {step:g} s"
        if step > RESOLVED:
            report.note(name, suzuki / ours)
        else:
            report.at_most(name, suzuki / ours, 1.0)
    for (step, _, many), (_, _, few) in zip(simpson, found["Suzuki"], strict=True):
        report.at_most(
            f"its operations over Simpson's, {step:g} s", weigh["Suzuki"] * few / (weigh["Simpson"] * many), 1.0
        )
    if report.plot:
        draw(report, steps, counts, found)
    return report.end()


def draw(report: Report, steps, counts, found) -> None:
    figure, (left, middle, right) = report.figure(1, 3)
    left.plot([1e3 * s for s, _, _ in steps], [share for _, share, _ in steps], "o-", color=OURS)
    left.set(title="32 links, one trapezoidal step: solved", xlabel="step [ms]", ylim=(0, 1.05))
    middle.loglog([n for n, _, _ in counts], [a for _, a, _ in counts], "o-", color=OURS, label="residual")
    middle.loglog([n for n, _, _ in counts], [b for _, _, b in counts], "s-", color=EXACT, label="direction")
    middle.set(title="operations, Simpson's rule", xlabel="links")
    middle.legend()
    for name, colour in (("Hermite-Simpson", OTHER), ("Simpson", OURS), ("Suzuki", THIRD)):
        right.loglog([s for s, _, _ in found[name]], [e for _, e, _ in found[name]], "o-", color=colour, label=name)
    right.set(title="12 links: mean error of joints [rad]", xlabel="step [s]")
    right.set_xticks([row[0] for row in found["Simpson"]], [f"{row[0]:g}" for row in found["Simpson"]])
    right.minorticks_off()
    right.legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
