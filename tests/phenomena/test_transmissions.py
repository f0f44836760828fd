"""Screws, gears, racks, Hooke's joint and drivers: what one motion makes of another, exactly and over many turns."""

from math import cos, pi

import numpy as np
import pytest

from symvi.mechanism import Actuator, Body, Coupling, Driver, Joint, Mechanism
from symvi.mechanism.rotation import about
from symvi.mechanism.signals import signal_tree, value_and_rate
from symvi.simulate import Simulator, SolverOptions
from tests.support.loaded_pairs import DRIVEN, driven_pair
from tests.support.measuring import joint_coordinates, largest, observed_order

STEP = 0.01
TIGHT = SolverOptions(tolerance=1e-12)
SOLID = {"mass": 0.5, "inertia": (0.03, 0.04, 0.05)}
ASKEW = {"axis": (1, 2, -2), "orientation": about((1, -1, 2), 0.9)}


def turning(name: str, *, kind: str = "revolute", **fields) -> Joint:
    return Joint(name=name, type=kind, child=f"{name}_body", **fields)


def machine(joints, **elements) -> Mechanism:
    bodies = [Body(name=joint.child, **SOLID) for joint in joints]
    return Mechanism(name="machine", bodies=bodies, joints=joints, **elements)


def test_a_screw_advances_by_its_pitch_over_many_turns() -> None:
    """Sinking along its thread it turns nine times; an anchor beside the centre shows how far it went."""
    joint = turning("thread", kind="screw", pitch=0.05, child_anchor=(0.1, 0.2, 0.3), velocity=20.0)
    simulator, errors = Simulator(machine([joint])), []
    inertia = 0.05 + 0.5 * (0.1**2 + 0.2**2 + 0.05**2)  # of the turn and of the advance that goes with it
    for step in (0.01, 0.005):
        trajectory = simulator.simulate(5.0, step, options=TIGHT)
        angle = joint_coordinates(trajectory, "thread")[:, 0]
        assert largest(angle) > 18 * pi
        assert largest(trajectory.position[:, 0, 2] + 0.3 - 0.05 * angle) < 1e-14
        assert trajectory.closure.max() < 1e-14
        exact = 20.0 * trajectory.time - 0.5 * 9.81 * 0.05 / inertia * trajectory.time**2 / 2
        errors.append(largest(angle - exact))
    assert errors[-1] < 0.1
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("ratio, offset", [(-1.5, 0.4), (3.0, 0.0), (1.0, -0.2)])
def test_a_gear_keeps_its_ratio_over_many_turns(ratio: float, offset: float) -> None:
    """Two wheels on crossed axles, one driven by a torque."""
    mechanism = machine(
        [turning("first"), turning("second", coordinate=0.3, **ASKEW)], gravity=(0, 0, 0),
        couplings=[Coupling(name="gear", joints=("first", "second"), ratio=ratio, offset=offset)],
        forces=[Actuator(name="motor", joint="first", signal="1.2")],
    )  # fmt: skip
    trajectory = Simulator(mechanism).simulate(4.0, STEP, options=TIGHT)
    first, second = (joint_coordinates(trajectory, name)[:, 0] for name in ("first", "second"))
    first += 2 * pi * np.round((ratio * second[0] + offset - first[0]) / (2 * pi))
    assert max(largest(first), largest(second)) > 32 * pi
    assert largest(first - ratio * second - offset) < 1e-12  # of 190 rad, whose last bit is 3e-14
    assert trajectory.closure.max() < 1e-12
    # (motor + m)/J1 = ratio (-ratio m)/J2 for the torque m of the gear on the first wheel, while they turn slowly
    about_askew = (0.03 * 1 + 0.04 * 4 + 0.05 * 4) / 9
    torque = -1.2 / 0.05 / (1 / 0.05 + ratio**2 / about_askew)
    assert trajectory.multipliers["gear"][2, 0] == pytest.approx(torque, rel=1e-4)


def test_a_rack_follows_its_pinion() -> None:
    """A gear between a rotation and a translation: x = r angle, and the weight of the rack turns the pinion."""
    radius = 0.03
    mechanism = machine(
        [turning("pinion", coordinate=0.0, orientation=about((0, 1, 0), pi / 2)), turning("rack", kind="prismatic")],
        couplings=[Coupling(name="mesh", joints=("rack", "pinion"), ratio=radius)],
    )
    simulator, errors = Simulator(mechanism), []
    for step in (0.01, 0.005):
        trajectory = simulator.simulate(3.0, step, options=TIGHT)
        pinion, rack = (joint_coordinates(trajectory, name)[:, 0] for name in ("pinion", "rack"))
        assert largest(pinion) > 4 * pi
        assert largest(rack - radius * pinion) < 1e-13
        fall = -0.5 * 9.81 * radius / (0.05 + 0.5 * radius**2)
        errors.append(largest(pinion - fall * trajectory.time**2 / 2))
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


def test_hookes_joint_transmits_rotation_in_its_exact_ratio() -> None:
    """A shaft along z turns another that is bent away by 40 degrees: tan(second) = cos(bend) tan(first).

    Both count from where the first one's pin lies across both. The second bearing holds a direction only, so that
    no row is redundant.
    """
    bend = 40 * pi / 180
    shafts = [
        Joint(name="input", type="revolute", child="first", coordinate=0.0),
        Joint(name="cross", type="universal", parent="first", child="second", axis=(1, 0, 0), child_axis=(0, 1, 0),
              coordinate=(bend, 0.0)),
        Joint(name="output", type="free_revolute", child="second", orientation=about((1, 0, 0), bend)),
    ]  # fmt: skip
    mechanism = Mechanism(
        name="hooke", bodies=[Body(name=name, **SOLID) for name in ("first", "second")], joints=shafts,
        drivers=[Driver(name="motor", joint="input", signal="4*t + 0.5*sin(3*t)")],
    )  # fmt: skip
    trajectory = Simulator(mechanism).simulate(10.0, STEP, project=True, options=TIGHT)
    first = 4 * trajectory.time + 0.5 * np.sin(3 * trajectory.time)
    second = joint_coordinates(trajectory, "output")[:, -1]
    assert largest(second) > 12 * pi
    assert largest(np.cos(second) * np.sin(first) * cos(bend) - np.sin(second) * np.cos(first)) < 1e-12
    ratio = cos(bend) / (np.cos(first) ** 2 + (cos(bend) * np.sin(first)) ** 2)
    rates = trajectory.angular_velocity[:, :, 2]
    assert rates[:, 1] == pytest.approx(ratio * rates[:, 0], abs=1e-11)
    assert np.ptp(ratio) > 0.5  # between cos 40 degrees and its inverse
    assert trajectory.closure.max() < 1e-12


@pytest.mark.parametrize("joint_type", DRIVEN)
def test_drivers_follow_their_signals_and_account_for_their_power(joint_type: str) -> None:
    """All coordinates of a joint at once: positions to round-off, and the energy gained is the drivers' work."""
    simulator, errors = Simulator(driven_pair(joint_type)), []
    drivers = simulator.mechanism.drivers
    for step in (0.01, 0.005):
        trajectory = simulator.simulate(0.5, step, project=True, options=TIGHT)
        signals = np.array([[value_and_rate(signal_tree(d.signal), t) for d in drivers] for t in trajectory.time])
        assert largest(joint_coordinates(trajectory, "joint") - signals[:, :, 0]) < 1e-13
        # the multipliers of a knot come with the next one
        forces = np.column_stack([trajectory.multipliers[driver.name][1:, 0] for driver in drivers])
        power = (forces * signals[:-1, :, 1]).sum(axis=1)
        work = np.concatenate([[0.0], np.cumsum(step / 2 * (power[1:] + power[:-1]))])
        errors.append(largest(trajectory.energy[:-1] - trajectory.energy[0] - work))
        assert np.ptp(work) > 0.01
        means = np.diff(signals[:, :, 0], axis=0) / step
        reported = np.column_stack([trajectory.powers[driver.name][1:] for driver in drivers])
        assert reported == pytest.approx(forces * means, abs=1e-12)
    assert errors[-1] < 1e-3
    assert observed_order(errors) == pytest.approx(2.0, abs=0.1)


def test_a_driver_turns_a_wheel_many_times() -> None:
    """Twenty turns at up to half a radian a step."""
    mechanism = machine(
        [turning("axle", **ASKEW)], drivers=[Driver(name="motor", joint="axle", signal="50*t - sin(t)")]
    )
    trajectory = Simulator(mechanism).simulate(3.0, STEP, options=TIGHT)
    angle = joint_coordinates(trajectory, "axle")[:, 0]
    assert angle[-1] > 40 * pi
    assert largest(angle - 50 * trajectory.time + np.sin(trajectory.time)) < 1e-12
