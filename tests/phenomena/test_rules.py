"""Steps by quadrature rules (Fan18, JM09) in joint coordinates: orders, the discrete action itself, momenta, energy.

Witnesses: motions of order 8 in maximal coordinates, which know no rule and no joint coordinate; a discrete action that
is summed up from the Lagrangian of a double pendulum as textbooks have it; conserved momenta; motions that run back.
"""

from fractions import Fraction
from itertools import pairwise
from math import log2, pi

import numpy as np
import pytest
from scipy.optimize import root

from symvi.errors import ArgumentError, MechanismError, SolverError
from symvi.exporters import export
from symvi.mechanism import (
    Actuator,
    Body,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    State,
)
from symvi.numbers.quadrature import rule_of
from symvi.simulate import Simulator, SolverOptions, Trajectory
from symvi.simulate.recording import NotRecordedError
from tests.support.damped import arm, slider
from tests.support.integrated import integrated
from tests.support.measuring import largest
from tests.support.pendulums import chain
from tests.tree.chains import tree

OPTIONS = SolverOptions(tolerance=1e-13)  # far below the errors that orders are read off
QUANTITIES = ("position", "velocity", "angular_velocity")
RULES = ("midpoint", "trapezoid", "simpson", "gauss-4", "lobatto-6", "gauss-6")


def branched() -> Mechanism:
    """A mast that turns about the vertical, two arms on it askew, a spring, a damper and a torque that stays."""
    bodies = [
        Body(name="mast", mass=2.0, inertia=(0.1, 0.1, 0.05, 0.01, 0.02, -0.01), center_of_mass=(0.02, 0.01, 0.4)),
        Body(name="left", mass=1.0, inertia=(0.05, 0.06, 0.02), center_of_mass=(0.3, 0.0, -0.1)),
        Body(name="right", mass=0.7, inertia=(0.03, 0.05, 0.04), center_of_mass=(-0.2, 0.1, -0.2)),
        Body(name="weight", mass=0.5, inertia=(0.01, 0.01, 0.02), center_of_mass=(0.0, 0.0, -0.1)),
    ]
    joints = [
        Joint(name="base", type="revolute", child="mast", axis=(0, 0, 1), velocity=2.0),
        Joint(name="a", type="revolute", parent="mast", child="left", parent_anchor=(0.2, 0, 0.8),
              axis=(0.1, 1, 0.2), coordinate=0.6),
        Joint(name="b", type="revolute", parent="mast", child="right", parent_anchor=(-0.2, 0, 0.7),
              axis=(1, 0.3, 0), velocity=1.0),
        Joint(name="rail", type="prismatic", parent="left", child="weight", parent_anchor=(0.3, 0, 0),
              axis=(1, 0, 0.2), coordinate=0.1),
    ]  # fmt: skip
    forces = [
        JointSpring(name="spring", joint="rail", stiffness=30.0, rest=0.05),
        JointDamper(name="damper", joint="b", damping=0.1),
        Actuator(name="motor", joint="a", signal="0.4"),
    ]
    return Mechanism(name="branched", bodies=bodies, joints=joints, forces=forces)


def moving(name: str, types: tuple[str, ...], inward: tuple[int, ...] = ()) -> Mechanism:
    """A chain of joints that starts with all coordinates away from zero."""
    found = tree(name, types, inward)
    joints = []
    for k, joint in enumerate(found.joints):
        count = len(coordinates_of(joint.type))
        given = {"coordinate": [0.2 + 0.1 * k] * count, "velocity": [0.5 - 0.2 * k] * count} if count else {}
        joints.append(joint.changed(**{n: v[0] if count == 1 else tuple(v) for n, v in given.items()}))
    return found.changed(joints=joints)


def balls(count: int = 2) -> Mechanism:
    """Bodies without symmetry on balls, the first one turning: the others are pulled along."""
    bodies = [
        Body(name=f"b{k}", mass=1.0 + 0.3 * k, inertia=(0.05, 0.06, 0.02, 0.005, 0.0, 0.002),
             center_of_mass=(0.02, 0.01, -0.3))
        for k in range(count)
    ]  # fmt: skip
    joints = [
        Joint(name=f"j{k}", type="spherical", parent=f"b{k - 1}" if k else "world", child=f"b{k}",
              parent_anchor=(0, 0, -0.6) if k else (0, 0, 0), coordinate=(0.4, -0.2, 0.3), velocity=(1.0, 2.0, -0.5))
        for k in range(count)
    ]  # fmt: skip
    return Mechanism(name="balls", bodies=bodies, joints=joints)


def legged() -> Mechanism:
    """A body that tumbles in the air, with a leg on an oblique hinge and a foot on a ball."""
    bodies = [
        Body(name="trunk", mass=2.0, inertia=(0.05, 0.06, 0.02), position=(0, 0, 0), velocity=(0.3, 0, 0.1),
             angular_velocity=(1.0, 2.0, -0.5)),
        Body(name="leg", mass=1.0, inertia=(0.02, 0.03, 0.02), center_of_mass=(0, 0.1, -0.3)),
        Body(name="foot", mass=0.4, inertia=(0.01, 0.01, 0.02), center_of_mass=(0, 0, -0.2)),
    ]  # fmt: skip
    joints = [
        Joint(name="hip", type="revolute", parent="trunk", child="leg", parent_anchor=(0.2, 0, 0), axis=(0, 1, 0.2),
              velocity=2.0),
        Joint(name="ankle", type="spherical", parent="leg", child="foot", parent_anchor=(0, 0.1, -0.5)),
    ]  # fmt: skip
    motor = Actuator(name="motor", joint="hip", signal="0.2*sin(9*t)")
    return Mechanism(name="legged", bodies=bodies, joints=joints, forces=[motor])


def driven() -> Mechanism:
    """Two hinges with torques that change, one of them damped."""
    forces = [
        Actuator(name="first", joint="joint1", signal="3*sin(7*t) + 1"),
        Actuator(name="second", joint="joint2", signal="cos(4*t)"),
        JointDamper(name="damper", joint="joint2", damping=0.1),
    ]
    return chain(2, angles=(0.6, -0.3)).changed(forces=forces)


def coordinates_of(kind: str) -> tuple[str, ...]:
    from symvi.mechanism import coordinate_kinds

    return tuple(coordinate_kinds(kind))


# name -> mechanism, how long it runs [s], and the longest step at which the error of each order is measured
SCENES = {
    "slider": (lambda: slider(servo=False), 0.4, {1: 0.01, 2: 0.01, 4: 0.02, 6: 0.05}),
    "arm": (lambda: arm(servo=False), 0.4, {1: 0.005, 2: 0.01, 4: 0.02, 6: 0.04}),
    "chain": (lambda: chain(3, angles=(0.6, -0.3, 0.2)), 0.4, {1: 0.0025, 2: 0.005, 4: 0.02, 6: 0.01}),
    "branched": (branched, 0.4, {1: 0.005, 2: 0.01, 4: 0.02, 6: 0.05}),
    "driven": (driven, 0.4, {1: 0.0025, 2: 0.005, 4: 0.02, 6: 0.02}),
    "ball": (lambda: balls(1), 0.4, {1: 0.005, 2: 0.01, 4: 0.02, 6: 0.04}),
    "sleeves": (
        lambda: moving("sleeves", ("revolute", "cylindrical", "universal", "planar_axis")),
        0.2,
        {1: 0.005, 2: 0.01, 4: 0.02, 6: 0.04},
    ),
    "screws": (
        lambda: moving("screws", ("screw", "fixed", "planar", "screw")), 0.2, {1: 0.005, 2: 0.01, 4: 0.02, 6: 0.04},
    ),
    "inward": (
        lambda: moving("inward", ("revolute", "universal", "prismatic", "revolute"), (1, 2, 3)),
        0.2,
        {1: 0.005, 2: 0.01, 4: 0.02, 6: 0.04},
    ),
}  # fmt: skip


def missed(end: State, exact: State) -> float:
    """The largest difference of two states, of positions, velocities and angular velocities."""
    return max(largest(getattr(end, name) - getattr(exact, name)) for name in QUANTITIES)


# --- numbers ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", (*RULES, "lobatto-8", "gauss-10", "midpoint(0.3)"))
def test_rules_integrate_polynomials(name: str) -> None:
    """Of Lobatto up to x^(2 s - 1), of Gauss as well; and a polynomial of degree s is its own interpolant."""
    rule = rule_of(name)
    for power in range(max(rule.order, 1)):
        total = sum(w * x**power for w, x in zip(rule.weights, rule.points, strict=True))
        assert abs(total - Fraction(1, power + 1)) < 1e-30
    for power in range(rule.degree + 1):
        for x, values, slopes in zip(rule.points, rule.positions, rule.rates, strict=True):
            assert abs(sum(a * n**power for a, n in zip(values, rule.nodes, strict=True)) - x**power) < 1e-28
            slope = power * x ** (power - 1) if power else 0
            assert abs(sum(b * n**power for b, n in zip(slopes, rule.nodes, strict=True)) - slope) < 1e-28


def test_numbers_of_the_papers() -> None:
    """Fan18; JM09 section V-A with alpha, which its second line lacks."""
    trapezoid, simpson, midpoint = (rule_of(name) for name in ("trapezoid", "simpson", "midpoint(0.25)"))
    assert trapezoid.rates == ((-1, 1), (-1, 1)) and trapezoid.weights == (Fraction(1, 2),) * 2
    assert simpson.rates == ((-3, 4, -1), (-1, 0, 1), (1, -4, 3))
    assert simpson.weights == (Fraction(1, 6), Fraction(4, 6), Fraction(1, 6))
    assert midpoint.positions == ((Fraction(3, 4), Fraction(1, 4)),) and midpoint.rates == ((-1, 1),)
    assert rule_of("lobatto-4") is simpson or rule_of("lobatto-4") == simpson


# --- orders -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rule", (*RULES, "midpoint(0.3)"))
@pytest.mark.parametrize("scene", SCENES)
def test_observed_orders(scene: str, rule: str) -> None:
    """Positions and velocities at the knots: hinges, slides, sleeves, Hooke's joints, screws, springs and dampers."""
    make, time, steps = SCENES[scene]
    order = rule_of(rule).order
    exact = Simulator(make(), order=8).simulate(time, 0.005, options=OPTIONS).state()
    simulator = Simulator(make(), coordinates="tree", rule=rule)
    step = steps[order]
    ends = [simulator.simulate(time, h, options=OPTIONS).state() for h in (step, step / 2)]
    errors = [missed(end, exact) for end in ends]
    assert log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15 if order > 1 else 0.25), errors


@pytest.mark.parametrize("rule", ("midpoint", "trapezoid", "simpson", "gauss-4"))
@pytest.mark.parametrize("make", (balls, legged))
def test_orders_of_bodies_that_turn_freely(make, rule: str) -> None:
    """Balls on balls, and a body that floats: by turns about its own axes."""
    order = rule_of(rule).order
    begin = Simulator(make(), order=8).simulate(0.005, 0.005, options=OPTIONS, project=True).state()
    begin = State(
        time=0.0, position=begin.position, orientation=begin.orientation, velocity=begin.velocity,
        angular_velocity=begin.angular_velocity, names=begin.names,
    )  # fmt: skip
    exact = Simulator(make(), order=8).simulate(0.1, 0.0025, start=begin, options=OPTIONS).state()
    simulator, step = Simulator(make(), coordinates="tree", rule=rule), {2: 0.0025, 4: 0.01}[order]
    ends = [simulator.simulate(0.1, h, start=begin, options=OPTIONS).state() for h in (step, step / 2)]
    errors = [missed(end, exact) for end in ends]
    assert log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15), errors


def test_newton_and_euler_agree() -> None:
    """DOP853 leaves about its tolerance on every step."""
    found = Simulator(branched(), coordinates="tree", rule="gauss-6").simulate(0.4, 0.01, options=OPTIONS).state()
    assert missed(found, integrated(branched(), 0.4, 1e-11)) < 1e-9


# --- the discrete action ----------------------------------------------------------------------------------------------
LENGTH, MASS, SWING = 1.0, 1.0, 0.2**2 / 12 + 1 / 12


def lagrangian(q: np.ndarray, rate: np.ndarray) -> complex:
    """Of two equal rods of a square section, by the angles of their joints (any textbook)."""
    first, second = q[0], q[0] + q[1]
    w1, w2 = rate[0], rate[0] + rate[1]
    y = LENGTH * (np.sin(first) * w1), LENGTH * (np.cos(first) * w1)
    outer = (y[0] + LENGTH / 2 * np.sin(second) * w2, y[1] + LENGTH / 2 * np.cos(second) * w2)
    kinetic = MASS / 2 * (LENGTH**2 / 4 * w1**2 + outer[0] ** 2 + outer[1] ** 2) + SWING / 2 * (w1**2 + w2**2)
    height = -LENGTH / 2 * np.cos(first) - LENGTH * np.cos(first) - LENGTH / 2 * np.cos(second)
    return kinetic - MASS * 9.81 * height


def action(rule, nodes: np.ndarray, h: float) -> complex:
    """L_d of the coordinates at the nodes (s + 1, 2)."""
    total = 0.0
    for weight, values, slopes in zip(rule.weights, rule.positions, rule.rates, strict=True):
        q, rate = (np.array([float(x) for x in row]) @ nodes for row in (values, slopes))
        total = total + float(weight) * h * lagrangian(q, rate / h)
    return total


def slopes_of_action(rule, nodes: np.ndarray, h: float) -> np.ndarray:
    """By the coordinates at every node, by complex steps."""
    found = np.empty(nodes.shape)
    for place in np.ndindex(nodes.shape):
        moved = nodes.astype(complex)
        moved[place] += 1e-30j
        found[place] = action(rule, moved, h).imag / 1e-30
    return found


@pytest.mark.parametrize("name", RULES)
def test_the_discrete_action_is_stationary(name: str) -> None:
    """D_s L_d of a step and D_0 L_d of the next cancel, once inner nodes make each stationary."""
    rule, h = rule_of(name), 0.05
    links = [
        Body(name=n, mass=MASS, inertia=(SWING, SWING, 0.01), center_of_mass=(0, 0, -LENGTH / 2))
        for n in ("one", "two")
    ]
    joints = [
        Joint(name="j1", type="revolute", child="one", axis=(1, 0, 0), coordinate=0.9, velocity=0.4),
        Joint(
            name="j2",
            type="revolute",
            parent="one",
            child="two",
            parent_anchor=(0, 0, -LENGTH),
            axis=(1, 0, 0),
            coordinate=-0.5,
        ),
    ]
    motion = Simulator(
        Mechanism(name="double_rod", bodies=links, joints=joints), coordinates="tree", rule=name
    ).simulate(0.2, h, options=OPTIONS)
    turned = 2 * np.arctan2(motion.orientation[:, :, 1], motion.orientation[:, :, 0])
    q = np.column_stack([turned[:, 0], turned[:, 1] - turned[:, 0]])
    pushes = []
    for first, last in pairwise(q):
        guess = first + np.array([[float(x)] for x in rule.nodes[1:-1]]).reshape(-1, 1) * (last - first)

        def nodes(inner: np.ndarray, ends=(first, last)) -> np.ndarray:
            return np.vstack([ends[0], inner.reshape(-1, 2), ends[1]])

        inner = guess
        if rule.degree > 1:
            inner = root(lambda x: slopes_of_action(rule, nodes(x), h)[1:-1].ravel(), guess.ravel(), tol=1e-13).x
        pushes.append(slopes_of_action(rule, nodes(np.asarray(inner)), h))
    for before, after in pairwise(pushes):
        assert largest(before[-1] + after[0]) < 1e-10


# --- what is conserved ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rule", RULES)
def test_momentum_about_the_vertical_is_kept_of_balls(rule: str) -> None:
    """Free turns are about the vertical first."""
    simulator = Simulator(balls(1), coordinates="tree", rule=rule)
    along = simulator.simulate(5.0, 0.02, options=OPTIONS).angular_momentum[:, 2]
    assert largest(along - along[0]) < 1e-12 * len(along)


@pytest.mark.parametrize("rule", RULES)
def test_momentum_about_a_vertical_hinge_is_kept(rule: str) -> None:
    """Gravity has no torque about it: the discrete Noether theorem, to round-off in any step."""
    free = branched().changed(forces=[])
    motion = Simulator(free, coordinates="tree", rule=rule).simulate(2.0, 0.04)
    along = motion.angular_momentum[:, 2]
    assert largest(along - along[0]) < 1e-12 * len(along)


@pytest.mark.parametrize("rule", ("midpoint", "simpson", "gauss-4"))
def test_momenta_of_a_floating_body_are_kept(rule: str) -> None:
    """In free flight: of translation, and of turns about the first axis, to round-off in any step.

    About others, and of energy, every change of axes of a tumbling body is an error of the order of the rule.
    """
    free = legged().changed(gravity=(0, 0, 0), forces=[])
    simulator, strayed = Simulator(free, coordinates="tree", rule=rule), []
    for step in (0.02, 0.01):
        motion = simulator.simulate(4.0, step, project=True, options=OPTIONS)
        for kept in (motion.linear_momentum, motion.angular_momentum[:, 2]):
            assert largest(kept - kept[0]) < 1e-12 * len(kept)
        strayed.append((largest(motion.energy - motion.energy[0]), largest(np.ptp(motion.angular_momentum, axis=0))))
    assert all(after < 0.5 * before for before, after in zip(*strayed, strict=True))
    assert largest(np.array(strayed[-1])) < {2: 1e-2, 4: 1e-4}[rule_of(rule).order]


@pytest.mark.parametrize(("make", "rule"), [*((branched, rule) for rule in RULES), (lambda: balls(1), "simpson")])
def test_a_motion_runs_back_to_where_it_began(make, rule: str) -> None:
    """Symmetric rules are their own inverse."""
    free = make().changed(forces=make().forces[:1])
    simulator = Simulator(free, coordinates="tree", rule=rule)
    there = simulator.simulate(0.6, 0.05, options=OPTIONS)
    end, first = there.state(), there.state(0)
    turned = State(
        time=0.0, position=end.position, orientation=end.orientation, velocity=-end.velocity,
        angular_velocity=-end.angular_velocity, names=end.names,
    )  # fmt: skip
    back = simulator.simulate(0.6, 0.05, start=turned, options=OPTIONS).state()
    assert largest(back.position - first.position) < 1e-11
    assert largest(back.velocity + first.velocity) < 1e-10


@pytest.mark.parametrize(
    ("make", "rule", "step"),
    [(lambda: chain(2, angles=(0.6, -0.3)), "midpoint", 0.02), (lambda: chain(2, angles=(0.6, -0.3)), "simpson", 0.04),
     (lambda: balls(1), "midpoint", 0.02), (lambda: balls(1), "simpson", 0.02)],
)  # fmt: skip
def test_energy_stays_near_where_it_began(make, rule: str, step: float) -> None:
    """For 200 s of a double pendulum, and of a ball: errors of knots do not grow, and are of the order of the steps."""
    simulator = Simulator(make(), coordinates="tree", rule=rule)
    spread = []
    for h in (step, step / 2):
        energy = simulator.simulate(200.0, h, every=10).energy
        first, last = (np.abs(part - energy[0]).max() for part in np.array_split(energy, 2))
        assert last < 1.2 * first
        spread.append(last)
    assert log2(spread[0] / spread[1]) == pytest.approx(rule_of(rule).order, abs=0.5)


# --- one program ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("make", "rule"),
    [*((branched, rule) for rule in ("midpoint", "midpoint(0.3)", "trapezoid", "simpson", "gauss-4")),
     (driven, "simpson"), (driven, "midpoint"), (balls, "simpson")],
)  # fmt: skip
def test_python_and_c_have_the_same_bits(make, rule: str) -> None:
    motions = [
        Simulator(make(), coordinates="tree", rule=rule, backend=backend).simulate(0.06, 0.02)
        for backend in ("c", "python")
    ]
    for name in (*QUANTITIES, "resume", "account", "iterations", "substeps", "scatter", "pace"):
        assert np.array_equal(*(getattr(motion, name) for motion in motions)), name


def test_layouts_and_precisions_agree() -> None:
    build = {"coordinates": "tree", "rule": "simpson"}
    whole = Simulator(arm(servo=False), **build).simulate(0.2, 0.02)
    for layout in ("inline", "unrolled", "looped"):
        motion = Simulator(arm(servo=False), layout=layout, **build).simulate(0.2, 0.02)
        assert np.array_equal(motion.position, whole.position), layout
    coarse = Simulator(arm(servo=False), real="float", **build).simulate(0.2, 0.02)
    assert largest(coarse.position - whole.position) < 1e-5
    for backend in ("c", "python"):
        simulator = Simulator(arm(servo=False), backend=backend, **build)
        counted = simulator.simulate(0.2, 0.02, options=SolverOptions(fixed_iterations=4))
        assert (counted.iterations[1:] == 4).all()
        assert largest(counted.position - whole.position) < 1e-12


def test_a_motion_goes_on_without_a_seam(tmp_path) -> None:
    """A file remembers its rule, and another one does not go on from there."""
    simulator = Simulator(branched(), coordinates="tree", rule="simpson")
    whole, first = simulator.simulate(0.4, 0.02), simulator.simulate(0.2, 0.02)
    read = Trajectory.load(first.save(tmp_path / "first.npz"))
    assert read.composition == "simpson"
    second = simulator.simulate(0.2, 0.02, start=read)
    assert np.array_equal(second.position, whole.position[10:])
    for how in ({"rule": "midpoint"}, {"order": 4}, {}):
        with pytest.raises(MechanismError, match="rule='simpson'"):
            Simulator(branched(), coordinates="tree", **how).simulate(0.2, 0.02, start=read)


def test_a_step_that_turns_too_far_is_taken_in_parts() -> None:
    """A quarter of a turn and more in a step could be one the other way round."""
    rod = chain(1, angle=0.0).changed(gravity=(0, 0, 0), forces=[Actuator(name="motor", joint="joint1", signal="200")])
    simulator = Simulator(rod, coordinates="tree", rule="midpoint")
    with pytest.raises(SolverError, match="turns"):
        simulator.simulate(0.1, 0.1, options=SolverOptions(substeps=1))
    motion = simulator.simulate(0.1, 0.1)
    assert motion.substeps[1] > 1
    fine = simulator.simulate(0.1, 0.001)
    assert motion.angular_velocity[-1] == pytest.approx(fine.angular_velocity[-1], rel=1e-9)


def test_coordinates_are_exact_of_a_steady_turn() -> None:
    """A body that turns evenly has coordinates that are linear in time: every rule follows it, and warns of nothing."""
    spun = chain(1, angle=0.0).changed(gravity=(0, 0, 0))
    spun = spun.changed(joints=[spun.joints[0].changed(velocity=8.0)])
    for rule in ("midpoint", "trapezoid", "simpson"):
        motion = Simulator(spun, coordinates="tree", rule=rule).simulate(1.0, 0.1)
        turned = np.unwrap(2 * np.arctan2(motion.orientation[:, 0, 1], motion.orientation[:, 0, 0]), period=2 * pi)
        assert turned - turned[0] == pytest.approx(8.0 * motion.time, abs=1e-10)


def test_an_accuracy_is_reached_by_a_rule() -> None:
    """Steps are chosen, the rule stays; the error that is told is that of the motion."""
    make = arm(servo=False)
    motion = Simulator(make, coordinates="tree", rule="simpson").simulate(0.4, 0.02, accuracy=1e-6)
    exact = Simulator(make, order=8).simulate(0.4, 0.005, options=OPTIONS)
    told = motion.accuracy
    assert told is not None and told.is_met and told.composition == "simpson"
    assert largest(motion.position[-1] - exact.position[-1]) < 1e-6


def test_an_exported_folder_holds_the_rule(tmp_path) -> None:
    manifest = export(arm(servo=False), tmp_path / "arm", measure=False, coordinates="tree", rule="simpson").manifest
    plain = export(arm(servo=False), tmp_path / "plain", measure=False, coordinates="tree").manifest
    assert manifest["golden"]["double"]["value"] != plain["golden"]["double"]["value"]
    headers = list((tmp_path / "arm").rglob("arm.h"))
    assert any("order        4: steps by quadrature (simpson)" in header.read_text() for header in headers)


# --- what is refused --------------------------------------------------------------------------------------------------
def test_what_rules_do_not_do_is_refused_by_name() -> None:
    own = arm(servo=False)
    simulator = Simulator(own, coordinates="tree", rule="simpson")
    motion = simulator.simulate(0.1, 0.01)
    with pytest.raises(NotRecordedError, match="reactions"):
        _ = motion.reactions
    with pytest.raises(ArgumentError, match="rule 'simpson' tells no forces of joints"):
        simulator.simulate(0.1, 0.01, record=["reactions"])
    for ask in (simulator.reset, lambda: simulator.batch(2), lambda: simulator.gradient(lambda x, u: (0, x), time=1)):
        with pytest.raises(ArgumentError, match="order 4 .'simpson'."):
            ask()
    with pytest.raises(ArgumentError, match="controller"):
        simulator.simulate(0.1, 0.01, controller=lambda t, state: {})
    with pytest.raises(ArgumentError, match="say rule='simpson'"):
        Simulator(own, order="simpson")
    with pytest.raises(ArgumentError, match="order of its own"):
        Simulator(own, order=4, coordinates="tree", rule="simpson")
    with pytest.raises(ArgumentError, match="coordinates='tree'"):
        Simulator(own, coordinates="maximal", rule="simpson")


REFUSED = {
    "force 'servo' is no actuator": lambda: arm(),
    "dry friction 'rust'": lambda: arm(servo=False).changed(
        forces=[DryFriction(name="rust", joint="elbow", bound=1.0)]
    ),
    "driver 'hand'": lambda: arm(servo=False).changed(drivers=[Driver(name="hand", joint="elbow")]),
    "free rotations of joint 'j0'": lambda: balls(1).changed(
        forces=[JointSpring(name="tendon", joint="j0", stiffness=1.0)]
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_mechanisms_that_rules_do_not_step(why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        Simulator(REFUSED[why](), coordinates="tree", rule="simpson")


@pytest.mark.parametrize(
    "name", ("midpoint(2)", "midpoint()", "lobatto-3", "lobatto-40", "Simpson", 4, True, "midpoint(x)")
)
def test_rules_that_are_none(name: object) -> None:
    with pytest.raises(ArgumentError, match="'trapezoid', 'simpson'"):
        Simulator(arm(servo=False), coordinates="tree", rule=name)
