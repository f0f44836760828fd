"""Mechanisms with a spring, a damper and a servo each, nothing of which lies along an axis."""

from __future__ import annotations

from collections.abc import Callable

from symvi.mechanism import Body, Joint, JointDamper, JointSpring, Mechanism, PointSpring, Servo
from symvi.mechanism.rotation import about
from tests.support.linkages import four_bar

FULL = (0.05, 0.04, 0.03, 0.004, -0.002, 0.006)
SIGNAL = "0.3*sin(4*t)"


def slider(stiffness: float = 40.0, damping: float = 2.0, servo: bool = True, start: float = 0.5) -> Mechanism:
    """A block of 1 kg on an oblique rail, held by a spring, a damper and a servo."""
    rail = Joint(
        name="rail",
        type="prismatic",
        child="block",
        child_anchor=(0.1, 0.2, 0.3),
        axis=(1, 2, -2),
        orientation=about((1, -1, 2), 0.9),
        coordinate=start,
    )
    block = Body(name="block", mass=1.0, inertia=FULL, center_of_mass=(0.05, -0.1, 0.02))
    forces = [
        JointSpring(name="spring", joint="rail", stiffness=stiffness, rest=0.1),
        JointDamper(name="damper", joint="rail", damping=damping),
    ]
    forces += [Servo(name="servo", joint="rail", stiffness=30.0, damping=3.0, signal=SIGNAL)] if servo else []
    return Mechanism(name="slider", gravity=(0, 0, 0), bodies=[block], joints=[rail], forces=forces)


def arm(stiffness: float = 8.0, damping: float = 0.4, servo: bool = True) -> Mechanism:
    """Two links on hinges in oblique directions: a spring and a damper in the shoulder, a servo in the elbow."""
    links = [
        Body(name="upper", mass=1.5, inertia=(0.08, 0.07, 0.05, 0.01, 0.01, 0), center_of_mass=(0.05, 0.02, -0.3)),
        Body(name="lower", mass=0.8, inertia=(0.04, 0.04, 0.03, 0.01, 0, -0.006), center_of_mass=(0.02, 0.04, -0.2)),
    ]
    joints = [
        Joint(name="shoulder", type="revolute", child="upper", axis=(1, 2, 0.5), coordinate=0.7, velocity=1.0),
        Joint(
            name="elbow",
            type="revolute",
            parent="upper",
            child="lower",
            parent_anchor=(0.1, 0.05, -0.6),
            axis=(2, -1, 1),
            coordinate=-0.5,
        ),
    ]
    forces = [
        JointSpring(name="spring", joint="shoulder", stiffness=stiffness, rest=0.2),
        JointDamper(name="damper", joint="shoulder", damping=damping),
    ]
    if servo:
        forces.append(Servo(name="servo", joint="elbow", stiffness=6.0, damping=0.3, signal=SIGNAL))
    return Mechanism(name="arm", bodies=links, joints=joints, forces=forces)


def point_spring() -> Mechanism:
    """A link on a ball joint, and a free body that a damped spring ties to it off the centres of both."""
    bodies = [
        Body(name="link", mass=1.0, inertia=FULL, center_of_mass=(0.02, 0.01, -0.3)),
        Body(name="weight", mass=0.7, inertia=(0.01, 0.02, 0.015), position=(0.3, 0.4, -0.9), velocity=(0, 0.5, 0.3)),
    ]
    ball = Joint(name="ball", type="spherical", child="link", coordinate=(0.3, -0.2, 0.4))
    spring = PointSpring(
        name="cord",
        parent="link",
        child="weight",
        parent_anchor=(0.05, 0, -0.6),
        child_anchor=(0.03, -0.02, 0.04),
        stiffness=60.0,
        length=0.35,
        damping=1.5,
    )
    return Mechanism(name="cord", bodies=bodies, joints=[ball], forces=[spring])


def closed_four_bar() -> Mechanism:
    """A planar four-bar with a spring, a damper and a servo, one of them in the joint that closes the loop."""
    forces = [
        JointSpring(name="spring", joint="A", stiffness=5.0, rest=0.4),
        JointDamper(name="damper", joint="B", damping=0.5),
        JointDamper(name="closing", joint="D", damping=0.3),
        Servo(name="servo", joint="C", stiffness=4.0, damping=0.2, signal=SIGNAL),
    ]
    return four_bar().changed(name="damped_four_bar", forces=forces)


DAMPED: dict[str, Callable[[], Mechanism]] = {
    "slider": slider,
    "arm": arm,
    "point spring": point_spring,
    "closed four-bar": closed_four_bar,
}
