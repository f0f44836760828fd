"""Motions to an accuracy: what is chosen, and whether the error that is told is the true one."""

import warnings

import numpy as np
import pytest

from symvi import state_from
from symvi.errors import AccuracyWarning, ArgumentError, MechanismError
from symvi.mechanism import (
    Body,
    Contact,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    PointSpring,
    Sphere,
)
from symvi.simulate import Simulator, SolverOptions
from symvi.simulate.accuracy import apart
from tests.support.contact_scenes import box, on_ground
from tests.support.damped import arm, slider
from tests.support.pendulums import chain

FINE = SolverOptions(tolerance=1e-13)


@pytest.mark.parametrize("asked", (1e-2, 1e-4, 1e-6, 1e-8))
def test_the_error_that_is_told_is_the_true_one(asked: float) -> None:
    """Against order 8 in fine steps: estimates are within a factor of four, and all below what was asked for."""
    mechanism = chain(2, angles=(1.2, -0.4))
    exact = Simulator(mechanism, order=8).simulate(2.0, 0.0025, every=8, options=FINE)
    motion = Simulator(mechanism).simulate(2.0, 0.02, accuracy=asked)
    told, true = motion.accuracy, apart(motion, exact)
    assert told.is_met and told.asked == asked and told.step == motion.step and told.composition == motion.composition
    assert true < asked and true / 4 < told.found < true * 4
    assert np.allclose(motion.time, exact.time)


def test_what_newtons_method_leaves_does_not_show_in_a_chaotic_motion() -> None:
    """It grows as any disturbance does: a thousandfold in 6 s, more than runs in longer steps tell."""
    mechanism = chain(2, angles=(2.8, 2.5))
    exact = Simulator(mechanism, order=8).simulate(6.0, 0.000625, every=32, options=FINE)
    motion = Simulator(mechanism).simulate(6.0, 0.02, accuracy=1e-7)
    true = apart(motion, exact)
    assert motion.accuracy.is_met and true < 1e-7 and true / 4 < motion.accuracy.found < true * 4


def test_higher_orders_are_chosen_for_smaller_errors() -> None:
    simulator = Simulator(chain(2, angles=(1.2, -0.4)))
    orders = [simulator.simulate(1.0, 0.02, accuracy=asked).accuracy.order for asked in (1e-2, 1e-5, 1e-9)]
    assert orders[0] == 2 and orders == sorted(orders) and orders[-1] >= 6


def test_an_order_that_was_chosen_stays() -> None:
    motion = Simulator(arm(servo=False), order="triple-jump").simulate(0.4, 0.02, accuracy=1e-6)
    assert motion.accuracy.composition == "triple-jump" and motion.accuracy.is_met


def test_signals_leave_every_order() -> None:
    """A servo follows one, which is read at the times of inner steps."""
    motion = Simulator(slider()).simulate(0.4, 0.02, accuracy=1e-9)
    exact = Simulator(slider(), order=8).simulate(0.4, 0.005, every=4, options=FINE)
    assert motion.accuracy.order > 2 and motion.accuracy.is_met and apart(motion, exact) < 1e-9


def test_rows_for_knots_leave_order_2() -> None:
    """What a driver that moves, or values that are known at knots, are between these, nobody knows."""
    held = arm(servo=False).changed(drivers=[Driver(name="hand", joint="elbow", signal="0.3*t - 0.5")])
    motion = Simulator(held).simulate(0.4, 0.02, accuracy=1e-4)
    assert motion.accuracy.order == 2 and motion.accuracy.is_met


def test_parameters_that_were_set_are_kept() -> None:
    simulator = Simulator(arm(servo=False), parameters={"lower.mass": 2.0})
    motion = simulator.simulate(0.4, 0.02, accuracy=1e-8)
    exact = Simulator(arm(servo=False), order=8, parameters={"lower.mass": 2.0}).simulate(
        0.4, 0.01, every=2, options=FINE
    )
    assert motion.composition and apart(motion, exact) < 1e-8


def test_what_no_step_reaches_is_told() -> None:
    """Round-off of 60 s of a whipping pendulum is far above the error that is asked for."""
    wild = Simulator(chain(2, angles=(3.0, 2.0)), order=8)
    with pytest.warns(AccuracyWarning, match="shorter steps bring it no nearer"):
        motion = wild.simulate(60.0, 0.05, every=20, accuracy=1e-12)
    assert not motion.accuracy.is_met


def test_a_ball_that_lands_has_order_2() -> None:
    ball = Body(name="ball", mass=1.0, shape=Sphere(radius=0.1), position=(0, 0, 0.15))
    mechanism = Mechanism(name="drop", bodies=[ball], contacts=[Contact(name="floor", child="ball", radius=0.1)])
    motion = Simulator(mechanism).simulate(0.5, 0.01, accuracy=1e-3)
    assert motion.accuracy.order == 2


@pytest.mark.thorough
def test_runs_that_are_near_each_other_by_chance_tell_no_error() -> None:
    """A double pendulum that sticks in its elbow, and a box that falls over its edges: two runs were 7e-5 and 1e-3
    apart, while the motion was still 5e-4 and 3e-2 off."""
    rod = chain(2, angles=(2.0, -1.0))
    sticking = rod.changed(forces=[DryFriction(name="dry", joint=rod.joints[1].name, bound=0.5)])
    falling = on_ground(box(position=(0, 0, 0.8), velocity=(1, 0, 0), angular_velocity=(2, 3, 1)), friction=0.3)
    for mechanism, time, asked, finest in ((sticking, 2.0, 1e-4, 1024), (falling, 0.6, 1e-2, 4096)):
        simulator = Simulator(mechanism)
        fine = simulator.simulate(time, 0.02 / finest, every=finest)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            motion = simulator.simulate(time, 0.02, accuracy=asked)
        assert not motion.accuracy.is_met or apart(motion, fine) < asked


def test_what_makes_no_sense_is_refused() -> None:
    simulator = Simulator(arm(servo=False))
    for asked in (0.0, -1.0, 2.0, True, "fine", float("nan")):
        with pytest.raises(ArgumentError, match="accuracy"):
            simulator.simulate(0.1, 0.01, accuracy=asked)
    with pytest.raises(MechanismError, match="start from its state"):
        simulator.simulate(0.1, 0.01, accuracy=1e-3, start=simulator.simulate(0.1, 0.01))
    with pytest.raises(ArgumentError, match="controller"):
        simulator.simulate(0.1, 0.01, accuracy=1e-3, controller=lambda t, state: {})


@pytest.mark.parametrize("order", (None, "triple-jump", 4, 8))
@pytest.mark.parametrize(("stiffness", "damping"), ((1e4, 0.0), (0.0, 20.0), (1e4, 1.0), (400.0, 40.0)))
def test_steps_that_are_taken_in_parts_tell_no_error(order: int | str | None, stiffness: float, damping: float) -> None:
    """A rod on a spring and a damper, weightless, far too fast for its steps; the witness is the closed form."""
    inertia = 1.0 / 3.0
    rod = Body(name="rod", mass=1.0, inertia=(1 / 12, 1 / 12, 1e-3), center_of_mass=(0, 0, -0.5))
    pin = Joint(name="pin", type="revolute", child="rod", axis=(0, 1, 0), coordinate=1.2)
    laws = [JointDamper(name="damper", joint="pin", damping=damping)] if damping else []
    laws += [JointSpring(name="spring", joint="pin", stiffness=stiffness)] if stiffness else []
    start = {"pin": 1.0}
    mechanism = Mechanism(name="rod", bodies=[rod], joints=[pin], forces=laws, gravity=(0, 0, 0))
    simulator = Simulator(mechanism) if order is None else Simulator(mechanism, order=order)
    expm = pytest.importorskip("scipy.linalg").expm
    own = [[0.0, 1.0], [-stiffness / inertia, -damping / inertia]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = simulator.simulate(0.5, 0.1, accuracy=1e-4, start=state_from(mechanism, {"pin": 1.2}, start))
    told = motion.accuracy
    true = [
        abs((expm(np.array(own) * t) @ [1.2, 1.0])[0] - angle)
        for t, angle in zip(motion.time, motion.curves["pin"][:, 0], strict=True)
    ]
    assert told is not None and told.is_met
    assert max(true) < 1e-4 and max(true) < 4 * told.found + 1e-9


def test_an_order_that_is_not_there_is_not_counted_on() -> None:
    """A damped point spring of length 0 whose ends pass through each other is of first order; the closed form is that
    of a damped oscillator."""
    ball = Body(name="ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    spring = PointSpring(name="spring", child="ball", stiffness=50.0, length=0.0, damping=1.0)
    mechanism = Mechanism(name="ball", bodies=[ball], forces=[spring], gravity=(0, 0, 0))
    motion = Simulator(mechanism).simulate(2.0, 0.1, accuracy=1e-3)
    rate = np.sqrt(50.0 - 0.25)
    t = motion.time
    exact = np.exp(-t / 2) * (np.cos(rate * t) + np.sin(rate * t) / (2 * rate))
    true = np.abs(motion.position[:, 0, 0] - exact).max()
    assert true < 1e-3 and true < 4 * motion.accuracy.found
