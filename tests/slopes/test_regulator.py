"""Regulators: held where nothing else holds, by a witness of Riccati's equation, and refused where nothing can."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are

from symvi import Actuator, ArgumentError, Body, Joint, Mechanism, Rod, Simulator, State, coordinates_of, state_from
from symvi.control import lqr

STEP = 0.01


def cart_pole(**more) -> Mechanism:
    """A pole that stands upright at zero, on a cart that a force drives."""
    bodies = [
        Body(name="cart", mass=1.0, inertia=(0.01, 0.01, 0.01)),
        Body(name="pole", mass=0.2, shape=Rod(length=0.6, radius=0.01, position=(0, 0, 0.3))),
    ]
    joints = [
        Joint(name="track", type="prismatic", child="cart", axis=(1, 0, 0)),
        Joint(name="hinge", type="revolute", parent="cart", child="pole", axis=(0, 1, 0)),
    ]
    motor = Actuator(name="motor", joint="track")
    return Mechanism(name="cart_pole", bodies=bodies, joints=joints, forces=[motor], **more)


def held(coordinates: str = "maximal"):
    found = Simulator(cart_pole(), coordinates=coordinates).linearize(step=STEP)
    return found, lqr(found, Q={"track": 1.0, "hinge": 10.0, "hinge.rate": 0.1}, R={"motor.force": 0.01})


def test_gains_solve_riccatis_equation() -> None:
    found, regulator = held()
    q = np.diag([1.0, 10.0, 0.0, 0.1])
    expected = solve_discrete_are(found.A, found.B, q, np.array([[0.01]]))
    np.testing.assert_allclose(regulator.P, expected, rtol=1e-8)
    assert np.abs(np.linalg.eigvals(found.A)).max() > 1.03
    assert np.abs(regulator.eigenvalues).max() < 0.99
    np.testing.assert_allclose(regulator.K, held("tree")[1].K, rtol=1e-8)


def test_a_pole_is_brought_upright() -> None:
    mechanism = cart_pole()
    _, regulator = held()

    def controller(time: float, state: State) -> dict[str, float]:
        pairs = [coordinates_of(mechanism, name, state) for name in ("track", "hinge")]
        return regulator(np.array([pair[k][0] for k in (0, 1) for pair in pairs]))

    start = state_from(mechanism, {"hinge": 0.3})
    motion = Simulator(mechanism).simulate(8.0, STEP, start=start, controller=controller)
    assert np.abs(motion.curves["hinge"][-1]).max() < 1e-4
    left = Simulator(mechanism).simulate(8.0, STEP, start=start)
    assert np.abs(left.curves["hinge"]).max() > 2.0


def test_what_nothing_holds_is_refused_by_name() -> None:
    found, _ = held()
    with pytest.raises(ArgumentError, match="no weight in Q asks for it"):
        lqr(found, Q={"hinge": 1.0}, R={"motor.force": 1.0})
    with pytest.raises(ArgumentError, match=r"no 'hing'; did you mean 'hinge'"):
        lqr(found, Q={"hing": 1.0}, R={"motor.force": 1.0})
    with pytest.raises(ArgumentError, match="names no input"):
        lqr(found, Q={"hinge": 1.0}, R={})
    with pytest.raises(ArgumentError, match="positive definite"):
        lqr(found, Q={"hinge": 1.0}, R={"motor.force": 0.0})
    with pytest.raises(ArgumentError, match="must not be negative"):
        lqr(found, Q={"hinge": -1.0}, R={"motor.force": 1.0})
    with pytest.raises(ArgumentError, match="finite number"):
        lqr(found, Q={"hinge": float("nan")}, R={"motor.force": 1.0})
    with pytest.raises(ArgumentError, match=r"shape \(4,\) or \(4, 4\)"):
        lqr(found, Q=[1.0], R={"motor.force": 1.0})
    still = Mechanism(
        name="pair", bodies=[Body(name="a", mass=1.0, inertia=(1, 1, 1)), Body(name="b", mass=1.0, inertia=(1, 1, 1))],
        joints=[Joint(name=f"slide_{name}", type="prismatic", child=name, axis=(1, 0, 0)) for name in "ab"],
        forces=[Actuator(name="motor", joint="slide_a")], gravity=(0, 0, 0),
    )  # fmt: skip
    with pytest.raises(ArgumentError, match="slide_b.*the inputs in R do not reach it"):
        lqr(Simulator(still).linearize(), Q=np.ones(4), R=[1.0])
