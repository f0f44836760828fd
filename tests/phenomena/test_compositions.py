"""Steps of order 4, 6 and 8: symmetric compositions of the step of order 2, in both formulations.

Witnesses: SciPy's DOP853 on the equations of Newton and Euler (tests/support/integrated.py), which know nothing of
variational integrators; the other formulation; conserved energy and momenta; motions that run back to where they began.
"""

from math import log2

import numpy as np
import pytest

from symvi.errors import ArgumentError, MechanismError, SolverError
from symvi.exporters import export
from symvi.mechanism import (
    Actuator,
    Body,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    Limit,
    Mechanism,
    State,
    Wrench,
)
from symvi.numbers.composition import NAMES, composition_of
from symvi.simulate import Simulator, SolverOptions, Trajectory
from tests.support.damped import FULL, arm, closed_four_bar, point_spring, slider
from tests.support.integrated import integrated
from tests.support.measuring import largest
from tests.support.pendulums import chain

OPTIONS = SolverOptions(tolerance=1e-13)  # far below the errors that orders are read off
QUANTITIES = ("position", "velocity", "angular_velocity")
COORDINATES = ("maximal", "tree")
EXACT = 1e-13


def floating() -> Mechanism:
    """Two bodies on a ball joint, both askew, that tumble freely."""
    bodies = [
        Body(
            name="hull",
            mass=2.0,
            inertia=(0.3, 0.2, 0.25, 0.02, -0.01, 0.03),
            position=(0.1, 0.2, 0.3),
            velocity=(0.5, 0.2, 1.0),
            angular_velocity=(1.0, -2.0, 1.5),
        ),
        Body(name="tail", mass=0.7, inertia=FULL, center_of_mass=(0.1, 0.05, -0.3)),
    ]
    ball = Joint(
        name="ball", type="spherical", parent="hull", child="tail", parent_anchor=(0.2, 0.1, -0.1),
        velocity=(2.0, 1.0, -1.0),
    )  # fmt: skip
    return Mechanism(name="floating", bodies=bodies, joints=[ball])


def linkage() -> Mechanism:
    """A closed loop with a spring, and dampers in two of its hinges, one of them that which closes it."""
    spring, *_ = closed_four_bar().forces
    dampers = [JointDamper(name=f"damper{joint}", joint=joint, damping=0.05) for joint in "BD"]
    return closed_four_bar().changed(forces=[spring, *dampers])


def driven_arm() -> Mechanism:
    """Signals of all that may have one: a servo, a motor, and a wrench on a link."""
    moved = [
        Actuator(name="motor", joint="shoulder", signal="1.5*cos(5*t)"),
        Wrench(name="wind", body="lower", point=(0.1, 0, -0.2), signal=("sin(6*t)", "0", "t", "0.1*t**2", "0", "0.2")),
    ]
    return arm().changed(forces=[*arm().forces, *moved])


def driven_linkage() -> Mechanism:
    """A closed loop with a servo that is led, and a motor, in two of its hinges."""
    motor = Actuator(name="motor", joint="A", signal="0.8*sin(5*t)")
    return closed_four_bar().changed(forces=[*closed_four_bar().forces[:1], closed_four_bar().forces[-1], motor])


# name -> mechanism, how long it runs [s], and the longest step at which the error of each order is measured
SCENES = {
    "slider": (lambda: slider(servo=False), 0.4, {4: 0.02, 6: 0.04, 8: 0.08}),
    "arm": (lambda: arm(servo=False), 0.4, {4: 0.02, 6: 0.04, 8: 0.08}),
    "point spring": (point_spring, 0.4, {4: 0.02, 6: 0.04, 8: 0.04}),
    "floating": (floating, 0.8, {4: 0.04, 6: 0.04, 8: 0.08}),
    "closed loop": (linkage, 0.6, {4: 0.02, 6: 0.05, 8: 0.1}),
    "driven arm": (driven_arm, 1.2, {4: 0.02, 6: 0.04, 8: 0.06}),
    "driven loop": (driven_linkage, 0.6, {4: 0.02, 6: 0.05, 8: 0.1}),
}


def missed(end: State, exact: State) -> float:
    """The largest difference of two states, of positions, velocities and angular velocities."""
    return max(largest(getattr(end, name) - getattr(exact, name)) for name in QUANTITIES)


@pytest.mark.parametrize("name", NAMES)
def test_shares_fulfil_the_conditions_of_their_order(name: str) -> None:
    """Sums of odd powers, to the digits that are known; conditions of commutators are left to observed orders."""
    found = composition_of(name)
    assert found.shares == found.shares[::-1] and sum(found.shares) == found.times[-1] == 1
    for power in range(3, found.order, 2):
        assert abs(sum(share**power for share in found.shares)) < 1e-23
    assert abs(sum(share ** (found.order + 1) for share in found.shares)) > 1e-4


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("composition", NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_observed_orders(scene: str, composition: str, coordinates: str) -> None:
    """Positions and velocities at the knots, of trees, floating bodies and loops, with springs and dampers.

    The witness is a fine motion of order 8 in the other formulation, which the next test compares with DOP853.
    """
    make, time, steps = SCENES[scene]
    order, other = composition_of(composition).order, COORDINATES[COORDINATES[0] == coordinates]
    exact = Simulator(make(), coordinates=other, order=8).simulate(time, 0.005, options=OPTIONS).state()
    simulator = Simulator(make(), coordinates=coordinates, order=composition)
    step = steps[order] / (2 if composition in ("triple-jump", "yoshida-6") else 1)
    ends = [simulator.simulate(time, h, options=OPTIONS) for h in (step, step / 2)]
    assert all((end.substeps[1:] == 1).all() for end in ends)
    errors = [missed(end.state(), exact) for end in ends]
    assert log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15), errors


@pytest.mark.parametrize("scene", SCENES)
def test_newton_and_euler_agree(scene: str) -> None:
    """DOP853 leaves about its tolerance on every step."""
    make, time, _ = SCENES[scene]
    found = Simulator(make(), coordinates="tree", order=8).simulate(time, 0.02, options=OPTIONS).state()
    assert missed(found, integrated(make(), time, 1e-11)) < 1e-9


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("order", (4, 6, 8))
def test_a_motion_runs_back_to_where_it_began(order: int, coordinates: str) -> None:
    """Symmetric compositions are their own inverse: with velocities turned round, the way back is the way there."""
    mechanism = floating()
    simulator = Simulator(mechanism, coordinates=coordinates, order=order)
    there = simulator.simulate(0.6, 0.05, options=OPTIONS)
    end, first = there.state(), there.state(0)
    turned = State(
        time=0.0, position=end.position, orientation=end.orientation, velocity=-end.velocity,
        angular_velocity=-end.angular_velocity, names=end.names,
    )  # fmt: skip
    back = simulator.simulate(0.6, 0.05, start=turned, options=OPTIONS).state()
    assert largest(back.position - first.position) < 1e-11
    assert largest(back.velocity + first.velocity) < 1e-10


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_momenta_are_kept(coordinates: str) -> None:
    """Of what floats freely, to round-off, by every composition."""
    mechanism = floating().changed(gravity=(0, 0, 0))
    for name in NAMES:
        motion = Simulator(mechanism, coordinates=coordinates, order=name).simulate(2.0, 0.02)
        for momentum in (motion.linear_momentum, motion.angular_momentum):
            assert largest(momentum - momentum[0]) < 1e-10, name


def test_energy_stays_near_where_it_began() -> None:
    """For 200 s of a double pendulum: the errors of knots do not grow, and are of the order of the steps."""
    simulator = Simulator(chain(2, angles=(0.6, -0.3)), coordinates="tree", order=4)
    spread = []
    for step in (0.04, 0.02):
        energy = simulator.simulate(200.0, step, every=10).energy
        first, last = (np.abs(part - energy[0]).max() for part in np.array_split(energy, 2))
        assert last < 1.2 * first
        spread.append(last)
    assert log2(spread[0] / spread[1]) == pytest.approx(4.0, abs=0.5)


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_layouts_and_precisions_agree(coordinates: str) -> None:
    """And a fixed number of iterations, which is one of every inner step."""
    build = {"coordinates": coordinates, "order": 6}
    whole = Simulator(arm(servo=False), **build).simulate(0.2, 0.02)
    for layout in ("inline", "unrolled", "looped"):
        motion = Simulator(arm(servo=False), layout=layout, **build).simulate(0.2, 0.02)
        assert np.array_equal(motion.position, whole.position), layout
    coarse = Simulator(arm(servo=False), real="float", **build).simulate(0.2, 0.02)
    assert largest(coarse.position - whole.position) < 1e-5
    counted = Simulator(arm(servo=False), **build).simulate(0.2, 0.02, options=SolverOptions(fixed_iterations=3))
    assert (counted.iterations[1:] == 3 * len(composition_of(6).shares)).all()
    assert largest(counted.position - whole.position) < 1e-12


def test_less_is_recorded_of_the_same_motion() -> None:
    simulator = Simulator(arm(servo=False), order=4)
    whole = simulator.simulate(0.2, 0.02)
    assert np.array_equal(simulator.simulate(0.2, 0.02, record=["energy"]).energy, whole.energy)
    few = simulator.simulate(0.2, 0.02, every=5, record=["coordinates"])
    assert np.array_equal(few.position, whole.position[::5])


def test_an_exported_folder_holds_inner_steps(tmp_path) -> None:
    """Its golden motion is another one than that of order 2, and ends where the simulator's does."""
    hashes = set()
    for order in (2, "triple-jump"):
        manifest = export(arm(servo=False), tmp_path / str(order), measure=False, order=order).manifest
        hashes.add(manifest["golden"]["double"]["value"])
    assert len(hashes) == 2
    headers = list((tmp_path / "triple-jump").rglob("arm.h"))
    assert any("order        4: steps are 3 inner steps" in header.read_text() for header in headers)
    with pytest.raises(ArgumentError, match="servo.target.*changes in time"):
        export(arm(), tmp_path / "driven", measure=False, order=4)


def test_a_driver_may_hold_still() -> None:
    """What moves it is refused: its rate at a knot is told by the steps around it, to second order."""
    held = arm(servo=False).changed(drivers=[Driver(name="hand", joint="elbow")])
    for coordinates in COORDINATES:
        fine = Simulator(held, order=8, coordinates=coordinates).simulate(0.2, 0.02)
        simulator = Simulator(held, order=4, coordinates=coordinates)
        errors = [largest(simulator.simulate(0.2, step).position[-1] - fine.position[-1]) for step in (0.04, 0.02)]
        assert log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.15)
        with pytest.raises(ArgumentError, match="hand.target.*a driver that moves"):
            simulator.simulate(0.2, 0.02, inputs={"hand.target": np.linspace(-0.5, 0.0, 11)})


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_signals_are_read_at_times_of_inner_steps(coordinates: str) -> None:
    """However little is recorded, in one run or in two, in stretches of a long one; rows for the knots are refused."""
    simulator = Simulator(driven_arm(), coordinates=coordinates, order=4)
    whole, first = simulator.simulate(0.4, 0.02), simulator.simulate(0.2, 0.02)
    second = simulator.simulate(0.2, 0.02, start=first)
    assert np.array_equal(second.position, whole.position[10:])
    assert np.array_equal(second.velocity, whole.velocity[10:])
    few = simulator.simulate(0.4, 0.02, every=5, record=["coordinates", "rates"])
    assert np.array_equal(few.position, whole.position[::5]) and np.array_equal(few.velocity, whole.velocity[::5])
    long = simulator.simulate(24.0, 0.02)  # rates are worked out when they are read
    assert np.array_equal(long.velocity[:20], whole.velocity[:20])
    assert np.array_equal(long.velocity[::300], simulator.simulate(24.0, 0.02, every=300).velocity)
    own = {"motor.force": 1.5 * np.cos(5 * whole.time)}
    assert np.array_equal(simulator.simulate(0.4, 0.02, inputs=own).position, whole.position)  # the signal itself
    with pytest.raises(ArgumentError, match="motor.force.*told at knots alone; give it as a signal"):
        simulator.simulate(0.4, 0.02, inputs={"motor.force": np.linspace(0.0, 1.0, 21)})
    held = simulator.simulate(0.4, 0.02, inputs={"motor.force": 0.5})
    assert largest(held.position[-1] - whole.position[-1]) > 1e-3


def test_a_step_is_not_taken_in_parts_under_signals() -> None:
    """Inputs of inner steps are those of a whole step; where that fails, a shorter one is to be taken."""
    stiff = slider(damping=160.0)
    simulator = Simulator(stiff, order="triple-jump")
    with pytest.raises(SolverError, match="too long for a damper") as failure:
        simulator.simulate(0.1, 0.01)
    assert "substeps" not in str(failure.value).split("worst")[-1]
    assert (simulator.simulate(0.1, 0.002).substeps[1:] == 1).all()


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("scene", ("arm", "point spring", "closed loop", "driven arm", "driven loop"))
def test_python_and_c_have_the_same_bits(scene: str, coordinates: str) -> None:
    motions = [
        Simulator(SCENES[scene][0](), coordinates=coordinates, order=6, backend=backend).simulate(0.04, 0.02)
        for backend in ("c", "python")
    ]
    for name in (*QUANTITIES, "resume", "account", "iterations", "substeps", "scatter", "pace"):
        assert np.array_equal(*(getattr(motion, name) for motion in motions)), name
    for name in motions[0].multipliers:
        assert np.array_equal(*(motion.multipliers[name] for motion in motions)), name


def test_an_overdamped_step_is_split_and_told() -> None:
    """h d/m_e is 2.4 in the longest inner step: a damper that grows so far backwards is followed in parts."""
    stiff = slider(servo=False, damping=160.0)
    simulator = Simulator(stiff, order="triple-jump")
    motion = simulator.simulate(0.1, 0.01)
    assert motion.substeps[1:].min() == 4
    fine = Simulator(stiff, order=8).simulate(0.1, 0.0005)
    assert largest(motion.position[-1] - fine.position[-1]) < 1e-5
    with pytest.raises(SolverError, match="too long for a damper.*worst at the damping of 'rail'.*substeps=4"):
        simulator.simulate(0.1, 0.01, options=SolverOptions(substeps=1))
    python = Simulator(stiff, order="triple-jump", backend="python").simulate(0.1, 0.01)
    assert np.array_equal(python.position, motion.position)


def test_parts_are_whole_compositions() -> None:
    """A step in two parts is two steps of half the length."""
    simulator = Simulator(slider(servo=False, damping=50.0), order=6)
    whole, halves = (simulator.simulate(0.4, step) for step in (0.04, 0.02))
    assert (whole.substeps[1:] == 2).all() and (halves.substeps[1:] == 1).all()
    assert largest(whole.position - halves.position[::2]) < 1e-12


def test_a_motion_goes_on_without_a_seam(tmp_path) -> None:
    """A file remembers its composition, and another one does not go on from there."""
    simulator = Simulator(arm(servo=False), order="yoshida-6")
    whole, first = simulator.simulate(0.4, 0.02), simulator.simulate(0.2, 0.02)
    read = Trajectory.load(first.save(tmp_path / "first.npz"))
    assert read.composition == "yoshida-6"
    second = simulator.simulate(0.2, 0.02, start=read)
    assert np.array_equal(second.position, whole.position[10:])
    for order in (2, 6):
        with pytest.raises(MechanismError, match="order='yoshida-6'"):
            Simulator(arm(servo=False), order=order).simulate(0.2, 0.02, start=read)


def test_reactions_are_means_over_the_step() -> None:
    """Forces at knots, each for half of the inner steps around it: their mean is that of t + (1 - gamma_s) h/2."""
    step, share = 0.02, float(composition_of(4).shares[-1])
    coarse = Simulator(chain(1, angles=(0.9,)), order=4).simulate(1.0, step)
    fine = Simulator(chain(1, angles=(0.9,))).simulate(1.0, step / 40)
    times = coarse.time[1:-1] + (1 - share) / 2 * step
    for axis in (1, 2):
        exact = np.interp(times, fine.time[:-1], fine.reactions["joint1"][1:, axis])
        assert largest(coarse.reactions["joint1"][2:, axis] - exact) < 0.002 * largest(exact)


# --- what is refused --------------------------------------------------------------------------------------------------
def test_what_would_fall_to_a_lower_order_is_refused_by_name() -> None:
    own = arm(servo=False)
    simulator = Simulator(own, order=4)
    with pytest.raises(ArgumentError, match="papers_start=True: .* order 4 .'suzuki-4'."):
        simulator.simulate(0.1, 0.01, papers_start=True)
    with pytest.raises(ArgumentError, match="rates='turn'"):
        simulator.simulate(0.1, 0.01, rates="turn")
    with pytest.raises(ArgumentError, match="controller"):
        simulator.simulate(0.1, 0.01, controller=lambda t, state: {})
    for ask in (simulator.reset, lambda: simulator.batch(2), lambda: simulator.gradient(lambda x, u: (0, x), time=1)):
        with pytest.raises(ArgumentError, match="order 4"):
            ask()


def test_what_strikes_or_sticks_is_refused_by_name() -> None:
    own = arm(servo=False)
    stuck = own.changed(forces=[*own.forces, DryFriction(name="rust", joint="elbow", bound=1.0)])
    with pytest.raises(ArgumentError, match="dry friction 'rust' of mechanism 'arm'"):
        Simulator(stuck, order=4)
    stopped = own.changed(limits=[Limit(name="stop", joint="elbow", lower=-2.0, upper=2.0)])
    with pytest.raises(ArgumentError, match="limit 'stop'"):
        Simulator(stopped, order=8)


@pytest.mark.parametrize("order", (3, 10, True, "suzuki", None, 4.5))
def test_orders_that_are_none(order: object) -> None:
    with pytest.raises(ArgumentError, match="'triple-jump', 'suzuki-4'"):
        Simulator(arm(servo=False), order=order)
