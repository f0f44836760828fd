"""What proofs run over: mechanisms that together have every type of joint, every kind of force and of contact.

Every joint type of JOINT_TABLE stands between the world and a body and between two bodies, along a coordinate axis,
between two of them, and askew; with every law that acts along its coordinates, with drivers and with gears. A new row
of that table, or a new type that is registered, is in the zoo without another line.
Contacts, limits and dry friction are in contact_zoo.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from symvi.analysis.choices import NOTHING_DROPPED, Choices, Lock
from symvi.mechanism import (
    JOINT_TABLE,
    Actuator,
    Body,
    Coupling,
    Driver,
    Force,
    Joint,
    JointDamper,
    JointSpring,
    Mechanism,
    PointSpring,
    Potential,
    Servo,
    Wrench,
    coordinate_kinds,
)
from symvi.proofs.contact_zoo import contact_zoo
from symvi.registry import JOINTS

FULL, DIAGONAL = (1.1, 1.2, 1.3, 0.1, 0.2, 0.3), (1.1, 1.2, 1.3)
HOLDING = ("x_b[0] - R_b[1, 2]*x_a[1]", "R_b[0, 1] + q_a[2]*x_b[2]", "q_b[1]*q_a[0] - x_a[0]*R_b[2, 0]")
ENERGY = (
    "0.5*k*(x_b[0] - x_a[0])**2 + sin(R_b[2, 1])*exp(q_a[1]) - log(1.5 + q_b[0]) + cos(x_b[2])/(2 + x_a[1]**2)"
    " + atan2(q_b[1], q_b[3])"
)
# axis, orientation and second axis of a universal joint: along, between and askew to coordinate axes
ALONG = (
    ((0, 0, 1), (1, 0, 0, 0), (1, 0, 0)),
    ((1, 0, 0), (1, 0, 0, 0), (0, 0, 1)),
    ((0, -1, 0), (sqrt(0.5), sqrt(0.5), 0, 0), (1, 0, 0)),
    ((0.6, 0.8, 0), (0.5, 0.5, -0.5, 0.5), (0, 0, -1)),
)
ASKEW = ((0.48, 0.6, 0.64), (0.5, 0.1, 0.7, 0.5), (0.52, -0.8, 0.36))


def zoo() -> Iterator[tuple[Mechanism, Choices]]:
    """All mechanisms of the zoo, with the rows that their programs keep.

    Errors are planted in a kernel where it is first met: those come first in which the fewest numbers are zero.
    """
    yield from ((mechanism, NOTHING_DROPPED) for mechanism in (body_forces(), both_ways()))
    for number, joint_type in enumerate(JOINTS):
        yield along_axes(joint_type, ALONG[number % len(ALONG)]), NOTHING_DROPPED
        yield askew(joint_type), NOTHING_DROPPED
    yield from ((damped_tree(joint_type), NOTHING_DROPPED) for joint_type in JOINT_TABLE if joint_type != "floating")
    yield from ((mechanism, NOTHING_DROPPED) for mechanism in (spatial_loop(), net()))
    single = [joint_type for joint_type in JOINTS if coordinate_kinds(joint_type) == ("rotation",)]
    for joint_type in single:
        yield swinging(f"swinging_{joint_type}", joint_type), NOTHING_DROPPED
    yield swinging("swinging_along_an_axis", single[0], ALONG[0]), NOTHING_DROPPED
    yield four_bar(), Choices({"j4": (0, 1)}, {"j4": (2, 3, 4)}, {}, {})
    kept = {"j2": (0, 1, 2, 3), "second_gear": ()}
    locks = (Lock("j2", 0, 0.7),)
    yield dropped_angles(), Choices(kept, {"j2": (4,), "second_gear": (0,)}, {}, {}, locks)
    yield from ((mechanism, NOTHING_DROPPED) for mechanism in contact_zoo(body, joint))
    yield point_masses(), Choices({}, {}, {}, {"size": 1.6}, (), {"first": "back", "second": "there"})


def joint(name: str, joint_type: str, parent: str, child: str, placed=ASKEW, *, baked: bool = False) -> Joint:
    """A joint of a type, somewhere; baked: with zeros that end up in the text."""
    axis, orientation, pin = placed
    size = sqrt(sum(x * x for x in orientation))
    anchors = (
        {"parent_anchor": (0, 0, 0.4), "child_anchor": (0, -0.5, 0)}
        if baked
        else {"parent_anchor": (0.3, -0.2, 0.4), "child_anchor": (-0.1, 0.5, 0.2)}
    )
    record = JOINTS[joint_type]
    own = ({"child_axis": pin} if "child_axis" in record.needs else {}) | dict(record.example)
    return Joint(
        name=name,
        type=joint_type,
        parent=parent,
        child=child,
        axis=axis,
        orientation=tuple(x / size for x in orientation),
        **anchors,
        **own,
    )


def body(name: str, inertia=FULL, center=(0.1, -0.3, 0.2)) -> Body:
    return Body(name=name, mass=1.5, inertia=inertia, center_of_mass=center)


def along_axes(joint_type: str, placed) -> Mechanism:
    """Two of a joint in a chain from the world, with explicit laws along their coordinates, and many zeros."""
    laws = [law for j in ("j1", "j2") for law in explicit_laws(j, joint_type)]
    return Mechanism(
        name=f"along_{joint_type}",
        bodies=[body(name, DIAGONAL, (0, 0, 0)) for name in ("first", "second")],
        joints=[
            joint("j1", joint_type, "world", "first", placed, baked=True),
            joint("j2", joint_type, "first", "second", placed, baked=True),
        ],
        forces=laws,
    )


def askew(joint_type: str) -> Mechanism:
    """The same chain without zeros, with all laws, a driver of every coordinate, a gear between single ones."""
    kinds = coordinate_kinds(joint_type)
    laws = [law for j in ("j1", "j2") for law in (*explicit_laws(j, joint_type), *damped_laws(j, joint_type))]
    drivers = [Driver(name=f"drive{k + 1}", joint="j2", coordinate=k) for k in range(len(kinds))]
    gears = [Coupling(name="gear", joints=("j1", "j2"), ratio=2.5, offset=0.3)] if len(kinds) == 1 else []
    return Mechanism(
        name=f"askew_{joint_type}",
        bodies=[body("first"), body("second")],
        joints=[joint("j1", joint_type, "world", "first"), joint("j2", joint_type, "first", "second")],
        forces=laws,
        drivers=drivers,
        couplings=gears,
    )


def damped_tree(joint_type: str) -> Mechanism:
    """A tree with dampers, which some joints take from them: each way round, one without and one beside a sibling."""
    return Mechanism(
        name=f"damped_{joint_type}",
        bodies=[body("first"), body("second"), body("third", DIAGONAL), body("fourth")],
        joints=[
            joint("base", "cylindrical", "world", "first"),
            joint("there", joint_type, "first", "second"),
            joint("back", joint_type, "third", "first"),
            joint("tip", "spherical", "second", "fourth"),
        ],
        forces=[law for name in ("there", "back") for law in damped_laws(name, joint_type)],
    )


def explicit_laws(name: str, joint_type: str) -> list[Force]:
    """Every law along a joint's coordinates that is known at the first knot."""
    count = len(coordinate_kinds(joint_type))
    if not count:
        return []
    return [
        JointSpring(
            name=f"spring_{name}",
            joint=name,
            stiffness=tuple(2.0 + k for k in range(count)),
            rest=tuple(0.1 * k for k in range(count)),
        ),
        Actuator(name=f"push_{name}", joint=name),
    ]


def swinging(name: str, joint_type: str, placed=ASKEW) -> Mechanism:
    """Sinusoidal springs, in a mechanism of their own: their law is stated on closed joints, whose rows are zero there.

    An error in what is zero cannot be seen, so no other kernel relies on a proof at such a point.
    """
    springs = [
        JointSpring(name=f"sine_{j}", joint=j, stiffness=3.0, rest=rest, law="sinusoidal")
        for j, rest in (("j1", 0.0), ("j2", 0.4))
    ]
    return Mechanism(
        name=name,
        bodies=[body("first"), body("second")],
        joints=[joint("j1", joint_type, "world", "first", placed), joint("j2", joint_type, "first", "second", placed)],
        forces=springs,
    )


def damped_laws(name: str, joint_type: str) -> list[Force]:
    """Every law along a joint's coordinates that acts at the step's own velocity."""
    count = len(coordinate_kinds(joint_type))
    laws: list[Force] = (
        [JointDamper(name=f"damper_{name}", joint=name, damping=tuple(0.3 + k for k in range(count)))] if count else []
    )
    return [*laws, Servo(name=f"servo_{name}", joint=name, stiffness=5.0, damping=0.6)] if count == 1 else laws


def body_forces() -> Mechanism:
    """Forces that act on free bodies without a joint: between points, from outside, from a user's own energy."""
    forces = [
        PointSpring(
            name="wire",
            parent="world",
            child="first",
            parent_anchor=(1, 2, 0.5),
            child_anchor=(0.2, 0, 0.1),
            stiffness=4,
            length=0.5,
        ),
        PointSpring(
            name="band",
            parent="first",
            child="second",
            parent_anchor=(0, 0.3, 0),
            child_anchor=(0.2, 0.7, 0.1),
            stiffness=4,
            length=0,
        ),
        Wrench(name="wind", body="first", point=(0.3, 0, 0.4)),
        Wrench(name="jet", body="second", point=(0.3, 0.2, 0.4), frame="body"),
        Potential(name="well", parent="world", child="second", expression=ENERGY, parameters={"k": 3.0}),
        Potential(name="bond", parent="first", child="second", expression=ENERGY, parameters={"k": 3.0}),
    ]
    return Mechanism(name="body_forces", bodies=[body("first"), body("second", DIAGONAL)], forces=forces)


def both_ways() -> Mechanism:
    """Two dampers between the same two bodies, each naming the other one as the parent."""
    return Mechanism(
        name="both_ways",
        bodies=[body("first"), body("second")],
        joints=[
            joint("there", "cylindrical", "first", "second"),
            joint("back", "floating", "second", "first"),
            joint("base", "spherical", "world", "second"),
        ],
        forces=[
            JointDamper(name="d1", joint="there", damping=(0.2, 0.3)),
            JointDamper(name="d2", joint="back", damping=(0.1,) * 6),
        ],
    )


def spatial_loop() -> Mechanism:
    """A closed loop without redundant rows: revolute, spherical, spherical, revolute."""
    links = (
        ("j1", "revolute", "world", "crank"),
        ("j2", "spherical", "crank", "rod"),
        ("j3", "spherical", "rod", "rocker"),
        ("j4", "revolute", "world", "rocker"),
    )
    return Mechanism(
        name="spatial_loop",
        bodies=[body(name) for name in ("crank", "rod", "rocker")],
        joints=[joint(name, kind, parent, child) for name, kind, parent, child in links],
    )


def four_bar() -> Mechanism:
    """A planar loop, of whose last joint three rows are dropped: it is solved along its own axes, and watched."""
    links = (("j1", "world", "crank"), ("j2", "crank", "rod"), ("j3", "rod", "rocker"), ("j4", "world", "rocker"))
    return Mechanism(
        name="four_bar",
        bodies=[body(name, DIAGONAL) for name in ("crank", "rod", "rocker")],
        joints=[joint(name, "revolute", parent, child) for name, parent, child in links],
    )


def dropped_angles() -> Mechanism:
    """A screw without its advance, and a gear, dropped: rows that carry unwrapped angles and are only watched."""
    gears = [Coupling(name=name, joints=("j1", "j2"), ratio=2.5, offset=0.3) for name in ("gear", "second_gear")]
    return Mechanism(
        name="dropped_angles",
        bodies=[body("first"), body("second")],
        couplings=gears,
        joints=[joint("j1", "revolute", "world", "first"), joint("j2", "screw", "first", "second")],
    )


def point_masses() -> Mechanism:
    """Two bodies without inertia, whose joints stand in for it; of two joints between them, each holds its child."""
    back = Joint(name="back", type="custom", parent="second", child="first", expressions=HOLDING)
    return Mechanism(
        name="point_masses",
        bodies=[body(name, (0, 0, 0)) for name in ("first", "second")],
        joints=[
            joint("base", "spherical", "world", "first"),
            joint("there", "planar_axis", "first", "second"),
            back,
        ],
    )


def net() -> Mechanism:
    """Four bodies, every two joined by a wire: nodes with more neighbours than one kernel eliminates whole."""
    names = ("north", "east", "south", "west")
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return Mechanism(
        name="net",
        bodies=[body(name, DIAGONAL) for name in names],
        joints=[joint(f"{a}_{b}", "distance", a, b) for a, b in pairs],
    )
