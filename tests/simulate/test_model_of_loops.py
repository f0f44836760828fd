"""The model of a mechanism with loops and gears, against the motion that the simulator finds in maximal coordinates.

From one placement it is sent forward and backward for a step each: (q(h) + q(-h) - 2 q(0))/h² is q'' but for h², so
that half the step leaves a quarter of the difference. No column, no sweep and no choice of free rates takes part.
"""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Actuator, Body, Coupling, Joint, Mechanism, Simulator
from symvi.errors import MechanismError
from symvi.mechanism import State, start_state
from symvi.simulate.joint_model import JointModel
from tests.support import linkages, loops

CASES = {
    "four bar": linkages.four_bar,
    "Bennett's, with rows that others imply": linkages.bennett,
    "spatial, closed by a universal joint": lambda: linkages.skew_polygon("universal"),
    "chain whose ends slide": lambda: loops.closed_chain(4),
    "scissors": lambda: loops.scissor_lift(2),
    "held by a wire": lambda: wired(),
    "geared": lambda: geared(),
}


def geared() -> Mechanism:
    """A wheel on an arm, which turns three times as far as the arm against it."""
    bodies = [Body(name=n, mass=1.0, inertia=(0.2, 0.3, 0.4), center_of_mass=(0.2, 0, 0.1)) for n in ("arm", "wheel")]
    joints = [
        Joint(name="hub", type="revolute", child="arm", axis=(0, 1, 0)),
        Joint(name="axle", type="revolute", parent="arm", child="wheel", parent_anchor=(1, 0, 0), axis=(0, 0.6, 0.8),
              coordinate=0.5),
    ]  # fmt: skip
    gear = Coupling(name="gear", joints=("axle", "hub"), ratio=3.0, offset=0.5)
    return Mechanism(name="geared", bodies=bodies, joints=joints, couplings=[gear])


def wired() -> Mechanism:
    """Two bodies on balls, whose ends a wire joins."""
    at = {"inertia": (0.2, 0.3, 0.4), "center_of_mass": (0, 0, -0.5), "mass": 1.0}
    bodies = [Body(name="left", **at), Body(name="right", **at)]
    joints = [
        Joint(name="ball", type="spherical", child="left"),
        Joint(name="hinge", type="revolute", child="right", parent_anchor=(1, 0, 0), axis=(0, 1, 0)),
        Joint(name="wire", type="distance", parent="left", child="right", parent_anchor=(0, 0, -1),
              child_anchor=(0, 0, -1), length=1.0),
    ]  # fmt: skip
    return Mechanism(name="wired", bodies=bodies, joints=joints)


def moving(model: JointModel, q: np.ndarray, rates: np.ndarray, state: State) -> State:
    """The state with velocities of these rates."""
    v, w = np.zeros_like(state.velocity), np.zeros_like(state.velocity)
    for body, turn in zip(model.mechanism.bodies, model.frames(q).rotation, strict=True):
        column = model.jacobian(body.name, q, body.center_of_mass) @ rates
        v[state.index(body.name)], w[state.index(body.name)] = column[:3], turn.T @ column[3:]
    return State(0.0, state.position, state.orientation, v, w, state.names, state.angles)


@pytest.mark.parametrize("case", CASES)
def test_accelerations_are_those_of_the_motion(case: str) -> None:
    simulator = Simulator(CASES[case]())
    model, state = simulator.model, simulator.project(start_state(simulator.mechanism))
    q, _ = model.coordinates(state)
    rates = np.random.default_rng(0).uniform(-1, 1, model.size[1])
    start = moving(model, q, rates, state)
    assert np.allclose(model.coordinates(start)[1], rates, rtol=0, atol=1e-12)
    change = model.forward_dynamics(q, rates, np.zeros(model.size[1]))
    told = [name for name in model.rate_names if name in model.names]
    at, of = ([names.index(name) for name in told] for names in (model.names, model.rate_names))
    errors = []
    for h in (2e-3, 1e-3):
        ends = [simulator.simulate(h, h, start=moving(model, q, sign * rates, state)).state(-1) for sign in (1, -1)]
        found = sum(model.coordinates(end)[0] for end in ends) - 2 * q
        errors.append(np.abs(found[at] / h**2 - change[of]).max())
    assert errors[1] < 1e-4 * (1 + np.abs(change).max()) and errors[1] == pytest.approx(errors[0] / 4, rel=0.2), errors
    assert np.allclose(model.inverse_dynamics(q, rates, change), 0.0, rtol=0, atol=1e-10)
    energy = rates @ model.mass_matrix(q) @ rates / 2
    assert energy == pytest.approx(kinetic(simulator.mechanism, start), rel=1e-12)


def kinetic(mechanism: Mechanism, state: State) -> float:
    """Of all bodies, from their velocities [J]."""
    total = 0.0
    for body in mechanism.bodies:
        k, (xx, yy, zz, xy, xz, yz) = state.index(body.name), body.inertia
        w = state.angular_velocity[k]
        total += (body.mass * state.velocity[k] @ state.velocity[k]) / 2
        total += w @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ w / 2
    return float(total)


def test_coordinates_that_leave_a_loop_open_are_refused() -> None:
    model = Simulator(linkages.four_bar()).model
    q, _ = model.coordinates(start_state(model.mechanism))
    q[0] += 0.01
    with pytest.raises(MechanismError, match="mass_matrix: these coordinates leave loops of mechanism 'four_bar' open"):
        model.mass_matrix(q)


def test_where_free_rates_decide_nothing_it_is_said() -> None:
    """A slider-crank stretched out: its slide, which is free, rests while the crank turns."""
    bodies = [Body(name=n, mass=1.0, inertia=(0.1, 0.1, 0.1)) for n in ("crank", "rod", "slider")]
    turn, motor = 0.5, Actuator(name="motor", joint="slide")
    lean = -2.0 * np.arcsin(np.sin(turn) / 2.0) / 2.0
    joints = [
        Joint(name="axle", type="revolute", child="crank", axis=(0, 1, 0), coordinate=-turn),
        Joint(name="pin", type="revolute", parent="crank", child="rod", parent_anchor=(1, 0, 0), axis=(0, 1, 0),
              coordinate=turn - lean),
        Joint(name="slide", type="prismatic", child="slider", axis=(1, 0, 0),
              coordinate=float(np.cos(turn) + 2.0 * np.cos(lean))),
        Joint(name="end", type="revolute", parent="rod", child="slider", parent_anchor=(2, 0, 0), axis=(0, 1, 0)),
    ]  # fmt: skip
    model = Simulator(Mechanism(name="crank", bodies=bodies, joints=joints, forces=[motor])).model
    assert model.rate_names == ("slide",)
    with pytest.raises(MechanismError, match="are singular, and slide do not decide the other rates"):
        model.mass_matrix({"axle": 0.0, "pin": 0.0, "slide": 3.0})


def test_what_a_motor_moves_stays_free() -> None:
    """Of the hinges of a four-bar, the one that a driver leads."""
    assert Simulator(loops.four_bar(motor="2*t")).model.rate_names == ("crank_bearing",)


def test_without_a_freedom_there_is_no_model() -> None:
    with pytest.raises(MechanismError, match="its loops and gears leave no rate free"):
        _ = Simulator(linkages.geared_cranks(1.5)).model
