"""Stiff springs and dampers at steps that laws at the knots would not bear, and the forces that stay at the knots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import symvi
import symvi.demos
from symvi.mechanism import Body, Joint, JointSpring, Mechanism, PointSpring, Potential
from symvi.simulate import Simulator
from symvi.simulate.knot_stiffness import too_stiff

GOVERNOR = Path(symvi.demos.__file__).parent / "governor.toml"
STIFFNESS, DAMPING, ROD, OFFSET, TOP = 1e6, 1e4, 0.3, 0.05, 0.6
BALL, SLEEVE, GRAVITY, SPIN = 1.0, 0.2, 9.81, 6.0


def governor_rates(time: float, y: np.ndarray) -> np.ndarray:
    """The governor as three points: both balls in space and the height of the sleeve; the spindle turns as driven."""
    x, v, force = y[:7], y[7:], np.zeros(7)
    radial = np.array([np.cos(SPIN * time), np.sin(SPIN * time), 0.0])
    around = SPIN * np.array([-radial[1], radial[0], 0.0])
    force[[2, 5]], force[6] = -GRAVITY * BALL, -GRAVITY * SLEEVE
    for first, sign in ((0, 1.0), (3, -1.0)):
        ball = slice(first, first + 3)
        for height, rate, lower in ((TOP, 0.0, False), (x[6], v[6], True)):
            rod = x[ball] - sign * OFFSET * radial - [0, 0, height]
            length = np.linalg.norm(rod)
            along = rod / length
            speed = along @ (v[ball] - sign * OFFSET * around - [0, 0, rate])
            pull = -(STIFFNESS * (length - ROD) + DAMPING * speed) * along
            force[ball] += pull
            force[6] -= pull[2] * lower
    return np.concatenate([v, force / np.array([BALL] * 6 + [SLEEVE])])


def test_a_flyball_governor_on_stiff_rods_swings_as_three_points_do() -> None:
    """At 0.005 s, where h² k is 25 m and h d is 50 m, within 0.1 mm of an implicit integration for 5 s."""
    motion = Simulator(symvi.load(GOVERNOR)).simulate(5.0, 0.005)
    start = motion.state(0)
    x, v = (np.concatenate([values[2], values[3], values[1, 2:]]) for values in (start.position, start.velocity))
    exact = solve_ivp(
        governor_rates, (0, 5.0), np.concatenate([x, v]), "Radau", rtol=1e-9, atol=1e-11, t_eval=motion.time
    ).y.T[:, :7]
    found = np.hstack([motion.position[:, 2], motion.position[:, 3], motion.position[:, 1, 2:]])
    assert np.ptp(exact[:, 6]) > 2e-3
    assert np.abs(found - exact).max() < 1e-4


def pulled(tension: float) -> Mechanism:
    """1 kg between two springs of 1 m with this tension [N], a millimetre beside their line."""
    springs = [
        PointSpring(name=name, child="bead", parent_anchor=(side, 0, 0), stiffness=1e6, length=1.0 - tension / 1e6)
        for name, side in (("left", -1.0), ("right", 1.0))
    ]
    bead = Body(name="bead", mass=1.0, inertia=(1e-3,) * 3, position=(0, 1e-3, 0))
    return Mechanism(name="string", gravity=(0, 0, 0), bodies=[bead], forces=springs)


@pytest.mark.parametrize("share, holds", [(0.5, True), (0.99, True), (1.01, False), (1.5, False)])
def test_tension_across_point_springs_bounds_the_step(share: float, holds: bool) -> None:
    """It acts at the knots: h² (T/l + T/l) below 4 m swings, beyond it grows, and the spring is named with a step."""
    motion = Simulator(pulled(share * 2.0 / 0.01**2)).simulate(2.0, 0.01, on_error="status")
    found = too_stiff(motion)
    assert (np.abs(motion.position[:, 0, 1]).max() < 0.02) == holds
    assert (found == []) == holds
    if not holds:
        assert found[0].element in ("left", "right")
        assert found[0].step == pytest.approx(0.01 / np.sqrt(share), rel=0.25)  # it has grown longer by then
        shorter = 0.9 * found[0].step
        assert too_stiff(Simulator(pulled(share * 2.0 / 0.01**2)).simulate(200 * shorter, shorter)) == []


@pytest.mark.parametrize("stiffness, holds", [(3.9e4, True), (4.1e4, False)])
def test_a_potential_of_ones_own_acts_at_the_knots(stiffness: float, holds: bool) -> None:
    """h² V'' below 4 m, on a body that a joint leaves one direction; its other directions do not count."""
    rail = Joint(name="rail", type="prismatic", child="block", axis=(1, 0, 0), coordinate=0.001)
    hill = Potential(
        name="hill", child="block", expression="k*x_b[0]**2/2 + 1e7*x_b[1]**2", parameters={"k": stiffness}
    )
    block = Body(name="block", mass=1.0, inertia=(1, 1, 1))
    mechanism = Mechanism(name="well", gravity=(0, 0, 0), bodies=[block], joints=[rail], forces=[hill])
    motion = Simulator(mechanism).simulate(1.0, 0.01)
    assert (motion.energy.max() < 100 * motion.energy[0]) == holds
    found = too_stiff(motion)
    assert [one.element for one in found[:1]] == ([] if holds else ["hill"])
    if not holds:
        assert found[0].step == pytest.approx(2.0 / np.sqrt(stiffness), rel=1e-3)


def test_a_sinusoidal_spring_that_swings_far_is_named() -> None:
    """Nearly linear swings of it bear any stiffness."""
    axle = Joint(name="axle", type="revolute", child="wheel", axis=(0, 0, 1))
    wheel = Body(name="wheel", mass=1.0, inertia=(0.05, 0.05, 0.05))
    spring = JointSpring(name="coil", joint="axle", stiffness=1e4, law="sinusoidal")
    mechanism = Mechanism(name="wheel", gravity=(0, 0, 0), bodies=[wheel], joints=[axle], forces=[spring])
    found = {}
    for angle in (0.1, 2.5):
        start = symvi.state_from(mechanism, {"axle": angle})
        motion = Simulator(mechanism).simulate(0.5, 0.01, start=start, on_error="status")
        found[angle] = [one.element for one in too_stiff(motion)[:1]]
    assert found == {0.1: [], 2.5: ["coil"]}


def test_a_point_spring_without_a_length_passes_through_its_point() -> None:
    """Where a distance has no direction: a linear oscillator in space, by the midpoint rule."""
    spring = PointSpring(name="pull", child="bead", stiffness=1e4, length=0.0)
    bead = Body(name="bead", mass=1.0, inertia=(1e-3,) * 3, position=(0.1, 0, 0), velocity=(0, 1e-3, 0))
    mechanism = Mechanism(name="bead", gravity=(0, 0, 0), bodies=[bead], forces=[spring])
    motion = Simulator(mechanism).simulate(2.0, 0.01)
    turn = 2 * np.arctan(np.sqrt(1e4) * 0.01 / 2)
    assert motion.position[:, 0, 0] == pytest.approx(0.1 * np.cos(turn * np.arange(201)), abs=1e-10)
    assert np.ptp(motion.energy) < 1e-9 * motion.energy[0]


def test_a_damped_point_spring_keeps_momenta_and_comes_to_rest() -> None:
    """Between two free bodies, off their centres: what it pulls, it pulls along its line."""
    bodies = [
        Body(name="one", mass=1.0, inertia=(0.05, 0.04, 0.03), position=(0, 0, 0), velocity=(0.3, -0.2, 0.1)),
        Body(
            name="two", mass=2.0, inertia=(0.08, 0.07, 0.06), position=(1.2, 0.1, 0), angular_velocity=(0.3, 0.4, -0.2)
        ),
    ]
    for stiffness, damping in ((50.0, 2.0), (1e6, 1e4)):
        spring = PointSpring(
            name="cord",
            parent="one",
            child="two",
            parent_anchor=(0.1, 0.05, -0.02),
            child_anchor=(-0.1, 0, 0.1),
            stiffness=stiffness,
            length=0.9,
            damping=damping,
        )
        mechanism = Mechanism(name="pair", gravity=(0, 0, 0), bodies=bodies, forces=[spring])
        motion = Simulator(mechanism).simulate(10.0, 0.01)
        assert np.ptp(motion.linear_momentum, axis=0).max() < 1e-10
        assert np.ptp(motion.angular_momentum, axis=0).max() < 1e-9
        assert motion.energy[-1] < motion.energy[0] and motion.energy.max() <= motion.energy[0] * (1 + 1e-9)
