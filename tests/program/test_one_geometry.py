"""A joint's geometry is built once on the way from a mechanism to its program, and handed on to all that acts there."""

from __future__ import annotations

from collections import Counter

import pytest

from symvi.errors import MechanismError
from symvi.mechanism import Actuator, Coupling, Driver, DryFriction, JointDamper, JointSpring, Limit, Mechanism, Servo
from symvi.physics.joints import Geometry
from symvi.physics.multibody import MultibodySystem
from symvi.simulate.solver_build import composed
from tests.support.pendulums import chain


def busy_arm() -> Mechanism:
    """Five links, with everything that acts along a joint."""
    arm = chain(5)
    first, second, third, fourth, fifth = (joint.name for joint in arm.joints)
    acting = [
        JointSpring(name="spring", joint=first, stiffness=2.0),
        JointDamper(name="damper", joint=first, damping=0.1),
        DryFriction(name="rubbing", joint=second, bound=0.2),
        Servo(name="servo", joint=second, stiffness=3.0, damping=0.2),
        Actuator(name="motor", joint=third),
    ]
    return arm.changed(
        forces=acting,
        limits=[Limit(name="stop", joint=second, lower=-1.0, upper=1.0)],
        couplings=[Coupling(name="gear", joints=(third, fourth), ratio=2.0)],
        drivers=[Driver(name="drive", joint=fifth)],
    )


def test_every_joint_has_one_geometry(monkeypatch):
    built, begin = Counter(), Geometry.__init__

    def counted(self, mechanism, joint, *more):
        built[joint.name] += 1
        begin(self, mechanism, joint, *more)

    monkeypatch.setattr(Geometry, "__init__", counted)
    mechanism = busy_arm()
    composed(mechanism)
    assert built == Counter(joint.name for joint in mechanism.joints)


def test_a_gear_sees_its_joints_among_four_bodies_and_leaves_them_as_they_are():
    """Witness: the description, in which the third joint ends where the fourth begins."""
    system = MultibodySystem(busy_arm())
    (gear,) = system.couplings
    assert gear.bodies == {"a": "link2", "b": "link3", "c": "link4"}
    assert {"j1_frame_a", "j2_frame_a"} < set(gear.parameters)
    assert set(system.joint("joint4").bodies.values()) == {"link3", "link4"}
    assert "frame_a" in system.joint("joint4").parameters


def test_a_number_that_is_set_twice_must_stay():
    geometry = MultibodySystem(busy_arm()).geometry(busy_arm().joints[0].name)
    assert geometry.set("pitch", (0.3,), "advance") == geometry.set("pitch", (0.3,), "advance")
    with pytest.raises(MechanismError, match="number 'pitch' is set twice, and differs"):
        geometry.set("pitch", (0.4,), "advance")
