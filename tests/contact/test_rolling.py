"""Bodies that roll in space: against the nonholonomic equations, closed forms, and their own motion backwards.

Rolling is a constraint on velocities, u = 0. A step makes of it one between two knots; if that says the same read
backwards in time, as forces at the knots do, steps are reversible, and energy is off by O(h²) (McLachlan and
Perlmutter, 2006). One that looks at the first knot alone lets it drift in proportion to h.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from symvi.mechanism import Body, Contact, Driver, Joint, Mechanism, PointSpring, Sphere
from symvi.numbers.control import SolverOptions
from symvi.simulate import Trajectory
from tests.support.contact_scenes import placed, simulator
from tests.support.measuring import largest
from tests.support.nonholonomic import equations
from tests.support.nonholonomic import rolled as rolled_exactly

GRIP = 5.0  # coefficient of friction of what never slips


ROLLERS = {
    "stone": (equations.rattleback(), *equations.STONE_START),
    "loaded": (equations.loaded_ball(), *equations.BALL_START),
}


def own_ball(body) -> Contact:
    """A ball as a user's own gap of its centre: the normal is the gradient of the gap."""
    names = dict(zip("abcr", (*body.middle, body.axes[0]), strict=True))
    gap = "x_b[2] + R_b[2,0]*a + R_b[2,1]*b + R_b[2,2]*c - r"
    place = {"child_anchor": body.middle, "radius": body.axes[0]}
    return Contact(name="ground", kind="gap", child="body", expression=gap, parameters=names, friction=GRIP, **place)


def ball_on_plane(body) -> Contact:
    return Contact(name="ground", child="body", child_anchor=body.middle, radius=body.axes[0], friction=GRIP)


SURFACES = {"own_ball": own_ball, "half_space": ball_on_plane}


def roller(name: str, surface: str) -> Mechanism:
    """A body that rolls from the start."""
    shape, q, w = ROLLERS[name]
    scene = shape.mechanism(name, q, w, GRIP)
    return scene.changed(contacts=[SURFACES[surface](shape)]) if surface in SURFACES else scene


def rolled(name: str, surface: str, time: float, step: float, real: str = "double") -> Trajectory:
    trajectory = simulator(roller(name, surface), real=real).simulate(time, step)
    assert trajectory.contacts["ground"].sticking[1:].all()
    return trajectory


@cache
def truth(name: str, time: float, step: float) -> np.ndarray:
    """Angular velocity in body axes of the nonholonomic equations at multiples of the step."""
    body, q, w = ROLLERS[name]
    states = rolled_exactly(body, q, w, np.linspace(0.0, time, round(time / step) + 1))
    assert np.ptp([body.energy(y) for y in states[::50]]) < 1e-9
    return states[:, 7:]


CASES = [("stone", "own_surface", 0.002, 3.0), ("loaded", "own_surface", 0.005, 2.0),
         ("loaded", "own_ball", 0.005, 2.0), ("loaded", "half_space", 0.005, 2.0)]  # fmt: skip


@pytest.mark.parametrize("name, surface, step, time", CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES])
def test_rolling_follows_the_nonholonomic_equations_to_the_second_order(name, surface, step, time) -> None:
    """The spin of a rattleback, which turns over within 2 s, and of a ball that is heavier on one side."""
    exact, errors, bands = truth(name, time, step), [], []
    for parts in (1, 2):
        trajectory = rolled(name, surface, time, step / parts)
        errors.append(largest(trajectory.angular_velocity[::parts, 0] - exact))
        bands.append(np.ptp(trajectory.energy))
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.3)
    assert bands[0] / bands[1] == pytest.approx(4.0, abs=0.3)
    assert errors[1] < 0.1 and bands[1] < 5e-4


def test_a_rattleback_keeps_its_energy_while_it_turns_over_and_back() -> None:
    """10 s: it spins to the other side, rattles, and back. What was lost before was in proportion to the step."""
    lost = []
    for step in (0.001, 0.0005):
        energy = rolled("stone", "own_surface", 10.0, step).energy
        lost.append(abs(energy - energy[0]).max())
    assert lost[0] < 5e-4 and lost[1] < 1e-4  # of 0.11 J that move


def test_rolling_in_float_keeps_energy_too() -> None:
    energy = rolled("stone", "own_surface", 3.0, 0.002, real="float").energy
    assert np.ptp(energy) < 2e-3


@pytest.mark.parametrize("name, surface, step", [("stone", "own_surface", 0.002), ("loaded", "half_space", 0.01)])
def test_a_rolling_body_rolls_back_to_where_it_came_from(name: str, surface: str, step: float) -> None:
    """Velocities turned round at a knot: the very same steps in reverse, but for what the interior point leaves."""
    scene, options = roller(name, surface), SolverOptions(complementarity=1e-11)
    there = simulator(scene).simulate(0.5, step, options=options)
    last = there.state()
    turned = placed(scene, last.position[0], last.orientation[0], -last.velocity[0], -last.angular_velocity[0])
    back = simulator(scene).simulate(0.5, step, start=turned, options=options)
    assert largest(back.position[-1] - there.position[0]) < 1e-10
    assert 1 - abs(np.dot(back.orientation[-1, 0], there.orientation[0, 0])) < 1e-13


# --- normals and points that move with the parent ---------------------------------------------------------------------
def orders(errors: list[float]) -> list[float]:
    return [float(np.log2(a / b)) for a, b in zip(errors[:-1], errors[1:], strict=True)]


@pytest.mark.parametrize("kind", ["half_space", "gap"])
def test_a_ball_on_a_turntable_goes_round_at_two_sevenths_of_its_rate(kind: str) -> None:
    """v' = (2/7) W x v for a uniform ball, whatever its radius and place: a circle (Earnshaw). It never spirals."""
    radius, rate, errors, wander = 0.15, 3.0, [], []
    x, v = np.array([0.4, 0.0, radius]), np.array([0.3, 0.0, 0.0])
    slip = v - np.cross([0.0, 0.0, rate], x)
    ball = Body(name="ball", mass=1.0, shape=Sphere(radius=radius), position=tuple(x), velocity=tuple(v))
    ball = ball.changed(angular_velocity=(-slip[1] / radius, slip[0] / radius, 0.7))
    plate = Body(name="plate", mass=50.0, inertia=(5.0, 5.0, 10.0))
    touch = {
        "half_space": {"radius": radius},
        "gap": {"kind": "gap", "expression": f"x_b[2] - x_a[2] - {radius}", "point": ["x_b[0]", "x_b[1]", "0"]},
    }[kind]
    table = Mechanism(
        name="turntable",
        bodies=[plate, ball],
        joints=[Joint(name="axle", type="revolute", child="plate", axis=(0, 0, 1), velocity=rate)],
        drivers=[Driver(name="motor", joint="axle", signal=f"{rate}*t")],
        contacts=[Contact(name="touch", parent="plate", child="ball", friction=GRIP, **touch)],
    )
    turning = 2 / 7 * rate
    middle = x[:2] + np.array([-v[1], v[0]]) / turning
    for step in (0.02, 0.01, 0.005):
        trajectory = simulator(table).simulate(6.0, step)
        angle, (dx, dy) = turning * trajectory.time, x[:2] - middle
        exact = np.stack([np.cos(angle) * dx - np.sin(angle) * dy, np.sin(angle) * dx + np.cos(angle) * dy], axis=1)
        place = trajectory.position[:, 1, :2] - middle
        errors.append(largest(place - exact))
        wander.append(np.ptp(np.linalg.norm(place, axis=1)))
    assert orders(errors) == pytest.approx([2.0, 2.0], abs=0.1)
    assert orders(wander) == pytest.approx([2.0, 2.0], abs=0.1)
    assert errors[-1] < 2e-3


def test_a_marble_in_a_bowl_keeps_its_energy() -> None:
    """A user's own gap of a ball's centre: the normal turns as it rolls, and with it the point that touches."""
    radius, reach, bands = 0.05, 0.45, []
    x = reach * np.array([np.sin(0.8), 0.0, -np.cos(0.8)])
    normal, v = -x / reach, np.array([0.0, 0.6, 0.0])
    ball = Body(name="ball", mass=1.0, shape=Sphere(radius=radius), position=tuple(x), velocity=tuple(v))
    ball = ball.changed(angular_velocity=tuple(np.cross(normal, v) / radius + 2.0 * normal))
    gap = f"{reach} - sqrt(x_b[0]**2 + x_b[1]**2 + x_b[2]**2)"
    bowl = Contact(name="bowl", kind="gap", child="ball", expression=gap, radius=radius, friction=GRIP)
    scene = Mechanism(name="bowl", bodies=[ball], contacts=[bowl])
    for step in (0.01, 0.005):
        energy = simulator(scene).simulate(5.0, step).energy
        bands.append(np.ptp(energy))
        assert abs(energy[-1] - energy[0]) < 1e-4
    assert bands[0] / bands[1] == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("parent", ["world", "big"])
@pytest.mark.parametrize("cone", ["second_order", "linear"])
def test_a_ball_that_rolls_around_another_keeps_its_energy(parent: str, cone: str) -> None:
    """Held on it by a spring between the centres, on a sphere at rest and on a free one."""
    radius, other = 0.1, 0.3
    normal, v = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.5, 0.3])
    ball = Body(name="ball", mass=1.0, inertia=(0.004, 0.005, 0.0045), position=(radius + other, 0.0, 0.0))
    ball = ball.changed(velocity=tuple(v), angular_velocity=tuple(np.cross(normal, v) / radius + 3.0 * normal))
    big = [Body(name="big", mass=3.0, inertia=(0.1, 0.12, 0.14))] if parent == "big" else []
    touch = Contact(name="touch", kind="sphere", parent=parent, child="ball", radius=radius, parent_radius=other)
    pull = PointSpring(name="pull", parent=parent, child="ball", stiffness=40.0, length=0.001)
    scene = Mechanism(
        name="around", gravity=(0, 0, 0), bodies=[*big, ball], contacts=[touch.changed(friction=GRIP, cone=cone)],
        forces=[pull],
    )  # fmt: skip
    bands = [np.ptp(simulator(scene).simulate(3.0, step).energy[1:]) for step in (0.02, 0.01)]
    assert bands[1] < 1e-5
    assert bands[0] / bands[1] == pytest.approx(4.0, abs=0.4)
