"""Springs of light links that carry heavy ones: weighed as their dampers are, by the link alone, they stop the load."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Simulator
from symvi.mechanism import Body, Contact, Joint, JointDamper, JointSpring, Mechanism, PointSpring
from symvi.program.opposing import opposing
from tests.support.damped import arm

SPRING, DAMPER, LOAD = 100.0, 1e-3, 1.0


def gimbal(ring: float) -> Mechanism:
    """A ring of so many kg m² that carries a load of 1 kg m²: springs and weak dampers about both axes."""
    bodies = [Body(name="ring", mass=1.0, inertia=(ring,) * 3), Body(name="load", mass=1.0, inertia=(LOAD,) * 3)]
    joints = [
        Joint(name="outer", type="revolute", child="ring", axis=(1, 0, 0), coordinate=0.1),
        Joint(name="inner", type="revolute", parent="ring", child="load", axis=(0, 1, 0)),
    ]
    forces = [JointSpring(name=f"spring_{joint.name}", joint=joint.name, stiffness=SPRING) for joint in joints]
    forces += [JointDamper(name=f"damper_{joint.name}", joint=joint.name, damping=DAMPER) for joint in joints]
    return Mechanism(name="gimbal", gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=forces)


@pytest.mark.parametrize("backend", ["c", "python"])
@pytest.mark.parametrize("ring", [1.0, 1e-2, 1e-6])
def test_a_light_ring_does_not_stop_its_load(ring: float, backend: str) -> None:
    """What is lost in 2 s is what the damper takes, exp(-d t/J) of it; a ring of 1e-6 kg m² lost nearly all."""
    motion = Simulator(gimbal(ring), backend=backend).simulate(2.0, 0.01)
    lost = 1.0 - motion.energy[-1] / motion.energy[0]
    assert lost == pytest.approx(1.0 - np.exp(-DAMPER * 2.0 / (ring + LOAD)), rel=0.05)
    assert motion.dissipation["dampers"][-1] == pytest.approx(lost * motion.energy[0], rel=0.05)


def test_a_leg_bounces_on_its_light_foot_as_on_the_ground() -> None:
    """2 kg on a spring and a damper, the foot of 20 g on the ground: z'' + (d/m) z' + (k/m) z = 0 about the rest."""
    trunk, stiffness, damping = 2.0, 2000.0, 5.0
    bodies = [
        Body(name="foot", mass=0.02, inertia=(1e-5,) * 3),
        Body(name="trunk", mass=trunk, inertia=(0.1,) * 3, position=(0, 0, 0.5)),
    ]
    joints = [
        Joint(name="rail", type="prismatic", child="foot"),
        Joint(name="leg", type="prismatic", parent="foot", child="trunk", coordinate=0.5),
    ]
    sag = trunk * 9.81 / stiffness
    forces = [
        JointSpring(name="spring", joint="leg", stiffness=stiffness, rest=0.5 + sag - 0.005),
        JointDamper(name="damper", joint="leg", damping=damping),
    ]
    hopper = Mechanism(
        name="hopper", bodies=bodies, joints=joints, forces=forces, contacts=[Contact(name="ground", child="foot")]
    )
    errors = []
    for step in (0.01, 0.005):
        motion = Simulator(hopper).simulate(0.5, step)
        rate, t = damping / (2.0 * trunk), motion.time
        omega = np.sqrt(stiffness / trunk - rate**2)
        swing = np.exp(-rate * t) * (np.cos(omega * t) + rate / omega * np.sin(omega * t))
        exact = 0.5 - 0.005 + 0.005 * swing
        errors.append(np.abs(motion.coordinates("leg")[:, 0] - exact).max())
        assert np.abs(motion.position[:, 0]).max() < 1e-8
    assert errors[0] < 1e-3 and 3.5 < errors[0] / errors[1] < 4.5


def test_a_strut_on_a_light_lever_swings_its_load() -> None:
    """20 kg at the end of a lever of 10 g that a point spring with a damper holds: its period and its decay."""
    bodies = [
        Body(name="lever", mass=0.01, inertia=(1e-4,) * 3, position=(0.5, 0, 0)),
        Body(name="load", mass=20.0, inertia=(1e-3,) * 3, position=(1.0, 0, 0)),
    ]
    joints = [
        Joint(name="pin", type="revolute", child="lever", axis=(0, 1, 0), child_anchor=(-0.5, 0, 0), velocity=0.1),
        Joint(name="end", type="spherical", parent="lever", child="load", parent_anchor=(0.5, 0, 0)),
    ]
    strut = PointSpring(
        name="strut", child="lever", parent_anchor=(0.5, 0, 1.0), stiffness=2000.0, length=1.0, damping=2.0
    )
    loaded = Mechanism(name="loaded", gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=[strut])
    motion = Simulator(loaded).simulate(4.0, 0.01)
    moment = 20.0 + 0.01 * 0.25 + 1e-4
    rate, omega = 2.0 * 0.25 / (2.0 * moment), np.sqrt(2000.0 * 0.25 / moment)
    exact = 0.1 / omega * np.exp(-rate * motion.time) * np.sin(omega * motion.time)
    assert np.abs(motion.coordinates("pin")[:, 0] - exact).max() < 0.02 * np.abs(exact).max()


def test_a_stiff_damped_shoulder_comes_to_rest_at_once() -> None:
    """Where the heaviest load that it may carry leaves no doubt that a joint is overdamped, its rate dies out."""
    simulator = Simulator(arm(1.0, 1.0, servo=False))
    for name, value in {"spring.stiffness": 1e8, "damper.damping": 1e4, "spring.rest": 0.7}.items():
        simulator.set_parameter(name, value)
    rates = simulator.simulate(0.5, 0.01).rates("shoulder")[:, 0]
    assert rates[0] == pytest.approx(1.0) and np.abs(rates[5:]).max() < 0.02


def test_no_position_opposes_a_coordinate_by_more_than_its_bound() -> None:
    """The mass along the shoulder and the elbow of two links in a plane, 1/(M^-1)_kk, for every angle of the elbow."""
    m, length, moment = (2.0, 0.7), (0.8, 0.6), (0.1, 0.05)
    centre = length[0] / 2, length[1] / 2
    bodies = [
        Body(name=name, mass=m[k], inertia=(moment[k],) * 3, position=(centre[0] + k, 0, 0))
        for k, name in enumerate(("upper", "lower"))
    ]
    joints = [
        Joint(name="shoulder", type="revolute", child="upper", child_anchor=(-centre[0], 0, 0)),
        Joint(
            name="elbow",
            type="revolute",
            parent="upper",
            child="lower",
            parent_anchor=(centre[0], 0, 0),
            child_anchor=(-centre[1], 0, 0),
        ),
    ]
    planar = Mechanism(name="planar", bodies=bodies, joints=joints)
    most = [opposing(planar, joint)[0] for joint in joints]
    for angle in np.linspace(0.0, np.pi, 30):
        lower = moment[1] + m[1] * centre[1] ** 2
        mixed = lower + m[1] * length[0] * centre[1] * np.cos(angle)
        whole = moment[0] + m[0] * centre[0] ** 2 + m[1] * length[0] ** 2 + 2 * mixed - lower
        inverse = np.linalg.inv([[whole, mixed], [mixed, lower]])
        assert all(1.0 / inverse[k][k] <= most[k] * (1 + 1e-12) for k in range(2))
    assert most == pytest.approx([whole_stretched(m, length, moment), moment[1] + m[1] * centre[1] ** 2])
    held = planar.changed(contacts=[Contact(name="ground", child="lower")])
    assert opposing(held, joints[0]) is None


def whole_stretched(m, length, moment) -> float:
    """The moment of both links about the shoulder, stretched out."""
    far = length[0] + length[1] / 2
    return moment[0] + m[0] * (length[0] / 2) ** 2 + moment[1] + m[1] * far**2
