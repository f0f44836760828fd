"""The program's elimination against a dense solve of its Newton matrix, made by complex steps of the residual.

Every joint, relation and force type takes part; states and velocities are arbitrary (far from assembled), because the
algebra must hold everywhere. Reason of the tolerance: unpivoted LU of a few hundred unknowns, growth 1e3 to 1e4.
"""

from __future__ import annotations

import numpy as np
import pytest

from symvi.mechanism import (
    JOINT_TYPES,
    Actuator,
    Body,
    Coupling,
    Driver,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    PointSpring,
    Potential,
    Servo,
    Wrench,
    constraint_count,
    coordinate_count,
)
from symvi.program.compose import compose
from tests.support.newton import DenseNewton

BACKWARD = 1e-13


def body(name: str, scale: float = 1.0) -> Body:
    inertia = tuple(scale * x for x in (0.31, 0.42, 0.53, 0.03, -0.02, 0.05))
    return Body(name=name, mass=1.3 * scale, inertia=inertia, center_of_mass=(0.02, -0.03, 0.04))


def joint(name: str, kind: str, parent: str, child: str, **more) -> Joint:
    extra = {
        "screw": {"pitch": 0.1},
        "distance": {"length": 0.7},
        "universal": {"child_axis": (1.0, 0.0, 0.0), "axis": (0.0, 0.0, 1.0)},
        "custom": {
            "expressions": ("x_b[0] - k*x_a[1]*R_a[0,1] + q_b[2]*q_a[1]", "x_b[2]*x_b[2] + R_b[1,2] - k"),
            "parameters": {"k": 0.3},
        },
    }.get(kind, {})
    values = (
        {"parent_anchor": (0.1, 0.2, -0.3), "child_anchor": (0.2, -0.1, 0.4), "axis": (0.3, 0.5, 0.8)} | extra | more
    )
    return Joint(name=name, type=kind, parent=parent, child=child, **values)


def arbitrary(newton: DenseNewton, seed: int) -> None:
    """Placements, velocities, impulses and inputs without any order, inside the domain of the half turn."""
    random = np.random.default_rng(seed)
    for state, work in zip(newton.memory.state["body"], newton.bodies, strict=True):
        state.x[:] = list(random.normal(size=3) + 0j)
        q = random.normal(size=4)
        state.q[:] = list(q / np.linalg.norm(q) + 0j)
        state.p[:], state.l[:] = list(random.normal(size=3) + 0j), list(random.normal(size=3) + 0j)
        work.v[:], work.w[:] = list(random.normal(size=3) + 0j), list(random.normal(size=3) * 5 + 0j)
    for record in newton.constraints:
        record.y[:] = list(random.normal(size=len(record.y)) + 0j)
    for kind in newton.memory.input.values():
        for record in kind:
            for values in vars(record).values():
                values[:] = list(random.normal(size=len(values)) + 0j)


def check(mechanism: Mechanism, seed: int = 1, step: float = 0.01) -> None:
    newton = DenseNewton(compose(mechanism), step)
    arbitrary(newton, seed)
    newton.run("prepare")
    residual, matrix = newton.residual(), newton.matrix()
    solution = newton.solved()
    error = np.abs(matrix @ solution - residual).max()
    assert error <= BACKWARD * (np.abs(matrix).max() * np.abs(solution).max() + np.abs(residual).max()) * 10
    dense = np.linalg.solve(matrix, residual)
    assert np.abs(solution - dense).max() <= 1e-12 * np.linalg.cond(matrix) * np.abs(dense).max()


CONSTRAINING = [kind for kind in JOINT_TYPES if kind not in ("floating",)]


@pytest.mark.parametrize("kind", CONSTRAINING)
def test_joint_between_two_bodies(kind: str) -> None:
    bodies = [body("first"), body("second", 0.7)]
    joints = [joint("hinge", "revolute", "world", "first"), joint("tested", kind, "first", "second")]
    if kind == "custom":  # its rows on the child alone may lack rank
        joints.append(joint("held", "spherical", "world", "second"))
        joints = [joints[0], joints[2], joints[1]]
    check(Mechanism(name="pair", bodies=bodies, joints=joints))


@pytest.mark.parametrize("kind", [k for k in CONSTRAINING if k != "custom"])
def test_joint_to_the_world(kind: str) -> None:
    check(Mechanism(name="single", bodies=[body("only")], joints=[joint("tested", kind, "world", "only")]))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "kind", [k for k in JOINT_TYPES if coordinate_count(joint("x", k, "a", "b")) and k != "floating"]
)
def test_dampers_and_springs_along_every_coordinate(kind: str) -> None:
    bodies = [body("first"), body("second", 0.7), body("third", 0.4)]
    joints = [
        joint("root", "revolute", "world", "first"),
        joint("tested", kind, "first", "second"),
        joint("last", "spherical", "second", "third"),
    ]
    count = coordinate_count(joints[1])
    forces = [
        JointDamper(name="damper", joint="tested", damping=tuple(0.3 + 0.1 * k for k in range(count))),
        JointSpring(
            name="spring",
            joint="tested",
            stiffness=tuple(2.0 + k for k in range(count)),
            rest=tuple(0.1 * k for k in range(count)),
        ),
        JointDamper(name="other_damper", joint="last", damping=0.2),
        JointDamper(name="ground_damper", joint="root", damping=0.5),
        Actuator(name="motor", joint="tested"),
    ]
    check(Mechanism(name="damped", bodies=bodies, joints=joints, forces=forces))


def test_every_other_force_and_relation() -> None:
    bodies = [body("first"), body("second", 0.7), body("third", 0.4)]
    joints = [
        joint("root", "revolute", "world", "first"),
        joint("knee", "revolute", "first", "second"),
        joint("slide", "cylindrical", "second", "third"),
        joint("turn", "prismatic", "world", "third"),
    ]
    joints = joints[:3]
    forces = [
        Servo(name="servo", joint="knee", stiffness=5.0, damping=0.4),
        PointSpring(
            name="rope", parent="first", child="third", stiffness=3.0, length=0.2, child_anchor=(0.1, 0.0, 0.2)
        ),
        Wrench(name="push", body="second", frame="body", point=(0.1, 0.2, 0.3)),
        Wrench(name="pull", body="third"),
        JointSpring(name="sine", joint="knee", stiffness=2.0, rest=0.3, law="sinusoidal"),
        Potential(
            name="own",
            parent="first",
            child="second",
            expression="k*(x_a[0] - x_b[1])**2 + R_b[2,1]*q_a[3]",
            parameters={"k": 2.0},
        ),
    ]
    check(Mechanism(name="forces", bodies=bodies, joints=joints, forces=forces))
    driven = Mechanism(
        name="driven", bodies=bodies, joints=joints, drivers=[Driver(name="drive", joint="knee", signal="0.3*t")]
    )
    check(driven)
    geared = Mechanism(
        name="geared",
        bodies=bodies,
        joints=joints,
        couplings=[Coupling(name="gear", joints=("root", "knee"), ratio=-2.0, offset=0.1)],
    )
    check(geared)


def test_loops_with_many_later_neighbours() -> None:
    """A ring of sphericals with chords: fill-in, nodes eliminated in parts. Spherical rows are never redundant."""
    n = 7
    bodies = [body(f"b{k}", 1.0 + 0.1 * k) for k in range(n)]
    joints = [joint(f"j{k}", "spherical", f"b{k - 1}" if k else "world", f"b{k}") for k in range(n)]
    joints += [joint(f"c{k}", "distance", f"b{k}", f"b{(k + 3) % n}") for k in range(4)]
    joints += [joint("closing", "spherical", f"b{n - 1}", "b1"), joint("anchor", "planar_free", "world", f"b{n - 2}")]
    check(Mechanism(name="net", bodies=bodies, joints=joints))


def test_floating_components_and_branches() -> None:
    bodies = [body(name) for name in ("a", "b", "c", "d", "e", "f")]
    joints = [
        joint("ab", "revolute", "a", "b"),
        joint("ac", "universal", "a", "c"),
        joint("cd", "prismatic", "c", "d"),
        joint("ef", "fixed", "e", "f"),
    ]
    check(Mechanism(name="floating", bodies=bodies, joints=joints))


def test_every_type_takes_part() -> None:
    """The tables drive the tests above: a new joint type is checked without a new test line."""
    assert {k for k in JOINT_TYPES if constraint_count(joint("x", k, "a", "b"))} <= set(CONSTRAINING)
