"""Steps that are taken in parts: when, with what forces at the knots between, and what a motion keeps of it."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Literal

import numpy as np
import pytest

from symvi import (
    Actuator,
    Body,
    Box,
    Contact,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    Limit,
    Mechanism,
    MechanismError,
    Simulator,
    SolverError,
    SolverOptions,
    Trajectory,
)

X = (1.0, 0.0, 0.0)
GRAVITY, STEP = 9.81, 0.01
COORDINATES = ("maximal", "tree")


def arch(count: int, pivot: str = "cylindrical_free") -> Mechanism:
    """Links of 1 m and 1 kg as half a circle above two pivots, let go."""
    return hung([pi / 2 - (k + 0.5) * pi / count for k in range(count)], pivot)


def hung(ways: list[float], pivot: str = "cylindrical_free") -> Mechanism:
    """Links of 1 m and 1 kg between two pivots, let go; each goes this way, as an angle about x from y [rad]."""
    names = ["world", *(f"link{k}" for k in range(len(ways)))]
    top, bottom = (0.0, 0.0, 0.5), (0.0, 0.0, -0.5)
    bodies = [
        Body(name=name, mass=1.0, shape=Box(size=(0.1, 0.1, 1.0)), orientation=turned(way + pi / 2))
        for name, way in zip(names[1:], ways, strict=True)
    ]
    joints = [
        Joint(
            name=f"joint{k}",
            type="revolute",
            parent=names[k],
            child=names[k + 1],
            parent_anchor=bottom if k else (0.0, 0.0, 0.0),
            child_anchor=top,
            axis=X,
        )
        for k in range(len(ways))
    ]
    end = (0.0, sum(map(cos, ways)), sum(map(sin, ways)))
    last = Joint(
        name="last", type=pivot, parent="world", child=names[-1], parent_anchor=end, child_anchor=bottom, axis=X
    )
    return Mechanism(name=f"arch{len(ways)}", bodies=bodies, joints=[*joints, last])


def turned(angle: float) -> tuple[float, ...]:
    return cos(angle / 2), sin(angle / 2), 0.0, 0.0


def pendulum(angle: float = pi / 2, **parts) -> Mechanism:
    """A rod of 1 m and 1 kg, let go level, or at another angle from where it hangs."""
    rod = Body(name="rod", mass=1.0, shape=Box(size=(0.1, 0.1, 1.0)), orientation=turned(angle))
    pin = Joint(name="pin", type="revolute", parent="world", child="rod", child_anchor=(0.0, 0.0, 0.5), axis=X)
    return Mechanism(name="pendulum", bodies=[rod], joints=[pin], **parts)


def split_every_tenth(mechanism: Mechanism, step: float, time: float, halvings: int) -> tuple[Simulator, list]:
    """Every tenth step in 2**halvings parts: the level in the state says so. The trajectories of single steps."""
    simulator = Simulator(mechanism)
    level = simulator.plan.at("state", "common", 0, "level")
    pieces = [simulator.simulate(step, step)]
    while len(pieces) < round(time / step):
        pieces[-1].resume[level] = halvings + 1.0 if len(pieces) % 10 == 9 else 0.0
        pieces.append(simulator.simulate(step, step, start=pieces[-1]))
    return simulator, pieces


@pytest.mark.thorough
def test_forces_at_a_knot_act_for_half_of_both_steps_beside_it():
    """A pendulum whose tenth steps are split in 8 keeps its energy to second order.

    With a whole inner step of gravity at each inner knot it wanders by 0.57 J at 0.02 s and in proportion to the step:
    the knot between a long and a short step gets too little, or too much, of an impulse.
    """
    wander = []
    for step in (0.02, 0.01, 0.005):
        _, pieces = split_every_tenth(pendulum(), step, 5.0, 3)
        energy = np.array([piece.energy[-1] for piece in pieces])
        assert {piece.substeps[-1] for piece in pieces} == {1.0, 8.0}
        wander.append(np.ptp(energy))
    assert wander[0] < 0.012
    assert wander[0] / wander[1] == pytest.approx(4.0, rel=0.1)
    assert wander[1] / wander[2] == pytest.approx(4.0, rel=0.1)


def test_a_motion_with_split_steps_is_that_with_whole_ones_to_second_order():
    """Beside a motion with steps of a sixteenth, both err in proportion to the square of the step."""
    errors = []
    for step in (0.02, 0.01):
        _, pieces = split_every_tenth(pendulum(), step, 1.0, 2)
        exact = Simulator(pendulum()).simulate(1.0, step / 16)
        errors.append(np.abs(pieces[-1].position[-1] - exact.position[-1]).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_reactions_of_a_split_step_are_means_over_it():
    """A hanging rod is held by its weight, in whole steps and in split ones; so is the multiplier of its rows."""
    _, pieces = split_every_tenth(pendulum(0.0), STEP, 0.3, 3)
    assert [piece.substeps[-1] for piece in pieces[8:11]] == [1.0, 8.0, 1.0]
    for piece in pieces:
        assert piece.reactions["pin"][-1, :3] == pytest.approx([0.0, 0.0, GRAVITY], abs=1e-9)
        assert np.linalg.norm(piece.multipliers["pin"][-1]) == pytest.approx(GRAVITY, abs=1e-9)


def test_reactions_of_a_split_step_are_of_second_order():
    """Along the rod the pin bears m (g cos + w² l).

    Of a step in 8 parts it is the mean over the time in which its forces act: from the middle of the whole step before
    to that of the last part, in the middle 7/32 of a step behind the knot where it began.
    """
    errors = []
    for step in (0.02, 0.01, 0.005):
        _, pieces = split_every_tenth(pendulum(), step, 0.4, 3)
        before, split = next((a, b) for a, b in zip(pieces[:-1], pieces[1:], strict=True) if b.substeps[-1] > 1.0)
        knots = [(piece.angular_velocity[-1, 0, 0], piece.position[-1, 0] / 0.5) for piece in (before, split)]
        first, second = (spin**2 / 2 - GRAVITY * way[2] for spin, way in knots)
        errors.append(abs(-split.reactions["pin"][-1, :3] @ knots[0][1] - (first + 7 / 32 * (second - first))))
    assert errors[0] / errors[1] > 3.3 and errors[1] / errors[2] > 3.3


def test_a_step_that_fails_is_split_and_the_motion_goes_on():
    """An arch that whole steps lose at 0.97 s is whole after 10 s; its energy wanders by 5 % of the fall at most."""
    mechanism = arch(20)
    with pytest.raises(SolverError, match="no shorter increment"):
        Simulator(mechanism).simulate(1.0, STEP, options=SolverOptions(substeps=1))
    motion = Simulator(mechanism).simulate(10.0, STEP)
    assert motion.closure.max() < 1e-12
    assert (motion.substeps[1:99] == 1.0).all() and motion.substeps[99] > 1.0
    assert np.abs(motion.energy - motion.energy[0]).max() < 0.05 * np.ptp(motion.potential_energy)


def test_going_on_keeps_its_bits_across_a_split(tmp_path):
    """The lengths of the last steps and the level of splitting are state, and saved."""
    simulator, twin = Simulator(arch(20)), Simulator(arch(20))
    whole = simulator.simulate(1.2, STEP)
    for knot in (97, 98, 99, 107):
        first = twin.simulate(knot * STEP, STEP)
        again = twin.simulate((120 - knot) * STEP, STEP, start=Trajectory.load(first.save(tmp_path / "first.npz")))
        assert (again.resume == whole.resume).all()
        assert (again.position == whole.position[knot:]).all()
        assert (again.substeps == whole.substeps[knot:]).all()


@pytest.mark.thorough
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_both_back_ends_have_the_same_bits_while_they_split(coordinates):
    """Closed chains, and an arm that is driven so far in a step that it must go in parts."""
    for mechanism, time, step in ((arch(6), 2.0, 0.04), (driven("3*t**2"), 2.4, 0.3)):
        ends = [Simulator(mechanism, backend=backend, coordinates=coordinates) for backend in ("c", "python")]
        motions = [simulator.simulate(time, step) for simulator in ends]
        assert motions[0].substeps.max() > 1.0
        for name in ("position", "orientation", "energy", "substeps", "iterations", "resume"):
            assert (getattr(motions[0], name) == getattr(motions[1], name)).all(), name
        for joint, reaction in motions[0].reactions.items():
            assert (reaction == motions[1].reactions[joint]).all()
        for driver, power in motions[0].powers.items():
            assert (power == motions[1].powers[driver]).all()


def driven(signal: str) -> Mechanism:
    """A rod that a driver turns."""
    return pendulum(0.0, drivers=[Driver(name="motor", joint="pin", signal=signal)])


@pytest.mark.parametrize("coordinates", ["maximal", "tree"])
def test_a_driver_goes_at_an_even_rate_through_the_parts(coordinates: Literal["maximal", "tree"]):
    """3 rad/s² turn by 3.5 rad in the seventh step of 0.3 s, which cannot; in parts it is where the signal is."""
    simulator = Simulator(driven("3*t**2"), coordinates=coordinates)
    with pytest.raises(SolverError, match="a quarter of a turn"):
        simulator.simulate(2.4, 0.3, options=SolverOptions(substeps=1))
    motion = simulator.simulate(2.4, 0.3)
    assert (motion.substeps[1:] > 1.0).any()
    assert motion.coordinates("pin")[:, 0] == pytest.approx(3.0 * motion.time**2, abs=1e-11)
    # the rate at a knot is that of the parabola through the inputs of three whole steps, whatever parts they had
    assert motion.angular_velocity[2:, 0, 0] == pytest.approx(6.0 * motion.time[2:], abs=1e-9)


def one_part_at_first(mechanism: Mechanism, options: dict, inputs: dict | None = None) -> tuple[Simulator, Trajectory]:
    """A motion of one step after which parts are looked at, as if a step had failed."""
    simulator = Simulator(mechanism, **options)
    first = simulator.simulate(STEP, STEP, inputs=inputs)
    first.resume[simulator.plan.at("state", "common", 0, "level")] = 1.0
    return simulator, first


@pytest.mark.parametrize("options", [{"backend": "c"}, {"backend": "python"}, {"real": "float"}])
def test_an_input_that_jumps_is_no_rough_motion(options):
    """What a jump of 20 N m does at its knot, halvings do not lessen: the parts after it follow, and two are enough."""
    mechanism = pendulum(0.0, forces=[Actuator(name="motor", joint="pin")])
    simulator, first = one_part_at_first(mechanism, options, {"motor.force": 0.5})
    torque = np.where(np.arange(21) < 10, 0.5, 20.0)
    motion = simulator.simulate(20 * STEP, STEP, start=first, inputs={"motor.force": torque})
    assert (motion.substeps[1:11] == 1.0).all()
    assert motion.substeps.max() == 2.0


@pytest.mark.parametrize("options", [{}, {"real": "float"}])
def test_a_motion_that_comes_to_rest_needs_no_parts(options):
    """A damped pendulum falls, swings and hangs still, where velocities are round-off and miss each other by all."""
    mechanism = pendulum(2.0, forces=[JointDamper(name="grease", joint="pin", damping=3.0)])
    simulator, first = one_part_at_first(mechanism, options)
    motion = simulator.simulate(20.0, STEP, start=first)
    assert np.abs(motion.velocity[-1]).max() < 1e-5
    assert motion.substeps.max() == 1.0


def test_a_driven_chain_keeps_its_energy_but_for_the_work_of_its_driver():
    """An arch that a driver rocks by its first joint whips: parts follow it, so that 5 % are missed of its balance."""
    rest = Simulator(arch(20)).simulate(STEP, STEP).coordinates("joint0")[0, 0]
    motor = Driver(name="motor", joint="joint0", signal=f"{float(rest)!r} + 0.3*(1 - cos(2*t))")
    motion = Simulator(arch(20).changed(drivers=[motor])).simulate(10.0, STEP)
    assert motion.substeps.max() > 1.0
    assert np.ptp(motion.energy_balance) < 0.05 * np.ptp(motion.potential_energy)


def ground(height: float) -> Contact:
    """Ground for the middle of an arch, with friction."""
    return Contact(
        name="ground",
        child="link9",
        parent_anchor=(0.0, 0.0, height),
        child_anchor=(0.0, 0.0, -0.5),
        normal=(0.0, 0.0, 1.0),
        friction=0.3,
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    "parts",
    [
        {"forces": [DryFriction(name="rust", joint="joint3", bound=0.5)]},
        {"limits": [Limit(name=f"stop{k}", joint=f"joint{k}", lower=-2.5, upper=2.5) for k in (5, 10, 15)]},
        {"contacts": [ground(-3.0)]},
        {"contacts": [ground(-300.0)]},
    ],
)
def test_stops_and_friction_of_a_chain_that_whips_give_no_energy(parts):
    """They only take from it: what its balance gains, over any time, is the order's error, a part in 400.

    The ground may be so deep that nothing reaches it: the step that Newton's method does not solve, the interior point
    solves, with joints that threw the links apart by 30 kJ.
    """
    motion = Simulator(arch(20).changed(**parts)).simulate(10.0, STEP)
    balance = motion.energy_balance
    assert motion.substeps.max() > 1.0
    assert (balance - np.minimum.accumulate(balance)).max() < 0.0025 * np.ptp(motion.potential_energy)


@pytest.mark.parametrize("backend", ["c", "python"])
def test_an_impact_is_not_taken_in_ever_finer_parts(backend):
    """A rod falls on a stop, where its velocity ends at once in however short a part, and rests there."""
    mechanism = pendulum(limits=[Limit(name="stop", joint="pin", lower=0.5)])
    simulator, first = one_part_at_first(mechanism, {"backend": backend})
    motion = simulator.simulate(1.0, STEP, start=first)
    assert motion.coordinates("pin")[-1, 0] == pytest.approx(0.5, abs=1e-9)
    assert motion.substeps.max() <= 4.0
    assert (motion.substeps > 1.0).sum() < 10


def test_a_step_that_fails_in_the_finest_parts_leaves_the_state_as_it_was():
    """A torque that no part of the step can stand: the state's bytes stay, whatever parts were tried."""
    mechanism = pendulum(forces=[Actuator(name="motor", joint="pin")])
    torque = np.where(np.arange(21) < 5, 0.0, 1e12)
    motion = Simulator(mechanism).simulate(0.2, STEP, inputs={"motor.force": torque}, on_error="status")
    before = Simulator(mechanism).simulate(0.05, STEP)
    assert motion.status[-1] < 0 and motion.time[-1] == before.time[-1]
    assert (motion.resume == before.resume).all()


@pytest.mark.parametrize("coordinates", COORDINATES)
def test_float_splits_too(coordinates):
    """Neither formulation takes round-off for what is left of a step: as many iterations as in double, give or take.

    Rates of joints in joint coordinates have round-off of their own, 26 rad/s of a link that 19 others hang on.
    """
    motion = Simulator(arch(20), real="float", coordinates=coordinates).simulate(3.0, STEP)
    double = Simulator(arch(20), coordinates=coordinates).simulate(3.0, STEP)
    assert motion.substeps.max() > 1.0
    assert motion.closure.max() < 1e-4
    assert motion.iterations.sum() < 1.5 * double.iterations.sum()


def test_fixed_iterations_split_nothing():
    simulator = Simulator(arch(20))
    motion = simulator.simulate(2.0, STEP, options=SolverOptions(fixed_iterations=3), on_error="status")
    assert (motion.substeps <= 1.0).all()


@pytest.mark.parametrize("substeps", [0, 3, 2048, -2])
def test_parts_are_a_power_of_two(substeps):
    with pytest.raises(ValueError, match="power of two"):
        SolverOptions(substeps=substeps)


def test_a_motion_saved_by_an_earlier_version_is_read_but_not_gone_on_from(tmp_path):
    """The state at its last knot meant something else."""
    simulator = Simulator(pendulum())
    motion = simulator.simulate(0.1, STEP)
    old = Trajectory.load(motion.save(tmp_path / "motion.npz"))
    object.__setattr__(old, "format", 3)
    read = Trajectory.load(old.save(tmp_path / "old.npz"))
    assert read.format == 3 and (read.energy == motion.energy).all()
    with pytest.raises(MechanismError, match="earlier version of symvi"):
        simulator.simulate(0.1, STEP, start=read)
    simulator.simulate(0.1, STEP, start=read.state())
