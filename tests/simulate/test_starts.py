"""Starts: what is taken, what is refused with which words, and that one start leaves no trace in the next."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Simulator, state_from
from symvi.errors import AssemblyError
from symvi.mechanism import Body, Box, Driver, Joint, JointSpring, Mechanism
from symvi.mechanism.changing import with_numbers
from symvi.mechanism.state import State
from tests.support import linkages
from tests.support.contact_scenes import table

STEP = 0.01
WHEEL = Body(name="wheel", mass=1.0, inertia=(0.3, 0.25, 0.2))


def wheel(**more) -> Mechanism:
    pin = Joint(name="pin", type="revolute", child="wheel", axis=(0.0, 0.0, 1.0), child_anchor=(0.1, 0.0, 0.0))
    return Mechanism(name="wheel", bodies=[WHEEL], joints=[pin], **more)


# --- rows that are only watched ---------------------------------------------------------------------------------------
@pytest.mark.thorough
@pytest.mark.parametrize("misfit", [1e-8, 1e-5, 1e-3])
@pytest.mark.parametrize("project", [False, True])
def test_rows_that_were_dropped_may_open_as_far_as_was_declared(misfit: float, project: bool) -> None:
    """loops="drop", the remedy that the error message offers, can be simulated, and its reactions be asked for."""
    simulator = Simulator(linkages.four_bar(misfit=misfit), loops="drop")
    motion = simulator.simulate(0.5, STEP, project=project)
    assert misfit / 2 < motion.closure.max() < simulator.plan.notes["limit"]
    simulator.start(motion.state())
    assert simulator.worst_constraint()[0] == "D"
    assert np.isfinite(motion.reactions["D"]).all()


def test_a_dropped_row_that_opens_too_far_is_named() -> None:
    """One hinge of a door a millimetre too high: the row along its axis is only watched, the other one holds it."""
    door = Body(name="door", mass=20.0, shape=Box(size=(0.8, 0.04, 2.0)), position=(0.4, 0.0, 0.0))
    hinges = [
        Joint(name=name, type="revolute", child="door", parent_anchor=(0.0, 0.0, z), child_anchor=(-0.4, 0.0, z))
        for name, z in (("lower", -0.7), ("upper", 0.7))
    ]
    simulator = Simulator(Mechanism(name="entrance", bodies=[door], joints=hinges))
    (watched,) = simulator.plan.notes["watch"]
    height = {"lower": -0.7, "upper": 0.7}[watched["name"]]
    simulator.set_parameter(f"{watched['name']}.anchor_b", (-0.4, 0.0, height - 1e-3))
    with pytest.raises(AssemblyError, match=f"violates the constraints by 0.001, worst at '{watched['name']}'"):
        simulator.simulate(0.1, STEP)


# --- velocities -------------------------------------------------------------------------------------------------------
def test_wrong_velocities_do_not_hide_behind_large_energies_and_positions() -> None:
    """A spring wound to 5e5 J, a thousand kilometres from the origin: 1e-3 m/s off the joint is wrong all the same."""
    spring = JointSpring(name="spring", joint="pin", stiffness=1e6)
    mechanism = wheel(forces=[spring])
    start = state_from(mechanism, {"pin": 1.0})
    off = State(
        0.0, start.position, start.orientation, start.velocity + 1e-3, start.angular_velocity, start.names, start.angles
    )
    with pytest.raises(AssemblyError, match="the start velocities violate the constraints: projecting changes one by"):
        Simulator(mechanism, backend="python").simulate(STEP, STEP, start=off)


# --- drivers ----------------------------------------------------------------------------------------------------------
DRIVEN = wheel(drivers=[Driver(name="motor", joint="pin")])
TIMES = STEP * np.arange(101)


@pytest.mark.parametrize(
    "target",
    [0.5 * (1 - np.cos(3 * TIMES)), 10 * TIMES**3 - 15 * TIMES**4 + 6 * TIMES**5, TIMES**2],
    ids=["cosine", "quintic", "parabola"],
)
def test_an_array_may_drive_a_joint_from_rest(target: np.ndarray) -> None:
    """Its first difference is a rate of the order of the step; the parabola's is that of a joint at rest."""
    motion = Simulator(DRIVEN, backend="python").simulate(1.0, STEP, inputs={"motor.target": target})
    assert abs(motion.rates("pin")[0, 0]) < 3e-3
    assert motion.coordinates("pin")[:, 0] == pytest.approx(target, abs=1e-12)


def test_the_rate_of_an_array_is_of_second_order() -> None:
    errors = []
    for step in (0.02, 0.01):
        target = np.sin(2 * step * np.arange(5) + 0.3)
        start = state_from(DRIVEN, {"pin": 0.3}, {"pin": 2 * np.cos(0.3)})
        target += 0.3 - target[0]
        motion = Simulator(DRIVEN, backend="python").simulate(
            4 * step, step, start=start, inputs={"motor.target": target}
        )
        errors.append(motion.rates("pin")[0, 0] - 2 * np.cos(0.3))
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_a_rate_that_is_plainly_wrong_is_still_refused() -> None:
    with pytest.raises(AssemblyError, match="projecting changes one by 2 m/s or rad/s"):
        Simulator(DRIVEN, backend="python").simulate(1.0, STEP, inputs={"motor.target": np.sin(2 * TIMES)})


@pytest.mark.parametrize("knot", [1, 2, 3, 50, 100])
def test_a_driven_motion_starts_again_from_any_of_its_states(knot: int) -> None:
    """Their velocities know the driver's rate to second order, from the knots before; the signal knows it exactly."""
    mechanism = wheel(drivers=[Driver(name="motor", joint="pin", signal="0.5*sin(3*t)")])
    simulator = Simulator(mechanism, backend="python")
    whole = simulator.simulate(1.2, STEP)
    again = simulator.simulate(0.2, STEP, start=whole.state(knot))
    assert again.coordinates("pin") == pytest.approx(whole.coordinates("pin")[knot : knot + 21], abs=1e-12)


# --- failures leave no trace ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_start_that_fails_does_not_spoil_the_next(backend: str) -> None:
    """A wheel that lies on its face, half a turn off: rows about its axis have no direction there."""
    simulator = Simulator(wheel(), backend=backend)
    nothing = np.zeros((1, 3))
    flipped = State(0.0, nothing, np.array([[0.0, 1.0, 0.0, 0.0]]), nothing, nothing, ("wheel",))
    start = state_from(simulator.mechanism, {"pin": 0.3}, {"pin": 2.0})
    expected = Simulator(wheel(), backend=backend).simulate(0.1, STEP, start=start, project=True)
    with pytest.raises(AssemblyError, match="the start is singular"):
        simulator.project(flipped)
    motion = simulator.simulate(0.1, STEP, start=start, project=True)
    assert motion.resume.tobytes() == expected.resume.tobytes()


def test_a_start_deep_inside_a_surface_is_no_start() -> None:
    """One foot of four is told to end 0.18 m below the ground: bodies that are moved to NaN start nothing."""
    deep = with_numbers(table(), {"foot2.child_anchor": (0.5, -0.5, -0.875)})
    with pytest.raises(AssemblyError, match="no start that fits is found from here"):
        Simulator(deep).project()
    with pytest.raises(AssemblyError, match="no start that fits is found from here"):
        Simulator(table()).with_parameters({"foot2.child_anchor": (0.5, -0.5, -0.875)})
