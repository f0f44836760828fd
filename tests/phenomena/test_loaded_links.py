"""Springs of light links that carry heavy ones: weighed as their dampers are, by the link alone, they stop the load."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

from symvi import Simulator
from symvi.mechanism import Body, Contact, Joint, JointDamper, JointSpring, Mechanism, PointSpring, Servo

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


def rope(light: float, heavy: float, stiffness: float, damping: float) -> Mechanism:
    """Two light knots and a weight, one metre apart, joined by damped point springs that hang from the world."""
    places = [
        (name, mass, (0.0, 0.0, -k)) for k, (name, mass) in enumerate(zip("abc", (light, light, heavy), strict=True), 1)
    ]
    bodies = [Body(name=name, mass=mass, inertia=(1e-3,) * 3, position=at) for name, mass, at in places]
    forces = [
        PointSpring(name=f"s{b}", parent=a, child=b, stiffness=stiffness, length=1.0, damping=damping)
        for a, b in (("world", "a"), ("a", "b"), ("b", "c"))
    ]
    return Mechanism(name="rope", bodies=bodies, forces=forces)


def test_light_knots_of_a_rope_do_not_stop_its_weight() -> None:
    """10 kg on knots of 0.1 kg against the exponential of the linear system: second order, nothing lost unseen."""
    light, heavy, stiffness, damping = 0.1, 10.0, 1e4, 10.0
    mass = np.array([light, light, heavy])
    chain = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    motion = np.zeros((7, 7))
    motion[:3, 3:6] = np.eye(3)
    motion[3:6] = np.hstack([-stiffness * chain / mass[:, None], -damping * chain / mass[:, None], [[-9.81]] * 3])
    errors = []
    for step in (0.005, 0.0025):
        found = Simulator(rope(light, heavy, stiffness, damping)).simulate(2.0, step)
        exact = np.array([expm(motion * t)[:3, 6] for t in found.time[::20]])
        errors.append(np.abs(found.position[::20, :, 2] + [1, 2, 3] - exact).max())
        assert abs(found.dissipation["other"][-1]) < 1e-3 * found.dissipation["dampers"][-1]
    assert errors[0] < 0.03 * 0.06 and 3.5 < errors[0] / errors[1] < 4.5


def telescope(load: float) -> Mechanism:
    """A light tube on a hinge with a spring and a damper, its load far out on a slider in the tube."""
    return Mechanism(
        name="telescope",
        gravity=(0, 0, 0),
        bodies=[
            Body(name="tube", mass=0.01, inertia=(1e-5,) * 3),
            Body(name="load", mass=load, inertia=(1e-3,) * 3),
        ],
        joints=[
            Joint(name="hinge", type="revolute", child="tube", axis=(0, 0, 1), coordinate=0.3),
            Joint(name="slider", type="prismatic", parent="tube", child="load", axis=(1, 0, 0), coordinate=10.0),
        ],
        forces=[
            JointSpring(name="spring", joint="hinge", stiffness=4e4),
            JointDamper(name="damper", joint="hinge", damping=100.0),
        ],
    )


def test_a_load_far_out_on_a_slider_swings() -> None:
    """10 kg at 10 m: only the damper takes energy. A load that is set later is described then, to the bit."""
    motion = Simulator(telescope(10.0)).simulate(2.0, 0.01)
    lost = {name: values[-1] for name, values in motion.dissipation.items()}
    assert abs(lost["other"]) < 0.01 * lost["dampers"]
    simulator = Simulator(telescope(0.1))
    simulator.set_parameter("load.mass", 10.0)
    assert np.array_equal(simulator.simulate(2.0, 0.01).position, motion.position)


def test_a_light_hand_on_a_heavy_free_body_comes_to_its_target() -> None:
    """Only what moves opposes: with the mass of the whole robot its wrist passed the target by a third."""
    bodies = [
        Body(name="robot", mass=60.0, inertia=(4.0,) * 3, position=(0, 0, 1)),
        Body(name="arm", mass=1.0, inertia=(0.01,) * 3),
        Body(name="hand", mass=0.3, inertia=(3e-4,) * 3),
    ]
    joints = [
        Joint(name="elbow", type="revolute", parent="robot", child="arm", axis=(0, 1, 0), parent_anchor=(0, 0, 0.3)),
        Joint(name="wrist", type="revolute", parent="arm", child="hand", axis=(0, 1, 0), coordinate=0.5),
    ]
    servo = Servo(name="servo", joint="wrist", stiffness=1000.0, damping=5.0, signal="0")
    free = Mechanism(name="free", gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=[servo])
    angle = Simulator(free).simulate(0.3, 0.01).coordinates("wrist")[:, 0]
    assert angle.min() > -0.01 * angle[0] and abs(angle[-1]) < 1e-3


def test_what_hangs_elsewhere_opposes_nothing() -> None:
    """A ball that rests far away changes no bit of an arm that a stiff damped spring holds."""
    alone = telescope(10.0)
    stiff = {"spring.stiffness": 1e8, "damper.damping": 1e6}
    ball = Body(name="ball", mass=1.0, inertia=(1.0,) * 3, position=(100.0, 0, 0))
    motions = []
    for mechanism in (alone, alone.changed(bodies=[*alone.bodies, ball])):
        simulator = Simulator(mechanism)
        for name, value in stiff.items():
            simulator.set_parameter(name, value)
        motions.append(simulator.simulate(0.2, 0.01).position[:, :2])
    assert np.array_equal(*motions)


@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_weight_rests_on_a_servo_whatever_becomes_of_its_damping(backend: str) -> None:
    """The step before hands on what its own damping left to it; a gain that changes moves nothing that rests."""
    sag = 9.81 / 1000.0
    weight = Mechanism(
        name="weight",
        bodies=[Body(name="block", mass=1.0, inertia=(0.1,) * 3)],
        joints=[Joint(name="rail", type="prismatic", child="block", coordinate=-sag)],
        forces=[Servo(name="servo", joint="rail", stiffness=1000.0, damping=0.0, signal="0")],
    )
    gains = np.where(np.arange(51) % 10 < 5, 0.0, 1000.0)
    motion = Simulator(weight, backend=backend).simulate(0.5, 0.01, inputs={"servo.damping": gains})
    assert np.abs(motion.position - motion.position[0]).max() < 1e-12 and not motion.alarms


@pytest.mark.parametrize("backend", ["c", "python"])
def test_a_damped_gimbal_turns_past_a_right_angle(backend: str) -> None:
    """Both angles of a universal joint are halves of double angles: their dampers know nothing of where those wrap."""
    gimbal = Mechanism(
        name="gimbal",
        gravity=(0, 0, 0),
        bodies=[Body(name="arm", mass=1.0, inertia=(0.1,) * 3)],
        joints=[Joint(name="cross", type="universal", child="arm", velocity=(3.0, 0.0))],
        forces=[JointDamper(name="damper", joint="cross", damping=(0.05, 0.05))],
    )
    motion = Simulator(gimbal, backend=backend).simulate(2.0, 0.01)
    exact = 3.0 * np.exp(-0.05 / 0.1 * motion.time)
    assert motion.coordinates("cross")[-1, 0] > np.pi / 2
    assert motion.rates("cross")[:, 0] == pytest.approx(exact, abs=1e-4)
    assert motion.dissipation["dampers"][-1] == pytest.approx(0.05 * (9.0 - exact[-1] ** 2), rel=1e-3)
