"""Steps by quadrature rules in loops and with constraints (JM09 section IV-D): orders, the reduced action, closure.

Witnesses: motions of order 8 in maximal coordinates; two links in gear, whose one coordinate has the rule's own
discrete action and, by SciPy, the continuous equation; momentum that is kept; the other back end.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import root

from symvi.demos import demo_file
from symvi.errors import SolverError
from symvi.mechanism import (
    Actuator,
    Body,
    Coupling,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    State,
)
from symvi.numbers.control import SolverStatus
from symvi.numbers.quadrature import rule_of
from symvi.simulate import Simulator, SolverOptions
from tests.phenomena.test_rules import lagrangian, missed
from tests.support.linkages import bennett, change_point, four_bar
from tests.support.measuring import largest

OPTIONS = SolverOptions(tolerance=1e-13)  # far below the errors that orders are read off
RATIO, FIRST, SECOND = -1.5, 0.5, 0.4
ROD = (0.2**2 / 12 + 1 / 12, 0.2**2 / 12 + 1 / 12, 0.01)


def rods(count: int, angles: tuple[float, ...]) -> Mechanism:
    """Rods of 1 m and 1 kg that hang in a row."""
    bodies = [Body(name=f"rod{k}", mass=1.0, inertia=ROD, center_of_mass=(0, 0, -0.5)) for k in range(1, count + 1)]
    joints = [
        Joint(name=f"j{k}", type="revolute", parent=f"rod{k - 1}" if k > 1 else "world", child=f"rod{k}",
              parent_anchor=(0, 0, -1.0 if k > 1 else 0.0), axis=(1, 0, 0), coordinate=angles[k - 1])
        for k in range(1, count + 1)
    ]  # fmt: skip
    return Mechanism(name="rods", bodies=bodies, joints=joints)


def geared() -> Mechanism:
    """Two rods whose second angle is a multiple of the first one, JM09's screw (39)."""
    gear = Coupling(name="gear", joints=("j2", "j1"), ratio=RATIO, offset=SECOND - RATIO * FIRST)
    return rods(2, (FIRST, SECOND)).changed(couplings=[gear])


def wire() -> Mechanism:
    """Three rods whose tip is on a wire (37)."""
    held = Joint(name="wire", type="distance", child="rod3", parent_anchor=(0, 1.2, -1.0), child_anchor=(0, 0, -1.0),
                 length=1.7)  # fmt: skip
    row = rods(3, (0.5, 0.4, -0.5))
    return row.changed(joints=[*row.joints, held])


def slider_crank() -> Mechanism:
    """A crank, a rod askew and a block on a rail that is not in their plane, with a spring, a damper and a motor."""
    bodies = [
        Body(name="crank", mass=1.0, inertia=(0.05, 0.06, 0.02, 0.005, 0.0, 0.002), center_of_mass=(0.02, 0.01, -0.3)),
        Body(name="rod", mass=1.3, inertia=(0.05, 0.06, 0.02), center_of_mass=(0.02, 0.01, -0.3)),
        Body(name="block", mass=0.7, inertia=(0.01, 0.02, 0.015)),
    ]
    joints = [
        Joint(name="a", type="revolute", child="crank", axis=(1, 0, 0), velocity=2.0),
        Joint(name="b", type="spherical", parent="crank", child="rod", parent_anchor=(0, 0, -0.6),
              coordinate=(0.9, 0.0, 0.1)),
        Joint(name="c", type="universal", parent="rod", child="block", parent_anchor=(0, 0, -0.8), axis=(1, 0, 0.1)),
        Joint(name="rail", type="prismatic", child="block", parent_anchor=(0, 0.9, -0.9), axis=(0.1, 1, 0.2)),
    ]  # fmt: skip
    forces = [
        JointSpring(name="spring", joint="a", stiffness=3.0, rest=0.1),
        JointDamper(name="damper", joint="a", damping=0.1),
        Actuator(name="motor", joint="a", signal="0.4*sin(5*t)"),
    ]
    return Mechanism(name="slider_crank", bodies=bodies, joints=joints, forces=forces)


def two_loops() -> Mechanism:
    """Four rods with two wires: loops that share joints, one of them to the ground."""
    row = rods(4, (0.5, 0.4, -0.5, 0.2))
    wires = [
        Joint(name="far", type="distance", child="rod4", parent_anchor=(0, 1.2, -1.0), child_anchor=(0, 0, -1.0),
              length=2.6),
        Joint(name="near", type="distance", parent="rod1", child="rod3", parent_anchor=(0.1, 0, 0),
              child_anchor=(0, 0.1, -1.0), length=2.4),
    ]  # fmt: skip
    return row.changed(joints=[*row.joints, *wires])


def floating() -> Mechanism:
    """A body in the air with two arms, whose tips are on a wire: the loop hangs on it."""
    bodies = [
        Body(name="trunk", mass=2.0, inertia=(0.05, 0.06, 0.02), position=(0, 0, 0), velocity=(0.3, 0, 0.1),
             angular_velocity=(0.5, 0.4, 0.3)),
        *(Body(name=n, mass=0.5, inertia=(0.03, 0.03, 0.01), center_of_mass=(0, 0, -0.3)) for n in ("left", "right")),
    ]  # fmt: skip
    joints = [
        Joint(name="l", type="revolute", parent="trunk", child="left", parent_anchor=(0, 0.2, 0), axis=(1, 0, 0),
              velocity=1.0),
        Joint(name="r", type="revolute", parent="trunk", child="right", parent_anchor=(0, -0.2, 0), axis=(1, 0, 0)),
        Joint(name="wire", type="distance", parent="left", child="right", parent_anchor=(0, 0, -0.6),
              child_anchor=(0.1, 0, -0.6), length=0.42),
    ]  # fmt: skip
    return Mechanism(name="floating", bodies=bodies, joints=joints)


def begun(mechanism: Mechanism) -> tuple[Simulator, State]:
    """What takes steps of order 8, and a closed start in the midst of a motion."""
    exact = Simulator(mechanism, order=8)
    found = exact.simulate(0.002, 0.002, options=OPTIONS, project=True).state()
    names = "position", "orientation", "velocity", "angular_velocity", "names"
    return exact, State(time=0.0, **{name: getattr(found, name) for name in names})


SCENES: dict[str, tuple[Callable[[], Mechanism], float]] = {  # and how long
    "geared": (geared, 0.2),
    "four_bar": (four_bar, 0.2),
    "wire": (wire, 0.2),
    "two_loops": (two_loops, 0.2),
    "slider_crank": (slider_crank, 0.1),
    "floating": (floating, 0.1),
    "bennett": (bennett, 0.2),
}
STEPS = {1: 0.0025, 2: 0.005, 4: 0.02, 6: 0.04}
CASES = [(scene, rule) for scene in SCENES for rule in ("simpson", "midpoint")]
CASES += [(scene, rule) for scene in ("geared", "wire") for rule in ("trapezoid", "midpoint(0.3)", "gauss-4")]
CASES += [("geared", "lobatto-6"), ("wire", "gauss-6")]


@pytest.mark.parametrize(("scene", "rule"), CASES)
def test_observed_orders(scene: str, rule: str) -> None:
    """Closed at inner nodes too, a rule keeps its order: its polynomial leaves closed motions where no sum sees it."""
    make, time = SCENES[scene]
    exact, begin = begun(make())
    end, order = exact.simulate(time, 0.002, start=begin, options=OPTIONS).state(), rule_of(rule).order
    simulator = Simulator(make(), coordinates="tree", rule=rule)
    motions = [simulator.simulate(time, h, start=begin, options=OPTIONS) for h in (STEPS[order], STEPS[order] / 2)]
    errors = [missed(motion.state(), end) for motion in motions]
    assert log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15 if order < 6 else 0.3), errors
    assert max(largest(motion.closure) for motion in motions) < 1e-12
    assert motions[1].iterations[2:].max() < 8


# --- the reduced action -----------------------------------------------------------------------------------------------
def action(rule, nodes: np.ndarray, h: float) -> complex:
    """L_d of the angle of the first rod at the nodes; the second one is in gear, so that polynomials are too."""
    total = 0.0
    for weight, values, slopes in zip(rule.weights, rule.positions, rule.rates, strict=True):
        q, rate = (sum(float(x) * node for x, node in zip(row, nodes, strict=True)) for row in (values, slopes))
        both = np.array([q, SECOND + RATIO * (q - FIRST)]), np.array([rate, RATIO * rate]) / h
        total = total + float(weight) * h * lagrangian(*both)
    return total


def slopes_of_action(rule, nodes: np.ndarray, h: float) -> np.ndarray:
    steps = 1e-30j * np.eye(len(nodes))
    return np.array([action(rule, nodes + step, h).imag / 1e-30 for step in steps])


@pytest.mark.parametrize("name", ["simpson", "midpoint", "trapezoid", "gauss-4", "lobatto-6"])
def test_the_reduced_action_is_stationary(name: str) -> None:
    """Where rows are linear in the coordinates, a rule with multipliers is the same rule of the reduced Lagrangian."""
    rule, h = rule_of(name), 0.05
    motion = Simulator(geared(), coordinates="tree", rule=name).simulate(0.2, h, options=OPTIONS)
    q = 2 * np.arctan2(motion.orientation[:, 0, 1], motion.orientation[:, 0, 0])
    pushes = []
    for first, last in pairwise(q):
        guess = first + np.array([float(x) for x in rule.nodes[1:-1]]) * (last - first)

        def nodes(inner, ends=(first, last)) -> np.ndarray:
            return np.array([ends[0], *inner, ends[1]])

        inner = root(lambda x: slopes_of_action(rule, nodes(x), h)[1:-1], guess, tol=1e-13).x if len(guess) else guess
        pushes.append(slopes_of_action(rule, nodes(inner), h))
    for before, after in pairwise(pushes):
        assert abs(before[-1] + after[0]) < 1e-10


def test_the_reduced_equation_is_followed() -> None:
    """Two rods in gear against SciPy's DOP853 on m(q) q'' + m'(q) q'^2 / 2 + V'(q) = 0."""

    def both(q: complex, rate: complex) -> complex:
        return lagrangian(np.array([q, SECOND + RATIO * (q - FIRST)]), np.array([rate, RATIO * rate]))

    def inertia(q: complex) -> complex:
        return 2 * (both(q, 1.0) - both(q, 0.0))

    def rates(time: float, y: np.ndarray) -> tuple[float, float]:
        small = 1e-30j
        slope, pull = inertia(y[0] + small).imag / 1e-30, both(y[0] + small, 0.0).imag / 1e-30
        return y[1], (pull - slope * y[1] ** 2 / 2) / inertia(y[0]).real

    exact = solve_ivp(rates, (0, 1), (FIRST, 0.0), "DOP853", rtol=1e-12, atol=1e-12).y[0, -1]
    motion = Simulator(geared(), coordinates="tree", rule="simpson").simulate(1.0, 0.01, options=OPTIONS)
    found = 2 * np.arctan2(motion.orientation[-1, 0, 1], motion.orientation[-1, 0, 0])
    assert abs(found - exact) < 2e-7  # of order 4: 16 times less in half the step


# --- what is kept -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rule", ["simpson", "midpoint"])
def test_momentum_is_kept_in_the_air(rule: str) -> None:
    """Wires give no momentum, and what hangs in the air keeps it along all axes of the world."""
    still = floating().changed(gravity=(0.0, 0.0, 0.0))
    start = begun(still)[1]
    motion = Simulator(still, coordinates="tree", rule=rule).simulate(1.0, 0.01, start=start, options=OPTIONS)
    assert largest(motion.linear_momentum - motion.linear_momentum[0]) < 1e-12 * len(motion.time)
    assert largest(motion.angular_momentum[:, 2] - motion.angular_momentum[0, 2]) < 1e-12 * len(motion.time)
    assert motion.closure.max() < 1e-12


def test_energy_of_a_four_bar_does_not_drift() -> None:
    """20 rows of rank 17: three are left out, and no loop opens."""
    motion = Simulator(four_bar(), coordinates="tree", rule="simpson").simulate(20.0, 0.005)
    assert motion.closure.max() < 1e-12
    parts = np.array_split(motion.energy - motion.energy[0], 8)
    bands = [float(np.abs(part).max()) for part in parts]
    assert bands[-1] < 1.5 * bands[0] + 1e-12


def test_both_back_ends_have_the_same_bits() -> None:
    ends = [
        Simulator(two_loops(), coordinates="tree", rule="simpson", backend=backend).simulate(
            0.04, 0.02, start=begun(two_loops())[1], options=OPTIONS
        )
        for backend in ("c", "python")
    ]
    np.testing.assert_array_equal(ends[0].position, ends[1].position)
    np.testing.assert_array_equal(ends[0].iterations, ends[1].iterations)


# --- branches ---------------------------------------------------------------------------------------------------------
def test_a_change_point_is_passed_on_the_branch() -> None:
    """All links lie in one line once a turn, and two branches meet there."""
    exact = Simulator(change_point(), order=4).simulate(2.0, 0.0025)
    motion = Simulator(change_point(), coordinates="tree", rule="simpson").simulate(2.0, 0.01)
    assert largest(motion.position - exact.position[::4]) < 1e-4


@pytest.mark.parametrize(("rule", "step"), [("midpoint", 0.04), ("midpoint", 0.05), ("simpson", 0.05)])
def test_a_way_that_bends_too_sharply_for_a_step_is_taken_in_parts(rule: str, step: float) -> None:
    """Whole steps of the midpoint rule changed 1.5 J of 12 J there, and ended 0.31 m aside."""
    exact = Simulator(change_point(), order=4).simulate(2.0, 0.0025)
    motion = Simulator(change_point(), coordinates="tree", rule=rule).simulate(2.0, step)
    assert not motion.status.any() and (motion.substeps.max() > 1 or rule == "simpson")
    assert largest(motion.energy - motion.energy[0]) < 0.05 * motion.kinetic_energy.max()
    assert largest(motion.position - exact.position[:: round(step / 0.0025)]) < 0.1


def test_both_back_ends_refuse_a_step_that_bends_too_sharply() -> None:
    """At its second knot, after which the state is as it was."""
    whole = SolverOptions(substeps=1)
    motions = [
        Simulator(change_point(), coordinates="tree", rule="midpoint", backend=backend).simulate(
            2.0, 0.04, options=whole, on_error="status"
        )
        for backend in ("c", "python")
    ]
    assert [motion.status[-1] for motion in motions] == [SolverStatus.JUMP] * 2
    np.testing.assert_array_equal(motions[0].position, motions[1].position)
    np.testing.assert_array_equal(motions[0].resume, motions[1].resume)


def test_what_rests_is_no_jump() -> None:
    """Legs without a motor and weight: what impulses of round-off do is no small part of a motion that there is not."""
    legs = Mechanism.from_file(demo_file("strandbeest")).changed(drivers=[], contacts=[])
    motion = Simulator(legs, coordinates="tree", rule="midpoint").simulate(0.05, 0.01)
    assert not motion.status.any() and largest(motion.position - motion.position[0]) < 1e-12


def test_a_step_too_long_for_it_is_refused() -> None:
    simulator = Simulator(change_point(), coordinates="tree", rule="midpoint")
    with pytest.raises(SolverError, match="ways bend too sharply for this step"):
        simulator.simulate(2.0, 0.25, options=SolverOptions(substeps=1))
