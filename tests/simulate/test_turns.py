"""Whole turns: a placement does not show them, so states and trajectories carry them, wherever a motion starts or ends.

Witnesses are energies of springs, closed gears and threads, and motions whose angle is known as a function of time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from symvi import Simulator, coordinates_of, state_from
from symvi.demos import demo_file
from symvi.errors import MechanismError
from symvi.mechanism import Actuator, Body, Coupling, Driver, Joint, JointSpring, Mechanism, Wrench
from symvi.simulate import Trajectory

STEP = 0.01
SOLID = {"mass": 1.0, "inertia": (0.3, 0.25, 0.2)}


def turned(rate: float, time) -> np.ndarray:
    """What a free wheel turns in a time, from a knot at this rate: its momentum J w is J sin(turn)/h in every step."""
    return np.arcsin(rate * STEP) / STEP * np.asarray(time)


def wheel(joint: str = "revolute", forces=(), drivers=(), **more) -> Mechanism:
    """A body without weight on one joint to the world."""
    return Mechanism(
        name="wheel",
        gravity=(0.0, 0.0, 0.0),
        bodies=[Body(name="body", **SOLID)],
        joints=[Joint(name="pin", type=joint, child="body", **more)],
        forces=forces,
        drivers=drivers,
    )


SPRING = JointSpring(name="spring", joint="pin", stiffness=1.0)


@pytest.mark.parametrize("described", [None, -3.0])
@pytest.mark.parametrize("angle", [3.0, 4.0, -7.0, 100.0])
def test_a_spring_is_wound_as_far_as_the_state_says(angle: float, described: float | None) -> None:
    mechanism = wheel(forces=[SPRING], coordinate=described)
    start = state_from(mechanism, {"pin": angle})
    motion = Simulator(mechanism, backend="python").simulate(STEP, STEP, start=start)
    assert motion.potential_energy[0] == pytest.approx(angle**2 / 2, rel=1e-12)
    assert coordinates_of(mechanism, "pin", start)[0] == pytest.approx([angle])
    assert coordinates_of(mechanism, "pin", motion.state(0))[0] == pytest.approx([angle])


def test_a_state_that_tells_no_turns_is_near_the_description() -> None:
    mechanism = wheel(forces=[SPRING], coordinate=20.0)
    bare = replace(state_from(mechanism, {"pin": 1.0}), angles={})
    motion = Simulator(mechanism, backend="python").simulate(STEP, STEP, start=bare)
    assert motion.potential_energy[0] == pytest.approx((1 + 6 * np.pi) ** 2 / 2)
    assert coordinates_of(mechanism, "pin", bare)[0] == pytest.approx([1 + 6 * np.pi])


@pytest.mark.parametrize("angles", [(2.5, 0.3), (2.5, 2.0), (-1.0, 3.0), (8.0, 12.0)])
def test_both_angles_of_a_universal_joint(angles: tuple[float, float]) -> None:
    """Read back, and in the energy of a spring, beyond a quarter turn, where a half turn of both looks alike."""
    mechanism = wheel("universal", forces=[SPRING])
    start = state_from(mechanism, {"pin": angles}, {"pin": (0.3, -0.2)})
    found, rates = coordinates_of(mechanism, "pin", start)
    assert found == pytest.approx(angles, abs=1e-14) and rates == pytest.approx([0.3, -0.2])
    motion = Simulator(mechanism, backend="python").simulate(STEP, STEP, start=start)
    assert motion.potential_energy[0] == pytest.approx(np.square(angles).sum() / 2, rel=1e-12)


def test_a_universal_joint_that_is_driven_for_turns() -> None:
    drivers = [Driver(name=f"d{k}", joint="pin", coordinate=k, signal=f"{k + 2}*t") for k in (0, 1)]
    for every in (1, 100):
        motion = Simulator(wheel("universal", drivers=drivers)).simulate(4.0, STEP, every=every)
        assert motion.coordinates("pin") == pytest.approx(motion.time[:, None] * [2, 3], abs=1e-9)
    simulator = Simulator(wheel("universal"))
    start = state_from(simulator.mechanism, {"pin": (0.2, 0.1)}, {"pin": (9.0, 0.5)})
    free = simulator.simulate(4.0, STEP, start=start)
    assert free.angles["pin"][-1, 0] > 2 * np.pi
    assert np.allclose(free.angles["pin"], np.unwrap(free.angles["pin"], axis=0))


def test_a_nut_starts_anywhere_on_its_thread_and_goes_on_from_there() -> None:
    """The thread ties the advance to the turns: without them it would be open by many pitches."""
    mechanism = wheel("screw", pitch=0.1)
    simulator = Simulator(mechanism, backend="python")
    first = simulator.simulate(2.0, STEP, start=state_from(mechanism, {"pin": 40.0}, {"pin": 6.0}))
    assert first.position[0, 0, 2] == pytest.approx(4.0)
    assert first.coordinates("pin")[:, 0] == pytest.approx(40 + turned(6.0, first.time), rel=1e-4)
    again = simulator.simulate(1.0, STEP, start=first.state())
    assert again.coordinates("pin")[:, 0] == pytest.approx(40 + turned(6.0, again.time), rel=1e-4)
    there = simulator.simulate(STEP, STEP, start=first.state(), project=True)
    assert np.abs(there.position[0] - first.position[-1]).max() < 1e-9  # projection has nothing to move


def test_a_gear_goes_on_after_several_turns() -> None:
    bodies = [Body(name=name, **SOLID) for name in ("small", "large")]
    joints = [
        Joint(name="axle", type="revolute", child="small", velocity=20.0),
        Joint(name="shaft", type="revolute", child="large", parent_anchor=(1, 0, 0)),
    ]
    gear = Coupling(name="teeth", joints=("shaft", "axle"), ratio=-0.3)
    mechanism = Mechanism(name="train", gravity=(0, 0, 0), bodies=bodies, joints=joints, couplings=[gear])
    simulator = Simulator(mechanism, backend="python")
    end = simulator.simulate(1.0, STEP).state()
    assert end.angles["axle"] == pytest.approx([turned(20.0, 1.0)], rel=1e-3)
    further = simulator.simulate(0.5, STEP, start=end)
    assert further.coordinates("shaft")[-1] == pytest.approx([-0.3 * turned(20.0, 1.5)], rel=1e-3)


@pytest.mark.parametrize("name", ["slider_crank", "strandbeest"])
def test_driven_demos_start_again_from_a_state_after_turns(name: str) -> None:
    simulator = Simulator(Mechanism.from_file(demo_file(name)))
    whole = simulator.simulate(3.5, 0.005)
    crank = whole.mechanism.drivers[0].joint
    assert abs(whole.state(600).angles[crank][0]) > np.pi
    again = simulator.simulate(0.5, 0.005, start=whole.state(600))
    assert np.abs(again.coordinates(crank) - whole.coordinates(crank)[600:]).max() < 1e-9


def test_a_driver_that_nothing_drives_holds_what_it_finds() -> None:
    mechanism = wheel(drivers=[Driver(name="motor", joint="pin")])
    simulator, start = Simulator(mechanism, backend="python"), state_from(mechanism, {"pin": 4.0})
    held = simulator.simulate(0.1, STEP, start=start)
    assert held.coordinates("pin") == pytest.approx(np.full((11, 1), 4.0))
    given = simulator.simulate(0.1, STEP, start=start, inputs={"motor.target": 4.0})
    assert given.coordinates("pin") == pytest.approx(np.full((11, 1), 4.0))


# --- along trajectories -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("counted", [True, False], ids=["by the solver", "by rates"])
def test_turns_add_up_however_few_knots_are_recorded(counted: bool, tmp_path) -> None:
    """A wheel at 40 rad/s, recorded every 0.1 s and 0.5 s, in two pieces, and from a file."""
    mechanism = wheel(forces=[Actuator(name="motor", joint="pin")] if counted else [])
    simulator = Simulator(mechanism)
    for every in (1, 10, 50):
        start = state_from(mechanism, {"pin": 5.0}, {"pin": 40.0})
        first = simulator.simulate(2.0, STEP, start=start, every=every)
        second = simulator.simulate(1.0, STEP, start=Trajectory.load(first.save(tmp_path / "first.npz")), every=every)
        expected = 5.0 + turned(40.0, np.arange(0, 3.0 + 1e-9, STEP * every))
        assert first.coordinates("pin")[:, 0] == pytest.approx(expected[: len(first)], rel=1e-9)
        assert second.coordinates("pin")[:, 0] == pytest.approx(expected[len(first) - 1 :], rel=1e-9)
        assert second.state().angles["pin"][0] == pytest.approx(expected[-1], rel=1e-9)


@pytest.mark.parametrize("counted", [True, False], ids=["by the solver", "by rates"])
@pytest.mark.parametrize("controlled", [False, True])
def test_a_wheel_that_speeds_up_and_stops_between_recorded_knots(counted: bool, controlled: bool) -> None:
    """Rates at recorded knots are zero and tell nothing of the turns in between."""
    push = 3.0 * np.sign(np.sin(2 * np.pi * np.arange(201) / 200))
    mechanism = wheel(forces=[Wrench(name="hand", body="body")] + [Actuator(name="motor", joint="pin")] * counted)
    simulator = Simulator(mechanism)
    how = {"inputs": {"hand.torque[2]": push}}
    if controlled:
        how = {"controller": lambda t, state: {"hand.torque[2]": push[round(t / STEP)]}}
    every, last = (simulator.simulate(2.0, STEP, every=every, **how) for every in (1, 200))
    found = every.coordinates("pin")
    assert abs(found[-1, 0]) > 10 and abs(every.rates("pin")[-1, 0]) < 0.2
    assert last.coordinates("pin") == pytest.approx(found[[0, -1]], rel=1e-12)
    assert np.abs(np.diff(found[:, 0])).max() < 0.2
    assert last.resume.tobytes() == every.resume.tobytes()


def test_turns_that_nobody_counted_are_not_made_up() -> None:
    simulator = Simulator(wheel(coordinate=0.0, velocity=60.0), backend="python")
    motion = simulator.simulate(1.0, STEP, every=100)
    assert motion.coordinates("pin")[-1, 0] == pytest.approx(turned(60.0, 1.0))
    blind = replace(motion, carried_angles={})
    with pytest.raises(MechanismError, match="'pin': turns too far between the recorded knots"):
        blind.coordinates("pin")
    assert "pin" not in blind.state().angles


def test_a_controller_sees_whole_turns() -> None:
    mechanism, seen = wheel(forces=[Actuator(name="motor", joint="pin")]), []

    def controller(time: float, state) -> dict[str, float]:
        seen.append(coordinates_of(mechanism, "pin", state)[0][0])
        return {}

    start = state_from(mechanism, {"pin": 3.0}, {"pin": 30.0})
    Simulator(mechanism, backend="python").simulate(1.0, STEP, start=start, controller=controller)
    assert seen == pytest.approx(3.0 + turned(30.0, STEP * np.arange(100)))
