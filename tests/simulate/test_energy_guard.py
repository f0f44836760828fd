"""What was given, what was taken, and rises that nothing has paid for: against closed forms, and against planted ones.

A user's potential acts at knots, so that a stiff one is Verlet's oscillator: it explodes from h² k = 4 m on.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symvi.demos
from symvi import (
    Actuator,
    Body,
    Box,
    Contact,
    Driver,
    DryFriction,
    EnergyWarning,
    Joint,
    JointDamper,
    JointSpring,
    Limit,
    Mechanism,
    PointSpring,
    Potential,
    Servo,
    Simulator,
    StiffnessWarning,
    Wrench,
)
from symvi.mechanism.rotation import rotate
from symvi.simulate import Trajectory
from symvi.simulate.energy_guard import _median, watch
from tests.simulate.test_jumps import turning
from tests.simulate.test_substeps import arch
from tests.support import linkages
from tests.support.measuring import largest
from tests.support.nonholonomic import equations

pytestmark = [pytest.mark.filterwarnings(f"ignore::symvi.{name}") for name in ("EnergyWarning", "StiffnessWarning")]
STEP = 0.01
ENDS = ["c", "python"]
CUBE = (1 / 6, 1 / 6, 1 / 6, 0, 0, 0)


def slider(*forces, gravity=(0, 0, 0), start: float = 0.0, speed: float = 0.0, **more) -> Mechanism:
    """A block of 2 kg on a rail along x."""
    rail = Joint(name="rail", type="prismatic", child="block", axis=(1, 0, 0), coordinate=start, velocity=speed)
    block = Body(name="block", mass=2.0, inertia=CUBE)
    return Mechanism(name="slider", gravity=gravity, bodies=[block], joints=[rail], forces=list(forces), **more)


def spring(stiffness: float) -> Potential:
    """A spring that acts at knots."""
    return Potential(name="spring", child="block", expression="k*x_b[0]**2/2", parameters={"k": stiffness})


# --- work -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("backend", ENDS)
def test_a_constant_force_gives_force_times_way(backend: str) -> None:
    """3 N over 3/4 t² m: the energy is that work, at every knot."""
    motor = Actuator(name="motor", joint="rail", signal=["3"])
    motion = Simulator(slider(motor), backend=backend).simulate(1.0, STEP)
    way = 0.75 * motion.time**2
    assert largest(motion.work["motor"] - 3.0 * way) < 1e-12 and largest(motion.energy - 3.0 * way) < 1e-12
    assert largest(motion.energy_balance) < 1e-12 and motion.rise is None


@pytest.mark.parametrize("frame", ["world", "body"])
def test_a_wrench_gives_force_times_way_and_torque_times_turn(frame: str) -> None:
    """A body about a principal axis, pushed along it: 2 N over 2/2 t²/2 m, 1/6 N m over t²/2 rad."""
    push = Wrench(name="push", body="block", frame=frame, signal=["2", "0", "0", "1/6", "0", "0"])
    free = Mechanism(name="free", gravity=(0, 0, 0), bodies=[Body(name="block", mass=2.0, inertia=CUBE)], forces=[push])
    motion = Simulator(free).simulate(1.0, STEP)
    assert motion.work["push"][-1] == pytest.approx(2.0 * 0.5 + 0.5 / 6, rel=1e-4)
    assert largest(motion.energy_balance) < 1e-5 and motion.rise is None


@pytest.mark.parametrize("backend", ENDS)
def test_a_driver_gives_what_a_flywheel_gains(backend: str) -> None:
    """From rest to 2 rad/s within a second, smoothly: 1/2 J w²."""
    wheel = Body(name="wheel", mass=1.0, inertia=(0.5, 0.5, 0.5, 0, 0, 0))
    axle = Joint(name="axle", type="revolute", child="wheel", axis=(0, 0, 1))
    crank = Driver(name="crank", joint="axle", signal="t - sin(pi*t)/pi")
    mechanism = Mechanism(name="flywheel", gravity=(0, 0, 0), bodies=[wheel], joints=[axle], drivers=[crank])
    motion = Simulator(mechanism, backend=backend).simulate(1.0, STEP)
    assert motion.work["crank"][-1] == pytest.approx(0.5 * 0.5 * 4.0, rel=2e-3)  # h² of it
    assert largest(motion.energy_balance) < 2e-3 and motion.rise is None


def test_forces_that_jump_and_drivers_that_start_at_once_are_paid_for() -> None:
    """Noise at every knot, from a controller and from an array; a motor that runs at its speed from the first step."""
    noise = np.random.default_rng(1).normal(size=101)
    motor = Actuator(name="motor", joint="rail")
    simulator = Simulator(slider(motor, spring(20.0), start=0.1))
    given = simulator.simulate(1.0, STEP, inputs={"motor.force": noise})
    asked = simulator.simulate(1.0, STEP, controller=lambda t, state: {"motor.force": noise[round(t / STEP)]})
    assert given.rise is None and asked.rise is None
    assert largest(given.work["motor"][:-1] - asked.work["motor"][:-1]) < 1e-12
    wheel = Body(name="wheel", mass=1.0, inertia=(0.5, 0.5, 0.5, 0, 0, 0))
    axle = Joint(name="axle", type="revolute", child="wheel", axis=(0, 0, 1))
    driven = Mechanism(name="wheel", bodies=[wheel], joints=[axle], drivers=[Driver(name="crank", joint="axle")])
    turns = np.maximum(0.0, 5.0 * (np.arange(101) - 50) * STEP)
    motion = Simulator(driven).simulate(1.0, STEP, inputs={"crank.target": turns})
    assert motion.rise is None and motion.work["crank"][-1] == pytest.approx(0.25 * 25.0, rel=0.01)


@pytest.mark.parametrize("backend", ENDS)
def test_a_servo_gives_what_a_spring_keeps(backend: str) -> None:
    """It pulls a block against a spring of 50 N/m and holds it at 0.2 m by k/(k + 50) of the way: 1/2 50 c²."""
    servo = Servo(name="servo", joint="rail", stiffness=200.0, damping=40.0, signal="0.2")
    rest = JointSpring(name="rest", joint="rail", stiffness=50.0)
    simulator, missed = Simulator(slider(servo, rest), backend=backend), []
    for step in (STEP, STEP / 2):
        motion = simulator.simulate(4.0, step)
        missed.append(motion.work["servo"][-1] - 0.5 * 50.0 * (0.2 * 200.0 / 250.0) ** 2)
        assert missed[-1] == pytest.approx(-motion.energy_balance[-1], abs=1e-6) and motion.rise is None
    assert missed[0] < 0.01 * 0.64 and missed[0] / missed[1] == pytest.approx(4.0, abs=0.3)
    moving = slider(Servo(name="servo", joint="rail", stiffness=300.0, damping=20.0, signal="0.1*sin(3*t)"))
    motion = Simulator(moving, backend=backend).simulate(2.0, STEP)
    assert largest(motion.energy_balance) < 5e-4 and np.ptp(motion.work["servo"]) > 0.05 and motion.rise is None


def test_what_acts_at_knots_is_accounted_for_in_parts_of_a_step_too() -> None:
    """Steps that fail are taken again in parts: a constant torque gives itself times the turn, however often."""
    scene = arch(20)
    motor = Actuator(name="motor", joint=scene.joints[0].name, signal=["0.05"])
    for backend, time in (("c", 1.2), ("python", 0.1)):
        motion = Simulator(scene.changed(forces=[motor]), backend=backend).simulate(time, STEP)
        turn = motion.coordinates(scene.joints[0].name)[:, 0]
        assert largest(motion.work["motor"] - 0.05 * (turn - turn[0])) < 1e-12
        assert backend == "python" or motion.substeps.max() > 1


# --- dissipation ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("backend", ENDS)
def test_a_damper_takes_what_a_slider_loses(backend: str) -> None:
    """1 kg m/s... of 2 kg at 1 m/s with 4 N s/m: exp(-2 t) of the speed, to first order in the step."""
    damper = JointDamper(name="damper", joint="rail", damping=4.0)
    lost = []
    for step in (0.01, 0.005):
        motion = Simulator(slider(damper, speed=1.0), backend=backend).simulate(1.0, step)
        lost.append(motion.dissipation["dampers"][-1])
        assert largest(motion.energy_balance + sum(motion.dissipation.values())) < 1e-15
    exact = 1.0 - np.exp(-4.0)
    assert lost[1] == pytest.approx(exact, rel=0.03) and abs(lost[1] - exact) < 0.6 * abs(lost[0] - exact)


def test_the_damper_of_a_point_spring_takes_what_a_block_loses() -> None:
    """A block of 2 kg swings from 100 N/m: nothing else takes its energy, but for what the method's order leaves."""
    strut = PointSpring(name="strut", child="block", stiffness=100.0, length=0.5, damping=3.0)
    motion = Simulator(slider(strut, start=0.6)).simulate(1.0, STEP / 2)
    assert motion.dissipation["dampers"][-1] == pytest.approx(motion.energy[0] - motion.energy[-1], rel=0.02)
    assert motion.rise is None


@pytest.mark.parametrize("backend", ENDS)
def test_dry_friction_and_stops_take_what_a_slider_loses(backend: str) -> None:
    """4 J: 3 N over the 0.5 m to the stop, and there the rest."""
    rub = DryFriction(name="rub", joint="rail", bound=3.0)
    stop = Limit(name="stop", joint="rail", upper=0.5)
    motion = Simulator(slider(rub, speed=2.0, limits=[stop]), backend=backend).simulate(1.0, 0.002)
    assert motion.dissipation["dry friction"][-1] == pytest.approx(1.5, rel=0.01)
    assert motion.dissipation["limits"][-1] == pytest.approx(2.5, rel=0.01)
    assert abs(motion.dissipation["other"][-1]) < 0.03 and motion.rise is None


def scene() -> Mechanism:
    """A block of half a kilogram, 0.1 m above the ground, at 2 m/s along it."""
    block = Body(name="block", mass=0.5, shape=Box(size=(0.2, 0.2, 0.1)), position=(0, 0, 0.15), velocity=(2.0, 0, 0))
    ground = Contact(name="ground", child="block", whole_shape=True, friction=0.4)
    return Mechanism(name="block", bodies=[block], contacts=[ground])


@pytest.mark.parametrize("backend", ENDS)
def test_impact_and_friction_take_what_a_block_loses(backend: str) -> None:
    """Half a kilogram falls 0.1 m onto the ground at 2 m/s along it: m g 0.1 m by impact; what is left by friction."""
    motion = Simulator(scene(), backend=backend).simulate(1.0, 0.002)
    fall, slide = 0.5 * 9.81 * 0.1, 0.5 * 0.5 * 4.0
    assert motion.dissipation["impact"][-1] + motion.dissipation["friction"][-1] == pytest.approx(
        fall + slide, rel=0.01
    )
    assert motion.rise is None


# --- rises ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("real", ["double", "float"])
def test_springs_at_knots_swing_below_their_bound_and_explode_above_it(real: str) -> None:
    """h² k/m of 0.01 to 1 is silent for a thousand steps; 4.1 warns at once, by its name and with what it gained."""
    for share in (0.01, 0.3, 1.0):
        simulator = Simulator(slider(spring(share * 2.0 / STEP**2), start=0.1), real=real)
        assert simulator.simulate(10.0, STEP).rise is None
    motion = Simulator(slider(spring(4.1 * 2.0 / STEP**2), start=0.1), real=real).simulate(0.3, STEP)
    assert motion.rise.knot <= 3 and motion.rise.element == "'spring'"
    assert motion.rise.amount == pytest.approx(np.ptp(motion.energy), rel=0.01)
    assert f"{motion.rise.time:g} s" in motion.rise.sentence


@pytest.mark.parametrize("every", [1, 2, 5])
def test_a_damped_spring_at_knots_explodes(every: int) -> None:
    """What a servo would be if it acted at knots: 1e5 N/m and 200 N s/m at 1 kg, steps of 0.01 s."""
    damper = JointDamper(name="damper", joint="rail", damping=400.0)
    motion = Simulator(slider(spring(2e5), damper, start=0.001)).simulate(0.5, STEP, every=every)
    assert motion.rise is not None and motion.rise.knot <= 2


def trough(stiffness: float, damping: float, start: float) -> Mechanism:
    """k (sqrt(1 + (x/w)²) - 1) w², w = 1 cm: a spring near its bottom, a constant force far from it; 1 kg, damped."""
    walls = Potential(
        name="walls",
        child="block",
        expression="k*(sqrt(1 + (x_b[0]/0.01)**2) - 1)*0.01**2",
        parameters={"k": stiffness},
    )
    rail = Joint(name="rail", type="prismatic", child="block", axis=(1, 0, 0), coordinate=start)
    damper = JointDamper(name="oil", joint="rail", damping=damping)
    block = Body(name="block", mass=1.0, inertia=CUBE)
    return Mechanism(name="trough", gravity=(0, 0, 0), bodies=[block], joints=[rail], forces=[walls, damper])


@pytest.mark.parametrize(
    "stiffness, damping, start", [(6e4, 10, 0.2), (1e5, 10, 0.2), (1e5, 200, 1.0), (2e5, 50, 0.2), (1e6, 200, 1.0)]
)
def test_an_explosion_that_a_damper_eats_is_found(stiffness: float, damping: float, start: float) -> None:
    """A block in a trough comes to rest; in steps too long it swings for ever, and no energy is above the first."""
    solver = Simulator(trough(stiffness, damping, start))
    motion = solver.simulate(5.0, STEP)
    assert motion.energy[-1] > 0.005 * motion.energy[0] and motion.energy[-100:].max() < motion.energy[0] * 1.1
    taken = motion.dissipation["dampers"][-1]
    assert taken > 1.5 * motion.energy[0]  # more than ever was there
    assert motion.rise.amount > 0.3 * taken or not motion.rise.taken
    exact = solve_ivp(
        lambda t, y: [y[1], -damping * y[1] - stiffness * y[0] / np.hypot(1.0, y[0] / 0.01)],
        (0.0, 5.0),
        [start, 0.0],
        "LSODA",
        rtol=1e-8,
        atol=1e-12,
    ).y[:, -1]
    assert np.abs(exact).max() < 1e-8
    sound = solver.simulate(0.5, 1e-4 if stiffness > 5e5 else 5e-4)
    assert sound.rise is None and abs(sound.dissipation["other"][-1]) < 0.02 * sound.energy[0]


def test_a_longer_motion_loses_no_alarm() -> None:
    """Bounds are those of the knots so far: what has risen is not forgiven."""
    solver = Simulator(trough(1e5, 10.0, 0.2))
    found = [solver.simulate(time, STEP).rise for time in (0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0)]
    assert {rise.knot for rise in found[1:]} == {found[0].knot}
    amounts = [rise.amount for rise in found]
    assert amounts == sorted(amounts)


def test_a_motion_that_goes_on_after_an_alarm_is_warned_of_again(tmp_path: Path) -> None:
    """Of what it rose by before, also where it rises no more, and read from a file."""
    solver = Simulator(trough(1e5, 0.0, 1e-3))
    first = solver.simulate(0.5, STEP)
    with pytest.warns(EnergyWarning, match=f"from {first.rise.time:.6g} s on, most of it at 'walls'"):
        second = solver.simulate(0.1, STEP, start=Trajectory.load(first.save(tmp_path / "first.npz")))
    assert np.ptp(second.energy) < 0.9 * np.ptp(first.energy)
    assert second.rise.knot == 0 and second.rise.amount >= first.rise.amount


def test_a_force_that_stays_too_stiff_is_warned_of_beside_a_wheel_whose_energy_hides_it() -> None:
    """h² k/m = 4.5: the block gains 1 J, of 4.5 J or 200 J of the wheel."""
    mechanism = trough(4.5e4, 0.0, 1e-4)
    wheel = Body(name="wheel", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    for speed in (3.0, 20.0):
        axle = Joint(name="axle", type="revolute", child="wheel", axis=(0, 0, 1), velocity=speed)
        solver = Simulator(mechanism.changed(bodies=[wheel, *mechanism.bodies], joints=[axle, *mechanism.joints]))
        with pytest.warns(StiffnessWarning, match=f"below {STEP * np.sqrt(4.0 / 4.5):.3g} s"):
            motion = solver.simulate(5.0, STEP)
        assert motion.energy.max() - motion.energy[0] > 1.0
        assert solver.simulate(4.5, 0.9 * STEP).alarms == []


def shaken(stiffness: float) -> Mechanism:
    """A crooked body on springs along a way and three rotations, half a metre and up to 0.35 rad from their rest."""
    body = Body(
        name="head",
        mass=1.3,
        inertia=(0.05, 0.06, 0.08, 0.005, -0.004, 0.003),
        center_of_mass=(0.05, -0.1, 0.3),
    )
    shares = (1.0, 0.7, 0.4, 0.1)
    neck = Joint(
        name="neck",
        type="cylindrical_free",
        child="head",
        axis=(1, 0.2, 0.5),
        parent_anchor=(0.1, 0.05, -0.3),
        child_anchor=(0.02, 0.01, -0.05),
        coordinate=tuple(0.5 * share for share in shares),
    )
    coil = JointSpring(name="coil", joint="neck", stiffness=tuple(stiffness * (1.3 - share) for share in shares))
    return Mechanism(name="head", gravity=(0, 0, 0), bodies=[body], joints=[neck], forces=[coil])


@pytest.mark.parametrize("stiffness", [1e4, 1.5e4, 3e4])
def test_springs_along_three_rotations_that_gain_by_far_swings_are_found(stiffness: float) -> None:
    """Midpoints of a rotation vector keep no energy: where a swing has few steps, far ones may grow."""
    solver = Simulator(shaken(stiffness))
    motion = solver.simulate(5.0, STEP, on_error="status")
    assert motion.energy.max() > 1.3 * motion.energy[0] and motion.rise.element == "'coil'"
    assert "shorter steps" in motion.rise.sentence
    fine = solver.simulate(1.0, STEP / 10)
    assert fine.rise is None and np.ptp(fine.energy) < 0.1 * fine.energy[0]


def test_a_rise_that_no_step_is_short_enough_for_says_so() -> None:
    """A rotation vector that jumps at half a turn: its spring, at rest elsewhere, gives energy; ends that meet."""
    ball = Joint(name="ball", type="spherical", child="top")
    body = Body(name="top", mass=1.0, inertia=(0.5, 0.6, 0.7, 0, 0, 0), angular_velocity=(0, 0, 12.0))
    coil = JointSpring(name="coil", joint="ball", stiffness=10.0, rest=(0, 0, 1.0))
    turning = Mechanism(name="top", gravity=(0, 0, 0), bodies=[body], joints=[ball], forces=[coil])
    cord = PointSpring(name="cord", child="block", stiffness=400.0, length=0.2)
    for mechanism, jump in ((turning, "past half a turn"), (slider(cord, start=0.5), "the ends of 'cord' met")):
        for step in (STEP, STEP / 4):
            rise = Simulator(mechanism).simulate(2.0, step).rise
            assert rise is None or (jump in rise.sentence and "shorter steps" not in rise.sentence)
        assert mechanism is not turning or rise is not None


@pytest.mark.parametrize("backend", ENDS)
def test_a_planted_rise_is_found_where_it_is(backend: str) -> None:
    """A double pendulum that is given 3 % of its kinetic energy at a knot; what it is given by, nobody knows."""
    motion = Simulator(demo("double_pendulum"), backend=backend).simulate(3.0, 0.005)
    assert motion.rise is None and watch(motion).worst < 0.5
    planted = motion.kinetic_energy.copy()
    planted[300:] += 0.1 * planted.max()
    found = replace(motion, kinetic_energy=planted).rise
    assert 300 <= found.knot <= 320 and found.amount == pytest.approx(0.1 * motion.kinetic_energy.max(), rel=0.1)


def test_a_rattleback_that_gains_by_long_steps_is_warned_of() -> None:
    """0.2 J that rolling keeps become 0.24 J within 7 s in steps of 0.01 s; in steps of 0.002 s they stay."""
    simulator = Simulator(equations.rattleback().mechanism("stone", *equations.STONE_START))
    with pytest.warns(EnergyWarning, match="nothing has paid for"):
        motion = simulator.simulate(7.0, STEP, on_error="status")
    assert motion.rise.amount > 0.03 and motion.rise.element == "body 'body'"
    assert simulator.simulate(7.0, 0.002).rise is None


@pytest.mark.parametrize("backend", ENDS)
def test_a_planted_fall_is_found_where_it_is(backend: str) -> None:
    """A double pendulum that loses a tenth of its kinetic energy at a knot; dampers, if there are any, may take it."""
    motion = Simulator(demo("double_pendulum"), backend=backend).simulate(3.0, 0.005)
    assert motion.fall is None
    part = 0.1 * motion.kinetic_energy.max()
    planted = replace(motion, kinetic_energy=motion.kinetic_energy - part * (motion.time >= motion.time[300]))
    assert 293 <= planted.fall.knot <= 307 and planted.rise is None
    assert planted.fall.amount == pytest.approx(part, rel=0.1)
    assert replace(planted, loss_names=(("oil", "dampers"),), spent_values=np.zeros((len(motion), 1))).fall is None


def test_a_linkage_that_loses_energy_in_long_steps_is_warned_of() -> None:
    """A kite whose short rocker whips round: steps of 0.02 s lose a little each time, whole or in parts."""
    mechanism = kite(0.5, 0.4, 0.8)
    simulator, start = turning(mechanism, 10.0, 0.02)
    with pytest.warns(EnergyWarning, match="nothing has taken"):
        motion = simulator.simulate(40.0, 0.02, start=start)
    assert motion.fall.amount == pytest.approx(motion.energy[0] - motion.energy.min(), rel=0.1)
    first = simulator.simulate(motion.fall.time - 1.0, 0.02, start=start)
    assert first.fall is None and simulator.simulate(3.0, 0.02, start=first).fall is not None
    simulator, start = turning(mechanism, 10.0, 0.002)
    assert simulator.simulate(40.0, 0.002, start=start).fall is None


def kite(crank: float, rocker: float, turn: float) -> Mechanism:
    """A four-bar of two pairs of equal bars, frame and crank, coupler and rocker."""
    pin, ground = crank * np.array([np.cos(turn), np.sin(turn)]), np.array([crank, 0.0])
    middle, across = (pin + ground) / 2, np.array([np.cos(turn / 2), np.sin(turn / 2)])
    top = middle + across * np.sqrt(rocker**2 - np.dot(ground - pin, ground - pin) / 4)
    points = [(0.0, *point) for point in ((0.0, 0.0), pin, top, ground)]
    return linkages.polygon("kite", points, [(1.0, 0.0, 0.0)] * 4)


def pinned(name: str, place: tuple[float, float, float]) -> tuple[Body, Joint]:
    """A body of 1 kg that rows of a user's own hold at a place; Newton's method leaves 5e-14 m/s of its fall."""
    rows, numbers = [f"x_b[{i}] - c{i}" for i in range(3)], {f"c{i}": place[i] for i in range(3)}
    body = Body(name=name, mass=1.0, inertia=(1.0, 1.0, 1.0), position=place)
    return body, Joint(name=f"{name}_pin", type="custom", child=name, expressions=rows, parameters=numbers)


def on_a_long_arm(arm: float) -> tuple[Body, Joint]:
    """A body of 1 kg, held so far along x by a joint whose frame is askew: its height is zero but for round-off."""
    turn = np.array((0.5, 0.1, 0.7, 0.5))  # of length one
    back = rotate(tuple(turn * (1, -1, -1, -1)), (-arm, -arm / 3, 0.0))
    body = Body(name="end", mass=1.0, inertia=(1.0, 1.0, 1.0))
    return body, Joint(name="weld", type="fixed", child="end", child_anchor=back, orientation=tuple(turn))


@pytest.mark.parametrize(
    "held",
    [
        [pinned("one", (0.0, 0.0, 0.0))],
        [pinned("above", (0.0, 0.0, 1.3)), pinned("below", (0.0, 0.0, -1.3))],
        [on_a_long_arm(1e4)],
        [on_a_long_arm(1e6)],
    ],
    ids=["at the origin", "about the origin", "10 km", "1000 km"],
)
def test_round_off_of_what_rests_where_its_energy_is_zero_is_no_rise_and_no_fall(held: list) -> None:
    """V = -m g·x vanishes there, and its round-off does not: that of x, and what the tolerance leaves of x.

    Some of it is there, and it is no more than ten ulp of m g |x| and m g h times the tolerance.
    """
    bodies, joints = zip(*held, strict=True)
    motion = Simulator(Mechanism(name="held", bodies=bodies, joints=joints)).simulate(0.5, STEP)
    seen = watch(motion)
    reach = sum(float(np.linalg.norm(motion.position[0, k])) for k in range(len(bodies)))
    assert 0.0 < largest(seen.balance) < 9.81 * (10 * 2.2e-16 * reach + 1e-10 * STEP * len(bodies))
    assert seen.alarm is None and seen.fall is None


def test_a_rise_is_warned_of_once_and_says_which_step_would_do() -> None:
    simulator = Simulator(slider(spring(4.1 * 2.0 / STEP**2), start=0.1))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        motion = simulator.simulate(0.3, STEP)
    assert [one.category for one in told] == [EnergyWarning, StiffnessWarning]
    assert motion.too_stiff[0].step == pytest.approx(STEP * np.sqrt(4.0 / 4.1), rel=1e-3)
    assert f"below {motion.too_stiff[0].step:.3g} s" in str(told[1].message)


@pytest.mark.parametrize(
    "name", ["pendulum", "double_pendulum", "four_bar", "slider_crank", "strandbeest", "walker", "governor"]
)
def test_no_demo_is_warned_of(name: str) -> None:
    motion = Simulator(demo(name)).simulate(5.0, STEP)
    assert motion.rise is None and watch(motion).worst < 0.5


def demo(name: str) -> Mechanism:
    return Mechanism.from_file(symvi.demos.demo_file(name))


# --- what is kept -----------------------------------------------------------------------------------------------------
def machine() -> Simulator:
    """The slider crank, whose motor works against gravity and a damper."""
    crank = demo("slider_crank")
    return Simulator(
        crank.changed(forces=[*crank.forces, JointDamper(name="oil", joint=crank.joints[0].name, damping=0.1)])
    )


def test_sums_do_not_depend_on_what_is_recorded() -> None:
    simulator = machine()
    fine, coarse = (simulator.simulate(2.0, STEP, every=every) for every in (1, 10))
    assert largest(fine.work["motor"][::10][:-1] - coarse.work["motor"][:-1]) < 1e-12
    assert largest(fine.dissipation["dampers"][::10] - coarse.dissipation["dampers"]) < 1e-12


def test_sums_do_not_depend_on_what_is_recorded_under_a_controller() -> None:
    motor, damper = Actuator(name="motor", joint="rail"), JointDamper(name="damper", joint="rail", damping=1.0)
    simulator = Simulator(slider(motor, damper))
    fine, coarse = (
        simulator.simulate(1.0, STEP, controller=lambda t, state: {"motor.force": np.sin(3 * t)}, every=every)
        for every in (1, 5)
    )
    assert largest(fine.work["motor"][::5][:-1] - coarse.work["motor"][:-1]) < 1e-12 and coarse.rise is None
    assert largest(fine.dissipation["dampers"][::5] - coarse.dissipation["dampers"]) < 1e-12


def test_a_motion_that_goes_on_keeps_its_account(tmp_path) -> None:
    """In two pieces, the first of them read from a file, as in one."""
    simulator = machine()
    whole, first = simulator.simulate(2.0, STEP), simulator.simulate(1.0, STEP)
    second = simulator.simulate(1.0, STEP, start=Trajectory.load(first.save(tmp_path / "first.npz")))
    assert largest(whole.work["motor"][100:] - second.work["motor"]) < 1e-12
    for way, values in second.dissipation.items():
        assert largest(whole.dissipation[way][100:] - values) < 1e-12
    assert watch(second).after.numbers == pytest.approx(watch(whole).after.numbers, rel=1e-9, abs=1e-12)


def test_an_explosion_is_found_in_pieces() -> None:
    simulator = Simulator(slider(spring(4.1 * 2.0 / STEP**2), start=0.1))
    motion = simulator.simulate(STEP, STEP)
    for _ in range(10):
        motion = simulator.simulate(STEP, STEP, start=motion)
    assert motion.rise is not None


def test_both_back_ends_keep_the_same_account() -> None:
    """To the last bit."""
    one, other = (Simulator(scene(), backend=backend).simulate(0.3, STEP) for backend in ENDS)
    for name in (
        "work_values",
        "late_values",
        "spent_values",
        "scatter",
        "swerve",
        "pace",
        "sway",
        "misread",
        "account",
    ):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


# --- what is told -----------------------------------------------------------------------------------------------------
def test_the_command_line_and_a_table_tell_it(tmp_path: Path) -> None:
    file, table = tmp_path / "slider.json", tmp_path / "slider.csv"
    file.write_text(slider(spring(4.1 * 2.0 / STEP**2), start=0.1).to_json(), encoding="utf-8")
    options = ["--time", "0.2", "--step", str(STEP), "--csv", str(table), "--json"]
    command = [sys.executable, "-m", "symvi", "simulate", str(file), *options]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    told = json.loads(answer.stdout)
    rise = told["rise"]
    assert told["too_stiff"][0]["element"] == "spring" and "WARNING: force 'spring' is too stiff" in answer.stderr
    assert rise["element"] == "'spring'" and rise["knot"] <= 3
    assert "WARNING: energy rose by" in answer.stderr and "dissipated by other" in answer.stderr
    names, *rows = (line.split(",") for line in table.read_text(encoding="utf-8").splitlines())
    last = dict(zip(names, map(float, rows[-1]), strict=True))
    assert last["energy_balance"] > 0.0 and last["dissipation.other"] == -last["energy_balance"]


@pytest.mark.parametrize("knots", [1, 3, 9])
def test_running_medians_are_those_of_numpy_and_hand_nan_on(knots):
    values = np.random.default_rng(3).normal(size=(2, 40))
    values[1, 17] = np.nan
    padded = np.pad(values, ((0, 0), (knots // 2, knots // 2)), mode="edge")
    expected = [[np.median(row[k : k + knots]) for k in range(40)] for row in padded]
    assert np.array_equal(_median(values, knots), expected, equal_nan=True)
