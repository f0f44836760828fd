"""Bodies without inertia about some axis: legal where a joint holds that rotation, refused by name where none does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from symvi.analysis.loops import analyse
from symvi.errors import MechanismError
from symvi.mechanism import Body, Joint, JointDamper, Mechanism, start_state
from symvi.program.compose import compose
from symvi.simulate.simulator import Simulator
from symvi.simulate.solver_state import solver_state
from tests.support.newton import DenseNewton

X = (1.0, 0.0, 0.0)
POINT, LINE = (0.0, 0.0, 0.0), (0.3, 0.3, 0.0)


def rope(count: int, inertia: tuple = POINT, joint: str = "revolute", **others) -> Mechanism:
    """Masses of 1 kg on massless rods of 1 m, the first at 0.5 rad from straight down."""
    bodies = [Body(name=f"mass{k}", mass=1.0, inertia=inertia) for k in range(count)]
    joints = [
        Joint(
            name=f"pin{k}",
            type=joint,
            parent=f"mass{k - 1}" if k else "world",
            child=f"mass{k}",
            child_anchor=(0, 0, 1.0),
            axis=X,
            coordinate=0.5 if joint == "revolute" else None,
        )
        for k in range(count)
    ]
    return Mechanism(name="rope", bodies=bodies, joints=[*joints, *others.pop("joints", ())], **others)


def backward_error(mechanism: Mechanism) -> float:
    """Of one Newton increment, at random velocities, relative to the residual."""
    newton = DenseNewton(compose(mechanism, analyse(mechanism)), 0.01)
    values, random = solver_state(mechanism, start_state(mechanism)), np.random.default_rng(1)
    for k, (record, work) in enumerate(zip(newton.memory.state["body"], newton.bodies, strict=True)):
        record.x[:], record.q[:] = [list(values[name][k] + 0j) for name in "xq"]
        work.v[:], work.w[:], record.p[:] = [list(random.normal(size=3) + 0j) for _ in range(3)]
    newton.run("prepare")
    residual, matrix = newton.residual(), newton.matrix()
    return float(np.abs(matrix @ newton.solved() - residual).max() / np.abs(residual).max())


def test_a_point_mass_swings_like_the_textbook_pendulum() -> None:
    """theta'' = -g/l sin theta; the error is that of the scheme, h² times what theta does."""
    motion = Simulator(rope(1)).simulate(2.0, 1e-3)
    exact = solve_ivp(
        lambda t, y: (y[1], -9.81 * np.sin(y[0])), (0, 2), (0.5, 0.0), rtol=1e-12, atol=1e-12, t_eval=motion.time
    )
    swing = np.arctan2(motion.position[:, 0, 1], -motion.position[:, 0, 2])
    assert np.abs(swing - exact.y[0]).max() < 2e-6
    assert motion.closure.max() < 1e-13 and not motion.status.any()


def test_a_rope_of_point_masses_keeps_its_energy() -> None:
    motion = Simulator(rope(4)).simulate(5.0, 0.005)
    energy = motion.kinetic_energy + motion.potential_energy
    assert np.abs(energy - energy[0]).max() < 5e-3 * np.ptp(motion.potential_energy)
    assert motion.closure.max() < 1e-12


def reversed_rope() -> Mechanism:
    """A rope in which a middle joint names its bodies from below upwards."""
    joints = list(rope(3).joints)
    joints[1] = joints[1].changed(
        parent="mass1", child="mass0", parent_anchor=(0, 0, 1.0), child_anchor=(0, 0, 0), coordinate=None
    )
    places = [b.changed(position=(0.0, 0.1 * k, -0.9 * k)) for k, b in enumerate(rope(3).bodies)]
    return rope(3).changed(bodies=places, joints=joints)


def damped_rope(first: str, second: str) -> Mechanism:
    loose = Joint(name="loose", type="floating", parent=first, child=second)
    brake = JointDamper(name="brake", joint="loose", damping=(0.3, 0.2, 0.1, 0.03, 0.02, 0.01))
    return rope(3, joints=[loose], forces=[brake])


@pytest.mark.parametrize(
    "mechanism",
    [
        rope(1),
        rope(3),
        rope(1, LINE),
        rope(2, joint="fixed"),
        reversed_rope(),
        damped_rope("mass0", "mass1"),
        damped_rope("mass1", "mass0"),
    ],
)
def test_the_joint_in_the_pivot_changes_no_solution(mechanism: Mechanism) -> None:
    """Two dampers or pivots on one pair of bodies, named either way round, share one pair of blocks."""
    assert backward_error(mechanism) < 1e-14


def test_ordinary_bodies_have_ordinary_pivots() -> None:
    assert analyse(rope(2, (0.1, 0.1, 0.1))).pivots == {}
    assert analyse(rope(2)).pivots == {"mass0": "pin0", "mass1": "pin1"}


@pytest.mark.parametrize(
    "inertia, joint", [(POINT, "spherical"), (LINE, "spherical"), (POINT, "distance"), (POINT, "floating")]
)
def test_what_nothing_holds_is_refused_by_name(inertia: tuple, joint: str) -> None:
    mechanism = rope(2, inertia)
    second = mechanism.joints[1].changed(
        type=joint, coordinate=None, **({"length": 1.0} if joint == "distance" else {})
    )
    loose = mechanism.changed(
        joints=[mechanism.joints[0], second],
        bodies=[mechanism.bodies[0], mechanism.bodies[1].changed(position=(0.0, 0.5, -2.0))],
    )
    with pytest.raises(MechanismError, match="body 'mass1': has no inertia about .* no joint alone holds") as error:
        analyse(loose)
    assert len(error.value.problems) == 1


def test_a_point_mass_on_its_own_axis_is_refused() -> None:
    """A hinge holds no turn about its own axis, and a point on it has no lever either."""
    bob = Body(name="bob", mass=1.0, inertia=POINT)
    pin = Joint(name="pin", type="revolute", child="bob", child_anchor=(1.0, 0.0, 0.0), axis=X)
    with pytest.raises(MechanismError, match=r"body 'bob': has no inertia about"):
        analyse(Mechanism(name="spinner", bodies=[bob], joints=[pin]))
