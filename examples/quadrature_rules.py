"""Steps by Simpson's quadrature are of order 4, and their operations grow with the number of links as links do.

Fan, Schultz & Murphey 2018, Figs. 1 to 3 and Table 1. Fig. 1: one step of 32 links from angles and rates of joints
within pi/2, of 1 to 60 ms: by the trapezoid rule with Newton's method, by the same rule with the quasi-Newton method of
Lee et al. 2016 (here with dense matrices of a textbook), and by a step of order 2. Fig. 2: operations of the residual,
of Newton's direction, and of the linearisation under Simpson's rule, of 4 to 128 links, beside automatic
differentiation of the discrete action by CasADi (extra casadi), with a dense solve. Fig. 3: 12 links of 1 m and 1
kg let go from within pi/12, against collocation after Hermite and Simpson, and against Suzuki's composition of five
steps of order 2; the error is the mean of |q - q_d| over the time, of the angles of joints. The paper prints no masses
and no lengths. It takes collocation for a method of third order; solved at the knots as here it is one of fourth order
(Lobatto IIIA). Over 10 s it errs half as much as Simpson's quadrature in steps of 10 ms and less, and twice as much in
steps of 40 ms, as the paper shows. It is no variational integrator.
"""

from __future__ import annotations

import warnings
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
from _chains import open_chain
from _planar_chain import GRAVITY, INERTIA, PlanarChain, hermite_simpson
from _report import EXACT, OTHER, OURS, THIRD, Report

from symvi import Simulator, SolverOptions, Trajectory, state_from
from symvi.errors import SolverError, SpinWarning
from symvi.numbers.quadrature import rule_of
from symvi.program.compose import Composer
from symvi.program.program import work_of
from symvi.program.rule_coordinates import RuleCoordinates, by_rule
from symvi.program.slope_scripts import slopes_of
from symvi.program.tree import TreeCoordinates
from symvi.simulate.solver_build import decided

LINKS, DRAWN, STEPS = 32, 300, (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06)
# Shares of draws that are solved, by the trapezoid rule and by order 2: those of a prototype's plain iterations, less
# what 300 draws leave to chance.
LEAST = {0.01: 0.98, 0.02: 0.8, 0.04: 0.45}
LEAST_OF_ORDER_2 = {0.01: 0.98, 0.02: 0.98, 0.03: 0.97, 0.04: 0.94, 0.05: 0.87, 0.06: 0.78}
QUASI, MOST, LEFT = 60, 60, 1e-8  # draws, iterations, N m s of the quasi-Newton method
RESOLVED = 0.01  # s; errors of longer steps have grown by the sensitivity of 10 s of such a chain
COUNTS = (4, 8, 16, 32, 64, 128)
BY_AD = (4, 8, 16, 32)  # links; of more, graphs of CasADi take minutes
SWUNG, SECONDS, MOTIONS = 12, 10.0, 5
LENGTHS = (0.04, 0.02, 0.01, 0.005)
DIRECTION = ("eliminate_rule", "substitute_rule")


def drawn(draws: int) -> np.ndarray:
    """Angles and rates of joints, (draws, 2, links)."""
    return np.random.default_rng(1).uniform(-np.pi / 2, np.pi / 2, (draws, 2, LINKS))


def one_step(draws: int, **how: Any) -> list[tuple[float, float, float]]:
    """(step, share of draws that were solved, mean iterations of these): Fig. 1. how: of the simulator."""
    numbers = drawn(draws)
    chain = open_chain([0.0] * LINKS)
    names = [joint.name for joint in chain.joints]
    simulator = Simulator(chain, coordinates="tree", **how)
    options, found = SolverOptions(tolerance=1e-10, substeps=1, max_iterations=40), []
    starts = [state_from(chain, *(dict(zip(names, row.tolist(), strict=True)) for row in pair)) for pair in numbers]
    for step in STEPS:
        iterations = []
        for start in starts:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", SpinWarning)  # long steps are what is looked at
                    motion = simulator.simulate(step, step, start=start, options=options)
            except SolverError:
                continue
            iterations.append(int(motion.iterations[1]))
        found.append((step, len(iterations) / draws, float(np.mean(iterations or [0]))))
    return found


def quasi_newton(draws: int) -> list[tuple[float, float, float]]:
    """The same by the trapezoid rule with the impulse-based direction M(q)^-1 f, from q + h q'."""
    chain, numbers, found = PlanarChain(LINKS), np.cumsum(drawn(draws), axis=-1), []
    for step in STEPS:
        iterations = []
        for angles, rates in numbers:
            momentum, inverse = chain.slopes(angles, rates)[1], step * np.linalg.inv(chain.mass(angles))
            after, made = angles + step * rates, 0
            while made <= MOST:
                mean = (after - angles) / step
                with np.errstate(over="ignore", invalid="ignore"):  # iterations that diverge, which are not counted
                    (pull, first), (_, second) = chain.slopes(angles, mean), chain.slopes(after, mean)
                    lacking = momentum + step / 2 * pull - (first + second) / 2
                    largest = np.abs(np.cumsum(lacking[::-1])).max()
                if not LEFT < largest < np.inf:
                    break
                after, made = after + inverse @ lacking, made + 1
            if largest <= LEFT:
                iterations.append(made)
        found.append((step, len(iterations) / draws, float(np.mean(iterations or [np.nan]))))
    return found


def simpsons() -> type[RuleCoordinates]:
    """The formulation of Simpson's rule."""
    rule = rule_of("simpson")
    assert rule is not None
    return by_rule(rule)


def operations() -> list[tuple[int, int, int, int]]:
    """(links, operations of the residual, of Newton's direction, of A) under Simpson's rule: Fig. 2."""
    found = []
    for count in COUNTS:
        system, choices = decided(open_chain([0.1] * count))
        program = Composer(system, choices, simpsons()).program()
        direction = sum(program.flops(phase) for phase in DIRECTION)
        column = sum(call.kernel.flops() for calls in slopes_of(program)["step"].calls for call in calls)
        found.append((count, program.flops("evaluate_rule"), direction, 2 * count * column))
    return found


def by_differentiation() -> list[tuple[int, int, int, int]]:
    """The same by automatic differentiation: of the action of rods in a plane, which joints of one axis make.

    Reverse over the action for the residual, and Jacobians of that as CasADi colours them, for unknowns at the nodes.
    Solves are counted as dense ones: 2 N³/3 for factors, 2 N² for every right side.
    """
    import casadi as ca

    rule, h, found = rule_of("simpson"), 0.01, []
    assert rule is not None
    for count in BY_AD:
        knot, unknown, momentum = ca.SX.sym("q", count), ca.SX.sym("u", 2 * count), ca.SX.sym("p", count)
        nodes = [knot, unknown[:count], unknown[count:]]
        action = 0
        for weight, values, slopes in zip(rule.weights, rule.positions, rule.rates, strict=True):
            q = sum(float(a) * node for a, node in zip(values, nodes, strict=True))
            rate = sum(float(b) * node for b, node in zip(slopes, nodes, strict=True)) / h
            action += float(weight) * h * rods(ca, q, rate)
        pushes = ca.jacobian(action, ca.vertcat(knot, unknown)).T
        residual = ca.vertcat(momentum + pushes[:count], pushes[count : 2 * count])
        matrix = ca.jacobian(residual, unknown)
        moved = ca.jacobian(ca.vertcat(residual, pushes[2 * count :]), ca.vertcat(knot, unknown))
        size = 2 * count
        made = [ca.Function("f", [knot, unknown, momentum], [x]).n_instructions() for x in (residual, matrix, moved)]
        solve = 2 * size**3 // 3
        direction, rates = made[0] + made[1] + solve + 2 * size**2, made[2] + solve + 2 * count * 2 * size**2
        found.append((count, made[0], direction, rates))
    return found


def rods(ca, q, rate):
    """The Lagrangian of rods of 1 m and 1 kg, by angles of joints (any textbook)."""
    angle = turning = height = kinetic = 0
    speed = [0, 0]
    for k in range(q.shape[0]):
        angle, turning = angle + q[k], turning + rate[k]
        way = [turning * ca.cos(angle), turning * ca.sin(angle)]
        middle = [v + w / 2 for v, w in zip(speed, way, strict=True)]
        kinetic += (middle[0] ** 2 + middle[1] ** 2 + turning**2 * INERTIA) / 2 - GRAVITY * (height - ca.cos(angle) / 2)
        speed, height = [v + w for v, w in zip(speed, way, strict=True)], height - ca.cos(angle)
    return kinetic


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


def compare(report: Report, shown: dict[str, list[tuple[float, float, float]]]) -> None:
    """Shares of draws that are solved, and iterations."""
    rule, quasi, plain = shown.values()
    rows = [(a[0], *a[1:], *b[1:], *c[1:]) for a, b, c in zip(rule, quasi, plain, strict=True)]
    report.table(("step [s]", "solved", "iterations", "quasi: solved", "iterations", "order 2", "iterations"), rows)
    for step, share, iterations, share_of_quasi, of_quasi, share_of_2, _ in rows:
        if not report.quick:
            report.at_most(f"solved by quasi-Newton, less those by Newton, {step:g} s", share_of_quasi - share, 0.05)
            if step in LEAST:
                report.between(f"solved in {step:g} s, trapezoid", share, LEAST[step], 1.0)
            if step in LEAST_OF_ORDER_2:
                report.between(f"solved in {step:g} s, order 2", share_of_2, LEAST_OF_ORDER_2[step], 1.0)
        if share_of_quasi > 0.5:
            report.at_most(f"iterations over those of quasi-Newton, {step:g} s", iterations / of_quasi, 1.0)


def sizes(report: Report, stages: int = 10) -> None:
    """Table 1: what a trajectory of so many stages of the 12 links, without constraints, is optimised over."""
    n, m = SWUNG, 0
    unknowns, rows = (4 * stages + 3) * n + (2 * stages + 1) * m, 3 * stages * n + (2 * stages + 1) * m
    other, others = (8 * stages + 4) * n + (2 * stages + 1) * m, (6 * stages + 1) * n + (6 * stages + 3) * m
    names = "method", "variables", "constraints"
    report.table(names, [("Simpson", unknowns, rows), ("Hermite-Simpson", other, others)])
    report.at_most("variables over those of collocation", unknowns / other, 0.6)


def main() -> int:
    report = Report(__doc__)
    draws = 20 if report.quick else DRAWN
    shown = {
        "trapezoid rule": one_step(draws, rule="trapezoid"),
        "the same, quasi-Newton": quasi_newton(min(QUASI, draws)),
        "order 2": one_step(draws),
    }
    compare(report, shown)
    counts = operations()
    report.table(("links", "residual", "direction", "linearisation"), counts)
    for place, (name, power) in enumerate((("residual", 1), ("direction", 1), ("linearisation", 2)), 1):
        rows = [(row[0], float(row[place])) for row in counts]
        report.between(f"exponent of operations, {name}", exponents(rows)[-1], power - 0.1, power + 0.1)
    automatic = by_differentiation()
    report.table(("links, by AD", "residual", "direction", "linearisation"), automatic)
    own, other = next(row for row in counts if row[0] == automatic[-1][0]), automatic[-1]
    for place, name in ((2, "direction"), (3, "linearisation")):
        report.note(
            f"exponent of operations by AD, {name}", exponents([(r[0], float(r[place])) for r in automatic])[-1]
        )
    report.at_most(f"operations over those of AD, direction, {own[0]} links", own[2] / other[2], 1.0)
    report.note(f"operations over those of AD, linearisation, {own[0]} links", own[3] / other[3])
    sizes(report)
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
        draw(report, shown, counts, automatic, found)
    return report.end()


def draw(report: Report, shown, counts, automatic, found) -> None:
    figure, (left, middle, right) = report.figure(1, 3)
    for (name, rows), colour in zip(shown.items(), (OURS, OTHER, EXACT), strict=True):
        left.plot([1e3 * row[0] for row in rows], [row[1] for row in rows], "o-", color=colour, label=name)
    left.set(title="32 links, one step: solved", xlabel="step [ms]", ylim=(0, 1.05))
    left.legend(loc="lower left")
    for place, (name, colour) in enumerate((("residual", OURS), ("direction", EXACT), ("linearisation", THIRD)), 1):
        middle.loglog([row[0] for row in counts], [row[place] for row in counts], "o-", color=colour, label=name)
        middle.loglog([row[0] for row in automatic], [row[place] for row in automatic], "s--", color=colour)
    middle.set(title="operations, Simpson's rule (dashed: by AD)", xlabel="links")
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
