"""Loops in joint coordinates: rows outside the tree are carried inward; the motion is that of maximal coordinates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from symvi import (
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
    Simulator,
    SolverOptions,
)
from symvi.demos import demo_file
from symvi.mechanism import start_state
from symvi.program.info import ITERATION
from symvi.simulate.solver_build import composed
from tests.support import contact_scenes, linkages, loops
from tests.tree.chains import tree

TIGHT = SolverOptions(tolerance=1e-12, complementarity=1e-10)


def demo(name: str) -> Mechanism:
    return Mechanism.from_file(demo_file(name))


def geared() -> Mechanism:
    """A chain of hinges, the third geared to the first, the second driven."""
    return tree("geared", ("revolute",) * 4).changed(
        couplings=[Coupling(name="gear", joints=("j0", "j2"), ratio=2.0)],
        drivers=[Driver(name="motor", joint="j1")],
    )


def driven_twice() -> Mechanism:
    """A driver with a row, of a ball, and one that leads its hinge."""
    chain = tree("driven_twice", ("spherical", "revolute", "revolute"))
    drivers = [Driver(name="ball", joint="j0", coordinate=1), Driver(name="hinge", joint="j1")]
    return chain.changed(drivers=drivers)


def held_afloat() -> Mechanism:
    """A loop of balls that nothing holds."""
    ring = loops.closed_chain(5, "spherical")
    return ring.changed(gravity=(0.0, 0.0, 0.0))


def sprung_ring() -> Mechanism:
    """A loop of balls, one of which is sprung and damped along its three rotations."""
    ring = loops.closed_chain(5, "spherical")
    joint = ring.joints[1].name
    laws = JointSpring(name="rubber", joint=joint, stiffness=30.0), JointDamper(name="grease", joint=joint, damping=0.4)
    return ring.changed(forces=[*ring.forces, *laws])


def screwed() -> Mechanism:
    """A chain with a screw whose turn is geared to a hinge, and a ball that a driver turns a body about."""
    return tree("screwed", ("revolute", "screw", "revolute")).changed(
        couplings=[Coupling(name="gear", joints=("j0", "j2"), ratio=2.0)],
        drivers=[Driver(name="motor", joint="j1", coordinate=0)],
    )


def slid_inward() -> Mechanism:
    """A chain held by a rod, whose second joint leads from its child and slides along axes of what it carries."""
    chain = tree("slid_inward", ("revolute", "planar_axis", "revolute"), inward=(1,))
    ends = dict(zip(("b0", "b1", "b2"), start_state(chain).position.tolist(), strict=True))
    length = float(np.linalg.norm(np.subtract(ends["b2"], (0.4, -0.3, 0.2))))
    rod = Joint(name="rod", type="distance", child="b2", parent_anchor=(0.4, -0.3, 0.2), length=length)
    return chain.changed(joints=[*chain.joints, rod])


# rows that are independent, rows of which some are dropped, loops that share joints, gears and drivers
ALL: dict[str, Callable[[], Mechanism]] = {
    "four-bar with a ball": lambda: loops.three_link_loop("spherical"),
    "Bennett's loop": linkages.bennett,
    "a loop in space": lambda: linkages.skew_polygon("spherical"),
    "four-bar": lambda: demo("four_bar"),
    "five bars on balls": held_afloat,
    "four windows in a row": lambda: loops.double_four_bar(4),
    "bars in a row": lambda: loops.four_bar_chain(3),
    "scissor lift": lambda: loops.scissor_lift(3),
    "gear and driver": geared,
    "balls, one sprung": sprung_ring,
    "screw, gear and driver": screwed,
    "a driver that leads and one that does not": driven_twice,
    "inward slides": slid_inward,
    "geared cranks": linkages.geared_cranks,
    "slider-crank": lambda: demo("slider_crank"),
    "strandbeest": lambda: demo("strandbeest"),
}


@pytest.mark.parametrize("name", ALL)
def test_loops_move_as_in_maximal_coordinates(name: str) -> None:
    mechanism = ALL[name]()
    maximal, tree = (
        Simulator(mechanism, coordinates=kind).simulate(0.2, 0.01, options=TIGHT) for kind in ("maximal", "tree")
    )
    assert np.abs(maximal.position[1] - tree.position[1]).max() < 1e-12
    for field in ("position", "orientation", "velocity", "kinetic_energy"):
        assert np.abs(getattr(maximal, field) - getattr(tree, field)).max() < 1e-9
    assert tree.closure.max() < 1e-12
    assert tree.work_names == maximal.work_names
    assert np.abs(maximal.work_values - tree.work_values).max(initial=0.0) < 1e-9
    for found in ("multipliers", "kept_reactions"):
        for joint, values in getattr(maximal, found).items():
            error = np.abs(values - getattr(tree, found)[joint]).max()
            assert error < 1e-8 * (1.0 + np.abs(values).max()), joint


@pytest.mark.parametrize("name", ["four-bar", "four windows in a row", "five bars on balls", "gear and driver"])
def test_both_back_ends_and_all_layouts_have_the_same_bits(name: str) -> None:
    mechanism = ALL[name]()
    runs = [
        Simulator(mechanism, coordinates="tree", **build).simulate(0.2, 0.01)
        for build in ({"backend": "python"}, {"layout": "unrolled"}, {"layout": "looped"}, {"layout": "inline"})
    ]
    for other in runs[1:]:
        assert np.array_equal(runs[0].resume, other.resume)


def test_a_planar_loop_costs_an_eighth() -> None:
    four_bar = demo("four_bar")
    maximal, tree = (
        sum(composed(four_bar, coordinates=kind).flops(phase) for phase in ITERATION) for kind in ("maximal", "tree")
    )
    assert 8 * tree < maximal


def test_a_walker_walks_alike() -> None:
    """Eighteen loops that share a crank, a driver, and contacts of six feet with the ground."""
    walker = demo("walker")
    maximal, tree = (
        Simulator(walker, coordinates=kind).simulate(0.1, 0.005, options=TIGHT) for kind in ("maximal", "tree")
    )
    assert np.abs(maximal.position - tree.position).max() < 1e-9


def test_an_open_loop_is_refused_and_closed_by_projection() -> None:
    from symvi import AssemblyError

    four_bar = demo("four_bar")
    joints = [j.changed(coordinate=0.93) if j.name == "crank_pin" else j for j in four_bar.joints]
    simulator = Simulator(four_bar.changed(joints=joints), coordinates="tree")
    with pytest.raises(AssemblyError, match="the start violates the constraints"):
        simulator.simulate(0.1, 0.01)
    assert simulator.simulate(0.1, 0.01, project=True).closure.max() < 1e-13


def test_a_loop_goes_on_where_it_stopped() -> None:
    simulator = Simulator(demo("four_bar"), coordinates="tree")
    whole, half = simulator.simulate(0.4, 0.01), simulator.simulate(0.2, 0.01)
    assert np.array_equal(simulator.simulate(0.2, 0.01, start=half).resume, whole.resume)


def with_laws(**more) -> Mechanism:
    """The four-bar with laws along all of its joints: one of these closes the loop."""
    four_bar = demo("four_bar")
    names = [joint.name for joint in four_bar.joints]
    return four_bar.changed(**{what: [law for name in names for law in make(name)] for what, make in more.items()})


def braced() -> Mechanism:
    """A chain with dampers across it, and to the ground."""
    return tree(
        "braced",
        ("revolute", "spherical", "universal", "revolute"),
        forces=[
            PointSpring(name="brace", parent="b0", child="b3", stiffness=50.0, damping=1.0, length=0.1),
            PointSpring(name="stay", parent="world", child="b2", stiffness=50.0, damping=0.5, length=0.1),
        ],
    )


LAWFUL: dict[str, Callable[[], Mechanism]] = {
    "springs and dampers": lambda: with_laws(
        forces=lambda name: (
            JointSpring(name=f"spring_{name}", joint=name, stiffness=3.0),
            JointDamper(name=f"damper_{name}", joint=name, damping=0.05),
        )
    ),
    "dry friction": lambda: with_laws(
        forces=lambda name: (DryFriction(name=f"brake_{name}", joint=name, bound=0.05),) if name != "rocker_pin" else ()
    ),
    "a stop": lambda: with_laws(
        forces=lambda name: (JointDamper(name=f"damper_{name}", joint=name, damping=0.05),),
        limits=lambda name: (Limit(name="stop", joint=name, upper=-0.4),) if name == "rocker_bearing" else (),
    ),
    "springs between bodies": braced,
    "governor": lambda: demo("governor"),
}


@pytest.mark.parametrize("name", LAWFUL)
def test_laws_along_joints_that_close_loops_and_between_branches(name: str) -> None:
    mechanism = LAWFUL[name]()
    maximal, tree = (
        Simulator(mechanism, coordinates=kind).simulate(0.3, 0.01, options=TIGHT) for kind in ("maximal", "tree")
    )
    for field in ("position", "orientation", "velocity", "energy"):
        assert np.abs(getattr(maximal, field) - getattr(tree, field)).max() < 1e-9
    python = Simulator(mechanism, coordinates="tree", backend="python").simulate(0.3, 0.01, options=TIGHT)
    assert np.array_equal(python.resume, tree.resume)


# --- contacts between two bodies --------------------------------------------------------------------------------------
def folded() -> Mechanism:
    """A chain that swings onto itself: the ball at its end meets one on its first link."""
    inertia = (0.01, 0.012, 0.01, 0, 0, 0)
    bodies = [Body(name=f"b{k}", mass=1.0 + 0.2 * k, inertia=inertia, center_of_mass=(0, 0, -0.2)) for k in range(4)]
    joints = [
        Joint(name=f"j{k}", type="revolute", parent=f"b{k - 1}" if k else "world", child=f"b{k}",
              parent_anchor=(0, 0, -0.4) if k else (0, 0, 0), axis=(0, 1, 0.1 * (k % 2)), coordinate=angle)
        for k, angle in enumerate((0.0, 1.6, 1.6, 1.0))
    ]  # fmt: skip
    touch = Contact(name="touch", kind="sphere", parent="b0", child="b3", parent_anchor=(0, 0, -0.1),
                    child_anchor=(0, 0, -0.4), parent_radius=0.1, radius=0.05, friction=0.5)  # fmt: skip
    return Mechanism(name="folded", bodies=bodies, joints=joints, contacts=[touch])


@pytest.mark.parametrize(
    ("build", "time"),
    [
        (folded, 0.4),
        (lambda: contact_scenes.meeting("point", 0.0), 0.2),
        (lambda: contact_scenes.meeting("ball", 0.4), 0.1),
        (lambda: contact_scenes.meeting("sphere", 0.4), 0.7),
        (lambda: contact_scenes.meeting("gap", 0.4), 0.7),
    ],
    ids=["folded", "point", "ball", "sphere", "gap"],
)
def test_bodies_of_two_branches_meet_alike(build, time: float) -> None:
    mechanism = build()
    maximal, tree = (Simulator(mechanism, coordinates=kind).simulate(time, 0.005) for kind in ("maximal", "tree"))
    assert tree.contacts["touch"].normal_force.max() > 1.0 and tree.contacts["touch"].gap.min() > -1e-12
    for field, bound in (("position", 1e-9), ("orientation", 1e-8), ("energy", 1e-8)):
        assert np.abs(getattr(maximal, field) - getattr(tree, field)).max() < bound
    python = Simulator(mechanism, coordinates="tree", backend="python").simulate(time, 0.005)
    assert np.array_equal(python.resume, tree.resume)
