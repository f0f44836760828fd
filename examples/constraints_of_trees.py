"""Wires, points, screws and forces on a tree follow the continuous equations, and constraints hold without drift.

Johnson & Murphey 2009, Sections IV-B, IV-D and IV-E. Three rods of 1 m and 1 kg hang in a row: their tip is on a wire
(37), it is pinned to a point, or a motor and a damper act in the second joint; a nut rocks on a level screw (39). symvi
takes steps of 0.01 s and order 4. Beside it the continuous equations (28), (36): accelerations of the same Lagrangian,
by mass matrix, bias and Jacobians of `simulator.model`, with multipliers, integrated by SciPy's explicit DOP853. That
holds second derivatives of the constraints at zero, so that its gaps grow. Last, the generalised midpoint (19): of
order 2 where alpha is 1/2, and else of order 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import log2

import numpy as np
from _chains import BOTTOM, X, hinge, open_chain
from _report import EXACT, OTHER, OURS, Report

from symvi import Actuator, Body, Joint, JointDamper, Mechanism, Simulator, SolverOptions
from symvi.errors import EnergyWarning
from symvi.simulate.joint_model import JointModel

STEP, SECONDS, QUICK = 0.01, 10.0, 2.0
FINE, LOOSE = 1e-11, 1e-6  # tolerances of SciPy
OPTIONS = SolverOptions(tolerance=1e-12)
HUNG = np.array([0.5, 0.9, 0.4])  # rad: angles of the rods from the vertical
REACH = np.array([0.0, 1.2, -1.0])  # m: where wire and point are
PITCH, DAMPING = 0.05, 0.3  # m/rad, N m s/rad
Array = np.ndarray
Rows = Callable[[Array], tuple[Array, Array]]  # coordinates -> h and Dh


@dataclass(frozen=True)
class Case:
    """A mechanism and its tree. start: coordinates. rows: h(q), Dh(q). force: along coordinates, by time and rates."""

    mechanism: Mechanism
    tree: Mechanism
    start: Array
    rows: Callable[[JointModel], Rows] | None = None
    force: Callable[[float, Array], Array] | None = None


def tip(model: JointModel, q: Array) -> tuple[Array, Array]:
    """The lower end of the last rod, and its Jacobian."""
    frames = model.frames(q)
    return frames.position[-1] + frames.rotation[-1] @ BOTTOM, model.jacobian("link3", q, BOTTOM)[:3]


def cases() -> dict[str, Case]:
    chain = open_chain(HUNG)
    joints = np.diff(HUNG, prepend=0.0)
    begin = tip(Simulator(chain).model, joints)[0]
    length = float(np.linalg.norm(begin - REACH))

    def held(**fields) -> Mechanism:
        last = Joint(name="held", parent="world", child="link3", child_anchor=BOTTOM, **fields)
        return chain.changed(joints=[*chain.joints, last])

    def wire(model: JointModel) -> Rows:
        def rows(q: Array) -> tuple[Array, Array]:
            place, jacobian = tip(model, q)
            return np.array([(place - REACH) @ (place - REACH) - length**2]), 2 * (place - REACH)[None] @ jacobian

        return rows

    def point(model: JointModel) -> Rows:
        def rows(q: Array) -> tuple[Array, Array]:
            place, jacobian = tip(model, q)
            return (place - begin)[1:], jacobian[1:]

        return rows

    nut = Body(name="nut", mass=1.0, inertia=(0.02, 0.03, 0.04), center_of_mass=(0.1, 0.3, 0.0))
    ride = Joint(name="thread", type="cylindrical", child="nut", axis=X)
    screw = Joint(name="thread", type="screw", child="nut", axis=X, pitch=PITCH)
    free = Mechanism(name="nut", bodies=[nut], joints=[ride])
    ridden = Mechanism(name="screw", bodies=[nut], joints=[screw])
    forces = [
        Actuator(name="motor", joint="joint2", signal="4*sin(3*t)"),
        JointDamper(name="brake", joint="joint2", damping=DAMPING),
    ]

    def push(time: float, rates: Array) -> Array:
        return np.array([0.0, 4 * np.sin(3 * time) - DAMPING * rates[1], 0.0])

    return {
        "wire": Case(held(type="distance", parent_anchor=tuple(REACH), length=length), chain, joints, wire),
        "point": Case(
            chain.changed(joints=[*chain.joints, hinge("held", "world", "link3", tuple(begin), BOTTOM)]),
            chain, joints, point,
        ),
        "screw": Case(
            ridden, free, np.zeros(2), lambda model: lambda q: (q[:1] - PITCH * q[1:], np.array([[1.0, -PITCH]]))
        ),
        "forced": Case(chain.changed(forces=forces), chain, joints, None, push),
    }  # fmt: skip


def continuous(case: Case, times: Array, tolerance: float) -> tuple[Array, Array]:
    """(places of the bodies at some times, largest gap of the constraints there) by explicit integration of (36)."""
    from scipy.integrate import solve_ivp

    model = Simulator(case.tree).model
    rows, n = case.rows(model) if case.rows else None, len(case.start)

    def rates(time: float, y: Array) -> Array:
        q, v = y[:n], y[n:]
        force = (case.force(time, v) if case.force else np.zeros(n)) - model.bias(q, v)
        if rows is None:
            return np.concatenate([v, model.forward_dynamics(q, v, force + model.bias(q, v))])
        slope, change = rows(q)[1], 1e-6
        bent = (rows(q + change * v)[1] - rows(q - change * v)[1]) @ v / (2 * change)
        m = len(slope)
        matrix = np.block([[model.mass_matrix(q), -slope.T], [slope, np.zeros((m, m))]])
        return np.concatenate([v, np.linalg.solve(matrix, np.concatenate([force, -bent]))[:n]])

    begin = np.concatenate([case.start, np.zeros(n)])
    found = solve_ivp(rates, (0, times[-1]), begin, "DOP853", times, rtol=tolerance, atol=tolerance).y.T[:, :n]
    gaps = np.array([np.abs(rows(q)[0]).max() if rows else 0.0 for q in found])
    return np.array([model.frames(q).position for q in found]), gaps


def order_of(rule: str) -> float:
    """The observed order of the generalised midpoint on the three rods, over a second."""
    chain = open_chain(HUNG)
    exact = Simulator(chain, coordinates="tree", order=8).simulate(1.0, 0.01, options=OPTIONS).position[-1]
    simulator = Simulator(chain, coordinates="tree", rule=rule)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EnergyWarning)  # of order 1
        ends = [simulator.simulate(1.0, h, options=OPTIONS).position[-1] for h in (0.005, 0.0025)]
    errors = [np.abs(end - exact).max() for end in ends]
    return log2(errors[0] / errors[1])


def main() -> int:
    report = Report(__doc__)
    seconds, shown = QUICK if report.quick else SECONDS, {}
    for name, case in cases().items():
        motion = Simulator(case.mechanism, order=4).simulate(seconds, STEP, options=OPTIONS)
        exact, _ = continuous(case, motion.time, FINE)
        apart = np.linalg.norm(motion.position - exact, axis=2).max(axis=1)
        report.at_most(f"{name}: from the continuous equations", apart.max(), 1e-4, "m")
        if case.rows:
            drift = continuous(case, motion.time, LOOSE)[1]
            report.at_most(f"{name}: largest gap", motion.closure.max(), 1e-12, "m")
            report.note(f"{name}: gap of explicit integration at {LOOSE:g}", drift[-1], "m, m²")
            shown[name] = motion.time, motion.closure, drift
        if not case.mechanism.forces:
            report.at_most(f"{name}: band of the energy", float(np.ptp(motion.energy)), 1e-3, "J")
    for alpha, least, most in ((0.5, 1.9, 2.1), (0.3, 0.85, 1.15), (0.0, 0.85, 1.15)):
        rule = "midpoint" if alpha == 0.5 else f"midpoint({alpha})"
        report.between(f"order of the generalised midpoint, alpha = {alpha:g}", order_of(rule), least, most)
    if report.plot:
        draw(report, shown)
    return report.end()


def draw(report: Report, shown) -> None:
    figure, panels = report.figure(1, len(shown), sharey=True)
    for axes, (name, (time, ours, other)) in zip(panels, shown.items(), strict=True):
        axes.semilogy(time, np.maximum(other, 1e-17), color=OTHER, label=f"explicit, at {LOOSE:g}")
        axes.semilogy(time, np.maximum(ours, 1e-17), color=OURS, label="symvi")
        axes.axhline(1e-12, color=EXACT, linewidth=0.8)
        axes.set(title=f"{name}: gap of the constraint", xlabel="time [s]")
    panels[0].legend()
    report.save(figure)


if __name__ == "__main__":
    raise SystemExit(main())
