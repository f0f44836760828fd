"""Curves of springs, dampers and servos: what they store is potential energy, what they give the account has too."""

from __future__ import annotations

import numpy as np
import pytest

from symvi import Simulator, Trajectory
from symvi.errors import ArgumentError
from symvi.mechanism import Body, Joint, JointDamper, JointSpring, Mechanism, PointSpring, Servo
from tests.support.quick import compiled_quickly  # noqa: F401

STEP, GRAVITY = 0.001, 9.81


def hanging(*forces, joint: str = "prismatic", **more) -> Mechanism:
    """Two kilograms on a rail that points up."""
    weight = Body(name="weight", mass=2.0, inertia=(0.02, 0.03, 0.04))
    rail = Joint(name="rail", type=joint, child="weight", axis=(0, 0, 1), **more)
    return Mechanism(name="hanging", bodies=[weight], joints=[rail], forces=forces)


def machine() -> Mechanism:
    """A cylindrical joint with a spring and a damper, a swing with a sinusoidal spring, a ball joint with a damper, and
    a spring with a damper between points of two bodies."""
    bodies = [
        Body(name=name, mass=1.0, inertia=(0.02, 0.03, 0.04), center_of_mass=(0.05, 0.1, 0.0))
        for name in ("sleeve", "swing", "ball")
    ]
    joints = [
        Joint(name="tube", type="cylindrical", child="sleeve", axis=(0, 0, 1), velocity=(0.3, 2.0)),
        Joint(name="pin", type="revolute", parent="sleeve", child="swing", axis=(0, 1, 0), child_anchor=(0, 0, 0.3)),
        Joint(name="socket", type="spherical", child="ball", parent_anchor=(1, 0, 0), velocity=(1.0, -2.0, 0.5)),
    ]
    forces = [
        JointSpring(name="coil", joint="tube", stiffness=(50.0, 3.0), rest=(-0.1, 0.2)),
        JointDamper(name="oil", joint="tube", damping=(0.5, 0.02)),
        JointSpring(name="wave", joint="pin", stiffness=2.0, rest=0.7, law="sinusoidal"),
        JointSpring(name="twist", joint="socket", stiffness=1.5),
        JointDamper(name="grease", joint="socket", damping=0.05),
        PointSpring(name="cord", parent="swing", child="ball", parent_anchor=(0, 0.1, 0), child_anchor=(0.1, 0, 0),
                    stiffness=8.0, length=0.6, damping=0.1),
    ]  # fmt: skip
    return Mechanism(name="machine", bodies=bodies, joints=joints, forces=forces)


SPRINGS = ("coil", "wave", "twist", "cord")


@pytest.fixture(scope="module", params=[{}, {"coil.rest": (0.0, 0.1), "cord.length": 0.5, "wave.rest": 0.3}], ids=str)
def motion(request) -> Trajectory:
    return Simulator(machine(), parameters=request.param).simulate(1.0, STEP)


def test_what_springs_store_and_weights_make_the_potential_energy(motion: Trajectory) -> None:
    """The generated C sums it; here it is put together from one curve for each spring."""
    centres = motion.position + _turned(motion)
    lifted = GRAVITY * centres[:, :, 2].sum(axis=1)
    stored = sum(motion.curves[f"{name}.energy"] for name in SPRINGS)
    assert lifted + stored == pytest.approx(motion.potential_energy, abs=1e-11)


def _turned(motion: Trajectory) -> np.ndarray:
    """(N, n, 3) centres of mass from the origins of the bodies, by quaternions."""
    w, v = motion.orientation[..., :1], motion.orientation[..., 1:]
    arm = np.broadcast_to((0.05, 0.1, 0.0), v.shape)
    return arm + 2 * np.cross(v, np.cross(v, arm) + w * arm)


def test_works_are_those_of_the_account(motion: Trajectory) -> None:
    """A spring gives what it stores no more, to the order of the step; dampers take what the account calls theirs."""
    curves = motion.curves
    for name in ("coil", "wave", "twist"):
        given = curves[f"{name}.energy"][0] - curves[f"{name}.energy"]
        assert curves[f"{name}.work"] == pytest.approx(given, abs=2e-5), name
    fallen = curves["cord.energy"][0] - curves["cord.energy"]
    in_cord = fallen - curves["cord.work"]
    assert in_cord[-1] > 0.01 and np.all(np.diff(in_cord) > -1e-6)
    taken = in_cord - curves["oil.work"] - curves["grease.work"]
    assert motion.dissipation["dampers"] == pytest.approx(taken, abs=2e-5)


@pytest.mark.parametrize(("name", "joint"), [("coil", "tube"), ("oil", "tube"), ("wave", "pin"), ("twist", "socket")])
def test_a_power_is_a_force_times_a_rate(motion: Trajectory, name: str, joint: str) -> None:
    """Of the mean of both knots, to second order."""
    product = (motion.curves[f"{name}.force"] * motion.rates(joint)).sum(axis=1)
    power = motion.curves[f"{name}.power"]
    assert np.isnan(power[0])
    assert power[1:-1] == pytest.approx((product[1:-1] + product[:-2]) / 2, abs=2e-3 * np.abs(product).max())


def test_dampers_of_a_ball_joint_act_on_its_angular_velocity(motion: Trajectory) -> None:
    force = motion.curves["grease.force"]
    spin = motion.angular_velocity[:, 2]  # the parent is the world; sizes are the same in all axes
    assert np.linalg.norm(force, axis=1) == pytest.approx(0.05 * np.linalg.norm(spin, axis=1), rel=1e-9)
    power = -(force**2).sum(axis=1) / 0.05
    assert motion.curves["grease.power"][1:-1] == pytest.approx((power[1:-1] + power[:-2]) / 2, abs=1e-3)


def test_a_cord_pulls_with_stiffness_and_damping(motion: Trajectory) -> None:
    """By differences of its length, which is told by placements alone."""
    ends = [motion.curves[f"{body}.position"] for body in ("swing", "ball")]
    for k, (body, arm) in enumerate((("swing", (0, 0.1, 0)), ("ball", (0.1, 0, 0)))):
        q = motion.curves[f"{body}.orientation"]
        w, v = q[:, :1], q[:, 1:]
        arms = np.broadcast_to(arm, v.shape)
        ends[k] = ends[k] + arms + 2 * np.cross(v, np.cross(v, arms) + w * arms)
    length = np.linalg.norm(ends[1] - ends[0], axis=1)
    rest = motion.settings.get("cord.length", (0.6,))[0]
    expected = 8.0 * (rest - length) - 0.1 * np.gradient(length, STEP)
    assert motion.curves["cord.force"][1:-1, 0] == pytest.approx(expected[1:-1], abs=1e-3)


@pytest.mark.parametrize("force", [
    JointSpring(name="coil", joint="rail", stiffness=100.0),
    PointSpring(name="coil", child="weight", parent_anchor=(0, 0, 1.0), stiffness=100.0, length=1.0),
    Servo(name="coil", joint="rail", stiffness=100.0, damping=5.0),
])  # fmt: skip
def test_what_holds_a_weight_is_its_weight(force) -> None:
    """At rest where the spring is longer by m g/k; a cord from above pulls, so that its force is negative."""
    motion = Simulator(hanging(force, coordinate=-2.0 * GRAVITY / 100.0)).simulate(0.1, 0.01)
    sign = -1.0 if isinstance(force, PointSpring) else 1.0
    assert motion.curves["coil.force"] == pytest.approx(np.full((11, 1), sign * 2.0 * GRAVITY), rel=1e-6)
    assert motion.curves.columns(["coil.force"])[0].unit == "N"


def test_a_servos_force_follows_targets_and_gains_of_the_run() -> None:
    servo = Servo(name="hold", joint="rail", stiffness=100.0, damping=5.0)
    gains = {"hold.stiffness": np.linspace(100.0, 300.0, 11), "hold.target": np.linspace(0.0, 0.1, 11)}
    motion = Simulator(hanging(servo)).simulate(0.1, 0.01, inputs=gains)
    behind = gains["hold.target"] - motion.coordinates("rail")[:, 0]
    expected = gains["hold.stiffness"] * behind + 5.0 * (0.0 - motion.rates("rail")[:, 0])
    assert motion.curves["hold.force"][:, 0] == pytest.approx(expected, rel=1e-9)


def test_a_weight_that_sinks_evenly_is_held_by_the_damper() -> None:
    oil = JointDamper(name="oil", joint="rail", damping=40.0)
    motion = Simulator(hanging(oil, velocity=-2.0 * GRAVITY / 40.0)).simulate(0.2, 0.01)
    assert motion.curves["oil.force"][1:] == pytest.approx(np.full((20, 1), 2.0 * GRAVITY), rel=1e-6)
    assert motion.curves["oil.power"][1:] == pytest.approx(np.full(20, -((2.0 * GRAVITY) ** 2) / 40.0), rel=1e-6)


def test_what_was_not_recorded_is_said() -> None:
    forces = [JointSpring(name="coil", joint="rail", stiffness=9.0), JointDamper(name="oil", joint="rail", damping=1.0)]
    motion = Simulator(hanging(*forces)).simulate(0.1, 0.01, record=["coordinates"])
    assert motion.curves["coil.force"].shape == (11, 1)
    with pytest.raises(ArgumentError, match=r"not recorded: oil.force \(of 'rates'\)"):
        _ = motion.curves["oil.force"]
    with pytest.raises(ArgumentError, match=r"not recorded: coil.power \(of 'energy'\)"):
        _ = motion.curves["coil.power"]
    servo = Servo(name="hold", joint="rail", stiffness=9.0, damping=1.0)
    motion = Simulator(hanging(servo)).simulate(0.1, 0.01, record=["rates"])
    with pytest.raises(ArgumentError, match=r"not recorded: hold.force \(of 'inputs'\)"):
        _ = motion.curves["hold.force"]
