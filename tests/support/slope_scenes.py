"""Mechanisms in the midst of a motion, one for everything that a step may hold: for derivatives of steps."""

from __future__ import annotations

from collections.abc import Callable

from symvi import load
from symvi.demos import demo_file
from symvi.mechanism import (
    Actuator,
    Body,
    Contact,
    Coupling,
    Driver,
    DryFriction,
    Joint,
    JointDamper,
    JointSpring,
    Limit,
    Mechanism,
    PointSpring,
    Rod,
    Servo,
    Wrench,
)

Scene = tuple[Mechanism, dict[str, float]]


def _rod(name: str, length: float = 0.4, mass: float = 0.5) -> Body:
    return Body(name=name, mass=mass, shape=Rod(length=length, radius=0.02, position=(0, 0, -length / 2)))


def _hinge(name: str, parent: str, child: str, **more) -> Joint:
    return Joint(name=name, type="revolute", parent=parent, child=child, axis=(0.2, 1, 0.1), **more)


def _arm(name: str, **more) -> Mechanism:
    """Two rods on skew hinges, moving."""
    joints = [
        _hinge("shoulder", "world", "upper", coordinate=0.7, velocity=1.5),
        _hinge("elbow", "upper", "lower", parent_anchor=(0, 0, -0.4), coordinate=0.5, velocity=-2.0),
    ]
    return Mechanism(name=name, bodies=[_rod("upper"), _rod("lower")], joints=joints, **more)


def _chain(name: str, first: dict, second: dict) -> Mechanism:
    joints = [
        Joint(name="first", child="upper", **first),
        Joint(name="second", parent="upper", child="lower", parent_anchor=(0, 0, -0.4), **second),
    ]
    return Mechanism(name=name, bodies=[_rod("upper"), _rod("lower")], joints=joints)


def _pair() -> Scene:
    return _arm("pair", forces=[Actuator(name="motor", joint="elbow")]), {"motor.force": 0.3}


def _damped() -> Scene:
    forces = [
        JointDamper(name="damper", joint="elbow", damping=0.3),
        JointSpring(name="spring", joint="shoulder", stiffness=5.0),
    ]
    return _arm("damped", forces=forces), {}


def _servo() -> Scene:
    forces = [
        Servo(name="servo", joint="shoulder", stiffness=20.0, damping=0.5),
        JointDamper(name="damper", joint="elbow", damping=0.1),
    ]
    return _arm("servo", forces=forces), {"servo.target": 0.3}


def _driven() -> Scene:
    return _arm("driven", drivers=[Driver(name="motor", joint="shoulder", signal="0.7 + 1.5*t - 0.5*t**2")]), {}


def _pulled() -> Scene:
    spring = PointSpring(
        name="spring", parent="world", child="lower", child_anchor=(0, 0, -0.4), parent_anchor=(0.3, 0.1, -0.2),
        stiffness=30.0, damping=1.0, length=0.1,
    )  # fmt: skip
    return _arm("pulled", forces=[spring, Wrench(name="push", body="lower")]), {"push.force": 0.2}


def _balls() -> Scene:
    return _chain(
        "balls",
        {"type": "spherical", "coordinate": (0.3, -0.2, 0.1), "velocity": (1.0, 2.0, -1.0)},
        {"type": "universal", "coordinate": (0.2, 0.4), "velocity": (1.0, -1.5)},
    ), {}


def _slides() -> Scene:
    return _chain(
        "slides",
        {"type": "prismatic", "axis": (1, 0.2, 0), "velocity": 0.4},
        {"type": "cylindrical", "axis": (0, 1, 0), "coordinate": (0.1, 0.6), "velocity": (0.2, 2.0)},
    ), {}


def _geared() -> Scene:
    joints = [
        _hinge("one", "world", "upper", coordinate=0.3, velocity=1.0),
        _hinge("other", "world", "lower", parent_anchor=(0.5, 0, 0), coordinate=0.6, velocity=2.0),
    ]
    gear = Coupling(name="gear", joints=("one", "other"), ratio=0.5)
    return Mechanism(name="geared", bodies=[_rod("upper"), _rod("lower")], joints=joints, couplings=[gear]), {}


def _free() -> Scene:
    body = Body(name="top", mass=1.0, inertia=(0.1, 0.2, 0.3), velocity=(0.1, 0.2, 0.3), angular_velocity=(1, 2, 3))
    return Mechanism(name="free", bodies=[body]), {}


def _limited() -> Scene:
    return _arm("limited", limits=[Limit(name="stop", joint="elbow", lower=-0.2, upper=0.52)]), {}


def _rubbing() -> Scene:
    return _arm("rubbing", forces=[DryFriction(name="rub", joint="shoulder", bound=0.4)]), {}


def _sphere() -> Scene:
    ball = Body(
        name="ball", mass=0.3, inertia=(5e-4, 6e-4, 7e-4), position=(0, 0, 0.051), velocity=(0.6, 0.2, -0.2),
        angular_velocity=(2, 0, 1),
    )  # fmt: skip
    floor = Contact(name="floor", child="ball", radius=0.05, friction=0.4)
    return Mechanism(name="sphere", bodies=[ball], contacts=[floor]), {}


def _four_bar() -> Scene:
    return load(demo_file("four_bar")).mechanism, {}


def _governor() -> Scene:
    return load(demo_file("governor")).mechanism, {}


def _slider_crank() -> Scene:
    return load(demo_file("slider_crank")).mechanism, {}


_MAKERS: dict[str, Callable[[], Scene]] = {
    make.__name__[1:]: make
    for make in (
        _pair, _damped, _servo, _driven, _pulled, _balls, _slides, _geared, _free, _limited, _rubbing, _sphere,
        _four_bar, _governor, _slider_crank,
    )
}  # fmt: skip
SCENES = tuple(_MAKERS)


def scene(name: str) -> Scene:
    """A mechanism, and what drives it."""
    return _MAKERS[name]()
