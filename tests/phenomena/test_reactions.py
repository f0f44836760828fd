"""What joints push with: weights, centripetal forces, the third law along a chain.

The reaction of a joint is the force on its child and the torque about the anchor, in the axes of the joint frame.
test_equations_of_motion.py compares them with Newton and Euler for every joint in motion.
"""

import numpy as np
import pytest

from symvi.mechanism import Actuator, Body, Joint, Mechanism, Rod
from symvi.mechanism.rotation import about
from symvi.simulate import Simulator, SolverOptions, Trajectory
from tests.support.crooked_chains import crooked_chain
from tests.support.measuring import body_axes, centre, largest, observed_order
from tests.support.poses import Pose, multiply

STEP = 0.01
TIGHT = SolverOptions(tolerance=1e-12)
GRAVITY = np.array([1.0, -2.0, -9.81])
TURN = about((1, -1, 2), 0.9)


def load(joint: Joint, **elements) -> Mechanism:
    """A body on the world by a joint askew, its centre of mass beside the anchor."""
    body = Body(name="load", mass=2.0, inertia=(0.05, 0.06, 0.07, 0.01, -0.005, 0.008), center_of_mass=(0.1, 0.2, -0.3))
    return Mechanism(name="load", bodies=[body], joints=[joint], **elements)


def askew(joint_type: str, **fields) -> Joint:
    anchors = {"parent_anchor": (0.5, 0.4, 1), "child_anchor": (0.3, -0.1, 0.2)}
    return Joint(name="joint", type=joint_type, child="load", orientation=TURN, **anchors, **fields)


ARM = np.array([0.1, 0.2, -0.3]) - np.array([0.3, -0.1, 0.2])  # from the anchor to the centre of mass, body axes


def test_a_fixed_joint_carries_weight_and_moment() -> None:
    """At rest, where the axes of joint and load agree: -m g, and minus the moment of the weight about the anchor."""
    trajectory = Simulator(load(askew("fixed"), gravity=tuple(GRAVITY))).simulate(0.1, STEP, options=TIGHT)
    weight = axes(TURN).T @ (2.0 * GRAVITY)
    expected = -np.concatenate([weight, np.cross(ARM, weight)])
    assert largest(trajectory.reactions["joint"][1:] - expected) < 1e-9  # 1e-12 m/s over a step, for 2 kg
    assert largest(trajectory.position - trajectory.position[0]) < 1e-14


def test_a_hinge_leaves_the_moment_about_its_axis_to_the_motor() -> None:
    """A torque that balances the weight about the axis keeps the load at rest; the hinge carries all the rest."""
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    weight = axes(TURN).T @ (2.0 * GRAVITY)
    moment = -np.cross(ARM, weight)
    motor = Actuator(name="motor", joint="joint", signal=repr(float(axis @ moment)))
    mechanism = load(askew("revolute", axis=tuple(axis)), gravity=tuple(GRAVITY), forces=[motor])
    trajectory = Simulator(mechanism).simulate(0.1, STEP, options=TIGHT)
    expected = np.concatenate([-weight, moment - axis * (axis @ moment)])
    assert largest(trajectory.reactions["joint"][1:] - expected) < 1e-9
    assert largest(trajectory.position - trajectory.position[0]) < 1e-13


def test_a_spinning_rod_is_held_by_the_centripetal_force() -> None:
    """m w^2 l/2 towards the hinge, turning with the rod; of second order in the step."""
    rod = Body(
        name="rod",
        mass=2.0,
        shape=Rod(length=1.2),
        center_of_mass=(0, 0, 0),
        angular_velocity=(4, 0, 0),
        velocity=(0, 2.4, 0),
    )
    hinge = Joint(name="hinge", type="revolute", child="rod", child_anchor=(0, 0, 0.6), axis=(1, 0, 0))
    simulator, errors = Simulator(Mechanism(name="rod", gravity=(0, 0, 0), bodies=[rod], joints=[hinge])), []
    for step in (0.01, 0.005):
        trajectory = simulator.simulate(1.0, step, options=TIGHT)
        inward = body_axes(trajectory, "rod", (0, 0, 1))
        force = trajectory.reactions["hinge"][1:, :3]
        errors.append(largest(force - 2.0 * 4.0**2 * 0.6 * inward[:-1]))
        assert largest(np.cross(force, inward[:-1])) < 1e-9
        assert largest(trajectory.reactions["hinge"][1:, 3:]) < 1e-9
    assert errors[-1] < 2e-3 * 19.2
    assert observed_order(errors) == pytest.approx(2.0, abs=0.05)


@pytest.mark.parametrize("joint_type", ["revolute", "spherical"])
def test_every_action_has_its_reaction_along_a_chain(joint_type: str) -> None:
    """A link's momentum changes by what its weight, its joint and, with a minus, the next joint give: exactly."""
    mechanism = crooked_chain(6, joint_type)
    trajectory = Simulator(mechanism).simulate(0.5, STEP, options=TIGHT)
    forces = {joint.child: in_world(trajectory, joint) for joint in mechanism.joints}
    for k, body in enumerate(mechanism.bodies):
        below = mechanism.bodies[k + 1].name if k + 1 < len(mechanism.bodies) else None
        change = body.mass * np.diff(centre(trajectory, body.name), 2, axis=0) / STEP**2
        acting = forces[body.name] - (forces[below] if below else 0.0) + body.mass * np.array(mechanism.gravity)
        assert largest(acting) > 0.1
        assert (
            largest(change - acting[1:]) < 1e-9
        )  # second differences of positions: 1e-15/h^2 = 1e-11, and Newton's 1e-10


def in_world(trajectory: Trajectory, joint: Joint) -> np.ndarray:
    """(N - 1, 3): the force on the child at every knot but the last, in world axes; it comes with the next knot."""
    force = trajectory.reactions[joint.name][1:, :3]
    frames = [axes(multiply(q, np.array(joint.orientation))) for q in parent_attitudes(trajectory, joint)[:-1]]
    return np.einsum("nij,nj->ni", frames, force)


def parent_attitudes(trajectory: Trajectory, joint: Joint) -> np.ndarray:
    if joint.parent == "world":
        return np.tile([1.0, 0.0, 0.0, 0.0], (len(trajectory), 1))
    return trajectory.orientation[:, trajectory.body(joint.parent)]


def axes(quaternion) -> np.ndarray:
    """(3, 3): the axes that an orientation has in the world, one a column."""
    return Pose(np.zeros(3), np.array(quaternion)).R
